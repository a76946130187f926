"""Names that no DDL declares, spelled differently over files: one node, as the first file spells it."""

from __future__ import annotations

import pytest

from sql_lineage_ls.exporters.report import make_report
from sql_lineage_ls.exporters.text import to_text
from tests.support.product import open_files

FILES = {
    "file:///w/1.sql": "SELECT o.Qty, o.doc FROM Sales.Orders o;",
    "file:///w/2.sql": "CREATE VIEW w AS SELECT o.qty FROM sales.orders o WHERE o.QTY > 3;",
    "file:///w/3.sql": "INSERT INTO sales.orders (QTY) SELECT n.amount FROM more n;",
}


def told(dialect: str, *, steps: bool = False) -> list[str]:
    snapshot = open_files(FILES, dialect)
    report = make_report(snapshot, {uri: uri[-5:] for uri in FILES}, indirect=True, steps=steps)
    return [line for line in to_text(report, steps).splitlines() if "rders" in line]


@pytest.mark.parametrize("dialect", ["snowflake", "postgres", "spark", "trino", "tsql"])
def test_folded_names_are_one_node(dialect: str) -> None:
    assert told(dialect) == [
        "table Sales.Orders: Qty, doc",
        "RS-1.Qty <- Sales.Orders.Qty",
        "RS-1.doc <- Sales.Orders.doc",
        "w.qty <- Sales.Orders.Qty",
        "w.qty <~ Sales.Orders.Qty",
        "Sales.Orders.Qty <- more.amount",
    ]
    assert "Sales.Orders.Qty step 1 in Sales.Orders.Qty: RENAME n.amount" in told(dialect, steps=True)


def test_names_that_differ_stay_apart() -> None:
    assert "table Sales.Orders: Qty, doc" in told("bigquery")
    assert "table sales.orders: qty" in told("bigquery")
