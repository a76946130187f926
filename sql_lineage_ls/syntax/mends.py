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
     T.ON, T.WHERE, T.HAVING, T.QUALIFY, T.GROUP_BY, T.ORDER_BY, T.WHEN, T.THEN, T.ELSE, T.FROM, T.JOIN,
     T.SELECT, T.USING, T.INTO, T.DCOLON, T.ARROW, T.SET, T.PARTITION_BY, T.IN, T.L_BRACKET}
)  # fmt: skip
# Clauses that stand in no brackets but those of a query.
_BLOCK_CLAUSES = frozenset({T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.QUALIFY, T.LIMIT, T.UNION})
_DOT, _VAR = T.DOT, T.VAR
_PAIRS = {T.L_PAREN: T.R_PAREN, T.L_BRACKET: T.R_BRACKET, T.L_BRACE: T.R_BRACE, T.CASE: T.END}
_CLOSING = {T.R_PAREN: ")", T.R_BRACKET: "]", T.R_BRACE: "}", T.END: "END"}


def mend_names(prepared: Prepared) -> None:
    """Puts an empty name where the parser would read something else, or nothing, without an error.

    `SELECT o. FROM orders AS o` is no column that is called FROM, and `SELECT FROM orders` lacks its list.
    """
    tokens = prepared.tokens
    empty_lists = prepared.dialect.grammar not in _EMPTY_LISTS
    for index in reversed([i for i, token in enumerate(tokens) if token.token_type in _OPEN_ENDED]):
        token = tokens[index]
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if following is not None and following.token_type is _VAR:
            continue
        if token.token_type is _DOT:
            missing = following is None or _cannot_follow(token, following)
            message = "A name is missing behind this dot."
        else:
            missing = following is None or (following.token_type is T.FROM and token.token_type is T.SELECT)
            missing = missing and empty_lists and not _is_name(tokens, index)
            message = "The list is empty."
        if missing:
            tokens.insert(index + 1, _empty(token))
            prepared.issues.insert(0, q.SyntaxIssue(message, token.start, token.end + 1))
            prepared.partial = True


# Select lists may be empty there.
_EMPTY_LISTS = frozenset({"postgres"})
_OPEN_ENDED = frozenset({T.DOT, T.SELECT, T.SET})


def _is_name(tokens: list[Token], index: int) -> bool:
    """Whether a keyword stands where a name must: `doc:select`."""
    return index > 0 and tokens[index - 1].token_type in (T.COLON, T.DOT)


def _cannot_follow(dot: Token, following: Token) -> bool:
    """Whether the token behind a dot is no name."""
    kind = following.token_type
    return kind in _CLOSERS or (kind in _CLAUSES and following.start > dot.end + 1)


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
                _close(result, open_.pop()[0])
            open_.pop()
        elif unclosed and kind in _BLOCK_CLAUSES:
            while open_ and not open_[-1][1]:
                _close(result, open_.pop()[0])
        if kind in _PAIRS:
            open_.append((_PAIRS[kind], False))
        elif kind is T.SELECT and open_:
            open_[-1] = (open_[-1][0], True)
        following = tokens[index + 1].token_type if index + 1 < len(tokens) else None
        _keep(result, token, following)
    for missing, _ in reversed(open_):
        _close(result, missing)
    tokens[:] = result


def _keep(result: list[Token], token: Token, following: TokenType | None) -> None:
    """Adds a token, and an empty name where one must follow; leaves out a comma that nothing follows."""
    kind = token.token_type
    ends = following is None or following in _ENDINGS
    if kind is T.COMMA and (ends or following is T.SELECT):
        return
    result.append(token)
    if kind in _WANTS and (ends or following is T.COMMA):
        result.append(_empty(token))


def _close(result: list[Token], kind: TokenType) -> None:
    """Adds a closing bracket."""
    last = result[-1]
    result.append(Token(kind, _CLOSING[kind], last.line, last.col, last.end + 1, last.end))


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
