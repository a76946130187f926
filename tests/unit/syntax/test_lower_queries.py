# ruff: noqa: E501
"""Query blocks, set operations, joins and pivots, lowered: whole models with exact name spans."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from tests.support.model_text import model_text

CASES = [
    # CTEs and set operations
    (
        "bigquery",
        "WITH fleet AS (SELECT id, hull FROM vessels), old AS (SELECT id FROM fleet) SELECT f.hull FROM fleet AS f JOIN old USING (id)",
        "with fleet = (select id, hull from vessels) old = (select id from fleet) select f.hull from fleet as f inner old using(id)",
    ),
    (
        "postgres",
        "WITH RECURSIVE chain (id, boss) AS (SELECT id, boss FROM crew UNION ALL SELECT c.id, c.boss FROM crew c JOIN chain ON c.id = chain.boss) SELECT id FROM chain",
        "with recursive chain(id, boss) = ((select id, boss from crew) union (select c.id, c.boss from crew as c inner chain on (= c.id chain.boss))) select id from chain",
    ),
    (
        "clickhouse",
        "WITH 10 AS fee, (SELECT max(no) FROM berths) AS top, fleet AS (SELECT id FROM vessels) SELECT fee, top, id FROM fleet",
        "with fleet = (select id from vessels) select fee, top, id let 10 as fee, scalar(select MAX!(no) from berths) as top from fleet",
    ),
    (
        "bigquery",
        "SELECT id FROM vessels UNION ALL SELECT no FROM berths EXCEPT DISTINCT SELECT id FROM sunk ORDER BY 1",
        "((select id from vessels) union (select no from berths)) except distinct (select id from sunk) order 1",
    ),
    (
        "duckdb",
        "SELECT id, flag FROM vessels UNION ALL BY NAME SELECT flag, id FROM boats",
        "(select id, flag from vessels) union by name (select flag, id from boats)",
    ),
    (
        "bigquery",
        "(SELECT id FROM vessels ORDER BY tons LIMIT 1) UNION ALL (SELECT no FROM berths) ORDER BY id",
        "(select id from vessels order tons) union (select no from berths) order id",
    ),
    (
        "postgres",
        "WITH gone AS (DELETE FROM vessels WHERE sunk RETURNING id, name AS title) SELECT title FROM gone",
        "with gone = (select id, name as title from vessels) select title from gone",
    ),
    ("postgres", "VALUES (1, 'a'), (2, 'b')", "values (1, 'a'), (2, 'b')"),
    # clauses
    (
        "snowflake",
        "SELECT flag, SUM(tons) AS total FROM vessels WHERE tons > 1 GROUP BY flag HAVING SUM(tons) > 9 QUALIFY ROW_NUMBER() OVER (ORDER BY flag) = 1 ORDER BY total",
        "select flag, SUM!(tons) as total from vessels where (> tons 1) having (> SUM!(tons) 9) qualify (= ROW_NUMBER() over(order flag) 1) group flag order total",
    ),
    (
        "bigquery",
        "SELECT flag, port FROM calls GROUP BY ROLLUP (flag, port)",
        "select flag, port from calls group flag, port",
    ),
    (
        "postgres",
        "SELECT flag, port FROM calls GROUP BY GROUPING SETS ((flag, port), (flag), ())",
        "select flag, port from calls group flag, port, flag",
    ),
    ("snowflake", "SELECT flag, COUNT(*) FROM calls GROUP BY ALL", "select flag, COUNT!(*) from calls group all"),
    (
        "postgres",
        "SELECT DISTINCT ON (flag, port) name FROM calls ORDER BY flag, port",
        "select name distinct(flag, port) from calls order flag, port",
    ),
    (
        "oracle",
        "SELECT id, LEVEL, PRIOR name FROM crew START WITH boss IS NULL CONNECT BY PRIOR id = boss",
        "select id, LEVEL, (PRIOR name) from crew connect (IS boss NULL), (= (PRIOR id) boss)",
    ),
    ("bigquery", "SELECT AS STRUCT id, name FROM vessels", "select struct id, name from vessels"),
    ("bigquery", "SELECT AS VALUE STRUCT(id, name) FROM vessels", "select value struct{id=id, name=name} from vessels"),
    (
        "tsql",
        "SELECT TOP (5) WITH TIES id, fee = tons * 2 INTO #cheap FROM vessels ORDER BY tons",
        "select id, (* tons 2) as fee from vessels order tons into temp #cheap",
    ),
    ("oracle", "SELECT id BULK COLLECT INTO ids FROM vessels", "select id from vessels"),
    (
        "clickhouse",
        "SELECT id FROM vessels FINAL PREWHERE tons > 1 WHERE NOT sunk LIMIT 1 BY flag SETTINGS max_threads = 1",
        "select id from vessels where (AND (> tons 1) (NOT sunk))",
    ),
    (
        "hive",
        "SELECT id FROM vessels TABLESAMPLE(BUCKET 1 OUT OF 2) v DISTRIBUTE BY flag SORT BY tons",
        "select id from vessels as v order tons, flag",
    ),
    ("duckdb", "FROM vessels SELECT id WHERE tons > 1", "select id from vessels where (> tons 1)"),
    ("duckdb", "FROM vessels", "select * from vessels"),
    # joins
    (
        "bigquery",
        "SELECT * FROM vessels v, berths b JOIN calls c ON v.id = c.id LEFT JOIN ports USING (port, area) CROSS JOIN flags FULL OUTER JOIN crew ON TRUE",
        "select * from vessels as v cross berths as b inner calls as c on (= v.id c.id) left ports using(port, area) cross flags full crew on TRUE",
    ),
    (
        "postgres",
        "SELECT * FROM vessels NATURAL JOIN calls JOIN (berths b JOIN quays q ON b.no = q.no) AS place ON place.no = calls.no",
        "select * from vessels inner natural calls inner [berths as b inner quays as q on (= b.no q.no)] as place on (= place.no calls.no)",
    ),
    (
        "mysql",
        "SELECT * FROM vessels LEFT JOIN (berths, quays) ON vessels.id = berths.id STRAIGHT_JOIN ports",
        "select * from vessels left [berths cross quays] on (= vessels.id berths.id) inner ports",
    ),
    (
        "spark",
        "SELECT * FROM vessels LEFT SEMI JOIN calls ON vessels.id = calls.id LEFT ANTI JOIN sunk USING (id)",
        "select * from vessels semi calls on (= vessels.id calls.id) anti sunk using(id)",
    ),
    (
        "duckdb",
        "SELECT * FROM vessels ASOF JOIN tides ON vessels.at >= tides.at POSITIONAL JOIN flags SEMI JOIN calls USING (id)",
        "select * from vessels asof tides on (>= vessels.at tides.at) cross flags semi calls using(id)",
    ),
    (
        "snowflake",
        "SELECT * FROM vessels v ASOF JOIN tides t MATCH_CONDITION (v.at >= t.at) ON v.port = t.port",
        "select * from vessels as v asof tides as t on (AND (>= v.at t.at) (= v.port t.port))",
    ),
    (
        "clickhouse",
        "SELECT * FROM vessels ANY LEFT JOIN calls USING (id) GLOBAL INNER JOIN ports ON vessels.port = ports.port",
        "select * from vessels left calls using(id) inner ports on (= vessels.port ports.port)",
    ),
    (
        "bigquery",
        "SELECT * FROM vessels a JOIN calls b JOIN ports c ON b.port = c.port ON a.id = b.id",
        "select * from vessels as a inner [calls as b inner ports as c on (= b.port c.port)] on (= a.id b.id)",
    ),
    # derived tables
    (
        "bigquery",
        "SELECT d.id FROM (SELECT id FROM vessels) AS d, (SELECT no FROM berths)",
        "select d.id from (select id from vessels) as d cross (select no from berths)",
    ),
    (
        "postgres",
        "SELECT * FROM vessels v, LATERAL (SELECT no FROM berths b WHERE b.port = v.port) AS near, (VALUES (1, 'a'), (2, 'b')) AS t (no, name)",
        "select * from vessels as v cross lateral (select no from berths as b where (= b.port v.port)) as near cross (values (1, 'a'), (2, 'b')) as t(no, name)",
    ),
    (
        "tsql",
        "SELECT * FROM vessels v CROSS APPLY (SELECT TOP 1 no FROM calls c WHERE c.id = v.id) AS last OUTER APPLY dbo.fees(v.id) AS f",
        "select * from vessels as v cross lateral (select no from calls as c where (= c.id v.id)) as last left table DBO.FEES(v.id) as f",
    ),
    # pivots
    (
        "bigquery",
        "SELECT * FROM calls PIVOT (SUM(kg) AS total, COUNT(*) AS n FOR kind IN ('coal' AS black, 'grain')) AS p",
        "select * from calls pivot(SUM!(kg) as total, COUNT!(*) as n for kind in 'coal' as black, 'grain') as p",
    ),
    (
        "snowflake",
        "SELECT * FROM calls PIVOT (SUM(kg) FOR kind IN (ANY)) AS p (port, coal)",
        "select * from calls pivot(SUM!(kg) for kind in  any) as p(port, coal)",
    ),
    (
        "tsql",
        "SELECT * FROM calls PIVOT (SUM(kg) FOR kind IN ([coal], [grain])) AS p",
        "select * from calls pivot(SUM!(kg) for kind in 'coal', 'grain') as p",
    ),
    (
        "spark",
        "SELECT * FROM calls PIVOT (SUM(kg) AS s FOR (kind, port) IN (('coal', 1) AS c1, ('grain', 2)))",
        "select * from calls pivot(SUM!(kg) as s for kind, port in row{'coal', 1} as c1, row{'grain', 2})",
    ),
    (
        "bigquery",
        "SELECT * FROM loads UNPIVOT ((kg, fee) FOR kind IN ((coal_kg, coal_fee) AS 'coal', (grain_kg, grain_fee)))",
        "select * from loads unpivot(kg, fee for kind in (coal_kg, coal_fee) = 'coal', (grain_kg, grain_fee))",
    ),
    (
        "snowflake",
        "SELECT * FROM loads UNPIVOT (kg FOR kind IN (coal, grain AS 'corn')) AS u",
        "select * from loads unpivot(kg for kind in (coal), (grain) = 'corn') as u",
    ),
    (
        "duckdb",
        "PIVOT calls ON kind IN ('coal', 'grain') USING SUM(kg) AS s GROUP BY port",
        "select * from calls pivot(SUM!(kg) as s for kind in 'coal', 'grain' group port)",
    ),
    ("duckdb", "PIVOT calls ON kind USING SUM(kg)", "select * from calls pivot(SUM!(kg) for kind in  any)"),
    (
        "duckdb",
        "UNPIVOT loads ON coal, grain INTO NAME kind VALUE kg",
        "select * from loads unpivot(kg for kind in (coal), (grain))",
    ),
    (
        "snowflake",
        "SELECT * FROM tides MATCH_RECOGNIZE (PARTITION BY port ORDER BY at MEASURES LAST(up.level) AS top PATTERN (up+) DEFINE up AS up.level > 3) AS m",
        "select * from (select port, LAST!(level) as top from tides where (AND (> level 3)) order at) as m",
    ),
    (
        "trino",
        "SELECT * FROM tides MATCH_RECOGNIZE (MEASURES A.level AS top ALL ROWS PER MATCH PATTERN (A+) DEFINE A AS level > 3) AS m",
        "select * from (select *, level as top from tides where (AND (> level 3))) as m",
    ),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_the_whole_model(dialect: str, sql: str, expected: str) -> None:
    assert model_text(sql, parse_statement(sql, DIALECTS[dialect])) == expected
