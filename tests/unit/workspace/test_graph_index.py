from __future__ import annotations

from collections.abc import Mapping

from sql_lineage_ls.lineage import graph
from sql_lineage_ls.lineage.model import ROWS, Edge, Node, Read, Source, StatementLineage
from sql_lineage_ls.workspace.index import RelationIndex


def statement(target: str, edges: tuple[Edge, ...] = (), reads: tuple[Read, ...] = ()) -> StatementLineage:
    stored = ((target, target, "view"),) if target else ()
    return StatementLineage("view", target=target, edges=edges, reads=reads, relations=stored)


def edge(target: str, source: str, transform: str = "IDENTITY", role: str = "value") -> Edge:
    relation, path = node(target).relation, node(target).path
    found = node(source)
    return Edge(relation, path, (Source(found.relation, found.path, role, transform),))


def node(text: str) -> Node:
    relation, *path = text.split(".")
    return Node(relation, tuple(path))


def index(documents: Mapping[str, list[StatementLineage]]) -> RelationIndex:
    return RelationIndex().replace({uri: graph.contributions_of(uri, lineages) for uri, lineages in documents.items()})


def used(found: RelationIndex, text: str) -> list[tuple[str, int, str]]:
    return [(use.uri, use.start, use.usage) for use in graph.uses(found, node(text))]


# ---------------------------------------------------------------- uses

READS = index(
    {
        "a": [
            statement(
                "v",
                reads=(
                    Read("t", (), 1, 2),
                    Read("t", ("addr",), 3, 7),
                    Read("t", ("addr", "city"), 8, 9),
                    Read("t", ("qty",), 10, 11, "star"),
                ),
            )
        ],
        "b": [statement("", reads=(Read("t", (), 1, 2, "star"), Read("t", ("addr", "zip"), 4, 5)))],
        "c": [statement("t", reads=(Read("t", ("qty",), 1, 2, "write"), Read("t", (), 5, 6, "write")))],
    }
)


def test_a_field_is_used_by_itself_and_by_what_contains_it() -> None:
    assert used(READS, "t.addr.city") == [("a", 3, "contained"), ("a", 8, "read"), ("b", 1, "contained")]


def test_a_record_is_used_by_itself_and_by_its_fields() -> None:
    assert used(READS, "t.addr") == [("a", 3, "read"), ("a", 8, "read"), ("b", 1, "contained"), ("b", 4, "read")]


def test_naming_a_relation_uses_the_relation_and_not_its_columns() -> None:
    assert used(READS, "t.qty") == [("a", 10, "star"), ("b", 1, "contained"), ("c", 1, "write")]
    assert ("a", 1, "read") in used(READS, "t")
    assert len(used(READS, "t")) == 8


def test_the_target_of_the_using_statement_is_told() -> None:
    assert {use.uri: use.target for use in graph.uses(READS, node("t.addr"))} == {"a": "v", "b": ""}


def test_uses_follow_a_record_that_is_handed_on_unchanged() -> None:
    found = index(
        {
            "v": [statement("v", (edge("v.place", "t.addr", "RENAME"),), (Read("t", ("addr",), 5, 9),))],
            "w": [statement("w", (edge("w.p", "v.place"),), (Read("v", ("place",), 3, 8),))],
            "q": [statement("", reads=(Read("w", ("p", "city"), 1, 5), Read("w", ("p", "zip"), 6, 9)))],
        }
    )
    assert used(found, "t.addr.city") == [("q", 1, "read"), ("v", 5, "contained"), ("w", 3, "contained")]
    # The record itself is read in the view; what happens to the view's own column is one hop further.
    assert used(found, "t.addr") == [("v", 5, "read")]


def test_uses_follow_an_array_into_its_elements() -> None:
    found = index(
        {
            "v": [
                statement(
                    "v",
                    (edge("v.item", "t.items.[*]", "UNNEST"),),
                    (Read("t", ("items",), 5, 9), Read("t", ("items", "[*]"), 12, 13)),
                )
            ],
            "q": [statement("", reads=(Read("v", ("item", "sku"), 1, 4),))],
        }
    )
    # UNNEST only takes the array apart: it is no use of each field of its elements, but the whole element is.
    assert used(found, "t.items.[*].sku") == [("q", 1, "read"), ("v", 12, "contained")]
    assert used(found, "t.items") == [("v", 5, "read"), ("v", 12, "read")]


