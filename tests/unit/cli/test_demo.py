"""`sql-lineage-ls demo` with the real server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sql_lineage_ls.cli import client, demo
from sql_lineage_ls.cli.main import main
from sql_lineage_ls.cli.scenes import SCENES


def test_the_story_of_the_examples(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    shown = capfd.readouterr().out
    assert "\x1b[" not in shown
    for scene in SCENES:
        assert scene.title in shown
    for line in (
        "      ┃ from shop.orders_raw.customer.address.city",
        "      ┃ end to end from shop.orders_raw.customer.name",
        "      ┃ error[undeclared-field] ",
        "      ┃ warning[orphan-column] ",
        "      ┃ go to definition → bigquery/tables.sql:9:35 address STRUCT<street STRING, city STRING",
        "downstream uses",
    ):
        assert line in shown


def test_a_folder_of_ones_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.sql").write_text(
        "CREATE TABLE sheep (id BIGINT, wool ROW(colour VARCHAR));\n"
        "SELECT s.wool.colour, s.wool.color FROM sheep AS s;\n",
        encoding="utf-8",
    )
    (tmp_path / "sql-lineage.toml").write_text('dialect = "trino"\n', encoding="utf-8")
    assert main(["demo", str(tmp_path)]) == 0
    shown = capfd.readouterr().out
    assert "      ┃ from sheep.wool.colour\n" in shown
    assert "      ┃ error[undeclared-field] " in shown
    assert "1 file, 1 finding" in shown


def test_a_folder_without_sql(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", str(tmp_path)]) == 0
    assert capfd.readouterr().err == f"sql-lineage-ls: no SQL files in '{tmp_path}'\n"


def test_a_server_that_fails_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    popen = subprocess.Popen

    def broken(_command: list[str], **options: object) -> subprocess.Popen[bytes]:
        return popen([sys.executable, "-c", "import sys; sys.exit(3)"], **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(client.subprocess, "Popen", broken)
    assert main(["demo", str(tmp_path)]) == 1
    error = capfd.readouterr().err
    assert error.startswith("sql-lineage-ls: demo: the server ")


def test_the_examples_hold_every_scene() -> None:
    folder = demo._examples()
    for scene in SCENES:
        text = (folder / scene.file).read_text(encoding="utf-8")
        assert text.count(scene.around) == 1, scene
        assert scene.at in scene.around
