"""The words, quotes, brackets, comments and tags of a text, whatever its state, and how its brackets nest.

For features that follow the text's form and not its meaning (folding, growing selections). By the scanners that cut
documents into statements, so it reads half-typed and broken text; it never raises and takes linear time.
"""

from __future__ import annotations

import re

from msgspec import Struct

from sql_lineage_ls.syntax import lexical as lex
from sql_lineage_ls.syntax.broken_quotes import boundary, line_quote_end
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.templates import tag_end

WORD, QUOTED, OPEN, CLOSE, SIGN, SEMICOLON = "word", "quoted", "open", "close", "sign", "semicolon"
LINE_COMMENT, COMMENT, TAG = "line_comment", "comment", "tag"

_COMMENT_MARK = re.compile(r"/\*|\*/")
_CLOSERS = {"[": "]", "(": ")", "{": "}", "<": ">"}
_OPENERS = {"]": "[", ")": "(", "}": "{", ">": "<", "END": "CASE"}
_BRACKETS = ("(", "[", "{")
_KINDS = {
    lex.CLOSED: QUOTED, lex.WORD: WORD, lex.SEMICOLON: SEMICOLON, lex.LINE_COMMENT: LINE_COMMENT, lex.OPEN: OPEN,
    lex.CLOSE: CLOSE, lex.SYMBOL: SIGN,
}  # fmt: skip
# So many different quotes that nothing closes, and none is looked for any more: each look goes to the end of the text.
_PATIENCE = 64
# Types whose parameters stand between `<` and `>`.
_TYPES = frozenset({"STRUCT", "ARRAY", "MAP", "TABLE", "RECORD", "RANGE"})


class Piece(Struct, frozen=True, gc=False):
    """The code points `[start, end)` of one piece of text."""

    kind: str
    start: int
    end: int


class Group(Struct, frozen=True, gc=False):
    """Brackets that belong together, or CASE and its END: the indexes of the two pieces. `sign` is what opens it."""

    first: int
    last: int
    sign: str


def pieces_of(text: str, dialect: Dialect) -> tuple[Piece, ...]:
    """The pieces of `text` in order, without the blanks between them.

    `f(a) -- x` has a word, an open bracket, a word, a closed bracket and a line comment.
    """
    scanner = lex.scanner(dialect.name)
    found: list[Piece] = []
    unclosed: set[str] = set()
    position = 0
    while position < len(text):
        for match in scanner.tokens.finditer(text, position):
            group = match.lastindex
            assert group is not None
            start, end = match.span(group)
            kind = _KINDS.get(group)
            if kind is None:
                position = _by_hand(text, scanner, group, (start, end), found, unclosed)
                break
            found.append(Piece(kind, start, end))
        else:
            break
    return tuple(found)


def _by_hand(
    text: str, scanner: lex.Scanner, group: int, place: tuple[int, int], found: list[Piece], unclosed: set[str]
) -> int:
    """Adds a piece whose end no pattern tells; where to go on. `unclosed` are marks that nothing closes any more."""
    start, end = place
    if group == lex.COMMENT:
        kind, stop = COMMENT, _comment_end(text, start, scanner.rules.nested_comments, unclosed)
    elif group == lex.TAG:
        kind, stop = TAG, _tag_end(text, start, text[start:end], unclosed)
    elif group == lex.DELIMITED:
        kind, stop = QUOTED, _delimited_end(text, start, end, unclosed)
    else:
        kind, stop = QUOTED, line_quote_end(text, start, len(text))
    if stop <= start:
        kind, stop = SIGN, end
    found.append(Piece(kind, start, stop))
    return stop


def _tag_end(text: str, start: int, opener: str, unclosed: set[str]) -> int:
    stop = tag_end(text, start) if opener not in unclosed else -1
    if stop < 0 and opener == "{#":
        unclosed.add(opener)
    return stop


def _delimited_end(text: str, start: int, end: int, unclosed: set[str]) -> int:
    opener = text[start:end]
    sign = text[end : end + 1]
    closer = _CLOSERS.get(sign, sign) + "'" if opener[-1] == "'" else opener
    if closer in unclosed or len(unclosed) >= _PATIENCE:
        return -1
    close = text.find(closer, end + (opener[-1] == "'"))
    if close < 0:
        unclosed.add(closer)
        return -1
    return close + len(closer)


def _comment_end(text: str, start: int, nested: bool, unclosed: set[str]) -> int:
    depth = 1
    for mark in _COMMENT_MARK.finditer(text, start + 2) if "*/" not in unclosed else ():
        if mark[0] == "*/":
            depth -= 1
        elif nested:
            depth += 1
        if not depth:
            return mark.end()
    unclosed.add("*/")
    end = boundary(text, start, len(text))
    return end if end >= 0 else len(text)


def groups_of(text: str, pieces: tuple[Piece, ...]) -> tuple[Group, ...]:
    """The brackets that close, by their opening piece, CASE .. END and the angle brackets of types among them.

    A bracket that is never closed holds nothing up: those around it close over it. A semicolon closes everything.
    """
    found: list[Group] = []
    open_: dict[str, list[int]] = {sign: [] for sign in _OPENERS.values()}
    before = ""
    for at, piece in enumerate(pieces):
        kind = piece.kind
        if kind in (LINE_COMMENT, COMMENT):
            continue
        word = text[piece.start : piece.end].upper() if kind in (WORD, OPEN, CLOSE, SIGN) else ""
        if kind == SEMICOLON:
            open_ = {sign: [] for sign in open_}
        elif kind == OPEN or (word == "<" and before in _TYPES) or (word == "CASE" and before != "END"):
            open_[word].append(at)
        elif kind == CLOSE or word in ("END", ">"):
            _close(open_, at, word, found)
        before = word
    return tuple(sorted(found, key=lambda group: group.first))


def _close(open_: dict[str, list[int]], at: int, closer: str, found: list[Group]) -> None:
    """Closes the innermost bracket of that kind. An angle bracket and an END reach over no other bracket."""
    sign = _OPENERS[closer]
    if not open_[sign]:
        return
    first = open_[sign][-1]
    if closer in (">", "END") and any(open_[bracket] and open_[bracket][-1] > first for bracket in _BRACKETS):
        return
    close_from(open_, first)
    found.append(Group(first, at, sign))


def close_from(open_: dict[str, list[int]], first: int) -> None:
    """Takes what was opened at the piece `first` and behind it out of what is open, which stands by its kind."""
    for places in open_.values():
        while places and places[-1] >= first:
            places.pop()


def item_around(text: str, pieces: tuple[Piece, ...], groups: tuple[Group, ...], offset: int) -> tuple[int, int]:
    """The item of a list that `offset` lies in: what stands between the commas or brackets around it.

    In `(a, f(b, c) AS d)` the item around `d` is `f(b, c) AS d`. Comments at its ends do not belong to it.
    """
    around = [one for one in groups if pieces[one.first].end <= offset < pieces[one.last].start]
    group = max(around, key=lambda one: one.first, default=Group(-1, len(pieces), ""))
    inner = {one.first: one.last for one in groups}
    start, end, at = offset, offset, group.first + 1
    item: list[Piece] = []
    while at < group.last:
        piece = pieces[at]
        last = pieces[inner.get(at, at)]
        if text[piece.start : piece.end] == ",":
            if piece.start > offset:
                break
            item = []
        elif piece.kind not in (COMMENT, LINE_COMMENT):
            item += [piece, last]
        at = inner.get(at, at) + 1
    if item:
        start, end = item[0].start, item[-1].end
    return start, end
