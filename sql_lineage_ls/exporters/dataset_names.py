"""Relations, columns and fields as the database stores their names, which is how other catalogues know them.

`Orders` in Postgres under the default schema `shop` is `shop.orders`, in Snowflake `SHOP.ORDERS`; BigQuery and DuckDB
keep a name as it was declared. Quotes are no part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from sql_lineage_ls.catalog.field_tree import ELEMENT, entry_type
from sql_lineage_ls.catalog.names import SEPARATOR, is_location
from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType
from sql_lineage_ls.exporters.report import RelationRow, Report
from sql_lineage_ls.lineage.model import Path
from sql_lineage_ls.syntax.dialects import DIALECTS, Dialect

# Databases that store a name as it is declared, however they compare it. The others fold it.
_KEEPING = frozenset(
    {"ansi", "bigquery", "clickhouse", "databricks", "duckdb", "mysql", "spark", "sqlite", "tsql"}
)  # fmt: skip
_PARTS = re.compile(r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|[^.]+')
_SESSION = re.compile(r"[a-z][a-z0-9+.-]*:")
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/]*)(?P<path>.*)", re.DOTALL)
# Other spellings of a scheme that mean the same store.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "abfs": "abfss", "wasb": "wasbs", "gcs": "gs"}


class Address(Struct, frozen=True, gc=False):
    """Where files are. `scheme` is '' for a stage or a name that only the database knows, and `file` for a local path.

    `s3a://lake/sales/` is `Address("s3", "lake", "/sales")`.
    """

    scheme: str
    authority: str
    path: str


class Datasets:
    """The relations of a report under the names that their databases store."""

    def __init__(self, report: Report) -> None:
        self._rows = {row.id: row for row in (*report.relations, *report.locations)}
        self._columns: dict[tuple[str, str], tuple[Field, ...]] = {}

    def row(self, relation_id: str) -> RelationRow | None:
        return self._rows.get(relation_id)

    def rows(self) -> Iterable[RelationRow]:
        """All relations, tables first, then views, then locations."""
        return self._rows.values()

    def name(self, relation_id: str, dialect: str) -> str:
        """The dotted name of a relation; a temporary table goes by its own name, without its session."""
        row = self._rows.get(relation_id)
        return dataset_name(relation_id, row.name if row is not None else "", dialect)

    def columns(self, relation_id: str, dialect: str) -> tuple[Field, ...]:
        """The columns that are known of a relation, with their fields."""
        key = (relation_id, dialect)
        if key not in self._columns:
            self._columns[key] = tuple(_stored(field, DIALECTS[dialect]) for field in self._declared(relation_id))
        return self._columns[key]

    def path(self, relation_id: str, path: Path, dialect: str) -> Path:
        """A node's path. A key of a semi-structured value stays as it is."""
        fields = self._declared(relation_id)
        kind: DataType | None = None
        stored: list[str] = []
        for step in path:
            if stored and step.startswith("["):
                kind = _inside(kind, step)
                fields = kind.fields if isinstance(kind, RecordType) else ()
                stored.append(step)
                continue
            field = next((field for field in fields if field.name == step), None)
            stored.append(_stored_name(step, field, DIALECTS[dialect], top=not stored))
            kind = field.type if field is not None else None
            fields = kind.fields if isinstance(kind, RecordType) else ()
        return tuple(stored)

    def _declared(self, relation_id: str) -> tuple[Field, ...]:
        row = self._rows.get(relation_id)
        return row.relation.columns if row is not None and row.relation is not None else ()


def dataset_name(relation_id: str, shown: str, dialect: str) -> str:
    """The dotted name of a stored relation that is shown as `shown`."""
    parts = relation_id.split(SEPARATOR)[1:]
    if len(parts) > 1 and _SESSION.match(parts[0]):
        parts = parts[1:]
    if dialect in _KEEPING:
        written = [_unquoted(part) for part in _PARTS.findall(shown)]
        for at in range(1, min(len(parts), len(written)) + 1):
            if parts[-at].casefold() == written[-at].casefold():
                parts[-at] = written[-at]
    return ".".join(parts) or relation_id


def _stored(field: Field, dialect: Dialect) -> Field:
    return Field(_stored_name(field.name, field, dialect, top=False), field.key, _stored_type(field.type, dialect))


def _stored_type(kind: DataType, dialect: Dialect) -> DataType:
    if isinstance(kind, RecordType):
        return RecordType(tuple(_stored(field, dialect) for field in kind.fields), kind.text)
    if isinstance(kind, ArrayType):
        return ArrayType(_stored_type(kind.element, dialect), kind.text)
    if isinstance(kind, MapType):
        return MapType(_stored_type(kind.key, dialect), _stored_type(kind.value, dialect), kind.text)
    return kind


def _stored_name(text: str, field: Field | None, dialect: Dialect, *, top: bool) -> str:
    name = _unquoted(text)
    if dialect.name in _KEEPING:
        return name
    if field is not None:
        return field.key
    return dialect.fold(name) if top and name == text else name


def _inside(kind: DataType | None, step: str) -> DataType | None:
    if isinstance(kind, MapType):
        return entry_type(kind) if step == ELEMENT else kind.value
    return kind.element if isinstance(kind, ArrayType) else None


def _unquoted(text: str) -> str:
    """A name as it is, of a name as it is shown: `Net` of `"Net"`."""
    quote = text[:1]
    if len(text) > 2 and quote in "\"`" and text[-1] == quote:
        return text[1:-1].replace(quote * 2, quote)
    return text


def address_of(relation_id: str) -> Address | None:
    """The address of an external location, None for any other relation."""
    if not is_location(relation_id):
        return None
    text = relation_id.split(SEPARATOR, 1)[1]
    found = _ADDRESS.match(text)
    if found is not None:
        scheme = found["scheme"].lower()
        return Address(_SCHEMES.get(scheme, scheme), found["authority"], found["path"].rstrip("/"))
    return Address("" if text.startswith("@") else "file", "", text)
