"""The workspace: documents of the editor and files on disk become snapshots, in steps of one statement.

Owns the documents, the parsed statements, the catalog, the analysis and the index. Inputs (`open`, `close`,
`rescan`, ..) only note what changed; `step` does one small piece of the work, so that its caller can take new inputs
and answer questions in between. Open documents always come first.

One thread drives an engine. The snapshots that it hands out never change.

Longer than other modules: what is open, parsed, committed and bound is one state, and nobody else may touch it.
"""

from __future__ import annotations

import logging
import traceback
from collections import deque
from collections.abc import Generator, Iterable, Mapping

from msgspec import Struct

from sql_lineage_ls.catalog.catalog import Catalog
from sql_lineage_ls.lineage.analysis import Analysis, ParsedStatement
from sql_lineage_ls.lineage.graph import Contribution, Part, merge_contributions, statement_contributions
from sql_lineage_ls.lineage.model import Gap, StatementLineage
from sql_lineage_ls.workspace.choose_dialect import choose_dialect
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.definitions import definitions_of, exports, statements_of
from sql_lineage_ls.workspace.discovery import FoundFile, read_text
from sql_lineage_ls.workspace.folders import Folder, folder_of
from sql_lineage_ls.workspace.index import RelationIndex
from sql_lineage_ls.workspace.models import ModelFiles
from sql_lineage_ls.workspace.notices import Notices
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import ParsedFile, Pieces, parse_pieces
from sql_lineage_ls.workspace.scan import FolderScan, ScanResult
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot
from sql_lineage_ls.workspace.views import document_view, same_lineage

_log = logging.getLogger(__name__)

_Work = Generator[None, None, None]

_UNBOUND = StatementLineage("unbound")
# More documents than this change at once only when files do, not when somebody types.
_MOST_COMPARED = 4


class OpenText(Struct, frozen=True):
    """What the editor has of a document."""

    text: str
    version: int | None


