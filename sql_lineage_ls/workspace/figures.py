"""What an engine has done so far, in figures: for `sqlLineage/status`, and for tests that assert what did not run."""

from __future__ import annotations

from msgspec import Struct


class Figures(Struct, frozen=True):
    """Counts since the start, and seconds of the first scan.

    `cache` is what became of the saved state: `off`, `read`, `empty`, or why it could not be used; `cache_bytes` its
    size. `read_seconds` is the time from the first look at the folders until all files were parsed,
    `complete_seconds` until all were analysed; None before. `longest_step` is the longest time without an answer.
    """

    parsed: int
    bound: int
    waiting_files: int
    processes: int
    crashed_processes: int
    cache: str
    cache_bytes: int
    read_seconds: float | None
    complete_seconds: float | None
    longest_step: float
    index_relations: int
