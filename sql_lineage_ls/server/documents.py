"""The text of every document that the client has open, kept in step with its edits."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from lsprotocol import types
from msgspec import Struct

from sql_lineage_ls.text.edits import apply_change
from sql_lineage_ls.text.line_index import Encoding, LineIndex

_log = logging.getLogger(__name__)


class OpenDocument(Struct, frozen=True):
    """What the client has of a document. `uri` is the normal form, `changed_at` the loop's time of the last edit.

    `rest` are the seconds between that edit and the one before: short while somebody types.
    """

    uri: str
    text: str
    version: int
    changed_at: float
    rest: float = float("inf")


class Documents:
    """The open documents by normal form address."""

    def __init__(self) -> None:
        self._documents: dict[str, OpenDocument] = {}

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(tuple(self._documents.values()))

    def find(self, uri: str) -> OpenDocument | None:
        return self._documents.get(uri)

    def open(self, uri: str, text: str, version: int, now: float) -> OpenDocument:
        document = self._documents[uri] = OpenDocument(uri, text, version, now)
        return document

    def change(
        self,
        uri: str,
        changes: Iterable[types.TextDocumentContentChangeEvent],
        version: int,
        encoding: Encoding,
        now: float,
    ) -> OpenDocument | None:
        """Applies edits in their order; None, and nothing else, where the client never opened the document."""
        document = self._documents.get(uri)
        if document is None:
            _log.warning("an edit of %s, which is not open, was ignored", uri)
            return None
        text = document.text
        for change in changes:
            text = _apply(text, change, encoding)
        changed = self._documents[uri] = OpenDocument(uri, text, version, now, now - document.changed_at)
        return changed

    def close(self, uri: str) -> None:
        self._documents.pop(uri, None)


def _apply(text: str, change: types.TextDocumentContentChangeEvent, encoding: Encoding) -> str:
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return change.text
    start, end = change.range.start, change.range.end
    return apply_change(
        text, LineIndex(text), (start.line, start.character), (end.line, end.character), change.text, encoding
    )
