"""The nodes of a type tree: from a column to every field and element below it.

`items ARRAY<STRUCT<sku STRING>>` has the nodes `items`, `items[*]`, `items[*].sku`; a map is an array of entries with
the fields `key` and `value`.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Site

ELEMENT = "[*]"

Path = tuple[str, ...]


class TreeNode(Struct, frozen=True, gc=False):
    """One node of a type tree. `site` is the token that declares it, None for elements and for a map's entries."""

    path: Path
    type: DataType
    site: Site | None = None


def entry_type(map_type: MapType) -> RecordType:
    """The record that one entry of a map is: `MAP<STRING, INT>` gives `key STRING`, `value INT`."""
    return RecordType((Field("key", "key", map_type.key), Field("value", "value", map_type.value)), "ENTRY")


def children(node: TreeNode) -> tuple[TreeNode, ...]:
    """The nodes directly below `node`, in the order of their declaration."""
    path, data_type = node.path, node.type
    if isinstance(data_type, RecordType):
        return tuple(TreeNode((*path, field.name), field.type, field.site) for field in data_type.fields)
    if isinstance(data_type, ArrayType):
        return (TreeNode((*path, ELEMENT), data_type.element),)
    if isinstance(data_type, MapType):
        return (TreeNode((*path, ELEMENT), entry_type(data_type)),)
    return ()


def columns_of(columns: tuple[Field, ...]) -> tuple[TreeNode, ...]:
    """The columns themselves as nodes."""
    return tuple(TreeNode((column.name,), column.type, column.site) for column in columns)


def walk(columns: tuple[Field, ...]) -> Iterator[TreeNode]:
    """Every node of a relation's columns, a column before its fields, in the order of their declaration."""
    stack = list(reversed(columns_of(columns)))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))
