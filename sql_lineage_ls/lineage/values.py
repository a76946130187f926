"""Values: what an expression is made of, as a tree (docs/model.md, "Values made of other values").

An expression is evaluated to a value, never to a flat set of columns, so that a later `.field` or `[index]` still
finds its own source: `STRUCT(x AS p, y AS q).p` reads `x` alone.

Longer than other modules: each operation has a case for each kind of value, and the kinds are one closed set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, Union

from msgspec import Struct

from sql_lineage_ls.catalog.types import (
    ArrayType,
    DataType,
    Field,
    MapType,
    RecordType,
    Scalar,
    Site,
    Unspecified,
    Variant,
)
from sql_lineage_ls.lineage.model import (
    CONDITION,
    DIRECT_ROLES,
    VALUE,
    Gap,
    GeneratedSource,
    Node,
    Path,
    Source,
    Step,
)

ELEMENT = "[*]"
UNSPECIFIED = Unspecified()

# What was done to a value: of two transforms on one way the later one here is the one to tell.
_WEIGHT = {
    name: weight
    for weight, name in enumerate(
        ("IDENTITY", "RENAME", "UNNEST", "STRUCT", "UNION", "CONSTANT", "CAST", "EXPRESSION", "PIVOT", "CASE", "WINDOW",
         "AGGREGATE")
    )
}
# What any other transform weighs: as much as EXPRESSION.
_UNTOLD = 7
_Item = TypeVar("_Item")


class Ref(Struct, frozen=True, gc=False):
    """The value of a stored node."""

    relation: str
    path: Path
    type: DataType = UNSPECIFIED

    @property
    def node(self) -> Node:
        return Node(self.relation, self.path)


class RecordItem(Struct, frozen=True, gc=False):
    """One field of a `Record`: as shown, as compared, its value, and the token of the statement that names it."""

    name: str
    key: str
    value: Value
    definition: tuple[int, int] = (-1, -1)


class Record(Struct, frozen=True, dict=True):
    """A record that the query builds. `declared` where a type in the statement names its fields (CAST AS ROW(..)).

    `open` where it may have more fields than `items` (a row of a relation without schema); they come from `rest`.
    """

    items: tuple[RecordItem, ...]
    declared: bool = False
    rest: Union[Value, None] = None
    positional: bool = False
    # A semi-structured object: a key that it does not have is NULL, not an error.
    loose: bool = False
    # How many parts the record has, those of its fields included.
    weight: int = 1


class ArrayOf(Struct, frozen=True, gc=False):
    """An array that the query builds; `value` is any of its elements. `entries` where it is a map of these."""

    value: Value
    entries: bool = False


class OneOf(Struct, frozen=True, dict=True):
    """One of several values: branches of CASE, COALESCE, UNION."""

    values: tuple[Value, ...]
    transform: str = "CASE"
    # Fields come together by their names, not by position (`Dialect.records_by_name`).
    by_name: bool = False


class Derived(Struct, frozen=True, gc=False):
    """A value computed from sources; its parts cannot be told apart."""

    sources: tuple[Source, ...] = ()
    generated: tuple[GeneratedSource, ...] = ()
    gaps: tuple[Gap, ...] = ()
    transform: str = "EXPRESSION"
    type: DataType = UNSPECIFIED


class Generated(Struct, frozen=True, gc=False):
    """A value that no relation holds."""

    source: GeneratedSource
    type: DataType = UNSPECIFIED


class Unknown(Struct, frozen=True, gc=False):
    """What is not proved, and why."""

    gap: Gap


class Traced(Struct, frozen=True, dict=True):
    """`value`, which also depends on `influences` (never as its value) and came by `steps`."""

    value: Value
    influences: tuple[Influence, ...] = ()
    steps: tuple[Step, ...] = ()
    transform: str = "IDENTITY"


Influence = Union[Source, Gap]
"""What decides over a value without being it, or a fact that is missing to tell."""

_Said = TypeVar("_Said", Source, Influence)


class Refuted(Struct, frozen=True, gc=False):
    """A field or element that the type of `owner` rules out. Never part of a tree: the binder reports it.

    `code` is `undeclared-field`, `ambiguous-field` or `field-of-array`; `names` are the fields that do exist.
    """

    code: str
    owner: Union[Ref, None]
    names: tuple[str, ...] = ()
    type: DataType = UNSPECIFIED


Value = Union[Ref, Record, ArrayOf, OneOf, Derived, Generated, Unknown, Traced]


class Key(Struct, frozen=True, gc=False):
    """The name of a field that is asked for: as written, as compared, and whether it is a semi-structured key.

    `array_fields` and `map_fields` are the dialect's rules (`syntax.dialects.Dialect`).
    """

    name: str
    key: str
    exact: bool = False
    array_fields: bool = False
    map_fields: bool = False


class Flow(Struct, frozen=True, gc=False):
    """A value flattened: everything that enters it, in order, without repeats."""

    sources: tuple[Source, ...] = ()
    generated: tuple[GeneratedSource, ...] = ()
    gaps: tuple[Gap, ...] = ()
    steps: tuple[Step, ...] = ()
    transform: str = "IDENTITY"


def stronger(one: str, other: str) -> str:
    """The transform of the two that tells more: `AGGREGATE` over `EXPRESSION`."""
    return one if _WEIGHT.get(one, _UNTOLD) >= _WEIGHT.get(other, _UNTOLD) else other


def unique(items: Iterable[_Said]) -> tuple[_Said, ...]:
    """The sources in order, one for each node, role and use; and each gap once."""
    found = items if isinstance(items, tuple) else tuple(items)
    if len(found) < 2:
        return found
    keys = {(item.relation, item.path, item.role, item.use) for item in found}
    if len(keys) == len(found):
        return found
    seen: dict[object, _Said] = {}
    for item in found:
        key = item if isinstance(item, Gap) else (item.relation, item.path, item.role, item.use)
        seen.setdefault(key, item)
    return tuple(seen.values())


def traced(
    value: Value, influences: Iterable[Influence] = (), steps: Iterable[Step] = (), transform: str = "IDENTITY"
) -> Value:
    """`value` with what it also depends on; traces never nest, so that a chain of a hundred CTEs stays one deep."""
    if isinstance(value, Traced):
        return Traced(
            value.value, unique((*value.influences, *influences)), tuple(dict.fromkeys((*value.steps, *steps))),
            stronger(value.transform, transform),
        )
    found, steps = unique(influences), tuple(dict.fromkeys(steps)) if steps else ()
    if not found and not steps and transform == "IDENTITY":
        return value
    return Traced(value, found, steps, transform)


def one_of(values: Iterable[Value], transform: str = "CASE", by_name: bool = False) -> Value:
    """One of several values, each once; choices of choices are one choice, so that they do not double with each CTE."""
    parts: dict[Value, None] = {}
    influences: list[Influence] = []
    steps: list[Step] = []
    for value in values:
        if isinstance(value, Traced):
            influences += value.influences
            steps += value.steps
            transform = stronger(transform, value.transform)
            value = value.value
        if isinstance(value, OneOf):
            transform = stronger(transform, value.transform)
            by_name = by_name or value.by_name
            parts.update(dict.fromkeys(value.values))
        else:
            parts[value] = None
    choices = tuple(parts)
    if len(choices) == 1:
        return traced(choices[0], unique(influences), dict.fromkeys(steps), transform)
    return traced(OneOf(choices, transform, by_name), unique(influences), dict.fromkeys(steps))


def build_record(
    items: tuple[RecordItem, ...], *, rest: Value | None = None, declared: bool = False, loose: bool = False
) -> Value:
    """A record made of `items`. One that nests into itself again and again is taken as a whole (`MAX_WEIGHT`)."""
    total = sum(_weight_of(item.value) for item in items)
    if total > MAX_WEIGHT:
        return derived([item.value for item in items], "STRUCT")
    positional = any(not item.name for item in items)
    return Record(items, declared, rest, positional, loose, max(total, 1))


MAX_WEIGHT = 2_000
"""Parts of a record that are told apart. Far beyond any record that a person writes."""


def _weight_of(value: Value) -> int:
    if isinstance(value, Record):
        return value.weight
    if isinstance(value, (Traced, ArrayOf)):
        return _weight_of(value.value)
    if isinstance(value, OneOf):
        return sum(_weight_of(item) for item in value.values)
    return 1


# ---------------------------------------------------------------- parts of a value


def field(value: Value, key: Key) -> Value | Refuted:
    """The value of `.key`: `field(Ref(t.customer), city)` is `Ref(t.customer.city)` unless the type rules it out."""
    if isinstance(value, Ref):
        return _ref_field(value, key)
    if isinstance(value, Record):
        return _record_field(value, key)
    if isinstance(value, OneOf):
        return _choice_field(value, key)
    if isinstance(value, Traced):
        inner = field(value.value, key)
        return inner if isinstance(inner, Refuted) else _retrace(value, inner)
    if isinstance(value, ArrayOf):
        if value.entries and key.map_fields:
            return map_value(value, key.name)
        if not key.array_fields:
            return Refuted("field-of-array", None)
        inner = field(value.value, key)
        return inner if isinstance(inner, Refuted) else ArrayOf(inner)
    return value


def element(value: Value) -> Value:
    """One element of an array, or the value of a map's entry."""
    if isinstance(value, Ref):
        return _ref_element(value)
    if isinstance(value, ArrayOf):
        return value.value
    if isinstance(value, OneOf):
        return one_of(tuple(element(item) for item in value.values), value.transform, value.by_name)
    if isinstance(value, Traced):
        return _retrace(value, element(value.value))
    return value


