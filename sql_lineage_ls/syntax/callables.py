"""CREATE FUNCTION, PROCEDURE and MACRO: parameters, the columns returned, and the body of a function in SQL.

The statements of a procedural body are read on their own (`syntax.bodies`); functions in other languages keep their
name and parameters only.
"""

from __future__ import annotations

import re

from sqlglot.errors import TokenError
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.ddl.columns import read_elements
from sql_lineage_ls.syntax.ddl.cursor import Cursor, DdlError, keywords
from sql_lineage_ls.syntax.ddl.names import relation_name
from sql_lineage_ls.syntax.ddl.queries import begins_query, read_query
from sql_lineage_ls.syntax.ddl.type_reader import read_type
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.lower import query_from_tokens
from sql_lineage_ls.syntax.tokens import tokenize

_MODIFIERS = keywords("OR REPLACE TEMP TEMPORARY SECURE AGGREGATE TABLE ALTER EDITIONABLE NONEDITIONABLE")
_KINDS = keywords("FUNCTION MACRO PROCEDURE PROC")
_PROCEDURES = keywords("PROCEDURE PROC")
_SQL = keywords("SQL PLPGSQL PLSQL")
_MODES = keywords("IN OUT INOUT VARIADIC")
_TABLE_PAIRS = frozenset({("TABLE", "FUNCTION"), ("TABLE", "MACRO"), ("RETURNS", "TABLE"), ("AS", "TABLE")})
_QUERY_HEAD = re.compile(r"\s*\(*\s*(?:SELECT|WITH)\b", re.IGNORECASE)


def read_callable(text: str, tokens: list[Token], dialect: Dialect) -> q.StatementModel | None:
    """The function that the statement creates; None where it creates none.

    `CREATE FUNCTION f(x INT64) AS (x + 1)` has the parameter x and the body x + 1.
    """
    cursor = Cursor(text, tokens, dialect)
    cursor.advance()
    while cursor.accept_any(_MODIFIERS):
        pass
    kind = cursor.accept_any(_KINDS)
    if not kind:
        return None
    cursor.accept("IF", "NOT", "EXISTS")
    name = relation_name(cursor)
    if not name:
        return None
    language = _language(cursor)
    if kind in _PROCEDURES or _has_modes(cursor):
        return q.StatementModel(q.CreateFunction(name, read_parameters(cursor), language=language))
    try:
        params = read_elements(cursor).columns if cursor.at("(") else ()
        returns, result = _returns(cursor)
    except DdlError:
        return q.StatementModel(q.CreateFunction(name, language=language))
    body, query = (None, None) if language else _body(cursor)
    function = q.CreateFunction(name, params, returns, body, query, _is_table(cursor), result, language)
    return q.StatementModel(function, tuple(cursor.issues), cursor.partial)


def read_parameters(cursor: Cursor) -> tuple[q.ColumnDef, ...]:
    """The parameters of a procedure, in brackets or bare: `(IN a INT64, b OUT NUMBER)`, `@a INT = 1, @b INT OUTPUT`."""
    bracketed = cursor.accept("(")
    found: list[q.ColumnDef] = []
    while not cursor.done and not cursor.at(")") and not cursor.at("AS"):
        cursor.accept_any(_MODES)
        at = cursor.peek()
        if at is not None and at.upper == "@":
            cursor.advance()
        word = cursor.peek()
        if word is None or word.kind not in ("word", "quoted"):
            break
        start = at.start if at is not None else word.start
        cursor.advance()
        cursor.accept_any(_MODES)
        name = q.Name(cursor.text[start : word.start] + word.text, start, word.end, word.kind == "quoted")
        found.append(q.ColumnDef(name, _parameter_type(cursor)))
        cursor.skip_to(",") if bracketed else cursor.skip_to(",", "AS", "WITH")
        if not cursor.accept(","):
            break
    if bracketed:
        cursor.accept(")")
    return tuple(found)


def _parameter_type(cursor: Cursor) -> q.TypeSpec | None:
    before = cursor.position
    try:
        return read_type(cursor)
    except DdlError:
        cursor.position = before
        return None


def _has_modes(cursor: Cursor) -> bool:
    """Whether one of a function's parameters says IN, OUT, ..: those are no columns' definitions."""
    if not cursor.at("("):
        return False
    before = cursor.position
    cursor.skip_group()
    last, cursor.position = cursor.position, before
    return any(upper in _MODES for upper in cursor.uppers[before:last])


def _is_table(cursor: Cursor) -> bool:
    """Whether the function stands in FROM."""
    pairs = zip(cursor.uppers, cursor.uppers[1:], strict=False)
    return any(pair in _TABLE_PAIRS for pair in pairs)


def _returns(cursor: Cursor) -> tuple[tuple[q.ColumnDef, ...], q.TypeSpec | None]:
    """The columns of RETURNS TABLE (a INT, b TEXT), RETURNS TABLE<a INT64>; or the type of one value."""
    if not cursor.accept("RETURNS"):
        return (), None
    if cursor.at("TABLE") and cursor.upper(1) == "(":
        cursor.advance()
        return read_elements(cursor).columns, None
    spec = read_type(cursor)
    if spec is not None and spec.kind == "record" and spec.text.upper().startswith("TABLE"):
        return tuple(q.ColumnDef(field.name, field.type) for field in spec.fields if field.name is not None), None
    return (), spec


def _language(cursor: Cursor) -> str:
    """The language of the body; '' for SQL: no LANGUAGE clause, or one that says so."""
    for index, upper in enumerate(cursor.uppers[:-1]):
        if upper == "LANGUAGE":
            word = cursor.words[index + 1].text.upper()
            return "" if word in _SQL else word
    return ""


def _body(cursor: Cursor) -> tuple[q.Expr | None, q.Query | None]:
    """The body behind AS or RETURN: an expression, or a query."""
    while not cursor.done and not cursor.at("AS") and not cursor.at("RETURN"):
        cursor.skip_group() if cursor.at("(") else cursor.advance()
    if cursor.done:
        return None, None
    while cursor.accept_any(frozenset({"AS", "RETURN", "TABLE"})):
        pass
    word = cursor.peek()
    if word is None or cursor.at("BEGIN"):
        return None, None
    if word.kind == "string":
        return _quoted(cursor, word.text, word.start, word.end)
    if begins_query(cursor):
        return None, read_query(cursor)
    return read_expression(cursor.text, cursor.tokens[word.index :], cursor.dialect), None


def _quoted(cursor: Cursor, body: str, start: int, end: int) -> tuple[q.Expr | None, q.Query | None]:
    """A body in a string; blanks in front keep its positions those of the statement."""
    begin = cursor.text.find(body, start, end)
    if begin < 0:
        return None, None
    padded = " " * begin + body.rstrip().rstrip(";")
    try:
        tokens = tokenize(padded, cursor.dialect)
    except TokenError:
        return None, None
    if not _QUERY_HEAD.match(body):
        return read_expression(padded, tokens, cursor.dialect), None
    query, issues = query_from_tokens(padded, tokens, cursor.dialect)
    return None, query if not issues else None


def read_expression(text: str, tokens: list[Token], dialect: Dialect) -> q.Expr | None:
    """The value that `tokens` (some of those of `text`) spell, read as the only item of a select list."""
    if not tokens:
        return None
    first = tokens[0]
    select = Token(TokenType.SELECT, "SELECT", first.line, first.col, first.start, first.start - 1)
    query, issues = query_from_tokens(text, [select, *tokens], dialect)
    if issues or not isinstance(query, q.Select) or len(query.projections) != 1:
        return None
    return query.projections[0].value
