"""Arrays and functions that make rows: UNNEST, explode, FLATTEN, ARRAY JOIN, table functions.

What columns they give is the dialect's rule (`UnnestShape`) or the function's (Snowflake FLATTEN, Spark explode).

Longer than other modules: it has one function for each way of making rows, and one table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import MapType, Unspecified, Variant
from sql_lineage_ls.lineage import expressions, queries, sources
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.functions import GENERATORS, WIDENING
from sql_lineage_ls.lineage.model import MEMBERSHIP, Gap, GeneratedSource, Source
from sql_lineage_ls.lineage.scope import Column, OpenSource, RangeVariable, Scope
from sql_lineage_ls.lineage.values import (
    ELEMENT,
    Derived,
    Generated,
    Ref,
    Unknown,
    Value,
    derived,
    element,
    fields,
    flatten,
    influenced,
    is_array,
    map_entry,
    named_fields,
    one_of,
    type_of,
    weighed,
)
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import UnnestShape
from sql_lineage_ls.syntax.table_functions import Part, function_columns, unnamed_column

Named = tuple[str, Value]


def unnest(source: q.Unnest, scope: Scope, context: Context, *, path: bool = False) -> RangeVariable:
    """The range variable of UNNEST; `path` where the array stands in FROM by its name (`t.items AS i`)."""
    if context.dialect.unnest is UnnestShape.COLUMN and len(source.arrays) == 1 and not source.column_aliases:
        table = _table_by_name(source.alias, source.arrays[0], context)
        if table is not None:
            return table
    window = source.arrays[0] if len(source.arrays) == 1 else None
    if isinstance(window, q.Window) and isinstance(window.value, q.Call):
        # `TABLE(f(a) OVER (PARTITION BY b))` is what f makes of each part (Snowflake, "Table functions").
        return table_function(q.TableFunction(window.value, source.alias, source.column_aliases), scope, context)
    arrays = [expressions.evaluate(array, scope, context) for array in source.arrays]
    if not arrays:  # half-typed
        return RangeVariable("UNNEST", ())
    elements = [element(array) for array in arrays]
    for array, value in zip(source.arrays, elements, strict=True):
        _note_elements(array, value, context)
    position = _position(source, arrays, context)
    if context.dialect.unnest is UnnestShape.ELEMENT or path:
        return replace(_as_element(source, elements[0], position, context), counted=_counted(arrays), by_key={})
    columns, opened = _as_columns(source, arrays, elements, context)
    if source.with_position and position is None:
        columns.append(Column("ordinality", context.dialect.column_key("ordinality"), _ordinal(arrays)))
    columns = list(sources.relabelled(columns, source.column_aliases, context))
    if position is not None:
        columns.append(position)
    alias = source.alias
    qualifiers = (context.fold(alias),) if alias is not None else ()
    variable = RangeVariable(
        alias.text if alias is not None else "unnest", qualifiers, tuple(columns), opened, kind="unnest", stored=True,
        row=_lone_element(source, elements, context), counted=_counted(arrays),
        definitions=((alias.start, alias.end),) if alias is not None else (),
    )
    if context.dialect.unnest_name and alias is not None and len(columns) == 1 and not source.column_aliases:
        also = replace(columns[0], name="unnest", key=context.dialect.column_key("unnest"))
        variable = replace(variable, columns=(*columns, also), star_columns=tuple(columns), by_key={})
    _note_alias(alias, variable, context)
    return variable


def _note_elements(array: q.Expr, value: Value, context: Context) -> None:
    inner = expressions.unwrapped(value)
    if isinstance(inner, Ref) and isinstance(array, q.ColumnRef):
        context.read(inner.relation, inner.path, array.parts[-1], "element")


def _position(source: q.Unnest, arrays: list[Value], context: Context) -> Column | None:
    """WITH OFFSET, AT: a number that the engine makes; it depends on the array only for how far it counts."""
    if source.position is None:
        if source.with_position and context.dialect.unnest is UnnestShape.ELEMENT:
            return Column("offset", context.dialect.column_key("offset"), _ordinal(arrays))
        return None
    name = source.position
    value = _ordinal(arrays)
    context.meaning(name, "output", value)
    return Column(name.text, context.fold(name), value, ((name.start, name.end),))


def _ordinal(arrays: Sequence[Value]) -> Value:
    return influenced(Generated(GeneratedSource("ordinal", "offset")), weighed(arrays, MEMBERSHIP))


def _counted(arrays: Sequence[Value]) -> tuple[Source, ...]:
    """How many rows an UNNEST gives is decided by its arrays."""
    return tuple(item for item in weighed(arrays, MEMBERSHIP) if isinstance(item, Source))


def _as_element(source: q.Unnest, value: Value, position: Column | None, context: Context) -> RangeVariable:
    """The alias is the element; fields of a record element can be read without it (GoogleSQL value tables)."""
    items = named_fields(value)
    columns = tuple(Column(i.name, i.key, i.value) for i in items or ())
    opened: tuple[OpenSource, ...] = ()
    inner = expressions.unwrapped(value)
    if items is None and isinstance(inner, Ref) and isinstance(inner.type, (Unspecified, Variant)):
        opened = (OpenSource(inner.relation, _element_name(source, inner, context), inner.path),)
    elif items is None and not isinstance(inner, Ref) and isinstance(type_of(inner), Unspecified):
        # Computed elements: their fields come from what they were computed from.
        opened = (OpenSource("", source.alias.text if source.alias is not None else "UNNEST", value=value),)
    alias = source.alias
    variable = RangeVariable(
        alias.text if alias is not None else "UNNEST", (context.fold(alias),) if alias is not None else (), columns,
        opened, value, kind="unnest", stored=True,
        star_columns=_element_star(source, value, columns, opened, context), beside=_offset(position),
        definitions=((alias.start, alias.end),) if alias is not None else (),
    )
    _note_alias(alias, variable, context, value)
    return variable


def _element_star(
    source: q.Unnest, value: Value, columns: tuple[Column, ...], opened: tuple[OpenSource, ...], context: Context
) -> tuple[Column, ...] | None:
    """What `*` gives of an element: the fields of a record, else the value, which has no name without alias."""
    if columns or opened:
        return columns or None
    if source.alias is not None:
        return None
    name = context.dialect.anonymous.format(i=0, n=0)
    return (Column(name, context.dialect.column_key(name), value, unnamed=True),)


def _offset(position: Column | None) -> RangeVariable | None:
    if position is None:
        return None
    return RangeVariable(position.name, (position.key,), row=position.value, kind="unnest", stored=True,
                         definitions=position.definitions)


def _element_name(source: q.Unnest, inner: Ref, context: Context) -> str:
    return source.alias.text if source.alias is not None else f"UNNEST({'.'.join(inner.path[:-1])})"


def _note_alias(alias: q.Name | None, variable: RangeVariable, context: Context, value: Value | None = None) -> None:
    if alias is None:
        return
    context.meaning(alias, "alias", value, columns=variable.columns)


def _as_columns(
    source: q.Unnest, arrays: list[Value], elements: list[Value], context: Context
) -> tuple[list[Column], tuple[OpenSource, ...]]:
    columns: list[Column] = []
    opened: tuple[OpenSource, ...] = ()
    for array, value in zip(arrays, elements, strict=True):
        if isinstance(type_of(array), MapType):
            columns += [Column(part, part, map_entry(array, part)) for part in ("key", "value")]
            continue
        items = fields(value) if context.dialect.unnest is UnnestShape.COLUMNS else None
        if items is not None and not source.column_aliases:
            items = named_fields(value)
        wanted = len(source.column_aliases)
        # Where a list of aliases may be short, one alias is the first field's; where it may not, it is the element's
        # unless that has one field only.
        whole = wanted == 1 and len(arrays) == 1 and not context.dialect.short_column_lists
        if items is not None and not (whole and len(items) > 1):
            columns += [Column(i.name, i.key, i.value) for i in items]
            continue
        inner = expressions.unwrapped(value)
        unknown = items is None and isinstance(type_of(inner), Unspecified)
        if unknown and context.dialect.unnest is UnnestShape.COLUMNS and not wanted:
            opened = (_open_element(inner),)
            continue
        if unknown and len(arrays) == 1 and wanted > (2 if source.with_position else 1):
            columns += _unnamed_fields(inner, wanted - source.with_position)
            continue
        name = source.alias.text if source.alias is not None and len(arrays) == 1 else "unnest"
        name = context.dialect.element_column or name
        columns.append(Column(name, context.dialect.column_key(name), value))
    return columns, opened


def _open_element(inner: Value) -> OpenSource:
    if isinstance(inner, Ref):
        return OpenSource(inner.relation, f"UNNEST({'.'.join(inner.path[:-1])})", inner.path)
    return OpenSource("", "UNNEST", value=inner)


def _unnamed_fields(inner: Value, count: int) -> list[Column]:
    """The aliases say how many fields an element has, but nothing says which field is which."""
    flow = flatten(inner)
    gap = Gap("element-type-unknown", "the element's fields are not declared here, so this reads the whole element")
    value = Derived(flow.sources, (), (gap,), "UNNEST")
    return [Column("", f"\0{n}", value) for n in range(count)]


def _lone_element(source: q.Unnest, elements: list[Value], context: Context) -> Value | None:
    """`unnest(tags) AS tag`: the alias of one column can be read as that column (Postgres, Redshift)."""
    if len(elements) != 1 or source.alias is None or source.column_aliases:
        return None
    return elements[0] if fields(elements[0]) is None else None


# ---------------------------------------------------------------- ARRAY JOIN


def array_join(source: q.ArrayJoin, scope: Scope, context: Context) -> RangeVariable:
    """ClickHouse: an alias is the element beside the array; without alias the array's name becomes its element."""
    columns = []
    for item in source.items:
        value = element(expressions.evaluate(item.value, scope, context))
        name = item.alias or (item.value.parts[-1] if isinstance(item.value, q.ColumnRef) else None)
        if name is None:
            continue
        column = Column(name.text, context.fold(name), value, ((name.start, name.end),))
        if item.alias is None:
            scope.merged[column.key] = replace(column, starred=False)
            _replace_in_star(column, scope)
            continue
        context.meaning(name, "output", value)
        scope.merged[column.key] = replace(column, starred=False)
        columns.append(column)
    return RangeVariable("ARRAY JOIN", (), tuple(columns), kind="unnest", stored=True, star_columns=())


