"""The lineage of a case's result in terms that do not depend on how the query is written."""

from __future__ import annotations

from collections.abc import Mapping

from sql_lineage_ls.lineage.model import Node, Path, path_text
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.support.product import lineage_report, open_files

Facts = dict[str, frozenset[str]]
"""By target: its sources, each with its role."""


STORED = frozenset({"zoo.pens", "zoo.meals"})
"""The tables of all cases."""


def snapshot_of(files: Mapping[str, str], dialect: str, models: bool = False) -> Snapshot:
    return open_files({f"file:///{name}": text for name, text in files.items()}, dialect, models)


def edges(files: Mapping[str, str], dialect: str) -> Facts:
    """The edges of all statements with every role: nothing of them may change where only the writing does."""
    snapshot = snapshot_of(files, dialect)
    report = lineage_report(snapshot, {f"file:///{name}": name for name in files}, indirect=True)
    found: Facts = {}
    for edge in report.edges:
        sources = frozenset(f"{source.role} {source.text}".lower() for source in edge.sources)
        found[edge.text.lower()] = found.get(edge.text.lower(), frozenset()) | sources
    return found


def targets(files: Mapping[str, str], dialect: str, name: str) -> tuple[Path, ...]:
    """The columns and fields of the relation `name` that its own statement has edges for."""
    snapshot = snapshot_of(files, dialect)
    return tuple(
        edge.path
        for document in snapshot.documents()
        for statement in document.statements
        if snapshot.relation_name(statement.lineage.target).lower() == name
        for edge in statement.lineage.edges
    )


def origins(snapshot: Snapshot, name: str, paths: tuple[Path, ...]) -> Facts:
    """Which nodes of stored tables reach each path of the relation `name`, through any number of views."""
    relation = next(
        statement.lineage.target
        for document in snapshot.documents()
        for statement in document.statements
        if snapshot.relation_name(statement.lineage.target).lower() == name
    )
    found: Facts = {}
    for path in paths:
        reached = snapshot.upstream(Node(relation, path))
        shown = ((snapshot.relation_name(node.relation).lower(), path_text(node.path).lower()) for node in reached)
        found[path_text(path).lower()] = frozenset(f"{table}.{column}" for table, column in shown if table in STORED)
    return found
