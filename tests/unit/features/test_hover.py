"""Hover on snapshots made by hand."""

from __future__ import annotations

import pytest

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import ArrayType, Field, RecordType, Scalar
from sql_lineage_ls.features.hover import HoverOptions, hover
from sql_lineage_ls.lineage.model import (
    CONDITION,
    MEMBERSHIP,
    ROWS,
    ColumnFact,
    Edge,
    Gap,
    GeneratedSource,
    Node,
    Read,
    Source,
    StatementLineage,
)
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot
from tests.unit.features.made_by_hand import at, occurrence, site, snapshot

DDL = "CREATE TABLE depots (id INT64, boss STRUCT<name STRING, desk STRUCT<floor INT64>>, bays ARRAY<STRUCT<w INT64>>)"
VIEW = "CREATE VIEW bosses AS SELECT d.boss.name AS who, UPPER(d.boss.name) AS loud FROM depots AS d WHERE d.id > 1"
QUERY = "SELECT who FROM bosses"
D, V, Q = "file:///w/1.sql", "file:///w/2.sql", "file:///w/3.sql"

STRING, INT = Scalar("STRING"), Scalar("INT64")
FLOOR = Field("floor", "floor", INT, site(D, DDL, "floor"))
DESK = Field("desk", "desk", RecordType((FLOOR,)), site(D, DDL, "desk"))
NAME = Field("name", "name", STRING, site(D, DDL, "name"))
BOSS = Field("boss", "boss", RecordType((NAME, DESK)), site(D, DDL, "boss"))
WIDTH = Field("w", "w", INT, site(D, DDL, "w"))
BAYS = Field("bays", "bays", ArrayType(RecordType((WIDTH,))), site(D, DDL, "bays"))
ID = Field("id", "id", INT, site(D, DDL, "id"))
DEPOTS = Relation("depots", "depots", "table", (ID, BOSS, BAYS), site=site(D, DDL, "depots"))
WHO = Field("who", "who", STRING, site(V, VIEW, "who"))
LOUD = Field("loud", "loud", STRING, site(V, VIEW, "loud"))
BOSSES = Relation("bosses", "bosses", "view", (WHO, LOUD), site=site(V, VIEW, "bosses"))

PATH = ("boss", "name")
READ_NAME = {"relation": "depots", "path": PATH, "nodes": (Node("depots", PATH),), "type": STRING}


def _view_lineage() -> StatementLineage:
    upper = at(VIEW, "UPPER(d.boss.name)")
    filtered = Source("depots", ("id",), MEMBERSHIP)
    return StatementLineage(
        "view",
        target="bosses",
        outputs=BOSSES.columns,
        edges=(
            Edge("bosses", ("who",), (Source("depots", PATH), filtered)),
            Edge(
                "bosses",
                ("loud",),
                (Source("depots", PATH, transform="EXPRESSION"), filtered),
                transform="EXPRESSION",
                start=upper[0],
                end=upper[1],
            ),
        ),
        reads=(
            Read("depots", (), *at(VIEW, "depots")),
            Read("depots", PATH, *at(VIEW, "name")),
            Read("depots", PATH, *at(VIEW, "name", 2)),
            Read("depots", ("id",), *at(VIEW, "id")),
        ),
        relations=(("bosses", "bosses", "view"), ("depots", "depots", "table")),
        occurrences=(
            occurrence(VIEW, "bosses", "relation", relation="bosses"),
            occurrence(VIEW, "depots", "relation", relation="depots"),
            occurrence(VIEW, "d", "alias", relation="depots", definitions=(at(VIEW, "depots"),)),
            occurrence(
                VIEW, "boss", "column", nth=2, relation="depots", path=("boss",), nodes=(Node("depots", ("boss",)),),
                type=BOSS.type,
            ),
            occurrence(VIEW, "name", "field", **READ_NAME),
            occurrence(VIEW, "who", "output", relation="bosses", path=("who",), type=STRING,
                       nodes=(Node("depots", PATH),)),
            occurrence(VIEW, "loud", "output", relation="bosses", path=("loud",), type=STRING,
                       nodes=(Node("depots", PATH),)),
        ),
    )  # fmt: skip


