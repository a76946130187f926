"""Statements: where they begin and end, in every dialect, whole or broken."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot.errors import TokenError
from sqlglot.tokens import TokenType

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.lexical import LEXICAL
from sql_lineage_ls.syntax.splitter import StatementSlice, split
from sql_lineage_ls.syntax.tokens import tokenize


def pieces(text: str, dialect: str = "ansi") -> list[str]:
    return [text[piece.start : piece.end] for piece in split(text, DIALECTS[dialect])]


def check(text: str, dialect: str, *expected: str) -> None:
    assert pieces(text, dialect) == list(expected)


def check_all(text: str, *expected: str) -> None:
    for dialect in DIALECTS:
        assert pieces(text, dialect) == list(expected), dialect


# Terminators, blanks and comments.


def test_slices_are_code_points_without_terminator_and_blanks() -> None:
    text = "\n  SELECT '😀' ;\r\n\tSELECT 2\n"
    assert split(text, DIALECTS["trino"]) == (StatementSlice(3, 13), StatementSlice(18, 26))


def test_nothing_gives_nothing() -> None:
    for text in ("", " \n\t", ";", ";;\n;", "-- only\n", "/* only */", "\ufeff", "{# only #}", "{% set x = 1 %}"):
        check_all(text)


def test_byte_order_mark_is_skipped() -> None:
    assert split("\ufeffSELECT 1", DIALECTS["tsql"]) == (StatementSlice(1, 9),)


def test_comments_around_a_statement_are_outside_and_those_within_inside() -> None:
    check_all("-- first; one\nSELECT /* a;b */ 1 -- c;\n, 2 -- last\n; /* ; */ SELECT 3 /* end */",
              "SELECT /* a;b */ 1 -- c;\n, 2", "SELECT 3")


def test_blank_lines_do_not_end_a_statement() -> None:
    check_all("SELECT a\n\n\nFROM crates\n\n WHERE b;\nSELECT 2", "SELECT a\n\n\nFROM crates\n\n WHERE b", "SELECT 2")


def test_every_dialect_has_lexical_rules() -> None:
    assert set(LEXICAL) == set(DIALECTS)


# Quotes.


@pytest.mark.parametrize(
    ("dialect", "quoted"),
    [
        ("ansi", "'it''s; '"), ("ansi", '"a;""b"'), ("ansi", "`a;b`"), ("ansi", "'\\'"), ("ansi", "$t$ '; $t$"),
        ("bigquery", r"'it\'s;'"), ("bigquery", r'"a\";b"'), ("bigquery", "`p-x.d;s`"),
        ("bigquery", "'''a;\n'b' \"c\"'''"), ("bigquery", '"""a;\n"b" \'c\' \\""" """'), ("bigquery", r"r'a\';'"),
        ("bigquery", 'rb"""a;\n"""'),
        ("trino", "'a\\'"), ("trino", '"a;""b"'), ("trino", "U&'\\0041;'"),
        ("spark", r"'it\'s;'"), ("spark", r"r'\;\'"), ("spark", r'R"\"'), ("spark", "`a;``b`"), ("spark", '"a;b"'),
        ("databricks", r"r'C:\;'"), ("hive", r"'it\'s;'"),
        ("snowflake", "$$ it's; $$"), ("snowflake", r"'it\'s;'"), ("snowflake", '"a;""b"'),
        ("postgres", r"E'it\'s;'"), ("postgres", "'a\\'"), ("postgres", "$fn$ $$;'$$ $fn$"), ("postgres", "$$;$$"),
        ("redshift", "$$ it's; $$"), ("redshift", r"'it\'s;'"),
        ("oracle", "q'[it's; ok]'"), ("oracle", "Q'{a;}'"), ("oracle", "nq'!a;'!'"), ("oracle", "q'<a;'>'"),
        ("oracle", "q'(a;')'"), ("oracle", "'a\\'"),
        ("duckdb", "$$ it's; $$"), ("duckdb", r"e'it\'s;'"), ("duckdb", "'a\\'"),
        ("clickhouse", r"'it\'s;'"), ("clickhouse", "`a;b`"), ("clickhouse", '"a;b"'), ("clickhouse", "$h$ '; $h$"),
        ("mysql", r"'it\'s;'"), ("mysql", r'"a\";"'), ("mysql", "`a;``b`"),
        ("tsql", "[a;'b]"), ("tsql", "[a]];b]"), ("tsql", "N'it''s;'"), ("tsql", "'a\\'"),
        ("sqlite", "[a;'b]"), ("sqlite", "`a;b`"), ("sqlite", "'a\\'"), ("athena", r"'it\'s;'"), ("presto", '"a;b"'),
    ],
)
def test_a_quote_hides_its_semicolons(dialect: str, quoted: str) -> None:
    check(f"SELECT {quoted}; SELECT 2", dialect, f"SELECT {quoted}", "SELECT 2")


