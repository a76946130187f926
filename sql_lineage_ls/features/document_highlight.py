"""Highlights: every token of a document that means what the token under the cursor means."""

from __future__ import annotations

from sql_lineage_ls.features.results import Highlight
from sql_lineage_ls.features.subject import mentions, subject_at
from sql_lineage_ls.lineage.graph import WRITE
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot


def document_highlight(snapshot: Snapshot, uri: str, offset: int) -> tuple[Highlight, ...]:
    """The tokens that name the same thing as the one at `offset`, in the order of the text.

    In `UPDATE t SET a = b WHERE a > 1` both `a` are highlighted, the first one as written. What declares a name
    counts as written too: a column in its DDL, a CTE, an alias, an output column.
    """
    subject = subject_at(snapshot, uri, offset)
    if subject is None:
        return ()
    document = subject.found.document
    written = _written(document)
    found: dict[FileSpan, bool] = {}
    for mention in mentions(snapshot, subject, document):
        found[mention.span] = mention.defines or mention.span in written
    return tuple(Highlight(span, found[span]) for span in sorted(found))


def _written(document: DocumentView) -> frozenset[FileSpan]:
    """The tokens of what statements write."""
    return frozenset(
        FileSpan(document.uri, statement.start + read.start, statement.start + read.end)
        for statement in document.statements
        for read in statement.lineage.reads
        if read.usage == WRITE
    )
