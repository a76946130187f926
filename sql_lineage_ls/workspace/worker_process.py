"""A worker process: parses documents that it is given and answers with facts, never with trees.

It reads no file, knows no workspace and keeps nothing between documents. A statement that takes too long ends the
process, by a clock that does not need the interpreter; so does the end of its input, and that of its parent.
"""

from __future__ import annotations

import faulthandler
import gc
import io
import logging
import os
import sys
import time
from functools import lru_cache

from msgspec import msgpack

from sql_lineage_ls.syntax.query_model import StatementModel
from sql_lineage_ls.workspace.choose_dialect import choose_dialect
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.held_text import text_of
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import Pending, Pieces, parse_pieces
from sql_lineage_ls.workspace.worker_messages import (
    Begun,
    Done,
    Failed,
    Hello,
    Job,
    read_job,
    write_message,
)

# Most statements take milliseconds: the clock need not be set anew for each.
_CLOCK_SECONDS = 0.5
# A tree has parts that point at each other, which only a collection frees; what lives long here is next to nothing.
_COLLECT_AFTER = 200_000
_NOT_READ = StatementModel(None)


def main(seconds: float) -> None:
    """Works until the standard input ends; a statement may take `seconds`."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.dup(1)
    # Whatever prints must not get between the messages.
    os.dup2(2, 1)
    _end_with_parent()
    logging.disable(logging.CRITICAL)
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 10, 100)
    write_message(sink, Hello())
    clock = _Clock(seconds)
    while (job := read_job(source)) is not None:
        write_message(sink, _answer(job, sink, clock))
        clock.stop()


class _Clock:
    """Ends the process when one step takes too long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._set_at = float("-inf")
        self._nowhere = io.FileIO(os.open(os.devnull, os.O_WRONLY), "w")

    def restart(self) -> None:
        now = time.monotonic()
        if now - self._set_at >= min(_CLOCK_SECONDS, self._seconds / 10):
            self._set_at = now
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._nowhere.fileno())

    def stop(self) -> None:
        self._set_at = float("-inf")
        faulthandler.cancel_dump_traceback_later()


def _answer(job: Job, sink: int, clock: _Clock) -> Done | Failed:
    clock.restart()
    try:
        return _done(job, sink, clock)
    except OSError:
        raise
    except Exception as error:
        return Failed(job.id, f"{type(error).__name__}: {error}")


def _done(job: Job, sink: int, clock: _Clock) -> Done:
    text = text_of(job.text)
    choice = choose_dialect(job.relative, text, _settings(job.settings))
    cache = ParseCache()
    for key in job.refused:
        cache.put(key, _NOT_READ)
    work = parse_pieces(text, choice.dialect, cache, relation=job.relation, brief=True)
    skipped = set(job.refused)
    while True:
        try:
            pending: Pending = next(work)
        except StopIteration as end:
            found: Pieces = end.value
            break
        if job.only and pending.key != job.only:
            skipped.add(pending.key)
            cache.put(pending.key, _NOT_READ)
            continue
        clock.restart()
        write_message(sink, Begun(pending.key, pending.start, pending.end))
    return Done(job.id, choice.dialect.name, choice.unknown, found.pieces, tuple(skipped), cache.parsed)


@lru_cache(maxsize=16)
def _settings(data: bytes) -> Settings:
    return msgpack.decode(data, type=Settings)


def _end_with_parent() -> None:
    """Has the system end this process with the one that started it, where it can."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    parent_death_signal = 1
    try:
        ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL)
    except (OSError, AttributeError):
        return
