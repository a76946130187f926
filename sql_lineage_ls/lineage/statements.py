"""Statements to lineage: which columns a statement writes, from what.

`CREATE VIEW v AS SELECT b AS a FROM u` gives the edge `v.a <- u.b`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from sql_lineage_ls.catalog.types import RecordType
from sql_lineage_ls.lineage import changes, checks, ddl_names, expressions, inserts, naming, queries, sources
from sql_lineage_ls.lineage.context import Context, Options, Schemas
from sql_lineage_ls.lineage.edges import merged, tree_paths
from sql_lineage_ls.lineage.model import Edge, GeneratedSource, Problem, Source, StatementLineage
from sql_lineage_ls.lineage.probe import Place, Probe
from sql_lineage_ls.lineage.queries import QueryResult
from sql_lineage_ls.lineage.scope import Scope, parameter_columns
from sql_lineage_ls.lineage.values import Generated
from sql_lineage_ls.lineage.written import Written, copy_rows, stored_as, write_output, write_target
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect


def bind_statement(
    model: q.StatementModel, dialect: Dialect, schemas: Schemas, options: Options
) -> StatementLineage:
    """The lineage of one statement against the schemas."""
    return _bound(model, Context(dialect, schemas, options, model.partial, model.templated))


def probe_statement(model: q.StatementModel, dialect: Dialect, schemas: Schemas, options: Options) -> Place:
    """What can stand where `probe.MARKER` does in a statement."""
    context = Context(dialect, schemas, options, True, model.templated)
    context.probe = Probe()
    _bound(model, context)
    return context.probe.place


def _bound(model: q.StatementModel, context: Context) -> StatementLineage:
    written = Written("none")
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


def _query(statement: q.QueryStatement, context: Context) -> Written:
    result = queries.bind_query(statement.query, context.outer, context)
    if not statement.into:
        return write_output(result, Written("query"))
    target = write_target(statement.into, "table", context)
    return write_output(result, Written("table", target))


def _view(statement: q.CreateView, context: Context) -> Written:
    target = write_target(statement.name, "view", context)
    written = Written("view", target)
    if statement.query is None:
        written.open = True
        return written
    result = queries.bind_query(statement.query, context.outer, context)
    if statement.to:
        into = write_target(statement.to, "table", context)
        inserts.insert_result(into, context.schemas.relation(statement.to), (), result, True, written, context)
        return written
    attributes = _attributes(statement.of_type, context) if statement.of_type else ()
    result = queries.renamed(result, statement.columns or attributes, context)
    result = replace(result, columns=naming.told_apart(result.columns, context))
    checks.check_duplicates(() if result.open else result.columns, context)
    write_output(result, written)
    if statement.of_type and not attributes:
        # A type that nobody declares names the columns.
        written.edges, written.outputs, written.open = [], (), True
    return written


def _attributes(of_type: tuple[q.Name, ...], context: Context) -> tuple[q.Name, ...]:
    """The names that an object view's columns have from its type (Oracle, "CREATE VIEW: object_view_clause")."""
    kind = context.schemas.data_type(q.TypeSpec("named", "", name=of_type))
    return tuple(q.Name(field.name) for field in kind.fields) if isinstance(kind, RecordType) else ()


def _table(statement: q.CreateTable, context: Context) -> Written:
    target = write_target(statement.name, "table", context)
    written = Written("table", target)
    ddl_names.note_columns(target, statement.columns, context)
    checks.check_declared(statement.columns, context)
    if statement.like:
        sources.stored_table(statement.like, None, context)
    if statement.clone:
        copy_rows(statement.clone, target, written, context)
    if statement.query is not None:
        result = queries.bind_query(statement.query, context.outer, context)
        result = _under_declared(result, statement, context)
        result = replace(result, columns=naming.told_apart(result.columns, context))
        checks.check_duplicates(() if result.open else result.columns, context)
        return write_output(result, written)
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
        stored = stored_as(column.value, context.schemas.data_type(spec), context) if spec is not None else column.value
        columns.append(replace(column, value=stored))
    return replace(result, columns=tuple(columns))