def as_document(value: Value) -> Value:
    """A stored text read as a document: PARSE_JSON(payload).city is `payload.city`."""
    if isinstance(value, Traced):
        return _retrace(value, as_document(value.value))
    return Ref(value.relation, value.path, Variant("JSON")) if isinstance(value, Ref) else value


def map_value(value: Value, literal: str | None) -> Value:
    """`m[k]`: a literal key is a node of its own below a stored map, any other key reads `m[*].value`."""
    if isinstance(value, Ref) and literal is not None:
        inner = value.type.value if isinstance(value.type, MapType) else UNSPECIFIED
        return Ref(value.relation, (*value.path, f"['{literal}']"), inner)
    if isinstance(value, Traced):
        return _retrace(value, map_value(value.value, literal))
    if isinstance(value, OneOf):
        return one_of(tuple(map_value(item, literal) for item in value.values), value.transform, value.by_name)
    entry = element(value)
    if isinstance(value, Ref) and isinstance(value.type, MapType):
        return entry
    found = field(entry, Key("value", "value"))
    return entry if isinstance(found, Refuted) else found


def map_entry(value: Value, part: str) -> Value:
    """The `key` or `value` of a map's entries: `map_entry(Ref(t.m), "key")` is `Ref(t.m[*].key)`."""
    if isinstance(value, Ref):
        type_ = value.type
        inner: DataType = UNSPECIFIED
        if isinstance(type_, MapType):
            inner = type_.key if part == "key" else type_.value
        return Ref(value.relation, (*value.path, ELEMENT, part), inner)
    if isinstance(value, Traced):
        return _retrace(value, map_entry(value.value, part))
    if isinstance(value, OneOf):
        return one_of(tuple(map_entry(item, part) for item in value.values), value.transform, value.by_name)
    found = field(element(value), Key(part, part))
    return value if isinstance(found, Refuted) else found


