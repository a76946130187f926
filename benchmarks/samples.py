"""`python -m benchmarks.samples FOLDER`: counts what a folder of SQL gives, and draws samples to be checked by eye.

The statements are counted (analysed, read in part, not read, with the causes; failed), the diagnostics by code, and
two samples are drawn with a fixed seed: hovers, fields before plain columns, and diagnostics of each code. Each row
is shown with its place, so that a reader can compare it with the SQL. docs/precision.md has the method and figures.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from sql_lineage_ls.features.diagnostics import DiagnosticOptions, diagnostics
from sql_lineage_ls.features.hover import hover
from sql_lineage_ls.features.results import Diagnostic
from sql_lineage_ls.lineage.model import Occurrence
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView
from sql_lineage_ls.workspace.uris import uri_from_path

_HOVERED = frozenset({"column", "field", "output", "star"})
# Of this many documents the tokens are looked at: a fair sample needs no more.
_DOCUMENTS = 60


def analyse(folder: Path, settings: Settings) -> Snapshot:
    """The snapshot of a folder as the server has it when all is done."""
    engine = Engine()
    engine.configure([Folder(uri_from_path(folder), folder, settings)])
    engine.rescan()
    return engine.finish()


def statement_counts(snapshot: Snapshot) -> Counter[str]:
    """How many statements were analysed, read in part, or not read, and why not."""
    counts: Counter[str] = Counter()
    for document in snapshot.documents():
        for statement in document.statements:
            counts["statements"] += 1
            if statement.lineage.kind == "failed":
                counts["failed"] += 1
            elif statement.model.issues:
                counts["read in part" if statement.model.partial else "not read"] += 1
                counts[f"  {statement.model.issues[0].message[:100]}"] += 1
            else:
                counts["analysed"] += 1
    return counts


def found_diagnostics(
    snapshot: Snapshot, options: DiagnosticOptions
) -> dict[str, list[tuple[DocumentView, Diagnostic]]]:
    """Every diagnostic of the folder, by code."""
    found: dict[str, list[tuple[DocumentView, Diagnostic]]] = defaultdict(list)
    for document in snapshot.documents():
        for one in diagnostics(snapshot, document.uri, options):
            found[one.code].append((document, one))
    return found


_Token = tuple[DocumentView, StatementView, Occurrence]


def hover_tokens(snapshot: Snapshot, chooser: random.Random, count: int) -> list[_Token]:
    """Tokens to hover over in statements that have lineage, half of them in nested fields where there are as many."""
    documents = [document for document in snapshot.documents() if document.statements]
    nested: list[_Token] = []
    plain: list[_Token] = []
    for document in chooser.sample(documents, min(_DOCUMENTS, len(documents))):
        for statement in document.statements:
            if not statement.lineage.edges:
                continue
            for token in snapshot.occurrences(document, statement):
                if token.kind in _HOVERED:
                    deep = token.kind == "field" or any(len(node.path) > 1 for node in token.nodes)
                    (nested if deep else plain).append((document, statement, token))
    chosen = chooser.sample(nested, min(len(nested), count // 2))
    return chosen + chooser.sample(plain, min(len(plain), count - len(chosen)))


def _shown(folder: Path, document: DocumentView, start: int, around: int) -> Iterator[str]:
    line, column = document.lines.position(start, "utf-32")
    name = document.uri.removeprefix(uri_from_path(folder)).lstrip("/")
    yield f"{name}:{line + 1}:{column + 1}"
    lines = document.text.splitlines()
    for number in range(max(0, line - around), min(len(lines), line + around + 1)):
        yield f"    {'>' if number == line else ' '} {lines[number][:200]}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.samples", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dialect", default="", help="the folder's dialect; told from each file by default")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--hovers", type=int, default=10)
    parser.add_argument("--diagnostics", type=int, default=20, help="how many of each code")
    parser.add_argument("--around", type=int, default=0, help="how many lines of SQL to show before and behind")
    parser.add_argument("--complete", action="store_true", help="the folder declares every relation there is")
    options = parser.parse_args()
    folder = options.folder.resolve()
    snapshot = analyse(folder, Settings(dialect=options.dialect))
    chooser = random.Random(options.seed)
    told = DiagnosticOptions(complete=options.complete)
    for what, number in sorted(statement_counts(snapshot).items(), key=lambda item: (item[0][:2] == "  ", -item[1])):
        print(f"{number:6} {what}")
    for code, all_found in sorted(found_diagnostics(snapshot, told).items()):
        print(f"\n== {code}: {len(all_found)} in {len({document.uri for document, _ in all_found})} files")
        for document, one in chooser.sample(all_found, min(options.diagnostics, len(all_found))):
            print("\n".join(_shown(folder, document, one.span.start, options.around)), "\n   ", one.message)
    print("\n== hovers")
    for document, statement, token in hover_tokens(snapshot, chooser, options.hovers):
        start = statement.start + token.start
        told = hover(snapshot, document.uri, start)
        print("\n".join(_shown(folder, document, start, options.around)), f"\n    [{token.kind}] {token.name}")
        print("     ", (told.present() if told is not None else "(none)").replace("\n", "\n      "))


if __name__ == "__main__":
    main()
