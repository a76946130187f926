"""Checks of a whole statement: counts that must agree, names that must differ.

Each is reported only where every column is known; a star that is not expanded silences what depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.model import Problem
from sql_lineage_ls.lineage.naming import implied_name
from sql_lineage_ls.lineage.scope import Column
from sql_lineage_ls.syntax import query_model as q


def check_count(at: q.Name, wanted: int, given: int, text: str, context: Context) -> None:
    """Reports `column-count-mismatch` at a token: `INSERT INTO t (a, b) SELECT x FROM s`."""
    if wanted != given:
        context.report(Problem("column-count-mismatch", text, at.start, at.end))


def check_branches(left: int, right: int, query: q.Query, operator: str, context: Context) -> None:
    """Reports the branch of a set operation that has another number of columns than the first one."""
    start, end = _head(query)
    if left != right and start >= 0:
        text = f"this branch of the {operator} has {_columns(right)}, the first has {_columns(left)}"
        context.report(Problem("column-count-mismatch", text, start, end))


def _head(query: q.Query) -> tuple[int, int]:
    """The select list of a branch, where the eye looks for the difference."""
    if isinstance(query, q.Select) and query.projections:
        return query.projections[0].start, query.projections[-1].end
    return -1, -1


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"


def list_mismatch(owner: str, listed: int, given: int) -> str:
    """`the column list of v names 2 columns, the query gives 3`."""
    return f"{owner} names {_columns(listed)}, the query gives {given}"


def check_duplicates(columns: Iterable[Column], context: Context) -> None:
    """Reports `duplicate-column`: a table or view cannot have two columns of one name."""
    if not context.dialect.unique_outputs:
        return
    seen: dict[str, Column] = {}
    for column in columns:
        first = seen.setdefault(column.key, column)
        if first is not column and column.definitions and not column.unnamed:
            start, end = column.definitions[0]
            context.report(Problem("duplicate-column", f"there are two columns called '{column.name}'", start, end))


def check_declared(columns: Sequence[q.ColumnDef], context: Context) -> None:
    """The same of the column list of a CREATE TABLE."""
    seen: set[str] = set()
    for column in columns:
        key = context.fold(column.name)
        if key in seen:
            text = f"there are two columns called '{column.name.text}'"
            context.report(Problem("duplicate-column", text, column.name.start, column.name.end))
        seen.add(key)


def own_names(cte: q.Cte, columns: Iterable[Column], context: Context) -> dict[str, q.Name]:
    """The columns of a CTE, by key, that could be left out.

    Not those of a star; and where DISTINCT or a set operation compares whole rows, each one matters.
    """
    query = cte.query
    if not isinstance(query, q.Select) or query.distinct or query.group_by_all or query.row or cte.columns:
        return {}
    known = {column.key for column in columns}
    names: dict[str, q.Name] = {}
    for projection in query.projections:
        name = projection.alias or implied_name(projection.value, context.dialect)
        if name is not None and name.start >= 0 and context.fold(name) in known:
            names[context.fold(name)] = name
    return names
