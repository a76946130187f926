"""One large statement: 600 lines that fill 112 columns from 19 tables.

It has 20 joins, 23 subqueries, 57 aggregates, 10 CASE expressions and a window function, and is written for several
databases; the tables that it reads are declared with nested fields. The text is made by rule, so every run measures the
same one, and the rule says what each target comes from (`sources`).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

TARGETS = 112
TABLES = 19
JOINS = 20
SUBQUERIES = 23
AGGREGATES = 57
CASES = 10
WINDOWS = 1

_SCALARS = ("tariff", "weight", "volume", "delay_days", "berth", "draft", "crew", "score", "insured", "fuel")
_FIRST_CASE, _WINDOW = 5, 9


class Spelling(Struct, frozen=True):
    """How a database writes what the statement needs.

    `types` are statements before the tables; `field` reads a path of the column `master`, `elements` comes behind a
    table to take its column `holds` apart, and `qty` is then a field of an element.
    """

    dialect: str
    text: str
    number: str
    record: str
    array: str
    field: str
    elements: str
    qty: str
    types: str = ""


BIGQUERY = Spelling(
    "bigquery", "STRING", "INT64",
    "STRUCT<name STRING, home STRUCT<city STRING, country STRING, geo STRUCT<lat FLOAT64, lon FLOAT64>>>",
    "ARRAY<STRUCT<sku STRING, qty INT64, price NUMERIC>>", "{owner}.master.{path}", ", UNNEST({t}.holds) AS h", "h.qty",
)
SPARK = Spelling(
    "spark", "STRING", "BIGINT",
    "STRUCT<name: STRING, home: STRUCT<city: STRING, country: STRING, geo: STRUCT<lat: DOUBLE, lon: DOUBLE>>>",
    "ARRAY<STRUCT<sku: STRING, qty: BIGINT, price: DECIMAL(18, 2)>>", "{owner}.master.{path}",
    " LATERAL VIEW EXPLODE({t}.holds) x AS h", "h.qty",
)
SNOWFLAKE = Spelling(
    "snowflake", "VARCHAR", "NUMBER", "VARIANT", "VARIANT", "{owner}.master:{path}::string",
    ", LATERAL FLATTEN(INPUT => {t}.holds) h", "h.value:qty::number",
)
TRINO = Spelling(
    "trino", "VARCHAR", "BIGINT",
    "ROW(name VARCHAR, home ROW(city VARCHAR, country VARCHAR, geo ROW(lat DOUBLE, lon DOUBLE)))",
    "ARRAY(ROW(sku VARCHAR, qty BIGINT, price DECIMAL(18, 2)))", "{owner}.master.{path}",
    ", UNNEST({t}.holds) AS h (sku, qty, price)", "h.qty",
)
POSTGRES = Spelling(
    "postgres", "TEXT", "BIGINT", "port.person", "port.hold[]", "({owner}.master).{path}", ", UNNEST({t}.holds) AS h",
    "h.qty",
    "CREATE TYPE port.geo AS (lat FLOAT8, lon FLOAT8);\n"
    "CREATE TYPE port.home AS (city TEXT, country TEXT, geo port.geo);\n"
    "CREATE TYPE port.person AS (name TEXT, home port.home);\n"
    "CREATE TYPE port.hold AS (sku TEXT, qty BIGINT, price NUMERIC);\n",
)
SPELLINGS = (BIGQUERY, SPARK, SNOWFLAKE)
"""Those that are measured."""


def declarations(spelling: Spelling) -> str:
    """The CREATE TABLE statements of the tables that the statement reads and of the one that it fills."""
    tables = [
        f"CREATE TABLE port.voyages_{at} (\n  id {spelling.number},\n  parent_id {spelling.number},\n  status "
        f"{spelling.text},\n  master {spelling.record},\n  holds {spelling.array},\n"
        + ",\n".join(f"  {name} {spelling.number}" for name in _SCALARS)
        + "\n);"
        for at in range(TABLES)
    ]
    outputs = ",\n".join(f"  c{at:03} {spelling.text}" for at in range(TARGETS))
    return spelling.types + "\n".join([*tables, f"CREATE TABLE port.report (\n{outputs}\n);"])


def statement(spelling: Spelling) -> str:
    """The statement, without a terminator."""
    columns = "\n".join(_listed([f"  c{at:03}, c{at + 1:03}" for at in range(0, TARGETS, 2)]))
    return "\n".join([
        f"INSERT INTO port.report (\n{columns}\n)",
        "WITH",
        *_ctes(spelling),
        "SELECT",
        *_listed([f"  {_value(at, spelling)} AS c{at:03}" for at in range(TARGETS)]),
        "FROM port.voyages_0 AS v0",
        *_joins(spelling),
        "WHERE v0.status = 'closed'",
        "  AND v0.tariff BETWEEN 1 AND 100",
        *_filters(),
        "ORDER BY v0.id, v1.delay_days",
    ])


def sources() -> dict[str, frozenset[str]]:
    """What the value of each target comes from or is chosen by, the nodes of stored tables."""
    return {f"port.report.c{at:03}": frozenset(_sources(at)) for at in range(TARGETS)}


def _listed(lines: list[str]) -> Iterator[str]:
    """Lines with commas behind all but the last."""
    yield from (line + "," for line in lines[:-1])
    yield lines[-1]


def _nested(owner: str, path: str, spelling: Spelling) -> str:
    return spelling.field.format(owner=owner, path=path)


def _ctes(spelling: Spelling) -> Iterator[str]:
    """Six CTEs (subqueries 1 to 6) with 22 aggregates, each over a table; the last ones read the first (3 joins)."""
    for at in range(6):
        table = f"port.voyages_{at + 1} AS s"
        source = table if at < 3 else f"stage_{at - 3} AS p JOIN {table} ON s.id = p.id"
        rows = spelling.elements.format(t="s") if at < 3 else ""
        amount = f"SUM({spelling.qty})" if at < 3 else "SUM(p.amount + s.weight)"
        yield f"stage_{at} AS ("
        yield "  SELECT"
        yield "    s.id,"
        yield "    s.parent_id,"
        yield f"    {_nested('s', 'home.city', spelling)} AS city,"
        yield f"    {_nested('s', 'home.geo.lat', spelling)} AS lat,"
        yield f"    {amount} AS amount,"
        if at < 4:
            yield "    AVG(s.score) AS score,"
        yield "    COUNT(*) AS calls,"
        yield "    MAX(CASE WHEN s.status = 'late' THEN s.delay_days ELSE 0 END) AS worst"
        yield f"  FROM {source}{rows}"
        yield "  WHERE s.tariff > 0"
        yield "    AND s.status <> 'void'"
        yield "  GROUP BY 1, 2, 3, 4"
        yield ")" + ("," if at < 5 else "")


def _joins(spelling: Spelling) -> Iterator[str]:
    """17 joins: five plain tables, six CTEs, six derived tables (subqueries 7 to 12) with 30 aggregates."""
    for at in range(1, 18):
        kind = "LEFT JOIN" if at % 3 else "INNER JOIN"
        if at <= 5:
            yield f"{kind} {_table(at)} AS v{at}"
        elif at <= 11:
            yield f"{kind} stage_{at - 6} AS v{at}"
        else:
            yield f"{kind} ("
            yield "  SELECT"
            yield "    d.id,"
            yield "    d.parent_id,"
            yield f"    MAX({_nested('d', 'home.country', spelling)}) AS country,"
            yield f"    MIN({_nested('d', 'name', spelling)}) AS captain,"
            yield "    SUM(d.score * 2) AS score,"
            yield "    MAX(COALESCE(d.fuel, d.weight, 0)) AS fuel,"
            yield "    COUNT(DISTINCT d.crew) AS crews"
            yield f"  FROM {_table(at)} AS d"
            yield "  WHERE d.crew > 3"
            yield "  GROUP BY 1, 2"
            yield f") AS v{at}"
        yield f"  ON v{at}.id = v{(at - 1) // 2}.id"
        yield f"  AND v{at}.parent_id = v0.parent_id"


def _table(at: int) -> str:
    """The table behind `v0` .. `v5` and the derived tables `v12` .. `v17`."""
    if at == 0:
        return "port.voyages_0"
    return f"port.voyages_{at + 6 if at <= 5 else at + 1}"


def _filters() -> Iterator[str]:
    """Six subqueries (13 to 18) that decide rows."""
    for at in range(3):
        yield "  AND EXISTS ("
        yield f"    SELECT 1 FROM port.voyages_{at + 16} AS e"
        yield f"    WHERE e.id = v{at}.id AND e.status = 'open'"
        yield "  )"
        yield f"  AND v{at + 1}.id IN ("
        yield f"    SELECT q.parent_id FROM port.voyages_{at + 10} AS q"
        yield f"    WHERE q.score > {at} AND q.insured > q.tariff"
        yield "  )"


# What the select items are made of: a table, a CTE and a derived table each, and two plain columns.


def _parts(at: int) -> tuple[int, int, int, str, str]:
    return at % 6, 6 + at % 6, 12 + at % 6, _SCALARS[at % 10], _SCALARS[(at + 3) % 10]


def _value(at: int, spelling: Spelling) -> str:
    """A select item; the first five are scalar subqueries (19 to 23) with an aggregate each, then four CASE."""
    if at < _FIRST_CASE:
        return (
            f"(\n    SELECT MAX(x.{_SCALARS[at]})\n    FROM port.voyages_{at + 12} AS x\n"
            f"    WHERE x.parent_id = v0.id\n  )"
        )
    table, cte, derived, scalar, other = _parts(at)
    if at < _WINDOW:
        return (
            f"CASE\n    WHEN v{table}.status = 'late' THEN v{table}.{scalar} + v{cte}.worst\n"
            f"    WHEN v{derived}.crews = 1 THEN v{derived}.score\n    ELSE v{table}.{other}\n  END"
        )
    if at == _WINDOW:
        return f"ROW_NUMBER() OVER (\n    PARTITION BY v{cte}.city\n    ORDER BY v{table}.{other}\n  )"
    nested = f"v{table}"
    forms = (
        f"v{table}.{scalar}",
        _nested(nested, "home.city", spelling),
        f"v{cte}.amount",
        f"COALESCE(\n    {_nested(nested, 'home.country', spelling)},\n    v{derived}.country,\n    'unknown'\n  )",
        f"ROUND(v{table}.{scalar} / NULLIF(v{cte}.calls, 0), 2)",
        f"CAST(\n    {_nested(nested, 'home.geo.lon', spelling)}\n    AS {spelling.text}\n  )",
        f"CONCAT(\n    v{derived}.captain,\n    ' of ',\n    v{cte}.city\n  )",
        f"v{derived}.fuel\n    + v{table}.{other}",
        f"v{cte}.worst\n    + v{derived}.score",
    )
    return forms[at % len(forms)]


def _sources(at: int) -> set[str]:
    if at < _FIRST_CASE:
        return {f"port.voyages_{at + 12}.{_SCALARS[at]}"}
    number, cte, derived, scalar, other = _parts(at)
    table, behind = _table(number), _table(derived)
    if at < _WINDOW:
        worst = _of_cte(cte, "worst")
        return {f"{table}.status", f"{table}.{scalar}", *worst, f"{behind}.crew", f"{behind}.score", f"{table}.{other}"}
    if at == _WINDOW:
        return set()
    forms = (
        {f"{table}.{scalar}"},
        {f"{table}.master.home.city"},
        _of_cte(cte, "amount"),
        {f"{table}.master.home.country", f"{behind}.master.home.country"},
        {f"{table}.{scalar}"},
        {f"{table}.master.home.geo.lon"},
        {f"{behind}.master.name", *_of_cte(cte, "city")},
        {f"{behind}.fuel", f"{behind}.weight", f"{table}.{other}"},
        {*_of_cte(cte, "worst"), f"{behind}.score"},
    )
    return forms[at % len(forms)]


def _of_cte(at: int, column: str) -> set[str]:
    """What a column of the CTE behind `v6` .. `v11` comes from."""
    number = at - 6
    table = f"port.voyages_{number + 1}"
    if column == "worst":
        return {f"{table}.status", f"{table}.delay_days"}
    if column == "city":
        return {f"{table}.master.home.city"}
    if number < 3:
        return {f"{table}.holds[*].qty"}
    return {f"port.voyages_{number - 2}.holds[*].qty", f"{table}.weight"}