def position_field(value: Value, position: int) -> Value | Refuted:
    """The field at `position`, counted from 0: `row[2]` of Trino, `t.2` of ClickHouse."""
    if isinstance(value, Traced):
        inner = position_field(value.value, position)
        return inner if isinstance(inner, Refuted) else _retrace(value, inner)
    if isinstance(value, Record) and value.rest is None:
        if position < len(value.items):
            return value.items[position].value
        return Refuted("undeclared-field", None, tuple(item.name for item in value.items))
    if isinstance(value, Ref) and isinstance(value.type, RecordType):
        if position < len(value.type.fields):
            return _child(value, value.type.fields[position])
        return Refuted("undeclared-field", value, tuple(f.name for f in value.type.fields), value.type)
    if isinstance(value, OneOf):
        parts = [position_field(item, position) for item in value.values]
        proved = [part for part in parts if not isinstance(part, Refuted)]
        return one_of(proved, value.transform) if proved else parts[0]
    return element(value)


def fields(value: Value) -> tuple[RecordItem, ...] | None:
    """All fields of a record value in order, None where they are not known."""
    if isinstance(value, Ref) and isinstance(value.type, RecordType):
        return tuple(RecordItem(f.name, f.key, _child(value, f)) for f in value.type.fields)
    if isinstance(value, Record):
        return value.items if value.rest is None else None
    if isinstance(value, Traced):
        inner = fields(value.value)
        if inner is None:
            return None
        return tuple(RecordItem(i.name, i.key, _retrace(value, i.value)) for i in inner)
    if isinstance(value, OneOf):
        return _common_fields(value)
    return None


