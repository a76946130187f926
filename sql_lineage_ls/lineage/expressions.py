"""Expressions to values.

`evaluate` gives each expression of the query model its value in a scope and notes what every name on the way means.

Longer than other modules: it has one function for each kind of expression, and one table of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from itertools import repeat
from typing import Any

from msgspec.structs import replace

from sql_lineage_ls.catalog.names import is_location
from sql_lineage_ls.catalog.types import DataType, MapType, RecordType, Scalar, Unspecified, Variant
from sql_lineage_ls.lineage import calls, queries, stars
from sql_lineage_ls.lineage.context import Context, nearest
from sql_lineage_ls.lineage.model import (
    FILTER,
    JOIN,
    MEMBERSHIP,
    VALUE,
    WINDOW,
    GeneratedSource,
    Problem,
    path_text,
)
from sql_lineage_ls.lineage.scope import Binding, RangeVariable, Scope, open_record, parameter_columns, resolve
from sql_lineage_ls.lineage.shapes import cast_to
from sql_lineage_ls.lineage.values import (
    ArrayOf,
    Derived,
    Generated,
    Influence,
    Key,
    Record,
    RecordItem,
    Ref,
    Refuted,
    Traced,
    Unknown,
    Value,
    as_document,
    build_record,
    by_names,
    conditions,
    derived,
    element,
    field,
    fields,
    flatten,
    influenced,
    is_array,
    map_value,
    one_of,
    position_field,
    traced,
    type_of,
    weighed,
)
from sql_lineage_ls.syntax import query_model as q


def evaluate(expr: q.Expr, scope: Scope, context: Context) -> Value:
    """The value of an expression: `evaluate(customer.city)` is `Ref(t.customer.city)`."""
    value = _EVALUATORS[type(expr)](expr, scope, context)
    return by_names(value) if context.dialect.records_by_name else value


def influences_of(expr: q.Expr | None, role: str, scope: Scope, context: Context) -> tuple[Influence, ...]:
    """What a predicate reads, in the role `role`: the membership sources of a WHERE."""
    if expr is None:
        return ()
    return weighed((evaluate(expr, scope, context),), role)


def membership(expr: q.Expr | None, kind: str, scope: Scope, context: Context) -> Iterator[Influence]:
    """What a predicate of the clause `kind` (`LEFT`, `WHERE`, ..) reads, each part of its AND for itself.

    Comparisons of two relations make join links and give sources with the use `join`: of
    `ON o.id = l.order_id AND l.open` the source `l.open` is a filter.
    """
    around = context.compares
    with context.joining(kind):
        for part in _conjuncts(expr):
            context.compares = False
            value = evaluate(part, scope, context)
            yield from weighed((value,), MEMBERSHIP, JOIN if context.compares else FILTER)
    context.compares = around


def _conjuncts(expr: q.Expr | None) -> Iterator[q.Expr]:
    waiting = [expr] if expr is not None else []
    while waiting:
        part = waiting.pop()
        if isinstance(part, q.Operation) and part.operator in ("AND", "PAREN") and part.operands:
            waiting.extend(reversed(part.operands))
        else:
            yield part


def unwrapped(value: Value) -> Value:
    """The value under its traces."""
    while isinstance(value, Traced):
        value = value.value
    return value


# ---------------------------------------------------------------- names


def _column(ref: q.ColumnRef, scope: Scope, context: Context) -> Value:
    return located(ref, scope, context, "read")


def located(ref: q.ColumnRef, scope: Scope, context: Context, usage: str) -> Value:
    """The value of a dotted name, noted as a `usage` (`read` or `write`) of the node that it ends at."""
    names = ref.parts
    if context.probe is not None:
        context.probe.name(names, scope, context, usage)
    binding = resolve(names, scope, context)
    _note_qualifier(names, binding, context)
    if binding.range is not None and binding.range.cte >= 0:
        context.ctes.column(binding.range.cte, binding.column.key if binding.column is not None else None)
    if binding.problem:
        _report_name(names, binding, context)
    if isinstance(binding.value, Unknown) and binding.used <= len(names):
        return _note_unknown(names, binding, context)
    value = binding.value
    if binding.kind == "parameter" and binding.used == 1 and isinstance(value, Generated):
        return value
    if binding.used > binding.qualifier:
        _note_column(names[binding.used - 1], value, binding, context, usage if binding.used == len(names) else "")
    for name in names[binding.used :]:
        value = access(value, name, False, context)
    if binding.used < len(names):
        _note_read(value, names[-1], context, usage)
    return value


def written(ref: q.ColumnRef, target: RangeVariable, context: Context, elements: tuple[int, ...] = ()) -> Value:
    """The node that an assignment writes: a column of the target, maybe behind its name or alias, then fields.

    `SET c.name = 'x'` writes the field `name` of the column `c` where the target is not called `c`, in every dialect.
    `elements` are the places behind which a subscript stands: `SET stops[2].town = 'x'` writes `stops[*].town`.
    """
    names = ref.parts
    # A name alone is a column even where the target has that name too.
    scope = Scope(None, [target if len(names) > 1 else replace(target, qualifiers=(), own_name=(), by_key={})])
    keys = tuple([context.fold(name) for name in names])
    qualified = any([target.answers(keys[:length]) for length in range(1, len(names))])
    if not elements and (qualified or len(names) == 1):
        return located(ref, scope, context, "write")
    value = located(q.ColumnRef(names[:1]), scope, context, "")
    for position, name in enumerate(names):
        value = access(value, name, False, context) if position else value
        for _ in range(elements.count(position + 1)):
            value = element(value)
    _note_read(value, names[-1], context, "write")
    return value


def _note_qualifier(names: tuple[q.Name, ...], binding: Binding, context: Context) -> None:
    variable = binding.range
    if variable is None or not binding.qualifier:
        return
    for name in names[: binding.qualifier]:
        note_range(name, variable, context)


def note_range(name: q.Name, variable: RangeVariable, context: Context) -> None:
    """Notes that the token of `name` is a range variable: the `o` of `o.qty`."""
    context.meaning(
        name, "cte" if variable.kind == "cte" else "alias", None,
        relation=variable.relation if variable.stored else "", definitions=variable.definitions,
        columns=variable.columns,
    )


def _note_column(name: q.Name, value: Value, binding: Binding, context: Context, usage: str) -> None:
    variable = binding.range
    stored = value if binding.stored and isinstance(value, Ref) else None
    if stored is not None and usage:
        context.read(stored.relation, stored.path, name, usage)
    if binding.kind == "alias" and variable is not None:
        context.meaning(name, "alias", value, definitions=binding.definitions, columns=variable.columns,
                        relation=variable.relation if variable.stored else "")
        return
    context.meaning(
        name, "column", value, definitions=binding.definitions,
        relation=stored.relation if stored is not None else "", path=stored.path if stored is not None else (),
    )


def _note_unknown(names: tuple[q.Name, ...], binding: Binding, context: Context) -> Unknown:
    """A name without a value: the reason stands at the part that it is about, an orphan's whole path is kept."""
    assert isinstance(binding.value, Unknown)
    at = names[max(binding.used - 1, 0)]
    gap = context.gap(binding.value.gap.kind, binding.value.gap.text, at)
    context.meaning(at, "column", binding.value)
    if gap.kind in ("owner-unproved", "alias-binding-missing"):
        context.orphans[tuple(name.text for name in names[binding.qualifier if binding.used <= 1 else 0 :])] = None
    return Unknown(gap)


