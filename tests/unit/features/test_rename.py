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
        ("bigquery", "CREATE TABLE d.t (i¦d INT64);", "SELECT t.id AS x, id + 1 AS y FROM d.t WHERE id > 3", "num",
         "CREATE TABLE d.t (num INT64);", "SELECT t.num AS x, num + 1 AS y FROM d.t WHERE num > 3"),
        ("bigquery", "CREATE TABLE d.t (id INT64);", "CREATE VIEW d.v AS SELECT id¦ FROM d.t", "num",
         "CREATE TABLE d.t (num INT64);", "CREATE VIEW d.v AS SELECT num AS id FROM d.t"),
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
        ("snowflake", "CREATE TABLE t (i¦d NUMBER);", "SELECT ID AS x, T.id AS y FROM t", "num",
         "CREATE TABLE t (num NUMBER);", "SELECT num AS x, T.num AS y FROM t"),
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
         "WITH c AS (SELECT id AS k¦ FROM d.t) SELECT c.k FROM c ORDER BY k", "num",
         "CREATE TABLE d.t (id INT64);", "WITH c AS (SELECT id AS num FROM d.t) SELECT c.num FROM c ORDER BY num"),
        ("bigquery", "CREATE TABLE d.t (id INT64); CREATE VIEW d.v AS SELECT id FROM d.t;",
         "SELECT v.i¦d AS x FROM d.v", "num",
         "CREATE TABLE d.t (id INT64); CREATE VIEW d.v AS SELECT id AS num FROM d.t;",
         "SELECT v.num AS x FROM d.v"),
        ("bigquery", "CREATE TABLE d.t (i¦d INT64);", "WITH c AS (SELECT id FROM d.t) SELECT c.id AS x FROM c", "num",
         "CREATE TABLE d.t (num INT64);", "WITH c AS (SELECT num AS id FROM d.t) SELECT c.id AS x FROM c"),
        ("bigquery", "CREATE TABLE d.t (c STRUCT<na¦me STRING>);",
         "CREATE VIEW d.v AS SELECT STRUCT(t.c.name, t.c.name AS who) AS b FROM d.t; SELECT v.b.name AS x FROM d.v",
         "title", "CREATE TABLE d.t (c STRUCT<title STRING>);",
         "CREATE VIEW d.v AS SELECT STRUCT(t.c.title AS name, t.c.title AS who) AS b FROM d.t;"
         " SELECT v.b.name AS x FROM d.v"),
        ("bigquery", "CREATE VIEW d.v AS SELECT 1 AS o¦ne;", "SELECT v.one AS x FROM d.v", "start",
         "CREATE VIEW d.v AS SELECT 1 AS start;", "SELECT v.start AS x FROM d.v"),
        ("postgres", 'CREATE TABLE t ("Odd¦ Name" int);', 'SELECT "Odd Name" AS x FROM t', "Even Name",
         'CREATE TABLE t ("Even Name" int);', 'SELECT "Even Name" AS x FROM t'),
        ("bigquery", "CREATE TABLE d.t (id¦ INT64);",
         "INSERT INTO d.t (id) SELECT 1; UPDATE d.t SET id = 2 WHERE id = 1", "num",
         "CREATE TABLE d.t (num INT64);", "INSERT INTO d.t (num) SELECT 1; UPDATE d.t SET num = 2 WHERE num = 1"),
    ],
)  # fmt: skip
def test_everything_that_means_it_changes(
    dialect: str, tables: str, query: str, name: str, expected_tables: str, expected_query: str
) -> None:
    assert renamed(dialect, tables, query, name) == (expected_tables, expected_query)


