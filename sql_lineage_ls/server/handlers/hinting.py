"""Inlay hints: notes in the text, with what more there is to say when somebody points at one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lsprotocol import types

from sql_lineage_ls.features.completion import describe
from sql_lineage_ls.features.inlay_hints import HintOptions, inlay_hints
from sql_lineage_ls.features.navigate import declaration_of
from sql_lineage_ls.features.results import Hint
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import CATALOG
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.config import InlayHintSettings
from sql_lineage_ls.workspace.snapshot import DocumentView
from sql_lineage_ls.workspace.uris import normal_uri

_KINDS = {"type": types.InlayHintKind.Type, "insert": types.InlayHintKind.Parameter}
# A tooltip tells of so many nodes.
_MOST_NODES = 20


def hints(
    convert: Converter, params: types.InlayHintParams, settings: InlayHintSettings
) -> list[types.InlayHint] | None:
    """The hints of a range. Tooltips and links follow when the client resolves one, at once where it does not."""
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None or not settings.enabled:
        return None
    span = Span(
        convert.from_lsp_position(document, params.range.start), convert.from_lsp_position(document, params.range.end)
    )
    options = HintOptions(settings.stars, settings.sources, settings.types, settings.inserts)
    found = [_to_hint(convert, document, hint) for hint in inlay_hints(convert.snapshot, uri, span, options)]
    return found if convert.client.resolves_hints else [resolve(convert, hint) for hint in found]


def resolve(convert: Converter, hint: types.InlayHint) -> types.InlayHint:
    """The same hint with what is known of its columns, and a link to the first one's declaration."""
    nodes = list(_nodes(hint.data))
    if not nodes:
        return hint
    text = describe(convert.snapshot, nodes[:_MOST_NODES])
    if len(nodes) > _MOST_NODES:
        text += f"\n… {len(nodes) - _MOST_NODES} more"
    if convert.client.markdown:
        hint.tooltip = types.MarkupContent(types.MarkupKind.Markdown, f"```sql\n{text}\n```")
    else:
        hint.tooltip = text
    place = declaration_of(convert.snapshot, nodes[0])
    location = convert.to_lsp_location(place) if place is not None else None
    if isinstance(hint.label, str) and location is not None:
        hint.label = [types.InlayHintLabelPart(hint.label, location=location)]
    return hint


def _to_hint(convert: Converter, document: DocumentView, hint: Hint) -> types.InlayHint:
    before = hint.kind == "insert"
    return types.InlayHint(
        convert.to_lsp_position(document, hint.offset),
        hint.label,
        kind=_KINDS.get(hint.kind),
        padding_left=not before and hint.kind != "type",
        padding_right=before,
        data=[[node.relation, *node.path] for node in hint.nodes] or None,
    )


def _nodes(data: Any) -> Iterable[Node]:
    for parts in data if isinstance(data, list) else ():
        if isinstance(parts, list) and parts and all(isinstance(part, str) for part in parts):
            yield Node(parts[0], tuple(parts[1:]))


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    if text.inlay_hint is None:
        return {}
    return {"inlay_hint_provider": types.InlayHintOptions(resolve_provider=client.resolves_hints)}


FAMILY = Family({types.INLAY_HINT_RESOLVE: (resolve, CATALOG)}, offer)
