"""Relations and models as arguments of functions, which sqlglot reads for a few functions only.

`APPENDS(TABLE sales.orders, NULL)` is read as `APPENDS((SELECT * FROM sales.orders), NULL)`, and the model of
`ML.EVALUATE(MODEL ml.churn)` as a constant (BigQuery "Table function calls", Trino "Table functions", Snowflake and
Databricks "Table arguments").
"""

from __future__ import annotations

import re

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.brackets import CLOSE, OPEN, behind_bracket

T = TokenType

WRITTEN = re.compile(r"[(,>]\s*(?:TABLE|MODEL)\b", re.IGNORECASE)
"""What a text with such an argument has in it."""

_QUERY_HEADS = frozenset({T.SELECT, T.WITH, T.FROM, T.VALUES})
_BEFORE = frozenset({T.L_PAREN, T.COMMA, T.FARROW, T.EQ})
_NOT_NAMES = frozenset({"AS", "AND", "OR", "IS", "IN", "LIKE", "ILIKE", "RLIKE", "BETWEEN", "NOT", "ORDER BY", "DESC",
                        "ASC", "IGNORE", "RESPECT", "LIMIT", "HAVING", "DIV", "MOD", "COLLATE", "OVER"})  # fmt: skip


def rewrite_relation_arguments(tokens: list[Token]) -> None:
    """Makes queries and constants of the arguments, in place."""
    in_call = [False]
    index = 0
    while index < len(tokens):
        kind = tokens[index].token_type
        if kind in OPEN:
            in_call.append(_opens_call(tokens, index))
        elif kind in CLOSE and len(in_call) > 1:
            in_call.pop()
        elif in_call[-1] and tokens[index - 1].token_type in _BEFORE and _names_more(tokens, index):
            word = tokens[index].text.upper()
            if word == "TABLE":
                _table(tokens, index)
                continue
            if word == "MODEL":
                _model(tokens, index)
        index += 1


def _names_more(tokens: list[Token], index: int) -> bool:
    """Whether a name or a bracket follows: `table.ping` and `f(a, model)` are columns of those names."""
    behind = tokens[index + 1] if index + 1 < len(tokens) else None
    if behind is None or tokens[index].token_type is T.IDENTIFIER:
        return False
    if behind.token_type is T.L_PAREN or behind.token_type is T.IDENTIFIER:
        return True
    return (behind.text[:1].isalpha() or behind.text[:1] == "_") and behind.text.upper() not in _NOT_NAMES


def _opens_call(tokens: list[Token], index: int) -> bool:
    if tokens[index].token_type is not T.L_PAREN or not index or index + 1 >= len(tokens):
        return False
    name = tokens[index - 1]
    named = name.token_type is T.VAR or name.token_type is T.IDENTIFIER or name.text[-1:].isalnum()
    return named and name.text.upper() not in _NO_CALLS and tokens[index + 1].token_type not in _QUERY_HEADS


# Words before a bracket that holds tables or values of its own.
_NO_CALLS = frozenset({"FROM", "JOIN", "IN", "ON", "TABLE", "LATERAL", "USING", "VALUES", "AS", "AND", "OR", "NOT"})


def _table(tokens: list[Token], index: int) -> None:
    """`TABLE a.b`, `TABLE(a.b) PARTITION BY c` at `index` to `(SELECT * FROM a.b)`, `TABLE(SELECT ..)` to its query."""
    word = tokens[index]
    if index + 1 >= len(tokens):
        return
    if tokens[index + 1].token_type is not T.L_PAREN:
        stop = _name_end(tokens, index + 1)
        name = tokens[index + 1 : stop]
    else:
        stop = behind_bracket(tokens, index + 1)
        name = tokens[index + 2 : stop - 1]
        if name and name[0].token_type in _QUERY_HEADS:
            del tokens[index]
            return
    if not name or any(token.token_type in OPEN for token in name):
        del tokens[index]  # `TABLE(f(x))` in a call is what f makes
        return
    tokens[index : _argument_end(tokens, stop)] = [
        _like(word, T.L_PAREN, "("), _like(word, T.SELECT, "SELECT"), _like(word, T.STAR, "*"),
        _like(word, T.FROM, "FROM"), *name, _like(name[-1], T.R_PAREN, ")"),
    ]  # fmt: skip


def _model(tokens: list[Token], index: int) -> None:
    stop = _name_end(tokens, index + 1)
    name = tokens[index + 1 : stop]
    if name:
        text = "".join(token.text for token in name)
        tokens[index:stop] = [Token(T.STRING, text, name[0].line, name[0].col, name[0].start, name[-1].end)]


def _name_end(tokens: list[Token], index: int) -> int:
    """Behind the dotted name that begins at `index`."""
    while index < len(tokens):
        index += 1
        if index + 1 >= len(tokens) or tokens[index].token_type is not T.DOT:
            return index
        index += 1
    return index


def _argument_end(tokens: list[Token], index: int) -> int:
    """Behind what a table argument may say after its name: PARTITION BY, ORDER BY, OVER (..)."""
    while index < len(tokens) and tokens[index].token_type not in CLOSE and tokens[index].token_type is not T.COMMA:
        index = behind_bracket(tokens, index) if tokens[index].token_type in OPEN else index + 1
    return index


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)
