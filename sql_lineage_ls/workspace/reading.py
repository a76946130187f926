"""From texts to parsed documents: what has changed, in which order it is parsed, and where.

What an editor has open comes first and is parsed here, but for statements that are risky (`risk`): those go to a
worker process. So do files on disk when there are many (`delegation`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping

from msgspec import Struct

from sql_lineage_ls.workspace.choose_dialect import choose_dialect
from sql_lineage_ls.workspace.circumstances import Circumstances
from sql_lineage_ls.workspace.delegation import Delegation
from sql_lineage_ls.workspace.discovery import FoundFile
from sql_lineage_ls.workspace.held_text import pack_text
from sql_lineage_ls.workspace.notices import Notices
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import ParsedFile, Pending, Pieces, parse_pieces
from sql_lineage_ls.workspace.risk import is_risky
from sql_lineage_ls.workspace.seeds import header_of, is_seed, read_header, seed_piece
from sql_lineage_ls.workspace.text_files import read_text
from sql_lineage_ls.workspace.workers import Workers

# Starting processes costs about as much as parsing so many bytes.
_WORTH_PROCESSES = 400_000

_Parsing = Generator[Pending, None, ParsedFile | None]


class OpenText(Struct, frozen=True):
    """What the editor has of a document."""

    text: str
    version: int | None


class _Work:
    """A document that is being parsed here; `away` while a process parses a statement of it."""

    __slots__ = ("away", "parsing", "uri")

    def __init__(self, uri: str, parsing: _Parsing) -> None:
        self.uri = uri
        self.parsing = parsing
        self.away = False

    def resume(self) -> None:
        self.away = False


class Reading:
    """What is to be parsed. `take` gets each document that is done, `gone` each that is not there any more."""

    def __init__(
        self,
        cache: ParseCache,
        notices: Notices,
        take: Callable[[ParsedFile], None],
        gone: Callable[[str], None],
        start: Callable[[], Workers | None],
    ) -> None:
        self.open: dict[str, OpenText] = {}
        self.disk: Mapping[str, FoundFile] = {}
        self.elsewhere = Delegation(cache, notices, take, self._again, start)
        self._cache = cache
        self._notices = notices
        self._take = take
        self._gone = gone
        self._before: Callable[[str], ParsedFile | None] = lambda _: None
        self._changed_open: dict[str, None] = {}
        self._changed_disk: dict[str, None] = {}
        self._open_work: _Work | None = None
        self._disk_work: _Work | None = None
        # Whether the files on disk are so many that processes parse them, and which of them come back all the same.
        self._bulk = False
        self._returned: dict[str, None] = {}

    def compare_with(self, before: Callable[[str], ParsedFile | None]) -> None:
        """Sets where the last parse of a document is found."""
        self._before = before

    @property
    def circumstances(self) -> Circumstances:
        """What the documents' meaning depends on."""
        return self.elsewhere.circumstances

    @circumstances.setter
    def circumstances(self, circumstances: Circumstances) -> None:
        self.elsewhere.circumstances = circumstances

    @property
    def urgent(self) -> bool:
        """Whether an open document is still to be parsed."""
        return bool(self._changed_open or self._open_work)

    @property
    def waiting(self) -> int:
        """How many files on disk are still to be parsed."""
        here = len(self._changed_disk) + len(self._returned) + (self._disk_work is not None)
        return here + self.elsewhere.files

    # ------------------------------------------------------------ inputs

    def note(self, uri: str) -> None:
        """A document has changed."""
        self.forget(uri)
        (self._changed_open if uri in self.open else self._changed_disk)[uri] = None

    def forget(self, uri: str) -> None:
        """A document is not to be parsed any more: what it was must not come after what it is."""
        for changed in (self._changed_open, self._changed_disk, self._returned):
            changed.pop(uri, None)
        for work in (self._open_work, self._disk_work):
            if work is not None and work.uri == uri:
                work.parsing.close()
                self.elsewhere.drop_statement(uri)
        if self._open_work is not None and self._open_work.uri == uri:
            self._open_work = None
        if self._disk_work is not None and self._disk_work.uri == uri:
            self._disk_work = None
        self.elsewhere.drop_file(uri)

    def forget_files(self) -> None:
        """What was not read of the files on disk is not read."""
        working = {self._disk_work.uri} if self._disk_work is not None else set()
        for uri in {*self._changed_disk, *self._returned, *self.elsewhere.uris, *working}:
            self.forget(uri)

    def _again(self, uri: str) -> None:
        self._returned[uri] = None

    # ------------------------------------------------------------ work

    def step_open(self) -> bool:
        """Parses a statement of an open document, the one that changed last first; False where none can be now."""
        if self.elsewhere.receive():
            return True
        if self._open_work is None and self._changed_open:
            uri = next(reversed(self._changed_open))
            del self._changed_open[uri]
            self._open_work = _Work(uri, self._parse(uri))
        if self._open_work is None or self._open_work.away:
            return False
        if self._advance(self._open_work):
            self._open_work = None
        return True

    def step_disk(self) -> bool:
        """Does the next piece of work for files on disk; False where none can be done now."""
        if self.elsewhere.receive():
            return True
        if self._disk_work is None and self._changed_disk and self._is_bulk():
            if self.elsewhere.busy:
                return False
            self._send_next()
            return True
        waiting = self._returned or self._changed_disk
        if self._disk_work is None and waiting:
            uri = next(iter(waiting))
            del waiting[uri]
            self._disk_work = _Work(uri, self._parse(uri))
        if self._disk_work is None or self._disk_work.away:
            return False
        if self._advance(self._disk_work):
            self._disk_work = None
        return True

    def _advance(self, work: _Work) -> bool:
        """Parses the next statement of a document here, or has it parsed elsewhere; whether the document is done."""
        try:
            pending = next(work.parsing)
        except StopIteration as end:
            if end.value is not None:
                self._take(end.value)
            return True
        if is_risky(pending.text):
            opened = self.open.get(work.uri)
            text = opened.text if opened is not None else self._text_of(work.uri)
            urgent = work is self._open_work
            work.away = text is not None and self.elsewhere.send_statement(
                work.uri, text, pending.key, work.resume, urgent=urgent
            )
        return False

    def _is_bulk(self) -> bool:
        """Whether the files that wait are so many that processes parse them, until none waits any more."""
        if not self._bulk or not self.elsewhere.possible:
            waiting = sum(self.disk[uri].stamp[1] for uri in self._changed_disk if uri in self.disk)
            self._bulk = waiting >= _WORTH_PROCESSES and self.elsewhere.possible
        return self._bulk

    def _send_next(self) -> None:
        """Hands the next file to the processes."""
        uri = next(iter(self._changed_disk))
        del self._changed_disk[uri]
        self._bulk = bool(self._changed_disk)
        if is_seed(uri, self.circumstances.of(uri)[2]):
            if (seed := self._seed(uri)) is not None:
                self._take(seed)
            return
        text = self._text_of(uri)
        if text is None:
            self._gone(uri)
            return
        self.elsewhere.send_file(uri, text)

    def _text_of(self, uri: str) -> str | None:
        file = self.disk.get(uri)
        return read_text(file.path) if file is not None else None

    def _parse(self, uri: str) -> _Parsing:
        if is_seed(uri, self.circumstances.of(uri)[2]):
            return self._seed(uri)
        opened = self.open.get(uri)
        if opened is not None:
            text, version = opened.text, opened.version
        else:
            read = self._text_of(uri)
            if read is None:
                self._gone(uri)
                return None
            text, version = read, None
        settings, relative, relation = self.circumstances.of(uri)
        choice = choose_dialect(relative, text, settings)
        if choice.unknown:
            self._notices.say_unknown_dialect(uri, choice.unknown)
        found = Pieces()
        if len(text) > settings.max_file_size:
            self._notices.say_too_large(uri, len(text), settings.max_file_size)
        else:
            before = self._before(uri) if opened is not None else None
            if before is not None and not before.open:
                before = None
            brief = opened is None
            found = yield from parse_pieces(text, choice.dialect, self._cache, before, relation, brief=brief)
        held = text if opened is not None else pack_text(text)
        return ParsedFile(
            uri, held, version, choice.dialect, opened is not None, found.pieces, relation, found.steady
        )

    def _seed(self, uri: str) -> ParsedFile | None:
        """A seed of a dbt project, of which the first line is read; None where it is gone."""
        opened, file = self.open.get(uri), self.disk.get(uri)
        header = header_of(opened.text) if opened is not None else read_header(file.path) if file is not None else None
        if header is None:
            self._gone(uri)
            return None
        settings, relative, relation = self.circumstances.of(uri)
        dialect = choose_dialect(relative, header, settings).dialect
        version = opened.version if opened is not None else None
        pieces = seed_piece(header, relation, dialect, self._cache)
        return ParsedFile(uri, header, version, dialect, opened is not None, pieces, relation)
