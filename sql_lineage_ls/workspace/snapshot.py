"""What features and exporters read: one revision of the workspace that never changes.

A snapshot shares everything with its predecessor that an edit left alone. Positions in it are code points of each
document's text; lines, characters and encodings are the server's.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from msgspec import Struct

from sql_lineage_ls.catalog.catalog import Catalog
from sql_lineage_ls.catalog.field_tree import TreeNode, walk
from sql_lineage_ls.catalog.names import SEPARATOR
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Site
from sql_lineage_ls.lineage import graph
from sql_lineage_ls.lineage.context import nearest
from sql_lineage_ls.lineage.kept import KeptLineage
from sql_lineage_ls.lineage.model import DIRECT_ROLES, Node, Occurrence, StatementLineage
from sql_lineage_ls.lineage.probe import NOWHERE, Place
from sql_lineage_ls.lineage.redefinitions import Redefinition
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.packed import HeldModel, model_of
from sql_lineage_ls.syntax.query_model import CreateFunction, CreateView, OtherStatement, StatementModel
from sql_lineage_ls.text.line_index import LineIndex
from sql_lineage_ls.workspace.held_text import HeldText, text_of
from sql_lineage_ls.workspace.stale import Shift

_log = logging.getLogger(__name__)

# How many statements are looked through for joins.
_MOST_JOINING = 200
_NAMED_KINDS = frozenset({"table", "view", "function"})

_WORD = re.compile(r"\w+")


class FileSpan(Struct, frozen=True, gc=False, order=True):
    """The code points `[start, end)` of a document."""

    uri: str
    start: int
    end: int


class StatementView(Struct, frozen=True):
    """A statement of a document, at `start`..`end` of its text, with what it says.

    Positions in `model` and `lineage` count from `start`. Where `stale` is set the statement is half-typed: `model`
    is what can be read of it now, `lineage` the last good one with its positions moved to the present text, and
    without those that the edit touched (`shift` tells how). Of documents that nobody looks at both are kept encoded.
    """

    index: int
    start: int
    end: int
    held: HeldModel
    kept: StatementLineage | KeptLineage
    stale: bool = False
    shift: Shift | None = None

    @property
    def model(self) -> StatementModel:
        return model_of(self.held)

    @property
    def lineage(self) -> StatementLineage:
        return self.kept if isinstance(self.kept, StatementLineage) else self.kept.lineage

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """A span of the model that the catalog knows, in the document's text; None where an edit removed it."""
        if self.shift is not None:
            moved = self.shift.move(start, end)
            if moved is None:
                return None
            start, end = moved
        return self.start + start, self.start + end


