"""The lineage graph and reading anew through the real server, as two editors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from tests.e2e.workspace import FILES, Document, Editor, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def manifest(editor: Editor, folder: Path) -> Iterator[Document]:
    document = Document.open(editor, (folder / "manifest.sql").as_uri(), FILES["manifest.sql"])
    yield document
    document.close()


async def _ask(editor: Editor, method: str, params: dict[str, Any]) -> Any:
    return await editor.protocol.send_request_async(method, params)


def _at(document: Document, word: str, after: str = "") -> dict[str, Any]:
    position = document.at(word, after)
    place = {"line": position.line, "character": position.character}
    return {"textDocument": {"uri": document.uri}, "position": place}


async def test_the_graph_of_a_column_leads_to_the_field(editor: Editor, folder: Path, manifest: Document) -> None:
    asked = {**_at(manifest, "city", "AS "), "direction": "up", "format": "mermaid"}
    found = await _ask(editor, "sqlLineage/graph", asked)
    boxes = {box.name: box for box in found.relations}
    assert set(boxes) == {"port.manifest", "port.vessels"}
    assert [row.label for row in boxes["port.vessels"].rows] == ["master", "home", "city"]
    assert boxes["port.vessels"].rows[2].location.uri == (folder / "vessels.sql").as_uri()
    (edge,) = found.edges
    assert (edge.source[1:], edge.target[1:], edge.role) == (["master", "home", "city"], ["city"], "value")
    assert 'r1f0["master.home.city"]' in found.mermaid

    back = await _ask(editor, "sqlLineage/graphExpand", {"steps": [{"nodes": [edge.source], "direction": "down"}]})
    assert [list(one.target) for one in back.edges] == [list(edge.target)]


async def test_a_graph_of_nothing_is_none(editor: Editor) -> None:
    text = "\n\n-- nothing\n"
    document = Document.open(editor, "untitled:Graph-0", text)
    assert await _ask(editor, "sqlLineage/graph", _at(document, "nothing")) is None
    document.close()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("sqlLineage/graph", {}),
        ("sqlLineage/graph", {"textDocument": {"uri": "file:///w/a.sql"}}),
        ("sqlLineage/graphExpand", {"steps": "port"}),
        ("sqlLineage/graphExpand", {"steps": ["port"]}),
        ("sqlLineage/graphExpand", {"steps": [{"nodes": "port"}]}),
        ("sqlLineage/graphExpand", {"steps": [{"nodes": [[1]]}]}),
        ("sqlLineage/graphExpand", {"steps": [{"nodes": [["port"]], "direction": "left"}]}),
        ("sqlLineage/graphExpand", {"steps": [{"nodes": [["port"]], "depth": 0}]}),
        ("sqlLineage/graphExpand", {"steps": [{"nodes": [["port"]], "depth": "2"}]}),
    ],
)
async def test_what_cannot_be_asked_is_refused(editor: Editor, method: str, params: dict[str, Any]) -> None:
    with pytest.raises(JsonRpcInvalidParams):
        await _ask(editor, method, params)


async def test_the_workspace_is_read_anew(editor: Editor) -> None:
    async def revision() -> int:
        found = await _ask(editor, "sqlLineage/status", {})
        return int(found.revision) if found.complete else -1

    before = await until(revision, lambda seen: seen >= 0)
    await editor.workspace_execute_command_async(types.ExecuteCommandParams("sqlLineage.reindex"))
    await until(revision, lambda seen: seen > before)
