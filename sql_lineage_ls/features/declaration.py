"""Go to declaration: straight to the declared source fields at the end of the chain, through views and copies."""

from __future__ import annotations

from sql_lineage_ls.features.definition import targets
from sql_lineage_ls.features.locate import find
from sql_lineage_ls.features.navigate import nearest_declarations, origins_of
from sql_lineage_ls.features.results import NavigationTarget
from sql_lineage_ls.lineage.model import Node, Occurrence
from sql_lineage_ls.workspace.snapshot import Snapshot


def declaration(snapshot: Snapshot, uri: str, offset: int) -> tuple[NavigationTarget, ...]:
    """The DDL tokens that the value at `offset` comes from in the end, () where no DDL of the workspace has them.

    `SELECT c FROM v` with `CREATE VIEW v AS SELECT t.addr.city AS c FROM t` leads to the field `city` of `t`.
    """
    found = find(snapshot, uri, offset)
    if found is None:
        return ()
    for occurrence in found.occurrences:
        spans = nearest_declarations(snapshot, origins_of(snapshot, _nodes(occurrence)))
        if spans:
            return targets(snapshot, found, spans)
    return ()


def _nodes(occurrence: Occurrence) -> tuple[Node, ...]:
    if occurrence.nodes:
        return occurrence.nodes
    if occurrence.kind == "star":
        return tuple(node for column in occurrence.columns for node in column.nodes)
    return (Node(occurrence.relation, occurrence.path),) if occurrence.relation else ()
