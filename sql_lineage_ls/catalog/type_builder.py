"""Makes type trees of written types. Every field gets the token of its own declaration."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from sql_lineage_ls.catalog.definition import Definition
from sql_lineage_ls.catalog.names import display_part
from sql_lineage_ls.catalog.types import (
    ArrayType,
    DataType,
    Field,
    MapType,
    RecordType,
    Scalar,
    Unspecified,
    Variant,
)
from sql_lineage_ls.syntax.query_model import ColumnDef, FieldSpec, Name, TypeSpec

_HEAD = re.compile(r"[^\W\d]\w*")

FindType = Callable[[tuple[Name, ...]], "DataType | None"]
"""Looks a user's type up by its name."""


def build_type(spec: TypeSpec | None, at: Definition, find: FindType) -> DataType:
    """The tree of a written type: `ARRAY<STRUCT<a INT64>>` is an array of a record with the field a.

    `at` is the statement that the type's tokens belong to. A user's type that `find` does not know is unspecified.
    """
    if spec is None:
        return Unspecified()
    if spec.kind == "scalar":
        return Scalar(spec.text)
    if spec.kind == "record":
        return RecordType(build_fields(spec.fields, at, find), text=_head(spec.text, "STRUCT"))
    if spec.kind == "array":
        return ArrayType(build_type(spec.element, at, find), text=_head(spec.text, "ARRAY"))
    if spec.kind == "map":
        return MapType(build_type(spec.key, at, find), build_type(spec.value, at, find), text=_head(spec.text, "MAP"))
    if spec.kind == "variant":
        return Variant(spec.text)
    found = find(spec.name) if spec.name else None
    return named(found, spec.text) if found is not None else Unspecified(spec.text)


def named(found: DataType, text: str) -> DataType:
    """A user's type under the name that it was used by."""
    return found if isinstance(found, RecordType | Variant | MapType) else replace(found, text=text)


def build_fields(specs: tuple[FieldSpec, ...], at: Definition, find: FindType) -> tuple[Field, ...]:
    """The fields of a record; one without a name is called by its position, counted from 1."""
    fields = []
    for position, spec in enumerate(specs, 1):
        data_type = build_type(spec.type, at, find)
        if spec.name is None:
            fields.append(Field(str(position), str(position), data_type))
        else:
            key = at.dialect.field_key(spec.name.text, spec.name.quoted)
            fields.append(Field(display_part(spec.name, at.dialect), key, data_type, at.site(spec.name)))
    return tuple(fields)


def build_column(column: ColumnDef, at: Definition, find: FindType) -> Field:
    """A declared column."""
    key = at.dialect.column_key(column.name.text, column.name.quoted)
    return Field(display_part(column.name, at.dialect), key, build_type(column.type, at, find), at.site(column.name))


def _head(text: str, default: str) -> str:
    """The first word of a type's spelling: `STRUCT` of `STRUCT<a INT64>`."""
    match = _HEAD.match(text)
    return match.group() if match else default