@pytest.mark.parametrize(
    ("tables", "query", "name", "reason"),
    [
        ("CREATE TABLE d.t (i¦d INT64);", "CREATE VIEW d.v AS SELECT * FROM d.t", "num",
         "a `*` hands it on under its present name in query.sql:1."),
        ("CREATE TABLE d.t (c STRUCT<na¦me STRING>);", "SELECT c FROM d.t", "num",
         "a record that contains it is handed on whole in query.sql:1."),
        ("CREATE TABLE d.t (i¦d INT64); CREATE TABLE d.u (id INT64);", "SELECT 1 AS x FROM d.t JOIN d.u USING (id)",
         "num", "USING compares it with a column of the same name, in query.sql:1."),
        ("CREATE TABLE d.t (i¦d INT64);", "SELECT 1;\nSELECT FROM WHERE id )) d.t", "num",
         "A statement that cannot be read may use it, in query.sql:2."),
        ("CREATE TABLE d.t (i¦d INT64, num INT64);", "SELECT 1", "NUM", "There is a `NUM` beside it already."),
        ("CREATE TABLE d.t (i¦d INT64);", "SELECT 1", "a.b", "`a.b` cannot be a name."),
        ("CREATE TABLE d.t (id INT64);", "SELECT u.i¦d FROM d.undeclared AS u", "num",
         "No DDL of the workspace declares `id`, so nobody knows who else uses it."),
        ("CREATE TABLE d.t (id INT64);", "WITH a AS (SELECT 1 AS x), b¦ AS (SELECT 2 AS y) SELECT * FROM a, b", "a",
         "The statement has a `a` already."),
        ("CREATE TABLE d.t (id INT64);", "SELECT *¦ FROM d.t", "num", "A star stands for many names."),
        ("CREATE TABLE d.t (id INT64);", "SELECT ¦ 1", "num", "There is no name here that could be renamed."),
    ],
)  # fmt: skip
def test_what_cannot_be_proved_is_refused_with_its_reason(tables: str, query: str, name: str, reason: str) -> None:
    assert renamed("bigquery", tables, query, name) == reason


T_AND_U = "CREATE TABLE t (a¦ int); CREATE TABLE u (b int);"


