"""Whole conditions for a JOIN .. ON: columns that the workspace joins elsewhere, then columns of one name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sql_lineage_ls.features.results import Completion
from sql_lineage_ls.features.written_names import written
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
    known = snapshot.joins(source.relation for source in sources)
    seen: set[str] = set()
    for test, reason in ((_joined_before, "joined so elsewhere"), (_same_name, "same name")):
        for source in earlier:
            for left in source.columns:
                for right in joined.columns:
                    text = f"{source.name}.{written(left, dialect)} = {joined.name}.{written(right, dialect)}"
                    if text not in seen and test(left, right, known):
                        seen.add(text)
                        yield Completion(text, "condition", text, "", reason)


def _joined_before(left: Candidate, right: Candidate, known: frozenset[tuple[Node, Node]]) -> bool:
    return any((one, other) in known for one in left.nodes for other in right.nodes)


def _same_name(left: Candidate, right: Candidate, known: frozenset[tuple[Node, Node]]) -> bool:
    return left.key == right.key and left.key.lower() not in _GENERIC
