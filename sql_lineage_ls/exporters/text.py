"""Lineage as lines of text, one fact a line: for a terminal, for `grep` and for a diff.

```
table orders_raw: customer, customer.city
view v: city
v.city <- orders_raw.customer.city
message: undeclared-field no field `town` in orders_raw.customer at models/v.sql:1:27
```
"""

from __future__ import annotations

from collections.abc import Iterator

from sql_lineage_ls.exporters.report import EdgeRow, Report


def to_text(report: Report, steps: bool = False) -> str:
    """The report as lines, each with its line end. What is said twice in the same words is printed once.

    With `steps` an edge is followed by how its value came to be, scope by scope, the innermost first.
    """
    return "".join(line + "\n" for line in dict.fromkeys(_lines(report, steps)))


def _lines(report: Report, steps: bool) -> Iterator[str]:
    for relation in report.relations:
        yield f"{relation.kind} {relation.name}: {', '.join(relation.nodes)}"
    for edge in report.edges:
        yield from _edge_lines(edge)
        if steps:
            yield from _step_lines(edge)
    for message in report.messages:
        if message.is_advice:
            continue
        where = message.place
        text = " ".join(message.message.split()).removesuffix(".")
        yield f"message: {message.code} {text} at {where.file}:{where.line}:{where.column}"


def _edge_lines(edge: EdgeRow) -> Iterator[str]:
    direct = dict.fromkeys(source.text for source in edge.sources if source.direct)
    if direct:
        yield f"{edge.text} <- {' '.join(direct)}"
    indirect = dict.fromkeys(source.text for source in edge.sources if not source.direct)
    if indirect:
        yield f"{edge.text} <~ {' '.join(indirect)}"


def _step_lines(edge: EdgeRow) -> Iterator[str]:
    for number, step in enumerate((*edge.steps, edge.own), 1):
        text = " ".join(step.text.split())
        yield f"{edge.text} step {number} in {step.scope}.{step.path}: {step.transform} {text}".rstrip()
