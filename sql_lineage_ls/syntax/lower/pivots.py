"""PIVOT and UNPIVOT."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, Union

import msgspec
from sqlglot import exp
from sqlglot.tokens import TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower.context import Lowering
from sql_lineage_ls.syntax.name_styles import written_name

PivotOrUnpivot = Union[q.Pivot, q.Unpivot]


def lower_pivots(low: Lowering, nodes: list[Any] | None) -> tuple[PivotOrUnpivot, ...]:
    """The PIVOT and UNPIVOT clauses behind a source."""
    return tuple([_unpivot(low, node) if node.args.get("unpivot") else _pivot(low, node) for node in nodes or ()])


def with_pivots(source: q.TableSource, pivots: tuple[PivotOrUnpivot, ...]) -> q.TableSource:
    """`source` with more pivots behind it; in brackets where a kind of source holds none."""
    if not pivots:
        return source
    if isinstance(source, (q.ArrayJoin, q.NestedJoin)):
        query = q.Select((q.Projection(q.Star()),), (q.FromItem(source),))
        return q.DerivedTable(query, pivots=pivots)
    return msgspec.structs.replace(source, pivots=(*source.pivots, *pivots))


def _pivot(low: Lowering, node: Any) -> q.Pivot:
    args = node.args
    axes: list[q.PivotAxis] = []
    any_values = False
    for field in args.get("fields") or ():
        axis, unknown = _axis(low, field)
        axes.append(axis)
        any_values = any_values or unknown
    alias, names = _alias(low, args)
    group = args.get("group")
    return q.Pivot(
        tuple([_aggregate(low, item) for item in node.expressions]),
        tuple(axes),
        low.exprs(group.expressions) if group is not None else (),
        any_values,
        alias,
        names,
    )


def _axis(low: Lowering, node: Any) -> tuple[q.PivotAxis, bool]:
    """`column IN (values)`; the second part is True where the values are not listed."""
    if node.__class__ is not exp.In:
        return q.PivotAxis(_columns(low, node), ()), True
    columns = _columns(low, node.this)
    items = node.expressions
    unknown = not items or any(item.__class__ is exp.PivotAny for item in items) or bool(node.args.get("query"))
    return q.PivotAxis(columns, () if unknown else tuple([_item(low, item) for item in items])), unknown


def _columns(low: Lowering, node: Any) -> tuple[q.Expr, ...]:
    return low.exprs(node.expressions) if node.__class__ is exp.Tuple else (low.expr(node),)


def _item(low: Lowering, node: Any) -> q.Projection:
    """An aggregate or a value with its alias."""
    if node.__class__ not in (exp.Alias, exp.PivotAlias):
        return q.Projection(low.expr(node))
    alias = node.args["alias"]
    return q.Projection(low.expr(node.this), _label_name(low, alias))


def _aggregate(low: Lowering, node: Any) -> q.Projection:
    """An aggregate; without alias its text may be part of the columns' names."""
    made = _item(low, node)
    if made.alias is not None or not isinstance(made.value, q.Call) or made.value.start < 0:
        return made
    end = _call_end(low, made.value)
    return q.Projection(made.value, written=written_name(low.text[made.value.start : end], low.dialect))


def _call_end(low: Lowering, call: q.Call) -> int:
    """Where a call ends whose name is at `call.start`, with a FILTER or an OVER behind it."""
    depth = 0
    end = call.end
    for token in low.tokens[bisect_left(low.tokens, call.end, key=lambda token: token.start) :]:
        if not depth and token.token_type in (TokenType.COMMA, TokenType.FOR, TokenType.R_PAREN, TokenType.GROUP_BY):
            break
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        end = token.end + 1
    return end


def _label_name(low: Lowering, node: Any) -> q.Name:
    """An alias that may be written as a string."""
    if isinstance(node, exp.Column):
        node = node.this
    name = low.name(node)
    return name


def _alias(low: Lowering, args: dict[str, Any]) -> tuple[q.Name | None, tuple[q.Name, ...]]:
    alias = args.get("alias")
    if alias is None:
        return None, ()
    names = low.names(alias.args.get("columns"))
    return (low.name(alias.this) if alias.this is not None else None), names


def _unpivot(low: Lowering, node: Any) -> q.Unpivot:
    """`UNPIVOT (v FOR n IN (a, b AS 'label'))`, `UNPIVOT ((v, w) FOR n IN ((a, b), (c, d)))`."""
    values = [name for item in node.expressions for name in _names(low, item)]
    fields = node.args.get("fields") or []
    field = fields[0] if fields else None
    alias, names = _alias(low, node.args)
    inputs = tuple([_input(low, item) for item in field.expressions]) if field is not None else ()
    name = low.name(_bare(field.this)) if field is not None else q.Name("")
    return q.Unpivot(tuple(values), name, inputs, alias, names)


def _names(low: Lowering, node: Any) -> list[q.Name]:
    if node.__class__ is exp.Tuple:
        return [name for item in node.expressions for name in _names(low, item)]
    return [low.name(_bare(node))]


def _bare(node: Any) -> Any:
    return node.this if isinstance(node, (exp.Column, exp.Paren)) else node


def _input(low: Lowering, node: Any) -> q.UnpivotInput:
    label: q.Literal | None = None
    if node.__class__ in (exp.PivotAlias, exp.Alias):
        alias = node.args["alias"]
        meta = alias._meta or {}
        kind = "number" if isinstance(alias, exp.Literal) and not alias.is_string else "string"
        label = q.Literal(kind, alias.name, meta.get("start", -1), meta.get("end", -2) + 1)
        node = node.this
    return q.UnpivotInput(_columns(low, node), label)


# "If a USING clause is not specified, PIVOT counts" (DuckDB, "Simplified PIVOT").
_COUNT = q.Projection(q.Call("COUNT", (q.Star(),), aggregate=True))


def statement_pivot(low: Lowering, node: Any) -> PivotOrUnpivot:
    """DuckDB `PIVOT t ON a IN (..) USING sum(b) GROUP BY c`, `UNPIVOT t ON a, b INTO NAME n VALUE v`."""
    args = node.args
    if args.get("unpivot"):
        into = args.get("into")
        inputs = tuple([_input(low, item) for item in node.expressions])
        if not isinstance(into, exp.Expr):
            return q.Unpivot((q.Name("value"),), q.Name("name"), inputs)
        values = tuple([name for item in into.expressions for name in _names(low, item)])
        return q.Unpivot(values, low.name(_bare(into.this)), inputs)
    axes = [_axis(low, item) for item in node.expressions]
    group = args.get("group")
    return q.Pivot(
        tuple([_aggregate(low, item) for item in args.get("using") or ()]) or (_COUNT,),
        tuple([axis for axis, _ in axes]),
        low.exprs(group.expressions) if group is not None else (),
        any(unknown for _, unknown in axes),
    )
