"""Lineage as the text of a Mermaid flowchart, which Markdown on many sites shows as a picture.

A relation is a subgraph, a field path a node in it. Arrows follow the data: what carries values is a solid line, what
decides rows, groups, windows or order a dotted one with its role.

`v.c <- t.addr.city` becomes

    flowchart LR
      subgraph r0["t"]
        r0f0["addr.city"]
      end
      subgraph r1["v"]
        r1f0["c"]
      end
      r0f0 --> r1f0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from sql_lineage_ls.exporters.report import Report
from sql_lineage_ls.lineage.model import CONDITION, DIRECT_ROLES, VALUE, WINDOW


class Box(Struct, frozen=True):
    """A relation: the key that arrows name it by, its name, and the keys and names of its rows."""

    key: str
    name: str
    rows: tuple[tuple[str, str], ...] = ()


class Arrow(Struct, frozen=True, order=True):
    """From a row or box to another, by their keys."""

    source: str
    target: str
    role: str


def to_mermaid(boxes: Iterable[Box], arrows: Iterable[Arrow]) -> str:
    """The flowchart; an arrow from or to a key that no box has is left out."""
    ids: dict[str, str] = {}
    lines = ["flowchart LR"]
    for number, box in enumerate(boxes):
        lines += _box(number, box, ids)
    for arrow in sorted(set(arrows)):
        if arrow.source in ids and arrow.target in ids:
            lines.append(f"  {ids[arrow.source]} {_line(arrow.role)} {ids[arrow.target]}")
    return "\n".join(lines) + "\n"


def report_to_mermaid(report: Report) -> str:
    """All edges of a report. What decides the rows of a relation points at its box."""
    rows: dict[str, dict[str, None]] = {}
    arrows = set()
    for edge in report.edges:
        rows.setdefault(edge.relation, {})[edge.path] = None
        for source in edge.sources:
            rows.setdefault(source.relation, {})[source.path] = None
            to_row = source.role in DIRECT_ROLES or source.role == WINDOW
            target = _key(edge.relation, edge.path) if to_row else edge.relation
            arrows.add(Arrow(_key(source.relation, source.path), target, source.role))
    boxes = (Box(name, name, tuple((_key(name, path), path) for path in paths)) for name, paths in rows.items())
    return to_mermaid(boxes, arrows)


def _key(relation: str, path: str) -> str:
    return f"{relation}\0{path}"


def _box(number: int, box: Box, ids: dict[str, str]) -> Iterator[str]:
    ids[box.key] = f"r{number}"
    if not box.rows:
        yield f"  r{number}[{_text(box.name)}]"
        return
    yield f"  subgraph r{number}[{_text(box.name)}]"
    for row, (key, name) in enumerate(box.rows):
        ids[key] = f"r{number}f{row}"
        yield f"    r{number}f{row}[{_text(name)}]"
    yield "  end"


def _line(role: str) -> str:
    if role == VALUE:
        return "-->"
    return f"-->|{role}|" if role == CONDITION else f"-.->|{role}|"


def _text(name: str) -> str:
    """A label in quotes. What Mermaid reads in labels as markup is written as entities (Mermaid, "Entity codes")."""
    codes = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;", "&": "#amp;"}
    return '"' + "".join(codes.get(char, char) for char in " ".join(name.split())) + '"'
