from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sql_lineage_ls.lineage.model import Edge, Occurrence, Problem, Read, Source, StatementLineage
from sql_lineage_ls.workspace.stale import find_shift, move_lineage


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("SELECT a.b FROM t", "SELECT a. FROM t", ["SELECT", "a", "FROM", "t"]),
        ("SELECT city FROM t", "SELECT cities FROM t", ["SELECT", "FROM", "t"]),
        ("SELECT a FROM t", "SELECT a FROM t WHERE x.", ["SELECT", "a", "FROM", "t"]),
        ("SELECT a FROM t", "SELECT a FROM tt WHERE x.", ["SELECT", "a", "FROM"]),
        ("SELECT a, b FROM t", "SELECT a, FROM t", ["SELECT", "a", "FROM", "t"]),
        ("aaa aaa", "aaa", ["aaa"]),
        ("same", "same", ["same"]),
    ],
)
def test_words_that_the_edit_left_alone_keep_their_text(old: str, new: str, kept: list[str]) -> None:
    shift = find_shift(old, new)
    found = []
    at = 0
    for word in old.split():
        for part in word.replace(".", " ").replace(",", " ").split():
            at = old.index(part, at)
            moved = shift.move(at, at + len(part))
            if moved is not None:
                assert new[slice(*moved)] == part
                found.append(part)
            at += len(part)
    assert found == kept


@given(st.text("ab ._é🚢"), st.text("ab ._é🚢"), st.text("ab .", max_size=4), st.text("ab .", max_size=4))
def test_a_moved_span_has_its_old_text(before: str, after: str, old_middle: str, new_middle: str) -> None:
    old, new = before + old_middle + after, before + new_middle + after
    shift = find_shift(old, new)
    for start in range(len(old)):
        for end in range(start + 1, len(old) + 1):
            moved = shift.move(start, end)
            if moved is not None:
                assert new[slice(*moved)] == old[start:end]


def test_what_is_left_is_measured_against_the_longer_text() -> None:
    assert find_shift("abcd efgh", "abcd efgh").kept == 1.0
    assert find_shift("abc def", "zzz zzz").kept < 0.5


def test_lineage_moves_and_drops_what_the_edit_touched() -> None:
    old, new = "SELECT k, city FROM t", "SELECT k, x. FROM t"
    lineage = StatementLineage(
        "query",
        edges=(Edge("", ("k",), (Source("t", ("k",)),), start=7, end=8), Edge("", ("city",), start=10, end=14)),
        reads=(Read("t", ("k",), 7, 8), Read("t", ("city",), 10, 14), Read("t", (), 20, 21), Read("t", ("z",), -1, -1)),
        problems=(Problem("undeclared-column", "", 10, 14),),
        occurrences=(
            Occurrence(7, 8, "column", "k", definitions=((20, 21), (10, 14)), expression=(7, 8)),
            Occurrence(10, 14, "column", "city"),
            Occurrence(20, 21, "relation", "t", expression=(10, 14)),
        ),
    )
    moved = move_lineage(lineage, find_shift(old, new))
    assert [(edge.path, edge.start, edge.end) for edge in moved.edges] == [(("k",), 7, 8), (("city",), -1, -1)]
    assert [(read.path, read.start) for read in moved.reads] == [(("k",), 7), ((), 18), (("z",), -1)]
    assert moved.problems == ()
    assert [(found.name, found.start, found.definitions, found.expression) for found in moved.occurrences] == [
        ("k", 7, ((18, 19),), (7, 8)),
        ("t", 18, (), (-1, -1)),
    ]