def named_fields(value: Value) -> tuple[RecordItem, ...] | None:
    """The fields of a record by name, None where they are not known or one has no name (`ROW(a, b)`)."""
    items = fields(value)
    return items if items is not None and all(item.name for item in items) else None


def is_array(value: Value) -> bool | None:
    """Whether the value is an array, None where that is not known."""
    if isinstance(value, ArrayOf):
        return True
    if isinstance(value, Traced):
        return is_array(value.value)
    if isinstance(value, OneOf):
        known = {is_array(item) for item in value.values}
        return known.pop() if len(known) == 1 else None
    kind = type_of(value)
    if isinstance(kind, (Unspecified, Variant)):
        return None
    return isinstance(kind, ArrayType)


def _retrace(outer: Traced, value: Value) -> Value:
    return traced(value, outer.influences, outer.steps, outer.transform)


def _child(owner: Ref, child: Field) -> Ref:
    return Ref(owner.relation, (*owner.path, child.name), child.type)


def _ref_field(ref: Ref, key: Key) -> Value | Refuted:
    kind = ref.type
    if isinstance(kind, (Unspecified, Variant)):
        return Ref(ref.relation, (*ref.path, key.name), kind if isinstance(kind, Variant) else UNSPECIFIED)
    if isinstance(kind, Scalar) and key.exact:
        # A key of a document that is stored as text: JSON_VALUE(payload, '$.city').
        return Ref(ref.relation, (*ref.path, key.name), Variant("JSON"))
    if isinstance(kind, RecordType):
        found = _named(kind.fields, key)
        if len(found) == 1:
            return _child(ref, found[0])
        code = "ambiguous-field" if found else "undeclared-field"
        return Refuted(code, ref, tuple(f.name for f in kind.fields), kind)
    if isinstance(kind, MapType) and key.map_fields:
        return map_value(ref, key.name)
    if isinstance(kind, ArrayType):
        if not key.array_fields:
            return Refuted("field-of-array", ref, type=kind)
        inner = _ref_field(Ref(ref.relation, (*ref.path, ELEMENT), kind.element), key)
        return inner if isinstance(inner, Refuted) else ArrayOf(inner)
    return Refuted("undeclared-field", ref, type=kind)


def _named(candidates: tuple[Field, ...], key: Key) -> list[Field]:
    """The fields of a name; the key of a semi-structured value is compared as it is spelled."""
    if key.exact:
        spelled = [f for f in candidates if f.name == key.name]
        return spelled or [f for f in candidates if f.name.lower() == key.name.lower()]
    return [f for f in candidates if f.key == key.key]


