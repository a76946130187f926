from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, client_capabilities

from tests.e2e.workspace import Editor, write_workspace

SERVER = [sys.executable, "-m", "sql_lineage_ls", "serve"]
PROFILES = {"vscode": "visual_studio_code", "neovim": "neovim@v0.11"}
CONFIG = ClientServerConfig(server_command=SERVER, client_factory=Editor)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace folder with the files of `workspace.FILES`."""
    path = tmp_path_factory.mktemp("workspace")
    write_workspace(path)
    return path


@pytest_lsp.fixture(config=CONFIG, params=list(PROFILES.values()), ids=list(PROFILES), scope="module")
async def editor(lsp_client: Editor, folder: Path, request: pytest.FixtureRequest) -> AsyncIterator[None]:
    """A server that has read the workspace, under the capabilities of VS Code and of Neovim."""
    uri = folder.as_uri()
    folders = [types.WorkspaceFolder(uri, folder.name)]
    await lsp_client.start(client_capabilities(request.param), root_uri=uri, workspace_folders=folders)
    yield
    await lsp_client.shutdown_session()


@pytest.fixture(autouse=True)
def closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing that a test opens in the module's editor is there for the next one."""
    editor = request.getfixturevalue("editor") if "editor" in request.fixturenames else None
    yield
    for document in tuple(editor.opened.values()) if editor is not None else ():
        document.close()


@pytest_asyncio.fixture
async def new_editor() -> AsyncIterator[Any]:
    """Starts servers of one test's own; they are ended with the test."""
    editors: list[Editor] = []

    async def start() -> Editor:
        client = Editor()
        await client.start_io(*SERVER)
        editors.append(client)
        return client

    yield start
    for client in editors:
        await client.shutdown_session()
