"""Where a quote or a comment that is never closed ends.

No rule can be right for every text; these lose the least. A quote ends with its line, which keeps the semicolon there
and all that follows. A comment ends before the next place where a statement must begin.
"""

from __future__ import annotations

import re

from sql_lineage_ls.syntax.statement_heads import BOUNDARY, DEFINITION_BOUNDARY

_LINE_END = re.compile(r"[\r\n]|\Z")
_FINAL_SEMICOLON = re.compile(r";[ \t]*(?:--[^;\r\n]*)?\Z")


def line_end(text: str, start: int) -> int:
    """The offset of the line end at or behind `start`."""
    match = _LINE_END.search(text, start)
    return match.start() if match else len(text)


def line_quote_end(text: str, start: int, limit: int) -> int:
    """Where the open quote at `start` ends: with its line, before a semicolon that ends the line.

    `SELECT 'abc FROM t; -- all` ends before its semicolon.
    """
    line = text[start : min(line_end(text, start), limit)]
    semicolon = _FINAL_SEMICOLON.search(line, 1)
    kept = line[: semicolon.start()] if semicolon else line
    return start + len(kept.rstrip())


def boundary(text: str, start: int, end: int) -> int:
    """The first place behind `start` where a statement must begin, -1 where there is none before `end`.

    That is a definition in the first column, or any other statement there behind a semicolon or a blank line.
    """
    for match in BOUNDARY.finditer(text, start, end):
        if DEFINITION_BOUNDARY.match(text, match.start()):
            return match.start()
        at, lines = match.start(), 0
        while at > start and text[at - 1].isspace():
            at -= 1
            lines += text[at] == "\n"
        line = text[max(text.rfind("\n", start, at), start) : at]
        if lines > 1 or _FINAL_SEMICOLON.search(line):
            return match.start()
    return -1
