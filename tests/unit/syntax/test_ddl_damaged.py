"""Broken DDL: nothing raises, what was read stands, and what may be missing is said to be open."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields as struct_fields

from sql_lineage_ls.syntax.ddl import read_ddl
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.query_model import CreateTable
from sql_lineage_ls.syntax.tokens import tokenize
from tests.unit.syntax.ddl_reading import columns, names_in, read
from tests.unit.syntax.test_ddl_tables import CASES
from tests.unit.syntax.test_ddl_types_and_alters import ALTERS
from tests.unit.syntax.test_ddl_views import QUERIES, VIEWS

STATEMENTS = (
    [(case.values[0], case.values[1]) for case in CASES]
    + [(dialect, sql) for dialect, sql, _ in ALTERS]
    + [(dialect, sql) for dialect, sql, *_ in VIEWS]
    + QUERIES
    + [
        ("oracle", "CREATE TYPE b AS OBJECT (a NUMBER(3), MEMBER FUNCTION f RETURN NUMBER) NOT FINAL"),
        ("oracle", "CREATE TYPE v AS VARRAY(10) OF (NUMBER(9))"),
        ("tsql", "CREATE TYPE dbo.r AS TABLE (id INT NOT NULL, PRIMARY KEY (id))"),
        ("snowflake", "CREATE TABLE IDENTIFIER('a.b') (x INT) LOCATION = @a/b PARTITION BY (x)"),
        ("postgres", "SET search_path TO a, b"),
        ("mysql", "RENAME TABLE a TO b, c TO d"),
        ("postgres", "DROP TABLE IF EXISTS a.b, c CASCADE"),
    ]
)


@pytest.mark.parametrize(("dialect", "sql"), STATEMENTS)
def test_cut_behind_every_token(dialect: str, sql: str) -> None:
    rules = DIALECTS[dialect]
    tokens = tokenize(sql, rules)
    for count in range(len(tokens) + 1):
        cut = tokens[:count]
        text = sql[: cut[-1].end + 1] if cut else ""
        model = read_ddl(text, cut, rules)
        for name in names_in(model):
            assert -1 <= name.start <= name.end <= len(text)


@given(
    statement=st.sampled_from(STATEMENTS),
    drops=st.lists(st.integers(0, 200), max_size=6),
    swaps=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_damaged_token_lists_never_raise(
    statement: tuple[str, str], drops: list[int], swaps: list[tuple[int, int]]
) -> None:
    dialect, sql = statement
    rules = DIALECTS[dialect]
    tokens = tokenize(sql, rules)
    for one, two in swaps:
        i, j = one % len(tokens), two % len(tokens)
        tokens[i], tokens[j] = tokens[j], tokens[i]
    for drop in drops:
        if len(tokens) > 1:
            del tokens[drop % len(tokens)]
    read_ddl(sql, tokens, rules)


def test_an_unclosed_column_list_is_open() -> None:
    reading = read("CREATE TABLE t (a INT64, b STRUCT<c INT64, d", "bigquery")
    assert isinstance(reading.statement, CreateTable)
    assert columns(reading.statement.columns) == ["a INT64", "b {c:INT64, -:?d}"]
    assert reading.statement.open
    assert reading.partial
    assert [issue.message for issue in reading.issues] == [
        "This type is not closed: '>' is missing.",
        "The column list is not closed: ')' is missing.",
    ]


def test_a_type_without_its_bracket_does_not_swallow_the_next_column() -> None:
    reading = read("CREATE TABLE t (a STRUCT<x INT64) OPTIONS(y=1)", "bigquery")
    assert columns(reading.statement.columns) == ["a {x:INT64}"]
    assert reading.partial


def test_a_statement_without_a_name_says_so() -> None:
    reading = read("CREATE TABLE", "postgres")
    assert reading.statement is None
    assert [issue.message for issue in reading.issues] == ["CREATE TABLE names no table."]


@pytest.mark.parametrize("depth", [140, 5_000])
def test_depth(depth: int) -> None:
    sql = f"CREATE TABLE t (a {'STRUCT<x ' * depth}INT64{'>' * depth})"
    reading = read(sql, "bigquery")
    assert reading.partial == (depth > 150)
    assert [column.name.text for column in reading.statement.columns] == ["a"]


_BLANKS = st.sampled_from([" ", "\n", "\t ", " /* a, ( b */ ", " -- it's c)\n", "\r\n"])


# The tokenizer takes all that follows RENAME for one string, so that its blanks cannot be told.
@given(statement=st.sampled_from([one for one in STATEMENTS if not one[1].startswith("RENAME")]), data=st.data())
@settings(max_examples=150, deadline=None)
def test_comments_and_blanks_change_nothing_but_places(statement: tuple[str, str], data: st.DataObject) -> None:
    dialect, sql = statement
    rules = DIALECTS[dialect]
    tokens = [token for token in tokenize(sql, rules) if token.text]  # Athena has one without
    text = sql[: tokens[0].end + 1]
    for before, after in pairwise(tokens):
        gap = sql[before.end + 1 : after.start]
        text += (data.draw(_BLANKS) if gap else "") + sql[after.start : after.end + 1]
    assert _without_places(read(text, dialect)) == _without_places(read(sql, dialect))


def _without_places(value: object) -> object:
    """A model without its offsets."""
    if isinstance(value, Struct):
        return (
            type(value).__name__,
            *(
                _without_places(getattr(value, field.name))
                for field in struct_fields(value)
                if field.name not in ("start", "end", "location_start", "location_end")
            ),
        )
    return tuple(_without_places(item) for item in value) if isinstance(value, tuple) else value
