"""Where nodes are declared and what they come from: the ways that hover and the jumps share."""

from __future__ import annotations

from collections.abc import Iterable

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.lineage.model import ROWS, VALUE, Node
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView

# A chain through more nodes than this is cut: an editor shows a handful of them.
MOST_NODES = 400

_LONGEST_TITLE = 60
_VALUES = frozenset({VALUE})


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
    """The tokens that declare `nodes`; a column that a view has through `*` leads on to where the star found it.

    Where nothing behind a star is declared, the star is the nearest there is.
    """
    spans: dict[FileSpan, None] = {}
    stars: dict[FileSpan, None] = {}
    seen: set[Node] = set()
    waiting = list(nodes)[::-1]
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        span = declaration_of(snapshot, node)
        if span is not None and not is_star(snapshot, span):
            spans.setdefault(span)
            continue
        if span is not None:
            stars.setdefault(span)
        waiting.extend(snapshot.sources(node, _VALUES)[::-1])
    return tuple(spans or stars)


def is_star(snapshot: Snapshot, span: FileSpan) -> bool:
    """Whether a column is declared by a `*` only, so that its name stands nowhere in the statement."""
    document = snapshot.document(span.uri)
    return document is not None and document.text[span.start : span.end] == "*"


def title_of(document: DocumentView, statement: StatementView) -> str:
    """A statement that has no name of its own, by its first words."""
    start = statement.start
    title = " ".join(document.text[start : min(statement.end, start + 2 * _LONGEST_TITLE)].split())
    return f"{title[: _LONGEST_TITLE - 1]}…" if len(title) > _LONGEST_TITLE else title or "query"


def relations_read_by(snapshot: Snapshot, relation: Relation) -> tuple[Node, ...]:
    """The tables and views that the query of a view or CTAS names, in its order; () for a relation without a query."""
    site = relation.site
    document = snapshot.document(site.uri) if site is not None else None
    if site is None or document is None or not 0 <= site.statement < len(document.statements):
        return ()
    lineage = document.statements[site.statement].lineage
    if lineage.target != relation.id or not lineage.outputs:
        return ()
    return tuple(Node(read, ()) for read, _, _ in lineage.relations if read != relation.id)


def origins_of(snapshot: Snapshot, nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Where the values of `nodes` come from in the end: the nodes behind them that nothing feeds, sorted.

    Files of an external location stand behind the table that declares them, which is the end for a reader. A node
    that nothing feeds is its own origin, and so is one that is fed only in a circle (a table updated from itself).
    """
    origins: dict[Node, None] = {}
    for node in nodes:
        origins.update(dict.fromkeys(_ends(snapshot, node) or [node]))
    return tuple(sorted(origins))


def _ends(snapshot: Snapshot, node: Node) -> list[Node]:
    ends = []
    seen = {node}
    waiting = [node]
    while waiting and len(seen) < MOST_NODES:
        current = waiting.pop()
        sources = [source for source in snapshot.sources(current, _VALUES) if not _is_location(snapshot, source)]
        if not sources:
            ends.append(current)
        fresh = [source for source in sources if source not in seen]
        seen.update(fresh)
        waiting += fresh
    return ends


def _is_location(snapshot: Snapshot, node: Node) -> bool:
    relation = snapshot.relation(node.relation)
    return relation is not None and relation.kind == "location"
