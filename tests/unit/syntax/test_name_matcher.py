"""Patterns of users are tried only where that takes no exponential time."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.name_matcher import name_matcher


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("^(in|out)_.*$", "out_kg"), (r"[(+*|]x+", "+xx"), (r"\(a+\)+", "(a))"), ("(?i:^(?:AB|c)$)", "ab"),
        ("a{2}", "baa"),
    ],
)
def test_an_ordinary_pattern_matches(pattern: str, name: str) -> None:
    compiled = name_matcher(pattern)
    assert compiled is not None
    assert compiled.search(name)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|b)*c", "((a*))+", "(x{1,})+", "(" * 5000, "a{99999999999}", "[", ".*a" * 20, "a" * 20_000]
)
def test_one_that_is_broken_or_may_take_long_is_not_tried(pattern: str) -> None:
    assert name_matcher(pattern) is None
