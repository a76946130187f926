"""Routines: which statements are in their bodies, and where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sql_lineage_ls.syntax.bodies import Part, parts
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.splitter import split


def opened(text: str, dialect: str) -> list[Part]:
    rules = DIALECTS[dialect]
    return list(parts(text, split(text, rules), rules))


def said(text: str, dialect: str) -> list[str]:
    """Each statement as it is read, with a `>` for those inside of a body."""
    return [
        ("> " if part.inner else "") + (text[part.start : part.end] if part.text is None else part.text)
        for part in opened(text, dialect)
    ]


CASES = [
    (
        "bigquery",
        "CREATE OR REPLACE PROCEDURE mill.load(day DATE, OUT n INT64)\nOPTIONS (strict_mode = FALSE)\nBEGIN\n"
        "  DECLARE top INT64 DEFAULT 1;\n  IF EXISTS (SELECT 1 FROM mill.sacks) THEN\n"
        "    INSERT INTO mill.log SELECT 1;\n  END IF;\n  BEGIN\n    SELECT 2;\n"
        "  EXCEPTION WHEN ERROR THEN\n    SELECT @@error.message;\n  END;\nEND;\n"
        "SELECT 3",
        ["CREATE OR REPLACE PROCEDURE mill.load(day DATE, OUT n INT64)\nOPTIONS (strict_mode = FALSE)",
         "> DECLARE top INT64 DEFAULT 1", "> IF EXISTS (SELECT 1 FROM mill.sacks)", "> INSERT INTO mill.log SELECT 1",
         "> SELECT 2", "> SELECT @@error.message", "SELECT 3"],
    ),
    (
        "postgres",
        "CREATE FUNCTION load(day date) RETURNS int AS $body$\n<<top>>\nDECLARE\n  n int := 0;\n  c CURSOR FOR "
        "SELECT 1;\nBEGIN\n  FOR r IN SELECT a FROM sacks LOOP\n    DELETE FROM log;\n  END LOOP;\n  RETURN n;\nEND\n"
        "$body$ LANGUAGE plpgsql IMMUTABLE; SELECT 1",
        ["CREATE FUNCTION load(day date) RETURNS int AS", "> DECLARE\n  n int := 0", "> c CURSOR FOR SELECT 1",
         "> FOR r IN SELECT a FROM sacks", "> DELETE FROM log", "> RETURN n", "SELECT 1"],
    ),
    ("postgres", "DO LANGUAGE plpgsql $$ BEGIN DELETE FROM log; END $$", ["DO LANGUAGE plpgsql", "> DELETE FROM log"]),
    (
        "postgres",
        "CREATE FUNCTION two() RETURNS int LANGUAGE sql AS $$ DELETE FROM log; SELECT 1 $$",
        ["CREATE FUNCTION two() RETURNS int LANGUAGE sql AS", "> DELETE FROM log", "> SELECT 1"],
    ),
    (
        "redshift",
        "CREATE PROCEDURE p(INOUT n int) AS $$ BEGIN EXECUTE 'DELETE FROM log'; END $$ LANGUAGE plpgsql",
        ["CREATE PROCEDURE p(INOUT n int) AS", "> EXECUTE", "> DELETE FROM log"],
    ),
    (
        "snowflake",
        "CREATE PROCEDURE p() RETURNS INT LANGUAGE SQL EXECUTE AS CALLER AS\n'BEGIN\n  INSERT INTO log "
        "VALUES (''a'');\nEND';\n"
        "CREATE TASK t WAREHOUSE = w AS INSERT INTO log SELECT 1;\nEXECUTE IMMEDIATE $$ BEGIN SELECT 2; END $$",
        ["CREATE PROCEDURE p() RETURNS INT LANGUAGE SQL EXECUTE AS CALLER AS", "> INSERT INTO log VALUES ( 'a' )",
         "CREATE TASK t WAREHOUSE = w", "> INSERT INTO log SELECT 1", "EXECUTE IMMEDIATE", "> SELECT 2"],
    ),
    (
        "tsql",
        "CREATE PROC dbo.p @day AS date, @n int = 1 OUTPUT WITH EXECUTE AS OWNER AS\nSET NOCOUNT ON\n"
        "IF EXISTS (SELECT 1 FROM sacks) BEGIN\n  DELETE FROM log\nEND\nEXEC sp_executesql N'DELETE FROM log'\n"
        "EXEC ('SELECT ' + @n)\nGO\nSELECT 1",
        ["CREATE PROC dbo.p @day AS date, @n int = 1 OUTPUT WITH EXECUTE AS OWNER", "> SET NOCOUNT ON",
         "> IF EXISTS (SELECT 1 FROM sacks)", "> DELETE FROM log", "> EXEC sp_executesql", "> DELETE FROM log",
         "> EXEC ('SELECT ' + @n)", "SELECT 1"],
    ),
    (
        "tsql",
        "CREATE TRIGGER tr ON sacks AFTER UPDATE AS\nBEGIN\n  IF UPDATE(kilos) BEGIN\n    DELETE FROM log\n  END\nEND",
        ["CREATE TRIGGER tr ON sacks AFTER UPDATE", "> DELETE FROM log"],
    ),
    (
        "oracle",
        "CREATE PACKAGE BODY mill AS\n  rate NUMBER := 1;\n  CURSOR c (k NUMBER) IS SELECT a FROM sacks;\n"
        "  PROCEDURE one (x NUMBER);\n  PROCEDURE one (x NUMBER) IS\n    y NUMBER;\n  BEGIN\n    FORALL i IN 1..9\n"
        "      INSERT INTO log VALUES (x);\n    EXECUTE IMMEDIATE q'[DELETE FROM log WHERE a = 'b']';\n  END one;\n"
        "END mill;\n/\nSELECT 1 FROM dual",
        ["CREATE PACKAGE BODY mill", "> rate NUMBER := 1", "> CURSOR c (k NUMBER) IS SELECT a FROM sacks",
         "> PROCEDURE one (x NUMBER)", "> y NUMBER", "> FORALL i IN 1..9", "> INSERT INTO log VALUES (x)",
         "> EXECUTE IMMEDIATE", "> DELETE FROM log WHERE a = 'b'", "SELECT 1 FROM dual"],
    ),
    (
        "mysql",
        "DELIMITER //\nCREATE PROCEDURE p(IN x INT) READS SQL DATA\nBEGIN\n  DECLARE n INT DEFAULT 0;\n"
        "  SELECT a INTO n FROM sacks;\nEND//\nCREATE TRIGGER tr AFTER INSERT ON sacks FOR EACH ROW\n"
        "  INSERT INTO log VALUES (NEW.a)//\nDELIMITER ;\nCREATE PROCEDURE q() SELECT 1",
        ["CREATE PROCEDURE p(IN x INT) READS SQL DATA", "> DECLARE n INT DEFAULT 0", "> SELECT a INTO n FROM sacks",
         "CREATE TRIGGER tr AFTER INSERT ON sacks FOR EACH ROW", "> INSERT INTO log VALUES (NEW.a)",
         "CREATE PROCEDURE q()", "> SELECT 1"],
    ),
    (
        "databricks",
        "CREATE PROCEDURE p(IN x INT) LANGUAGE SQL SQL SECURITY INVOKER AS BEGIN\n  FOR r AS SELECT a FROM sacks DO\n"
        "    INSERT INTO log VALUES (r.a);\n  END FOR;\nEND",
        ["CREATE PROCEDURE p(IN x INT) LANGUAGE SQL SQL SECURITY INVOKER AS", "> FOR r AS SELECT a FROM sacks",
         "> INSERT INTO log VALUES (r.a)"],
    ),
    (
        "sqlite",
        "CREATE TRIGGER tr AFTER INSERT ON sacks BEGIN INSERT INTO log VALUES (new.a); END",
        ["CREATE TRIGGER tr AFTER INSERT ON sacks", "> INSERT INTO log VALUES (new.a)"],
    ),
]


@pytest.mark.parametrize(("dialect", "text", "expected"), CASES)
def test_the_statements_of_a_body_follow_its_head(dialect: str, text: str, expected: list[str]) -> None:
    assert said(text, dialect) == expected


WHOLE = [
    ("bigquery", 'CREATE FUNCTION f(x INT64) RETURNS INT64 LANGUAGE js AS r"""\nreturn x; // a;\n"""'),
    ("bigquery", "CREATE FUNCTION f(x INT64) AS (x + 1)"),
    ("bigquery", 'EXECUTE IMMEDIATE FORMAT("DELETE FROM %s", t)'),
    ("postgres", "CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS $$ SELECT a FROM sacks WHERE b = x $$"),
    ("postgres", "CREATE FUNCTION f() RETURNS int AS $$ return 1; $$ LANGUAGE plpython3u"),
    ("postgres", "EXECUTE 'DELETE FROM ' || quote_ident(t)"),
    ("snowflake", "CREATE PROCEDURE p() RETURNS INT LANGUAGE JAVASCRIPT AS $$ var a = 1; return a; $$"),
    ("snowflake", "CREATE FUNCTION f(x INT) RETURNS INT AS 'x + 1'"),
    ("oracle", "CREATE PROCEDURE p AS LANGUAGE JAVA NAME 'a.b()'"),
    ("tsql", "CREATE FUNCTION f(@n INT) RETURNS TABLE AS RETURN (SELECT a FROM sacks)"),
]


