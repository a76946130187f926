"""The server: which message goes to which handler, and how it is started."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from sql_lineage_ls import __version__
from sql_lineage_ls.features.code_actions import ActionOptions
from sql_lineage_ls.features.workspace_symbols import SymbolNames
from sql_lineage_ls.server import pull
from sql_lineage_ls.server.capabilities import server_capabilities
from sql_lineage_ls.server.family import Family, Handler
from sql_lineage_ls.server.handlers import (
    acting,
    commands,
    completing,
    graph,
    hierarchy,
    hinting,
    lenses,
    navigation,
    references,
    renaming,
    structure,
    symbols,
    tokens,
)
from sql_lineage_ls.server.protocol import Protocol
from sql_lineage_ls.server.pull import diagnostic_options
from sql_lineage_ls.server.session import Session
from sql_lineage_ls.server.transport import StdioWriter, read_connection, read_stdin, take_stdout
from sql_lineage_ls.server.worker import CATALOG, EVERYTHING
from sql_lineage_ls.workspace.uris import normal_uri

_log = logging.getLogger(__name__)

NAME = "sql-lineage-ls"
HOST = "127.0.0.1"
# A question waits this long for what it needs of the workspace; then what is known has to do.
PATIENCE_SECONDS = 1.0

class Server(LanguageServer):
    """pygls' server, which writes our errors to the log instead of the middle of the screen."""

    protocol: Protocol

    def report_server_error(self, error: Exception, source: Any) -> None:
        _log.error("%s: %s", getattr(source, "__name__", source), error, exc_info=error)


def serve(
    tcp_port: int | None = None, log_file: Path | None = None, log_level: str = "warning", cached: bool = True
) -> int:
    """Serves one client over stdio, or over one connection to a port of the loopback address.

    Returns the exit code: 0 after `shutdown` and `exit`, else 1. A `tcp_port` of 0 is any free port; it is written to
    the standard error. The log goes to `log_file`, or to the standard error. `cached` keeps what was analysed in the
    user's cache folder, for the next start.
    """
    _start_log(log_file, log_level)
    # The analysis thread hands the interpreter over often enough for the loop to answer within milliseconds.
    sys.setswitchinterval(0.0005)
    # A parse leaves many objects that die together, beside many that live long: with the default thresholds collecting
    # takes a third of the time, with higher ones single collections stop everything for a quarter of a second.
    gc.set_threshold(20_000, 10, 50)
    try:
        return asyncio.run(_serve_stdio(cached) if tcp_port is None else _serve_tcp(tcp_port, cached))
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        sys.stderr.write(f"{NAME}: the server could not be started: {error}\n")
        return 1


def make_server(loop: asyncio.AbstractEventLoop, cached: bool = False) -> tuple[Server, Session]:
    """A server with all its handlers, and the session that it serves."""
    server = Server(NAME, __version__, protocol_cls=Protocol, converter_factory=default_converter)
    session = Session(server, loop, cached)
    families = (
        navigation.FAMILY,
        references.FAMILY,
        hierarchy.FAMILY,
        graph.FAMILY,
        structure.FAMILY,
        completing.FAMILY,
        renaming.FAMILY,
        acting.FAMILY,
        hinting.FAMILY,
        pull.FAMILY,
        symbols.family(SymbolNames()),
        tokens.family(session.tokens),
    )

    def initialize(params: types.InitializeParams) -> types.ServerCapabilities:
        session.initialize(params)
        return server_capabilities(session.client, params.capabilities, families)

    server.protocol.initialize = initialize
    _register_documents(server, session)
    _register_workspace(server, session)
    _register_requests(server, session, families)
    _register_configured(server, session)
    _register_commands(server, session)
    return server, session