def _ref_element(ref: Ref) -> Value:
    kind = ref.type
    if isinstance(kind, MapType):
        return Ref(ref.relation, (*ref.path, ELEMENT, "value"), kind.value)
    if isinstance(kind, ArrayType):
        return Ref(ref.relation, (*ref.path, ELEMENT), kind.element)
    if isinstance(kind, (Variant, Unspecified)):
        return Ref(ref.relation, (*ref.path, ELEMENT), kind)
    return Derived((Source(ref.relation, ref.path, VALUE, "EXPRESSION"),))


def _record_field(record: Record, key: Key) -> Value | Refuted:
    found = [item for item in record.items if item.key == key.key]
    if len(found) == 1:
        return found[0].value
    if found:
        return Refuted("ambiguous-field", None, tuple(item.name for item in record.items))
    if record.rest is not None:
        return field(record.rest, key)
    if record.loose:
        return Generated(GeneratedSource("constant", "NULL"))
    if record.positional:
        gap = Gap("field-name-unknown", f"the record was built without field names, so '{key.name}' is not proved")
        return Unknown(gap)
    return Refuted("undeclared-field", None, tuple(item.name for item in record.items))


def _choice_field(value: OneOf, key: Key) -> Value | Refuted:
    """`.key` of one of several values: by position where the branches name their fields differently."""
    common = None if _agree(value) else _common_fields(value)
    found = [item.value for item in common or () if item.key == key.key]
    if len(found) == 1:
        return found[0]
    parts = [field(item, key) for item in value.values]
    proved = [part for part in parts if not isinstance(part, Refuted)]
    if not proved:
        return parts[0]
    return one_of(tuple(proved), value.transform, value.by_name)


def _agree(value: OneOf) -> bool:
    """Whether position and name say the same: the branches whose fields are known name them alike."""
    names = {_field_keys(item) for item in value.values if not is_null(item)} - {None}
    return len(names) <= 1


def _field_keys(value: Value) -> tuple[str, ...] | None:
    """The keys of a record's fields, without making their values."""
    if isinstance(value, Traced):
        return _field_keys(value.value)
    if isinstance(value, Ref):
        return tuple([f.key for f in value.type.fields]) if isinstance(value.type, RecordType) else None
    if isinstance(value, Record):
        return tuple([item.key for item in value.items]) if value.rest is None else None
    items = fields(value)
    return tuple(item.key for item in items) if items is not None else None


def _common_fields(value: OneOf) -> tuple[RecordItem, ...] | None:
    """The fields of several records in one, None where they are not known.

    By position, named by the first branch, as set operations and CASE do it (GoogleSQL "Supertypes"); by name where
    the dialect does so (`OneOf.by_name`) and for semi-structured objects.
    """
    shapes = [fields(item) for item in value.values if not is_null(item)]
    known = [shape for shape in shapes if shape is not None]
    if not known or len(known) < len(shapes):
        return None
    if value.by_name or any(_is_loose(item) for item in value.values):
        return _same_names(known, value)
    if any(len(shape) != len(known[0]) for shape in known):
        return None
    return tuple(_one_field(items, value) for items in zip(*known, strict=True))


def _is_loose(value: Value) -> bool:
    return _is_loose(value.value) if isinstance(value, Traced) else isinstance(value, Record) and value.loose


def _same_names(shapes: list[tuple[RecordItem, ...]], value: OneOf) -> tuple[RecordItem, ...] | None:
    """Fields of one name in any order; one that a branch does not have is NULL there.

    Records without names come together by position.
    """
    if any(not item.key for shape in shapes for item in shape):
        lengths = {len(shape) for shape in shapes}
        return tuple(_one_field(items, value) for items in zip(*shapes, strict=True)) if len(lengths) == 1 else None
    columns: dict[str, list[RecordItem]] = {}
    for shape in shapes:
        for item in shape:
            columns.setdefault(item.key, []).append(item)
    return tuple(_one_field(items, value) for items in columns.values())


