"""Query blocks to their output: the columns of a SELECT, of a set operation, of VALUES, with all that decides rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.catalog.types import Unspecified, Variant
from sql_lineage_ls.lineage import checks, expressions, naming, sources, stars
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.edges import branch_steps
from sql_lineage_ls.lineage.intermediate import as_relation
from sql_lineage_ls.lineage.model import (
    GROUPING,
    JOIN,
    MEMBERSHIP,
    ORDERING,
    ROWS,
    Gap,
    GeneratedSource,
    Source,
    Step,
)
from sql_lineage_ls.lineage.scope import Column, OpenSource, RangeVariable, Scope, Span, open_record
from sql_lineage_ls.lineage.values import (
    Generated,
    Influence,
    Record,
    RecordItem,
    Unknown,
    Value,
    by_names,
    conditions,
    derived,
    flatten,
    influenced,
    named_fields,
    one_of,
    traced,
    type_of,
    unique,
    weighed,
)
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import LateralAlias
from sql_lineage_ls.syntax.model_walk import parts_of_block


class QueryResult(Struct, frozen=True, gc=False):
    """What a query gives: listed columns, sources of columns that could not be listed, and what decides its rows.

    `row` is the value of SELECT AS STRUCT / AS VALUE; `rows` are the stored relations whose rows it counts, `counted`
    the arrays whose elements it counts; `keeps` are the range variables that can be named behind it (pipe syntax).
    """

    columns: tuple[Column, ...]
    open: tuple[OpenSource, ...] = ()
    influences: tuple[Influence, ...] = ()
    rows: tuple[str, ...] = ()
    row: Value | None = None
    keeps: tuple[RangeVariable, ...] = ()
    counted: tuple[Source, ...] = ()


@dataclass
class _Block:
    """A SELECT while it is bound."""

    scope: Scope
    influences: list[Influence] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    open: list[OpenSource] = field(default_factory=list)
    # The columns that each select item makes, by the item's position.
    made: dict[int, list[Column]] = field(default_factory=dict)

    def weigh(self, found: Iterable[Influence]) -> None:
        self.influences.extend(found)


def bind_query(query: q.Query, parent: Scope | None, context: Context) -> QueryResult:
    """The output of a query whose outer block is `parent`."""
    scope = Scope(parent)
    _bind_ctes(query.ctes, getattr(query, "recursive", False) or context.dialect.implicit_recursion, scope, context)
    if isinstance(query, q.SetOperation):
        return _set_operation(query, scope, context)
    if isinstance(query, q.ValuesQuery):
        return _values(query, scope, context)
    return _select(query, scope, context)


def bind_with(ctes: tuple[q.Cte, ...], context: Context) -> Scope:
    """A scope that holds the CTEs of an UPDATE, MERGE or DELETE."""
    scope = Scope(context.outer)
    _bind_ctes(ctes, context.dialect.implicit_recursion, scope, context)
    return scope


# ---------------------------------------------------------------- CTEs


def _bind_ctes(ctes: tuple[q.Cte, ...], recursive: bool, scope: Scope, context: Context) -> None:
    for cte in ctes:
        key = context.fold(cte.name)
        with context.within(cte.name.text):
            if recursive and isinstance(cte.query, q.SetOperation) and not cte.query.by_name:
                result = _recursive(cte, key, scope, context)
            else:
                result = bind_query(cte.query, scope, context)
        result = _marked(renamed(result, cte.columns, context), cte.marks, context)
        result = as_relation(result, cte.name.text, context)
        scope.ctes[key] = (cte.name, result)
        if cte.write is None:
            context.ctes.define(cte.name, checks.own_names(cte, result.columns, context))
        else:
            context.writes.append((cte.write, scope.ctes_alone()))
        context.meaning(cte.name, "cte", None, columns=result.columns)


def _marked(result: QueryResult, marks: tuple[q.RecursionMark, ...], context: Context) -> QueryResult:
    """A recursive CTE's rows with the columns that SEARCH and CYCLE add."""
    added: list[Column] = []
    for mark in marks:
        keys = {context.fold(key) for key in mark.keys}
        values = [column.value for column in result.columns if column.key in keys]
        value = derived(values)
        if mark.kind != "USING":
            value = influenced(Generated(GeneratedSource("system", mark.kind)), conditions(values))
        at = ((mark.name.start, mark.name.end),)
        added.append(Column(context.show(mark.name), context.fold(mark.name), value, at))
        context.meaning(mark.name, "output", value, definitions=at)
    return replace(result, columns=(*result.columns, *added)) if added else result


