"""Silences a finding with a comment: where it stands, or in the whole file (`features/ignores`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sql_lineage_ls.features.asking import Asked, line_start
from sql_lineage_ls.features.results import Action, Diagnostic, TextChange
from sql_lineage_ls.syntax.pieces import COMMENT, LINE_COMMENT, QUOTED, TAG, Piece, pieces_of
from sql_lineage_ls.workspace.snapshot import DocumentView

_LISTED = re.compile(r"sql-lineage:[ \t]*ignore[ \t]*\[(?P<codes>[^\]\r\n]*)\]")
_LISTED_IN_FILE = re.compile(
    r"(?:--+|#+|//|/\*+|\{#-?)[ \t]*sql-lineage:[ \t]*ignore-file[ \t]*\[(?P<codes>[^\]\r\n]*)\]"
)
_FIRST_LINE = re.compile(r"\ufeff?[ \t]*--[ \t]*dialect:[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LINE_END = re.compile(r"\r\n|\r|\n|\Z")


def silence(asked: Asked, finding: Diagnostic) -> Iterator[Action]:
    """A comment on the line above, or behind the line where that would speak of a whole statement; one in the file."""
    here = _here(asked, finding)
    if here is not None:
        yield Action(f"Ignore `{finding.code}` here", "quickfix", (here,), diagnostics=(finding,))
    yield Action(
        f"Ignore `{finding.code}` in this file", "quickfix", (_in_file(asked, finding.code),), diagnostics=(finding,)
    )


def _here(asked: Asked, finding: Diagnostic) -> TextChange | None:
    text = asked.document.text
    first = line_start(text, finding.span.start)
    last = _line_end(text, first)
    above = line_start(text, first - 1) if first else first
    pieces = _pieces_around(asked.document, first, last)
    comment = _behind(pieces, first, last)
    if comment is not None:
        own = _LISTED.search(text, comment.start, comment.end)
        if own is not None:
            return _extended(asked, own, finding.code)
    alone = text[above:first].lstrip()[:2] in ("--", "/*", "# ", "//", "{#")
    known = _LISTED.search(text, above, first) if alone else None
    if known is not None:
        return _extended(asked, known, finding.code)
    mark = f"-- sql-lineage: ignore[{finding.code}]"
    head = first + len(text[first:last]) - len(text[first:last].lstrip())
    begins = any(statement.start == head for statement in asked.document.statements)
    if not _is_inside(pieces, last) and comment is None and (begins or _is_inside(pieces, first)):
        return asked.change(last, last, f"  {mark}")
    if _is_inside(pieces, first):
        return None
    return asked.change(first, first, f"{text[first:head]}{mark}\n")


def _pieces_around(document: DocumentView, first: int, last: int) -> tuple[Piece, ...]:
    """The pieces of the statements that a line is of; between statements those behind the one before."""
    begin = max((one.start if one.end >= first else one.end for one in document.statements if one.start <= first),
                default=0)
    end = max((one.end for one in document.statements if one.start <= last), default=last)
    found = pieces_of(document.text[begin : max(last, end)], document.dialect)
    return tuple(Piece(one.kind, one.start + begin, one.end + begin) for one in found)


def _behind(pieces: tuple[Piece, ...], first: int, last: int) -> Piece | None:
    """The line comment that ends a line."""
    return next((one for one in pieces if one.kind == LINE_COMMENT and first <= one.start < last), None)


def _is_inside(pieces: tuple[Piece, ...], offset: int) -> bool:
    """Whether `offset` lies in a text, a comment or a tag that goes over several lines."""
    return any(one.start < offset < one.end for one in pieces if one.kind in (QUOTED, COMMENT, TAG))


def _in_file(asked: Asked, code: str) -> TextChange:
    text = asked.document.text
    known = _LISTED_IN_FILE.search(text)
    if known is not None:
        return _extended(asked, known, code)
    # The line that names the dialect stays the first one.
    first = _FIRST_LINE.match(text)
    at = first.end() if first is not None else int(text.startswith("\ufeff"))
    before = "\n" if first is not None and not first[0].endswith(("\n", "\r")) else ""
    return asked.change(at, at, f"{before}-- sql-lineage: ignore-file[{code}]\n")


def _extended(asked: Asked, comment: re.Match[str], code: str) -> TextChange:
    codes = comment["codes"].strip()
    return asked.change(comment.start("codes"), comment.end("codes"), f"{codes}, {code}" if codes else code)


def _line_end(text: str, offset: int) -> int:
    found = _LINE_END.search(text, offset)
    return found.start() if found is not None else len(text)
