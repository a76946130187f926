"""Clauses that stand for names: `IDENTIFIER('t')`, which is t, and `SEMANTIC_VIEW(v METRICS o.total)`, a query of v.

Sources: Snowflake "IDENTIFIER() syntax", "SEMANTIC_VIEW"; Databricks "IDENTIFIER clause".
"""

from __future__ import annotations

import re

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.brackets import CLOSE, OPEN

T = TokenType

_PARTS = re.compile(r'"([^"]+)"|([^".\s]+)')
_CLAUSES = frozenset({"METRICS", "DIMENSIONS", "FACTS", "WHERE"})


def rewrite_name_clauses(tokens: list[Token]) -> None:
    """Puts the names into the place of the clauses. A name in a variable stays the call that it looks like."""
    for index in range(len(tokens) - 1, -1, -1):
        word = tokens[index].text.upper()
        if word not in ("IDENTIFIER", "SEMANTIC_VIEW") or tokens[index + 1 : index + 2] == []:
            continue
        if tokens[index + 1].token_type is not T.L_PAREN:
            continue
        if word == "SEMANTIC_VIEW":
            _semantic_view(tokens, index)
        elif index + 3 < len(tokens) and tokens[index + 3].token_type is T.R_PAREN:
            names = _names(tokens[index + 2])
            if names:
                tokens[index : index + 4] = names


def _names(token: Token) -> list[Token]:
    """The tokens of the name that a string says, each at its place in it."""
    if token.token_type is not T.STRING:
        return []
    found: list[Token] = []
    for part in _PARTS.finditer(token.text):
        if found:
            found.append(_at(token, T.DOT, ".", part.start() - 1, 1))
        kind, text = (T.IDENTIFIER, part[1]) if part[1] else (T.VAR, part[2])
        found.append(_at(token, kind, text, part.start(), part.end() - part.start()))
    return found


def _at(token: Token, kind: TokenType, text: str, offset: int, length: int) -> Token:
    start = token.start + 1 + offset
    return Token(kind, text, token.line, token.col, start, start + length - 1)


def _semantic_view(tokens: list[Token], index: int) -> None:
    """`SEMANTIC_VIEW(v DIMENSIONS c.name METRICS o.total AS t)` is `(SELECT name, total AS t FROM v)`."""
    clauses, end = _clauses(tokens, index + 2)
    if not clauses:
        return
    name = tokens[index + 2 : clauses[0]]
    opened, closed = tokens[index + 1], tokens[end]
    items: list[Token] = []
    for first, last in zip(clauses, [*clauses[1:], end], strict=True):
        if tokens[first].text.upper() != "WHERE":
            items += [_near(T.COMMA, ",", tokens[first])] if items else []
            items += _unqualified(tokens[first + 1 : last])
    if any(token.token_type is T.STAR for token in items) or not items:
        items = [_near(T.STAR, "*", opened)]
    made = [_near(T.SELECT, "SELECT", opened), *items, _near(T.FROM, "FROM", opened), *name]
    tokens[index : end + 1] = [opened, *made, closed]


def _clauses(tokens: list[Token], index: int) -> tuple[list[int], int]:
    """Where the clauses begin, and the bracket that closes; no clauses where it is missing."""
    found: list[int] = []
    depth = 0
    while index < len(tokens):
        token = tokens[index]
        if token.token_type in CLOSE and not depth:
            return found, index
        depth += (token.token_type in OPEN) - (token.token_type in CLOSE)
        if not depth and token.text.upper() in _CLAUSES:
            found.append(index)
        index += 1
    return [], index


def _unqualified(tokens: list[Token]) -> list[Token]:
    """The items without the logical table in front of a name: the view's columns are not called by it."""
    kept: list[Token] = []
    for index, token in enumerate(tokens):
        if token.token_type is T.DOT:
            continue
        if index + 1 < len(tokens) and tokens[index + 1].token_type is T.DOT:
            continue
        kept.append(token)
    return kept


def _near(kind: TokenType, text: str, near: Token) -> Token:
    return Token(kind, text, near.line, near.col, near.start, near.start - 1)
