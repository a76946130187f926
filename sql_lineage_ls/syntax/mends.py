"""Mends of half-typed text: what is missing is put in as an empty name, what is too much is dropped.

A mended statement is partial: its names may be looked at, but nothing may be concluded from what it lacks.
"""

from __future__ import annotations

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.repair import MARK, Prepared

T = TokenType

# Keywords that cannot be the name behind a dot when a blank stands between them and the dot.
_CLAUSES = frozenset(
    {T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.LIMIT, T.UNION, T.INTERSECT, T.EXCEPT, T.QUALIFY, T.JOIN,
     T.LEFT, T.RIGHT, T.INNER, T.FULL, T.CROSS, T.ON, T.USING, T.AND, T.OR, T.THEN, T.ELSE, T.END, T.WHEN, T.ALIAS,
     T.IN, T.IS, T.NOT, T.LIKE, T.BETWEEN, T.WINDOW, T.INTO, T.SET, T.VALUES, T.SELECT, T.DESC, T.ASC}
)  # fmt: skip
_CLOSERS = frozenset(
    {T.COMMA, T.R_PAREN, T.R_BRACKET, T.R_BRACE, T.EQ, T.NEQ, T.LT, T.GT, T.LTE, T.GTE, T.PLUS, T.SLASH, T.DPIPE,
     T.SEMICOLON}
)  # fmt: skip
_ENDINGS = frozenset(
    {T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.LIMIT, T.UNION, T.INTERSECT, T.QUALIFY, T.WINDOW, T.JOIN,
     T.LEFT, T.INNER, T.CROSS, T.R_PAREN, T.R_BRACKET, T.R_BRACE, T.THEN, T.ELSE, T.END, T.WHEN, T.ON, T.SEMICOLON}
)  # fmt: skip
# Behind these a value or a name must come.
_WANTS = frozenset(
    {T.EQ, T.NEQ, T.LT, T.GT, T.LTE, T.GTE, T.PLUS, T.DASH, T.SLASH, T.DPIPE, T.AND, T.OR, T.NOT, T.LIKE, T.BETWEEN,
     T.ON, T.WHERE, T.HAVING, T.QUALIFY, T.GROUP_BY, T.ORDER_BY, T.WHEN, T.THEN, T.ELSE, T.CASE, T.FROM, T.JOIN,
     T.SELECT, T.USING, T.INTO, T.DCOLON, T.ARROW, T.SET, T.PARTITION_BY, T.IN}
)  # fmt: skip
# Clauses that stand in no brackets but those of a query.
_BLOCK_CLAUSES = frozenset({T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.QUALIFY, T.LIMIT, T.UNION})
_DOT = T.DOT
_PAIRS = {T.L_PAREN: T.R_PAREN, T.L_BRACKET: T.R_BRACKET, T.L_BRACE: T.R_BRACE, T.CASE: T.END}
_CLOSING = {T.R_PAREN: ")", T.R_BRACKET: "]", T.R_BRACE: "}", T.END: "END"}


def mend_dots(prepared: Prepared) -> None:
    """Puts an empty name behind a dot that none follows: `SELECT o. FROM orders AS o`.

    Without it the parser reads a column that is called FROM.
    """
    tokens = prepared.tokens
    places: list[int] = []
    last = len(tokens) - 1
    for index in [i for i, token in enumerate(tokens) if token.token_type is _DOT]:
        if index == last:
            places.append(index + 1)
            continue
        following = tokens[index + 1]
        kind = following.token_type
        if kind in _CLOSERS or (kind in _CLAUSES and following.start > tokens[index].end + 1):
            places.append(index + 1)
    for place in reversed(places):
        dot = tokens[place - 1]
        tokens.insert(place, _empty(dot))
        prepared.issues.append(q.SyntaxIssue("A name is missing behind this dot.", dot.start, dot.end + 1))
    prepared.partial = prepared.partial or bool(places)


def mend(prepared: Prepared) -> None:
    """Fills what is missing anywhere: a list's last item, an operand, closing brackets."""
    tokens = prepared.tokens
    result: list[Token] = []
    # Of each open bracket: what closes it, and whether a query stands in it.
    open_: list[tuple[TokenType, bool]] = []
    unclosed = sum(token.token_type in _PAIRS for token in tokens) > sum(t.token_type in _CLOSING for t in tokens)
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind in _CLOSING:
            if not any(closer is kind for closer, _ in open_):
                continue
            while open_[-1][0] is not kind:
                result.append(_closing(open_.pop()[0], result[-1]))
            open_.pop()
        elif unclosed and kind in _BLOCK_CLAUSES:
            while open_ and not open_[-1][1]:
                result.append(_closing(open_.pop()[0], result[-1]))
        if kind in _PAIRS:
            open_.append((_PAIRS[kind], False))
        elif kind is T.SELECT and open_:
            open_[-1] = (open_[-1][0], True)
        following = tokens[index + 1].token_type if index + 1 < len(tokens) else None
        ends = following is None or following in _ENDINGS
        if kind is T.COMMA and ends:
            continue
        result.append(token)
        if kind in _WANTS and (ends or following is T.COMMA):
            result.append(_empty(token))
    for missing, _ in reversed(open_):
        result.append(_closing(missing, result[-1]))
    tokens[:] = result


def add_query(prepared: Prepared) -> bool:
    """Adds an empty SELECT behind a WITH clause that no query follows yet; False where that is not the case."""
    tokens = prepared.tokens
    if not tokens or tokens[0].token_type is not T.WITH or tokens[-1].token_type is not T.R_PAREN:
        return False
    last = tokens[-1]
    select = Token(T.SELECT, "SELECT", last.line, last.col, last.end + 1, last.end)
    tokens += [select, _empty(last)]
    return True


def _empty(before: Token) -> Token:
    """A name without text right behind a token."""
    return Token(T.VAR, MARK, before.line, before.col, before.end + 1, before.end)


def _closing(kind: TokenType, before: Token) -> Token:
    return Token(kind, _CLOSING[kind], before.line, before.col, before.end + 1, before.end)
