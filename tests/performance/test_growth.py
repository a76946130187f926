"""Speed as ratios of one run: what must not grow faster than its input, and what sqlglot alone needs for the same text.

The limits leave a factor of two and more for busy machines; `make bench` measures exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
import sqlglot

from benchmarks import statement
from benchmarks.analysis import analyse, catalog_of, lean_parse
from benchmarks.measure import best_of_each
from sql_lineage_ls.catalog.catalog import Catalog
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine

DIALECT = DIALECTS["bigquery"]
DDL = catalog_of("CREATE TABLE port.calls (id INT64, master STRUCT<name STRING, city STRING>, tons INT64);", DIALECT)


def chain(depth: int) -> str:
    """CTEs that each read the one before, twice."""
    parts = ["c0 AS (SELECT c.id, c.master.city AS city, c.tons FROM port.calls AS c WHERE c.tons > 1)"]
    parts += [
        f"c{at} AS (SELECT p.id, COALESCE(p.city, o.city) AS city, p.tons + o.tons AS tons "
        f"FROM c{at - 1} AS p JOIN c{at - 1} AS o ON p.id = o.id)"
        for at in range(1, depth)
    ]
    return f"WITH {', '.join(parts)} SELECT city, tons FROM c{depth - 1}"


def union(branches: int) -> str:
    return "\nUNION ALL\n".join("SELECT c.id, c.master.city FROM port.calls AS c" for _ in range(branches))


def wide(columns: int) -> str:
    return "SELECT " + ", ".join(f"c.tons + {at} AS c{at}" for at in range(columns)) + " FROM port.calls AS c"


@pytest.mark.parametrize(
    ("text", "small", "large"),
    [(chain, 10, 40), (union, 500, 2_000), (wide, 500, 2_000)],
    ids=("chain", "union", "wide"),
)
def test_four_times_the_statement_costs_no_more_than_ten_times_as_much(
    text: Callable[[int], str], small: int, large: int
) -> None:
    runs = [partial(analyse, text(size), DIALECT, DDL) for size in (small, large)]
    first, last = best_of_each(runs, 3)
    assert last < 10 * first


def test_ten_thousand_branches_of_a_union_are_one_edge_a_column() -> None:
    assert analyse(union(10_000), DIALECT, DDL) == 2


@pytest.mark.parametrize("spelling", statement.SPELLINGS, ids=lambda spelling: spelling.dialect)
def test_a_large_statement_is_analysed_in_a_few_times_what_its_parse_takes(spelling: statement.Spelling) -> None:
    dialect = DIALECTS[spelling.dialect]
    text = statement.statement(spelling)
    catalog: Catalog = catalog_of(statement.declarations(spelling), dialect)
    ours, stock = best_of_each(
        [partial(analyse, text, dialect, catalog), partial(sqlglot.parse_one, text, read=spelling.dialect)], 3
    )
    assert ours < 8 * stock


def test_preparing_the_tokens_of_a_plain_statement_adds_little_to_its_parse() -> None:
    """What only few statements need must not be looked for at length in all of them."""
    spelling = statement.SPARK
    dialect = DIALECTS[spelling.dialect]
    text = statement.statement(spelling)
    lean, stock = best_of_each([partial(lean_parse, text, dialect), partial(sqlglot.parse_one, text, read="spark")], 7)
    assert lean < 1.6 * stock


def test_a_statement_repeated_costs_as_often_as_it_stands_there() -> None:
    count = 12
    text = statement.statement(statement.BIGQUERY)
    runs = []
    for times in (1, count):
        engine = Engine()
        engine.configure((), Settings(dialect="bigquery"))
        engine.rescan()
        runs.append(partial(_replace_all, engine, text, times))
    one, many = best_of_each(runs, 1)
    assert many < 2 * count * one


def _replace_all(engine: Engine, text: str, times: int) -> None:
    """Opens a document of so many statements, none of which was seen before."""
    parsed = engine.parsed
    texts = [text.replace("BETWEEN 1 AND 100", f"BETWEEN 1 AND {parsed * 1_000 + at}") for at in range(times)]
    engine.open("file:///report.sql", ";\n".join(texts), parsed)
    engine.finish()
    assert engine.parsed - parsed == times


def test_a_keystroke_in_a_file_of_many_statements_looks_at_few_of_them() -> None:
    line = "SELECT c.id, c.master.city AS city FROM port.calls AS c WHERE c.tons > 1;\n"
    keys = []
    for count in (200, 2_000):
        text = "".join(line.replace("> 1", f"> {10_000 + at}") for at in range(count))
        engine = Engine()
        engine.configure(())
        engine.rescan()
        engine.open("file:///many.sql", text, 1)
        engine.finish()
        keys.append(partial(_type, engine, text.replace("> 10100", "> 7"), text))
    few, many = best_of_each(keys, 3)
    assert many < 10 * few


def _type(engine: Engine, one: str, other: str) -> None:
    parsed = engine.parsed
    for text in (one, other):
        engine.open("file:///many.sql", text, 1)
        engine.finish()
    assert engine.parsed - parsed <= 1