def _replace_in_star(column: Column, scope: Scope) -> None:
    """`SELECT *` gives the element in the place of the array."""
    for position, variable in enumerate(scope.ranges):
        if column.key in variable.by_key:
            star = variable.star_columns if variable.star_columns is not None else variable.columns
            shown = replace(column, definitions=())
            swapped = tuple(shown if c.key == column.key else _part_of(column, c) for c in star)
            scope.ranges[position] = replace(variable, star_columns=swapped, by_key={})
            return


def _part_of(joined: Column, column: Column) -> Column:
    """A field of a Nested column that ARRAY JOIN takes apart is one value too."""
    inside = column.key.startswith(f"{joined.key}.")
    return replace(column, value=element(column.value)) if inside else column


# ---------------------------------------------------------------- table functions


def table_function(source: q.TableFunction, scope: Scope, context: Context) -> RangeVariable:
    """A function in FROM or LATERAL VIEW."""
    call = source.call
    table = _table_by_name(source.alias, call, context)
    if table is not None:
        return table
    if isinstance(call, q.Call) and call.name in ("TABLE", "UNNEST", "THE") and len(call.args) == 1 and not source.view:
        inner = call.args[0]
        if not isinstance(inner, q.Call):
            wrapped = q.Unnest((inner,), source.alias, source.column_aliases, with_position=source.with_position)
            return unnest(wrapped, scope, context)
        call = inner
    function = context.schemas.called(call.name) if isinstance(call, q.Call) and not source.view else None
    if function is not None and function.relation is not None:
        return _user_function(source, call, function.relation, scope, context)
    named, opened = _outputs(source, call, scope, context)
    columns = [Column(name, context.dialect.column_key(name), value) for name, value in named]
    if source.with_position:
        columns.append(Column("ordinality", context.dialect.column_key("ordinality"),
                              Generated(GeneratedSource("ordinal", "ordinality"))))
    alias = source.alias
    fixed = isinstance(call, q.Call) and function_columns(call.name, context.dialect) is not None
    renames = context.dialect.function_alias_names_column and not source.view and not fixed
    if renames and alias is not None and len(columns) == 1 and not source.column_aliases:
        columns = [replace(columns[0], name=alias.text, key=context.fold(alias))]
    columns = list(sources.relabelled(columns, source.column_aliases, context))
    qualifiers = (context.fold(alias),) if alias is not None else ()
    variable = RangeVariable(
        alias.text if alias is not None else _function_name(call), qualifiers, tuple(columns), opened, kind="unnest",
        stored=True, definitions=((alias.start, alias.end),) if alias is not None else (),
        row=columns[0].value if len(columns) == 1 and alias is not None and not source.view else None,
        counted=_taken_apart(columns),
    )
    _note_alias(alias, variable, context)
    return variable