@pytest.mark.parametrize(
    ("dialect", "tables", "query", "name", "reason"),
    [
        # The new name is taken at a place where the column is read without its table.
        ("postgres", T_AND_U, "SELECT a, u.b FROM t, u", "b",
         "`u` has a column `b`, which it could be taken for, in query.sql:1."),
        ("postgres", T_AND_U, "SELECT b AS q FROM t, u", "b", "`b` means something else already, in query.sql:1."),
        ("postgres", T_AND_U, "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM u WHERE a = 3)", "b",
         "`u` has a column `b`, which it could be taken for, in query.sql:1."),
        ("postgres", T_AND_U, "SELECT (SELECT max(b) FROM t) AS q FROM u", "b",
         "`b` means something else already, in query.sql:1."),
        ("bigquery", "CREATE TABLE t (a¦ INT64, c INT64);", "SELECT c + 1 AS x FROM t ORDER BY a", "x",
         "`x` means something else already, in query.sql:1."),
        ("bigquery", "CREATE TABLE t (a INT64, c INT64);", "SELECT c + 1 AS x¦, COUNT(*) AS n FROM t GROUP BY x", "a",
         "`t` has a column `a`, which it could be taken for, in query.sql:1."),
        ("trino", "CREATE TABLE t (xs array(bigint), k¦ bigint);", "SELECT transform(xs, x -> x + k) AS q FROM t", "x",
         "`x` means something else already, in query.sql:1."),
        ("bigquery", "CREATE TABLE d.t (a¦ STRUCT<z INT64>);", "SELECT a.z AS q FROM d.t AS o", "o",
         "`o` means something else already, in query.sql:1."),
        ("bigquery", "CREATE TABLE t (s STRUCT<id INT64>);", "SELECT s.id AS q, o.s.id AS p FROM t AS o¦", "s",
         "`s` means something else already, in query.sql:1."),
        ("postgres", "CREATE TABLE t¦ (a int);", "WITH z AS (SELECT 1 AS a) SELECT t.a, z.a AS y FROM t, z", "z",
         "`z` means something else already, in query.sql:1."),
        # Columns that are matched by their names.
        ("postgres", "CREATE TABLE t (id¦ int, x int); CREATE TABLE u (id int, y int);",
         "SELECT x, y FROM t NATURAL JOIN u", "num",
         "A NATURAL JOIN compares all columns of one name, in query.sql:1."),
        ("postgres", "CREATE TABLE t (id int);",
         "WITH a AS (SELECT id AS k¦ FROM t), b AS (SELECT id AS k FROM t) SELECT a.k AS z FROM a JOIN b USING (k)",
         "j", "USING compares it with a column of the same name, in query.sql:1."),
        ("duckdb", "CREATE TABLE t (id int, b int);",
         "SELECT id AS k¦, b AS z FROM t UNION ALL BY NAME SELECT b AS k, id AS z FROM t", "j",
         "Columns are matched by their names, in query.sql:1."),
        ("spark", "CREATE TABLE t (id INT, k¦ INT); CREATE TABLE s (id INT, k INT);",
         "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *", "j",
         "Columns are matched by their names, in query.sql:1."),
        ("bigquery", "CREATE TABLE t (id¦ INT64, k INT64);", "SELECT * EXCEPT (id) FROM t", "num",
         "It is not known what `id` means, in query.sql:1."),
        ("bigquery", "CREATE TABLE t (id¦ INT64, k INT64);", "SELECT * REPLACE (k + 1 AS id) FROM t", "num",
         "It is not known what `id` means, in query.sql:1."),
        ("bigquery", "CREATE TABLE t (id¦ INT64);", "SELECT STRUCT(id, t.id + 1 AS k).id AS s FROM t", "num",
         "It is not known what `id` means, in query.sql:1."),
        ("bigquery", "CREATE TABLE t (c STRUCT<id¦ INT64>);", "SELECT STRUCT(t.c.id AS id).id AS s FROM t", "num",
         "It is not known what `id` means, in query.sql:1."),
        # Rows as they are, with the names of their columns.
        ("bigquery", "CREATE TABLE t (id¦ INT64);", "SELECT t AS s FROM t", "num",
         "A row that contains it is handed on whole, in query.sql:1."),
        ("postgres", "CREATE TABLE t (id¦ int);", "SELECT to_json(o) AS s FROM t AS o", "num",
         "A row that contains it is handed on whole, in query.sql:1."),
        # What the analysis does not follow.
        ("postgres", "CREATE TABLE t (id¦ int);", "CREATE INDEX i ON t (id)", "num",
         "It is not known what `id` means, in query.sql:1."),
        ("postgres", "CREATE TABLE t (id¦ int);", "CREATE TABLE u (x int REFERENCES t (id))", "num",
         "It is not known what `id` means, in query.sql:1."),
        ("bigquery", "CREATE TABLE t (id¦ INT64);", "SELECT {% for c in ['id'] %} {{ c }}, {% endfor %} 1 AS y FROM t",
         "num", "A template may use it, in query.sql:1."),
        ("tsql", "CREATE TABLE t ([id¦] int);", "SELECT [id] AS s FROM t", "a]b", "`a]b` cannot be a name."),
    ],
)  # fmt: skip
def test_a_rename_that_would_change_a_meaning_is_refused(
    dialect: str, tables: str, query: str, name: str, reason: str
) -> None:
    assert renamed(dialect, tables, query, name) == reason


