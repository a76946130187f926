"""`python -m benchmarks`: measures, prints a table and writes it as JSON.

Ratios compare measurements of one run on one machine; figures of different machines say little.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import analysis, server, workspace
from benchmarks.table import Row, render

_FILES = 2_100
_GROWTH = (500, 8_000)


def _rows(folder: Path, quick: bool) -> Iterator[Row]:
    folders: dict[int, Path] = {}
    for files in (_FILES,) if quick else sorted((_FILES, *_GROWTH)):
        folders[files] = folder / f"files_{files}"
        workspace.write(files, folders[files])
    for name in ("keys", "questions", "dependants"):
        (folder / name).mkdir()
    yield from analysis.statement_rows()
    yield from server.keystroke_rows(folder / "keys")
    yield from server.question_rows(folder / "questions")
    yield from server.dependants_rows(folder / "dependants")
    yield from analysis.workspace_rows(folders)
    yield from server.start_rows(folders[_FILES], _FILES)
    yield from server.soak_rows(500 if quick else 10_000)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one size of workspace, fewer edits")
    parser.add_argument("--json", type=Path, default=Path("artefacts/benchmarks.json"), help="where the rows go")
    options = parser.parse_args()
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        # Servers begin without what an earlier run has left, and leave nothing.
        os.environ["XDG_CACHE_HOME"] = str(Path(folder, "cache"))
        for row in _rows(Path(folder), options.quick):
            rows.append(row)
            print(f"{row.what}: {row.measured:.4g} {row.unit}", file=sys.stderr)
    print(render(rows))
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_bytes(msgspec.json.format(msgspec.json.encode({"machine": machine, "rows": rows}), indent=2))


if __name__ == "__main__":
    main()
