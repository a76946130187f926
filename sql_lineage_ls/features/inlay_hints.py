"""Inlay hints: what the text does not say, shown in it.

    SELECT * FROM orders                 *  = id, customer, items
    SELECT i.qty FROM orders, UNNEST(..) i.qty  ← orders.items[*].qty
    INSERT INTO t SELECT id, name        a: id, b: name

A source is shown only where the item does not spell it itself, a target only where it has another name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from sql_lineage_ls.catalog.names import SEPARATOR
from sql_lineage_ls.features.locate import is_templated
from sql_lineage_ls.features.results import Hint
from sql_lineage_ls.features.type_text import one_line
from sql_lineage_ls.lineage.model import Node, Occurrence, path_text
from sql_lineage_ls.lineage.naming import implied_name
from sql_lineage_ls.syntax.model_walk import records_of
from sql_lineage_ls.syntax.pieces import CLOSE, COMMENT, LINE_COMMENT, OPEN, Piece, groups_of, pieces_of
from sql_lineage_ls.syntax.query_model import (
    Expr,
    FieldAccess,
    Insert,
    Name,
    Projection,
    Query,
    Select,
    SetOperation,
    Star,
    ValuesQuery,
)
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

_LONGEST = 60
_MOST_SOURCES = 2


class HintOptions(Struct, frozen=True):
    """Which hints are shown."""

    stars: bool = True
    sources: bool = True
    types: bool = False
    inserts: bool = True


def inlay_hints(snapshot: Snapshot, uri: str, span: Span, options: HintOptions | None = None) -> tuple[Hint, ...]:
    """The hints whose place lies in `span`, in the order of the text; none in a half-typed statement."""
    document = snapshot.document(uri)
    if document is None:
        return ()
    chosen = options or HintOptions()
    found: list[Hint] = []
    for statement in document.statements:
        if statement.start <= span.end and span.start <= statement.end and not statement.stale:
            found += _of_statement(snapshot, document, statement, chosen)
    inside = [hint for hint in found if span.start <= hint.offset <= span.end]
    return tuple(sorted(dict.fromkeys(inside), key=lambda hint: (hint.offset, hint.kind)))


def _of_statement(
    snapshot: Snapshot, document: DocumentView, statement: StatementView, options: HintOptions
) -> Iterator[Hint]:
    if statement.model.issues:
        return
    text = document.text[statement.start : statement.end]
    meanings: dict[int, list[Occurrence]] = {}
    for occurrence in snapshot.occurrences(document, statement):
        meanings.setdefault(occurrence.start, []).append(occurrence)
    seen = _Statement(snapshot, document, statement, text, meanings)
    for select in records_of(Select, statement.model):
        for item in select.projections:
            if 0 <= item.start < item.end and not is_templated(text[item.start : item.end]):
                yield from _of_item(seen, item, options)
    if options.inserts:
        for insert in records_of(Insert, statement.model):
            yield from _of_insert(seen, insert)


class _Statement(Struct, frozen=True):
    """A statement that is looked at: its text, and what its tokens mean, by their place."""

    snapshot: Snapshot
    document: DocumentView
    view: StatementView
    text: str
    meanings: dict[int, list[Occurrence]]

    def star(self, star: Star) -> Occurrence | None:
        """What a star stands for, where all of it is known."""
        found = next((one for one in self.meanings.get(star.start, ()) if one.kind == "star"), None)
        return found if found is not None and not found.reason and found.columns else None


def _of_item(seen: _Statement, item: Projection, options: HintOptions) -> Iterator[Hint]:
    offset = seen.view.start + item.end
    if isinstance(item.value, Star):
        found = seen.star(item.value)
        if options.stars and found is not None:
            names = [column.name for column in found.columns]
            nodes = tuple(dict.fromkeys(node for column in found.columns for node in column.nodes))
            yield Hint(offset, f"= {_cut(names)}", "star", nodes)
        return
    name = item.alias or implied_name(item.value, seen.document.dialect) or _last_name(item.value)
    meaning = next(iter(seen.meanings.get(name.start, ())), None) if name is not None and name.start >= 0 else None
    if meaning is None:
        return
    if options.types and (data_type := one_line(meaning.type, 1)):
        yield Hint(offset, f": {data_type}", "type", meaning.nodes)
    if options.sources and meaning.nodes and not _is_said(seen, item, meaning.nodes):
        names = [_node_text(seen.snapshot, node) for node in meaning.nodes[:_MOST_SOURCES]]
        more = len(meaning.nodes) - len(names)
        label = ", ".join(names) + (f" +{more}" if more else "")
        yield Hint(offset, f"← {label}", "source", meaning.nodes)


def _last_name(value: Expr) -> Name | None:
    """The field that a path ends at, where the database calls the column by more than it (Snowflake: `C.M:HOME`)."""
    return value.name if isinstance(value, FieldAccess) else None


def _is_said(seen: _Statement, item: Projection, nodes: Sequence[Node]) -> bool:
    """Whether the item spells the fields that it reads: `o.customer.city` does, `c.city` for the same one does not."""
    text = _BETWEEN_NAMES.sub(".", f".{seen.text[item.start : item.end]}.".lower())
    return all(f".{'.'.join(_names(node))}.".lower() in text for node in nodes)


# Whatever stands between the names of an expression counts as a dot.
_BETWEEN_NAMES = re.compile(r"[^\w$]+")


def _names(node: Node) -> tuple[str, ...]:
    return tuple(_BETWEEN_NAMES.sub(".", step).strip(".") for step in node.path if not step.startswith("["))


def _node_text(snapshot: Snapshot, node: Node) -> str:
    name = snapshot.relation_name(node.relation)
    return f"{name}.{path_text(node.path)}" if node.path else name


def _cut(names: Sequence[str]) -> str:
    """As many names as fit, and how many are left."""
    shown: list[str] = []
    for name in names:
        if shown and len(", ".join([*shown, name])) > _LONGEST:
            return f"{', '.join(shown)}, … +{len(names) - len(shown)}"
        shown.append(name)
    return ", ".join(shown)


# ---------------------------------------------------------------- INSERT


def _of_insert(seen: _Statement, insert: Insert) -> Iterator[Hint]:
    """The column that each value comes to: of every item of a SELECT, and of the first row of VALUES."""
    if insert.query is None or insert.by_name or insert.partition or insert.left_out:
        return
    targets = _targets(seen, insert)
    fold = seen.document.dialect.column_key
    query = _first_branch(insert.query)
    if isinstance(query, ValuesQuery):
        row = query.rows[0] if query.rows else ()
        starts = _first_row(seen, insert)
        if len(starts) == len(row):
            for start, node in zip(starts, targets, strict=False):
                yield Hint(seen.view.start + start, f"{node.path[-1]}:", "insert", (node,))
        return
    position = 0
    for item in query.projections if isinstance(query, Select) else ():
        if isinstance(item.value, Star):
            found = seen.star(item.value)
            if found is None:
                return
            position += len(found.columns)
            continue
        if position >= len(targets) or item.start < 0:
            return
        node = targets[position]
        name = item.alias or implied_name(item.value, seen.document.dialect)
        if name is None or fold(name.text, name.quoted) != fold(node.path[-1]):
            yield Hint(seen.view.start + item.start, f"{node.path[-1]}:", "insert", (node,))
        position += 1


def _targets(seen: _Statement, insert: Insert) -> list[Node]:
    """The columns that are written, in their order; [] where the table may have others."""
    relation_id = _relation_at(seen, insert.target[-1] if insert.target else None)
    if not relation_id:
        return []
    if insert.columns:
        return [Node(relation_id, tuple(part.text for part in column.parts)) for column in insert.columns]
    relation = seen.snapshot.relation(relation_id)
    if relation is None or relation.open or relation.assumed:
        return []
    return [Node(relation_id, (column.name,)) for column in relation.columns]


def _relation_at(seen: _Statement, name: Name | None) -> str:
    found = seen.meanings.get(name.start, ()) if name is not None else ()
    return next((one.relation for one in found if one.relation.count(SEPARATOR)), "")


def _first_branch(query: Query) -> Query:
    while isinstance(query, SetOperation):
        query = query.left
    return query


def _first_row(seen: _Statement, insert: Insert) -> list[int]:
    """Where the values of the first row begin."""
    everything = pieces_of(seen.text, seen.document.dialect)
    pieces = tuple(piece for piece in everything if piece.kind not in (COMMENT, LINE_COMMENT))
    begin = insert.target[-1].end if insert.target else 0
    at = next((
        index for index, piece in enumerate(pieces)
        if piece.start >= begin and seen.text[piece.start : piece.end].upper() == "VALUES"
    ), None)
    if at is None or at + 1 >= len(pieces) or pieces[at + 1].kind != OPEN:
        return []
    return _item_starts(seen.text, pieces, at + 1)


def _item_starts(text: str, pieces: tuple[Piece, ...], opening: int) -> list[int]:
    ends = {group.first: group.last for group in groups_of(text, pieces)}
    starts: list[int] = []
    fresh, at = True, opening + 1
    while at < len(pieces) and pieces[at].kind != CLOSE:
        if fresh:
            starts.append(pieces[at].start)
        fresh = text[pieces[at].start : pieces[at].end] == ","
        at = ends.get(at, at) + 1
    return starts
