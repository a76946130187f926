"""How DataHub spells the path of a field: schema field paths, version 2.

A field's path is the names on the way to it, each behind the types that lead there:
`[version=2.0].[type=struct].[type=array].[type=struct].lines.[type=long].qty`. An element has no path of its own: it is
its array's field, a map's value its map's. Each DataHub source decides which columns it spells so, and which types it
tells apart; `PLATFORMS` holds what they do (`acryl-datahub` 1.7: `hive_schema_to_avro`, `sqlalchemy_type_converter`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from sql_lineage_ls.catalog.field_tree import ELEMENT
from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Scalar, Unspecified, Variant
from sql_lineage_ls.lineage.model import Path

VERSION = "[version=2.0]"
_ROOT = f"{VERSION}.[type=struct]"
_WORD = re.compile(r"[a-z_][a-z0-9_]*(?: precision)?")
_UNKNOWN = "null"
"""What DataHub calls a type that its source has no word for."""

_HIVE_EXACT: dict[str, str] = {
    "string": "string", "int": "int", "integer": "int", "double": "double", "double precision": "double",
    "binary": "string", "boolean": "boolean", "float": "float", "tinyint": "int", "smallint": "int", "bigint": "long",
    "varchar": "string", "char": "string", "long": "long", "bytes": "bytes", "date": "int", "timestamp": "int",
    "datetime": "int", "bool": "boolean", "bignumeric": "long", "bigdecimal": "double", "float64": "double",
    "int64": "long", "byteint": "int",
}  # fmt: skip
_HIVE_SIZED = {"decimal": "bytes", "numeric": "bytes", "varchar": "string", "char": "string"}
_TRINO = {
    "boolean": "boolean", "smallint": "int", "tinyint": "int", "integer": "int", "int": "int", "bigint": "long",
    "real": "float", "double": "double", "varchar": "string", "char": "string", "decimal": "bytes", "date": "int",
    "timestamp": "int",
}  # fmt: skip
_ATHENA = {
    **_TRINO, "double": "float", "float": "float", "string": "string", "binary": "string", "varbinary": "string",
    "json": "string", "timestamp": "long",
}  # fmt: skip


class Spelling(Struct, frozen=True):
    """What the DataHub source of one platform does.

    `nested` are the kinds of columns (struct, array, map, union) with a version 2 path; a column of another kind is its
    bare name and has nothing below it. `scalars` says whether plain columns have such a path too. `lower` folds the
    names of nested fields, which stand in the text of a type; `lower_urns` those of datasets and columns. A type is
    looked up as it is written in `exact`, then by its first word in `words`.
    """

    nested: frozenset[str] = frozenset()
    scalars: bool = False
    lower: bool = False
    lower_urns: bool = False
    exact: Mapping[str, str] = {}
    words: Mapping[str, str] = {}


_ALL = frozenset({"struct", "array", "map", "union"})
_LISTED = frozenset({"struct", "array"})
_HIVE = Spelling(_ALL, exact=_HIVE_EXACT, words=_HIVE_SIZED)
_ROWS = Spelling(frozenset({"struct", "array", "map"}), words=_TRINO)
_LOWERED = Spelling(_LISTED, lower=True, exact=_HIVE_EXACT, words=_HIVE_SIZED)

PLATFORMS: Mapping[str, Spelling] = {
    "bigquery": _LOWERED,
    "databricks": _LOWERED,
    "redshift": _LOWERED,
    "hive": _HIVE,
    "glue": Spelling(_ALL, scalars=True, exact=_HIVE_EXACT, words=_HIVE_SIZED),
    "trino": _ROWS,
    "presto": _ROWS,
    "snowflake": Spelling(lower_urns=True),
    "oracle": Spelling(lower_urns=True),
    "athena": Spelling(frozenset({"struct", "array", "map"}), scalars=True, words=_ATHENA),
}
"""By DataHub's name of the platform; any other one has columns, and no fields in them."""

FLAT = Spelling()


