"""What a person sees in real VS Code and real Neovim on the example workspace. Run by `make editors`."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_SERVER = Path(sys.executable).with_name("sql-lineage-ls")
_PICTURES = _ROOT / "artefacts"

_CITY_IN_DDL = next(
    (number, line.index("city STRING") + 1)
    for number, line in enumerate((_ROOT / "examples/bigquery/tables.sql").read_text(encoding="utf-8").split("\n"), 1)
    if "city STRING, country" in line
)

Seen = dict[str, Any]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the examples, which its own settings file makes a root for every editor."""
    folder = tmp_path_factory.mktemp("editors") / "workspace"
    shutil.copytree(_ROOT / "examples", folder)
    (folder / "sql-lineage.toml").write_text("", encoding="utf-8")
    return folder


def _run(command: list[str], timeout: int, **environment: str) -> Seen:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["what"]: line["value"] for line in lines}


# ---------------------------------------------------------------- Neovim


@pytest.fixture(scope="module")
def neovim(workspace: Path) -> Seen:
    nvim = Path(sys.executable).with_name("nvim")
    script = _ROOT / "tests/editors/nvim.lua"
    return _run(
        [str(nvim), "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}"],
        timeout=240,
        EDITOR_CONFIG=str(_ROOT / "editors/nvim"),
        SERVER=str(_SERVER),
        WORKSPACE=str(workspace),
    )


def test_neovim_hovers_a_nested_field(neovim: Seen) -> None:
    assert "shop.orders_raw.customer.address.city" in "\n".join(neovim["hover"])


def test_neovim_shows_lenses_and_lists_their_places(neovim: Seen) -> None:
    titles = {lens["title"] for lens in neovim["lenses"]}
    assert any(title.endswith("downstream uses") for title in titles)
    assert any(place.startswith("order_lines.sql:") for place in neovim["places"])


def test_neovim_jumps_to_the_field_in_the_ddl(neovim: Seen) -> None:
    line, column = _CITY_IN_DDL
    expected = {"file": "tables.sql", "line": line, "column": column, "word": "city"}
    assert neovim["definition"] == expected
    assert neovim["declaration"] == expected


def test_neovim_warns_of_the_undeclared_field(neovim: Seen) -> None:
    (warning,) = neovim["warnings"]
    assert warning["code"] == "undeclared-field"
    assert "floor" in warning["message"]


# ---------------------------------------------------------------- VS Code


@pytest.fixture(scope="module")
def vscode(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium is not None
    with_settings = tmp_path_factory.mktemp("vscode")
    script = _ROOT / "tests/editors/vscode.js"
    with _code_server(with_settings, workspace) as url:
        return _run(["node", str(script), url, str(workspace), str(_PICTURES), chromium], timeout=400)


@contextmanager
def _code_server(folder: Path, workspace: Path) -> Iterator[str]:
    """The address of VS Code in a browser, with the extension and its own settings, as long as the context lasts."""
    entry = _ROOT / ".editors/code-server/node_modules/code-server/out/node/entry.js"
    data = ["--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "extensions")]
    command = ["node", str(entry), *data]
    settings = json.loads((_ROOT / "tests/editors/vscode_settings.json").read_text(encoding="utf-8"))
    settings["sqlLineage.serverPath"] = str(_SERVER)
    (folder / "data/User").mkdir(parents=True)
    (folder / "data/User/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    extension = str(_ROOT / ".editors/sql-lineage.vsix")
    subprocess.run([*command, "--install-extension", extension], check=True, capture_output=True, timeout=120)
    port = _free_port()
    quiet = ("telemetry", "update-check", "workspace-trust", "getting-started-override")
    options = ["--bind-addr", f"127.0.0.1:{port}", "--auth", "none", *(f"--disable-{name}" for name in quiet)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*command, *options, str(workspace)], stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_for(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "code-server has ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("code-server does not listen")


def test_vscode_hovers_a_nested_field(vscode: Seen) -> None:
    assert "shop.orders_raw.customer.address" in vscode["hover"]
    assert "shop.orders_raw.customer.address.city" in vscode["hover field"]
    assert "end to end from shop.orders_raw.customer.name" in vscode["hover through views"]


def test_vscode_shows_lenses_and_opens_their_places(vscode: Seen) -> None:
    assert any("downstream use" in lens for lens in vscode["lenses"])
    assert vscode["references"]


def test_vscode_jumps_to_the_field_in_the_ddl(vscode: Seen) -> None:
    line, column = _CITY_IN_DDL
    assert vscode["definition"]["tab"] == "tables.sql"
    assert f"Ln {line}, Col {column}" in vscode["definition"]["cursor"]


def test_vscode_warns_of_the_undeclared_field(vscode: Seen) -> None:
    assert any("floor" in problem and "undeclared-field" in problem for problem in vscode["problems"])
