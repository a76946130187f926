"""Lineage as OpenLineage events: one JSON object a line, each statement a run of its own job.

Follows OpenLineage 2-0-2 with the facets `columnLineage` 1-2-0, `schema` 1-2-0 and `sql` 1-1-0 (openlineage.io/spec).
Knows no clock: the times and run ids are options, so that the same SQL gives the same bytes (docs/exports.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID, uuid5

from msgspec import Struct

from sql_lineage_ls import __version__
from sql_lineage_ls.catalog.field_tree import ELEMENT, entry_type
from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType
from sql_lineage_ls.exporters.dataset_names import Datasets, address_of
from sql_lineage_ls.exporters.observed import STAR
from sql_lineage_ls.exporters.report import EdgeRow, RelationRow, Report, StatementRow
from sql_lineage_ls.lineage.model import (
    CONDITION,
    GROUPING,
    JOIN,
    MEMBERSHIP,
    ORDERING,
    ROWS,
    VALUE,
    WINDOW,
    Path,
    Source,
)

Json = dict[str, Any]

SPEC = "https://openlineage.io/spec"
PRODUCER = f"pkg:pypi/sql-lineage-ls@{__version__}"
EPOCH = "1970-01-01T00:00:00Z"
NO_RUN = "00000000-0000-0000-0000-000000000000"

# What a value went through, in OpenLineage's three words; what is not here is a TRANSFORMATION.
_DIRECT = {
    "IDENTITY": "IDENTITY",
    "RENAME": "IDENTITY",
    "UNNEST": "IDENTITY",
    "UNION": "IDENTITY",
    "AGGREGATE": "AGGREGATION",
    "PIVOT": "AGGREGATION",
}
_INDIRECT = {CONDITION: "CONDITIONAL", GROUPING: "GROUP_BY", ORDERING: "SORT", WINDOW: "WINDOW"}
# The roles of what decides about whole rows, which may hold for every field of an output.
_OF_ROWS = frozenset({MEMBERSHIP, GROUPING, ORDERING})


class OpenLineageOptions(Struct, frozen=True):
    """What the SQL does not say.

    `namespace` is that of the database's datasets ('' for the dialect's name), `job_namespace` that of the jobs.
    Each run's id is made of `run_id` and its job, so that one analysis keeps one id and every job has its own run.
    """

    namespace: str = ""
    job_namespace: str = "default"
    event_time: str = EPOCH
    run_id: str = NO_RUN


def to_openlineage(report: Report, options: OpenLineageOptions = OpenLineageOptions()) -> str:
    """The events of a report as lines of JSON: a run for each statement that reads or writes, in their order.

    `CREATE VIEW v AS SELECT a.b AS c FROM t` is a COMPLETE event of the job `v` with the input `t`, the output `v`, and
    in its facet `columnLineage` the field `c` from `t`'s field `a.b`. Relations that no run names come last, as
    dataset events with their schema.
    """
    writer = _Writer(report, options)
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in writer.events())


class _Writer:
    def __init__(self, report: Report, options: OpenLineageOptions) -> None:
        self._report = report
        self._options = options
        self._datasets = Datasets(report)
        self._jobs: dict[str, int] = {}

    def events(self) -> Iterator[Json]:
        named: set[str] = set()
        for statement in self._report.statements:
            inputs, outputs = self._read(statement), _written(statement)
            if not inputs and not statement.edges:
                continue
            named.update(inputs, outputs)
            yield self._run_event(statement, inputs, outputs)
        dialects = {statement.lineage.target: statement.dialect for statement in self._report.statements}
        for row in self._datasets.rows():
            if row.id in dialects and row.id not in named and _is_closed(row):
                yield self._event("DatasetEvent", {"dataset": self._dataset(row.id, dialects[row.id])})

    def _run_event(self, statement: StatementRow, inputs: Sequence[str], outputs: Sequence[str]) -> Json:
        job = self._job_name(statement)
        options = self._options
        name = f"{options.job_namespace}/{job}".encode("utf-8", "backslashreplace").decode()
        run_id = uuid5(UUID(options.run_id), name)
        sql = self._facet("SQLJobFacet", "1-1-0", {"query": statement.text, "dialect": statement.dialect})
        return self._event("RunEvent", {
            "eventType": "COMPLETE",
            "run": {"runId": str(run_id)},
            "job": {"namespace": options.job_namespace, "name": job, "facets": {"sql": sql}},
            "inputs": [self._dataset(key, statement.dialect) for key in inputs],
            "outputs": [
                self._dataset(key, statement.dialect, self._column_lineage(statement, key)) for key in outputs
            ],
        })  # fmt: skip

    def _event(self, kind: str, content: Json) -> Json:
        return {
            "eventTime": self._options.event_time,
            "producer": PRODUCER,
            "schemaURL": f"{SPEC}/2-0-2/OpenLineage.json#/$defs/{kind}",
            **content,
        }

    def _job_name(self, statement: StatementRow) -> str:
        """The relation that the statement writes, a bare query's file; the second one of a name is `name#2`."""
        target = statement.lineage.target
        name = self._datasets.name(target, statement.dialect) if target else statement.place.file
        self._jobs[name] = self._jobs.get(name, 0) + 1
        return name if self._jobs[name] == 1 else f"{name}#{self._jobs[name]}"

    def _read(self, statement: StatementRow) -> tuple[str, ...]:
        """The stored relations that a statement reads, in the order of the text."""
        lineage = statement.lineage
        read = {read.relation for read in lineage.reads if read.usage != "write"}
        read.update(source.relation for edge in lineage.edges for source in edge.sources)
        return tuple(relation_id for relation_id, _, _ in lineage.relations if relation_id in read)

    # ------------------------------------------------------------ datasets

    def _dataset(self, relation_id: str, dialect: str, facets: Json | None = None) -> Json:
        namespace, name = self._name(relation_id, dialect)
        schema = self._schema(relation_id, dialect)
        return {"namespace": namespace, "name": name, "facets": {**schema, **(facets or {})}}

    def _name(self, relation_id: str, dialect: str) -> tuple[str, str]:
        """Namespace and name after OpenLineage's naming conventions (docs: spec/naming)."""
        database = self._options.namespace or dialect
        address = address_of(relation_id)
        if address is None:
            return database, self._datasets.name(relation_id, dialect)
        if not address.scheme:
            return database, address.path
        if address.scheme == "file":
            return "file", address.path or "/"
        path = address.path if address.scheme == "hdfs" else address.path.lstrip("/")
        return f"{address.scheme}://{address.authority}", path or "/"

    def _schema(self, relation_id: str, dialect: str) -> Json:
        row = self._datasets.row(relation_id)
        if row is None or not _is_closed(row):
            return {}
        fields = [_schema_field(field.name, field.type) for field in self._datasets.columns(relation_id, dialect)]
        return {"schema": self._facet("SchemaDatasetFacet", "1-2-0", {"fields": fields})}

    def _facet(self, name: str, version: str, content: Json) -> Json:
        url = f"{SPEC}/facets/{version}/{name}.json#/$defs/{name}"
        return {"_producer": PRODUCER, "_schemaURL": url, **content}

    # ------------------------------------------------------------ column lineage

    def _column_lineage(self, statement: StatementRow, relation_id: str) -> Json:
        target = relation_id if statement.lineage.target else ""
        rows = [row for row in statement.edges if row.edge.relation == target and row.edge.path != STAR]
        told = [row for row in rows if row.edge.source_kind != "unresolved"]
        if not told:
            return {}
        shared = _shared(told)
        fields = {}
        for row in (row for row in told if row.edge.path != ROWS):
            own = [source for source in row.edge.sources if _weight(source) not in shared]
            name = self._field(relation_id, row.edge.path, statement.dialect)
            fields[name] = {"inputFields": self._inputs(own, row.expression, statement.dialect)}
        content = {"fields": fields, "dataset": self._inputs(shared.values(), "", statement.dialect)}
        return {"columnLineage": self._facet("ColumnLineageDatasetFacet", "1-2-0", content)}

    def _inputs(self, sources: Iterable[Source], expression: str, dialect: str) -> list[Json]:
        """One entry a field that is read, with everything that it is read for."""
        found: dict[tuple[str, str, str], list[Json]] = {}
        for source in sources:
            if source.path in (ROWS, STAR):
                continue
            field = self._field(source.relation, source.path, dialect)
            key = (*self._name(source.relation, dialect), field)
            transformation = _transformation(source, expression)
            transformations = found.setdefault(key, [])
            if transformation not in transformations:
                transformations.append(transformation)
        return [
            {"namespace": namespace, "name": name, "field": field, "transformations": transformations}
            for (namespace, name, field), transformations in found.items()
        ]

    def _field(self, relation_id: str, path: Path, dialect: str) -> str:
        stored = self._datasets.path(relation_id, path, dialect)
        return field_name(stored, self._datasets.columns(relation_id, dialect))


