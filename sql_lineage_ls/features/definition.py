"""Go to definition: one hop nearer to the source.

From an output column to the projection's column, from a column to the CTE's or view's projection or to the DDL's
column, from a field to that field's own token, from an alias to its relation.
"""

from __future__ import annotations

from sql_lineage_ls.features.locate import Found, find
from sql_lineage_ls.features.navigate import nearest_declarations
from sql_lineage_ls.features.results import NavigationTarget
from sql_lineage_ls.lineage.model import Node, Occurrence
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot


def definition(snapshot: Snapshot, uri: str, offset: int) -> tuple[NavigationTarget, ...]:
    """The places one hop nearer to the source of the token at `offset`, () where none is proved."""
    found = find(snapshot, uri, offset)
    if found is None:
        return ()
    for occurrence in found.occurrences:
        spans = _definitions(snapshot, found, occurrence)
        if spans:
            return targets(snapshot, found, spans)
    return ()


def targets(snapshot: Snapshot, found: Found, spans: tuple[FileSpan, ...]) -> tuple[NavigationTarget, ...]:
    """Jump targets at `spans`, each once and in their order."""
    return tuple(
        NavigationTarget(span, surrounding(snapshot, span), found.span) for span in dict.fromkeys(spans)
    )


def surrounding(snapshot: Snapshot, span: FileSpan) -> FileSpan:
    """The statement that a span stands in, for an editor's preview."""
    document = snapshot.document(span.uri)
    statement = document.statement_at(span.start) if document is not None else None
    if statement is None or statement.end < span.end:
        return span
    return FileSpan(span.uri, statement.start, statement.end)


def _definitions(snapshot: Snapshot, found: Found, occurrence: Occurrence) -> tuple[FileSpan, ...]:
    here = tuple(found.file_span(start, end) for start, end in occurrence.definitions)
    stars = all(found.text(start, end) == "*" for start, end in occurrence.definitions)
    if here and not stars:
        return here
    # A column that came through `*` leads on to where the star found it.
    return _declarations(snapshot, occurrence) or here


def _declarations(snapshot: Snapshot, occurrence: Occurrence) -> tuple[FileSpan, ...]:
    if occurrence.kind in ("relation", "alias", "cte") and not (occurrence.nodes and not occurrence.relation):
        span = snapshot.relation_declaration(occurrence.relation) if occurrence.relation else None
        return (span,) if span is not None else ()
    nodes = occurrence.nodes  # also those of an element: `i` in UNNEST(o.items) AS i
    if not nodes and occurrence.kind not in ("output", "star") and occurrence.path:
        nodes = (Node(occurrence.relation, occurrence.path),)
    if occurrence.kind == "star" and not nodes:
        nodes = tuple(node for column in occurrence.columns for node in column.nodes)
    return nearest_declarations(snapshot, nodes)
