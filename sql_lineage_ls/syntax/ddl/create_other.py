"""Reads CREATE statements that stand for others: synonyms and streams for a view, tasks and pipes for their body."""

from __future__ import annotations

from sql_lineage_ls.syntax.ddl.cursor import Cursor
from sql_lineage_ls.syntax.ddl.names import relation_name
from sql_lineage_ls.syntax.lower import lower_statement
from sql_lineage_ls.syntax.query_model import (
    CreateView,
    FromItem,
    Name,
    OtherStatement,
    Projection,
    Select,
    Star,
    Statement,
    TableRef,
)
from sql_lineage_ls.syntax.tree import build_tree

ALIAS_KINDS = frozenset({"SYNONYM", "STREAM"})
BODY_KINDS = frozenset({"TASK", "PIPE"})
_OTHER = OtherStatement("CREATE")
# A stream reads one of these; on a stage it lists files.
_STREAMED = frozenset({"TABLE", "VIEW"})
_STATEMENTS = frozenset({"INSERT", "MERGE", "UPDATE", "DELETE", "COPY", "SELECT", "WITH", "TRUNCATE"})


def read_alias(cursor: Cursor, kind: str, replace: bool) -> Statement:
    """`CREATE SYNONYM s FOR t` and `CREATE STREAM s ON TABLE t`: s has the columns of t, as a view of all of them."""
    cursor.accept("IF", "NOT", "EXISTS")
    name = relation_name(cursor)
    if kind == "SYNONYM":
        cursor.skip_to("FOR")
        cursor.accept("FOR")
    else:
        cursor.skip_to(*_STREAMED, "STAGE")
        if not cursor.accept_any(_STREAMED):
            return _OTHER
    target = relation_name(cursor)
    return CreateView(name, _all_of(target), replace=replace) if name and target else _OTHER


def _all_of(target: tuple[Name, ...]) -> Select:
    """SELECT * FROM target"""
    table = TableRef(target, start=target[0].start, end=target[-1].end)
    return Select((Projection(Star()),), (FromItem(table),), start=table.start, end=table.end)


def read_body(cursor: Cursor) -> Statement:
    """The statement behind the AS of a task or a pipe; a script or a call in its place moves nothing that is seen."""
    while not cursor.done:
        cursor.skip_to("AS")
        if cursor.accept("AS") and cursor.upper() in _STATEMENTS:
            first = cursor.words[cursor.position].index
            last = cursor.words[-1].index + 1
            prepared, tree = build_tree(cursor.text, cursor.tokens[first:last], cursor.dialect)
            cursor.issues.extend(prepared.issues)
            cursor.partial = cursor.partial or bool(prepared.issues)
            return (lower_statement(prepared, tree) if tree is not None else None) or _OTHER
        cursor.advance()
    return _OTHER
