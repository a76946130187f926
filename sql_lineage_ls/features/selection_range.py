"""Growing selections: token, path, expression, select item, clause, query block, brackets, statement, file.

They follow the form of the text and its brackets, so they work in a half-typed statement as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sql_lineage_ls.syntax.pieces import COMMENT, LINE_COMMENT, QUOTED, TAG, WORD, Group, Piece, groups_of, pieces_of
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import Snapshot, StatementView

_SET_OPERATORS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_CLAUSES = frozenset(
    {
        "SELECT", "FROM", "WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "WITH", "SET", "VALUES",
        "RETURNING", "PARTITION", "CLUSTER", "SORT", "DISTRIBUTE", "INSERT", "MERGE", "UPDATE", "DELETE", "USING",
        "PIVOT", "UNPIVOT", "CREATE", "PREWHERE", "START", "CONNECT",
    }
)  # fmt: skip
_JOINS = frozenset({"JOIN", "LATERAL"})
_JOIN_KINDS = frozenset(
    {"LEFT", "RIGHT", "FULL", "INNER", "CROSS", "OUTER", "SEMI", "ANTI", "NATURAL", "ASOF", "GLOBAL"}
)
_BRANCHES = frozenset({"WHEN", "ELSE"})
_CONDITIONS = frozenset({"ON", "WHEN", "THEN", "ELSE"})
_OPERANDS = frozenset({"AND", "OR", "AS", ","}) | _CONDITIONS
_QUERIES = frozenset({"SELECT", "WITH", "VALUES"})
_DOTS = frozenset({".", ":"})


class _Unit(Struct, frozen=True, gc=False):
    """A piece, or brackets with all that is in them. `word` is in upper case, '' for what is no word or sign."""

    start: int
    end: int
    word: str


def selection_range(snapshot: Snapshot, uri: str, offset: int) -> tuple[Span, ...]:
    """What grows around `offset`, from the smallest to the whole document; each contains the one before.

    `addr` in `SELECT UPPER(o.addr.city) AS c FROM t` grows to `o.addr`, `o.addr.city`, the brackets, the call, the
    item with its alias, the select clause, the statement and the document. () where there is no such document.
    """
    document = snapshot.document(uri)
    if document is None:
        return ()
    whole = Span(0, len(document.text))
    statement = document.statement_at(min(max(offset, 0), whole.end))
    if statement is None:
        return (whole,)
    text = document.text[statement.start : statement.end]
    pieces = pieces_of(text, document.dialect)
    inside = _chain(text, pieces, offset - statement.start)
    around = _around(document.text, statement)
    return _growing((*(span.shifted(statement.start) for span in inside), *around, whole))


def _growing(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Those that contain the ones before, each once."""
    found: list[Span] = []
    for span in spans:
        if not found or (span != found[-1] and span.start <= found[-1].start and found[-1].end <= span.end):
            found.append(span)
    return tuple(found)


def _around(text: str, statement: StatementView) -> Iterator[Span]:
    yield Span(statement.start, statement.end)
    behind = text[statement.end :].lstrip()
    if behind.startswith(";"):
        yield Span(statement.start, len(text) - len(behind) + 1)


def _chain(text: str, pieces: tuple[Piece, ...], offset: int) -> Iterator[Span]:
    """The spans of a statement around an offset, inner ones first; not every one contains the one before."""
    at = _piece_at(pieces, offset)
    if at is None:
        return
    piece = pieces[at]
    if piece.kind == QUOTED and piece.end - piece.start > 2 and piece.start < offset < piece.end:
        yield Span(piece.start + 1, piece.end - 1)
    yield Span(piece.start, piece.end)
    groups = groups_of(text, pieces)
    around = sorted(
        (group for group in groups if group.first <= at <= group.last), key=lambda group: group.last - group.first
    )
    if piece.kind in (COMMENT, LINE_COMMENT):
        around = [group for group in around if group.first < at < group.last]
    inner = at
    for group in around:
        if group.first < inner < group.last:
            yield from _levels(text, pieces, groups, (group.first + 1, group.last), inner)
        yield Span(pieces[group.first].start, pieces[group.last].end)
        inner = group.first
    yield from _levels(text, pieces, groups, (0, len(pieces)), inner)


def _piece_at(pieces: tuple[Piece, ...], offset: int) -> int | None:
    """The piece that an offset is in or right behind, a word rather than a sign; None between pieces."""
    found = [at for at, piece in enumerate(pieces) if piece.start <= offset <= piece.end]
    if not found:
        return None
    return max(found, key=lambda at: (pieces[at].kind in (WORD, QUOTED, TAG), at))


