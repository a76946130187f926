"""INSERT to edges: which columns of the target the query's columns come to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.lineage import checks, expressions, queries, sources
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.edges import NO_INFLUENCES, column_edges, edges_of, influences_on_all, star_edges
from sql_lineage_ls.lineage.model import Edge, Gap, GeneratedSource, Source
from sql_lineage_ls.lineage.queries import QueryResult
from sql_lineage_ls.lineage.scope import Column, RangeVariable, Scope
from sql_lineage_ls.lineage.values import Generated, flatten, merge, unique
from sql_lineage_ls.lineage.written import (
    Targets,
    Written,
    assigned,
    note_returned,
    stored_as,
    stored_nodes,
    write_output,
    write_returned,
    write_target,
    written_node,
)
from sql_lineage_ls.syntax import query_model as q


def insert(statement: q.Insert, context: Context) -> Written:
    written = Written("insert")
    _bind_insert(statement, written, context)
    return written


def multi_insert(statement: q.MultiInsert, context: Context) -> Written:
    written = Written("insert")
    for insert in statement.inserts:
        _bind_insert(insert, written, context)
    return written


def _bind_insert(statement: q.Insert, written: Written, context: Context) -> None:
    if context.probe is not None:
        context.probe.relation(statement.target, None)
    if statement.query is None:
        return
    result = queries.bind_query(statement.query, context.outer, context)
    if statement.location is not None:
        identity, _ = sources.touch_location(statement.location, context)
        written.target = written.target or identity
        written.edges += write_output(result, Written("insert", identity)).edges
        return
    target = write_target(statement.target, "table", context)
    written.target = written.target or target
    columns = _insert_columns(statement, context)
    if columns and statement.target and not result.open and not statement.by_name:
        listed = f"the column list of {statement.target[-1].text}"
        text = checks.list_mismatch(listed, len(columns), len(result.columns))
        checks.check_count(statement.target[-1], len(columns), len(result.columns), text, context)
    # A partition with a constant takes no column of the query.
    static = frozenset(
        context.fold(name)
        for name in (*(part.name for part in statement.partition if part.value is not None), *statement.left_out)
    )
    insert_result(target, context.schemas.relation(statement.target), columns, result, statement.by_name, written,
                   context, static)
    _static_partitions(statement, target, written, context)
    if statement.conflict is not None:
        written.edges += _on_conflict(statement, statement.conflict, columns, result, context)
    if statement.returning or statement.output:
        variable = sources.stored_table(statement.target, statement.alias, context, "write")
        note_returned(statement.returning, variable, Scope(None, [variable]), context)
        written.edges += write_returned(statement.output, variable, Scope(None, [variable]), context)


def _on_conflict(
    statement: q.Insert, conflict: q.Conflict, columns: Targets, result: QueryResult, context: Context
) -> Iterator[Edge]:
    """ON CONFLICT DO UPDATE, ON DUPLICATE KEY UPDATE: EXCLUDED is the row that could not be inserted."""
    variable = sources.stored_table(statement.target, statement.alias, context, "write")
    names = [name.text for name in conflict.columns]
    names = names or [path[0] for path, _ in columns if path] or [column.name for column in variable.columns]
    row = conflict.row or q.Name("excluded")
    given = [
        Column(name, context.dialect.column_key(name), column.value)
        for name, column in zip(names, result.columns, strict=False)
    ]
    excluded = RangeVariable(
        row.text, (context.fold(row),), hidden=True, columns=(*given, *_defaults(variable, given)),
        open=(*result.open, *variable.open),
    )
    scope = Scope(None, [variable, excluded, *_selected_rows(statement, context)])
    deciding = result.influences
    if conflict.where is not None:
        deciding = unique((*deciding, *expressions.membership(conflict.where, "", scope, context)))
    for assignment in conflict.assignments:
        yield from assigned(assignment, variable, scope, deciding, context)


def _defaults(target: RangeVariable, given: list[Column]) -> Iterator[Column]:
    """The columns of a new row that INSERT does not list."""
    known = {column.key for column in given}
    default = Generated(GeneratedSource("default", "DEFAULT"))
    return (replace(column, value=default) for column in target.columns if column.key not in known)


def _selected_rows(statement: q.Insert, context: Context) -> list[RangeVariable]:
    """What the inserted SELECT reads, which MySQL's ON DUPLICATE KEY UPDATE knows too."""
    query = statement.query
    if not context.dialect.conflict_sees_sources or not isinstance(query, q.Select):
        return []
    scope = Scope()
    sources.bind_sources(query.sources, scope, context)
    return [replace(variable, hidden=True, by_key={}) for variable in scope.ranges]


