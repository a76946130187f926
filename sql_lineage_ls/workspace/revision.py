"""What was parsed as one revision of the whole: the statements, the catalog that they make, and their analysis."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Collection, Generator, Iterable, Mapping

from sql_lineage_ls.catalog.catalog import Catalog, Definition
from sql_lineage_ls.lineage.analysis import Analysis, ParsedStatement
from sql_lineage_ls.lineage.kept import KeptLineage
from sql_lineage_ls.lineage.model import Gap, StatementLineage
from sql_lineage_ls.workspace.circumstances import Circumstances
from sql_lineage_ls.workspace.definitions import definitions_of, exports, statements_of
from sql_lineage_ls.workspace.parsed_file import ParsedFile

_log = logging.getLogger(__name__)

_Statements = tuple[ParsedStatement, ...]


class Revision:
    """The documents as they were parsed last. `commit` makes an analysis of them."""

    def __init__(self) -> None:
        self.parsed: dict[str, ParsedFile] = {}
        self.analysis = Analysis(Catalog(), {})
        self._statements: dict[tuple[str, int], ParsedStatement] = {}
        self._defined: dict[str, tuple[tuple[int, str], ...]] = {}
        self._catalog = Catalog()
        self._bound_before = 0
        self._faults: set[tuple[str, int | None]] = set()

    @property
    def bound(self) -> int:
        """How many statements were really bound since the start."""
        return self._bound_before + self.analysis.bound

    def commit(
        self, uris: Iterable[str], circumstances: Circumstances, looked_at: Collection[str], *, comparing: bool
    ) -> bool:
        """Makes an analysis of what documents have become; whether other documents may mean something else now.

        `comparing` takes the time to find out; without it they may whenever a definition is another one.
        """
        fresh = {uri: self._statements_of(uri, circumstances) for uri in uris}
        changed = {uri: self._changed(uri, statements) for uri, statements in fresh.items()} if comparing else {}
        before = {uri: self._exports(uri, places) for uri, places in changed.items()}
        redefined = self._replace(fresh)
        self._bound_before += self.analysis.bound
        previous = self.analysis
        self.analysis = Analysis(self._catalog, dict(self._statements), previous, frozenset(looked_at))
        others = any(not comparing or before[uri] != self._exports(uri, changed[uri]) for uri in redefined)
        if comparing and not others:
            self.analysis.keep(previous, looked_at, redefined)
        return others

    def recall(
        self,
        files: Mapping[str, ParsedFile],
        known: Mapping[tuple[str, int], tuple[str, KeptLineage]],
        circumstances: Circumstances,
        looked_at: Collection[str],
    ) -> None:
        """Takes over documents that were analysed together before, as `known` says, in place of everything else."""
        self.parsed = dict(files)
        self._statements, self._defined, self._catalog = {}, {}, Catalog()
        self._replace({uri: self._statements_of(uri, circumstances) for uri in files})
        self._bound_before += self.analysis.bound
        self.analysis = Analysis(self._catalog, dict(self._statements), None, frozenset(looked_at))
        self.analysis.recall(known)

    def kept(self, uri: str, at: int) -> KeptLineage:
        """The lineage of a statement. A fault of the analysis costs that statement alone."""
        try:
            return self.analysis.kept(uri, at)
        except Exception as error:
            # A fault comes again with every dependent statement and every keystroke: it is logged in full once.
            fault = traceback.extract_tb(error.__traceback__)[-1][:2]
            details = None if fault in self._faults else error
            self._faults.add(fault)
            _log.error("the analysis of statement %d of %s failed: %r", at, uri, error, exc_info=details)
            gaps = (Gap("failed", "the analysis of this statement failed"),)
            return KeptLineage((), StatementLineage("failed", gaps=gaps))

    def _statements_of(self, uri: str, circumstances: Circumstances) -> _Statements:
        """The statements of a document as it was parsed last; none where it is gone."""
        file = self.parsed.get(uri)
        return statements_of(file, circumstances.settings_of(uri)) if file is not None else ()

    def _changed(self, uri: str, fresh: _Statements) -> tuple[int, ...] | None:
        """Which statements of a document are others now; None where it has more or fewer, so that all may be."""
        known = [self._statements[key] for key in self._keys_of(uri)]
        if len(known) != len(fresh):
            return None
        return tuple(
            at for at, (old, new) in enumerate(zip(known, fresh, strict=True))
            if old.key != new.key or old.dialect is not new.dialect
        )

    def _replace(self, fresh: Mapping[str, _Statements]) -> list[str]:
        """Brings the statements and the catalog up to date; the documents whose definitions are others now."""
        definitions: dict[str, tuple[Definition, ...]] = {}
        for uri, statements in fresh.items():
            old_count = sum(1 for _ in self._keys_of(uri))
            found = definitions_of(uri, statements)
            signature = tuple((definition.statement, statements[definition.statement].key) for definition in found)
            if signature != self._defined.get(uri, ()):
                definitions[uri] = found
            self._defined[uri] = signature
            if uri not in self.parsed:
                del self._defined[uri]
            for at, statement in enumerate(statements):
                self._statements[uri, at] = statement
            for at in range(len(statements), old_count):
                del self._statements[uri, at]
        self._define(definitions)
        return list(definitions)

    def _define(self, definitions: Mapping[str, tuple[Definition, ...]]) -> None:
        if not definitions:
            return
        try:
            self._catalog = self._catalog.replace_files(definitions)
        except Exception:
            # Definitions that our catalog fails on must not stop the analysis of everything else.
            for uri, found in definitions.items():
                try:
                    self._catalog = self._catalog.replace_file(uri, found)
                except Exception:
                    _log.exception("the definitions of %s could not be taken", uri)

    def _exports(self, uri: str, places: tuple[int, ...] | None) -> object:
        """What others can see now of some statements of a document, or of all; equal to nothing where nobody can tell.

        Where the rest of a document is the same, what others see of it can only change with what these define.
        """
        known = self._keys_of(uri) if places is None else ((uri, at) for at in places)
        try:
            found = exports(self.analysis, uri, [(key[1], self._statements[key]) for key in known])
        except Exception:
            _log.exception("the definitions of %s could not be compared", uri)
            found = None
        return object() if found is None else found

    def _keys_of(self, uri: str) -> Generator[tuple[str, int], None, None]:
        at = 0
        while (uri, at) in self._statements:
            yield uri, at
            at += 1
