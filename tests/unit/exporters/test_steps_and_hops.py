"""`--steps` and `--intermediate`: how a value came to be, and CTEs and derived tables as relations of their own."""

from __future__ import annotations

import json

from sql_lineage_ls.exporters.json import to_json
from sql_lineage_ls.exporters.report import make_report
from sql_lineage_ls.exporters.text import to_text
from tests.support.product import open_files

URI = "file:///w/a.sql"
PAY = """
CREATE VIEW hr.pay AS
SELECT d.team AS "Team", d.people / a.people AS share
FROM (SELECT team, COUNT(*) people, MAX(wage) AS top FROM hr.staff WHERE town = 'Turku' GROUP BY team) d,
     (SELECT COUNT(*) AS people FROM hr.staff) a;
"""


def lines(sql: str, dialect: str = "bigquery", **more: bool) -> list[str]:
    report = make_report(open_files({URI: sql}, dialect), {URI: "a.sql"}, **more)
    return to_text(report, steps=more.get("steps", False)).splitlines()


def steps(sql: str, target: str, dialect: str = "bigquery") -> list[str]:
    start = f"{target} step "
    return [line[len(start):] for line in lines(sql, dialect, steps=True) if line.startswith(start)]


def test_each_step_has_the_transform_and_the_text_of_its_own_scope() -> None:
    sql = """
    WITH sold AS (SELECT shop, SUM(qty * price) AS total FROM sales GROUP BY shop),
         ranked AS (SELECT shop, total, CAST(total AS STRING) AS shown FROM sold)
    SELECT CONCAT('EUR ', shown) AS label, total FROM ranked;
    """
    assert steps(sql, "RS-1.label") == [
        "1 in sold.total: AGGREGATE SUM(qty * price)",
        "2 in ranked.shown: CAST CAST(total AS STRING)",
        "3 in RS-1.label: EXPRESSION CONCAT('EUR ', shown)",
    ]
    assert steps(sql, "RS-1.total") == [
        "1 in sold.total: AGGREGATE SUM(qty * price)",
        "2 in ranked.total: IDENTITY total",
        "3 in RS-1.total: IDENTITY total",
    ]


def test_a_star_is_a_step_of_its_own() -> None:
    sql = "CREATE VIEW v AS WITH a AS (SELECT LOWER(n) AS low FROM t), b AS (SELECT * FROM a) SELECT low FROM b;"
    assert steps(sql, "v.low") == [
        "1 in a.low: EXPRESSION LOWER(n)",
        "2 in b.low: IDENTITY *",
        "3 in v.low: IDENTITY low",
    ]


def test_both_sides_of_an_expression_have_their_steps() -> None:
    assert steps(PAY, "hr.pay.share", "postgres") == [
        "1 in d.people: AGGREGATE COUNT(*)",
        "2 in a.people: AGGREGATE COUNT(*)",
        "3 in hr.pay.share: EXPRESSION d.people / a.people",
    ]


def test_a_condition_has_its_steps_too() -> None:
    sql = """
    WITH paid AS (SELECT amount, UPPER(state) AS state FROM app UNION ALL SELECT total, state FROM web)
    SELECT SUM(CASE WHEN state = 'PAID' THEN amount ELSE 0 END) AS s FROM paid;
    """
    assert steps(sql, "RS-1.s") == [
        "1 in paid/1.amount: IDENTITY amount",
        "2 in paid/2.amount: IDENTITY total",
        "3 in paid.amount: UNION",
        "4 in paid/1.state: EXPRESSION UPPER(state)",
        "5 in paid/2.state: IDENTITY state",
        "6 in paid.state: UNION",
        "7 in RS-1.s: AGGREGATE SUM(CASE WHEN state = 'PAID' THEN amount ELSE 0 END)",
    ]