def _recursive(cte: q.Cte, key: str, scope: Scope, context: Context) -> QueryResult:
    """The base branch gives the columns; the recursive branch is read until it brings in nothing more.

    `SELECT a AS x, b AS y, c AS z FROM t UNION ALL SELECT y, z, x FROM r`: each comes from all three in the end.
    """
    query = cte.query
    assert isinstance(query, q.SetOperation)
    inner = Scope(scope)
    _bind_ctes(query.ctes, False, inner, context)
    base = renamed(bind_query(query.left, inner, context), cte.columns, context)
    inner.ctes[key] = (cte.name, base)
    result = _combine(base, bind_query(query.right, inner, context), query, context)
    for _ in range(MOST_TURNS) if _grown(base, result) else ():
        inner.ctes[key] = (cte.name, result)
        with context.reading_again():
            more = _combine(base, bind_query(query.right, inner, context), query, context)
        if not _grown(result, more):
            return result
        result = more
    return _cut_short(result) if _grown(base, result) else result


MOST_TURNS = 16
"""How often the recursive branch is read again: more often than columns change places in one that a person writes."""


def _cut_short(result: QueryResult) -> QueryResult:
    """Columns that may have more sources than the turns of the recursion that were read brought in."""
    gap = Unknown(Gap("too-many", f"the recursive part still brings in columns after {MOST_TURNS} turns"))
    columns = [replace(column, value=one_of((column.value, gap), "UNION")) for column in result.columns]
    return replace(result, columns=tuple(columns))


def _grown(before: QueryResult, after: QueryResult) -> bool:
    """Whether a column of `after` has sources that it had not `before`."""
    pairs = zip(before.columns, after.columns, strict=False)
    return any({s.node for s in flatten(new.value).sources} > {s.node for s in flatten(old.value).sources}
               for old, new in pairs)


def renamed(result: QueryResult, names: tuple[q.Name, ...], context: Context) -> QueryResult:
    """A result under a column list: `c(a, b) AS (..)`, `t AS x(a, b)`, `CREATE VIEW v (a, b)`."""
    if not names or result.open:
        return result
    columns = list(result.columns)
    if len(names) > len(columns) or not context.dialect.short_column_lists:
        text = checks.list_mismatch("the column list", len(names), len(columns))
        checks.check_count(names[-1], len(names), len(columns), text, context)
    for position, name in enumerate(names[: len(columns)]):
        column = columns[position]
        columns[position] = replace(column, name=context.show(name), key=context.fold(name), guessed=False,
                                    definitions=((name.start, name.end),))
        context.meaning(name, "output", column.value, definitions=column.definitions)
    return replace(result, columns=tuple(columns))


# ---------------------------------------------------------------- SELECT


def _select(query: q.Select, scope: Scope, context: Context) -> QueryResult:
    block = _Block(scope)
    scope.windows = {context.fold(w.name): w for w in query.windows}
    sources.bind_sources(query.sources, scope, context)
    for let in query.lets:
        if let.alias is not None:
            value = expressions.evaluate(let.value, scope, context)
            context.meaning(let.alias, "output", value, expression=(let.start, let.end))
            scope.lets[context.fold(let.alias)] = Column(let.alias.text, context.fold(let.alias), value,
                                                         ((let.alias.start, let.alias.end),))
    scope.lets.update(_time_windows(query, scope, context))
    rule = context.dialect.lateral_alias
    scope.alias_rule = rule
    if rule is LateralAlias.FIRST:
        scope.alias_keys = frozenset(context.fold(p.alias) for p in query.projections if p.alias is not None)
    items = (*query.projections, *query.named) if query.named else query.projections
    for position in naming.reading_order(items, context.dialect):
        if position >= len(query.projections):
            _name_inside(items[position], block, context)
            continue
        before = len(block.columns)
        _project(items[position], position, block, context)
        block.made[position] = block.columns[before:]
    block.columns = [column for position in sorted(block.made) for column in block.made[position]]
    scope.alias_rule = LateralAlias.NEVER
    _predicates(query, block, rule, context)
    block.weigh(scope.compared)
    for variable in scope.ranges:
        block.weigh(variable.influences)
    if len(scope.ranges) > 1:
        block.weigh(_unread(block))
    columns = tuple(block.columns)
    rows = tuple(dict.fromkeys(relation for variable in scope.ranges for relation in variable.rows))
    keeps = tuple(scope.ranges) if query.keeps else ()
    counted = unique(source for variable in scope.ranges for source in variable.counted)
    result = QueryResult(columns, tuple(block.open), unique(block.influences), rows, keeps=keeps, counted=counted)
    if query.row == "struct":
        fields = tuple(RecordItem(c.name, c.key, c.value) for c in columns)
        return replace(result, row=Record(fields, rest=open_record(block.open)))
    return _value_table(result, context) if query.row == "value" and columns else result


