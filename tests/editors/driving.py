"""What the tests of all editors share: the example workspace, and running a script that prints what it sees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SERVER = Path(sys.executable).with_name("sql-lineage-ls")

CITY_IN_DDL = next(
    (number, line.index("city STRING") + 1)
    for number, line in enumerate((ROOT / "examples/bigquery/tables.sql").read_text(encoding="utf-8").split("\n"), 1)
    if "city STRING, country" in line
)

Seen = dict[str, Any]


def copy_examples(folder: Path) -> Path:
    """A copy of the examples, which its own settings file makes a root for every editor."""
    workspace = folder / "workspace"
    shutil.copytree(ROOT / "examples", workspace)
    (workspace / "sql-lineage.toml").write_text("", encoding="utf-8")
    return workspace


def run(command: list[str], timeout: int, **environment: str) -> Seen:
    """What the script of an editor prints: a JSON object a line, each with `what` was seen and its `value`."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["what"]: line["value"] for line in lines}
