"""Whole answers of the dependency model: where a value comes from, how it is made, and what is not proved of it.

The queries have the shapes that lineage documents are written about: a ratio of two aggregates over derived tables, two
channels in one UNION, and a total of nine conditional sums that all read the same two columns.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sql_lineage_ls.exporters.json import to_json
from sql_lineage_ls.exporters.report import make_report
from sql_lineage_ls.exporters.text import to_text
from tests.support.product import open_files

URI = "file:///w/a.sql"


def lines(sql: str, dialect: str, **more: bool) -> list[str]:
    report = make_report(open_files({URI: sql}, dialect), {URI: "a.sql"}, **more)
    return to_text(report, steps=more.get("steps", False)).splitlines()


def document(sql: str, dialect: str, **more: bool) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(to_json(make_report(open_files({URI: sql}, dialect), {URI: "a.sql"}, **more)))
    return made


def edges(sql: str, dialect: str, **more: bool) -> dict[str, Any]:
    return {
        f"{edge['target']['relation']}.{edge['target']['path']}": edge
        for edge in document(sql, dialect, **more)["lineage"]
    }


def sources(edge: dict[str, Any], *roles: str) -> list[str]:
    return [f"{s['relation']}.{s['path']}" for s in edge["sources"] if s["role"] in roles]


# ---------------------------------------------------------------- a ratio of two aggregates

WAGES = """
CREATE TABLE hr.crew (team INT, wage INT, port VARCHAR(20));
CREATE VIEW hr.share AS
SELECT t.team AS "Team", t.people / a.people AS "People", t.wages / a.wages AS "Wages"
FROM (SELECT team, COUNT(*) people, SUM(wage) wages FROM hr.crew WHERE port = 'Oslo' GROUP BY team) t,
     (SELECT COUNT(*) people, SUM(wage) wages FROM hr.crew WHERE port = 'Oslo') a;
"""


def test_a_ratio_of_aggregates_end_to_end() -> None:
    assert lines(WAGES, "postgres", indirect=True)[2:] == [
        'hr.share."Team" <- hr.crew.team',
        'hr.share."Team" <~ hr.crew.port',
        'hr.share."People" <~ hr.crew.RelationRows hr.crew.port hr.crew.team',
        'hr.share."Wages" <- hr.crew.wage',
        'hr.share."Wages" <~ hr.crew.port hr.crew.team',
    ]


def test_a_ratio_of_aggregates_hop_by_hop() -> None:
    assert lines(WAGES, "postgres", indirect=True, intermediate=True)[2:] == [
        "result t: team, people, wages",
        "result a: people, wages",
        "t.team <- hr.crew.team",
        "t.team <~ hr.crew.port",
        "t.people <~ hr.crew.RelationRows hr.crew.port hr.crew.team",
        "t.wages <- hr.crew.wage",
        "t.wages <~ hr.crew.port hr.crew.team",
        "a.people <~ hr.crew.RelationRows hr.crew.port",
        "a.wages <- hr.crew.wage",
        "a.wages <~ hr.crew.port",
        'hr.share."Team" <- t.team',
        'hr.share."People" <- t.people a.people',
        'hr.share."Wages" <- t.wages a.wages',
    ]


def test_a_grouping_column_decides_over_each_aggregate() -> None:
    sql = "SELECT team, COUNT(*) AS n, COUNT(1) AS ones, SUM(wage) AS s FROM crew GROUP BY team;"
    assert lines(sql, "mysql", indirect=True)[1:] == [
        "RS-1.team <- crew.team",
        "RS-1.n <~ crew.RelationRows crew.team",
        "RS-1.ones <~ crew.RelationRows crew.team",
        "RS-1.s <- crew.wage",
        "RS-1.s <~ crew.team",
    ]


# ---------------------------------------------------------------- two channels in one UNION

SALES = """
CREATE TABLE raw.app_sale (sale BIGINT, client BIGINT, paid DECIMAL(18, 2), state STRING, made TIMESTAMP, day STRING);
CREATE TABLE raw.web_sale (no BIGINT, buyer BIGINT, amount DECIMAL(18, 2), status STRING, at TIMESTAMP, day STRING);
CREATE TABLE mart.channels AS
WITH sales AS (
  SELECT sale, client, paid, state, made, 'APP' AS channel FROM raw.app_sale WHERE day = '${today}'
  UNION ALL
  SELECT no AS sale, buyer AS client, amount AS paid, status AS state, at AS made, 'WEB' AS channel
  FROM raw.web_sale WHERE day = '${today}'
)
SELECT channel, COUNT(*) AS sales, COUNT(DISTINCT client) AS clients,
  SUM(CASE WHEN state = 'PAID' THEN paid ELSE 0 END) AS paid, MIN(made) AS first_made
