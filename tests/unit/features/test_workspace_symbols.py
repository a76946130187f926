"""Workspace symbols: what is found, in which order, and that nothing is looked for twice."""

from __future__ import annotations

import pytest

from sql_lineage_ls.features import workspace_symbols as feature
from sql_lineage_ls.features.workspace_symbols import SymbolNames, workspace_symbols
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine

A, B = "file:///w/a.sql", "file:///w/b.sql"


def opened(**texts: str) -> Engine:
    engine = Engine()
    engine.configure((), Settings(dialect="bigquery"))
    for name, text in texts.items():
        engine.open(f"file:///w/{name}.sql", text)
    engine.rescan()
    engine.finish()
    return engine


def test_the_best_come_first_and_no_more_than_asked_for() -> None:
    columns = ", ".join(f"col_{number:03} INT64" for number in range(300))
    engine = opened(a=f"CREATE TABLE col (column INT64, my_col INT64, c_o_l INT64, protocol INT64, {columns});")
    names = [one.name for one in workspace_symbols(engine.snapshot, "COL", 2_000)]
    assert names[:3] == ["col", "column", "col_000"]
    assert names[-3:] == ["my_col", "protocol", "c_o_l"]
    assert len(workspace_symbols(engine.snapshot, "col")) == feature.MOST_SYMBOLS


def test_a_dot_asks_for_the_path() -> None:
    engine = opened(a="CREATE TABLE s.t (a STRUCT<b STRUCT<city STRING>>, city STRING);")
    found = workspace_symbols(engine.snapshot, "t.b.city")
    assert [(one.container, one.name) for one in found] == [("s.t.a.b", "city")]
    assert [one.name for one in workspace_symbols(engine.snapshot, "")] == ["s.t"]
    assert workspace_symbols(engine.snapshot, "(*[") == ()


def test_a_memory_sees_edits_and_looks_at_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = opened(a="CREATE TABLE one (x INT64);", b="CREATE TABLE two (x INT64);")
    looked_at: list[str] = []
    known = feature.document_symbols
    monkeypatch.setattr(
        feature, "document_symbols", lambda snapshot, uri: looked_at.append(uri) or known(snapshot, uri)
    )
    names = SymbolNames()
    assert [one.span.uri for one in workspace_symbols(engine.snapshot, "x", names=names)] == [A, B]
    assert [one.name for one in workspace_symbols(engine.snapshot, "tw", names=names)] == ["two"]
    engine.open(B, "CREATE TABLE three (y INT64);")
    assert [one.name for one in workspace_symbols(engine.finish(), "three", names=names)] == ["three"]
    assert looked_at == [A, B, B]
    engine.close(B)
    assert workspace_symbols(engine.finish(), "three", names=names) == ()
