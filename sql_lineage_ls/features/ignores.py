"""Comments that silence diagnostics where they stand.

    SELECT f.carier          -- sql-lineage: ignore[undeclared-column]
    -- sql-lineage: ignore[undeclared-column, orphan-column]
    SELECT f.carier, ...     the line above: the next line, and the whole statement where one begins there
    -- sql-lineage: ignore-file[unused-cte]

Without brackets every code is meant. A comment may be of any kind that SQL and templates have. A code that is none
is told as `unknown-code`, since a misspelt comment would silence nothing and nobody would know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from sql_lineage_ls.features.results import Diagnostic
from sql_lineage_ls.lineage.context import nearest
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.config import DIAGNOSTIC_CODES
from sql_lineage_ls.workspace.snapshot import DocumentView

UNKNOWN_CODE = "unknown-code"
_MARK = "sql-lineage:"
_COMMENT = re.compile(
    r"(?P<opening>--+|#+|//|/\*+|\{#-?)[ \t]*sql-lineage:[ \t]*ignore(?P<file>-file)?(?![\w-])[ \t]*"
    r"(?:\[(?P<codes>[^\]\r\n]*)\])?"
)
_CODE = re.compile(r"[^\s,]+")
_NOT_CODE = re.compile(r"[ \t]*(?:(?:--|#|//|/\*|\{#).*)?\Z")

Codes = frozenset[str]
_EVERY: Codes = frozenset({"*"})
_NONE: Codes = frozenset()


class Ignores(Struct, frozen=True):
    """What the comments of a document silence: codes of the whole document, of lines (from 0) and of statements."""

    file: Codes = _NONE
    lines: Mapping[int, Codes] = {}
    statements: Mapping[int, Codes] = {}
    unknown: tuple[tuple[Span, str], ...] = ()
    """The codes that are none, with their places."""

    def silence(self, code: str, line: int, statement: int) -> bool:
        """Whether a finding of `code` in that line and statement is silenced."""
        found = self.file | self.lines.get(line, _NONE) | self.statements.get(statement, _NONE)
        return code in found or bool(found & _EVERY)


def ignores_of(document: DocumentView) -> Ignores:
    """The ignore comments of a document: `SELECT a -- sql-lineage: ignore[orphan-column]` silences that code there."""
    if _MARK not in document.text:
        return Ignores()
    file = _NONE
    lines: dict[int, Codes] = {}
    statements: dict[int, Codes] = {}
    unknown: list[tuple[Span, str]] = []
    for comment in _COMMENT.finditer(document.text):
        codes = _EVERY if comment["codes"] is None else frozenset(code for code, _ in _codes(comment))
        unknown += [(span, code) for code, span in _codes(comment) if code not in DIAGNOSTIC_CODES]
        if comment["file"]:
            file |= codes
            continue
        line, head = _target(document, comment.start())
        lines[line] = lines.get(line, _NONE) | codes
        if head is not None:
            statements[head] = statements.get(head, _NONE) | codes
    return Ignores(file, lines, statements, tuple(unknown))


def _codes(comment: re.Match[str]) -> Iterator[tuple[str, Span]]:
    start = comment.start("codes")
    for word in _CODE.finditer(comment["codes"] or ""):
        yield word[0].lower().replace("_", "-"), Span(start + word.start(), start + word.end())


def _target(document: DocumentView, offset: int) -> tuple[int, int | None]:
    """The line that a comment speaks of, and the statement where it stands above its head.

    A comment behind code speaks of its own line, one on a line of its own of the next line that has code.
    """
    line, column = document.lines.position(offset, "utf-32")
    if document.text[offset - column : offset].strip():
        return line, None
    while line + 1 < document.lines.line_count:
        line += 1
        if not _NOT_CODE.match(_text_of(document, line)):
            break
    text = _text_of(document, line)
    at = document.lines.line_start(line) + len(text) - len(text.lstrip())
    head = next((statement.index for statement in document.statements if statement.start == at), None)
    return line, head


def _text_of(document: DocumentView, line: int) -> str:
    return document.text[document.lines.line_start(line) : document.lines.line_end(line)]


def unknown_codes(ignores: Ignores, severity: str, href: str) -> Iterator[Diagnostic]:
    """A diagnostic for each code of an ignore comment that is none."""
    for span, code in ignores.unknown:
        meant = nearest(code, DIAGNOSTIC_CODES)
        hint = f"; did you mean '{meant}'?" if meant else ""
        text = f"'{code}' is no diagnostic code: this comment silences nothing by it{hint}"
        yield Diagnostic(UNKNOWN_CODE, severity, span, text, href=href, suggestion=meant)