def _external(statement: q.CreateTable, target: str, written: Written, context: Context) -> None:
    """The files of an external table hold its data, node by node (docs/lineage-text.md, "External locations")."""
    identity, _ = sources.touch_location(statement.location or "", context)
    relation = context.schemas.relation(statement.name)
    for path in tree_paths(relation.columns if relation is not None else ()):
        written.edges.append(Edge(target, path, (Source(identity, path),)))


# ---------------------------------------------------------------- functions


def _function(statement: q.CreateFunction, context: Context) -> Written:
    """A table function is a relation of its own, made by the query in its body; its parameters are no columns."""
    identity, shown = context.schemas.function(statement.name)
    last = statement.name[-1]
    ddl_names.note_relation(last, identity, shown, context)
    if statement.language:
        text = f"the body of {shown} is in {statement.language}: what it reads and writes is not known here"
        context.gap("foreign-body", text, last)
    if statement.query is None or not (statement.table or statement.returns):
        return Written("function")
    context.touch(identity, shown, "function")
    names = [param.name for param in statement.params]
    values = (Generated(GeneratedSource("parameter", name.text)) for name in names)
    parameters = parameter_columns(names, values, context)
    result = queries.bind_query(statement.query, Scope(parameters=parameters), context)
    return write_output(queries.renamed(result, tuple(column.name for column in statement.returns), context),
                   Written("function", identity))


# ---------------------------------------------------------------- names in other DDL


def _alter(statement: q.AlterTable, context: Context) -> Written:
    """ALTER's names; RENAME hands all columns of the old table to the new one, SWAP and EXCHANGE those of both."""
    if statement.kind == "TYPE":
        return Written("type")
    target = write_target(statement.name, "table", context)
    ddl_names.note_actions(target, statement.actions, context)
    written = Written("alter", target)
    for action in statement.actions:
        if isinstance(action, q.RenameTable):
            old = action.old or statement.name
            new = action.new if len(action.new) > 1 else (*old[:-1], *action.new)  # it stays in its schema
            copy_rows(old, write_target(new, "table", context), written, context)
        elif isinstance(action, q.SwapTable):
            copy_rows(action.other, target, written, context)
            copy_rows(statement.name, write_target(action.other, "table", context), written, context)
        elif isinstance(action, q.MoveRows):
            if action.takes:
                copy_rows(action.other, target, written, context)
            if action.gives:
                copy_rows(statement.name, write_target(action.other, "table", context), written, context)
    return written


def _type(statement: q.CreateType, context: Context) -> Written:
    ddl_names.note_type(statement, context)
    return Written("type")


def _declare(statement: q.Declare, context: Context) -> Written:
    for value in statement.values:
        expressions.evaluate(value, Scope(), context)
    if statement.query is None:
        return Written("declare")
    return write_output(queries.bind_query(statement.query, None, context), Written("query"))


def _call(statement: q.CallRoutine, context: Context) -> Written:
    """CALL names its procedure; what that writes, the statements of its body tell."""
    identity, shown = context.schemas.function(statement.name)
    last = statement.name[-1]
    context.touch(identity, shown, "function")
    context.read(identity, (), last)
    ddl_names.note_relation(last, identity, shown, context)
    return Written("call")


def _dynamic(statement: q.DynamicSql, context: Context) -> Written:
    text = "the text of this SQL is made when it runs: what it reads and writes is not known here"
    context.gap("dynamic-sql", text, statement)
    return Written("dynamic")


_BINDERS: dict[type, Callable[..., Written]] = {
    q.QueryStatement: _query,
    q.CreateView: _view,
    q.CreateTable: _table,
    q.Insert: inserts.insert,
    q.MultiInsert: inserts.multi_insert,
    q.Update: changes.update,
    q.Merge: changes.merge,
    q.Delete: changes.delete,
    q.Truncate: changes.truncate,
    q.AlterTable: _alter,
    q.CreateType: _type,
    q.CreateFunction: _function,
    q.Declare: _declare,
    q.CallRoutine: _call,
    q.DynamicSql: _dynamic,
}
