"""What a person sees in real Neovim, with the plugin installed as its README says. Run by `make editors`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.driving import CITY_IN_DDL, ROOT, SERVER, Seen, copy_examples, run

_PLUGIN = ROOT / "editors/nvim"
_NEW = Path(sys.executable).with_name("nvim")
_ENABLE = "vim.lsp.enable('sql_lineage_ls')\n"
_SETUP = f"require('sql_lineage').setup({{ server_path = '{SERVER}', settings = {{ bogus = 1 }} }})\n"


def _old() -> Path | None:
    """A system's own Neovim, where it is older than `vim.lsp.enable`."""
    found = shutil.which("nvim", path="/usr/bin:/usr/local/bin")
    if found is None:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    minor = int(version.split(".")[1])
    return Path(found) if version.startswith("v0.") and 7 <= minor < 11 else None


def _home(folder: Path, init: str) -> dict[str, str]:
    """A user's folders with nothing in them but the plugin and its start."""
    start = folder / "data/nvim/site/pack/sql-lineage/start"
    start.mkdir(parents=True)
    (start / "sql-lineage").symlink_to(_PLUGIN)
    (folder / "config/nvim").mkdir(parents=True)
    (folder / "config/nvim/init.lua").write_text(init, encoding="utf-8")
    return {
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
    }


def _drive(nvim: Path, folder: Path, init: str, script: str, path: str) -> Seen:
    lua = f"luafile {ROOT / 'tests/editors' / script}"
    command = [str(nvim), "--headless", "-i", "NONE", "-n", "-c", lua]
    return run(command, 240, WORKSPACE=str(copy_examples(folder)), PATH=path, **_home(folder, init))