@pytest.mark.parametrize(
    ("dialect", "comment"),
    [
        ("bigquery", "# it's; "), ("mysql", "# it's; "), ("clickhouse", "#! it's; "), ("snowflake", "// it's; "),
        ("mysql", "-- it's; "), ("postgres", "/* a /* it's; */ ; */"), ("duckdb", "/* /* ; */ ; */"),
        ("tsql", "/* /* ; */ it's; */"), ("spark", "/* /* ; */ ; */"), ("bigquery", "/* /* it's; */"),
        ("oracle", "/* /* it's; */"), ("snowflake", "/* /* it's; */"),
    ],
)
def test_a_comment_hides_its_semicolons(dialect: str, comment: str) -> None:
    check(f"SELECT 1 {comment}\n, 2; SELECT 3", dialect, f"SELECT 1 {comment}\n, 2", "SELECT 3")


def test_what_is_no_comment() -> None:
    check("SELECT 1 --2; SELECT 3", "mysql", "SELECT 1 --2", "SELECT 3")
    check("SELECT a #> b; SELECT 3", "postgres", "SELECT a #> b", "SELECT 3")
    check("PUT file:///tmp/a @s; SELECT 3", "snowflake", "PUT file:///tmp/a @s", "SELECT 3")


@pytest.mark.parametrize("dialect", ["postgres", "snowflake", "duckdb"])
def test_dollars_inside_of_names_and_parameters_quote_nothing(dialect: str) -> None:
    check("SELECT a$b; SELECT $1, c$d", dialect, "SELECT a$b", "SELECT $1, c$d")


def test_template_tags_are_opaque() -> None:
    check_all("SELECT {{ f(';', '}}') }} {# it's; #} {% set x = ';' %}, 2; SELECT 3",
              "SELECT {{ f(';', '}}') }} {# it's; #} {% set x = ';' %}, 2", "SELECT 3")
    check_all("{% if a %}\nSELECT 1 AS a\n{% else %}\nSELECT 2 AS a\n{% endif %}",
              "SELECT 1 AS a\n{% else %}\nSELECT 2 AS a")
    check_all("SELECT {{ a; SELECT 2", "SELECT {{ a", "SELECT 2")
    check_all("SELECT {{ f('x'; SELECT {{ a }}", "SELECT {{ f('x'", "SELECT {{ a }}")


# Scripts.


def test_the_statements_of_a_script_come_out_one_by_one() -> None:
    check(
        """DECLARE n INT64 DEFAULT 1;
BEGIN -- loads
  INSERT INTO crates VALUES (1);
  BEGIN TRANSACTION;
  IF n > CASE WHEN n = 1 THEN 0 ELSE 2 END THEN
    SELECT 1;
  ELSEIF EXISTS (SELECT 1) THEN SELECT 2;
  ELSE
    SELECT 3;
  END IF;
  WHILE n < 3 DO SET n = n + 1; CONTINUE; END WHILE;
  FOR r IN (SELECT a FROM crates) DO
    SELECT r.a;
  END FOR;
  LOOP SELECT 5; BREAK; END LOOP;
  REPEAT SELECT 6; UNTIL n > 9 END REPEAT;
  CASE n WHEN 1 THEN SELECT 7; WHEN 2 THEN SELECT 8; ELSE SELECT 9; END CASE;
  outer_loop: LOOP SELECT 10; LEAVE outer_loop; END LOOP outer_loop;
  COMMIT TRANSACTION;
EXCEPTION WHEN ERROR THEN
  SELECT @@error.message;
END;
SELECT 11""",
        "bigquery",
        "DECLARE n INT64 DEFAULT 1", "INSERT INTO crates VALUES (1)", "BEGIN TRANSACTION", "SELECT 1",
        "ELSEIF EXISTS (SELECT 1)", "SELECT 2", "SELECT 3", "SET n = n + 1", "FOR r IN (SELECT a FROM crates)",
        "SELECT r.a", "SELECT 5", "SELECT 6", "SELECT 7", "SELECT 8", "SELECT 9",
        "SELECT 10", "COMMIT TRANSACTION", "SELECT @@error.message", "SELECT 11",
    )


def test_begin_of_a_transaction_opens_no_block() -> None:
    for begin in ("BEGIN", "BEGIN TRANSACTION", "BEGIN WORK", "begin isolation level serializable"):
        check_all(f"{begin};\nINSERT INTO crates VALUES (1);\nCOMMIT;\nSELECT 1",
                  begin, "INSERT INTO crates VALUES (1)", "COMMIT", "SELECT 1")