def _levels(
    text: str, pieces: tuple[Piece, ...], groups: tuple[Group, ...], region: tuple[int, int], at: int
) -> Iterator[Span]:
    """What grows between two brackets, or in the whole statement, around the piece `at`."""
    units = _units(text, pieces, groups, region)
    place = next((i for i, unit in enumerate(units) if unit.start <= pieces[at].start < unit.end), None)
    if place is None:
        return
    yield from _paths(units, place)
    every = _CLAUSES | _SET_OPERATORS | _JOINS
    branches = _BRANCHES | every | {","}
    for words in (_OPERANDS | every, _CONDITIONS | every | {","}):
        yield from _body(units, place, words)
    if units[_bounds(units, place, branches)[0]].word in _BRANCHES:
        yield from _with_word(units, place, branches)
    yield from _body(units, place, every | {","})
    yield from _with_word(units, place, every)
    yield from _body(units, place, _CLAUSES | _SET_OPERATORS)
    yield from _with_word(units, place, _CLAUSES | _SET_OPERATORS)
    yield from _query(units, place, _SET_OPERATORS)
    yield from _query(units, place, frozenset())
    yield Span(units[0].start, units[-1].end)


def _units(
    text: str, pieces: tuple[Piece, ...], groups: tuple[Group, ...], region: tuple[int, int]
) -> list[_Unit]:
    ends = {group.first: group.last for group in groups}
    units: list[_Unit] = []
    at, end = region
    while at < end:
        last = ends.get(at, at)
        piece = pieces[at]
        if piece.kind not in (COMMENT, LINE_COMMENT):
            plain = last == at and piece.kind not in (QUOTED, TAG)
            word = text[piece.start : piece.end].upper() if plain else ""
            units.append(_Unit(piece.start, pieces[last].end, word))
        at = last + 1
    return units


def _paths(units: list[_Unit], at: int) -> Iterator[Span]:
    """`o.addr` and `o.addr.city` around `addr`; with the brackets of a call or a subscript that touch a name."""
    first = _path_start(units, at)
    yield Span(units[first].start, units[at].end)
    last = at
    while last + 1 < len(units):
        if _is_part(units, last + 2) and units[last + 1].word in _DOTS:
            last += 2
        elif not units[last + 1].word and units[last + 1].start == units[last].end:
            last += 1
        else:
            break
        yield Span(units[first].start, units[last].end)


def _path_start(units: list[_Unit], at: int) -> int:
    """Where the path that ends with a unit begins: at `z` for `q` in `z[0].q`."""
    while at > 0:
        if units[at - 1].word in _DOTS and _is_part(units, at - 2):
            at -= 2
        elif not units[at].word and units[at - 1].end == units[at].start and _is_part(units, at - 1):
            at -= 1
        else:
            break
    return at


def _is_part(units: list[_Unit], at: int) -> bool:
    """Whether a unit can be part of a path: a name, a quoted name, brackets."""
    if not 0 <= at < len(units):
        return False
    word = units[at].word
    return not word or word[0].isalnum() or word[0] in "_@$"


def _is_separator(units: list[_Unit], at: int, words: frozenset[str]) -> bool:
    """Whether a unit separates: a word of them that is no name behind a dot, and no EXCEPT of a star."""
    word = units[at].word
    if word not in words or (at > 0 and units[at - 1].word in _DOTS):
        return False
    return not (word == "EXCEPT" and at > 0 and units[at - 1].word == "*")


def _bounds(units: list[_Unit], at: int, words: frozenset[str]) -> tuple[int, int]:
    """The separators around a unit: the one at or before it, -1 where there is none, and the one behind it."""
    before = next((i for i in range(at, -1, -1) if _is_separator(units, i, words)), -1)
    behind = next((i for i in range(at + 1, len(units)) if _is_separator(units, i, words)), len(units))
    while behind < len(units) and behind - 1 > at and units[behind].word in _JOINS and (
        units[behind - 1].word in _JOIN_KINDS
    ):
        behind -= 1
    return before, behind


def _body(units: list[_Unit], at: int, words: frozenset[str]) -> Iterator[Span]:
    """What stands between two separators, without them."""
    before, behind = _bounds(units, at, words)
    first = before + 1
    if first < behind and first > 0 and units[first].word == "BY":
        first += 1
    if first < behind:
        yield Span(units[first].start, units[behind - 1].end)


def _with_word(units: list[_Unit], at: int, words: frozenset[str]) -> Iterator[Span]:
    """What a separator and all behind it up to the next one make: a clause with its keyword."""
    before, behind = _bounds(units, at, words)
    if before >= 0 and units[before].word not in (",", *_SET_OPERATORS):
        while before > 0 and units[before].word in _JOINS and units[before - 1].word in _JOIN_KINDS:
            before -= 1
        yield Span(units[before].start, units[behind - 1].end)


def _query(units: list[_Unit], at: int, words: frozenset[str]) -> Iterator[Span]:
    """The query block around a unit: from its SELECT to the set operator behind it; all of them with no `words`."""
    before, behind = _bounds(units, at, words)
    first = next((i for i in range(before + 1, behind) if _is_separator(units, i, _QUERIES)), None)
    if first is not None:
        yield Span(units[first].start, units[behind - 1].end)
