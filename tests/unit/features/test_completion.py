"""Completion: what is proposed at `¦`, in every dialect's way of reading nested fields."""

from __future__ import annotations

import time

import pytest

from sql_lineage_ls.features.completion import completions, describe
from sql_lineage_ls.features.results import Completions
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.support import product

URI = "file:///w/query.sql"

BIGQUERY = """CREATE TABLE shop.trips (id INT64, rider STRUCT<name STRING, home STRUCT<town STRING, zip STRING>>,
 stops ARRAY<STRUCT<town STRING, km INT64>>, tags ARRAY<STRING>);"""
TRINO = """CREATE TABLE trips (id bigint, rider row(name varchar, home row(town varchar, zip varchar)),
 stops array(row(town varchar, km integer)), fares map(varchar, row(eur integer)));"""
SPARK = """CREATE TABLE trips (id BIGINT, rider STRUCT<name: STRING, home: STRUCT<town: STRING, zip: STRING>>,
 stops ARRAY<STRUCT<town: STRING, km: INT>>);"""
SNOWFLAKE = """CREATE TABLE trips (id NUMBER, rider OBJECT(name VARCHAR, home OBJECT(town VARCHAR, zip VARCHAR)),
 doc VARIANT);"""
POSTGRES = """CREATE TYPE place AS (town text, zip text); CREATE TYPE person AS (name text, home place);
CREATE TABLE trips (id int, rider person, stops place[]);"""
DDL = {"bigquery": BIGQUERY, "trino": TRINO, "spark": SPARK, "snowflake": SNOWFLAKE, "postgres": POSTGRES}


def opened(dialect: str, sql: str, ddl: str = "") -> tuple[Snapshot, int]:
    offset = sql.index("¦")
    files = {URI: sql.replace("¦", "")}
    files["file:///w/tables.sql"] = ddl or DDL[dialect]
    return product.open_files(files, dialect), offset


def ask(dialect: str, sql: str, ddl: str = "") -> Completions:
    snapshot, offset = opened(dialect, sql, ddl)
    return completions(snapshot, URI, offset)


def proposed(dialect: str, sql: str, ddl: str = "") -> list[str]:
    return [item.label for item in ask(dialect, sql, ddl).items if item.kind != "keyword"]


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("bigquery", "SELECT t.rider.¦ FROM shop.trips t", ["name", "home"]),
        ("bigquery", "SELECT rider.home.¦ FROM shop.trips", ["town", "zip"]),
        ("bigquery", "SELECT rider.home.to¦ FROM shop.trips", ["town"]),
        ("bigquery", "SELECT rider.ho¦me.town FROM shop.trips", ["home"]),
        ("bigquery", "SELECT s.¦ FROM shop.trips t, UNNEST(t.stops) s", ["town", "km"]),
        ("bigquery", "SELECT s.¦\nFROM shop.trips t, t.stops s WHERE s.km > 1", ["town", "km"]),
        ("bigquery", "WITH c AS (SELECT rider.home AS h FROM shop.trips) SELECT c.h.¦ FROM c", ["town", "zip"]),
        ("bigquery", "SELECT STRUCT(id AS a, rider AS b).¦ FROM shop.trips", ["a", "b"]),
        ("bigquery", "SELECT (SELECT AS STRUCT id, rider.home).home.¦ FROM shop.trips", ["town", "zip"]),
        ("bigquery", "SELECT ARRAY(SELECT x.¦ FROM UNNEST(stops) x) FROM shop.trips", ["town", "km"]),
        ("bigquery", "SELECT stops[OFFSET(0)].¦ FROM shop.trips", ["town", "km"]),
        ("bigquery", "UPDATE shop.trips SET rider.home.¦ = 'x' WHERE true", ["town", "zip"]),
        ("bigquery", "SELECT t.¦ FROM shop.trips t", ["id", "rider", "stops", "tags"]),
        ("trino", "SELECT t.rider.home.¦ FROM trips t", ["town", "zip"]),
        ("trino", "SELECT s.¦ FROM trips CROSS JOIN UNNEST(stops) AS s", ["town", "km"]),
        ("trino", "SELECT transform(stops, s -> s.¦) FROM trips", ["town", "km"]),
        ("trino", "SELECT fares['x'].¦ FROM trips", ["eur"]),
        ("spark", "SELECT stops.¦ FROM trips", ["town", "km"]),
        ("spark", "SELECT s.¦ FROM trips LATERAL VIEW explode(stops) e AS s", ["town", "km"]),
        ("spark", "SELECT filter(stops, s -> s.¦ > 1) FROM trips", ["town", "km"]),
        ("snowflake", "SELECT rider:home.¦ FROM trips", ["town", "zip"]),
        ("snowflake", "SELECT rider:¦ FROM trips", ["name", "home"]),
        ("postgres", "SELECT (rider).¦ FROM trips", ["name", "home"]),
        ("postgres", "SELECT ((rider).home).¦ FROM trips", ["town", "zip"]),
        ("postgres", "SELECT s.¦ FROM trips, unnest(stops) s", ["town", "zip"]),
    ],
)
def test_fields_behind_a_dot(dialect: str, sql: str, expected: list[str]) -> None:
    assert proposed(dialect, sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT ¦ FROM shop.trips t", ["id", "rider", "stops", "tags", "t"]),
        ("SELECT id FROM shop.trips t WHERE ¦", ["id", "rider", "stops", "tags", "t"]),
        ("SELECT id FROM shop.trips GROUP BY r¦", ["rider", "trips"]),
        ("SELECT s.km FROM shop.trips t, UNNEST(stops) s WHERE ki¦", []),
        ("INSERT INTO shop.trips (¦) SELECT 1", ["id", "rider", "stops", "tags"]),
        ("MERGE shop.trips a USING shop.trips b ON a.id = b.id WHEN MATCHED THEN UPDATE SET ta¦ = b.tags", ["tags"]),
        ("SELECT a.id FROM shop.trips a JOIN shop.trips b ON a.id = b.id WHERE i¦",
         ["a.id", "a.rider", "b.id", "b.rider"]),
    ],
)  # fmt: skip
def test_names_in_scope(sql: str, expected: list[str]) -> None:
    assert [label for label in proposed("bigquery", sql) if label not in ("a", "b")] == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM ¦", ["shop.trips"]),
        ("SELECT * FROM shop.¦", ["trips"]),
        ("WITH c AS (SELECT 1 AS one) SELECT * FROM ¦", ["c", "shop.trips"]),
        ("SELECT * FROM shop.trips t JOIN ¦", ["shop.trips"]),
        ("INSERT INTO ¦", ["shop.trips"]),
        ("DELETE FROM tri¦ WHERE true", ["shop.trips"]),
    ],
)
def test_relations(sql: str, expected: list[str]) -> None:
    assert proposed("bigquery", sql) == expected


