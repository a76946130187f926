"""Lenses: above each declared table, view, column and nested field, how often it is used downstream.

Counts come from the index of the whole workspace, so every lens is complete when it is first shown, and lenses stand
in the order of the text. External locations, CTEs and undeclared relations have none.
"""

from __future__ import annotations

from collections import Counter

from sql_lineage_ls.features.locate import declared
from sql_lineage_ls.features.results import Lens
from sql_lineage_ls.features.uses import downstream, title
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import Snapshot


def code_lenses(snapshot: Snapshot, uri: str, fields: bool = True) -> tuple[Lens, ...]:
    """The lenses of a document, sorted by place; () before the workspace is analysed, when counts could grow.

    `CREATE TABLE t (a STRUCT<b INT64>)` has three: of `t`, `t.a` and `t.a.b`; without `fields` the last is left out.
    Where several stand on one line, as here, each title begins with its name: `a: 2 downstream uses`.
    """
    document = snapshot.document(uri)
    if document is None or not snapshot.complete:
        return ()
    nodes: dict[Span, dict[Node, None]] = {}
    for statement in document.statements:
        for occurrence in declared(snapshot, uri, statement):
            if len(occurrence.path) > 1 and not fields:
                continue
            span = Span(statement.start + occurrence.start, statement.start + occurrence.end)
            if document.text[span.start : span.end] == "*":
                # The columns behind a star are declared where it found them.
                continue
            nodes.setdefault(span, {}).setdefault(Node(occurrence.relation, occurrence.path))
    lines = {span: document.lines.position(span.start)[0] for span in nodes}
    crowded = {line for line, count in Counter(lines.values()).items() if count > 1}
    lenses = []
    for span in sorted(nodes):
        uses = downstream(snapshot, tuple(nodes[span]))
        # Lenses of one line stand side by side above it: a name tells them apart.
        name = f"{document.text[span.start : span.end]}: " if lines[span] in crowded else ""
        lenses.append(Lens(span, name + title(uses), uses.places))
    return tuple(lenses)
