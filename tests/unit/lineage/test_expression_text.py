"""Select items without their names."""

from __future__ import annotations

import pytest

from sql_lineage_ls.lineage.expression_text import without_alias


@pytest.mark.parametrize(
    ("item", "name", "expression"),
    [
        ("SUM(qty) AS total", "total", "SUM(qty)"),
        ("SUM(qty)\n  as  Total", "total", "SUM(qty)"),
        ("a + b c", "c", "a + b"),
        ("a + b AS `my total`", "my total", "a + b"),
        ('a AS "x.y"', "x.y", "a"),
        ("o.qty", "qty", "o.qty"),
        ("o. qty", "qty", "o. qty"),
        ("doc: city", "city", "doc: city"),
        ("qty", "qty", "qty"),
        ("x * y", "_c0", "x * y"),
        ("", "x", ""),
    ],
)
def test_without_alias(item: str, name: str, expression: str) -> None:
    assert without_alias(item, name) == expression
