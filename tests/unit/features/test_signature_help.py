"""Signature help: which function is being called, and which of its parameters is written."""

from __future__ import annotations

import time

import pytest

from sql_lineage_ls.features.results import Signature
from sql_lineage_ls.features.signature_help import signature_at
from tests.support import product

URI = "file:///w/query.sql"
DDL = """CREATE FUNCTION shop.net_price(gross NUMERIC, rate NUMERIC) RETURNS NUMERIC AS (gross * rate);
CREATE TABLE FUNCTION shop.trips_of(rider STRING) AS SELECT 1 AS id;"""
NET = "shop.net_price(gross NUMERIC, rate NUMERIC) -> NUMERIC"


def ask(sql: str) -> Signature | None:
    files = {URI: sql.replace("¦", ""), "file:///w/functions.sql": DDL}
    return signature_at(product.open_files(files, "bigquery"), URI, sql.index("¦"))


@pytest.mark.parametrize(
    ("sql", "active"),
    [
        ("SELECT shop.net_price(¦", 0),
        ("SELECT shop.net_price(a.price, ¦) FROM t a", 1),
        ("SELECT shop.net_price(COALESCE(a, b), ¦0.5) FROM t", 1),
        ("SELECT shop.net_price(')', ¦) FROM t", 1),
        ("SELECT shop.net_price([1, 2][0], 3, ¦) FROM t", 1),
        ("SELECT shop.net_price(1 /* , */¦) FROM t", 0),
    ],
)
def test_the_parameter_that_is_written(sql: str, active: int) -> None:
    assert ask(sql) == Signature(NET, ("gross NUMERIC", "rate NUMERIC"), active)


def test_a_table_function() -> None:
    found = ask("SELECT id FROM shop.trips_of(¦)")
    assert found is not None
    assert found.label == "shop.trips_of(rider STRING)"


@pytest.mark.parametrize(
    "sql", ["SELECT shop.net_price(1, 2)¦", "SELECT UPPER(¦", "SELECT (¦", "¦", "SELECT shop.net_price(UPPER(¦"]
)
def test_nothing_outside_of_calls_of_known_functions(sql: str) -> None:
    assert ask(sql) is None


def test_a_long_statement_costs_no_more_than_its_length() -> None:
    rows = ",\n".join(f"({row}, 'x')" for row in range(4_000))
    started = time.perf_counter()
    found = ask(f"INSERT INTO shop.t VALUES {rows}, (shop.net_price(1, ¦2), 'x')")
    assert time.perf_counter() - started < 5
    assert found == Signature(NET, ("gross NUMERIC", "rate NUMERIC"), 1)
