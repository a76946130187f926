# ruff: noqa: E501
"""DML, scripts and transfers, lowered: whole models with exact name spans."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from tests.support.model_text import model_text

CASES = [
    (
        "bigquery",
        "INSERT INTO port.calls (id, name) SELECT id, name FROM vessels",
        "insert port.calls(id, name) <- select id, name from vessels",
    ),
    (
        "clickhouse",
        "INSERT INTO calls (id, cargo.kind, cargo.kg) SELECT 1, ['a'], [2]",
        "insert calls(id, cargo.kind, cargo.kg) <- select 1, array['a'], array[2]",
    ),
    ("snowflake", "INSERT OVERWRITE INTO calls (id) VALUES (1), (2)", "insert overwrite calls(id) <- values (1), (2)"),
    (
        "spark",
        "INSERT OVERWRITE TABLE port.calls PARTITION (day = '2024-01-01', port) SELECT id, port FROM vessels",
        "insert overwrite port.calls [day = '2024-01-01'] [port] <- select id, port from vessels",
    ),
    ("spark", "INSERT INTO calls BY NAME SELECT 1 AS id", "insert by name calls <- select 1 as id"),
    (
        "spark",
        "INSERT OVERWRITE DIRECTORY 's3://port/out' USING parquet OPTIONS (a '1') SELECT id FROM vessels",
        "insert overwrite 's3://port/out' <- select id from vessels",
    ),
    (
        "hive",
        "INSERT OVERWRITE LOCAL DIRECTORY '/out' ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' SELECT id FROM vessels",
        "insert overwrite '/out' <- select id from vessels",
    ),
    (
        "spark",
        "WITH fleet AS (SELECT id FROM vessels) INSERT INTO calls SELECT id FROM fleet",
        "insert calls <- with fleet = (select id from vessels) select id from fleet",
    ),
    ("mysql", "INSERT INTO calls SET id = 1, name = 'x'", "insert calls(id, name) <- values (1, 'x')"),
    ("mysql", "REPLACE INTO calls (id) SELECT id FROM vessels", "insert calls(id) <- select id from vessels"),
    (
        "mysql",
        "INSERT INTO calls (id, n) VALUES (1, 2) ON DUPLICATE KEY UPDATE n = VALUES(n) + calls.n",
        "insert calls(id, n) <- values (1, 2) conflict n := (+ VALUES(n) calls.n)",
    ),
    (
        "postgres",
        "INSERT INTO calls AS c (id, n) SELECT id, 1 FROM vessels ON CONFLICT (id) DO UPDATE SET n = excluded.n + c.n",
        "insert calls(id, n) <- select id, 1 from vessels conflict n := (+ excluded.n c.n)",
    ),
    ("tsql", "INSERT INTO @rows SELECT id FROM vessels", "insert @rows <- select id from vessels"),
    ("tsql", "INSERT INTO calls (id) EXEC port.list_calls", "insert calls(id)"),
    ("duckdb", "INSERT INTO calls BY POSITION SELECT 1", "insert calls <- select 1"),
    (
        "hive",
        "WITH fleet AS (SELECT id FROM vessels) FROM fleet INSERT OVERWRITE TABLE a SELECT id INSERT INTO TABLE b PARTITION (day = '1') SELECT id WHERE id > 1",
        "insert overwrite a <- with fleet = (select id from vessels) select id from fleet | insert b [day = '1'] <- with fleet = (select id from vessels) select id from fleet where (> id 1)",
    ),
    (
        "snowflake",
        "INSERT ALL WHEN tons > 9 THEN INTO big (id) VALUES (id) ELSE INTO small SELECT id, tons FROM vessels",
        "insert big(id) <- select id from (select id, tons from vessels) where (> tons 9) | insert small <- select * from (select id, tons from vessels) where (NOT (> tons 9))",
    ),
    (
        "oracle",
        "INSERT ALL INTO a VALUES (id) INTO b (no) VALUES (tons) SELECT id, tons FROM vessels",
        "insert a <- select id from (select id, tons from vessels) | insert b(no) <- select tons from (select id, tons from vessels)",
    ),
    # update and delete
    (
        "bigquery",
        "UPDATE port.calls AS c SET c.log.note = v.note, n = 1 FROM vessels AS v WHERE c.id = v.id",
        "update port.calls as c set c.log.note := v.note, n := 1 from vessels as v where (= c.id v.id)",
    ),
    (
        "tsql",
        "UPDATE c SET c.n = v.n FROM calls AS c JOIN vessels v ON c.id = v.id",
        "update c set c.n := v.n from calls as c inner vessels as v on (= c.id v.id)",
    ),
    (
        "mysql",
        "UPDATE calls c JOIN vessels v ON c.id = v.id SET c.n = v.n WHERE v.sunk",
        "update calls as c set c.n := v.n from calls as c inner vessels as v on (= c.id v.id) where v.sunk",
    ),
    (
        "postgres",
        "UPDATE calls SET (n, m) = (SELECT a, b FROM fees WHERE fees.id = calls.id), log.note = 'x', tags[1] = 'y'",
        "update calls set n := scalar(select a from fees where (= fees.id calls.id)), m := scalar(select b from fees where (= fees.id calls.id)), log.note := 'x', tags := 'y'",
    ),
    (
        "clickhouse",
        "ALTER TABLE port.calls UPDATE n = m + 1 WHERE id = 2",
        "update port.calls set n := (+ m 1) where (= id 2)",
    ),
    (
        "tsql",
        "WITH c AS (SELECT id, n FROM calls) UPDATE c SET n = 2",
        "with c = (select id, n from calls) update c set n := 2",
    ),
    (
        "postgres",
        "DELETE FROM calls USING vessels v WHERE calls.id = v.id",
        "delete calls using vessels as v where (= calls.id v.id)",
    ),
    (
        "mysql",
        "DELETE c FROM calls c JOIN vessels v ON c.id = v.id",
        "delete c using calls as c inner vessels as v on (= c.id v.id)",
    ),
    (
        "bigquery",
        "DELETE port.calls c WHERE c.id IN (SELECT id FROM sunk)",
        "delete port.calls as c where c.id in(select id from sunk)",
    ),
    ("clickhouse", "ALTER TABLE calls DELETE WHERE id = 2", "delete calls where (= id 2)"),
    ("bigquery", "TRUNCATE TABLE port.calls", "truncate port.calls"),
    # merge
    (
        "bigquery",
        "MERGE INTO port.calls AS c USING (SELECT id, n FROM news) AS s ON c.id = s.id WHEN MATCHED AND s.n > 1 THEN UPDATE SET n = s.n, c.log.note = 'x' WHEN NOT MATCHED BY TARGET THEN INSERT (id, n) VALUES (s.id, 2) WHEN NOT MATCHED BY SOURCE THEN DELETE",
        "merge port.calls as c using (select id, n from news) as s on (= c.id s.id) | matched and (> s.n 1) update n := s.n, c.log.note := 'x' | not_matched insert (id, n) (s.id, 2) | not_matched_by_source delete",
    ),
    (
        "bigquery",
        "MERGE calls USING news ON FALSE WHEN NOT MATCHED THEN INSERT ROW",
        "merge calls using news on FALSE | not_matched insert row",
    ),
    (
        "databricks",
        "MERGE INTO calls USING news ON calls.id = news.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "merge calls using news on (= calls.id news.id) | matched update * | not_matched insert *",
    ),
    (
        "oracle",
        "MERGE INTO calls c USING news s ON (c.id = s.id) WHEN MATCHED THEN UPDATE SET c.n = s.n WHERE s.n > 1 DELETE WHERE c.m = 0 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
        "merge calls as c using news as s on (= c.id s.id) | matched and (> s.n 1) update c.n := s.n | matched and (= c.m 0) delete | not_matched insert (id) (s.id)",
    ),
    # variables and the rest
    (
        "bigquery",
        "DECLARE low, high INT64 DEFAULT (SELECT MAX(n) FROM calls)",
        "declare low, high = scalar(select MAX!(n) from calls)",
    ),
    ("bigquery", "SET (low, high) = (1, 2)", "declare low, high = row{1, 2}"),
    ("tsql", "DECLARE @n INT = 1, @m INT", "declare @n, @m = 1"),
    ("tsql", "DECLARE @rows TABLE (id INT, name NVARCHAR(9))", "create temp @rows(id INT, name NVARCHAR(9))"),
    (
        "snowflake",
        "COPY INTO calls (id) FROM (SELECT s.$1:id FROM @logs/x s) FILE_FORMAT = (TYPE = JSON)",
        "insert calls(id) <- select s.$1:id from file '@logs/x' as s",
    ),
    ("snowflake", "COPY INTO @out/x FROM (SELECT id FROM calls)", "insert '@out/x' <- select id from calls"),
    (
        "redshift",
        "COPY calls (id, name) FROM 's3://port/calls' IAM_ROLE 'r' FORMAT JSON 'auto'",
        "insert calls(id, name) <- select * from file 's3://port/calls'",
    ),
    (
        "redshift",
        "UNLOAD ('SELECT id FROM calls') TO 's3://port/out' IAM_ROLE 'r'",
        "insert 's3://port/out' <- select id from calls",
    ),
    ("postgres", "COPY (SELECT id FROM calls) TO '/out.csv' CSV", "insert '/out.csv' <- select id from calls"),
    (
        "bigquery",
        "EXPORT DATA OPTIONS (format = 'CSV', uri = 'gs://port/*.csv') AS SELECT id FROM calls",
        "insert 'gs://port/*.csv' <- select id from calls",
    ),
    (
        "bigquery",
        "LOAD DATA OVERWRITE port.calls (id INT64, log STRUCT<a INT64>) FROM FILES (format = 'CSV', uris = ['gs://port/x.csv'])",
        "insert overwrite port.calls(id, log) <- select * from file 'gs://port/x.csv'",
    ),
    ("hive", "LOAD DATA INPATH '/in' OVERWRITE INTO TABLE calls", "insert overwrite calls <- select * from file '/in'"),
    ("snowflake", "GRANT SELECT ON calls TO ROLE clerk", "other GRANT"),
    ("bigquery", "CALL port.tidy(1)", "call port.tidy()"),
    ("postgres", "EXPLAIN SELECT 1", "other EXPLAIN"),
    ("bigquery", "BEGIN TRANSACTION", "other BEGIN"),
    ("ansi", "SELECT id FROM vessels WHERE name ~ 'x'", "select id from vessels where (REGEXPLIKE name 'x')"),
    ("snowflake", "n := n + 1", "declare n = (+ n 1)"),
    ("snowflake", "LET n NUMBER := 1", "declare n = 1"),
    ("snowflake", "found RESULTSET", "declare found = "),
    ("oracle", "berth VARCHAR2(20) NOT NULL := 'x'", "declare berth = 'x'"),
    ("oracle", "dbms_output.put_line('x' || (1))", "call dbms_output.put_line()"),
    ("postgres", r"\cd port", "other \\"),
    ("duckdb", "LOAD httpfs", "other LOAD"),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_the_whole_model(dialect: str, sql: str, expected: str) -> None:
    assert model_text(sql, parse_statement(sql, DIALECTS[dialect])) == expected


def test_a_line_that_goes_on_in_the_next_one() -> None:
    sql = "INSERT INTO calls VALUES (1-\n ,'E'-\n ,no -\n 2)"
    assert model_text(sql, parse_statement(sql, DIALECTS["oracle"])) == "insert calls <- values (1, 'E', (- no 2))"