def test_snowflake_scripts_and_bodies() -> None:
    check("EXECUTE IMMEDIATE $$\nBEGIN\n SELECT 1;\nEND;\n$$;\nSELECT 2", "snowflake",
          "EXECUTE IMMEDIATE $$\nBEGIN\n SELECT 1;\nEND;\n$$", "SELECT 2")
    routine = ("CREATE OR REPLACE PROCEDURE p() RETURNS INT LANGUAGE SQL AS\nDECLARE\n  n INT;\nBEGIN\n"
               "  FOR i IN 1 TO 3 DO n := i; END FOR;\n  RETURN n;\nEND")
    check(f"{routine};\nCALL p();", "snowflake", routine, "CALL p()")
    check("DECLARE\n  c CURSOR FOR\nSELECT a FROM t;\nBEGIN\n  LET x := 1;\n  FOR r IN c DO\n"
          "    INSERT INTO u SELECT 1;\n  END FOR;\nEND;", "snowflake",
          "DECLARE\n  c CURSOR FOR\nSELECT a FROM t", "LET x := 1", "FOR r IN c", "INSERT INTO u SELECT 1")


# Routines.


@pytest.mark.parametrize(
    ("dialect", "routine"),
    [
        ("bigquery", "CREATE OR REPLACE PROCEDURE ds.p(n INT64)\nBEGIN\n  DECLARE m INT64;\n  IF n = 1 THEN\n"
                     "    SELECT CASE WHEN n = 1 THEN 2 END;\n  END IF;\n  BEGIN TRANSACTION;\n  COMMIT;\nEND"),
        ("bigquery", "CREATE TEMP FUNCTION f(n INT64) AS (n + 1)"),
        ("bigquery", 'CREATE FUNCTION f(n STRING) RETURNS STRING LANGUAGE js AS r"""\n  return "it\'s;";\n"""'),
        ("bigquery", "CREATE TABLE FUNCTION ds.f(n INT64) AS\nSELECT n"),
        ("trino", "CREATE FUNCTION f(n INT) RETURNS INT BEGIN DECLARE m INT; SET m = n; RETURN m; END"),
        ("postgres", "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END; $$"),
        ("postgres", "CREATE FUNCTION f(a int) RETURNS int BEGIN ATOMIC SELECT 1; SELECT a; END"),
        ("postgres", "CREATE RULE r AS ON INSERT TO t DO ALSO (\nINSERT INTO u VALUES (1);\nDELETE FROM v\n)"),
        ("mysql", "CREATE DEFINER = root@localhost TRIGGER g\nBEFORE INSERT ON t\nFOR EACH ROW\n"
                  "BEGIN\n  SET NEW.a = 1;\n  IF NEW.b THEN SET NEW.c = 2; END IF;\nEND"),
        ("mysql", "CREATE TRIGGER g AFTER\nINSERT ON t\nFOR EACH ROW\nINSERT INTO u VALUES (1)"),
        ("sqlite", "CREATE TRIGGER g AFTER UPDATE ON t BEGIN\nUPDATE u SET a = CASE WHEN 1 THEN 2 END;\n"
                   "DELETE FROM v;\nEND"),
        ("oracle", "CREATE OR REPLACE FUNCTION f (n IN NUMBER) RETURN NUMBER IS\n  m NUMBER;\nBEGIN\n"
                   "  IF n IS NULL THEN RETURN 0; END IF;\n  RETURN m;\nEND f"),
        ("oracle", "CREATE PACKAGE p AS\n  PROCEDURE a;\n  FUNCTION b RETURN NUMBER;\nEND p"),
        ("oracle", "CREATE PACKAGE BODY p IS\n  v NUMBER;\n  CURSOR c IS SELECT 1 FROM dual;\n  PROCEDURE a IS\n"
                   "    n NUMBER;\n  BEGIN\n    LOOP NULL; END LOOP;\n    CASE n WHEN 1 THEN NULL; END CASE;\n"
                   "  END a;\n  FUNCTION b RETURN NUMBER IS BEGIN RETURN 1; END b;\nEND p"),
        ("oracle", "CREATE OR REPLACE TRIGGER g BEFORE INSERT ON t REFERENCING NEW AS n FOR EACH ROW\nDECLARE\n"
                   "  v NUMBER;\nBEGIN\n  v := 1;\nEND"),
        ("oracle", "CREATE TYPE BODY t AS\n  MEMBER FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END;\nEND"),
        ("databricks", "CREATE PROCEDURE p(n INT) LANGUAGE SQL AS BEGIN\n  DECLARE m INT;\n  SET m = n;\nEND"),
        ("snowflake", "CREATE TASK k SCHEDULE = '1 minute' AS\nBEGIN\n  INSERT INTO t SELECT 1;\n"
                      "  DELETE FROM u;\nEND"),
    ],
)
def test_a_routine_keeps_its_body(dialect: str, routine: str) -> None:
    check(f"SELECT 1;\n{routine};\nSELECT 2;", dialect, "SELECT 1", routine, "SELECT 2")


def test_an_open_routine_does_not_swallow_the_next() -> None:
    check("CREATE PROCEDURE p()\nBEGIN\n  SELECT 1;\n\nCREATE PROCEDURE q()\nBEGIN\n  SELECT 2;\nEND;\nSELECT 3",
          "bigquery", "CREATE PROCEDURE p()\nBEGIN\n  SELECT 1;",
          "CREATE PROCEDURE q()\nBEGIN\n  SELECT 2;\nEND", "SELECT 3")
    check("CREATE PROCEDURE p()\nBEGIN\n  SELECT 1;\n\nCREATE TABLE crates (a INT64);\nSELECT 3", "bigquery",
          "CREATE PROCEDURE p()\nBEGIN\n  SELECT 1", "CREATE TABLE crates (a INT64)", "SELECT 3")


