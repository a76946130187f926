"""Lineage as DataHub metadata: one aspect `upstreamLineage` for each dataset written, field by field.

The output is a JSON array of metadata change proposals, which DataHub's `file` source reads. Fields are spelled as the
schemas in DataHub spell them (`datahub_paths`), since DataHub compares them as text (docs/exports.md).
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from sql_lineage_ls.catalog.field_tree import walk
from sql_lineage_ls.catalog.types import Field
from sql_lineage_ls.exporters.datahub_paths import FLAT, PLATFORMS, Spelling, field_path
from sql_lineage_ls.exporters.dataset_names import Datasets, address_of
from sql_lineage_ls.exporters.observed import STAR
from sql_lineage_ls.exporters.report import EdgeRow, Report
from sql_lineage_ls.lineage.model import ROWS, Path

Json = dict[str, Any]

# DataHub's names of the platforms that it calls otherwise than this program its dialects.
_DIALECT_PLATFORMS = {"tsql": "mssql", "spark": "hive"}
_SCHEME_PLATFORMS = {"gs": "gcs", "abfss": "abs", "wasbs": "abs"}
_RESERVED = {character: quote(character) for character in ",()␟"}
_COPIES = frozenset({"IDENTITY", "RENAME", "UNNEST"})


class DataHubOptions(Struct, frozen=True):
    """What the SQL does not say: DataHub's platform ('' for that of the dialect), its instance, and the environment."""

    platform: str = ""
    instance: str = ""
    env: str = "PROD"


def to_datahub(report: Report, options: DataHubOptions = DataHubOptions()) -> str:
    """The field lineage of every dataset that a report's statements write, datasets in the order of their first write.

    `CREATE VIEW v AS SELECT payload.amount AS a FROM t` gives the fine-grained lineage of `v`'s field `a` from `t`'s
    field `[version=2.0].[type=struct].[type=struct].payload.[type=long].amount`. Bare queries write no dataset, and
    what only decides which rows there are is no field lineage in DataHub.
    """
    return json.dumps(_Writer(report, options).proposals(), ensure_ascii=False, indent=2) + "\n"


def platform_of(dialect: str) -> str:
    """DataHub's name of the platform that speaks a dialect: `mssql` for `tsql`."""
    return _DIALECT_PLATFORMS.get(dialect, dialect)


def dataset_urn(platform: str, name: str, options: DataHubOptions) -> str:
    """The urn of a dataset: `urn:li:dataset:(urn:li:dataPlatform:bigquery,p.d.t,PROD)`."""
    whole = f"{options.instance}.{name}" if options.instance else name
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{encode(whole)},{options.env})"


def field_urn(dataset: str, path: str) -> str:
    """The urn of a field, in which DataHub encodes four characters."""
    return f"urn:li:schemaField:({dataset},{encode(path)})"


def encode(text: str) -> str:
    """A part of an urn, with the characters escaped that build the urn: `price (EUR)` is `price %28EUR%29`."""
    return "".join(_RESERVED.get(character, character) for character in text)


def decode(text: str) -> str:
    """The text that `encode` made a part of an urn of."""
    for character, escaped in _RESERVED.items():
        text = text.replace(escaped, character)
    return text


def schema_paths(columns: tuple[Field, ...], platform: str) -> tuple[str, ...]:
    """Every field path that the schema of a declared relation has in DataHub.

    `t(id INT64, p STRUCT<a INT64>)` in BigQuery has `id`, `[version=2.0].[type=struct].[type=struct].p` and
    `[version=2.0].[type=struct].[type=struct].p.[type=long].a`.
    """
    return tuple(dict.fromkeys(field_path(columns, node.path, _spelling(platform)) for node in walk(columns)))


class _Writer:
    def __init__(self, report: Report, options: DataHubOptions) -> None:
        self._report = report
        self._options = options
        self._datasets = Datasets(report)

    def proposals(self) -> list[Json]:
        found: dict[str, tuple[str, dict[str, Json], list[Json]]] = {}
        for statement in self._report.statements:
            for row in statement.edges:
                if not row.edge.relation:
                    continue
                dataset = self._dataset(row.edge.relation, statement.dialect)
                kind = "VIEW" if statement.lineage.kind == "view" else "TRANSFORMED"
                _, upstreams, fields = found.setdefault(dataset, (dataset, {}, []))
                for source in row.edge.sources:
                    upstream = self._dataset(source.relation, statement.dialect)
                    upstreams.setdefault(upstream, {"dataset": upstream, "type": kind})
                self._note_fields(row, statement.dialect, fields)
        return [
            {
                "entityType": "dataset",
                "entityUrn": dataset,
                "changeType": "UPSERT",
                "aspectName": "upstreamLineage",
                "aspect": {"json": {"upstreams": list(upstreams.values()), "fineGrainedLineages": fields}},
            }
            for dataset, upstreams, fields in found.values()
            if upstreams
        ]

    def _note_fields(self, row: EdgeRow, dialect: str, fields: list[Json]) -> None:
        if row.edge.path in (ROWS, STAR):
            return
        target = self._field(row.edge.relation, row.edge.path, dialect)
        sources = dict.fromkeys(
            self._field(source.relation, source.path, dialect)
            for source in row.edge.direct
            if source.path not in (ROWS, STAR)
        )
        if not sources:
            return
        entry: Json = {
            "upstreamType": "FIELD_SET",
            "upstreams": list(sources),
            "downstreamType": "FIELD",
            "downstreams": [target],
            "confidenceScore": 1.0,
        }
        if row.expression:
            # The words of DataHub's own SQL parser, which its pages show.
            copied = row.edge.transform in _COPIES and "(" not in row.expression
            entry["transformOperation"] = f"{'COPY' if copied else 'SQL'}: {row.expression}"
        if entry not in fields:
            fields.append(entry)

    def _dataset(self, relation_id: str, dialect: str) -> str:
        address = address_of(relation_id)
        if address is not None and address.scheme:
            platform = _SCHEME_PLATFORMS.get(address.scheme, address.scheme)
            name = (address.authority + address.path).strip("/")
            return dataset_urn(platform, name or "/", DataHubOptions(env=self._options.env))
        platform = self._platform(dialect)
        name = address.path if address is not None else self._datasets.name(relation_id, dialect)
        return dataset_urn(platform, name.lower() if _spelling(platform).lower_urns else name, self._options)

    def _platform(self, dialect: str) -> str:
        return self._options.platform or platform_of(dialect)

    def _field(self, relation_id: str, path: Path, dialect: str) -> str:
        columns = self._datasets.columns(relation_id, dialect)
        spelling = FLAT if address_of(relation_id) is not None else _spelling(self._platform(dialect))
        spelled = field_path(columns, self._datasets.path(relation_id, path, dialect), spelling)
        return field_urn(self._dataset(relation_id, dialect), spelled)


def _spelling(platform: str) -> Spelling:
    return PLATFORMS.get(platform, FLAT)
