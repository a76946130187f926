"""One client's session: its capabilities, documents and folders, and what the server does on its own for it.

Everything here runs on the event loop; the worker is asked for whatever needs the analysis.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from sql_lineage_ls.server.client import Client, read_client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.documents import Documents, OpenDocument
from sql_lineage_ls.server.handlers.commands import status
from sql_lineage_ls.server.progress import ScanProgress
from sql_lineage_ls.server.publish import Publisher
from sql_lineage_ls.server.pull import Pull
from sql_lineage_ls.server.settings import FolderSettings, section_of
from sql_lineage_ls.server.spelling import Spelling
from sql_lineage_ls.server.token_memory import TokenMemory
from sql_lineage_ls.server.worker import DOCUMENTS, Worker
from sql_lineage_ls.workspace.config import SECTION, Settings
from sql_lineage_ls.workspace.config_files import SETTINGS_FILES
from sql_lineage_ls.workspace.dbt_project import PROJECT_FILE, SEED_SUFFIX
from sql_lineage_ls.workspace.discovery import SUFFIXES, is_sql
from sql_lineage_ls.workspace.figures import Figures
from sql_lineage_ls.workspace.folders import folder_of
from sql_lineage_ls.workspace.snapshot import Snapshot
from sql_lineage_ls.workspace.uris import normal_uri

_log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")

# A client that never answers the request for its settings must not keep the workspace from being read.
CONFIGURATION_SECONDS = 3.0
# How often folders are looked at where the client does not watch files.
POLL_SECONDS = 2.0
# A question about the server itself does not wait until it has done its work.
STATUS_SECONDS = 0.2


class Session:
    """The state of one connection."""

    def __init__(self, server: LanguageServer, loop: asyncio.AbstractEventLoop, cached: bool = False) -> None:
        self.server = server
        self.loop = loop
        self.client = Client()
        self.spelling = Spelling()
        self.documents = Documents()
        self.settings = FolderSettings()
        self.worker = Worker(loop, self._on_snapshot, self._on_progress, self._on_failure, cached)
        self.pull = Pull(self)
        self.publisher = Publisher(self)
        self.progress = ScanProgress(server)
        self.tokens = TokenMemory()
        self._index_revision = 0
        self._initial_settings: Any = None
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()

    # ------------------------------------------------------------ life cycle

    def initialize(self, params: types.InitializeParams) -> None:
        """Takes what the client says of itself; nothing is read or analysed yet."""
        self.client = read_client(params.capabilities)
        if params.workspace_folders is not None:
            uris = [folder.uri for folder in params.workspace_folders]
        else:
            root = params.root_uri or (params.root_path and "file://" + params.root_path)
            uris = [root] if root else []
        for uri in uris:
            self.settings.add(self.spelling.remember_folder(uri))
        self._initial_settings = section_of(params.initialization_options)
        self.settings.configure(self._initial_settings)

    def start(self) -> None:
        """The client is ready: reads the settings, then the workspace."""
        self.worker.start()
        self.run(self._start())

    def stop(self) -> None:
        self.worker.stop()
        for task in tuple(self._tasks):
            task.cancel()

    async def _start(self) -> None:
        await self._pull_configuration()
        self.apply_settings()
        self.progress.begin(self.client.progress and bool(self.settings.folders))
        self.rescan()
        if self.client.watches_files:
            await self._watch_files()
        elif self.settings.folders:
            await self._poll_files()

    def run(self, work: Coroutine[Any, Any, Any]) -> None:
        """Runs work beside everything else; its failure is logged and goes no further."""
        task = self.loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("background work failed", exc_info=error)

    # ------------------------------------------------------------ questions

    def ask(
        self, question: Callable[[Converter], _Answer], need: int = DOCUMENTS, patience: float = float("inf")
    ) -> asyncio.Future[_Answer]:
        """Asks the worker; `question` runs on its thread, over a snapshot that has what it needs."""
        return self.worker.ask(
            lambda snapshot: question(Converter(snapshot, self.client, self.spelling)), need, patience
        )

    async def status(self) -> dict[str, Any]:
        """What the server knows and has done."""
        figures: list[Figures] = []
        self.worker.tell(lambda engine: figures.append(engine.figures()))
        known = await self.ask(lambda convert: status(convert, figures[0]), patience=STATUS_SECONDS)
        return {**known, "settingsProblems": [str(problem) for problem in self.settings.problems]}

    def settings_of(self, uri: str) -> Settings:
        """The settings that apply to a document, by its normal form address."""
        folder = folder_of(self.settings.folders, uri)
        return folder.settings if folder is not None else self.settings.default

    # ------------------------------------------------------------ documents

    def open(self, uri: str, text: str, version: int) -> None:
        document = self.documents.open(self.spelling.remember(uri), text, version, self.loop.time())
        self._tell(document)

    def change(self, uri: str, changes: list[types.TextDocumentContentChangeEvent], version: int) -> None:
        now = self.loop.time()
        document = self.documents.change(normal_uri(uri), changes, version, self.client.encoding, now)
        if document is not None:
            self._tell(document)

    def close(self, uri: str) -> None:
        normal = normal_uri(uri)
        self.documents.close(normal)
        self.worker.tell(lambda engine: engine.close(normal))
        self.publisher.clear(normal)

    def save(self) -> None:
        """A document was saved: where nobody watches files, the disk is looked at now."""
        if not self.client.watches_files:
            self.rescan()

    def _tell(self, document: OpenDocument) -> None:
        self.worker.tell(lambda engine: engine.open(document.uri, document.text, document.version))

    # ------------------------------------------------------------ folders and files

    def change_folders(self, added: list[str], removed: list[str]) -> None:
        for uri in removed:
            self.settings.remove(self.spelling.forget_folder(uri))
        for uri in added:
            self.settings.add(self.spelling.remember_folder(uri))
        self.run(self.reconfigure())

    def change_files(self, uris: list[str]) -> None:
        """Files were created, changed or deleted outside of the editor."""
        if any(uri.rsplit("/", 1)[-1] in SETTINGS_FILES for uri in uris):
            self.apply_settings()
        self.rescan([normal_uri(uri) for uri in uris if is_sql(uri)])

    def cancel_scan(self) -> None:
        """The person at the editor does not want to wait for the workspace to be read."""
        self.progress.end()
        self.worker.tell(lambda engine: engine.cancel())

    def rescan(self, changed: list[str] | None = None) -> None:
        self.worker.tell(lambda engine: engine.rescan(changed or ()))

    def read_again(self) -> None:
        """Reads the settings and every file of the workspace again, whatever the disk says of their age."""
        self.apply_settings()
        self.worker.tell(lambda engine: engine.rescan([document.uri for document in engine.snapshot.documents()]))

    async def _watch_files(self) -> None:
        endings = ",".join(sorted(suffix.lstrip(".") for suffix in (*SUFFIXES, SEED_SUFFIX)))
        patterns = [f"**/*.{{{endings}}}", *(f"**/{name}" for name in (*SETTINGS_FILES, PROJECT_FILE, ".gitignore"))]
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in patterns])
        registration = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        try:
            await self.server.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException as error:
            _log.warning("the client does not watch files: %s", error)
            await self._poll_files()

    async def _poll_files(self) -> None:
        """Looks at the folders every few seconds, less often where looking takes long."""
        pause = POLL_SECONDS
        while True:
            await asyncio.sleep(pause)
            started = self.loop.time()
            self.apply_settings()
            self.rescan()
            await self.ask(lambda _: None)
            pause = max(POLL_SECONDS, 20 * (self.loop.time() - started))

    # ------------------------------------------------------------ settings

    async def reconfigure(self) -> None:
        """Settings or folders changed: asks for the settings again and looks at the folders again."""
        await self._pull_configuration()
        self.apply_settings()
        self.rescan()

    def push_configuration(self, data: Any) -> None:
        """Settings that a client sends because it does not answer requests for them."""
        self.settings.configure(section_of(data))
        self.apply_settings()

    def apply_settings(self) -> None:
        """Reads the settings files again and tells the engine of what has changed."""
        before = (self.settings.folders, self.settings.default)
        self.settings.reload()
        for problem in self.settings.problems:
            self.say(str(problem))
        folders, default = self.settings.folders, self.settings.default
        if (folders, default) != before:
            self.worker.tell(lambda engine: engine.configure(folders, default))
            self.publisher.settings_changed()
            self.refresh_shown()

    async def _pull_configuration(self) -> None:
        if not self.client.configuration:
            return
        uris = self.settings.uris
        items = [types.ConfigurationItem(section=SECTION)]
        items += [types.ConfigurationItem(self.spelling.of(uri), SECTION) for uri in uris]
        request = self.server.workspace_configuration_async(types.ConfigurationParams(items))
        try:
            values = await asyncio.wait_for(request, CONFIGURATION_SECONDS)
        except (asyncio.TimeoutError, JsonRpcException) as error:
            _log.warning("the client does not tell its settings: %r", error)
            return
        if not isinstance(values, (list, tuple)) or len(values) != len(items):
            return
        if any(values):
            self.settings.configure(values[0], dict(zip(uris, values[1:], strict=True)))
        else:
            # Nothing is set there, or no longer: what the client started the server with counts.
            self.settings.configure(self._initial_settings)

    # ------------------------------------------------------------ what the worker reports

    def _on_snapshot(self, snapshot: Snapshot) -> None:
        if snapshot.ready:
            self.progress.end()
            self.publisher.snapshot_changed()
        if snapshot.ready and snapshot.index_revision != self._index_revision:
            self._index_revision = snapshot.index_revision
            self.refresh_shown()
        self.worker.tell(lambda engine: self._take_notices(engine.take_notices()))

    def _take_notices(self, notices: tuple[str, ...]) -> None:
        """Called by the worker, whose thread must not write to the client."""
        for notice in notices:
            self.loop.call_soon_threadsafe(self.say, notice)

    def _on_progress(self, waiting: int) -> None:
        self.progress.report(waiting)

    def _on_failure(self, reason: str) -> None:
        self.progress.end()
        self.say(f"SQL lineage does not work: {reason}. Please install it anew.")

    def refresh_shown(self) -> None:
        """Asks the client to ask again for lenses and colours, soon after the last of many changes."""
        self.publisher.refresh_soon()

    def say(self, message: str) -> None:
        """Shows a message to the person at the editor, the same one only once."""
        if message in self._said:
            return
        self._said.add(message)
        self.server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
