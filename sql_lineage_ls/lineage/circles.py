"""Views that read each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sql_lineage_ls.catalog.catalog import Catalog, Entry
from sql_lineage_ls.syntax import query_model as q


def circle_of(entry: Entry, catalog: Catalog) -> frozenset[str]:
    """The ids of the views that `entry` reads and that read it, itself among them.

    Told from the text alone, so that it is the same whichever of them is asked for first.
    """
    reads: dict[str, tuple[str, ...]] = {}
    waiting = [entry]
    while waiting:
        current = waiting.pop()
        if current.id in reads:
            continue
        found = tuple(_read_by(current, catalog))
        reads[current.id] = tuple(other.id for other in found)
        waiting += found
    circle = {entry.id}
    grown = True
    while grown:
        more = {view for view, others in reads.items() if view not in circle and not circle.isdisjoint(others)}
        circle |= more
        grown = bool(more)
    return frozenset(circle)


def _read_by(entry: Entry, catalog: Catalog) -> Iterator[Entry]:
    """The relations in the text of a view's or CTAS' query that are made by queries too."""
    query = entry.query
    if query is None:
        return
    for parts in dict.fromkeys(_tables(query.model)):
        other = catalog.find(parts, query.dialect, query.namespace, query.uri)
        if other is not None and other.query is not None:
            yield other


def _tables(model: object) -> Iterator[tuple[q.Name, ...]]:
    waiting = [model]
    while waiting:
        node = waiting.pop()
        if isinstance(node, q.TableRef) and node.parts:
            yield node.parts
        if isinstance(node, tuple):
            waiting += node
        elif isinstance(node, Struct):
            waiting += [getattr(node, name) for name in node.__struct_fields__]
