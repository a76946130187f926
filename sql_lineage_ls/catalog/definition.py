"""A statement that defines or changes something in the catalog, and what is known of a relation from all of them."""

from __future__ import annotations

from msgspec import Struct

from sql_lineage_ls.catalog.names import NOWHERE, Namespace
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import Site
from sql_lineage_ls.syntax import query_model as qm
from sql_lineage_ls.syntax.dialects import Dialect


class Definition(Struct, frozen=True):
    """One statement with its place: document, number in the document from 0, and what names in it mean.

    `partial` marks a statement that was read only in part: its columns are not all there are.
    """

    uri: str
    statement: int
    model: qm.Statement
    dialect: Dialect
    namespace: Namespace = NOWHERE
    partial: bool = False

    def site(self, name: qm.Name) -> Site | None:
        """Where a name of this statement stands; None for a name without token or a statement without number."""
        if name.start < 0 or self.statement < 0:
            return None
        return Site(self.uri, self.statement, name.start, name.end)


class Change(Struct, frozen=True):
    """One ALTER action, with the statement that its names belong to."""

    definition: Definition
    action: qm.AlterAction


class Entry(Struct, frozen=True):
    """A relation of the catalog.

    `relation` has the declared columns with ALTERs, LIKE, CLONE and types applied. Where `query` is set, the tree is
    what that view's or CTAS' query gives, and `Catalog.complete(entry, outputs, open)` makes the relation of it;
    until then `relation.columns` holds only what was declared beside the query.
    `queries` lists all of them where the relation is defined more than once; `changes` are the ALTERs that wait.
    """

    id: str
    name: str
    kind: str
    relation: Relation
    query: Definition | None = None
    queries: tuple[Definition, ...] = ()
    changes: tuple[Change, ...] = ()
