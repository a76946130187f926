"""Definition, declaration and type definition on snapshots made by hand."""

from __future__ import annotations

import pytest

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import ArrayType, Field, RecordType, Scalar, Variant
from sql_lineage_ls.features.declaration import declaration
from sql_lineage_ls.features.definition import definition
from sql_lineage_ls.features.results import NavigationTarget
from sql_lineage_ls.features.type_definition import type_definition
from sql_lineage_ls.lineage.model import ColumnFact, Edge, Node, Read, Source, StatementLineage
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot
from tests.unit.features.made_by_hand import at, occurrence, site, snapshot

T, V1, V2, Q = "file:///w/t.sql", "file:///w/v1.sql", "file:///w/v2.sql", "file:///w/q.sql"
DDL = "CREATE TABLE t (rec STRUCT<deep INT64>, arr ARRAY<STRUCT<x INT64>>, doc JSON)"
VIEW1 = "CREATE VIEW v1 AS SELECT rec FROM t"
VIEW2 = "CREATE VIEW v2 AS SELECT * FROM v1"
QUERY = "WITH c AS (SELECT rec FROM v2) SELECT c.rec.deep FROM c"

INT = Scalar("INT64")
RECORD = RecordType((Field("deep", "deep", INT, site(T, DDL, "deep")),))
X = Field("x", "x", INT, site(T, DDL, "x"))
TABLE = Relation(
    "t",
    "t",
    "table",
    (
        Field("rec", "rec", RECORD, site(T, DDL, "rec")),
        Field("arr", "arr", ArrayType(RecordType((X,))), site(T, DDL, "arr")),
        Field("doc", "doc", Variant("JSON"), site(T, DDL, "doc")),
    ),
    site=site(T, DDL, "t", 1 + DDL[: DDL.index(" t ")].count("t")),
)
# The fields of a record keep the token that declares them when a view hands the record on.
VIEW_ONE = Relation("v1", "v1", "view", (Field("rec", "rec", RECORD, site(V1, VIEW1, "rec")),),
                    site=site(V1, VIEW1, "v1"))  # fmt: skip
VIEW_TWO = Relation("v2", "v2", "view", (Field("rec", "rec", RECORD),), site=site(V2, VIEW2, "v2"))

REC, DEEP = ("rec",), ("rec", "deep")


def workspace() -> Snapshot:
    table = StatementLineage("table", "t", relations=(("t", "t", "table"),))
    one = StatementLineage(
        "view",
        "v1",
        edges=(Edge("v1", REC, (Source("t", REC),)),),
        reads=(Read("t", REC, *at(VIEW1, "rec")),),
        relations=(("v1", "v1", "view"), ("t", "t", "table")),
        occurrences=(
            occurrence(VIEW1, "rec", "column", relation="t", path=REC, nodes=(Node("t", REC),), type=RECORD),
            occurrence(VIEW1, "rec", "output", relation="v1", path=REC, nodes=(Node("t", REC),), type=RECORD),
            occurrence(VIEW1, "v1", "relation", relation="v1"),
        ),
    )
    two = StatementLineage(
        "view",
        "v2",
        edges=(Edge("v2", REC, (Source("v1", REC),)),),
        reads=(Read("v1", REC, *at(VIEW2, "*"), "star"),),
        relations=(("v2", "v2", "view"), ("v1", "v1", "view")),
        occurrences=(
            occurrence(VIEW2, "*", "star", columns=(ColumnFact("rec", RECORD, (Node("v1", REC),)),)),
            occurrence(VIEW2, "v1", "relation", relation="v1"),
        ),
    )
    query = StatementLineage(
        "query",
        reads=(Read("v2", DEEP, *at(QUERY, "deep")),),
        relations=(("v2", "v2", "view"),),
        occurrences=(
            occurrence(QUERY, "rec", "column", relation="v2", path=REC, nodes=(Node("v2", REC),), type=RECORD),
            occurrence(QUERY, "rec", "column", 2, nodes=(Node("v2", REC),), type=RECORD,
                       definitions=(at(QUERY, "rec"),)),
            occurrence(QUERY, "deep", "field", nodes=(Node("v2", DEEP),), type=INT),
            occurrence(QUERY, "c.", "alias", name="c", definitions=(at(QUERY, "c"),)),
        ),
    )  # fmt: skip
    return snapshot(
        {T: [(DDL, table)], V1: [(VIEW1, one)], V2: [(VIEW2, two)], Q: [(QUERY, query)]}, (TABLE, VIEW_ONE, VIEW_TWO)
    )


def focuses(targets: tuple[NavigationTarget, ...]) -> list[FileSpan]:
    return [target.focus for target in targets]


def span(uri: str, text: str, piece: str, nth: int = 1) -> FileSpan:
    return FileSpan(uri, *at(text, piece, nth))


def test_definition_of_a_column_goes_to_the_ddl_token() -> None:
    targets = definition(workspace(), V1, at(VIEW1, "rec")[0])
    assert targets == (
        NavigationTarget(span(T, DDL, "rec"), FileSpan(T, 0, len(DDL)), Span(*at(VIEW1, "rec"))),
    )


def test_definition_inside_a_statement_comes_first() -> None:
    assert focuses(definition(workspace(), Q, at(QUERY, "rec", 2)[0])) == [span(Q, QUERY, "rec")]
    assert focuses(definition(workspace(), Q, at(QUERY, "c.")[0])) == [span(Q, QUERY, "c")]


