"""The name that a select item has without an alias."""

from __future__ import annotations

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect


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
    if isinstance(expr, q.Cast):
        return implied_name(expr.value, dialect)
    if isinstance(expr, q.Window):
        return implied_name(expr.value, dialect)
    if isinstance(expr, q.Call):
        return q.Name(expr.name.lower(), expr.start, expr.end)
    if isinstance(expr, q.Case):
        return q.Name("case")
    if isinstance(expr, q.SubqueryExpr) and expr.kind == "scalar" and isinstance(expr.query, q.Select):
        inner = expr.query.projections
        if inner:
            return inner[0].alias or implied_name(inner[0].value, dialect)
    return None
