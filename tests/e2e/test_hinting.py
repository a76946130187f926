"""Inlay hints through the real server, to the clients that show them."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from tests.e2e.workspace import Document, Editor, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_hints_are_offered_to_clients_that_show_them(editor: Editor) -> None:
    text = editor.capabilities_sent.text_document
    assert text is not None
    assert (editor.server_capabilities.inlay_hint_provider is not None) == (text.inlay_hint is not None)


async def test_hints_of_a_range_with_tooltip_and_link(editor: Editor) -> None:
    before = editor.hint_refreshes
    query = Document.open(editor, "untitled:Hinting", (
        "-- dialect: bigquery\nSELECT 'é😀', h.tons FROM port.vessels v, UNNEST(v.holds) h;\n"
        "SELECT * FROM port.manifest;"
    ))
    params = types.InlayHintParams(query.identifier, query.range_of("SELECT 'é😀', h.tons"))
    found: Any = await editor.text_document_inlay_hint_async(params)
    assert len(found) == 1
    hint = found[0]
    assert hint.position == query.range_of("h.tons").end
    whole = await editor.inlay_hint_resolve_async(hint) if hint.tooltip is None else hint
    tooltip = whole.tooltip.value if isinstance(whole.tooltip, types.MarkupContent) else whole.tooltip
    assert "port.vessels.holds[*].tons : INT64" in str(tooltip)
    assert isinstance(whole.label, list)
    assert whole.label[0].value == "← port.vessels.holds[*].tons"
    assert whole.label[0].location is not None
    assert whole.label[0].location.uri.endswith("vessels.sql")
    workspace = editor.capabilities_sent.workspace
    if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
        await until(lambda: editor.hint_refreshes, lambda count: count > before)
    query.close()
