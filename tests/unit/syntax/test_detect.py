"""Dialects: named by a header, told by evidence, or left open."""

from __future__ import annotations

import time

import pytest

from sql_lineage_ls.syntax.detect import detect_dialect, header_dialect
from sql_lineage_ls.syntax.dialects import DIALECTS, Dialect


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("-- dialect: trino\nSELECT 1", "trino"),
        ("--# dialect: BigQuery\nSELECT 1", "bigquery"),
        ("# dialect: mysql", "mysql"),
        ("/* dialect: postgresql */ SELECT 1", "postgres"),
        ("/*\n * All crates.\n * dialect = duckdb\n */", "duckdb"),
        ("\ufeff-- All crates.\n\n-- dialect: spark\r\nSELECT 1", "spark"),
        ("-- SQL dialect: snowflake", "snowflake"),
        ("-- sqlfluff:dialect:redshift\nSELECT 1", "redshift"),
    ],
)
def test_a_header_names_the_dialect(text: str, name: str) -> None:
    assert header_dialect(text) is DIALECTS[name]


def test_a_header_with_an_unknown_name_is_handed_back() -> None:
    assert header_dialect("-- dialect: klingon\nSELECT 1") == "klingon"


@pytest.mark.parametrize(
    "text",
    ["", "SELECT 1", "SELECT 1 -- dialect: trino", "SELECT 1;\n-- dialect: trino", "-- Each dialect has its own.",
     "SELECT ' dialect: trino'", "/* dialect"],
)
def test_no_header(text: str) -> None:
    assert header_dialect(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("SELECT c.id FROM `acme-prod.depot.crates` AS c", "bigquery"),
        ("CREATE TABLE crates (id INT64, box STRUCT<w FLOAT64, label STRING>)", "bigquery"),
        ("SELECT a FROM crates, UNNEST(items) AS i WITH OFFSET AS at", "bigquery"),
        ("SELECT SAFE_CAST(a AS STRING), items[OFFSET(0)] FROM crates", "bigquery"),
        ("CREATE TABLE crates (id BIGINT, box ROW(w DOUBLE, label VARCHAR))", "trino"),
        ("CREATE TABLE crates (tags ARRAY(VARCHAR)) WITH (format = 'ORC', external_location = 's3://b/c/')", "trino"),
        ("SELECT i FROM crates LATERAL VIEW explode(items) t AS i", "spark"),
        ("CREATE TABLE crates (box STRUCT<w: DOUBLE>) USING PARQUET", "spark"),
        ("CREATE TABLE crates (box STRUCT<w: DOUBLE>) USING DELTA", "databricks"),
        ("CREATE TABLE crates (a INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE", "hive"),
        ("SELECT f.value:sku::string AS sku FROM crates c, LATERAL FLATTEN(input => c.v:items) f", "snowflake"),
        ("CREATE TABLE crates (id NUMBER(38, 0), v VARIANT, at TIMESTAMP_NTZ)", "snowflake"),
        ("COPY INTO crates FROM @depot_stage", "snowflake"),
        ("USE ROLE loader;\nSELECT a FROM crates", "snowflake"),
        ("SELECT a FROM stl_query", "redshift"),
        ("CREATE FUNCTION f(x ANY TYPE) AS (x)", "bigquery"),
        ("CREATE TYPE box AS (w numeric, label text); CREATE TABLE crates (b box)", "postgres"),
        ("CREATE TABLE crates (id BIGSERIAL, v JSONB, t text[])", "postgres"),
        ("SELECT (b).w FROM crates", "postgres"),
        ("CREATE TABLE crates (id INT, v SUPER) DISTKEY(id)", "redshift"),
        ("CREATE TYPE box AS OBJECT (w NUMBER, label VARCHAR2(10))\n/\n", "oracle"),
        ("SELECT a FROM crates WHERE a = b(+) AND ROWNUM < 3", "oracle"),
        ("CREATE TABLE crates (id UInt64, t Array(String)) ENGINE = MergeTree ORDER BY id", "clickhouse"),
        ("SELECT i.qty FROM crates ARRAY JOIN items AS i", "clickhouse"),
        ("CREATE TABLE crates (box STRUCT(w DOUBLE, label VARCHAR)[])", "duckdb"),
        ("SELECT a FROM read_parquet('crates/*.parquet')", "duckdb"),
        ("SELECT a FROM 'crates.parquet'", "duckdb"),
        ("SELECT [id] FROM [depot].[crates]\nGO\n", "tsql"),
        ("DECLARE @n INT = 3\nSELECT TOP 3 a FROM dbo.crates", "tsql"),
        ("CREATE TABLE crates (id INT UNSIGNED AUTO_INCREMENT) ENGINE=InnoDB", "mysql"),
        ("INSERT INTO crates (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2", "mysql"),
        ("CREATE TABLE crates (id INTEGER PRIMARY KEY AUTOINCREMENT) WITHOUT ROWID", "sqlite"),
        ("PRAGMA foreign_keys = ON;", "sqlite"),
        ("-- BigQuery: crates.sql\nSELECT a FROM crates", "bigquery"),
        ("/* Spark SQL */ SELECT a FROM crates", "spark"),
        ("-- Hive, Spark\nCREATE TABLE crates (box STRUCT<w: DOUBLE>) STORED AS ORC", "hive"),
        ("-- Presto\nCREATE TABLE crates (box ROW(w DOUBLE))", "presto"),
    ],
)
def test_evidence_tells_the_dialect(text: str, name: str) -> None:
    assert detect_dialect(text) is DIALECTS[name]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SELECT a, b FROM crates WHERE a > 1",
        "CREATE VIEW v AS SELECT box.w FROM crates",
        "SELECT a::int FROM crates",
        "SELECT `a` FROM crates",
        "SELECT 'ENGINE = MergeTree' AS e, 'x' AS \"y\" FROM crates -- VARCHAR2, ROWNUM\n/* LATERAL VIEW */",
        "SELECT a FROM crates -- `acme-prod.depot.crates`",
        "-- Oracle says yes\nSELECT a FROM crates",
        "-- SQL\nSELECT a FROM crates",
        "SELECT TOP 3 ROWNUM FROM crates",
        "SELECT TOP 3 a FROM crates",
        "COPY crates FROM 's3://b/c'; SELECT extract(year FROM 'x')",
        "SELECT flatten(a) FROM crates",
        "CREATE FUNCTION f() AS $$ (a).b; {'x': 1} $$",
        "{{ config(engine='ENGINE = MergeTree') }} SELECT 1",
    ],
)
def test_little_or_mixed_evidence_tells_nothing(text: str) -> None:
    assert detect_dialect(text) is None


def test_strong_evidence_outweighs_the_first_comment() -> None:
    text = "-- Trino: moved\nCREATE TABLE crates (id UInt64, t Array(String)) ENGINE = MergeTree"
    assert detect_dialect(text) is DIALECTS["clickhouse"]


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_dialect_can_be_named(dialect: Dialect) -> None:
    assert header_dialect(f"-- dialect: {dialect.name}") is dialect


@pytest.mark.parametrize("text", ["/*", "'", "`a", "[a", "(", "UNNEST(", "SELECT a:b, ", "{{ ", "a.b::c ", "\n"])
def test_long_texts_cost_little(text: str) -> None:
    began = time.process_time()
    detect_dialect(text * 200_000)
    assert time.process_time() - began < 1