def _note_read(value: Value, name: q.Name, context: Context, usage: str = "read") -> None:
    inner = unwrapped(value)
    if isinstance(inner, Ref):
        context.read(inner.relation, inner.path, name, usage)
    elif isinstance(inner, ArrayOf):
        _note_read(inner.value, name, context, usage)


def _report_name(names: tuple[q.Name, ...], binding: Binding, context: Context) -> None:
    at = names[max(binding.used - 1, 0)]
    if binding.problem == "orphan-column" and binding.qualifier:
        at = names[binding.qualifier - 1]
    relation = binding.range.relation if binding.range is not None and binding.range.stored else ""
    suggestion = nearest(at.text, binding.names) if binding.names else ""
    assert isinstance(binding.value, Unknown)
    text = binding.value.gap.text
    if suggestion:
        text += f"; did you mean '{suggestion}'?"
    context.report(Problem(binding.problem, text, at.start, at.end, relation, (), suggestion, binding.owner))


def access(value: Value, name: q.Name, exact: bool, context: Context) -> Value:
    """`.name` of a value, noted and reported."""
    if context.probe is not None:
        context.probe.member(value, name, context)
    found = field(value, _field_name(value, name, exact, context))
    if name.text.isdigit() and not exact and not name.quoted:
        found = position_field(value, int(name.text) - 1)  # `pair.2` of a tuple
    if isinstance(found, Refuted) and name.text in context.dialect.pseudo_fields:
        found = derived([value])
    if isinstance(found, Refuted) and _may_hold_documents(found.type, context):
        found = field(as_document(value), _field_name(value, name, True, context))
    if not isinstance(found, Refuted):
        inner = unwrapped(found)
        if isinstance(inner, ArrayOf):  # `items.sku` of an array of records
            inner = unwrapped(inner.value)
        # The field of a record that the query builds has a name of its own, whatever stored field its value is.
        stored = inner if isinstance(inner, Ref) and not isinstance(unwrapped(value), Record) else None
        context.meaning(name, "field", found, relation=stored.relation if stored else "",
                        path=stored.path if stored else ())
        return found
    return _refuse(found, name, context)


