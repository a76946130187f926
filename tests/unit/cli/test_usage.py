"""Arguments that cannot be used, help and start-up."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from sql_lineage_ls import __version__
from sql_lineage_ls.cli.main import main, make_parser


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lineag", "x.sql"], "'lineag' is no command; did you mean 'lineage'?"),
        (["frobnicate"], "'frobnicate' is no command; commands are lineage, doctor, datahub-paths, serve, demo"),
        (["-"], "'-' is no command; did you mean 'sql-lineage-ls lineage -'?"),
        (["lineage"], "the following arguments are required: PATH; see 'sql-lineage-ls lineage --help'"),
        (
            ["lineage", "--format", "xml", "-"],
            "argument --format: invalid choice: 'xml' "
            "(choose from 'text', 'json', 'mermaid', 'openlineage', 'datahub'); "
            "see 'sql-lineage-ls lineage --help'",
        ),
        (
            ["--tcp", "99999"],
            "argument --tcp: '99999' is no port; give a number from 0 to 65535; see 'sql-lineage-ls serve --help'",
        ),
    ],
)
def test_unusable_arguments_end_with_2_and_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    # Python 3.12 and newer leave the choices without quotes.
    assert captured.err.replace("'", "") == f"sql-lineage-ls: {message}\n".replace("'", "")


def test_an_existing_file_is_no_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.sql"
    path.write_text("SELECT 1")
    assert main([str(path)]) == 2
    assert f"did you mean 'sql-lineage-ls lineage {path}'?" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["demo", "/no/such/folder"], ["demo", __file__]])
def test_demo_wants_a_folder(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "is no folder; give a folder with .sql files" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"sql-lineage-ls {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["serve"], {"tcp": None, "stdio": False, "log_file": "", "log_level": "warning"}),
        (["serve", "--stdio"], {"tcp": None, "stdio": True}),
        (["serve", "--tcp", "0", "--log-level", "debug"], {"tcp": 0, "log_level": "debug"}),
    ],
)
def test_serve_arguments(arguments: list[str], expected: dict[str, object]) -> None:
    parsed = vars(make_parser().parse_args(arguments))
    assert {key: parsed[key] for key in expected} == expected


def test_help_imports_neither_the_parser_nor_the_server() -> None:
    code = (
        "import sys\n"
        "from sql_lineage_ls.cli.main import main\n"
        "try:\n    main(['lineage', '--help'])\n"
        "except SystemExit:\n    pass\n"
        "loaded = {'sqlglot', 'pygls', 'lsprotocol', 'rich', 'msgspec'} & set(sys.modules)\n"
        "sys.exit(repr(sorted(loaded)) if loaded else 0)\n"
    )
    began = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "--indirect" in ran.stdout
    assert time.monotonic() - began < 5