def test_join_conditions_come_from_joins_elsewhere_first() -> None:
    ddl = """CREATE TABLE trips (id int, rider_id int, town text); CREATE TABLE riders (no int, town text);
    SELECT 1 FROM trips a JOIN riders b ON a.rider_id = b.no;"""
    found = ask("postgres", "SELECT 1 FROM trips t JOIN riders r ON ¦", ddl).items
    assert [item.label for item in found if item.kind == "condition"] == ["t.rider_id = r.no", "t.town = r.town"]
    assert [item.source for item in found[:2]] == ["joined so elsewhere", "same name"]


def test_join_conditions_of_quoted_aliases_and_of_wide_tables() -> None:
    columns = ", ".join(f"c{number} int" for number in range(1_500))
    ddl = f"CREATE TABLE trips ({columns}); CREATE TABLE riders ({columns});"
    started = time.perf_counter()
    found = ask("postgres", 'SELECT 1 FROM trips "T" JOIN riders r ON ¦', ddl).items
    assert time.perf_counter() - started < 3
    assert [item.text for item in found[:2]] == ['"T".c0 = r.c0', '"T".c1 = r.c1']


def test_long_words_before_the_cursor_cost_no_more_than_others() -> None:
    started = time.perf_counter()
    found = ask("postgres", f"SELECT {'a' * 60_000}, t.¦ FROM trips t", "CREATE TABLE trips (town text)").items
    ask("postgres", f"SELECT {'a' * 60_000}¦ FROM trips t", "CREATE TABLE trips (town text)")
    assert time.perf_counter() - started < 4
    assert [item.label for item in found] == ["town"]


def test_type_and_source_are_told() -> None:
    snapshot, offset = opened("bigquery", "SELECT s.k¦ FROM shop.trips t, UNNEST(t.stops) s")
    item = completions(snapshot, URI, offset).items[0]
    assert (item.label, item.detail, item.source) == ("km", "INT64", "shop.trips.stops[*].km")
    assert describe(snapshot, item.nodes) == "shop.trips.stops[*].km : INT64"


def test_a_name_is_quoted_where_it_has_to_be() -> None:
    ddl = 'CREATE TABLE t ("Odd Name" int, "Upper" int, plain int);'
    assert [item.text for item in ask("postgres", "SELECT x.¦ FROM t x", ddl).items] == [
        '"Odd Name"', '"Upper"', "plain"]  # fmt: skip


def test_the_word_at_the_cursor_is_what_is_replaced() -> None:
    sql = "SELECT t.ri¦der FROM shop.trips t"
    span = ask("bigquery", sql).span
    assert sql.replace("¦", "")[span.start : span.end] == "rider"


@pytest.mark.parametrize("sql", ["SELECT 'a ¦b' FROM shop.trips", "SELECT 1 -- hi ¦", "SELECT /* ¦ */ 1", "SELECT 1¦2"])
def test_nothing_in_strings_comments_and_numbers(sql: str) -> None:
    assert ask("bigquery", sql).items == ()


def test_keywords_come_last_and_in_the_case_that_is_typed() -> None:
    labels = [item.label for item in ask("bigquery", "SELECT id FROM shop.trips qual¦").items]
    assert labels == ["qualify"]
    assert "SELECT" in [item.label for item in ask("bigquery", "¦").items]


def test_nothing_is_proposed_in_an_unknown_document() -> None:
    snapshot, _ = opened("bigquery", "¦")
    assert completions(snapshot, "file:///nowhere.sql", 0) == Completions()
