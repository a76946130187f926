"""Documents and statements that worker processes parse: what was sent, what comes back, what a process died of.

A statement that a process died of, or took too long for, is not parsed again while its text is the same; everything
around it is. Where no process can be started the work goes back to where it came from.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

import msgspec
from msgspec import Struct

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.query_model import StatementModel, SyntaxIssue
from sql_lineage_ls.workspace.choose_dialect import choose_dialect
from sql_lineage_ls.workspace.circumstances import Circumstances
from sql_lineage_ls.workspace.held_text import pack_text
from sql_lineage_ls.workspace.notices import Notices
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import ParsedFile
from sql_lineage_ls.workspace.worker_messages import Begun, Done, Failed, Job
from sql_lineage_ls.workspace.workers import Crashed, Outcome, Workers

_log = logging.getLogger(__name__)

# A document in which so many statements end a process is given up.
_MOST_CRASHES = 20


class _Sent(Struct):
    """A job that a process has: a whole file, or one statement, after which `resume` is called."""

    job: Job
    uri: str
    resume: Callable[[], None] | None = None
    # The statements that a process died at, by their keys.
    died_at: frozenset[str] = frozenset()


class Delegation:
    """What is parsed elsewhere.

    `take` gets each file that is done, `again` the address of each that has to be parsed here after all. `start` gives
    the processes when they are needed first, None for none.
    """

    def __init__(
        self,
        cache: ParseCache,
        notices: Notices,
        take: Callable[[ParsedFile], None],
        again: Callable[[str], None],
        start: Callable[[], Workers | None],
    ) -> None:
        self.circumstances = Circumstances()
        # How many statements were parsed in worker processes.
        self.parsed = 0
        self._cache = cache
        self._notices = notices
        self._take = take
        self._again = again
        self._start = start
        self._workers: Workers | None = None
        self._impossible = False
        self._sent: dict[int, _Sent] = {}
        self._last_id = 0
        # The keys of the statements that processes died of.
        self._refused: dict[str, None] = {}

    # ------------------------------------------------------------ state

    @property
    def files(self) -> int:
        """How many files the processes have."""
        return sum(sent.resume is None for sent in self._sent.values())

    @property
    def uris(self) -> set[str]:
        """The addresses of these files."""
        return {sent.uri for sent in self._sent.values() if sent.resume is None}

    @property
    def processes(self) -> int:
        """How many worker processes there are."""
        return self._workers.running if self._workers is not None else 0

    @property
    def crashes(self) -> int:
        """How many worker processes died at a statement."""
        return self._workers.crashes if self._workers is not None else 0

    @property
    def refused(self) -> tuple[str, ...]:
        """The keys of the statements that processes died of."""
        return tuple(self._refused)

    def refuse(self, keys: Iterable[str]) -> None:
        """Statements that are not to be parsed in a process."""
        self._refused.update(dict.fromkeys(keys))

    @property
    def possible(self) -> bool:
        """Whether there are processes; this starts none yet."""
        if self._workers is None and not self._impossible:
            self._workers = self._start()
            self._impossible = self._workers is None
        return not self._impossible

    @property
    def busy(self) -> bool:
        """Whether all processes have enough to do."""
        return self._workers is None or len(self._sent) >= self._workers.ahead

    # ------------------------------------------------------------ sending

    def send_file(self, uri: str, text: str) -> None:
        """Has a file on disk parsed."""
        self._send(_Sent(self._job(uri, text), uri))

    def send_statement(self, uri: str, text: str, key: str, resume: Callable[[], None], *, urgent: bool) -> bool:
        """Has one statement of a document parsed, and calls `resume` when its model is in the cache.

        False where there are no processes.
        """
        if not self.possible:
            return False
        self._send(_Sent(self._job(uri, text, key), uri, resume), urgent)
        return True

    def drop_file(self, uri: str) -> None:
        """A file that was sent is another one now."""
        for job_id in [job_id for job_id, sent in self._sent.items() if sent.uri == uri and sent.resume is None]:
            del self._sent[job_id]

    def drop_statement(self, uri: str) -> None:
        """Nobody waits for the statement of a document any more."""
        for job_id in [job_id for job_id, sent in self._sent.items() if sent.uri == uri and sent.resume is not None]:
            del self._sent[job_id]
            assert self._workers is not None
            self._workers.drop(job_id)

    def close(self) -> None:
        """Ends all processes."""
        if self._workers is not None:
            self._workers.close()

    def _job(self, uri: str, text: str, only: str = "") -> Job:
        settings, relative, relation = self.circumstances.of(uri)
        encoded = msgspec.msgpack.encode(settings)
        return Job(self._next_id(), pack_text(text), relative, relation, encoded, self.refused, only)

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def _send(self, sent: _Sent, urgent: bool = False) -> None:
        assert self._workers is not None
        self._sent[sent.job.id] = sent
        self._workers.submit(sent.job, urgent)

    # ------------------------------------------------------------ receiving

    def receive(self) -> bool:
        """Handles what a process has found, if any has; whether one had."""
        outcome = self._workers.take() if self._workers is not None and self._sent else None
        if outcome is not None:
            self._handle(outcome)
        return outcome is not None

    def wait(self, seconds: float) -> None:
        """Waits for a process and handles what it has found."""
        if self._workers is not None and (outcome := self._workers.wait(seconds)) is not None:
            self._handle(outcome)

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
            self._impossible = True
            self._return(sent)

    def _return(self, sent: _Sent) -> None:
        if sent.resume is not None:
            sent.resume()
        else:
            self._again(sent.uri)

    def _handle_done(self, sent: _Sent, done: Done) -> None:
        self.parsed += done.parsed
        skipped = frozenset(done.skipped)
        for piece in done.pieces:
            if piece.key not in skipped:
                self._cache.put(piece.key, piece.held)
        if sent.resume is not None:
            sent.resume()
            return
        if done.unknown:
            self._notices.say_unknown_dialect(sent.uri, done.unknown)
        dialect = self.circumstances.settings_of(sent.uri).rules(DIALECTS[done.dialect])
        pieces = []
        for piece in done.pieces:
            held = self._cache.find(piece.key) if piece.key in skipped else piece.held
            if held is None:
                self._again(sent.uri)
                return
            pieces.append(msgspec.structs.replace(piece, held=held) if held is not piece.held else piece)
        relation = sent.job.relation
        self._take(ParsedFile(sent.uri, sent.job.text, None, dialect, False, tuple(pieces), relation))

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
            if sent.resume is not None:
                sent.resume()
                return
        job = msgspec.structs.replace(sent.job, refused=self.refused)
        self._send(_Sent(job, sent.uri, sent.resume, sent.died_at | {place}), urgent=sent.resume is not None)

    def _refuse(self, sent: _Sent, at: Begun, why: str) -> None:
        issue = SyntaxIssue(f"The statement is not analysed: it {why}.", 0, at.end - at.start)
        self._cache.put(at.key, StatementModel(None, (issue,)))
        self._refused[at.key] = None
        self._notices.say(f"A statement of {sent.uri} is not analysed: it {why}.")

    def _give_up(self, sent: _Sent) -> None:
        """Neither the document nor its statement is parsed here: it might end this process, too."""
        if sent.resume is not None:
            self._cache.put(sent.job.only, StatementModel(None))
            sent.resume()
            return
        settings, relative, relation = self.circumstances.of(sent.uri)
        dialect = choose_dialect(relative, "", settings).dialect
        self._take(ParsedFile(sent.uri, sent.job.text, None, dialect, False, (), relation))
