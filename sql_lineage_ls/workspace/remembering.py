"""Between what an engine knows and a saved state: what is kept of each document, and what it becomes again.

A state is taken when everything is analysed and nothing is half-typed, so that all of it is true together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.lineage.kept import KeptLineage
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.packed import PackedModel, pack
from sql_lineage_ls.workspace.circumstances import Circumstances
from sql_lineage_ls.workspace.discovery import FoundFile
from sql_lineage_ls.workspace.held_text import pack_text
from sql_lineage_ls.workspace.index import RelationIndex, pack_contribution
from sql_lineage_ls.workspace.parsed_file import ParsedFile, ParsedPiece
from sql_lineage_ls.workspace.revision import Revision
from sql_lineage_ls.workspace.saved_state import SavedFile, SavedPiece, SavedState, text_digest
from sql_lineage_ls.workspace.snapshot import DocumentView, StatementView
from sql_lineage_ls.workspace.text_files import read_text

# A file that was written so shortly before may have been written again without another time of change.
_UNSURE_NANOSECONDS = 2_000_000_000

Known = tuple[str, KeptLineage]


class Unsaved(Exception):
    """The state cannot be taken: a document has something that has no bytes, or that is not true of its text."""


class Recalled(Struct, frozen=True):
    """A saved state as the parts of an engine."""

    files: Mapping[str, ParsedFile]
    known: Mapping[tuple[str, int], Known]
    views: Mapping[str, DocumentView]
    contributions: Mapping[str, Mapping[str, bytes]]
    saved: Mapping[str, SavedFile]


def taken(
    revision: Revision, views: Mapping[str, DocumentView], index: RelationIndex, disk: Mapping[str, FoundFile], now: int
) -> Iterator[SavedFile]:
    """The documents of a state; raises `Unsaved`. `now` is the time in nanoseconds."""
    for uri, file in revision.parsed.items():
        view = views.get(uri)
        if view is None or len(view.statements) != len(file.pieces):
            raise Unsaved(f"{uri} is not shown as it is")
        found = disk.get(uri)
        stamp = found.stamp if found is not None and not file.open else None
        if stamp is not None and stamp[0] > now - _UNSURE_NANOSECONDS:
            stamp = None
        text = pack_text(file.held_text) if isinstance(file.held_text, str) else file.held_text
        pieces = tuple(
            _saved_piece(piece, statement, revision.analysis.key_of(uri, at))
            for at, (piece, statement) in enumerate(zip(file.pieces, view.statements, strict=True))
        )
        contributions = []
        for relation, held in index.of(uri).items():
            packed = held if isinstance(held, bytes) else pack_contribution(held)
            if not isinstance(packed, bytes):
                raise Unsaved(f"what {uri} uses has no bytes")
            contributions.append((relation, packed))
        yield SavedFile(
            uri, stamp, text_digest(file.text), file.dialect.name, file.relation, text, file.steady, pieces,
            tuple(contributions),
        )  # fmt: skip


def _saved_piece(piece: ParsedPiece, view: StatementView, key: str) -> SavedPiece:
    held = piece.held if isinstance(piece.held, PackedModel) else pack(piece.held)
    kept = view.kept
    if held is None or piece.last_good is not None or not isinstance(kept, KeptLineage) or not (data := kept.data):
        raise Unsaved("a statement is half-typed, or has no bytes")
    return SavedPiece(replace(piece, text="", held=held), key, kept.dependencies, data)


def recalled(state: SavedState, circumstances: Circumstances) -> Recalled | None:
    """The parts of an engine that a state gives; None where it is that of another workspace."""
    files, known, views, contributions = {}, {}, {}, {}
    for saved in state.files:
        if saved.dialect not in DIALECTS:
            return None
        uri = saved.uri
        dialect = circumstances.settings_of(uri).rules(DIALECTS[saved.dialect])
        pieces = []
        statements = []
        for at, one in enumerate(saved.pieces):
            kept = KeptLineage(one.dependencies, data=one.lineage)
            pieces.append(one.piece)
            statements.append(StatementView(at, one.piece.start, one.piece.end, one.piece.held, kept))
            known[uri, at] = one.known_as, kept
        files[uri] = ParsedFile(uri, saved.text, None, dialect, False, tuple(pieces), saved.relation, saved.steady)
        views[uri] = DocumentView(uri, saved.text, None, dialect, tuple(statements))
        contributions[uri] = dict(saved.contributions)
    return Recalled(files, known, views, contributions, {saved.uri: saved for saved in state.files})


def is_as_saved(file: FoundFile, saved: SavedFile | None) -> bool:
    """Whether a file says what it said; its text is looked at where its stamp cannot tell."""
    if saved is None:
        return False
    if saved.stamp == file.stamp:
        return True
    text = read_text(file.path)
    return text is not None and text_digest(text) == saved.digest