def _taken_apart(columns: Sequence[Column]) -> tuple[Source, ...]:
    """The arrays whose elements are these columns: they decide how many rows there are."""
    arrays: dict[Source, None] = {}
    for column in columns:
        for source in flatten(column.value).sources:
            if ELEMENT in source.path:
                last = len(source.path) - 1 - source.path[::-1].index(ELEMENT)
                arrays[Source(source.relation, source.path[:last], MEMBERSHIP)] = None
    return tuple(arrays)


def _user_function(
    source: q.TableFunction, call: q.Expr, relation: Relation, scope: Scope, context: Context
) -> RangeVariable:
    """A user's table function is a relation of its own; its arguments are read where it is called."""
    if isinstance(call, q.Call):
        for arg in call.args:
            expressions.evaluate(arg, scope, context)
    return sources.relation_range(relation, source.alias, source.column_aliases, context)


def _table_by_name(alias: q.Name | None, name: q.Expr, context: Context) -> RangeVariable | None:
    """Snowflake `TABLE('db.sales.orders')` and `TABLE($name)`: a table whose name is a text or a variable."""
    if isinstance(name, q.Literal) and name.kind == "string":
        parts = tuple(q.Name(part) for part in name.text.split(".") if part)
        return sources.stored_table(parts, alias, context) if parts else None
    variable = isinstance(name, q.Parameter) or (isinstance(name, q.ColumnRef) and name.parts[0].text[:1] in "$:@")
    if not variable:
        return None
    unknown = Unknown(context.gap("table-name-unbound", "the table's name is in a variable"))
    shown = alias.text if alias is not None else "TABLE(..)"
    return RangeVariable(shown, (context.fold(alias),) if alias is not None else (), kind="unnest",
                         open=(OpenSource("", shown, value=unknown),))


