"""The last good analysis of a statement that is being typed, moved to its present text.

While `SELECT customer. FROM t` cannot be read, the names and edges of `SELECT customer.city FROM t` are still the
best answer. What lies before the edit keeps its place, what lies behind it moves along, and what the edit touched
has no place any more: a position is never guessed.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.lineage.model import Edge, Gap, Join, Occurrence, Read, StatementLineage, Step

_Placed = TypeVar("_Placed", Edge, Gap, Join, Read, Step)


class Shift(Struct, frozen=True, gc=False):
    """How the text of a statement moved: `prefix` code points are the same at its start, `suffix` at its end."""

    prefix: int
    suffix: int
    old_length: int
    new_length: int

    def move(self, start: int, end: int) -> tuple[int, int] | None:
        """A span of the old text in the new one, None where the edit touched it."""
        if end <= self.prefix:
            return start, end
        if start >= self.old_length - self.suffix:
            by = self.new_length - self.old_length
            return start + by, end + by
        return None

    @property
    def kept(self) -> float:
        """The share of the longer text that both have in common."""
        return (self.prefix + self.suffix) / max(self.old_length, self.new_length, 1)


def find_shift(old: str, new: str) -> Shift:
    """How `new` came from `old` by one replacement.

    `find_shift("SELECT a.b FROM t", "SELECT a. FROM t")` keeps the first nine and the last seven code points. Neither
    end is inside of a word: of `city` that became `cities` nothing is kept.
    """
    limit = min(len(old), len(new))
    prefix = _common(old, new, limit)
    backwards = old[::-1], new[::-1]
    suffix = _common(*backwards, limit - prefix)
    return Shift(_whole_words(old, new, prefix), _whole_words(*backwards, suffix), len(old), len(new))


def _common(old: str, new: str, limit: int) -> int:
    """How many code points both begin with, at most `limit`; bisects, since comparing slices is fast."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if old[:middle] == new[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _whole_words(old: str, new: str, kept: int) -> int:
    """`kept` without the word that the texts part in, or right behind."""
    behind = old[kept : kept + 1], new[kept : kept + 1]
    if any(character and _in_word(character) for character in behind):
        while kept and _in_word(old[kept - 1]):
            kept -= 1
    return kept


def _in_word(character: str) -> bool:
    return character.isalnum() or character in "_$@#`\""


def move_lineage(lineage: StatementLineage, shift: Shift) -> StatementLineage:
    """The lineage with its positions in the new text.

    Reads, joins and occurrences that the edit touched are dropped. Edges stay, without a place; problems go, since the
    statement that they were found in is not the one on the screen.
    """
    return replace(
        lineage,
        edges=tuple(_move_edge(edge, shift) for edge in lineage.edges),
        joins=tuple(_moved_or_placeless(join, shift) for join in lineage.joins),
        reads=tuple(read for old in lineage.reads if (read := _moved(old, shift)) is not None),
        gaps=tuple(_moved_or_placeless(gap, shift) for gap in lineage.gaps),
        problems=(),
        occurrences=tuple(moved for old in lineage.occurrences if (moved := _move_occurrence(old, shift)) is not None),
    )


def _moved(placed: _Placed, shift: Shift) -> _Placed | None:
    if placed.start < 0:
        return placed
    moved = shift.move(placed.start, placed.end)
    return replace(placed, start=moved[0], end=moved[1]) if moved is not None else None


def _moved_or_placeless(placed: _Placed, shift: Shift) -> _Placed:
    moved = _moved(placed, shift)
    return moved if moved is not None else replace(placed, start=-1, end=-1)


def _move_edge(edge: Edge, shift: Shift) -> Edge:
    return replace(
        _moved_or_placeless(edge, shift),
        steps=tuple(_moved_or_placeless(step, shift) for step in edge.steps),
        gaps=tuple(_moved_or_placeless(gap, shift) for gap in edge.gaps),
    )


def _move_occurrence(occurrence: Occurrence, shift: Shift) -> Occurrence | None:
    place = shift.move(occurrence.start, occurrence.end)
    if place is None:
        return None
    definitions = (shift.move(*definition) for definition in occurrence.definitions)
    return replace(
        occurrence,
        start=place[0],
        end=place[1],
        definitions=tuple(definition for definition in definitions if definition is not None),
        expression=shift.move(*occurrence.expression) or (-1, -1) if occurrence.expression[0] >= 0 else (-1, -1),
    )
