"""Function calls.

`Call.name` is the function's name as the text has it, in upper case, and `Call.args` are the arguments in the order
of the text: tokens are marked so that sqlglot keeps calls as they are written (`syntax.repair`). Only a few functions
with a syntax of their own (EXTRACT, TRIM, STRING_AGG, ..) come as sqlglot's classes and get its name for them.
What is not a call in the model, although it is written as one, is in the tables of `constructors`.
"""

from __future__ import annotations

from typing import Any

import msgspec
from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower.constructors import SPECIAL
from sql_lineage_ls.syntax.lower.context import ExprHandler, Lowering, offset_of
from sql_lineage_ls.syntax.lower.names import (
    AGGREGATE_SUFFIXES,
    AGGREGATES,
    DATE_PARTS,
    PART_POSITIONS,
    SHORT_DATE_PARTS,
)
from sql_lineage_ls.syntax.repair import MARK


def anonymous(low: Lowering, node: exp.Expr) -> q.Expr:
    """A call as it is written."""
    name, start, end = function_name(low, node)
    special = SPECIAL.get(name)
    if special is not None:
        made = special(low, name, node)
        if made is not None:
            return made
    return _call(low, name, node.expressions, start, end)


def function_name(low: Lowering, node: exp.Expr) -> tuple[str, int, int]:
    """The name in upper case and its span: `Sum` is SUM, `"my f"` is MY F."""
    meta = node._meta
    if meta and "start" in meta:
        start, end = meta["start"], meta["end"] + 1
        raw = low.text[start:end]
        if raw[:1] in '"`[':
            raw = raw[1:-1]
        return raw.upper(), start, end
    this = node.args.get("this")
    name = (this if isinstance(this, str) else node.name).rstrip(MARK).upper()
    return _written_before(low, node, (name,)) or (name, -1, -1)


def _written_before(low: Lowering, node: exp.Expr, names: tuple[str, ...]) -> tuple[str, int, int] | None:
    """The name of a call whose node has no position: the nearest of `names` before its first argument."""
    offset = offset_of(node)
    if offset < 0:
        return None
    index = low.token_after(offset)
    for token in reversed(low.tokens[max(index - 8, 0) : index]):
        word = token.text.rstrip(MARK).upper()
        if word in names:
            return word, token.start, token.end + 1
    return None


def _call(low: Lowering, name: str, nodes: list[exp.Expr], start: int, end: int) -> q.Call:
    """A call with its arguments; ORDER BY, LIMIT, DISTINCT and IGNORE NULLS inside the brackets are taken apart."""
    args: list[q.Expr] = []
    named: list[str | None] = []
    order: tuple[q.Expr, ...] = ()
    has_names = False
    for node in nodes:
        key, inner, ordered = _argument(low, node)  # an aggregate may hold nothing but its ORDER BY
        order += ordered
        has_names = has_names or key is not None
        for item in inner:
            args.append(low.expr(item))
            named.append(key)
    parts = PART_POSITIONS.get(name)
    if parts is not None and len(args) >= parts[1]:
        _take_parts(args, parts[0])
    return q.Call(name, tuple(args), tuple(named) if has_names else (), is_aggregate(name), order, None, start, end)


def _argument(low: Lowering, node: Any) -> tuple[str | None, list[exp.Expr], tuple[q.Expr, ...]]:
    """An argument's name, its value nodes, and the ORDER BY that stands behind it."""
    key: str | None = None
    order: tuple[q.Expr, ...] = ()
    while True:
        kind = node.__class__
        if kind in (exp.Kwarg, exp.PropertyEQ):
            key = low.name(node.this).text
            node = node.expression
        elif kind in _WRAPPERS:
            node = node.this
        elif kind is exp.Order:
            order += tuple([low.expr(item.this) for item in node.expressions])
            node = node.this
        elif kind is exp.Distinct:
            return key, [inner for item in node.expressions for inner in _argument(low, item)[1]], order
        else:
            return key, [node] if node is not None else [], order


_WRAPPERS = frozenset({exp.Limit, exp.IgnoreNulls, exp.RespectNulls, exp.HavingMax, exp.Alias})


def _take_parts(args: list[q.Expr], positions: tuple[int, ...]) -> None:
    """Makes a bare date part a constant: `MONTH` in `DATE_TRUNC(day, MONTH)` is no column."""
    for position in positions:
        if position >= len(args):
            continue
        arg = args[position]
        if isinstance(arg, q.Call) and arg.name == "WEEK" and position:
            args[position] = q.Literal("other", "WEEK", arg.start, arg.end)
            return
        if not isinstance(arg, q.ColumnRef) or len(arg.parts) != 1 or arg.parts[0].quoted:
            continue
        name = arg.parts[0]
        word = name.text.upper()
        if word in DATE_PARTS or (not position and word in SHORT_DATE_PARTS):
            args[position] = q.Literal("other", word, name.start, name.end)
            return


