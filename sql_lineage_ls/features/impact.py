"""What a change of a column, field or relation would touch: everything downstream of it, by what it is written to."""

from __future__ import annotations

from sql_lineage_ls.features.results import Impact, ImpactGroup, Reference
from sql_lineage_ls.features.subject import subject_at
from sql_lineage_ls.lineage.model import Node, path_text
from sql_lineage_ls.workspace.snapshot import Snapshot, Use


def named_nodes(snapshot: Snapshot, uri: str, offset: int) -> tuple[Node, ...]:
    """The stored nodes that the token at `offset` means, or that its value comes from; () where it means nothing."""
    subject = subject_at(snapshot, uri, offset)
    if subject is None:
        return ()
    return subject.nodes or tuple(dict.fromkeys(node for one in subject.found.occurrences for node in one.nodes))


def node_name(snapshot: Snapshot, node: Node) -> str:
    """`shop.orders.items[*].qty`; a relation's own name for the path ()."""
    name = snapshot.relation_name(node.relation)
    return f"{name}.{path_text(node.path)}" if node.path else name


def impact(snapshot: Snapshot, uri: str, offset: int) -> Impact | None:
    """The downstream uses of what stands at `offset`, through views and tables, None where nothing stored does.

    With `CREATE VIEW v AS SELECT o.city AS c FROM orders o` and `SELECT c FROM v`, the impact of `orders.city` is two
    groups: the read in `v`, and the one in the query, which writes nothing.
    """
    nodes = named_nodes(snapshot, uri, offset)
    if not nodes:
        return None
    groups: dict[tuple[str, str], dict[Reference, None]] = {}
    reached = dict.fromkeys((*nodes, *(further for node in nodes for further in snapshot.downstream(node))))
    for node in reached:
        for use in snapshot.uses(node):
            # A relation is used where a statement names it, and not once more for each of its columns.
            if use.usage != "write" and (node.path or not use.node.path):
                groups.setdefault(_group(use), {}).setdefault(Reference(use.span, use.usage))
    found = [
        ImpactGroup(
            snapshot.relation_name(target) if target else "",
            snapshot.relation_declaration(target) if target else None,
            tuple(sorted(uses, key=lambda one: (one.span, one.usage))),
        )
        for (target, _), uses in groups.items()
    ]
    found.sort(key=lambda group: (not group.name, group.name, group.uses[0].span))
    return Impact(tuple(node_name(snapshot, node) for node in nodes), tuple(found))


def _group(use: Use) -> tuple[str, str]:
    """What a use goes into: the relation that its statement writes, or the queries of its file."""
    return use.target, "" if use.target else use.span.uri