def field_path(columns: Iterable[Field], path: Path, spelling: Spelling) -> str:
    """The path of a node as the schema of its dataset spells it.

    `payload.amount` of `payload STRUCT<amount INT64>` in BigQuery is
    `[version=2.0].[type=struct].[type=struct].payload.[type=long].amount`. What DataHub has no field for (a map's key,
    a path in a JSON column) is the field around it. Where a type on the way is not known the path is the names alone,
    `payload.amount`, which is what DataHub's own SQL parser writes.
    """
    if spelling.lower_urns:
        return path[0].lower()
    column = next((field for field in columns if field.name == path[0]), None)
    if column is None:
        return simple_path(path) if spelling.nested else path[0]
    kind = _kind(column.type)
    if not kind and len(path) > 1 and spelling.nested:
        return simple_path(path)
    if kind not in spelling.nested and not (spelling.scalars and kind == "scalar"):
        return column.name
    if kind == "scalar":
        return f"{VERSION}.[type={_scalar(column.type, spelling)}].{column.name}"
    spelled = _nested_path(column, path, spelling)
    return spelled if spelled is not None else simple_path(path)


def simple_path(path: Path) -> str:
    """The names of a path: `items[*].qty` is `items.qty`."""
    return ".".join(step for step in path if not step.startswith("["))


def simple_name(field_path_text: str) -> str:
    """The simple name of a version 2 path, as DataHub takes it: `payload.amount`. Any other path is its own."""
    if not field_path_text.startswith(VERSION):
        return field_path_text
    return ".".join(
        token for token in field_path_text.split(".") if not (token.startswith("[") or token.endswith("]"))
    )


def _nested_path(column: Field, path: Path, spelling: Spelling) -> str | None:
    spelled = _ROOT
    name, kind = column.name, column.type
    rest = list(path[1:])
    while True:
        types, inner = _types(kind, spelling)
        if types is None:
            return None
        spelled += f".{types}.{name}"
        found = _next_field(kind, inner, rest)
        if found is None:
            return spelled
        name, kind = found.name.lower() if spelling.lower else found.name, found.type


def _next_field(kind: DataType, inner: DataType, rest: list[str]) -> Field | None:
    """The next named field on the way, whose steps are taken off `rest`; None where there is none below."""
    while rest:
        step = rest.pop(0)
        if isinstance(kind, ArrayType) and step == ELEMENT:
            kind = kind.element
        elif isinstance(kind, MapType) and step == ELEMENT and rest[:1] == ["value"]:
            rest.pop(0)
            kind = kind.value
        elif isinstance(kind, MapType) and step.startswith("[") and step != ELEMENT:
            kind = kind.value
        elif isinstance(kind, RecordType) and kind is inner:
            return next((field for field in kind.fields if field.name == step), None)
        else:
            return None
    return None


def _types(kind: DataType, spelling: Spelling) -> tuple[str | None, DataType]:
    """The types that stand before a field's name, and the type of what is innermost; None where one is unknown."""
    marks = []
    while isinstance(kind, ArrayType | MapType):
        marks.append("[type=array]" if isinstance(kind, ArrayType) else "[type=map]")
        kind = kind.element if isinstance(kind, ArrayType) else kind.value
    last = _kind(kind)
    if not last:
        return None, kind
    marks.append(f"[type={_scalar(kind, spelling) if last == 'scalar' else last}]")
    return ".".join(marks), kind


def _kind(kind: DataType) -> str:
    """struct, array, map, union or scalar; '' where nothing tells."""
    if isinstance(kind, RecordType):
        return "struct"
    if isinstance(kind, ArrayType):
        return "array"
    if isinstance(kind, MapType):
        return "map"
    if isinstance(kind, Scalar | Variant):
        return "scalar"
    return "union" if _is_union(kind) else ""


def _is_union(kind: Unspecified) -> bool:
    return kind.text.lower().startswith("uniontype")


def _scalar(kind: DataType, spelling: Spelling) -> str:
    text = " ".join(kind.text.lower().split())
    if text in spelling.exact:
        return spelling.exact[text]
    word = _WORD.match(text)
    return spelling.words.get(word.group(), _UNKNOWN) if word is not None else _UNKNOWN
