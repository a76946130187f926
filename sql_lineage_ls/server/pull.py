"""Diagnostics that a client asks for: of a document and those related to it, and of the whole workspace.

A client is told of diagnostics in one way only: those that ask, and ask again when they are told to, are never sent
any (`publish`). A report carries the digest of what it says, so that an answer which says the same again is short. The
workspace is looked through in small portions, so that other questions are answered in between; where a client takes
answers part by part, the next one waits until there is something new.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Union

from lsprotocol import types
from msgspec import Struct

from sql_lineage_ls.features.diagnostics import DiagnosticOptions, diagnostics
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import CATALOG, EVERYTHING
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot
from sql_lineage_ls.workspace.uris import normal_uri

if TYPE_CHECKING:
    from sql_lineage_ls.server.session import Session

IDENTIFIER = "sql-lineage"
# So many documents are looked through in one turn of the worker.
PORTION = 3
# Between two looks at the workspace somebody may type.
REST_SECONDS = 1.0

_Full = types.FullDocumentDiagnosticReport
_Unchanged = types.UnchangedDocumentDiagnosticReport
_Report = Union[_Full, _Unchanged]
_InWorkspace = Union[types.WorkspaceFullDocumentDiagnosticReport, types.WorkspaceUnchangedDocumentDiagnosticReport]


class Found(Struct, frozen=True):
    """The diagnostics of one version of a document; `id` is the same exactly where they are."""

    version: int | None
    items: list[types.Diagnostic]
    id: str


class _Key(Struct, frozen=True, eq=False):
    """What a report was made of: the same objects make the same report."""

    document: DocumentView
    revision: int
    settings: Settings

    def is_same(self, other: _Key) -> bool:
        return (self.document is other.document and self.revision == other.revision
                and self.settings == other.settings)


def diagnostic_options(settings: Settings) -> DiagnosticOptions:
    """What the settings of a document say of its diagnostics."""
    return DiagnosticOptions(settings.severities, complete=settings.complete)


def diagnose(convert: Converter, uri: str, settings: Settings) -> Found | None:
    """The diagnostics of a document, None where nobody knows it."""
    document = convert.snapshot.document(uri)
    if document is None:
        return None
    found = diagnostics(convert.snapshot, uri, diagnostic_options(settings)) if settings.diagnostics else ()
    items = [convert.to_diagnostic(document, one) for one in found]
    return Found(document.version, items, _digest(items))


def _digest(items: Sequence[types.Diagnostic]) -> str:
    return blake2b(repr(items).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class Pull:
    """Answers one session's requests for diagnostics."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # What the client has of each document that it asked for; read on the event loop alone.
        self._given: dict[str, str] = {}
        # What was found in documents of the workspace; used on the worker's thread alone.
        self._known: dict[str, tuple[_Key, str]] = {}
        self._changes = 0
        self._change = asyncio.Event()

    def changed(self) -> None:
        """There is something new: whoever waits for changes of the workspace looks again."""
        self._changes += 1
        self._change.set()
        self._change = asyncio.Event()

    def forget(self, uri: str) -> None:
        """A document was closed."""
        self._given.pop(uri, None)

    # ------------------------------------------------------------ documents

    async def document(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        """The diagnostics of a document as the client has it, and of others that have changed with it."""
        uri = normal_uri(params.text_document.uri)
        found = await self._current(uri)
        related = await self._related(uri) if self._session.client.related_documents else None
        self._given[uri] = found.id
        if params.previous_result_id == found.id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=found.id, related_documents=related)
        return types.RelatedFullDocumentDiagnosticReport(
            items=found.items, result_id=found.id, related_documents=related
        )

    async def _current(self, uri: str) -> Found:
        """The diagnostics of the version that the client has now: an edit may have come while the worker was busy."""
        while True:
            settings = self._session.settings_of(uri)
            found = await self._session.ask(partial(diagnose, uri=uri, settings=settings), CATALOG)
            document = self._session.documents.find(uri)
            if found is None:
                return Found(None, [], _digest([]))
            if document is None or found.version is None or document.version == found.version:
                return found

    async def _related(self, uri: str) -> dict[str, _Report] | None:
        """Reports of other open documents that share a relation with this one and say something else than before."""
        others = {
            document.uri: self._session.settings_of(document.uri)
            for document in self._session.documents if document.uri != uri and document.uri in self._given
        }
        if not others:
            return None
        found = await self._session.ask(lambda convert: _sharing(convert, uri, others), CATALOG)
        related: dict[str, _Report] = {}
        for other, report in found.items():
            open_now = self._session.documents.find(other)
            if self._given.get(other) != report.id and open_now is not None and open_now.version == report.version:
                self._given[other] = report.id
                related[self._session.spelling.of(other)] = _Full(items=report.items, result_id=report.id)
        return related or None

    # ------------------------------------------------------------ the workspace

    async def workspace(self, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        """The diagnostics of every document, those that the client has already as *unchanged*."""
        previous = {normal_uri(one.uri): one.value for one in params.previous_result_ids}
        token = params.partial_result_token
        while True:
            seen = self._changes
            items: list[_InWorkspace] = []
            any_news = False
            async for portion in self._portions(previous):
                news = [one for one in portion if isinstance(one, types.WorkspaceFullDocumentDiagnosticReport)]
                any_news = any_news or bool(news)
                if token is None:
                    items += portion
                elif news:
                    result = types.WorkspaceDiagnosticReportPartialResult(news)
                    self._session.server.protocol.notify(types.PROGRESS, types.ProgressParams(token, result))
            if token is None or any_news:
                return types.WorkspaceDiagnosticReport(items)
            if seen == self._changes:
                await self._change.wait()
            await asyncio.sleep(REST_SECONDS)

    async def _portions(self, previous: Mapping[str, str]) -> AsyncIterator[list[_InWorkspace]]:
        """The reports of every document, a few at a time; documents that are gone have none of their findings left."""
        uris = await self._session.ask(lambda convert: [one.uri for one in convert.snapshot.documents()], EVERYTHING)
        for start in range(0, len(uris), PORTION):
            wanted = {uri: self._session.settings_of(uri) for uri in uris[start : start + PORTION]}
            yield await self._session.ask(partial(self._reports, wanted=wanted, previous=previous), CATALOG)
        spelled = self._session.spelling.of
        nothing = _digest([])
        gone = [uri for uri in previous if uri not in set(uris) and previous[uri] != nothing]
        yield [
            types.WorkspaceFullDocumentDiagnosticReport(uri=spelled(uri), items=[], result_id=nothing) for uri in gone
        ]

    def _reports(
        self, convert: Converter, wanted: Mapping[str, Settings], previous: Mapping[str, str]
    ) -> list[_InWorkspace]:
        """On the worker's thread: what is known to be the same is not looked at again."""
        reports = []
        for uri, settings in wanted.items():
            document = convert.snapshot.document(uri)
            if document is None:
                self._known.pop(uri, None)
            elif settings.workspace_diagnostics or document.open:
                reports.append(self._report(convert, document, settings, previous.get(uri)))
            elif uri in previous:
                reports.append(_workspace_report(convert, uri, Found(document.version, [], _digest([])), previous[uri]))
        return reports

    def _report(
        self, convert: Converter, document: DocumentView, settings: Settings, before: str | None
    ) -> _InWorkspace:
        uri, snapshot = document.uri, convert.snapshot
        # Whether a relation is unknown depends on more than declarations and uses.
        key = _Key(document, snapshot.revision if settings.complete else snapshot.index_revision, settings)
        known = self._known.get(uri)
        if known is not None and known[1] == before and known[0].is_same(key):
            return _workspace_report(convert, uri, Found(document.version, [], known[1]), before)
        found = diagnose(convert, uri, settings) or Found(document.version, [], _digest([]))
        self._known[uri] = key, found.id
        return _workspace_report(convert, uri, found, before)


def _workspace_report(convert: Converter, uri: str, found: Found, before: str | None) -> _InWorkspace:
    spelled = convert.spelling.of(uri)
    if before == found.id:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(
            uri=spelled, version=found.version, result_id=found.id
        )
    return types.WorkspaceFullDocumentDiagnosticReport(
        uri=spelled, version=found.version, items=found.items, result_id=found.id
    )


def _sharing(convert: Converter, uri: str, others: Mapping[str, Settings]) -> dict[str, Found]:
    """The diagnostics of those documents that touch a relation which `uri` touches."""
    own = _relations(convert.snapshot, uri)
    found = {
        other: diagnose(convert, other, settings)
        for other, settings in others.items() if not own.isdisjoint(_relations(convert.snapshot, other))
    }
    return {other: report for other, report in found.items() if report is not None}


def _relations(snapshot: Snapshot, uri: str) -> frozenset[str]:
    document = snapshot.document(uri)
    statements = document.statements if document is not None else ()
    touched = {relation for statement in statements for relation, _, _ in statement.lineage.relations}
    return frozenset(touched | {statement.lineage.target for statement in statements if statement.lineage.target})


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, object]:
    """Only to clients that ask again when they are told to: others would never see what DDL elsewhere changes."""
    if not client.pulls_diagnostics:
        return {}
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier=IDENTIFIER
    )
    return {"diagnostic_provider": options}


FAMILY = Family({}, offer)
