"""sqlglot's trees to the query model: one function per node class, found through dispatch tables, nothing copied.

`lower_statement` and `lower_query` are the entries. What a table has no function for becomes an `Operation` over
the expressions in it, so that no read of a column is lost. Positions are those of the statement's own text.
"""

from __future__ import annotations

from typing import Any

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower.context import Lowering
from sql_lineage_ls.syntax.lower.operators import EXPRESSIONS
from sql_lineage_ls.syntax.lower.queries import QUERIES
from sql_lineage_ls.syntax.lower.statements import STATEMENTS
from sql_lineage_ls.syntax.repair import Prepared


def lower_statement(prepared: Prepared, tree: Any) -> q.Statement | None:
    """The statement of a tree, None where its kind moves no data or is not known."""
    handler = STATEMENTS.get(tree.__class__)
    return None if handler is None else handler(Lowering(prepared, EXPRESSIONS, QUERIES), tree)


def lower_query(prepared: Prepared, tree: Any) -> q.Query | None:
    """The query of a tree, None where it is none."""
    low = Lowering(prepared, EXPRESSIONS, QUERIES)
    return low.query(tree) if low.is_query(tree) else None