@pytest.mark.parametrize(
    ("dialect", "tables", "query", "name", "expected_tables", "expected_query"),
    [
        # All places have one name behind it, whatever their quotes and the database's folding.
        ("postgres", "CREATE TABLE t (to¦wn int);", 'SELECT "town" AS a, TOWN AS b FROM t', "City",
         "CREATE TABLE t (City int);", 'SELECT "city" AS a, City AS b FROM t'),
        ("snowflake", "CREATE TABLE t (to¦wn int);", 'SELECT "TOWN" AS a, town AS b FROM t', "city",
         "CREATE TABLE t (city int);", 'SELECT "CITY" AS a, city AS b FROM t'),
        ("postgres", 'CREATE TABLE t ("to¦wn" int);', "SELECT town AS a FROM t", "City",
         'CREATE TABLE t ("City" int);', 'SELECT "City" AS a FROM t'),
        ("bigquery", "CREATE TABLE t (to¦wn INT64);", "SELECT town AS a, t.town AS b FROM t", "order",
         "CREATE TABLE t (`order` INT64);", "SELECT `order` AS a, t.`order` AS b FROM t"),
        ("snowflake", "CREATE TABLE t (to¦wn int);", "SELECT town AS a FROM t", "order",
         'CREATE TABLE t ("ORDER" int);', 'SELECT "ORDER" AS a FROM t'),
        # What the table says of its own columns.
        ("bigquery", "CREATE TABLE d.t (day¦ DATE, at DATE) PARTITION BY day CLUSTER BY at, day;",
         "SELECT day AS s FROM d.t", "date_key",
         "CREATE TABLE d.t (date_key DATE, at DATE) PARTITION BY date_key CLUSTER BY at, date_key;",
         "SELECT date_key AS s FROM d.t"),
        ("postgres", "CREATE TABLE t (id¦ int CHECK (id > 0), k int, PRIMARY KEY (k, id), UNIQUE (id));",
         "SELECT t.id AS s FROM t", "num",
         "CREATE TABLE t (num int CHECK (num > 0), k int, PRIMARY KEY (k, num), UNIQUE (num));",
         "SELECT t.num AS s FROM t"),
        # What is handed on under the old name keeps it.
        ("bigquery", "CREATE TABLE t (id¦ INT64);", "SELECT STRUCT(id AS n, t.id + 1 AS k).n AS s FROM t", "num",
         "CREATE TABLE t (num INT64);", "SELECT STRUCT(num AS n, t.num + 1 AS k).n AS s FROM t"),
        ("bigquery",
         "CREATE TABLE t (a INT64); CREATE VIEW v AS WITH c AS (SELECT a AS x¦ FROM t) SELECT x FROM c;",
         "SELECT x AS q FROM v", "y",
         "CREATE TABLE t (a INT64); CREATE VIEW v AS WITH c AS (SELECT a AS y FROM t) SELECT y AS x FROM c;",
         "SELECT x AS q FROM v"),
        # A schema of the same path is another name.
        ("bigquery", "CREATE TABLE d.t¦ (id INT64);", "SELECT t.id AS x, d.t.id AS y FROM d.t", "legs",
         "CREATE TABLE d.legs (id INT64);", "SELECT legs.id AS x, d.legs.id AS y FROM d.legs"),
        # Behind its table the name is safe from what else has it.
        ("postgres", "CREATE TABLE t (a¦ int); CREATE TABLE u (b int);", "SELECT t.a AS x, u.b FROM t, u", "b",
         "CREATE TABLE t (b int); CREATE TABLE u (b int);", "SELECT t.b AS x, u.b FROM t, u"),
        ("postgres", "CREATE TABLE t (id¦ int); CREATE TABLE u (id int, d date);",
         "SELECT t.id AS x, u.id AS y, max(d) OVER () AS num FROM t JOIN u ON t.id = u.id", "num",
         "CREATE TABLE t (num int); CREATE TABLE u (id int, d date);",
         "SELECT t.num AS x, u.id AS y, max(d) OVER () AS num FROM t JOIN u ON t.num = u.id"),
    ],
)  # fmt: skip
def test_a_rename_keeps_every_meaning(
    dialect: str, tables: str, query: str, name: str, expected_tables: str, expected_query: str
) -> None:
    assert renamed(dialect, tables, query, name) == (expected_tables, expected_query)