def test_oracle_lines() -> None:
    check("SET SERVEROUTPUT ON\nPROMPT it's done\n@load.sql\nCREATE TYPE t AS OBJECT (a NUMBER)\n/\nDECLARE\n"
          "  n NUMBER;\nBEGIN\n  <<again>>\n  INSERT INTO crates VALUES (4 / 2);\nEND;\n/\nSELECT a\n/\n", "oracle",
          "CREATE TYPE t AS OBJECT (a NUMBER)", "DECLARE\n  n NUMBER", "INSERT INTO crates VALUES (4 / 2)", "SELECT a")


def test_mysql_delimiter() -> None:
    check("SELECT 1;\nDELIMITER $$\nCREATE PROCEDURE p()\nBEGIN\n  SELECT 'a$$'; # it's\nEND$$\nDROP TABLE t $$\n"
          "DELIMITER ;\nSELECT 2;", "mysql",
          "SELECT 1", "CREATE PROCEDURE p()\nBEGIN\n  SELECT 'a$$'; # it's\nEND", "DROP TABLE t", "SELECT 2")
    check("delimiter //\nSELECT 4 / 2; SELECT 3//\nSELECT 5;;", "mysql", "SELECT 4 / 2; SELECT 3", "SELECT 5;;")


def test_postgres_dumps() -> None:
    check("\\connect depot\nCOPY crates (a, b) FROM stdin;\n1\tit's; \"\n\\.\nSELECT 2;\n\\d crates\nSELECT 3",
          "postgres", "COPY crates (a, b) FROM stdin", "SELECT 2", "SELECT 3")


def test_client_commands_of_files_without_a_dialect() -> None:
    text = "\\echo 'one''\n\\i parts/crates.sql\nSELECT 1;\n.read crates.sql\n.print 'it''s'\nSELECT a\n.b"
    check(text, "ansi", "SELECT 1", "SELECT a\n.b")
    check(".read crates.sql\nSELECT 1;\n.mode csv", "duckdb", "SELECT 1")
    check(".headers on\nSELECT 1", "sqlite", "SELECT 1")


# T-SQL.


def test_tsql_needs_no_semicolons() -> None:
    check(
        """USE depot
SET NOCOUNT ON
DECLARE @n INT = 1
SELECT @n
SELECT a
FROM crates
UPDATE crates
SET a = 1
WHERE b = 2
INSERT crates (a)
SELECT 1
UNION ALL
SELECT 2
INSERT INTO #boxes
EXEC load_boxes
EXEC sp_rename 'a', 'b'
WITH c AS (SELECT 1 AS a)
DELETE FROM boxes WHERE a IN (SELECT a FROM c)
MERGE boxes AS t
USING crates AS s ON t.a = s.a
WHEN MATCHED THEN
UPDATE SET a = 1
WHEN NOT MATCHED THEN
INSERT (a) VALUES (2);
DROP TABLE
IF EXISTS boxes
SELECT CASE
WHEN 1 = 1 THEN 2
ELSE 3
END AS a
ORDER BY 1
OFFSET 1 ROWS
FETCH NEXT 5 ROWS ONLY
TRUNCATE TABLE crates""",
        "tsql",
        "USE depot", "SET NOCOUNT ON", "DECLARE @n INT = 1", "SELECT @n", "SELECT a\nFROM crates",
        "UPDATE crates\nSET a = 1\nWHERE b = 2", "INSERT crates (a)\nSELECT 1\nUNION ALL\nSELECT 2",
        "INSERT INTO #boxes\nEXEC load_boxes", "EXEC sp_rename 'a', 'b'",
        "WITH c AS (SELECT 1 AS a)\nDELETE FROM boxes WHERE a IN (SELECT a FROM c)",
        "MERGE boxes AS t\nUSING crates AS s ON t.a = s.a\nWHEN MATCHED THEN\nUPDATE SET a = 1\nWHEN NOT MATCHED THEN\n"
        "INSERT (a) VALUES (2)",
        "DROP TABLE\nIF EXISTS boxes",
        "SELECT CASE\nWHEN 1 = 1 THEN 2\nELSE 3\nEND AS a\nORDER BY 1\nOFFSET 1 ROWS\nFETCH NEXT 5 ROWS ONLY",
        "TRUNCATE TABLE crates",
    )


