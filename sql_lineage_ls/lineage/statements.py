"""Statements to lineage: which columns a statement writes, from what.

`INSERT INTO t (a) SELECT b FROM u` gives the edge `t.a <- u.b`. Longer than other modules: it has one function for each
kind of statement, and one table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import DataType, Field, RecordType, Site
from sql_lineage_ls.lineage import checks, ddl_names, expressions, queries, sources
from sql_lineage_ls.lineage.context import Context, Options, Schemas
from sql_lineage_ls.lineage.edges import NO_INFLUENCES, edges_of, influences_on_all, merged, star_edges, tree_paths
from sql_lineage_ls.lineage.model import (
    MEMBERSHIP,
    ROWS,
    Edge,
    Gap,
    GeneratedSource,
    Path,
    Problem,
    Source,
    StatementLineage,
)
from sql_lineage_ls.lineage.queries import QueryResult
from sql_lineage_ls.lineage.scope import Column, RangeVariable, Scope, parameter_columns
from sql_lineage_ls.lineage.shapes import written_to
from sql_lineage_ls.lineage.values import Generated, Ref, Value, conditions, influenced, type_of, unique, with_role
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect

Targets = tuple[tuple[Path, DataType], ...]
"""Columns or fields to write, in order; an empty path stands for one that could not be told."""


class _Written:
    """What a statement writes, while it is bound."""

    def __init__(self, kind: str, target: str = "") -> None:
        self.kind = kind
        self.target = target
        self.edges: list[Edge] = []
        self.outputs: tuple[Field, ...] = ()
        self.open = False


def bind_statement(
    model: q.StatementModel, dialect: Dialect, schemas: Schemas, options: Options
) -> StatementLineage:
    """The lineage of one statement against the schemas: the only entry of the binder."""
    context = Context(dialect, schemas, options, model.partial, model.templated)
    written = _Written("none")
    if model.statement is not None:
        binder = _BINDERS.get(type(model.statement))
        if binder is not None:
            written = binder(model.statement, context)
            written.edges += _inner_writes(context)
            written.edges[:0] = context.inner
    if not context.problems:
        # A mistyped name may have meant the column that nothing reads.
        for problem in context.ctes.problems():
            context.report(problem)
    if model.partial:
        # What was read in part may mean something else when it is whole: its names can be looked at, no more.
        written.edges, written.outputs, written.open = [], (), True
    return StatementLineage(
        kind=written.kind,
        target=written.target,
        outputs=written.outputs,
        open=written.open,
        # Two output columns of one name stay two; branches of a MERGE that write one column come together.
        edges=tuple(written.edges) if written.kind in _QUERIES else merged(written.edges),
        joins=tuple(context.joins),
        reads=tuple(context.reads),
        orphans=tuple(context.orphans),
        relations=tuple((identity, name, kind) for identity, (name, kind) in context.relations.items()),
        gaps=tuple(context.gaps),
        problems=_told(context.problems),
        occurrences=context.meanings or (),
    )


def _inner_writes(context: Context) -> list[Edge]:
    """What data-modifying CTEs write, each in the scope of the CTEs before it."""
    edges: list[Edge] = []
    for statement, scope in context.writes:  # grows where one of them has such a CTE itself
        context.outer = scope
        edges += _BINDERS[type(statement)](statement, context).edges
    return edges


def _told(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems in the order of the text.

    A FROM clause over several relations without DDL makes an orphan of every bare column: beyond the first few they
    are told once, at the first of the rest.
    """
    found = sorted(problems, key=lambda p: (p.start, p.end, p.code))
    counts: dict[str, list[Problem]] = {}
    told = []
    for problem in found:
        if problem.code != "orphan-column":
            told.append(problem)
            continue
        same = counts.setdefault(problem.owner, [])
        same.append(problem)
        if len(same) <= _ORPHANS_TOLD:
            told.append(problem)
    return tuple(_with_rest(problem, counts) for problem in told)


def _with_rest(problem: Problem, counts: dict[str, list[Problem]]) -> Problem:
    same = counts.get(problem.owner, [])
    if problem.code != "orphan-column" or len(same) <= _ORPHANS_TOLD or same.index(problem) != _ORPHANS_TOLD - 1:
        return problem
    more = len(same) - _ORPHANS_TOLD
    return replace(problem, message=f"{problem.message}; the same is true of {more} more columns of this query")


_ORPHANS_TOLD = 3
_QUERIES = frozenset({"query", "view", "table"})


# ---------------------------------------------------------------- queries, views, CTAS