def _may_hold_documents(kind: DataType, context: Context) -> bool:
    return isinstance(kind, Scalar) and kind.text.split("(")[0].strip().upper() in context.dialect.document_types


def _field_name(value: Value, name: q.Name, exact: bool, context: Context) -> Key:
    """The key of a field; one that no DDL declares keeps the spelling of its first read."""
    key = context.key(name, exact)
    inner = unwrapped(value)
    if exact or not isinstance(inner, Ref) or not isinstance(inner.type, (Unspecified, Variant)):
        return key
    return replace(key, name=context.spelled(inner.relation, inner.path, key.key, key.name))


def _refuse(found: Refuted, name: q.Name, context: Context) -> Value:
    owner = _owner_text(found, context)
    suggestion = nearest(name.text, found.names)
    if found.code == "field-of-array":
        text = f"{owner} is an array: unnest it or take an element before reading '{name.text}'"
    elif found.code == "ambiguous-field":
        text = f"{owner} has more than one field '{name.text}'"
    elif isinstance(found.type, Scalar):
        text = f"{owner} is {found.type.text} and has no fields, so no '{name.text}'"
    else:
        text = f"{owner} has no field '{name.text}'" + (f"; did you mean '{suggestion}'?" if suggestion else "")
    relation, path = (found.owner.relation, found.owner.path) if found.owner else ("", ())
    context.report(Problem(found.code, text, name.start, name.end, relation, path, suggestion))
    unknown = Unknown(context.gap(found.code, text, name))
    context.meaning(name, "field", unknown)
    return unknown


def _owner_text(found: Refuted, context: Context) -> str:
    if found.owner is None:
        return "the record built here" if found.code != "field-of-array" else "the value"
    return f"{context.name_of(found.owner.relation)}.{path_text(found.owner.path)}"


# ---------------------------------------------------------------- parts


def _field_access(expr: q.FieldAccess, scope: Scope, context: Context) -> Value:
    value = access(evaluate(expr.base, scope, context), expr.name, expr.exact, context)
    _note_read(value, expr.name, context)
    return value


