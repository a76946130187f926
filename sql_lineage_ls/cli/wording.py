"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`counted(1, "file")` -> `1 file`, `counted(2100, "file")` -> `2,100 files`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