def _one_field(items: Sequence[RecordItem], value: OneOf) -> RecordItem:
    first = next((item for item in items if item.name), items[0])
    if len(items) == 1:
        return first
    parts = tuple(item.value for item in items)
    return RecordItem(first.name, first.key, one_of(parts, value.transform, value.by_name), first.definition)


def by_names(value: Value) -> Value:
    """A value whose choices between records go by the fields' names (`Dialect.records_by_name`)."""
    if isinstance(value, OneOf):
        return value if value.by_name else OneOf(value.values, value.transform, True)
    if isinstance(value, Traced):
        return Traced(by_names(value.value), value.influences, value.steps, value.transform)
    if isinstance(value, ArrayOf):
        return ArrayOf(by_names(value.value), value.entries)
    return value


def is_null(value: Value) -> bool:
    """True for the constant NULL, which has any shape."""
    if isinstance(value, Traced):
        return is_null(value.value)
    return isinstance(value, Generated) and value.source.text.upper() == "NULL"


# ---------------------------------------------------------------- the whole of a value


def flatten(value: Value) -> Flow:
    """Everything that enters a value: `flatten(COALESCE(a, b))` has the sources `a` and `b`."""
    if isinstance(value, Ref):
        transform = "UNNEST" if ELEMENT in value.path else "IDENTITY"
        return Flow((Source(value.relation, value.path or ("*",), VALUE, transform),), transform=transform)
    if isinstance(value, Derived):
        return Flow(value.sources, value.generated, value.gaps, transform=value.transform)
    if isinstance(value, Generated):
        transform = "CONSTANT" if value.source.kind == "constant" else "EXPRESSION"
        return Flow(generated=(value.source,), transform=transform)
    if isinstance(value, Unknown):
        return Flow(gaps=(value.gap,))
    if isinstance(value, ArrayOf):
        return flatten(value.value)
    # The same value is asked for by every place that reads it.
    flow: Flow | None = value.__dict__.get("flow")
    if flow is None:
        flow = value.__dict__["flow"] = _flatten_parts(value)
    return flow


def _flatten_parts(value: Traced | Record | OneOf) -> Flow:
    if isinstance(value, Traced):
        inner = flatten(value.value)
        transform = stronger(value.transform, inner.transform)
        sources = _all_transformed(inner.sources, value.transform)
        steps = tuple(dict.fromkeys((*inner.steps, *value.steps))) if inner.steps else value.steps
        if not value.influences:
            return Flow(sources, inner.generated, inner.gaps, steps, transform)
        influences = [item for item in value.influences if isinstance(item, Source)]
        gaps = inner.gaps
        if len(influences) < len(value.influences):
            gaps = tuple(dict.fromkeys((*gaps, *(item for item in value.influences if isinstance(item, Gap)))))
        return Flow(unique((*sources, *influences)), inner.generated, gaps, steps, transform)
    if isinstance(value, Record):
        parts = [item.value for item in value.items]
        if value.rest is not None:
            parts.append(value.rest)
        return merge([flatten(part) for part in parts], "STRUCT")
    return merge([flatten(item) for item in value.values], value.transform if len(value.values) > 1 else "IDENTITY")


def merge(flows: Iterable[Flow], transform: str) -> Flow:
    """Several flows as one, with what was done to join them."""
    sources: list[Source] = []
    generated: list[GeneratedSource] = []
    gaps: list[Gap] = []
    steps: list[Step] = []
    strongest = transform
    for flow in flows:
        sources += _all_transformed(flow.sources, transform)
        generated += flow.generated
        gaps += flow.gaps
        steps += flow.steps
        if flow.transform != "CONSTANT":
            strongest = stronger(flow.transform, strongest)
    return Flow(unique(sources), _each_once(generated), _each_once(gaps), _each_once(steps), strongest)


def _each_once(items: list[_Item]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys(items)) if items else ()