def _time_windows(query: q.Select, scope: Scope, context: Context) -> dict[str, Column]:
    """`GROUP BY window(at, '5 minutes')` makes a column `window` of the time (Spark, "window", "session_window")."""
    found: dict[str, Column] = {}
    for item in query.group_by:
        if isinstance(item, q.Call) and item.name in ("WINDOW", "SESSION_WINDOW") and item.args:
            name = item.name.lower()
            found[name] = Column(name, name, derived([expressions.evaluate(item.args[0], scope, context)]))
    return found


def _unread(block: _Block) -> Iterator[Source]:
    """The rows of what is joined without being read: only that it has rows tells (`CROSS JOIN t`, `UNNEST(items)`)."""
    seen = [item for item in block.influences if isinstance(item, Source)]
    predicates = len(seen)
    for variable in block.scope.ranges:
        if not variable.rows and not variable.counted:
            continue
        if any(_reads(source, variable) for source in seen):
            continue
        if len(seen) == predicates:
            seen += [source for column in block.columns for source in flatten(column.value).sources]
            seen += [Source(opened.relation, opened.path) for opened in block.open]
            if any(_reads(source, variable) for source in seen):
                continue
        yield from (Source(relation, ROWS, MEMBERSHIP) for relation in variable.rows)
        yield from variable.counted


def _reads(source: Source, variable: RangeVariable) -> bool:
    if source.relation in variable.rows:
        return True
    return any(
        array.relation == source.relation and array.path == source.path[: len(array.path)]
        for array in variable.counted
    )


def only_counted(result: QueryResult) -> Iterator[Source]:
    """What an EXISTS depends on where none of its predicates reads it: that there are rows."""
    read = {item.relation for item in result.influences if isinstance(item, Source)}
    yield from (Source(relation, ROWS, MEMBERSHIP) for relation in result.rows if relation not in read)
    yield from (source for source in result.counted if source.relation not in read)


def _name_inside(item: q.Projection, block: _Block, context: Context) -> None:
    """An alias that stands inside of an expression names it for the whole block (ClickHouse, "Expression aliases")."""
    assert item.alias is not None
    value = expressions.evaluate(item.value, block.scope, context)
    context.meaning(item.alias, "output", value)
    key = context.fold(item.alias)
    block.scope.aliases[key] = Column(item.alias.text, key, value, ((item.alias.start, item.alias.end),))


def _value_table(result: QueryResult, context: Context) -> QueryResult:
    """SELECT AS VALUE: the row is the value itself, and the fields of a record value are its columns (GoogleSQL)."""
    value = result.columns[0].value
    items = named_fields(value)
    if items is not None:
        columns = tuple(Column(item.name, item.key, item.value) for item in items)
        return replace(result, columns=columns, row=value)
    if isinstance(type_of(value), Unspecified | Variant):
        return replace(result, columns=(), open=stars.open_fields(value, "the value"), row=value)
    return replace(result, columns=(stars.unnamed_row(value, context),), row=value)


def _project(projection: q.Projection, position: int, block: _Block, context: Context) -> None:
    scope = block.scope
    star = stars.whole_star(projection)
    if star is not None:
        expanded = stars.expand_star(star, scope, context)
        block.columns += expanded.columns
        block.open += expanded.open
        return
    many = stars.several_columns(projection, scope, context)
    if many is not None:
        block.columns += many.columns
        block.open += many.open
        return
    value = expressions.evaluate(projection.value, scope, context)
    _add_column(projection, value, position, block, context)


