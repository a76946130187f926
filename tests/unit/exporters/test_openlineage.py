"""OpenLineage events: as the specification demands, and with exactly the fields and transformations of the SQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import pytest
from jsonschema import Draft202012Validator

from sql_lineage_ls.catalog.types import ArrayType, Field, MapType, RecordType, Scalar
from sql_lineage_ls.exporters.openlineage import NO_RUN, OpenLineageOptions, field_name, to_openlineage
from tests.support.product import lineage_report, open_files
from tests.unit.exporters.openlineage_schema import DATASET_EVENT, RUN_EVENT

URI = "file:///w/ferry.sql"
FACETS = {
    "columnLineage": "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json",
    "schema": "https://openlineage.io/spec/facets/1-2-0/SchemaDatasetFacet.json",
    "sql": "https://openlineage.io/spec/facets/1-1-0/SQLJobFacet.json",
}
FERRY = """\
CREATE TABLE port.trips (
  id INT64,
  captain STRUCT<name STRING, home STRUCT<town STRING>>,
  stops ARRAY<STRUCT<pier STRING, minutes INT64>>
);
CREATE TABLE port.piers (pier STRING, open BOOL);
"""

Json = dict[str, Any]


def events_of(sql: str, options: OpenLineageOptions | None = None, dialect: str = "bigquery") -> list[Json]:
    report = lineage_report(open_files({URI: sql}, dialect), {URI: "ferry.sql"}, False)
    events = [json.loads(line) for line in to_openlineage(report, options or OpenLineageOptions()).splitlines()]
    for event in events:
        validate(event)
    return events


def validate(event: Json) -> None:
    """The event with all its facets, and the address of the specification that each facet names."""
    schema = DATASET_EVENT if "dataset" in event else RUN_EVENT
    Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(event)
    holders = [event.get("job", {}), event.get("dataset", {}), *event.get("inputs", ()), *event.get("outputs", ())]
    for holder in holders:
        for name, facet in holder.get("facets", {}).items():
            assert facet["_schemaURL"].startswith(FACETS[name] + "#/$defs/")


def lineage_of(event: Json, output: int = 0) -> tuple[dict[str, list[str]], list[str]]:
    """The facet in short: `{field: ["dataset.field SUBTYPE", ..]}` and the same of the whole dataset."""
    facet = event["outputs"][output]["facets"]["columnLineage"]
    return {name: short(field["inputFields"]) for name, field in facet["fields"].items()}, short(facet["dataset"])


def short(inputs: list[Json]) -> list[str]:
    return [
        f"{found['name']}:{found['field']} {'+'.join(step['subtype'] for step in found['transformations'])}"
        for found in inputs
    ]


def test_nested_fields_are_dotted_and_transformations_are_named() -> None:
    (event,) = events_of(
        FERRY
        + """
        CREATE VIEW port.waits AS
        SELECT t.captain.home.town, s.minutes AS waited, UPPER(s.pier) AS pier, t.captain, 'ferry' AS kind,
               IF(p.open, s.minutes, 0) AS served
        FROM port.trips AS t CROSS JOIN UNNEST(t.stops) AS s JOIN port.piers AS p ON p.pier = s.pier
        WHERE t.id > 9 ORDER BY t.id;
        """
    )
    assert (event["eventType"], event["job"]["name"], event["job"]["namespace"]) == (
        "COMPLETE",
        "port.waits",
        "default",
    )
    assert [(found["namespace"], found["name"]) for found in event["inputs"]] == [
        ("bigquery", "port.trips"),
        ("bigquery", "port.piers"),
    ]
    fields, dataset = lineage_of(event)
    assert fields == {
        "town": ["port.trips:captain.home.town IDENTITY"],
        "waited": ["port.trips:stops._element.minutes IDENTITY"],
        "pier": ["port.trips:stops._element.pier TRANSFORMATION"],
        "captain": ["port.trips:captain IDENTITY"],
        "kind": [],
        "served": ["port.trips:stops._element.minutes TRANSFORMATION", "port.piers:open CONDITIONAL"],
    }
    assert dataset == [
        "port.piers:pier JOIN",
        "port.trips:stops._element.pier JOIN",
        "port.trips:id FILTER+SORT",
    ]


def test_aggregates_groups_and_windows() -> None:
    (event,) = events_of(
        """
        CREATE TABLE port.daily AS
        SELECT day, SUM(fare) AS fares, RANK() OVER (PARTITION BY line ORDER BY day) AS place, COUNT(*) AS n
        FROM port.tickets GROUP BY day, line;
        """
    )
    fields, dataset = lineage_of(event)
    assert fields == {
        "day": ["port.tickets:day IDENTITY"],
        "fares": ["port.tickets:fare AGGREGATION"],
        "place": ["port.tickets:line WINDOW", "port.tickets:day WINDOW"],
        "n": [],
    }
    assert dataset == ["port.tickets:line GROUP_BY", "port.tickets:day GROUP_BY"]


def test_what_a_transformation_does_is_described_and_its_type_said() -> None:
    (event,) = events_of("CREATE VIEW v AS SELECT LOWER(name) AS low FROM crew WHERE age > 3;")
    facet = event["outputs"][0]["facets"]["columnLineage"]
    assert facet["fields"]["low"]["inputFields"] == [
        {
            "namespace": "bigquery",
            "name": "crew",
            "field": "name",
            "transformations": [{"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "LOWER(name)"}],
        }
    ]
    assert facet["dataset"][0]["transformations"] == [{"type": "INDIRECT", "subtype": "FILTER"}]


def test_the_schema_facet_nests_as_the_field_names_do() -> None:
    (event,) = events_of(
        "CREATE TABLE harbour (id bigint, tags map(varchar, row(label varchar)), sizes array(integer));",
        dialect="trino",
    )
    assert event["dataset"]["facets"]["schema"]["fields"] == [
        {"name": "id", "type": "bigint"},
        {
            "name": "tags",
            "type": "map",
            "fields": [
                {"name": "key", "type": "varchar"},
                {"name": "value", "type": "row", "fields": [{"name": "label", "type": "varchar"}]},
            ],
        },
        {"name": "sizes", "type": "array", "fields": [{"name": "_element", "type": "integer"}]},
    ]


TAGS = (Field("tags", "tags", MapType(Scalar("s"), RecordType((Field("label", "label", Scalar("s")),)))),)
LINES = (Field("lines", "lines", ArrayType(RecordType((Field("value", "value", Scalar("s")),)))),)


@pytest.mark.parametrize(
    ("path", "columns", "name"),
    [
        (("a",), (), "a"),
        (("a", "b", "c"), (), "a.b.c"),
        (("lines", "[*]", "value"), LINES, "lines._element.value"),
        (("lines", "[*]", "value"), (), "lines._element.value"),
        (("tags", "[*]", "value", "label"), TAGS, "tags.value.label"),
        (("tags", "[*]", "key"), TAGS, "tags.key"),
        (("tags", "['mood']", "label"), TAGS, "tags.value.label"),
        (("grid", "[*]", "[*]", "x"), (), "grid._element._element.x"),
    ],
)
def test_field_names(path: tuple[str, ...], columns: tuple[Field, ...], name: str) -> None:
    assert field_name(path, columns) == name


def test_a_star_and_an_unproved_column_are_no_fields() -> None:
    (event,) = events_of("CREATE VIEW v AS SELECT * FROM unknown_harbour;")
    assert event["outputs"] == [{"namespace": "bigquery", "name": "v", "facets": {}}]
    assert [found["name"] for found in event["inputs"]] == ["unknown_harbour"]
    (event,) = events_of("CREATE VIEW w AS SELECT depth FROM one_harbour, other_harbour;")
    assert "columnLineage" not in event["outputs"][0]["facets"]
    assert [found["name"] for found in event["inputs"]] == ["one_harbour", "other_harbour"]


def test_a_deletion_concerns_the_whole_dataset() -> None:
    (event,) = events_of("DELETE FROM crew WHERE left_on < '2020-01-01';")
    assert lineage_of(event) == ({}, ["crew:left_on FILTER"])


def test_files_have_the_names_of_their_store() -> None:
    (event,) = events_of(
        "CREATE EXTERNAL TABLE logs (line STRING) LOCATION 's3a://lake/raw/logs/';", dialect="hive"
    )
    assert [(found["namespace"], found["name"]) for found in event["inputs"]] == [("s3://lake", "raw/logs")]
    assert lineage_of(event)[0] == {"line": ["raw/logs:line IDENTITY"]}


def test_a_bare_query_has_inputs_only_and_every_job_its_own_name() -> None:
    inserts = "INSERT INTO u (a) SELECT a FROM t; INSERT INTO u (a) SELECT b FROM t;"
    events = events_of(f"SELECT a FROM t; {inserts} SELECT 1;")
    assert [(event["job"]["name"], [found["name"] for found in event["outputs"]]) for event in events] == [
        ("ferry.sql", []),
        ("u", ["u"]),
        ("u#2", ["u"]),
        ("ferry.sql#2", []),
    ]


def test_times_and_runs_are_options_with_fixed_defaults() -> None:
    sql = "CREATE VIEW v AS SELECT a FROM t;"
    (event,) = events_of(sql)
    assert event["eventTime"] == "1970-01-01T00:00:00Z"
    assert event["run"]["runId"] == str(uuid5(UUID(NO_RUN), "default/v"))
    run = "01890a5d-ac96-774b-bcce-b302099a8057"
    (event,) = events_of(sql, OpenLineageOptions("postgres://db:5432", "nightly", "2026-02-03T04:05:06Z", run))
    assert event["eventTime"] == "2026-02-03T04:05:06Z"
    assert event["run"]["runId"] == str(uuid5(UUID(run), "nightly/v"))
    assert event["job"]["namespace"] == "nightly"
    assert event["inputs"][0]["namespace"] == event["outputs"][0]["namespace"] == "postgres://db:5432"


def test_the_output_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text(FERRY + "CREATE VIEW v AS SELECT * FROM port.trips AS t JOIN port.piers AS p ON p.open = t.id > 1;")
    command = [sys.executable, "-m", "sql_lineage_ls", "lineage", "--format", "openlineage", path.name]
    outputs = {
        subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
            capture_output=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(outputs) == 1
    assert b'"columnLineage"' in outputs.pop()


def test_a_name_that_is_no_unicode_text_has_a_run_too() -> None:
    (event,) = events_of("CREATE VIEW `v\udc80` AS SELECT a FROM t;")
    assert event["job"]["name"] == "v\udc80"
    assert UUID(event["run"]["runId"]).version == 5
