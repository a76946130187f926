"""Data types as trees, and the fields in them.

A relation's columns are `Field`s too: a relation is a record of columns. Each field knows the token that declares it.
"""

from __future__ import annotations

from typing import Union

from msgspec import Struct


class Site(Struct, frozen=True, gc=False):
    """Where a declaration stands: document, statement (counted from 0) and the token's span in that statement."""

    uri: str
    statement: int
    start: int
    end: int


class Scalar(Struct, frozen=True, gc=False, tag=True, array_like=True):
    """A type without fields: `INT64`."""

    text: str


class Unspecified(Struct, frozen=True, gc=False, tag=True, array_like=True):
    """A type that nothing in the workspace tells: it may have any fields."""

    text: str = ""


class Variant(Struct, frozen=True, gc=False, tag=True, array_like=True):
    """A semi-structured type: VARIANT, OBJECT, SUPER, JSON. It has fields, but declares none."""

    text: str


class RecordType(Struct, frozen=True, gc=False, tag=True, array_like=True):
    """STRUCT, ROW, Tuple, composite and object types. `type_name` names the CREATE TYPE it came from.

    `built` where a constructor of a query made it, without any type that declares its fields.
    """

    fields: tuple[Field, ...]
    text: str = "STRUCT"
    type_name: str = ""
    type_site: Site | None = None
    built: bool = False


class ArrayType(Struct, frozen=True, gc=False, tag=True, array_like=True):
    """An array, list, VARRAY or nested table."""

    element: DataType
    text: str = "ARRAY"


class MapType(Struct, frozen=True, gc=False, tag=True, array_like=True):
    """A map: an array of entries with the fields `key` and `value`."""

    key: DataType
    value: DataType
    text: str = "MAP"


DataType = Union[Scalar, Unspecified, Variant, RecordType, ArrayType, MapType]


def is_nested(kind: DataType) -> bool:
    """Whether a column of the type is stored as one array for each field: ClickHouse's `Nested(a UInt8)`."""
    return isinstance(kind, ArrayType) and isinstance(kind.element, RecordType) and kind.element.text == "Nested"


class Field(Struct, frozen=True, gc=False):
    """A column or a nested field.

    `name` is shown as its declaration spells it; `key` is how the database compares it. `site` is its own token,
    None where it was inferred from a query that gives it no token.
    """

    name: str
    key: str
    type: DataType
    site: Site | None = None
    # A query's column whose name the database makes, in a way that is not known for sure.
    guessed: bool = False
