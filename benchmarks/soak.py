"""`python -m benchmarks.soak --minutes 60`: a long day of one editor, in one engine on a generated workspace.

Documents are opened, edited and closed, files change, come and go, and every feature is asked at random places. From
time to time the result is compared with that of a fresh start. It fails where they differ, where an error is logged,
or where memory grows.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from benchmarks import workspace
from benchmarks.analysis import resident
from benchmarks.server import differences
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.uris import uri_from_path
from tests.support.sweep import AT_TOKEN, OF_DOCUMENT

_MOST_OPEN = 8
_PIECES = (" ", "x", "", ";", ",", "\n", ".", "(", ")", "'", "--", "SELECT 1;\n", " AS y", "FROM ", "/*", "*/")
# Memory of the second half of the run against that at its middle.
_GROWTH = 1.10


class Outcome(Struct):
    """What a run has seen. `differing` counts documents that were not as after a fresh start."""

    actions: int = 0
    asked: int = 0
    compared: int = 0
    differing: int = 0
    errors: int = 0
    middle_memory: float = 0.0
    memory: float = 0.0

    @property
    def failed(self) -> bool:
        grown = self.middle_memory > 0 and self.memory > _GROWTH * self.middle_memory + 20
        return bool(self.differing or self.errors or grown)


class _Errors(logging.Handler):
    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1
        print(record.getMessage(), file=sys.stderr)


class _Day:
    """The engine, the files and the open documents."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.chance = chance
        self.paths = sorted(folder.rglob("*.sql"))
        self.open: dict[Path, str] = {}
        self._folder = Folder(uri_from_path(folder), folder, Settings(dialect="bigquery"))
        self.engine = self._started()

    def _started(self) -> Engine:
        engine = Engine(start=lambda _: None)
        engine.configure((self._folder,))
        for path, text in self.open.items():
            engine.open(uri_from_path(path), text, 1)
        engine.rescan()
        engine.finish()
        return engine

    def act(self) -> None:
        """One thing that a person or another program does."""
        chance = self.chance
        path = chance.choice(self.paths)
        kind = chance.random()
        if kind < 0.6 and self.open:
            path = chance.choice(sorted(self.open))
            self._show(path, self._edited(self.open[path]))
        elif kind < 0.75 and len(self.open) < _MOST_OPEN and path.exists():
            self._show(path, path.read_text(encoding="utf-8"))
        elif kind < 0.85 and self.open:
            path = chance.choice(sorted(self.open))
            del self.open[path]
            self.engine.close(uri_from_path(path))
        elif kind < 0.95:
            text = path.read_text(encoding="utf-8") if path.exists() else "SELECT 1;\n"
            path.write_text(self._edited(text), encoding="utf-8")
            self.engine.rescan((uri_from_path(path),))
        else:
            path.unlink(missing_ok=True)
            self.engine.rescan((uri_from_path(path),))
        for _ in range(chance.choice((0, 3, 1_000_000))):
            if not self.engine.step():
                break

    def _show(self, path: Path, text: str) -> None:
        self.open[path] = text
        self.engine.open(uri_from_path(path), text, self.chance.randrange(10**6))

    def _edited(self, text: str) -> str:
        start = self.chance.randrange(len(text) + 1)
        return text[:start] + self.chance.choice(_PIECES) + text[start + self.chance.randrange(3) :]

    def ask(self) -> int:
        """Asks every feature about one document, at one place of it."""
        documents = self.engine.snapshot.documents()
        if not documents:
            return 0
        document = self.chance.choice(documents)
        offset = self.chance.randrange(len(document.text) + 1)
        asked = 0
        for feature in OF_DOCUMENT.values():
            asked += len(list(feature(self.engine.snapshot, document.uri))) >= 0
        for at in AT_TOKEN.values():
            asked += len(list(at(self.engine.snapshot, document.uri, offset))) >= 0
        return asked

    def differing(self) -> int:
        """How many documents are not as after a fresh start."""
        return differences(self.engine.finish(), self._started().snapshot)


def soak(folder: Path, seconds: float, files: int = 60, seed: int = 1) -> Iterator[Outcome]:
    """Runs for so long; gives the outcome so far after each comparison, and at the end."""
    workspace.write(files, folder, seed)
    errors = _Errors(logging.ERROR)
    logger = logging.getLogger("sql_lineage_ls")
    logger.addHandler(errors)
    outcome = Outcome()
    try:
        day = _Day(folder, random.Random(seed))
        began = time.monotonic()
        while (passed := time.monotonic() - began) < seconds or not outcome.compared:
            day.act()
            outcome.actions += 1
            if outcome.actions % 10 == 0:
                outcome.asked += day.ask()
            if outcome.actions % 100 == 0:
                outcome.differing += day.differing()
                outcome.compared += 1
                outcome.errors, outcome.memory = errors.count, resident()
                if not outcome.middle_memory and passed > seconds / 2:
                    outcome.middle_memory = outcome.memory
                yield outcome
    finally:
        logger.removeHandler(errors)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    outcome = Outcome()
    with TemporaryDirectory() as folder:
        for outcome in soak(Path(folder).resolve(), options.minutes * 60, options.files, options.seed):
            print(outcome, flush=True)
    return 1 if outcome.failed else 0


if __name__ == "__main__":
    sys.exit(main())
