"""FROM clauses to range variables: tables, CTEs, derived tables, arrays, table functions, joins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from sql_lineage_ls.catalog.names import location_id, location_name
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import is_nested
from sql_lineage_ls.lineage import expressions, generators, naming, pivots, queries
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.intermediate import as_relation
from sql_lineage_ls.lineage.model import JOIN, MEMBERSHIP, Gap, Occurrence
from sql_lineage_ls.lineage.scope import Column, OpenSource, RangeVariable, Scope, Span, resolve
from sql_lineage_ls.lineage.values import (
    ArrayOf,
    Influence,
    OneOf,
    Ref,
    Refuted,
    Unknown,
    Value,
    element,
    field,
    fields,
    is_array,
    one_of,
    type_of,
    weighed,
)
from sql_lineage_ls.syntax import query_model as q


def bind_sources(items: Iterable[q.FromItem], scope: Scope, context: Context) -> None:
    """Adds the range variables of a FROM clause to `scope`, in order; a lateral source sees those before it."""
    for item in items:
        before = len(scope.ranges)
        _bind_item(item, scope, context)
        _merge_columns(item, before, scope, context)
        scope.ends.append(len(scope.ranges))


def _bind_item(item: q.FromItem, scope: Scope, context: Context) -> None:
    source = item.source
    if isinstance(source, q.NestedJoin):
        _nested_join(source, scope, context)
        return
    if isinstance(source, q.ArrayJoin):
        scope.ranges.append(generators.array_join(source, scope, context))
        return
    variable = bind_source(source, scope, context)
    if item.join in ("SEMI", "ANTI") or item.join.endswith((" SEMI", " ANTI")):
        variable = replace(variable, hidden=True, by_key={})
    scope.ranges += [variable, variable.beside] if variable.beside is not None else [variable]
    scope.ranges += _kept(variable.keeps)


def _kept(ranges: tuple[RangeVariable, ...]) -> Iterator[RangeVariable]:
    """The range variables of a block before that have a name or are a value table's row (pipe syntax).

    An element's fields can be read without its name.
    """
    for variable in ranges:
        if not variable.qualifiers and variable.row is None:
            continue
        bare = replace(variable, influences=(), counted=(), rows=(), beside=None, by_key={})
        yield replace(bare, star_columns=(), by_key={}) if variable.row is not None else replace(
            bare, kept=True, by_key={})


def bind_source(source: q.TableSource, scope: Scope, context: Context) -> RangeVariable:
    """The range variable of one source: `orders_raw AS o` is `o` with the columns of `orders_raw`."""
    if isinstance(source, q.TableRef):
        variable = _table(source, scope, context)
    elif isinstance(source, q.DerivedTable):
        variable = _derived_table(source, scope, context)
    elif isinstance(source, q.Unnest):
        variable = generators.unnest(source, scope, context)
    elif isinstance(source, q.TableFunction):
        variable = generators.table_function(source, scope, context)
    else:
        return RangeVariable("source", ())
    for pivot in getattr(source, "pivots", ()):
        variable = pivots.bind_pivot(pivot, variable, scope, context)
    return variable


# ---------------------------------------------------------------- tables and CTEs


def _table(source: q.TableRef, scope: Scope, context: Context) -> RangeVariable:
    if context.probe is not None:
        context.probe.relation(source.parts, scope)
    if source.location is not None:
        return location(source, context)
    if not source.parts:  # half-typed
        return RangeVariable("source", ())
    cte = cte_range(source, scope, context)
    if cte is not None:
        return cte
    array = _array_path(source, scope, context)
    if array is not None:
        return array
    variable = stored_table(source.parts, source.alias, context)
    return aliased(variable, source.column_aliases, context)


def location(source: q.TableRef, context: Context) -> RangeVariable:
    """Files read by their address are a relation of their own, with columns that no DDL lists."""
    identity, shown = touch_location(source.location or "", context)
    name = source.alias.text if source.alias else shown
    qualifiers = (context.fold(source.alias),) if source.alias else ()
    return RangeVariable(name, qualifiers, open=(OpenSource(identity, shown),), relation=identity, stored=True,
                         rows=(identity,))


def touch_location(address: str, context: Context) -> tuple[str, str]:
    """Id and shown name of the relation that the files at an address are."""
    identity, shown = location_id(address), location_name(address)
    context.touch(identity, shown, "location")
    return identity, shown


def cte_range(source: q.TableRef, scope: Scope, context: Context) -> RangeVariable | None:
    """The range variable of a CTE by its name, None where the name is none."""
    if len(source.parts) != 1:
        return None
    name = source.parts[0]
    key = context.fold(name)
    found = next((level.ctes[key] for level in scope.levels() if key in level.ctes), None)
    if found is None:
        return None
    defined, result = found
    at = ((defined.start, defined.end),)
    columns = tuple([replace(column, spread=False) if column.spread else column
                     for column in _handed_on(result, defined.text, context)])
    context.meaning(name, "cte", None, definitions=at, columns=columns)
    alias = source.alias
    if alias is not None:
        context.meaning(alias, "alias", None, definitions=at, columns=columns)
    variable = RangeVariable(
        (alias or name).text, (context.fold(alias or name),), columns, result.open, result.row, kind="cte",
        influences=result.influences, rows=result.rows,
        definitions=((alias.start, alias.end),) if alias is not None else at, cte=defined.start,
        own_name=(key,) if context.dialect.alias_keeps_name else (),
    )
    context.ctes.read(defined.start)
    return aliased(variable, source.column_aliases, context)


def stored_table(parts: tuple[q.Name, ...], alias: q.Name | None, context: Context, usage: str = "read"
                 ) -> RangeVariable:
    """The range variable of a stored relation; one without DDL has columns that nobody lists."""
    parts = parts or (q.Name(""),)
    if context.probe is not None:
        context.probe.relation(parts, None)
    relation = context.schemas.relation(parts)
    last = parts[-1]
    if relation is None:
        identity = context.schemas.relation_id(parts)
        name = ".".join(part.text for part in parts)
        context.touch(identity, name, "table")
        columns: tuple[Column, ...] = ()
        opened: tuple[OpenSource, ...] = (OpenSource(identity, name),)
        assumed = False
    else:
        identity, name, assumed = relation.id, relation.name, relation.assumed
        context.touch(identity, name, relation.kind)
        columns, opened = _columns_of(relation, context)
    context.read(identity, (), last, usage)
    for part in parts:  # the schema's token too: it names nothing else that we know of
        context.occur(Occurrence(part.start, part.end, "relation", name, relation=identity), columns)
    if alias is not None:
        context.meaning(alias, "alias", None, relation=identity, columns=columns,
                        definitions=((last.start, last.end),))
    qualifiers = (context.fold(alias),) if alias is not None else tuple(context.fold(part) for part in parts)
    return RangeVariable(
        (alias or last).text if alias else name, qualifiers, columns, opened, relation=identity, stored=True,
        assumed=assumed, rows=(identity,), definitions=((alias.start, alias.end),) if alias is not None else (),
        own_name=tuple(context.fold(part) for part in parts) if context.dialect.alias_keeps_name else (),
        star_columns=_nested_apart(columns) if context.dialect.dotted_columns else None,
    )


def _nested_apart(columns: tuple[Column, ...]) -> tuple[Column, ...] | None:
    """Each field of a Nested column as a column of its own, as a star gives them; None where there is none.

    `n Nested(a UInt8, b String)` is stored as the arrays `n.a` and `n.b` (ClickHouse "Nested", `flatten_nested`).
    """
    if not any(is_nested(type_of(column.value)) for column in columns):
        return None
    return tuple(part for column in columns for part in _parts(column))


def _parts(column: Column) -> Iterator[Column]:
    items = fields(element(column.value)) if is_nested(type_of(column.value)) else None
    if items is None:
        yield column
        return
    for item in items:
        name, key = f"{column.name}.{item.name}", f"{column.key}.{item.key}"
        yield Column(name, key, ArrayOf(item.value), column.definitions)


def _columns_of(relation: Relation, context: Context) -> tuple[tuple[Column, ...], tuple[OpenSource, ...]]:
    """The listed columns of a relation, and where the unlisted ones of an open relation come from."""
    known = context.columns.get(id(relation))
    if known is None:
        columns = tuple([Column(f.name, f.key, Ref(relation.id, (f.name,), f.type), guessed=f.guessed)
                         for f in relation.columns])
        context.columns[id(relation)] = known = relation, columns
    return known[1], (OpenSource(relation.id, relation.name),) if relation.open else ()


def relation_range(
    relation: Relation, alias: q.Name | None, column_aliases: tuple[q.Name, ...], context: Context
) -> RangeVariable:
    """The range variable of a known relation that no token names by itself: a user's table function."""
    context.touch(relation.id, relation.name, relation.kind)
    columns, opened = _columns_of(relation, context)
    name = alias.text if alias is not None else relation.name
    at: tuple[Span, ...] = ()
    if alias is not None:
        at = ((alias.start, alias.end),)
        context.meaning(alias, "alias", None, relation=relation.id, columns=columns)
    variable = RangeVariable(
        name, (context.fold(alias),) if alias is not None else (context.dialect.column_key(name.split(".")[-1]),),
        columns, opened, relation=relation.id, stored=True, rows=(relation.id,), definitions=at,
    )
    return aliased(variable, column_aliases, context)


