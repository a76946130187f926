# ruff: noqa: E501
"""CREATE FUNCTION and CREATE MACRO: parameters, returned columns, and bodies in SQL."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from tests.support.model_text import model_text

CASES = [
    (
        "bigquery",
        "CREATE TEMP FUNCTION weigh(x INT64, hold STRUCT<kg INT64>) RETURNS INT64 AS (x + hold.kg)",
        "function weigh(x INT64, hold record<kg INT64>) = (+ x hold.kg)",
    ),
    (
        "bigquery",
        "CREATE OR REPLACE TABLE FUNCTION port.recent(day DATE) RETURNS TABLE<id INT64, name STRING> AS SELECT id, name FROM calls WHERE at > day",
        "function port.recent(day DATE) <- select id, name from calls where (> at day)",
    ),
    (
        "bigquery",
        "CREATE TABLE FUNCTION port.recent(day DATE) AS SELECT id FROM calls WHERE at > day",
        "function port.recent(day DATE) <- select id from calls where (> at day)",
    ),
    (
        "bigquery",
        'CREATE TEMP FUNCTION js(x STRING) RETURNS STRING LANGUAGE js AS "return x.length"',
        "function js(x STRING)",
    ),
    (
        "snowflake",
        "CREATE FUNCTION recent(n INT) RETURNS TABLE (id INT, name VARCHAR) AS $$ SELECT id, name FROM calls $$",
        "function recent(n INT) returns (id INT, name VARCHAR) <- select id, name from calls",
    ),
    (
        "snowflake",
        "CREATE OR REPLACE SECURE FUNCTION weigh(x FLOAT) RETURNS FLOAT AS 'x * 2'",
        "function weigh(x FLOAT) = (* x 2)",
    ),
    (
        "postgres",
        "CREATE FUNCTION total(p int) RETURNS bigint LANGUAGE sql AS $$ SELECT sum(kg) FROM calls WHERE port = p; $$",
        "function total(p int) <- select SUM!(kg) from calls where (= port p)",
    ),
    (
        "postgres",
        "CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
        "function act()",
    ),
    ("duckdb", "CREATE MACRO weigh(a, b) AS a + b", "function weigh(a, b) = (+ a b)"),
    ("duckdb", "CREATE MACRO recent(n) AS TABLE SELECT id FROM calls", "function recent(n) <- select id from calls"),
    ("databricks", "CREATE FUNCTION weigh(x DOUBLE) RETURNS DOUBLE RETURN x * 2", "function weigh(x DOUBLE) = (* x 2)"),
    (
        "tsql",
        "CREATE FUNCTION dbo.recent(@n INT) RETURNS TABLE AS RETURN SELECT id FROM calls",
        "function dbo.recent() <- select id from calls",
    ),
    ("bigquery", "CREATE PROCEDURE port.tidy(x INT64) BEGIN SELECT 1; END", "function port.tidy(x INT64)"),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_the_whole_model(dialect: str, sql: str, expected: str) -> None:
    assert model_text(sql, parse_statement(sql, DIALECTS[dialect])) == expected
