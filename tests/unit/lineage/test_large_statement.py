"""A statement of 600 lines: every target traced, complete, and from exactly the sources that its rule says."""

from __future__ import annotations

import re

import pytest

from benchmarks import statement as large
from sql_lineage_ls.exporters.report import EdgeRow, Report, make_report
from tests.support.product import open_files

DDL, FILE = "file:///w/ddl.sql", "file:///w/report.sql"


def report_of(spelling: large.Spelling, steps: bool = False) -> Report:
    files = {DDL: large.declarations(spelling), FILE: large.statement(spelling)}
    return make_report(open_files(files, spelling.dialect), {FILE: "report.sql"}, indirect=True, steps=steps)


def direct(row: EdgeRow) -> frozenset[str]:
    return frozenset(source.text for source in row.sources if source.direct)


def test_it_has_the_shape_that_it_is_said_to_have() -> None:
    text = large.statement(large.SPARK)
    assert len(set(re.findall(r"port\.voyages_\d+", text))) == large.TABLES == 19
    assert text.count("JOIN ") == large.JOINS == 20
    assert text.count("SELECT") - 1 == large.SUBQUERIES == 23
    assert len(re.findall(r"\b(?:SUM|MIN|MAX|AVG|COUNT)\(", text)) == large.AGGREGATES == 57
    assert text.count("CASE") == large.CASES == 10
    assert text.count("OVER (") == large.WINDOWS == 1
    assert len(text.splitlines()) >= 590


@pytest.mark.parametrize("spelling", [*large.SPELLINGS, large.TRINO, large.POSTGRES], ids=lambda s: s.dialect)
def test_every_target_has_its_sources_and_nothing_else(spelling: large.Spelling) -> None:
    report = report_of(spelling)
    assert report.messages == ()
    (statement,) = report.statements
    assert (statement.analysed, statement.gaps) == (True, ())
    rows = {row.text: row for row in report.edges}
    assert {target: direct(row) for target, row in rows.items()} == large.sources()
    assert all(row.edge.complete for row in rows.values())
    kinds = {row.edge.source_kind for row in rows.values()}
    assert kinds == {"physical", "mixed", "generated"}
    assert rows["port.report.c009"].edge.source_kind == "generated"


@pytest.mark.parametrize("spelling", [large.SPARK, large.POSTGRES], ids=lambda s: s.dialect)
def test_joins_and_filters_decide_over_every_target(spelling: large.Spelling) -> None:
    report = report_of(spelling)
    for row in report.edges:
        used = {(source.text, source.use) for source in row.sources if source.role == "membership"}
        assert ("port.voyages_0.status", "filter") in used
        assert ("port.voyages_0.parent_id", "join") in used
        assert ("port.voyages_16.status", "filter") in used  # in an EXISTS
        assert ("port.voyages_16.id", "join") in used
    compared = {frozenset((join.left, join.right)) for join in report.joins}
    assert frozenset({("port.voyages_13", "parent_id"), ("port.voyages_0", "parent_id")}) in compared


def test_steps_go_scope_by_scope() -> None:
    rows = {row.text: row for row in report_of(large.SPARK, steps=True).edges}
    # stage_5.amount adds stage_2.amount to a column of its own table.
    row = next(rows[f"port.report.c{at:03}"] for at in range(10, 112) if at % 9 == 2 and at % 6 == 5)
    assert [(step.scope, step.transform, step.text) for step in (*row.steps, row.own)] == [
        ("stage_2", "AGGREGATE", "SUM(h.qty)"),
        ("stage_5", "AGGREGATE", "SUM(p.amount + s.weight)"),
        ("port.report", row.own.transform, "v11.amount"),
    ]
    assert row.own.transform in ("IDENTITY", "RENAME")
