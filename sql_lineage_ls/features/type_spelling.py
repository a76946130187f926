"""How each database writes the types of columns that are only known from their reads.

Sources: the chapters on data types of each database's documentation. Where records cannot be written inside of a
column's type, `document` is the type that takes nested data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from sql_lineage_ls.catalog.field_tree import ELEMENT

Tree = Mapping[str, Any]
"""Names below a name: `{"customer": {"city": {}}}`; `[*]` is an element, `['k']` a map's value."""


class TypeSpelling(Struct, frozen=True):
    """`text` is a string's type. `record`, `field`, `array` and `map` are templates, '' where there is no such type.

    `named_records` where a record is a type of its own (CREATE TYPE).
    """

    text: str
    record: str = ""
    field: str = "{name} {type}"
    array: str = ""
    map: str = ""
    document: str = ""
    named_records: bool = False


_TRINO = TypeSpelling("varchar", "row({fields})", array="array({type})", map="map(varchar, {type})")
_SPARK = TypeSpelling("STRING", "STRUCT<{fields}>", "{name}: {type}", "ARRAY<{type}>", "MAP<STRING, {type}>")

TYPE_SPELLINGS: Mapping[str, TypeSpelling] = MappingProxyType(
    {
        "ansi": TypeSpelling("VARCHAR", "ROW({fields})", array="{type} ARRAY", document="JSON"),
        "bigquery": TypeSpelling("STRING", "STRUCT<{fields}>", array="ARRAY<{type}>", document="JSON"),
        "trino": _TRINO,
        "presto": _TRINO,
        # Athena's DDL is Hive's.
        "athena": TypeSpelling("string", "struct<{fields}>", "{name}:{type}", "array<{type}>", "map<string,{type}>"),
        "spark": _SPARK,
        "databricks": _SPARK,
        "hive": TypeSpelling("STRING", "STRUCT<{fields}>", "{name}:{type}", "ARRAY<{type}>", "MAP<STRING, {type}>"),
        "snowflake": TypeSpelling("VARCHAR", document="VARIANT"),
        "postgres": TypeSpelling("text", array="{type}[]", document="jsonb", named_records=True),
        "redshift": TypeSpelling("VARCHAR", document="SUPER"),
        "oracle": TypeSpelling("VARCHAR2(4000)", document="JSON"),
        "duckdb": TypeSpelling("VARCHAR", "STRUCT({fields})", array="{type}[]", map="MAP(VARCHAR, {type})"),
        "clickhouse": TypeSpelling("String", "Tuple({fields})", array="Array({type})", map="Map(String, {type})"),
        "mysql": TypeSpelling("VARCHAR(255)", document="JSON"),
        "tsql": TypeSpelling("NVARCHAR(MAX)", document="NVARCHAR(MAX)"),
        "sqlite": TypeSpelling("TEXT", document="TEXT"),
    }
)

_PLAIN = re.compile(r"\w+\Z")


class Declared(Struct, frozen=True):
    """Columns as DDL: `definitions` one a column, `types` the CREATE TYPEs that have to come first."""

    definitions: tuple[str, ...]
    types: tuple[str, ...]


def spelled_type(tree: Tree, spelling: TypeSpelling) -> str:
    """The type of what has `tree` below it: `{"[*]": {"sku": {}}}` is `ARRAY<STRUCT<sku STRING>>` in BigQuery."""
    return _Speller(spelling, "").type_of(tree, "")


def spelled_columns(columns: Tree, spelling: TypeSpelling, relation: str) -> Declared:
    """The definitions of the columns of `relation`, whose name named types begin with."""
    speller = _Speller(spelling, relation)
    definitions = tuple(f"{name} {speller.type_of(below, name)}" for name, below in columns.items())
    return Declared(definitions, tuple(speller.types))


class _Speller:
    def __init__(self, spelling: TypeSpelling, relation: str) -> None:
        self.types: list[str] = []
        self._spelling = spelling
        self._relation = relation

    def type_of(self, tree: Tree, name: str) -> str:
        spelling = self._spelling
        if not tree:
            return spelling.text
        element = _below(tree, lambda step: step == ELEMENT)
        if element is not None:
            # Fields that are read of an array are those of its elements (Spark).
            rest = {step: below for step, below in tree.items() if not step.startswith("[")}
            inner = self.type_of({**rest, **element}, name)
            return spelling.array.format(type=inner) if spelling.array else spelling.document
        value = _below(tree, lambda step: step.startswith("["))
        if value is not None:
            return spelling.map.format(type=self.type_of(value, name)) if spelling.map else spelling.document
        return self._record(tree, name)

    def _record(self, tree: Tree, name: str) -> str:
        spelling = self._spelling
        if spelling.named_records and self._relation and _PLAIN.match(name):
            type_name = f"{self._relation}_{name}"
            fields = ", ".join(f"{field} {self.type_of(below, f'{name}_{field}')}" for field, below in tree.items())
            self.types.append(f"CREATE TYPE {type_name} AS ({fields});")
            return type_name
        if not spelling.record:
            return spelling.document
        fields = ", ".join(
            spelling.field.format(name=field, type=self.type_of(below, field)) for field, below in tree.items()
        )
        return spelling.record.format(fields=fields)


def _below(tree: Tree, is_wanted: Callable[[str], bool]) -> dict[str, Tree] | None:
    """Everything below the steps that are wanted, None where there are none."""
    found = [below for step, below in tree.items() if is_wanted(step)]
    merged: dict[str, Tree] = {}
    for below in found:
        merged.update(below)
    return merged if found else None


def tree_of(paths: Iterable[tuple[str, ...]]) -> Tree:
    """The tree of paths, in the order in which they come."""
    below: dict[str, list[tuple[str, ...]]] = {}
    for path in paths:
        if path:
            below.setdefault(path[0], []).append(path[1:])
    return {step: tree_of(rest) for step, rest in below.items()}