def _function_name(call: q.Expr) -> str:
    return call.name.lower() if isinstance(call, q.Call) else "function"


def _outputs(
    source: q.TableFunction, call: q.Expr, scope: Scope, context: Context
) -> tuple[list[Named], tuple[OpenSource, ...]]:
    if not isinstance(call, q.Call):
        value = expressions.evaluate(call, scope, context)
        return [("value", element(value))], ()
    if call.name in GENERATORS:
        made = _generated(call, scope, context)
        if made is not None:
            return made, ()
    given = next((arg for arg in call.args if isinstance(arg, q.SubqueryExpr)), None)
    if call.name in WIDENING and given is not None:
        return _widened(call, given, scope, context)
    args = [expressions.evaluate(arg, scope, context) for arg in call.args]
    if source.columns and call.name in _RECORD_SETS and args:
        document = element(args[0]) if call.name.endswith("SET") else args[0]
        return [(c.name.text, expressions.access(document, c.name, True, context)) for c in source.columns], ()
    if source.columns:
        return [(column.name.text, derived(args)) for column in source.columns], ()
    listed = function_columns(call.name, context.dialect)
    if listed is not None:
        return [(name, _part(part, args, call)) for name, part in listed], ()
    alone = unnamed_column(call.name)
    if alone is not None:
        return [(call.name.lower(), _part(alone, args, call))], ()
    return [], (_unlisted(call, context),)


