"""Brackets in a list of tokens."""

from __future__ import annotations

from sqlglot.tokens import Token
from sqlglot.tokens import TokenType as T

OPEN = frozenset({T.L_PAREN, T.L_BRACKET, T.L_BRACE})
CLOSE = frozenset({T.R_PAREN, T.R_BRACKET, T.R_BRACE})


def behind_bracket(tokens: list[Token], index: int) -> int:
    """The index behind the bracket that opens at `index`: 3 for `( 1 ) ,` at 0; the end where it is not closed."""
    depth = 0
    for position in range(index, len(tokens)):
        kind = tokens[position].token_type
        if kind in OPEN:
            depth += 1
        elif kind in CLOSE:
            depth -= 1
            if not depth:
                return position + 1
    return len(tokens)
