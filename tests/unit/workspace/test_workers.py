"""Worker processes: what they find, what is left when they die, and that none is left behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sql_lineage_ls.workspace import reading, workers
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.snapshot import Snapshot
from sql_lineage_ls.workspace.uris import uri_from_path
from sql_lineage_ls.workspace.workers import Workers

Start = Callable[[Callable[[], None]], Workers | None]
FRAGILE = "tests.support.fragile_worker"
DDL = "CREATE TABLE silo.grain (id INT64, lot STRUCT<farm STRING, tons INT64>);\n"


def fragile(seconds: float = 10.0) -> Start:
    return lambda wake: Workers(2, wake, seconds, FRAGILE)


def alone(wake: Callable[[], None]) -> Workers | None:
    return None


@pytest.fixture(autouse=True)
def _many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_WORTH_PROCESSES", 1)


@contextmanager
def engine_on(folder: Path, start: Start = workers.start_workers, **settings: object) -> Iterator[Engine]:
    engine = Engine(start=start)
    found = Settings(dialect="bigquery", **settings)  # type: ignore[arg-type]
    engine.configure([Folder(uri_from_path(folder), folder, found)], found)
    engine.rescan()
    try:
        yield engine
    finally:
        engine.stop()


def facts(snapshot: Snapshot) -> list[object]:
    return [
        (document.uri, document.text, document.dialect.name, one.start, one.end, one.model, one.lineage)
        for document in snapshot.documents()
        for one in document.statements
    ]


def children() -> list[int]:
    """The processes that this one has started and that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def ended(pids: list[int], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while any(pid in children() for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

TEXTS = {
    "grain.sql": DDL,
    "views.sql": "CREATE VIEW silo.farms AS SELECT g.lot.farm FROM silo.grain AS g;\nSELECT f.farm FROM silo.farms f;",
    "header.sql": "-- dialect: spark\nSELECT explode(xs) AS x FROM t;",
    "odd.sql": "-- dialect: nonsense\nSELECT 'ö 🌾' AS w, g.lot.tons AS t FROM silo.grain AS g;\nSELEC ) FROM;",
    "tags.sql": "SELECT {{ cols }}, g.id FROM {{ ref('grain') }} AS g WHERE {{ cond }};",
    "variables.sql": "DECLARE farm STRING;\nSELECT id FROM silo.grain WHERE lot.farm = farm;",
    "empty.sql": "",
    "body.sql": "CREATE PROCEDURE silo.f(day DATE) BEGIN DECLARE n INT64; SELECT g.id, n, day FROM silo.grain g; END;",
    "models/lots.sql": "SELECT g.lot.farm AS farm FROM silo.grain AS g",
    "latin.sql": "SELECT 'caf\xe9' AS c;",
}


def write(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode("latin-1" if name == "latin.sql" else "utf-8"))


def test_processes_find_what_one_process_finds(tmp_path: Path) -> None:
    write(tmp_path, TEXTS)
    (tmp_path / "dbt_project.yml").write_text("name: silo\n")
    with engine_on(tmp_path) as engine, engine_on(tmp_path, alone) as other:
        assert facts(engine.finish()) == facts(other.finish())
        assert engine.snapshot.ready
        assert engine.take_notices() == other.take_notices()
        assert engine.parsed == other.parsed > 5


def test_a_statement_that_kills_its_process_costs_that_statement_alone(tmp_path: Path) -> None:
    write(tmp_path, {f"{at}.sql": f"SELECT {at} AS one, g.lot.farm FROM silo.grain AS g;" for at in range(20)})
    bad = "SELECT id FROM silo.grain;\nSELECT falls_down;\nSELECT lot.farm FROM silo.grain;"
    write(tmp_path, {"ddl.sql": DDL, "bad.sql": bad})
    with engine_on(tmp_path, fragile()) as engine:
        snapshot = engine.finish()
        document = snapshot.document(uri_from_path(tmp_path / "bad.sql"))
        assert document is not None
        assert [bool(one.model.issues) for one in document.statements] == [False, True, False]
        assert [len(one.lineage.edges) for one in document.statements] == [1, 0, 1]
        (issue,) = document.statements[1].model.issues
        assert issue.message == "The statement is not analysed: it stopped the parser."
        assert document.text[document.statements[1].start :][: issue.end] == "SELECT falls_down"
        assert snapshot.ready
        assert len(snapshot.documents()) == 22
        assert len(engine.take_notices()) == 1
        crashes = engine.figures().crashed_processes
        # It is not tried again while its text is the same, wherever it stands.
        (tmp_path / "bad.sql").write_text("SELECT 1;\n\nSELECT falls_down;")
        engine.rescan([uri_from_path(tmp_path / "bad.sql")])
        engine.finish()
        assert engine.figures().crashed_processes == crashes
        assert engine.take_notices() == ()


def test_a_statement_that_never_ends_is_given_up(tmp_path: Path) -> None:
    write(tmp_path, {"ddl.sql": DDL, "slow.sql": "SELECT never_ends;\nSELECT lot.farm FROM silo.grain;"})
    with engine_on(tmp_path, fragile(seconds=1.0)) as engine:
        document = engine.finish().document(uri_from_path(tmp_path / "slow.sql"))
        assert document is not None
        assert [issue.message for issue in document.statements[0].model.issues] == [
            "The statement is not analysed: it took too long to read."
        ]
        assert len(document.statements[1].lineage.edges) == 1


def test_a_risky_statement_of_an_open_document_is_parsed_elsewhere(tmp_path: Path) -> None:
    deep = "SELECT " + "(" * 30 + "g.lot.farm" + ")" * 30 + " AS farm, {} FROM silo.grain AS g;"
    with engine_on(tmp_path, fragile(seconds=1.0)) as engine:
        engine.open("ddl", DDL)
        engine.open("deep", deep.format("1") + "SELECT id FROM silo.grain;" + deep.format("falls_down"))
        document = engine.finish().document("deep")
        assert document is not None
        assert [len(one.lineage.edges) for one in document.statements] == [2, 1, 0]
        assert engine.figures().crashed_processes == 2
        # What is open and can be answered is not held up by what cannot.
        engine.open("deep", deep.format("never_ends"))
        engine.open("other", "SELECT lot.tons FROM silo.grain;")
        deadline = time.monotonic() + 0.8
        while engine.snapshot.document("other") is None and time.monotonic() < deadline:
            engine.step()
        assert engine.snapshot.document("other") is not None
        assert engine.urgent
        # A newer text does not wait for it either.
        engine.open("deep", deep.format("2"))
        document = engine.finish().document("deep")
        assert document is not None
        assert len(document.statements[0].lineage.edges) == 2


@on_linux
def test_killed_in_the_middle_of_a_scan(tmp_path: Path) -> None:
    write(tmp_path, {f"{at}.sql": f"SELECT {at} AS one, g.lot.farm FROM silo.grain AS g;" * 20 for at in range(100)})
    write(tmp_path, {"ddl.sql": DDL})
    with engine_on(tmp_path) as engine:
        while not children():
            engine.step()
        while engine.waiting_files > 60:
            engine.step()
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        snapshot = engine.finish()
        assert snapshot.ready
        edges = [len(one.lineage.edges) for document in snapshot.documents() for one in document.statements]
        assert sorted(edges) == [0] + [2] * 2_000
        assert engine.figures().crashed_processes <= 2
        assert engine.take_notices() == ()


@on_linux
def test_no_process_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {f"{at}.sql": "SELECT 1;" * 200 for at in range(50)})
    monkeypatch.setattr(workers, "IDLE_SECONDS", 0.2)
    with engine_on(tmp_path) as engine:
        engine.finish()
        # After the scan they end by themselves.
        assert ended(children())
        assert engine.figures().processes == 0
        engine.rescan([uri_from_path(tmp_path / f"{at}.sql") for at in range(50)])
        while not children():
            engine.step()
        pids = children()
    assert ended(pids)


@on_linux
def test_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    write(tmp_path, {"slow.sql": "SELECT never_ends;"})
    child = os.fork()
    if child == 0:
        with engine_on(tmp_path, fragile(seconds=600)) as engine:
            engine.finish()
        os._exit(0)
    try:
        found: list[int] = []
        deadline = time.monotonic() + 10
        while not found and time.monotonic() < deadline:
            task = Path(f"/proc/{child}/task")
            found = [int(pid) for one in task.iterdir() for pid in (one / "children").read_text().split()]
            time.sleep(0.02)
        assert found
        time.sleep(0.5)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    deadline = time.monotonic() + 5
    while Path(f"/proc/{found[0]}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{found[0]}").exists()


def test_without_processes_everything_is_done_here(tmp_path: Path) -> None:
    write(tmp_path, TEXTS)
    with engine_on(tmp_path, lambda wake: Workers(2, wake, module="tests.support.not_there")) as engine:
        with engine_on(tmp_path, alone) as other:
            assert facts(engine.finish()) == facts(other.finish())
        assert engine.snapshot.ready


def test_without_threads_everything_is_done_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    write(tmp_path, TEXTS)
    with engine_on(tmp_path, alone) as other:
        expected = facts(other.finish())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with engine_on(tmp_path) as engine:
        assert facts(engine.finish()) == expected


def test_nothing_of_the_workspace_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("msgspec.py", "json.py", "sqlglot.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    write(tmp_path, TEXTS)
    monkeypatch.chdir(tmp_path)
    with engine_on(tmp_path) as engine:
        engine.finish()
    assert not (tmp_path / "ran").exists()


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    write(tmp_path, {f"{at}.sql": "SELECT 1;" * 50 for at in range(50)})
    with engine_on(tmp_path) as engine:
        while not engine.waiting_files:
            engine.step()
        engine.cancel()
        engine.open("query", DDL + "SELECT lot.farm FROM silo.grain;")
        snapshot = engine.finish()
        assert not snapshot.ready
        document = snapshot.document("query")
        assert document is not None
        assert len(document.statements[1].lineage.edges) == 1
