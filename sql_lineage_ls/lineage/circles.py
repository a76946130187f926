"""Views that read each other: in a circle, or one above the other in a long chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from sql_lineage_ls.catalog.catalog import Catalog, Definition, Entry
from sql_lineage_ls.syntax import query_model as q

ModelOf = Callable[[Definition], object]
"""Gives the statement of a definition in full, with its query."""


def circle_of(entry: Entry, catalog: Catalog, model_of: ModelOf) -> frozenset[str]:
    """The ids of the views that `entry` reads and that read it, itself among them.

    Told from the text alone, so that it is the same whichever of them is asked for first.
    """
    reads: dict[str, tuple[str, ...]] = {}
    waiting = [entry]
    while waiting:
        current = waiting.pop()
        if current.id in reads:
            continue
        found = tuple(_read_by(current, catalog, model_of))
        reads[current.id] = tuple(other.id for other in found)
        waiting += found
    circle = {entry.id}
    grown = True
    while grown:
        more = {view for view, others in reads.items() if view not in circle and not circle.isdisjoint(others)}
        circle |= more
        grown = bool(more)
    return frozenset(circle)


def below(
    entry: Entry, catalog: Catalog, model_of: ModelOf, is_known: Callable[[Entry], bool]
) -> Iterator[Entry]:
    """The relations made by queries that `entry` reads, by way of others too: each behind those that it reads itself.

    Told from the text alone. Nothing is looked for below what is known.
    """
    seen = {entry.id}
    way = [(entry, _read_by(entry, catalog, model_of))]
    while way:
        current, others = way[-1]
        other = next(others, None)
        if other is None:
            way.pop()
            if way:
                yield current
        elif other.id not in seen:
            seen.add(other.id)
            if not is_known(other):
                way.append((other, _read_by(other, catalog, model_of)))


def _read_by(entry: Entry, catalog: Catalog, model_of: ModelOf) -> Iterator[Entry]:
    """The relations in the text of a view's or CTAS' query that are made by queries too."""
    query = entry.query
    if query is None:
        return
    for parts in dict.fromkeys(_tables(model_of(query))):
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
