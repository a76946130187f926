"""Values under a type: what a cast or the column that is written to makes of a value."""

from __future__ import annotations

from sql_lineage_ls.catalog.types import ArrayType, DataType, MapType, RecordType, Unspecified, Variant
from sql_lineage_ls.lineage.model import GeneratedSource
from sql_lineage_ls.lineage.values import (
    ArrayOf,
    Generated,
    RecordItem,
    Ref,
    Traced,
    Value,
    build_record,
    derived,
    element,
    fields,
    is_array,
    type_of,
)


def cast_to(value: Value, target: DataType, by_name: bool = False) -> Value:
    """A value under a written type. A record's fields are renamed by position (Trino CAST, BigQuery STRUCT coercion).

    `by_name`: fields of one name belong together in any order (`Dialect.casts_by_name`).
    `CAST(ROW(a, b) AS ROW(x T, y T))` has the fields `x` (from `a`) and `y` (from `b`). The fields of a value of
    unknown type cannot be told apart behind a cast: `CAST(p AS ROW(x T)).x` reads the whole of `p`.
    """
    if isinstance(target, RecordType):
        return _cast_record(value, target, by_name)
    if isinstance(target, ArrayType):
        return _cast_array(value, target, by_name)
    if isinstance(target, (MapType, Variant, Unspecified)) and (is_reference(value) or fields(value) is not None):
        return value
    return derived([value], "CAST", target)


def _cast_record(value: Value, target: RecordType, by_name: bool) -> Value:
    items = _arranged(fields(value), target, by_name)
    if items is not None and len(items) == len(target.fields):
        if is_reference(value) and [item.key for item in items] == [field.key for field in target.fields]:
            return value
        named = (
            RecordItem(field.name, field.key, cast_to(item.value, field.type, by_name))
            for field, item in zip(target.fields, items, strict=True)
        )
        return build_record(tuple(named), declared=True)
    if is_reference(value) and isinstance(type_of(value), Variant):
        return value  # a document's fields are found by name
    return derived([value], "CAST", target)


def _arranged(
    items: tuple[RecordItem, ...] | None, target: RecordType, by_name: bool
) -> tuple[RecordItem, ...] | None:
    """The fields in the order of the type: by name where the dialect does so and they share any, else as they are."""
    if items is None or not by_name:
        return items
    known = {item.key: item for item in items if item.key}
    if not any(field.key in known for field in target.fields):
        return items
    null = Generated(GeneratedSource("constant", "NULL"))
    return tuple(known.get(field.key) or RecordItem(field.name, field.key, null) for field in target.fields)


def _cast_array(value: Value, target: ArrayType, by_name: bool) -> Value:
    inner = element(value) if is_array(value) else None
    if inner is not None and fields(inner) is not None:
        made = cast_to(inner, target.element, by_name)
        return value if made is inner else ArrayOf(made)
    if is_reference(value) and not isinstance(type_of(value), Unspecified):
        return value
    return derived([value], "CAST", target)


def written_to(value: Value, target: DataType, by_name: bool = False) -> Value:
    """A value under the type of the column it is written to: a built record takes the column's field names.

    `INSERT INTO t SELECT STRUCT(a, b)` fills the fields of a STRUCT column in order.
    """
    if is_reference(value):
        return value
    if isinstance(target, ArrayType) and is_array(value) and fields(element(value)) is not None:
        return ArrayOf(written_to(element(value), target.element, by_name))
    items = _arranged(fields(value), target, by_name) if isinstance(target, RecordType) else None
    if items is None or not isinstance(target, RecordType) or len(items) != len(target.fields):
        return value
    named = (
        RecordItem(field.name, field.key, written_to(item.value, field.type, by_name))
        for field, item in zip(target.fields, items, strict=True)
    )
    return build_record(tuple(named), declared=True)


def is_reference(value: Value) -> bool:
    """Whether the value is a stored node handed on as it is."""
    return isinstance(value, Ref) or (isinstance(value, Traced) and is_reference(value.value))
