"""What a person sees in Emacs with eglot and in Vim with ALE, and that the recipes of others can be read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.driving import CITY_IN_DDL, ROOT, SERVER, Seen, copy_examples, run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_ALE = Path("/usr/share/vim-ale")
_EGLOT = Path("/usr/share/emacs/site-lisp/elpa-src")


def _vim(folder: Path, workspace: Path | None = None) -> Seen:
    vim = shutil.which("vim")
    if vim is None or not _ALE.is_dir():
        pytest.skip("no Vim with ALE here (Debian: vim, vim-ale)")
    command = [vim, "-es", "-N", "-u", str(ROOT / "tests/editors/vim.vim")]
    workspace = workspace or copy_examples(folder)
    plugins = {"PLUGIN": str(ROOT / "editors/vim"), "ALE": str(_ALE)}
    return run(command, 120, SERVER=str(SERVER), HOME=str(folder), WORKSPACE=str(workspace), **plugins)


def _emacs(folder: Path) -> Seen:
    emacs = shutil.which("emacs")
    if emacs is None or not _EGLOT.is_dir():
        pytest.skip("no Emacs with eglot here (Debian: emacs-nox, elpa-eglot)")
    command = [emacs, "-q", "--batch", "-l", str(ROOT / "tests/editors/emacs.el")]
    recipe = str(ROOT / "editors/emacs/sql-lineage.el")
    return run(command, 120, SERVER=str(SERVER), HOME=str(folder), WORKSPACE=str(copy_examples(folder)), RECIPE=recipe)


@pytest.fixture(scope="module", params=[_emacs, _vim], ids=["emacs", "vim"])
def editor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    seen: Seen = request.param(tmp_path_factory.mktemp("editor"))
    return seen


def test_it_hovers_a_nested_field(editor: Seen) -> None:
    assert "from shop.orders_raw.customer.address.city" in editor["hover"]


def test_it_jumps_to_the_field_in_the_ddl(editor: Seen) -> None:
    line, column = CITY_IN_DDL
    assert editor["definition"] == {"file": "tables.sql", "line": line, "column": column, "word": "city"}


def test_it_warns_of_the_undeclared_field(editor: Seen) -> None:
    (warning,) = editor["warnings"]
    assert "readings.payload.site has no field 'floor'" in warning


def test_emacs_completes_and_renames_in_the_marked_folder(tmp_path: Path) -> None:
    seen = _emacs(tmp_path)
    assert seen["hooks"] is True
    assert Path(seen["root"]) == tmp_path / "workspace"
    assert seen["completion"] == ["street", "city", "country"]
    tables, writer = seen["renamed"]
    assert "receiver STRUCT<name STRING, town STRING>" in tables
    assert "SET p.receiver.town = l.city" in writer


@pytest.mark.parametrize("marker", ["git", "none"])
def test_vim_finds_the_folder_without_a_settings_file(marker: str, tmp_path: Path) -> None:
    workspace = copy_examples(tmp_path)
    (workspace / "sql-lineage.toml").unlink()
    if marker == "git":
        (workspace / ".git").mkdir()
    assert _vim(tmp_path, workspace)["definition"]["file"] == "tables.sql"


def test_the_recipes_of_other_editors_can_be_read() -> None:
    helix = tomllib.loads((ROOT / "editors/helix/languages.toml").read_text(encoding="utf-8"))
    (language,) = helix["language"]
    assert language["language-servers"] == list(helix["language-server"])
    zed = tomllib.loads((ROOT / "editors/zed/extension.toml").read_text(encoding="utf-8"))
    assert "SQL" in zed["language_servers"]["sql-lineage-ls"]["languages"]
    tomllib.loads((ROOT / "editors/zed/Cargo.toml").read_text(encoding="utf-8"))
    for file in ("kate/settings.json", "sublime/LSP.sublime-settings", "zed/settings.json"):
        assert "sql-lineage-ls" in json.dumps(json.loads((ROOT / "editors" / file).read_text(encoding="utf-8")))


def test_the_extension_of_zed_is_rust() -> None:
    rustfmt = shutil.which("rustfmt")
    if rustfmt is None:
        pytest.skip("no rustfmt here")
    source = str(ROOT / "editors/zed/src/lib.rs")
    command = [rustfmt, "--edition", "2021", "--check", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
