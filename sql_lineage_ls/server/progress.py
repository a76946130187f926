"""The progress bar of the first scan of the workspace."""

from __future__ import annotations

from uuid import uuid4

from lsprotocol import types
from pygls.lsp.server import LanguageServer


class ScanProgress:
    """Shown from the first look at the folders until the catalog is complete, where the client can show it."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._token = ""
        self._begun = False
        self._ended = False
        self._most = 0

    def begin(self, wanted: bool) -> None:
        """Asks the client for a progress bar; it begins when the client has agreed."""
        if not wanted or self._token:
            return
        self._token = f"sql-lineage-{uuid4()}"
        params = types.WorkDoneProgressCreateParams(self._token)
        request = self._server.window_work_done_progress_create(params)
        request.add_done_callback(lambda done: self._created(done.cancelled() or done.exception() is not None))

    def _created(self, refused: bool) -> None:
        if refused or self._ended:
            return
        self._begun = True
        self._notify(
            types.WorkDoneProgressBegin(
                "SQL lineage", message="reading the workspace", percentage=0, cancellable=True
            )
        )

    def has(self, token: int | str) -> bool:
        """Whether a token is that of this progress bar."""
        return bool(self._token) and token == self._token

    def report(self, waiting: int) -> None:
        """Tells how many files are still to be read."""
        self._most = max(self._most, waiting)
        if self._begun and not self._ended and self._most:
            done = self._most - waiting
            self._notify(
                types.WorkDoneProgressReport(
                    message=f"{done:,} of {self._most:,} files", percentage=100 * done // self._most
                )
            )

    def end(self) -> None:
        if self._begun and not self._ended:
            self._notify(types.WorkDoneProgressEnd())
        self._ended = True

    def _notify(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        self._server.protocol.notify(types.PROGRESS, types.ProgressParams(self._token, value))
