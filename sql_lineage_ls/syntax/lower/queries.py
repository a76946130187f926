"""Query blocks: SELECT, set operations, VALUES, and the clauses around them."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import LateralAlias
from sql_lineage_ls.syntax.lower import pivots, sources
from sql_lineage_ls.syntax.lower.clauses import order_by, with_clause
from sql_lineage_ls.syntax.lower.context import Lowering, QueryHandler, offset_of
from sql_lineage_ls.syntax.lower.match import with_match
from sql_lineage_ls.syntax.name_styles import written_name

# Longer chains of one set operation are built as a balanced tree: the branches are equal in rank, and a tree of
# depth 10,000 could not be walked.
_LONG_CHAIN = 16


def select(low: Lowering, node: exp.Select) -> q.Query:
    """A query block."""
    args = node.args
    ctes, lets, recursive = with_clause(low, args.get("with_"))
    items = node.expressions
    keyword, spans = low.items.claim(offset_of(items[0]), len(items)) if items else (-1, [])
    projections = tuple([projection(low, item, spans[i] if spans else None) for i, item in enumerate(items)])
    group, group_all = _grouping(low, args.get("group"))
    distinct = args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    found = sources.from_items(low, node)
    match = args.get("match")
    if match is not None:
        found = with_match(low, found, match)
    return q.Select(
        projections,
        found,
        _where(low, args),
        group,
        group_all,
        _condition(low, args.get("having")),
        _condition(low, args.get("qualify")),
        tuple([named_window(low, item) for item in args.get("windows") or ()]),
        order_by(low, args),
        distinct is not None,
        low.exprs(on.expressions) if isinstance(on, exp.Tuple) else (() if on is None else (low.expr(on),)),
        _connect(low, args.get("connect")),
        ctes,
        recursive,
        (args.get("kind") or "").lower(),
        keyword,
        spans[-1][1] if spans else -1,
        lets,
        named=_named(low, node) if low.dialect.lateral_alias is LateralAlias.FIRST else (),
    )


_CLAUSES = ("where", "prewhere", "group", "having", "qualify", "order")


def _named(low: Lowering, node: exp.Select) -> tuple[q.Projection, ...]:
    """The aliases inside of a block's expressions; those of subqueries are their own."""
    found: list[q.Projection] = []
    tops = [item.this if item.__class__ is exp.Alias else item for item in node.expressions]
    stack: list[Any] = [*[node.args[key] for key in _CLAUSES if node.args.get(key) is not None], *tops]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack += current
        elif isinstance(current, exp.Expr) and not low.is_query(current):
            if current.__class__ is exp.Alias:
                found.append(q.Projection(low.expr(current.this), low.name(current.args["alias"])))
            stack += current.args.values()
    return tuple(found)


def projection(low: Lowering, node: Any, span: tuple[int, int] | None = None) -> q.Projection:
    """One item: `a.b AS c`, `posexplode(x) AS (p, v)`, `*`."""
    start, end = span or (-1, -1)
    if node.__class__ is exp.Alias:
        return q.Projection(low.expr(node.this), low.name(node.args["alias"]), (), start, end)
    if node.__class__ is exp.Aliases:
        return q.Projection(low.expr(node.this), None, low.names(node.expressions), start, end)
    if node.__class__ is exp.QueryTransform:
        schema = node.args.get("schema")
        names = low.names([getattr(item, "this", item) if isinstance(item, exp.ColumnDef) else item
                           for item in (schema.expressions if schema is not None else ())])  # fmt: skip
        return q.Projection(q.Call("TRANSFORM", low.exprs(node.expressions)), None, names, start, end)
    value = low.expr(node)
    if low.dialect.regex_columns and isinstance(value, q.ColumnRef) and value.parts[-1].quoted:
        value = _regex_columns(value)
    named = isinstance(value, q.ColumnRef | q.Star) or start < 0
    return q.Projection(value, None, (), start, end, None if named else written_name(low.text[start:end], low.dialect))


# The one regular expression that people write there, since it has no other way to leave columns out.
_ALL_BUT = re.compile(r"\((?P<names>[\w|]+)\)\?\+\.[+*]")


