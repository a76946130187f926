"""The reverse index: what every document says of every relation.

A document's contributions are replaced as a whole; merging happens when a relation is asked for. An index never
changes: replacing gives a new one that shares the rest.
"""

from __future__ import annotations

from collections.abc import Mapping

from sql_lineage_ls.lineage.graph import Contribution


class RelationIndex:
    """Contributions by relation and document."""

    __slots__ = ("_by_relation", "_relations_of")

    def __init__(
        self,
        by_relation: Mapping[str, Mapping[str, Contribution]] | None = None,
        relations_of: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self._by_relation = by_relation or {}
        self._relations_of = relations_of or {}

    def contributions(self, relation: str) -> tuple[Contribution, ...]:
        """What all documents say of a relation, in the order of their addresses."""
        by_uri = self._by_relation.get(relation)
        return tuple(by_uri[uri] for uri in sorted(by_uri)) if by_uri else ()

    def replace(self, changes: Mapping[str, Mapping[str, Contribution]]) -> RelationIndex:
        """The index with new contributions of some documents, by address, in place of those they had.

        A document without contributions is removed. Documents that change together should come together: each
        relation that they speak of is copied once.
        """
        by_relation = dict(self._by_relation)
        relations_of = dict(self._relations_of)
        copied: dict[str, dict[str, Contribution]] = {}
        for uri, contributions in changes.items():
            for relation in sorted(relations_of.pop(uri, frozenset()) | contributions.keys()):
                known = by_relation.get(relation)
                if known is not None and uri in known and known[uri] is contributions.get(relation):
                    continue
                by_uri = copied.get(relation)
                if by_uri is None:
                    by_uri = copied[relation] = dict(by_relation.get(relation, {}))
                by_uri.pop(uri, None)
                if relation in contributions:
                    by_uri[uri] = contributions[relation]
            if contributions:
                relations_of[uri] = frozenset(contributions)
        for relation, by_uri in copied.items():
            if by_uri:
                by_relation[relation] = by_uri
            else:
                by_relation.pop(relation, None)
        return RelationIndex(by_relation, relations_of)

    def relations(self) -> frozenset[str]:
        """Every relation that a document speaks of."""
        return frozenset(self._by_relation)