def test_definition_does_not_stop_at_a_star() -> None:
    # v2 has `rec` through `*`, which gives it no token: the nearest token is that of v1.
    assert focuses(definition(workspace(), Q, at(QUERY, "rec")[0])) == [span(V1, VIEW1, "rec")]


def test_definition_does_not_stop_at_a_star_of_the_same_statement() -> None:
    sql = "WITH c AS (SELECT * FROM v1) SELECT rec FROM c"
    column = occurrence(sql, "rec", "column", nodes=(Node("v1", REC),), definitions=(at(sql, "*"),))
    unknown = occurrence(sql, "c", "column", 2, definitions=(at(sql, "*"),))
    made = snapshot(
        {
            V1: [(VIEW1, StatementLineage("view", "v1", relations=(("v1", "v1", "view"),)))],
            Q: [(sql, StatementLineage("query", occurrences=(column, unknown)))],
        },
        (VIEW_ONE,),
    )
    assert focuses(definition(made, Q, at(sql, "rec")[0])) == [span(V1, VIEW1, "rec")]
    # Where nothing behind the star is declared, the star is the nearest there is.
    assert focuses(definition(made, Q, at(sql, "c", 2)[0])) == [span(Q, sql, "*")]


def test_definition_of_a_field_is_the_fields_own_token() -> None:
    assert focuses(definition(workspace(), Q, at(QUERY, "deep")[0])) == [span(T, DDL, "deep")]


def test_definition_of_a_relation_is_its_name() -> None:
    assert focuses(definition(workspace(), V2, at(VIEW2, "v1")[0])) == [span(V1, VIEW1, "v1")]


def test_definition_of_a_declaration_is_itself() -> None:
    assert focuses(definition(workspace(), T, at(DDL, "deep")[0])) == [span(T, DDL, "deep")]


def test_declaration_goes_through_views_to_the_table() -> None:
    assert focuses(declaration(workspace(), Q, at(QUERY, "rec")[0])) == [span(T, DDL, "rec")]
    assert focuses(declaration(workspace(), V2, at(VIEW2, "*")[0])) == [span(T, DDL, "rec")]
    assert focuses(declaration(workspace(), T, at(DDL, "x")[0])) == [span(T, DDL, "x")]


def test_type_definition_of_an_inline_record_is_the_field_that_has_it() -> None:
    assert focuses(type_definition(workspace(), V1, at(VIEW1, "rec")[0])) == [span(T, DDL, "rec")]
    assert type_definition(workspace(), Q, at(QUERY, "deep")[0]) == ()


def test_type_definition_of_a_named_type_is_its_create_type() -> None:
    make = "CREATE TYPE point AS (x int)"
    ddl = "CREATE TABLE u (p point[])"
    point = RecordType((Field("x", "x", INT, site(Q, make, "x")),), "", "point", site(Q, make, "point"))
    column = Field("p", "p", ArrayType(point), site(T, ddl, "p"))
    relation = Relation("u", "u", "table", (column,), site=site(T, ddl, "u"))
    made = snapshot(
        {
            Q: [(make, StatementLineage("type"))],
            T: [(ddl, StatementLineage("table", "u", relations=(("u", "u", "table"),)))],
        },
        (relation,),
    )
    assert focuses(type_definition(made, T, at(ddl, "p")[0])) == [span(Q, make, "point")]


@pytest.mark.parametrize(
    ("path", "piece"), [(("doc", "device", "os"), "doc"), (("arr", "[*]"), "arr"), (("arr", "[*]", "x"), "x")]
)
def test_a_node_without_a_token_leads_to_the_one_around_it(path: tuple[str, ...], piece: str) -> None:
    sql = "SELECT os FROM t"
    lineage = StatementLineage("query", occurrences=(occurrence(sql, "os", "field", nodes=(Node("t", path),)),))
    table = StatementLineage("table", "t", relations=(("t", "t", "table"),))
    made = snapshot({T: [(DDL, table)], Q: [(sql, lineage)]}, (TABLE,))
    assert focuses(definition(made, Q, at(sql, "os")[0])) == [span(T, DDL, piece)]


def test_nothing_is_invented() -> None:
    sql = "SELECT a FROM far"
    lineage = StatementLineage("query", occurrences=(occurrence(sql, "a", "column", nodes=(Node("far", ("a",)),)),))
    made = snapshot({Q: [(sql, lineage)]})
    for feature in (definition, declaration, type_definition):
        assert feature(made, Q, at(sql, "a")[0]) == ()
        assert feature(made, Q, 0) == ()


def test_a_table_that_is_written_from_itself_ends() -> None:
    sql = "UPDATE t SET doc = doc WHERE true"
    lineage = StatementLineage(
        "update",
        "t",
        edges=(Edge("t", ("doc",), (Source("t", ("doc",)),)),),
        relations=(("t", "t", "table"),),
        occurrences=(occurrence(sql, "doc", "column", 2, relation="t", path=("doc",), nodes=(Node("t", ("doc",)),)),),
    )
    table = StatementLineage("table", "t", relations=(("t", "t", "table"),))
    made = snapshot({T: [(DDL, table)], Q: [(sql, lineage)]}, (TABLE,))
    assert focuses(declaration(made, Q, at(sql, "doc", 2)[0])) == [span(T, DDL, "doc")]
