"""Function calls to values: what a function does to the shape of its arguments (`lineage.functions`)."""

from __future__ import annotations

from collections.abc import Callable

from sql_lineage_ls.lineage import expressions
from sql_lineage_ls.lineage import functions as f
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.model import FILTER, MEMBERSHIP, ORDERING, ROWS, GeneratedSource, Source
from sql_lineage_ls.lineage.naming import implied_name
from sql_lineage_ls.lineage.scope import Scope, parameter_columns
from sql_lineage_ls.lineage.shapes import written_to
from sql_lineage_ls.lineage.values import (
    ArrayOf,
    Derived,
    Generated,
    Record,
    RecordItem,
    Refuted,
    Unknown,
    Value,
    as_document,
    conditions,
    derived,
    element,
    fields,
    influenced,
    is_array,
    map_entry,
    one_of,
    position_field,
    traced,
    unique,
    weighed,
)
from sql_lineage_ls.syntax import query_model as q


def evaluate_call(call: q.Call, scope: Scope, context: Context) -> Value:
    """The value of a function call: `ANY_VALUE(customer)` is `Ref(t.customer)`, `COALESCE(a, b)` one of both."""
    if context.dialect.elements_in_brackets and context.dialect.column_key(call.name) in context.options.variables:
        return Generated(GeneratedSource("parameter", call.name))
    value = _shape(call, scope, context)
    if not call.order_by and call.filter is None:
        return value
    extra = weighed((expressions.evaluate(item, scope, context) for item in call.order_by), ORDERING)
    if call.filter is not None:
        extra += weighed((expressions.evaluate(call.filter, scope, context),), MEMBERSHIP, FILTER)
    return influenced(value, extra)


def _shape(call: q.Call, scope: Scope, context: Context) -> Value:
    if call.name in f.ROW_COUNTS and _counts_rows(call):
        return _row_count(call, scope)
    if call.name in f.SEQUENCES:
        return _next_number(call)
    if any([isinstance(arg, q.Lambda) for arg in call.args]):
        return _higher_order(call, scope, context)
    if call.name in f.OBJECTS and call.args and isinstance(call.args[0], q.Star):
        whole = q.RecordExpr("object", (q.RecordField(None, call.args[0]),))
        return expressions.evaluate(whole, scope, context)
    excluded = _excluded(call, scope, context)
    if excluded is not None:
        return excluded
    if call.name in context.dialect.row_functions and call.args:
        row = _row_function(call, scope, context)
        if row is not None:
            return row
    args = [expressions.evaluate(arg, scope, context) for arg in call.args]
    body = _inlined(call, args, context)
    if body is not None:
        return body
    if not args:
        return _niladic(call)
    if call.name in f.ARRAYS_ZIP:
        return _zip(call, args, context)
    shape = _SHAPES.get(call.name)
    if shape is not None:
        return shape(args)
    return derived(args, "AGGREGATE" if call.aggregate else "EXPRESSION")


def _inlined(call: q.Call, args: list[Value], context: Context) -> Value | None:
    """A call of the user's SQL function is its body with the arguments in the place of the parameters."""
    called = context.schemas.called(call.name) if context.depth < _DEEPEST_CALL else None
    if called is None or any(named is not None for named in call.named):
        return None
    definition = called.definition
    if definition.returns or len(definition.params) != len(args):
        return None
    inside = context.inside()
    scope = Scope(parameters=parameter_columns([param.name for param in definition.params], args, inside))
    body = definition.body
    if body is None and definition.query is not None:
        body = q.SubqueryExpr("scalar", definition.query)
    if body is None:
        return None
    value = expressions.evaluate(body, scope, inside)
    # What it returns has the names of the declared type.
    return value if definition.result is None else written_to(value, context.schemas.data_type(definition.result))


_DEEPEST_CALL = 8


