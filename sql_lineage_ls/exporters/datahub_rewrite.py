"""Aligns the fields that DataHub metadata names in lineage with the fields that its schemas have.

DataHub's SQL parser calls a nested column `payload.amount`, its schemas call it
`[version=2.0].[type=struct].[type=struct].payload.[type=long].amount`, and a lineage edge between fields that no schema
has is not drawn. What maps to one field of a known schema is rewritten, everything else stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from sql_lineage_ls.exporters.datahub import decode, field_urn
from sql_lineage_ls.exporters.datahub_paths import simple_name
from sql_lineage_ls.syntax.dialects import find_dialect

Json = dict[str, Any]

_FIELD = re.compile(
    r"urn:li:schemaField:\((urn:li:dataset:\(urn:li:dataPlatform:([^,()]+),([^,()]*),[^,()]*\)),(.*)\)\Z", re.DOTALL
)
_DATASET = re.compile(r"urn:li:dataset:\(urn:li:dataPlatform:[^,()]+,([^,()]*),[^,()]*\)\Z")


_EDGES = "fineGrainedLineages"
_DEPTH = 6
"""How deep in an item lineage is looked for: an event's snapshot has its aspects four levels down."""


class RewriteOptions(Struct, frozen=True):
    """Which urns are touched: those of `platform`. With `expand_struct_parents` edges are added for what is in a
    record that a query hands on whole. The summary names at most `max_unmapped_logged` fields that stayed unmapped.
    """

    platform: str = "bigquery"
    expand_struct_parents: bool = True
    max_unmapped_logged: int = 20


class Rewritten(Struct, frozen=True):
    """The metadata after the rewriting, and one line that says what was done."""

    items: tuple[Any, ...]
    summary: str


def rewrite_paths(
    items: Sequence[Any],
    options: RewriteOptions,
    fallback: Mapping[str, tuple[str, ...]] = {},
    declared: Mapping[str, tuple[str, ...]] = {},
) -> Rewritten:
    """The items of a metadata file (change events and proposals) with their fine-grained lineage aligned.

    Schemas are looked up by urn in the items themselves, then in `fallback`, then by the dataset's name in `declared`.
    Nothing but the urns of fields in `fineGrainedLineages` is changed, and the items given are not.
    """
    schemas = {**fallback, **schemas_of(items)}
    run = _Run(options, schemas, declared)
    done = tuple(run.item(item) for item in items)
    return Rewritten(done, run.summary())


def schemas_of(document: Any) -> dict[str, tuple[str, ...]]:
    """The field paths of every dataset whose schema a document gives; of two schemas the later one holds.

    Reads metadata files (`proposedSnapshot`, `aspectName: schemaMetadata`), dumps of entities (`urn` with a
    `schemaMetadata`, in `aspects` or beside it), and plain objects of urns: `{urn: [path, ..]}`, `{urn: {path: type}}`.
    """
    return {urn: paths for item in _items(document) for urn, paths in _schemas_in(item)}


def _items(document: Any) -> Iterable[Any]:
    if isinstance(document, list | tuple):
        return document
    if isinstance(document, dict):
        inner = next((document[key] for key in ("entities", "results") if isinstance(document.get(key), list)), None)
        return inner if inner is not None else (document,)
    return ()


