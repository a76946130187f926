"""Which statements are parsed in a process of their own: those that may take long, or take the process with them."""

from __future__ import annotations

import re

# Compiled sqlglot holds the interpreter while it parses: a longer statement would hold up every answer.
_LONG = 50_000
# Its work can double with each level, and its stack end the process.
_DEEP = 12

_MARKS = re.compile(r"""'(?:[^'\\]|\\.|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|[(\[<>\])]|\bCASE\b|\bEND\b""", re.S | re.I)
_DEEPER = frozenset("([<")
_HIGHER = frozenset(")]>")


def is_risky(text: str) -> bool:
    """Whether a statement is long or nested deeply: `SELECT STRUCT(STRUCT(STRUCT(..` of a dozen levels."""
    if len(text) > _LONG:
        return True
    if text.count("(") + text.count("[") + text.count("<") + text.upper().count("CASE") <= _DEEP:
        return False
    depth = 0
    for match in _MARKS.finditer(text):
        mark = match.group()
        if mark in _DEEPER or mark.upper() == "CASE":
            depth += 1
            if depth > _DEEP:
                return True
        elif mark in _HIGHER or mark.upper() == "END":
            depth = max(depth - 1, 0)
    return False
