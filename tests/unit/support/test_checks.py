"""A wrong expectation must fail, whatever it is about, and an update must mend texts only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checks import check_fixture, updated
from tests.support.fixture import read_fixture

_PATH = Path("case.sql")

_RIGHT = """\
--# dialect: bigquery
CREATE TABLE buses (
--           ^^^^^ lens: 1 downstream use
  line STRING,
--^^^^ @line
--^^^^ lens: no downstream use
  door STRUCT<
--^^^^ @door
--^^^^ lens: 1 downstream use
    width INT64>
--  ^^^^^ @width
--  ^^^^^ lens: 1 downstream use
);
CREATE VIEW doors AS
--          ^^^^^ lens: no downstream use
SELECT
-- <^^^^^^ hover: (none)
  door.width AS wide,
--     ^^^^^ hover: door.width : INT64
--     ^^^^^ definition: @width
--     ^^^^^ declaration: @width
--              ^^^^ lens: no downstream use
  dor AS x
--^^^ {problem}
--       ^ lens: no downstream use
FROM buses;
--- @nodes
table buses: line, door, door.width
view doors: wide, x
--- @edges
doors.wide <- buses.door.width
"""


def _problem() -> str:
    """The diagnostic of `dor`, as the product words it."""
    text = _RIGHT.format(problem="error[undeclared-column]: ?")
    mended = updated(fixture := read_fixture(_PATH, text), check_fixture(fixture))
    (line,) = [line for line in mended.split("\n") if "[undeclared-column]" in line]
    return line[line.index("^^^ ") + 4 :]


@pytest.fixture(scope="module")
def right() -> str:
    return _RIGHT.format(problem=_problem())


def _messages(text: str) -> list[str]:
    return [failure.message for failure in check_fixture(read_fixture(_PATH, text))]


def test_the_right_expectations_pass(right: str) -> None:
    assert _messages(right) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("hover: door.width : INT64", "hover: door.width : STRING", "hover is"),
        ("hover: door.width : INT64", "hover: (none)", "hover is"),
        ("hover: (none)", "hover: buses", "hover is '(none)'"),
        ("definition: @width", "definition: @door", "definition is @width"),
        ("definition: @width", "definition: @width @door", "definition is @width"),
        ("definition: @width", "definition: (none)", "definition is @width"),
        ("declaration: @width", "declaration: @line", "declaration is @width"),
        ("definition: @width", "definition: @height", "no label '@height'"),
        ("lens: 1 downstream use\n  line", "lens: 2 downstream uses\n  line", "is '1 downstream use'"),
        ("--^^^^ lens: no downstream use\n", "", "not expected: lens"),
        ("--          ^^^^^ lens: no downstream use\n", "", "not expected: lens"),
        ("buses.door.width\n", "buses.door\n", "@edges is"),
        ("door, door.width", "door", "@nodes is"),
        ("view doors: wide, x", "table doors: wide, x", "@nodes is"),
    ],
)
def test_a_wrong_expectation_fails(right: str, old: str, new: str, message: str) -> None:
    assert old in right
    assert message in "\n".join(_messages(right.replace(old, new)))


def test_a_diagnostic_that_is_not_expected_fails(right: str) -> None:
    lines = [line for line in right.split("\n") if "[undeclared-column]" not in line]
    assert "not expected: error[undeclared-column]" in "\n".join(_messages("\n".join(lines)))


def test_a_diagnostic_that_is_not_there_fails(right: str) -> None:
    wrong = right.replace("^^^ error[undeclared-column]", "^^^ warning[undeclared-column]")
    assert "not found" in "\n".join(_messages(wrong))


def test_a_mark_on_another_token_fails(right: str) -> None:
    wrong = right.replace("--     ^^^^^ hover: ", "--^^^^ hover: ")
    assert "hover is" in "\n".join(_messages(wrong))


def test_an_update_mends_texts_and_sections_but_no_marks(right: str) -> None:
    wrong = (
        right.replace("hover: door.width : INT64", "hover: nothing")
        .replace("definition: @width", "definition: @door")
        .replace("buses.door.width\n", "buses.line\n")
        .replace("--          ^^^^^ lens: no downstream use\n", "")
    )
    fixture = read_fixture(_PATH, wrong)
    mended = updated(fixture, check_fixture(fixture))
    assert "definition: @width" in mended
    assert "doors.wide <- buses.door.width" in mended
    assert "hover: door.width : INT64\n-- | " in mended
    (left,) = _messages(mended)
    assert "not expected: lens" in left


def test_each_dialect_of_a_fixture_is_checked() -> None:
    text = "--# dialects: bigquery, spark\nSELECT a.b AS c FROM t;\n--- @edges\nRS-1.c <- t.a\n"
    messages = _messages(text)
    assert [message.split("]")[0] for message in messages] == ["[bigquery", "[spark"]
