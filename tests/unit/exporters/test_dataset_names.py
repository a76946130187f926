"""Names as the databases store them."""

from __future__ import annotations

import pytest

from sql_lineage_ls.exporters.dataset_names import Address, Datasets, address_of, dataset_name
from sql_lineage_ls.exporters.report import make_report
from tests.support.product import open_files

URI = "file:///w/a.sql"
SQL = """
CREATE TABLE Shop.Orders (Id int, "Net" int);
CREATE VIEW Shop.Totals AS SELECT o.Id AS Num, o."Net" AS "Who Is" FROM Shop.Orders o;
INSERT INTO Elsewhere (Target) SELECT Num FROM Shop.Totals;
"""


@pytest.mark.parametrize(
    ("dialect", "names", "columns"),
    [
        ("postgres", ["shop.orders", "elsewhere", "shop.totals"], ["id", "Net", "num", "Who Is", "target"]),
        ("snowflake", ["SHOP.ORDERS", "ELSEWHERE", "SHOP.TOTALS"], ["ID", "Net", "NUM", "Who Is", "TARGET"]),
        ("trino", ["shop.orders", "elsewhere", "shop.totals"], ["id", "net", "num", "who is", "target"]),
        ("duckdb", ["Shop.Orders", "Elsewhere", "Shop.Totals"], ["Id", "Net", "Num", "Who Is", "Target"]),
        ("tsql", ["Shop.Orders", "Elsewhere", "Shop.Totals"], ["Id", "Net", "Num", "Who Is", "Target"]),
    ],
)
def test_names_are_folded_as_the_database_does(dialect: str, names: list[str], columns: list[str]) -> None:
    report = make_report(open_files({URI: SQL}, dialect), {URI: "a.sql"})
    datasets = Datasets(report)
    assert [datasets.name(row.id, dialect) for row in datasets.rows()] == names
    orders, elsewhere, totals = datasets.rows()
    assert [*(field.name for field in datasets.columns(orders.id, dialect)),
            *(field.name for field in datasets.columns(totals.id, dialect)),
            *datasets.path(elsewhere.id, ("Target",), dialect)] == columns  # fmt: skip
    written = [edge.edge for edge in report.edges]
    assert [datasets.path(edge.relation, edge.path, dialect)[0] for edge in written] == columns[2:]


def test_nested_fields_are_folded_where_they_are_declared() -> None:
    sql = "CREATE TABLE T (M map(varchar, row(Label varchar)), Doc json); SELECT M['k'].Label, Doc FROM T;"
    datasets = Datasets(make_report(open_files({URI: sql}, "trino"), {URI: "a.sql"}))
    (row,) = datasets.rows()
    assert datasets.path(row.id, ("M", "['K']", "Label"), "trino") == ("m", "['K']", "label")
    assert datasets.path(row.id, ("M", "[*]", "value", "Label"), "trino") == ("m", "[*]", "value", "label")
    assert datasets.path(row.id, ("Doc", "Key"), "trino") == ("doc", "Key")


@pytest.mark.parametrize(
    ("relation_id", "shown", "dialect", "name"),
    [
        ("postgres␟shop␟orders", "Orders", "postgres", "shop.orders"),
        ("bigquery␟my-project␟ds␟T", "T", "bigquery", "my-project.ds.T"),
        ("duckdb␟main␟order.lines", 'Main."Order.Lines"', "duckdb", "Main.Order.Lines"),
        ("snowflake␟file:///w/a.sql␟#TMP", "#tmp", "snowflake", "#TMP"),
    ],
)
def test_dataset_names(relation_id: str, shown: str, dialect: str, name: str) -> None:
    assert dataset_name(relation_id.replace("␟", "\x1f"), shown, dialect) == name


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("s3a://lake/raw/x", Address("s3", "lake", "/raw/x")),
        ("ABFS://c@acc.dfs.core.windows.net/x/", Address("abfss", "c@acc.dfs.core.windows.net", "/x")),
        ("file:///tmp/x.csv", Address("file", "", "/tmp/x.csv")),
        ("data/x.parquet", Address("file", "", "data/x.parquet")),
        ("@stage/x", Address("", "", "@stage/x")),
    ],
)
def test_addresses(address: str, expected: Address) -> None:
    assert address_of("location\x1f" + address) == expected


def test_a_table_has_no_address() -> None:
    assert address_of("postgres\x1fshop\x1forders") is None
