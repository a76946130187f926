"""Rename: `¦` marks what is renamed; the files are shown as they are afterwards, or the reason why they stay."""

from __future__ import annotations

import pytest

from sql_lineage_ls.features.rename import prepare_rename, rename
from sql_lineage_ls.features.results import Refusal
from tests.support import product

TABLES = "file:///w/tables.sql"
QUERY = "file:///w/query.sql"



def renamed(dialect: str, tables: str, query: str, name: str) -> tuple[str, str] | str:
    """Both files behind the rename, or the reason of its refusal."""
    files = {TABLES: tables.replace("¦", ""), QUERY: query.replace("¦", "")}
    uri, text = (TABLES, tables) if "¦" in tables else (QUERY, query)
    snapshot = product.open_files(files, dialect)
    offset = text.index("¦")
    found = rename(snapshot, uri, offset, name)
    if isinstance(found, Refusal):
        return found.reason
    prepared = prepare_rename(snapshot, uri, offset)
    assert not isinstance(prepared, Refusal)
    assert prepared.start <= offset <= prepared.end
    for change in reversed(found.changes):
        old = files[change.span.uri]
        files[change.span.uri] = old[: change.span.start] + change.text + old[change.span.end :]
    return files[TABLES], files[QUERY]


@pytest.mark.parametrize(
    ("dialect", "tables", "query", "name", "expected_tables", "expected_query"),
    [
        ("bigquery", "CREATE TABLE d.t (i¦d INT64);", "SELECT t.id AS x, id + 1 AS y FROM d.t WHERE id > 3", "no",
         "CREATE TABLE d.t (no INT64);", "SELECT t.no AS x, no + 1 AS y FROM d.t WHERE no > 3"),
        ("bigquery", "CREATE TABLE d.t (id INT64);", "CREATE VIEW d.v AS SELECT id¦ FROM d.t", "no",
         "CREATE TABLE d.t (no INT64);", "CREATE VIEW d.v AS SELECT no AS id FROM d.t"),
        ("bigquery", "CREATE TABLE d.t (c STRUCT<na¦me STRING>);", "SELECT c.name, t.c.name AS n FROM d.t", "title",
         "CREATE TABLE d.t (c STRUCT<title STRING>);", "SELECT c.title AS name, t.c.title AS n FROM d.t"),
        ("bigquery", "CREATE TABLE d.t (xs ARRAY<STRUCT<km INT64>>);",
         "SELECT SUM(x.k¦m) AS far FROM d.t, UNNEST(xs) AS x WHERE x.km > 1", "miles",
         "CREATE TABLE d.t (xs ARRAY<STRUCT<miles INT64>>);",
         "SELECT SUM(x.miles) AS far FROM d.t, UNNEST(xs) AS x WHERE x.miles > 1"),
        ("trino", "CREATE TABLE t (c row(na¦me varchar));", "SELECT c.name AS n FROM t", "title",
         "CREATE TABLE t (c row(title varchar));", "SELECT c.title AS n FROM t"),
        ("spark", "CREATE TABLE t (xs ARRAY<STRUCT<km: INT>>);", "SELECT xs.k¦m AS far FROM t", "miles",
         "CREATE TABLE t (xs ARRAY<STRUCT<miles: INT>>);", "SELECT xs.miles AS far FROM t"),
        ("snowflake", "CREATE TABLE t (i¦d NUMBER);", "SELECT ID AS x, T.id AS y FROM t", "no",
         "CREATE TABLE t (no NUMBER);", "SELECT no AS x, T.no AS y FROM t"),
        ("postgres", "CREATE TYPE p AS (na¦me text); CREATE TABLE t (a p, b p);",
         "SELECT (a).name AS x, (b).name AS y FROM t", "title",
         "CREATE TYPE p AS (title text); CREATE TABLE t (a p, b p);", "SELECT (a).title AS x, (b).title AS y FROM t"),
        ("bigquery", "CREATE TABLE d.tri¦ps (id INT64);", "SELECT id FROM d.trips; INSERT INTO d.trips (id) SELECT 1",
         "legs", "CREATE TABLE d.legs (id INT64);", "SELECT id FROM d.legs; INSERT INTO d.legs (id) SELECT 1"),
        ("bigquery", "CREATE TABLE d.t (id INT64);", "SELECT a¦.id, a.id + 1 AS x FROM d.t AS a", "b",
         "CREATE TABLE d.t (id INT64);", "SELECT b.id, b.id + 1 AS x FROM d.t AS b"),
        ("bigquery", "CREATE TABLE d.t (id INT64);", "WITH c¦ AS (SELECT id FROM d.t) SELECT c.id FROM c", "e",
         "CREATE TABLE d.t (id INT64);", "WITH e AS (SELECT id FROM d.t) SELECT e.id FROM e"),
        ("bigquery", "CREATE TABLE d.t (id INT64);",
         "WITH c AS (SELECT id AS k¦ FROM d.t) SELECT c.k FROM c ORDER BY k", "no",
         "CREATE TABLE d.t (id INT64);", "WITH c AS (SELECT id AS no FROM d.t) SELECT c.no FROM c ORDER BY no"),
        ("bigquery", "CREATE TABLE d.t (id INT64); CREATE VIEW d.v AS SELECT id FROM d.t;",
         "SELECT v.i¦d AS x FROM d.v", "no",
         "CREATE TABLE d.t (id INT64); CREATE VIEW d.v AS SELECT id AS no FROM d.t;",
         "SELECT v.no AS x FROM d.v"),
        ("bigquery", "CREATE TABLE d.t (i¦d INT64);", "WITH c AS (SELECT id FROM d.t) SELECT c.id AS x FROM c", "no",
         "CREATE TABLE d.t (no INT64);", "WITH c AS (SELECT no AS id FROM d.t) SELECT c.id AS x FROM c"),
        ("bigquery", "CREATE VIEW d.v AS SELECT 1 AS o¦ne;", "SELECT v.one AS x FROM d.v", "first",
         "CREATE VIEW d.v AS SELECT 1 AS first;", "SELECT v.first AS x FROM d.v"),
        ("postgres", 'CREATE TABLE t ("Odd¦ Name" int);', 'SELECT "Odd Name" AS x FROM t', "Even Name",
         'CREATE TABLE t ("Even Name" int);', 'SELECT "Even Name" AS x FROM t'),
        ("bigquery", "CREATE TABLE d.t (id¦ INT64);",
         "INSERT INTO d.t (id) SELECT 1; UPDATE d.t SET id = 2 WHERE id = 1", "no",
         "CREATE TABLE d.t (no INT64);", "INSERT INTO d.t (no) SELECT 1; UPDATE d.t SET no = 2 WHERE no = 1"),
    ],
)  # fmt: skip
def test_everything_that_means_it_changes(
    dialect: str, tables: str, query: str, name: str, expected_tables: str, expected_query: str
) -> None:
    assert renamed(dialect, tables, query, name) == (expected_tables, expected_query)


