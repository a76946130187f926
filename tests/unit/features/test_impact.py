"""The impact of a change: everything downstream, grouped by what it goes into."""

from __future__ import annotations

import pytest

from sql_lineage_ls.features.impact import impact, named_nodes, node_name
from tests.support import product

QUERY = "file:///w/query.sql"
OTHER = "file:///w/other.sql"
TABLES = "file:///w/tables.sql"
DDL = {
    "bigquery": "CREATE TABLE ships (id INT64, master STRUCT<name STRING, home STRUCT<city STRING>>);",
    "trino": "CREATE TABLE ships (id bigint, master row(name varchar, home row(city varchar)));",
    "spark": "CREATE TABLE ships (id BIGINT, master STRUCT<name: STRING, home: STRUCT<city: STRING>>);",
    "snowflake": "CREATE TABLE ships (id NUMBER, master OBJECT(name VARCHAR, home OBJECT(city VARCHAR)));",
    "postgres": "CREATE TYPE place AS (city text); CREATE TYPE person AS (name text, home place); "
    "CREATE TABLE ships (id int, master person);",
}
PATH = {"snowflake": "master:home.city", "postgres": "((master).home).city"}


def groups(dialect: str, sql: str, offset: int) -> list[tuple[str, list[str]]] | None:
    """Each group's name, and the words that its uses are, with their files."""
    files = {QUERY: sql, OTHER: "SELECT town FROM towns; SELECT id FROM ships;", TABLES: DDL[dialect]}
    snapshot = product.open_files(files, dialect)
    found = impact(snapshot, QUERY, offset)
    if found is None:
        return None
    assert all(group.place is not None for group in found.groups if group.name)
    return [
        (group.name, [
            f"{use.span.uri[10:]} {files[use.span.uri][use.span.start : use.span.end]}" for use in group.uses
        ])
        for group in found.groups
    ]


@pytest.mark.parametrize("dialect", DDL)
def test_uses_through_views_in_groups(dialect: str) -> None:
    sql = f"CREATE VIEW towns AS SELECT {PATH.get(dialect, 'master.home.city')} AS town FROM ships;"
    for offset in (sql.index("city"), sql.index("city") + 3, sql.index("city") + 4):
        assert groups(dialect, sql, offset) == [
            ("towns", ["query.sql city"]),
            ("", ["other.sql town"]),
        ]


def test_nothing_stored_has_no_impact() -> None:
    assert groups("bigquery", "SELECT 1 AS one", 12) is None
    assert groups("bigquery", "SELECT 1 AS one", 2) is None


def test_a_relation_is_used_where_it_is_named() -> None:
    sql = "SELECT id, master FROM ships;"
    assert groups("trino", sql, sql.index("ships")) == [("", ["other.sql ships"]), ("", ["query.sql ships"])]


def test_paths_are_those_of_the_source() -> None:
    sql = "WITH c AS (SELECT master.home AS h FROM ships) SELECT c.h.city FROM c"
    snapshot = product.open_files({QUERY: sql, TABLES: DDL["bigquery"]}, "bigquery")
    found = named_nodes(snapshot, QUERY, sql.index("city"))
    assert [node_name(snapshot, node) for node in found] == ["ships.master.home.city"]
