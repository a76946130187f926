"""The lineage around a name as a graph: relations with the rows of their field paths, and the edges between rows.

Only what carries values is followed over several steps; what decides rows, groups or order is shown where it enters
and can be followed from there. A bare query is a relation of the kind `query`, which ends the way downstream.

`CREATE VIEW v AS SELECT addr.city AS c FROM t WHERE ok` seen from `v.c` is the boxes `t` (rows `addr`, in it `city`,
and `ok`) and `v` (row `c`), with the edges `v.c <- t.addr.city` (value) and `v.c <- t.ok` (membership).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from sql_lineage_ls.catalog.names import SEPARATOR
from sql_lineage_ls.features.navigate import title_of
from sql_lineage_ls.features.results import GraphEdge, GraphRelation, GraphRow, LineageGraph
from sql_lineage_ls.features.subject import Subject, subject_at
from sql_lineage_ls.features.type_text import one_line
from sql_lineage_ls.features.writers import home_of
from sql_lineage_ls.lineage.graph import WRITE, Link, flows_into, query_fans
from sql_lineage_ls.lineage.model import DIRECT_ROLES, MEMBERSHIP, ROWS, Node, Path, path_text
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView

Direction = Literal["up", "down", "both"]

# A picture of more edges is read by nobody; the rest is told as `truncated`.
MOST_EDGES = 1200
_MOST_ROOTS = 20
_QUERY = "query"


class GraphOptions(Struct, frozen=True):
    """Which way to go, and how many statements far."""

    direction: Direction = "both"
    depth: int = 1


class GraphStep(Struct, frozen=True):
    """Nodes to go on from."""

    nodes: tuple[Node, ...]
    options: GraphOptions = GraphOptions()


def lineage_graph(snapshot: Snapshot, uri: str, offset: int, options: GraphOptions) -> LineageGraph | None:
    """The graph around what stands at `offset`: a column or nested field, a relation, else what its statement writes.

    None where nothing there has a lineage.
    """
    nodes = _roots(snapshot, uri, offset)
    return expand_graph(snapshot, (GraphStep(nodes, options),)) if nodes else None


def expand_graph(snapshot: Snapshot, steps: Sequence[GraphStep]) -> LineageGraph:
    """One graph of several steps: around the nodes of the first, and from those of the others, which answers named.

    A node that is gone has no edges.
    """
    flows = _Flows(snapshot)
    links: dict[tuple[Node, Node, str], Link] = {}
    whole = True
    for step in steps:
        for up in (True, False):
            if step.options.direction != ("down" if up else "up"):
                whole = _walk(flows, step.nodes[:_MOST_ROOTS], up, step.options.depth, links) and whole
    focus = tuple(dict.fromkeys(steps[0].nodes))[:_MOST_ROOTS] if steps else ()
    edges = tuple(sorted(links.values()))
    ends = {end for link in edges for end in (link.source, link.target)}.union(focus)
    known = frozenset(links)
    relations = sorted({node.relation for node in ends})
    return LineageGraph(
        focus=focus,
        relations=tuple(_relation(flows, one, ends, known) for one in relations),
        edges=tuple(GraphEdge(link.source, link.target, link.role, link.transform) for link in edges),
        truncated=not whole,
    )


# ---------------------------------------------------------------- where it begins


def _roots(snapshot: Snapshot, uri: str, offset: int) -> tuple[Node, ...]:
    document = snapshot.document(uri)
    statement = document.statement_at(offset) if document is not None else None
    subject = subject_at(snapshot, uri, offset)
    if subject is not None and subject.nodes:
        return subject.nodes
    if document is None or statement is None:
        return ()
    return _of_query(document, statement, subject) or tuple(_behind(subject)) or _written(document, statement)


def _of_query(document: DocumentView, statement: StatementView, subject: Subject | None) -> tuple[Node, ...]:
    """The output column that a token of a bare query names."""
    if subject is None or statement.lineage.target:
        return ()
    names = {(one.name,) for one in subject.found.occurrences if one.kind == "output"}
    paths = dict.fromkeys(edge.path for edge in statement.lineage.edges if edge.path in names)
    return tuple(Node(_query_id(document, statement), path) for path in paths)


def _behind(subject: Subject | None) -> Iterator[Node]:
    for one in subject.found.occurrences if subject is not None else ():
        yield from one.nodes


def _written(document: DocumentView, statement: StatementView) -> tuple[Node, ...]:
    """What the statement around a place without a name is about."""
    lineage = statement.lineage
    if lineage.target:
        return (Node(lineage.target, ()),)
    return (Node(_query_id(document, statement), ()),) if lineage.reads else ()


# ---------------------------------------------------------------- the way


def _walk(
    flows: _Flows, focus: Iterable[Node], up: bool, depth: int, links: dict[tuple[Node, Node, str], Link]
) -> bool:
    """Adds the links of `depth` steps; False where there are more than a picture holds."""
    waiting = list(focus)
    seen = set(waiting)
    for _ in range(depth):
        reached: list[Node] = []
        for node in waiting:
            for link in flows.of(node, up):
                if len(links) >= MOST_EDGES:
                    return False
                links.setdefault(_key(link), link)
                other = link.source if up else link.target
                if link.role in DIRECT_ROLES and other not in seen:
                    seen.add(other)
                    reached.append(other)
        waiting = reached
    return True


class _Flows:
    """The links of each node, each found once for one graph."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._known: dict[tuple[Node, bool], tuple[Link, ...]] = {}
        self._readers: dict[str, tuple[str, ...]] = {}

    def of(self, node: Node, up: bool) -> tuple[Link, ...]:
        """The links one statement up or down from a node."""
        found = self._known.get((node, up))
        if found is None:
            found = self._known[node, up] = self._find(node, up)
        return found

    def _find(self, node: Node, up: bool) -> tuple[Link, ...]:
        query = _query_of(self.snapshot, node.relation)
        if query is not None:
            return flows_into(query_fans(query[1].lineage, node.relation), node) if up else ()
        if up:
            return self.snapshot.flows_into(node)
        return (*self.snapshot.flows_out_of(node), *self._into_queries(node))

    def _into_queries(self, node: Node) -> Iterator[Link]:
        """The links into the bare queries that read a node; one that only counts on a relation is linked as a whole."""
        if node.relation not in self._readers:
            self._readers[node.relation] = tuple(dict.fromkeys(_readers(self.snapshot, node.relation)))
        for query in self._readers[node.relation]:
            touching = [link for link in self.of(Node(query, ()), True) if _touches(link.source, node)]
            yield from touching or ([] if node.path else [Link(node, Node(query, ()), MEMBERSHIP, "IDENTITY")])


