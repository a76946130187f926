"""The formats of `lineage` for other tools, with their options, and `datahub-paths`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from sql_lineage_ls.cli.main import main

SQL = """\
-- dialect: bigquery
CREATE TABLE zoo.animals (id INT64, home STRUCT<cage STRING, area INT64>);
CREATE VIEW zoo.cages AS SELECT home.cage, home FROM zoo.animals;
"""
HOME = "[version=2.0].[type=struct].[type=struct].home"


@pytest.fixture
def sql(tmp_path: Path) -> Path:
    path = tmp_path / "zoo.sql"
    path.write_text(SQL, encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_openlineage_is_one_event_a_line(sql: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, errors = run(
        capsys, "lineage", "--format", "openlineage", "--namespace", "bq", "--job-namespace", "ci",
        "--event-time", "2026-02-03T04:05:06+01:00", "--run-id", "01890a5d-ac96-774b-bcce-b302099a8057", str(sql),
    )  # fmt: skip
    assert (code, errors) == (0, "")
    (event,) = [json.loads(line) for line in out.splitlines()]
    assert event["eventTime"] == "2026-02-03T04:05:06+01:00"
    assert event["job"]["namespace"] == "ci"
    assert [found["namespace"] for found in (*event["inputs"], *event["outputs"])] == ["bq", "bq"]


def test_datahub_is_one_array(sql: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--format", "datahub", "--platform-instance", "eu", "--env", "DEV"]
    code, out, errors = run(capsys, "lineage", *options, str(sql))
    assert (code, errors) == (0, "")
    assert [found["entityUrn"] for found in json.loads(out)] == [
        "urn:li:dataset:(urn:li:dataPlatform:bigquery,eu.zoo.cages,DEV)"
    ]


def test_mermaid_is_one_flowchart(sql: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql.write_text(SQL + "CREATE VIEW zoo.big AS SELECT home.cage FROM zoo.animals WHERE id > 1;", encoding="utf-8")
    code, out, errors = run(capsys, "lineage", "--format", "mermaid", "--indirect", str(sql))
    assert (code, errors) == (0, "")
    lines = [line.strip() for line in out.splitlines()]
    assert lines[:3] == ["flowchart LR", 'subgraph r0["zoo.cages"]', 'r0f0["cage"]']
    assert 'r1f0["home.cage"]' in lines
    assert "r1f0 --> r0f0" in lines
    # A filter decides the rows of the whole view.
    assert [line for line in lines if "membership" in line] == ["r1f2 -.->|membership| r2"]
    assert run(capsys, "lineage", "--format", "mermaid", str(sql))[1].count("membership") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--namespace", "x"], "'--namespace' is an option of '--format openlineage'"),
        (["--format", "datahub", "--run-id", "x"], "'--run-id' is an option of '--format openlineage'"),
        (["--format", "json", "--platform", "x"], "'--platform' is an option of '--format datahub'"),
        (["--format", "datahub", "--indirect"], "'--indirect' is an option of '--format text' and '--format json'"),
        (["--format", "openlineage", "--steps"], "'--steps' is an option of '--format text' and '--format json'"),
        (["--format", "mermaid", "--steps"], "'--steps' is an option of '--format text' and '--format json'"),
        (["--format", "openlineage", "--run-id", "7"],
         "'7' is no UUID; write it as 01234567-89ab-7def-8123-456789abcdef"),
        (["--format", "openlineage", "--event-time", "yesterday"],
         "'yesterday' is no time with a zone; write it as 2026-01-31T08:00:00Z"),
        (["--format", "openlineage", "--event-time", "2026-02-30T00:00:00Z"],
         "'2026-02-30T00:00:00Z' is no time with a zone; write it as 2026-01-31T08:00:00Z"),
        (["--format", "datahub", "--env", "a,b"],
         "'a,b' cannot be part of an urn; '--env' takes letters, digits, '_', '.' and '-'"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_used(
    arguments: list[str], message: str, sql: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "lineage", *arguments, str(sql)) == (2, "", f"sql-lineage-ls: {message}\n")


def test_steps_and_hops_in_text(sql: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "lineage", "--steps", str(sql))
    assert out.splitlines()[2:4] == [
        "zoo.cages.cage <- zoo.animals.home.cage",
        "zoo.cages.cage step 1 in zoo.cages.cage: IDENTITY home.cage",
    ]
    sql.write_text("SELECT a FROM (SELECT b AS a FROM t) AS i;", encoding="utf-8")
    _, out, _ = run(capsys, "lineage", "--intermediate", str(sql))
    assert out.splitlines() == ["table t: b", "result i: a", "i.a <- t.b", "RS-1.a <- i.a"]


# ---------------------------------------------------------------- datahub-paths


def urn(name: str, path: str) -> str:
    return f"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:bigquery,zoo.{name},PROD),{path})"


def metadata(upstream: str, downstream: str) -> str:
    edge = {"upstreams": [urn("animals", upstream)], "downstreams": [urn("cages", downstream)]}
    aspect = {"json": {"upstreams": [], "fineGrainedLineages": [edge]}}
    return json.dumps({"entityUrn": "x", "aspectName": "upstreamLineage", "aspect": aspect})


def fields(out: str) -> list[list[str]]:
    edges = json.loads(out)[0]["aspect"]["json"]["fineGrainedLineages"]
    return [[*edge["upstreams"], *edge["downstreams"]] for edge in edges]


def test_schemas_come_from_ddl(sql: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "metadata.json"
    path.write_text(f"[{metadata('home.area', 'home.area')}]", encoding="utf-8")
    code, out, errors = run(capsys, "datahub-paths", str(path), "--use-graph-fallback", str(sql))
    area = f"{HOME}.[type=long].area"
    assert (code, fields(out)) == (0, [[urn("animals", area), urn("cages", area)]])
    assert errors == "sql-lineage-ls: 2 field urns rewritten, 0 already valid, 0 skipped, 0 edges added\n"


def test_every_setting_reaches_the_rewriting(sql: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "metadata.json"
    path.write_text(f"[{metadata('home', 'home')}]", encoding="utf-8")
    fallback = ["--use-graph-fallback", str(sql)]
    _, out, errors = run(capsys, "datahub-paths", str(path), *fallback)
    assert len(fields(out)) == 3
    assert errors.endswith("0 skipped, 2 edges added\n")
    _, out, _ = run(capsys, "datahub-paths", str(path), *fallback, "--no-expand-struct-parents")
    assert len(fields(out)) == 1
    _, out, errors = run(capsys, "datahub-paths", str(path), "--max-unmapped-logged", "1")
    assert errors == (
        "sql-lineage-ls: 0 field urns rewritten, 0 already valid, 2 skipped (zoo.animals: home, 1 more), "
        "0 edges added\n"
    )
    _, out, errors = run(capsys, "datahub-paths", str(path), *fallback, "--platform", "hive")
    assert fields(out) == [[urn("animals", "home"), urn("cages", "home")]]
    assert errors == "sql-lineage-ls: 0 field urns rewritten, 0 already valid, 0 skipped, 0 edges added\n"


def test_the_first_dump_that_knows_a_dataset_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    animals, cages = (urn(name, "").split("(", 1)[1][:-2] for name in ("animals", "cages"))
    (tmp_path / "m.json").write_text(metadata("a.b", "c"), encoding="utf-8")
    (tmp_path / "one.json").write_text(json.dumps({animals: ["[version=2.0].[type=struct].a.[type=int].b"]}))
    (tmp_path / "two.json").write_text(json.dumps({animals: ["a.b"], cages: ["c"]}))
    _, out, errors = run(
        capsys, "datahub-paths", str(tmp_path / "m.json"),
        "--use-graph-fallback", str(tmp_path / "one.json"), "--use-graph-fallback", str(tmp_path / "two.json"),
    )  # fmt: skip
    assert fields(out) == [[urn("animals", "[version=2.0].[type=struct].a.[type=int].b"), urn("cages", "c")]]
    assert "1 field urns rewritten, 1 already valid" in errors


def test_one_document_a_line_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = metadata("a", "b") + "\n\n" + metadata("c", "d") + "\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code, out, _ = run(capsys, "datahub-paths", "-")
    assert (code, len(json.loads(out))) == (0, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"[" * 200_000, "is nested too deeply"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_is_no_metadata(
    content: bytes | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.json"
    if content is not None:
        path.write_bytes(content)
    assert run(capsys, "datahub-paths", str(path)) == (2, "", f"sql-lineage-ls: '{path}' {message}\n")
