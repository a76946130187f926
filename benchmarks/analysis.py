"""The analysis in this process: one large statement, and whole workspaces."""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter, process_time, sleep

import sqlglot
from sqlglot.lineage import lineage as sqlglot_lineage
from sqlglot.optimizer import build_scope, qualify

from benchmarks import statement as large
from benchmarks.measure import best_of_each
from benchmarks.table import Row, compared
from sql_lineage_ls.catalog.catalog import Catalog, Definition, Namespace
from sql_lineage_ls.lineage.analysis import Analysis, ParsedStatement
from sql_lineage_ls.syntax.dialects import DIALECTS, Dialect
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.splitter import split
from sql_lineage_ls.syntax.tokens import tokenize
from sql_lineage_ls.syntax.tree import build_tree
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.store import Store

# Within how many times sqlglot's stock parse the analysis of the statement is to stay.
TARGETS = {"bigquery": 0.5, "spark": 1.6, "snowflake": 1.6}


def catalog_of(text: str, dialect: Dialect) -> Catalog:
    """The catalog that a text of declarations makes."""
    definitions = []
    for at, piece in enumerate(split(text, dialect)):
        model = parse_statement(text[piece.start : piece.end], dialect).statement
        assert model is not None
        definitions.append(Definition("ddl", at, model, dialect, Namespace()))
    return Catalog().replace_file("ddl", tuple(definitions))


def analyse(text: str, dialect: Dialect, catalog: Catalog) -> int:
    """Parses, lowers and binds a statement; how many edges it has."""
    parsed = ParsedStatement("statement", parse_statement(text, dialect), dialect)
    return len(Analysis(catalog, {("file", 0): parsed}).lineage("file", 0).edges)


def lean_parse(text: str, dialect: Dialect) -> object:
    """sqlglot's tree of a statement as we have it made: without its implicit UNNEST."""
    return build_tree(text, tokenize(text, dialect), dialect)


def statement_rows() -> Iterator[Row]:
    """Parse, lower and bind of the large statement, with all roles and steps, beside sqlglot."""
    for spelling in large.SPELLINGS:
        dialect = DIALECTS[spelling.dialect]
        text = large.statement(spelling)
        catalog = catalog_of(large.declarations(spelling), dialect)
        assert analyse(text, dialect, catalog) == large.TARGETS
        runs: list[Callable[[], object]] = [
            partial(analyse, text, dialect, catalog),
            partial(sqlglot.parse_one, text, read=spelling.dialect),
            partial(lean_parse, text, dialect),
        ]
        ours, stock, lean = best_of_each(runs, 9)
        what = f"{len(text.splitlines())}-line {spelling.dialect} statement, all {large.TARGETS} targets"
        yield compared(what, ours * 1e3, "ms", "sqlglot parse_one", stock * 1e3, TARGETS[spelling.dialect])
        yield compared(f"{what}: parse alone, our way", lean * 1e3, "ms", "sqlglot parse_one", stock * 1e3)
    yield _beside_lineage()


def _beside_lineage() -> Row:
    """The same targets by sqlglot.lineage, qualified once, in the dialect without nested records."""
    spelling = large.SNOWFLAKE
    dialect = DIALECTS[spelling.dialect]
    text = large.statement(spelling)
    catalog = catalog_of(large.declarations(spelling), dialect)
    tables: dict[str, object] = {}
    for entry in catalog.entries():
        tables[entry.name.split(".")[-1]] = {column.name: "VARCHAR" for column in entry.relation.columns}
    schema: dict[str, object] = {"port": tables}

    def theirs() -> None:
        tree = sqlglot.parse_one(text, read=spelling.dialect)
        query = tree.expression
        if tree.args.get("with_") is not None and query.args.get("with_") is None:
            query.set("with_", tree.args["with_"].pop())
        query = qualify.qualify(query, schema=schema, dialect=spelling.dialect, validate_qualify_columns=False,
                                identify=False)
        scope = build_scope(query)
        for item in query.selects:
            sqlglot_lineage(
                item.alias_or_name, query, schema, dialect=spelling.dialect, scope=scope, trim_selects=False
            )

    ours, lineage = best_of_each([lambda: analyse(text, dialect, catalog), theirs], 3)
    return compared("the same, in snowflake", ours * 1e3, "ms", "sqlglot.lineage, all columns", lineage * 1e3, 0.2)


# ---------------------------------------------------------------- workspaces


def workspace_rows(folders: dict[int, Path]) -> Iterator[Row]:
    """Cold and warm analysis of whole workspaces, each in a process of its own, beside sqlglot's parse; growth."""
    found = {files: _in_process("cold", folder) for files, folder in folders.items()}
    for files, one in found.items():
        what = f"cold analysis of {files} files ({one['bytes'] / 1e6:.1f} MB), with worker processes"
        yield compared(what, one["seconds"], "s", "sqlglot parse of them", one["sqlglot"], 1.3)
        yield compared("the same, processor time of all processes", one["work"], "s", "sqlglot", one["sqlglot_work"])
        warm = _in_process("warm", folders[files])
        yield compared(f"warm analysis of {files} files", warm["seconds"], "s", "cold", one["seconds"], 1 / 15)
    small, big = min(found), max(found)
    if small != big:
        for name, unit, factor in (("work", "ms a file", 1e3), ("growth", "kB a file", 1e3)):
            first, last = (found[files][name] / files * factor for files in (small, big))
            yield compared(f"{small} to {big} files: {unit}", last, unit, f"{small} files", first, 1.2)


def _in_process(start: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.analysis", start, str(folder)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def resident() -> float:
    """Megabytes of this process that are in memory; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * 4096 / 1e6


def index(folder: Path, *, cold: bool) -> dict[str, float]:
    """Analyses a workspace as the server does; cold: without a cache, and then has sqlglot parse the same texts."""
    gc.set_threshold(20_000, 10, 50)
    settings = Settings(dialect="bigquery")
    kept = Store(folder.with_name(folder.name + ".cache"))
    before = resident()
    engine = Engine(store=kept)
    engine.configure([Folder(folder.as_uri(), folder, settings)], settings)
    engine.rescan()
    started = perf_counter()
    while not engine.snapshot.complete:
        if not engine.step():
            engine.wait()
    seconds = perf_counter() - started
    own = process_time()
    engine.finish()
    engine.stop()
    after = resident()
    if not cold:
        return {"seconds": seconds}
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.sql"))]
    while _children_run():
        sleep(0.05)
    work = own + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    started, own = perf_counter(), process_time()
    for text in texts:
        sqlglot.parse(text, read="bigquery")
    return {
        "seconds": seconds,
        "work": work,
        "sqlglot": perf_counter() - started,
        "sqlglot_work": process_time() - own,
        "growth": after - before,
        "bytes": sum(len(text.encode()) for text in texts),
    }


def _children_run() -> bool:
    """Whether worker processes are still ending: only then their time is known."""
    return any(thread.name == "parsing" for thread in threading.enumerate())


if __name__ == "__main__":
    print(json.dumps(index(Path(sys.argv[2]), cold=sys.argv[1] == "cold")))
