"""Completion and signature help through the real server, as VS Code and Neovim ask for them."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from lsprotocol import types

from tests.e2e.workspace import Document, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

_numbers = count()


def scratch(editor: Editor, text: str) -> Document:
    return Document.open(editor, f"untitled:Completing-{next(_numbers)}", "-- dialect: bigquery\n" + text)


async def _complete(document: Document, word: str, after: str = "") -> list[types.CompletionItem]:
    """What is proposed right behind `word`."""
    params = types.CompletionParams(document.identifier, document.range_of(word, after).end)
    found: Any = await document.client.text_document_completion_async(params)
    return list(found.items)


async def test_fields_are_proposed_behind_a_dot_with_type_and_source(editor: Editor) -> None:
    query = scratch(editor, "SELECT 'é😀', h. FROM port.vessels AS v, UNNEST(v.holds) AS h;")
    items = await _complete(query, "h.")
    assert [(item.label, item.detail) for item in items] == [("cargo", "STRING"), ("tons", "INT64")]
    assert items[0].label_details is not None
    assert items[0].label_details.description == "port.vessels.holds[*].cargo"
    end = query.range_of("h.").end
    assert isinstance(items[0].text_edit, types.TextEdit)
    assert items[0].text_edit.range == types.Range(end, end)


async def test_a_proposal_is_resolved_when_it_is_looked_at(editor: Editor) -> None:
    query = scratch(editor, "SELECT v.master.home. FROM port.vessels AS v;")
    item = (await _complete(query, "home."))[0]
    assert item.documentation is None
    whole = await editor.completion_item_resolve_async(item)
    said = whole.documentation.value if isinstance(whole.documentation, types.MarkupContent) else whole.documentation
    assert "port.vessels.master.home.city : STRING" in str(said)


async def test_an_edit_changes_what_is_proposed(editor: Editor) -> None:
    tables = scratch(editor, "CREATE TABLE d.crew (id INT64, papers STRUCT<kind STRING>);")
    query = scratch(editor, "SELECT c.papers. FROM d.crew AS c;")
    assert [item.label for item in await _complete(query, "papers.")] == ["kind"]
    tables.replace("kind STRING", "kind STRING, issued DATE")
    assert [item.label for item in await _complete(query, "papers.")] == ["kind", "issued"]


async def test_relations_behind_from(editor: Editor) -> None:
    query = scratch(editor, "WITH fleet AS (SELECT 1 AS one) SELECT * FROM ")
    labels = [item.label for item in await _complete(query, "FROM ")]
    assert labels[0] == "fleet"
    assert "port.vessels" in labels


async def test_the_parameters_of_a_function(editor: Editor) -> None:
    scratch(editor, "CREATE FUNCTION d.toll(tons INT64, rate NUMERIC) RETURNS NUMERIC AS (tons * rate);")
    query = scratch(editor, "SELECT d.toll(3, ) FROM port.vessels;")
    params = types.SignatureHelpParams(query.identifier, query.range_of("3, ").end)
    found = await editor.text_document_signature_help_async(params)
    assert found is not None
    assert found.signatures[0].label == "d.toll(tons INT64, rate NUMERIC) -> NUMERIC"
    assert found.active_parameter == 1
