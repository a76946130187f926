"""What the server offers to a client: only what that client can use."""

from __future__ import annotations

from lsprotocol import types

from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.handlers.commands import COMMANDS


def server_capabilities(client: Client, capabilities: types.ClientCapabilities) -> types.ServerCapabilities:
    """The capabilities for a client; a feature that it does not mention is not offered."""
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    return types.ServerCapabilities(
        position_encoding=types.PositionEncodingKind(client.encoding),
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True,
            change=types.TextDocumentSyncKind.Incremental,
            save=types.SaveOptions(include_text=False),
        ),
        hover_provider=text.hover is not None or None,
        definition_provider=text.definition is not None or None,
        declaration_provider=text.declaration is not None or None,
        type_definition_provider=text.type_definition is not None or None,
        document_symbol_provider=text.document_symbol is not None or None,
        code_lens_provider=types.CodeLensOptions() if text.code_lens is not None else None,
        execute_command_provider=types.ExecuteCommandOptions(sorted(COMMANDS)),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True)
        )
        if client.folder_changes
        else None,
    )
