"""Lines and characters: exact values by hand, and the laws that hold for every text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sql_lineage_ls.text.line_index import Encoding, LineIndex

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(alphabet=st.sampled_from("ab;\n\r\t\u2028\u2029\x0b\x0c\x85\x1cé€😀𐐷\ufeff"), max_size=60)


def units(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32":
        return len(text)
    return len(text.encode(encoding + ("-le" if encoding == "utf-16" else ""))) // (2 if encoding == "utf-16" else 1)


def test_positions_of_plain_lines() -> None:
    index = LineIndex("SELECT qty\nFROM crates\n")
    assert index.line_count == 3
    assert [index.position(offset) for offset in (0, 10, 11, 15, 22, 23)] == [
        (0, 0), (0, 10), (1, 0), (1, 4), (1, 11), (2, 0),
    ]


def test_only_newline_and_carriage_return_end_a_line() -> None:
    text = "a\u2028b\x0bc\x0cd\x85e\u2029f\x1cg\nh\r\ni\rj"
    index = LineIndex(text)
    assert index.line_count == 4
    assert index.position(text.index("g")) == (0, 12)
    assert index.position(text.index("h")) == (1, 0)
    assert index.position(text.index("i")) == (2, 0)
    assert index.position(text.index("j")) == (3, 0)


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 14), ("utf-16", 11), ("utf-32", 10)])
def test_characters_behind_an_emoji_and_an_accent(encoding: Encoding, character: int) -> None:
    text = "x;\r\nSELECT 😀é, qty"
    at = text.index(", qty") + 1
    index = LineIndex(text)
    assert index.position(at, encoding) == (1, character)
    assert index.offset(1, character, encoding) == at


def test_empty_document() -> None:
    index = LineIndex("")
    assert index.line_count == 1
    assert index.position(0) == (0, 0)
    assert index.position(7) == (0, 0)
    assert index.offset(0, 0) == 0
    assert index.offset(3, 9) == 0
    assert index.line_end(0) == 0


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_outside_are_clamped(encoding: Encoding) -> None:
    index = LineIndex("ab\r\ncdé")
    assert index.offset(0, 99, encoding) == 2
    assert index.offset(1, 99, encoding) == 7
    assert index.offset(2, 0, encoding) == 7
    assert index.offset(99, 99, encoding) == 7
    assert index.offset(-1, 5, encoding) == 0
    assert index.offset(1, -5, encoding) == 4
    assert index.position(-4, encoding) == (0, 0)
    assert index.position(99, encoding) == index.position(7, encoding)


def test_position_inside_of_a_code_point_is_rounded_down() -> None:
    index = LineIndex("a😀b")
    assert [index.offset(0, character, "utf-16") for character in range(6)] == [0, 1, 1, 2, 3, 3]
    assert [index.offset(0, character, "utf-8") for character in range(8)] == [0, 1, 1, 1, 1, 2, 3, 3]
    assert [LineIndex("é").offset(0, character, "utf-8") for character in range(3)] == [0, 0, 1]


def test_offset_between_carriage_return_and_newline_is_the_end_of_the_line() -> None:
    index = LineIndex("ab\r\ncd")
    assert index.position(3) == (0, 2)


def test_line_bounds() -> None:
    index = LineIndex("ab\r\n\rc\n\nd")
    assert [(index.line_start(line), index.line_end(line)) for line in range(5)] == [
        (0, 2), (4, 4), (5, 6), (7, 7), (8, 9),
    ]


def test_lone_surrogate_does_not_raise() -> None:
    text = "a\ud83d b"
    index = LineIndex(text)
    for encoding in ENCODINGS:
        assert index.offset(*index.position(3, encoding), encoding) == 3


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_every_offset_survives_the_round_trip(text: str, encoding: Encoding) -> None:
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        inside = text[max(offset - 1, 0) : offset + 1] == "\r\n"
        assert index.offset(*index.position(offset, encoding), encoding) == (offset - 1 if inside else offset)


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_positions_agree_with_counting_by_hand(text: str, encoding: Encoding) -> None:
    index = LineIndex(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert index.line_count == len(lines)
    for number, line in enumerate(lines):
        start = index.line_start(number)
        assert text[start : index.line_end(number)] == line
        for character in range(len(line) + 1):
            assert index.position(start + character, encoding) == (number, units(line[:character], encoding))


@given(TEXTS, st.integers(-2, 12), st.integers(-2, 80), st.sampled_from(ENCODINGS))
def test_offset_is_the_last_place_that_is_not_behind(text: str, line: int, character: int, encoding: Encoding) -> None:
    index = LineIndex(text)
    offset = index.offset(line, character, encoding)
    assert 0 <= offset <= len(text)
    if 0 <= line < index.line_count:
        start, end = index.line_start(line), index.line_end(line)
        fitting = [at for at in range(start, end + 1) if units(text[start:at], encoding) <= max(character, 0)]
        assert offset == fitting[-1]


def test_a_megabyte_is_indexed_in_a_moment_and_asked_in_less() -> None:
    text = "SELECT customer.address.city FROM orders_raw -- é\r\n" * 20_000
    began = time.process_time()
    index = LineIndex(text)
    built = time.process_time() - began
    began = time.process_time()
    for line in range(0, 20_000, 20):
        index.offset(line, 12)
        index.position(line * 51)
    asked = time.process_time() - began
    assert built < 0.2
    assert asked < 0.1
