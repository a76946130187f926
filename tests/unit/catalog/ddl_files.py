"""Catalogs for the tests, from files of DDL, and relations in one short notation."""

from __future__ import annotations

import re

from sql_lineage_ls.catalog.catalog import Catalog, Definition, Entry, Namespace
from sql_lineage_ls.catalog.names import NOWHERE
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
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.query_model import Name

_PART = re.compile(r'"([^"]*)"|([^.]+)')


def statements_of(sql: str) -> list[str]:
    return [statement.strip() for statement in sql.split(";") if statement.strip()]


def definitions(
    uri: str, sql: str, dialect: str = "postgres", namespace: Namespace = NOWHERE
) -> tuple[Definition, ...]:
    """The statements of a file, separated by semicolons."""
    made = []
    for index, statement in enumerate(statements_of(sql)):
        model = parse_statement(statement, DIALECTS[dialect])
        assert model.statement is not None
        made.append(Definition(uri, index, model.statement, DIALECTS[dialect], namespace, model.partial))
    return tuple(made)


def catalog_of(*files: str | tuple[str, str], dialect: str = "postgres", namespace: Namespace = NOWHERE) -> Catalog:
    """A catalog of the files `f0.sql`, `f1.sql`, ..; a pair gives a file's own dialect."""
    catalog = Catalog()
    for number, file in enumerate(files):
        own, sql = file if isinstance(file, tuple) else (dialect, file)
        uri = f"f{number}.sql"
        catalog = catalog.replace_file(uri, definitions(uri, sql, own, namespace))
    return catalog


def name_of(text: str) -> tuple[Name, ...]:
    """`a."B"` as the parts of a name."""
    return tuple(
        Name(match.group(1), quoted=True) if match.group(1) is not None else Name(match.group(2))
        for match in _PART.finditer(text)
    )


def find(
    catalog: Catalog, text: str, dialect: str = "postgres", namespace: Namespace = NOWHERE, uri: str = ""
) -> Entry | None:
    return catalog.find(name_of(text), DIALECTS[dialect], namespace, uri)


def columns_of(catalog: Catalog, text: str, dialect: str = "postgres") -> list[str]:
    entry = find(catalog, text, dialect)
    assert entry is not None
    return [shown(field) for field in entry.relation.columns] + ["..."] * entry.relation.open


def shown(field: Field) -> str:
    return f"{field.name} {tree(field.type)}"


def tree(data_type: DataType) -> str:
    """`{a INT}` a record, `[x]` an array, `<k: v>` a map, `?t` unspecified, `~VARIANT` semi-structured."""
    if isinstance(data_type, RecordType):
        return "{" + ", ".join(shown(field) for field in data_type.fields) + "}"
    if isinstance(data_type, ArrayType):
        return f"[{tree(data_type.element)}]"
    if isinstance(data_type, MapType):
        return f"<{tree(data_type.key)}: {tree(data_type.value)}>"
    assert isinstance(data_type, Scalar | Variant | Unspecified)
    return {Scalar: "", Variant: "~", Unspecified: "?"}[type(data_type)] + data_type.text


def token(files: dict[str, str], site: Site | None) -> str:
    """The text at a declaration's place."""
    assert site is not None
    return statements_of(files[site.uri])[site.statement][site.start : site.end]