@pytest.fixture(scope="module", params=["0.11, enable", "0.11, setup", "old, setup"])
def neovim(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    version, way = request.param.split(", ")
    nvim = _NEW if version == "0.11" else _old()
    if nvim is None:
        pytest.skip("the system has no Neovim between 0.7 and 0.10")
    path = f"{SERVER.parent}{os.pathsep}{os.environ['PATH']}"
    return _drive(nvim, tmp_path_factory.mktemp("nvim"), _ENABLE if way == "enable" else _SETUP, "nvim.lua", path)


def test_it_hovers_a_nested_field(neovim: Seen) -> None:
    assert "shop.orders_raw.customer.address.city" in "\n".join(neovim["hover"])


def test_it_shows_lenses_and_lists_their_places(neovim: Seen) -> None:
    titles = {lens["title"] for lens in neovim["lenses"]}
    assert any(title.endswith("downstream uses") for title in titles)
    assert neovim["lens places"]["title"].endswith("downstream uses")
    assert any(place["place"].startswith("order_lines.sql:") for place in neovim["lens places"]["places"])


def test_it_jumps_to_the_field_in_the_ddl(neovim: Seen) -> None:
    line, column = CITY_IN_DDL
    expected = {"file": "tables.sql", "line": line, "column": column, "word": "city"}
    assert neovim["definition"] == expected
    assert neovim["declaration"] == expected


def test_inlay_hints_show_where_neovim_has_them(neovim: Seen, request: pytest.FixtureRequest) -> None:
    assert neovim["hints"] is request.node.callspec.params["neovim"].startswith("0.11")


def test_the_upstream_tree_folds_and_jumps(neovim: Seen) -> None:
    lines = neovim["up"]["lines"]
    assert lines[0] == "Upstream of shop.city_revenue.city"
    assert [line.split("  ")[0] for line in (text.strip() for text in lines[1:])] == [
        "shop.city_revenue.city",
        "← shop.order_lines.city",
        "← shop.orders_raw.customer.address.city",
    ]
    assert neovim["up"]["folds"] == [0, 1, 2, 2]
    line, column = CITY_IN_DDL
    assert neovim["up jump"] == {"file": "tables.sql", "line": line, "column": column, "word": "city"}


def test_the_downstream_tree_goes_to_the_use(neovim: Seen) -> None:
    lines = [line.strip().split("  ")[0] for line in neovim["down"]["lines"]]
    assert lines == [
        "Downstream of shop.orders_raw.customer.address.city",
        "shop.orders_raw.customer.address.city",
        "→ shop.order_lines.city",
        "→ shop.city_revenue.city",
        "→ shop.parcels.receiver.city",
        "→ shop.parcels.receiver.city",
    ]
    assert neovim["down use"]["file"] == "city_revenue.sql"
    assert neovim["down use"]["line"] == 4


def test_impact_lists_every_use_downstream(neovim: Seen) -> None:
    texts = {place["place"]: place["text"] for place in neovim["impact"]["places"]}
    assert neovim["impact"]["title"] == f"Impact of shop.orders_raw.customer.address.city: {len(texts)} uses"
    assert texts["city_revenue.sql:4:12"].startswith("→ shop.city_revenue │ ")
    assert texts["city_revenue.sql:4:12"].endswith(": SELECT l.city, p.category.label AS category, l.amount")
    assert {place.split(":")[0] for place in texts} == {"order_lines.sql", "city_revenue.sql", "send_parcels.sql"}


def test_the_path_is_copied(neovim: Seen) -> None:
    assert neovim["path"] == "shop.orders_raw.customer.address.city"


def test_the_graph_is_shown(neovim: Seen) -> None:
    assert neovim["graph"]["filetype"] == "mermaid"
    assert neovim["graph"]["lines"][0].startswith("flowchart")
    assert "shop.city_revenue" in "\n".join(neovim["graph"]["lines"])


def test_a_quick_fix_mends_a_name(neovim: Seen) -> None:
    assert "p.receiver.city = l.city" in "\n".join(neovim["mended"])


def test_the_commands_say_what_they_know(neovim: Seen) -> None:
    assert "10 documents" in neovim["status"]
    assert "ready" in neovim["status"]
    assert "there is no :SqlLineage nothing" in neovim["no such command"]
    assert neovim["command names"] == ["down", "graph", "impact", "log", "path", "restart", "status", "up"]
    assert "put the cursor on a table, a column or a field" in neovim["nothing here"]


def test_checkhealth_tells_server_client_and_workspace(neovim: Seen, request: pytest.FixtureRequest) -> None:
    health = "\n".join(neovim["health"])
    assert f"server {SERVER} found" in health
    assert "version sql-lineage-ls" in health
    assert "workspace: " in health
    with_wrong_setting = "setup" in request.node.callspec.params["neovim"]
    assert ("`bogus` is no setting" in health) is with_wrong_setting
    assert ("no setting is wrong" in health) is not with_wrong_setting


def test_it_warns_of_the_undeclared_field_until_the_ddl_declares_it(neovim: Seen) -> None:
    (warning,) = neovim["warnings"]
    assert warning["code"] == "undeclared-field"
    assert "floor" in warning["message"]


def test_a_rename_reaches_both_files(neovim: Seen) -> None:
    tables, writer = "\n".join(neovim["renamed"]["tables"]), "\n".join(neovim["renamed"]["writer"])
    assert "receiver STRUCT<name STRING, town STRING>" in tables
    assert "address STRUCT<street STRING, city STRING, country STRING>" in tables
    assert "SET p.receiver.town = l.city" in writer


def test_restart_leaves_one_server(neovim: Seen) -> None:
    assert neovim["restarted"] == 1


def test_nested_fields_are_completed(neovim: Seen) -> None:
    assert neovim["completion"][:3] == ["street", "city", "country"]


@pytest.mark.parametrize("init", [_ENABLE, "require('sql_lineage').setup()\n"])
def test_a_missing_server_is_told_once_and_plainly(init: str, tmp_path: Path) -> None:
    seen = _drive(_NEW, tmp_path, init, "nvim_missing.lua", "/usr/bin:/bin")
    (message,) = seen["messages"]
    assert message.startswith("sql-lineage-ls is not installed, or not where it was looked for: PATH (sql-lineage-ls)")
    assert ":help sql_lineage-install" in message
    assert "no server serves this buffer; :checkhealth sql_lineage" in seen["up"]
    assert "sql-lineage-ls is not installed" in "\n".join(seen["health"])


def test_the_help_has_a_tag_for_each_command(tmp_path: Path) -> None:
    shutil.copytree(_PLUGIN / "doc", tmp_path / "doc")
    command = [str(_NEW), "--headless", "-u", "NONE", "-i", "NONE", "-c", f"helptags {tmp_path / 'doc'}", "-c", "qall!"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert not done.stderr.strip()
    tags = {line.split("\t")[0] for line in (tmp_path / "doc/tags").read_text(encoding="utf-8").splitlines()}
    for name in ("down", "graph", "impact", "log", "path", "restart", "status", "up"):
        assert f":SqlLineage-{name}" in tags
    assert {"sql_lineage", "sql_lineage-install", "sql_lineage.setup()"} <= tags
