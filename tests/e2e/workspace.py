"""The workspace that the end-to-end tests open, and the ways in which they ask about it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from sql_lineage_ls.text.line_index import LineIndex


def _register(client: Editor, params: types.RegistrationParams) -> None:
    client.registrations.extend(params.registrations)


def _refresh(client: Editor, params: None) -> None:
    client.lens_refreshes += 1


def _refresh_tokens(client: Editor, params: None) -> None:
    client.token_refreshes += 1


def _refresh_hints(client: Editor, params: None) -> None:
    client.hint_refreshes += 1


def _refresh_diagnostics(client: Editor, params: None) -> None:
    client.diagnostic_refreshes += 1


def _progress(client: Editor, params: types.ProgressParams) -> None:
    """Partial results are kept; the client library knows only progress bars."""
    if params.token in client.partial_results:
        client.partial_results[params.token].append(params.value)
    else:
        DEFAULT_CLIENT_FEATURES[types.PROGRESS](client, params)


def _publish(client: Editor, params: types.PublishDiagnosticsParams) -> None:
    client.diagnostics[params.uri] = params.diagnostics
    client.versions.setdefault(params.uri, []).append(params.version)


_FEATURES = {
    types.CLIENT_REGISTER_CAPABILITY: _register,
    types.WORKSPACE_CODE_LENS_REFRESH: _refresh,
    types.WORKSPACE_SEMANTIC_TOKENS_REFRESH: _refresh_tokens,
    types.PROGRESS: _progress,
    types.WORKSPACE_INLAY_HINT_REFRESH: _refresh_hints,
    types.WORKSPACE_DIAGNOSTIC_REFRESH: _refresh_diagnostics,
    types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _publish,
}

FILES = {
    "vessels.sql": """\
-- dialect: bigquery
CREATE TABLE port.vessels (
  id INT64,
  master STRUCT<name STRING, home STRUCT<city STRING, berth INT64>>,
  holds ARRAY<STRUCT<cargo STRING, tons INT64>>
);
""",
    "manifest.sql": """\
-- dialect: bigquery
CREATE VIEW port.manifest AS
SELECT v.id, v.master.home.city AS city, h.tons AS tons
FROM port.vessels AS v, UNNEST(v.holds) AS h;
""",
    "report.sql": """\
-- dialect: bigquery
SELECT m.city, m.tons FROM port.manifest AS m;
""",
}
SECONDS = 15.0


def write_workspace(folder: Path) -> None:
    """The files of the workspace, in a new folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


class Editor(LanguageClient):
    """pytest-lsp's client, with answers to what it leaves out and a memory of what it was sent."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        self.encoding: Any = "utf-16"
        self.server_capabilities = types.ServerCapabilities()
        self.capabilities_sent = types.ClientCapabilities()
        self.registrations: list[types.Registration] = []
        self.lens_refreshes = 0
        self.token_refreshes = 0
        self.hint_refreshes = 0
        self.diagnostic_refreshes = 0
        # By the tokens that a test wants them for.
        self.partial_results: dict[Any, list[Any]] = {}
        self.opened: dict[str, Document] = {}
        self.versions: dict[str, list[int | None]] = {}
        register_lsp_features(self, {**DEFAULT_CLIENT_FEATURES, **_FEATURES})

    async def start(self, capabilities: types.ClientCapabilities, **params: Any) -> types.ServerCapabilities:
        """The handshake; returns when the workspace is read."""
        self.capabilities_sent = capabilities
        found = await self.initialize_session(types.InitializeParams(capabilities=capabilities, **params))
        self.encoding = found.capabilities.position_encoding or "utf-16"
        self.server_capabilities = found.capabilities
        await settled(self)
        return found.capabilities


class Document:
    """A document as the client has it, asked about by pieces of its text."""

    def __init__(self, client: Editor, uri: str, text: str, version: int = 1) -> None:
        self.client = client
        self.uri = uri
        self.text = text
        self.version = version

    @classmethod
    def open(cls, client: Editor, uri: str, text: str) -> Document:
        document = client.opened[uri] = cls(client, uri, text)
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "sql", document.version, text))
        )
        return document

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def position(self, offset: int) -> types.Position:
        return types.Position(*LineIndex(self.text).position(offset, self.client.encoding))

    def at(self, word: str, after: str = "") -> types.Position:
        """The position of the first `word` behind the first `after`."""
        start = self.text.index(after) + len(after)
        return self.position(self.text.index(word, start))

    def range_of(self, word: str, after: str = "") -> types.Range:
        start = self.text.index(word, self.text.index(after) + len(after))
        return types.Range(self.position(start), self.position(start + len(word)))

    def replace(self, old: str, new: str) -> None:
        """Edits the first `old` as an editor does: one incremental change."""
        start = self.text.index(old)
        change = types.TextDocumentContentChangePartial(
            types.Range(self.position(start), self.position(start + len(old))), new
        )
        self.text = self.text[:start] + new + self.text[start + len(old) :]
        self._changed([change])

    def set(self, text: str) -> None:
        """Replaces the whole text."""
        self.text = text
        self._changed([types.TextDocumentContentChangeWholeDocument(text)])

    def _changed(self, changes: list[types.TextDocumentContentChangeEvent]) -> None:
        self.version += 1
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))

    def close(self) -> None:
        self.client.opened.pop(self.uri, None)
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.identifier))

    async def hover(self, word: str, after: str = "") -> str | None:
        found = await self.client.text_document_hover_async(types.HoverParams(self.identifier, self.at(word, after)))
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def definition(self, word: str, after: str = "") -> list[tuple[str, types.Range]]:
        params = types.DefinitionParams(self.identifier, self.at(word, after))
        return _targets(await self.client.text_document_definition_async(params))

    async def declaration(self, word: str, after: str = "") -> list[tuple[str, types.Range]]:
        params = types.DeclarationParams(self.identifier, self.at(word, after))
        return _targets(await self.client.text_document_declaration_async(params))

    async def lenses(self) -> list[types.CodeLens]:
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(self.identifier))
        return list(found or ())

    async def diagnostics(self, codes: list[str]) -> list[types.Diagnostic]:
        """The diagnostics that were pushed for the document, once they have these codes."""
        found = await until(
            lambda: self.client.diagnostics.get(self.uri),
            lambda pushed: pushed is not None and [diagnostic.code for diagnostic in pushed] == codes,
        )
        return list(found or ())


def _targets(found: Any) -> list[tuple[str, types.Range]]:
    targets = []
    for target in found or ():
        if isinstance(target, types.LocationLink):
            targets.append((target.target_uri, target.target_selection_range))
        else:
            targets.append((target.uri, target.range))
    return targets


async def until(get: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """The first value that holds; a failed assertion with the last one where none does in time."""
    deadline = time.monotonic() + SECONDS
    while True:
        value = get()
        if isinstance(value, Awaitable):
            value = await value
        if holds(value):
            return value
        assert time.monotonic() < deadline, f"last seen: {value!r}"
        await asyncio.sleep(0.02)


async def status(client: Editor) -> Any:
    return await client.protocol.send_request_async("sqlLineage/status", {})


async def settled(client: Editor) -> Any:
    """The status once everything is analysed."""
    return await until(lambda: status(client), lambda found: found.ready and found.complete)
