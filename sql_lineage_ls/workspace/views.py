"""Parsed documents and their lineage as the views of a snapshot, reusing those that stayed the same."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sql_lineage_ls.lineage.kept import KeptLineage
from sql_lineage_ls.workspace.parsed_file import ParsedFile, ParsedPiece
from sql_lineage_ls.workspace.snapshot import DocumentView, StatementView
from sql_lineage_ls.workspace.stale import move_lineage


def document_view(file: ParsedFile, lineages: Sequence[KeptLineage], before: DocumentView | None) -> DocumentView:
    """A document as it is shown; `before` itself where nothing of it changed."""
    known = before.statements if before is not None else ()
    statements = tuple(
        _statement_view(at, piece, lineage, known[at] if at < len(known) else None)
        for at, (piece, lineage) in enumerate(zip(file.pieces, lineages, strict=True))
    )
    if (
        before is not None
        and len(known) == len(statements)
        and all(new is old for new, old in zip(statements, known, strict=True))
        and (before.held_text, before.version, before.dialect, before.open)
        == (file.held_text, file.version, file.dialect, file.open)
    ):
        return before
    return DocumentView(file.uri, file.held_text, file.version, file.dialect, statements, file.open)


def _statement_view(
    at: int, piece: ParsedPiece, lineage: KeptLineage, before: StatementView | None
) -> StatementView:
    stale = piece.last_good is not None
    if before is not None and not (stale or before.stale) and before.kept is lineage and before.held is piece.held:
        if (before.start, before.end) == (piece.start, piece.end):
            return before
        return replace(before, start=piece.start, end=piece.end)
    shown = move_lineage(lineage.lineage, piece.shift) if piece.shift is not None else lineage
    return StatementView(at, piece.start, piece.end, piece.held, shown, stale, piece.shift)


def same_lineage(new: DocumentView, old: DocumentView) -> bool:
    """Whether two views of a document say the same, wherever its statements stand now."""
    return len(new.statements) == len(old.statements) and all(
        one.kept is other.kept for one, other in zip(new.statements, old.statements, strict=True)
    )