def _schemas_in(item: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    if not isinstance(item, dict):
        return
    for urn, name, aspect in _aspects(item):
        if _last(name).lower() == "schemametadata":
            yield urn, _paths(aspect)
    for urn, fields in item.items():
        if _DATASET.match(urn):
            yield urn, _paths(fields)


def _aspects(item: Json) -> Iterator[tuple[str, str, Any]]:
    """Every aspect of an item: the urn of its entity, its name, its content."""
    snapshot = _snapshot(item)
    if snapshot is not None:
        for aspect in _list(snapshot.get("aspects")):
            if isinstance(aspect, dict):
                yield from ((str(snapshot.get("urn")), name, content) for name, content in aspect.items())
    elif "aspectName" in item:
        yield str(item.get("entityUrn")), str(item["aspectName"]), _content(item.get("aspect"))
    elif isinstance(item.get("urn"), str):
        aspects = item["aspects"] if isinstance(item.get("aspects"), dict) else item
        yield from ((item["urn"], name, _content(content)) for name, content in aspects.items())


def _snapshot(item: Json) -> Json | None:
    """The snapshot of a change event, with or without the name of its class around it."""
    snapshot = item.get("proposedSnapshot")
    if not isinstance(snapshot, dict):
        return None
    inner = next(iter(snapshot.values()), None) if len(snapshot) == 1 else snapshot
    return inner if isinstance(inner, dict) else None


def _content(aspect: Any) -> Any:
    """An aspect out of its envelope: `{"json": ..}`, or `{"value": ..}` with an object or its text."""
    if not isinstance(aspect, dict):
        return aspect
    inner = aspect.get("json", aspect.get("value"))
    return _parsed(inner) if isinstance(inner, str) else inner if inner is not None else aspect


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _paths(schema: Any) -> tuple[str, ...]:
    if isinstance(schema, dict):
        fields = schema.get("fields")
        schema = fields if isinstance(fields, list) else list(schema)
    names = (field.get("fieldPath") if isinstance(field, dict) else field for field in _list(schema))
    return tuple(name for name in names if isinstance(name, str))


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


class _Schema:
    """The fields of a dataset, by path and by simple name."""

    def __init__(self, paths: Iterable[str], fold: bool) -> None:
        self.paths = dict.fromkeys(paths)
        self._fold = fold
        self._simple: dict[str, list[str]] = {}
        self._folded: dict[str, list[str]] = {}
        for path in self.paths:
            name = simple_name(path)
            self._simple.setdefault(name, []).append(path)
            self._folded.setdefault(name.lower(), []).append(path)

    def find(self, name: str) -> str | None:
        """The only field of a simple name; where the database ignores case, of one that differs in case only."""
        found = self._simple.get(name)
        if found is None and self._fold:
            found = self._folded.get(name.lower())
        return found[0] if found is not None and len(found) == 1 else None

    def below(self, path: str) -> dict[str, str]:
        """The fields in a field, by their simple names from there on; of two with one name neither."""
        start = len(simple_name(path)) + 1
        inner = [other for other in self.paths if other.startswith(path + ".")]
        names = [simple_name(other)[start:] for other in inner]
        return {name: other for name, other in zip(names, inner, strict=True) if names.count(name) == 1}


class _Run:
    def __init__(
        self,
        options: RewriteOptions,
        schemas: Mapping[str, tuple[str, ...]],
        declared: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._options = options
        self._schemas = schemas
        self._declared = declared
        self._read: dict[str, _Schema | None] = {}
        dialect = find_dialect("tsql" if options.platform == "mssql" else options.platform)
        self._fold = dialect is not None and dialect.columns_ignore_case and dialect.fields_ignore_case
        self.rewritten = self.valid = self.skipped = self.added = 0
        self.unmapped: dict[str, None] = {}

    def summary(self) -> str:
        """`3 field urns rewritten, 12 already valid, 2 skipped (shop.orders: payload.sum), 4 edges added`."""
        named = list(self.unmapped)[: self._options.max_unmapped_logged]
        more = len(self.unmapped) - len(named)
        if more and named:
            named.append(f"{more} more")
        skipped = f" ({', '.join(named)})" if named else ""
        return (
            f"{self.rewritten} field urns rewritten, {self.valid} already valid, {self.skipped} skipped{skipped}, "
            f"{self.added} edges added"
        )

    def item(self, item: Any) -> Any:
        if not isinstance(item, dict) or item.get("changeType") == "PATCH":
            return item
        if _snapshot(item) is not None:
            return {**item, "proposedSnapshot": self._aligned(item["proposedSnapshot"])}
        return {**item, "aspect": self._envelope(item["aspect"])} if isinstance(item.get("aspect"), dict) else item

    def _envelope(self, aspect: Json) -> Json:
        value = aspect.get("value")
        if "json" not in aspect and isinstance(value, str):
            content = _parsed(value)
            changed = self._aligned(content)
            # An aspect that stays the same keeps its bytes.
            return aspect if changed == content else {**aspect, "value": json.dumps(changed, ensure_ascii=False)}
        aligned: Json = self._aligned(aspect)
        return aligned

    def _aligned(self, content: Any, depth: int = _DEPTH) -> Any:
        """Content with every `fineGrainedLineages` in it aligned."""
        if isinstance(content, list) and depth:
            return [self._aligned(inner, depth - 1) for inner in content]
        if not isinstance(content, dict) or not depth:
            return content
        return {
            key: self._edges(value) if key == _EDGES and isinstance(value, list) else self._aligned(value, depth - 1)
            for key, value in content.items()
        }

    def _edges(self, edges: list[Any]) -> list[Any]:
        aligned = [self._edge(edge) if isinstance(edge, dict) else edge for edge in edges]
        if not self._options.expand_struct_parents:
            return aligned
        known = {_pair(edge) for edge in aligned if isinstance(edge, dict)}
        done = []
        for edge in aligned:
            done.append(edge)
            if not isinstance(edge, dict):
                continue
            for child in self._children(edge):
                if _pair(child) not in known:
                    known.add(_pair(child))
                    self.added += 1
                    done.append(child)
        return done

    def _edge(self, edge: Json) -> Json:
        ends = {
            key: [self._urn(urn) if isinstance(urn, str) else urn for urn in edge[key]]
            for key in ("upstreams", "downstreams")
            if isinstance(edge.get(key), list)
        }
        return {**edge, **ends}

    def _urn(self, urn: str) -> str:
        found = _FIELD.match(urn)
        if found is None or found[2] != self._options.platform:
            return urn
        schema, path = self._schema(found[1], found[3]), decode(found[4])
        if schema is not None and path in schema.paths:
            self.valid += 1
            return urn
        field = schema.find(path) if schema is not None else None
        if field is None:
            self.skipped += 1
            self.unmapped[f"{decode(found[3])}: {path}"] = None
            return urn
        self.rewritten += 1
        return field_urn(found[1], field)

    def _schema(self, dataset: str, name: str) -> _Schema | None:
        if dataset not in self._read:
            paths = self._schemas.get(dataset) or self._declared.get(decode(name))
            self._read[dataset] = _Schema(paths, self._fold) if paths else None
        return self._read[dataset]

    def _children(self, edge: Json) -> Iterator[Json]:
        """An edge for each field that both ends of a copied record have by the same name, however deep."""
        ends = _pair(edge)
        copied = str(edge.get("transformOperation") or "COPY").startswith("COPY")
        sides = [self._below(urn) for urn in ends or ()]
        if not copied or len(sides) != 2:
            return
        (source, inner_source), (target, inner_target) = sides
        for name, path in inner_target.items():
            if name in inner_source:
                upstream = field_urn(source, inner_source[name])
                yield {**edge, "upstreams": [upstream], "downstreams": [field_urn(target, path)]}

    def _below(self, urn: str) -> tuple[str, dict[str, str]]:
        found = _FIELD.match(urn)
        if found is None or found[2] != self._options.platform:
            return "", {}
        schema = self._schema(found[1], found[3])
        return found[1], schema.below(decode(found[4])) if schema is not None else {}


def _pair(edge: Json) -> tuple[str, str] | None:
    """The two ends of an edge from one field to one field."""
    upstreams, downstreams = edge.get("upstreams"), edge.get("downstreams")
    if not isinstance(upstreams, list) or not isinstance(downstreams, list):
        return None
    if len(upstreams) != 1 or len(downstreams) != 1:
        return None
    return str(upstreams[0]), str(downstreams[0])