def _query(statement: q.QueryStatement, context: Context) -> _Written:
    result = queries.bind_query(statement.query, context.outer, context)
    if not statement.into:
        return _output(result, _Written("query"))
    target = _target(statement.into, "table", context)
    return _output(result, _Written("table", target))


def _view(statement: q.CreateView, context: Context) -> _Written:
    target = _target(statement.name, "view", context)
    written = _Written("view", target)
    if statement.query is None:
        written.open = True
        return written
    result = queries.bind_query(statement.query, context.outer, context)
    if statement.to:
        into = _target(statement.to, "table", context)
        _insert_result(into, context.schemas.relation(statement.to), (), result, True, written, context)
        return written
    attributes = _attributes(statement.of_type, context) if statement.of_type else ()
    result = queries.told_apart(queries.renamed(result, statement.columns or attributes, context), context)
    checks.check_duplicates(() if result.open else result.columns, context)
    _output(result, written)
    if statement.of_type and not attributes:
        # A type that nobody declares names the columns.
        written.edges, written.outputs, written.open = [], (), True
    return written


def _attributes(of_type: tuple[q.Name, ...], context: Context) -> tuple[q.Name, ...]:
    """The names that an object view's columns have from its type (Oracle, "CREATE VIEW: object_view_clause")."""
    kind = context.schemas.data_type(q.TypeSpec("named", "", name=of_type))
    return tuple(q.Name(field.name) for field in kind.fields) if isinstance(kind, RecordType) else ()


def _table(statement: q.CreateTable, context: Context) -> _Written:
    target = _target(statement.name, "table", context)
    written = _Written("table", target)
    ddl_names.note_columns(target, statement.columns, context)
    checks.check_declared(statement.columns, context)
    for source in (statement.like, statement.clone):
        if source:
            _copied(source, target, written, context, data=source is statement.clone)
    if statement.query is not None:
        result = queries.bind_query(statement.query, context.outer, context)
        result = queries.told_apart(_under_declared(result, statement, context), context)
        checks.check_duplicates(() if result.open else result.columns, context)
        return _output(result, written)
    if statement.location is not None:
        _external(statement, target, written, context)
    return written


def _under_declared(result: QueryResult, statement: q.CreateTable, context: Context) -> QueryResult:
    """A CTAS with a column list: `CREATE TABLE t (c STRUCT<a INT64>) AS SELECT STRUCT(x)` writes x to `t.c.a`."""
    if context.dialect.query_adds_columns:
        return result
    if not statement.columns:
        return queries.renamed(result, statement.column_names, context)
    result = queries.renamed(result, tuple(column.name for column in statement.columns), context)
    if result.open:
        return result
    declared = {context.fold(column.name): column.type for column in statement.columns}
    columns = []
    for column in result.columns:
        spec = declared.get(column.key)
        stored = _stored(column.value, context.schemas.data_type(spec), context) if spec is not None else column.value
        columns.append(replace(column, value=stored))
    return replace(result, columns=tuple(columns))


def _copied(source: tuple[q.Name, ...], target: str, written: _Written, context: Context, *, data: bool) -> None:
    variable = sources.stored_table(source, None, context)
    if not data:
        return
    for column in variable.columns:
        written.edges += edges_of(target, (column.name,), column.value, NO_INFLUENCES, (-1, -1))
    written.edges += star_edges(target, variable.open, ())


def _external(statement: q.CreateTable, target: str, written: _Written, context: Context) -> None:
    """The files of an external table hold its data, node by node (docs/lineage-text.md, "External locations")."""
    identity, _ = sources.touch_location(statement.location or "", context)
    relation = context.schemas.relation(statement.name)
    for path in tree_paths(relation.columns if relation is not None else ()):
        written.edges.append(Edge(target, path, (Source(identity, path),)))


def _target(parts: tuple[q.Name, ...], kind: str, context: Context) -> str:
    """The relation that a statement writes or defines; '' where damaged text names none."""
    if not parts:
        return ""
    identity, name = context.schemas.target(parts)
    context.touch(identity, name, kind)
    context.read(identity, (), parts[-1], "write")
    for part in parts:
        ddl_names.note_relation(part, identity, name, context)
    return identity


def _output(result: QueryResult, written: _Written) -> _Written:
    influences = influences_on_all(result.influences)
    for column in result.columns:
        written.edges += edges_of(written.target, (column.name,), column.value, influences, column.span)
    written.edges += star_edges(written.target, result.open, result.influences)
    written.outputs = tuple(_field(column) for column in result.columns)
    written.open = bool(result.open)
    return written


