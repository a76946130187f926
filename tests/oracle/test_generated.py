"""Random queries, answered by real engines: each output column's values come from where we say they come from.

`ORACLE_QUERIES` is how many queries of each engine are compared (60), `ORACLE_SEED` the first seed. A query that the
engine rejects must not make the analysis fail; one that it accepts must not be accused.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable, Iterator
from random import Random

import pytest

from tests.oracle import googlesql, ours
from tests.oracle.duck import BITS, DuckDb
from tests.oracle.flavours import BIGQUERY, DUCKDB, Flavour
from tests.oracle.generator import Generator, random_schema, swapped
from tests.oracle.googlesql import GoogleSql, Rejected, Untraced
from tests.oracle.trees import Schema, Tree

COMPARED = int(os.environ.get("ORACLE_QUERIES", "60"))
SEED = int(os.environ.get("ORACLE_SEED", "7"))
Run = Callable[[str], list[tuple[str, Tree]]]

# What picks a row or a letter, or keeps rows that show only one side: such a run need not show every source.
_LOSSY = re.compile(
    r"ANY_VALUE|MAX|FIRST|LAST|LAG|LIMIT|QUALIFY|ARG_|LIST_EXTRACT|ARRAY_EXTRACT|\[1\]"
    r"|(LEFT|RIGHT) JOIN \S+( AS \w+)? USING"
)


def _needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def _queries(random: Random, flavour: Flavour, schema: Schema) -> Iterator[tuple[str, int]]:
    """Generated queries and mutants of them, with the number of their conditions."""
    for _ in range(20):
        generator = Generator(random, flavour, schema)
        text = generator.query()
        yield text, generator.conditions
        yield swapped(random, text), generator.conditions
        yield swapped(random, swapped(random, text)), generator.conditions


def _failures(flavour: Flavour, engine: Callable[[Schema], Run], executed: bool) -> Iterator[str]:
    compared = 0
    seed = SEED
    while compared < COMPARED:
        random = Random(seed)
        seed += 1
        schema = random_schema(random)
        ddl, run = flavour.ddl(schema), engine(schema)
        for text, conditions in _queries(random, flavour, schema):
            answer = ours.analyse(ddl, text, flavour.dialect)
            try:
                columns = run(text)
            except (Rejected, Untraced):
                continue
            compared += 1
            lossy = executed and (
                conditions > BITS or bool(_LOSSY.search(text.upper())) or ("USING" in text and "UNNEST" in text)
                or all(tree is None for _, tree in columns)
            )
            found = [*ours.false_alarms(answer), *ours.differences(answer, columns, schema, lossy=lossy)]
            if found and not _quirk(text, found):
                yield "\n".join([f"seed {seed - 1}", ddl, text, *found])


def _quirk(text: str, found: list[str]) -> bool:
    """What an engine does and we do not follow.

    GoogleSQL's PIVOT and UNPIVOT take two columns that are copies of one for the same column; DuckDB's `* REPLACE`
    drops the second of two columns of one name, and repeated names are numbered in another order beside USING.
    """
    if "PIVOT" in text:
        return True
    return all(line.startswith("columns") for line in found) and ("REPLACE" in text or "USING" in text)


def _report(failures: Iterator[str]) -> None:
    found = [failure for failure, _ in zip(failures, range(5), strict=False)]
    assert not found, "\n\n".join(found)


@_needs("zetasql")
def test_bigquery_against_the_googlesql_analyzer() -> None:
    googlesql.prepare()
    _report(_failures(BIGQUERY, lambda schema: GoogleSql(schema).run, executed=False))


@_needs("duckdb")
def test_duckdb_against_tagged_data() -> None:
    _report(_failures(DUCKDB, lambda schema: DuckDb(schema).run, executed=True))
