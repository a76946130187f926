"""How a hover is written in Markdown and in plain text."""

from __future__ import annotations

import pytest

from sql_lineage_ls.features.results import Code, HoverInfo, Words
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import FileSpan

TARGET = FileSpan("file:///w/t.sql", 4, 8)


def link(span: FileSpan) -> str:
    return f"{span.uri}#{span.start}"


def test_markdown_has_a_sql_block_then_one_line_each() -> None:
    info = HoverInfo(
        Span(0, 3),
        "a.b : INT64",
        ((Words("from "), Code("t.b", TARGET), Words(", "), Code("t.c")), (Words("used in 2 places"),)),
    )
    assert info.present("markdown", link) == (
        "```sql\na.b : INT64\n```\n\nfrom [`t.b`](file:///w/t.sql#4), `t.c`  \nused in 2 places"
    )


def test_without_a_link_function_nothing_links() -> None:
    info = HoverInfo(Span(0, 3), "a", ((Code("t.b", TARGET),),))
    assert info.present("markdown") == "```sql\na\n```\n\n`t.b`"


def test_plain_text_has_no_markup() -> None:
    info = HoverInfo(Span(0, 3), "a : INT64", ((Words("from "), Code("t.items[*].b", TARGET)),))
    assert info.present("plaintext", link) == "a : INT64\nfrom t.items[*].b"


@pytest.mark.parametrize(
    ("words", "markdown"),
    [
        ("a_b*c", r"a\_b\*c"),
        ("[x](y)", r"\[x\](y)"),
        ("<script>", r"\<script\>"),
        ("`q`", r"\`q\`"),
    ],
)
def test_prose_is_never_markup(words: str, markdown: str) -> None:
    assert HoverInfo(Span(0, 1), "s", ((Words(words),),)).present().endswith("\n\n" + markdown)


@pytest.mark.parametrize(
    ("code", "markdown"),
    [
        ("a", "`a`"),
        ("`a b`.c", "`` `a b`.c ``"),
        ("x``y", "```x``y```"),
        ("SUM(\n  a)", "`SUM( a)`"),
    ],
)
def test_code_survives_backticks_and_line_ends(code: str, markdown: str) -> None:
    assert HoverInfo(Span(0, 1), "s", ((Code(code),),)).present().endswith("\n\n" + markdown)


def test_a_signature_with_a_fence_in_it_gets_a_longer_fence() -> None:
    assert HoverInfo(Span(0, 1), "a ``` b").present() == "````sql\na ``` b\n````"