def _query_lineage() -> StatementLineage:
    who = {"relation": "bosses", "path": ("who",), "nodes": (Node("bosses", ("who",)),), "type": STRING}
    return StatementLineage(
        "query",
        edges=(Edge("", ("who",), (Source("bosses", ("who",)),)),),
        reads=(Read("bosses", ("who",), *at(QUERY, "who")),),
        relations=(("bosses", "bosses", "view"),),
        occurrences=(
            occurrence(QUERY, "who", "column", **who),
            occurrence(QUERY, "who", "output", **{**who, "relation": "", "path": ("who",)}),
            occurrence(QUERY, "bosses", "relation", relation="bosses"),
        ),
    )


def workspace(**options: bool) -> Snapshot:
    ddl = StatementLineage("table", target="depots", relations=(("depots", "depots", "table"),))
    return snapshot(
        {D: [(DDL, ddl)], V: [(VIEW, _view_lineage())], Q: [(QUERY, _query_lineage())]}, (DEPOTS, BOSSES), **options
    )


def plain(made: Snapshot, uri: str, offset: int) -> str | None:
    info = hover(made, uri, offset)
    return info.present("plaintext") if info is not None else None


def test_a_field_path_tells_type_source_and_users() -> None:
    start, _ = at(VIEW, "name")
    assert plain(workspace(), V, start) == "boss.name : STRING\nfrom depots.boss.name\nused in 2 places"


@pytest.mark.parametrize("part", ["first", "last", "behind"])
def test_every_offset_of_a_token_means_it(part: str) -> None:
    start, end = at(VIEW, "name")
    info = hover(workspace(), V, {"first": start, "last": end - 1, "behind": end}[part])
    assert info is not None
    assert info.span == Span(start, end)


def test_between_tokens_there_is_nothing() -> None:
    assert hover(workspace(), V, at(VIEW, "AS SELECT")[0] + 1) is None
    assert hover(workspace(), V, len(VIEW) + 1) is None
    assert hover(workspace(), "file:///w/none.sql", 0) is None


def test_each_part_of_a_path_has_its_own_hover() -> None:
    assert plain(workspace(), V, at(VIEW, "boss", 2)[0]) == (
        "boss : STRUCT<name STRING, desk STRUCT<floor INT64>>\nfrom depots.boss\nused in 2 places"
    )


def test_sources_link_to_their_own_token() -> None:
    info = hover(workspace(), V, at(VIEW, "name")[0])
    assert info is not None
    links: list[FileSpan] = []
    info.present("markdown", lambda span: links.append(span) or "x")  # type: ignore[func-returns-value]
    assert links == [FileSpan(D, *at(DDL, "name"))]


def test_an_output_alias_tells_how_it_is_made() -> None:
    assert plain(workspace(), V, at(VIEW, "loud")[0]) == (
        "bosses.loud : STRING\n"
        "from depots.boss.name\n"
        "as UPPER(d.boss.name) (expression)\n"
        "rows limited by depots.id\n"
        "not used downstream"
    )


def test_a_column_of_a_view_is_followed_to_its_end() -> None:
    assert plain(workspace(), Q, at(QUERY, "who")[0]) == (
        "who : STRING\nfrom bosses.who\nend to end from depots.boss.name\nused in 1 place"
    )


@pytest.mark.parametrize(
    ("piece", "text"),
    [
        ("id", "depots.id : INT64\nused in 1 place"),
        ("boss", "depots.boss : STRUCT<name STRING, desk STRUCT<floor INT64>>\nused in 2 places"),
        ("floor", "depots.boss.desk.floor : INT64\nnot used downstream"),
        ("w", "depots.bays[*].w : INT64\nnot used downstream"),
    ],
)
def test_names_in_ddl(piece: str, text: str) -> None:
    assert plain(workspace(), D, at(DDL, piece)[0]) == text


