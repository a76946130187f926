"""Lineage as one JSON document for other programs. Keys are only ever added, never renamed (docs/lineage-text.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sql_lineage_ls.exporters.report import (
    EdgeRow,
    GapRow,
    JoinRow,
    Message,
    Place,
    RelationRow,
    Report,
    StatementRow,
    StepRow,
    WarningRow,
)

Json = dict[str, Any]


def to_json(report: Report) -> str:
    """The report as JSON text with a final line end. Lines and columns are counted from 1, columns in code points."""
    return "".join(json_pieces(report))


def json_pieces(report: Report) -> Iterator[str]:
    """The same text piece by piece, one row of it a line, so that a large folder need not be in memory at once."""
    joins: list[str] = []
    statements: list[str] = []

    def edges() -> Iterator[str]:
        for statement in report.statements:
            joins.extend(_line(_join(row)) for row in statement.joins)
            statements.append(_line(_statement(statement)))
            for row in statement.edges:
                yield _line(_edge(row))

    yield "{"
    yield from _rows("relations", (_line(_relation(row)) for row in report.relations))
    yield ","
    yield from _rows("lineage", edges())
    yield ","
    yield from _rows("joins", joins)
    yield ","
    yield from _rows("diagnostics", (_line(_diagnostic(message)) for message in report.messages))
    yield ","
    yield from _rows("locations", (_line(_relation(row)) for row in report.locations))
    yield ","
    yield from _rows("statements", statements)
    yield "\n}\n"


def _line(row: Json) -> str:
    return json.dumps(row, ensure_ascii=False)


def _rows(name: str, rows: Iterable[str]) -> Iterator[str]:
    yield f'\n"{name}": ['
    before = "\n"
    for row in rows:
        yield before + row
        before = ",\n"
    yield "]"


def _relation(row: RelationRow) -> Json:
    return {"name": row.name, "kind": row.kind, "nodes": list(row.nodes)}


def _edge(row: EdgeRow) -> Json:
    edge = row.edge
    return {
        "target": {"relation": row.relation, "path": row.path},
        "sources": [
            {"relation": source.relation, "path": source.path, "role": source.role, "transform": source.transform}
            | ({"use": source.use} if source.use else {})
            for source in row.sources
        ],
        "generated": [
            {"kind": generated.kind, "text": generated.text, "transform": generated.transform}
            for generated in edge.generated
        ],
        "source_kind": edge.source_kind,
        "complete": edge.complete,
        "gaps": [{"kind": gap.kind, "text": gap.text, "role": gap.role} for gap in edge.gaps],
        "transform": edge.transform,
        "expression": row.expression,
        "steps": [_step(step) for step in row.steps],
        **_place(row.place),
    }


def _step(row: StepRow) -> Json:
    step = {"scope": row.scope, "transform": row.transform, "text": row.text}
    return {**step, "path": row.path} if row.path else step


def _join(row: JoinRow) -> Json:
    (left, left_path), (right, right_path) = row.left, row.right
    return {
        "left": {"relation": left, "path": left_path},
        "right": {"relation": right, "path": right_path},
        "kind": row.kind,
        **_place(row.place),
    }


def _statement(row: StatementRow) -> Json:
    return {
        "kind": row.kind,
        "target": row.target,
        "analysed": row.analysed,
        "gaps": [_gap(gap) for gap in row.gaps],
        "warnings": [_warning(warning) for warning in row.warnings],
        **_place(row.place),
    }


def _gap(row: GapRow) -> Json:
    return {
        "kind": row.gap.kind,
        "text": row.gap.text,
        "scope": row.scope,
        "needed": row.needed,
        "expression": row.expression,
        "blocks": list(row.blocks),
        "root_impact": bool(row.blocks),
        **_place(row.place),
    }


def _warning(row: WarningRow) -> Json:
    return {"kind": row.kind, "text": row.text, "scope": row.scope, **_place(row.place)}


def _diagnostic(message: Message) -> Json:
    return {"code": message.code, "severity": message.severity, "message": message.message, **_place(message.place)}


def _place(where: Place) -> Json:
    return {
        "file": where.file,
        "line": where.line,
        "column": where.column,
        "end_line": where.end_line,
        "end_column": where.end_column,
    }