def _element_access(expr: q.ElementAccess, scope: Scope, context: Context) -> Value:
    base = evaluate(expr.base, scope, context)
    chosen = conditions([evaluate(expr.index, scope, context)]) if expr.index is not None else ()
    if expr.key is not None:
        return influenced(_keyed(base, expr, context), chosen)
    kind = type_of(base)
    if isinstance(expr.index, q.Literal) and expr.index.kind == "number" and isinstance(kind, RecordType):
        found = position_field(base, int(float(expr.index.text)) - 1)
        if isinstance(found, Refuted):
            return Unknown(context.gap(found.code, "no field at this position", expr.index))
        return found
    if isinstance(kind, MapType):
        literal = expr.index.text if isinstance(expr.index, q.Literal) else None
        return influenced(map_value(base, literal), chosen)
    return influenced(element(base), chosen)


def _keyed(base: Value, expr: q.ElementAccess, context: Context) -> Value:
    """A subscript by a constant string: a map's key, a record's field or a semi-structured key."""
    assert expr.key is not None
    kind = type_of(base)
    name = q.Name(expr.key, expr.start, expr.end, True)
    is_map = isinstance(kind, MapType) or (isinstance(kind, Unspecified) and context.dialect.keys_are_map_keys)
    if is_map and fields(base) is None:
        value = map_value(base, expr.key)
    elif isinstance(kind, Variant):
        value = access(base, name, True, context)
    else:
        found = field(base, context.key(name, isinstance(kind, Unspecified)))
        if isinstance(found, Refuted):
            found = Unknown(context.gap("undeclared-field", f"no field '{expr.key}'", expr))
        value = found
    _note_read(value, name, context)
    return value


# ---------------------------------------------------------------- constructors


def _record(expr: q.RecordExpr, scope: Scope, context: Context) -> Value:
    items: list[RecordItem] = []
    rest: Value | None = None
    for part in expr.fields:
        if isinstance(part.value, q.Star):
            inner, more = _star_items(part.value, scope, context)
            items += inner
            rest = more or rest
            continue
        value = evaluate(part.value, scope, context)
        name = part.name or (_implied_name(part.value) if expr.kind == "struct" else None)
        if name is None:
            items.append(RecordItem("", "", value))
            continue
        key = name.text if expr.kind == "object" else context.dialect.field_key(name.text, name.quoted)
        if part.name is not None:
            context.meaning(name, "output", value)
        shown = name.text if expr.kind == "object" else context.show(name)
        items.append(RecordItem(shown, key, value, (name.start, name.end)))
    return build_record(tuple(items), rest=rest, loose=expr.kind == "object")


def _implied_name(expr: q.Expr) -> q.Name | None:
    if isinstance(expr, q.ColumnRef):
        return expr.parts[-1]
    return expr.name if isinstance(expr, q.FieldAccess) else None


def _star_items(star: q.Star, scope: Scope, context: Context) -> tuple[list[RecordItem], Value | None]:
    """`STRUCT(*)`, `OBJECT_CONSTRUCT(*)`: the columns as fields, keys spelled as the database stores them."""
    expanded = stars.expand_star(star, scope, context)
    items = []
    for column in expanded.columns:
        stored = column.key if context.dialect.keys_as_stored else column.name
        items.append(RecordItem(stored, column.key, column.value))
    return items, open_record(expanded.open)


def _array(expr: q.ArrayExpr, scope: Scope, context: Context) -> Value:
    values = tuple(evaluate(item, scope, context) for item in expr.items)
    if len(values) == 1:
        return ArrayOf(values[0])
    return ArrayOf(one_of(values, "EXPRESSION") if values else Generated(GeneratedSource("constant", "[]")))