def _regex_columns(ref: q.ColumnRef) -> q.Expr:
    """Hive: `` `(id|at)?+.+` `` is every column but id and at, `` `amount_.*` `` those that match."""
    last = ref.parts[-1]
    if not set(last.text) & set("()[]*+?|"):
        return ref
    all_but = _ALL_BUT.fullmatch(last.text)
    if all_but is None:
        return q.ColumnsPattern(f"(?i)^(?:{last.text})$", last.start, last.end)
    qualifier = q.ColumnRef(ref.parts[:-1]) if len(ref.parts) > 1 else None
    left_out = tuple([q.ColumnRef((q.Name(name),)) for name in all_but["names"].split("|")])
    return q.Star(qualifier, left_out, start=last.start, end=last.end)


def named_window(low: Lowering, node: exp.Window) -> q.NamedWindow:
    """`w AS (PARTITION BY a ORDER BY b)`."""
    args = node.args
    order = args.get("order")
    base = args.get("alias")
    return q.NamedWindow(
        low.name(node.this),
        low.exprs(args.get("partition_by")),
        tuple([low.expr(item.this) for item in order.expressions]) if order is not None else (),
        low.name(base) if base is not None else None,
    )


def set_operation(low: Lowering, node: exp.SetOperation) -> q.Query:
    """UNION, INTERSECT, EXCEPT; chains of 10,000 branches are walked without recursion."""
    spine: list[Any] = []
    current: Any = node
    while isinstance(current, exp.SetOperation):
        spine.append(current)
        current = current.this
    clauses = [with_clause(low, item.args.get("with_")) for item in spine]
    result = low.query(current)
    index = len(spine) - 1
    while index >= 0:
        run = index
        while run > 0 and _same_operation(spine[run - 1], spine[index]):
            run -= 1
        branches = [low.query(spine[i].expression) for i in range(index, run - 1, -1)]
        if len(branches) < _LONG_CHAIN:
            for offset, branch in enumerate(branches):
                result = _combine(low, spine[index - offset], result, branch, clauses[index - offset])
        else:
            result = _balanced(low, spine[run], [result, *branches], clauses[run])
        index = run - 1
    return result


def _same_operation(left: Any, right: Any) -> bool:
    return (
        left.__class__ is right.__class__
        and left.args.get("distinct") == right.args.get("distinct")
        and left.args.get("by_name") == right.args.get("by_name")
        and left.args.get("side") == right.args.get("side")
        and left.args.get("on") == right.args.get("on")
    )


def _combine(
    low: Lowering, node: Any, left: q.Query, right: q.Query, clause: tuple[tuple[q.Cte, ...], Any, bool]
) -> q.SetOperation:
    args = node.args
    return q.SetOperation(
        node.key.upper(),
        left,
        right,
        bool(args.get("by_name")),
        bool(args.get("distinct")),
        order_by(low, args),
        clause[0],
        clause[2],
        _side(args),
        low.names([getattr(item, "this", item) for item in args.get("on") or ()]),
    )


def _side(args: dict[str, Any]) -> str:
    """Which columns a match by name keeps; sqlglot has INNER as a kind and LEFT and FULL as sides."""
    return (args.get("side") or ("INNER" if args.get("kind") == "INNER" else "")).upper()


def _balanced(low: Lowering, node: Any, parts: list[q.Query], clause: tuple[tuple[q.Cte, ...], Any, bool]) -> q.Query:
    by_name, distinct = bool(node.args.get("by_name")), bool(node.args.get("distinct"))
    side = _side(node.args)
    while len(parts) > 2:
        halves: list[q.Query] = [
            q.SetOperation(node.key.upper(), left, right, by_name, distinct, side=side)
            for left, right in zip(parts[::2], parts[1::2], strict=False)
        ]
        parts = halves if len(parts) % 2 == 0 else [*halves, parts[-1]]
    return _combine(low, node, parts[0], parts[1], clause)


