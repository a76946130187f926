"""The lineage graph: relations, rows of nested paths, edges with their roles, and how it grows hop by hop."""

from __future__ import annotations

import pytest

from sql_lineage_ls.features.lineage_graph import Direction, GraphOptions, GraphStep, expand_graph, lineage_graph
from sql_lineage_ls.features.results import GraphRelation, LineageGraph
from sql_lineage_ls.lineage.model import Node, path_text
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.support.product import open_files

HARBOUR = {
    "bigquery": """\
CREATE TABLE quay (id INT64, skipper STRUCT<name STRING, home STRUCT<town STRING, pier INT64>>,
  crates ARRAY<STRUCT<label STRING, kilos INT64>>, open BOOL);
CREATE VIEW landing AS SELECT q.id, q.skipper.home.town AS town, c.kilos AS kilos
  FROM quay AS q, UNNEST(q.crates) AS c WHERE q.open;
CREATE VIEW by_town AS SELECT town, SUM(kilos) AS total FROM landing GROUP BY town;
SELECT b.total AS grand FROM by_town AS b;
""",
    "trino": """\
CREATE TABLE quay (id BIGINT, skipper ROW(name VARCHAR, home ROW(town VARCHAR, pier BIGINT)),
  crates ARRAY(ROW(label VARCHAR, kilos BIGINT)), open BOOLEAN);
CREATE VIEW landing AS SELECT q.id, q.skipper.home.town AS town, c.kilos AS kilos
  FROM quay AS q CROSS JOIN UNNEST(q.crates) AS c (label, kilos) WHERE q.open;
CREATE VIEW by_town AS SELECT town, SUM(kilos) AS total FROM landing GROUP BY town;
SELECT b.total AS grand FROM by_town AS b;
""",
    "spark": """\
CREATE TABLE quay (id BIGINT, skipper STRUCT<name: STRING, home: STRUCT<town: STRING, pier: BIGINT>>,
  crates ARRAY<STRUCT<label: STRING, kilos: BIGINT>>, open BOOLEAN);
CREATE VIEW landing AS SELECT q.id, q.skipper.home.town AS town, c.kilos AS kilos
  FROM quay AS q LATERAL VIEW explode(q.crates) e AS c WHERE q.open;
CREATE VIEW by_town AS SELECT town, SUM(kilos) AS total FROM landing GROUP BY town;
SELECT b.total AS grand FROM by_town AS b;
""",
    "postgres": """\
CREATE TYPE house AS (town text, pier bigint);
CREATE TYPE person AS (name text, home house);
CREATE TYPE crate AS (label text, kilos bigint);
CREATE TABLE quay (id bigint, skipper person, crates crate[], open boolean);
CREATE VIEW landing AS SELECT q.id, ((q.skipper).home).town AS town, c.kilos AS kilos
  FROM quay AS q CROSS JOIN LATERAL UNNEST(q.crates) AS c (label, kilos) WHERE q.open;
CREATE VIEW by_town AS SELECT town, SUM(kilos) AS total FROM landing GROUP BY town;
SELECT b.total AS grand FROM by_town AS b;
""",
}
URI = "file:///w/harbour.sql"


def _snapshot(dialect: str) -> Snapshot:
    return open_files({URI: HARBOUR[dialect]}, dialect)


def _ask(
    snapshot: Snapshot, word: str, after: str = "", direction: Direction = "both", depth: int = 1
) -> LineageGraph | None:
    document = snapshot.document(URI)
    assert document is not None
    start = document.text.index(word, document.text.index(after) + len(after))
    answers = [
        lineage_graph(snapshot, URI, offset, GraphOptions(direction, depth))
        for offset in (start, start + len(word) - 1, start + len(word))
    ]
    assert answers[0] == answers[1] == answers[2], "the answer depends on where in the word the cursor is"
    return answers[0]


def _name(graph: LineageGraph, node: Node) -> str:
    (relation,) = (one for one in graph.relations if one.id == node.relation)
    name = relation.name if relation.kind != "query" else "query"
    return f"{name}.{path_text(node.path)}" if node.path else name


def _edges(graph: LineageGraph | None) -> list[str]:
    assert graph is not None
    return sorted(f"{_name(graph, e.target)} <- {_name(graph, e.source)} {e.role}" for e in graph.edges)


def _box(graph: LineageGraph | None, name: str) -> GraphRelation:
    assert graph is not None
    (found,) = (one for one in graph.relations if one.name == name)
    return found


@pytest.mark.parametrize("dialect", HARBOUR)
def test_upstream_of_a_column_goes_to_the_nested_field(dialect: str) -> None:
    graph = _ask(_snapshot(dialect), "total", "b.", "up", 2)
    assert _edges(graph) == [
        "by_town.total <- landing.kilos value",
        "by_town.total <- landing.town grouping",
        "landing <- quay.open membership",
        "landing.kilos <- quay.crates[*].kilos value",
    ]
    assert [(row.label, row.depth, row.used) for row in _box(graph, "quay").rows] == [
        ("crates[*]", 0, False),
        ("kilos", 1, True),
        ("open", 0, True),
    ]


