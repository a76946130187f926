"""Which statements are parsed in a process of their own."""

from __future__ import annotations

import pytest

from sql_lineage_ls.workspace.risk import is_risky


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "STRUCT(" * 20 + "a" + ")" * 20,
        "SELECT a FROM " + "(SELECT a FROM " * 20 + "t" + ")" * 20,
        "CREATE TABLE t (a " + "STRUCT<x " * 20 + "INT64" + ">" * 20 + ")",
        "SELECT " + "CASE WHEN a THEN " * 20 + "1" + " END" * 20,
        "SELECT " + ", ".join(f"a{at}" for at in range(20_000)),
        "SELECT " + "(a > 1 AND " * 20 + "b" + ")" * 20,
        "SELECT ' -- (' , " + "[" * 20 + "a" + "]" * 20,
    ],
)
def test_long_and_deep_statements(text: str) -> None:
    assert is_risky(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SELECT a FROM t",
        "SELECT " + ", ".join("f(g(a))" for _ in range(500)) + " FROM t",
        "SELECT '" + "(" * 50 + "' FROM t -- " + "((" * 20,
        "SELECT " + ", ".join("CASE WHEN a < 1 THEN 2 END" for _ in range(5)),
        ")" * 50 + "(",
        "SELECT a FROM t WHERE " + " AND ".join(f"a < {at} AND f(a)" for at in range(50)),
    ],
)
def test_ordinary_statements_are_parsed_at_once(text: str) -> None:
    assert not is_risky(text)
