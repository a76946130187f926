"""Regular expressions of users, tried on the names of columns: `COLUMNS('^(in|out)_.*')`.

The databases' engines take linear time for any pattern; Python's takes exponential time for some. Those are not tried.
"""

from __future__ import annotations

import re

# Longer ones, and more open repeats in one, are not tried.
_LONGEST = 10_000
_MOST_REPEATS = 6
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!:>]|[()|]|[*+]|\{\d*,?\d*\}", re.DOTALL)


def name_matcher(pattern: str) -> re.Pattern[str] | None:
    """The compiled pattern; None where it is broken, or may take very long: `(a+)+`, `(a|b)*`."""
    if len(pattern) > _LONGEST or not _is_quick(pattern):
        return None
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


def _is_quick(pattern: str) -> bool:
    """Whether no group that repeats or chooses is repeated, and few pieces are."""
    varied = [False]  # whether each open group repeats or chooses
    closed = -1  # where a group ended that does
    repeats = 0
    for piece in _PIECE.finditer(pattern):
        sign = piece[0][0]
        if sign == "(":
            varied.append(False)
        elif sign == ")" and len(varied) > 1:
            inner = varied.pop()
            varied[-1] = varied[-1] or inner
            closed = piece.end() if inner else closed
        elif sign == "|":
            varied[-1] = True
        elif sign in "*+{":
            if piece.start() == closed:
                return False
            repeats += 1
            varied[-1] = True
    return repeats <= _MOST_REPEATS
