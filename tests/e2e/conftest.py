from __future__ import annotations

import sys
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.e2e.workspace import settled, write_workspace

SERVER = [sys.executable, "-m", "sql_lineage_ls", "serve"]
PROFILES = {"vscode": "visual_studio_code", "neovim": "neovim@v0.11"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace folder with the files of `workspace.FILES`."""
    path = tmp_path_factory.mktemp("workspace")
    write_workspace(path)
    return path


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=SERVER), params=list(PROFILES.values()), ids=list(PROFILES), scope="module"
)
async def client(lsp_client: LanguageClient, folder: Path, request: pytest.FixtureRequest):  # type: ignore[no-untyped-def]
    """A server that has read the workspace, under the capabilities of a real editor."""
    capabilities = client_capabilities(request.param)
    uri = folder.as_uri()
    params = types.InitializeParams(
        capabilities=capabilities, root_uri=uri, workspace_folders=[types.WorkspaceFolder(uri, folder.name)]
    )
    lsp_client.server_capabilities = (await lsp_client.initialize_session(params)).capabilities  # type: ignore[attr-defined]
    await settled(lsp_client)
    yield
    await lsp_client.shutdown_session()