def _unlisted(call: q.Call, context: Context) -> OpenSource:
    unknown = Unknown(context.gap("columns-unknown", f"the columns of the function {call.name} are not known", call))
    return OpenSource("", call.name, value=unknown)


def _widened(
    call: q.Call, given: q.SubqueryExpr, scope: Scope, context: Context
) -> tuple[list[Named], tuple[OpenSource, ...]]:
    """The columns of the relation that the function is given, and those that it adds."""
    result = queries.bind_query(given.query, scope, context)
    for arg in call.args:
        if arg is not given:
            expressions.evaluate(arg, scope, context)
    return [(column.name, column.value) for column in result.columns], (*result.open, _unlisted(call, context))


def _part(part: Part, args: list[Value], call: q.Call) -> Value:
    """The value of one column of a table function called with `args`."""
    if part is Part.SERIES or not args:
        made = GeneratedSource("system", call.name)
        return Derived(flatten(derived(args)).sources, (made,)) if args else Generated(made)
    if part is Part.PLACE:
        return _ordinal(args[:1])
    return element(args[0]) if part is Part.ELEMENT else derived(args[:1])


# Postgres: a document's keys become the columns of the list behind AS, a set's elements its rows.
_RECORD_SETS = frozenset({"JSON_TO_RECORDSET", "JSONB_TO_RECORDSET", "JSON_TO_RECORD", "JSONB_TO_RECORD"})


def _argument(call: q.Call, name: str, position: int) -> q.Expr | None:
    for arg, called in zip(call.args, call.named, strict=False):
        if called is not None and called.lower() == name:
            return arg
    unnamed = [arg for i, arg in enumerate(call.args) if i >= len(call.named) or call.named[i] is None]
    return unnamed[position] if position < len(unnamed) else None


def _generated(call: q.Call, scope: Scope, context: Context) -> list[Named] | None:
    """The columns of a generator, named as the engine names them."""
    input_ = _argument(call, "input", 0)
    if input_ is None:
        return None
    value = expressions.evaluate(input_, scope, context)
    for arg in call.args:
        if arg is not input_ and not isinstance(arg, q.Literal):
            expressions.evaluate(arg, scope, context)
    maker = _MAKERS.get(call.name)
    if maker is not None:
        return maker(value, call, context)
    if call.name == "STACK":
        return _stack(call, scope, context)
    if call.name == "JSON_TUPLE":
        return _json_tuple(value, call)
    return None


def _explode(value: Value, call: q.Call, context: Context) -> list[Named]:
    if isinstance(type_of(value), MapType):
        return [(part, map_entry(value, part)) for part in ("key", "value")]
    return [("col", element(value))]


def _posexplode(value: Value, call: q.Call, context: Context) -> list[Named]:
    return [("pos", _ordinal([value])), *_explode(value, call, context)]


def _inline(value: Value, call: q.Call, context: Context) -> list[Named] | None:
    items = named_fields(element(value))
    return [(item.name, item.value) for item in items] if items is not None else None


