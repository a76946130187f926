"""MATCH_RECOGNIZE, as a derived table over the source that it stands behind."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower.context import Lowering, offset_of


def with_match(low: Lowering, items: tuple[q.FromItem, ...], node: Any) -> tuple[q.FromItem, ...]:
    """The sources, with the one in front of MATCH_RECOGNIZE replaced by what it gives.

    `t MATCH_RECOGNIZE (PARTITION BY a MEASURES LAST(x.b) AS c ..)` gives a and c, or every column of t and c with
    ALL ROWS PER MATCH.
    """
    if not items:
        return items
    place = _place(items, offset_of(node))
    args = node.args
    variables = {word.upper() for word in re.findall(r"[^\W\d]\w*", str(args.get("pattern") or ""))}
    for column in node.find_all(exp.Column):
        table = column.args.get("table")
        if table is not None and table.name.upper() in variables:
            column.set("table", None)  # a pattern variable is a role of the row, not a relation
    rows = args.get("rows")
    every = rows is not None and rows.name.upper().startswith("ALL")
    kept = [q.Projection(q.Star())] if every else [q.Projection(value) for value in low.exprs(args.get("partition_by"))]
    measures = [_measure(low, item.this) for item in args.get("measures") or ()]
    conditions = tuple([low.expr(item.this) for item in args.get("define") or ()])
    order = args.get("order")
    query = q.Select(
        (*kept, *measures),
        (q.FromItem(items[place].source),),
        q.Operation("AND", conditions) if conditions else None,
        order_by=tuple([low.expr(item.this) for item in order.expressions]) if order is not None else (),
    )
    alias = args.get("alias")
    name = low.name(alias.this) if alias is not None and alias.this is not None else None
    item = items[place]
    made = q.FromItem(q.DerivedTable(query, name), item.join, item.on, item.using, item.natural)
    return (*items[:place], made, *items[place + 1 :])


def _place(items: tuple[q.FromItem, ...], offset: int) -> int:
    """Index of the last source that begins before `offset`."""
    place = 0
    for index, item in enumerate(items):
        start = getattr(item.source, "start", -1)
        if 0 <= start < offset:
            place = index
    return place


def _measure(low: Lowering, node: Any) -> q.Projection:
    if isinstance(node, exp.Alias):
        return q.Projection(low.expr(node.this), low.name(node.args["alias"]))
    return q.Projection(low.expr(node))
