"""Files, folders and settings that change while the server runs, for clients that watch files and that do not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import client_capabilities

from tests.e2e.workspace import FILES, Document, Editor, status, until, write_workspace

pytestmark = pytest.mark.asyncio

NewEditor = Callable[[], Awaitable[Editor]]

QUERY = "-- dialect: bigquery\nSELECT v.master.rank FROM port.vessels AS v;"
DDL = FILES["vessels.sql"]
WITH_RANK = DDL.replace("name STRING, ", "name STRING, rank NUMERIC, ")


def vscode() -> types.ClientCapabilities:
    return client_capabilities("visual_studio_code")


def neovim() -> types.ClientCapabilities:
    return client_capabilities("neovim@v0.11")


def report(editor: Editor, path: Path, kind: types.FileChangeType) -> None:
    """What a client that watches files tells of one."""
    change = types.FileEvent(path.as_uri(), kind)
    editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))


@pytest.mark.parametrize("watches", [True, False], ids=["watching", "not-watching"])
async def test_files_are_created_changed_and_deleted_outside(
    new_editor: NewEditor, tmp_path: Path, watches: bool
) -> None:
    editor = await new_editor()
    await editor.start(vscode() if watches else neovim(), root_uri=tmp_path.as_uri())
    assert bool(editor.registrations) == watches
    query = Document.open(editor, "untitled:query", QUERY)
    assert await query.diagnostics([]) == []
    ddl = tmp_path / "vessels.sql"

    def tell(kind: types.FileChangeType) -> None:
        if watches:
            report(editor, ddl, kind)

    ddl.write_text(DDL)
    tell(types.FileChangeType.Created)
    await query.diagnostics(["undeclared-field"])

    ddl.write_text(WITH_RANK)
    tell(types.FileChangeType.Changed)
    await query.diagnostics([])
    assert await query.declaration("rank") != []

    ddl.write_text(DDL)
    tell(types.FileChangeType.Changed)
    await query.diagnostics(["undeclared-field"])

    ddl.unlink()
    tell(types.FileChangeType.Deleted)
    await query.diagnostics([])
    assert await query.declaration("rank") == []


async def test_the_buffer_beats_the_disk_until_it_is_closed(new_editor: NewEditor, tmp_path: Path) -> None:
    write_workspace(tmp_path)
    editor = await new_editor()
    await editor.start(vscode(), root_uri=tmp_path.as_uri())
    path = tmp_path / "vessels.sql"
    ddl = Document.open(editor, path.as_uri(), WITH_RANK)
    query = Document.open(editor, "untitled:query", QUERY)
    assert await query.declaration("rank") == [(ddl.uri, ddl.range_of("rank"))]
    path.write_text(DDL + "\n")
    report(editor, path, types.FileChangeType.Changed)
    assert await query.declaration("rank") == [(ddl.uri, ddl.range_of("rank"))]
    ddl.close()
    await query.diagnostics(["undeclared-field"])


async def test_saving_looks_at_the_disk_where_nobody_watches(new_editor: NewEditor, tmp_path: Path) -> None:
    editor = await new_editor()
    await editor.start(neovim(), root_uri=tmp_path.as_uri())
    (tmp_path / "vessels.sql").write_text(DDL)
    query = Document.open(editor, "untitled:query", QUERY)
    editor.text_document_did_save(types.DidSaveTextDocumentParams(query.identifier))
    assert [diagnostic.code for diagnostic in await query.diagnostics(["undeclared-field"])] == ["undeclared-field"]


async def test_folders_come_and_go(new_editor: NewEditor, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "sec ond"
    write_workspace(second)
    first.mkdir()
    editor = await new_editor()
    await editor.start(vscode(), workspace_folders=[types.WorkspaceFolder(first.as_uri(), "first")])
    query = Document.open(editor, (first / "query.sql").as_uri(), QUERY)
    assert await query.diagnostics([]) == []

    folder = types.WorkspaceFolder(second.as_uri(), "second")
    event = types.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
    editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    await query.diagnostics(["undeclared-field"])
    (place,) = await query.definition("master")
    assert place[0] == (second / "vessels.sql").as_uri()

    event = types.WorkspaceFoldersChangeEvent(added=[], removed=[folder])
    editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    await query.diagnostics([])


async def test_answers_use_the_clients_spelling_of_a_folder(new_editor: NewEditor, tmp_path: Path) -> None:
    write_workspace(tmp_path / "a+b")
    uri = (tmp_path / "a+b").as_uri().replace("+", "%2B")
    editor = await new_editor()
    await editor.start(vscode(), workspace_folders=[types.WorkspaceFolder(uri, "a+b")])
    query = Document.open(editor, "untitled:query", QUERY)
    (place,) = await query.definition("master")
    assert place[0] == uri + "/vessels.sql"


async def test_settings_of_the_editor(new_editor: NewEditor, tmp_path: Path) -> None:
    write_workspace(tmp_path)
    editor = await new_editor()
    editor.set_configuration({"severities": {"undeclared-field": "hint"}, "serverPath": "x"}, section="sqlLineage")
    await editor.start(vscode(), root_uri=tmp_path.as_uri())
    query = Document.open(editor, "untitled:query", QUERY)
    (found,) = await query.diagnostics(["undeclared-field"])
    assert found.severity == types.DiagnosticSeverity.Hint
    assert editor.messages == []

    editor.set_configuration({"diagnostics": False, "codeLens": False, "dialct": "x"}, section="sqlLineage")
    editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    assert await query.diagnostics([]) == []
    vessels = Document.open(editor, (tmp_path / "vessels.sql").as_uri(), DDL)
    assert await vessels.lenses() == []
    (message,) = editor.messages
    assert "`dialct` is no setting. Did you mean dialect?" in message.message
    assert (await status(editor)).settingsProblems == [message.message]

    editor.set_configuration({}, section="sqlLineage")
    editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=None))
    (found,) = await query.diagnostics(["undeclared-field"])
    assert found.severity == types.DiagnosticSeverity.Error


async def test_settings_that_a_client_pushes(new_editor: NewEditor, tmp_path: Path) -> None:
    write_workspace(tmp_path)
    capabilities = neovim()
    assert capabilities.workspace is not None
    capabilities.workspace.configuration = False
    editor = await new_editor()
    options: Any = {"severities": {"undeclared-field": "information"}}
    await editor.start(capabilities, root_uri=tmp_path.as_uri(), initialization_options=options)
    query = Document.open(editor, "untitled:query", QUERY)
    (found,) = await query.diagnostics(["undeclared-field"])
    assert found.severity == types.DiagnosticSeverity.Information
    settings: Any = {"sqlLineage": {"severities": {"undeclared-field": "off"}}}
    editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    assert await query.diagnostics([]) == []


async def test_settings_of_a_folder_and_their_change(new_editor: NewEditor, tmp_path: Path) -> None:
    write_workspace(tmp_path)
    settings = tmp_path / "sql-lineage.toml"
    settings.write_text('schema = "port"\ndialect = "bigquery"\ncode_lens.fields = false\n')
    editor = await new_editor()
    await editor.start(vscode(), root_uri=tmp_path.as_uri())
    query = Document.open(editor, (tmp_path / "q.sql").as_uri(), "SELECT v.master.rank FROM vessels AS v;")
    await query.diagnostics(["undeclared-field"])
    vessels = Document.open(editor, (tmp_path / "vessels.sql").as_uri(), DDL)
    assert len(await vessels.lenses()) == 4

    settings.write_text("schema = 5\n")
    report(editor, settings, types.FileChangeType.Changed)
    await until(lambda: [message.message for message in editor.messages], lambda messages: len(messages) == 1)
    assert "`schema` is 5, not text" in editor.messages[0].message
    assert len(await vessels.lenses()) == 10


async def test_a_file_that_is_too_large_is_named_once(new_editor: NewEditor, tmp_path: Path) -> None:
    (tmp_path / "sql-lineage.toml").write_text("max_file_size = 100\n")
    (tmp_path / "big.sql").write_text("SELECT 1" + " " * 100)
    editor = await new_editor()
    await editor.start(vscode(), root_uri=tmp_path.as_uri())
    await until(lambda: [message.message for message in editor.messages], lambda messages: len(messages) == 1)
    assert "big.sql is not analysed" in editor.messages[0].message
    report(editor, tmp_path / "big.sql", types.FileChangeType.Changed)
    assert (await status(editor)).documents == 0
    assert len(editor.messages) == 1


async def test_an_unsaved_model_changes_what_a_model_of_it_shows(new_editor: NewEditor, tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (tmp_path / "dbt_project.yml").write_text("name: port\n")
    text = "-- dialect: bigquery\nSELECT v.id AS berth FROM {{ source('port', 'ships') }} AS v"
    (models / "moored.sql").write_text(text)
    (models / "top.sql").write_text("-- dialect: bigquery\nSELECT m.berth FROM {{ ref('moored') }} AS m")
    editor = await new_editor()
    await editor.start(vscode(), root_uri=tmp_path.as_uri())
    moored = Document.open(editor, (models / "moored.sql").as_uri(), text)
    top = Document.open(editor, (models / "top.sql").as_uri(), (models / "top.sql").read_text())
    assert "port.ships.id" in await top.hover("berth")
    moored.replace("v.id", "v.quay")
    assert "port.ships.quay" in await top.hover("berth")
    assert await top.definition("moored") == [(moored.uri, moored.range_of("SELECT"))]