def is_aggregate(name: str) -> bool:
    """Whether a function makes one value of many rows; ClickHouse's combinators included (`SUMIF`)."""
    if name in AGGREGATES:
        return True
    return any(name.endswith(suffix) and name[: -len(suffix)] in AGGREGATES for suffix in AGGREGATE_SUFFIXES)


def known(low: Lowering, node: exp.Func) -> q.Expr:
    """A function that the parser has a class for, with its arguments in the order of the class."""
    meta = node._meta
    if meta and "start" in meta:
        name, start, end = function_name(low, node)
    else:
        spellings = _LISTINGS if node.__class__ is exp.GroupConcat else tuple(node.sql_names())
        name, start, end = _written_before(low, node, spellings) or (node.sql_name(), -1, -1)
    nodes: list[exp.Expr] = []
    for value in node.args.values():
        if isinstance(value, exp.Expr):
            nodes.append(value)
        elif isinstance(value, list):
            nodes.extend(item for item in value if isinstance(item, exp.Expr))
    call = _call(low, name, nodes, start, end)
    if isinstance(node, exp.AggFunc) and not call.aggregate:
        return msgspec.structs.replace(call, aggregate=True)
    return call


# The spellings of what the parser calls GROUP_CONCAT.
_LISTINGS = ("LISTAGG", "GROUP_CONCAT", "GROUPCONCAT", "STRINGAGG", "STRING_AGG")


def parameterized(low: Lowering, node: exp.Expr) -> q.Expr:
    """ClickHouse `quantile(0.5)(x)`: the arguments are those of the second brackets."""
    name, start, end = function_name(low, node)
    params = node.args.get("params") or []
    call = _call(low, name, params or node.expressions, start, end)
    return msgspec.structs.replace(call, aggregate=True)


def wrapped_function(low: Lowering, node: exp.Expr) -> q.Expr:
    """BigQuery `SAFE.f(x)`, `NET.f(x)`: the function itself."""
    return low.expr(node.this)


def within_group(low: Lowering, node: exp.Expr) -> q.Expr:
    """`f(x) WITHIN GROUP (ORDER BY y)`."""
    value = low.expr(node.this)
    clause = node.args.get("expression")
    order = tuple([low.expr(item.this) for item in clause.expressions]) if clause is not None else ()
    if isinstance(value, q.Call):
        args = value.args if _has_column(value.args) else (*value.args, *order)
        return msgspec.structs.replace(value, args=args, order_by=value.order_by + order, aggregate=True, named=())
    return q.Operation("WITHIN GROUP", (value, *order))


def _has_column(args: tuple[q.Expr, ...]) -> bool:
    """`LISTAGG(a, ',')` aggregates its argument, `PERCENTILE_CONT(0.5)` what it orders by."""
    return any(not isinstance(arg, (q.Literal, q.Parameter)) for arg in args)


def filtered(low: Lowering, node: exp.Expr) -> q.Expr:
    """`f(x) FILTER (WHERE y)`."""
    value = low.expr(node.this)
    condition = low.expr(node.expression.this)
    if isinstance(value, q.Call):
        return msgspec.structs.replace(value, filter=condition, aggregate=True)
    return q.Operation("FILTER", (value, condition))


def unwrapped(low: Lowering, node: exp.Expr) -> q.Expr:
    """IGNORE NULLS and the like, which change no source."""
    return low.expr(node.this)


def window(low: Lowering, node: exp.Window) -> q.Expr:
    """`f(x) OVER (PARTITION BY a ORDER BY b)`, `OVER w`, and Oracle's KEEP (.. FIRST ORDER BY ..)."""
    args = node.args
    order = args.get("order")
    alias = args.get("alias") if args.get("over") != "KEEP" else None
    return q.Window(
        low.expr(node.this),
        low.exprs(args.get("partition_by")),
        tuple([low.expr(item.this) for item in order.expressions]) if order is not None else (),
        low.name(alias) if alias is not None else None,
    )


TABLE: dict[type, ExprHandler] = {
    exp.Anonymous: anonymous,
    exp.AnonymousAggFunc: anonymous,
    exp.CombinedAggFunc: anonymous,
    exp.ParameterizedAgg: parameterized,
    exp.CombinedParameterizedAgg: parameterized,
    exp.SafeFunc: wrapped_function,
    exp.NetFunc: wrapped_function,
    exp.WithinGroup: within_group,
    exp.Filter: filtered,
    exp.IgnoreNulls: unwrapped,
    exp.RespectNulls: unwrapped,
    exp.HavingMax: unwrapped,
    exp.Window: window,
}