def _field(column: Column) -> Field:
    start, end = column.definitions[0] if column.definitions else column.span
    site = Site("", -1, start, end) if start >= 0 else None
    return Field(column.name, column.key, type_of(column.value), site)


# ---------------------------------------------------------------- INSERT


def _insert(statement: q.Insert, context: Context) -> _Written:
    written = _Written("insert")
    _bind_insert(statement, written, context)
    return written


def _multi_insert(statement: q.MultiInsert, context: Context) -> _Written:
    written = _Written("insert")
    for insert in statement.inserts:
        _bind_insert(insert, written, context)
    return written


def _bind_insert(statement: q.Insert, written: _Written, context: Context) -> None:
    if statement.query is None:
        return
    result = queries.bind_query(statement.query, context.outer, context)
    if statement.location is not None:
        identity, _ = sources.touch_location(statement.location, context)
        written.target = written.target or identity
        written.edges += _output(result, _Written("insert", identity)).edges
        return
    target = _target(statement.target, "table", context)
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
    _insert_result(target, context.schemas.relation(statement.target), columns, result, statement.by_name, written,
                   context, static)
    _static_partitions(statement, target, written, context)
    if statement.conflict is not None:
        written.edges += _on_conflict(statement, statement.conflict, columns, result, context)
    if statement.returning:
        variable = sources.stored_table(statement.target, statement.alias, context, "write")
        _note_returned(statement.returning, variable, Scope(None, [variable]), context)


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
        deciding = unique((*deciding, *expressions.influences_of(conflict.where, MEMBERSHIP, scope, context)))
    for assignment in conflict.assignments:
        yield from _assigned(assignment, variable, scope, deciding, context)


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
    return tuple(_written_node(ref, variable, context) for ref in statement.columns)


def _written_node(
    ref: q.ColumnRef, target: RangeVariable, context: Context, elements: tuple[int, ...] = ()
) -> tuple[Path, DataType]:
    value = expressions.written(ref, target, context, elements)
    inner = expressions.unwrapped(value)
    if isinstance(inner, Ref):
        return inner.path, inner.type
    return (), type_of(inner)


def _stored(value: Value, kind: DataType, context: Context) -> Value:
    return written_to(value, kind, context.dialect.casts_by_name)


def _insert_result(
    target: str, relation: Relation | None, columns: Targets, result: QueryResult, by_name: bool, written: _Written,
    context: Context, without: frozenset[str] = frozenset(),
) -> None:
    if not columns and relation is not None and not relation.open:
        columns = tuple(((field.name,), field.type) for field in relation.columns if field.key not in without)
    if by_name:
        _insert_by_name(target, relation, result, written, context)
        return
    if columns and not result.open:
        influences = influences_on_all(result.influences)
        for (path, kind), column in zip(columns, result.columns, strict=False):
            if path:
                value = _stored(column.value, kind, context)
                written.edges += edges_of(target, path, value, influences, column.span)
        return
    if columns:
        written.edges += _unmatched(target, columns, result)
        return
    if not result.columns:
        written.edges += star_edges(target, result.open, result.influences)
        return
    context.gaps[Gap("target-columns-unknown", "the target's columns are not known here, so the query's columns "
                                               "cannot be matched to them")] = None


def _unmatched(target: str, columns: Targets, result: QueryResult) -> Iterator[Edge]:
    """Columns behind a star that is not expanded have no known position."""
    gap = Gap("wildcard-unexpanded", "a * whose columns are not known here hides which of them comes to this column")
    for path, _ in columns:
        if path:
            yield Edge(target, path, result.influences, gaps=(gap,))


def _insert_by_name(
    target: str, relation: Relation | None, result: QueryResult, written: _Written, context: Context
) -> None:
    known = {field.key: field for field in relation.columns} if relation is not None else {}
    influences = influences_on_all(result.influences)
    for column in result.columns:
        field = known.get(column.key)
        if field is None and relation is not None and not relation.open:
            continue
        name = field.name if field is not None else column.name
        value = _stored(column.value, field.type, context) if field is not None else column.value
        written.edges += edges_of(target, (name,), value, influences, column.span)
    written.edges += star_edges(target, result.open, result.influences)


def _static_partitions(statement: q.Insert, target: str, written: _Written, context: Context) -> None:
    for partition in statement.partition:
        if partition.value is not None:
            value = expressions.evaluate(partition.value, Scope(), context)
            written.edges += edges_of(target, (partition.name.text,), value, NO_INFLUENCES, (-1, -1))