def test_tsql_blocks_and_batches() -> None:
    check(
        """IF @n = 1
BEGIN
  PRINT 'x'
  DELETE FROM crates
END
ELSE
  SELECT [a;b] FROM [it's]
IF OBJECT_ID('t') IS NOT NULL DROP TABLE t
WHILE @n < 3 SET @n = @n + 1
BEGIN TRY
  SELECT 1
END TRY
BEGIN CATCH
  SELECT 2
END CATCH
GO
CREATE PROC p AS
SET NOCOUNT ON;
SELECT 1;
SELECT 2;
GO 5
CREATE OR ALTER PROCEDURE q AS
BEGIN
  SELECT 1; BEGIN TRAN; COMMIT
  SELECT CASE WHEN 1 = 1 THEN 2 END
END
SELECT 3
go -- done
SELECT 4""",
        "tsql",
        "PRINT 'x'", "DELETE FROM crates", "SELECT [a;b] FROM [it's]", "DROP TABLE t", "SET @n = @n + 1", "SELECT 1",
        "SELECT 2", "CREATE PROC p AS\nSET NOCOUNT ON;\nSELECT 1;\nSELECT 2;",
        "CREATE OR ALTER PROCEDURE q AS\nBEGIN\n  SELECT 1; BEGIN TRAN; COMMIT\n"
        "  SELECT CASE WHEN 1 = 1 THEN 2 END\nEND",
        "SELECT 3", "SELECT 4",
    )


# A missing semicolon.


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW v AS\nSELECT 1",
        "CREATE TABLE crates\nAS\nWITH a AS (SELECT 1)\nSELECT * FROM a",
        "INSERT INTO crates\nSELECT 1",
        "INSERT INTO crates (a)\nWITH a AS (SELECT 1)\nSELECT * FROM a",
        "INSERT INTO crates\n(a)\nVALUES (1)",
        "WITH a AS (SELECT 1)\nINSERT INTO crates\nSELECT * FROM a",
        "WITH a AS (SELECT 1)\nUPDATE crates SET a = 1",
        "WITH a AS (SELECT 1)\nDELETE FROM crates",
        "WITH a AS (\nSELECT 1\n),\nb AS (\nSELECT 2\n)\nSELECT *\nFROM a",
        "WITH a AS (SELECT 1)\nMERGE INTO crates USING a ON 1 = 1 WHEN MATCHED THEN\nDELETE",
        "EXPLAIN\nSELECT 1",
        "EXPLAIN ANALYZE\nINSERT INTO crates\nSELECT 1",
        "MERGE INTO t USING s ON a = b\nWHEN MATCHED THEN\nUPDATE SET a = 1\n"
        "WHEN NOT MATCHED THEN\nINSERT (a)\nVALUES (1)",
        "MERGE INTO t USING s ON a = b WHEN MATCHED AND c THEN\nDELETE\nWHEN NOT MATCHED THEN\nINSERT ROW",
        "SELECT a FROM t\nFOR\nUPDATE OF t",
        "INSERT INTO t VALUES (1)\nON CONFLICT (a) DO\nUPDATE SET a = 2",
        "CREATE TABLE t (a INT REFERENCES u ON\nDELETE CASCADE ON\nUPDATE CASCADE)",
        "GRANT\nSELECT,\nINSERT,\nUPDATE, DELETE ON t TO u",
        "ALTER TABLE t\nDROP COLUMN a",
        "ALTER TABLE t\nALTER COLUMN a TYPE INT",
        "SELECT 1\nUNION ALL\nSELECT 2\nEXCEPT\nSELECT 3",
        "SELECT 1\nUNION ALL -- more\n\n(SELECT 2)\nINTERSECT DISTINCT\nSELECT 3",
        "SELECT a, (\nSELECT 1\n) AS b\nFROM t",
        "SELECT * FROM t WHERE a IN (\nSELECT 1)",
        "SELECT replace, comment\nFROM t\nWHERE update = 1",
        "UPDATE t\nSET a = 1\nFROM u",
        "CREATE TABLE t (a INT)\nWITH (format = 'ORC')",
        "(SELECT 1)\nUNION ALL\n(SELECT 2)",
    ],
)
def test_a_statement_over_lines_is_one(statement: str) -> None:
    for dialect in set(DIALECTS) - {"tsql"}:
        assert pieces(f"{statement};\nSELECT 9", dialect) == [statement, "SELECT 9"], dialect


