"""UPDATE, MERGE, DELETE and TRUNCATE to edges."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sql_lineage_ls.catalog.types import DataType
from sql_lineage_ls.lineage import expressions, queries, sources
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.edges import edges_of, influences_on_all
from sql_lineage_ls.lineage.model import FILTER, MEMBERSHIP, ROWS, Edge, Path
from sql_lineage_ls.lineage.scope import RangeVariable, Scope
from sql_lineage_ls.lineage.values import Influence, Value, conditions, influenced, type_of, unique, with_role
from sql_lineage_ls.lineage.written import (
    Targets,
    Written,
    assigned,
    note_returned,
    stored_as,
    write_returned,
    write_target,
    written_node,
)
from sql_lineage_ls.syntax import query_model as q


def update(statement: q.Update, context: Context) -> Written:
    scope = queries.bind_with(statement.ctes, context)
    variable = _dml_target(statement.target, statement.sources, statement.ctes, scope, context)
    written = Written("update", variable.relation)
    influences = _weighed(statement.sources, statement.where, scope, context)
    for assignment in statement.assignments:
        updated = _assigned_table(assignment, variable, scope, context)
        written.edges += assigned(assignment, updated, scope, influences, context)
    note_returned(statement.returning, variable, scope, context)
    written.edges += write_returned(statement.output, variable, scope, context)
    return written


def _assigned_table(
    assignment: q.Assignment, target: RangeVariable, scope: Scope, context: Context
) -> RangeVariable:
    """MySQL: `UPDATE a JOIN b .. SET b.qty = 1` writes whichever of the joined tables is named."""
    if not context.dialect.updates_several:
        return target
    names = assignment.target.parts
    key = context.fold(names[0])
    owners = [
        variable for variable in scope.ranges
        if variable.relation and (variable.answers((key,)) if len(names) > 1 else key in variable.by_key)
    ]
    return owners[0] if len(owners) == 1 else target


def _dml_target(
    target: q.TableRef, items: tuple[q.FromItem, ...], ctes: tuple[q.Cte, ...], scope: Scope, context: Context
) -> RangeVariable:
    """The target's range variable: a table of its own, or one of FROM by its alias (T-SQL: `UPDATE c .. FROM t c`)."""
    key = (context.fold(target.parts[0]) if target.parts else "",)
    alone = target.alias is None and len(target.parts) == 1
    named = alone and any(_alias_key(item.source, context) == key[0] for item in items)
    if not named:
        scope.ranges.append(_through_cte(target, ctes, scope, context) or _stored_target(target, context))
        scope.ends.append(len(scope.ranges))
    ends = len(scope.ends)
    sources.bind_sources(items, scope, context)
    del scope.ends[:ends]
    if not named:
        return scope.ranges[0]
    variable = next(v for v in scope.ranges if v.answers(key))
    last = target.parts[-1]
    context.read(variable.relation, (), last, "write")
    expressions.note_range(last, variable, context)
    return variable


def _through_cte(
    target: q.TableRef, ctes: tuple[q.Cte, ...], scope: Scope, context: Context
) -> RangeVariable | None:
    """T-SQL: `WITH few AS (SELECT .. FROM t ..) UPDATE few SET ..` writes t, the one table that the CTE reads."""
    if not context.dialect.writes_through_ctes:
        return None
    variable = sources.cte_range(target, scope, context)
    if variable is not None and context.options.intermediate:
        # What is written is the table, not the CTE that stands as a relation of its own there.
        plain = context.inside()
        plain.options = replace(context.options, intermediate="")
        variable = sources.cte_range(target, queries.bind_with(ctes, plain), plain)
    if variable is None or len(variable.rows) != 1:
        return variable
    context.read(variable.rows[0], (), target.parts[-1], "write")
    return replace(variable, relation=variable.rows[0], by_key={})


def _alias_key(source: q.TableSource, context: Context) -> str | None:
    alias = getattr(source, "alias", None)
    if alias is not None:
        return context.fold(alias)
    return context.fold(source.parts[-1]) if isinstance(source, q.TableRef) and source.parts else None


def _stored_target(target: q.TableRef, context: Context) -> RangeVariable:
    return sources.stored_table(target.parts, target.alias, context, "write")


