"""Field lineage as DataHub metadata."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sql_lineage_ls.exporters.datahub import DataHubOptions, decode, encode, field_urn, to_datahub
from tests.support.product import lineage_report, open_files

URI = "file:///w/a.sql"
V2 = "[version=2.0].[type=struct]"

Json = dict[str, Any]


def proposals(sql: str, options: DataHubOptions | None = None, dialect: str = "bigquery") -> list[Json]:
    report = lineage_report(open_files({URI: sql}, dialect), {URI: "a.sql"}, False)
    found: list[Json] = json.loads(to_datahub(report, options or DataHubOptions()))
    return found


def urn(name: str, platform: str = "bigquery", env: str = "PROD") -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{name},{env})"


def edges(proposal: Json) -> list[tuple[list[str], str, str]]:
    """Upstream fields, downstream field, operation; fields without their urn's frame."""
    return [
        (
            [upstream.split("PROD),")[1][:-1] for upstream in edge["upstreams"]],
            edge["downstreams"][0].split("PROD),")[1][:-1],
            edge.get("transformOperation", ""),
        )
        for edge in proposal["aspect"]["json"]["fineGrainedLineages"]
    ]


FLIGHTS = """
CREATE TABLE air.flights (id INT64, crew STRUCT<Pilot STRING, rest INT64>, legs ARRAY<STRUCT<gate STRING, km INT64>>);
CREATE VIEW air.shown AS
SELECT f.crew.pilot, l.km + f.crew.rest AS n, f.crew, CASE WHEN f.id > 1 THEN l.gate END AS gate, 'x' AS kind
FROM air.flights AS f CROSS JOIN UNNEST(f.legs) AS l WHERE l.gate <> '';
"""


def test_one_proposal_for_each_dataset_with_paths_of_its_schema() -> None:
    (proposal,) = proposals(FLIGHTS)
    aspect = proposal.pop("aspect")["json"]
    assert proposal == {
        "entityType": "dataset",
        "entityUrn": urn("air.shown"),
        "changeType": "UPSERT",
        "aspectName": "upstreamLineage",
    }
    assert aspect["upstreams"] == [{"dataset": urn("air.flights"), "type": "VIEW"}]
    first = aspect["fineGrainedLineages"][0]
    assert first == {
        "upstreamType": "FIELD_SET",
        "upstreams": [f"urn:li:schemaField:({urn('air.flights')},{V2}.[type=struct].crew.[type=string].pilot)"],
        "downstreamType": "FIELD",
        "downstreams": [f"urn:li:schemaField:({urn('air.shown')},pilot)"],
        "confidenceScore": 1.0,
        "transformOperation": "COPY: f.crew.pilot",
    }
    assert edges({"aspect": {"json": aspect}})[1:] == [
        (
            [f"{V2}.[type=array].[type=struct].legs.[type=long].km", f"{V2}.[type=struct].crew.[type=long].rest"],
            "n",
            "SQL: l.km + f.crew.rest",
        ),
        ([f"{V2}.[type=struct].crew"], f"{V2}.[type=struct].crew", "COPY: f.crew"),
        (
            [f"{V2}.[type=array].[type=struct].legs.[type=string].gate", "id"],
            "gate",
            "SQL: CASE WHEN f.id > 1 THEN l.gate END",
        ),
    ]


def test_two_writes_of_one_dataset_are_one_aspect() -> None:
    (proposal,) = proposals(
        "INSERT INTO u (a) SELECT x FROM s; INSERT INTO u (a, b) SELECT y, x FROM t; INSERT INTO u (a) SELECT x FROM s;"
    )
    aspect = proposal["aspect"]["json"]
    assert aspect["upstreams"] == [
        {"dataset": urn("s"), "type": "TRANSFORMED"},
        {"dataset": urn("t"), "type": "TRANSFORMED"},
    ]
    assert edges(proposal) == [(["x"], "a", "COPY: x"), (["y"], "a", "COPY: y"), (["x"], "b", "COPY: x")]


def test_an_undeclared_table_has_the_simple_path_of_datahub_s_parser() -> None:
    (proposal,) = proposals("CREATE VIEW v AS SELECT r.payload.amount FROM d.raw AS r;")
    assert edges(proposal) == [(["payload.amount"], "amount", "COPY: r.payload.amount")]


def test_rows_and_stars_are_no_fields_but_upstreams() -> None:
    (proposal,) = proposals("CREATE VIEW v AS SELECT *, COUNT(*) OVER () AS n FROM d.raw;")
    assert proposal["aspect"]["json"]["upstreams"] == [{"dataset": urn("d.raw"), "type": "VIEW"}]
    assert edges(proposal) == []


def test_bare_queries_and_ddl_write_nothing() -> None:
    assert proposals("CREATE TABLE t (a INT64); SELECT a FROM t;") == []


def test_platform_instance_and_environment() -> None:
    (proposal,) = proposals(
        "CREATE VIEW db.v AS SELECT a FROM db.t;", DataHubOptions("postgres", "eu1", "DEV"), "postgres"
    )
    assert proposal["entityUrn"] == urn("eu1.db.v", "postgres", "DEV")


@pytest.mark.parametrize(("dialect", "platform"), [("tsql", "mssql"), ("spark", "hive"), ("snowflake", "snowflake")])
def test_platforms_by_dialect(dialect: str, platform: str) -> None:
    (proposal,) = proposals("CREATE VIEW d.v AS SELECT a FROM d.t;", dialect=dialect)
    assert proposal["entityUrn"].startswith(f"urn:li:dataset:(urn:li:dataPlatform:{platform},")


def test_files_are_datasets_of_their_store() -> None:
    (proposal,) = proposals("CREATE EXTERNAL TABLE logs (line STRING) LOCATION 'gs://lake/raw/';", dialect="hive")
    assert proposal["aspect"]["json"]["upstreams"][0]["dataset"] == urn("lake/raw", "gcs")


def test_reserved_characters_are_encoded() -> None:
    assert field_urn(urn("t"), "price (EUR), net") == f"urn:li:schemaField:({urn('t')},price %28EUR%29%2C net)"
    assert decode(encode("a,(b)␟%41")) == "a,(b)␟%41"


def test_datahub_reads_what_is_written() -> None:
    emitter = pytest.importorskip(
        "datahub.emitter.mcp", reason="acryl-datahub is not installed (dependency group exports)"
    )
    builder = pytest.importorskip("datahub.emitter.mce_builder")
    (proposal,) = proposals(FLIGHTS)
    read = emitter.MetadataChangeProposalWrapper.from_obj(proposal)
    assert read.validate()
    assert read.entityUrn == builder.make_dataset_urn("bigquery", "air.shown")
    theirs = read.aspect.fineGrainedLineages[2].upstreams
    assert theirs == [builder.make_schema_field_urn(builder.make_dataset_urn("bigquery", "air.flights"),
                                                    f"{V2}.[type=struct].crew")]  # fmt: skip
