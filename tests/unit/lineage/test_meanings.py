"""What each token means is worked out when somebody reads it, and says the same whenever that is."""

from __future__ import annotations

from sql_lineage_ls.catalog.catalog import Catalog, Definition, Namespace
from sql_lineage_ls.lineage.analysis import Analysis, ParsedStatement
from sql_lineage_ls.lineage.edges import influences_on_all
from sql_lineage_ls.lineage.model import Source, StatementLineage
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement

DDL = "CREATE TABLE kiln.batches (id INT64, clay STRUCT<name STRING, kilos INT64>)"
QUERY = "WITH fired AS (SELECT b.clay.name AS clay, b.id FROM kiln.batches AS b) SELECT f.clay AS what FROM fired AS f"
BIGQUERY = DIALECTS["bigquery"]


def bound(looked_at: tuple[str, ...]) -> StatementLineage:
    ddl = parse_statement(DDL, BIGQUERY).statement
    assert ddl is not None
    catalog = Catalog().replace_file("ddl", (Definition("ddl", 0, ddl, BIGQUERY, Namespace()),))
    parsed = ParsedStatement("key", parse_statement(QUERY, BIGQUERY), BIGQUERY)
    return Analysis(catalog, {("query", 0): parsed}, None, looked_at).lineage("query", 0)


def test_each_token_is_told_in_the_order_of_the_text() -> None:
    told = bound(("query",)).occurrences
    starts = [occurrence.start for occurrence in told]
    assert starts == sorted(starts)
    words = {(QUERY[one.start : one.end], one.kind) for one in told}
    assert words >= {("fired", "cte"), ("b", "alias"), ("clay", "column"), ("name", "field"), ("what", "output")}


def test_a_value_leads_to_the_stored_node_through_a_cte() -> None:
    what = next(one for one in bound(("query",)).occurrences if one.name == "what")
    assert [node.path for node in what.nodes] == [("clay", "name")]


def test_what_was_told_once_is_not_worked_out_again() -> None:
    told = bound(("query",)).occurrences
    first = told[0]
    assert told[0] is first
    assert next(iter(told)) is first
    assert len(told) == len([*told])


def test_two_readings_of_one_text_are_equal() -> None:
    assert bound(("query",)) == bound(("query",))
    assert bound(("query",)).occurrences == tuple(bound(("query",)).occurrences)


def test_nothing_is_noted_where_nobody_looks() -> None:
    assert not bound(()).occurrences
    assert bound(()).edges == bound(("query",)).edges


def test_what_decides_the_rows_is_added_once_and_shaping_by_the_target_itself_is_left_out() -> None:
    own = (Source("t", ("a",)), Source("t", ("b",), "condition"))
    rows = [
        Source("t", ("a",), "grouping"), Source("t", ("b",), "condition"), Source("t", ("b",), "membership"),
        Source("u", ("a",), "grouping"), Source("u", ("a",), "grouping"),
    ]
    added = influences_on_all(rows).beside(own)
    assert [(one.relation, one.path, one.role) for one in added] == [
        ("t", ("b",), "membership"), ("u", ("a",), "grouping"),
    ]