def derived(values: Iterable[Value], transform: str = "EXPRESSION", type_: DataType = UNSPECIFIED) -> Value:
    """A value computed from `values`: `a + b` is `derived([a, b])`."""
    flows = [flatten(value) for value in values]
    if any(flow.sources for flow in flows):
        # The 2 of `qty * 2` is no source of the result beside qty.
        flows = [flow for flow in flows if flow.sources or flow.gaps or flow.transform != "CONSTANT"]
    flow = merge(flows, transform)
    result = Derived(flow.sources, flow.generated, flow.gaps, flow.transform, type_)
    return traced(result, (), flow.steps) if flow.steps else result


def with_role(items: Iterable[Influence], role: str, use: str = "") -> tuple[Influence, ...]:
    """Direct sources in another role; indirect ones keep theirs: the columns of a CASE condition are conditions."""
    found: list[Influence] = []
    for item in items:
        if item.role not in DIRECT_ROLES:
            found.append(item)
        elif isinstance(item, Gap):
            found.append(Gap(item.kind, item.text, item.start, item.end, item.scope, role))
        else:
            found.append(Source(item.relation, item.path, role, item.transform, use))
    return unique(found)


def weighed(values: Iterable[Value], role: str, use: str = "") -> tuple[Influence, ...]:
    """What the values read, and what is not proved of it, in the role of something that decides."""
    found: list[Influence] = []
    for value in values:
        flow = flatten(value)
        found += flow.sources
        found += flow.gaps
    return with_role(found, role, use)


def influenced(value: Value, influences: tuple[Influence, ...], transform: str = "IDENTITY") -> Value:
    """`value`, which also depends on `influences`."""
    if not influences and transform == "IDENTITY":
        return value
    return traced(value, influences, (), transform)


def conditions(values: Iterable[Value]) -> tuple[Influence, ...]:
    """What the values read, in the role of a condition."""
    return weighed(values, CONDITION)


def _all_transformed(sources: tuple[Source, ...], transform: str) -> tuple[Source, ...]:
    """Sources to which one more thing was done."""
    weight = _WEIGHT.get(transform, _UNTOLD)
    if not weight:
        return sources
    return tuple([
        Source(source.relation, source.path, source.role, transform)
        if source.transform != transform
        and source.role in DIRECT_ROLES
        and _WEIGHT.get(source.transform, _UNTOLD) <= weight
        else source
        for source in sources
    ])


def _site(item: RecordItem) -> Site | None:
    """Where a built field is named: in the statement at hand, which knows neither its document nor its number."""
    start, end = item.definition
    return Site("", -1, start, end) if start >= 0 else None


def type_of(value: Value) -> DataType:
    """The data type of a value as far as the query proves it."""
    if isinstance(value, (Ref, Derived, Generated)):
        return value.type
    if isinstance(value, Traced):
        return type_of(value.value)
    if isinstance(value, ArrayOf):
        inner = type_of(value.value)
        if value.entries and isinstance(inner, RecordType) and len(inner.fields) == 2:
            return MapType(inner.fields[0].type, inner.fields[1].type)
        return ArrayType(inner)
    if isinstance(value, Record):
        if value.rest is not None or value.positional:
            return UNSPECIFIED
        return RecordType(
            tuple(Field(item.name, item.key, type_of(item.value), _site(item)) for item in value.items),
            built=not value.declared,
        )
    if isinstance(value, OneOf):
        return _common_type(value)
    return UNSPECIFIED


def _common_type(value: OneOf) -> DataType:
    common = _common_fields(value)
    if common is not None:
        if any(not item.name for item in common):
            return UNSPECIFIED  # as for one record: nobody can say how its fields are called
        return RecordType(tuple(Field(item.name, item.key, type_of(item.value)) for item in common), built=True)
    kinds = [type_of(item) for item in value.values if not is_null(item)]
    if kinds and all(kind == kinds[0] or (isinstance(kind, Scalar) and isinstance(kinds[0], Scalar)) for kind in kinds):
        return kinds[0]
    return UNSPECIFIED
