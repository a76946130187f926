from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sql_lineage_ls.server.worker import CATALOG, DOCUMENTS, EVERYTHING, Worker
from sql_lineage_ls.workspace.snapshot import Snapshot

SECONDS = 20.0


def with_worker(test: Callable[[Worker, list[Any]], Awaitable[None]]) -> list[Any]:
    """Runs a test on a loop beside a worker; gives what the worker reported."""
    reports: list[Any] = []

    async def run() -> None:
        loop = asyncio.get_running_loop()
        worker = Worker(loop, reports.append, reports.append, reports.append)
        worker.start()
        try:
            await asyncio.wait_for(test(worker, reports), SECONDS)
        finally:
            worker.stop()

    asyncio.run(run())
    return reports


def text_of(uri: str) -> Callable[[Snapshot], str]:
    def ask(snapshot: Snapshot) -> str:
        document = snapshot.document(uri)
        return document.text if document is not None else ""

    return ask


def test_a_question_sees_the_edits_before_it_and_none_behind() -> None:
    async def test(worker: Worker, _: list[Any]) -> None:
        asked = []
        for number in range(200):
            text = f"SELECT {number}"
            worker.tell(lambda engine, text=text: engine.open("u", text))
            asked.append(worker.ask(text_of("u")))
            if number % 7 == 0:
                await asyncio.sleep(0)
        answers = [int((await answer).removeprefix("SELECT ")) for answer in asked]
        assert all(answer >= number for number, answer in enumerate(answers))
        assert answers[-1] == 199

    with_worker(test)


def test_a_question_waits_for_what_it_needs_and_no_longer_than_its_patience() -> None:
    async def test(worker: Worker, _: list[Any]) -> None:
        patient = worker.ask(lambda snapshot: snapshot.ready, CATALOG)
        complete = worker.ask(lambda snapshot: snapshot.complete, EVERYTHING)
        assert await worker.ask(lambda snapshot: snapshot.ready, CATALOG, patience=0.05) is False
        assert await worker.ask(lambda snapshot: snapshot.ready, DOCUMENTS) is False
        assert not patient.done()
        worker.tell(lambda engine: engine.rescan())
        assert await patient is True
        assert await complete is True

    with_worker(test)


def test_questions_that_come_while_others_wait() -> None:
    async def test(worker: Worker, _: list[Any]) -> None:
        for number in range(1500):
            # The first kind waits for a workspace that is never read, the second is answered at once.
            worker.ask(lambda snapshot: snapshot.ready, CATALOG)
            assert await worker.ask(lambda _, number=number: number) == number

    with_worker(test)


def test_a_question_that_was_withdrawn_is_not_asked() -> None:
    async def test(worker: Worker, _: list[Any]) -> None:
        asked: list[int] = []
        withdrawn = worker.ask(lambda _: asked.append(1), CATALOG)
        withdrawn.cancel()
        worker.tell(lambda engine: engine.rescan())
        await worker.ask(lambda _: asked.append(2), CATALOG)
        assert asked == [2]

    with_worker(test)


def test_failures_stay_with_whom_they_concern() -> None:
    async def test(worker: Worker, _: list[Any]) -> None:
        def fail(_: object) -> None:
            raise ValueError("broken")

        worker.tell(fail)
        with pytest.raises(ValueError, match="broken"):
            await worker.ask(fail)
        worker.tell(lambda engine: engine.open("u", "SELECT 1"))
        assert await worker.ask(text_of("u")) == "SELECT 1"

    with_worker(test)


def test_snapshots_are_reported_on_the_loop() -> None:
    async def test(worker: Worker, reports: list[Any]) -> None:
        worker.tell(lambda engine: engine.open("u", "SELECT 1"))
        worker.tell(lambda engine: engine.rescan())
        await worker.ask(lambda _: None, EVERYTHING)
        await asyncio.sleep(0.05)

    snapshots = [report for report in with_worker(test) if isinstance(report, Snapshot)]
    assert snapshots[-1].complete
    assert [snapshot.revision for snapshot in snapshots] == sorted({snapshot.revision for snapshot in snapshots})


def test_an_analysis_that_cannot_start_is_told_to_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sql_lineage_ls.workspace.engine", None)

    async def test(worker: Worker, _: list[Any]) -> None:
        with pytest.raises(RuntimeError, match="does not run"):
            await worker.ask(lambda _: None)
        with pytest.raises(RuntimeError, match="does not run"):
            await worker.ask(lambda _: None)

    (report,) = with_worker(test)
    assert report.startswith("the analysis does not run: ")