@pytest.mark.parametrize(
    ("dialect", "statement"),
    [
        ("hive", "FROM src\nINSERT OVERWRITE TABLE a\nSELECT x\nINSERT OVERWRITE TABLE b\nSELECT y"),
        ("spark", "WITH q AS (SELECT 1)\nFROM q\nINSERT INTO a\nSELECT *\nINSERT INTO b\nSELECT *"),
        ("spark", "CREATE TABLE t USING PARQUET\nWITH c AS (SELECT 1)\nSELECT * FROM c"),
        ("mysql", "CREATE TABLE t (a INT)\nSELECT 1 AS a"),
        ("oracle", "INSERT ALL\n  INTO a VALUES (x)\n  INTO b VALUES (y)\nSELECT x, y FROM s"),
        ("snowflake", "INSERT FIRST\nWHEN x > 1 THEN INTO a VALUES (x)\nELSE INTO b\nSELECT x FROM s"),
        ("snowflake", "CREATE TASK k WAREHOUSE = w AS\nINSERT INTO t\nSELECT 1"),
        ("snowflake", "CREATE PIPE p AS\nCOPY INTO t FROM @s"),
        ("bigquery", "SELECT * EXCEPT (a)\nFROM t, UNNEST(b) AS c\nWITH OFFSET AS d"),
        ("bigquery", "FROM t\n|> WHERE a\n|> SELECT a\n|> UNION ALL\n(SELECT 2)"),
        ("bigquery", "EXPORT DATA OPTIONS (uri = 'gs://b/*') AS\nSELECT 1"),
        ("bigquery", "MERGE ds.t t\nUSING (\nSELECT 1\n) s ON a = b\nWHEN NOT MATCHED BY SOURCE THEN\nDELETE"),
        ("duckdb", "FROM t\nSELECT a"),
        ("duckdb", "SELECT 1\nUNION ALL BY NAME\nSELECT 2"),
        ("clickhouse", "CREATE MATERIALIZED VIEW v TO t AS\nSELECT 1"),
        ("clickhouse", "ALTER TABLE v MODIFY QUERY\nSELECT 1"),
        ("postgres", "WITH moved AS (\nDELETE FROM a RETURNING *\n)\nINSERT INTO b\nSELECT * FROM moved"),
        ("postgres", "CREATE TABLE t AS\nSELECT 1\nWITH NO DATA"),
        ("postgres", "ALTER DEFAULT PRIVILEGES IN SCHEMA s\nGRANT SELECT ON TABLES TO u"),
        ("postgres", "PREPARE q AS\nINSERT INTO t VALUES (1)"),
        ("tsql", "CREATE VIEW v\nWITH SCHEMABINDING\nAS\nSELECT 1 AS a"),
        ("tsql", "SELECT a\nINTO #b\nFROM c\nUNION\nSELECT d"),
        ("tsql", "UPDATE t\nSET @n = a = 1"),
    ],
)
def test_a_statement_that_only_its_dialect_reads_as_one(dialect: str, statement: str) -> None:
    check(f"{statement};\nSELECT 9", dialect, statement, "SELECT 9")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE d (a INT)", "CREATE OR REPLACE VIEW d AS SELECT 1", "CREATE TEMP TABLE d AS\nSELECT 1",
        "INSERT INTO d\nSELECT 1", "INSERT INTO d VALUES (1)", "MERGE INTO d USING e ON a = b WHEN MATCHED THEN DELETE",
        "UPDATE d SET a = 1", "DELETE FROM d WHERE a", "ALTER TABLE d ADD COLUMN a INT", "DROP TABLE d",
        "TRUNCATE TABLE d", "GRANT SELECT ON d TO e", "COMMENT ON TABLE d IS 'e'",
    ],
)
@pytest.mark.parametrize(
    "broken",
    [
        "SELECT a FROM t", "SELECT a FROM", "SELECT a, b, f(1)", "SELECT a FROM t WHERE a > 1",
        "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)", "INSERT INTO t SELECT 1", "DROP TABLE t",
        "UPDATE t SET a = 1", "CREATE VIEW v AS SELECT 1 AS a", "WITH a AS (SELECT 1) SELECT * FROM a",
        "SELEC a FROM t",
    ],
)
def test_a_new_statement_begins_without_a_semicolon(broken: str, statement: str) -> None:
    for dialect in DIALECTS:
        assert pieces(f"{broken}\n\n{statement};", dialect) == [broken.strip(), statement], dialect


def test_a_second_select_begins_a_statement_where_the_first_is_complete() -> None:
    check_all("SELECT a FROM t\n\nSELECT b FROM u", "SELECT a FROM t", "SELECT b FROM u")
    for half in ("SELECT a FROM t WHERE", "SELECT a.", "SELECT a AS", "SELECT a FROM t JOIN u ON",
                 "SELECT a FROM t WHERE a IN"):
        check_all(f"{half}\n\nSELECT b FROM u", half, "SELECT b FROM u")
    check_all("INSERT INTO t VALUES (1)\nSELECT b FROM u", "INSERT INTO t VALUES (1)", "SELECT b FROM u")
    check_all("DROP TABLE t\nWITH c AS (SELECT 1)\nSELECT b FROM c",
              "DROP TABLE t", "WITH c AS (SELECT 1)\nSELECT b FROM c")
    check("CREATE TABLE t (a INT)\nSELECT b FROM u", "trino", "CREATE TABLE t (a INT)", "SELECT b FROM u")


# Broken quotes, brackets and comments.


def test_an_open_bracket_hides_no_semicolon() -> None:
    check_all("SELECT (a FROM t;\nCREATE TABLE u (a INT);\nSELECT f((2)", "SELECT (a FROM t", "CREATE TABLE u (a INT)",
              "SELECT f((2)")
    check_all("SELECT a) FROM t;\nSELECT 2", "SELECT a) FROM t", "SELECT 2")


