"""One spelling for a column that no DDL declares, over all documents.

Within a statement the first spelling counts (`Context.spelled`); statements know nothing of each other, so that a
report chooses again: the first one in the order of the documents. Keys inside semi-structured values keep their case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from sql_lineage_ls.lineage.model import Node, Path, StatementLineage
from sql_lineage_ls.syntax.dialects import Dialect


class Spellings:
    """How the columns of undeclared relations are spelled in a report.

    `o.Qty` in the first file and `o.QTY` in the second are one node, `Qty`, where the dialect folds them together.
    """

    def __init__(
        self, lineages: Iterable[tuple[StatementLineage, Dialect]], is_declared: Callable[[str], bool]
    ) -> None:
        first: dict[tuple[str, str], str] = {}
        self._others: dict[tuple[str, str], str] = {}
        known: dict[str, bool] = {}
        for lineage, dialect in lineages:
            for relation, path in dict.fromkeys(_nodes(lineage)):
                if not path or path[0] == "*":
                    continue
                declared = known.get(relation)
                if declared is None:
                    declared = known[relation] = is_declared(relation)
                if not declared:
                    spelled = first.setdefault((relation, dialect.column_key(path[0])), path[0])
                    if spelled != path[0]:
                        self._others[relation, path[0]] = spelled

    def applied(self, lineage: StatementLineage) -> StatementLineage:
        """The lineage with its columns as the report spells them; the very same where none is spelled differently."""
        if not self._others or not any(path and (relation, path[0]) in self._others for relation, path in
                                       _nodes(lineage)):
            return lineage
        edges = tuple(
            replace(
                edge, path=self._path(edge.relation, edge.path),
                sources=tuple(replace(s, path=self._path(s.relation, s.path)) for s in edge.sources),
            )
            for edge in lineage.edges
        )
        joins = tuple(replace(j, left=self._node(j.left), right=self._node(j.right)) for j in lineage.joins)
        reads = tuple(replace(read, path=self._path(read.relation, read.path)) for read in lineage.reads)
        return replace(lineage, edges=edges, joins=joins, reads=reads)

    def _path(self, relation: str, path: Path) -> Path:
        spelled = self._others.get((relation, path[0])) if path else None
        return path if spelled is None else (spelled, *path[1:])

    def _node(self, node: Node) -> Node:
        return Node(node.relation, self._path(node.relation, node.path))


def _nodes(lineage: StatementLineage) -> Iterator[tuple[str, Path]]:
    for edge in lineage.edges:
        yield edge.relation, edge.path
        for source in edge.sources:
            yield source.relation, source.path
    for read in lineage.reads:
        yield read.relation, read.path
