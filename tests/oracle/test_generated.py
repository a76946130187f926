"""Random queries, answered by real engines: each output column's values come from where we say they come from.

`ORACLE_QUERIES` is how many queries of each engine are compared (60), `ORACLE_SEED` the first seed. A query that the
engine rejects must not make the analysis fail; one that it accepts must not be accused.
"""

from __future__ import annotations

import importlib.util
import os

import pytest

from tests.oracle.compare import Tally, compare
from tests.oracle.opened import ENGINES

COMPARED = int(os.environ.get("ORACLE_QUERIES", "60"))
SEED = int(os.environ.get("ORACLE_SEED", "7"))


def _needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def _agree(name: str) -> None:
    tally = Tally()
    found = [str(one) for one, _ in zip(compare(ENGINES[name], SEED, COMPARED, tally), range(5), strict=False)]
    print(name, tally)
    assert not found, "\n\n".join(found)


@_needs("zetasql")
def test_bigquery_against_the_googlesql_analyzer() -> None:
    _agree("bigquery")


@_needs("duckdb")
def test_duckdb_against_tagged_data() -> None:
    _agree("duckdb")