def test_subqueries_of_one_name_are_told_apart_and_only_those_that_lead_there_are_named() -> None:
    sql = """
    SELECT x.n FROM (SELECT b.n, b.other FROM (SELECT n + 1 AS n, m AS other FROM t) AS b) AS x
    JOIN (SELECT b.k FROM (SELECT k FROM u) AS b) AS y ON y.k = x.n
    """
    assert steps(sql, "RS-1.n") == [
        "1 in b.n: EXPRESSION n + 1",
        "2 in x.n: IDENTITY b.n",
        "3 in RS-1.n: IDENTITY x.n",
    ]
    assert steps(sql.replace("SELECT x.n", "SELECT y.k"), "RS-1.k")[0] == "1 in b#2.k: IDENTITY k"


def test_the_star_of_a_table_without_ddl_is_a_step() -> None:
    sql = "CREATE VIEW v AS SELECT a.b.c FROM (SELECT * FROM t);"
    assert steps(sql, "v.c") == ["1 in subquery.*: IDENTITY *", "2 in v.c: IDENTITY a.b.c"]


def test_the_field_of_a_record_has_the_steps_of_that_field() -> None:
    sql = """
    CREATE VIEW v AS WITH c AS (SELECT STRUCT(LOWER(x) AS p, y AS q) AS s FROM t), d AS (SELECT s AS r FROM c)
    SELECT r.p, r FROM d;
    """
    assert steps(sql, "v.p") == [
        "1 in c.s.p: EXPRESSION STRUCT(LOWER(x) AS p, y AS q)",
        "2 in d.r.p: IDENTITY s",
        "3 in v.p: IDENTITY r.p",
    ]


def test_a_step_is_one_line() -> None:
    sql = "CREATE VIEW v AS SELECT CONCAT(a,\n\n   b) AS c FROM t;"
    assert steps(sql, "v.c") == ["1 in v.c: EXPRESSION CONCAT(a, b)"]


def test_derived_tables_are_relations_and_edges_single_hops() -> None:
    assert lines(PAY, "postgres", indirect=True, intermediate=True) == [
        "table hr.staff: team, town, wage",
        'view hr.pay: "Team", share',
        "result d: team, people, top",
        "result a: people",
        "d.team <- hr.staff.team",
        "d.team <~ hr.staff.town",
        "d.people <~ hr.staff.RelationRows hr.staff.town hr.staff.team",
        "d.top <- hr.staff.wage",
        "d.top <~ hr.staff.town hr.staff.team",
        "a.people <~ hr.staff.RelationRows",
        'hr.pay."Team" <- d.team',
        "hr.pay.share <- d.people a.people",
    ]


def test_a_cte_is_one_relation_for_all_its_readers() -> None:
    sql = """
    WITH c AS (SELECT id, STRUCT(x AS p, y AS q) AS s FROM t)
    SELECT one.s.p, COUNT(*) AS n FROM c AS one JOIN c AS two ON one.id = two.id GROUP BY 1;
    """
    assert lines(sql, indirect=True, intermediate=True) == [
        "table t: id, x, y",
        "result c: id, s, s.p, s.q",
        "c.id <- t.id",
        "c.s.p <- t.x",
        "c.s.q <- t.y",
        "RS-1.p <- c.s.p",
        "RS-1.p <~ c.id",
        "RS-1.n <~ c.RelationRows c.id c.s.p",
    ]


def test_results_without_a_name_are_numbered_after_the_queries_and_names_are_made_unique() -> None:
    sql = """
    SELECT a FROM (SELECT * FROM t);
    SELECT b FROM (SELECT b FROM u) AS x;
    SELECT c FROM (SELECT c FROM u) AS x;
    """
    assert lines(sql, intermediate=True) == [
        "table t: *",
        "table u: b, c",
        "result RS-4: *, a",
        "result x: b",
        "result x#2: c",
        "RS-4.* <- t.*",
        "RS-1.a <- RS-4.a",
        "x.b <- u.b",
        "RS-2.b <- x.b",
        "x#2.c <- u.c",
        "RS-3.c <- x#2.c",
    ]


