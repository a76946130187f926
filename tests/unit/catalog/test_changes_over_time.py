# ruff: noqa: E501
"""Replacing documents: equal to a catalog made anew, cheap, and with fingerprints that only meaning moves."""

from __future__ import annotations

from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sql_lineage_ls.catalog.catalog import Catalog, Definition
from sql_lineage_ls.syntax.query_model import CreateTable
from tests.unit.catalog.ddl_files import catalog_of, definitions, find

BASE = "CREATE TABLE t (a int, s STRUCT<x: int>)"


def fingerprint(sql: str, dialect: str = "spark") -> str:
    entry = find(catalog_of(sql, dialect=dialect), "t", dialect)
    assert entry is not None
    return entry.relation.fingerprint


@pytest.mark.parametrize(
    "same",
    [
        "CREATE TABLE t (\n  a int, -- the first\n  s STRUCT< x : int >)",
        "CREATE TABLE t (a int COMMENT 'x', s STRUCT<x: int COMMENT 'y'>) COMMENT 'z'",
        "/* c */ CREATE TABLE IF NOT EXISTS t (a int NOT NULL, s STRUCT<x: int>) USING delta",
    ],
)
def test_comments_and_blanks_move_no_fingerprint(same: str) -> None:
    assert fingerprint(same) == fingerprint(BASE)


@pytest.mark.parametrize(
    "other",
    [
        "CREATE TABLE t (A int, s STRUCT<x: int>)",
        "CREATE TABLE t (a bigint, s STRUCT<x: int>)",
        "CREATE TABLE t (s STRUCT<x: int>, a int)",
        "CREATE TABLE t (a int, s STRUCT<x: int, y: int>)",
        "CREATE TABLE t (a int, s ARRAY<STRUCT<x: int>>)",
        "CREATE TABLE t (a int)",
        "CREATE TABLE t (a int, s STRUCT<x: int>",
        "CREATE TABLE T (a int, s STRUCT<x: int>)",
    ],
)
def test_meaning_moves_the_fingerprint(other: str) -> None:
    assert fingerprint(other) != fingerprint(BASE)


def test_fingerprints_are_sixteen_hexadecimal_digits() -> None:
    assert len(fingerprint(BASE)) == 16
    int(fingerprint(BASE), 16)


CONTENTS = [
    "",
    "CREATE TABLE t (a int)",
    "CREATE TABLE t (a int, u u_t)",
    "CREATE TABLE s.t (b int); DROP TABLE s.t; CREATE TABLE s.t (LIKE t)",
    "CREATE TYPE u_t AS (x int)",
    "CREATE TYPE u_t AS (y int, z v_t); CREATE TYPE v_t AS (q int)",
    "ALTER TABLE t ADD COLUMN c int",
    "ALTER TABLE t RENAME TO w",
    "CREATE TABLE w (LIKE t, k int); CREATE TEMP TABLE t (m int)",
    "CREATE VIEW w AS SELECT 1 AS a",
    "CREATE TABLE t (a text) INHERITS (w)",
]
EDITS = st.lists(st.tuples(st.sampled_from(["a.sql", "b.sql", "c.sql"]), st.sampled_from(CONTENTS)), max_size=12)


@given(edits=EDITS, asked=st.lists(st.sampled_from(["t", "s.t", "w", "x.w"]), max_size=6))
@settings(max_examples=150, deadline=None)
def test_incremental_equals_rebuilt(edits: list[tuple[str, str]], asked: list[str]) -> None:
    catalog = Catalog()
    files: dict[str, str] = {}
    for uri, content in edits:
        catalog = catalog.replace_file(uri, definitions(uri, content))
        files[uri] = content
        for name in asked:  # fills what is kept
            find(catalog, name)
    rebuilt = Catalog()
    for uri, content in sorted(files.items(), reverse=True):
        rebuilt = rebuilt.replace_file(uri, definitions(uri, content))
    assert catalog.entries() == rebuilt.entries()
    for uri, content in files.items():
        assert catalog.definitions(uri) == definitions(uri, content)


def test_an_old_catalog_stays_as_it_was() -> None:
    old = catalog_of("CREATE TABLE t (a int)")
    before = old.entries()
    new = old.replace_file("f0.sql", definitions("f0.sql", "CREATE TABLE u (b int)"))
    assert old.entries() == before
    assert find(old, "u") is None
    assert find(new, "t") is None


def test_untouched_entries_are_shared() -> None:
    catalog = catalog_of("CREATE TABLE t (a int)", "CREATE TABLE u (b int)")
    kept = find(catalog, "t")
    after = catalog.replace_file("f1.sql", definitions("f1.sql", "CREATE TABLE u (c int)"))
    assert find(after, "t") is kept


def test_equal_definitions_change_nothing() -> None:
    catalog = catalog_of("CREATE TABLE t (a int)")
    entries = catalog.entries()
    same = catalog.replace_file("f0.sql", definitions("f0.sql", "CREATE TABLE t (a int)"))
    assert same.entries() is entries


def test_a_document_is_replaced_quickly_among_five_thousand() -> None:
    catalog = Catalog()
    parsed = [
        definitions(f"f{n}.sql", f"CREATE TABLE s{n % 50}.t{n} (id INT64, s STRUCT<x INT64, y ARRAY<INT64>>)", "bigquery")
        for n in range(500)
    ]
    for n in range(5_000):
        catalog = catalog.replace_file(f"f{n}.sql", tuple(_moved(one, n) for one in parsed[n % 500]))
    assert len(catalog.entries()) == 5_000
    best = 1.0
    for round_ in range(5):
        changed = definitions("f7.sql", f"CREATE TABLE s7.t7 (id INT64, c{round_} INT64)", "bigquery")
        start = perf_counter()
        catalog = catalog.replace_file("f7.sql", changed)
        best = min(best, perf_counter() - start)
        entry = find(catalog, "s7.t7", "bigquery")
        assert entry is not None
        assert entry.relation.columns[1].name == f"c{round_}"
    assert best < 0.02  # 5 ms on a quiet machine


def _moved(definition: Definition, number: int) -> Definition:
    """The same definition under another name and in another document."""
    model = definition.model
    assert isinstance(model, CreateTable)
    schema, table = model.name
    return replace(
        definition,
        uri=f"f{number}.sql",
        model=replace(model, name=(schema, replace(table, text=f"t{number}"))),
    )
