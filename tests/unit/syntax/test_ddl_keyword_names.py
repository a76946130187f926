"""Tables, views and types that are called like a keyword of another statement."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.query_model import CreateTable, CreateType, CreateView, OtherStatement


@pytest.mark.parametrize(
    ("text", "dialect", "kind", "name"),
    [
        ("CREATE TABLE log (d DATE)", "spark", CreateTable, "log"),
        ("CREATE TABLE body (weight FLOAT64)", "bigquery", CreateTable, "body"),
        ("CREATE VIEW log AS SELECT 1 AS a", "trino", CreateView, "log"),
        ("CREATE TYPE body AS (weight real)", "postgres", CreateType, "body"),
    ],
)
def test_a_keyword_as_a_name(text: str, dialect: str, kind: type, name: str) -> None:
    statement = parse_statement(text, DIALECTS[dialect]).statement
    assert isinstance(statement, kind)
    assert [part.text for part in statement.name] == [name]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text", ["CREATE TYPE BODY customer_t AS MEMBER FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END; END;",
             "CREATE MATERIALIZED VIEW LOG ON orders"]
)  # fmt: skip
def test_statements_of_those_keywords(text: str) -> None:
    assert isinstance(parse_statement(text, DIALECTS["oracle"]).statement, OtherStatement)
