"""What the OpenLineage specification demands of an event, as far as our exports go.

Written from the specification's text (core 2-0-2, facets columnLineage 1-2-0, schema 1-2-0, sql 1-1-0): which keys are
required and of which type. `additionalProperties` is false where we want to notice a key that the specification lacks.
"""

from __future__ import annotations

from typing import Any

TEXT = {"type": "string"}
URL = {"type": "string", "format": "uri"}
FACET_KEYS = {"_producer": URL, "_schemaURL": URL}


def _record(required: tuple[str, ...], /, **keys: Any) -> dict[str, Any]:
    return {"type": "object", "properties": keys, "required": list(required), "additionalProperties": False}


def _list_of(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


def _facet(required: tuple[str, ...], **keys: Any) -> dict[str, Any]:
    return _record(("_producer", "_schemaURL", *required), **FACET_KEYS, **keys)


TRANSFORMATION = _record(
    ("type",), type={"enum": ["DIRECT", "INDIRECT"]}, subtype=TEXT, description=TEXT, masking={"type": "boolean"}
)
INPUT_FIELD = _record(
    ("namespace", "name", "field"), namespace=TEXT, name=TEXT, field=TEXT, transformations=_list_of(TRANSFORMATION)
)
COLUMN_LINEAGE = _facet(
    ("fields",),
    fields={
        "type": "object",
        "additionalProperties": _record(("inputFields",), inputFields=_list_of(INPUT_FIELD)),
    },
    dataset=_list_of(INPUT_FIELD),
)
SCHEMA_FIELD = _record(
    ("name",),
    name=TEXT,
    type=TEXT,
    description=TEXT,
    ordinal_position={"type": "integer", "minimum": 1},
    fields=_list_of({"$ref": "#/$defs/field"}),
)
FACETS = {
    "columnLineage": COLUMN_LINEAGE,
    "schema": _facet((), fields=_list_of({"$ref": "#/$defs/field"})),
    "sql": _facet(("query",), query=TEXT, dialect=TEXT),
}
HOLDER_FACETS = {"type": "object", "properties": FACETS, "additionalProperties": False}
DATASET = _record(("namespace", "name"), namespace=TEXT, name=TEXT, facets=HOLDER_FACETS)
JOB = _record(("namespace", "name"), namespace=TEXT, name=TEXT, facets=HOLDER_FACETS)
RUN = _record(("runId",), runId={"type": "string", "format": "uuid"}, facets={"type": "object"})
COMMON = {"eventTime": {"type": "string", "format": "date-time"}, "producer": URL, "schemaURL": URL}
EVENT_TYPES = ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]

RUN_EVENT = {
    **_record(
        ("eventTime", "producer", "schemaURL", "run", "job"),
        **COMMON,
        eventType={"enum": EVENT_TYPES},
        run=RUN,
        job=JOB,
        inputs=_list_of(DATASET),
        outputs=_list_of(DATASET),
    ),
    "$defs": {"field": SCHEMA_FIELD},
}
DATASET_EVENT = {
    **_record(("eventTime", "producer", "schemaURL", "dataset"), **COMMON, dataset=DATASET),
    "$defs": {"field": SCHEMA_FIELD},
}
