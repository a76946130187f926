# ruff: noqa: E501
"""Spans of what is no name: select items, stars, function names, constants, sources."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from tests.unit.syntax.test_parse_damaged import records

ITEMS = [
    ("bigquery", "SELECT a, b.c AS d, SUM(e) FROM t", [["a", "b.c AS d", "SUM(e)"]]),
    ("bigquery", "SELECT DISTINCT a -- first\n , (b), 'x' FROM t", [["a", "(b)", "'x'"]]),
    ("bigquery", "SELECT AS STRUCT a, IF(b, (SELECT c, d FROM u), e) AS f FROM t", [["a", "IF(b, (SELECT c, d FROM u), e) AS f"], ["c", "d"]]),
    ("bigquery", "SELECT * EXCEPT (a), b.* REPLACE (c AS d), e FROM t", [["* EXCEPT (a)", "b.* REPLACE (c AS d)", "e"]]),
    ("bigquery", "SELECT CAST(a AS STRUCT<b INT64, c STRING>), d < e, f > g FROM t", [["CAST(a AS STRUCT<b INT64, c STRING>)", "d < e", "f > g"]]),
    ("bigquery", "SELECT a IS DISTINCT FROM b, EXTRACT(DAY FROM c) FROM t", [["a IS DISTINCT FROM b", "EXTRACT(DAY FROM c)"]]),
    ("bigquery", "WITH w AS (SELECT a, b FROM t) SELECT c, d FROM w UNION ALL SELECT e, f FROM u", [["a", "b"], ["c", "d"], ["e", "f"]]),
    ("postgres", "SELECT DISTINCT ON (a, b) c, d FROM t", [["c", "d"]]),
    ("tsql", "SELECT TOP (5) PERCENT WITH TIES a, b = c INTO #d FROM t", [["a", "b = c"]]),
    ("snowflake", "SELECT a:from::int, b FROM t", [["a:from::int", "b"]]),
    ("duckdb", "FROM t SELECT a, b WHERE c", [["a", "b"]]),
    ("hive", "FROM t INSERT INTO a SELECT b, c INSERT INTO d SELECT e", [["b", "c"], ["e"]]),
    ("oracle", "INSERT ALL INTO a VALUES (b, 'x') SELECT c FROM t", [["c"], ["b", "'x'"]]),
    ("bigquery", "SELECT NULL, TRUE, @p, CURRENT_DATE FROM t", [["NULL", "TRUE", "@p", "CURRENT_DATE"]]),
    ("bigquery", "SELECT (SELECT a FROM t), (SELECT b FROM u) FROM v", [["(SELECT a FROM t)", "(SELECT b FROM u)"], ["a"], ["b"]]),
    ("bigquery", "INSERT INTO x SELECT a, b FROM t", [["a", "b"]]),
]  # fmt: skip


def parse(sql: str, dialect: str) -> q.StatementModel:
    model = parse_statement(sql, DIALECTS[dialect])
    assert model.issues == ()
    return model


def texts(sql: str, nodes: list[q.Projection]) -> list[str]:
    return [sql[node.start : node.end] for node in nodes]


@pytest.mark.parametrize(("dialect", "sql", "expected"), ITEMS)
def test_select_items(dialect: str, sql: str, expected: list[list[str]]) -> None:
    selects = [node for node in records(parse(sql, dialect).statement) if isinstance(node, q.Select)]
    found = [texts(sql, list(select.projections)) for select in selects]
    assert sorted(found) == sorted(expected)


def test_a_select_without_its_keyword_has_no_item_spans() -> None:
    select = next(node for node in records(parse("FROM t", "duckdb").statement) if isinstance(node, q.Select))
    assert [(p.start, p.end) for p in select.projections] == [(-1, -1)]
    assert select.start == -1


def test_a_select_begins_at_its_keyword() -> None:
    sql = "WITH w AS (SELECT a FROM t) SELECT b FROM w"
    starts = {
        node.projections[0].value: node.start
        for node in records(parse(sql, "trino").statement)
        if isinstance(node, q.Select)
    }
    assert starts == {
        q.ColumnRef((q.Name("a", 18, 19),)): sql.index("SELECT a"),
        q.ColumnRef((q.Name("b", 35, 36),)): sql.index("SELECT b"),
    }


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("bigquery", "SELECT Sum(a), SAFE.substr(b, 1), ds.fn(c), COUNT(*) FROM t", {"SUM": "Sum", "SUBSTR": "substr", "DS.FN": "ds.fn", "COUNT": "COUNT"}),
        ("snowflake", "SELECT listagg(a, ',') WITHIN GROUP (ORDER BY b), Max_By(c, d) FROM t", {"LISTAGG": "listagg", "MAX_BY": "Max_By"}),
        ("spark", "SELECT 1 FROM t LATERAL VIEW explode(a) e AS b", {"EXPLODE": "explode"}),
        ("tsql", "SELECT 1 FROM dbo.fees(1) AS f", {"DBO.FEES": "dbo.fees"}),
    ],
)  # fmt: skip
def test_function_names(dialect: str, sql: str, expected: dict[str, str]) -> None:
    calls = [node for node in records(parse(sql, dialect).statement) if isinstance(node, q.Call)]
    assert {call.name: sql[call.start : call.end] for call in calls} == expected


def test_stars_constants_and_keys() -> None:
    sql = "SELECT *, t.*, m['user'], x[0], 'text', 12, COUNT(*) FROM t"
    nodes = list(records(parse(sql, "bigquery").statement))
    assert [sql[n.start : n.end] for n in nodes if isinstance(n, q.Star)] == ["*"] * 3
    assert sorted(sql[n.start : n.end] for n in nodes if isinstance(n, q.Literal)) == ["'text'", "'user'", "0", "12"]
    assert sorted(sql[n.start : n.end] for n in nodes if isinstance(n, q.ElementAccess)) == ["'user'", "0"]


def test_sources() -> None:
    sql = "SELECT 1 FROM `p.d.t` AS x, UNNEST(x.a) AS y, x.b AS z LEFT JOIN c.d ON TRUE"
    nodes = list(records(parse(sql, "bigquery").statement))
    assert sorted(sql[n.start : n.end] for n in nodes if isinstance(n, q.TableRef)) == ["c.d", "p.d.t", "x.b"]
    assert [sql[n.start : n.end] for n in nodes if isinstance(n, q.Unnest)] == ["UNNEST"]


def test_parts_of_a_json_path() -> None:
    sql = "SELECT doc:device.\"Op Sys\"['Ver'].no, JSON_VALUE(doc, '$.a.b') FROM t"
    names = [n for n in records(parse(sql, "snowflake").statement) if isinstance(n, q.FieldAccess)]
    spans = {n.name.text: sql[n.name.start : n.name.end] for n in names}
    assert spans == {"device": "device", "Op Sys": '"Op Sys"', "Ver": "'Ver'", "no": "no", "a": "a", "b": "b"}


def test_type_fields_of_a_cast() -> None:
    sql = "SELECT CAST(a AS STRUCT<x INT64, y ARRAY<STRUCT<z STRING>>>) FROM t"
    fields = [n for n in records(parse(sql, "bigquery").statement) if isinstance(n, q.FieldSpec)]
    assert sorted(sql[f.name.start : f.name.end] for f in fields if f.name) == ["x", "y", "z"]


def test_the_parser_of_others_is_left_as_it_was() -> None:
    from sqlglot.parsers.bigquery import BigQueryParser

    parse("SELECT i FROM t, t.items AS i", "bigquery")
    assert BigQueryParser.SUPPORTS_IMPLICIT_UNNEST is True
