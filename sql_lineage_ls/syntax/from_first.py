"""`FROM a, b SELECT x` with its clauses in the usual order, token by token.

sqlglot reads it where FROM has one source. Sources: DuckDB "FROM-first syntax", Hive "LanguageManual Select".
"""

from __future__ import annotations

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.brackets import CLOSE, OPEN

T = TokenType

_LIST_ENDS = frozenset(
    {T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.LIMIT, T.QUALIFY, T.WINDOW, T.FETCH, T.OFFSET, T.SEMICOLON,
     T.UNION, T.INTERSECT, T.EXCEPT}
)  # fmt: skip
_TELLING = _LIST_ENDS | OPEN | CLOSE | {T.SELECT}
_BEFORE = frozenset({T.L_PAREN, T.R_PAREN, T.UNION, T.INTERSECT, T.EXCEPT, T.ALL, T.DISTINCT, T.ALIAS, T.SEMICOLON})


def comes_first(tokens: list[Token]) -> bool:
    """Whether any FROM stands before the SELECT of its block: a look at the keywords alone."""
    behind = [False]
    for token in [token for token in tokens if token.token_type in _TELLING]:
        kind = token.token_type
        if kind is T.FROM:
            behind[-1] = True
        elif kind is T.SELECT:
            if behind[-1]:
                return True
        elif kind in OPEN:
            behind.append(False)
        elif kind in CLOSE:
            if len(behind) > 1:
                behind.pop()
        else:
            behind[-1] = False
    return False


def select_first(tokens: list[Token]) -> list[Token]:
    """`FROM a, b SELECT x WHERE y` gives `SELECT x FROM a, b WHERE y`, in subqueries too."""
    result, end = _level(tokens, 0)
    return result if end == len(tokens) else tokens


def _level(tokens: list[Token], index: int) -> tuple[list[Token], int]:
    """The tokens from `index` to the end of their brackets, and the index of that end."""
    found: list[Token] = []
    start = -1  # of a FROM that no SELECT stands before
    several = False  # what sqlglot does not read
    while index < len(tokens) and tokens[index].token_type not in CLOSE:
        token = tokens[index]
        kind = token.token_type
        if kind is T.FROM and (not found or found[-1].token_type in _BEFORE):
            behind = tokens[index + 1].token_type if index + 1 < len(tokens) else None
            start, several = len(found), behind is T.L_PAREN
        elif kind is T.COMMA and start >= 0:
            several = True
        elif kind is T.INSERT:
            start = -1  # of Hive's FROM .. INSERT .. SELECT
        elif kind is T.SELECT and start >= 0:
            if several:
                listed, index = _select_list(tokens, index)
                found[start:start] = listed
            start = -1
            if several:
                continue
        elif kind in _LIST_ENDS:
            start = -1
        found.append(token)
        index += 1
        if kind in OPEN:
            index = _inside(tokens, index, found)
    return found, index


def _inside(tokens: list[Token], index: int, found: list[Token]) -> int:
    inner, index = _level(tokens, index)
    found += inner
    if index < len(tokens):
        found.append(tokens[index])
        index += 1
    return index


def _select_list(tokens: list[Token], index: int) -> tuple[list[Token], int]:
    listed = [tokens[index]]
    index += 1
    while index < len(tokens) and tokens[index].token_type not in CLOSE | _LIST_ENDS:
        listed.append(tokens[index])
        index += 1
        if listed[-1].token_type in OPEN:
            index = _inside(tokens, index, listed)
    return listed, index
