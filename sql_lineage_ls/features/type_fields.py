"""The stored nodes that a field of a CREATE TYPE is: one in each table that is made of the type."""

from __future__ import annotations

from collections.abc import Iterator

from sql_lineage_ls.catalog.field_tree import walk
from sql_lineage_ls.catalog.types import Site
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.syntax.model_walk import records_of
from sql_lineage_ls.syntax.query_model import CreateTable, CreateType, TypeSpec
from sql_lineage_ls.workspace.snapshot import Snapshot, StatementView

_NAMED = "named"


def nodes_of_type_field(snapshot: Snapshot, uri: str, statement: StatementView, start: int) -> tuple[Node, ...]:
    """The nodes that the field at `start` of a CREATE TYPE declares, sorted; () for any other token.

    `x` of `CREATE TYPE spot AS (x int)` is `maps.at.x` where `CREATE TABLE maps (at spot)` stands in the workspace.
    """
    if not isinstance(statement.model.statement, CreateType):
        return ()
    found = set()
    for relation_id in _made_of_types(snapshot):
        relation = snapshot.relation(relation_id)
        for node in walk(relation.columns) if relation is not None else ():
            if node.site is not None and _is_at(node.site, uri, statement, start):
                found.add(Node(relation_id, node.path))
    return tuple(sorted(found))


def _made_of_types(snapshot: Snapshot) -> Iterator[str]:
    """The tables with a column of a user's type."""
    for document in snapshot.documents():
        for statement in document.statements:
            model = statement.model.statement
            if not isinstance(model, CreateTable) or not statement.lineage.target:
                continue
            if model.of_type or any(spec.kind == _NAMED for spec in records_of(TypeSpec, model.columns)):
                yield statement.lineage.target


def _is_at(site: Site, uri: str, statement: StatementView, start: int) -> bool:
    return site.uri == uri and site.statement == statement.index and site.start == start
