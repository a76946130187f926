"""Pieces of text and their brackets, in whole and in broken text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.pieces import groups_of, pieces_of

_WORDS = st.sampled_from(
    ["SELECT", "CASE", "END", "ARRAY", "STRUCT", "a.b", "'x;y'", "'", '"', "`q`", "(", ")", "[", "]", "{", "}", "<",
     ">", ";", "--c\n", "/*", "*/", "$$", "$t$", "q'[", "]'", "{{", "}}", "{% if x %}", "\\", "é😀", "\n", "\r\n", ","]
)  # fmt: skip


def shown(text: str, dialect: str) -> list[str]:
    return [text[piece.start : piece.end] for piece in pieces_of(text, DIALECTS[dialect])]


def grouped(text: str, dialect: str) -> list[str]:
    pieces = pieces_of(text, DIALECTS[dialect])
    return [text[pieces[group.first].start : pieces[group.last].end] for group in groups_of(text, pieces)]


@pytest.mark.parametrize(
    ("dialect", "text", "expected"),
    [
        ("bigquery", "f(a, 'b;') -- x", ["f", "(", "a", ",", "'b;'", ")", "-- x"]),
        ("postgres", "$$a;b$$ /* a /* b */ c */ d", ["$$a;b$$", "/* a /* b */ c */", "d"]),
        ("oracle", "q'[it's]' x", ["q'[it's]'", "x"]),
        ("tsql", "[a b].c", ["[a b]", ".", "c"]),
        ("trino", "'open FROM (t; -- x\nSELECT", ["'open FROM (t", ";", "-- x", "SELECT"]),
        ("ansi", "{{ f('}}') }}.t {% if a %}", ["{{ f('}}') }}", ".", "t", "{% if a %}"]),
    ],
)
def test_pieces(dialect: str, text: str, expected: list[str]) -> None:
    assert shown(text, dialect) == expected


def test_brackets_case_and_the_angles_of_types() -> None:
    text = "x ARRAY<STRUCT<a INT64>> (CASE WHEN a < b THEN (1) END)"
    assert grouped(text, "bigquery") == [
        "<STRUCT<a INT64>>", "<a INT64>", "(CASE WHEN a < b THEN (1) END)", "CASE WHEN a < b THEN (1) END", "(1)"
    ]  # fmt: skip


def test_a_bracket_that_never_closes_holds_nothing_up() -> None:
    assert grouped("SELECT (a FROM (b); f(c)", "spark") == ["(b)", "(c)"]
    assert grouped("(a [b) c]", "spark") == ["(a [b)"]


@settings(max_examples=150)
@given(st.lists(_WORDS, max_size=30), st.sampled_from(sorted(DIALECTS)), st.sampled_from(["", " "]))
def test_pieces_hold_all_that_is_no_blank(words: list[str], dialect: str, joint: str) -> None:
    text = joint.join(words)
    pieces = pieces_of(text, DIALECTS[dialect])
    end = 0
    for piece in pieces:
        assert piece.end > piece.start >= end
        assert not text[end : piece.start].strip()
        end = piece.end
    assert not text[end:].strip()
    spans = [(group.first, group.last) for group in groups_of(text, pieces)]
    assert all(first < last for first, last in spans)
    assert all(not one[0] < other[0] < one[1] < other[1] for one in spans for other in spans)


def test_what_nothing_closes_is_one_sign() -> None:
    assert shown("$a$ x $b$ {# y", "postgres") == ["$a$", "x", "$b$", "{#", "y"]
    assert shown("/* a /* b", "postgres") == ["/* a /* b"]


def test_brackets_of_other_kinds_between() -> None:
    assert grouped("( [ ) ]", "postgres") == ["( [ )"]
    assert grouped("CASE ( END )", "postgres") == ["( END )"]
    assert grouped("ARRAY<CASE x > 1 END>", "bigquery") == ["<CASE x >"]
