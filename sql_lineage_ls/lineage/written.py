"""What a statement writes: its target, the nodes of it, and the edges to them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, RecordType, Site, is_nested
from sql_lineage_ls.lineage import ddl_names, expressions, sources
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.edges import NO_INFLUENCES, column_edges, edges_of, influences_on_all, star_edges
from sql_lineage_ls.lineage.model import ROWS, Edge, Path, Source
from sql_lineage_ls.lineage.queries import QueryResult
from sql_lineage_ls.lineage.scope import Column, RangeVariable, Scope
from sql_lineage_ls.lineage.shapes import written_to
from sql_lineage_ls.lineage.values import ELEMENT, ArrayOf, Influence, Ref, Value, type_of
from sql_lineage_ls.syntax import query_model as q

Targets = tuple[tuple[Path, DataType], ...]
"""Columns or fields to write, in order; an empty path stands for one that could not be told."""


class Written:
    """What a statement writes, while it is bound."""

    def __init__(self, kind: str, target: str = "") -> None:
        self.kind = kind
        self.target = target
        self.edges: list[Edge] = []
        self.outputs: tuple[Field, ...] = ()
        self.open = False


def write_target(parts: tuple[q.Name, ...], kind: str, context: Context) -> str:
    """The relation that a statement writes or defines; '' where damaged text names none."""
    if not parts:
        return ""
    identity, name = context.schemas.target(parts)
    context.touch(identity, name, kind)
    context.read(identity, (), parts[-1], "write")
    for part in parts:
        ddl_names.note_relation(part, identity, name, context)
    return identity


def write_output(result: QueryResult, written: Written) -> Written:
    influences = influences_on_all(result.influences)
    for column in result.columns:
        written.edges += column_edges(written.target, (column.name,), column, influences)
    written.edges += star_edges(written.target, result.open, result.influences)
    written.outputs = tuple(output_field(column) for column in result.columns)
    written.open = bool(result.open)
    return written


def output_field(column: Column) -> Field:
    start, end = column.definitions[0] if column.definitions else column.span
    site = Site("", -1, start, end) if start >= 0 else None
    return Field(column.name, column.key, type_of(column.value), site, column.guessed)


def copy_rows(source: tuple[q.Name, ...], target: str, written: Written, context: Context) -> None:
    """RENAME, CLONE, SWAP and their kin: all columns and the rows of one table come from another."""
    variable = sources.stored_table(source, None, context)
    written.edges.append(Edge(target, ROWS, (Source(variable.relation, ROWS),)))
    for column in variable.columns:
        written.edges += edges_of(target, (column.name,), column.value, NO_INFLUENCES, (-1, -1))
    written.edges += star_edges(target, variable.open, ())


def written_node(
    ref: q.ColumnRef, target: RangeVariable, context: Context, elements: tuple[int, ...] = ()
) -> tuple[Path, DataType]:
    value = expressions.written(ref, target, context, elements)
    inner = expressions.unwrapped(value)
    if isinstance(inner, Ref):
        return inner.path, inner.type
    if isinstance(inner, ArrayOf) and isinstance(inner.value, Ref):  # `n.a` of a Nested column
        return inner.value.path, ArrayType(inner.value.type)
    return (), type_of(inner)


def stored_nodes(field: Field) -> Targets:
    """What a column counts as where values come to columns by position: itself, or each field of a Nested one."""
    kind = field.type
    if isinstance(kind, ArrayType) and isinstance(kind.element, RecordType) and is_nested(kind):
        return tuple(((field.name, ELEMENT, part.name), ArrayType(part.type)) for part in kind.element.fields)
    return (((field.name,), kind),)


def stored_as(value: Value, kind: DataType, context: Context) -> Value:
    return written_to(value, kind, context.dialect.casts_by_name)


def assigned(
    assignment: q.Assignment, variable: RangeVariable, scope: Scope, influences: tuple[Influence, ...], context: Context
) -> Iterator[Edge]:
    node = expressions.unwrapped(expressions.written(assignment.target, variable, context, assignment.elements))
    value = expressions.evaluate(assignment.value, scope, context)
    if isinstance(node, Ref):
        first, kind = assignment.target.parts[0], node.type
        yield from edges_of(node.relation, node.path, stored_as(value, kind, context), influences_on_all(influences),
                            (first.start, assignment.target.parts[-1].end))


# What calls the row before and behind the change (Postgres 18 "RETURNING"; T-SQL "OUTPUT clause").
_ROW_NAMES = ("old", "new", "inserted", "deleted")


def note_returned(values: tuple[q.Expr, ...], target: RangeVariable, scope: Scope, context: Context) -> None:
    """RETURNING uses the columns that it reads, though no relation gets them."""
    if not values:
        return
    inner = _row_scope(target, scope, context)
    for value in values:
        if not isinstance(value, q.Star):
            expressions.evaluate(value, inner, context)


def _row_scope(target: RangeVariable, scope: Scope, context: Context) -> Scope:
    """The scope of what reads the rows that a change has written."""
    row = replace(target, hidden=True, definitions=(), by_key={})
    keys = [(name, (context.dialect.column_key(name),)) for name in _ROW_NAMES]
    rows = [replace(row, name=name, qualifiers=key, by_key={}) for name, key in keys]
    return replace(scope, ranges=[*scope.ranges, *rows])


def write_returned(
    output: tuple[q.Output, ...], target: RangeVariable, scope: Scope, context: Context
) -> Iterator[Edge]:
    """OUTPUT .. INTO writes what it reads of the changed rows to a table, by position (T-SQL, "OUTPUT clause")."""
    if not output:
        return
    inner = _row_scope(target, scope, context)
    for clause in output:
        values = list(_returned_values(clause.items, target, inner, context))
        if not clause.target:
            continue
        into = sources.stored_table(clause.target, None, context, "write")
        identity = write_target(clause.target, "table", context)
        nodes = [written_node(ref, into, context)[0] for ref in clause.columns]
        if not nodes and into.closed:
            nodes = [(column.name,) for column in into.columns]
        for path, value in zip(nodes, values, strict=False):
            if path and value is not None:
                yield from edges_of(identity, path, value, NO_INFLUENCES, (-1, -1))


def _returned_values(
    items: tuple[q.Projection, ...], target: RangeVariable, inner: Scope, context: Context
) -> Iterator[Value | None]:
    """The values of the items in order, up to a star whose columns nobody knows."""
    for item in items:
        if not isinstance(item.value, q.Star):
            yield expressions.evaluate(item.value, inner, context)
            continue
        if not target.closed:
            return
        yield from (column.value for column in target.columns)