@pytest.mark.parametrize(("dialect", "text"), WHOLE)
def test_what_is_no_script_in_sql_stays_whole(dialect: str, text: str) -> None:
    assert said(text, dialect) == [text]


def test_what_a_string_says_is_as_long_as_it_is_written() -> None:
    text = "CREATE PROCEDURE p() RETURNS INT LANGUAGE SQL AS 'BEGIN DELETE FROM log WHERE a = ''it''''s'' OR b; END'"
    inner = opened(text, "snowflake")[1]
    assert text[inner.start : inner.end] == "DELETE FROM log WHERE a = ''it''''s'' OR b"
    assert inner.text is not None
    assert len(inner.text) == inner.end - inner.start
    assert inner.text.index("OR b") == text.index("OR b") - inner.start


def test_a_head_tells_how_far_its_body_reaches() -> None:
    text = "SELECT 1;\nCREATE PROCEDURE p() BEGIN\n  SELECT 2;\nEND ;\nSELECT 3"
    assert [(part.end + part.reach, part.inner) for part in opened(text, "bigquery")] == [
        (8, False), (text.index(" ;\nSELECT 3"), False), (text.index("2") + 1, True), (len(text), False)
    ]


PIECES = (
    "CREATE PROCEDURE p() ", "AS ", "$$ ", "BEGIN ", "END ", "; ", "'", "''", "EXECUTE ", "IMMEDIATE ", "SELECT 1", "(",
    "LANGUAGE sql ", "DO ", ")", "\n", "DECLARE x INT", "IF a THEN ", "q'[", "]'", '"""', "\\",
    "FOR r IN (SELECT 1) DO ",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_gives_places_in_order(text: str) -> None:
    for name in DIALECTS:
        end = 0
        for part in opened(text, name):
            assert end <= part.start < part.end <= len(text)
            assert part.text is None or len(part.text) == part.end - part.start
            end = part.end
