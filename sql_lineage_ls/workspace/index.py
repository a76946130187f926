"""The reverse index: what every document says of every relation.

A document's contributions are replaced as a whole; merging happens when a relation is asked for. An index never
changes: replacing gives a new one that shares the rest.
"""

from __future__ import annotations

import logging
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Union

from msgspec import msgpack

from sql_lineage_ls.lineage.graph import Columns, Contribution, Fan
from sql_lineage_ls.syntax.packed import packed, unpacked

_log = logging.getLogger(__name__)

HeldContribution = Union[Contribution, bytes]
"""What a document says of a relation, or that encoded."""

# Of so many relations the contributions stay decoded: a file with lenses asks for each of its columns.
_MOST_DECODED = 256
_MOST_BY_COLUMN = 64

_decode = msgpack.Decoder(Contribution).decode


def pack_contribution(contribution: Contribution) -> HeldContribution:
    """A contribution encoded; itself where it cannot be (half of a surrogate pair in a name)."""
    try:
        return packed(msgpack.encode(contribution))
    except UnicodeEncodeError:
        return contribution


def contribution_of(held: HeldContribution) -> Contribution:
    """The contribution that is held. Bytes that are none say nothing."""
    if isinstance(held, Contribution):
        return held
    try:
        return _decode(unpacked(held))
    except (ValueError, zlib.error):
        _log.error("a part of the index cannot be read")
        return Contribution()


class RelationIndex:
    """Contributions by relation and document."""

    __slots__ = ("_by_relation", "_columns", "_decoded", "_relations_of")

    def __init__(
        self,
        by_relation: Mapping[str, Mapping[str, HeldContribution]] | None = None,
        relations_of: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self._by_relation = by_relation or {}
        self._relations_of = relations_of or {}
        self._decoded: OrderedDict[str, tuple[Contribution, ...]] = OrderedDict()
        # Relations whose columns somebody asks for one after the other, and those that they are handed on to.
        self._columns: OrderedDict[str, Columns] = OrderedDict()

    def contributions(self, relation: str) -> tuple[Contribution, ...]:
        """What all documents say of a relation, in the order of their addresses."""
        known = self._decoded.get(relation)
        if known is not None:
            return known
        by_uri = self._by_relation.get(relation)
        if not by_uri:
            return ()
        found = self._decoded[relation] = tuple(contribution_of(by_uri[uri]) for uri in sorted(by_uri))
        if len(self._decoded) > _MOST_DECODED:
            self._decoded.popitem(last=False)
        return found

    def about(self, relation: str, column: str) -> Contribution:
        """What all documents say of a column of a relation, and of the relation as a whole."""
        return self._by_column(relation).about(column)

    def into(self, relation: str, column: str) -> list[Fan]:
        """The fans of all documents that can lead to a column of a relation."""
        return self._by_column(relation).into(column)

    def _by_column(self, relation: str) -> Columns:
        columns = self._columns.get(relation)
        if columns is None:
            columns = self._columns[relation] = Columns(self.contributions(relation))
            if len(self._columns) > _MOST_BY_COLUMN:
                self._columns.popitem(last=False)
        return columns

    def of(self, uri: str) -> dict[str, HeldContribution]:
        """What one document says of each relation."""
        return {relation: self._by_relation[relation][uri] for relation in sorted(self._relations_of.get(uri, ()))}

    def replace(self, changes: Mapping[str, Mapping[str, HeldContribution]]) -> RelationIndex:
        """The index with new contributions of some documents, by address, in place of those they had.

        A document without contributions is removed. Documents that change together should come together: each
        relation that they speak of is copied once.
        """
        by_relation = dict(self._by_relation)
        relations_of = dict(self._relations_of)
        copied: dict[str, dict[str, HeldContribution]] = {}
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
        index = RelationIndex(by_relation, relations_of)
        index._decoded = OrderedDict((one, known) for one, known in self._decoded.items() if one not in copied)
        return index

    def relations(self) -> frozenset[str]:
        """Every relation that a document speaks of."""
        return frozenset(self._by_relation)