def test_an_open_bracket_hides_no_statement_in_the_first_column() -> None:
    check_all("SELECT f(a FROM t\nCREATE TABLE u (a INT)", "SELECT f(a FROM t", "CREATE TABLE u (a INT)")
    check_all("CREATE TABLE t (\n  a INT,\n\nINSERT INTO u VALUES (1)", "CREATE TABLE t (\n  a INT,",
              "INSERT INTO u VALUES (1)")


@pytest.mark.parametrize("quote", ["'", '"'])
def test_an_open_quote_ends_with_its_line(quote: str) -> None:
    check_all(f"SELECT {quote}abc FROM t;\nSELECT 2;\nCREATE TABLE u (a INT)",
              f"SELECT {quote}abc FROM t", "SELECT 2", "CREATE TABLE u (a INT)")
    check_all(f"SELECT {quote}abc FROM t; -- why\nSELECT 'x' FROM u;\nSELECT \"y\"",
              f"SELECT {quote}abc FROM t", "SELECT 'x' FROM u", 'SELECT "y"')
    check_all(f"SELECT {quote}abc\nFROM t\n\nCREATE TABLE u (a INT);\nSELECT 'x' FROM u",
              f"SELECT {quote}abc\nFROM t", "CREATE TABLE u (a INT)", "SELECT 'x' FROM u")


def test_a_closed_quote_over_lines_survives_an_open_one() -> None:
    check("SELECT 'a;\nb';\nSELECT 'abc FROM t;\nSELECT 3", "trino", "SELECT 'a;\nb'", "SELECT 'abc FROM t", "SELECT 3")


def test_a_quote_over_lines_may_hold_statements_when_all_quotes_close() -> None:
    text = "EXECUTE IMMEDIATE 'SELECT 1;\n\nSELECT 2;\n'"
    check(f"{text};\nSELECT 3", "snowflake", text, "SELECT 3")


def test_an_open_comment_ends_before_the_next_statement() -> None:
    check_all("SELECT 1;\n/* open; it's\nSELECT 2\n\nSELECT 3;\nSELECT 4", "SELECT 1", "SELECT 3", "SELECT 4")
    check_all("SELECT 1 AS /* open;\nCREATE TABLE t (a INT)", "SELECT 1 AS", "CREATE TABLE t (a INT)")
    check_all("SELECT 1 /* open", "SELECT 1")


def test_half_a_definition_does_not_swallow_the_next() -> None:
    for broken in ("CREATE TABLE t (", "CREATE VIEW v AS", "SELECT a.", "SELECT a FROM t WHERE b =",
                   "SELECT a FROM t JOIN u ON"):
        for follow in ("CREATE TABLE d (a INT)", "INSERT INTO d VALUES (1)", "DROP TABLE d"):
            if broken[-1] == "(" and follow[0] == "I":
                continue
            check_all(f"{broken}\n{follow};", broken, follow)


def test_open_dollar_and_alternative_quotes() -> None:
    check("CREATE FUNCTION f() AS $$ SELECT 1;\nSELECT 2;\nCREATE FUNCTION g() AS $$ SELECT 3; $$;\nSELECT 4",
          "postgres", "CREATE FUNCTION f() AS $$ SELECT 1", "SELECT 2",
          "CREATE FUNCTION g() AS $$ SELECT 3; $$", "SELECT 4")
    check("CREATE FUNCTION f() RETURNS int AS $$ BEGIN;\nSELECT 2", "postgres",
          "CREATE FUNCTION f() RETURNS int AS $$ BEGIN", "SELECT 2")
    check("SELECT q'[abc FROM t;\nSELECT 2 FROM dual", "oracle", "SELECT q'[abc FROM t", "SELECT 2 FROM dual")


# Laws.

COMMON = ["a", "b1", "1.5 ", "+", ",", ".", "(", ")", ";", ";", "'x'", "'a;b'", "'--'", "'/*'", "'it''s'", "''",
          '"c;d"', "-- c; 'd\n", "/* ; ' */", "/**/", " ", "\n", "\r\n", "=", "é", "[", "]"]
