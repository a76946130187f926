"""Edits: single ones by hand, and sequences that must end in the text an editor has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sql_lineage_ls.text.edits import apply_change
from sql_lineage_ls.text.line_index import Encoding, LineIndex

PIECES = st.text(alphabet=st.sampled_from("ab;\n\r\u2028\x0c😀é"), max_size=12)


@pytest.mark.parametrize(
    ("text", "start", "end", "new_text", "expected"),
    [
        ("", (0, 0), (0, 0), "SELECT 1", "SELECT 1"),
        ("SELECT a", (0, 7), (0, 8), "b", "SELECT b"),
        ("SELECT 😀, a", (0, 11), (0, 12), "b", "SELECT 😀, b"),
        ("a\r\nb\r\nc", (0, 1), (2, 0), "", "ac"),
        ("a\u2028b", (0, 2), (0, 3), "c", "a\u2028c"),
        ("a", (5, 0), (5, 0), "\nb", "a\nb"),
        ("abc", (0, 2), (0, 1), "-", "a-c"),
        ("a\n", (1, 0), (1, 0), "b", "a\nb"),
    ],
)
def test_one_change(text: str, start: tuple[int, int], end: tuple[int, int], new_text: str, expected: str) -> None:
    assert apply_change(text, LineIndex(text), start, end, new_text, "utf-16") == expected


def test_units_follow_the_encoding() -> None:
    text = "é😀x"
    index = LineIndex(text)
    assert apply_change(text, index, (0, 6), (0, 7), "y", "utf-8") == "é😀y"
    assert apply_change(text, index, (0, 3), (0, 4), "y", "utf-16") == "é😀y"
    assert apply_change(text, index, (0, 2), (0, 3), "y", "utf-32") == "é😀y"


@given(
    PIECES,
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), PIECES), max_size=8),
    st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_changes_one_by_one_end_in_the_text_of_the_editor(
    text: str, changes: list[tuple[int, int, str]], encoding: Encoding
) -> None:
    editor = text
    for at, length, new_text in changes:
        lines = LineIndex(text)
        start = min(at, len(editor))
        end = min(start + length, len(editor))
        # An editor has no cursor inside of a line end.
        start -= editor[max(start - 1, 0) : start + 1] == "\r\n"
        end -= editor[max(end - 1, 0) : end + 1] == "\r\n"
        start = min(start, end)
        text = apply_change(text, lines, lines.position(start, encoding), lines.position(end, encoding),
                            new_text, encoding)
        editor = editor[:start] + new_text + editor[end:]
        assert text == editor
    rebuilt = LineIndex(editor)
    assert LineIndex(text).line_count == rebuilt.line_count