def _flatten(value: Value, call: q.Call, context: Context) -> list[Named]:
    """Snowflake FLATTEN: six fixed columns (Snowflake reference, FLATTEN)."""
    path = _argument(call, "path", 1)
    if isinstance(path, q.Literal) and path.kind == "string":
        for step in path.text.split("."):
            value = expressions.access(value, q.Name(step), True, context)
    counted = _ordinal([value])
    return [("SEQ", counted), ("KEY", counted), ("PATH", counted), ("INDEX", counted), ("VALUE", element(value)),
            ("THIS", value)]


Maker = Callable[[Value, q.Call, Context], "list[Named] | None"]

_MAKERS: dict[str, Maker] = {
    "EXPLODE": _explode,
    "EXPLODE_OUTER": _explode,
    "UNNEST": _explode,
    "POSEXPLODE": _posexplode,
    "POSEXPLODE_OUTER": _posexplode,
    "INLINE": _inline,
    "INLINE_OUTER": _inline,
    "FLATTEN": _flatten,
    "VARIANT_EXPLODE": lambda value, call, context: [("pos", _ordinal([value])), ("key", _ordinal([value])),
                                                     ("value", element(value))],
}


def _stack(call: q.Call, scope: Scope, context: Context) -> list[Named] | None:
    """`stack(2, a, b, c, d)` has two rows of two columns: column 0 holds a and c."""
    if not isinstance(call.args[0], q.Literal) or not call.args[0].text.isdigit():
        return None
    rows = max(int(call.args[0].text), 1)
    cells = [expressions.evaluate(arg, scope, context) for arg in call.args[1:]]
    width = -(-len(cells) // rows)
    return [(f"col{n}", _branches(cells[n::width])) for n in range(width)]


def _branches(cells: list[Value]) -> Value:
    return cells[0] if len(cells) == 1 else one_of(tuple(cells), "UNION")


def _json_tuple(value: Value, call: q.Call) -> list[Named]:
    """`json_tuple(doc, 'a', 'b')`: one column a key, each from the whole text."""
    return [(f"c{n}", derived([value])) for n in range(len(call.args) - 1)]


# ---------------------------------------------------------------- in a select list


def select_columns(projection: q.Projection, scope: Scope, context: Context) -> list[Column] | None:
    """Generators in a select list that make several columns: `inline(runs)`, `posexplode(x) AS (p, v)`."""
    call = projection.value
    assert isinstance(call, q.Call)
    if call.name not in _SEVERAL or not call.args:
        return None
    if call.name == "UNNEST":
        return _spread(projection, call, scope, context)
    made = _generated(call, scope, context)
    if made is None:
        if call.name.startswith("INLINE"):
            unknown = Unknown(Gap("element-type-unknown", "the fields of the array's elements are not declared here"))
            return [Column(name.text, context.fold(name), unknown) for name in projection.aliases] or [
                Column("*", "*", unknown)]
        return None
    names = projection.aliases or ((projection.alias,) if projection.alias is not None else ())
    at = ((projection.start, projection.end),)
    columns = [Column(name, context.dialect.column_key(name), value, at, at[0]) for name, value in made]
    return list(sources.relabelled(columns, names, context))


def _spread(projection: q.Projection, call: q.Call, scope: Scope, context: Context) -> list[Column] | None:
    """DuckDB: UNNEST of a record in a select list gives its fields as columns, whatever its alias.

    `recursive` and `max_depth` go into the elements of an array too.
    """
    value = expressions.evaluate(call.args[0], scope, context)
    if any(named is not None and named.lower() in ("recursive", "max_depth") for named in call.named):
        value = element(value) if is_array(value) else value
    items = named_fields(value) if is_array(value) is not True else None
    if items is None:
        return None
    at = (projection.start, projection.end)
    return [Column(item.name, item.key, item.value, (at,), at) for item in items]


_SEVERAL = frozenset({"EXPLODE", "EXPLODE_OUTER", "POSEXPLODE", "POSEXPLODE_OUTER", "INLINE", "INLINE_OUTER", "STACK",
                      "JSON_TUPLE", "UNNEST"})