def _weighed(
    items: tuple[q.FromItem, ...], where: q.Expr | None, scope: Scope, context: Context
) -> tuple[Influence, ...]:
    """What decides which rows are written: join conditions, WHERE, and the rows of derived sources."""
    found: list[Influence] = []
    conditions_on = [(item.on, item.join or "INNER", scope.ends[n]) for n, item in enumerate(items) if item.on]
    for on, kind, count in (*conditions_on, *scope.nested_on):
        found += expressions.membership(on, kind, scope.limited(count, scope.alias_rule), context)
    found += expressions.membership(where, "WHERE", scope, context)
    found += scope.compared
    for variable in scope.ranges:
        found += variable.influences
    return unique(found)


def merge(statement: q.Merge, context: Context) -> Written:
    scope = queries.bind_with(statement.ctes, context)
    target = _stored_target(statement.target, context)
    source = sources.bind_source(statement.source, scope, context)
    scope.ranges = [target, source]
    written = Written("merge", target.relation)
    on = expressions.membership(statement.on, "MERGE", scope, context)
    influences = unique((*on, *source.influences))
    for branch in statement.branches:
        written.edges += _branch(branch, target, source, scope, influences, context)
    note_returned(statement.returning, target, scope, context)
    written.edges += write_returned(statement.output, target, scope, context)
    return written


def _branch(
    branch: q.MergeBranch, target: RangeVariable, source: RangeVariable, scope: Scope,
    influences: tuple[Influence, ...], context: Context,
) -> Iterator[Edge]:
    chosen: tuple[Influence, ...] = ()
    scope = _seen(branch, target, source, scope)
    if branch.condition is not None:
        chosen = conditions([expressions.evaluate(branch.condition, scope, context)])
    weighed = influences_on_all(influences)
    for path, kind, value in _branch_writes(branch, target, source, scope, context):
        shaped = influenced(stored_as(value, kind, context), chosen)
        yield from edges_of(target.relation, path, shaped, weighed, (-1, -1))
    if branch.action == "delete":
        deciding = influences_on_all(with_role((*chosen, *influences), MEMBERSHIP, FILTER))
        yield Edge(target.relation, ROWS, deciding.sources, gaps=deciding.gaps)


def _seen(branch: q.MergeBranch, target: RangeVariable, source: RangeVariable, scope: Scope) -> Scope:
    """A row that is new has no target row beside it, and one that the source lacks no source row."""
    if branch.matched == "matched":
        return scope
    return replace(scope, ranges=[source if branch.matched == "not_matched" else target])


def _branch_writes(
    branch: q.MergeBranch, target: RangeVariable, source: RangeVariable, scope: Scope, context: Context
) -> Iterator[tuple[Path, DataType, Value]]:
    if branch.star:
        others = {column.key: column for column in target.columns}
        for column in source.columns:
            known = others.get(column.key)
            if known is not None or target.open:
                yield (known.name if known else column.name,), type_of((known or column).value), column.value
        return
    if branch.row:
        for (path, kind), column in zip(_inserted_nodes(branch, target, context), source.columns, strict=False):
            yield path, kind, column.value
        return
    for assignment in branch.assignments:
        path, kind = written_node(assignment.target, target, context, assignment.elements)
        value = expressions.evaluate(assignment.value, scope, context)
        if path:
            yield path, kind, value
    if branch.action != "insert":
        return
    values = [expressions.evaluate(value, scope, context) for value in branch.values]
    for (path, kind), value in zip(_inserted_nodes(branch, target, context), values, strict=False):
        if path:
            yield path, kind, value


def _inserted_nodes(branch: q.MergeBranch, target: RangeVariable, context: Context) -> Targets:
    """What an INSERT of a MERGE writes, in order: the listed columns, else all."""
    if branch.columns:
        return tuple(written_node(ref, target, context) for ref in branch.columns)
    return tuple(((column.name,), type_of(column.value)) for column in target.columns) if target.closed else ()


def delete(statement: q.Delete, context: Context) -> Written:
    scope = queries.bind_with(statement.ctes, context)
    variable = _dml_target(statement.target, statement.sources, statement.ctes, scope, context)
    written = Written("delete", variable.relation)
    deciding = influences_on_all(_weighed(statement.sources, statement.where, scope, context))
    written.edges.append(Edge(variable.relation, ROWS, deciding.sources, gaps=deciding.gaps))
    note_returned(statement.returning, variable, scope, context)
    written.edges += write_returned(statement.output, variable, scope, context)
    return written


def truncate(statement: q.Truncate, context: Context) -> Written:
    return Written("truncate", write_target(statement.target, "table", context))


