"""Which urns of DataHub lineage are rewritten, which edges are added, and what is left alone."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sql_lineage_ls.exporters.datahub_rewrite import RewriteOptions, rewrite_paths, schemas_of

V2 = "[version=2.0].[type=struct]"
ROW = f"{V2}.[type=struct].row"
SEAT = f"{ROW}.[type=struct].seat"
ROW_FIELDS = (ROW, f"{ROW}.[type=long].fare", SEAT, f"{SEAT}.[type=string].row_no")
NOTHING_ADDED = RewriteOptions(expand_struct_parents=False)

Json = dict[str, Any]


def dataset(name: str, platform: str = "bigquery") -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},p.air.{name},PROD)"


RAW, SHOWN = dataset("raw"), dataset("shown")


def field(parent: str, path: str) -> str:
    return f"urn:li:schemaField:({parent},{path})"


def edge(upstreams: list[str], downstream: str, **more: object) -> Json:
    return {
        "upstreamType": "FIELD_SET",
        "upstreams": upstreams,
        "downstreamType": "FIELD",
        "downstreams": [downstream],
        **more,
    }


def proposal(urn: str, aspect: str, content: Json) -> Json:
    return {"entityType": "dataset", "entityUrn": urn, "changeType": "UPSERT", "aspectName": aspect,
            "aspect": {"json": content}}  # fmt: skip


def schema(urn: str, *paths: str) -> Json:
    return proposal(urn, "schemaMetadata", {"schemaName": "s", "fields": [{"fieldPath": path} for path in paths]})


def lineage(*edges: Json) -> Json:
    return proposal(SHOWN, "upstreamLineage", {"upstreams": [], "fineGrainedLineages": list(edges)})


def fare_of(upstream: str, path: str, shown: str) -> Json:
    return lineage(edge([field(upstream, path)], field(SHOWN, shown)))


def edges_of(item: Json) -> list[tuple[list[str], list[str]]]:
    return [(found["upstreams"], found["downstreams"]) for found in item["aspect"]["json"]["fineGrainedLineages"]]


def test_the_only_field_of_a_simple_name_is_written_in_full() -> None:
    items = [fare_of(RAW, "row.fare", "fare"), schema(RAW, *ROW_FIELDS), schema(SHOWN, "fare")]
    before = copy.deepcopy(items)
    done = rewrite_paths(items, RewriteOptions())
    assert edges_of(done.items[0]) == [([field(RAW, f"{ROW}.[type=long].fare")], [field(SHOWN, "fare")])]
    assert done.summary == "1 field urns rewritten, 1 already valid, 0 skipped, 0 edges added"
    assert items == before
    assert list(done.items[1:]) == items[1:]


def test_two_fields_with_one_simple_name_are_left_alone() -> None:
    union = f"{V2}.[type=union].choice"
    items = [
        lineage(edge([field(RAW, "choice")], field(SHOWN, "c"))),
        schema(RAW, union, f"{V2}.[type=union].[type=int].choice"),
        schema(SHOWN, "c"),
    ]
    done = rewrite_paths(items, RewriteOptions())
    assert list(done.items) == items
    assert done.summary == (
        "0 field urns rewritten, 1 already valid, 1 skipped (p.air.raw: choice), 0 edges added"
    )


def test_an_unknown_dataset_and_an_unknown_field_are_left_alone() -> None:
    items = [lineage(edge([field(RAW, "row.fare"), field(dataset("other"), "x")], field(SHOWN, "gone"))),
             schema(SHOWN, "fare")]  # fmt: skip
    done = rewrite_paths(items, RewriteOptions(max_unmapped_logged=2))
    assert list(done.items) == items
    assert done.summary == (
        "0 field urns rewritten, 0 already valid, 3 skipped (p.air.raw: row.fare, p.air.other: x, 1 more), "
        "0 edges added"
    )


def test_a_summary_may_name_nothing() -> None:
    items = [lineage(edge([field(RAW, "x")], field(SHOWN, "y")))]
    assert rewrite_paths(items, RewriteOptions(max_unmapped_logged=0)).summary == (
        "0 field urns rewritten, 0 already valid, 2 skipped, 0 edges added"
    )


def test_other_platforms_are_not_touched_nor_counted() -> None:
    hive = dataset("raw", "hive")
    items = [fare_of(hive, "row.fare", "fare"), schema(hive, *ROW_FIELDS), schema(SHOWN, "fare")]
    done = rewrite_paths(items, RewriteOptions())
    assert list(done.items) == items
    assert done.summary == "0 field urns rewritten, 1 already valid, 0 skipped, 0 edges added"
    done = rewrite_paths(items, RewriteOptions("hive"))
    assert edges_of(done.items[0])[0][0] == [field(hive, f"{ROW}.[type=long].fare")]


def test_case_is_ignored_where_the_database_does() -> None:
    items = [fare_of(RAW, "row.Fare", "FARE"), schema(RAW, *ROW_FIELDS), schema(SHOWN, "fare")]
    assert edges_of(rewrite_paths(items, RewriteOptions()).items[0]) == [
        ([field(RAW, f"{ROW}.[type=long].fare")], [field(SHOWN, "fare")])
    ]
    house = dataset("raw", "clickhouse")
    items = [lineage(edge([field(house, "Fare")], field(house, "fare"))), schema(house, "fare")]
    assert list(rewrite_paths(items, RewriteOptions("clickhouse")).items) == items


def test_two_spellings_that_differ_in_case_only_are_left_alone() -> None:
    items = [lineage(edge([field(RAW, "FARE")], field(SHOWN, "x"))), schema(RAW, "fare", "Fare"), schema(SHOWN, "x")]
    assert list(rewrite_paths(items, RewriteOptions()).items) == items


COPIED = edge([field(RAW, "row")], field(SHOWN, "kept"), confidenceScore=0.9)
KEPT = f"{V2}.[type=struct].kept"
COPY_ITEMS = [
    lineage(COPIED),
    schema(RAW, *ROW_FIELDS, f"{ROW}.[type=int].old"),
    schema(SHOWN, KEPT, f"{KEPT}.[type=long].fare", f"{KEPT}.[type=struct].seat",
           f"{KEPT}.[type=struct].seat.[type=string].row_no", f"{KEPT}.[type=int].new"),
]  # fmt: skip


def test_a_record_handed_on_whole_gets_an_edge_for_each_common_field_however_deep() -> None:
    done = rewrite_paths(COPY_ITEMS, RewriteOptions())
    assert edges_of(done.items[0]) == [
        ([field(RAW, ROW)], [field(SHOWN, KEPT)]),
        ([field(RAW, f"{ROW}.[type=long].fare")], [field(SHOWN, f"{KEPT}.[type=long].fare")]),
        ([field(RAW, f"{ROW}.[type=struct].seat")], [field(SHOWN, f"{KEPT}.[type=struct].seat")]),
        ([field(RAW, f"{ROW}.[type=struct].seat.[type=string].row_no")],
         [field(SHOWN, f"{KEPT}.[type=struct].seat.[type=string].row_no")]),
    ]  # fmt: skip
    content = done.items[0]["aspect"]["json"]["fineGrainedLineages"]
    assert {found["confidenceScore"] for found in content} == {0.9}
    assert done.summary == "2 field urns rewritten, 0 already valid, 0 skipped, 3 edges added"


def test_the_fields_of_records_are_left_out_where_that_is_set() -> None:
    done = rewrite_paths(COPY_ITEMS, NOTHING_ADDED)
    assert edges_of(done.items[0]) == [([field(RAW, ROW)], [field(SHOWN, KEPT)])]
    assert done.summary == "2 field urns rewritten, 0 already valid, 0 skipped, 0 edges added"


@pytest.mark.parametrize(
    "whole",
    [
        edge([field(RAW, "row")], field(SHOWN, "kept"), transformOperation="SQL: mask(row)"),
        edge([field(RAW, "row"), field(RAW, "row.seat")], field(SHOWN, "kept")),
        edge([field(RAW, "row")], field(SHOWN, "unknown")),
    ],
)
def test_what_is_no_copy_of_one_record_gets_no_edges(whole: Json) -> None:
    done = rewrite_paths([lineage(whole), *COPY_ITEMS[1:]], RewriteOptions())
    assert len(edges_of(done.items[0])) == 1


def test_an_edge_that_is_there_is_not_added_again_and_a_second_run_changes_nothing() -> None:
    once = rewrite_paths(COPY_ITEMS, RewriteOptions())
    again = rewrite_paths(once.items, RewriteOptions())
    assert again.items == once.items
    assert again.summary == "0 field urns rewritten, 8 already valid, 0 skipped, 0 edges added"


def test_schemas_are_looked_up_in_the_stream_then_in_the_fallback_then_in_ddl() -> None:
    items = [lineage(edge([field(RAW, "row.fare")], field(SHOWN, "x.y")))]
    ours, theirs = f"{ROW}.[type=long].fare", f"{ROW}.[type=double].fare"
    declared = {"p.air.raw": (theirs,), "p.air.shown": (f"{V2}.[type=struct].x.[type=int].y",)}
    done = rewrite_paths(items, RewriteOptions(), {RAW: (ours,)}, declared)
    assert edges_of(done.items[0]) == [([field(RAW, ours)], [field(SHOWN, f"{V2}.[type=struct].x.[type=int].y")])]
    done = rewrite_paths([*items, schema(RAW, theirs)], RewriteOptions(), {RAW: (ours,)})
    assert edges_of(done.items[0])[0][0] == [field(RAW, theirs)]


def test_a_change_event_and_a_text_aspect_keep_their_form() -> None:
    found = edge([field(RAW, "row.fare")], field(SHOWN, "fare"))
    snapshot = "com.linkedin.pegasus2avro.metadata.snapshot.DatasetSnapshot"
    event = {"proposedSnapshot": {snapshot: {"urn": SHOWN, "aspects": [
        {"com.linkedin.pegasus2avro.dataset.UpstreamLineage": {"upstreams": [], "fineGrainedLineages": [found]}},
        {"com.linkedin.pegasus2avro.schema.SchemaMetadata": {"fields": [{"fieldPath": "fare"}], "hash": None}},
    ]}}}  # fmt: skip
    text = {**lineage(), "aspect": {"contentType": "application/json", "value": json.dumps({
        "upstreams": [], "fineGrainedLineages": [found]})}}  # fmt: skip
    raw = {**schema(RAW), "aspect": {"value": json.dumps({"fields": [{"fieldPath": path} for path in ROW_FIELDS]})}}
    done = rewrite_paths([event, text, raw], RewriteOptions())
    full = edge([field(RAW, f"{ROW}.[type=long].fare")], field(SHOWN, "fare"))
    aspects = done.items[0]["proposedSnapshot"][snapshot]["aspects"]
    assert aspects[0]["com.linkedin.pegasus2avro.dataset.UpstreamLineage"]["fineGrainedLineages"] == [full]
    assert aspects[1] == event["proposedSnapshot"][snapshot]["aspects"][1]
    assert json.loads(done.items[1]["aspect"]["value"])["fineGrainedLineages"] == [full]
    assert done.items[1]["aspect"]["contentType"] == "application/json"
    assert done.items[2] is raw or done.items[2] == raw


def test_reserved_characters_in_a_path_are_compared_as_what_they_stand_for() -> None:
    items = [lineage(edge([field(RAW, "row.price %28EUR%29")], field(SHOWN, "x"))),
             schema(RAW, f"{ROW}.[type=long].price (EUR)"), schema(SHOWN, "x")]  # fmt: skip
    assert edges_of(rewrite_paths(items, RewriteOptions()).items[0])[0][0] == [
        field(RAW, f"{ROW}.[type=long].price %28EUR%29")
    ]


FIELDS = {"fields": [{"fieldPath": "a"}, {"fieldPath": "b.c"}]}


@pytest.mark.parametrize(
    "document",
    [
        [schema(RAW, "a", "b.c")],
        [{"urn": RAW, "schemaMetadata": {"value": FIELDS}}],
        {"entities": [{"urn": RAW, "aspects": {"schemaMetadata": FIELDS}}]},
        {RAW: ["a", "b.c"]},
        {RAW: {"a": "INT64", "b.c": "STRING"}},
        {RAW: FIELDS},
    ],
)
def test_schemas_are_read_in_every_form(document: object) -> None:
    assert schemas_of(document) == {RAW: ("a", "b.c")}


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.sampled_from([field(RAW, "row.fare"), RAW]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["aspect", "json", "value", "fineGrainedLineages", "upstreams", "downstreams", "x",
                         "proposedSnapshot", "aspects", "urn", "entityUrn", "aspectName", "fields"]),
        inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(JSON, max_size=3))
def test_any_json_passes_and_without_schemas_unchanged(items: list[Any]) -> None:
    schemas_of(items)
    assert list(rewrite_paths(items, NOTHING_ADDED).items) == items
