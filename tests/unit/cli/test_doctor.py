"""`sql-lineage-ls doctor` on real folders."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sql_lineage_ls.cli.main import main

FILES = {
    "sql-lineage.toml": 'exclude = ["old/**"]\nmax_file_size = 400\n[dialects]\n"etl/*.sql" = "spark"\n',
    ".gitignore": "build/\n",
    "mill.sql": "-- dialect: bigquery\nCREATE TABLE mill.sacks (id INT64, flour STRUCT<kind STRING, grade INT64>);\n",
    "etl/load.sql": "SELECT s.kind FROM depot.lorries AS s;\nSELECT kind FROM depot.lorries;\n",
    "report.sql": "-- dialect: bigquery\n"
    "SELECT s.flour.kind, x FROM mill.sacks AS s, depot.silos AS o, depot.carts;\n\nSELECT (;\n",
    "plain.sql": "SELECT 1;\n",
    "large.sql": "SELECT 1;\n" * 50,
    "build/made.sql": "SELECT 1;\n",
    "old/gone.sql": "SELECT 1;\n",
    "node_modules/x.sql": "SELECT 1;\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "binary.sql").write_bytes(b"\0\1\2")
    (tmp_path / ".git").mkdir()
    return tmp_path


def checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["doctor", str(folder), "--format", "json", "--no-cache"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_what_was_analysed_and_what_was_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    health = checked(folder, capsys)["health"]
    assert (health["files"], health["statements"], health["analysed"]) == (5, 6, 5)
    assert health["not_analysed"] == ["binary.sql"]
    assert [(one["count"], one["examples"]) for one in health["unread"]] == [(1, [{"file": "report.sql", "line": 4}])]
    unresolved = [(one["relation"], one["statements"], one["examples"][0]) for one in health["unresolved"]]
    assert unresolved == [
        ("depot.lorries", 2, {"file": os.path.join("etl", "load.sql"), "line": 1}),
        ("depot.carts", 1, {"file": "report.sql", "line": 2}),
        ("depot.silos", 1, {"file": "report.sql", "line": 2}),
    ]
    assert [(one["message"], one["count"]) for one in health["gaps"]] == [("owner-unproved", 1)]


def test_why_each_file_has_its_dialect(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dialects = checked(folder, capsys)["health"]["dialects"]
    assert [(one["dialect"], one["reason"], one["files"]) for one in dialects] == [
        ("bigquery", "header", 2), ("ansi", "default", 1), ("spark", "glob", 1),
    ]  # fmt: skip


def test_what_is_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "around.sql").symlink_to(folder / "plain.sql")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    ignored = {one["reason"]: one["examples"] for one in checked(folder, capsys)["health"]["ignored"]}
    assert ignored == {
        "exclude": ["old"],
        "gitignore": ["build"],
        "link": ["around.sql", "loop"],
        "skipped-folder": [".git", "node_modules"],
        "too-large": ["large.sql"],
    }


def test_settings_cache_times_and_versions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = checked(folder, capsys)
    origins = {one["key"]: one["origin"] for one in found["settings"]}
    assert (origins["exclude"], origins["dialects"], origins["complete"]) == (
        "sql-lineage.toml", "sql-lineage.toml", "default",
    )  # fmt: skip
    assert found["cache"] == "off"
    assert 0 < found["figures"]["read_seconds"] <= found["figures"]["complete_seconds"] <= found["seconds"]
    assert found["figures"]["parsed"] >= 6
    assert found["versions"]["sqlglot"].split(".")[0].isdigit()


def test_text_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(folder), "--no-cache"]) == 0
    text = capsys.readouterr().out
    assert "5 files, 6 statements\n  5 of 6 statements analysed\n" in text
    assert "  spark, by the setting `dialects`: 1 file (" in text
    assert "  depot.lorries: read by 2 statements (" in text
    assert '  exclude = ["old/**"] (sql-lineage.toml)\n' in text
    assert "  by .gitignore: 1 (build)\n" in text


def test_one_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    health = checked(folder / "mill.sql", capsys)["health"]
    assert (health["files"], health["statements"], health["analysed"], health["unresolved"]) == (1, 1, 1, [])


def test_a_path_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(tmp_path / "nowhere")]) == 2
    assert "is neither a file nor a folder" in capsys.readouterr().err
