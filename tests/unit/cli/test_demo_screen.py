"""What the demo prints, without a terminal."""

from __future__ import annotations

import io

import pytest

from sql_lineage_ls.cli.screen import Screen, Target


def test_a_code_line_with_its_hover() -> None:
    stream = io.StringIO()
    screen = Screen(stream)
    screen.title("A title")
    screen.place("a/b.sql", 12)
    screen.code(12, "SELECT a.b FROM t")
    screen.mark(9, 10, "cyan")
    screen.hover("```sql\na.b : INT64\n```\n\nfrom [`t.a.b`](file:///t.sql#L1)  \nused in 2\\*3 places")
    assert stream.getvalue().split("\n") == [
        "",
        "A title",
        "       a/b.sql:12",
        "   12 │ SELECT a.b FROM t",
        "      │          ^",
        "      ┃ a.b : INT64",
        "      ┃ from t.a.b",
        "      ┃ used in 2*3 places",
        "",
    ]


def test_findings_jumps_and_lenses() -> None:
    stream = io.StringIO()
    screen = Screen(stream)
    screen.lens(2, "3 downstream uses")
    screen.finding(2, "orphan-column", "nobody owns `x`")
    screen.jump("go to definition", [Target("t.sql", 4, 5, "    city STRING,", 4, 8), Target("gone.sql", 1, 1)])
    assert stream.getvalue().split("\n") == [
        "      │   3 downstream uses",
        "      ┃ warning[orphan-column] nobody owns `x`",
        "      ┃ go to definition → t.sql:4:5 city STRING,",
        "      ┃ go to definition → gone.sql:1:1",
        "",
    ]


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    plain, coloured = io.StringIO(), Terminal()
    for stream in (plain, coloured):
        Screen(stream).jump("go", [Target("t.sql", 1, 1, "x", 0, 1)])
    assert "\x1b[" not in plain.getvalue()
    assert "\x1b[" in coloured.getvalue()
