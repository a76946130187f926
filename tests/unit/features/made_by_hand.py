"""Small snapshots made by hand, for tests of features that need no parser and no binder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import Site
from sql_lineage_ls.lineage.graph import Columns, Contribution, Fan, contributions_of
from sql_lineage_ls.lineage.model import Occurrence, StatementLineage
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.query_model import OtherStatement, StatementModel
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

NO_MODEL = StatementModel(OtherStatement(""))


def at(text: str, piece: str, nth: int = 1) -> tuple[int, int]:
    """The span of the `nth` occurrence of `piece` in `text`."""
    start = -1
    for _ in range(nth):
        start = text.index(piece, start + 1)
    return start, start + len(piece)


def site(uri: str, text: str, piece: str, nth: int = 1, statement: int = 0) -> Site:
    """The site of a token of a one-statement document."""
    return Site(uri, statement, *at(text, piece, nth))


def occurrence(text: str, piece: str, kind: str, nth: int = 1, name: str = "", **facts: object) -> Occurrence:
    """An occurrence of the token `piece`."""
    start, end = at(text, piece, nth)
    return Occurrence(start, end, kind, name or piece, **facts)  # type: ignore[arg-type]


class _Relations:
    def __init__(self, relations: Iterable[Relation]) -> None:
        self._relations = {relation.id: relation for relation in relations}

    def relation(self, relation_id: str) -> Relation | None:
        return self._relations.get(relation_id)


class _Index:
    def __init__(self, documents: Mapping[str, Mapping[str, Contribution]]) -> None:
        self._documents = documents

    def about(self, relation: str, column: str) -> Contribution:
        return Columns(self.contributions(relation)).about(column)

    def into(self, relation: str, column: str) -> list[Fan]:
        return Columns(self.contributions(relation)).into(column)

    def contributions(self, relation: str) -> Iterable[Contribution]:
        found = (self._documents[uri].get(relation) for uri in sorted(self._documents))
        return [contribution for contribution in found if contribution is not None]


Statement = tuple[str, StatementLineage] | tuple[str, StatementLineage, StatementModel]


def snapshot(
    documents: Mapping[str, Iterable[Statement]],
    relations: Iterable[Relation] = (),
    *,
    ready: bool = True,
    complete: bool = True,
    stale: bool = False,
    dialect: str = "bigquery",
) -> Snapshot:
    """A snapshot of documents whose statements are joined by `;` and a line end."""
    views = {}
    contributions = {}
    for uri, given in documents.items():
        statements = []
        text = ""
        for index, (sql, lineage, *model) in enumerate(given):
            start = len(text)
            statements.append(
                StatementView(index, start, start + len(sql), model[0] if model else NO_MODEL, lineage, stale)
            )
            text += sql + ";\n"
        views[uri] = DocumentView(uri, text, 1, DIALECTS[dialect], tuple(statements), True)
        contributions[uri] = dict(contributions_of(uri, [statement.lineage for statement in statements]))
    return Snapshot(views, _Relations(relations), _Index(contributions), ready=ready, complete=complete)
