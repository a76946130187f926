"""The call hierarchy: lineage as a tree, downstream and upstream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types

from sql_lineage_ls.features import call_hierarchy as feature
from sql_lineage_ls.features.results import LineageItem, LineageStep
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import EVERYTHING
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot
from sql_lineage_ls.workspace.uris import normal_uri

_Walk = Callable[[Snapshot, LineageItem], tuple[LineageStep, ...]]

_KINDS = {
    "table": types.SymbolKind.Class,
    "view": types.SymbolKind.Interface,
    "column": types.SymbolKind.Property,
    "field": types.SymbolKind.Field,
    "statement": types.SymbolKind.Event,
}


def prepare(convert: Converter, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
    """The roots of the tree at a position."""
    place = convert.place(params)
    if place is None:
        return None
    found = feature.prepare_call_hierarchy(convert.snapshot, *place)
    return [item for one in found if (item := _to_item(convert, one)) is not None] or None


def incoming(
    convert: Converter, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    """One step downstream. The ranges are those in the item's own document, as the protocol demands."""
    return [
        types.CallHierarchyIncomingCall(item, _ranges(convert, step, normal_uri(item.uri)) or [item.selection_range])
        for step, item in _walk(convert, params.item, feature.incoming_calls)
    ]


def outgoing(
    convert: Converter, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    """One step upstream. The ranges are those in the document of the item that was asked about."""
    here = normal_uri(params.item.uri)
    return [
        types.CallHierarchyOutgoingCall(item, _ranges(convert, step, here) or [params.item.selection_range])
        for step, item in _walk(convert, params.item, feature.outgoing_calls)
    ]


def _walk(
    convert: Converter, item: types.CallHierarchyItem, walk: _Walk
) -> list[tuple[LineageStep, types.CallHierarchyItem]]:
    known = _from_item(item)
    steps = walk(convert.snapshot, known) if known is not None else ()
    return [(step, found) for step in steps if (found := _to_item(convert, step.item)) is not None]


def _ranges(convert: Converter, step: LineageStep, uri: str) -> list[types.Range]:
    places = convert.to_lsp_locations(place for place in step.places if place.uri == uri)
    return [place.range for place in places]


def _to_item(convert: Converter, item: LineageItem) -> types.CallHierarchyItem | None:
    focus, full = convert.to_lsp_location(item.focus), convert.to_lsp_location(item.full)
    if focus is None or full is None:
        return None
    return types.CallHierarchyItem(
        name=item.name,
        kind=_KINDS[item.kind],
        uri=focus.uri,
        range=full.range,
        selection_range=focus.range,
        detail=item.detail,
        data={
            "node": _to_data(item.node),
            "behind": [_to_data(node) for node in item.behind],
            "circle": item.circle,
            "way": item.way,
        },
    )


def _from_item(item: types.CallHierarchyItem) -> LineageItem | None:
    """What a client hands back; None where it is not what it was given."""
    data = item.data
    if not isinstance(data, dict) or not isinstance(data.get("behind"), list):
        return None
    behind = tuple(node for one in data["behind"] if (node := _from_data(one)) is not None)
    nowhere = FileSpan(normal_uri(item.uri), 0, 0)
    node, circle, way = _from_data(data.get("node")), bool(data.get("circle")), str(data.get("way"))
    return LineageItem(item.name, "", "", nowhere, nowhere, node, behind, circle, way)


def _to_data(node: Node | None) -> list[str] | None:
    return [node.relation, *node.path] if node is not None else None


def _from_data(data: Any) -> Node | None:
    if not isinstance(data, list) or not data or not all(isinstance(part, str) for part in data):
        return None
    return Node(data[0], tuple(data[1:]))


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    return {"call_hierarchy_provider": text.call_hierarchy is not None or None}


FAMILY = Family(
    {
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: (prepare, EVERYTHING),
        types.CALL_HIERARCHY_INCOMING_CALLS: (incoming, EVERYTHING),
        types.CALL_HIERARCHY_OUTGOING_CALLS: (outgoing, EVERYTHING),
    },
    offer,
)
