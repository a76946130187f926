"""What readers see: the documents' views and the index of all uses, gathered until they are published together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sql_lineage_ls.lineage.graph import Part, merge_contributions, statement_contributions
from sql_lineage_ls.lineage.kept import KeptLineage
from sql_lineage_ls.lineage.model import StatementLineage
from sql_lineage_ls.workspace.index import HeldContribution, RelationIndex, pack_contribution
from sql_lineage_ls.workspace.parsed_file import ParsedFile
from sql_lineage_ls.workspace.snapshot import DocumentView
from sql_lineage_ls.workspace.views import document_view, same_lineage

_UNBOUND = KeptLineage((), StatementLineage("unbound"))


class Shown:
    """Views and index. What was shown since the last `publish` is not in `index` yet."""

    def __init__(self) -> None:
        self.views: dict[str, DocumentView] = {}
        self.index = RelationIndex()
        self._contributions: dict[str, Mapping[str, HeldContribution]] = {}
        # What each statement of an open document adds to the index: an edit changes that of a few.
        self._parts: dict[str, tuple[Part, ...]] = {}

    @property
    def changed(self) -> bool:
        """Whether a use, an edge or the place of a declaration may be another one than in `index`."""
        return bool(self._contributions)

    def show(self, file: ParsedFile, lineages: Sequence[KeptLineage]) -> None:
        """Shows a document, with what it adds to the index."""
        before = self.views.get(file.uri)
        view = self.views[file.uri] = document_view(file, lineages, before)
        if before is not None and same_lineage(view, before):
            return
        shown = [statement.lineage for statement in view.statements]
        parts = statement_contributions(file.uri, shown, self._parts.pop(file.uri, ()))
        merged = merge_contributions(part.by_relation for part in parts)
        if file.open:
            self._parts[file.uri] = parts
            self._contributions[file.uri] = merged
        else:
            self._contributions[file.uri] = {name: pack_contribution(one) for name, one in merged.items()}

    def show_unbound(self, file: ParsedFile) -> None:
        """Shows a document that will be bound later: its declarations have places, its new statements no lineage."""
        before = self.views.get(file.uri)
        known = {id(view.held): view.kept for view in before.statements} if before else {}
        found = (known.get(id(piece.held), _UNBOUND) for piece in file.pieces)
        self.show(file, [one if isinstance(one, KeptLineage) else _UNBOUND for one in found])

    def close(self, uri: str) -> None:
        """Nobody types in a document any more."""
        self._parts.pop(uri, None)

    def remove(self, uri: str) -> None:
        """Shows a document no longer."""
        self._parts.pop(uri, None)
        if self.views.pop(uri, None) is not None:
            self._contributions[uri] = {}

    def publish(self) -> None:
        """Brings the index up to date with what is shown."""
        if self._contributions:
            self.index = self.index.replace(self._contributions)
            self._contributions = {}

    def recall(
        self, views: Mapping[str, DocumentView], contributions: Mapping[str, Mapping[str, HeldContribution]]
    ) -> None:
        """Shows documents as they were shown before, in place of everything else."""
        self.views, self._parts = dict(views), {}
        self._contributions = {}
        self.index = RelationIndex().replace(contributions)
