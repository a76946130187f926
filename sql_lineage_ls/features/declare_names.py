"""Adds a column or a nested field that the DDL lacks to the DDL, where its neighbours are declared."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sql_lineage_ls.catalog.types import ArrayType, RecordType
from sql_lineage_ls.features.asking import Asked, line_start, place_at, steps_behind
from sql_lineage_ls.features.results import Action, Diagnostic, TextChange
from sql_lineage_ls.features.type_spelling import TYPE_SPELLINGS, spelled_type, tree_of
from sql_lineage_ls.lineage.model import Node, path_text
from sql_lineage_ls.syntax.pieces import COMMENT, LINE_COMMENT, Group, Piece, groups_of, pieces_of
from sql_lineage_ls.syntax.query_model import CreateTable
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot

_CODES = frozenset({"undeclared-column", "undeclared-field"})


def declare_columns(asked: Asked, finding: Diagnostic) -> Iterator[Action]:
    """`SELECT customer.zip` adds `zip STRING` to `customer STRUCT<city STRING>` in the CREATE TABLE.

    Its type is a string's, or a record's where fields of it are read; nothing tells what it really is.
    """
    if finding.code not in _CODES:
        return
    name = asked.text(finding.span)
    snapshot = asked.snapshot
    behind = steps_behind(asked.document.text, finding.span.end)
    owners = _owners(asked, finding)
    if behind > finding.span.end and len(owners) > 1:
        return  # rather an alias that is misspelt than a record that one of several tables lacks
    for node in owners:
        anchor = _last_field(snapshot, node) if node.path else _last_column(snapshot, node.relation)
        document = snapshot.document(anchor.uri) if anchor is not None else None
        if anchor is None or document is None:
            continue
        spelling = TYPE_SPELLINGS[document.dialect.name]
        steps = tuple(re.findall(r"\w+", asked.document.text[finding.span.end : behind]))
        data_type = spelled_type(tree_of([steps]), spelling)
        changes = appended(document, anchor.start, name, data_type)
        if changes:
            owner = ".".join(filter(None, (snapshot.relation_name(node.relation), path_text(node.path))))
            title = f"Add `{name} {data_type}` to `{owner}` (check the type)"
            yield Action(title, "quickfix", changes, diagnostics=(finding,))


def _owners(asked: Asked, finding: Diagnostic) -> list[Node]:
    """The record or table that lacks the name; of an unqualified column every table that was searched."""
    if finding.node is not None:
        return [finding.node]
    if finding.code == "undeclared-field":
        return []
    path = Span(finding.span.start, steps_behind(asked.document.text, finding.span.end))
    sources = place_at(asked.snapshot, asked.document, path).sources
    return [Node(one, ()) for one in dict.fromkeys(source.relation for source in sources if source.relation)]


def _last_column(snapshot: Snapshot, relation_id: str) -> FileSpan | None:
    """The last column of a CREATE TABLE's own list, without the partition columns that stand in another list."""
    relation = snapshot.relation(relation_id)
    site = relation.site if relation is not None else None
    document = snapshot.document(site.uri) if site is not None else None
    if site is None or document is None or site.statement >= len(document.statements):
        return None
    statement = document.statements[site.statement]
    model = statement.model.statement
    if not isinstance(model, CreateTable) or not model.columns or model.query is not None or statement.stale:
        return None
    text = document.text[statement.start : statement.end]
    pieces = pieces_of(text, document.dialect)
    groups = groups_of(text, pieces)
    first = _group_of(pieces, groups, model.columns[0].name.start)
    names = [one.name for one in model.columns if _group_of(pieces, groups, one.name.start) == first]
    if first is None or not names:
        return None
    return FileSpan(document.uri, statement.start + names[-1].start, statement.start + names[-1].end)


def _last_field(snapshot: Snapshot, node: Node) -> FileSpan | None:
    """The last field that a record's declaration lists."""
    field = snapshot.field(node)
    data_type = field.type if field is not None else None
    while isinstance(data_type, ArrayType):
        data_type = data_type.element
    if not isinstance(data_type, RecordType) or not data_type.fields or data_type.built:
        return None
    site = data_type.fields[-1].site
    return snapshot.site_span(site) if site is not None and site.uri else None


def appended(document: DocumentView, anchor: int, name: str, data_type: str) -> tuple[TextChange, ...]:
    """The changes that put a column or field behind the one at `anchor`, laid out as that one is.

    The list may go on with constraints, and comments stay with the column that they stand behind.
    """
    statement = document.statement_at(anchor)
    if statement is None:
        return ()
    text, start = document.text[statement.start : statement.end], statement.start
    pieces = pieces_of(text, document.dialect)
    groups = groups_of(text, pieces)
    group = _group_of(pieces, groups, anchor - start)
    at = next((index for index, one in enumerate(pieces) if one.start == anchor - start), None)
    if group is None or at is None:
        return ()
    end, comma = _item_end(text, pieces, groups, group, at)
    following = pieces[at + 1] if at + 1 < len(pieces) else None
    colon = following is not None and text[following.start : following.end] == ":" and pieces[at].end == following.start
    declared = f"{name}: {data_type}" if colon else f"{name} {data_type}"
    before = text[line_start(text, anchor - start) : anchor - start]
    breaks = not before.strip(" \t,") and line_start(text, anchor - start) > 0
    behind = _comment_end(text, pieces, pieces[comma].end if comma is not None else end)

    def change(offset: int, new: str) -> TextChange:
        return TextChange(FileSpan(document.uri, start + offset, start + offset), new)

    if "," in before and breaks:
        return (change(_comment_end(text, pieces, end), f"\n{before}{declared}"),)
    if not breaks:
        return (change(end, f", {declared}"),)
    if comma is not None:
        return (change(behind, f"\n{before}{declared},"),)
    if behind > end:
        return (change(end, ","), change(behind, f"\n{before}{declared}"))
    return (change(end, f",\n{before}{declared}"),)


def _group_of(pieces: tuple[Piece, ...], groups: tuple[Group, ...], offset: int) -> Group | None:
    """The innermost brackets around an offset."""
    around = [one for one in groups if one.sign in "(<" and pieces[one.first].end <= offset < pieces[one.last].start]
    return max(around, key=lambda one: one.first, default=None)


def _item_end(
    text: str, pieces: tuple[Piece, ...], groups: tuple[Group, ...], group: Group, at: int
) -> tuple[int, int | None]:
    """Where the item ends that begins with piece `at`, and the comma behind it."""
    ends = {one.first: one.last for one in groups}
    index, end = at, pieces[at].end
    while index < group.last:
        piece = pieces[index]
        if text[piece.start : piece.end] == ",":
            return end, index
        index = ends.get(index, index)
        if pieces[index].kind not in (COMMENT, LINE_COMMENT):
            end = pieces[index].end
        index += 1
    return end, None


def _comment_end(text: str, pieces: tuple[Piece, ...], end: int) -> int:
    """Behind the comment that stands on the same line, `end` where there is none."""
    for piece in pieces:
        if piece.start >= end and piece.kind in (COMMENT, LINE_COMMENT) and "\n" not in text[end : piece.start]:
            return piece.end if not text[end : piece.start].strip() else end
        if piece.start >= end:
            return end
    return end