@pytest.mark.parametrize("dialect", HARBOUR)
def test_downstream_of_a_nested_field_ends_at_the_query(dialect: str) -> None:
    graph = _ask(_snapshot(dialect), "kilos", "label", "down", 3)
    assert _edges(graph) == [
        "by_town.total <- landing.kilos value",
        "landing.kilos <- quay.crates[*].kilos value",
        "query.grand <- by_town.total value",
    ]


def test_a_row_tells_what_it_is_and_where() -> None:
    snapshot = _snapshot("bigquery")
    graph = _ask(snapshot, "town", "STRUCT<name STRING, home STRUCT<", "down")
    skipper, home, town = _box(graph, "quay").rows
    assert [row.label for row in (skipper, home, town)] == ["skipper", "home", "town"]
    assert [row.depth for row in (skipper, home, town)] == [0, 1, 2]
    assert town.type == "STRING"
    assert town.place is not None
    assert HARBOUR["bigquery"][town.place.start : town.place.end] == "town"
    assert _box(graph, "landing").kind == "view"
    assert _box(graph, "quay").kind == "table"


def test_rows_stand_as_they_are_declared() -> None:
    graph = _ask(_snapshot("bigquery"), "landing", "CREATE VIEW ", "up")
    assert [row.label for row in _box(graph, "quay").rows] == [
        "id", "skipper", "home", "town", "crates[*]", "kilos", "open",
    ]  # fmt: skip


def test_what_leads_on_is_told_and_followed_from_there() -> None:
    snapshot = _snapshot("bigquery")
    graph = _ask(snapshot, "total", "b.", "up")
    (town, kilos) = sorted(_box(graph, "landing").rows, key=lambda row: row.label, reverse=True)
    assert (kilos.label, kilos.up) == ("kilos", True)
    assert town.up
    assert graph is not None
    node = next(edge.source for edge in graph.edges if edge.role == "value")
    onward = [GraphStep(graph.focus, GraphOptions("up")), GraphStep((node,), GraphOptions("up"))]
    further = expand_graph(snapshot, onward)
    assert _edges(further) == [
        "by_town.total <- landing.kilos value",
        "by_town.total <- landing.town grouping",
        "landing <- quay.open membership",
        "landing.kilos <- quay.crates[*].kilos value",
    ]
    assert not _box(further, "quay").up
    assert [row.up for row in _box(further, "landing").rows] == [True, False]
    assert further.focus == graph.focus


def test_a_graph_in_one_direction_leaves_the_other_out() -> None:
    snapshot = _snapshot("bigquery")
    assert _edges(_ask(snapshot, "town", ".town AS ", "down")) == [
        "by_town.total <- landing.town grouping",
        "by_town.town <- landing.town value",
    ]
    assert _edges(_ask(snapshot, "kilos", "label", "up")) == []


def test_the_output_of_a_query_is_a_root() -> None:
    graph = _ask(_snapshot("bigquery"), "grand", direction="up")
    assert _edges(graph) == ["query.grand <- by_town.total value"]
    assert [relation.kind for relation in graph.relations if relation.kind == "query"] == ["query"]  # type: ignore[union-attr]


def test_a_place_without_a_name_stands_for_what_its_statement_writes() -> None:
    snapshot = _snapshot("bigquery")
    graph = lineage_graph(snapshot, URI, HARBOUR["bigquery"].index("GROUP"), GraphOptions("up"))
    assert graph is not None
    assert [_name(graph, node) for node in graph.focus] == ["by_town"]
    assert len(graph.edges) == 3


def test_a_record_that_is_handed_on_whole_keeps_its_fields_apart() -> None:
    text = """\
CREATE TABLE reef (spot STRUCT<lat FLOAT64, depth STRUCT<low INT64>>);
CREATE VIEW dive AS SELECT spot FROM reef;
CREATE VIEW low AS SELECT spot.depth.low AS metres FROM dive;
"""
    snapshot = open_files({URI: text}, "bigquery")
    graph = _ask(snapshot, "metres", direction="up", depth=2)
    assert _edges(graph) == [
        "dive.spot.depth.low <- reef.spot.depth.low value",
        "low.metres <- dive.spot.depth.low value",
    ]


def test_a_circle_ends() -> None:
    text = "CREATE TABLE a (n INT64);\nINSERT INTO a SELECT n + 1 FROM b;\nCREATE TABLE b AS SELECT n FROM a;\n"
    graph = _ask(open_files({URI: text}, "bigquery"), "n", "a (", depth=40)
    assert _edges(graph) == ["a.n <- b.n value", "b.n <- a.n value"]


def test_a_node_that_is_gone_stands_alone() -> None:
    found = expand_graph(_snapshot("bigquery"), [GraphStep((Node("x\u001fno_more", ("c",)),))])
    assert found.edges == ()
    assert [row.label for row in found.relations[0].rows] == ["c"]


def test_too_many_edges_are_cut_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sql_lineage_ls.features.lineage_graph.MOST_EDGES", 2)
    graph = _ask(_snapshot("bigquery"), "landing", "CREATE VIEW ")
    assert graph is not None
    assert graph.truncated
    assert len(graph.edges) == 2


def test_between_statements_there_is_nothing() -> None:
    snapshot = open_files({URI: "\n\n\nSELECT 1"}, "bigquery")
    assert lineage_graph(snapshot, URI, 0, GraphOptions()) is None
    assert lineage_graph(snapshot, "file:///w/none.sql", 0, GraphOptions()) is None