def _excluded(call: q.Call, scope: Scope, context: Context) -> Value | None:
    """MySQL: `VALUES(qty)` in ON DUPLICATE KEY UPDATE is the value that the new row would have had."""
    if call.name != "VALUES" or len(call.args) != 1 or not isinstance(call.args[0], q.ColumnRef):
        return None
    key = (context.dialect.column_key("excluded"),)
    row = next((variable for variable in scope.ranges if variable.answers(key)), None)
    found = row.by_key.get(context.fold(call.args[0].parts[-1]), []) if row is not None else []
    return found[0].value if found else None


def _row_function(call: q.Call, scope: Scope, context: Context) -> Value | None:
    """Oracle: `REF(o)` is of the row that an alias stands for, `MAKE_REF(v, key)` names a view first."""
    first, rest = call.args[0], call.args[1:]
    if not isinstance(first, q.ColumnRef) or (len(first.parts) > 1 and not rest):
        return None
    if rest:
        return derived([expressions.evaluate(arg, scope, context) for arg in rest], "EXPRESSION")
    key = (context.fold(first.parts[0]),)
    variable = next((one for level in scope.levels() for one in level.ranges if one.answers(key)), None)
    return None if variable is None else derived([variable.whole_row()], "EXPRESSION")


def _counts_rows(call: q.Call) -> bool:
    """COUNT(*), COUNT() and COUNT(1) count rows, and so does SUM(1)."""
    if not call.args:
        return call.name in f.COUNTS
    first = call.args[0]
    if isinstance(first, q.Star):
        return call.name in f.COUNTS and first.qualifier is None
    return isinstance(first, q.Literal) and first.kind != "other" and first.text.upper() != "NULL"


def _row_count(call: q.Call, scope: Scope) -> Value:
    """COUNT(*) depends on which rows there are, on no column (docs/model.md, "Edges")."""
    rows = dict.fromkeys(relation for variable in scope.visible() for relation in variable.rows)
    counted = (source for variable in scope.visible() for source in variable.counted)
    sources = unique((*(Source(relation, ROWS, MEMBERSHIP, "AGGREGATE") for relation in rows), *counted))
    what = call.args[0].text if call.args and isinstance(call.args[0], q.Literal) else "*"
    return traced(Generated(GeneratedSource("system", f"{call.name}({what})")), sources, (), "AGGREGATE")


def _next_number(call: q.Call) -> Value:
    """`nextval('s')`, `NEXT VALUE FOR s`: the argument names the sequence, it is no column."""
    named = call.args[0] if call.args else None
    text = f"'{named.text}'" if isinstance(named, q.Literal) else ""
    if isinstance(named, q.ColumnRef):
        text = ".".join(part.text for part in named.parts)
    written = f"NEXT VALUE FOR {text}" if call.name == "NEXT_VALUE_FOR" else f"{call.name}({text})"
    return Generated(GeneratedSource("sequence", written))


def _niladic(call: q.Call) -> Value:
    if call.name in f.ORDINALS:
        return Generated(GeneratedSource("ordinal", f"{call.name}()"))
    if call.name in f.GROUPING_ONLY:
        return Generated(GeneratedSource("system", f"{call.name}()"))
    return Generated(GeneratedSource("system", call.name if call.name in f.SYSTEM else f"{call.name}()"))


# ---------------------------------------------------------------- shapes

Shape = Callable[[list[Value]], Value]


def _same(args: list[Value]) -> Value:
    return influenced(args[0], conditions(args[1:]))


def _extreme(args: list[Value]) -> Value:
    """MAX(x); of MAX(STRUCT(at, qty)).qty the value is qty, and all of the record says which row it is taken from."""
    if len(args) > 1 or fields(args[0]) is None:
        return derived(args, "AGGREGATE")
    return _selected([args[0], args[0]])


def _selected(args: list[Value]) -> Value:
    chosen = weighed(args[1:], ORDERING)
    return traced(args[0], chosen, (), "AGGREGATE")


def _shifted(args: list[Value]) -> Value:
    value = one_of((args[0], args[2]), "WINDOW") if len(args) > 2 else args[0]
    return influenced(value, conditions(args[1:2]))


def _choice(args: list[Value]) -> Value:
    return one_of(tuple(args), "EXPRESSION") if len(args) > 1 else args[0]


