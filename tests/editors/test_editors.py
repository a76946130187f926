"""What a person sees in real VS Code on the example workspace. Run by `make editors`."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
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
    with _code_server(with_settings, workspace, {"sqlLineage.serverPath": str(SERVER)}) as url:
        return run(["node", str(script), url, str(workspace), str(_PICTURES), chromium], timeout=400)


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """VS Code of somebody who has installed the `.vsix` and nothing else."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    assert chromium is not None
    folder = tmp_path_factory.mktemp("newcomer")
    shutil.copytree(ROOT / "examples", folder / "workspace")
    script = ROOT / "tests/editors/vscode.js"
    search = [one for one in os.environ["PATH"].split(os.pathsep) if not (Path(one) / SERVER.name).exists()]
    clean = {"PATH": os.pathsep.join(search), "PYTHONPATH": ""}
    with _code_server(folder, folder / "workspace", {}, clean) as url:
        return run(
            ["node", str(script), url, str(folder / "workspace"), str(_PICTURES), chromium], timeout=400, PARTS="first"
        )


@contextmanager
def _code_server(
    folder: Path, workspace: Path, own_settings: dict[str, str], environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The address of VS Code in a browser, with the extension and its own settings, as long as the context lasts."""
    entry = ROOT / ".editors/code-server/node_modules/code-server/out/node/entry.js"
    data = ["--user-data-dir", str(folder / "data"), "--extensions-dir", str(folder / "extensions")]
    command = ["node", str(entry), *data]
    settings = json.loads((ROOT / "tests/editors/vscode_settings.json").read_text(encoding="utf-8"))
    settings.update(own_settings)
    process_environment = {**os.environ, **(environment or {})}
    (folder / "data/User").mkdir(parents=True)
    (folder / "data/User/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    extension = str(ROOT / ".editors/sql-lineage.vsix")
    subprocess.run([*command, "--install-extension", extension], check=True, capture_output=True, timeout=120)
    port = _free_port()
    quiet = ("telemetry", "update-check", "workspace-trust", "getting-started-override")
    options = ["--bind-addr", f"127.0.0.1:{port}", "--auth", "none", *(f"--disable-{name}" for name in quiet)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *options, str(workspace)], stdout=log, stderr=subprocess.STDOUT, env=process_environment
        )
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


def test_vscode_draws_the_graph_of_a_nested_field(vscode: Seen) -> None:
    graph = vscode["graph"]
    assert {"customer.address.city", "receiver.city", "view shop.order_lines"} <= set(graph["rows"])
    assert ["value", ""] in graph["lines"]
    # What decides rows is dashed.
    assert all(bool(dashes) == (role != "value") for role, dashes in graph["lines"])
    assert any(role == "grouping" for role, _ in graph["lines"])


def test_vscode_goes_on_in_the_graph_hop_by_hop(vscode: Seen) -> None:
    before, after = set(vscode["graph"]["rows"]), set(vscode["graph further"]["rows"])
    assert before < after
    assert "items[*].unit_price" in after - before


def test_vscode_jumps_from_the_graph_to_the_code(vscode: Seen) -> None:
    line, _ = CITY_IN_DDL
    assert vscode["graph click"]["tab"] == "tables.sql"
    assert vscode["graph click"]["cursor"].startswith(f"Ln {line}, ")


def test_vscode_saves_the_graph(vscode: Seen) -> None:
    saved = vscode["graph saved"]
    assert saved["svg"].startswith("<svg")
    assert "customer" in saved["svg"]
    assert saved["mermaid"].startswith("flowchart LR")
    assert base64.b64decode(saved["png"]).startswith(b"\x89PNG")


def test_vscode_draws_the_graph_in_the_colours_of_the_theme(vscode: Seen) -> None:
    light, dark = vscode["graph theme"]
    assert light != dark


def test_vscode_shows_what_is_upstream_and_downstream(vscode: Seen) -> None:
    tree = "\n".join(vscode["tree"])
    upstream, downstream = tree.split("Downstream")
    assert "customer.address.city" in upstream
    assert "receiver.city" in downstream


def test_vscode_completes_nested_fields(vscode: Seen) -> None:
    assert [proposal.split("\n")[0] for proposal in vscode["completion"]] == ["street", "city", "country"]


def test_vscode_renames_a_nested_field_over_files(vscode: Seen) -> None:
    tables, lines = vscode["rename"]["tables"], vscode["rename"]["lines"]
    assert "    full_name    STRING,\n    phone" in tables
    assert "receiver STRUCT<name STRING" in tables
    assert "STRUCT(o.customer.full_name AS name," in lines


def test_vscode_mends_a_warning_with_a_fix_in_another_file(vscode: Seen) -> None:
    assert any(fix.startswith("Add `floor") for fix in vscode["fixes"])
    assert vscode["fixed"]


def test_vscode_installs_the_server_by_itself(newcomer: Seen) -> None:
    assert "shop.orders_raw.customer.address.city" in newcomer["first hover"]
    assert "the packages of this extension" in newcomer["first status"]
    assert newcomer["first notices"] == []
