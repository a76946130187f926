"""CTEs and derived tables as relations of their own, for those who want to see each hop instead of the whole way.

Only asked for by `Options.intermediate`; otherwise values pass through a CTE end to end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.edges import column_edges, influences_on_all, leaves, star_edges
from sql_lineage_ls.lineage.model import Path
from sql_lineage_ls.lineage.scope import Column, OpenSource, are_copies
from sql_lineage_ls.lineage.values import ELEMENT, ArrayOf, Record, RecordItem, Ref, Traced, Value, fields, type_of

if TYPE_CHECKING:
    from sql_lineage_ls.lineage.queries import QueryResult

RESULT = "result"
"""The kind of these relations."""


def as_relation(result: QueryResult, name: str, context: Context) -> QueryResult:
    """A result as its reader sees it: reads of a relation `name`, whose edges are noted; unchanged if nobody asked.

    `WITH c AS (SELECT a + 1 AS b FROM t) SELECT b FROM c` has the edges `c.b <- t.a` and, to the query, `b <- c.b`.
    """
    prefix = context.options.intermediate
    if not prefix:
        return result
    identity = f"{prefix}{context.results}"
    context.results += 1
    context.touch(identity, name, RESULT)
    influences = influences_on_all(result.influences)
    columns = []
    for column, shown in zip(result.columns, _names(result, context), strict=True):
        context.inner += column_edges(identity, (shown,), column, influences)
        columns.append(replace(column, value=_read(identity, (shown,), column.value), branches=()))
    context.inner += star_edges(identity, result.open, result.influences)
    opened = (OpenSource(identity, name),) if result.open else ()
    # A value table of scalars is its one column, which has no name that a reader could use.
    lone = result.row is not None and any(column.spread for column in columns)
    row = columns[0].value if lone else None if columns else result.row
    return replace(result, columns=tuple(columns), open=opened, influences=(), rows=(identity,), row=row)


def _names(result: QueryResult, context: Context) -> list[str]:
    """A name for each column: of two columns with one name the second is `line_1` in DuckDB, `line#2` elsewhere."""
    seen: dict[str, int] = {}
    firsts: dict[str, Column] = {}
    names = []
    for column in result.columns:
        if are_copies((firsts.setdefault(column.key, column), column), context):
            names.append(column.name)
            continue
        times = seen[column.key] = seen.get(column.key, 0) + 1
        pattern = context.dialect.repeated_name
        again = pattern.format(name=column.name, n=times - 1) if pattern else f"{column.name}#{times}"
        names.append(column.name if times == 1 else again)
    return names


def _read(relation: str, path: Path, value: Value) -> Value:
    """What is read of a column or field with this value. A record that the query builds is read field by field."""
    if next(leaves(path, value), (path, value))[0] == path:
        return Ref(relation, path, type_of(value))
    if isinstance(value, Traced):
        return _read(relation, path, value.value)
    if isinstance(value, ArrayOf):
        return ArrayOf(_read(relation, (*path, ELEMENT), value.value))
    items = tuple(
        RecordItem(item.name, item.key, _read(relation, (*path, item.name), item.value), item.definition)
        for item in fields(value) or ()
    )
    return replace(value, items=items) if isinstance(value, Record) else Record(items)
