"""What stands at a position: the occurrence of a name, in a query or in DDL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.catalog.field_tree import walk
from sql_lineage_ls.catalog.types import Site
from sql_lineage_ls.lineage.model import Node, Occurrence, Path
from sql_lineage_ls.syntax.query_model import (
    AlterTable,
    CreateTable,
    Delete,
    Insert,
    Merge,
    MultiInsert,
    QueryStatement,
    Truncate,
    Update,
)
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView

# Where several meanings share a token, the one that leads towards the source comes first: in `SELECT city FROM t` the
# token `city` is a column that is read and the name of an output column.
_LAST_KINDS = ("output",)

_DECLARES_NOTHING = (Insert, MultiInsert, Update, Merge, Delete, Truncate)


_TEMPLATE_TAG = re.compile(r"\{[{%#]|\$\{|<%")


def is_templated(text: str) -> bool:
    """Whether a token holds a template tag, which stands for a name that nobody knows yet: `{{ column }}`."""
    return _TEMPLATE_TAG.search(text) is not None


class Found(Struct, frozen=True):
    """The occurrences at a position, the most telling one first, all with the same token."""

    document: DocumentView
    statement: StatementView
    occurrences: tuple[Occurrence, ...]

    @property
    def occurrence(self) -> Occurrence:
        return self.occurrences[0]

    @property
    def span(self) -> Span:
        """The token, in the document."""
        return self.absolute(self.occurrence.start, self.occurrence.end)

    def absolute(self, start: int, end: int) -> Span:
        """A span of the statement, in the document."""
        return Span(self.statement.start + start, self.statement.start + end)

    def file_span(self, start: int, end: int) -> FileSpan:
        """A span of the statement, with its document."""
        span = self.absolute(start, end)
        return FileSpan(self.document.uri, span.start, span.end)

    def text(self, start: int, end: int) -> str:
        """What the document has at a span of the statement."""
        span = self.absolute(start, end)
        return self.document.text[span.start : span.end]


def find(snapshot: Snapshot, uri: str, offset: int) -> Found | None:
    """What the token at `offset` means, None where it means nothing.

    The offset right behind a token still belongs to it, unless another token begins there. In a statement that is
    only half typed the last good result answers, for the tokens that the edit did not touch.
    """
    document = snapshot.document(uri)
    if document is None:
        return None
    statement = document.statement_at(offset)
    if statement is None:
        return None
    position = offset - statement.start
    candidates = [
        occurrence
        for occurrence in snapshot.occurrences(document, statement)
        if 0 <= occurrence.start <= position <= occurrence.end
    ]
    here = [one for one in declared(snapshot, uri, statement) if one.start <= position <= one.end]
    _add_declarations(candidates, here)
    if not candidates:
        return None
    best = min(candidates, key=lambda occurrence: _rank(occurrence, position))
    same = [found for found in candidates if (found.start, found.end) == (best.start, best.end)]
    return Found(document, statement, tuple(sorted(same, key=lambda occurrence: _rank(occurrence, position))))


def _add_declarations(candidates: list[Occurrence], declarations: Iterable[Occurrence]) -> None:
    """Adds what tokens declare, unless an occurrence says it too.

    The analysis of a query knows the value of an output column, its declaration which stored column it becomes. A star
    may stand for thousands of both.
    """
    said: dict[tuple[int, int, str, Path], int] = {}
    nameless: dict[tuple[int, int], list[int]] = {}
    for index, known in enumerate(candidates):
        said.setdefault((known.start, known.end, known.relation, known.path), index)
        if known.kind == "output" and not known.path:
            nameless.setdefault((known.start, known.end), []).append(index)
    for waiting in nameless.values():
        waiting.reverse()
    for declaration in declarations:
        place = declaration.start, declaration.end
        key = (declaration.start, declaration.end, declaration.relation, declaration.path)
        index = said.get(key, len(candidates))
        free = nameless.get(place) if declaration.kind == "output" else None
        if free and free[-1] < index:
            at = free.pop()
            candidates[at] = replace(candidates[at], relation=declaration.relation, path=declaration.path)
            said.setdefault(key, at)
        elif index == len(candidates):
            said[key] = index
            candidates.append(declaration)


def declared(snapshot: Snapshot, uri: str, statement: StatementView) -> Iterator[Occurrence]:
    """The names that a DDL statement declares: relation, columns and nested fields, as occurrences of themselves.

    The columns of a view or CTAS are `output`s.
    """
    model = statement.model.statement
    if isinstance(model, _DECLARES_NOTHING) or (isinstance(model, QueryStatement) and not model.into):
        return
    lineage = statement.lineage
    relation_ids = dict.fromkeys((lineage.target, *(relation_id for relation_id, _, _ in lineage.relations)))
    for relation_id in filter(None, relation_ids):
        relation = snapshot.relation(relation_id)
        if relation is None:
            continue
        # The columns of the tables that a view reads are declared elsewhere: they need not be looked through.
        if not isinstance(model, AlterTable) and not _is_here(relation.site, uri, statement):
            continue
        is_query = relation.kind == "view" or (isinstance(model, CreateTable) and model.query is not None)
        place = _place(snapshot, relation.site, uri, statement)
        if place is not None:
            yield Occurrence(*place, "relation", relation.name, relation_id)
        altered = isinstance(model, AlterTable)
        for node in snapshot.declared_by(relation, uri, statement.index) if altered else walk(relation.columns):
            place = _place(snapshot, node.site, uri, statement)
            if place is not None:
                yield Occurrence(
                    *place,
                    kind="output" if is_query else "column" if len(node.path) == 1 else "field",
                    name=node.path[-1],
                    relation=relation_id,
                    path=node.path,
                    nodes=() if is_query else (Node(relation_id, node.path),),
                    type=node.type,
                )


def _is_here(site: Site | None, uri: str, statement: StatementView) -> bool:
    return site is not None and site.uri == uri and site.statement == statement.index


def _place(snapshot: Snapshot, site: Site | None, uri: str, statement: StatementView) -> tuple[int, int] | None:
    """Where a declaration stands in this statement, None where it stands elsewhere."""
    if site is None or not _is_here(site, uri, statement):
        return None
    span = snapshot.site_span(site)
    return (span.start - statement.start, span.end - statement.start) if span is not None else None


def _rank(occurrence: Occurrence, position: int) -> tuple[bool, int, bool]:
    return (
        position == occurrence.end,
        occurrence.end - occurrence.start,
        occurrence.kind in _LAST_KINDS,
    )