def field_name(path: Path, columns: Iterable[Field] = ()) -> str:
    """A node as the name of a field in the schema facet, its nesting written with dots.

    `lines[*].sku` is `lines._element.sku`; of a map, `tags[*].value.label` and `tags['mood'].label` are
    `tags.value.label`.
    """
    names = [path[0]]
    kind = _type_of(columns, path[0])
    for step in path[1:]:
        if step == ELEMENT and isinstance(kind, MapType):
            kind = entry_type(kind)
        elif step == ELEMENT:
            names.append("_element")
            kind = kind.element if isinstance(kind, ArrayType) else None
        elif step.startswith("["):
            names.append("value")
            kind = kind.value if isinstance(kind, MapType) else None
        else:
            names.append(step)
            kind = _type_of(kind.fields, step) if isinstance(kind, RecordType) else None
    return ".".join(names)


def _type_of(fields: Iterable[Field], name: str) -> DataType | None:
    return next((field.type for field in fields if field.name == name), None)


def _is_closed(row: RelationRow) -> bool:
    """Whether all columns of the relation are known: a schema facet says that there are no others."""
    relation = row.relation
    return relation is not None and bool(relation.columns) and not relation.open


def _written(statement: StatementRow) -> tuple[str, ...]:
    lineage = statement.lineage
    if not lineage.target:
        return ()
    return tuple(dict.fromkeys((lineage.target, *(edge.relation for edge in lineage.edges))))


