"""Splitting a text again after an edit: only the statements around the edit are looked at.

The splitter goes from left to right and forgets everything at the start of a statement, unless a quote or a routine
never closes or the text sets a delimiter of its own (`Cut.steady`). So a statement that begins where one began before,
with the same text behind it, is followed by the same statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.splitter import cut

# Statements in front of the edit that are looked at again, and behind it: the last one must be found where it was.
_MARGIN = 2


class Slice(Protocol):
    """A statement of a text: the code points `start`..`end`."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


class Recut(Struct, frozen=True):
    """The statements of an edited text: `first` of those before, `middle` of the new text, and the `last` before."""

    first: int
    middle: tuple[tuple[int, int], ...]
    last: int


def recut(text: str, dialect: Dialect, old: Sequence[Slice], prefix: int, suffix: int, by: int) -> Recut | None:
    """How the statements `old` of a text changed with it; None where the whole text must be split anew.

    The old text was steady, `prefix` and `suffix` code points at its ends are those of `text`, which is `by` longer.
    Of a hundred statements an edit of the 51st leaves the first 48 and the last 47 alone.
    """
    length = len(text) - by
    first = max(sum(1 for one in old if one.end < prefix) - _MARGIN, 0)
    while first and not _begins_line(text, old[first].start):
        first -= 1
    last = max(sum(1 for one in old if one.start >= length - suffix) - _MARGIN, 0)
    if first + last == 0:
        return None
    start = old[first].start if first else 0
    # The first statement that is kept behind the edit must be found again: it is part of the window.
    anchor = len(old) - last
    end = old[anchor].end + by if last else len(text)
    found = cut(text[start:end], dialect)
    places = tuple((start + one.start, start + one.end) for one in found.slices)
    if not found.steady or (last and (not places or places[-1] != (old[anchor].start + by, end))):
        return None
    return Recut(first, places[:-1] if last else places, last)


def _begins_line(text: str, offset: int) -> bool:
    """Whether the window can start here: at the first token of a line, and not at what a text's start leaves out."""
    line = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return not text[line:offset].strip() and text[offset : offset + 1] != "\ufeff"

