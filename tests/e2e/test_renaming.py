"""Rename through the real server, as VS Code and Neovim ask for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.e2e.workspace import FILES, Document, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _edits(edit: types.WorkspaceEdit) -> dict[str, list[tuple[types.Range, str]]]:
    if edit.document_changes is not None:
        changes: Any = edit.document_changes
        return {one.text_document.uri.rsplit("/", 1)[-1]: [(e.range, e.new_text) for e in one.edits] for one in changes}
    return {uri.rsplit("/", 1)[-1]: [(e.range, e.new_text) for e in found]
            for uri, found in (edit.changes or {}).items()}  # fmt: skip


async def test_a_nested_field_is_renamed_over_files_with_emoji_before_it(editor: Editor) -> None:
    ddl = "-- dialect: bigquery\nCREATE TABLE d.crew (p STRUCT<kind STRING>);"
    tables = Document.open(editor, "untitled:Crew", ddl)
    query = Document.open(
        editor, "untitled:Query", "-- dialect: bigquery\nSELECT '😀' AS x, c.p.kind AS k, c.p.kind FROM d.crew AS c;")
    params = types.RenameParams(query.identifier, query.at("kind"), "sort")
    prepared = await editor.text_document_prepare_rename_async(
        types.PrepareRenameParams(query.identifier, query.at("kind")))
    assert prepared == types.PrepareRenamePlaceholder(range=query.range_of("kind"), placeholder="kind")
    edit = await editor.text_document_rename_async(params)
    assert edit is not None
    found = _edits(edit)
    assert found["untitled:Crew"] == [(tables.range_of("kind"), "sort")]
    assert found["untitled:Query"] == [
        (query.range_of("kind"), "sort"), (query.range_of("kind", " k, "), "sort AS kind")]


async def test_a_refusal_says_why(editor: Editor, folder: Path) -> None:
    vessels = Document.open(editor, (folder / "vessels.sql").as_uri(), FILES["vessels.sql"])
    view = "-- dialect: bigquery\nCREATE VIEW port.all_vessels AS SELECT * FROM port.vessels;"
    Document.open(editor, "untitled:Star", view)
    with pytest.raises(JsonRpcException, match=r"a `\*` hands it on under its present name in untitled:Star:2"):
        await editor.text_document_rename_async(types.RenameParams(vessels.identifier, vessels.at("id"), "no"))
