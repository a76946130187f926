# ruff: noqa: E501
"""CREATE VIEW of every dialect, and CREATE TABLE .. AS: where the query begins and ends, and which columns it names."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.query_model import CreateTable, CreateView, Insert, OtherStatement, Select, ValuesQuery
from tests.unit.syntax.ddl_reading import assert_exact_spans, columns, dotted, names_in, read, read_table

VIEWS = [
    ("bigquery", "CREATE OR REPLACE VIEW `p.d.v` (a OPTIONS(description='x, y'), b) OPTIONS(labels=[('k', 'v')]) AS SELECT q FROM t", "p|d|v", ["a", "b"]),
    ("bigquery", "CREATE MATERIALIZED VIEW d.v PARTITION BY DATE(q) CLUSTER BY q OPTIONS(x=1) AS SELECT q FROM t", "d|v", []),
    ("trino", "CREATE OR REPLACE VIEW v COMMENT 'as select' SECURITY INVOKER AS SELECT q FROM t", "v", []),
    ("athena", "CREATE OR REPLACE VIEW v AS SELECT q FROM t", "v", []),
    ("spark", "CREATE OR REPLACE GLOBAL TEMPORARY VIEW v (a COMMENT 'x', b) COMMENT 'y' TBLPROPERTIES ('a' = 'b') AS SELECT q FROM t", "v", ["a", "b"]),
    ("hive", "CREATE VIEW IF NOT EXISTS d.v (a, b COMMENT 'as') AS SELECT q FROM t", "d|v", ["a", "b"]),
    ("databricks", "CREATE OR REFRESH MATERIALIZED VIEW v (a COMMENT 'x', CONSTRAINT ok EXPECT (a > 0)) AS SELECT q FROM t", "v", ["a"]),
    ("snowflake", "CREATE OR REPLACE SECURE RECURSIVE VIEW v (a WITH MASKING POLICY p USING (a, b), b TAG (t='x')) COPY GRANTS COMMENT='c' AS SELECT q FROM t", "v", ["a", "b"]),
    ("postgres", "CREATE OR REPLACE TEMP VIEW v (a, \"B\") WITH (security_barrier=true) AS SELECT q FROM t WITH LOCAL CHECK OPTION", "v", ["a", "B"]),
    ("postgres", "CREATE MATERIALIZED VIEW IF NOT EXISTS v USING heap TABLESPACE x AS SELECT q FROM t WITH NO DATA", "v", []),
    ("redshift", "CREATE MATERIALIZED VIEW v BACKUP NO DISTSTYLE KEY DISTKEY (q) AUTO REFRESH YES AS SELECT q FROM t", "v", []),
    ("redshift", "CREATE VIEW v AS SELECT q FROM t WITH NO SCHEMA BINDING", "v", []),
    ("oracle", "CREATE OR REPLACE NOFORCE EDITIONABLE VIEW v (a, CONSTRAINT c PRIMARY KEY (a) DISABLE) BEQUEATH DEFINER AS SELECT q FROM t WITH READ ONLY", "v", ["a"]),
    ("oracle", "CREATE MATERIALIZED VIEW v BUILD DEFERRED REFRESH FAST ON COMMIT WITH PRIMARY KEY ENABLE QUERY REWRITE AS SELECT q FROM t", "v", []),
    ("duckdb", "CREATE VIEW IF NOT EXISTS v(a) AS FROM t SELECT q", "v", ["a"]),
    ("clickhouse", "CREATE MATERIALIZED VIEW v ON CLUSTER c TO d.w (a Int8, b Nested(x Int8)) AS SELECT q FROM t", "v", ["a", "b"]),
    ("clickhouse", "CREATE MATERIALIZED VIEW v ENGINE = SummingMergeTree ORDER BY (q) POPULATE AS SELECT q FROM t", "v", []),
    ("mysql", "CREATE ALGORITHM = MERGE DEFINER = `root`@`%` SQL SECURITY DEFINER VIEW v (a) AS SELECT q FROM t WITH CHECK OPTION", "v", ["a"]),
    ("tsql", "CREATE OR ALTER VIEW [dbo].[v] WITH SCHEMABINDING AS SELECT q FROM t", "dbo|v", []),
    ("sqlite", "CREATE TEMP VIEW IF NOT EXISTS v AS SELECT q FROM t", "v", []),
    ("hive", "ALTER VIEW v AS SELECT q FROM t", "v", []),
    ("ansi", "CREATE VIEW v (a) AS (SELECT q FROM t)", "v", ["a"]),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql", "name", "names"), VIEWS)
def test_views(dialect: str, sql: str, name: str, names: list[str]) -> None:
    reading = read(sql, dialect)
    assert reading is not None
    view = reading.statement
    assert isinstance(view, CreateView)
    assert (dotted(view.name), [column.text for column in view.columns], reading.issues) == (name, names, ())
    assert isinstance(view.query, Select)
    assert [found.text for found in names_in(view.query)] == ["q", "t"]
    assert_exact_spans(sql, view)


def test_what_a_view_says_of_itself() -> None:
    view = read("CREATE OR REPLACE MATERIALIZED VIEW IF NOT EXISTS v TO w AS SELECT 1 AS a", "clickhouse").statement
    assert (view.materialized, view.replace, view.if_not_exists, view.temporary) == (True, True, True, False)
    assert dotted(view.to) == "w"


def test_a_temporary_view_over_files_is_a_table() -> None:
    made = read("CREATE TEMPORARY VIEW v USING csv OPTIONS (path 's3://b/x', header 'true')", "spark").statement
    assert isinstance(made, CreateTable)
    assert (made.location, made.temporary, made.open) == ("s3://b/x", True, True)


QUERIES = [
    ("bigquery", "CREATE TABLE d.t PARTITION BY DATE(x) CLUSTER BY y OPTIONS(a='select') AS (SELECT q FROM t)"),
    ("trino", "CREATE TABLE t WITH (format = 'ORC', partitioned_by = ARRAY['x']) AS SELECT q FROM t WITH NO DATA"),
    ("spark", "CREATE TABLE t USING parquet PARTITIONED BY (q) AS SELECT q FROM t"),
    ("spark", "CREATE TABLE t USING parquet SELECT q FROM t"),
    ("hive", "CREATE TABLE t STORED AS ORC AS SELECT q FROM t"),
    ("snowflake", "CREATE DYNAMIC TABLE t TARGET_LAG = '1 minute' WAREHOUSE = w AS SELECT q FROM t"),
    ("postgres", "CREATE TEMP TABLE t ON COMMIT DROP AS SELECT q FROM t"),
    ("redshift", "CREATE TABLE t DISTKEY (q) SORTKEY (q) AS SELECT q FROM t"),
    ("oracle", "CREATE TABLE t TABLESPACE u PARALLEL 4 NOLOGGING AS SELECT q FROM t"),
    ("duckdb", "CREATE OR REPLACE TABLE t AS FROM t SELECT q"),
    ("clickhouse", "CREATE TABLE t ENGINE = MergeTree ORDER BY tuple() PARTITION BY toYYYYMM(d) AS SELECT q FROM t"),
    ("mysql", "CREATE TABLE t ENGINE = InnoDB AS SELECT q FROM t"),
    ("mysql", "CREATE TABLE t (SELECT q FROM t)"),
    ("tsql", "CREATE TABLE t WITH (DISTRIBUTION = HASH(q)) AS SELECT q FROM t"),
]


@pytest.mark.parametrize(("dialect", "sql"), QUERIES)
def test_tables_made_of_queries(dialect: str, sql: str) -> None:
    table = read_table(sql, dialect)
    assert (table.columns, table.column_names, table.open) == ((), (), False)
    assert [found.text for found in names_in(table.query)] == ["q", "t"]
    assert_exact_spans(sql, table)


def test_a_common_table_expression_is_no_option() -> None:
    table = read_table("CREATE TABLE t WITH c (a) AS (SELECT q FROM u) SELECT a FROM c", "spark")
    assert isinstance(table.query, Select)
    assert [cte.name.text for cte in table.query.ctes] == ["c"]


def test_names_without_types_are_the_query_s() -> None:
    table = read_table("CREATE TABLE t (a, b) AS VALUES (1, 2)", "postgres")
    assert ([name.text for name in table.column_names], table.columns) == (["a", "b"], ())
    assert isinstance(table.query, ValuesQuery)


def test_typed_columns_stay_beside_the_query() -> None:
    table = read_table("CREATE TABLE t (a Int8, b Tuple(c String)) ENGINE = Memory AS SELECT 1 AS a, q AS b FROM u", "clickhouse")
    assert columns(table.columns) == ["a Int8", "b {c:String}"]
    assert table.column_names == ()
    assert isinstance(table.query, Select)


def test_a_view_without_a_readable_query_is_still_a_view() -> None:
    model = parse_statement("CREATE VIEW s.v (a, b) AS", DIALECTS["postgres"])
    assert isinstance(model.statement, CreateView)
    assert (dotted(model.statement.name), [name.text for name in model.statement.columns]) == ("s|v", ["a", "b"])
    assert model.statement.query is None
    assert model.partial
    assert len(model.issues) == 1


@pytest.mark.parametrize(
    ("dialect", "sql", "name", "source"),
    [
        ("oracle", "CREATE OR REPLACE PUBLIC SYNONYM s FOR hr.t", "s", "hr|t"),
        ("tsql", "CREATE SYNONYM dbo.s FOR [other].[dbo].[t]", "dbo|s", "other|dbo|t"),
        ("snowflake", "CREATE OR REPLACE STREAM a.s ON TABLE b.t APPEND_ONLY = TRUE", "a|s", "b|t"),
        ("snowflake", "CREATE STREAM IF NOT EXISTS s COPY GRANTS ON VIEW v", "s", "v"),
    ],
)
def test_names_for_other_relations_are_views_of_all_columns(dialect: str, sql: str, name: str, source: str) -> None:
    view = read(sql, dialect).statement
    assert isinstance(view, CreateView)
    assert (dotted(view.name), view.query.projections[0].value.qualifier) == (name, None)
    assert dotted(view.query.sources[0].source.parts) == source
    assert_exact_spans(sql, view)


def test_the_statement_of_a_task() -> None:
    sql = "CREATE OR REPLACE TASK k WAREHOUSE = w WHEN SYSTEM$STREAM_HAS_DATA('S') AS INSERT INTO q (t) SELECT q FROM t"
    reading = read(sql, "snowflake")
    assert isinstance(reading.statement, Insert)
    assert reading.issues == ()
    assert_exact_spans(sql, reading.statement)
    assert read("CREATE TASK k AFTER j AS CALL p()", "snowflake").statement == OtherStatement("CREATE")
    assert read("CREATE STREAM s ON STAGE g", "snowflake").statement == OtherStatement("CREATE")
