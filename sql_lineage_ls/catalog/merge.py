"""Brings several declarations of one relation together, so that nothing false can be concluded from the result."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Unspecified


def merge_types(left: DataType, right: DataType) -> DataType:
    """A type that allows what either type allows: records are joined field by field, other differences are unknown."""
    if left == right:
        return left
    if isinstance(left, RecordType) and isinstance(right, RecordType):
        return replace(left, fields=merge_fields(left.fields, right.fields))
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return replace(left, element=merge_types(left.element, right.element))
    if isinstance(left, MapType) and isinstance(right, MapType):
        return replace(left, key=merge_types(left.key, right.key), value=merge_types(left.value, right.value))
    if type(left) is type(right) and same_text(left) == same_text(right):
        return left
    return Unspecified()


def same_text(data_type: DataType) -> str:
    """A type's spelling without regard to case."""
    return data_type.text.upper()


def merge_fields(left: Iterable[Field], right: Iterable[Field]) -> tuple[Field, ...]:
    """The union of two field lists in order; a field that both have keeps its first spelling and place."""
    fields = {field.key: field for field in left}
    for field in right:
        known = fields.get(field.key)
        fields[field.key] = field if known is None else replace(known, type=merge_types(known.type, field.type))
    return tuple(fields.values())
