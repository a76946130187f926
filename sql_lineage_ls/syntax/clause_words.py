"""Words of single databases that sqlglot's parser stops at, although they name no column: they are left out.

Compound assignments (`SET qty += 1`) are written in full, and a keyword that stands for a column is made a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.brackets import CLOSE, OPEN, behind_bracket
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.statement_heads import DATA_HEADS

T = TokenType

_WRITTEN = re.compile(
    r"\bCURRENT\s+OF\b|\bWRAPPER\b|\bLOG\s+ERRORS\b|\bINTO\s+(?:OUT|DUMP)FILE\b|\(\s*BULK\b|[-+*/%&|^]=|\bWINDOW\s*\."
    r"|&\w|\bLIMIT\b.+\bBY\b.+\bLIMIT\b|\b(?:SELECT|INSERT|UPDATE|DELETE|MERGE)\s+TOP\b",
    re.IGNORECASE | re.DOTALL,
)


# One of these stands in every text that has any of them. Looking for it is a tenth of the expression's work.
_SIGNS = (
    "CURRENT", "WRAPPER", "ERRORS", "FILE", "BULK", "WINDOW", "TOP", "&", "+=", "-=", "*=", "/=", "%=", "|=", "^=",
)  # fmt: skip


def rewrite_clause_words(upper: str, tokens: list[Token], dialect: Dialect) -> None:
    """Rewrites what the text, here in upper case, has of them: in place."""
    if not any(sign in upper for sign in _SIGNS) and upper.count("LIMIT") < 2:
        return
    if not _WRITTEN.search(upper):
        return
    for index in range(len(tokens) - 1, 0, -1):
        handler = _HANDLERS.get(tokens[index].text.upper()) if index < len(tokens) else None
        if handler is not None:
            handler(tokens, index, dialect)


def _words(tokens: list[Token], index: int, count: int) -> list[str]:
    return [token.text.upper() for token in tokens[index : index + count]]


def _current_of(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """`WHERE CURRENT OF cursor`: the row that a cursor stands at."""
    if _words(tokens, index - 1, 3) == ["WHERE", "CURRENT", "OF"]:
        del tokens[index - 1 : index + 3]


def _wrapper(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """`JSON_QUERY(doc, '$.a' WITH CONDITIONAL ARRAY WRAPPER)`."""
    for start in range(index - 1, max(index - 5, 0), -1):
        if tokens[start].text.upper() in ("WITH", "WITHOUT"):
            del tokens[start : index + 1]
            return


def _log_errors(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """Oracle's `LOG ERRORS INTO t ('tag') REJECT LIMIT UNLIMITED` at the end of a statement."""
    if _words(tokens, index, 2) == ["LOG", "ERRORS"]:
        del tokens[index:]


def _outfile(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """MySQL's `INTO OUTFILE 'path' FIELDS TERMINATED BY ','`, before FROM or at the end."""
    if tokens[index - 1].token_type is not T.INTO:
        return
    stop = index
    while stop < len(tokens) and tokens[stop].token_type not in (T.FROM, T.WHERE, T.LIMIT, T.ORDER_BY):
        stop += 1
    del tokens[index - 1 : stop]


def _bulk(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """T-SQL's `OPENROWSET(BULK 'path', ..)`."""
    if tokens[index - 1].token_type is T.L_PAREN and _kind(tokens, index + 1) is T.STRING:
        del tokens[index]


def _kind(tokens: list[Token], index: int) -> TokenType | None:
    return tokens[index].token_type if index < len(tokens) else None


# `=` behind one of these assigns what the operator makes of the old value.
_OPERATORS = frozenset({T.PLUS, T.DASH, T.STAR, T.SLASH, T.MOD, T.AMP, T.PIPE, T.CARET})


def _compound(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """`SET t.qty += 1` is `SET t.qty = t.qty + 1` (T-SQL, "Compound operators")."""
    operator = tokens[index - 1]
    if operator.token_type not in _OPERATORS or operator.end + 1 != tokens[index].start or index < 2:
        return
    start = index - 2
    while start >= 2 and tokens[start - 1].token_type is T.DOT:
        start -= 2
    if tokens[start - 1].token_type is T.PARAMETER:
        start -= 1
    name = tokens[start : index - 1]
    tokens[index - 1 : index + 1] = [tokens[index], *name, operator]


def _substituted(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """SQL*Plus' `&name` and `&&name`: a value that the client puts in."""
    amp, name = tokens[index], tokens[index + 1] if index + 1 < len(tokens) else None
    if dialect.grammar != "oracle" or name is None or amp.end + 1 != name.start:
        return
    start = index - 1 if tokens[index - 1].token_type is amp.token_type else index
    joined = Token(T.VAR, f"${name.text}", amp.line, amp.col, tokens[start].start, name.end)
    tokens[start : index + 2] = [joined]


def _window_column(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """Spark's `window.start`, a field of what `GROUP BY window(at, '5 minutes')` makes."""
    if _kind(tokens, index + 1) in (T.DOT, T.L_PAREN):
        tokens[index].token_type = T.VAR


def _second_limit(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """ClickHouse `LIMIT 1 BY town LIMIT 10`: the second one limits the whole, by constants."""
    if dialect.grammar != "clickhouse":
        return
    depth, by = 0, False
    for place in range(index - 1, 0, -1):
        kind = tokens[place].token_type
        depth += (kind in CLOSE) - (kind in OPEN)
        if depth < 0 or (not depth and kind in _BLOCK):
            return
        by = by or (not depth and tokens[place].text.upper() == "BY")
        if not depth and kind is T.LIMIT:
            if by:
                del tokens[index : _clause_end(tokens, index + 1)]
            return


_BLOCK = frozenset({T.SELECT, T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.UNION})


def _clause_end(tokens: list[Token], index: int) -> int:
    while index < len(tokens) and tokens[index].token_type not in CLOSE and tokens[index].token_type not in _BLOCK:
        if tokens[index].text.upper() in ("SETTINGS", "FORMAT", "INTO"):
            break
        index = behind_bracket(tokens, index) if tokens[index].token_type in OPEN else index + 1
    return index


def _top(tokens: list[Token], index: int, dialect: Dialect) -> None:
    """ClickHouse `SELECT TOP 3 id`, which T-SQL's grammar alone reads; T-SQL's `UPDATE TOP (3) t`, which none does."""
    number = tokens[index - 1].token_type is T.SELECT and _kind(tokens, index + 1) is T.NUMBER
    if number and dialect.grammar == "clickhouse":
        del tokens[index : index + 2]
    changes = tokens[index - 1].text.upper() in DATA_HEADS and _kind(tokens, index + 1) is T.L_PAREN
    if changes and dialect.grammar == "tsql":
        end = behind_bracket(tokens, index + 1)
        del tokens[index : end + (_words(tokens, end, 1) == ["PERCENT"])]


_HANDLERS: dict[str, Callable[[list[Token], int, Dialect], None]] = {
    "CURRENT": _current_of, "WRAPPER": _wrapper, "LOG": _log_errors, "OUTFILE": _outfile, "DUMPFILE": _outfile,
    "BULK": _bulk, "=": _compound, "&": _substituted, "WINDOW": _window_column, "LIMIT": _second_limit, "TOP": _top,
}  # fmt: skip
