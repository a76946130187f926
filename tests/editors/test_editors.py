"""What a person sees in real VS Code on the example workspace. Run by `make editors`."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.editors.driving import CITY_IN_DDL, ROOT, SERVER, Seen, copy_examples, run

_PICTURES = ROOT / "artefacts"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_examples(tmp_path_factory.mktemp("editors"))


@pytest.fixture(scope="module")
def vscode(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium is not None
    with_settings = tmp_path_factory.mktemp("vscode")
    script = ROOT / "tests/editors/vscode.js"
    with _code_server(with_settings, workspace) as url:
        return run(["node", str(script), url, str(workspace), str(_PICTURES), chromium], timeout=400)


@contextmanager
def _code_server(folder: Path, workspace: Path) -> Iterator[str]:
    """The address of VS Code in a browser, with the extension and its own settings, as long as the context lasts."""
    entry = ROOT / ".editors/code-server/node_modules/code-server/out/node/entry.js"
    data = ["--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "extensions")]
    command = ["node", str(entry), *data]
    settings = json.loads((ROOT / "tests/editors/vscode_settings.json").read_text(encoding="utf-8"))
    settings["sqlLineage.serverPath"] = str(SERVER)
    (folder / "data/User").mkdir(parents=True)
    (folder / "data/User/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    extension = str(ROOT / ".editors/sql-lineage.vsix")
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
    line, column = CITY_IN_DDL
    assert vscode["definition"]["tab"] == "tables.sql"
    assert f"Ln {line}, Col {column}" in vscode["definition"]["cursor"]


def test_vscode_warns_of_the_undeclared_field(vscode: Seen) -> None:
    assert any("floor" in problem and "undeclared-field" in problem for problem in vscode["problems"])
