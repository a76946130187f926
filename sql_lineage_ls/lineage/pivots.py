"""PIVOT and UNPIVOT: their output columns, named as the dialect names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from msgspec.structs import replace

from sql_lineage_ls.lineage import expressions, stars
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.model import GROUPING, Gap, GeneratedSource
from sql_lineage_ls.lineage.naming import column_refs, told_apart
from sql_lineage_ls.lineage.pivot_names import pivot_name
from sql_lineage_ls.lineage.scope import Column, OpenSource, RangeVariable, Scope, resolve
from sql_lineage_ls.lineage.values import (
    Generated,
    Unknown,
    Value,
    conditions,
    one_of,
    traced,
    weighed,
)
from sql_lineage_ls.syntax import query_model as q


def bind_pivot(pivot: q.Pivot | q.Unpivot, variable: RangeVariable, scope: Scope, context: Context) -> RangeVariable:
    """The range variable that a PIVOT or UNPIVOT makes of another one."""
    inner = Scope(scope.parent, [variable], ctes=scope.ctes)
    context.ctes.column(variable.cte, None)
    made = _pivot(pivot, variable, inner, context) if isinstance(pivot, q.Pivot) else _unpivot(
        pivot, variable, inner, context)
    if pivot.alias is not None:
        at = ((pivot.alias.start, pivot.alias.end),)
        made = replace(made, name=pivot.alias.text, qualifiers=(context.fold(pivot.alias),), definitions=at, by_key={})
    if not pivot.column_aliases or made.open:
        return made
    columns = [
        replace(column, name=context.show(name), key=context.fold(name), definitions=((name.start, name.end),))
        for column, name in zip(made.columns, pivot.column_aliases, strict=False)
    ]
    return replace(made, columns=told_apart((*columns, *made.columns[len(columns):]), context), by_key={})


def _pivot(pivot: q.Pivot, variable: RangeVariable, scope: Scope, context: Context) -> RangeVariable:
    aggregates = [(p, expressions.evaluate(p.value, scope, context)) for p in pivot.aggregates]
    tested = [expressions.evaluate(column, scope, context) for axis in pivot.axes for column in axis.columns]
    chosen = conditions(tested)
    used = _used(pivot, scope, context)
    passed = [column for column in variable.columns if column.key not in used]
    if pivot.group_by:
        kept = {key for item in pivot.group_by for key in _keys(item, scope, context)}
        passed = [column for column in passed if column.key in kept]
    grouped = weighed((column.value for column in passed), GROUPING)
    made = []
    for values in product(*(axis.values for axis in pivot.axes)):
        for projection, value in aggregates:
            name, guessed = pivot_name(values, pivot, projection, scope, context)
            result = traced(value, (*chosen, *grouped), (), "PIVOT")
            at = _at(values[-1]) if values else ()
            # `'a'_TOTAL` keeps the case of the value in it.
            exact = context.dialect.pivot_quotes and "'" in name
            key = context.dialect.column_key(name, exact)
            made.append(Column(name, key, result, at, guessed=guessed))
    opened = tuple(replace(source, without=source.without | used, passed_on=True) for source in variable.open)
    if pivot.any_values:
        unknown = Unknown(Gap("columns-unknown", "the values of the pivot come from a query"))
        opened = (*opened, OpenSource("", variable.name, value=unknown))
    return replace(variable, columns=told_apart((*passed, *made), context), open=opened, row=None, pivoted=True,
                   star_columns=None, by_key={})


def _at(projection: q.Projection) -> tuple[tuple[int, int], ...]:
    if projection.alias is not None:
        return ((projection.alias.start, projection.alias.end),)
    return ((projection.start, projection.end),) if projection.start >= 0 else ()


def _used(pivot: q.Pivot, scope: Scope, context: Context) -> frozenset[str]:
    """The columns that the pivot consumes; all others are passed on as grouping columns."""
    exprs = [p.value for p in pivot.aggregates] + [column for axis in pivot.axes for column in axis.columns]
    return frozenset(key for expr in exprs for key in _keys(expr, scope, context))


def _keys(expr: q.Expr, scope: Scope, context: Context) -> Iterator[str]:
    for ref in column_refs(expr):
        binding = resolve(ref.parts, scope, context)
        if binding.column is not None:
            yield binding.column.key
        elif binding.used:
            yield context.fold(ref.parts[binding.used - 1])


# ---------------------------------------------------------------- UNPIVOT


def _unpivot(pivot: q.Unpivot, variable: RangeVariable, scope: Scope, context: Context) -> RangeVariable:
    """Columns become rows: the value columns hold the listed columns' values, the name column their names."""
    used: set[str] = set()
    cells: list[list[Value]] = [[] for _ in pivot.value_columns]
    labels: list[Value] = []
    for entry in pivot.inputs:
        listed = _listed(entry, scope, context)
        if listed is not None:
            cells[0] += [column.value for column in listed] if cells else []
            used.update(column.key for column in listed)
            labels += [Generated(GeneratedSource("constant", f"'{column.name}'")) for column in listed]
            continue
        for position, column in enumerate(entry.columns[: len(cells)]):
            cells[position].append(expressions.evaluate(column, scope, context))
        for column in entry.columns:
            used.update(_keys(column, scope, context))
        labels.append(_label(entry, context))
    made = [
        Column(name.text, context.fold(name), one_of(tuple(values), "UNION"), ((name.start, name.end),))
        for name, values in zip(pivot.value_columns, cells, strict=True)
    ]
    name = pivot.name_column
    label = Column(name.text, context.fold(name), one_of(tuple(labels), "UNION"), ((name.start, name.end),))
    made.insert(len(made) if context.dialect.unpivot_values_first else 0, label)
    for made_column in made:
        context.meaning(q.Name(made_column.name, *made_column.definitions[0]), "output", made_column.value)
    passed = [column for column in variable.columns if column.key not in used]
    opened = tuple(
        OpenSource(source.relation, source.name, source.path, source.without | used, passed_on=True)
        for source in variable.open
    )
    return replace(variable, columns=told_apart((*passed, *made), context), open=opened, row=None, pivoted=True,
                   star_columns=None, by_key={})


def _listed(entry: q.UnpivotInput, scope: Scope, context: Context) -> Sequence[Column] | None:
    """The columns of `*` and of `COLUMNS(..)` (DuckDB, "Simplified UNPIVOT"), None for an entry that names its own."""
    column = entry.columns[0] if entry.columns else None
    if isinstance(column, q.Star):
        return stars.expand_star(column, scope, context).columns
    return stars.matching_columns(column, scope, context) if isinstance(column, q.ColumnsPattern) else None


def _label(entry: q.UnpivotInput, context: Context) -> Value:
    if entry.label is not None:
        text = f"'{entry.label.text}'" if entry.label.kind == "string" else entry.label.text
        return Generated(GeneratedSource("constant", text))
    names = [column.parts[-1] for column in entry.columns if isinstance(column, q.ColumnRef)]
    stored = [context.fold(name) if context.dialect.pivot_quotes else name.text for name in names]
    return Generated(GeneratedSource("constant", f"'{'_'.join(stored)}'"))
