"""One document cut into statements, each with its model.

Only statements whose text is new are parsed: moved ones keep their model, and a half-typed one keeps the last model
that could be read beside it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.syntax.bodies import parts
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.macros import tags_within
from sql_lineage_ls.syntax.packed import HeldModel, is_read, model_of
from sql_lineage_ls.syntax.query_model import CreateView, Name, QueryStatement, StatementModel
from sql_lineage_ls.syntax.resplit import recut
from sql_lineage_ls.syntax.splitter import StatementSlice, cut
from sql_lineage_ls.syntax.templates import mask
from sql_lineage_ls.workspace.dbt_snapshots import snapshot_name, with_history
from sql_lineage_ls.workspace.held_text import HeldText, text_of
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.stale import Shift, find_shift

# A statement of which less than this share is left is another statement, not a half-typed one.
_LEAST_KEPT = 0.5
_FIRST_WORD = re.compile(r"\w+")


class GoodModel(Struct, frozen=True, array_like=True):
    """The last version of a statement that could be read in full."""

    key: str
    text: str
    held: HeldModel


class ParsedPiece(Struct, frozen=True, array_like=True):
    """A statement at `start`..`end` of its document. `text` has its templates masked; '' where nobody looks at it.

    `last_good` is set where `model` has issues and the statement was readable before; `shift` tells how its text
    became the present one. `inner` where it stands in the body of the routine whose head comes before it, which
    `reach` tells how far it goes on behind its head.
    """

    start: int
    end: int
    key: str
    text: str
    held: HeldModel
    last_good: GoodModel | None = None
    shift: Shift | None = None
    inner: bool = False
    reach: int = 0

    @property
    def model(self) -> StatementModel:
        return model_of(self.held)

    @property
    def analysed(self) -> GoodModel:
        """What stands for the statement in the analysis: its own model, or the last good one while it is broken."""
        return self.last_good or GoodModel(self.key, self.text, self.held)


class ParsedFile(Struct, frozen=True):
    """A document and its statements. `version` is the editor's, None for a file on disk.

    `relation` is the name of the relation that the document's query is, '' for what is no model. The text is packed
    where nobody looks at the document.
    """

    uri: str
    held_text: HeldText
    version: int | None
    dialect: Dialect
    open: bool
    pieces: tuple[ParsedPiece, ...]
    relation: str = ""
    # Whether an edit of one statement leaves the places of the others as they are (`syntax.resplit`).
    steady: bool = False

    @property
    def text(self) -> str:
        return text_of(self.held_text)


class Pending(Struct, frozen=True):
    """A statement that is about to be parsed: its place in the document, and its text without tags."""

    key: str
    start: int
    end: int
    text: str


class Pieces(Struct, frozen=True):
    """The statements of a text, and whether they were found without regard to each other."""

    pieces: tuple[ParsedPiece, ...] = ()
    steady: bool = False


def parse_pieces(
    text: str,
    dialect: Dialect,
    cache: ParseCache,
    before: ParsedFile | None = None,
    relation: str = "",
    brief: bool = False,
) -> Generator[Pending, None, Pieces]:
    """Cuts `text` into statements and parses those that `cache` does not know.

    Yields each statement before it is really parsed, so that its caller can stop in between, or have it parsed
    elsewhere and put into `cache`; returns the pieces.
    `before` is what the document was: statements away from the edit are taken from it, and the last good models of
    statements that are broken now.
    `relation` is set for a model: the name of the relation that the document's query is. `brief` is for documents that
    nobody looks at: their models are packed.
    """
    masked = mask(text)
    snapshot = snapshot_name(text) if relation else ""
    relation = snapshot or relation
    plain = masked.text is text and not relation
    kept = _recut(text, dialect, before) if plain and before is not None else None
    if kept is not None:
        pieces, slices, behind = kept
        steady = True
    else:
        found = cut(masked.text, dialect)
        pieces, slices, behind = [], found.slices, []
        steady = found.steady and plain
    for part in parts(masked.text, slices, dialect):
        start, end, inner = part.start, part.end, part.inner
        statement = masked.text[start:end] if part.text is None else part.text
        tags = tags_within(masked, text, start, end, relation)
        key = cache.key(statement if tags is None else f"{tags.text}\0{relation}", dialect, inner)
        if cache.find(key) is None:
            yield Pending(key, start, end, statement)
        model = cache.parse(key, statement, dialect, tags, inner)
        pieces.append(ParsedPiece(start, end, key, statement, model, inner=inner, reach=part.reach))
    pieces += behind
    if relation:
        _name_query(pieces, relation, bool(snapshot), cache)
    if brief:
        packed = (replace(piece, text="", held=cache.packed(piece.key, piece.model)) for piece in pieces)
        return Pieces(tuple(packed), steady)
    return Pieces(_keep_last_good(before.pieces if before is not None else (), pieces), steady)


_Kept = tuple[list[ParsedPiece], Sequence[StatementSlice], list[ParsedPiece]]


def _recut(text: str, dialect: Dialect, before: ParsedFile) -> _Kept | None:
    """The pieces in front of an edit, the places of statements that may be new, and the pieces behind it.

    A routine counts as one statement, which is looked at as a whole.
    """
    if not before.steady or before.dialect is not dialect:
        return None
    pieces = before.pieces
    whole = [at for at, piece in enumerate(pieces) if not piece.inner]
    old = [StatementSlice(pieces[at].start, pieces[at].end + pieces[at].reach) for at in whole]
    shift = find_shift(before.text, text)
    by = len(text) - len(before.text)
    found = recut(text, dialect, old, shift.prefix, shift.suffix, by)
    if found is None:
        return None
    whole.append(len(pieces))
    kept = pieces[whole[len(old) - found.last] :]
    behind = [replace(one, start=one.start + by, end=one.end + by) for one in kept] if by else list(kept)
    return list(pieces[: whole[found.first]]), [StatementSlice(*place) for place in found.middle], behind


def _name_query(pieces: list[ParsedPiece], relation: str, snapshot: bool, cache: ParseCache) -> None:
    """Makes the only query of a model the view that the model is; of several nobody knows which.

    The view's name stands at the first word of the query: there is no other place that declares it.
    """
    queries = [at for at, piece in enumerate(pieces) if _bare_query(piece.model) is not None]
    if len(queries) != 1:
        return
    piece = pieces[queries[0]]
    statement = _bare_query(piece.model)
    assert statement is not None
    first = _FIRST_WORD.match(piece.text)
    name = Name(relation, 0, first.end() if first else min(len(piece.text), 1))
    key = f"{piece.key}:{relation}:{snapshot}"
    query = with_history(statement.query) if snapshot else statement.query
    model = cache.made(key, lambda: replace(piece.model, statement=CreateView((name,), query, model=True)))
    pieces[queries[0]] = replace(piece, key=key, held=model)


def _bare_query(model: StatementModel) -> QueryStatement | None:
    statement = model.statement
    return statement if isinstance(statement, QueryStatement) and not statement.into else None


def _keep_last_good(old: Sequence[ParsedPiece], new: list[ParsedPiece]) -> tuple[ParsedPiece, ...]:
    """Pairs the statements that changed with what they were, where their number did not change.

    Statements that are the same before and behind the edit are skipped from both ends; a statement that is still the
    same but broken keeps what it had.
    """
    first = 0
    while first < min(len(old), len(new)) and old[first].key == new[first].key:
        new[first] = _pair(old[first], new[first])
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last].key == new[-1 - last].key:
        new[-1 - last] = _pair(old[-1 - last], new[-1 - last])
        last += 1
    if len(old) == len(new):
        for at in range(first, len(new) - last):
            new[at] = _pair(old[at], new[at])
    return tuple(new)


def _pair(old: ParsedPiece, new: ParsedPiece) -> ParsedPiece:
    """`new` with the last good model of `old`, where it needs one and `old` has one that is near enough."""
    if is_read(new.held):
        return new
    good = GoodModel(old.key, old.text, old.held) if is_read(old.held) else old.last_good
    if good is None:
        return new
    shift = find_shift(good.text, new.text)
    if shift.kept < _LEAST_KEPT:
        return new
    return replace(new, last_good=good, shift=shift)
