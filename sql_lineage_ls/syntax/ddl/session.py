"""Reads the statements that set the defaults of names: USE, SET search_path, ALTER SESSION SET CURRENT_SCHEMA."""

from __future__ import annotations

from sql_lineage_ls.syntax.ddl.cursor import Cursor
from sql_lineage_ls.syntax.ddl.names import relation_name, split_quoted
from sql_lineage_ls.syntax.query_model import Name, OtherStatement, Statement, Use

_KINDS = {"CATALOG": "CATALOG", "SCHEMA": "SCHEMA", "NAMESPACE": "SCHEMA", "DATABASE": "SCHEMA"}
# USE of these names no relation's place.
_OTHER = frozenset({"ROLE", "WAREHOUSE", "SECONDARY"})
# First names of a search path that hold no tables of the workspace.
_OWN_SCHEMAS = frozenset({"$user", "pg_catalog", "pg_temp"})


def read_use(cursor: Cursor) -> Statement | None:
    """`USE a.b`, `USE SCHEMA a.b`, `USE CATALOG c`, `USE DATABASE d`.

    The kind is `CATALOG`, `SCHEMA` or '' where the statement does not say it.
    """
    cursor.advance()
    if cursor.upper() in _OTHER and cursor.peek(1) is not None:
        return OtherStatement("USE")
    word = cursor.accept_any(_KINDS) if cursor.peek(1) is not None and cursor.upper(1) != "." else ""
    kind = _KINDS.get(word, "")
    if word == "DATABASE" and cursor.dialect.database_is_catalog:
        kind = "CATALOG"
    parts = relation_name(cursor)
    return Use(parts, kind) if parts else OtherStatement("USE")


def read_set(cursor: Cursor) -> Statement | None:
    """`SET search_path TO a, b`, `SET SCHEMA 'a'`, `SET CATALOG c`; None for every other SET."""
    cursor.advance()
    cursor.accept_any(("SESSION", "LOCAL"))
    if cursor.accept("SEARCH_PATH"):
        cursor.accept_any(("TO", "="))
        return _search_path(cursor)
    kind = cursor.upper()
    if kind not in ("SCHEMA", "CATALOG", "CURRENT_SCHEMA") or cursor.upper(1) in (":",):
        return None
    cursor.advance()
    cursor.accept_any(("TO", "="))
    return _use(cursor, "CATALOG" if kind == "CATALOG" else "SCHEMA")


def read_alter_session(cursor: Cursor) -> Statement:
    """Oracle's `ALTER SESSION SET CURRENT_SCHEMA = hr`; other settings move no names."""
    while not cursor.done:
        if cursor.accept("CURRENT_SCHEMA"):
            cursor.accept("=")
            return _use(cursor, "SCHEMA")
        cursor.advance()
    return OtherStatement("ALTER")


def _use(cursor: Cursor, kind: str) -> Statement:
    parts = _names(cursor)
    return Use(parts, kind) if parts else OtherStatement("SET")


def _search_path(cursor: Cursor) -> Statement:
    """The first schema of the path that can hold a table of the workspace."""
    while parts := _names(cursor):
        if parts[-1].text.lower() not in _OWN_SCHEMAS:
            return Use(parts, "SCHEMA")
        if not cursor.accept(","):
            break
    return OtherStatement("SET")


def _names(cursor: Cursor) -> tuple[Name, ...]:
    word = cursor.peek()
    if word is None or word.kind != "string":
        return relation_name(cursor)
    cursor.advance()
    return split_quoted(word.text, cursor.text[word.start : word.end], word.start)
