"""Which statements are parsed in a process of their own: those that may take long, or take the process with them."""

from __future__ import annotations

import re

# Compiled sqlglot holds the interpreter while it parses: a longer statement would hold up every answer.
_LONG = 50_000
# Its work can double with each level, and its stack end the process.
_DEEP = 12

# Angle brackets of types stand between words, unlike comparisons: `ARRAY<STRUCT<a INT64>>`.
_MARKS = re.compile(
    # What is not closed goes on to the end: looked for again and again it would cost the square of the text.
    r"""'(?:[^'\\]|\\.|'')*(?:'|\Z)|"[^"]*(?:"|\Z)|--[^\n]*|/\*.*?(?:\*/|\Z)"""
    r"""|[(\[>\])]|(?<=\w)<(?=\w)|\bCASE\b|\bEND\b""",
    re.S | re.I,
)
_OPENED_BY = {"(": "(", "[": "(", "<": "<", "CASE": "CASE"}
_CLOSED_BY = {")": "(", "]": "(", ">": "<", "END": "CASE"}


def is_risky(text: str) -> bool:
    """Whether a statement is long or nested deeply: `SELECT STRUCT(STRUCT(STRUCT(..` of a dozen levels."""
    if len(text) > _LONG:
        return True
    if text.count("(") + text.count("[") + text.count("<") + text.upper().count("CASE") <= _DEEP:
        return False
    # Apart, since what closes one may be an operator or a word of something else.
    depths = {"(": 0, "<": 0, "CASE": 0}
    for match in _MARKS.finditer(text):
        mark = match.group().upper()
        if (opened := _OPENED_BY.get(mark)) is not None:
            depths[opened] += 1
            if sum(depths.values()) > _DEEP:
                return True
        elif (closed := _CLOSED_BY.get(mark)) is not None:
            depths[closed] = max(depths[closed] - 1, 0)
    return False
