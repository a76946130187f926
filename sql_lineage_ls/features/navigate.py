"""Where nodes are declared and what they come from: the ways that hover and the jumps share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sql_lineage_ls.lineage.model import ROWS, VALUE, Node
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot

# A chain through more nodes than this is cut: an editor shows a handful of them.
MOST_NODES = 400

_UNCHANGED = frozenset({"IDENTITY", "RENAME", "UNNEST", "UNION"})


def declaration_of(snapshot: Snapshot, node: Node) -> FileSpan | None:
    """The token that declares a node, None where nothing in the workspace does.

    A field of a semi-structured column has no token of its own: `doc:device.os` leads to `doc`. A column that a
    relation may have without declaring it leads to the relation.
    """
    if node.path in ((), ROWS):
        return snapshot.relation_declaration(node.relation)
    for length in range(len(node.path), 0, -1):
        span = snapshot.declaration(Node(node.relation, node.path[:length]))
        if span is not None:
            return span
    relation = snapshot.relation(node.relation)
    return snapshot.relation_declaration(node.relation) if relation is not None and relation.open else None


def nearest_declarations(snapshot: Snapshot, nodes: Iterable[Node]) -> tuple[FileSpan, ...]:
    """The tokens that declare `nodes`; a column that a view has through `*` leads on to where the star found it."""
    spans: dict[FileSpan, None] = {}
    seen: set[Node] = set()
    waiting = list(nodes)[::-1]
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        span = declaration_of(snapshot, node)
        if span is not None:
            spans.setdefault(span)
        else:
            waiting.extend(list(sources_of(snapshot, node))[::-1])
    return tuple(spans)


def sources_of(snapshot: Snapshot, node: Node) -> Iterator[Node]:
    """The sources of a view's column, one statement nearer to the data."""
    relation = snapshot.relation(node.relation)
    document = snapshot.document(relation.site.uri) if relation is not None and relation.site is not None else None
    if relation is None or relation.site is None or document is None:
        return
    if relation.site.statement >= len(document.statements):
        return
    edges = [
        edge
        for edge in document.statements[relation.site.statement].lineage.edges
        if edge.relation == node.relation and node.path[: len(edge.path)] == edge.path
    ]
    for edge in edges:
        rest = node.path[len(edge.path) :]
        for source in edge.sources:
            if source.role != VALUE:
                continue
            yield Node(source.relation, source.path + rest if source.transform in _UNCHANGED else source.path)


def origins_of(snapshot: Snapshot, nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Where the chains of `nodes` end: the nodes behind them that have no source of their own, sorted.

    Files of an external location stand behind the table that declares them, which is the end for a reader. `nodes`
    that nothing feeds are their own origin.
    """
    origins: dict[Node, None] = {}
    for node in nodes:
        behind = _upstream(snapshot, node)
        ends = [source for source in behind[:MOST_NODES] if not _upstream(snapshot, source)]
        # In a cycle (a table that is updated from itself) nothing is the end.
        origins.update(dict.fromkeys(ends or [node]))
    return tuple(sorted(origins))


def _upstream(snapshot: Snapshot, node: Node) -> list[Node]:
    return [source for source in snapshot.upstream(node) if not _is_location(snapshot, source)]


def _is_location(snapshot: Snapshot, node: Node) -> bool:
    relation = snapshot.relation(node.relation)
    return relation is not None and relation.kind == "location"
