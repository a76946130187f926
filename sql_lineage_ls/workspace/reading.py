"""From texts to parsed documents: what has changed, in which order it is parsed, and where.

What an editor has open comes first and is parsed here, but for statements that are risky (`risk`): those go to a
worker process. So do files on disk when there are many. A statement that a process died of, or took too long for, is
not parsed again while its text is the same; everything around it is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Mapping

import msgspec
from msgspec import Struct

from sql_lineage_ls.syntax.dialects import DIALECTS, Dialect
from sql_lineage_ls.syntax.query_model import StatementModel, SyntaxIssue
from sql_lineage_ls.workspace.choose_dialect import choose_dialect
from sql_lineage_ls.workspace.circumstances import Circumstances
from sql_lineage_ls.workspace.discovery import FoundFile
from sql_lineage_ls.workspace.held_text import pack_text
from sql_lineage_ls.workspace.notices import Notices
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import ParsedFile, ParsedPiece, Pending, Pieces, parse_pieces
from sql_lineage_ls.workspace.risk import is_risky
from sql_lineage_ls.workspace.seeds import header_of, is_seed, read_header, seed_piece
from sql_lineage_ls.workspace.text_files import read_text
from sql_lineage_ls.workspace.worker_messages import Begun, Done, Failed, Job
from sql_lineage_ls.workspace.workers import Crashed, Outcome, Workers

_log = logging.getLogger(__name__)

# Starting processes costs about as much as parsing so many bytes.
_WORTH_PROCESSES = 400_000
# A document in which so many statements end a process is given up.
_MOST_CRASHES = 20

_Parsing = Generator[Pending, None, ParsedFile | None]


class OpenText(Struct, frozen=True):
    """What the editor has of a document."""

    text: str
    version: int | None


class _Work:
    """A document that is being parsed here, and the statement of it that is parsed elsewhere."""

    __slots__ = ("away", "parsing", "uri")

    def __init__(self, uri: str, parsing: _Parsing) -> None:
        self.uri = uri
        self.parsing = parsing
        self.away: int | None = None


class _Sent(Struct):
    """A job that a process has: a whole file, or one statement of the work that waits for it."""

    job: Job
    uri: str
    file: FoundFile | None = None
    work: _Work | None = None
    # The statements that a process died at, by their keys.
    died_at: frozenset[str] = frozenset()


class Reading:
    """What is to be parsed. `take` gets each document that is done, `gone` each that is not there any more."""

    def __init__(
        self,
        cache: ParseCache,
        notices: Notices,
        take: Callable[[ParsedFile], None],
        gone: Callable[[str], None],
        workers: Callable[[], Workers | None],
    ) -> None:
        self.circumstances = Circumstances()
        self.open: dict[str, OpenText] = {}
        self.disk: Mapping[str, FoundFile] = {}
        # How many statements were parsed in worker processes.
        self.parsed_elsewhere = 0
        self._cache = cache
        self._notices = notices
        self._take = take
        self._gone = gone
        self._start_workers = workers
        self._workers: Workers | None = None
        self._no_workers = False
        self._before: Callable[[str], ParsedFile | None] = lambda _: None
        self._changed_open: dict[str, None] = {}
        self._changed_disk: dict[str, None] = {}
        self._open_work: _Work | None = None
        self._disk_work: _Work | None = None
        self._bulk = False
        self._sent: dict[int, _Sent] = {}
        self._last_id = 0
        # The keys of the statements that processes died of.
        self._refused: dict[str, None] = {}

    def compare_with(self, before: Callable[[str], ParsedFile | None]) -> None:
        """Sets where the last parse of a document is found."""
        self._before = before

    # ------------------------------------------------------------ state

    @property
    def urgent(self) -> bool:
        """Whether an open document is still to be parsed."""
        return bool(self._changed_open or self._open_work)

    @property
    def waiting(self) -> int:
        """How many files on disk are still to be parsed."""
        sent = sum(sent.file is not None for sent in self._sent.values())
        return len(self._changed_disk) + sent + (self._disk_work is not None)

    @property
    def processes(self) -> int:
        """How many worker processes there are."""
        return self._workers.running if self._workers is not None else 0

    @property
    def crashes(self) -> int:
        """How many worker processes died at a statement."""
        return self._workers.crashes if self._workers is not None else 0

    # ------------------------------------------------------------ inputs

    @property
    def refused(self) -> tuple[str, ...]:
        """The keys of the statements that processes died of."""
        return tuple(self._refused)

    def refuse(self, keys: Iterable[str]) -> None:
        """Statements that are not to be parsed in a process."""
        self._refused.update(dict.fromkeys(keys))

    def note(self, uri: str) -> None:
        """A document has changed."""
        self._drop(uri)
        if uri in self.open:
            self._changed_disk.pop(uri, None)
            self._changed_open.pop(uri, None)
            self._changed_open[uri] = None
        else:
            self._changed_disk[uri] = None

    def forget(self, uri: str) -> None:
        """A document is not to be parsed any more."""
        self._changed_open.pop(uri, None)
        self._changed_disk.pop(uri, None)
        self._drop(uri)

    def forget_files(self) -> None:
        """What was not read of the files on disk is not read."""
        for uri in {*self._changed_disk, *(sent.uri for sent in self._sent.values() if sent.file is not None)}:
            self.forget(uri)
        if self._disk_work is not None:
            self._drop(self._disk_work.uri)

    def close(self) -> None:
        """Ends all processes."""
        if self._workers is not None:
            self._workers.close()

    def _drop(self, uri: str) -> None:
        """Stops parsing what a document was: it must not come after what the document is."""
        for work in (self._open_work, self._disk_work):
            if work is not None and work.uri == uri:
                work.parsing.close()
                if work.away is not None:
                    self._sent.pop(work.away, None)
                    assert self._workers is not None
                    self._workers.drop(work.away)
        if self._open_work is not None and self._open_work.uri == uri:
            self._open_work = None
        if self._disk_work is not None and self._disk_work.uri == uri:
            self._disk_work = None
        for job_id in [job_id for job_id, sent in self._sent.items() if sent.uri == uri and sent.file is not None]:
            del self._sent[job_id]

    # ------------------------------------------------------------ work

    def step_open(self) -> bool:
        """Parses a statement of an open document, the one that changed last first; False where none can be now."""
        if self._workers is not None and self._sent and self._receive(urgent=True):
            return True
        if self._open_work is None and self._changed_open:
            uri = next(reversed(self._changed_open))
            del self._changed_open[uri]
            self._open_work = _Work(uri, self._parse(uri))
        if self._open_work is None or self._open_work.away is not None:
            return False
        if self._advance(self._open_work):
            self._open_work = None
        return True

    def step_disk(self) -> bool:
        """Does the next piece of work for files on disk; False where none can be done now."""
        if self._workers is not None and self._sent and self._receive(urgent=False):
            return True
        if self._changed_disk and self._disk_work is None and self._send_files():
            return True
        if self._disk_work is None and self._changed_disk and not self._bulk:
            uri = next(iter(self._changed_disk))
            del self._changed_disk[uri]
            self._disk_work = _Work(uri, self._parse(uri))
        if self._disk_work is None or self._disk_work.away is not None:
            return False
        if self._advance(self._disk_work):
            self._disk_work = None
        return True

    def wait(self, seconds: float) -> None:
        """Waits for a worker process, for callers with nothing else to do."""
        if self._workers is not None and (outcome := self._workers.wait(seconds)) is not None:
            self._handle(outcome)

    def _advance(self, work: _Work) -> bool:
        """Parses the next statement of a document here, or has it parsed elsewhere; whether the document is done."""
        try:
            pending = next(work.parsing)
        except StopIteration as end:
            if end.value is not None:
                self._take(end.value)
            return True
        if is_risky(pending.text):
            self._send_statement(work, pending)
        return False

    def _parse(self, uri: str) -> _Parsing:
        if is_seed(uri, self.circumstances.of(uri)[2]):
            return self._seed(uri)
        opened = self.open.get(uri)
        if opened is not None:
            text, version = opened.text, opened.version
        else:
            file = self.disk.get(uri)
            read = read_text(file.path) if file is not None else None
            if read is None:
                self._gone(uri)
                return None
            text, version = read, None
        settings, relative, relation = self.circumstances.of(uri)
        choice = choose_dialect(relative, text, settings)
        self._say_unknown(uri, choice.unknown)
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

    def _say_unknown(self, uri: str, unknown: str) -> None:
        if unknown:
            self._notices.say(f"{uri}: its first line names the dialect {unknown!r}, which is none.")

    # ------------------------------------------------------------ elsewhere

    def _pool(self) -> Workers | None:
        if self._workers is None and not self._no_workers:
            self._workers = self._start_workers()
            self._no_workers = self._workers is None
        return None if self._no_workers else self._workers

    def _job(self, uri: str, text: bytes, only: str = "") -> Job:
        settings, relative, relation = self.circumstances.of(uri)
        self._last_id += 1
        encoded = msgspec.msgpack.encode(settings)
        return Job(self._last_id, text, relative, relation, encoded, tuple(self._refused), only)

    def _send(self, sent: _Sent, urgent: bool = False) -> bool:
        pool = self._pool()
        if pool is None:
            return False
        self._sent[sent.job.id] = sent
        pool.submit(sent.job, urgent)
        return True

    def _send_statement(self, work: _Work, pending: Pending) -> None:
        opened = self.open.get(work.uri)
        text = opened.text if opened is not None else self._text_of(work.uri)
        if text is None:
            return
        sent = _Sent(self._job(work.uri, pack_text(text), pending.key), work.uri, work=work)
        if self._send(sent, urgent=work is self._open_work):
            work.away = sent.job.id

    def _text_of(self, uri: str) -> str | None:
        file = self.disk.get(uri)
        return read_text(file.path) if file is not None else None

    def _send_files(self) -> bool:
        """Hands the next file to the processes, where there are many; whether it did."""
        if not self._bulk:
            waiting = sum(self.disk[uri].stamp[1] for uri in self._changed_disk if uri in self.disk)
            self._bulk = waiting >= _WORTH_PROCESSES and self._pool() is not None
        pool = self._workers
        if not self._bulk or pool is None or len(self._sent) >= pool.ahead:
            return False
        uri = next(iter(self._changed_disk))
        del self._changed_disk[uri]
        if is_seed(uri, self.circumstances.of(uri)[2]):
            if (seed := self._seed(uri)) is not None:
                self._take(seed)
            return True
        file = self.disk.get(uri)
        text = self._text_of(uri)
        if file is None or text is None:
            self._gone(uri)
            return True
        self._send(_Sent(self._job(uri, pack_text(text)), uri, file))
        return True

    def _take_file(
        self, uri: str, text: bytes, dialect: Dialect, pieces: tuple[ParsedPiece, ...] = (), relation: str = ""
    ) -> None:
        self._take(ParsedFile(uri, text, None, dialect, False, pieces, relation))

    def _receive(self, *, urgent: bool) -> bool:
        """Handles one outcome of the processes; whether there was one."""
        assert self._workers is not None
        outcome = self._workers.take()
        if outcome is None:
            return False
        self._handle(outcome)
        return True

    def _handle(self, outcome: Outcome) -> None:
        job_id = outcome.id if isinstance(outcome, Done | Failed) else outcome.job.id
        sent = self._sent.pop(job_id, None)
        if sent is None:
            return
        if isinstance(outcome, Done):
            self._handle_done(sent, outcome)
        elif isinstance(outcome, Failed):
            _log.error("%s could not be read: %s", sent.uri, outcome.reason)
            self._give_up(sent)
        elif isinstance(outcome, Crashed):
            self._handle_crash(sent, outcome)
        else:
            self._handle_unavailable(sent)
        if not self._changed_disk and not self._sent:
            self._bulk = False

    def _handle_done(self, sent: _Sent, done: Done) -> None:
        self.parsed_elsewhere += done.parsed
        skipped = frozenset(done.skipped)
        for piece in done.pieces:
            if piece.key not in skipped:
                self._cache.put(piece.key, piece.held)
        if sent.work is not None:
            sent.work.away = None
            return
        assert sent.file is not None
        self._say_unknown(sent.uri, done.unknown)
        dialect = self.circumstances.settings_of(sent.uri).rules(DIALECTS[done.dialect])
        pieces = []
        for piece in done.pieces:
            if piece.key in skipped:
                if (known := self._cache.find(piece.key)) is None:
                    self._again_here(sent)
                    return
                piece = msgspec.structs.replace(piece, held=known)
            pieces.append(piece)
        self._take_file(sent.uri, sent.job.text, dialect, tuple(pieces), sent.job.relation)

    def _handle_crash(self, sent: _Sent, crash: Crashed) -> None:
        """The statement that a process died of is read no more; what is around it is, once more.

        The first time that a process dies at a place it may have been killed for no fault of the statement.
        """
        why = "took too long to read" if crash.too_long else "stopped the parser"
        place = crash.at.key if crash.at is not None else ""
        if crash.too_long or place in sent.died_at:
            if crash.at is None or len(sent.died_at) >= _MOST_CRASHES:
                self._notices.say(f"{sent.uri} is not analysed: it {why}.")
                self._give_up(sent)
                return
            self._refuse(sent, crash.at, why)
            if sent.work is not None:
                sent.work.away = None
                return
        self._last_id += 1
        job = msgspec.structs.replace(sent.job, id=self._last_id, refused=tuple(self._refused))
        if sent.work is not None:
            sent.work.away = job.id
        self._send(_Sent(job, sent.uri, sent.file, sent.work, sent.died_at | {place}), urgent=sent.work is not None)

    def _refuse(self, sent: _Sent, at: Begun, why: str) -> None:
        issue = SyntaxIssue(f"The statement is not analysed: it {why}.", 0, at.end - at.start)
        self._cache.put(at.key, StatementModel(None, (issue,)))
        self._refused[at.key] = None
        self._notices.say(f"A statement of {sent.uri} is not analysed: it {why}.")

    def _give_up(self, sent: _Sent) -> None:
        if sent.work is not None:
            # The statement is left to this process' own limits no more than its text: an empty one stands for it.
            self._cache.put(sent.job.only, StatementModel(None))
            sent.work.away = None
            return
        settings, relative, relation = self.circumstances.of(sent.uri)
        dialect = choose_dialect(relative, "", settings).dialect
        self._take_file(sent.uri, sent.job.text, dialect, relation=relation)

    def _handle_unavailable(self, sent: _Sent) -> None:
        self._no_workers, self._bulk = True, False
        if sent.work is not None:
            sent.work.away = None
        else:
            self._again_here(sent)

    def _again_here(self, sent: _Sent) -> None:
        if self._disk_work is None:
            self._disk_work = _Work(sent.uri, self._parse(sent.uri))
        else:
            self._changed_disk[sent.uri] = None
