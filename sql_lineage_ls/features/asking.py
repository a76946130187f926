"""What code actions ask about, and what the binder has in hand at a place of a document."""

from __future__ import annotations

import re

from msgspec import Struct

from sql_lineage_ls.features.results import Diagnostic, TextChange
from sql_lineage_ls.lineage.probe import MARKER, Place
from sql_lineage_ls.syntax.templates import mask
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView


def statement_before(document: DocumentView, offset: int) -> StatementView | None:
    """The statement that the cursor is in, or right behind with nothing but blanks between."""
    found = document.statement_at(offset)
    if found is not None:
        return found
    earlier = [statement for statement in document.statements if statement.end <= offset]
    last = earlier[-1] if earlier else None
    return last if last is not None and not document.text[last.end : offset].strip() else None


def place_at(snapshot: Snapshot, document: DocumentView, span: Span) -> Place:
    """What could stand where the text at `span` stands: `SELECT ¦ FROM t` has the columns of `t`."""
    statement = statement_before(document, span.start)
    text = document.text
    if statement is None:
        return snapshot.probe(document.uri, -1, MARKER)
    marked = text[statement.start : span.start] + MARKER + text[span.end : max(statement.end, span.end)]
    return snapshot.probe(document.uri, statement.index, mask(marked).text)


_STEPS = re.compile(r"(?:\s*\.\s*[A-Za-z_]\w*)*")


def steps_behind(text: str, offset: int) -> int:
    """Where the dotted names end that follow a name: behind `.city` for the end of `customer` in `customer.city`."""
    found = _STEPS.match(text, offset)
    return found.end() if found is not None else offset


class Asked(Struct, frozen=True):
    """A place that code actions are wanted for: the selection, its statement, and the findings that touch it.

    Where `lazy` is set what is costly is done when an action is chosen.
    """

    snapshot: Snapshot
    document: DocumentView
    statement: StatementView | None
    span: Span
    found: tuple[Diagnostic, ...]
    lazy: bool = False

    def change(self, start: int, end: int, text: str) -> TextChange:
        """The code points `[start, end)` of the document become `text`."""
        return TextChange(FileSpan(self.document.uri, start, end), text)

    def text(self, span: Span) -> str:
        return self.document.text[span.start : span.end]


def line_start(text: str, offset: int) -> int:
    """Where the line of `offset` begins."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
