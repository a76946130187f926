"""Field paths, version 2: exact spellings, and the same ones as DataHub's own converters give where these are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sql_lineage_ls.catalog.types import Field
from sql_lineage_ls.exporters.datahub import schema_paths
from sql_lineage_ls.exporters.datahub_paths import FLAT, PLATFORMS, field_path, simple_name
from tests.support.product import open_files

V2 = "[version=2.0].[type=struct]"


def columns_of(ddl: str, dialect: str) -> tuple[Field, ...]:
    snapshot = open_files({"file:///w/t.sql": ddl}, dialect)
    (document,) = snapshot.documents()
    relation = snapshot.relation(document.statements[0].lineage.target)
    assert relation is not None
    return relation.columns


BIGQUERY = """
CREATE TABLE t (
  id INT64,
  payload STRUCT<amount INT64, Addr STRUCT<City STRING, geo ARRAY<FLOAT64>>, at TIMESTAMP, extra JSON>,
  lines ARRAY<STRUCT<qty NUMERIC(10, 2), tags ARRAY<STRING>>>,
  names ARRAY<STRING>,
  doc JSON
);
"""
HIVE = """
CREATE TABLE t (
  n bigint,
  labels map<string,struct<text:string,score:double>>,
  deep array<array<struct<x:int>>>,
  counts map<string,map<string,int>>,
  mixed uniontype<int,string>,
  rec struct<inner_map:map<string,array<boolean>>,choice:uniontype<int,string>>
);
"""


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        (("id",), "id"),
        (("payload",), f"{V2}.[type=struct].payload"),
        (("payload", "amount"), f"{V2}.[type=struct].payload.[type=long].amount"),
        (("payload", "Addr"), f"{V2}.[type=struct].payload.[type=struct].addr"),
        (("payload", "Addr", "City"), f"{V2}.[type=struct].payload.[type=struct].addr.[type=string].city"),
        (("payload", "Addr", "geo", "[*]"),
         f"{V2}.[type=struct].payload.[type=struct].addr.[type=array].[type=double].geo"),
        (("payload", "at"), f"{V2}.[type=struct].payload.[type=int].at"),
        (("payload", "extra"), f"{V2}.[type=struct].payload.[type=null].extra"),
        (("payload", "extra", "device", "os"), f"{V2}.[type=struct].payload.[type=null].extra"),
        (("lines",), f"{V2}.[type=array].[type=struct].lines"),
        (("lines", "[*]"), f"{V2}.[type=array].[type=struct].lines"),
        (("lines", "[*]", "qty"), f"{V2}.[type=array].[type=struct].lines.[type=bytes].qty"),
        (("lines", "[*]", "tags", "[*]"), f"{V2}.[type=array].[type=struct].lines.[type=array].[type=string].tags"),
        (("names",), f"{V2}.[type=array].[type=string].names"),
        (("doc",), "doc"),
        (("doc", "device", "os"), "doc"),
        (("gone", "x"), "gone.x"),
    ],
)  # fmt: skip
def test_bigquery(path: tuple[str, ...], spelled: str) -> None:
    assert field_path(columns_of(BIGQUERY, "bigquery"), path, PLATFORMS["bigquery"]) == spelled


@pytest.mark.parametrize(
    ("path", "spelled"),
    [
        (("n",), "n"),
        (("labels",), f"{V2}.[type=map].[type=struct].labels"),
        (("labels", "[*]", "key"), f"{V2}.[type=map].[type=struct].labels"),
        (("labels", "[*]", "value"), f"{V2}.[type=map].[type=struct].labels"),
        (("labels", "[*]", "value", "text"), f"{V2}.[type=map].[type=struct].labels.[type=string].text"),
        (("labels", "['en']", "score"), f"{V2}.[type=map].[type=struct].labels.[type=double].score"),
        (("deep", "[*]", "[*]", "x"), f"{V2}.[type=array].[type=array].[type=struct].deep.[type=int].x"),
        (("counts", "['a']", "['b']"), f"{V2}.[type=map].[type=map].[type=int].counts"),
        (("mixed",), f"{V2}.[type=union].mixed"),
        (("rec", "inner_map", "[*]", "value", "[*]"),
         f"{V2}.[type=struct].rec.[type=map].[type=array].[type=boolean].inner_map"),
        (("rec", "choice"), f"{V2}.[type=struct].rec.[type=union].choice"),
    ],
)  # fmt: skip
def test_hive(path: tuple[str, ...], spelled: str) -> None:
    assert field_path(columns_of(HIVE, "hive"), path, PLATFORMS["hive"]) == spelled


def test_glue_and_athena_spell_plain_columns_too() -> None:
    columns = columns_of(HIVE, "hive")
    assert field_path(columns, ("n",), PLATFORMS["glue"]) == "[version=2.0].[type=long].n"
    assert field_path(columns_of("CREATE TABLE t (d double)", "trino"), ("d",), PLATFORMS["athena"]) == (
        "[version=2.0].[type=float].d"
    )


def test_databricks_has_no_fields_in_maps() -> None:
    columns = columns_of("CREATE TABLE t (m MAP<STRING, STRUCT<Label: STRING>>, s STRUCT<Label: STRING>)", "databricks")
    spelling = PLATFORMS["databricks"]
    assert field_path(columns, ("m", "[*]", "value", "Label"), spelling) == "m"
    assert field_path(columns, ("s", "Label"), spelling) == f"{V2}.[type=struct].s.[type=string].label"


def test_a_platform_without_nested_fields_names_the_column() -> None:
    columns = columns_of(BIGQUERY, "bigquery")
    assert field_path(columns, ("payload", "amount"), FLAT) == "payload"
    assert field_path((), ("a", "b"), FLAT) == "a"


def test_an_unknown_type_on_the_way_leaves_the_names() -> None:
    columns = columns_of("CREATE VIEW v AS SELECT a FROM unknown_table", "bigquery")
    assert field_path(columns, ("a",), PLATFORMS["bigquery"]) == "a"
    assert field_path(columns, ("a", "[*]", "b"), PLATFORMS["bigquery"]) == "a.b"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (f"{V2}.[type=struct].payload.[type=long].amount", "payload.amount"),
        (f"{V2}.[type=array].[type=array].[type=struct].deep.[type=int].x", "deep.x"),
        ("payload.amount", "payload.amount"),
        ("[version=2.0].[key=True].[type=struct].id", "id"),
        ("items[*].qty", "items[*].qty"),
    ],
)
def test_simple_names(path: str, name: str) -> None:
    assert simple_name(path) == name


# ---------------------------------------------------------------- DataHub's own


def datahub(module: str) -> Any:
    return pytest.importorskip(f"datahub.{module}", reason="acryl-datahub is not installed (dependency group exports)")


def known_paths(columns: Iterable[Field], platform: str) -> list[str]:
    return list(schema_paths(tuple(columns), platform))


def test_every_path_of_a_hive_table_is_one_of_datahub() -> None:
    converter = datahub("utilities.hive_schema_to_avro")
    types = {
        "labels": "map<string,struct<text:string,score:double>>",
        "deep": "array<array<struct<x:int>>>",
        "counts": "map<string,map<string,int>>",
        "mixed": "uniontype<int,string>",
        "rec": "struct<inner_map:map<string,array<boolean>>,choice:uniontype<int,string>>",
    }
    theirs = [
        field.fieldPath
        for name, text in types.items()
        for field in converter.get_schema_fields_for_hive_column(name, text)
    ]
    # The members of a union have paths of their own in DataHub; no SQL names them.
    members = [path for path in theirs if ".[type=union].[type=" in path]
    assert len(members) == 4
    assert known_paths(columns_of(HIVE, "hive"), "hive") == ["n", *(path for path in theirs if path not in members)]
    glue = converter.get_schema_fields_for_hive_column("n", "bigint")[0].fieldPath
    assert known_paths(columns_of(HIVE, "hive"), "glue")[0] == glue == "[version=2.0].[type=long].n"


def test_every_path_of_a_bigquery_table_is_one_of_datahub() -> None:
    """The BigQuery source hands the lower-cased text of a type to the Hive converter, with a blank behind names."""
    converter = datahub("utilities.hive_schema_to_avro")
    types = {
        "payload": "STRUCT<amount INT64, Addr STRUCT<City STRING, geo ARRAY<FLOAT64>>, at TIMESTAMP, extra JSON>",
        "lines": "ARRAY<STRUCT<qty NUMERIC(10, 2), tags ARRAY<STRING>>>",
        "names": "ARRAY<STRING>",
    }
    hive = converter.HiveColumnToAvroConverter
    before = hive._STRUCT_TYPE_SEPARATOR
    hive._STRUCT_TYPE_SEPARATOR = " "
    try:
        theirs = [
            field.fieldPath
            for name, text in types.items()
            for field in converter.get_schema_fields_for_hive_column(name, text.lower())
        ]
    finally:
        hive._STRUCT_TYPE_SEPARATOR = before
    assert known_paths(columns_of(BIGQUERY, "bigquery"), "bigquery") == ["id", *theirs, "doc"]


SCALARS = st.sampled_from(["string", "bigint", "double", "boolean", "decimal(9,2)", "date", "binary"])


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        inner.map(lambda text: f"array<{text}>"),
        inner.map(lambda text: f"map<string,{text}>"),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda texts: f"struct<{','.join(f'f{number}:{text}' for number, text in enumerate(texts))}>"
        ),
    )


@given(_nested(st.recursive(SCALARS, _nested, max_leaves=6)))
@settings(max_examples=100, deadline=None)
def test_any_nested_type_has_the_paths_of_datahub(written: str) -> None:
    converter = datahub("utilities.hive_schema_to_avro")
    theirs = [field.fieldPath for field in converter.get_schema_fields_for_hive_column("c", written)]
    assert known_paths(columns_of(f"CREATE TABLE t (c {written})", "hive"), "hive") == theirs


@pytest.mark.parametrize(
    "written",
    [
        "string", "int64", "float64", "bool", "bytes", "numeric", "numeric(10, 2)", "bignumeric", "bignumeric(50, 9)",
        "decimal", "date", "datetime", "timestamp", "time", "json", "geography", "string(10)", "interval",
    ],
)  # fmt: skip
def test_every_scalar_type_of_bigquery_is_called_what_datahub_calls_it(written: str) -> None:
    converter = datahub("utilities.hive_schema_to_avro")
    theirs = converter.get_schema_fields_for_hive_column("c", f"array<{written}>")[0].fieldPath
    columns = columns_of(f"CREATE TABLE t (c ARRAY<{written}>)", "bigquery")
    assert known_paths(columns, "bigquery") == [theirs]


@pytest.mark.parametrize(
    "written", ["tinyint", "smallint", "int", "bigint", "float", "double", "decimal(9,2)", "varchar(5)", "binary"]
)
def test_every_scalar_type_of_hive_is_called_what_datahub_calls_it(written: str) -> None:
    converter = datahub("utilities.hive_schema_to_avro")
    theirs = [field.fieldPath for field in converter.get_schema_fields_for_hive_column("c", f"struct<f:{written}>")]
    assert known_paths(columns_of(f"CREATE TABLE t (c struct<f:{written}>)", "hive"), "hive") == theirs


@pytest.mark.parametrize(
    "path", [f"{V2}.[type=map].[type=struct].m.[type=string].x", "plain", "a.b", f"{V2}.[type=union].[type=int].u"]
)
def test_simple_names_are_those_of_datahub(path: str) -> None:
    theirs = datahub("utilities.urns.field_paths").get_simple_field_path_from_v2_field_path(path)
    assert simple_name(path) == theirs
