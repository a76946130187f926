# ruff: noqa: E501
"""What stands in FROM, lowered: whole models with exact name spans."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from tests.support.model_text import model_text

CASES = [
    (
        "bigquery",
        "SELECT 1 FROM `harbour-prod.port.calls` AS c, harbour-prod.port.calls, port.`calls`, `port.INFORMATION_SCHEMA.TABLES`",
        "select 1 from 'harbour-prod'.'port'.'calls' as c cross harbour-prod.port.calls cross port.'calls' cross 'port'.'INFORMATION_SCHEMA'.'TABLES'",
    ),
    (
        "tsql",
        "SELECT 1 FROM port..calls, [port].[dbo].[calls] WITH (NOLOCK), @rows AS r",
        "select 1 from port.calls cross 'port'.'dbo'.'calls' cross @rows as r",
    ),
    ("postgres", "SELECT 1 FROM ONLY port.calls AS c (id, name)", "select 1 from port.calls as c(id, name)"),
    (
        "snowflake",
        "SELECT 1 FROM calls AT (OFFSET => -60) AS c, port.public.calls SAMPLE (10), @stage/logs/2024 s, TABLE(RESULT_SCAN('q'))",
        "select 1 from calls as c cross port.public.calls cross file '@stage/logs/2024' as s cross table RESULT_SCAN('q')",
    ),
    (
        "spark",
        "SELECT 1 FROM parquet.`s3://port/calls` p, VALUES (1, 'a') AS v(no, name), range(10) r",
        "select 1 from file 's3://port/calls' as p cross (values (1, 'a')) as v(no, name) cross table RANGE(10) as r",
    ),
    (
        "duckdb",
        "SELECT 1 FROM 's3://port/calls.parquet' AS p, read_csv('x.csv') c, range(3) r(i)",
        "select 1 from file 's3://port/calls.parquet' as p cross table READ_CSV('x.csv') as c cross table RANGE(3) as r(i)",
    ),
    (
        "clickhouse",
        "SELECT 1 FROM numbers(10), s3('http://port/x.csv', 'CSV') AS f, {port:Identifier}.calls",
        "select 1 from table NUMBERS(10) cross table S3('http://port/x.csv', 'CSV') as f cross ~port.calls",
    ),
    # arrays in FROM
    (
        "bigquery",
        "SELECT 1 FROM calls AS c, c.cargo AS g WITH OFFSET AS i, g.lots WITH OFFSET",
        "select 1 from calls as c cross c.cargo as g at i cross g.lots at ~offset",
    ),
    (
        "bigquery",
        "SELECT 1 FROM calls AS c CROSS JOIN UNNEST(c.cargo) AS g WITH OFFSET o LEFT JOIN UNNEST(g.lots) AS l, UNNEST([1, 2]) AS n",
        "select 1 from calls as c cross unnest(c.cargo) as g at o left unnest(g.lots) as l cross unnest(array[1, 2]) as n",
    ),
    (
        "bigquery",
        "SELECT 1 FROM calls AS c, c.cargo[OFFSET(0)].lots AS l",
        "select 1 from calls as c cross unnest(c.cargo[0]->lots) as l",
    ),
    (
        "redshift",
        "SELECT 1 FROM calls AS c, c.cargo AS g AT i, c.cargo[0].lots AS l, UNPIVOT c.marks AS v AT k LEFT JOIN c.tags AS t ON TRUE",
        "select 1 from calls as c cross c.cargo as g at i cross unnest(c.cargo[0]->lots) as l cross unnest(c.marks) as v at k left c.tags as t on TRUE",
    ),
    (
        "trino",
        "SELECT 1 FROM calls CROSS JOIN UNNEST(cargo, marks) WITH ORDINALITY AS g (kind, kg, k, v, n)",
        "select 1 from calls cross unnest(cargo, marks) as g(kind, kg, k, v) at n",
    ),
    (
        "postgres",
        "SELECT 1 FROM calls, unnest(tags, nos) WITH ORDINALITY AS u (tag, no, n), jsonb_array_elements(log) AS e, jsonb_to_recordset(log) AS r (a int, b text), LATERAL generate_series(1, calls.n) AS s (i), ROWS FROM (f(1)) AS z",
        "select 1 from calls cross unnest(tags, nos) as u(tag, no) at n cross table JSONB_ARRAY_ELEMENTS(log) as e cross table JSONB_TO_RECORDSET(log) {a INT, b TEXT} as r(a, b) cross table GENERATE_SERIES(1, calls.n) as s(i) cross table F(1) as z",
    ),
    ("duckdb", "SELECT 1 FROM calls, UNNEST(cargo) AS u (g)", "select 1 from calls cross unnest(cargo) as u(g)"),
    (
        "oracle",
        "SELECT 1 FROM calls c, TABLE(c.cargo) g, TABLE(port_pkg.list(1)) p, TABLE(c.lots)(+) l",
        "select 1 from calls as c cross unnest(c.cargo) as g cross table PORT_PKG.LIST(1) as p cross unnest(c.lots) as l",
    ),
    (
        "spark",
        "SELECT 1 FROM calls LATERAL VIEW OUTER explode(cargo) e AS g LATERAL VIEW posexplode(lots) AS i, l LATERAL VIEW json_tuple(log, 'a', 'b') j AS a, b",
        "select 1 from calls cross view outer table EXPLODE(cargo) as e(g) cross view table POSEXPLODE(lots)(i, l) cross view table JSON_TUPLE(log, 'a', 'b') as j(a, b)",
    ),
    (
        "hive",
        "SELECT 1 FROM calls LATERAL VIEW inline(cargo) c AS kind, kg JOIN ports ON calls.port = ports.port LATERAL VIEW stack(2, a, b) s AS x",
        "select 1 from calls cross view table INLINE(cargo) as c(kind, kg) inner ports on (= calls.port ports.port) cross view table STACK(2, a, b) as s(x)",
    ),
    (
        "databricks",
        "SELECT 1 FROM calls, LATERAL explode(cargo) AS e (g), LATERAL VARIANT_EXPLODE(log)",
        "select 1 from calls cross table EXPLODE(cargo) as e(g) cross table VARIANT_EXPLODE(log)",
    ),
    (
        "snowflake",
        "SELECT 1 FROM calls c, LATERAL FLATTEN(input => c.log:cargo, outer => TRUE) g, TABLE(FLATTEN(g.value:lots)) AS l (seq, key, path, idx, val, this)",
        "select 1 from calls as c cross table FLATTEN(input => c.log:cargo, outer => TRUE) as g cross table FLATTEN(g.value:lots) as l(seq, key, path, idx, val, this)",
    ),
    (
        "clickhouse",
        "SELECT 1 FROM calls LEFT ARRAY JOIN cargo AS g, lots.no AS n, arrayEnumerate(cargo) AS i ARRAY JOIN tags",
        "select 1 from calls cross left array join cargo as g, lots.no as n, ARRAYENUMERATE(cargo) as i cross array join tags",
    ),
    (
        "tsql",
        "SELECT 1 FROM calls CROSS APPLY OPENJSON(log) WITH (kg int '$.kg', note nvarchar(9)) AS o",
        "select 1 from calls cross table OPENJSON(log) {kg INTEGER, note NVARCHAR(9)} as o",
    ),
    (
        "mysql",
        "SELECT 1 FROM calls, JSON_TABLE(log, '$[*]' COLUMNS (kg INT PATH '$.kg', NESTED PATH '$.lots[*]' COLUMNS (no INT PATH '$.no'))) AS j",
        "select 1 from calls cross table JSON_TABLE(log) {kg INT, no INT} as j",
    ),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_the_whole_model(dialect: str, sql: str, expected: str) -> None:
    assert model_text(sql, parse_statement(sql, DIALECTS[dialect])) == expected