def _map(expr: q.MapExpr, scope: Scope, context: Context) -> Value:
    keys = tuple(evaluate(key, scope, context) for key in expr.keys)
    values = tuple(evaluate(value, scope, context) for value in expr.values)
    entry = (RecordItem("key", "key", one_of(keys, "STRUCT")), RecordItem("value", "value", one_of(values, "STRUCT")))
    return ArrayOf(Record(entry), True)


def _cast(expr: q.Cast, scope: Scope, context: Context) -> Value:
    target = context.schemas.data_type(expr.type)
    return cast_to(evaluate(expr.value, scope, context), target, context.dialect.casts_by_name)


# ---------------------------------------------------------------- everything else


def _literal(expr: q.Literal, scope: Scope, context: Context) -> Value:
    text = f"'{expr.text}'" if expr.kind == "string" else expr.text
    kind = "default" if expr.kind == "other" and text.upper() == "DEFAULT" else "constant"
    return Generated(GeneratedSource(kind, text))


def _parameter(expr: q.Parameter, scope: Scope, context: Context) -> Value:
    if expr.text.lstrip("$").isdigit() and len(scope.visible()) == 1:
        # `$1` is the first column of the source (Snowflake: of VALUES, of staged files).
        name = q.Name("$" + expr.text.lstrip("$"), expr.start, expr.end)
        variable = scope.visible()[0]
        if (variable.closed and context.dialect.numbered_columns) or is_location(variable.relation):
            return _numbered(name, variable, context)
    if expr.template:
        return Unknown(context.gap("template", f"{expr.text} is not rendered: what it reads is not known", expr))
    return Generated(GeneratedSource("parameter", expr.text))


def _numbered(name: q.Name, variable: RangeVariable, context: Context) -> Value:
    if not variable.closed:
        found = variable.open[0].column(name.text)
        relation, path = (found.relation, found.path) if isinstance(found, Ref) else ("", ())
        context.meaning(name, "column", found, relation=relation, path=path)
        return found
    position = int(name.text[1:]) - 1
    if not 0 <= position < len(variable.columns):
        return Unknown(context.gap("undeclared-column", f"{variable.name} has no column {name.text}", name))
    value = variable.columns[position].value
    context.meaning(name, "column", value, definitions=variable.columns[position].definitions)
    return value


def _case(expr: q.Case, scope: Scope, context: Context) -> Value:
    tests = [evaluate(expr.operand, scope, context)] if expr.operand is not None else []
    values = []
    for condition, value in expr.whens:
        tests.append(evaluate(condition, scope, context))
        values.append(evaluate(value, scope, context))
    if expr.default is not None:
        values.append(evaluate(expr.default, scope, context))
    return influenced(one_of(tuple(values), "CASE"), conditions(tests), "CASE")


def _lambda(expr: q.Lambda, scope: Scope, context: Context) -> Value:
    # A lambda outside a known higher-order function: its parameters are known names of unknown value.
    unknown = Derived()
    inner = scope.with_parameters(parameter_columns(expr.params, repeat(unknown), context))
    return derived([evaluate(expr.body, inner, context)])


def _subquery(expr: q.SubqueryExpr, scope: Scope, context: Context) -> Value:
    result = queries.bind_query(expr.query, scope, context)
    if expr.kind in ("exists", "in"):
        operands = [evaluate(expr.operand, scope, context)] if expr.operand is not None else []
        if expr.kind == "in" and operands and len(result.columns) == 1:
            context.join(operands[0], result.columns[0].value, "SEMI")
        if expr.kind == "exists":
            return influenced(derived(operands), (*result.influences, *queries.only_counted(result)))
        inner = weighed((column.value for column in result.columns), MEMBERSHIP, JOIN)
        return influenced(derived(operands), (*inner, *result.influences))
    value = result.row or (result.columns[0].value if result.columns else open_record(result.open))
    if value is None:
        return Unknown(context.gap("wildcard-unexpanded", "the columns of the subquery are not known"))
    value = influenced(value, result.influences)
    return ArrayOf(value) if expr.kind == "array" else value