class DocumentView(Struct, frozen=True, dict=True):
    """A document. `version` is the editor's, None for a file on disk; `open` tells whether an editor has it."""

    uri: str
    held_text: HeldText
    version: int | None
    dialect: Dialect
    statements: tuple[StatementView, ...]
    open: bool = False

    @property
    def text(self) -> str:
        return text_of(self.held_text)

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the text, found when they are first asked for."""
        return LineIndex(self.text)

    @cached_property
    def loose_words(self) -> frozenset[str]:
        """The words, in lower case, of the statements of which no more is known than their words."""
        found: set[str] = set()
        for one in self.statements:
            if one.model.issues or one.model.statement is None or isinstance(one.model.statement, OtherStatement):
                found.update(_WORD.findall(self.text[one.start : one.end].lower()))
        return frozenset(found)

    def statement_at(self, offset: int) -> StatementView | None:
        """The statement that `offset` lies in or right behind, None between statements."""
        low, high = 0, len(self.statements)
        while low < high:
            middle = (low + high) // 2
            if self.statements[middle].start <= offset:
                low = middle + 1
            else:
                high = middle
        if low == 0 or self.statements[low - 1].end < offset:
            return None
        return self.statements[low - 1]


class Use(Struct, frozen=True, gc=False):
    """A place that uses a node.

    `node` is the node read or written there, `usage` is `read`, `write`, `star` or `contained` (a record around the
    node is read), `target` the relation that the statement writes, '' for a bare query.
    """

    span: FileSpan
    node: Node
    usage: str
    target: str = ""


class RelationName(Struct, frozen=True):
    """A declared relation, without its columns. `kind` is that of the relation, or `model` for one of a template."""

    id: str
    name: str
    kind: str


class RelationSource(Protocol):
    """Who knows relations by their id: the analysis of the workspace."""

    def relation(self, relation_id: str) -> Relation | None: ...

    def detailed(self, uri: str, index: int) -> StatementLineage: ...

    def occurrences(self, uri: str, index: int) -> Sequence[Occurrence]: ...

    def probe(self, uri: str, index: int, text: str) -> Place: ...

    def signature(self, uri: str, index: int, name: str) -> CreateFunction | None: ...

    def redefinitions(self, uri: str) -> tuple[Redefinition, ...]: ...

    @property
    def catalog(self) -> Catalog: ...


class Snapshot:
    """One revision of the workspace.

    `ready` is set once the catalog holds every document of the workspace: before that nothing may be concluded from
    what is missing; `complete` once every document is analysed under that catalog, so that all uses are known.
    `revision` grows with every snapshot, `index_revision` only where a use, an edge or the place of
    a declaration may have changed.
    """

    def __init__(
        self,
        documents: Mapping[str, DocumentView],
        relations: RelationSource,
        index: graph.GraphIndex,
        *,
        revision: int = 0,
        index_revision: int = 0,
        ready: bool = True,
        complete: bool = True,
    ) -> None:
        self.revision = revision
        self.index_revision = index_revision
        self.ready = ready
        self.complete = complete
        self._documents = documents
        self._relations = relations
        self._index = index
        self._columns: tuple[Relation | None, Mapping[str, Field]] = (None, {})
        # What each statement has declared of a relation that many may have altered.
        self._declared: tuple[Relation | None, Mapping[tuple[str, int], Sequence[TreeNode]]] = (None, {})

    def document(self, uri: str) -> DocumentView | None:
        """The document at a normal form address."""
        return self._documents.get(uri)

    def documents(self) -> tuple[DocumentView, ...]:
        """Every document, sorted by address."""
        return tuple(self._documents[uri] for uri in sorted(self._documents))

    def relation(self, relation_id: str) -> Relation | None:
        """A declared relation, or a view or CTAS with the columns of its query."""
        return self._relations.relation(relation_id)

    def detailed_lineage(self, uri: str, index: int) -> StatementLineage:
        """The lineage of a statement hop by hop: its CTEs and derived tables are relations of the kind `result`.

        Where the analysis fails, which costs nothing else, the kind of the lineage is `failed`.
        """
        try:
            return self._relations.detailed(uri, index)
        except Exception:
            _log.exception("the hops of statement %d of %s failed", index, uri)
            return StatementLineage("failed")

    def occurrences(self, document: DocumentView, statement: StatementView) -> Sequence[Occurrence]:
        """What each token of a statement means. Documents that no editor has open are looked at when asked for."""
        lineage = statement.lineage
        if document.open or lineage.occurrences:
            return lineage.occurrences
        return self._relations.occurrences(document.uri, statement.index)

    def relation_names(self, family: str) -> tuple[RelationName, ...]:
        """The relations that statements of a family of databases can name, sorted; nothing is inferred for it."""
        found = []
        for entry in self._relations.catalog.entries():
            if entry.id.split(SEPARATOR)[0] == family and entry.kind in _NAMED_KINDS:
                model = entry.query.model if entry.query is not None else None
                is_model = isinstance(model, CreateView) and model.model
                found.append(RelationName(entry.id, entry.name, "model" if is_model else entry.kind))
        return tuple(found)

    def probe(self, uri: str, index: int, text: str) -> Place:
        """What can stand at the mark in `text`, which statement `index` of a document would be; see `lineage.probe`."""
        try:
            return self._relations.probe(uri, index, text)
        except Exception:
            _log.exception("a place of statement %d of %s could not be looked at", index, uri)
            return NOWHERE

    def signature(self, uri: str, index: int, name: str) -> CreateFunction | None:
        """The user's function that a name means in a statement."""
        return self._relations.signature(uri, index, name)

    def joins(self, relation_ids: Iterable[str]) -> frozenset[tuple[Node, Node]]:
        """The pairs of columns that statements which use these relations join, in both orders."""
        places = {(use.uri, use.statement) for one in relation_ids if one
                  for use in graph.direct_uses(self._index, Node(one, ()))}
        pairs = set()
        for uri, index in sorted(places)[:_MOST_JOINING]:
            document = self._documents.get(uri)
            if document is not None and index < len(document.statements):
                pairs |= {(join.left, join.right) for join in document.statements[index].lineage.joins}
        return frozenset(pairs | {(right, left) for left, right in pairs})

    def redefinitions(self, uri: str) -> tuple[Redefinition, ...]:
        """The relations that a document declares although they are declared already."""
        try:
            return self._relations.redefinitions(uri)
        except Exception:
            _log.exception("the declarations of %s could not be compared", uri)
            return ()

    def declares_like(self, relation_id: str) -> bool:
        """Whether anything is declared that the name of an id could mean, in whatever dialect or session."""
        return self._relations.catalog.declares_like(relation_id)

    def near_relation(self, relation_id: str) -> str:
        """The declared relation that a misspelt one most likely means, by the last part of its name; '' for none."""
        return nearest(relation_id.split(SEPARATOR)[-1], self._relations.catalog.beside(relation_id))

    def relation_name(self, relation_id: str) -> str:
        """How a relation is shown; one that nothing declares by the parts of its name as the database compares them."""
        relation = self.relation(relation_id)
        if relation is not None:
            return relation.name
        family, *parts = relation_id.split(SEPARATOR)
        return ".".join(parts) if parts else family

    def field(self, node: Node) -> Field | None:
        """What declares a node: `items[*].qty` is the field `qty`; `items[*]` has the type of one element.

        None where the relation, or the way to the node, is not declared.
        """
        relation = self.relation(node.relation)
        if relation is None or not node.path:
            return None
        field = self._column(relation, node.path[0])
        for step in node.path[1:]:
            if field is None:
                return None
            field = _below(field, step)
        return field

    def _column(self, relation: Relation, name: str) -> Field | None:
        """A column by its name; who asks for one of many asks for the next one too."""
        if self._columns[0] is not relation:
            names: dict[str, Field] = {}
            for column in relation.columns:
                names.setdefault(column.name, column)
            self._columns = relation, names
        return self._columns[1].get(name) or _named(relation.columns, name)

    def declaration(self, node: Node) -> FileSpan | None:
        """The token that declares a node; for an element (`items[*]`) the one of its array, for `()` the relation's."""
        if not node.path:
            return self.relation_declaration(node.relation)
        field = self.field(node)
        if field is None or field.site is None:
            return None
        return self.site_span(field.site)

    def relation_declaration(self, relation_id: str) -> FileSpan | None:
        """The token of a relation's name in the statement that made it."""
        relation = self.relation(relation_id)
        if relation is None or relation.site is None:
            return None
        return self.site_span(relation.site)

    def declared_by(self, relation: Relation, uri: str, index: int) -> Sequence[TreeNode]:
        """The nodes of a relation that one statement declares: of a table those that one ALTER TABLE adds to it."""
        if self._declared[0] is not relation:
            found: dict[tuple[str, int], list[TreeNode]] = {}
            for node in walk(relation.columns):
                if node.site is not None:
                    found.setdefault((node.site.uri, node.site.statement), []).append(node)
            self._declared = relation, found
        return self._declared[1].get((uri, index), ())

    def site_span(self, site: Site) -> FileSpan | None:
        """Where a declaration stands now; None where its text is gone."""
        document = self._documents.get(site.uri)
        if document is None or not 0 <= site.statement < len(document.statements) or site.start < 0:
            return None
        placed = document.statements[site.statement].place(site.start, site.end)
        return FileSpan(site.uri, *placed) if placed is not None else None

    def uses(self, node: Node) -> tuple[Use, ...]:
        """Every place in the workspace that uses a node, sorted; see `lineage.graph.uses`.

        `uses(Node("shop.orders", ("customer",)))` holds the reads of `customer`, of `customer.city` below it, and of
        the stars and rows that contain it.
        """
        return self._placed(graph.uses(self._index, node))

    def direct_uses(self, node: Node) -> tuple[Use, ...]:
        """The uses of `node` itself: those one statement further, and none of what it is handed on to."""
        return self._placed(graph.direct_uses(self._index, node))

    def _placed(self, uses: Iterable[graph.FoundUse]) -> tuple[Use, ...]:
        found = []
        for use in uses:
            document = self._documents.get(use.uri)
            if document is None or use.start < 0 or use.statement >= len(document.statements):
                continue
            start = document.statements[use.statement].start
            span = FileSpan(use.uri, start + use.start, start + use.end)
            found.append(Use(span, use.node, use.usage, use.target))
        return tuple(found)

    def writers(self, relation_id: str) -> tuple[tuple[DocumentView, StatementView], ...]:
        """The statements that define, fill or change a relation, sorted by document and place."""
        found = []
        for uri, index in graph.writers(self._index, relation_id):
            document = self._documents.get(uri)
            if document is not None and index < len(document.statements):
                found.append((document, document.statements[index]))
        return tuple(found)

    def sources(self, node: Node, roles: frozenset[str] = DIRECT_ROLES) -> tuple[Node, ...]:
        """The nodes that the writers of `node` read in one of `roles`: one statement nearer to the data, sorted."""
        return graph.sources(self._index, node, roles)

    def targets(self, node: Node, roles: frozenset[str] = DIRECT_ROLES) -> tuple[Node, ...]:
        """The nodes that the readers of `node` write in one of `roles`: one statement further, sorted."""
        return graph.targets(self._index, node, roles)

    def flows_into(self, node: Node) -> tuple[graph.Link, ...]:
        """The links of every role into `node`, one statement upstream; see `lineage.graph.flows_into`."""
        return graph.flows_into(graph.fans_into(self._index, node), node)

    def flows_out_of(self, node: Node) -> tuple[graph.Link, ...]:
        """The links of every role out of `node`, one statement downstream."""
        return graph.flows_out_of(graph.fans_out_of(self._index, node), node)

    def upstream(self, node: Node) -> tuple[Node, ...]:
        """Every node whose value reaches `node`, through views and tables, sorted."""
        return graph.upstream(self._index, node)

    def downstream(self, node: Node) -> tuple[Node, ...]:
        """Every node that the value of `node` reaches, through views and tables, sorted."""
        return graph.downstream(self._index, node)


def _named(fields: Iterable[Field], name: str) -> Field | None:
    """The field of that spelling, else the one that differs in case only."""
    folded = None
    for field in fields:
        if field.name == name:
            return field
        if folded is None and field.name.lower() == name.lower():
            folded = field
    return folded


def _below(field: Field, step: str) -> Field | None:
    data_type: DataType = field.type
    if isinstance(data_type, RecordType):
        return _named(data_type.fields, step)
    if not step.startswith("["):
        return None
    if isinstance(data_type, ArrayType):
        return Field(field.name + step, field.key + step, data_type.element, field.site)
    if isinstance(data_type, MapType):
        entry = (
            Field("key", "key", data_type.key, field.site),
            Field("value", "value", data_type.value, field.site),
        )
        element = RecordType(entry, "ENTRY") if step == graph.ELEMENT else data_type.value
        return Field(field.name + step, field.key + step, element, field.site)
    return None
