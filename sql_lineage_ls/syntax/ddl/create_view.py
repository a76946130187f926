"""Reads CREATE VIEW in every dialect, from behind its name on."""

from __future__ import annotations

from sql_lineage_ls.syntax.ddl.columns import is_constraint
from sql_lineage_ls.syntax.ddl.create_table import Header, read_table
from sql_lineage_ls.syntax.ddl.cursor import Cursor
from sql_lineage_ls.syntax.ddl.names import column_name, relation_name
from sql_lineage_ls.syntax.ddl.queries import begins_query, read_query
from sql_lineage_ls.syntax.query_model import CreateTable, CreateView, Name, Query


def read_view(cursor: Cursor, name: tuple[Name, ...], header: Header) -> CreateView | CreateTable:
    """The CREATE VIEW whose name was just read.

    Spark's `CREATE TEMPORARY VIEW v USING csv OPTIONS (path '..')` has no query: it is a table over files.
    """
    if cursor.accept("ON", "CLUSTER"):
        cursor.advance()
    to: tuple[Name, ...] = ()
    columns: tuple[Name, ...] = ()
    query: Query | None = None
    of_type: tuple[Name, ...] = ()
    start = cursor.position
    if cursor.accept("TO"):
        to = relation_name(cursor)
    elif cursor.accept("OF"):
        of_type = relation_name(cursor)
    if cursor.at("(") and not begins_query(cursor):
        columns = _columns(cursor)
    while not cursor.done:
        if header.temporary and cursor.at("USING"):
            cursor.position = start
            return read_table(cursor, name, header)
        if cursor.accept("TO") and not to:
            to = relation_name(cursor)
        elif cursor.at("(") and not begins_query(cursor):
            cursor.skip_group()
        elif (cursor.accept("AS") and begins_query(cursor)) or (_bare_query(cursor) and begins_query(cursor)):
            query = read_query(cursor)
        elif not cursor.done:
            cursor.advance()
    if query is None:
        end = cursor.end_offset()
        cursor.report("This view has no query that can be read.", name[0].start if name else 0, end)
    return CreateView(
        name=name,
        query=query,
        columns=columns,
        materialized=header.materialized,
        temporary=header.temporary,
        replace=header.replace,
        to=to,
        if_not_exists=header.if_not_exists,
        of_type=of_type,
    )


def _bare_query(cursor: Cursor) -> bool:
    return cursor.at("SELECT") or cursor.at("WITH")


def _columns(cursor: Cursor) -> tuple[Name, ...]:
    """The names of `(a COMMENT 'x', b, CONSTRAINT ..)`; comments, options, types and constraints are stepped over."""
    names = []
    cursor.advance()
    while not cursor.done and not cursor.at(")"):
        before = cursor.position
        if not is_constraint(cursor) and (name := column_name(cursor)) is not None:
            names.append(name)
        cursor.skip_to(",")
        cursor.accept(",")
        if cursor.position == before:
            cursor.advance()
    cursor.accept(")")
    return tuple(names)
