"""How a server starts and what it leaves: the scan in processes, the cache, and no process behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.wire import Json, Wire

DDL = "-- dialect: bigquery\nCREATE TABLE loft.doves (id INT64, ring STRUCT<no INT64, year INT64>);\n"
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace that is worth worker processes, and that no start has seen."""
    (tmp_path / "doves.sql").write_text(DDL)
    items = ", ".join(f"d.ring.no AS n{at}" for at in range(10))
    remark = "-- " + "all of them fly home " * 300
    for at in range(100):
        view = f"CREATE VIEW loft.v{at} AS SELECT {items} FROM loft.doves AS d;\n"
        (tmp_path / f"v{at}.sql").write_text(f"-- dialect: bigquery\n{view}{remark}\n")
    return tmp_path


def begin(wire: Wire, folder: Path, capabilities: Json | None = None) -> None:
    wire.initialize(capabilities, rootUri=folder.as_uri())


def status(wire: Wire, request: str) -> Json:
    wire.request(request, "sqlLineage/status", {})
    found: Json = wire.answer(request)["result"]
    return found


def settle(wire: Wire, *keys: str) -> Json:
    """Waits until everything is analysed, and the status has something under `keys`; gives the status."""
    deadline = time.monotonic() + 60
    at = 0
    while time.monotonic() < deadline:
        found = status(wire, f"settle{at}")
        if found["complete"] and all(found[key] for key in keys):
            return found
        at += 1
        time.sleep(0.05)
    raise AssertionError("the server does not settle")


def end(wire: Wire) -> None:
    wire.request("end", "shutdown")
    assert wire.answer("end")["result"] is None
    wire.notify("exit")
    assert wire.exit_code() == 0


def children(pid: int) -> list[int]:
    try:
        tasks = [int(one.name) for one in Path(f"/proc/{pid}/task").iterdir()]
        return [int(child) for task in tasks
                for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split()]  # fmt: skip
    except OSError:
        return []


def wait_for_children(wire: Wire) -> list[int]:
    deadline = time.monotonic() + 20
    while not (found := children(wire.process.pid)) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert found
    return found


def all_ended(pids: list[int], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_the_second_start_reads_the_cache(folder: Path) -> None:
    place = {"textDocument": {"uri": (folder / "v7.sql").as_uri()}, "position": {"line": 1, "character": 38}}
    hovers = []
    for cache, parsed in (("empty", 101), ("read", 0)):
        with Wire() as wire:
            begin(wire, folder)
            wire.request("first", "sqlLineage/status", {})
            assert wire.answer("first")["result"]["version"]
            found = settle(wire)
            assert (found["cache"], found["parsedStatements"], found["documents"]) == (cache, parsed, 101)
            assert found["crashedProcesses"] == 0
            wire.open(place["textDocument"]["uri"], (folder / "v7.sql").read_text())  # type: ignore[index]
            wire.request("hover", "textDocument/hover", place)
            hovers.append(wire.answer("hover")["result"])
            settle(wire, "cacheBytes")
            end(wire)
    assert hovers[0] == hovers[1]
    assert "loft.doves.ring.no" in str(hovers[0])


def test_a_server_without_cache(folder: Path) -> None:
    for _ in range(2):
        with Wire((sys.executable, "-m", "sql_lineage_ls", "serve", "--no-cache")) as wire:
            begin(wire, folder)
            found = settle(wire)
            assert (found["cache"], found["parsedStatements"]) == ("off", 101)


def test_the_scan_can_be_cancelled_from_the_progress_bar(folder: Path) -> None:
    with Wire() as wire:
        begin(wire, folder, {"window": {"workDoneProgress": True}})
        create = wire.next("window/workDoneProgress/create")
        token = create["params"]["token"]
        wire.send({"jsonrpc": "2.0", "id": create["id"], "result": None})
        shown = wire.next("$/progress")["params"]["value"]
        assert (shown["kind"], shown["cancellable"]) == ("begin", True)
        wire.notify("window/workDoneProgress/cancel", {"token": "another"})
        wire.notify("window/workDoneProgress/cancel", {"token": token})
        while wire.next("$/progress")["params"]["value"]["kind"] != "end":
            pass
        wire.request("lens", "textDocument/codeLens", {"textDocument": {"uri": (folder / "doves.sql").as_uri()}})
        assert "error" not in wire.answer("lens")
        end(wire)


@on_linux
@pytest.mark.parametrize("way", ["exit", "eof", "kill"])
def test_no_process_outlives_the_server(folder: Path, way: str) -> None:
    with Wire() as wire:
        begin(wire, folder)
        pids = wait_for_children(wire)
        if way == "exit":
            end(wire)
        elif way == "eof":
            assert wire.process.stdin is not None
            wire.process.stdin.close()
            assert wire.exit_code() == 1
        else:
            wire.process.kill()
        assert all_ended(pids)


@on_linux
def test_a_killed_worker_process_is_replaced(folder: Path) -> None:
    with Wire() as wire:
        begin(wire, folder)
        for pid in wait_for_children(wire):
            os.kill(pid, signal.SIGKILL)
        found = settle(wire)
        assert (found["documents"], found["statements"], found["unparsedStatements"]) == (101, 101, 0)
        assert "window/showMessage" not in [message.get("method") for message in wire.seen]
        end(wire)
