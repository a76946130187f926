"""Reads DDL for the tests and writes types in one short notation.

`{a:INT64, b:DATE}` is a record, `[x]` an array, `<k:v>` a map, `~VARIANT` semi-structured, `?t` a user's type.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import fields as struct_fields

from sql_lineage_ls.syntax.ddl import read_ddl
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.query_model import ColumnDef, CreateTable, FieldSpec, Name, StatementModel, TypeSpec
from sql_lineage_ls.syntax.tokens import tokenize

_QUOTES = {"`": "`", '"': '"', "[": "]", "'": "'"}


def read(sql: str, dialect: str) -> StatementModel | None:
    rules = DIALECTS[dialect]
    return read_ddl(sql, tokenize(sql, rules), rules)


def read_table(sql: str, dialect: str) -> CreateTable:
    reading = read(sql, dialect)
    assert reading is not None
    assert reading.issues == ()
    assert isinstance(reading.statement, CreateTable)
    return reading.statement


def notation(spec: TypeSpec | None) -> str:
    if spec is None:
        return "-"
    if spec.kind == "record":
        return "{" + ", ".join(_field(field) for field in spec.fields) + "}"
    if spec.kind == "array":
        return f"[{notation(spec.element)}]"
    if spec.kind == "map":
        return f"<{notation(spec.key)}:{notation(spec.value)}>"
    return {"variant": "~", "named": "?"}.get(spec.kind, "") + spec.text


def _field(field: FieldSpec) -> str:
    name = field.name.text if field.name is not None else "-"
    return f"{name}:{notation(field.type)}"


def columns(defs: tuple[ColumnDef, ...]) -> list[str]:
    return [f"{column.name.text} {notation(column.type)}" for column in defs]


def dotted(parts: tuple[Name, ...]) -> str:
    return "|".join(part.text for part in parts)


def names_in(value: object) -> Iterator[Name]:
    """Every name in a model."""
    if isinstance(value, Name):
        yield value
    elif isinstance(value, Struct):
        for field in struct_fields(value):
            yield from names_in(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from names_in(item)


def assert_exact_spans(sql: str, value: object) -> None:
    """Each name's span holds exactly the name, quotes aside."""
    found = 0
    for name in names_in(value):
        if name.start < 0 or not name.text:
            continue
        raw = sql[name.start : name.end]
        found += 1
        if raw != name.text:
            closing = _QUOTES.get(raw[:1], "")
            assert closing
            assert raw.endswith(closing)
            assert raw[1:-1].replace(closing * 2, closing) == name.text
    assert found