def _add_column(projection: q.Projection, value: Value, position: int, block: _Block, context: Context) -> None:
    name = projection.alias or naming.implied_name(projection.value, context.dialect)
    if projection.alias is None and name is not None and context.dialect.path_names:
        name = naming.path_name(projection.value, name, block.scope, context)
    span = (projection.start, projection.end)
    if name is None:
        unnamed = sum(1 for column in block.columns if column.unnamed)
        text = naming.made_name(projection, block.scope, context)
        shown = text or context.dialect.anonymous.format(i=position, n=unnamed)
        guessed = naming.is_guessed(text, context.dialect)
        at = (span,) if span[0] >= 0 else ()
        column = Column(shown, context.dialect.column_key(shown), value, at, span, True, guessed)
    else:
        column = Column(context.show(name), context.fold(name), value, ((name.start, name.end),), span)
    if projection.alias is not None:
        context.meaning(projection.alias, "output", value, expression=span)
        block.scope.aliases[column.key] = column
    block.columns.append(column)


def _predicates(query: q.Select, block: _Block, rule: LateralAlias, context: Context) -> None:
    """Everything that decides which rows there are, in which groups and order."""
    scope = block.scope
    if context.dialect.aliases_in_where and rule is LateralAlias.NEVER:
        rule = LateralAlias.FALLBACK
    inside = scope.with_aliases(rule)
    conditions = list(scope.nested_on)
    for position, item in enumerate(query.sources):
        if item.on is not None:
            conditions.append((item.on, item.join or "INNER", scope.ends[position]))
    for on, kind, count in conditions:
        block.weigh(expressions.membership(on, kind, scope.limited(count, rule), context))
    block.weigh(expressions.membership(query.where, "WHERE", inside, context))
    after = scope.with_aliases(LateralAlias.FALLBACK if rule is LateralAlias.NEVER else rule, block.columns)
    for expr in query.group_by:
        block.weigh(_ordinal_or(expr, GROUPING, block, after, context))
    if query.group_by_all:
        for position, columns in block.made.items():
            if not _folds_rows(query.projections[position].value):
                block.weigh(weighed([column.value for column in columns], GROUPING))
    for expr in query.distinct_on:
        block.weigh(_ordinal_or(expr, GROUPING, block, after, context))
    for predicate in (query.having, query.qualify, *query.connect_by):
        block.weigh(expressions.membership(predicate, "", after, context))
    ordered = scope.with_aliases(LateralAlias.FIRST, block.columns)
    for expr in query.order_by:
        block.weigh(_ordinal_or(expr, ORDERING, block, ordered, context))


def _folds_rows(expr: q.Expr) -> bool:
    """Whether an aggregate or a window function is called, which GROUP BY ALL does not group by.

    One in a subquery is that query's own (BigQuery, Snowflake, DuckDB and Spark, "GROUP BY ALL").
    `SUM(a)[OFFSET(0)].b + 1` -> True, `total` of a subquery that has summed it -> False.
    """
    own = parts_of_block(expr)
    return any(isinstance(part, q.Window) or (isinstance(part, q.Call) and part.aggregate) for part in own)


def _ordinal_or(item: q.Expr, role: str, block: _Block, scope: Scope, context: Context) -> Iterable[Influence]:
    """`GROUP BY 1` means the first select item."""
    if isinstance(item, q.Literal) and item.kind == "number" and item.text.isdigit():
        position = int(item.text) - 1
        if block.open or not 0 <= position < len(block.columns):
            return ()
        return weighed((block.columns[position].value,), role)
    return expressions.influences_of(item, role, scope, context)


# ---------------------------------------------------------------- set operations


def _set_operation(query: q.SetOperation, scope: Scope, context: Context) -> QueryResult:
    """All branches of one chain, walked without recursion: a 10,000-way UNION is one loop."""
    branches: list[q.SetOperation] = []
    left: q.Query = query
    while isinstance(left, q.SetOperation) and (left is query or not left.ctes):
        branches.append(left)
        left = left.left
    result = bind_query(left, scope, context)
    for operation in reversed(branches):
        right = bind_query(operation.right, scope, context)
        if not (result.open or right.open or operation.by_name):
            count = len(result.columns), len(right.columns)
            checks.check_branches(*count, operation.right, operation.operator, context)
        result = _combine(result, right, operation, context)
    return result


