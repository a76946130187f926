"""The real server over standard input and output: keystrokes, questions, edits of declarations, the cold start."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import statement as large
from benchmarks.analysis import lean_parse, resident
from benchmarks.measure import best, quantile
from benchmarks.table import Row, compared, limited
from benchmarks.wire import Client
from benchmarks.workspace import generate
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot

_KEYS = 15
_QUESTIONS = 200
# A handler that does next to nothing: its answer costs the way there and back.
_EMPTY = "sqlLineage/status"
# A request that nobody knows is refused by the event loop itself.
_NOTHING = "sqlLineage/nothing"


def keystroke_rows(folder: Path) -> Iterator[Row]:
    """A change in the large statement, and one in a file of many, until their diagnostics have arrived."""
    spelling = large.BIGQUERY
    dialect = DIALECTS["bigquery"]
    text = large.statement(spelling)
    (folder / "ddl.sql").write_text(large.declarations(spelling), encoding="utf-8")
    lean = best(lambda: lean_parse(text, dialect))
    with Client(folder) as client:
        large_one = _typing(client, folder / "large.sql", text + ";\n", "BETWEEN 1 AND ")
        small = "SELECT v.id, v.master.home.city AS city FROM port.voyages_0 AS v WHERE v.tariff > 1;\n"
        alone = _typing(client, folder / "alone.sql", small, "v.tariff > ")
        many = "".join(small.replace("> 1", f"> {10_000 + at}") for at in range(2_000))
        among = _typing(client, folder / "many.sql", many, "v.tariff > 11")
    yield compared("change in the large statement until its diagnostics are there",
                   large_one * 1e3, "ms", "lean parse", lean * 1e3, 5)
    yield compared("change in one of 2,000 statements of a file", among * 1e3, "ms", "that statement alone",
                   alone * 1e3, 2)


_REST = 0.5
_NAME = re.compile(r"v\d+\.(\w+)")


def _typing(client: Client, path: Path, text: str, before: str) -> float:
    """The median time from a key behind `before` to the diagnostics of that version."""
    uri = path.as_uri()
    client.open(uri, text)
    client.diagnostics(uri, 1)
    offset = text.index(before) + len(before)
    line, column = text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)
    times = []
    for version in range(2, _KEYS + 2):
        # As after a pause to think: while somebody types, the server waits for the last key.
        time.sleep(_REST)
        started = time.perf_counter()
        # Each version is a text that was never seen before: nothing of the statement is known.
        client.insert(uri, version, line, column, str(version % 10), 0)
        client.diagnostics(uri, version)
        times.append(time.perf_counter() - started)
    client.close(uri)
    return median(times)


def question_rows(folder: Path) -> Iterator[Row]:
    """Hover, definition and lenses of the large statement, beside an empty request."""
    text = large.statement(large.BIGQUERY) + ";\n"
    (folder / "ddl.sql").write_text(large.declarations(large.BIGQUERY), encoding="utf-8")
    uri = (folder / "large.sql").as_uri()
    lines = text.splitlines()
    names = [(at, _NAME.search(line)) for at, line in enumerate(lines)]
    places = [(at, found.start(1)) for at, found in names if found]
    with Client(folder) as client:
        client.open(uri, text)
        client.diagnostics(uri, 1)

        def asked(method: str, *, placed: bool) -> float:
            times = []
            for at in range(_QUESTIONS):
                params: dict[str, Any] = {"textDocument": {"uri": uri}}
                if placed:
                    line, character = places[at % len(places)]
                    params["position"] = {"line": line, "character": character}
                started = time.perf_counter()
                client.ask(method, params)
                times.append(time.perf_counter() - started)
            return quantile(times[_QUESTIONS // 10 :], 0.95)

        asked("textDocument/hover", placed=True)
        asked("textDocument/codeLens", placed=False)
        empty = asked(_EMPTY, placed=False)
        for name, method, placed in (("hover", "textDocument/hover", True),
                                     ("definition", "textDocument/definition", True),
                                     ("lenses of a file", "textDocument/codeLens", False)):
            yield compared(f"{name}, p95", asked(method, placed=placed) * 1e3, "ms", "empty request, p95",
                           empty * 1e3, 3)


def dependants_rows(folder: Path, counts: tuple[int, int] = (500, 2_000)) -> Iterator[Row]:
    """A field of a table is renamed: until the open document that reads it says so, and until all are done."""
    found = {}
    for count in counts:
        below = folder / str(count)
        below.mkdir()
        found[count] = _renaming(below, count)
    few, many = counts
    yield limited(f"edit of a field with {few} dependants until the open one says so", found[few][0] * 1e3, "ms", 300)
    yield compared(f"until all {many} dependants are done, each", found[many][1] / many * 1e3, "ms",
                   f"each of {few}", found[few][1] / few * 1e3, 1.5)


def _renaming(folder: Path, count: int) -> tuple[float, float]:
    ddl = "-- dialect: bigquery\nCREATE TABLE port.calls (id INT64, master STRUCT<name STRING, city STRING>);\n"
    (folder / "calls.sql").write_text(ddl, encoding="utf-8")
    for at in range(count):
        query = "SELECT c.id, c.master.city AS x FROM port.calls AS c"
        text = f"-- dialect: bigquery\nCREATE VIEW port.v{at} AS {query};\n"
        (folder / f"v{at}.sql").write_text(text, encoding="utf-8")
    reader, table = (folder / "v0.sql").as_uri(), (folder / "calls.sql").as_uri()
    with Client(folder) as client:
        client.open(reader, (folder / "v0.sql").read_text(encoding="utf-8"))
        client.open(table, ddl)
        client.settle()
        client.diagnostics(table, 1)
        column = ddl.splitlines()[1].index("city")
        time.sleep(_REST)
        started = time.perf_counter()
        client.insert(table, 2, 1, column, "town", 4)
        client.diagnostics(reader, 1, least=1)
        first = time.perf_counter() - started
        client.settle()
        return first, time.perf_counter() - started


def start_rows(folder: Path, files: int) -> Iterator[Row]:
    """A cold start, and a warm one: until everything is analysed, memory, and how long the event loop lets wait."""
    started = time.perf_counter()
    with Client(folder, settle=False) as client:
        waits = []
        while True:
            asked = time.perf_counter()
            client.ask(_NOTHING, {})
            waits.append(time.perf_counter() - asked)
            if len(waits) % 20 == 0 and client.settled():
                break
            time.sleep(0.01)
        seconds = time.perf_counter() - started
        while (status := client.ask(_EMPTY, {}))["workerProcesses"] or not status["cacheBytes"]:
            time.sleep(0.1)
        memory = client.resident()
    yield Row(f"cold start of the server on {files} files until all is analysed", seconds, "s")
    yield limited(f"memory of the server after {files} files", memory, "MB", 300)
    yield limited("longest wait for the event loop during the cold start", max(waits) * 1e3, "ms", 50)
    yield Row("the same, p99", quantile(waits, 0.99) * 1e3, "ms")
    started = time.perf_counter()
    with Client(folder):
        seconds = time.perf_counter() - started
    yield Row(f"warm start of the server on {files} files until all is analysed", seconds, "s")
    hover = _first_hover(folder)
    yield limited("first hover in an open file, from the start of the process", hover * 1e3, "ms", 1_500)


def _first_hover(folder: Path) -> float:
    path = sorted(folder.glob("mart_*/*.sql"))[0]
    text = path.read_text(encoding="utf-8")
    at = text.index("FROM ") + 6
    line, character = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1
    place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
    started = time.perf_counter()
    with Client(folder, settle=False) as client:
        client.open(path.as_uri(), text)
        while client.ask("textDocument/hover", place) is None:
            time.sleep(0.01)
        return time.perf_counter() - started


# ---------------------------------------------------------------- soak


def soak_rows(edits: int = 2_000, files: int = 50) -> Iterator[Row]:
    """Random edits of many documents in one engine: memory does not grow, and the result is that of a fresh start."""
    chance = random.Random(7)
    texts = {f"file:///w/{name}": text for name, text in sorted(generate(files).items())}
    engine = Engine()
    engine.configure(())
    engine.rescan()
    for uri, text in texts.items():
        engine.open(uri, "-- dialect: bigquery\n" + text, 0)
    engine.finish()
    before = resident()
    uris = sorted(texts)
    for at in range(1, edits + 1):
        uri = chance.choice(uris)
        text = texts[uri]
        start = chance.randrange(len(text) + 1)
        text = text[:start] + chance.choice((" ", "x", "", ";", ",", "\n", ".")) + text[start + chance.randrange(2) :]
        texts[uri] = text if len(text) > 20 else "SELECT 1"
        engine.open(uri, "-- dialect: bigquery\n" + texts[uri], at)
        engine.finish()
        if at == edits - edits // 5:
            before = resident()
    grown = resident()
    yield compared(f"memory after {edits} random edits in {files} files", grown, "MB", "before the last fifth", before,
                   1.05)
    fresh = Engine()
    fresh.configure(())
    fresh.rescan()
    for uri, text in texts.items():
        fresh.open(uri, "-- dialect: bigquery\n" + text, 0)
    differing = differences(engine.snapshot, fresh.finish())
    yield Row("documents that differ from a fresh start after them", differing, "")


def differences(one: Snapshot, other: Snapshot) -> int:
    """How many documents have other edges: statements that are half-typed keep what they said before."""

    def said(snapshot: Snapshot, uri: str) -> list[Any]:
        document = snapshot.document(uri)
        assert document is not None
        return [(view.index, () if view.stale or view.model.issues else view.lineage.edges)
                for view in document.statements]

    return sum(said(one, document.uri) != said(other, document.uri) for document in one.documents())
