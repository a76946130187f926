# ruff: noqa: E501
"""Pipe syntax, lowered to nested blocks: whole models with exact name spans."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from tests.support.model_text import model_text
from tests.unit.syntax.test_parse_damaged import records

CASES = [
    (
        "bigquery",
        "FROM calls |> WHERE kg > 1 |> SELECT kind, kg AS load",
        "select kind, kg as load from calls where (> kg 1)",
    ),
    (
        "bigquery",
        "FROM calls AS c |> WHERE c.kg > 1 |> EXTEND c.kg * 2 AS double |> WHERE double > 3 AND c.kind = 'x'",
        "select * from (keep select *, (* c.kg 2) as double from calls as c where (> c.kg 1)) where (AND (> double 3) (= c.kind 'x'))",
    ),
    (
        "bigquery",
        "FROM calls |> AGGREGATE SUM(kg) AS total, COUNT(*) AS n GROUP BY kind, port AS harbour |> WHERE total > 9 |> ORDER BY total DESC |> LIMIT 3",
        "select * from (keep select * from (select kind, port as harbour, SUM!(kg) as total, COUNT!(*) as n from calls group kind, port) where (> total 9) order total)",
    ),
    (
        "bigquery",
        "FROM calls |> SET kg = kg * 2, kind = UPPER(kind) |> DROP port |> RENAME kind AS sort",
        "select * rename(kind as sort) from (keep select * except(port) from (keep select * replace((* kg 2) as kg, UPPER(kind) as kind) from calls))",
    ),
    (
        "bigquery",
        "FROM calls AS c |> JOIN vessels AS v ON c.id = v.id |> SELECT c.kg, v.name",
        "select c.kg, v.name from calls as c inner vessels as v on (= c.id v.id)",
    ),
    (
        "bigquery",
        "FROM calls |> WHERE kg > 1 |> LEFT JOIN vessels USING (id) |> SELECT kg",
        "select kg from (keep select * from calls where (> kg 1)) left vessels using(id)",
    ),
    (
        "bigquery",
        "FROM calls |> SELECT kg |> AS c |> JOIN vessels AS v ON c.kg = v.tons",
        "select * from (select kg from calls) as c inner vessels as v on (= c.kg v.tons)",
    ),
    (
        "bigquery",
        "FROM calls |> SELECT kg |> UNION ALL (SELECT tons FROM vessels), (FROM berths |> SELECT no)",
        "((select kg from calls) union (select tons from vessels)) union (select no from berths)",
    ),
    (
        "bigquery",
        "FROM calls |> PIVOT (SUM(kg) FOR kind IN ('coal', 'grain')) |> SELECT coal",
        "select coal from calls pivot(SUM!(kg) for kind in 'coal', 'grain')",
    ),
    (
        "bigquery",
        "SELECT id FROM vessels |> WHERE id > 1 |> DISTINCT",
        "select * distinct() from (select id from vessels) where (> id 1)",
    ),
    (
        "bigquery",
        "WITH c AS (FROM calls |> SELECT kg) SELECT kg FROM c",
        "with c = (select kg from calls) select kg from c",
    ),
    ("bigquery", "INSERT INTO loads FROM calls |> SELECT kg", "insert loads <- select kg from calls"),
    ("bigquery", "FROM calls |> AGGREGATE SUM(kg)", "select SUM!(kg) from calls"),
    (
        "bigquery",
        "FROM calls |> WINDOW RANK() OVER (ORDER BY kg) AS place |> WHERE place = 1",
        "select * from (keep select *, RANK() over(order kg) as place from calls) where (= place 1)",
    ),
    ("bigquery", "FROM calls |> WHERE kg > 1", "select * from calls where (> kg 1)"),
    (
        "bigquery",
        "FROM calls |> CALL port.weigh(3)",
        "select * from table PORT.WEIGH(scalar(select * from calls), 3)",
    ),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_the_whole_model(dialect: str, sql: str, expected: str) -> None:
    assert model_text(sql, parse_statement(sql, DIALECTS[dialect])) == expected


def test_items_keep_their_place() -> None:
    sql = "FROM calls |> EXTEND kg * 2 AS double |> AGGREGATE SUM(double) AS total GROUP BY kind |> SELECT total"
    model = parse_statement(sql, DIALECTS["bigquery"])
    items = [node for node in records(model.statement) if isinstance(node, q.Projection) and node.end > node.start]
    assert sorted(sql[item.start : item.end] for item in items) == [
        "SUM(double) AS total",
        "kg * 2 AS double",
        "kind",
        "total",
    ]
