"""Worker processes that parse: what they are given, what comes back, and what is left when one of them dies.

Each process has a thread here that hands it one document at a time. A process that dies costs the statement that it
was at and is replaced; where none can be started the caller is told and does the work itself. Processes end when
they are idle for a while, when the pool is closed, and with this process, whatever ends it.
"""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Union

from msgspec import Struct

from sql_lineage_ls.workspace.worker_messages import Begun, Done, Failed, Hello, Job, read_reply, write_message

_log = logging.getLogger(__name__)

# How long a statement may take.
STATEMENT_SECONDS = 10.0
_MOST_PROCESSES = 8
# Processes end after so long without work.
IDLE_SECONDS = 5.0
# Starting a process takes long enough for most jobs to end by themselves.
_PATIENCE_SECONDS = 1.0
_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = "import sys; sys.path[:] = sys.argv[2:]; from {module} import main; main(float(sys.argv[1]))"
_MODULE = "sql_lineage_ls.workspace.worker_process"
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


class Crashed(Struct, frozen=True):
    """A process died at a job, in the statement `at`, or somewhere else where that is None."""

    job: Job
    at: Begun | None
    too_long: bool


class Unavailable(Struct, frozen=True):
    """No process can be started: the job is the caller's."""

    job: Job


Outcome = Union[Done, Failed, Crashed, Unavailable]


class Workers:
    """Up to `count` processes that run `module`. `wake` is called, on any thread, when an outcome has come."""

    def __init__(
        self, count: int, wake: Callable[[], None], seconds: float = STATEMENT_SECONDS, module: str = _MODULE
    ) -> None:
        self.seconds = seconds
        self.module = module
        self.crashes = 0
        self._count = count
        self._wake = wake
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._lanes: list[_Lane] = []
        self._idle = 0
        self._closed = False

    @property
    def ahead(self) -> int:
        """How many jobs are enough to keep all processes at work."""
        return 4 * self._count

    @property
    def running(self) -> int:
        """How many processes there are."""
        return sum(lane.process is not None for lane in self._lanes)

    def submit(self, job: Job, urgent: bool = False) -> None:
        """Has a job done, before those that wait where it is urgent."""
        with self._changed:
            if urgent:
                self._waiting.appendleft(job)
            else:
                self._waiting.append(job)
            if self._idle < len(self._waiting) and len(self._lanes) < self._count:
                self._add_lane()
            self._changed.notify()

    def _add_lane(self) -> None:
        """One process more; where the system has no thread for it, and there is none yet, the work goes back."""
        lane = _Lane(self)
        try:
            lane.start()
        except RuntimeError as error:
            _log.warning("no thread for a worker process could be started: %s", error)
            while self._waiting and not self._lanes:
                self._outcomes.put(Unavailable(self._waiting.popleft()))
                self._wake()
        else:
            self._lanes.append(lane)

    def take(self) -> Outcome | None:
        """The next outcome, None where there is none yet."""
        try:
            return self._outcomes.get_nowait()
        except queue.Empty:
            return None

    def wait(self, seconds: float) -> Outcome | None:
        """The next outcome, waiting for it."""
        try:
            return self._outcomes.get(timeout=seconds)
        except queue.Empty:
            return None

    def drop(self, job_id: int) -> None:
        """Forgets a job that nobody waits for any more; a process that is at it for long is ended."""
        with self._changed:
            self._waiting = deque(job for job in self._waiting if job.id != job_id)
            for lane in self._lanes:
                if lane.job is not None and lane.job.id == job_id:
                    lane.dropped = True
                    if time.monotonic() - lane.since > _PATIENCE_SECONDS:
                        lane.kill()

    def close(self) -> None:
        """Ends all processes now."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for lane in self._lanes:
                lane.kill()
            self._changed.notify_all()

    # ------------------------------------------------------------ for the lanes

    def next_job(self, lane: _Lane) -> Job | None:
        """The next job for a lane; None when it has waited long enough or the pool is closed."""
        with self._changed:
            deadline = time.monotonic() + IDLE_SECONDS
            self._idle += 1
            while not self._waiting and not self._closed and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            self._idle -= 1
            if self._closed or not self._waiting:
                self._lanes.remove(lane)
                return None
            lane.job, lane.dropped, lane.since = self._waiting.popleft(), False, time.monotonic()
            return lane.job

    def report(self, lane: _Lane, outcome: Outcome) -> None:
        with self._changed:
            lane.job = None
            told = not (lane.dropped or self._closed)
            self.crashes += told and isinstance(outcome, Crashed)
        if told:
            self._outcomes.put(outcome)
            self._wake()


class _Lane:
    """One process and the thread that talks to it."""

    def __init__(self, workers: Workers) -> None:
        self.job: Job | None = None
        self.dropped = False
        self.since = 0.0
        self.process: subprocess.Popen[bytes] | None = None
        self._workers = workers

    def start(self) -> None:
        threading.Thread(target=self._run, name="parsing", daemon=True).start()

    def kill(self) -> None:
        process = self.process
        if process is not None:
            process.kill()

    def _run(self) -> None:
        try:
            while (job := self._workers.next_job(self)) is not None:
                self._workers.report(self, self._outcome(job))
        finally:
            self._end()

    def _outcome(self, job: Job) -> Outcome:
        # One that is killed while it starts says nothing of the next.
        if self.process is None and not (self._begin() or self._begin()):
            return Unavailable(job)
        process = self.process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        at: Begun | None = None
        began = time.monotonic()
        try:
            write_message(process.stdin.fileno(), job)
            while (reply := read_reply(process.stdout)) is not None:
                if isinstance(reply, Done | Failed):
                    return reply
                if isinstance(reply, Begun):
                    at, began = reply, time.monotonic()
        except (OSError, ValueError) as error:
            _log.debug("a worker process was lost: %s", error)
        self._end()
        return Crashed(job, at, time.monotonic() - began >= 0.8 * self._workers.seconds)

    def _begin(self) -> bool:
        """Starts the process; whether it runs."""
        # Isolated, and elsewhere than in the workspace: nothing that lies there is imported.
        paths = [path for path in sys.path if path]
        program = _PROGRAM.format(module=self._workers.module)
        command = [sys.executable, "-I", "-c", program, str(self._workers.seconds), *paths]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=_ROOT,
                creationflags=_NO_WINDOW,
            )
        except (OSError, ValueError) as error:
            _log.warning("no worker process could be started: %s", error)
            return False
        self.process = process
        assert process.stdout is not None
        try:
            if isinstance(read_reply(process.stdout), Hello):
                return True
        except (OSError, ValueError) as error:
            _log.debug("a worker process does not answer: %s", error)
        self._end()
        _log.warning("a worker process ended as soon as it was started")
        return False

    def _end(self) -> None:
        process, self.process = self.process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        process.wait()


def start_workers(wake: Callable[[], None]) -> Workers | None:
    """As many processes as the machine has room for; they start with the first jobs."""
    return Workers(max(1, min(os.cpu_count() or 1, _MOST_PROCESSES)), wake)