FROM sales GROUP BY channel;
"""


@pytest.mark.parametrize("dialect", ["spark", "hive", "databricks"])
def test_a_constant_of_each_branch_is_generated_and_comes_from_no_column(dialect: str) -> None:
    channel = edges(SALES, dialect)["mart.channels.channel"]
    assert (channel["source_kind"], channel["sources"], channel["complete"]) == ("generated", [], True)
    assert channel["generated"] == [
        {"kind": "constant", "text": "'APP'", "transform": "CONSTANT"},
        {"kind": "constant", "text": "'WEB'", "transform": "CONSTANT"},
    ]


def test_a_conditional_sum_has_its_values_its_conditions_and_its_expression() -> None:
    paid = edges(SALES, "spark")["mart.channels.paid"]
    assert paid["sources"] == [
        {"relation": "raw.app_sale", "path": "paid", "role": "value", "transform": "AGGREGATE"},
        {"relation": "raw.web_sale", "path": "amount", "role": "value", "transform": "AGGREGATE"},
        {"relation": "raw.app_sale", "path": "state", "role": "condition", "transform": "AGGREGATE"},
        {"relation": "raw.web_sale", "path": "status", "role": "condition", "transform": "AGGREGATE"},
    ]
    assert paid["expression"] == "SUM(CASE WHEN state = 'PAID' THEN paid ELSE 0 END)"
    assert (paid["transform"], paid["source_kind"], paid["complete"]) == ("AGGREGATE", "mixed", True)


def test_the_branches_are_steps_in_the_order_of_the_text() -> None:
    sql = SALES.replace("mart.channels", "c")
    assert [line for line in lines(sql, "spark", steps=True) if line.startswith("c.channel step")] == [
        "c.channel step 1 in sales/1.channel: CONSTANT 'APP'",
        "c.channel step 2 in sales/2.channel: CONSTANT 'WEB'",
        "c.channel step 3 in sales.channel: UNION",
        "c.channel step 4 in c.channel: IDENTITY channel",
    ]


def test_a_statement_that_is_a_union_itself_shows_its_branches() -> None:
    sql = """
    CREATE TABLE t (a INT);
    INSERT INTO t (a) SELECT x FROM u UNION ALL SELECT y + 1 FROM v UNION ALL SELECT 7;
    """
    assert [line for line in lines(sql, "postgres", steps=True) if " step " in line] == [
        "t.a step 1 in t/1.a: IDENTITY x",
        "t.a step 2 in t/2.a: EXPRESSION y + 1",
        "t.a step 3 in t/3.a: CONSTANT 7",
        "t.a step 4 in t.a: UNION",
    ]


# ---------------------------------------------------------------- nine branches, three columns

_PARTS = ("coming", "overdue", "open", "fined", "late", "service", "support", "base")


def owed() -> str:
    sums = ",\n".join(f"    SUM(CASE WHEN part LIKE '{part}%' THEN worth END) AS {part}_sum" for part in _PARTS)
    again = ",\n".join(f"    SUM(p.{part}_sum) AS {part}_sum" for part in _PARTS)
    total = "\n  + ".join(f"COALESCE(s.{part}_sum, 0)" for part in _PARTS)
    return f"""
