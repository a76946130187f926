"""Where statements write nodes: the ways that implementation, the call hierarchy and the graph share."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sql_lineage_ls.features.navigate import declaration_of, is_star
from sql_lineage_ls.lineage.graph import WRITE
from sql_lineage_ls.lineage.model import Node, Path, StatementLineage
from sql_lineage_ls.syntax.query_model import AlterTable, CreateTable, CreateType, Drop
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView


class Write(Struct, frozen=True):
    """A statement that writes a node, and the token or expression in it that shows where."""

    document: DocumentView
    statement: StatementView
    span: FileSpan


def writes_of(snapshot: Snapshot, node: Node) -> Iterator[Write]:
    """The statements that write rows of a relation, or values of a column or field, in the order of the workspace.

    A plain CREATE TABLE writes nothing, and neither does an ALTER.
    """
    for document, statement in snapshot.writers(node.relation):
        if not _fills(statement):
            continue
        lineage = statement.lineage
        if _writes(lineage, node):
            yield Write(document, statement, write_place(snapshot, document, statement, lineage, node))


def write_place(
    snapshot: Snapshot, document: DocumentView, statement: StatementView, lineage: StatementLineage, node: Node
) -> FileSpan:
    """Where a statement with this lineage writes a node, as near as its text tells.

    That is the column's name in an INSERT, SET or view, else the expression that fills it, else the relation's name.
    """
    tokens = {
        read.path: (read.start, read.end)
        for read in reversed(lineage.reads)
        if read.usage == WRITE and read.relation == node.relation and read.start >= 0
    }
    if node.path in tokens:
        return _span(document, statement, tokens[node.path])
    declared = declaration_of(snapshot, node)
    if declared is not None and declared.uri == document.uri and _is_within(declared, statement):
        return declared
    for length in range(len(node.path) - 1, 0, -1):
        if node.path[:length] in tokens:
            return _span(document, statement, tokens[node.path[:length]])
    for edge in lineage.edges:
        if edge.relation == node.relation and edge.start >= 0 and _is_related(edge.path, node.path):
            return _span(document, statement, (edge.start, edge.end))
    if () in tokens:
        return _span(document, statement, tokens[()])
    return FileSpan(document.uri, statement.start, statement.end)


def home_of(snapshot: Snapshot, node: Node) -> FileSpan | None:
    """Where a node is declared, else where it is written first; None where it is only read."""
    declared = declaration_of(snapshot, node)
    if declared is not None and not is_star(snapshot, declared):
        return declared
    return next((write.span for write in writes_of(snapshot, node)), declared)


def _fills(statement: StatementView) -> bool:
    model = statement.model.statement
    if isinstance(model, CreateTable):
        return model.query is not None or bool(model.clone)
    return not isinstance(model, (AlterTable, CreateType, Drop))


def _writes(lineage: StatementLineage, node: Node) -> bool:
    if not node.path:
        return any(read.usage == WRITE and read.relation == node.relation for read in lineage.reads)
    written = (read.path for read in lineage.reads if read.usage == WRITE and read.relation == node.relation)
    filled = (edge.path for edge in lineage.edges if edge.relation == node.relation)
    return any(path and _is_related(path, node.path) for path in (*written, *filled))


def _is_related(one: Path, other: Path) -> bool:
    """Whether one path is the other, or lies in it."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _is_within(span: FileSpan, statement: StatementView) -> bool:
    return statement.start <= span.start and span.end <= statement.end


def _span(document: DocumentView, statement: StatementView, token: tuple[int, int]) -> FileSpan:
    return FileSpan(document.uri, statement.start + token[0], statement.start + token[1])
