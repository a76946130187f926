"""The text and JSON exports of a snapshot made by hand."""

from __future__ import annotations

import json

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Scalar
from sql_lineage_ls.exporters.json import json_pieces, to_json
from sql_lineage_ls.exporters.report import Message, Place, make_report, place
from sql_lineage_ls.exporters.text import to_text
from sql_lineage_ls.lineage.model import (
    CONDITION,
    MEMBERSHIP,
    ROWS,
    Edge,
    Gap,
    GeneratedSource,
    Join,
    Node,
    Read,
    Source,
    StatementLineage,
    Step,
)
from sql_lineage_ls.syntax.query_model import CreateView, Name, StatementModel
from tests.support.product import open_files
from tests.unit.features.made_by_hand import at, snapshot

URI, OTHER = "file:///w/b.sql", "file:///w/a.sql"
TEXT = Scalar("STRING")
LINE = RecordType((Field("sku", "sku", TEXT), Field("qty", "qty", Scalar("INT64"))))
SALES = Relation(
    "sales",
    "shop.sales",
    "table",
    (
        Field("id", "id", TEXT),
        Field("lines", "lines", ArrayType(LINE)),
        Field("tags", "tags", MapType(TEXT, RecordType((Field("label", "label", TEXT),)))),
    ),
)
TABLE = StatementLineage("table", "sales", relations=(("sales", "shop.sales", "table"),))
VIEW_MODEL = StatementModel(CreateView((Name("v"),), None))


def text_of(*statements: tuple[str, StatementLineage] | tuple[str, StatementLineage, StatementModel],
            relations: tuple[Relation, ...] = (), indirect: bool = False) -> list[str]:  # fmt: skip
    made = snapshot({URI: statements}, relations)
    return to_text(make_report(made, {URI: "b.sql"}, indirect=indirect)).splitlines()


def test_a_declared_table_lists_its_type_tree() -> None:
    assert text_of(("CREATE TABLE ..", TABLE), relations=(SALES,)) == [
        "table shop.sales: id, lines, lines[*], lines[*].sku, lines[*].qty, "
        "tags, tags[*], tags[*].key, tags[*].value, tags[*].value.label"
    ]


def test_observed_nodes_follow_the_declared_ones() -> None:
    read = StatementLineage(
        "query",
        reads=(Read("sales", ("tags", "['mood']", "label"), 0, 1), Read("sales", ROWS, 0, 1)),
        relations=(("sales", "shop.sales", "table"),),
    )
    (line,) = text_of(("CREATE TABLE ..", TABLE), ("SELECT ..", read), relations=(SALES,))
    assert line.endswith("tags[*].value.label, tags['mood'], tags['mood'].label")


def test_an_undeclared_table_lists_what_is_read_and_the_way_there() -> None:
    lineage = StatementLineage(
        "query",
        edges=(Edge("", ("c",), (Source("t", ("a", "b", "c")), Source("t", ("k",), MEMBERSHIP))),),
        relations=(("t", "t", "table"), ("u", "u", "table")),
    )
    assert text_of(("SELECT ..", lineage)) == ["table t: a, a.b, a.b.c, k", "table u: ", "RS-1.c <- t.a.b.c"]


def test_bare_queries_are_numbered_and_writes_are_not() -> None:
    to_x = Edge("", ("x",), (Source("t", ("x",)),))
    query = StatementLineage("query", edges=(to_x,), relations=(("t", "t", "table"),))
    insert = StatementLineage(
        "insert",
        "u",
        edges=(Edge("u", ("y",), (Source("t", ("x",)),)),),
        relations=(("u", "u", "table"), ("t", "t", "table")),
    )
    assert text_of(("SELECT ..", query), ("INSERT ..", insert), ("SELECT ..", query))[2:] == [
        "RS-1.x <- t.x",
        "u.y <- t.x",
        "RS-2.x <- t.x",
    ]


def record(*names: str, built: bool) -> RecordType:
    return RecordType(tuple(Field(name, name, TEXT) for name in names), built=built)


def view(*edges: Edge, **outputs: DataType) -> tuple[StatementLineage, Relation]:
    columns = tuple(Field(name, name, data_type) for name, data_type in outputs.items())
    lineage = StatementLineage("view", "v", columns, edges=edges, relations=(("t", "t", "table"), ("v", "v", "view")))
    return lineage, Relation("v", "v", "view", columns)


def test_a_view_lists_its_columns_after_all_tables() -> None:
    lineage, relation = view(Edge("v", ("b",), (Source("t", ("a",)),)), b=TEXT, unproved=TEXT)
    assert text_of(("CREATE VIEW ..", lineage, VIEW_MODEL), relations=(relation,)) == [
        "table t: a",
        "view v: b, unproved",
        "v.b <- t.a",
    ]


