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


def to_text(report: Report) -> str:
    """The report as lines, each with its line end. What is said twice in the same words is printed once."""
    return "".join(line + "\n" for line in dict.fromkeys(_lines(report)))


def _lines(report: Report) -> Iterator[str]:
    for relation in report.relations:
        yield f"{relation.kind} {relation.name}: {', '.join(relation.nodes)}"
    for edge in report.edges:
        yield from _edge_lines(edge)
    for message in report.messages:
        where = message.place
        text = " ".join(message.message.split())
        yield f"message: {message.code} {text} at {where.file}:{where.line}:{where.column}"


def _edge_lines(edge: EdgeRow) -> Iterator[str]:
    direct = dict.fromkeys(source.text for source in edge.sources if source.direct)
    if direct:
        yield f"{edge.text} <- {' '.join(direct)}"
    indirect = dict.fromkeys(source.text for source in edge.sources if not source.direct)
    if indirect:
        yield f"{edge.text} <~ {' '.join(indirect)}"
