"""The name that a select item has without an alias, and which items read the aliases of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.scope import Scope, resolve
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect, LateralAlias


def implied_name(expr: q.Expr, dialect: Dialect) -> q.Name | None:
    """`o.customer.city` is `city`; `(c).name` is `name`; in Postgres `count(x)` is `count`; else None."""
    if isinstance(expr, q.ColumnRef):
        return expr.parts[-1]
    if isinstance(expr, q.FieldAccess):
        return expr.name
    if isinstance(expr, q.Operation) and expr.operator == "PAREN" and expr.operands:
        return implied_name(expr.operands[0], dialect)
    if not dialect.call_names:
        return None
    return _figured_name(expr, dialect)


def _figured_name(expr: q.Expr, dialect: Dialect) -> q.Name | None:
    """Postgres' FigureColname: what is cast, called, subscripted or chosen last names the column."""
    if isinstance(expr, q.Cast):
        return implied_name(expr.value, dialect) or _type_name(expr.type)
    if isinstance(expr, q.Window):
        return implied_name(expr.value, dialect)
    if isinstance(expr, q.ElementAccess):
        return implied_name(expr.base, dialect)
    if isinstance(expr, q.Call):
        return q.Name(expr.name.lower(), expr.start, expr.end)
    if isinstance(expr, q.Case):
        strong = isinstance(expr.default, q.ColumnRef | q.FieldAccess | q.Call | q.Window | q.SubqueryExpr)
        name = implied_name(expr.default, dialect) if expr.default is not None and strong else None
        return name or q.Name("case")
    if isinstance(expr, q.ArrayExpr):
        return q.Name("array")
    if isinstance(expr, q.RecordExpr) and expr.kind == "row":
        return q.Name("row")
    if isinstance(expr, q.SubqueryExpr):
        if expr.kind in ("array", "exists"):
            return q.Name(expr.kind)
        inner = expr.query.projections if expr.kind == "scalar" and isinstance(expr.query, q.Select) else ()
        if inner:
            return inner[0].alias or implied_name(inner[0].value, dialect)
    return None


def _type_name(written: q.TypeSpec) -> q.Name:
    """A cast of a value without name is called as its type is in the system's tables: `1::bigint` is `int8`."""
    word = written.text.split("(")[0].strip().lower()
    return q.Name(_POSTGRES_TYPES.get(word, word))


_POSTGRES_TYPES = {
    "int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "boolean": "bool", "real": "float4",
    "double precision": "float8", "decimal": "numeric", "char": "bpchar", "character": "bpchar",
    "character varying": "varchar", "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp", "time without time zone": "time",
}  # fmt: skip


def path_name(expr: q.Expr, name: q.Name, scope: Scope, context: Context) -> q.Name:
    """The whole path as a name, without the source's name where that is not needed (ClickHouse).

    `o.customer.city` is `customer.city`; `b.id` is `b.id` where `id` alone would be another source's.
    """
    if not isinstance(expr, q.ColumnRef) or len(expr.parts) == 1:
        return name
    found = resolve(expr.parts, scope, context)
    parts = expr.parts[found.qualifier :]
    if found.qualifier and parts and resolve(parts, scope, context).range is not found.range:
        parts = expr.parts
    return q.Name(".".join(part.text for part in parts), name.start, name.end, name.quoted)


def reading_order(projections: Sequence[q.Projection], dialect: Dialect) -> Sequence[int]:
    """The positions of select items, each after those whose aliases it reads.

    ClickHouse knows all aliases of a select list in all of it: `SELECT total * 2, price * qty AS total`.
    """
    order = range(len(projections))
    if dialect.lateral_alias is not LateralAlias.FIRST or len(projections) < 2:
        return order
    keys = [dialect.column_key(p.alias.text, p.alias.quoted) if p.alias is not None else "" for p in projections]
    reads = [{dialect.column_key(ref.parts[0].text, ref.parts[0].quoted) for ref in column_refs(p.value)}
             for p in projections]
    waiting = list(order)
    found: list[int] = []
    while waiting:
        open_keys = {keys[i] for i in waiting} - {""}
        ready = [i for i in waiting if not (reads[i] & open_keys) - {keys[i]}]
        found += ready or waiting
        waiting = [i for i in waiting if i not in ready] if ready else []
    return found


def column_refs(node: object) -> Iterator[q.ColumnRef]:
    """All dotted names in an expression."""
    if isinstance(node, q.ColumnRef):
        yield node
    elif isinstance(node, Struct):
        for field in node.__struct_fields__:
            yield from column_refs(getattr(node, field))
    elif isinstance(node, tuple):
        for item in node:
            yield from column_refs(item)