OWN = {
    "ansi": ["'a\n;'", "/* /* ; */ */"],
    "bigquery": [r"'\';'", "'''a;\n'b'''", '"""a;\n"b"c"""', r"r'\;'", "`a;b`", "# ;'\n", r'b"\";"'],
    "trino": ["'a\n;'", "x'ab'", "'\\'"],
    "spark": [r"'\';'", r"r'\;\'", "`a;``b`", '"a\n;"', "/* /* ; */ */"],
    "hive": [r"'\';'", "`a;b`"],
    "snowflake": ["$$;'$$", r"'\';'", "// ;'\n", "'a\n;'"],
    "postgres": ["$$;'$$", "$t$;$$;$t$", r"E'\';'", "'\\'", "/* /* ; */ */", "'a\n;'"],
    "redshift": ["$$;'$$", r"'\';'"],
    "oracle": ["q'[;'a]'", "Q'!;'!'", "'\\'", "nq'{;}'"],
    "duckdb": ["$$;'$$", r"e'\';'", "'\\'"],
    "clickhouse": [r"'\';'", "`a;b`", "$t$;'$t$", "# ;'\n"],
    "mysql": [r"'\';'", "`a;``b`", r'"\";"', "# ;'\n", "--1 "],
    "tsql": ["[a;'b]", "[a]];b]", "'\\'", "/* /* ; */ */"],
    "sqlite": ["[a;'b]", "`a;b`", "'\\'"],
}


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    dialect = draw(st.sampled_from(sorted(OWN)))
    words = COMMON + 3 * OWN[dialect]
    if dialect in ("tsql", "sqlite"):
        words = [word for word in words if word not in "[]"]
    # A line that begins with one of these is the client's: no SQL, whatever tokens it has.
    words = [word for word in words if word[:1] not in LEXICAL[dialect].line_command_signs or not word[:1]]
    return dialect, draw(st.sampled_from(["", " "])).join(draw(st.lists(st.sampled_from(words), max_size=25)))


@given(texts())
def test_semicolons_are_where_the_tokenizer_sees_them(case: tuple[str, str]) -> None:
    dialect, text = case
    try:
        tokens = tokenize(text, DIALECTS[dialect])
    except TokenError:
        return
    expected: list[list[int]] = []
    fresh = True
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            fresh = True
        elif fresh:
            expected.append([token.start, token.end + 1])
            fresh = False
        else:
            expected[-1][1] = token.end + 1
    assert [[piece.start, piece.end] for piece in split(text, DIALECTS[dialect])] == expected


CHAOS = st.lists(
    st.sampled_from(
        ["BEGIN", "END", "IF", "THEN", "ELSE", "CASE", "WHEN", "LOOP", "DECLARE", "CREATE PROCEDURE p",
         "CREATE TABLE t",
         "SELECT", "INSERT INTO t", "AS", "IS", "WITH a AS (", "'", '"', "`", "$$", "q'[", "]'", "/*", "*/", "--", "{{",
         "}}", "{%", "%}", "\n", "\n\n", ";", "(", ")", "[", "]", "\\", "/", "GO", "DELIMITER //", "//", "\\.", "é😀",
         "COPY t FROM stdin", "UNION", " "]
    ),
    max_size=40,
).map(" ".join)


@given(CHAOS, st.sampled_from(sorted(DIALECTS)))
def test_slices_are_in_order_trimmed_and_inside(text: str, dialect: str) -> None:
    last = 0
    for piece in split(text, DIALECTS[dialect]):
        assert last <= piece.start < piece.end <= len(text)
        assert text[piece.start : piece.end].strip() == text[piece.start : piece.end]
        last = piece.end


@given(CHAOS, st.sampled_from(sorted(DIALECTS)))
def test_a_broken_text_never_swallows_what_follows(text: str, dialect: str) -> None:
    if "DELIMITER" in text or "stdin" in text or "PROCEDURE" in text:
        return
    follow = "CREATE TABLE last_one (a INT)"
    found = pieces(f"{text}\n;\n\n{follow};", dialect)
    assert found
    assert found[-1] == follow


HOSTILE = {
    "brackets": "(", "quotes": "'", "quoted lines": "'\n", "backslashes": "'\\", "backticks": "`\n;",
    "blocks": "BEGIN ",
    "routines": "CREATE PROCEDURE p() BEGIN;\n", "comments": "/*", "comment lines": "/*\n\nSELECT 1;", "tags": "{{ '",
    "escaped tags": "{{ '\\' }} ", "dollars": "$$;", "names": "[", "cases": "CASE ", "ctes": "WITH a AS (\n",
    "selects": "SELECT 1\n", "inserts": "INSERT INTO t\n", "triples": '"""', "ends": "END IF ", "labels": "<<",
    "copies": "COPY t FROM stdin;\n", "blanks": " \n", "declares": "DECLARE\n", "updates": "UPDATE a.b.c\n",
}


@pytest.mark.parametrize("dialect", ["bigquery", "postgres", "oracle", "tsql", "mysql", "snowflake"])
def test_hostile_texts_take_linear_time(dialect: str) -> None:
    texts = {name: piece * (100_001 // len(piece)) for name, piece in HOSTILE.items()}
    texts["tags of dollars"] = " ".join(f"$t{n}$" for n in range(20_000))
    texts["open"] = "SELECT '" + "a;\n\nSELECT b " * 8_000
    for name, text in texts.items():
        began = time.process_time()
        split(text, DIALECTS[dialect])
        assert time.process_time() - began < 2, name


def test_a_megabyte_is_split_in_a_moment() -> None:
    text = "SELECT c.box.label AS label, COUNT(*) AS n -- all\nFROM depot.crates AS c\nWHERE c.kind = 'a b';\n" * 10_000
    began = time.process_time()
    assert len(split(text, DIALECTS["trino"])) == 10_000
    assert time.process_time() - began < 2
