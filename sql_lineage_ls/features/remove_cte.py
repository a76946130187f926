"""Removes a CTE that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from sql_lineage_ls.features.asking import Asked
from sql_lineage_ls.features.results import Action, Diagnostic
from sql_lineage_ls.syntax.model_walk import records_of
from sql_lineage_ls.syntax.pieces import COMMENT, LINE_COMMENT, Piece, groups_of, pieces_of
from sql_lineage_ls.syntax.query_model import Cte

# What may stand behind a CTE and belongs to it.
_CONTINUES = frozenset({"SEARCH", "CYCLE"})


def remove_cte(asked: Asked, finding: Diagnostic) -> Iterator[Action]:
    """`WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM b` becomes `WITH b AS (SELECT 2) SELECT * FROM b`."""
    statement = asked.document.statement_at(finding.span.start)
    if finding.code != "unused-cte" or statement is None or statement.stale:
        return
    name = finding.span.start - statement.start
    cte = next((one for one in records_of(Cte, statement.model) if one.name.start == name), None)
    # A statement in WITH changes data, whether its rows are read or not.
    if cte is None or cte.write is not None:
        return
    text = asked.document.text[statement.start : statement.end]
    pieces = [one for one in pieces_of(text, asked.document.dialect) if one.kind not in (COMMENT, LINE_COMMENT)]
    place = _extent(text, tuple(pieces), name)
    if place is not None:
        change = asked.change(statement.start + place[0], statement.start + place[1], "")
        title = f"Remove the unused CTE `{asked.text(finding.span)}`"
        yield Action(title, "quickfix", (change,), diagnostics=(finding,))


def _extent(text: str, pieces: tuple[Piece, ...], name: int) -> tuple[int, int] | None:
    """What goes: the CTE with the comma that it no longer needs, or the whole WITH clause."""
    at = next((index for index, piece in enumerate(pieces) if piece.start == name), None)
    if at is None or at == 0:
        return None
    closing = _body_end(text, pieces, at)
    if closing is None or closing + 1 >= len(pieces):
        return None
    following, before = pieces[closing + 1], pieces[at - 1]
    word = _word(text, following)
    if word in _CONTINUES:
        return None
    if word == ",":
        return name, _skip_blanks(text, following.end)
    if _word(text, before) == ",":
        return before.start, pieces[closing].end
    start = at - 1
    if _word(text, pieces[start]) == "RECURSIVE" and start:
        start -= 1
    if _word(text, pieces[start]) != "WITH":
        return None
    return pieces[start].start, _skip_blanks(text, pieces[closing].end)


def _body_end(text: str, pieces: tuple[Piece, ...], at: int) -> int | None:
    """The bracket that closes the query behind AS; a list of columns may stand before it."""
    ends = {group.first: group.last for group in groups_of(text, pieces) if group.sign == "("}
    index = at + 1
    behind_as = False
    while index < len(pieces):
        if index in ends:
            if behind_as:
                return ends[index]
            index = ends[index]
        elif _word(text, pieces[index]) == "AS":
            behind_as = True
        index += 1
    return None


def _word(text: str, piece: Piece) -> str:
    return text[piece.start : piece.end].upper()


def _skip_blanks(text: str, offset: int) -> int:
    while offset < len(text) and text[offset].isspace():
        offset += 1
    return offset