def _array_path(source: q.TableRef, scope: Scope, context: Context) -> RangeVariable | None:
    """`FROM t, t.items AS i`: the path starts with an earlier range variable, so it is an array, not a table.

    It may start with a column of one, too: `FROM t, customer.orders AS o` (GoogleSQL, "Correlated join").
    """
    if not context.dialect.array_path_in_from or len(source.parts) < 2:
        return None
    key = context.fold(source.parts[0])
    ranges = [variable for level in scope.levels() for variable in level.ranges]
    if not any(variable.answers((key,)) for variable in ranges):
        if not any(key in variable.by_key for variable in ranges) or not _is_array_column(source.parts, scope, context):
            return None
    elif context.schemas.relation(source.parts) is not None:
        binding = resolve(source.parts, scope, context)
        if binding.column is None and binding.kind != "alias":
            return None
    return generators.unnest(
        q.Unnest((q.ColumnRef(source.parts),), source.alias or source.parts[-1], source.column_aliases,
                 source.position, source.with_position),
        scope, context, path=True,
    )


def _is_array_column(parts: tuple[q.Name, ...], scope: Scope, context: Context) -> bool:
    binding = resolve(parts, scope, context)
    value: Value | Refuted = binding.value
    for name in parts[binding.used :]:
        if isinstance(value, Refuted):
            return False
        value = field(value, context.key(name))
    return not isinstance(value, Refuted) and is_array(value) is not False