def _collected(args: list[Value]) -> Value:
    return traced(ArrayOf(args[0]), conditions(args[1:]), (), "AGGREGATE")


def _joined(args: list[Value]) -> Value:
    parts = tuple(element(arg) if fields(arg) is None and not _scalar_item(arg, args) else arg for arg in args)
    return ArrayOf(one_of(parts, "EXPRESSION") if len(parts) > 1 else parts[0])


def _scalar_item(arg: Value, args: list[Value]) -> bool:
    """ARRAY_APPEND(array, item): the item is no array itself."""
    return arg is not args[0] and isinstance(arg, (Record, Derived, Generated))


def _flattened_whole(args: list[Value]) -> Value:
    value = args[0]
    while is_array(element(value)):
        value = ArrayOf(element(element(value)))
    return value


def _element_of(args: list[Value]) -> Value:
    return influenced(element(args[0]), conditions(args[1:]))


def _zip(call: q.Call, args: list[Value], context: Context) -> Value:
    """An array of records: their fields have the arguments' names in Spark (`arrays_zip`), else their positions."""
    items = []
    for n, (written, arg) in enumerate(zip(call.args, args, strict=True)):
        named = implied_name(written, context.dialect) if context.dialect.array_fields else None
        name, key = (named.text, context.fold(named)) if named is not None else (str(n), str(n))
        items.append(RecordItem(name, key, element(arg)))
    return ArrayOf(Record(tuple(items)))


def _nvl2(args: list[Value]) -> Value:
    return influenced(one_of(tuple(args[1:]), "CASE"), conditions(args[:1]), "CASE")


def _nullif(args: list[Value]) -> Value:
    return influenced(derived(args[:1]), conditions(args[1:]))


def _ordinal(args: list[Value]) -> Value:
    return influenced(Generated(GeneratedSource("ordinal", "NTILE")), conditions(args))


def _entry(key: Value, value: Value) -> Record:
    return Record((RecordItem("key", "key", key), RecordItem("value", "value", value)))


def _map_entries(args: list[Value]) -> Value:
    return ArrayOf(_entry(map_entry(args[0], "key"), map_entry(args[0], "value")))


def _map_collected(args: list[Value], value: Value) -> Value:
    return traced(ArrayOf(_entry(args[0], value), entries=True), (), (), "AGGREGATE")


def _map_from_entries(args: list[Value]) -> Value:
    """The first field of each record is the key, the second the value, whatever their names."""
    entry = element(args[0])
    parts = [position_field(entry, position) for position in (0, 1)]
    key, value = (entry if isinstance(part, Refuted) else part for part in parts)
    return ArrayOf(_entry(key, value), entries=True)


_SHAPES: dict[str, Shape] = {
    **dict.fromkeys(f.SAME, _same),
    **dict.fromkeys(f.PARSED, lambda args: as_document(args[0])),
    **dict.fromkeys(f.EXTREMES, _extreme),
    **dict.fromkeys(f.SELECTED, _selected),
    **dict.fromkeys(f.SHIFTED, _shifted),
    **dict.fromkeys(f.CHOICE, _choice),
    **dict.fromkeys(f.COLLECTED, _collected),
    **dict.fromkeys(f.JOINED, _joined),
    **dict.fromkeys(f.ELEMENT_OF, _element_of),
    **dict.fromkeys(f.MAP_KEYS, lambda args: ArrayOf(map_entry(args[0], "key"))),
    **dict.fromkeys(f.MAP_VALUES, lambda args: ArrayOf(map_entry(args[0], "value"))),
    **dict.fromkeys(f.MAP_COLLECTED, lambda args: _map_collected(args, args[-1])),
    **dict.fromkeys(f.MULTIMAP_COLLECTED, lambda args: _map_collected(args, ArrayOf(args[-1]))),
    **dict.fromkeys(f.GROUPED_ELEMENTS, lambda args: ArrayOf(ArrayOf(element(args[0])))),
    **dict.fromkeys(f.MERGED_MAPS, lambda args: one_of(tuple(args), "EXPRESSION")),
    **dict.fromkeys(f.FLATTENED, lambda args: ArrayOf(element(element(args[0])))),
    **dict.fromkeys(f.MAP_ENTRIES, _map_entries),
    **dict.fromkeys(f.MAP_FROM_ENTRIES, _map_from_entries),
    **dict.fromkeys(f.FLATTENED_WHOLE, _flattened_whole),
    **dict.fromkeys(f.ORDINALS, _ordinal),
    "NVL2": _nvl2,
    "NULLIF": _nullif,
}


