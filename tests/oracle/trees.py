"""Where the leaves of a value come from: the common tongue of the engines and of the program.

A tree is a set of tags (a scalar: the leaves that it is made of), `Row` (a record), `Items` (an array: any of its
elements), or None (NULL, which has any shape). A tag is the path of a leaf of a stored column: `ship.cargo[*].label`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Union

ELEMENT = "[*]"


@dataclass(frozen=True)
class Leaf:
    """A string."""


@dataclass(frozen=True)
class Rec:
    """A record type."""

    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True)
class Arr:
    """An array type."""

    element: Type


Type = Union[Leaf, Rec, Arr]
LEAF = Leaf()


@dataclass(frozen=True)
class Table:
    """A stored table."""

    name: str
    columns: tuple[tuple[str, Type], ...]


Schema = tuple[Table, ...]


@dataclass(frozen=True)
class Row:
    """A record value; field names as the engine shows them."""

    fields: tuple[tuple[str, Tree], ...]


@dataclass(frozen=True)
class Items:
    """An array value."""

    element: Tree


Tree = Union[frozenset[str], Row, Items, None]


def stored(path: str, kind: Type) -> Tree:
    """The tree of a stored column: every leaf comes from itself."""
    if isinstance(kind, Rec):
        return Row(tuple((name, stored(f"{path}.{name}", inner)) for name, inner in kind.fields))
    if isinstance(kind, Arr):
        return Items(stored(path + ELEMENT, kind.element))
    return frozenset({path})


def tags(tree: Tree) -> frozenset[str]:
    """All leaves that a tree is made of."""
    if tree is None:
        return frozenset()
    if isinstance(tree, Row):
        return frozenset(tag for _, inner in tree.fields for tag in tags(inner))
    return tags(tree.element) if isinstance(tree, Items) else tree


def merged(trees: Iterable[Tree]) -> Tree:
    """One of several values: records by position, as SQL's set operations and CASE put them together."""
    known = [tree for tree in trees if tree is not None]
    if not known:
        return None
    rows = [tree for tree in known if isinstance(tree, Row)]
    if len(rows) == len(known) and len({len(row.fields) for row in rows}) == 1:
        columns = zip(*(row.fields for row in rows), strict=True)
        return Row(tuple((cells[0][0], merged(tree for _, tree in cells)) for cells in columns))
    if all(isinstance(tree, Items) for tree in known):
        return Items(merged(tree.element for tree in known if isinstance(tree, Items)))
    return frozenset(tag for tree in known for tag in tags(tree))


class Repeated(Exception):
    """Two fields of a record have one name, which a path does not tell apart."""


def at(tree: Tree, path: tuple[str, ...]) -> Tree:
    """The part of a tree at a path of our edges; the whole where the path goes below what is known.

    Raises KeyError where there is no such field, and `Repeated` where there are two.
    """
    for step in path:
        if isinstance(tree, Items):
            if step == ELEMENT:
                tree = tree.element
                continue
            tree = tree.element  # `items.sku` of an array is the array of its fields
        if not isinstance(tree, Row):
            return tree
        found = [inner for name, inner in tree.fields if name.lower() == step.lower()]
        if not found:
            raise KeyError(step)
        if len(found) > 1:
            raise Repeated(step)
        tree = found[0]
    return tree


def leaf_paths(schema: Schema) -> Iterator[str]:
    """The paths of all leaves of a schema."""
    for table in schema:
        for name, kind in table.columns:
            yield from sorted(tags(stored(f"{table.name}.{name}", kind)))
