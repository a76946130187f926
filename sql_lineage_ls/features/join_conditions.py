"""Whole conditions for a JOIN .. ON: columns that the workspace joins elsewhere, then columns of one name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sql_lineage_ls.features.results import Completion
from sql_lineage_ls.features.written_names import qualifier, written
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.lineage.probe import Candidate, Source
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.workspace.snapshot import Snapshot

# Names that say nothing of what they identify: two tables with an `id` need not share it.
_GENERIC = frozenset({"id", "name", "type", "status", "value", "description", "created_at", "updated_at"})


def join_conditions(snapshot: Snapshot, sources: Sequence[Source], dialect: Dialect) -> Iterator[Completion]:
    """Conditions between the last source and those before it.

    Behind `FROM orders o JOIN customers c ON`, where some other statement has joined `orders.customer_id` with
    `customers.id`, the first is `o.customer_id = c.id`.
    """
    if len(sources) < 2:
        return
    *earlier, joined = sources
    partners: dict[Node, set[Node]] = {}
    for one, other in snapshot.joins(source.relation for source in sources):
        partners.setdefault(one, set()).add(other)
    # Looked up: two wide tables have a million pairs of columns.
    by_node: dict[Node, list[Candidate]] = {}
    by_key: dict[str, list[Candidate]] = {}
    for right in joined.columns:
        by_key.setdefault(right.key, []).append(right)
        for node in right.nodes:
            by_node.setdefault(node, []).append(right)
    found: dict[str, str] = {}
    for source in earlier:
        for left in source.columns:
            fitting = {other for node in left.nodes for other in partners.get(node, ())}
            for right in (one for node in sorted(fitting) for one in by_node.get(node, ())):
                found.setdefault(_condition(source, left, joined, right, dialect), "joined so elsewhere")
    for source in earlier:
        for left in source.columns:
            for right in by_key.get(left.key, ()) if left.key.lower() not in _GENERIC else ():
                found.setdefault(_condition(source, left, joined, right, dialect), "same name")
    for text, reason in found.items():
        yield Completion(text, "condition", text, "", reason)


def _condition(source: Source, left: Candidate, joined: Source, right: Candidate, dialect: Dialect) -> str:
    one, other = (one.name if "." in one.name else qualifier(one, dialect) for one in (source, joined))
    return f"{one}.{written(left, dialect)} = {other}.{written(right, dialect)}"
