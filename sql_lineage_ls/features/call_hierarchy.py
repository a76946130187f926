"""The lineage tree, in the terms of a call hierarchy: incoming is downstream, outgoing is upstream.

Every editor that shows who calls a function shows with it who uses a column, one statement a step, across files and to
any depth. A step that leads back to where the tree came by is shown once more and ends there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.features.definition import surrounding
from sql_lineage_ls.features.navigate import title_of
from sql_lineage_ls.features.results import LineageItem, LineageStep
from sql_lineage_ls.features.subject import Subject, subject_at
from sql_lineage_ls.features.writers import home_of, write_place, writes_of
from sql_lineage_ls.lineage.graph import CONTAINED, STAR, WRITE, made_from, written_from
from sql_lineage_ls.lineage.model import ROWS, Node, Read, StatementLineage, path_text
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView, Use

CIRCLE = "seen above"
DOWN, UP = "down", "up"
# A derived value may come from many nodes; an editor offers each as a root of its own.
_MOST_ROOTS = 20


def prepare_call_hierarchy(snapshot: Snapshot, uri: str, offset: int) -> tuple[LineageItem, ...]:
    """The roots of the tree for what stands at `offset`: a relation, a column or a nested field.

    A column of a CTE, or an output column that is stored nowhere, has the stored nodes behind it as roots.
    """
    subject = subject_at(snapshot, uri, offset)
    if subject is None:
        return ()
    nodes = subject.nodes or _behind(subject)
    here = subject.found.file_span(subject.found.occurrence.start, subject.found.occurrence.end)
    return tuple(_item(snapshot, node, home_of(snapshot, node) or here) for node in nodes[:_MOST_ROOTS])


def incoming_calls(snapshot: Snapshot, item: LineageItem) -> tuple[LineageStep, ...]:
    """One step downstream: what is written from the item, and the queries that read it, with the tokens that do.

    `t.addr` of `CREATE VIEW v AS SELECT addr.city AS c FROM t` leads to `v.c` by the token `city`. A statement that
    only filters, joins or groups by the item leads to the relation that it writes.
    """
    item = _on_the_way(item, DOWN)
    if item.node is None or item.circle:
        return ()
    steps: dict[tuple[object, str], tuple[LineageItem, dict[FileSpan, None]]] = {}
    readers: dict[tuple[str, int], _Reader] = {}
    for use in snapshot.direct_uses(item.node):
        if use.usage == WRITE or (not item.node.path and use.node.path):
            continue
        reader = _reader_at(snapshot, item.node, use.span, readers)
        if reader is None:
            continue
        for found in _written_by(snapshot, item, use, reader):
            key = (found.node or found.full, found.focus.uri)
            known = steps.setdefault(key, (found, {}))
            known[1].setdefault(use.span)
    return _steps(steps.values())


def outgoing_calls(snapshot: Snapshot, item: LineageItem) -> tuple[LineageStep, ...]:
    """One step upstream: the nodes that the writers of the item read for it, with the tokens that read them."""
    item = _on_the_way(item, UP)
    if item.node is None or item.circle:
        return ()
    steps: dict[tuple[object, str], tuple[LineageItem, dict[FileSpan, None]]] = {}
    for write in writes_of(snapshot, item.node):
        for source in _sources(write.statement, item.node):
            places = tuple(_reads(write.document, write.statement, source))
            place = home_of(snapshot, source) or next(iter(places), write.span)
            found = _item(snapshot, source, place, item)
            known = steps.setdefault((source, found.focus.uri), (found, {}))
            known[1].update(dict.fromkeys(places))
    return _steps(steps.values())


def _on_the_way(item: LineageItem, way: str) -> LineageItem:
    """The item as the tree in one direction sees it: who turns round has come by nothing yet."""
    return item if item.way == way else replace(item, behind=(), circle=False, way=way)


def _steps(found: Iterable[tuple[LineageItem, dict[FileSpan, None]]]) -> tuple[LineageStep, ...]:
    steps = (LineageStep(item, tuple(sorted(places))) for item, places in found)
    return tuple(sorted(steps, key=lambda step: (step.item.focus, step.item.name)))


# ---------------------------------------------------------------- items


def _item(snapshot: Snapshot, node: Node, place: FileSpan, before: LineageItem | None = None) -> LineageItem:
    """The item of a node that is shown at `place`."""
    relation = snapshot.relation(node.relation)
    if node.path:
        name, detail = path_text(node.path), snapshot.relation_name(node.relation)
        kind = "column" if len(node.path) == 1 else "field"
    else:
        name = snapshot.relation_name(node.relation)
        detail = kind = "view" if relation is not None and relation.kind == "view" else "table"
    behind = (*before.behind, before.node) if before is not None and before.node is not None else ()
    circle = node in behind
    if circle:
        detail = f"{detail} · {CIRCLE}"
    way = before.way if before is not None else ""
    return LineageItem(name, kind, detail, place, surrounding(snapshot, place), node, behind, circle, way)


def _query_item(document: DocumentView, statement: StatementView) -> LineageItem:
    """The item of a query that stores nothing: a report, an export."""
    span = FileSpan(document.uri, statement.start, statement.end)
    file = document.uri.rsplit("/", 1)[-1]
    return LineageItem(title_of(document, statement), "statement", file, span, span, None)


def _behind(subject: Subject) -> tuple[Node, ...]:
    nodes = (node for one in subject.found.occurrences for node in one.nodes)
    return tuple(dict.fromkeys(nodes))


# ---------------------------------------------------------------- steps


class _Reader(Struct, frozen=True):
    """A statement that reads the item, and what it writes from it."""

    document: DocumentView
    statement: StatementView
    lineage: StatementLineage
    targets: tuple[Node, ...]


def _reader_at(
    snapshot: Snapshot, node: Node, span: FileSpan, readers: dict[tuple[str, int], _Reader]
) -> _Reader | None:
    """The statement around a use of `node`; a statement that uses it often is looked into once."""
    document = snapshot.document(span.uri)
    statement = document.statement_at(span.start) if document is not None else None
    if document is None or statement is None:
        return None
    key = (span.uri, statement.index)
    if key not in readers:
        lineage = statement.lineage
        readers[key] = _Reader(document, statement, lineage, written_from(lineage, node) if node.path else ())
    return readers[key]


def _written_by(snapshot: Snapshot, item: LineageItem, use: Use, reader: _Reader) -> Iterator[LineageItem]:
    """What the statement around a use of the item writes from it."""
    document, statement = reader.document, reader.statement
    if not use.target or item.node is None:
        yield _query_item(document, statement)
        return
    used = [target for target in reader.targets if _is_used_for(reader, target, use)]
    # A statement that changes the rows which it chooses by the item writes nothing new from it.
    elsewhere = (Node(use.target, ()),) if use.target != item.node.relation else ()
    for target in used or reader.targets or elsewhere:
        yield _item(snapshot, target, write_place(snapshot, document, statement, reader.lineage, target), item)


def _is_used_for(reader: _Reader, target: Node, use: Use) -> bool:
    """Whether a use stands in the expression that fills `target`."""
    start, end = use.span.start - reader.statement.start, use.span.end - reader.statement.start
    return any(
        edge.start <= start and end <= edge.end
        for edge in reader.lineage.edges
        if edge.relation == target.relation and edge.path == target.path and edge.start >= 0
    )


def _sources(statement: StatementView, node: Node) -> tuple[Node, ...]:
    """What a statement reads to write a node; of a relation the relations that it names."""
    lineage = statement.lineage
    if not node.path:
        read = (read.relation for read in lineage.reads if not read.path and read.usage != WRITE)
        return tuple(Node(relation, ()) for relation in dict.fromkeys(read))
    found = made_from(lineage, node)
    if found:
        return found
    # A count of rows comes from their relation.
    edges = (edge for edge in lineage.edges if edge.relation == node.relation and edge.path == node.path)
    counted = (source.relation for edge in edges for source in edge.sources if source.path == ROWS)
    return tuple(Node(relation, ()) for relation in dict.fromkeys(counted))


def _reads(document: DocumentView, statement: StatementView, node: Node) -> Iterator[FileSpan]:
    """The tokens of a statement that read a node, or a record or star around it where none reads it itself."""
    reads = [read for read in statement.lineage.reads if read.relation == node.relation and read.usage != WRITE]
    exact = [read for read in reads if read.path == node.path]
    for read in exact or [read for read in reads if _contains(read, node)]:
        yield FileSpan(document.uri, statement.start + read.start, statement.start + read.end)


def _contains(read: Read, node: Node) -> bool:
    if read.path == ("*",):
        return True
    return bool(read.path) and node.path[: len(read.path)] == read.path and read.usage in ("read", STAR, CONTAINED)
