"""Clauses that several kinds of statement share: WITH and ORDER BY."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower.context import Lowering


def order_by(low: Lowering, args: dict[str, Any]) -> tuple[q.Expr, ...]:
    """What the rows are ordered or distributed by: ORDER BY, SORT BY, DISTRIBUTE BY, CLUSTER BY."""
    found: list[q.Expr] = []
    for key in ("order", "sort", "distribute", "cluster"):
        clause = args.get(key)
        if clause is not None:
            found += [low.expr(item.this if isinstance(item, exp.Ordered) else item) for item in clause.expressions]
    return tuple(found)


def with_clause(low: Lowering, node: Any) -> tuple[tuple[q.Cte, ...], tuple[q.Projection, ...], bool]:
    """The CTEs of a WITH clause, ClickHouse's `WITH expression AS name` entries, and whether it is recursive."""
    if node is None:
        return (), (), False
    ctes: list[q.Cte] = []
    lets: list[q.Projection] = []
    for item in node.expressions:
        if item.__class__ is not exp.CTE:
            continue
        alias = item.args.get("alias") or exp.TableAlias()
        name = low.name(alias.this)
        if item.args.get("scalar"):
            lets.append(q.Projection(low.expr(item.this), name))
            continue
        if low.is_query(item.this):
            marks = low.prepared.marks.get(name.start, ())
            write = _write(low, item.this)
            ctes.append(q.Cte(name, low.query(item.this), low.names(alias.args.get("columns")), marks, write))
        elif name.text:
            # What a template puts there is not a query yet: the name is a CTE all the same, and no table.
            hidden = q.Parameter(f"what WITH calls {name.text}", template=True)
            ctes.append(q.Cte(name, q.Select((q.Projection(q.Star(hidden)),))))
    return tuple(ctes), tuple(lets), bool(node.args.get("recursive"))


def _write(low: Lowering, node: exp.Expr) -> q.Statement | None:
    """What a data-modifying CTE does, without what it returns (PostgreSQL, "Data-Modifying Statements in WITH")."""
    if node.__class__ not in (exp.Insert, exp.Update, exp.Delete, exp.Merge):
        return None
    silent = node.copy()
    silent.set("returning", None)
    return low.statements[node.__class__](low, silent)
