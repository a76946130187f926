"""The one thread that analyses: takes inputs, answers questions, and works in between, one statement at a time.

The event loop never parses and never binds. What it tells the worker is applied in order; what it asks is answered
as soon as the documents that an editor shows are analysed as they stand, and before the rest of the workspace is.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from sql_lineage_ls.workspace.engine import Engine
    from sql_lineage_ls.workspace.snapshot import Snapshot

_log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

# How much of the workspace a question needs: open documents as they stand; the catalog too; every use as well.
_NOTHING = -1
DOCUMENTS = 0
CATALOG = 1
EVERYTHING = 2

# compiled sqlglot holds the interpreter for a whole call anyway; a shorter turn keeps the loop quick in between.
PROGRESS_SECONDS = 0.2


class _Question(Struct, eq=False):
    ask: Callable[[Snapshot], Any]
    need: int
    deadline: float
    future: asyncio.Future[Any]


class Worker:
    """Owns the engine and its thread.

    `on_snapshot`, `on_progress` (files still to be read) and `on_failure` (why nothing can be analysed) are called on
    the event loop. `cached` has the analysis kept for the next start, in the user's cache folder.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        on_snapshot: Callable[[Snapshot], None],
        on_progress: Callable[[int], None],
        on_failure: Callable[[str], None],
        cached: bool = False,
    ) -> None:
        self._cached = cached
        self._loop = loop
        self._on_snapshot = on_snapshot
        self._on_progress = on_progress
        self._on_failure = on_failure
        self._failure: Exception | None = None
        # What the loop has told and asked, in order, and the questions that the thread has taken but not answered.
        self._inbox: deque[Callable[[Engine], object] | _Question] = deque()
        self._questions: list[_Question] = []
        self._wake = threading.Event()
        self._stopping = False
        self._progress_at = 0.0

    def start(self) -> None:
        """Starts the thread, which imports the analysis: not before `initialize` is answered."""
        # The interpreter must not wait for an analysis when the server ends.
        threading.Thread(target=self._run, name="analysis", daemon=True).start()

    def stop(self) -> None:
        """Ends the thread after the step that it is in."""
        self._stopping = True
        self._wake.set()

    def tell(self, action: Callable[[Engine], object]) -> None:
        """Applies a change to the engine, after those told before."""
        self._inbox.append(action)
        self._wake.set()

    def ask(
        self, question: Callable[[Snapshot], _Answer], need: int = DOCUMENTS, patience: float = float("inf")
    ) -> asyncio.Future[_Answer]:
        """The answer of `question` to the first snapshot that has all it needs.

        After `patience` seconds the snapshot that is there has to do. Cancelling the future withdraws the question.
        """
        future: asyncio.Future[_Answer] = self._loop.create_future()
        if self._failure is not None:
            future.set_exception(self._failure)
            return future
        self._inbox.append(_Question(question, need, time.monotonic() + patience, future))
        self._wake.set()
        return future

    # ------------------------------------------------------------ on the thread

    def _run(self) -> None:
        try:
            from sql_lineage_ls.workspace.engine import Engine
            from sql_lineage_ls.workspace.store import user_store

            engine = Engine(wake=self._wake.set, store=user_store() if self._cached else None)
            try:
                self._work(engine)
            finally:
                engine.stop()
        except Exception as error:
            _log.exception("the analysis does not run")
            self._post(self._fail_all, error)

    def _fail_all(self, error: Exception) -> None:
        """On the event loop, without a thread: nothing is analysed any more, which is better said than waited for."""
        self._failure = RuntimeError(f"the analysis does not run: {error}")
        for waiting in (*self._questions, *self._inbox):
            if isinstance(waiting, _Question):
                _fail(waiting.future, self._failure)
        self._on_failure(str(self._failure))

    def _work(self, engine: Engine) -> None:
        reported = engine.snapshot
        frozen = False
        while not self._stopping:
            self._take(engine)
            if engine.urgent and self._step(engine):
                continue
            # Where an open document waits for a worker process, what is there has to do for who is out of patience.
            if engine.snapshot is not reported and not engine.urgent:
                reported = engine.snapshot
                self._post(self._on_snapshot, reported)
            if self._answer_one(engine):
                continue
            if self._step(engine):
                self._report_progress(engine)
                continue
            if engine.snapshot.complete and not frozen:
                # What the workspace is made of stays: a full collection need not walk it (0.2 s for 2,000 files).
                frozen = True
                gc.freeze()
            self._wait()

    def _take(self, engine: Engine) -> None:
        """Applies what was told and notes what was asked, in order: a question sees all that came before it."""
        while self._inbox:
            message = self._inbox.popleft()
            if isinstance(message, _Question):
                self._questions.append(message)
            else:
                self._apply(message, engine)

    def _wait(self) -> None:
        """Sleeps until something arrives, or the next question runs out of patience."""
        deadline = min((question.deadline for question in self._questions), default=float("inf"))
        timeout = None if deadline == float("inf") else max(0.0, deadline - time.monotonic())
        self._wake.wait(timeout)
        self._wake.clear()

    def _apply(self, action: Callable[[Engine], object], engine: Engine) -> None:
        try:
            action(engine)
        except Exception:
            _log.exception("an input could not be applied")

    def _step(self, engine: Engine) -> bool:
        try:
            return engine.step()
        except Exception:
            _log.exception("a step of the analysis failed")
            return True

    def _answer_one(self, engine: Engine) -> bool:
        """Answers the first question that can be answered now."""
        now = time.monotonic()
        level = _level(engine)
        for question in tuple(self._questions):
            if question.future.cancelled():
                self._questions.remove(question)
            elif question.need <= level or question.deadline <= now:
                self._questions.remove(question)
                self._answer(question, engine.snapshot)
                return True
        return False

    def _answer(self, question: _Question, snapshot: Snapshot) -> None:
        try:
            answer = question.ask(snapshot)
        except Exception as error:
            self._post(_fail, question.future, error)
        else:
            self._post(_resolve, question.future, answer)

    def _report_progress(self, engine: Engine) -> None:
        now = time.monotonic()
        if now - self._progress_at >= PROGRESS_SECONDS:
            self._progress_at = now
            self._post(self._on_progress, engine.waiting_files)

    def _post(self, callback: Callable[..., None], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            # The loop is closed: the server ends, and nobody waits for this any more.
            self._stopping = True


def _level(engine: Engine) -> int:
    """Questions of which need can be answered in full now."""
    if engine.urgent:
        return _NOTHING
    if engine.settled and (engine.snapshot.ready or engine.cancelled):
        return EVERYTHING
    return CATALOG if engine.snapshot.ready else DOCUMENTS


def _resolve(future: asyncio.Future[Any], answer: object) -> None:
    if not future.done():
        future.set_result(answer)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