# ---------------------------------------------------------------- lambdas


def _higher_order(call: q.Call, scope: Scope, context: Context) -> Value:
    """`transform(items, x -> x.qty)` is `ArrayOf(items[*].qty)`: the parameter is an element of the array."""
    plain = [expressions.evaluate(arg, scope, context) for arg in call.args if not isinstance(arg, q.Lambda)]
    functions = [arg for arg in call.args if isinstance(arg, q.Lambda)]
    if not plain:
        return Unknown(context.gap("expression-unresolved", f"{call.name} has no array to apply its function to", call))
    if call.name in f.FOLDED:
        return _folded(functions, element(plain[0]), plain, scope, context)
    if call.name in f.FOLDED_ROWS:
        return _folded(functions[:1], plain[0], plain, scope, context)
    bodies = [_apply(function, call.name, plain, scope, context) for function in functions]
    source = plain[0]
    if call.name in f.MAPPED or call.name in f.ZIPPED:
        return ArrayOf(bodies[0])
    if call.name in f.FILTERED:
        return influenced(source, conditions(bodies))
    if call.name in f.SORTED:
        return influenced(source, weighed(bodies, ORDERING))
    if call.name in f.FOUND:
        return influenced(element(source), conditions(bodies))
    if call.name in ("TRANSFORM_VALUES", "TRANSFORM_KEYS"):
        kept = "key" if call.name == "TRANSFORM_VALUES" else "value"
        other = map_entry(source, kept)
        return ArrayOf(_entry(other, bodies[0]) if kept == "key" else _entry(bodies[0], other), entries=True)
    return derived([*bodies, *plain[1:]] if bodies else plain)


def _folded(
    functions: list[q.Lambda], item: Value, plain: list[Value], scope: Scope, context: Context
) -> Value:
    """`reduce(xs, 0, (s, x) -> s + x.qty, s -> s)`: the state starts as the second argument and takes elements in."""
    start = plain[1] if len(plain) > 1 else item
    merged = _bind(functions[0], [start, item], scope, context)
    state = derived([start, merged])
    return _bind(functions[1], [state], scope, context) if len(functions) > 1 else state


def _apply(function: q.Lambda, name: str, plain: list[Value], scope: Scope, context: Context) -> Value:
    values = [_argument(position, name, plain) for position in range(len(function.params))]
    return _bind(function, values, scope, context)


def _bind(function: q.Lambda, values: list[Value], scope: Scope, context: Context) -> Value:
    for parameter, value in zip(function.params, values, strict=False):
        context.meaning(parameter, "parameter", value)
    parameters = parameter_columns(function.params, values, context)
    return expressions.evaluate(function.body, scope.with_parameters(parameters), context)


def _argument(position: int, name: str, plain: list[Value]) -> Value:
    """What the lambda's parameter at `position` stands for."""
    if name in f.ZIPPED:
        return element(plain[position]) if position < len(plain) else Derived()
    if name.startswith("MAP_") or name in ("TRANSFORM_VALUES", "TRANSFORM_KEYS"):
        return map_entry(plain[0], ("key", "value")[min(position, 1)])
    if position == 0:
        return element(plain[0])
    if name in ("ARRAYMAP", "ARRAYFILTER", "ARRAYSORT") and position < len(plain):
        return element(plain[position])
    if name == "ARRAY_SORT":
        return element(plain[0])
    return Generated(GeneratedSource("ordinal", "index"))

