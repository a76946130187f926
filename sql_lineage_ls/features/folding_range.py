"""Folding ranges: statements, brackets (CTEs, subqueries, column lists, types), CASE, comments, template blocks.

They follow the form of the text, so they stay while a statement is half typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sql_lineage_ls.features.results import Fold
from sql_lineage_ls.syntax.pieces import COMMENT, LINE_COMMENT, TAG, Piece, close_from, groups_of, pieces_of
from sql_lineage_ls.text.line_index import LineIndex
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import Snapshot

CODE, COMMENTS, REGION = "code", "comment", "region"

_REGION = re.compile(r"(?:--|#|//)\s*#?(region|endregion)\b", re.IGNORECASE)
_TAG_WORD = re.compile(r"\{%[-+]?\s*(\w+)")


def folding_ranges(snapshot: Snapshot, uri: str) -> tuple[Fold, ...]:
    """What can be folded in a document: spans over several lines, outer ones first, sorted.

    A bracket that ends on a line of its own stays to be seen: of `CREATE TABLE t (`, two columns and `);` the fold of
    the bracket ends behind the last column.
    """
    document = snapshot.document(uri)
    if document is None:
        return ()
    text, lines = document.text, document.lines
    pieces = pieces_of(text, document.dialect)
    folds = {Span(statement.start, statement.end): CODE for statement in document.statements}
    for group in groups_of(text, pieces):
        span = Span(pieces[group.first].start, _before(text, lines, pieces, group.last))
        folds.setdefault(span, CODE)
    for span in _comments(text, lines, pieces):
        folds[span] = COMMENTS
    folds.update((span, CODE) for span in _tag_blocks(text, lines, pieces))
    folds.update((span, REGION) for span in _regions(text, pieces))
    found = (Fold(span, kind) for span, kind in folds.items() if _line(lines, span.start) < _line(lines, span.end))
    return tuple(sorted(found, key=lambda fold: (fold.span.start, -fold.span.end, fold.kind)))


def _line(lines: LineIndex, offset: int) -> int:
    return lines.position(offset, "utf-32")[0]


def _before(text: str, lines: LineIndex, pieces: tuple[Piece, ...], closer: int) -> int:
    """Where a fold ends that a piece closes: before its line where it is the first thing there, else behind it."""
    if not _is_first(lines, pieces, closer):
        return pieces[closer].end
    end = pieces[closer].start
    while end and text[end - 1].isspace():
        end -= 1
    return end


def _is_first(lines: LineIndex, pieces: tuple[Piece, ...], at: int) -> bool:
    """Whether nothing stands before a piece on its line."""
    return not at or pieces[at - 1].end <= lines.line_start(_line(lines, pieces[at].start))


def _comments(text: str, lines: LineIndex, pieces: tuple[Piece, ...]) -> Iterator[Span]:
    """Comments over several lines, and line comments that follow each other on lines of their own."""
    run: list[Piece] = []
    for at, piece in enumerate(pieces):
        if piece.kind == LINE_COMMENT and _is_first(lines, pieces, at) and not _REGION.match(text, piece.start):
            if run and text[run[-1].end : piece.start].count("\n") > 1:
                yield Span(run[0].start, run[-1].end)
                run = []
            run.append(piece)
            continue
        if run:
            yield Span(run[0].start, run[-1].end)
            run = []
        if piece.kind == COMMENT:
            yield Span(piece.start, piece.end)
    if run:
        yield Span(run[0].start, run[-1].end)


def _tag_blocks(text: str, lines: LineIndex, pieces: tuple[Piece, ...]) -> Iterator[Span]:
    """`{% if .. %}` to `{% endif %}` and its like; the branches between belong to it."""
    open_: dict[str, list[int]] = {}
    for at, piece in enumerate(pieces):
        word = _TAG_WORD.match(text, piece.start) if piece.kind == TAG else None
        if word is None:
            continue
        name = word[1]
        if not name.startswith("end"):
            open_.setdefault(name, []).append(at)
        elif same := open_.get(name[3:]):
            first = same[-1]
            yield Span(pieces[first].start, _before(text, lines, pieces, at))
            close_from(open_, first)


def _regions(text: str, pieces: tuple[Piece, ...]) -> Iterator[Span]:
    """`-- region name` to `-- endregion`."""
    open_: list[Piece] = []
    for piece in pieces:
        mark = _REGION.match(text, piece.start) if piece.kind == LINE_COMMENT else None
        if mark is None:
            continue
        if mark[1].lower() == "region":
            open_.append(piece)
        elif open_:
            yield Span(open_.pop().start, piece.end)


