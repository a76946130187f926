"""Completion and signature help: what can be written at a position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from sql_lineage_ls.features import completion as feature
from sql_lineage_ls.features.results import Completion
from sql_lineage_ls.features.signature_help import signature_at
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import CATALOG
from sql_lineage_ls.text.span import Span

_KINDS = {
    "column": types.CompletionItemKind.Property,
    "field": types.CompletionItemKind.Field,
    "output": types.CompletionItemKind.Variable,
    "parameter": types.CompletionItemKind.Variable,
    "alias": types.CompletionItemKind.Reference,
    "cte": types.CompletionItemKind.Struct,
    "table": types.CompletionItemKind.Class,
    "view": types.CompletionItemKind.Interface,
    "model": types.CompletionItemKind.Interface,
    "function": types.CompletionItemKind.Function,
    "condition": types.CompletionItemKind.Snippet,
    "keyword": types.CompletionItemKind.Keyword,
}


def completion(convert: Converter, params: types.CompletionParams) -> types.CompletionList | None:
    """The proposals at a position; the client filters them until more are needed."""
    place = convert.place(params)
    document = convert.snapshot.document(place[0]) if place is not None else None
    if place is None or document is None:
        return None
    found = feature.completions(convert.snapshot, *place)
    range_ = convert.to_lsp_range(document, Span(found.span.start, max(found.span.end, place[1])))
    items = [_item(one, range_, position) for position, one in enumerate(found.items)]
    return types.CompletionList(is_incomplete=found.more, items=items)


def _item(one: Completion, range_: types.Range, position: int) -> types.CompletionItem:
    return types.CompletionItem(
        one.label,
        label_details=types.CompletionItemLabelDetails(description=one.source) if one.source else None,
        kind=_KINDS.get(one.kind, types.CompletionItemKind.Text),
        detail=one.detail or None,
        sort_text=f"{position:05}",
        text_edit=types.TextEdit(range_, one.text),
        data=[[node.relation, *node.path] for node in one.nodes] or None,
    )


def resolve(convert: Converter, item: types.CompletionItem) -> types.CompletionItem:
    """The same item with what is known of it."""
    nodes = [Node(str(parts[0]), tuple(map(str, parts[1:]))) for parts in _lists(item.data)]
    text = feature.describe(convert.snapshot, nodes)
    if text and convert.client.markdown:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, f"```sql\n{text}\n```")
    elif text:
        item.documentation = text
    return item


def _lists(data: object) -> list[list[Any]]:
    return [parts for parts in data if isinstance(parts, list) and parts] if isinstance(data, list) else []


def signature_help(convert: Converter, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    """The parameters of the user's function whose brackets the position is in."""
    place = convert.place(params)
    found = signature_at(convert.snapshot, *place) if place is not None else None
    if found is None:
        return None
    parameters = [types.ParameterInformation(text) for text in found.parameters]
    signature = types.SignatureInformation(found.label, found.text or None, parameters, found.active)
    return types.SignatureHelp([signature], 0, found.active)


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    completing = types.CompletionOptions(trigger_characters=[".", ":", "'"], resolve_provider=True)
    helping = types.SignatureHelpOptions(trigger_characters=["(", ","])
    return {
        "completion_provider": completing,
        "signature_help_provider": helping,
    }


FAMILY = Family(
    {
        types.TEXT_DOCUMENT_COMPLETION: (completion, CATALOG),
        types.COMPLETION_ITEM_RESOLVE: (resolve, CATALOG),
        types.TEXT_DOCUMENT_SIGNATURE_HELP: (signature_help, CATALOG),
    },
    offer,
)
