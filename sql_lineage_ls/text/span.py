"""Half-open ranges of text.

Every offset in the program counts code points of a `str`. Lines, characters and UTF-16 exist in
`text.line_index` and `server.convert` alone.
"""

from __future__ import annotations

from msgspec import Struct


class Span(Struct, frozen=True, gc=False, order=True):
    """The code points `[start, end)` of one text.

    `Span(7, 10)` of `SELECT qty` is `qty`.
    """

    start: int
    end: int

    def contains(self, offset: int) -> bool:
        """True inside the span and right behind its last code point, where an editor's cursor still means it."""
        return self.start <= offset <= self.end

    def shifted(self, by: int) -> Span:
        """The same span counted from `by` code points earlier."""
        return Span(self.start + by, self.end + by)