def _schema_field(name: str, kind: DataType) -> Json:
    field: Json = {"name": name}
    if kind.text:
        field["type"] = kind.text
    if isinstance(kind, RecordType):
        field["fields"] = [_schema_field(inner.name, inner.type) for inner in kind.fields]
    elif isinstance(kind, ArrayType):
        field["fields"] = [_schema_field("_element", kind.element)]
    elif isinstance(kind, MapType):
        field["fields"] = [_schema_field("key", kind.key), _schema_field("value", kind.value)]
    return field


Weight = tuple[str, Path, str, str]


def _weight(source: Source) -> Weight:
    return source.relation, source.path, source.role, source.use


def _shared(rows: Sequence[EdgeRow]) -> dict[Weight, Source]:
    """What decides the rows of every field, which is said once of the whole dataset.

    A field that *is* the value that the rows are grouped or ordered by has no such source beside it.
    """
    shared = {_weight(source): source for row in rows for source in row.edge.sources if source.role in _OF_ROWS}
    for row in rows:
        own = {_weight(source) for source in row.edge.sources}
        direct = {(source.relation, source.path) for source in row.edge.direct}
        shared = {key: source for key, source in shared.items() if key in own or key[:2] in direct}
    return shared


def _transformation(source: Source, expression: str) -> Json:
    if source.role == VALUE:
        subtype = _DIRECT.get(source.transform, "TRANSFORMATION")
        found: Json = {"type": "DIRECT", "subtype": subtype}
        if subtype != "IDENTITY" and expression:
            found["description"] = expression
        return found
    if source.role == MEMBERSHIP:
        return {"type": "INDIRECT", "subtype": "JOIN" if source.use == JOIN else "FILTER"}
    return {"type": "INDIRECT", "subtype": _INDIRECT[source.role]}
