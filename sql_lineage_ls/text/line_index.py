"""Lines and characters of one text, in the three encodings of the language server protocol.

Owns the only translation between offsets (code points of a `str`) and lines with characters. A line ends at `\\n`,
`\\r\\n` or a lone `\\r` and nowhere else (LSP 3.17, "Text Documents"): U+2028, form feed, VT and NEL are text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]

_LINE_END = re.compile(r"\r\n?|\n")


class LineIndex:
    """Where the lines of a text begin; lines and characters count from zero.

    Made once per text by one scan, never changed after. A look-up bisects the line starts; a line of ASCII needs no
    more than a subtraction, other lines are measured up to the position.

    `LineIndex("SELECT 1;\\nSELECT 2").position(17)` is `(1, 7)`.
    """

    __slots__ = ("_ascii", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ascii = text.isascii()
        if "\r" in text:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        else:
            self._starts = _newline_starts(text)

    @property
    def line_count(self) -> int:
        """How many lines there are: one more than line ends, so an empty text has one."""
        return len(self._starts)

    def line_start(self, line: int) -> int:
        """The offset of the first code point of `line`, or the nearest line that exists."""
        return self._starts[min(max(line, 0), len(self._starts) - 1)]

    def line_end(self, line: int) -> int:
        """The offset behind the last code point of `line`, before its line end."""
        line = min(max(line, 0), len(self._starts) - 1)
        start = self._starts[line]
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        if end > start and self.text[end] == "\n" and self.text[end - 1] == "\r":
            end -= 1
        return end

    def position(self, offset: int, encoding: Encoding = "utf-16") -> tuple[int, int]:
        """The line and the character of `offset`, counted in units of `encoding`.

        An offset outside of the text is clamped to it, one inside of `\\r\\n` counts as the end of its line, since the
        protocol has no position there.
        """
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        if offset > start and self.text[offset - 1] == "\r":
            offset -= 1
        if self._ascii or encoding == "utf-32":
            return line, offset - start
        before = self.text[start:offset]
        return line, len(before) if before.isascii() else _measure(before, encoding)

    def offset(self, line: int, character: int, encoding: Encoding = "utf-16") -> int:
        """The offset of a line and a character counted in units of `encoding`; never raises.

        A character past the end of its line is that end, a line past the last one the end of the text, anything
        negative the start (LSP 3.17, "Position"). A character inside of a code point (the middle of a surrogate pair,
        of a UTF-8 sequence) is rounded down to the start of that code point.
        """
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[line], self.line_end(line)
        if character <= 0:
            return start
        # No code point is shorter than one unit, so a longer count than the line has code points may still be inside.
        if self._ascii or encoding == "utf-32":
            return min(start + character, end)
        content = self.text[start:min(end, start + character)]
        if content.isascii():
            return start + len(content)
        return start + _code_points(content, character, encoding)


def _newline_starts(text: str) -> list[int]:
    """The line starts of a text without carriage returns; `str.find` is the fastest scan there is."""
    starts = [0]
    find, append = text.find, starts.append
    at = find("\n") + 1
    while at:
        append(at)
        at = find("\n", at) + 1
    return starts


def _measure(text: str, encoding: Encoding) -> int:
    """How many units of `encoding` the text takes; a lone surrogate counts as itself instead of raising."""
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _code_points(text: str, units: int, encoding: Encoding) -> int:
    """How many whole code points of `text` fit into `units`."""
    if encoding == "utf-8":
        data = text.encode("utf-8", "surrogatepass")
        while units < len(data) and data[units] & 0xC0 == 0x80:
            units -= 1
        return len(data[:units].decode("utf-8", "surrogatepass"))
    data = text.encode("utf-16-le", "surrogatepass")
    at = 2 * units
    if at < len(data) and data[at + 1] & 0xFC == 0xDC and data[at - 1] & 0xFC == 0xD8:
        at -= 2
    return len(data[:at].decode("utf-16-le", "surrogatepass"))