# ---------------------------------------------------------------- UPDATE, MERGE, DELETE


def _update(statement: q.Update, context: Context) -> _Written:
    scope = queries.bind_with(statement.ctes, context)
    variable = _dml_target(statement.target, statement.sources, scope, context)
    written = _Written("update", variable.relation)
    influences = _weighed(statement.sources, statement.where, scope, context)
    for assignment in statement.assignments:
        updated = _assigned_table(assignment, variable, scope, context)
        written.edges += _assigned(assignment, updated, scope, influences, context)
    _note_returned(statement.returning, variable, scope, context)
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


# What calls the row before and behind the change (Postgres 18 "RETURNING"; T-SQL "OUTPUT clause").
_ROW_NAMES = ("old", "new", "inserted", "deleted")


def _note_returned(values: tuple[q.Expr, ...], target: RangeVariable, scope: Scope, context: Context) -> None:
    """RETURNING uses the columns that it reads, though no relation gets them."""
    if not values:
        return
    row = replace(target, hidden=True, definitions=(), by_key={})
    keys = [(name, (context.dialect.column_key(name),)) for name in _ROW_NAMES]
    rows = [replace(row, name=name, qualifiers=key, by_key={}) for name, key in keys]
    inner = replace(scope, ranges=[*scope.ranges, *rows])
    for value in values:
        if not isinstance(value, q.Star):
            expressions.evaluate(value, inner, context)


def _dml_target(
    target: q.TableRef, items: tuple[q.FromItem, ...], scope: Scope, context: Context
) -> RangeVariable:
    """The target's range variable: a table of its own, or one of FROM by its alias (T-SQL: `UPDATE c .. FROM t c`)."""
    key = (context.fold(target.parts[0]) if target.parts else "",)
    named = len(target.parts) == 1 and any(_alias_key(item.source, context) == key[0] for item in items)
    if not named:
        scope.ranges.append(_stored_target(target, context))
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


def _alias_key(source: q.TableSource, context: Context) -> str | None:
    alias = getattr(source, "alias", None)
    if alias is not None:
        return context.fold(alias)
    return context.fold(source.parts[-1]) if isinstance(source, q.TableRef) and source.parts else None


def _stored_target(target: q.TableRef, context: Context) -> RangeVariable:
    return sources.stored_table(target.parts, target.alias, context, "write")


def _weighed(
    items: tuple[q.FromItem, ...], where: q.Expr | None, scope: Scope, context: Context
) -> tuple[Source, ...]:
    """What decides which rows are written: join conditions, WHERE, and the rows of derived sources."""
    found: list[Source] = []
    conditions_on = [(item.on, item.join or "INNER", scope.ends[n]) for n, item in enumerate(items) if item.on]
    for on, kind, count in (*conditions_on, *scope.nested_on):
        with context.joining(kind):
            limited = scope.limited(count, scope.alias_rule)
            found += expressions.influences_of(on, MEMBERSHIP, limited, context)
    with context.joining("WHERE"):
        found += expressions.influences_of(where, MEMBERSHIP, scope, context)
    found += scope.compared
    for variable in scope.ranges:
        found += variable.influences
    return unique(found)


def _assigned(
    assignment: q.Assignment, variable: RangeVariable, scope: Scope, influences: tuple[Source, ...], context: Context
) -> Iterator[Edge]:
    path, kind = _written_node(assignment.target, variable, context, assignment.elements)
    value = expressions.evaluate(assignment.value, scope, context)
    if path:
        first = assignment.target.parts[0]
        yield from edges_of(variable.relation, path, _stored(value, kind, context), influences_on_all(influences),
                            (first.start, assignment.target.parts[-1].end))


def _merge(statement: q.Merge, context: Context) -> _Written:
    scope = queries.bind_with(statement.ctes, context)
    target = _stored_target(statement.target, context)
    source = sources.bind_source(statement.source, scope, context)
    scope.ranges = [target, source]
    written = _Written("merge", target.relation)
    with context.joining("MERGE"):
        on = expressions.influences_of(statement.on, MEMBERSHIP, scope, context)
    influences = unique((*on, *source.influences))
    for branch in statement.branches:
        written.edges += _branch(branch, target, source, scope, influences, context)
    _note_returned(statement.returning, target, scope, context)
    return written


