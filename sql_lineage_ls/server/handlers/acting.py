"""Code actions: what mends or rewrites the text at a place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from msgspec.structs import replace

from sql_lineage_ls.features.code_actions import QUICK_FIX, REWRITE, ActionOptions, code_actions
from sql_lineage_ls.features.results import Action
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.handlers.renaming import workspace_edit
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView
from sql_lineage_ls.workspace.uris import normal_uri

_KINDS = (QUICK_FIX, REWRITE)


def actions(convert: Converter, params: types.CodeActionParams, options: ActionOptions) -> list[types.CodeAction]:
    """The actions at a range. What is costly gets its edit when it is chosen, where the client asks for that."""
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None:
        return []
    span = Span(
        convert.from_lsp_position(document, params.range.start), convert.from_lsp_position(document, params.range.end)
    )
    kinds = tuple(str(getattr(kind, "value", kind)) for kind in params.context.only or ())
    chosen = replace(options, kinds=kinds, lazy=convert.client.resolves_actions)
    found = code_actions(convert.snapshot, uri, span, chosen)
    asked = [uri, span.start, span.end]
    made = [_to_action(convert, document, action, asked) for action in found]
    return [action for action in made if action is not None]


def resolve(convert: Converter, item: types.CodeAction, options: ActionOptions) -> types.CodeAction:
    """The same action with its edit; without one where the text has changed so that it is not offered any more."""
    data = item.data
    if not isinstance(data, list) or len(data) != 3 or not isinstance(data[0], str):
        return item
    document = convert.snapshot.document(data[0])
    if document is None or not isinstance(data[1], int) or not isinstance(data[2], int):
        return item
    for action in code_actions(convert.snapshot, data[0], Span(data[1], data[2]), options):
        if action.title == item.title:
            item.edit = _edit(convert, action)
    return item


def document_of(item: types.CodeAction) -> str:
    """The document that a deferred action is about, '' for any other."""
    return str(item.data[0]) if isinstance(item.data, list) and item.data else ""


def _to_action(
    convert: Converter, document: DocumentView, action: Action, asked: list[Any]
) -> types.CodeAction | None:
    if action.creates and not convert.client.creates_files:
        return None
    return types.CodeAction(
        action.title,
        kind=action.kind,
        diagnostics=[convert.to_diagnostic(document, one) for one in action.diagnostics] or None,
        is_preferred=True if action.preferred and convert.client.preferred_actions else None,
        edit=None if action.deferred else _edit(convert, action),
        data=asked if action.deferred else None,
    )


def _edit(convert: Converter, action: Action) -> types.WorkspaceEdit:
    if not action.creates:
        return workspace_edit(convert, action.changes)
    uri = convert.spelling.of(action.creates)
    nowhere = types.Position(0, 0)
    edits = [types.TextEdit(types.Range(nowhere, nowhere), change.text) for change in action.changes]
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=None)
    create = types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True))
    return types.WorkspaceEdit(document_changes=[create, types.TextDocumentEdit(identifier, edits)])


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    """Only to clients that take actions as edits: those that know nothing but commands have no use for them."""
    if not client.action_literals:
        return {}
    return {"code_action_provider": types.CodeActionOptions(list(_KINDS), resolve_provider=client.resolves_actions)}


# What the handlers need of the settings differs from document to document: the application hands it in.
FAMILY = Family({}, offer)
