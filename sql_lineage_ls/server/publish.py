"""What the server sends unasked: diagnostics of open documents, and the wish to see lenses and colours anew.

Clients that ask for diagnostics (`pull`) are told only that there may be others. For the rest they follow the last key
by a short pause, which is shorter still after a rest; they are those of the version that the client has, never of an
older one after a newer, and there are none before the catalog is loaded.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from sql_lineage_ls.server.pull import Found, diagnose
from sql_lineage_ls.server.worker import CATALOG

if TYPE_CHECKING:
    from sql_lineage_ls.server.session import Session

_log = logging.getLogger(__name__)

# While somebody types diagnostics wait for the last key; an edit after a rest (a paste, an undo) need not wait.
PAUSE_SECONDS = 0.15
REST_SECONDS = 0.4
SHORT_PAUSE_SECONDS = 0.01


class Publisher:
    """Publishes for one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._timer: asyncio.TimerHandle | None = None
        self._refresh_timer: asyncio.TimerHandle | None = None
        self._published: dict[str, Found] = {}

    def snapshot_changed(self) -> None:
        """There is a new snapshot with a complete catalog: any open document may have other diagnostics."""
        if self._session.client.pulls_diagnostics:
            self._session.pull.changed()
            return
        last = max(self._session.documents, key=lambda document: document.changed_at, default=None)
        if self._timer is not None:
            self._timer.cancel()
        due = self._session.loop.time()
        if last is not None:
            pause = SHORT_PAUSE_SECONDS if last.rest >= REST_SECONDS else PAUSE_SECONDS
            due = max(due, last.changed_at + pause)
        self._timer = self._session.loop.call_at(due, self._publish_all)

    def settings_changed(self) -> None:
        self.snapshot_changed()

    def clear(self, uri: str) -> None:
        """A document was closed: its diagnostics go."""
        self._session.pull.forget(uri)
        if uri in self._published:
            del self._published[uri]
            self._send(uri, None, [])

    def refresh_soon(self) -> None:
        """What editors show of a document may have changed with another one: lenses, and colours of names."""
        if self._refresh_timer is not None:
            self._refresh_timer.cancel()
        self._refresh_timer = self._session.loop.call_later(PAUSE_SECONDS, self._refresh)

    def _refresh(self) -> None:
        client, server = self._session.client, self._session.server
        if client.lens_refresh:
            self._session.run(server.workspace_code_lens_refresh_async(None))
        if client.token_refresh and self._session.tokens.asked:
            self._session.run(server.workspace_semantic_tokens_refresh_async(None))
        if client.pulls_diagnostics:
            self._session.run(server.workspace_diagnostic_refresh_async(None))
        if client.hint_refresh:
            self._session.run(server.workspace_inlay_hint_refresh_async(None))

    def _publish_all(self) -> None:
        for document in self._session.documents:
            self._session.run(self._publish(document.uri))

    async def _publish(self, uri: str) -> None:
        settings = self._session.settings_of(uri)
        found = await self._session.ask(lambda convert: diagnose(convert, uri, settings), CATALOG)
        document = self._session.documents.find(uri)
        # Another version is on its way to the worker, and so are its diagnostics.
        if found is None or document is None or found.version is None or document.version != found.version:
            return
        if self._published.get(uri) != found:
            self._published[uri] = found
            self._send(uri, found.version, found.items)

    def _send(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        spelled = self._session.spelling.of(uri)
        self._session.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(spelled, found, version))