def _branch(
    branch: q.MergeBranch, target: RangeVariable, source: RangeVariable, scope: Scope,
    influences: tuple[Source, ...], context: Context,
) -> Iterator[Edge]:
    chosen: tuple[Source, ...] = ()
    if branch.condition is not None:
        chosen = conditions([expressions.evaluate(branch.condition, scope, context)])
    weighed = influences_on_all(influences)
    for path, kind, value in _branch_writes(branch, target, source, scope, context):
        shaped = influenced(_stored(value, kind, context), chosen)
        yield from edges_of(target.relation, path, shaped, weighed, (-1, -1))
    if branch.action == "delete":
        deciding = with_role((*chosen, *influences), MEMBERSHIP)
        yield Edge(target.relation, ROWS, deciding)


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
        path, kind = _written_node(assignment.target, target, context, assignment.elements)
        value = expressions.evaluate(assignment.value, scope, context)
        if path:
            yield path, kind, value
    if branch.action != "insert":
        return
    # A new row has no target row beside it: the values of INSERT see the source alone.
    new_row = replace(scope, ranges=[source])
    values = [expressions.evaluate(value, new_row, context) for value in branch.values]
    for (path, kind), value in zip(_inserted_nodes(branch, target, context), values, strict=False):
        if path:
            yield path, kind, value


def _inserted_nodes(branch: q.MergeBranch, target: RangeVariable, context: Context) -> Targets:
    """What an INSERT of a MERGE writes, in order: the listed columns, else all."""
    if branch.columns:
        return tuple(_written_node(ref, target, context) for ref in branch.columns)
    return tuple(((column.name,), type_of(column.value)) for column in target.columns) if target.closed else ()


def _delete(statement: q.Delete, context: Context) -> _Written:
    scope = queries.bind_with(statement.ctes, context)
    variable = _dml_target(statement.target, statement.sources, scope, context)
    written = _Written("delete", variable.relation)
    deciding = _weighed(statement.sources, statement.where, scope, context)
    written.edges.append(Edge(variable.relation, ROWS, deciding))
    _note_returned(statement.returning, variable, scope, context)
    return written


def _truncate(statement: q.Truncate, context: Context) -> _Written:
    return _Written("truncate", _target(statement.target, "table", context))


# ---------------------------------------------------------------- functions


def _function(statement: q.CreateFunction, context: Context) -> _Written:
    """A table function is a relation of its own, made by the query in its body; its parameters are no columns."""
    if statement.query is None or not (statement.table or statement.returns):
        return _Written("function")
    identity, shown = context.schemas.function(statement.name)
    context.touch(identity, shown, "function")
    last = statement.name[-1]
    ddl_names.note_relation(last, identity, shown, context)
    names = [param.name for param in statement.params]
    values = (Generated(GeneratedSource("parameter", name.text)) for name in names)
    parameters = parameter_columns(names, values, context)
    result = queries.bind_query(statement.query, Scope(parameters=parameters), context)
    return _output(queries.renamed(result, tuple(column.name for column in statement.returns), context),
                   _Written("function", identity))


# ---------------------------------------------------------------- names in other DDL


def _alter(statement: q.AlterTable, context: Context) -> _Written:
    """ALTER's names; RENAME hands all columns of the old table to the new one."""
    if statement.kind == "TYPE":
        return _Written("type")
    target = _target(statement.name, "table", context)
    ddl_names.note_actions(target, statement.actions, context)
    written = _Written("alter", target)
    for action in statement.actions:
        if isinstance(action, q.RenameTable):
            old = action.old or statement.name
            new = action.new if len(action.new) > 1 else (*old[:-1], *action.new)  # it stays in its schema
            _copied(old, _target(new, "table", context), written, context, data=True)
        elif isinstance(action, q.SwapTable):
            _copied(action.other, target, written, context, data=True)
            _copied(statement.name, _target(action.other, "table", context), written, context, data=True)
    return written


def _type(statement: q.CreateType, context: Context) -> _Written:
    ddl_names.note_type(statement, context)
    return _Written("type")


def _declare(statement: q.Declare, context: Context) -> _Written:
    for value in statement.values:
        expressions.evaluate(value, Scope(), context)
    return _Written("declare")


_BINDERS: dict[type, Callable[..., _Written]] = {
    q.QueryStatement: _query,
    q.CreateView: _view,
    q.CreateTable: _table,
    q.Insert: _insert,
    q.MultiInsert: _multi_insert,
    q.Update: _update,
    q.Merge: _merge,
    q.Delete: _delete,
    q.Truncate: _truncate,
    q.AlterTable: _alter,
    q.CreateType: _type,
    q.CreateFunction: _function,
    q.Declare: _declare,
}
