"""A name that nothing has gives no edge: generated queries in which one name is exchanged for an unknown one."""

from __future__ import annotations

import re
from random import Random

import pytest

from tests.oracle import ours
from tests.oracle.believed import NAMES
from tests.oracle.flavours import BIGQUERY, DUCKDB, Flavour
from tests.oracle.generator import Generator, random_schema
from tests.oracle.trees import leaf_paths, tags

QUERIES = 120
UNKNOWN = "zebra"
_NAME = re.compile(r"\b(" + "|".join(NAMES) + r")\b")


def _with_unknown(random: Random, text: str) -> str:
    """The query with one of its names exchanged: an alias where it is given, or a name that is read."""
    places = list(_NAME.finditer(text))
    if not places:
        return text
    place = random.choice(places)
    return text[: place.start()] + UNKNOWN + text[place.end() :]


@pytest.mark.parametrize("flavour", [BIGQUERY, DUCKDB], ids=lambda flavour: flavour.dialect)
def test_an_unknown_name_gives_no_edge(flavour: Flavour) -> None:
    random = Random(flavour.dialect)
    reported = 0
    for _ in range(QUERIES):
        schema = random_schema(random)
        text = _with_unknown(random, Generator(random, flavour, schema).query().text)
        answer = ours.analyse(flavour.ddl(schema), text, flavour.dialect)
        assert not answer.issues, text
        nodes = [node for edge in answer.lineage.edges for node in answer.sources(edge)]
        # An unknown table has unknown columns: its own name is all that may be unknown.
        below = [node.split(".", 1)[1] for node in nodes if node.split(".", 1)[0] != UNKNOWN]
        assert not [node for node in below if UNKNOWN in node], text
        reported += any(UNKNOWN in problem.message for problem in answer.lineage.problems)
    assert reported > QUERIES // 10


@pytest.mark.parametrize("flavour", [BIGQUERY, DUCKDB], ids=lambda flavour: flavour.dialect)
def test_every_source_is_a_declared_node(flavour: Flavour) -> None:
    random = Random(flavour.dialect)
    for _ in range(QUERIES):
        schema = random_schema(random)
        text = Generator(random, flavour, schema).query().text
        answer = ours.analyse(flavour.ddl(schema), text, flavour.dialect)
        tables = {table.name for table in schema}
        for edge in answer.lineage.edges:
            for node in answer.sources(edge):
                if node.split(".", 1)[0] in tables:
                    assert ours.expanded(node, schema), f"{node} in {text}"


def test_the_comparison_sees_what_is_wrong() -> None:
    """The differences that the engines are asked about: too few sources, too many, invented ones, other columns."""
    schema = random_schema(Random(1))
    table = schema[0]
    name = table.columns[0][0]
    answer = ours.analyse(BIGQUERY.ddl(schema), f"SELECT {name} FROM {table.name}", "bigquery")
    own = frozenset(leaf for leaf in leaf_paths(schema) if leaf.startswith((f"{table.name}.{name}.",
                    f"{table.name}.{name}[")) or leaf == f"{table.name}.{name}")
    assert tags(own) == own
    assert ours.differences(answer, [(name, own)], schema) == []
    assert len(ours.differences(answer, [(name, own | {"other.leaf"})], schema)) == 1
    assert len(ours.differences(answer, [(name, frozenset())], schema)) == 1
    assert ours.differences(answer, [(name, frozenset())], schema, lossy=True) == []
    assert len(ours.differences(answer, [("elsewhere", own)], schema)) == 1
    assert ours.false_alarms(answer) == []