def values(low: Lowering, node: exp.Values) -> q.Query:
    """VALUES (1, 2), (3, 4)."""
    rows = tuple([values_row(low, item) for item in node.expressions])
    return q.ValuesQuery(rows, with_clause(low, node.args.get("with_"))[0])


def values_row(low: Lowering, node: exp.Expr) -> tuple[q.Expr, ...]:
    """One row of VALUES."""
    if node.__class__ is exp.Tuple:
        return low.exprs(node.expressions)
    if node.__class__ is exp.Paren:
        return (low.expr(node.this),)
    return (low.expr(node),)


def wrapped(low: Lowering, node: exp.Subquery) -> q.Query:
    """`(SELECT ..)`; an ORDER BY or a WITH around the brackets joins the query inside."""
    inner = node.this
    if not low.is_query(inner):
        items = sources.from_items(low, node)
        return q.Select((q.Projection(q.Star()),), items)
    query = low.query(inner)
    if node.args.get("pivots") or node.args.get("joins"):
        return q.Select((q.Projection(q.Star()),), sources.from_items(low, node))
    ctes, _, recursive = with_clause(low, node.args.get("with_"))
    order = order_by(low, node.args)
    if ctes:
        query = msgspec.structs.replace(query, ctes=(*ctes, *query.ctes))
        if recursive and not isinstance(query, q.ValuesQuery):
            query = msgspec.structs.replace(query, recursive=True)
    if order and not isinstance(query, q.ValuesQuery):
        query = msgspec.structs.replace(query, order_by=query.order_by + order)
    return query


def table_query(low: Lowering, node: exp.Expr) -> q.Query:
    """A table as a query: `TABLE t`, `FROM t`."""
    return q.Select((q.Projection(q.Star()),), (q.FromItem(sources.source(low, node)),))


def pivot_query(low: Lowering, node: exp.Pivot) -> q.Query:
    """DuckDB's PIVOT and UNPIVOT statements: a select of everything from the pivoted table."""
    ctes, _, recursive = with_clause(low, node.args.get("with_"))
    inner = sources.source(low, node.this)
    pivoted = pivots.with_pivots(inner, (pivots.statement_pivot(low, node),))
    return q.Select((q.Projection(q.Star()),), (q.FromItem(pivoted),), ctes=ctes, recursive=recursive)


def _where(low: Lowering, args: dict[str, Any]) -> q.Expr | None:
    where = _condition(low, args.get("where"))
    before = _condition(low, args.get("prewhere"))
    if before is None:
        return where
    return before if where is None else q.Operation("AND", (before, where))


def _condition(low: Lowering, node: Any) -> q.Expr | None:
    return None if node is None else low.expr(node.this)


def _grouping(low: Lowering, node: Any) -> tuple[tuple[q.Expr, ...], bool]:
    """The expressions of GROUP BY, those of ROLLUP, CUBE and GROUPING SETS included."""
    if node is None:
        return (), False
    found: list[q.Expr] = []
    queue: list[Any] = list(node.expressions)
    for key in ("rollup", "cube", "grouping_sets"):
        value = node.args.get(key)
        if isinstance(value, list):
            queue += value
    while queue:
        item = queue.pop(0)
        if item.__class__ in (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple):
            queue[:0] = item.expressions
        elif isinstance(item, exp.Expr):
            value = low.expr(item)
            if value not in found:
                found.append(value)
    return tuple(found), bool(node.args.get("all"))


def _connect(low: Lowering, node: Any) -> tuple[q.Expr, ...]:
    if node is None:
        return ()
    return low.exprs([part for part in (node.args.get("start"), node.args.get("connect")) if part is not None])


QUERIES: dict[type, QueryHandler] = {
    exp.Select: select,
    exp.Union: set_operation,
    exp.Except: set_operation,
    exp.Intersect: set_operation,
    exp.Values: values,
    exp.Subquery: wrapped,
    exp.Table: table_query,
    exp.Pivot: pivot_query,
    exp.Insert: sources.returning_query,
    exp.Update: sources.returning_query,
    exp.Delete: sources.returning_query,
    exp.Merge: sources.returning_query,
}
