"""sqlglot's trees to the query model: one function per node class, found through dispatch tables, nothing copied.

`lower_statement` and `query_from_tokens` are the entries. What has no function of its own becomes an `Operation` over
the expressions in it, so that no read of a column is lost. Positions are those of the statement's own text.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokens import Token

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.lower.context import Lowering
from sql_lineage_ls.syntax.lower.operators import EXPRESSIONS
from sql_lineage_ls.syntax.lower.queries import QUERIES
from sql_lineage_ls.syntax.lower.statements import STATEMENTS
from sql_lineage_ls.syntax.repair import Prepared
from sql_lineage_ls.syntax.tree import build_tree, too_large


def lower_statement(prepared: Prepared, tree: exp.Expr) -> q.Statement | None:
    """The statement of a tree, None where its kind moves no data or is not known."""
    handler = STATEMENTS.get(tree.__class__)
    return None if handler is None else handler(Lowering(prepared, EXPRESSIONS, QUERIES, STATEMENTS), tree)


def query_from_tokens(
    text: str, tokens: list[Token], dialect: Dialect
) -> tuple[q.Query | None, tuple[q.SyntaxIssue, ...]]:
    """The query that `tokens` (a slice of those of `text`) spell, and what is wrong with it. Never raises.

    The body of `CREATE VIEW v AS SELECT a FROM t` is read this way; positions stay those of `text`.
    """
    if not tokens:
        return None, (q.SyntaxIssue("The query is missing.", max(len(text) - 1, 0), len(text)),)
    start, end = tokens[0].start, tokens[-1].end + 1
    try:
        problem = too_large(tokens)
        if problem is not None:
            return None, (problem,)
        prepared, tree = build_tree(text, list(tokens), dialect)
        low = Lowering(prepared, EXPRESSIONS, QUERIES, STATEMENTS)
        query = low.query(tree) if tree is not None and low.is_query(tree) else None
    except Exception:  # whatever damaged text does to the parser must end here
        return None, (q.SyntaxIssue("The query could not be read.", start, end),)
    if query is None and not prepared.issues:
        prepared.issues.append(q.SyntaxIssue("This is not a query.", start, end))
    return query, tuple(prepared.issues)