def _insert_columns(statement: q.Insert, context: Context) -> Targets:
    """The listed target columns, noted as written."""
    variable = sources.stored_table(statement.target, None, context, "write")
    return tuple(written_node(ref, variable, context) for ref in statement.columns)


def insert_result(
    target: str, relation: Relation | None, columns: Targets, result: QueryResult, by_name: bool, written: Written,
    context: Context, without: frozenset[str] = frozenset(),
) -> None:
    if not columns and relation is not None and not relation.open:
        columns = tuple(node for field in relation.columns if field.key not in without for node in stored_nodes(field))
    if by_name:
        _insert_by_name(target, relation, result, written, context)
        return
    if columns and not result.open:
        influences = influences_on_all(result.influences)
        for (path, kind), column in zip(columns, result.columns, strict=False):
            if path:
                stored = replace(column, value=stored_as(column.value, kind, context))
                written.edges += column_edges(target, path, stored, influences)
        return
    if columns:
        written.edges += _unmatched(target, columns, result)
        return
    if not result.columns:
        written.edges += star_edges(target, result.open, result.influences)
        return
    written.edges.append(_into_unknown(target, result))


def _into_unknown(target: str, result: QueryResult) -> Edge:
    """A target whose columns nobody lists: all of the query comes into it, no one knows where."""
    gap = Gap("target-columns-unknown", "the target's columns are not known here, so the query's columns cannot be "
                                        "matched to them")
    flow = merge((flatten(column.value) for column in result.columns), "EXPRESSION")
    opened = (Source(source.relation, source.path or ("*",)) for source in result.open if source.relation)
    deciding = influences_on_all(result.influences)
    found = unique((*flow.sources, *opened, *deciding.sources))
    gaps = (gap, *flow.gaps, *deciding.gaps)
    return Edge(target, ("*",), found, flow.generated, gaps, flow.steps, flow.transform)


def _unmatched(target: str, columns: Targets, result: QueryResult) -> Iterator[Edge]:
    """Columns behind a star that is not expanded have no known position."""
    gap = Gap("wildcard-unexpanded", "a * whose columns are not known here hides which of them comes to this column")
    deciding = influences_on_all(result.influences)
    for path, _ in columns:
        if path:
            yield Edge(target, path, deciding.sources, gaps=(gap, *deciding.gaps))


def _insert_by_name(
    target: str, relation: Relation | None, result: QueryResult, written: Written, context: Context
) -> None:
    known = {field.key: field for field in relation.columns} if relation is not None else {}
    influences = influences_on_all(result.influences)
    for column in result.columns:
        field = known.get(column.key)
        if field is None and relation is not None and not relation.open:
            continue
        name = field.name if field is not None else column.name
        value = stored_as(column.value, field.type, context) if field is not None else column.value
        written.edges += column_edges(target, (name,), replace(column, value=value), influences)
    written.edges += star_edges(target, result.open, result.influences)


def _static_partitions(statement: q.Insert, target: str, written: Written, context: Context) -> None:
    for partition in statement.partition:
        if partition.value is not None:
            value = expressions.evaluate(partition.value, Scope(), context)
            written.edges += edges_of(target, (partition.name.text,), value, NO_INFLUENCES, (-1, -1))


