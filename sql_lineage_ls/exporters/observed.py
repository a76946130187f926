"""What statements say of one relation, and the nodes that it is listed with."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sql_lineage_ls.catalog.field_tree import TreeNode, children, columns_of, walk
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import ArrayType, DataType, RecordType
from sql_lineage_ls.lineage.model import ROWS, Edge, Path, path_text

STAR: Path = ("*",)
"""The columns of a relation that nobody lists."""


class Observed(Struct):
    """What the statements say of one relation: its name, its kind, and the paths read and written.

    `inferred` where a query gives its columns.
    """

    name: str
    kind: str
    written: dict[Path, None]
    paths: dict[Path, None]
    inferred: bool = False

    def write(self, edge: Edge) -> None:
        """Notes an edge to the relation; one to its rows makes no node."""
        if edge.path != ROWS:
            self.written.setdefault(edge.path)

    def read(self, path: Path) -> None:
        """Notes a node that is read; the relation's rows are none."""
        if path != ROWS:
            self.paths.setdefault(path)


def node_texts(relation: Relation | None, entry: Observed) -> tuple[str, ...]:
    """The nodes of a relation: what its DDL declares or its query gives, then what else was observed."""
    nodes: dict[Path, None] = {}
    if relation is not None:
        declared = _output_nodes(relation, entry) if entry.inferred else walk(relation.columns)
        nodes.update(dict.fromkeys(node.path for node in declared))
    for path in (*entry.written, *entry.paths):
        if path not in nodes and not (path == STAR and relation is not None and not relation.open):
            nodes.update(dict.fromkeys(path[:length] for length in range(1, len(path) + 1)))
    return tuple(dict.fromkeys(path_text(path) for path in nodes))


def _output_nodes(relation: Relation, entry: Observed) -> Iterator[TreeNode]:
    """The columns that a query gives, with the fields that it builds itself.

    A column that is handed on whole is one node. Of one that a constructor builds only the fields are listed, of one
    that is cast to a record type the column too (docs/lineage-text.md, "Nodes").
    """
    waiting = list(columns_of(relation.columns))[::-1]
    while waiting:
        node = waiting.pop()
        if not _is_built(node.type):
            yield node
        if node.path not in entry.written:
            waiting.extend(child for child in reversed(children(node)) if _is_written(child.path, entry))


def _is_built(data_type: DataType) -> bool:
    while isinstance(data_type, ArrayType):
        data_type = data_type.element
    return isinstance(data_type, RecordType) and data_type.built


def _is_written(path: Path, entry: Observed) -> bool:
    """Whether the query gives the node a source of its own, or something below it."""
    return any(target[: len(path)] == path for target in entry.written)