def test_a_relation_lists_its_columns() -> None:
    assert plain(workspace(), V, at(VIEW, "depots")[0]) == (
        "table depots (\n"
        "  id INT64,\n"
        "  boss STRUCT<name STRING, desk STRUCT<floor INT64>>,\n"
        "  bays ARRAY<STRUCT<w INT64>>\n"
        ")\n"
        "used in 1 place"
    )
    assert plain(workspace(), D, at(DDL, "depots")[0]) == plain(workspace(), V, at(VIEW, "depots")[0])


def test_an_alias_names_its_relation() -> None:
    found = plain(workspace(), V, at(VIEW, "d")[0])
    assert found is not None
    assert found.startswith("table depots AS d (\n  id INT64,")


def test_an_alias_of_an_element_is_its_value() -> None:
    sql = "SELECT b FROM depots, UNNEST(bays) AS b"
    element = occurrence(sql, "b", "alias", 2, nodes=(Node("depots", ("bays", "[*]")),), type=RecordType((WIDTH,)))
    lineage = StatementLineage("query", occurrences=(element,))
    assert plain(snapshot({Q: [(sql, lineage)]}, (DEPOTS,)), Q, at(sql, "b", 2)[0]) == (
        "b : STRUCT<w INT64>\nfrom depots.bays[*]"
    )


def test_an_assigned_column_tells_what_is_put_in() -> None:
    sql = "UPDATE depots SET boss.name = who FROM bosses WHERE true"
    lineage = StatementLineage(
        "update",
        "depots",
        edges=(Edge("depots", PATH, (Source("bosses", ("who",)),)),),
        reads=(Read("depots", PATH, *at(sql, "name"), "write"),),
        occurrences=(occurrence(sql, "name", "field", **READ_NAME),),
    )
    made = snapshot({Q: [(sql, lineage)]}, (DEPOTS, BOSSES))
    assert plain(made, Q, at(sql, "name")[0]) == "depots.boss.name : STRING\nfrom bosses.who\nnot used downstream"


@pytest.mark.parametrize(
    ("name", "words"), [("@day", "a value from outside the statement"), ("x", "a parameter or variable")]
)
def test_parameters(name: str, words: str) -> None:
    sql = f"SELECT {name}"
    lineage = StatementLineage("query", occurrences=(occurrence(sql, name, "parameter"),))
    assert plain(snapshot({Q: [(sql, lineage)]}), Q, at(sql, name)[0]) == f"{name}\n{words}"


def test_a_template_is_shown_as_it_stands() -> None:
    sql = "SELECT {{ day }} FROM t"
    masked = occurrence(sql, "{{ day }}", "column", name="___day___", nodes=(Node("t", ("___day___",)),))
    made = snapshot({Q: [(sql, StatementLineage("query", occurrences=(masked,)))]})
    assert plain(made, Q, at(sql, "day")[0]) == "{{ day }}\na template decides what stands here"


def test_an_unknown_relation_says_so() -> None:
    sql = "SELECT a FROM far.away"
    lineage = StatementLineage("query", occurrences=(occurrence(sql, "far.away", "relation", relation="far.away"),))
    assert plain(snapshot({Q: [(sql, lineage)]}), Q, at(sql, "far.away")[0]) == (
        "far.away\nno DDL in the workspace declares it\nnot used downstream"
    )


def test_a_star_lists_what_it_stands_for() -> None:
    sql = "SELECT * FROM depots"
    columns = (
        ColumnFact("id", INT, (Node("depots", ("id",)),)),
        ColumnFact("boss", BOSS.type, (Node("depots", ("boss",)),)),
        ColumnFact("bays", BAYS.type, (Node("depots", ("bays",)),)),
    )
    lineage = StatementLineage("query", occurrences=(occurrence(sql, "*", "star", columns=columns),))
    made = snapshot({Q: [(sql, lineage)]}, (DEPOTS,))
    assert plain(made, Q, at(sql, "*")[0]) == (
        "* : 3 columns\n"
        "id INT64 from depots.id\n"
        "boss STRUCT<name STRING, desk STRUCT<…>> from depots.boss\n"
        "bays ARRAY<STRUCT<w INT64>> from depots.bays"
    )
    short = hover(made, Q, at(sql, "*")[0], HoverOptions(most_columns=1))
    assert short is not None
    assert short.present("plaintext").split("\n")[1:] == ["id INT64 from depots.id", "… 2 more"]


