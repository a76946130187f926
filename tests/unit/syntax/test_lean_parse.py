"""sqlglot's search for implicit UNNEST is switched off: that changes the tree where it would find one, nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import exp

from sql_lineage_ls.syntax.dialects import DIALECTS, Dialect
from sql_lineage_ls.syntax.splitter import split
from sql_lineage_ls.syntax.tokens import grammar, tokenize
from sql_lineage_ls.syntax.tree import build_tree

FIXTURES = Path(__file__).parents[2] / "fixtures"
_HEAD = re.compile(r"--# dialect: (\w+)")


def statements(dialect: Dialect) -> Iterator[str]:
    """The statements of all fixtures of a dialect."""
    for path in sorted(FIXTURES.rglob("*.sql")):
        text = path.read_text(encoding="utf-8")
        head = _HEAD.match(text)
        if head is not None and head[1] == dialect.name:
            yield from (text[piece.start : piece.end] for piece in split(text, dialect))


def trees(text: str, dialect: Dialect) -> tuple[exp.Expr, exp.Expr] | None:
    """Our tree and the stock one of the same tokens; None where the text is damaged or no query."""
    prepared, ours = build_tree(text, tokenize(text, dialect), dialect)
    if ours is None or prepared.issues or prepared.partial:
        return None
    stock = grammar(dialect.grammar).parser().parse(prepared.tokens, text)[0]
    assert stock is not None
    return ours, stock


@pytest.mark.parametrize(("name", "least"), [("bigquery", 100), ("redshift", 5)])
def test_the_tree_is_the_stock_one_but_for_implicit_unnest(name: str, least: int) -> None:
    dialect = DIALECTS[name]
    compared = 0
    for text in statements(dialect):
        found = trees(text, dialect)
        if found is None:
            continue
        ours, stock = found
        if len([*stock.find_all(exp.Unnest)]) == len([*ours.find_all(exp.Unnest)]):
            assert ours == stock, text
            compared += 1
    assert compared >= least


def test_the_stock_tree_has_an_unnest_where_ours_keeps_the_path() -> None:
    found = trees("SELECT k.id, s.name FROM dock.kegs AS k, k.staves AS s", DIALECTS["redshift"])
    assert found is not None
    ours, stock = found
    assert ours.find(exp.Unnest) is None
    assert stock.find(exp.Unnest) is not None