def _readers(snapshot: Snapshot, relation: str) -> Iterator[str]:
    """The ids of the bare queries that read a relation."""
    for use in snapshot.direct_uses(Node(relation, ())):
        document = snapshot.document(use.span.uri) if not use.target and use.usage != WRITE else None
        statement = document.statement_at(use.span.start) if document is not None else None
        # What an ALTER or a DROP names has no target either, and is no query.
        if document is not None and statement is not None and statement.lineage.edges:
            yield _query_id(document, statement)


def _touches(source: Node, node: Node) -> bool:
    shared = min(len(source.path), len(node.path))
    return source.relation == node.relation and source.path[:shared] == node.path[:shared]


def _key(link: Link) -> tuple[Node, Node, str]:
    return link.source, link.target, link.role


# ---------------------------------------------------------------- bare queries


def _query_id(document: DocumentView, statement: StatementView) -> str:
    return SEPARATOR.join((_QUERY, document.uri, str(statement.index)))


def _query_of(snapshot: Snapshot, relation: str) -> tuple[DocumentView, StatementView] | None:
    """The bare query that an id of `_query_id` names, None for a relation."""
    parts = relation.split(SEPARATOR)
    if len(parts) != 3 or parts[0] != _QUERY or not parts[2].isdecimal():
        return None
    document, index = snapshot.document(parts[1]), int(parts[2])
    return (document, document.statements[index]) if document and index < len(document.statements) else None


# ---------------------------------------------------------------- boxes


def _relation(
    flows: _Flows, relation: str, ends: Iterable[Node], known: frozenset[tuple[Node, Node, str]]
) -> GraphRelation:
    snapshot = flows.snapshot
    paths = {node.path for node in ends if node.relation == relation and node.path}
    rows = tuple(_rows(flows, relation, paths, known))
    up, down = (_leads_on(flows, Node(relation, ()), known, way) for way in (True, False))
    query = _query_of(snapshot, relation)
    if query is not None:
        document, statement = query
        place = FileSpan(document.uri, statement.start, statement.end)
        return GraphRelation(relation, title_of(document, statement), "query", place, rows, up, down)
    declared = snapshot.relation(relation)
    kind = declared.kind if declared is not None else "table"
    place_of = home_of(snapshot, Node(relation, ()))
    return GraphRelation(relation, snapshot.relation_name(relation), kind, place_of, rows, up, down)


def _rows(
    flows: _Flows, relation: str, paths: set[Path], known: frozenset[tuple[Node, Node, str]]
) -> Iterator[GraphRow]:
    """The rows of `paths` and of the records around them, as they are declared.

    An element has no row beside its array unless both are used: `items[*].sku` is `sku` below `items[*]`.
    """
    snapshot = flows.snapshot
    shown = {path[:length] for path in paths for length in range(1, len(path) + 1)}
    shown -= {path for path in shown if path not in paths and any(_is_element_of(one, path) for one in shown)}
    ordered = sorted(shown, key=lambda path: _order(snapshot, relation, path))
    for path in ordered:
        node = Node(relation, path)
        above = next((path[:length] for length in range(len(path) - 1, 0, -1) if path[:length] in shown), ())
        depth = sum(path[:length] in shown for length in range(1, len(path)))
        field = snapshot.field(node)
        used = path in paths
        yield GraphRow(
            path=path,
            label="rows" if path == ROWS else path_text(path[len(above) :]),
            depth=depth,
            type=one_line(field.type, 1) if field is not None else "",
            place=home_of(snapshot, node),
            used=used,
            up=used and _leads_on(flows, node, known, True),
            down=used and _leads_on(flows, node, known, False),
        )


def _is_element_of(path: Path, array: Path) -> bool:
    return path[:-1] == array and path[-1].startswith("[")


def _order(snapshot: Snapshot, relation: str, path: Path) -> tuple[tuple[bool, int, str], ...]:
    """Rows as they are declared, each below what contains it, others by name, the rows of the relation last."""
    key = []
    for length in range(1, len(path) + 1):
        declared = snapshot.declaration(Node(relation, path[:length]))
        place = declared.start if declared is not None else -1
        key.append((path == ROWS, place, path[length - 1]))
    return tuple(key)


def _leads_on(flows: _Flows, node: Node, known: frozenset[tuple[Node, Node, str]], up: bool) -> bool:
    """Whether more is one step away than the graph shows."""
    return any(_key(link) not in known for link in flows.of(node, up))
