"""DuckDB's PIVOT and UNPIVOT statements where sqlglot does not read them: in INSERT, and with clauses behind them.

Source: DuckDB "PIVOT statement", "UNPIVOT statement".
"""

from __future__ import annotations

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.brackets import CLOSE, OPEN

T = TokenType

PIVOT_WORDS = {"PIVOT": T.PIVOT, "PIVOT_WIDER": T.PIVOT, "UNPIVOT": T.UNPIVOT, "PIVOT_LONGER": T.UNPIVOT}
_TAIL = frozenset({T.ORDER_BY, T.LIMIT, T.OFFSET, T.UNION, T.INTERSECT, T.EXCEPT, T.SEMICOLON})
_SET = frozenset({T.UNION, T.INTERSECT, T.EXCEPT, T.ALL, T.DISTINCT})
_SOURCES = frozenset({T.FROM, T.SELECT, T.WITH, T.VALUES})


def wrap_pivots(tokens: list[Token]) -> None:
    """`PIVOT t ON k LIMIT 3` becomes `FROM (PIVOT t ON k) LIMIT 3`."""
    for index in range(len(tokens) - 1, -1, -1):
        kind = PIVOT_WORDS.get(tokens[index].text.upper())
        if kind is None or not _begins_query(tokens, index):
            continue
        tokens[index].token_type = kind
        end = _end(tokens, index)
        if not index and end == len(tokens):
            continue
        first, last = tokens[index], tokens[end - 1]
        tokens.insert(end, Token(T.R_PAREN, ")", last.line, last.col, last.end, last.end))
        tokens[index:index] = [Token(T.FROM, "FROM", first.line, first.col, first.start, first.start),
                               Token(T.L_PAREN, "(", first.line, first.col, first.start, first.start)]


def _begins_query(tokens: list[Token], index: int) -> bool:
    """Whether the word at `index` is a statement of its own and neither a name nor a clause of FROM."""
    behind = tokens[index + 1] if index + 1 < len(tokens) else None
    if behind is None or not (behind.token_type in (T.L_PAREN, T.IDENTIFIER) or behind.text[:1].isalnum()):
        return False
    before = tokens[:index]
    if all(token.token_type is T.L_PAREN for token in before) or before[-1].token_type in _SET:
        return True
    if tokens[0].token_type is not T.INSERT or before[-1].token_type is T.L_PAREN:
        return False
    return not any(token.token_type in _SOURCES for token in before)


def _end(tokens: list[Token], index: int) -> int:
    """Where the statement's own clauses end."""
    depth = 0
    while index < len(tokens):
        kind = tokens[index].token_type
        if (kind in CLOSE or kind in _TAIL) and not depth:
            break
        depth += (kind in OPEN) - (kind in CLOSE)
        index += 1
    return index
