"""Inlay hints: the text with its hints between `«` and `»`."""

from __future__ import annotations

import pytest

from sql_lineage_ls.features.inlay_hints import HintOptions, inlay_hints
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.support import product

QUERY = "file:///w/query.sql"
TABLES = "file:///w/tables.sql"
LOG = "CREATE TABLE log (no int, who text);"
DDL = {
    "bigquery": "CREATE TABLE ships (id INT64, master STRUCT<name STRING, home STRUCT<city STRING>>, "
    "holds ARRAY<STRUCT<cargo STRING, tons INT64>>);",
    "trino": "CREATE TABLE ships (id bigint, master row(name varchar, home row(city varchar)), "
    "holds array(row(cargo varchar, tons integer)));",
    "spark": "CREATE TABLE ships (id BIGINT, master STRUCT<name: STRING, home: STRUCT<city: STRING>>, "
    "holds ARRAY<STRUCT<cargo: STRING, tons: INT>>);",
    "snowflake": "CREATE TABLE ships (id NUMBER, master OBJECT(name VARCHAR, home OBJECT(city VARCHAR)), doc VARIANT);",
    "postgres": "CREATE TYPE place AS (city text); CREATE TYPE person AS (name text, home place); "
    "CREATE TABLE ships (id int, master person);",
}
TYPES = HintOptions(stars=False, sources=False, types=True, inserts=False)


def shown(snapshot: Snapshot, sql: str, options: HintOptions | None = None, span: Span | None = None) -> str:
    for hint in reversed(inlay_hints(snapshot, QUERY, span or Span(0, len(sql)), options)):
        sql = f"{sql[: hint.offset]}«{hint.label}»{sql[hint.offset :]}"
    return sql


def hinted(dialect: str, sql: str, options: HintOptions | None = None) -> str:
    return shown(product.open_files({QUERY: sql, TABLES: f"{DDL[dialect]} {LOG}"}, dialect), sql, options)


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("bigquery", "SELECT *«= id, master, holds» FROM ships"),
        ("bigquery", "SELECT s.* EXCEPT (holds)«= id, master» FROM ships s"),
        ("bigquery", "SELECT s.master.*«= name, home» FROM ships s"),
        ("bigquery", "SELECT * FROM elsewhere"),
        ("bigquery", "SELECT COUNT(*) AS n FROM ships"),
        ("bigquery", "SELECT id, s.master.home.city, s.master.name AS who FROM ships s"),
        ("bigquery", "SELECT h.tons«← ships.holds[*].tons» FROM ships, UNNEST(holds) h"),
        ("bigquery", "WITH c AS (SELECT master.home FROM ships) SELECT c.home.city«← ships.master.home.city» FROM c"),
        ("trino", "SELECT tons«← ships.holds[*].tons» FROM ships CROSS JOIN UNNEST(holds) AS h (cargo, tons)"),
        ("trino", "SELECT master.home.city FROM ships WHERE {{ when }}"),
        ("spark", "SELECT h.tons«← ships.holds[*].tons» FROM ships LATERAL VIEW explode(holds) e AS h"),
        ("spark", "SELECT x«← ships.id» FROM (SELECT id AS x FROM ships) q"),
        ("snowflake", "SELECT master:home.city::string, doc:a.b AS ab FROM ships"),
        ("snowflake", "SELECT c.m:home.city«← ships.master.home.city» FROM (SELECT master AS m FROM ships) c"),
        ("postgres", "SELECT ((master).home).city FROM ships"),
        ("postgres", "SELECT (q.m).name«← ships.master.name» FROM (SELECT master AS m FROM ships) q"),
    ],
)
def test_stars_and_sources(dialect: str, expected: str) -> None:
    sql = "".join(part.split("»")[-1] for part in expected.split("«"))
    assert hinted(dialect, sql) == expected


@pytest.mark.parametrize(
    "expected",
    [
        "INSERT INTO log SELECT «no:»id, «who:»master.name FROM ships",
        "INSERT INTO log SELECT id AS no, «who:»master.name FROM ships UNION ALL SELECT 1, 'x'",
        "INSERT INTO log VALUES («no:»1, «who:»f('x', 3)), (2, 'y')",
        "INSERT INTO log (who, no) SELECT «who:»master.name, «no:»id FROM ships",
        "INSERT INTO log (who, no) VALUES («who:»'x', -- (\n «no:»1)",
        "INSERT INTO log WITH c AS (SELECT id AS no FROM ships) SELECT no, «who:»'x' FROM c",
        "INSERT INTO unknown SELECT id, master.name FROM ships",
        "INSERT INTO log SELECT *«= id», «who:»'x' FROM (SELECT id FROM ships)",
    ],
)
def test_the_column_that_each_value_comes_to(expected: str) -> None:
    sql = "".join(part.split("»")[-1] for part in expected.split("«"))
    options = HintOptions(sources=False)
    assert hinted("bigquery", sql, options) == expected


def test_types_are_shown_on_demand() -> None:
    sql = "SELECT s.master.home, h.tons AS t FROM ships s, UNNEST(holds) h"
    assert hinted("bigquery", sql, TYPES) == (
        "SELECT s.master.home«: STRUCT<city STRING>», h.tons AS t«: INT64» FROM ships s, UNNEST(holds) h"
    )


def test_long_lists_are_cut() -> None:
    ddl = "CREATE TABLE wide (" + ", ".join(f"column_number_{n} int" for n in range(9)) + ");"
    snapshot = product.open_files({QUERY: "SELECT * FROM wide", TABLES: ddl}, "postgres")
    hint = inlay_hints(snapshot, QUERY, Span(0, 20))[0]
    assert hint.label == "= column_number_0, column_number_1, column_number_2, … +6"
    assert len(hint.nodes) == 9


def test_only_hints_in_the_range_that_is_asked_for() -> None:
    sql = "SELECT * FROM ships;\nSELECT * FROM ships;"
    snapshot = product.open_files({QUERY: sql, TABLES: DDL["trino"]}, "trino")
    second = Span(sql.index("\n"), len(sql))
    assert shown(snapshot, sql, span=second) == "SELECT * FROM ships;\nSELECT *«= id, master, holds» FROM ships;"
    assert inlay_hints(snapshot, "file:///nowhere.sql", second) == ()


def test_a_half_typed_statement_has_none_and_an_edit_elsewhere_is_seen() -> None:
    engine = Engine()
    engine.configure((), Settings(dialect="spark"))
    engine.open(TABLES, DDL["spark"])
    engine.open(QUERY, "SELECT * FROM ships WHERE")
    engine.rescan()
    assert inlay_hints(engine.finish(), QUERY, Span(0, 99)) == ()
    engine.open(QUERY, "SELECT * FROM ships")
    engine.open(TABLES, "CREATE TABLE ships (id BIGINT, flag STRING);")
    assert [hint.label for hint in inlay_hints(engine.finish(), QUERY, Span(0, 99))] == ["= id, flag"]