def _window(expr: q.Window, scope: Scope, context: Context) -> Value:
    value = evaluate(expr.value, scope, context)
    items = (*expr.partition_by, *expr.order_by, *_named_window(expr.window, scope, context, set()))
    reads = [evaluate(item, scope, context) for item in items]
    return traced(value, weighed(reads, WINDOW), (), "WINDOW")


def _named_window(name: q.Name | None, scope: Scope, context: Context, seen: set[str]) -> tuple[q.Expr, ...]:
    """The expressions of a WINDOW clause's entry and of the entries that it extends."""
    if name is None or context.fold(name) in seen:
        return ()
    key = context.fold(name)
    found = next((level.windows[key] for level in scope.levels() if key in level.windows), None)
    if found is None:
        return ()
    more = _named_window(found.base, scope, context, seen | {key})
    return (*found.partition_by, *found.order_by, *more)


def _operation(expr: q.Operation, scope: Scope, context: Context) -> Value:
    values = [evaluate(operand, scope, context) for operand in expr.operands]
    if expr.operator in ("PAREN", "COLLATE") and values:
        return values[0]
    if expr.operator in _EQUALS and len(values) == 2:
        context.join(values[0], values[1], "", alone=_Alone(scope))
    elif expr.operator in _COMPARES and not any(isinstance(operand, q.SubqueryExpr) for operand in expr.operands):
        relations = {s.relation for value in values for s in flatten(value).sources if s.role == VALUE}
        context.compares = context.compares or len(relations) > 1
    if expr.operator in ("||", "CONCAT") and values and all(isinstance(v, ArrayOf) for v in values):
        return ArrayOf(one_of(tuple(element(v) for v in values), "EXPRESSION"))
    if expr.operator in ("||", "CONCAT") and values and all(map(is_array, values)):
        return one_of(values, "EXPRESSION")
    return derived(values)


_EQUALS = frozenset({"=", "==", "EQ", "<=>"})
_COMPARES = frozenset({"<", ">", "<=", ">=", "<>", "!=", "BETWEEN", "LIKE", "ILIKE"})


class _Alone(Container[str]):
    """The relations that stand once in the FROM clauses that can be seen; asked for seldom."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def __contains__(self, relation: object) -> bool:
        return sum(relation in variable.rows for level in self._scope.levels() for variable in level.ranges) < 2


def _star(expr: q.Star, scope: Scope, context: Context) -> Value:
    # A star that is no select item: COUNT(t.*), whole-row arguments.
    expanded = stars.expand_star(expr, scope, context)
    items = tuple(RecordItem(c.name, c.key, c.value) for c in expanded.columns)
    return Record(items, rest=open_record(expanded.open))


def _columns_pattern(expr: q.ColumnsPattern, scope: Scope, context: Context) -> Value:
    current = context.matched_column
    if current is not None:
        return current
    return derived([c.value for c in stars.matching_columns(expr, scope, context)])


def _applied(expr: q.Applied, scope: Scope, context: Context) -> Value:
    return evaluate(expr.columns, scope, context)


def _call(expr: q.Call, scope: Scope, context: Context) -> Value:
    return calls.evaluate_call(expr, scope, context)


_EVALUATORS: dict[type, Callable[[Any, Scope, Context], Value]] = {
    q.ColumnRef: _column,
    q.FieldAccess: _field_access,
    q.ElementAccess: _element_access,
    q.Star: _star,
    q.ColumnsPattern: _columns_pattern,
    q.Applied: _applied,
    q.Literal: _literal,
    q.Parameter: _parameter,
    q.Call: _call,
    q.RecordExpr: _record,
    q.ArrayExpr: _array,
    q.MapExpr: _map,
    q.Case: _case,
    q.Cast: _cast,
    q.Lambda: _lambda,
    q.SubqueryExpr: _subquery,
    q.Window: _window,
    q.Operation: _operation,
}
