"""One large statement: 600 lines that fill 112 columns from 21 tables, with 20 joins and 23 subqueries.

The same statement is written for several databases; the tables that it reads are declared with nested fields. The
text is made by rule, so every run measures the same one.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

TARGETS = 112
JOINS = 20
SUBQUERIES = 23

_SCALARS = ("tariff", "weight", "volume", "delay_days", "berth", "draft", "crew", "score", "insured", "fuel")


class Spelling(Struct, frozen=True):
    """How a database writes what the statement needs. `{}` in `field` is the path behind the column `master`."""

    dialect: str
    text: str
    number: str
    record: str
    array: str
    field: str
    elements: str
    qty: str


BIGQUERY = Spelling(
    "bigquery", "STRING", "INT64",
    "STRUCT<name STRING, home STRUCT<city STRING, country STRING, geo STRUCT<lat FLOAT64, lon FLOAT64>>>",
    "ARRAY<STRUCT<sku STRING, qty INT64, price NUMERIC>>", "{}", ", UNNEST({t}.holds) AS h", "h.qty",
)
SPARK = Spelling(
    "spark", "STRING", "BIGINT",
    "STRUCT<name: STRING, home: STRUCT<city: STRING, country: STRING, geo: STRUCT<lat: DOUBLE, lon: DOUBLE>>>",
    "ARRAY<STRUCT<sku: STRING, qty: BIGINT, price: DECIMAL(18, 2)>>", "{}",
    " LATERAL VIEW EXPLODE({t}.holds) x AS h", "h.qty",
)
SNOWFLAKE = Spelling(
    "snowflake", "VARCHAR", "NUMBER", "VARIANT", "VARIANT", ":{}::string",
    ", LATERAL FLATTEN(INPUT => {t}.holds) h", "h.value:qty::number",
)
SPELLINGS = (BIGQUERY, SPARK, SNOWFLAKE)


def declarations(spelling: Spelling) -> str:
    """The CREATE TABLE statements of the tables that the statement reads and of the one that it fills."""
    tables = [
        f"CREATE TABLE port.{table} (\n  id {spelling.number},\n  parent_id {spelling.number},\n  status "
        f"{spelling.text},\n  master {spelling.record},\n  holds {spelling.array},\n"
        + ",\n".join(f"  {name} {spelling.number}" for name in _SCALARS)
        + "\n);"
        for table in _tables()
    ]
    outputs = ",\n".join(f"  c{at:03} {spelling.text}" for at in range(TARGETS))
    return "\n".join([*tables, f"CREATE TABLE port.report (\n{outputs}\n);"])


def _tables() -> list[str]:
    return [f"voyages_{at}" for at in range(JOINS + 1)]


def statement(spelling: Spelling) -> str:
    """The statement, without a terminator."""
    columns = "\n".join(_listed([f"  c{at:03}, c{at + 1:03}" for at in range(0, TARGETS, 2)]))
    return "\n".join([
        f"INSERT INTO port.report (\n{columns}\n)",
        "WITH",
        *_ctes(spelling),
        "SELECT",
        *_listed(list(_projections(spelling))),
        "FROM port.voyages_0 AS v0",
        *_joins(spelling),
        "WHERE v0.status = 'closed'",
        "  AND v0.tariff BETWEEN 1 AND 100",
        *_filters(),
        "ORDER BY v0.id, v1.delay_days",
    ])


def _listed(lines: list[str]) -> Iterator[str]:
    """Lines with commas behind all but the last."""
    yield from (line + "," for line in lines[:-1])
    yield lines[-1]


def _nested(owner: str, path: str, spelling: Spelling) -> str:
    separator = "" if spelling.field.startswith(":") else "."
    return f"{owner}.master{separator}{spelling.field.format(path)}"


def _ctes(spelling: Spelling) -> Iterator[str]:
    """Six CTEs (subqueries 1 to 6), each over a table and its nested rows; the last ones read the first."""
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
        yield "    COUNT(*) AS calls,"
        yield "    MAX(CASE WHEN s.status = 'late' THEN s.delay_days ELSE 0 END) AS worst"
        yield f"  FROM {source}{rows}"
        yield "  WHERE s.tariff > 0"
        yield "    AND s.status <> 'void'"
        yield "  GROUP BY 1, 2, 3, 4"
        yield ")" + ("," if at < 5 else "")


def _joins(spelling: Spelling) -> Iterator[str]:
    """17 joins here (3 are in the CTEs): five plain tables, six CTEs, six derived tables (subqueries 7 to 12)."""
    for at in range(1, 18):
        kind = "LEFT JOIN" if at % 3 else "INNER JOIN"
        if at <= 5:
            yield f"{kind} port.voyages_{at + 3} AS v{at}"
        elif at <= 11:
            yield f"{kind} stage_{at - 6} AS v{at}"
        else:
            yield f"{kind} ("
            yield "  SELECT"
            yield "    d.id,"
            yield "    d.parent_id,"
            yield f"    {_nested('d', 'home.country', spelling)} AS country,"
            yield f"    {_nested('d', 'name', spelling)} AS captain,"
            yield "    d.score * 2 AS score,"
            yield "    COALESCE(d.fuel, d.weight, 0) AS fuel,"
            yield "    ROW_NUMBER() OVER (PARTITION BY d.parent_id ORDER BY d.delay_days DESC) AS place"
            yield f"  FROM port.voyages_{at + 3} AS d"
            yield "  WHERE d.crew > 3"
            yield f") AS v{at}"
        yield f"  ON v{at}.id = v{(at - 1) // 2}.id"
        yield f"  AND v{at}.parent_id = v0.parent_id"


def _filters() -> Iterator[str]:
    """Six subqueries (13 to 18) that decide rows."""
    for at in range(3):
        yield "  AND EXISTS ("
        yield f"    SELECT 1 FROM port.voyages_{at + 18} AS e"
        yield f"    WHERE e.id = v{at}.id AND e.status = 'open'"
        yield "  )"
        yield f"  AND v{at + 1}.id IN ("
        yield f"    SELECT q.parent_id FROM port.voyages_{at + 10} AS q"
        yield f"    WHERE q.score > {at} AND q.insured > q.tariff"
        yield "  )"


def _projections(spelling: Spelling) -> Iterator[str]:
    """The 112 select items; the first five are scalar subqueries (19 to 23)."""
    for at in range(5):
        yield (
            f"  (\n    SELECT MAX(x.{_SCALARS[at]})\n    FROM port.voyages_{at + 12} AS x\n"
            f"    WHERE x.parent_id = v0.id\n  ) AS c{at:03}"
        )
    for at in range(5, TARGETS):
        yield f"  {_value(at, spelling)} AS c{at:03}"


def _value(at: int, spelling: Spelling) -> str:
    table, cte, derived = f"v{at % 6}", f"v{6 + at % 6}", f"v{12 + at % 6}"
    scalar, other = _SCALARS[at % 10], _SCALARS[(at + 3) % 10]
    forms = (
        f"{table}.{scalar}",
        _nested(table, "home.city", spelling),
        f"{cte}.amount",
        f"COALESCE(\n    {_nested(table, 'home.country', spelling)},\n    {derived}.country,\n    'unknown'\n  )",
        f"CASE\n    WHEN {table}.status = 'late' THEN {table}.{scalar} + {cte}.worst\n"
        f"    WHEN {derived}.place = 1 THEN {derived}.score\n    ELSE {table}.{other}\n  END",
        f"SUM({table}.{scalar}) OVER (\n    PARTITION BY {cte}.city\n    ORDER BY {table}.{other}\n  )",
        f"CAST({_nested(table, 'home.geo.lon', spelling)} AS {spelling.text})",
        f"CONCAT(\n    {derived}.captain,\n    ' of ',\n    {cte}.city\n  )",
        f"ROUND({table}.{scalar} / NULLIF({cte}.calls, 0), 2)",
    )
    return forms[at % len(forms)]