WHO_NAME = Edge("v", ("who", "name"), (Source("t", ("a",)),))
WHO_ID = Edge("v", ("who", "id"), (Source("t", ("b",)),))


def test_a_built_record_lists_its_fields_only() -> None:
    lineage, relation = view(WHO_NAME, WHO_ID, who=record("name", "id", built=True))
    assert text_of(("CREATE VIEW ..", lineage, VIEW_MODEL), relations=(relation,))[1:] == [
        "view v: who.name, who.id",
        "v.who.name <- t.a",
        "v.who.id <- t.b",
    ]


def test_a_record_that_is_cast_lists_itself_too() -> None:
    lineage, relation = view(WHO_NAME, WHO_ID, who=record("name", "id", built=False))
    assert text_of(("CREATE VIEW ..", lineage, VIEW_MODEL), relations=(relation,))[1] == "view v: who, who.name, who.id"


def test_a_record_that_is_handed_on_lists_no_fields_until_one_is_read() -> None:
    whole = Edge("v", ("who",), (Source("t", ("a",)),))
    lineage, relation = view(whole, who=record("name", "id", built=False))
    created = ("CREATE VIEW ..", lineage, VIEW_MODEL)
    assert text_of(created, relations=(relation,))[1] == "view v: who"
    read = StatementLineage(
        "query", reads=(Read("v", ("who", "id"), 0, 1),), relations=(("v", "v", "view"),), outputs=relation.columns
    )
    assert text_of(created, ("SELECT ..", read), relations=(relation,))[1] == "view v: who, who.id"


def test_an_array_of_built_records_lists_the_fields_of_its_element() -> None:
    lineage, relation = view(
        Edge("v", ("all", "[*]", "name"), (Source("t", ("a",), transform="AGGREGATE"),)),
        all=ArrayType(record("name", built=True)),
    )
    assert text_of(("CREATE VIEW ..", lineage, VIEW_MODEL), relations=(relation,))[1] == "view v: all[*].name"


def test_a_star_that_is_expanded_is_no_node() -> None:
    read = StatementLineage(
        "query", reads=(Read("sales", ("*",), 7, 8, "star"),), relations=(("sales", "shop.sales", "table"),)
    )
    (closed,) = text_of(("SELECT ..", read), relations=(SALES,))
    assert "*," not in closed.replace("[*],", "")
    assert text_of(("SELECT ..", read)) == ["table shop.sales: *"]


def test_orphans_stand_below_a_table_of_their_own() -> None:
    lineage, relation = view(name=TEXT)
    orphaned = StatementLineage(
        "view", "v", relation.columns, relations=lineage.relations, orphans=(("customer", "name"),)
    )
    assert text_of(("CREATE VIEW ..", orphaned, VIEW_MODEL), relations=(relation,)) == [
        "table t: ",
        "table pseudo_table_include_orphan_column: customer.name",
        "view v: name",
    ]


def test_locations_are_sources_and_no_table_lines() -> None:
    lineage = StatementLineage(
        "table",
        "t",
        edges=(Edge("t", ("a",), (Source("loc", ("a",)),)),),
        relations=(("t", "t", "table"), ("loc", "'s3://bucket/x/'", "location")),
    )
    made = snapshot({URI: [("CREATE EXTERNAL TABLE ..", lineage)]})
    report = make_report(made, {URI: "b.sql"})
    assert to_text(report).splitlines() == ["table t: a", "t.a <- 's3://bucket/x/'.a"]
    written = json.loads(to_json(report))
    assert [relation["name"] for relation in written["relations"]] == ["t"]
    assert written["locations"] == [{"name": "'s3://bucket/x/'", "kind": "location", "nodes": ["a"]}]


def test_indirect_sources_on_demand() -> None:
    edge = Edge("", ("a",), (Source("t", ("a",)), Source("t", ("ok",), CONDITION), Source("t", ("b",), MEMBERSHIP)))
    lineage = StatementLineage("query", edges=(edge,), relations=(("t", "t", "table"),))
    assert text_of(("SELECT ..", lineage))[1:] == ["RS-1.a <- t.a t.ok"]
    assert text_of(("SELECT ..", lineage), indirect=True)[1:] == ["RS-1.a <- t.a t.ok", "RS-1.a <~ t.b"]


def test_documents_stand_in_the_given_order() -> None:
    def query(column: str) -> StatementLineage:
        return StatementLineage(
            "query", edges=(Edge("", (column,), (Source("t", (column,)),)),), relations=(("t", "t", "table"),)
        )

    made = snapshot({URI: [("SELECT ..", query("b"))], OTHER: [("SELECT ..", query("a"))]})
    lines = to_text(make_report(made, {URI: "b.sql", OTHER: "a.sql"})).splitlines()
    assert lines == ["table t: b, a", "RS-1.b <- t.b", "RS-2.a <- t.a"]


