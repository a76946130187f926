"""Rename: where it can begin, and the edits that it makes over the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from sql_lineage_ls.features import rename as feature
from sql_lineage_ls.features.results import Refusal, TextChange
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import EVERYTHING
from sql_lineage_ls.text.span import Span


class RenameRefused(JsonRpcException):
    """Why something cannot be renamed; editors show the message."""

    CODE = types.LSPErrorCodes.RequestFailed.value
    MESSAGE = "this cannot be renamed"


def prepare(convert: Converter, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    """The token at a position and its present name."""
    place = convert.place(params)
    document = convert.snapshot.document(place[0]) if place is not None else None
    if place is None or document is None:
        return None
    found = feature.prepare_rename(convert.snapshot, *place)
    if isinstance(found, Refusal):
        raise RenameRefused(found.reason)
    name = feature.bare(document.text[found.start : found.end])
    return types.PrepareRenamePlaceholder(range=convert.to_lsp_range(document, found), placeholder=name)


def rename(convert: Converter, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits that give the name at a position another one."""
    place = convert.place(params)
    if place is None:
        return None
    found = feature.rename(convert.snapshot, *place, params.new_name)
    if isinstance(found, Refusal):
        raise RenameRefused(found.reason)
    return workspace_edit(convert, found.changes)


def workspace_edit(convert: Converter, changes: tuple[TextChange, ...]) -> types.WorkspaceEdit:
    """Changes of texts as the client takes them: with the versions that they are meant for where it can."""
    edits: dict[str, list[types.TextEdit]] = {}
    for change in changes:
        document = convert.snapshot.document(change.span.uri)
        if document is not None:
            range_ = convert.to_lsp_range(document, Span(change.span.start, change.span.end))
            edits.setdefault(change.span.uri, []).append(types.TextEdit(range_, change.text))
    if not convert.client.document_changes:
        return types.WorkspaceEdit(changes={convert.spelling.of(uri): found for uri, found in edits.items()})
    versioned = []
    for uri, found in edits.items():
        document = convert.snapshot.document(uri)
        version = document.version if document is not None else None
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri=convert.spelling.of(uri), version=version)
        versioned.append(types.TextDocumentEdit(identifier, list(found)))
    return types.WorkspaceEdit(document_changes=versioned)


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    prepares = text.rename is not None and text.rename.prepare_support
    return {"rename_provider": types.RenameOptions(prepare_provider=True) if prepares else True}


FAMILY = Family(
    {
        types.TEXT_DOCUMENT_PREPARE_RENAME: (prepare, EVERYTHING),
        types.TEXT_DOCUMENT_RENAME: (rename, EVERYTHING),
    },
    offer,
)