class Engine:
    """Analyses a workspace step by step.

    `bound` and `parsed` count the statements that were really bound and parsed since the start.
    """

    def __init__(self, cache: ParseCache | None = None) -> None:
        self._cache = cache or ParseCache()
        self._folders: tuple[Folder, ...] = ()
        self._settings = Settings()
        self._models = ModelFiles()
        # What there is.
        self._open: dict[str, OpenText] = {}
        self._disk: Mapping[str, FoundFile] = {}
        self._notices = Notices()
        self._scan = FolderScan(self._notices)
        self._scanned = False
        # What has to be parsed, in order; the jobs are under way.
        self._changed_open: dict[str, None] = {}
        self._changed_disk: dict[str, None] = {}
        self._open_job: tuple[str, _Work] | None = None
        self._disk_job: tuple[str, _Work] | None = None
        # What was parsed, and what of it the analysis does not know yet.
        self._parsed: dict[str, ParsedFile] = {}
        self._statements: dict[tuple[str, int], ParsedStatement] = {}
        self._uncommitted: dict[str, None] = {}
        # Whether an open or a removed document is among them.
        self._hurry = False
        self._defined: dict[str, tuple[tuple[int, str], ...]] = {}
        self._catalog = Catalog()
        self._analysis = Analysis(self._catalog, {})
        self._bound_before = 0
        # What has to be bound, and what was.
        self._bind_first: deque[str] = deque()
        self._bind_later: deque[str] = deque()
        self._bind_job: _Work | None = None
        self._views: dict[str, DocumentView] = {}
        self._contributions: dict[str, dict[str, Contribution]] = {}
        # What each statement of an open document adds to the index: an edit changes that of a few.
        self._parts: dict[str, tuple[Part, ...]] = {}
        self._index = RelationIndex()
        self._faults: set[tuple[str, int | None]] = set()
        self.snapshot = Snapshot({}, self._analysis, self._index, ready=False, complete=False)

    # ------------------------------------------------------------ inputs

    def configure(self, folders: Iterable[Folder], settings: Settings = Settings()) -> None:
        """Sets the workspace folders and the settings of documents that lie in none of them."""
        before = {uri: self._circumstances(uri) for uri in (*self._open, *self._disk)}
        self._folders = tuple(folders)
        self._settings = settings
        self._models = ModelFiles()
        for uri, old in before.items():
            if self._circumstances(uri) != old:
                self._note_change(uri)

    def open(self, uri: str, text: str, version: int | None = None) -> None:
        """Takes the editor's text of a document, at first and after each change."""
        self._open[uri] = OpenText(text, version)
        self._note_change(uri)

    def close(self, uri: str) -> None:
        """The editor has closed a document: what is on disk counts again."""
        if self._open.pop(uri, None) is None:
            return
        self._parts.pop(uri, None)
        self._changed_open.pop(uri, None)
        if uri in self._disk:
            self._note_change(uri)
        else:
            self._forget(uri)

    def rescan(self, changed: Iterable[str] = ()) -> None:
        """Has the folders looked at again. `changed` are files to be read again whatever their stamp says."""
        self._scan.ask(changed)

    def take_notices(self) -> tuple[str, ...]:
        """Messages for the person at the editor that were not taken before; each is said once."""
        return self._notices.take()

    # ------------------------------------------------------------ state

    @property
    def parsed(self) -> int:
        return self._cache.parsed

    @property
    def bound(self) -> int:
        return self._bound_before + self._analysis.bound

    @property
    def urgent(self) -> bool:
        """Whether an open document is not analysed as it stands now."""
        if self._changed_open or self._open_job or self._bind_first:
            return True
        return self._hurry

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do."""
        pending = self.waiting_files or self._uncommitted or self._bind_later
        return not (self.urgent or self._scan.active or pending)

    @property
    def waiting_files(self) -> int:
        """How many files on disk are still to be parsed."""
        return len(self._changed_disk) + (self._disk_job is not None)

    def finish(self) -> Snapshot:
        """Does all the work there is, for callers who have nobody waiting; gives the snapshot of it."""
        while self.step():
            pass
        return self.snapshot

    # ------------------------------------------------------------ work

    def step(self) -> bool:
        """Does the next small piece of work, about one statement; False where there is none."""
        if self._changed_open or self._open_job:
            self._open_job = self._advance(self._open_job, self._changed_open, newest_first=True)
        elif self._hurry:
            self._commit()
        elif self._bind_first:
            self._bind_next(self._bind_first)
        elif self._scan.active:
            if (result := self._scan.advance(self._folders)) is not None:
                self._take_scan(result)
        elif self._changed_disk or self._disk_job:
            self._disk_job = self._advance(self._disk_job, self._changed_disk, newest_first=False)
        elif self._uncommitted or not self._is_known_ready():
            self._commit()
        elif self._bind_later:
            self._bind_next(self._bind_later)
        else:
            return False
        return True

    def _is_known_ready(self) -> bool:
        return self.snapshot.ready or not self._scanned

    def _advance(
        self, job: tuple[str, _Work] | None, changed: dict[str, None], *, newest_first: bool
    ) -> tuple[str, _Work] | None:
        """Parses one statement of the job's document, or begins with the next document that changed."""
        if job is None or job[0] in changed:
            uri = next(reversed(changed)) if newest_first else next(iter(changed))
            del changed[uri]
            job = uri, self._parse(uri)
        return job if next(job[1], self) is not self else None

    def _take_scan(self, result: ScanResult) -> None:
        """Notes the differences between what was and what is on disk."""
        before, self._disk, self._scanned = self._disk, result.files, True
        for uri in sorted({*before, *self._disk}):
            if uri in self._open:
                continue
            if uri not in self._disk:
                self._forget(uri)
            elif uri in result.forced or uri not in before or before[uri].stamp != self._disk[uri].stamp:
                self._note_change(uri)
        # A project's file may have come, gone or changed.
        self._models = ModelFiles()
        for uri, file in self._parsed.items():
            if self._relation_of(uri) != file.relation:
                self._note_change(uri)

    def _parse(self, uri: str) -> _Work:
        opened = self._open.get(uri)
        if opened is not None:
            text, version = opened.text, opened.version
        else:
            file = self._disk.get(uri)
            read = read_text(file.path) if file is not None else None
            if read is None:
                self._remove(uri)
                return
            text, version = read, None
        settings = self._settings_of(uri)
        choice = choose_dialect(self._relative(uri), text, settings)
        if choice.unknown:
            self._notices.say(f"{uri}: its first line names the dialect {choice.unknown!r}, which is none.")
        relation = self._relation_of(uri)
        found = Pieces()
        if len(text) > settings.max_file_size:
            self._notices.say_too_large(uri, len(text), settings.max_file_size)
        else:
            before = self._parsed.get(uri) if opened is not None else None
            found = yield from parse_pieces(text, choice.dialect, self._cache, before, relation)
        self._parsed[uri] = ParsedFile(
            uri, text, version, choice.dialect, opened is not None, found.pieces, relation, found.steady
        )
        self._uncommitted[uri] = None
        self._hurry = self._hurry or opened is not None

    def _commit(self) -> None:
        """Makes an analysis of what was parsed, and notes which documents may mean something else now."""
        uncommitted, self._uncommitted, self._hurry = self._uncommitted, {}, False
        # While somebody types, most edits of a view leave its columns alone: then nobody else has to look again.
        comparing = self.snapshot.ready and len(uncommitted) <= _MOST_COMPARED
        fresh = {uri: self._statements_of(uri) for uri in uncommitted}
        changed = {uri: self._changed(uri, statements) for uri, statements in fresh.items()} if comparing else {}
        before = {uri: self._exports(uri, places) for uri, places in changed.items()}
        redefined = [uri for uri, statements in fresh.items() if self._commit_file(uri, statements)]
        self._bound_before += self._analysis.bound
        previous = self._analysis
        self._analysis = Analysis(self._catalog, dict(self._statements), previous, frozenset(self._open))
        others_may_change = any(
            not comparing or before[uri] != self._exports(uri, changed[uri]) for uri in redefined
        )
        if comparing and not others_may_change:
            self._analysis.keep(previous, self._open, redefined)
        self._bind_job = None
        for uri in uncommitted:
            if uri not in self._open:
                self._show_unbound(uri)
        first = [uri for uri in uncommitted if uri in self._open]
        later = [*self._bind_later, *self._bind_first, *uncommitted]
        if others_may_change or not self.snapshot.ready:
            first += self._open
            later += self._parsed
        self._bind_first = deque(uri for uri in dict.fromkeys((*self._bind_first, *first)) if uri in self._open)
        urgent = set(self._bind_first)
        self._bind_later = deque(
            uri for uri in sorted(dict.fromkeys(later)) if uri not in urgent and uri in self._parsed
        )
        if not self._bind_first:
            self._publish()

    def _statements_of(self, uri: str) -> tuple[ParsedStatement, ...]:
        """The statements of a document as it was parsed last; none where it is gone."""
        file = self._parsed.get(uri)
        return statements_of(file, self._settings_of(uri)) if file is not None else ()

    def _changed(self, uri: str, fresh: tuple[ParsedStatement, ...]) -> tuple[int, ...] | None:
        """Which statements of a document are others now; None where it has more or fewer, so that all may be."""
        known = [self._statements[key] for key in self._keys_of(uri)]
        if len(known) != len(fresh):
            return None
        return tuple(
            at for at, (old, new) in enumerate(zip(known, fresh, strict=True))
            if old.key != new.key or old.dialect is not new.dialect
        )

    def _commit_file(self, uri: str, statements: tuple[ParsedStatement, ...]) -> bool:
        """Brings the catalog and the statements up to date; whether other documents may mean something else now."""
        old_count = sum(1 for _ in self._keys_of(uri))
        if uri not in self._parsed:
            changed = bool(self._defined.pop(uri, ()))
            self._catalog = self._catalog.remove_file(uri)
        else:
            changed = self._define(uri, statements)
        for at, statement in enumerate(statements):
            self._statements[uri, at] = statement
        for at in range(len(statements), old_count):
            del self._statements[uri, at]
        return changed

    def _define(self, uri: str, statements: tuple[ParsedStatement, ...]) -> bool:
        """Gives the catalog a document's definitions; whether they are others than before."""
        definitions = definitions_of(uri, statements)
        signature = tuple((definition.statement, statements[definition.statement].key) for definition in definitions)
        if signature == self._defined.get(uri, ()):
            return False
        self._defined[uri] = signature
        try:
            self._catalog = self._catalog.replace_file(uri, definitions)
        except Exception:
            # Definitions that our catalog fails on must not stop the analysis of everything else.
            _log.exception("the definitions of %s could not be taken", uri)
        return True

    def _exports(self, uri: str, places: tuple[int, ...] | None) -> object:
        """What others can see now of some statements of a document, or of all; equal to nothing where nobody can tell.

        Where the rest of a document is the same, what others see of it can only change with what these define.
        """
        known = self._keys_of(uri) if places is None else ((uri, at) for at in places)
        try:
            found = exports(self._analysis, uri, [(key[1], self._statements[key]) for key in known])
        except Exception:
            _log.exception("the definitions of %s could not be compared", uri)
            found = None
        return object() if found is None else found

    def _keys_of(self, uri: str) -> Generator[tuple[str, int], None, None]:
        at = 0
        while (uri, at) in self._statements:
            yield uri, at
            at += 1

    def _bind_next(self, waiting: deque[str]) -> None:
        if self._bind_job is None:
            self._bind_job = self._bind(waiting[0])
        if next(self._bind_job, self) is self:
            self._bind_job = None
            waiting.popleft()
            if not waiting:
                self._publish()

    def _bind(self, uri: str) -> _Work:
        file = self._parsed.get(uri)
        if file is None:
            return
        lineages = []
        for at in range(len(file.pieces)):
            bound = self._analysis.bound
            lineages.append(self._lineage(uri, at))
            if self._analysis.bound != bound:
                yield
        self._show(file, lineages)

    def _show(self, file: ParsedFile, lineages: list[StatementLineage]) -> None:
        """Puts a document into the next snapshot, with what it adds to the index."""
        before = self._views.get(file.uri)
        view = self._views[file.uri] = document_view(file, lineages, before)
        if before is None or not same_lineage(view, before):
            shown = [statement.lineage for statement in view.statements]
            parts = statement_contributions(file.uri, shown, self._parts.pop(file.uri, ()))
            self._contributions[file.uri] = merge_contributions(part.by_relation for part in parts)
            if file.open:
                self._parts[file.uri] = parts

    def _show_unbound(self, uri: str) -> None:
        """Shows a document that will be bound later: its declarations have places, its new statements no lineage."""
        file = self._parsed.get(uri)
        if file is None:
            return
        before = self._views.get(uri)
        known = {id(statement.model): statement.lineage for statement in before.statements} if before else {}
        self._show(file, [known.get(id(piece.model), _UNBOUND) for piece in file.pieces])

    def _lineage(self, uri: str, at: int) -> StatementLineage:
        try:
            return self._analysis.lineage(uri, at)
        except Exception as error:
            # One statement that our analysis fails on must not take the others with it. A fault comes again with every
            # statement that depends on it and every keystroke: it is logged in full once.
            fault = traceback.extract_tb(error.__traceback__)[-1][:2]
            details = None if fault in self._faults else error
            self._faults.add(fault)
            _log.error("the analysis of statement %d of %s failed: %r", at, uri, error, exc_info=details)
            return StatementLineage("failed", gaps=(Gap("failed", "the analysis of this statement failed"),))

    def _publish(self) -> None:
        ready = self.snapshot.ready or (self._scanned and not (self.waiting_files or self._uncommitted))
        moved = bool(self._contributions) or ready != self.snapshot.ready
        if self._contributions:
            self._index = self._index.replace(self._contributions)
            self._contributions = {}
        self.snapshot = Snapshot(
            dict(self._views),
            self._analysis,
            self._index,
            revision=self.snapshot.revision + 1,
            index_revision=self.snapshot.index_revision + moved,
            ready=ready,
            complete=ready and not self._bind_later,
        )

    # ------------------------------------------------------------ bookkeeping

    def _note_change(self, uri: str) -> None:
        self._drop_jobs(uri)
        if uri in self._open:
            self._changed_disk.pop(uri, None)
            self._changed_open.pop(uri, None)
            self._changed_open[uri] = None
        else:
            self._changed_disk[uri] = None

    def _drop_jobs(self, uri: str) -> None:
        """Stops parsing what a document was: it must not come after what the document is."""
        for job in (self._open_job, self._disk_job):
            if job is not None and job[0] == uri:
                job[1].close()

    def _forget(self, uri: str) -> None:
        self._changed_open.pop(uri, None)
        self._changed_disk.pop(uri, None)
        self._drop_jobs(uri)
        self._remove(uri)

    def _remove(self, uri: str) -> None:
        """Takes a document out of what is analysed and shown."""
        if self._parsed.pop(uri, None) is not None:
            self._uncommitted[uri] = None
            self._hurry = True
        if self._views.pop(uri, None) is not None:
            self._contributions[uri] = {}

    def _circumstances(self, uri: str) -> tuple[Settings, str, str]:
        """What a document's meaning depends on besides its text."""
        return self._settings_of(uri), self._relative(uri), self._relation_of(uri)

    def _relation_of(self, uri: str) -> str:
        return self._models.relation(uri, folder_of(self._folders, uri), self._settings_of(uri))

    def _settings_of(self, uri: str) -> Settings:
        folder = folder_of(self._folders, uri)
        return folder.settings if folder is not None else self._settings

    def _relative(self, uri: str) -> str:
        folder = folder_of(self._folders, uri)
        return folder.relative(uri) if folder is not None else uri.rsplit("/", 1)[-1]
