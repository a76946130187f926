"""What the server offers to a client.

Hover, jumps, references, highlights, completion, signatures, renames and symbols are offered to all: they are as old as
the protocol, and clients ask for them that do not mention them (Kate mentions hover and the outline only). What came
later is offered to clients that mention it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lsprotocol import types

from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.handlers.commands import COMMANDS, REINDEX


def server_capabilities(
    client: Client, capabilities: types.ClientCapabilities, families: Iterable[Family]
) -> types.ServerCapabilities:
    """The capabilities for a client."""
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    offered: dict[str, Any] = {}
    for family in families:
        offered.update(family.offer(client, capabilities))
    return types.ServerCapabilities(
        **offered,
        position_encoding=types.PositionEncodingKind(client.encoding),
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True,
            change=types.TextDocumentSyncKind.Incremental,
            save=types.SaveOptions(include_text=False),
        ),
        code_lens_provider=types.CodeLensOptions() if text.code_lens is not None else None,
        execute_command_provider=types.ExecuteCommandOptions(sorted({*COMMANDS, REINDEX})),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True)
        )
        if client.folder_changes
        else None,
    )