def _combine(left: QueryResult, right: QueryResult, query: q.SetOperation, context: Context) -> QueryResult:
    influences = unique((*left.influences, *right.influences))
    rows = tuple(dict.fromkeys((*left.rows, *right.rows)))
    if not query.operator.upper().startswith("UNION"):
        # EXCEPT and INTERSECT take no value from the right side: it decides which rows stay.
        decided = weighed((column.value for column in right.columns), MEMBERSHIP, JOIN)
        kept = _by_name(left, right, query, context) if query.by_name else left.columns
        mine = {column.key for column in left.columns}
        columns = tuple(column for column in left.columns if any(column.key == one.key for one in kept))
        columns += tuple(replace(column, value=_NULL) for column in kept if column.key not in mine)
        return replace(left, columns=columns, influences=unique((*influences, *decided)), rows=left.rows)
    columns = _by_name(left, right, query, context) if query.by_name else _by_position(left, right)
    if context.dialect.records_by_name:
        columns = tuple(replace(column, value=by_names(column.value)) for column in columns)
    return QueryResult(columns, _open_union(left, right), influences, rows)


def _united(column: Column, value: Value, other: Column | None) -> Column:
    """A column of a UNION; `other` is what the right branch brings to it, None where that has no such column."""
    branches = _branches(column)
    if other is not None and len(branches) < _BRANCHES_KEPT:
        branches = (*branches, *_branches(other))
    return replace(column, value=value, branches=branches)


def _branches(column: Column) -> tuple[tuple[str, Span], ...]:
    return column.branches or ((flatten(column.value).transform, column.span),)


_BRANCHES_KEPT = 200  # branches that are steps of a column: more tell a reader nothing


_NULL = Generated(GeneratedSource("constant", "NULL"))


def _by_name(left: QueryResult, right: QueryResult, query: q.SetOperation, context: Context) -> tuple[Column, ...]:
    """The columns of both branches, those that `side` or the list of the operation does not keep left out."""
    others = {column.key: column for column in right.columns}
    both = set(others).intersection(column.key for column in left.columns)
    columns = []
    for column in left.columns:
        other = others.pop(column.key, None)
        value = column.value if other is None else one_of((column.value, other.value), "UNION")
        columns.append(_united(column, value, other))
    columns += others.values() if query.side != "LEFT" else ()
    listed = [context.fold(name) for name in query.columns]
    if listed:
        found = {column.key: column for column in columns}
        return tuple(found[key] for key in listed if key in found)
    return tuple(column for column in columns if query.side != "INNER" or column.key in both)


def _by_position(left: QueryResult, right: QueryResult) -> tuple[Column, ...]:
    if left.open or right.open:
        gap = Unknown(Gap("wildcard-unexpanded", "a * that is not expanded hides which column of the other branch "
                                                 "comes here"))
        return tuple(replace(column, value=one_of((column.value, gap), "UNION")) for column in left.columns)
    columns = list(left.columns)
    for position, other in enumerate(right.columns[: len(columns)]):
        column = columns[position]
        columns[position] = _united(column, one_of((column.value, other.value), "UNION"), other)
    return tuple(columns)


def _open_union(left: QueryResult, right: QueryResult) -> tuple[OpenSource, ...]:
    if not left.open:
        return ()
    reason = "the other branch of the UNION is matched by position, which a * without schema hides"
    opened = tuple(replace(source, gap=reason) for source in left.open)
    return (replace(opened[0], others=(*opened[0].others, *right.open)), *opened[1:])


# ---------------------------------------------------------------- VALUES


def _values(query: q.ValuesQuery, scope: Scope, context: Context) -> QueryResult:
    width = max((len(row) for row in query.rows), default=0)
    cells: list[dict[Value, None]] = [{} for _ in range(width)]
    for row in query.rows:
        for position, cell in enumerate(row):
            if len(cells[position]) < _VALUES_KEPT:
                cells[position][expressions.evaluate(cell, scope, context)] = None
    columns = []
    for position, found in enumerate(cells):
        name = context.dialect.values_column.format(i=position + 1, n=position)
        values = tuple(found)
        value = values[0] if len(values) == 1 else one_of(values, "UNION")
        columns.append(Column(name, context.dialect.column_key(name), value))
    return QueryResult(tuple(columns))


_VALUES_KEPT = 50  # distinct constants kept for a column of VALUES: more tell a reader nothing


# ---------------------------------------------------------------- as a source


def passed_on(result: QueryResult, scope_name: str, context: Context) -> tuple[Column, ...]:
    """The columns of a CTE or derived table as its reader sees them: the same values, one step further."""
    columns = []
    for column in naming.told_apart(result.columns, context):
        flow = flatten(column.value)
        span = (-1, -1) if column.branches else column.span
        steps = (*branch_steps(column, scope_name), Step(scope_name, flow.transform, *span))
        columns.append(replace(column, value=traced(column.value, (), steps), unnamed=False, branches=()))
    return tuple(columns)