def aliased(variable: RangeVariable, names: tuple[q.Name, ...], context: Context) -> RangeVariable:
    """A range variable under a column alias list: `t AS x(a, b)`."""
    if not names or variable.open:
        return variable
    columns = naming.told_apart(relabelled(variable.columns, names, context), context)
    return replace(variable, columns=columns, by_key={})


def relabelled(columns: Sequence[Column], names: tuple[q.Name, ...], context: Context) -> tuple[Column, ...]:
    """Columns under a list of aliases, by position; those behind the list keep their names."""
    made = []
    for column, name in zip(columns, names, strict=False):
        context.meaning(name, "output", column.value)
        made.append(replace(column, name=context.show(name), key=context.fold(name), guessed=False,
                            definitions=((name.start, name.end),)))
    return (*made, *columns[len(made):])


# ---------------------------------------------------------------- derived tables and joins


def _derived_table(source: q.DerivedTable, scope: Scope, context: Context) -> RangeVariable:
    # Only a lateral derived table sees its neighbours; every one sees the CTEs and the blocks around.
    beside = source.lateral or context.dialect.implicit_lateral
    outer = scope if beside else Scope(scope.parent, ctes=scope.ctes)
    alias = source.alias
    with context.within(alias.text if alias is not None else "subquery"):
        result = queries.bind_query(source.query, outer, context)
    kept = next((variable.name for variable in result.keeps if variable.qualifiers), "subquery")
    name = alias.text if alias is not None else kept
    result = as_relation(result, alias.text if alias is not None else "", context)
    at: Span = (alias.start, alias.end) if alias is not None else (-1, -1)
    columns = _handed_on(result, name, context)
    if alias is not None:
        context.meaning(alias, "alias", None, columns=columns)
    qualifiers = (context.fold(alias),) if alias is not None else ()
    variable = RangeVariable(name, qualifiers, columns, result.open, result.row, kind="derived",
                             influences=result.influences, rows=result.rows,
                             definitions=(at,) if alias is not None else (), keeps=result.keeps)
    return aliased(variable, source.column_aliases, context)


