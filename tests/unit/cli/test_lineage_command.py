"""`sql-lineage-ls lineage` on real files."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sql_lineage_ls.cli.main import main

DDL = """\
-- dialect: bigquery
CREATE TABLE bakery.loaves (
  id INT64,
  recipe STRUCT<flour STRING, rest STRUCT<hours INT64>>,
  slices ARRAY<STRUCT<grams INT64>>
);
"""
VIEW = """\
-- dialect: bigquery
CREATE VIEW bakery.weights AS
SELECT l.recipe.rest.hours, s.grams AS weight, l.recipe.floor
FROM bakery.loaves AS l CROSS JOIN UNNEST(l.slices) AS s
WHERE l.id > 7;
SELECT weight FROM bakery.weights;
"""
TABLE_LINE = (
    "table bakery.loaves: id, recipe, recipe.flour, recipe.rest, recipe.rest.hours, slices, slices[*], slices[*].grams"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "a_tables.sql").write_text(DDL, encoding="utf-8")
    (tmp_path / "models" / "weights.sql").write_text(VIEW, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("SELECT nothing FROM here")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    code = main(["lineage", *arguments])
    captured = capsys.readouterr()
    return code, captured.out.splitlines(), captured.err


def test_a_folder_as_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, errors = run(capsys, str(folder))
    where = folder / "models" / "weights.sql"
    assert (code, errors) == (0, "")
    assert lines[:-1] == [
        TABLE_LINE,
        "view bakery.weights: hours, weight, floor",
        "bakery.weights.hours <- bakery.loaves.recipe.rest.hours",
        "bakery.weights.weight <- bakery.loaves.slices[*].grams",
        "RS-1.weight <- bakery.weights.weight",
    ]
    assert lines[-1].startswith("message: undeclared-field ")
    assert lines[-1].endswith(f" at {where}:3:57")


def test_indirect_sources(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, lines, _ = run(capsys, "--indirect", str(folder))
    assert "bakery.weights.hours <~ bakery.loaves.id" in lines
    assert "bakery.weights.weight <~ bakery.loaves.id" in lines


def test_files_stand_in_their_own_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables, view = str(folder / "a_tables.sql"), str(folder / "models" / "weights.sql")
    _, forward, _ = run(capsys, tables, view)
    _, backward, _ = run(capsys, view, tables)
    _, twice, _ = run(capsys, view, str(folder))
    assert sorted(forward) == sorted(backward) == sorted(twice)
    assert backward[0] == TABLE_LINE


def test_json_has_the_stable_keys(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, lines, _ = run(capsys, "--format", "json", str(folder))
    document = json.loads("\n".join(lines))
    assert document["relations"][1] == {"name": "bakery.weights", "kind": "view", "nodes": ["hours", "weight", "floor"]}
    weight = next(entry for entry in document["lineage"] if entry["target"]["path"] == "weight")
    assert weight["target"] == {"relation": "bakery.weights", "path": "weight"}
    assert [(source["relation"], source["path"], source["role"]) for source in weight["sources"]] == [
        ("bakery.loaves", "slices[*].grams", "value")
    ]
    assert (weight["expression"], weight["complete"], weight["source_kind"]) == ("s.grams", True, "physical")
    refuted = next(entry for entry in document["lineage"] if entry["target"]["path"] == "floor")
    assert (refuted["sources"], refuted["complete"], refuted["source_kind"]) == ([], False, "unresolved")
    assert refuted["gaps"][0]["text"]
    (diagnostic,) = document["diagnostics"]
    assert {key: diagnostic[key] for key in ("code", "severity", "line", "column", "end_line", "end_column")} == {
        "code": "undeclared-field",
        "severity": "error",
        "line": 3,
        "column": 57,
        "end_line": 3,
        "end_column": 62,
    }
    assert set(document) >= {"relations", "lineage", "joins", "diagnostics"}


def test_a_dialect_of_the_command_line_beats_what_files_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.sql").write_text("-- dialect: bigquery\nSELECT a:b.c AS x FROM t;", encoding="utf-8")
    (tmp_path / "sql-lineage.toml").write_text('dialect = "trino"', encoding="utf-8")
    _, lines, _ = run(capsys, "--dialect", "Snowflake", str(tmp_path))
    assert lines[-1] == "RS-1.x <- t.a.b.c"


def test_settings_of_the_folder_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.sql").write_text("SELECT x FROM a, b;", encoding="utf-8")
    settings = tmp_path / "sql-lineage.toml"
    settings.write_text('[severities]\norphan-column = "off"\n', encoding="utf-8")
    _, lines, _ = run(capsys, str(tmp_path))
    assert not [line for line in lines if line.startswith("message:")]
    settings.write_text('dialekt = "trino"\n', encoding="utf-8")
    code, lines, errors = run(capsys, str(tmp_path))
    assert code == 0
    assert any(line.startswith("message: orphan-column ") for line in lines)
    assert "`dialekt`" in errors


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "\ufeffSELECT 'ü' AS u, größe FROM mäntel;".encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(sql), "ascii"))
    assert run(capsys, "-")[:2] == (0, ["table mäntel: größe", "RS-1.größe <- mäntel.größe"])


def test_an_empty_folder_is_fine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, errors = run(capsys, str(tmp_path))
    assert (code, lines) == (0, [])
    assert errors == f"sql-lineage-ls: note: '{tmp_path}' has no SQL files\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dialect", "bigquerry", "-"], "'bigquerry' is no dialect; did you mean 'bigquery'?"),
        (["nowhere.sql"], "'nowhere.sql' is neither a file nor a folder"),
    ],
)
def test_unusable_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, errors = run(capsys, *arguments)
    assert (code, lines, errors) == (2, [], f"sql-lineage-ls: {message}\n")


def test_an_unknown_dialect_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'xyzzy' is no dialect; dialects are ansi, bigquery, trino, " in run(capsys, "--dialect", "xyzzy", "-")[2]


def test_a_near_path_is_offered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, _, errors = run(capsys, str(folder / "a_table.sql"))
    assert errors.endswith(f"; did you mean '{folder / 'a_tables.sql'}'?\n")


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights on Windows")
def test_a_link_to_nothing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.sql").symlink_to(tmp_path / "gone.sql")
    code, _, errors = run(capsys, str(tmp_path / "q.sql"))
    assert (code, errors) == (2, f"sql-lineage-ls: '{tmp_path / 'q.sql'}' is a link to a file that is not there\n")


def test_what_is_no_text_is_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "backup.sql").write_bytes(b"PGDMP\x01\x00\x00")
    code, lines, errors = run(capsys, str(folder))
    assert (code, lines[0]) == (0, TABLE_LINE)
    assert errors == f"sql-lineage-ls: note: '{folder / 'backup.sql'}' cannot be read as text\n"


@pytest.mark.parametrize("text", ["", ";;;", "SELECT", "\x00", "SELECT (((((", "🛒" * 50, "-- only a comment"])
def test_no_text_is_an_error(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.sql").write_text(text, encoding="utf-8")
    for output in ("text", "json"):
        assert run(capsys, "--format", output, str(tmp_path))[0] == 0


def test_a_reader_that_stops_is_no_error(folder: Path) -> None:
    many = "\n".join(f"SELECT column_{n} FROM some_table_{n};" for n in range(3_000))
    (folder / "many.sql").write_text(many, encoding="utf-8")
    errors = folder / "errors.txt"
    with errors.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "sql_lineage_ls", "lineage", str(folder)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 0
    assert errors.read_bytes() == b""


def test_a_failure_of_ours_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("sql_lineage_ls.lineage.analysis.bind_statement", fail)
    code, _, errors = run(capsys, str(folder / "a_tables.sql"))
    assert code == 0
    assert errors == (
        f"sql-lineage-ls: note: {folder / 'a_tables.sql'}:2: the analysis of this statement failed; please report it\n"
    )


def test_the_example_of_the_documentation_is_true(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[3] / "docs" / "lineage-text.md").read_text(encoding="utf-8")
    _, sql, after = page.split("```sql\n")[0], page.split("```sql\n")[1].split("```")[0], page.split("```sql\n")[1]
    blocks = [block.removeprefix("\n") for block in after.split("```")[1:]]
    direct, indirect = blocks[1], blocks[3]
    (tmp_path / "q.sql").write_text(sql, encoding="utf-8")
    _, lines, _ = run(capsys, "--dialect", "bigquery", str(tmp_path))
    assert "".join(line + "\n" for line in lines) == direct
    _, lines, _ = run(capsys, "--dialect", "bigquery", "--indirect", str(tmp_path))
    assert "".join(line + "\n" for line in lines if " <~ " in line) == indirect


def test_ignore_comments_and_a_complete_workspace_count_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sql-lineage.toml").write_text("complete = true\n", "utf-8")
    (tmp_path / "a.sql").write_text(
        "CREATE TABLE kites (tail INT);\n"
        "SELECT k.tial FROM kites AS k; -- sql-lineage: ignore[undeclared-column]\n"
        "SELECT tail FROM kitez;\n",
        "utf-8",
    )
    assert main(["lineage", "--format", "json", str(tmp_path)]) == 0
    messages = json.loads(capsys.readouterr().out)["diagnostics"]
    assert [message["code"] for message in messages] == ["unknown-relation"]


def test_an_earlier_run_changes_nothing_but_the_time(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sql_lineage_ls.workspace import parse_cache

    first = run(capsys, str(folder), "--indirect", "--steps")
    parsed: list[str] = []
    monkeypatch.setattr(parse_cache, "parse_statement", lambda text, dialect: parsed.append(text))
    assert run(capsys, str(folder), "--indirect", "--steps") == first
    assert parsed == []
    monkeypatch.undo()
    assert run(capsys, str(folder), "--indirect", "--steps", "--no-cache") == first