def test_two_columns_of_one_name_are_two_nodes() -> None:
    sql = "SELECT * FROM (SELECT t.line, u.line FROM t, u) AS x(a, b);"
    assert lines(sql, "postgres", intermediate=True)[2:] == [
        "result x: line, line#2",
        "x.line <- t.line",
        "x.line#2 <- u.line",
        "RS-1.a <- x.line",
        "RS-1.b <- x.line#2",
    ]


def test_the_keys_of_a_built_object_are_compared_as_spelled() -> None:
    sql = "WITH c AS (SELECT OBJECT_CONSTRUCT('Kind', x) AS o FROM t) SELECT o:Kind AS k, o:kind AS none FROM c;"
    assert lines(sql, "snowflake", intermediate=True) == [
        "table t: x",
        "result c: o, o.Kind",
        "c.o.Kind <- t.x",
        "RS-1.k <- c.o.Kind",
    ]


def test_a_recursive_cte_does_not_read_itself_for_ever() -> None:
    sql = """
    WITH RECURSIVE up AS (
      SELECT id, boss FROM staff UNION ALL SELECT s.id, s.boss FROM staff s JOIN up ON s.id = up.boss
    )
    SELECT id FROM up;
    """
    assert lines(sql, "postgres", intermediate=True) == [
        "table staff: id, boss",
        "result up: id, boss",
        "up.id <- staff.id",
        "up.boss <- staff.boss",
        "RS-1.id <- up.id",
    ]


def test_steps_in_json_name_their_node() -> None:
    snapshot = open_files({URI: PAY}, "postgres")
    whole = json.loads(to_json(make_report(snapshot, {URI: "a.sql"}, steps=True)))["lineage"][0]
    assert whole["steps"] == [{"scope": "d", "transform": "IDENTITY", "text": "team", "path": "team"}]
    assert whole["transform"] == "RENAME"
    plain = json.loads(to_json(make_report(snapshot, {URI: "a.sql"})))["lineage"][0]
    assert plain["steps"] == [{"scope": "d", "transform": "IDENTITY", "text": "team"}]


def test_hops_in_json_have_no_steps_before_their_own() -> None:
    report = make_report(open_files({URI: PAY}, "postgres"), {URI: "a.sql"}, intermediate=True)
    document = json.loads(to_json(report))
    assert [(found["name"], found["kind"]) for found in document["relations"]] == [
        ("hr.staff", "table"),
        ("hr.pay", "view"),
        ("d", "result"),
        ("a", "result"),
    ]
    share = document["lineage"][-1]
    assert share["sources"] == [
        {"relation": "d", "path": "people", "role": "value", "transform": "EXPRESSION"},
        {"relation": "a", "path": "people", "role": "value", "transform": "EXPRESSION"},
    ]
    assert share["steps"] == []


def test_hops_and_whole_ways_agree() -> None:
    """Following the hops from a target gives the sources of the edge from end to end."""
    sql = """
    CREATE VIEW v AS
    WITH a AS (SELECT k, x + y AS s, z FROM t), b AS (SELECT k, s * 2 AS d, z FROM a),
         c AS (SELECT k, d FROM b UNION ALL SELECT k, w FROM u)
    SELECT c.k, c.d, o.z, ROW_NUMBER() OVER (ORDER BY c.d) AS n FROM c JOIN (SELECT k, z FROM a) AS o ON o.k = c.k;
    """
    snapshot = open_files({URI: sql}, "postgres")
    whole = make_report(snapshot, {URI: "a.sql"}).edges
    hops = make_report(snapshot, {URI: "a.sql"}, intermediate=True).edges
    direct = {hop.text: [source.text for source in hop.sources] for hop in hops}

    def stored(node: str) -> set[str]:
        return {found for source in direct[node] for found in stored(source)} if node in direct else {node}

    assert [(edge.text, {source.text for source in edge.sources}) for edge in whole] == [
        (edge.text, stored(edge.text)) for edge in whole
    ]
    assert stored("v.d") == {"t.x", "t.y", "u.w"}
