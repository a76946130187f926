"""The fixture harness itself: a mark that is out of place, or an expectation that is wrong, must not pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checks import normal_line
from tests.support.fixture import (
    FixtureError,
    Label,
    apply_rewrites,
    read_fixture,
    rewrite_section,
    rewrite_text,
)

_PATH = Path("case.sql")

_WHOLE = """\
--# dialect: trino
--- ddl/a.sql
CREATE TABLE buses (seats INT, doors INT);
--                  ^^^^^ @seats
--                             ^^^^^ @doors @exits
--- b.sql
SELECT seats, windows FROM buses;
--     ^^^^^ hover: buses.seats
-- | INT
--     ^^^^^ definition: @seats
--            ^^^^^^^ warning[undeclared-column]: no column
-- <^^^^^^ hover: (none)
--- @edges
RS-1.seats <- buses.seats

--- @nodes
"""


def _error(text: str) -> str:
    with pytest.raises(FixtureError) as error:
        read_fixture(_PATH, text)
    return str(error.value)


def test_reads_files_options_labels_marks_and_sections() -> None:
    fixture = read_fixture(_PATH, _WHOLE)
    assert fixture.options == {"dialect": "trino"}
    assert [file.path for file in fixture.files] == ["ddl/a.sql", "b.sql"]
    ddl, query = fixture.files
    assert ddl.text.startswith("CREATE TABLE buses")
    assert ddl.text.endswith("@exits\n")
    at = ddl.text.index("seats")
    assert fixture.labels["seats"] == Label("file:///fixture/ddl/a.sql", at, at + 5)
    assert fixture.labels["doors"] == fixture.labels["exits"]
    assert fixture.label_at(ddl.uri, at, at + 5) == "seats"
    assert fixture.label_at(ddl.uri, at, at + 4) is None
    hover, definition, warning, none = query.expectations
    assert (hover.kind, hover.text, query.text[hover.start : hover.end]) == ("hover", "buses.seats\nINT", "seats")
    assert (definition.kind, definition.text) == ("definition", "@seats")
    assert (warning.kind, warning.code, query.text[warning.start : warning.end]) == (
        "warning",
        "undeclared-column",
        "windows",
    )
    assert (none.start, none.end, none.text) == (0, 6, "(none)")
    assert fixture.sections["edges"].lines == ("RS-1.seats <- buses.seats",)
    assert fixture.sections["nodes"].lines == ()


def test_text_without_a_header_is_one_file() -> None:
    fixture = read_fixture(_PATH, "--# dialect: hive\nSELECT a\nFROM t;\n--   ^ hover: t")
    (file,) = fixture.files
    assert file.path == "main.sql"
    assert file.text == "SELECT a\nFROM t;\n--   ^ hover: t"
    assert file.text[file.expectations[0].start] == "t"


def test_offsets_are_code_points_behind_an_emoji() -> None:
    fixture = read_fixture(_PATH, "SELECT '🚌', seats FROM buses;\n--          ^^^^^ hover: buses.seats\n")
    (file,) = fixture.files
    (hover,) = file.expectations
    assert file.text[hover.start : hover.end] == "seats"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT a\n--         ^^^ hover: x\n", "longer than its line"),
        ("SELECT seats\n--      ^^^^ hover: x\n", "cuts a word"),
        ("SELECT seats\n--     ^^^^ hover: x\n", "cuts a word"),
        ("SELECT a, b\n--     ^^^ hover: x\n", "begins or ends with a blank"),
        ("\n--- a.sql\n-- ^ hover: x\n", "without a code line"),
        ("SELECT a\n\n--     ^ hover: x\n", "without a code line"),
        ("SELECT a\n--     ^\n", "expects nothing"),
        ("SELECT a\n--     ^ hoover: x\n", "cannot read 'hoover: x'"),
        ("SELECT a\n--     ^ warning: x\n", "belongs to diagnostics"),
        ("SELECT a\n--     ^ hover[a]: x\n", "belongs to diagnostics"),
        ("SELECT a\n--     ^ @one\n--     ^ @one\n", "a second label '@one'"),
        ("--- a.sql\nSELECT a\n--- a.sql\n", "a second file 'a.sql'"),
        ("SELECT a\n--- @edges\n--- @edges\n", "a second section '@edges'"),
        ("SELECT a\n-- | more\n", "nothing above to continue"),
        ("SELECT a\n--     ^ hover: x\nFROM t\n-- | more\n", "nothing above to continue"),
        ("--- a.sql\n--# dialect: hive\n", "options stand at the top"),
    ],
)
def test_a_fixture_that_is_not_well_formed_is_an_error(text: str, message: str) -> None:
    assert message in _error(text)


def test_an_error_names_its_line() -> None:
    assert _error("SELECT a\n--     ^\n").startswith("case.sql:2: ")


def test_rewrites_change_texts_and_sections_and_leave_marks_alone() -> None:
    fixture = read_fixture(_PATH, _WHOLE)
    query = fixture.files[1]
    hover, _, warning, _ = query.expectations
    text = apply_rewrites(
        fixture,
        [
            rewrite_text(fixture, hover, "a\nb\n\nc"),
            rewrite_text(fixture, warning, "no column `windows`"),
            rewrite_section(fixture, "edges", ("x.y <- z.a", "x.z <- z.b")),
            rewrite_section(fixture, "nodes", ("table z: a",)),
        ],
    )
    changed = read_fixture(_PATH, text)
    new_hover, _, new_warning, none = changed.files[1].expectations
    assert (new_hover.text, new_hover.start, new_hover.end) == ("a\nb\n\nc", hover.start, hover.end)
    assert new_warning.text == "no column `windows`"
    assert none.text == "(none)"
    assert changed.sections["edges"].lines == ("x.y <- z.a", "x.z <- z.b")
    assert changed.sections["nodes"].lines == ("table z: a",)
    assert changed.labels == fixture.labels


@pytest.mark.parametrize(
    ("line", "normal"),
    [
        ("v.a <- t.c t.b", "v.a <- t.b t.c"),
        ("v.a <~ t.c t.b", "v.a <~ t.b t.c"),
        ("v.a <- 's3://a b/'.x t.b", "v.a <- 's3://a b/'.x t.b"),
        ("table t: c, a.b, a", "table t: a, a.b, c"),
        ("table t: ", "table t: "),
        ("message: a, b", "message: a, b"),
    ],
)
def test_lines_without_order_compare_without_order(line: str, normal: str) -> None:
    assert normal_line(line) == normal
