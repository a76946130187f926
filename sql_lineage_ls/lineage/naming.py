"""The name that a select item has without an alias, and which items read the aliases of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.catalog.types import Scalar
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.scope import Column, Scope, resolve
from sql_lineage_ls.lineage.values import Refuted, Unknown, Value, field, type_of
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect, LateralAlias, NameStyle
from sql_lineage_ls.syntax.engine_words import words


def implied_name(expr: q.Expr, dialect: Dialect) -> q.Name | None:
    """`o.customer.city` is `city`; `(c).name` is `name`; in Postgres `count(x)` is `count`; else None."""
    if isinstance(expr, q.ColumnRef):
        # ClickHouse calls `pair.1` `tupleElement(pair, 1)`.
        return None if dialect.path_names and expr.parts[-1].text.isdigit() else expr.parts[-1]
    if isinstance(expr, q.FieldAccess):
        return expr.name if _names_fields(expr, dialect) else None
    if isinstance(expr, q.Operation) and expr.operator == "PAREN" and expr.operands:
        return implied_name(expr.operands[0], dialect)
    if not dialect.call_names:
        return None
    return _figured_name(expr, dialect)


def _names_fields(expr: q.FieldAccess, dialect: Dialect) -> bool:
    """Whether an access names its column by the field: `items[0].sku` is `sku` in BigQuery and Hive, `items[0].sku` in
    Spark, which takes the field of a column's path only, `(items[1]).sku` in DuckDB, `DOC:SKU` in Snowflake.
    """
    if dialect.name_style in (NameStyle.DUCKDB, NameStyle.CLICKHOUSE, NameStyle.CAPITALS):
        return False
    base = expr.base
    while isinstance(base, q.FieldAccess) or (isinstance(base, q.Operation) and base.operator == "PAREN"):
        base = base.base if isinstance(base, q.FieldAccess) else base.operands[0]
    return dialect.name_style is not NameStyle.SPARK or isinstance(base, q.ColumnRef)


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


def made_name(projection: q.Projection, scope: Scope, context: Context) -> str:
    """The name that the database makes of an item without alias, '' where that is not known for sure.

    `o.price * 2` is `(price * 2)` in Spark, `multiply(price, 2)` in ClickHouse (`syntax/name_styles.py`).
    """
    written = projection.written
    if written is None or _has_parameter(projection.value):
        return ""
    if not all(isinstance(piece, str | q.ColumnRef) for piece in (*written.pieces, *written.undated)):
        return ""  # a part that another model put there
    if not all(_is_number(ref, scope, context) for ref in written.undated):
        return ""
    pieces = [piece if isinstance(piece, str) else _shown_inside(piece, scope, context) for piece in written.pieces]
    return "".join(pieces) if all(pieces) else ""


def is_guessed(name: str, dialect: Dialect) -> bool:
    """Whether the name of an item without alias, as `made_name` gives it, may be another one in the database."""
    if dialect.name_style in (NameStyle.ORDINAL, NameStyle.NONE):
        return False
    return not name or dialect.name_style in _UNTRIED


# Known by documentation and habit only: no engine runs here that would prove each of them.
_UNTRIED = frozenset({NameStyle.CAPITALS, NameStyle.SQUEEZED})


def _shown_inside(ref: q.ColumnRef, scope: Scope, context: Context) -> str:
    """A name inside of an expression, without its source's name; '' for the alias of another item in Spark."""
    if context.dialect.path_names:
        return path_name(ref, ref.parts[-1], scope, context).text if len(ref.parts) > 1 else ref.parts[0].text
    found = resolve(ref.parts, scope, context)
    if found.problem or found.kind != "column" or found.range not in scope.ranges or isinstance(found.value, Unknown):
        return ""
    return ".".join(part.text for part in ref.parts[found.qualifier :])


def _is_number(ref: q.ColumnRef, scope: Scope, context: Context) -> bool:
    found = resolve(ref.parts, scope, context)
    value: Value | Refuted = found.value
    for name in ref.parts[found.used :]:
        value = value if isinstance(value, Refuted) else field(value, context.key(name))
    kind = None if isinstance(value, Refuted) else type_of(value)
    return isinstance(kind, Scalar) and kind.text.split("(")[0].strip().upper() in _NUMBERS


_NUMBERS = words(
    "TINYINT SMALLINT INT INTEGER BIGINT BYTE SHORT LONG FLOAT REAL DOUBLE DECIMAL DEC NUMERIC"
)


def _has_parameter(node: object) -> bool:
    if isinstance(node, q.Parameter):
        return True
    if isinstance(node, Struct):
        return any(_has_parameter(getattr(node, name)) for name in node.__struct_fields__)
    return isinstance(node, tuple) and any(map(_has_parameter, node))


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
        if not ready:
            # A circle: what is named inside of an expression comes before the item around it.
            inside = [i for i in waiting if projections[i].start < 0]
            ready = inside[:1] or waiting
        found += ready
        waiting = [i for i in waiting if i not in ready]
    return found


def column_refs(node: object) -> Iterator[q.ColumnRef]:
    """All dotted names in an expression."""
    if isinstance(node, q.ColumnRef):
        yield node
    elif isinstance(node, Struct):
        for name in node.__struct_fields__:
            yield from column_refs(getattr(node, name))
    elif isinstance(node, tuple):
        for item in node:
            yield from column_refs(item)


def told_apart(listed: tuple[Column, ...], context: Context) -> tuple[Column, ...]:
    """Columns of one name get names of their own where the dialect gives them (DuckDB: `a`, `a_1`)."""
    pattern = context.dialect.repeated_name
    if not pattern:
        return listed
    seen: dict[str, int] = {}
    columns = []
    for column in listed:
        name = column.name
        while (key := context.dialect.column_key(name)) in seen:
            seen[key] += 1
            name = pattern.format(name=name, n=seen[key] - 1)
        seen[key] = 1
        columns.append(column if name == column.name else replace(column, name=name, key=key))
    return tuple(columns)
