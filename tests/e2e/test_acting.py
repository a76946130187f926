"""Code actions through the real server, as VS Code and Neovim ask for them."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter

from tests.e2e.workspace import Document, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

_numbers = count()


def scratch(editor: Editor, text: str) -> Document:
    return Document.open(editor, f"untitled:Acting-{next(_numbers)}", "-- dialect: bigquery\n" + text)


async def _actions(document: Document, word: str, kinds: list[Any] | None = None) -> list[types.CodeAction]:
    context = types.CodeActionContext([], only=kinds)
    params = types.CodeActionParams(document.identifier, document.range_of(word), context)
    found: Any = await document.client.text_document_code_action_async(params)
    return list(found or ())


def _edits(edit: types.WorkspaceEdit | None) -> dict[str, list[tuple[types.Range, str]]]:
    """The edits by document, in whichever form they came."""
    assert edit is not None
    found: dict[str, Any] = dict(edit.changes or {})
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            found[change.text_document.uri] = change.edits
    return {uri: [(one.range, one.new_text) for one in edits] for uri, edits in found.items()}


async def test_the_name_that_was_meant_is_the_preferred_fix(editor: Editor) -> None:
    query = scratch(editor, "SELECT 'é😀', v.master.naem FROM port.vessels AS v;")
    first = (await _actions(query, "naem"))[0]
    assert (first.title, first.kind, first.is_preferred) == ("Change to `name`", types.CodeActionKind.QuickFix, True)
    assert [diagnostic.code for diagnostic in first.diagnostics or ()] == ["undeclared-field"]
    assert _edits(first.edit) == {query.uri: [(query.range_of("naem"), "name")]}


async def test_edits_carry_the_version_where_the_client_takes_that(editor: Editor) -> None:
    query = scratch(editor, "SELECT * FROM port.vessels;")
    query.replace("vessels;", "vessels AS v;")
    edit = (await _actions(query, "*", [types.CodeActionKind.RefactorRewrite]))[0].edit
    assert edit is not None
    assert _edits(edit) == {query.uri: [(query.range_of("*"), "id, master, holds")]}
    if edit.document_changes:
        change = edit.document_changes[0]
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == query.version


async def test_only_the_kinds_that_are_wanted(editor: Editor) -> None:
    query = scratch(editor, "SELECT v.master.naem, * FROM port.vessels AS v;")
    kinds = {action.kind for action in await _actions(query, "naem, *", [types.CodeActionKind.QuickFix])}
    assert kinds == {types.CodeActionKind.QuickFix}


async def test_a_field_is_added_to_the_ddl_of_another_file(editor: Editor) -> None:
    tables = scratch(editor, "CREATE TABLE d.cranes (id INT64, reach STRUCT<metres INT64>);")
    query = scratch(editor, "SELECT c.reach.feet FROM d.cranes AS c;")
    action = next(one for one in await _actions(query, "feet") if one.title.startswith("Add"))
    end = tables.range_of("metres INT64").end
    assert _edits(action.edit) == {tables.uri: [(types.Range(end, end), ", feet STRING")]}


async def test_a_skeleton_is_written_when_it_is_chosen(editor: Editor) -> None:
    query = scratch(editor, "SELECT t.hull.length FROM port.tugs AS t;")
    offered = [one for one in await _actions(query, "tugs") if one.title.startswith("Declare `port.tugs`")]
    known = next(one for one in offered if "new file" not in one.title)
    assert known.edit is None
    whole = await editor.code_action_resolve_async(known)
    texts = [text for edits in _edits(whole.edit).values() for _, text in edits]
    assert texts[-1].endswith("CREATE TABLE port.tugs (\n  hull STRUCT<length STRING>\n);\n")
    versioned = editor.capabilities_sent.workspace.workspace_edit.document_changes  # type: ignore[union-attr]
    assert any("new file" in one.title for one in offered) == bool(versioned)
    for one in offered:
        if "new file" in one.title:
            made = (await editor.code_action_resolve_async(one)).edit
            assert made is not None
            kinds = [type(change).__name__ for change in made.document_changes or ()]
            assert kinds == ["CreateFile", "TextDocumentEdit"]


async def test_the_path_of_a_field_as_text(editor: Editor) -> None:
    query = scratch(editor, "SELECT 'é😀', h.tons FROM port.vessels v, UNNEST(v.holds) h;")
    params = types.ExecuteCommandParams("sqlLineage.copyFieldPath", [query.uri, _plain(query.at("tons"))])
    assert await editor.workspace_execute_command_async(params) == "port.vessels.holds[*].tons"
    params = types.ExecuteCommandParams("sqlLineage.copyFieldPath", [query.uri, _plain(query.at("FROM"))])
    assert await editor.workspace_execute_command_async(params) is None


async def test_the_impact_of_a_field_over_files(editor: Editor) -> None:
    query = scratch(editor, "SELECT v.master.home.city FROM port.vessels v;")
    params = types.ExecuteCommandParams("sqlLineage.impact", [query.uri, _plain(query.at("city"))])
    found: Any = default_converter().unstructure(await editor.workspace_execute_command_async(params))
    assert list(found["paths"]) == ["port.vessels.master.home.city"]
    groups = [
        (group["name"], sorted(use["location"]["uri"].rpartition("/")[2] for use in group["uses"]))
        for group in found["groups"]
    ]
    assert groups == [
        ("port.manifest", ["manifest.sql"]), ("", ["report.sql"]), ("", [query.uri.rpartition("/")[2]])
    ]
    assert found["count"] == 3


async def test_the_status_is_a_command_too(editor: Editor) -> None:
    found: Any = await editor.workspace_execute_command_async(types.ExecuteCommandParams("sqlLineage.status"))
    assert found["ready"] is True
    provider = editor.server_capabilities.execute_command_provider
    assert provider is not None
    assert {"sqlLineage.copyFieldPath", "sqlLineage.impact", "sqlLineage.reindex"} <= set(provider.commands)


def _plain(position: types.Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}