@pytest.mark.parametrize(
    ("tables", "query", "name", "reason"),
    [
        ("CREATE TABLE d.t (i¦d INT64);", "CREATE VIEW d.v AS SELECT * FROM d.t", "no",
         "a `*` hands it on under its present name in query.sql:1."),
        ("CREATE TABLE d.t (c STRUCT<na¦me STRING>);", "SELECT c FROM d.t", "no",
         "a record that contains it is handed on whole in query.sql:1."),
        ("CREATE TABLE d.t (i¦d INT64); CREATE TABLE d.u (id INT64);", "SELECT 1 AS x FROM d.t JOIN d.u USING (id)",
         "no", "USING compares it with a column of the same name, in query.sql:1."),
        ("CREATE TABLE d.t (i¦d INT64);", "SELECT 1;\nSELECT FROM WHERE id )) d.t", "no",
         "A statement that cannot be read may use it, in query.sql:2."),
        ("CREATE TABLE d.t (i¦d INT64, no INT64);", "SELECT 1", "NO", "There is a `NO` beside it already."),
        ("CREATE TABLE d.t (i¦d INT64);", "SELECT 1", "a.b", "`a.b` cannot be a name."),
        ("CREATE TABLE d.t (id INT64);", "SELECT u.i¦d FROM d.undeclared AS u", "no",
         "No DDL of the workspace declares `id`, so nobody knows who else uses it."),
        ("CREATE TABLE d.t (id INT64);", "WITH a AS (SELECT 1 AS x), b¦ AS (SELECT 2 AS y) SELECT * FROM a, b", "a",
         "The statement has a `a` already."),
        ("CREATE TABLE d.t (id INT64);", "SELECT *¦ FROM d.t", "no", "A star stands for many names."),
        ("CREATE TABLE d.t (id INT64);", "SELECT ¦ 1", "no", "There is no name here that could be renamed."),
    ],
)  # fmt: skip
def test_what_cannot_be_proved_is_refused_with_its_reason(tables: str, query: str, name: str, reason: str) -> None:
    assert renamed("bigquery", tables, query, name) == reason
