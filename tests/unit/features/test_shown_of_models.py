"""References, links and the lineage tree over the models of a project, which are named by their files."""

from __future__ import annotations

from sql_lineage_ls.features.call_hierarchy import incoming_calls, outgoing_calls, prepare_call_hierarchy
from sql_lineage_ls.features.document_links import document_links
from sql_lineage_ls.features.references import references
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot
from tests.support import product

CRATES, REPORT = "file:///w/models/crates.sql", "file:///w/models/report.sql"
TEXTS = {
    CRATES: "{{ config(materialized='table') }}\nSELECT id, box.w AS width FROM {{ source('raw', 'boxes') }}",
    REPORT: "SELECT c.width FROM {{ ref('crates') }} AS c JOIN {{ ref('other_package', 'crates') }} USING (id)",
}


def opened() -> Snapshot:
    return product.open_files(TEXTS, "bigquery", models=True)


def spot(uri: str, text: str, after: str = "") -> FileSpan:
    start = TEXTS[uri].index(text, TEXTS[uri].index(after) + len(after))
    return FileSpan(uri, start, start + len(text))


def test_a_ref_links_to_the_query_that_is_the_model() -> None:
    links = document_links(opened(), REPORT, lambda _: False)
    assert [TEXTS[REPORT][link.span.start : link.span.end] for link in links] == ["crates", "crates"]
    assert {link.place for link in links} == {spot(CRATES, "SELECT")}
    assert document_links(opened(), CRATES, lambda _: False) == ()


def test_references_of_a_model_and_of_its_column() -> None:
    snapshot = opened()
    found = references(snapshot, CRATES, spot(CRATES, "width").start)
    assert [(one.span, one.usage) for one in found] == [
        (spot(CRATES, "width"), "declaration"), (spot(REPORT, "width"), "read")
    ]  # fmt: skip
    # The token there declares a column of the report too, but it is a read all the same.
    found = references(snapshot, REPORT, spot(REPORT, "width").start, declarations=False)
    assert [one.span for one in found] == [spot(REPORT, "width")]
    found = references(snapshot, REPORT, spot(REPORT, "crates").start, declarations=False)
    assert [one.span for one in found] == [spot(REPORT, "crates"), spot(REPORT, "crates", "other_package")]


def test_the_tree_goes_from_model_to_model() -> None:
    snapshot = opened()
    (root,) = prepare_call_hierarchy(snapshot, CRATES, spot(CRATES, "width").start)
    (down,) = incoming_calls(snapshot, root)
    assert (down.item.detail, down.item.name, down.places) == ("report", "width", (spot(REPORT, "width"),))
    (up,) = outgoing_calls(snapshot, down.item)
    # Who turns round goes on from there.
    assert (up.item.focus, up.item.circle) == (spot(CRATES, "width"), False)
    (source,) = outgoing_calls(snapshot, up.item)
    assert (source.item.detail, source.item.name) == ("raw.boxes", "box.w")