def test_uses_do_not_follow_a_record_that_was_changed() -> None:
    found = index(
        {
            "v": [statement("v", (edge("v.place", "t.addr", "EXPRESSION"),), (Read("t", ("addr",), 5, 9),))],
            "q": [statement("", reads=(Read("v", ("place", "city"), 1, 5),))],
        }
    )
    assert used(found, "t.addr.city") == [("v", 5, "contained")]


def test_uses_end_in_a_circle() -> None:
    found = index(
        {
            "v": [statement("v", (edge("v.r", "w.r"),), (Read("w", ("r",), 1, 2),))],
            "w": [statement("w", (edge("w.r", "v.r"),), (Read("v", ("r",), 1, 2),))],
        }
    )
    assert used(found, "v.r.f") == [("v", 1, "contained"), ("w", 1, "contained")]


# ---------------------------------------------------------------- closures

CHAIN = index(
    {
        "1": [
            statement("v", (edge("v.city", "t.addr.city"), edge("v.rest", "t.addr"), edge("v.n", "t.qty", "AGGREGATE")))
        ],
        "2": [statement("w", (edge("w.c", "v.city"), edge("w.r", "v.rest"), edge("w.f", "v.n", role="membership")))],
        "3": [statement("", (edge("RS-1.c", "w.c"),))],
    }
)


def nodes(*texts: str) -> tuple[Node, ...]:
    return tuple(node(text) for text in texts)


def test_upstream_goes_through_views_to_the_end() -> None:
    assert graph.upstream(CHAIN, node("w.c")) == nodes("t.addr.city", "v.city")


def test_upstream_of_a_field_of_a_record_that_was_handed_on() -> None:
    assert graph.upstream(CHAIN, node("w.r.zip")) == nodes("t.addr.zip", "v.rest.zip")


def test_upstream_follows_dataflow_only() -> None:
    assert graph.upstream(CHAIN, node("w.f")) == ()


def test_downstream_goes_through_views_and_ends_before_bare_queries() -> None:
    assert graph.downstream(CHAIN, node("t.addr.city")) == nodes("v.city", "v.rest.city", "w.c", "w.r.city")
    assert graph.downstream(CHAIN, node("t.addr")) == nodes("v.city", "v.rest", "w.c", "w.r")


def test_rows_are_no_dataflow() -> None:
    found = index({"1": [statement("v", (Edge("v", ("n",), (Source("t", ROWS, "value", "AGGREGATE"),)),))]})
    assert graph.upstream(found, node("v.n")) == ()


def test_closures_end_in_a_circle() -> None:
    found = index({"1": [statement("a", (edge("a.x", "b.x"),)), statement("b", (edge("b.x", "a.x"),))]})
    assert graph.upstream(found, node("a.x")) == nodes("b.x")
    assert graph.downstream(found, node("a.x")) == nodes("b.x")


# ---------------------------------------------------------------- index


def test_contributions_of_a_document_are_replaced_as_a_whole() -> None:
    first = index({"a": [statement("", reads=(Read("t", ("x",), 1, 2), Read("u", ("y",), 3, 4)))]})
    second = first.replace({"a": graph.contributions_of("a", [statement("", reads=(Read("t", ("z",), 5, 6),))])})
    assert used(second, "t.x") == []
    assert used(second, "t.z") == [("a", 5, "read")]
    assert second.relations() == {"t"}
    assert used(first, "u.y") == [("a", 3, "read")]


def test_a_document_without_contributions_is_gone() -> None:
    assert READS.replace({"a": {}, "b": {}, "c": {}}).relations() == frozenset()


def test_contributions_come_in_the_order_of_addresses() -> None:
    reads = {uri: [statement("", reads=(Read("t", ("x",), 1, 2),))] for uri in ("c", "a", "b")}
    assert [use.uri for use in graph.uses(index(reads), node("t.x"))] == ["a", "b", "c"]
