# ruff: noqa: E501
"""CREATE TYPE, ALTER, DROP, RENAME and USE of every dialect."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.query_model import (
    AddColumn,
    AlterTable,
    ChangeType,
    CreateType,
    Drop,
    DropColumn,
    MoveRows,
    OtherStatement,
    RenameColumn,
    RenameTable,
    ReplaceColumns,
    SwapTable,
    Use,
)
from tests.unit.syntax.ddl_reading import assert_exact_spans, columns, dotted, notation, read


@pytest.mark.parametrize(
    ("dialect", "sql", "name", "tree"),
    [
        ("postgres", "CREATE TYPE s.berth_t AS (code text, quay quay_t, tags text[])", "s|berth_t", "{code:text, quay:?quay_t, tags:[text]}"),
        ("postgres", "CREATE TYPE mood AS ENUM ('a', 'b')", "mood", "ENUM"),
        ("postgres", "CREATE TYPE span AS RANGE (subtype = float8)", "span", "RANGE"),
        ("postgres", "CREATE DOMAIN code AS varchar(9) CHECK (VALUE <> '')", "code", "varchar(9)"),
        ("oracle", "CREATE OR REPLACE TYPE berth_t FORCE AS OBJECT (code VARCHAR2(9), quay quay_t, MEMBER FUNCTION f(x NUMBER) RETURN NUMBER, STATIC PROCEDURE p) NOT FINAL", "berth_t", "{code:VARCHAR2(9), quay:?quay_t}"),
        ("oracle", "CREATE TYPE lots_nt IS TABLE OF lot_t", "lots_nt", "[?lot_t]"),
        ("oracle", "CREATE TYPE kg_va AS VARRAY(10) OF NUMBER(9,2) NOT NULL", "kg_va", "[NUMBER(9, 2)]"),
        ("oracle", "CREATE TYPE kg_va AS VARYING ARRAY (10) OF (NUMBER)", "kg_va", "[NUMBER]"),
        ("duckdb", "CREATE TYPE berth AS STRUCT(code VARCHAR, n INTEGER[])", "berth", "{code:VARCHAR, n:[INTEGER]}"),
        ("duckdb", "CREATE TYPE mood AS ENUM ('a')", "mood", "ENUM"),
        ("duckdb", "CREATE TYPE small AS INTEGER", "small", "INTEGER"),
        ("tsql", "CREATE TYPE dbo.rows_t AS TABLE ([id] INT NOT NULL, label NVARCHAR(9), PRIMARY KEY (id))", "dbo|rows_t", "{id:INT, label:NVARCHAR(9)}"),
        ("tsql", "CREATE TYPE dbo.ssn FROM varchar(11) NOT NULL", "dbo|ssn", "varchar(11)"),
        ("snowflake", "CREATE TYPE berth AS OBJECT(code VARCHAR, n NUMBER)", "berth", "{code:VARCHAR, n:NUMBER}"),
        ("postgres", "CREATE TYPE box3 (INPUT = f, OUTPUT = g)", "box3", "BASE"),
    ],
)  # fmt: skip
def test_create_type(dialect: str, sql: str, name: str, tree: str) -> None:
    reading = read(sql, dialect)
    assert reading is not None
    made = reading.statement
    assert isinstance(made, CreateType)
    assert (dotted(made.name), notation(made.type), reading.issues) == (name, tree, ())
    assert_exact_spans(sql, made)


def test_a_subtype_names_its_supertype() -> None:
    made = read("CREATE TYPE pilot_t UNDER hr.person_t (licence VARCHAR2(9))", "oracle").statement
    assert dotted(made.under) == "hr|person_t"
    assert notation(made.type) == "{licence:VARCHAR2(9)}"


def describe(action: object) -> str:
    if isinstance(action, AddColumn):
        flags = " guarded" * action.if_not_exists + " first" * action.first
        after = f" after {action.after.text}" if action.after else ""
        return f"add {dotted(action.path)} {notation(action.type)}{flags}{after}"
    if isinstance(action, DropColumn):
        return f"drop {dotted(action.path)}" + " guarded" * action.if_exists
    if isinstance(action, RenameColumn):
        return f"rename {dotted(action.path)} {action.new.text}"
    if isinstance(action, ChangeType):
        return f"type {dotted(action.path)} {notation(action.type)}"
    if isinstance(action, ReplaceColumns):
        return f"replace {', '.join(columns(action.columns))}"
    if isinstance(action, RenameTable):
        return (f"table {dotted(action.old)} " if action.old else "table ") + dotted(action.new)
    if isinstance(action, MoveRows):
        arrow = {(True, True): "<->", (True, False): "<-", (False, True): "->"}[action.takes, action.gives]
        return f"rows {arrow} {dotted(action.other)}"
    assert isinstance(action, SwapTable)
    return f"swap {dotted(action.other)}"


ALTERS = [
    ("postgres", "ALTER TABLE ONLY s.t ADD COLUMN IF NOT EXISTS a int DEFAULT 1, DROP COLUMN b CASCADE, ADD c text[]",
     ["add a int guarded", "drop b", "add c [text]"]),
    ("postgres", "ALTER TABLE IF EXISTS s.t ALTER COLUMN a TYPE bigint USING a::bigint, ALTER b SET NOT NULL, RENAME c TO d",
     ["type a bigint", "rename c d"]),
    ("postgres", "ALTER TABLE s.t ADD CONSTRAINT x CHECK (a > 0), ADD PRIMARY KEY (a), DROP CONSTRAINT y, ADD d s.berth_t",
     ["add d ?s.berth_t"]),
    ("postgres", "ALTER TABLE s.t RENAME TO u", ["table u"]),
    ("bigquery", "ALTER TABLE s.t ADD COLUMN a STRUCT<x INT64>, ADD COLUMN IF NOT EXISTS b ARRAY<STRING>, DROP COLUMN c",
     ["add a {x:INT64}", "add b [STRING] guarded", "drop c"]),
    ("bigquery", "ALTER TABLE `p.s.t` ALTER COLUMN a SET DATA TYPE NUMERIC, RENAME COLUMN x TO y, RENAME COLUMN z TO w",
     ["type a NUMERIC", "rename x y", "rename z w"]),
    ("trino", "ALTER TABLE s.t ADD COLUMN berth.quay.depth DOUBLE", ["add berth|quay|depth DOUBLE"]),
    ("trino", "ALTER TABLE s.t ALTER COLUMN berth.code SET DATA TYPE VARCHAR", ["type berth|code VARCHAR"]),
    ("trino", "ALTER TABLE s.t DROP COLUMN IF EXISTS berth.code", ["drop berth|code guarded"]),
    ("trino", "ALTER TABLE s.t RENAME COLUMN IF EXISTS berth.code TO kode", ["rename berth|code kode"]),
    ("spark", "ALTER TABLE s.t ADD COLUMNS (a INT COMMENT 'x', cargo.element.kg DOUBLE, b STRUCT<c: INT>)",
     ["add a INT", "add cargo|element|kg DOUBLE", "add b {c:INT}"]),
    ("databricks", "ALTER TABLE s.t ADD COLUMN berth.n INT AFTER code", ["add berth|n INT after code"]),
    ("spark", "ALTER TABLE s.t ADD COLUMN a INT FIRST", ["add a INT first"]),
    ("spark", "ALTER TABLE s.t DROP COLUMNS (a, b.c)", ["drop a", "drop b|c"]),
    ("spark", "ALTER TABLE s.t CHANGE COLUMN a TYPE BIGINT", ["type a BIGINT"]),
    ("spark", "ALTER TABLE s.t ALTER COLUMN a COMMENT 'x'", []),
    ("hive", "ALTER TABLE s.t CHANGE COLUMN a b struct<c:int> COMMENT 'x' AFTER d", ["type a {c:int}", "rename a b"]),
    ("hive", "ALTER TABLE s.t CHANGE a a bigint", ["type a bigint"]),
    ("hive", "ALTER TABLE s.t REPLACE COLUMNS (a int, b string)", ["replace a int, b string"]),
    ("hive", "ALTER TABLE s.t PARTITION (d='x') RENAME TO PARTITION (d='y')", []),
    ("hive", "ALTER TABLE s.t ADD IF NOT EXISTS PARTITION (d='x') LOCATION '/y'", []),
    ("hive", "ALTER TABLE s.t SET TBLPROPERTIES ('a'='b')", []),
    ("snowflake", "ALTER TABLE s.t ADD COLUMN a INT, b VARCHAR(9)", ["add a INT", "add b VARCHAR(9)"]),
    ("snowflake", "ALTER TABLE s.t DROP COLUMN a, b", ["drop a", "drop b"]),
    ("snowflake", "ALTER TABLE s.t SWAP WITH u.v", ["swap u|v"]),
    ("snowflake", "ALTER TABLE s.t MODIFY COLUMN a SET DATA TYPE NUMBER(9), COLUMN b VARCHAR(3)", ["type a NUMBER(9)", "type b VARCHAR(3)"]),
    ("snowflake", "ALTER TABLE s.t MODIFY COLUMN a SET MASKING POLICY p", []),
    ("snowflake", "ALTER TABLE s.t ADD ROW ACCESS POLICY p ON (a)", []),
    ("snowflake", "ALTER TABLE s.t CLUSTER BY (a)", []),
    ("redshift", "ALTER TABLE s.t ADD COLUMN a SUPER ENCODE zstd", ["add a ~SUPER"]),
    ("redshift", "ALTER TABLE s.t APPEND FROM u", ["rows <- u"]),
    ("mysql", "ALTER TABLE s.t EXCHANGE PARTITION p WITH TABLE s.u WITHOUT VALIDATION", ["rows <-> s|u"]),
    ("oracle", "ALTER TABLE s.t EXCHANGE PARTITION p WITH TABLE u INCLUDING INDEXES", ["rows <-> u"]),
    ("hive", "ALTER TABLE s.t EXCHANGE PARTITION (d = '1') WITH TABLE u", ["rows <- u"]),
    ("tsql", "ALTER TABLE s.t SWITCH PARTITION 1 TO u PARTITION 2", ["rows -> u"]),
    ("clickhouse", "ALTER TABLE s.t REPLACE PARTITION 1 FROM u", ["rows <- u"]),
    ("clickhouse", "ALTER TABLE s.t ATTACH PARTITION ALL FROM u", ["rows <- u"]),
    ("clickhouse", "ALTER TABLE s.t MOVE PARTITION '2020' TO TABLE u", ["rows -> u"]),
    ("clickhouse", "ALTER TABLE s.t MOVE PARTITION '2020' TO DISK 'slow'", []),
    ("postgres", "ALTER TABLE s.t ATTACH PARTITION u FOR VALUES FROM (1) TO (9)", []),
    ("oracle", "ALTER TABLE s.t ADD (a NUMBER(3), b VARCHAR2(9) DEFAULT 'x')", ["add a NUMBER(3)", "add b VARCHAR2(9)"]),
    ("oracle", "ALTER TABLE s.t MODIFY (a NUMBER(9), b NOT NULL)", ["type a NUMBER(9)"]),
    ("oracle", "ALTER TABLE s.t DROP (a, b)", ["drop a", "drop b"]),
    ("oracle", "ALTER TABLE s.t SET UNUSED COLUMN a", ["drop a"]),
    ("oracle", "ALTER TABLE s.t RENAME COLUMN a TO b", ["rename a b"]),
    ("duckdb", "ALTER TABLE s.t RENAME berth.code TO kode", ["rename berth|code kode"]),
    ("duckdb", "ALTER TABLE s.t ADD COLUMN a STRUCT(b INT)[]", ["add a [{b:INT}]"]),
    ("clickhouse", "ALTER TABLE s.t ON CLUSTER c ADD COLUMN a Tuple(b Int8) AFTER d, MODIFY COLUMN e String, DROP COLUMN f",
     ["add a {b:Int8} after d", "type e String", "drop f"]),
    ("clickhouse", "ALTER TABLE s.t ADD INDEX i a TYPE minmax, DROP PARTITION '2026', MODIFY TTL d + INTERVAL 1 DAY", []),
    ("mysql", "ALTER TABLE s.t ADD a INT NOT NULL, ADD KEY k (a), MODIFY b BIGINT, CHANGE c d INT, DROP e, ADD UNIQUE (a)",
     ["add a INT", "type b BIGINT", "type c INT", "rename c d", "drop e"]),
    ("tsql", "ALTER TABLE s.t ADD a INT NULL, b NVARCHAR(9)", ["add a INT", "add b NVARCHAR(9)"]),
    ("tsql", "ALTER TABLE s.t ALTER COLUMN a BIGINT NOT NULL", ["type a BIGINT"]),
    ("sqlite", "ALTER TABLE s.t RENAME a TO b", ["rename a b"]),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql", "actions"), ALTERS)
def test_alter(dialect: str, sql: str, actions: list[str]) -> None:
    reading = read(sql, dialect)
    assert reading is not None
    if not actions:
        assert reading.statement == OtherStatement("ALTER")
        return
    altered = reading.statement
    assert isinstance(altered, AlterTable)
    assert [describe(action) for action in altered.actions] == actions
    assert dotted(altered.name) in ("s|t", "p|s|t")
    assert reading.issues == ()
    assert_exact_spans(sql, altered)


def test_alter_of_types_and_views() -> None:
    altered = read("ALTER TYPE berth_t ADD ATTRIBUTE a int, RENAME ATTRIBUTE b TO c", "postgres").statement
    assert altered.kind == "TYPE"
    assert [describe(action) for action in altered.actions] == ["add a int", "rename b c"]
    assert read("ALTER TYPE mood ADD VALUE 'x' AFTER 'y'", "postgres").statement == OtherStatement("ALTER")
    view = read("ALTER VIEW v RENAME COLUMN a TO b", "postgres").statement
    assert (view.kind, [describe(action) for action in view.actions]) == ("VIEW", ["rename a b"])


def test_renames_of_tables() -> None:
    altered = read("RENAME TABLE t TO t_old, t_new TO t", "mysql").statement
    assert dotted(altered.name) == "t"
    assert [describe(action) for action in altered.actions] == ["table t_old", "table t_new t"]
    swapped = read("EXCHANGE TABLES s.a AND s.b", "clickhouse").statement
    assert (dotted(swapped.name), [describe(action) for action in swapped.actions]) == ("s|a", ["swap s|b"])


@pytest.mark.parametrize(
    ("sql", "kind", "names"),
    [
        ("DROP TABLE IF EXISTS s.t CASCADE", "TABLE", ["s|t"]),
        ("DROP TABLE a, s.b", "TABLE", ["a", "s|b"]),
        ("DROP MATERIALIZED VIEW v", "VIEW", ["v"]),
        ("DROP EXTERNAL TABLE t", "TABLE", ["t"]),
        ("DROP TYPE berth_t FORCE", "TYPE", ["berth_t"]),
        ("DROP SCHEMA IF EXISTS s", "SCHEMA", ["s"]),
    ],
)
def test_drop(sql: str, kind: str, names: list[str]) -> None:
    dropped = read(sql, "postgres").statement
    assert isinstance(dropped, Drop)
    assert dropped.kind == kind
    assert [dotted(name) for name in (dropped.name, *dropped.others)] == names
    assert_exact_spans(sql, dropped)


@pytest.mark.parametrize("sql", ["DROP INDEX i", "DROP FUNCTION f(int)", "DROP TABLE FUNCTION f", "DROP TABLE"])
def test_other_drops(sql: str) -> None:
    assert read(sql, "bigquery").statement == OtherStatement("DROP")


@pytest.mark.parametrize(
    ("dialect", "sql", "kind", "parts"),
    [
        ("snowflake", "USE SCHEMA db.sc", "SCHEMA", "db|sc"),
        ("snowflake", "USE DATABASE db", "CATALOG", "db"),
        ("hive", "USE DATABASE db", "SCHEMA", "db"),
        ("snowflake", "USE db.sc", "", "db|sc"),
        ("databricks", "USE CATALOG main", "CATALOG", "main"),
        ("spark", "USE NAMESPACE a.b", "SCHEMA", "a|b"),
        ("tsql", "USE [Sales DB]", "", "Sales DB"),
        ("mysql", "USE schema_a", "", "schema_a"),
        ("postgres", "SET search_path TO sales, public", "SCHEMA", "sales"),
        ("postgres", "SET SESSION search_path = \"$user\", 'Sales'", "SCHEMA", "Sales"),
        ("postgres", "SET LOCAL search_path = sales", "SCHEMA", "sales"),
        ("oracle", "ALTER SESSION SET CURRENT_SCHEMA = hr", "SCHEMA", "hr"),
        ("duckdb", "SET schema = 'sales'", "SCHEMA", "sales"),
    ],
)
def test_defaults_of_names(dialect: str, sql: str, kind: str, parts: str) -> None:
    use = read(sql, dialect).statement
    assert isinstance(use, Use)
    assert (use.kind, dotted(use.parts)) == (kind, parts)
    assert_exact_spans(sql, use)


@pytest.mark.parametrize(
    ("dialect", "sql", "keyword"),
    [
        ("snowflake", "USE ROLE admin", "USE"),
        ("snowflake", "USE WAREHOUSE big", "USE"),
        ("oracle", "ALTER SESSION SET NLS_DATE_FORMAT = 'x'", "ALTER"),
        ("postgres", "CREATE INDEX i ON t (a)", "CREATE"),
        ("snowflake", "CREATE STAGE s URL = 's3://b'", "CREATE"),
        ("oracle", "CREATE OR REPLACE TYPE BODY t AS MEMBER FUNCTION f RETURN NUMBER IS BEGIN RETURN 1", "CREATE"),
        ("postgres", "CREATE SCHEMA ops", "CREATE"),
        ("oracle", "CREATE MATERIALIZED VIEW LOG ON t", "CREATE"),
    ],
)
def test_statements_that_define_no_columns(dialect: str, sql: str, keyword: str) -> None:
    assert read(sql, dialect).statement == OtherStatement(keyword)