def _register_documents(server: Server, session: Session) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        session.start()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        session.open(params.text_document.uri, params.text_document.text, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        session.change(params.text_document.uri, list(params.content_changes), params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.close(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        session.save()


def _register_workspace(server: Server, session: Session) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        session.change_folders(
            [folder.uri for folder in params.event.added], [folder.uri for folder in params.event.removed]
        )

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        session.change_files([change.uri for change in params.changes])

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if session.client.configuration:
            await session.reconfigure()
        else:
            session.push_configuration(params.settings)

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel_progress(params: types.WorkDoneProgressCancelParams) -> None:
        if session.progress.has(params.token):
            session.cancel_scan()

    @server.feature(types.SET_TRACE)
    def set_trace(params: types.SetTraceParams) -> None:
        """Accepted as the protocol demands; the log has a level of its own."""


def _register_requests(server: Server, session: Session, families: Iterable[Family]) -> None:
    def register(method: str, handler: Handler, need: int) -> None:
        async def answer(params: Any) -> Any:
            return await session.ask(lambda convert: handler(convert, params), need, PATIENCE_SECONDS)

        server.feature(method)(answer)

    for family in families:
        for method, (handler, need) in family.requests.items():
            register(method, handler, need)


def _register_configured(server: Server, session: Session) -> None:
    """What a document's settings have a say in."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def document_link(params: types.DocumentLinkParams) -> Any:
        folders = [str(folder.path) for folder in session.settings.folders]
        return await session.ask(
            lambda convert: structure.document_links(convert, params, folders), CATALOG, PATIENCE_SECONDS
        )

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> Any:
        settings = session.settings_of(normal_uri(params.text_document.uri)).code_lens
        return await session.ask(lambda convert: lenses.code_lens(convert, params, settings), EVERYTHING)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hint(params: types.InlayHintParams) -> Any:
        settings = session.settings_of(normal_uri(params.text_document.uri)).inlay_hints
        return await session.ask(lambda convert: hinting.hints(convert, params, settings), CATALOG, PATIENCE_SECONDS)

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)
    async def document_diagnostic(params: types.DocumentDiagnosticParams) -> Any:
        return await session.pull.document(params)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(params: types.WorkspaceDiagnosticParams) -> Any:
        return await session.pull.workspace(params)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    async def code_action(params: types.CodeActionParams) -> Any:
        options = ActionOptions(diagnostic_options(session.settings_of(normal_uri(params.text_document.uri))))
        return await session.ask(lambda convert: acting.actions(convert, params, options), CATALOG, PATIENCE_SECONDS)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve_action(item: types.CodeAction) -> Any:
        options = ActionOptions(diagnostic_options(session.settings_of(acting.document_of(item))))
        return await session.ask(lambda convert: acting.resolve(convert, item, options), EVERYTHING, PATIENCE_SECONDS)


def _register_commands(server: Server, session: Session) -> None:
    @server.feature(types.WORKSPACE_EXECUTE_COMMAND)
    async def execute_command(params: types.ExecuteCommandParams) -> Any:
        if params.command == commands.REINDEX:
            session.read_again()
            return None
        if params.command == commands.SHOW_STATUS:
            return await session.status()
        command = commands.COMMANDS.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams(f"there is no command '{params.command}'")
        return await session.ask(lambda convert: command(convert, list(params.arguments or ())), EVERYTHING)

    @server.feature(commands.STATUS)
    async def status(params: Any) -> Any:
        return await session.status()


async def _serve_stdio(cached: bool) -> int:
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    server, session = make_server(loop, cached)
    server.protocol.ended = lambda code: _end(ended, code)
    server.protocol.set_writer(StdioWriter(take_stdout(), server.protocol.end))
    read_stdin(loop, server.protocol)
    code: int = await ended
    session.stop()
    return code


async def _serve_tcp(port: int, cached: bool) -> int:
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    server, session = make_server(loop, cached)
    server.protocol.ended = lambda code: _end(ended, code)
    connected = False

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connected
        if connected:
            # One process serves one client: its documents are nobody else's.
            writer.close()
            return
        connected = True
        server.protocol.set_writer(writer)
        await read_connection(reader, server.protocol)

    listener = await asyncio.start_server(connect, HOST, port)
    sys.stderr.write(f"{NAME}: waiting on {HOST}:{listener.sockets[0].getsockname()[1]}\n")
    sys.stderr.flush()
    async with listener:
        code: int = await ended
    session.stop()
    return code


def _end(ended: asyncio.Future[int], code: int) -> None:
    if not ended.done():
        ended.set_result(code)


def _start_log(log_file: Path | None, log_level: str) -> None:
    handler = logging.FileHandler(log_file, encoding="utf-8") if log_file is not None else logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=log_level.upper(), handlers=[handler], force=True)
    # sqlglot warns of what it cannot read and quotes it; our own message about it stands in the document.
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    if log_level not in ("debug", "info"):
        # pygls logs pages of traceback for each malformed message, of which we keep one line.
        logging.getLogger("pygls").setLevel(logging.CRITICAL)
