"""A field is used inside a record only where the record itself is used, not where it is merely taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from sql_lineage_ls.lineage.graph import Columns, Contribution, Fan, contributions_of, uses
from sql_lineage_ls.lineage.model import MEMBERSHIP, Edge, Node, Path, Read, Source, StatementLineage


class _Index:
    def __init__(self, contributions: Mapping[str, Contribution]) -> None:
        self._contributions = contributions

    def about(self, relation: str, column: str) -> Contribution:
        return Columns(self.contributions(relation)).about(column)

    def into(self, relation: str, column: str) -> list[Fan]:
        return Columns(self.contributions(relation)).into(column)

    def contributions(self, relation: str) -> Iterable[Contribution]:
        found = self._contributions.get(relation)
        return [found] if found is not None else []


def usages(edges: tuple[Edge, ...], read: Path, asked: Path) -> list[str]:
    lineage = StatementLineage("query", edges=edges, reads=(Read("t", read, 0, 1),))
    return [use.usage for use in uses(_Index(contributions_of("u", [lineage])), Node("t", asked))]


def edge(path: Path, role: str = "value") -> Edge:
    return Edge("", ("x",), (Source("t", path, role),))


@pytest.mark.parametrize(
    ("edges", "usage"),
    [
        ((edge(("items", "[*]", "sku")),), []),  # UNNEST(items) AS i, i.sku
        ((edge(("items",)),), ["contained"]),  # items
        ((edge(("items", "[*]")),), ["contained"]),  # items[0]
        ((edge(("id",)), edge(("items",), MEMBERSHIP)), ["contained"]),  # WHERE items IS NOT NULL
        ((), ["contained"]),  # a statement that moves nothing
    ],
)
def test_a_field_beside_the_one_that_is_read(edges: tuple[Edge, ...], usage: list[str]) -> None:
    assert usages(edges, ("items",), ("items", "[*]", "qty")) == usage


def test_the_array_itself_is_read_either_way() -> None:
    assert usages((edge(("items", "[*]", "sku")),), ("items",), ("items",)) == ["read"]


@pytest.mark.parametrize(
    ("asked", "usage"), [((), ["star"]), (("items",), ["star"]), (("items", "[*]", "qty"), ["contained"])]
)
def test_a_star_reads_every_column(asked: Path, usage: list[str]) -> None:
    lineage = StatementLineage("query", edges=(edge(("id",)),), reads=(Read("t", ("*",), 7, 8, "star"),))
    assert [use.usage for use in uses(_Index(contributions_of("u", [lineage])), Node("t", asked))] == usage
