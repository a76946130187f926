"""Diagnostics for a client that asks for them: never sent unasked, short where they are the same, seen across files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities

from tests.e2e.workspace import FILES, Document, Editor, settled, until, write_workspace

pytestmark = pytest.mark.asyncio


def _capabilities(related: bool = False) -> types.ClientCapabilities:
    """VS Code as it is today: the recorded profile is older than diagnostics that are asked for."""
    found = client_capabilities("visual_studio_code")
    assert found.text_document is not None
    assert found.workspace is not None
    found.text_document.diagnostic = types.DiagnosticClientCapabilities(related_document_support=related)
    found.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    return found


async def _start(new_editor: Any, folder: Path, related: bool = False) -> Editor:
    write_workspace(folder)
    editor: Editor = await new_editor()
    uri = folder.as_uri()
    await editor.start(
        _capabilities(related), root_uri=uri, workspace_folders=[types.WorkspaceFolder(uri, folder.name)]
    )
    return editor


async def _pull(document: Document, previous: str | None = None) -> Any:
    params = types.DocumentDiagnosticParams(document.identifier, previous_result_id=previous)
    return await document.client.text_document_diagnostic_async(params)


async def test_a_document_is_asked_for_and_never_told(new_editor: Any, tmp_path: Path) -> None:
    editor = await _start(new_editor, tmp_path / "w")
    provider = editor.server_capabilities.diagnostic_provider
    assert isinstance(provider, types.DiagnosticOptions)
    assert (provider.inter_file_dependencies, provider.workspace_diagnostics) == (True, True)
    query = Document.open(editor, "untitled:Q", "-- dialect: bigquery\nSELECT v.master.naem FROM port.vessels AS v;")
    first = await _pull(query)
    assert first.kind == "full"
    assert [(one.code, one.range) for one in first.items] == [("undeclared-field", query.range_of("naem"))]
    again = await _pull(query, first.result_id)
    assert (again.kind, again.result_id) == ("unchanged", first.result_id)
    query.replace("naem", "name")
    assert (await _pull(query, first.result_id)).items in ([], ())
    assert editor.diagnostics == {}


async def test_an_answer_is_of_the_version_that_the_client_has(new_editor: Any, tmp_path: Path) -> None:
    editor = await _start(new_editor, tmp_path / "w")
    query = Document.open(editor, "untitled:Q", "-- dialect: bigquery\nSELECT v.id FROM port.vessels AS v;")
    asked = [asyncio.ensure_future(_pull(query))]
    for number in range(8):
        query.set(f"-- dialect: bigquery\n{' ' * number}SELECT v.no{number} FROM port.vessels AS v;")
        asked.append(asyncio.ensure_future(_pull(query)))
    answers = await asyncio.gather(*asked)
    assert [one.range for one in answers[-1].items] == [query.range_of("no7")]


async def test_ddl_elsewhere_changes_what_is_answered(new_editor: Any, tmp_path: Path) -> None:
    editor = await _start(new_editor, tmp_path / "w", related=True)
    tables = Document.open(editor, (tmp_path / "w" / "vessels.sql").as_uri(), FILES["vessels.sql"])
    query = Document.open(editor, "untitled:Q", "-- dialect: bigquery\nSELECT v.flag FROM port.vessels AS v;")
    found = await _pull(query)
    assert [one.code for one in found.items] == ["undeclared-column"]
    refreshes = editor.diagnostic_refreshes
    tables.replace("id INT64,", "id INT64, flag STRING,")
    of_tables = await _pull(tables)
    report = (of_tables.related_documents or {})[query.uri]
    assert (report.kind, list(report.items)) == ("full", [])
    await until(lambda: editor.diagnostic_refreshes, lambda count: count > refreshes)
    again = await _pull(query, report.result_id)
    assert again.kind == "unchanged"


async def test_the_whole_workspace(new_editor: Any, tmp_path: Path) -> None:
    folder = tmp_path / "w"
    write_workspace(folder)
    wrong_text = "-- dialect: bigquery\nSELECT m.town FROM port.manifest AS m;\n"
    (folder / "wrong.sql").write_text(wrong_text, encoding="utf-8")
    editor = await _start(new_editor, folder)
    whole = await editor.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    by_name = {report.uri.rpartition("/")[2]: report for report in whole.items}
    assert sorted(by_name) == ["manifest.sql", "report.sql", "vessels.sql", "wrong.sql"]
    wrong = by_name["wrong.sql"]
    assert isinstance(wrong, types.WorkspaceFullDocumentDiagnosticReport)
    assert [one.code for one in wrong.items] == ["undeclared-column"]
    previous = [types.PreviousResultId(report.uri, str(report.result_id)) for report in whole.items]
    again = await editor.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous))
    assert {report.kind for report in again.items} == {"unchanged"}
    await _until_news(editor, folder, previous)


async def _until_news(editor: Editor, folder: Path, previous: list[types.PreviousResultId]) -> None:
    """A client that takes partial results gets its answer when there is something new, and only that."""
    editor.partial_results["parts"] = []
    params = types.WorkspaceDiagnosticParams(previous, partial_result_token="parts")
    waiting = asyncio.ensure_future(editor.workspace_diagnostic_async(params))
    await asyncio.sleep(0.3)
    assert not waiting.done()
    tables = Document.open(editor, (folder / "vessels.sql").as_uri(), FILES["vessels.sql"])
    tables.replace("tons INT64", "weight INT64")
    await settled(editor)
    assert list((await asyncio.wait_for(waiting, 15)).items) == []
    told = [report for part in editor.partial_results["parts"] for report in _items(part)]
    assert [codes for uri, codes in told if uri.endswith("manifest.sql")] == [["undeclared-field"]]


def _items(part: Any) -> list[tuple[str, list[Any]]]:
    """The documents of a partial result with the codes of their diagnostics."""
    value = default_converter().unstructure(part)
    return [(report["uri"], [one["code"] for one in report["items"]]) for report in value["items"]]