def test_a_star_that_nobody_can_expand_gives_the_reason() -> None:
    sql = "SELECT * FROM depots"
    lineage = StatementLineage("query", occurrences=(occurrence(sql, "*", "star", reason="depots has no DDL here"),))
    assert plain(snapshot({Q: [(sql, lineage)]}), Q, at(sql, "*")[0]) == "*\nnot proved: depots has no DDL here"


def test_a_cte_lists_its_columns_with_their_sources() -> None:
    sql = "WITH c AS (SELECT id FROM depots) SELECT id FROM c"
    columns = (ColumnFact("id", INT, (Node("depots", ("id",)),)),)
    lineage = StatementLineage("query", occurrences=(occurrence(sql, "c", "cte", columns=columns),))
    assert plain(snapshot({Q: [(sql, lineage)]}, (DEPOTS,)), Q, at(sql, "c")[0]) == (
        "cte c : 1 column\nid INT64 from depots.id"
    )


def test_what_is_not_proved_gives_its_reason() -> None:
    sql = "SELECT x FROM a, b"
    lineage = StatementLineage("query", occurrences=(occurrence(sql, "x", "column", reason="a or b could own x"),))
    assert plain(snapshot({Q: [(sql, lineage)]}), Q, at(sql, "x")[0]) == "x\nnot proved: a or b could own x"


def test_an_output_tells_constants_conditions_rows_and_gaps() -> None:
    sql = "CREATE VIEW v AS SELECT CASE WHEN ok THEN 1 END AS flag FROM t"
    span = at(sql, "CASE WHEN ok THEN 1 END")
    edge = Edge(
        "v",
        ("flag",),
        (Source("t", ("ok",), CONDITION, "CASE"), Source("t", ROWS)),
        (GeneratedSource("constant", "1"),),
        (Gap("wildcard", "the columns of t are not known"),),
        (),
        "CASE",
        *span,
    )
    flag = occurrence(sql, "flag", "output", relation="v", path=("flag",), type=INT)
    lineage = StatementLineage("view", "v", edges=(edge,), occurrences=(flag,))
    assert plain(snapshot({V: [(sql, lineage)]}), V, at(sql, "flag")[0]) == (
        "v.flag : INT64\n"
        "from the rows of t\n"
        "as CASE WHEN ok THEN 1 END (case)\n"
        "constant 1\n"
        "chosen by t.ok\n"
        "not complete: the columns of t are not known\n"
        "not used downstream"
    )


def test_many_sources_are_cut() -> None:
    sql = "SELECT a + b AS total FROM t"
    nodes = tuple(Node("t", (f"c{n}",)) for n in range(11))
    lineage = StatementLineage("query", occurrences=(occurrence(sql, "total", "output", nodes=nodes),))
    assert plain(snapshot({Q: [(sql, lineage)]}), Q, at(sql, "total")[0]) == (
        "total\nfrom t.c0, t.c1, t.c2, t.c3, t.c4, t.c5, t.c6, t.c7 and 3 more"
    )


def test_a_half_typed_statement_is_labelled() -> None:
    found = plain(workspace(stale=True), V, at(VIEW, "name")[0])
    assert found is not None
    assert found.endswith("\nas of the last text that could be read")


def test_counts_that_may_grow_say_so() -> None:
    found = plain(workspace(complete=False), V, at(VIEW, "name")[0])
    assert found is not None
    assert found.endswith("\nused in 2 places so far")