def test_messages_are_one_line_each() -> None:
    where = Place("b.sql", 3, 8, 3, 11)
    made = snapshot({URI: [("SELECT 1", StatementLineage("query"))]})
    report = make_report(made, {URI: "b.sql"}, [Message("orphan-column", "warning", "nobody\nowns `x`", where)])
    assert to_text(report) == "message: orphan-column nobody owns `x` at b.sql:3:8\n"
    assert json.loads(to_json(report))["diagnostics"] == [
        {
            "code": "orphan-column",
            "severity": "warning",
            "message": "nobody\nowns `x`",
            "file": "b.sql",
            "line": 3,
            "column": 8,
            "end_line": 3,
            "end_column": 11,
        }
    ]


def test_columns_count_code_points() -> None:
    made = snapshot({URI: [("SELECT '🛒' AS cart,\n  qty FROM t", StatementLineage("query"))]})
    document = made.document(URI)
    assert document is not None
    start = document.text.index("cart")
    assert place(document, "b.sql", start, start + 4) == Place("b.sql", 1, 15, 1, 19)
    start = document.text.index("qty")
    assert place(document, "b.sql", start, start + 3) == Place("b.sql", 2, 3, 2, 6)


def test_json_tells_everything_of_an_edge() -> None:
    sql = "SELECT CASE WHEN ok THEN a ELSE 'ü' END AS x FROM t JOIN u ON t.k = u.k"
    case, condition = at(sql, "CASE WHEN ok THEN a ELSE 'ü' END"), at(sql, "t.k = u.k")
    edge = Edge(
        "",
        ("x",),
        (Source("t", ("a",), transform="CASE"), Source("t", ("ok",), CONDITION, "CASE")),
        (GeneratedSource("constant", "'ü'"),),
        (Gap("wildcard", "not known"),),
        (Step("RS-1", "CASE", *case),),
        "CASE",
        *case,
    )
    join = Join(Node("t", ("k",)), Node("u", ("k",)), "INNER", *condition)
    lineage = StatementLineage(
        "query", edges=(edge,), joins=(join,), relations=(("t", "t", "table"), ("u", "u", "table"))
    )
    written = to_json(make_report(snapshot({URI: [(sql, lineage)]}), {URI: "b.sql"}))
    assert "'ü'" in written
    document = json.loads(written)
    assert list(document) == ["relations", "lineage", "joins", "diagnostics", "locations", "statements"]
    assert document["lineage"] == [
        {
            "target": {"relation": "RS-1", "path": "x"},
            "sources": [
                {"relation": "t", "path": "a", "role": "value", "transform": "CASE"},
                {"relation": "t", "path": "ok", "role": "condition", "transform": "CASE"},
            ],
            "generated": [{"kind": "constant", "text": "'ü'", "transform": "CONSTANT"}],
            "source_kind": "mixed",
            "complete": False,
            "gaps": [{"kind": "wildcard", "text": "not known", "role": "value"}],
            "transform": "CASE",
            "expression": "CASE WHEN ok THEN a ELSE 'ü' END",
            "steps": [{"scope": "RS-1", "transform": "CASE", "text": "CASE WHEN ok THEN a ELSE 'ü' END"}],
            "file": "b.sql",
            "line": 1,
            "column": 8,
            "end_line": 1,
            "end_column": 40,
        }
    ]
    assert document["joins"][0] == {
        "left": {"relation": "t", "path": "k"},
        "right": {"relation": "u", "path": "k"},
        "kind": "INNER",
        "file": "b.sql",
        "line": 1,
        "column": 63,
        "end_line": 1,
        "end_column": 72,
    }
    assert document["statements"][0]["target"] == "RS-1"
    assert document["statements"][0]["analysed"] is True


def test_nothing_in_nothing_out() -> None:
    made = snapshot({})
    assert to_text(make_report(made, {})) == ""
    assert to_text(make_report(made, {"file:///w/gone.sql": "gone.sql"})) == ""
    assert json.loads(to_json(make_report(made, {})))["lineage"] == []


def test_json_comes_row_by_row_and_reads_the_same() -> None:
    snapshot = open_files({URI: "CREATE VIEW v AS SELECT a FROM t; SELECT x FROM v JOIN u ON u.k = v.a;"}, "postgres")
    report = make_report(snapshot, {URI: "b.sql"}, indirect=True)
    pieces = list(json_pieces(report))
    document = json.loads("".join(pieces))
    assert list(document) == ["relations", "lineage", "joins", "diagnostics", "locations", "statements"]
    assert len(document["lineage"]) == len(list(report.edges)) == len(list(report.edges))
    assert max(len(piece.splitlines()) for piece in pieces) <= 2
    assert json.loads(to_json(report)) == document
