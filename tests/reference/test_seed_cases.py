"""Every case of the reference page on STRUCT lineage: the sets of nodes, and the edges exactly.

The page prints what one tool gives today. Where it says itself that a better answer exists, the case has
`ideal_edges`, and those count. What else differs is in `DEVIATIONS`, with the reason (see docs/deviations.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest

from tests.support.reference import ABSENT, Case, analyse, load, prefixes

_CASES = load("seed_cases.jsonl")

pytestmark = pytest.mark.skipif(not _CASES, reason=ABSENT)


@dataclass(frozen=True)
class Deviation:
    """Why a case is expected to differ from the page, and what is right: `nodes` and `edges` replace the page's."""

    reason: str
    nodes: dict[str, list[str]] = field(default_factory=dict)
    edges: dict[str, list[str]] = field(default_factory=dict)


_PIVOT = (
    "BigQuery names the column of an unnamed number `_1`; passed-on columns keep their spelling; "
    "where the star is expanded there is no node `*`"
)

DEVIATIONS: dict[str, Deviation] = {
    "3.7-bq-ddl": Deviation(
        _PIVOT,
        nodes={"v": ["items", "_1"]},
        edges={
            "v.items": ["orders_raw.items"],
            "v._1": ["orders_raw.customer.name", "orders_raw.order_id"],
        },
    ),
    "3.7-bq-noddl": Deviation(
        _PIVOT,
        nodes={"v": ["_1", "*"]},
        edges={"v._1": ["orders_raw.customer.name", "orders_raw.order_id"]},
    ),
}


def _expected_edges(case: Case) -> dict[str, frozenset[str]]:
    deviation = DEVIATIONS.get(case["id"])
    if deviation is not None and deviation.edges:
        return {target: frozenset(sources) for target, sources in deviation.edges.items()}
    edges: dict[str, frozenset[str]] = {}
    for target, sources in [*case["edges"], *case.get("ideal_edges", [])]:
        edges[target] = frozenset(sources)
    return edges


def _expected_nodes(case: Case) -> dict[str, frozenset[str]]:
    """The page's nodes; a field that an ideal edge reads is a node too, as rule 2 wants it."""
    nodes = {relation: set(paths) for relation, paths in case["nodes"].items()}
    for _, sources in case.get("ideal_edges", []):
        for source in sources:
            relation, path = source.split(".", 1)
            # The page shows the column whose field the ideal edge reads in capitals.
            nodes[relation].discard("CUSTOMER")
            nodes[relation] |= set(prefixes(path))
    deviation = DEVIATIONS.get(case["id"])
    if deviation is not None:
        nodes |= {relation: set(paths) for relation, paths in deviation.nodes.items()}
    return {relation: frozenset(paths) for relation, paths in nodes.items()}


def test_there_are_84_cases() -> None:
    assert len(_CASES) == 84
    assert DEVIATIONS.keys() <= {case["id"] for case in _CASES}


@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_seed_case(case: Case) -> None:
    outcome = analyse(case)
    assert {target: sources for target, sources in outcome.direct.items() if sources} == _expected_edges(case)
    assert outcome.nodes == _expected_nodes(case)
    assert outcome.kinds == {relation: kind for relation, kind in case["kinds"].items() if relation in outcome.nodes}
    for message in case["messages"]:
        place = re.search(r"orphan column.*\((\d+),(\d+)\)", message)
        assert place is not None
        assert ("orphan-column", f"query.sql:{place[1]}:{place[2]}") in outcome.messages