CREATE TABLE ods.balance (account BIGINT, part STRING, worth DECIMAL(18, 2));
CREATE TABLE ods.plan (account BIGINT, planned DECIMAL(18, 2));
CREATE TABLE mart.owed (account BIGINT, total DECIMAL(18, 2));
INSERT OVERWRITE TABLE mart.owed
SELECT s.account, {total}
  + COALESCE(f.planned_sum, 0) AS total
FROM (
  SELECT p.account,
{again}
  FROM (
    SELECT account,
{sums}
    FROM ods.balance GROUP BY account
  ) p GROUP BY p.account
) s LEFT JOIN (SELECT account, SUM(planned) AS planned_sum FROM ods.plan GROUP BY account) f ON s.account = f.account;
"""


def test_nine_branches_rest_on_three_columns_in_four_scopes_and_eighteen_steps() -> None:
    total = edges(owed(), "spark", steps=True)["mart.owed.total"]
    assert sources(total, "value", "condition") == ["ods.balance.worth", "ods.balance.part", "ods.plan.planned"]
    assert (total["complete"], total["gaps"]) == (True, [])
    scopes = [step["scope"] for step in total["steps"]]
    assert scopes == ["p"] * 8 + ["s"] * 8 + ["f"]
    assert len({*scopes, "mart.owed"}) == 4
    assert len([*total["steps"], total["expression"]]) == 18
    assert total["steps"][2] == {
        "scope": "p", "transform": "AGGREGATE", "text": "SUM(CASE WHEN part LIKE 'open%' THEN worth END)",
        "path": "open_sum",
    }


def test_what_is_worth_a_look_leaves_the_trace_complete() -> None:
    statement = document(owed(), "spark")["statements"][-1]
    assert statement["gaps"] == []
    assert [warning["kind"] for warning in statement["warnings"]] == ["conditional-aggregate"] * 8
    assert {warning["scope"] for warning in statement["warnings"]} == {"p"}


# ---------------------------------------------------------------- rows, joins, statements that change rows


def test_join_conditions_link_columns_and_are_told_from_filters() -> None:
    sql = """
    CREATE TABLE a (key INT, kind INT, b INT);
    CREATE TABLE tt (key INT, live INT, kind INT);
    CREATE VIEW v AS SELECT a.b FROM a LEFT JOIN tt ON a.key = tt.key AND tt.live = 1 WHERE a.kind > 3;
    CREATE VIEW w AS SELECT a.b FROM a, tt WHERE a.key = tt.key AND tt.live = 1;
    CREATE VIEW u AS SELECT b FROM a JOIN tt USING (key, kind);
    CREATE VIEW s AS SELECT a.b FROM a JOIN (SELECT key AS k FROM tt) x ON x.k = a.key;
    """
    told = document(sql, "postgres", indirect=True)
    links = [(j["left"]["relation"] + "." + j["left"]["path"], j["right"]["relation"] + "." + j["right"]["path"],
              j["kind"]) for j in told["joins"]]
    assert links == [
        ("a.key", "tt.key", "LEFT"),
        ("a.key", "tt.key", "WHERE"),
        ("a.key", "tt.key", "INNER"), ("a.kind", "tt.kind", "INNER"),
        ("tt.key", "a.key", "INNER"),
    ]
    uses = {
        edge["target"]["relation"]: {(f"{s['relation']}.{s['path']}", s["use"]) for s in edge["sources"] if "use" in s}
        for edge in told["lineage"]
    }
    assert uses == {
        "v": {("a.key", "join"), ("tt.key", "join"), ("tt.live", "filter"), ("a.kind", "filter")},
        "w": {("a.key", "join"), ("tt.key", "join"), ("tt.live", "filter")},
        "u": {("a.key", "join"), ("tt.key", "join"), ("a.kind", "join"), ("tt.kind", "join")},
        "s": {("a.key", "join"), ("tt.key", "join")},
    }


def test_two_columns_of_one_row_are_no_join() -> None:
    sql = "CREATE VIEW v AS SELECT t.a FROM t WHERE t.b = t.c;"
    assert document(sql, "postgres")["joins"] == []
    sql = "CREATE VIEW v AS SELECT t.a FROM t JOIN t AS up ON t.b = up.c;"
    assert len(document(sql, "postgres")["joins"]) == 1


@pytest.mark.parametrize(("query", "expected"), [
    ("SELECT a.x FROM a CROSS JOIN b", ["v.x <- a.x", "v.x <~ b.RelationRows"]),
    ("SELECT a.x FROM a, b WHERE b.y > 0", ["v.x <- a.x", "v.x <~ b.y"]),
    ("SELECT a.x FROM a WHERE EXISTS (SELECT 1 FROM b)", ["v.x <- a.x", "v.x <~ b.RelationRows"]),
    ("SELECT a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.y = a.x)", ["v.x <- a.x", "v.x <~ b.y a.x"]),
    ("SELECT COUNT(*) AS x FROM a", ["v.x <~ a.RelationRows"]),
    ("SELECT SUM(1) AS x FROM a", ["v.x <~ a.RelationRows"]),
    ("SELECT MAX(1) AS x FROM a JOIN b ON a.i = b.i", ["v.x <~ a.i b.i"]),
])  # fmt: skip
def test_rows_count_where_no_column_tells(query: str, expected: list[str]) -> None:
    told = lines(f"CREATE VIEW v AS {query};", "mysql", indirect=True)
    assert [line for line in told if line.startswith("v.")] == expected


@pytest.mark.parametrize(("dialect", "query", "expected"), [
    ("bigquery", "SELECT o.id FROM o, UNNEST(o.items) AS i", ["v.id <- o.id", "v.id <~ o.items"]),
    ("bigquery", "SELECT o.id, i.sku FROM o, UNNEST(o.items) AS i", ["v.id <- o.id", "v.sku <- o.items[*].sku"]),
    ("snowflake", "SELECT o.id FROM o, LATERAL FLATTEN(input => o.items) f", ["v.id <- o.id", "v.id <~ o.items"]),
    ("spark", "SELECT id FROM o LATERAL VIEW EXPLODE(items) e AS i", ["v.id <- o.id", "v.id <~ o.items"]),
    ("bigquery", "SELECT id FROM o WHERE EXISTS (SELECT 1 FROM UNNEST(o.items))", ["v.id <- o.id", "v.id <~ o.items"]),
    ("spark", "SELECT COUNT(*) AS n FROM o LATERAL VIEW EXPLODE(o.items) e AS i", ["v.n <~ o.RelationRows o.items"]),
])  # fmt: skip
def test_an_array_that_is_only_counted_decides_over_the_rows(dialect: str, query: str, expected: list[str]) -> None:
    types = {"bigquery": "INT64, items ARRAY<STRUCT<sku STRING>>", "snowflake": "INT, items ARRAY",
             "spark": "INT, items ARRAY<STRUCT<sku: STRING>>"}
    told = lines(f"CREATE TABLE o (id {types[dialect]}); CREATE VIEW v AS {query};", dialect, indirect=True)
    assert [line for line in told if line.startswith("v.")] == expected


@pytest.mark.parametrize(("dialect", "sql", "expected"), [
    ("postgres", "ALTER TABLE t2 RENAME TO t3", ["t3.RelationRows <- t2.RelationRows", "t3.* <- t2.*"]),
    ("snowflake", "CREATE TABLE c CLONE t", ["c.RelationRows <- t.RelationRows", "c.* <- t.*"]),
    ("hive", "ALTER TABLE t EXCHANGE PARTITION (d = '1') WITH TABLE u",
     ["t.RelationRows <- u.RelationRows", "t.* <- u.*"]),
    ("mysql", "ALTER TABLE t EXCHANGE PARTITION p WITH TABLE u",
     ["t.RelationRows <- u.RelationRows", "t.* <- u.*", "u.RelationRows <- t.RelationRows", "u.* <- t.*"]),
    ("tsql", "ALTER TABLE t SWITCH TO u", ["u.RelationRows <- t.RelationRows", "u.* <- t.*"]),
    ("redshift", "ALTER TABLE t APPEND FROM u", ["t.RelationRows <- u.RelationRows", "t.* <- u.*"]),
    ("clickhouse", "ALTER TABLE t REPLACE PARTITION 1 FROM u", ["t.RelationRows <- u.RelationRows", "t.* <- u.*"]),
])  # fmt: skip
def test_tables_that_hand_on_their_rows(dialect: str, sql: str, expected: list[str]) -> None:
    assert [line for line in lines(sql + ";", dialect) if "<-" in line] == expected


ACCOUNTS = """
CREATE TABLE acc (id INT, state VARCHAR(9), amount INT);
CREATE TABLE chg (id INT, delta INT, kind VARCHAR(9));
"""


def test_a_delete_changes_no_value() -> None:
    (edge,) = document(f"{ACCOUNTS} DELETE FROM acc WHERE state = 'CLOSED';", "postgres", indirect=True)["lineage"]
    assert edge["target"] == {"relation": "acc", "path": "RelationRows"}
    assert sources(edge, "value", "condition") == []
    assert sources(edge, "membership") == ["acc.state"]


def test_an_update_tells_values_conditions_and_rows_apart() -> None:
    sql = f"""{ACCOUNTS}
    UPDATE acc SET amount = CASE WHEN c.kind = 'add' THEN acc.amount + c.delta ELSE 0 END
    FROM chg c WHERE c.id = acc.id;
    """
    edge = edges(sql, "postgres", indirect=True)["acc.amount"]
    assert sources(edge, "value") == ["acc.amount", "chg.delta"]
    assert sources(edge, "condition") == ["chg.kind"]
    assert sources(edge, "membership") == ["chg.id", "acc.id"]


def test_a_merge_tells_on_and_when_apart_from_what_is_written() -> None:
    sql = f"""{ACCOUNTS}
    MERGE INTO acc AS a USING chg AS c ON a.id = c.id
    WHEN MATCHED AND c.kind = 'del' THEN DELETE
    WHEN MATCHED AND a.state = 'open' THEN UPDATE SET amount = c.delta
    WHEN NOT MATCHED THEN INSERT (id, amount) VALUES (c.id, c.delta);
    """
    found = edges(sql, "snowflake", indirect=True)
    amount, rows = found["acc.amount"], found["acc.RelationRows"]
    assert sources(amount, "value") == ["chg.delta"]
    assert sources(amount, "condition") == ["acc.state"]
    assert sources(amount, "membership") == ["acc.id", "chg.id"]
    assert sources(rows, "value", "condition") == []
    assert sources(rows, "membership") == ["chg.kind", "acc.id", "chg.id"]


@pytest.mark.parametrize(("dialect", "value", "kind", "text"), [
    ("postgres", "DEFAULT", "default", "DEFAULT"),
    ("postgres", "nextval('seq')", "sequence", "NEXTVAL('seq')"),
    ("tsql", "NEXT VALUE FOR dbo.seq", "sequence", "NEXT VALUE FOR dbo.seq"),
    ("oracle", "seq.NEXTVAL", "sequence", "seq.NEXTVAL"),
    ("snowflake", "CURRENT_TIMESTAMP()", "system", "CURRENT_TIMESTAMP"),
    ("bigquery", "GENERATE_UUID()", "system", "GENERATE_UUID"),
    ("mysql", "7", "constant", "7"),
])  # fmt: skip
def test_generated_values_say_what_makes_them(dialect: str, value: str, kind: str, text: str) -> None:
    edge = edges(f"CREATE TABLE t (a INT, b INT); UPDATE t SET a = {value} WHERE b = 1;", dialect)["t.a"]
    assert [(made["kind"], made["text"]) for made in edge["generated"]] == [(kind, text)]
    assert (edge["source_kind"], edge["complete"]) == ("generated", True)


# ---------------------------------------------------------------- gaps


def test_a_gap_says_what_is_missing_where_and_what_it_blocks() -> None:
    sql = "CREATE VIEW v AS SELECT c.total, 1 AS one FROM (SELECT price * qty AS total FROM orders, items) c;"
    (statement,) = document(sql, "postgres")["statements"]
    first = statement["gaps"][0]
    assert {key: first[key] for key in ("kind", "scope", "expression", "blocks", "root_impact")} == {
        "kind": "owner-unproved", "scope": "c", "expression": "price", "blocks": ["v.total"], "root_impact": True,
    }
    assert first["text"] == "nothing proves which of orders, items has the column 'price'"
    assert "DDL" in first["needed"]
    assert sql[first["column"] - 1 : first["end_column"] - 1] == "price"
    found = edges(sql, "postgres")
    assert (found["v.total"]["source_kind"], found["v.total"]["complete"]) == ("unresolved", False)
    assert (found["v.one"]["source_kind"], found["v.one"]["complete"]) == ("generated", True)


def test_an_unproved_filter_is_a_gap_of_every_target_that_it_decides_over() -> None:
    found = edges("CREATE VIEW v AS SELECT o.id, 1 AS one FROM orders o, items i WHERE price > 3;", "postgres")
    for edge in found.values():
        assert [gap["role"] for gap in edge["gaps"]] == ["membership"]
        assert not edge["complete"]
    assert found["v.id"]["source_kind"] == "physical"


def test_an_unproved_condition_makes_its_value_incomplete() -> None:
    found = edges("CREATE VIEW v AS SELECT CASE WHEN zz > 3 THEN o.a END AS x, o.b FROM orders o, items i;", "postgres")
    assert [gap["role"] for gap in found["v.x"]["gaps"]] == ["condition"]
    assert found["v.b"]["complete"]


def test_a_star_that_is_not_expanded_is_a_warning() -> None:
    told = document("CREATE VIEW v AS SELECT * FROM raw_events;", "spark")
    (statement,) = told["statements"]
    assert statement["gaps"] == []
    assert [warning["kind"] for warning in statement["warnings"]] == ["star-not-expanded"]
    assert told["lineage"][0]["complete"]


def test_rows_for_a_table_whose_columns_nobody_lists() -> None:
    told = document("INSERT INTO sink SELECT a, b + 1 FROM src WHERE c;", "postgres", indirect=True)
    (edge,) = told["lineage"]
    assert edge["target"] == {"relation": "sink", "path": "*"}
    assert sources(edge, "value") == ["src.a", "src.b"]
    assert sources(edge, "membership") == ["src.c"]
    assert not edge["complete"]
    (gap,) = told["statements"][0]["gaps"]
    assert (gap["kind"], gap["blocks"]) == ("target-columns-unknown", ["sink.*"])


def test_columns_that_change_places_are_worth_a_look() -> None:
    sql = "SELECT a, b FROM t UNION ALL SELECT b, a FROM u; INSERT INTO w (a, b) SELECT b, a FROM u;"
    told = document(sql, "postgres")
    kinds = [[warning["kind"] for warning in statement["warnings"]] for statement in told["statements"]]
    assert kinds == [["crossed-union"], ["crossed-insert"]]
    same = document("SELECT a, b FROM t UNION ALL SELECT a, b FROM u;", "postgres")
    assert same["statements"][0]["warnings"] == []