def _handed_on(result: queries.QueryResult, name: str, context: Context) -> tuple[Column, ...]:
    """The columns that a reader sees: a value table of scalars has none, the source's own name is its value."""
    if result.row is not None and any(column.spread for column in result.columns):
        return ()
    return queries.passed_on(result, name, context)


def _nested_join(source: q.NestedJoin, scope: Scope, context: Context) -> None:
    if source.alias is None:
        for item in source.items:
            before = len(scope.ranges)
            _bind_item(item, scope, context)
            _merge_columns(item, before, scope, context)
            if item.on is not None:
                scope.nested_on.append((item.on, item.join or "INNER", len(scope.ranges)))
        return
    inner = q.Select((q.Projection(q.Star()),), source.items)
    derived = q.DerivedTable(inner, source.alias, source.column_aliases)
    scope.ranges.append(_derived_table(derived, scope, context))


def _merge_columns(item: q.FromItem, before: int, scope: Scope, context: Context) -> None:
    """USING and NATURAL make one column of two: the left one, RIGHT JOIN's right one, FULL JOIN's either (SQL 7.10)."""
    if item.natural:
        _natural(item, before, scope, context)
    for name in item.using:
        key = context.fold(name)
        for variable in scope.ranges:
            context.ctes.column(variable.cte, key)
        left = _side(_named(scope.ranges[:before]), scope, key, name, merged=True)
        right = _side(_named(scope.ranges[before:]), scope, key, name, merged=False)
        if left is None or right is None:
            continue
        with context.joining(item.join or "INNER"):
            context.join(left, right, item.join or "INNER", name)
        scope.compared += _compared(left, right)
        value = _merged_value(item.join, left, right)
        # The token stands for both columns, whichever one the merged column takes its value from.
        context.meaning(name, "column", one_of((left, right), "IDENTITY"))
        _note_using(name, (left, right), context)
        scope.merged[key] = Column(name.text, key, value, ((name.start, name.end),))
        scope.merged_of[key] = len(scope.ranges)


def _named(ranges: list[RangeVariable]) -> list[RangeVariable]:
    return [variable for variable in ranges if not variable.kept]


def _natural(item: q.FromItem, before: int, scope: Scope, context: Context) -> None:
    left, right = _named(scope.ranges[:before]), _named(scope.ranges[before:])
    if any(not variable.closed for variable in (*left, *right)):
        scope.lenient = True
    for variable in (*left, *right):
        context.ctes.column(variable.cte, None)
    for column in (column for variable in left for column in variable.columns):
        other = next((c for variable in right for c in variable.by_key.get(column.key, ())), None)
        if other is None:
            continue
        known = scope.merged.get(column.key)
        one = known.value if known is not None else column.value
        with context.joining(item.join or "INNER"):
            context.join(one, other.value, item.join or "INNER")
        scope.compared += _compared(one, other.value)
        value = _merged_value(item.join, one, other.value)
        scope.merged[column.key] = Column(column.name, column.key, value)
        scope.merged_of[column.key] = len(scope.ranges)


def _compared(left: Value, right: Value) -> tuple[Influence, ...]:
    return weighed((left, right), MEMBERSHIP, JOIN)


def _merged_value(join: str, left: Value, right: Value) -> Value:
    if join.startswith("RIGHT"):
        return right
    if join.startswith("FULL"):
        parts = left.values if isinstance(left, OneOf) and left.transform == "EXPRESSION" else (left,)
        return one_of((*parts, right), "EXPRESSION")
    return left


def _side(ranges: list[RangeVariable], scope: Scope, key: str, name: q.Name, *, merged: bool) -> Value | None:
    if merged and key in scope.merged:
        return scope.merged[key].value
    found = [c for variable in ranges for c in variable.by_key.get(key, ())]
    if found:
        return found[0].value if len(found) == 1 else Unknown(Gap("ambiguous", f"'{name.text}' is in several sources"))
    opened = [source for variable in ranges for source in variable.open if key not in source.without]
    if len(opened) == 1:
        return opened[0].column(name.text)
    return Unknown(Gap("owner-unproved", f"nothing proves which source has '{name.text}'")) if opened else None


def _note_using(name: q.Name, values: tuple[Value, Value], context: Context) -> None:
    for value in values:
        inner = expressions.unwrapped(value)
        if isinstance(inner, Ref):
            context.read(inner.relation, inner.path, name)
