"""The workspace: documents of the editor and files on disk become snapshots, in steps of one statement.

Inputs (`open`, `close`, `rescan`, ..) only note what changed; `step` does one small piece of the work, so that its
caller can take new inputs and answer questions in between. Open documents always come first.

`Reading` parses, `Revision` makes one catalog and analysis of what was parsed, `Shown` holds what readers see; what
is to be bound, and in which order all of this happens, is decided here. One thread drives an engine. The snapshots
that it hands out never change.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from time import monotonic, time_ns

from sql_lineage_ls.lineage.kept import KeptLineage
from sql_lineage_ls.workspace.circumstances import Circumstances
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.discovery import FoundFile
from sql_lineage_ls.workspace.figures import Figures
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.notices import Notices
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import ParsedFile
from sql_lineage_ls.workspace.reading import OpenText, Reading
from sql_lineage_ls.workspace.remembering import Unsaved, is_as_saved, recalled, taken
from sql_lineage_ls.workspace.revision import Revision
from sql_lineage_ls.workspace.scan import FolderScan, ScanResult
from sql_lineage_ls.workspace.shown import Shown
from sql_lineage_ls.workspace.snapshot import Snapshot
from sql_lineage_ls.workspace.store import Store
from sql_lineage_ls.workspace.workers import Workers, start_workers

_log = logging.getLogger(__name__)

# More documents than this change at once only when files do, not when somebody types.
_MOST_COMPARED = 4
# The state is saved when so many files have changed, or when any has and so much time has passed.
_MANY_UNSAVED = 200
_UNSAVED_SECONDS = 60.0
# How long `finish` waits for a worker process at a time.
_WAIT_SECONDS = 0.2


class Engine:
    """Analyses a workspace step by step.

    `bound` and `parsed` count the statements that were really bound and parsed since the start. `wake` is called, on
    any thread, when there is something to do after `step` had nothing. `start` gives the worker processes, or None
    where everything is to be done in this one. `store` keeps what was analysed for the next start.
    """

    def __init__(
        self,
        cache: ParseCache | None = None,
        wake: Callable[[], None] = lambda: None,
        start: Callable[[Callable[[], None]], Workers | None] = start_workers,
        store: Store | None = None,
    ) -> None:
        self._cache = cache or ParseCache()
        self._notices = Notices()
        self._scan = FolderScan(self._notices)
        self._scanned = False
        # Whether reading the files was cancelled: what they say is not known.
        self.cancelled = False
        self._reading = Reading(self._cache, self._notices, self._take, self._remove, lambda: start(wake))
        self._revision = Revision()
        self._reading.compare_with(lambda uri: self._revision.parsed.get(uri))
        self._shown = Shown()
        # What was parsed and is not part of the analysis yet, and whether an open or a removed document is among it.
        self._uncommitted: dict[str, None] = {}
        self._hurry = False
        # What has to be bound.
        self._bind_first: deque[str] = deque()
        self._bind_later: deque[str] = deque()
        self._binding: Generator[None, None, None] | None = None
        self._store = store
        # Whether everything was true together when the workspace was analysed last, so that changes can be compared.
        self._whole = False
        # How many files have changed since the state was saved, and when that was.
        self._unsaved = 0
        self._saved_at = float("-inf")
        self._began: float | None = None
        self._read_seconds: float | None = None
        self._complete_seconds: float | None = None
        self._longest_step = 0.0
        self.snapshot = Snapshot({}, self._revision.analysis, self._shown.index, ready=False, complete=False)

    # ------------------------------------------------------------ inputs

    def configure(self, folders: Iterable[Folder], settings: Settings = Settings()) -> None:
        """Sets the workspace folders and the settings of documents that lie in none of them."""
        uris = (*self._reading.open, *self._reading.disk)
        before = {uri: self._reading.circumstances.of(uri) for uri in uris}
        self._reading.circumstances = Circumstances(folders, settings)
        for uri, old in before.items():
            if self._reading.circumstances.of(uri) != old:
                self._reading.note(uri)

    def open(self, uri: str, text: str, version: int | None = None) -> None:
        """Takes the editor's text of a document, at first and after each change."""
        self._reading.open[uri] = OpenText(text, version)
        self._reading.note(uri)

    def close(self, uri: str) -> None:
        """The editor has closed a document: what is on disk counts again."""
        if self._reading.open.pop(uri, None) is None:
            return
        self._shown.close(uri)
        self._reading.forget(uri)
        if uri in self._reading.disk:
            self._reading.note(uri)
        else:
            self._remove(uri)

    def rescan(self, changed: Iterable[str] = ()) -> None:
        """Has the folders looked at again. `changed` are files to be read again whatever their stamp says."""
        self._scan.ask(changed)
        self._began = monotonic() if self._began is None else self._began

    def cancel(self) -> None:
        """Stops reading files: what was read counts, nothing is concluded from what was not."""
        self.cancelled = True
        self._reading.forget_files()

    def stop(self) -> None:
        """Ends the worker processes; nothing else may be asked of the engine afterwards."""
        self._reading.elsewhere.close()

    def take_notices(self) -> tuple[str, ...]:
        """Messages for the person at the editor that were not taken before; each is said once."""
        return self._notices.take()

    # ------------------------------------------------------------ state

    @property
    def parsed(self) -> int:
        return self._cache.parsed + self._reading.elsewhere.parsed

    @property
    def bound(self) -> int:
        return self._revision.bound

    @property
    def urgent(self) -> bool:
        """Whether an open document is not analysed as it stands now."""
        return self._reading.urgent or bool(self._bind_first) or self._hurry

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do."""
        pending = self.waiting_files or self._uncommitted or self._bind_later
        return not (self.urgent or self._scan.active or pending)

    @property
    def waiting_files(self) -> int:
        """How many files on disk are still to be parsed."""
        return self._reading.waiting

    def figures(self) -> Figures:
        """What was done so far."""
        store = self._store
        return Figures(
            parsed=self.parsed,
            bound=self.bound,
            waiting_files=self.waiting_files,
            processes=self._reading.elsewhere.processes,
            crashed_processes=self._reading.elsewhere.crashes,
            cache=store.outcome if store is not None else "off",
            cache_bytes=store.bytes if store is not None else 0,
            read_seconds=self._read_seconds,
            complete_seconds=self._complete_seconds,
            longest_step=self._longest_step,
            index_relations=len(self._shown.index.relations()),
        )

    def finish(self) -> Snapshot:
        """Does all the work there is, for callers who have nobody waiting; gives the snapshot of it."""
        while True:
            if self.step():
                continue
            if self.settled:
                return self.snapshot
            self.wait()

    def wait(self) -> None:
        """Waits a while for a worker process, for callers with nothing else to do after `step` had nothing."""
        self._reading.elsewhere.wait(_WAIT_SECONDS)

    # ------------------------------------------------------------ work

    def step(self) -> bool:
        """Does the next small piece of work, about one statement; False where there is none, or none now.

        Where it is not `settled`, a worker process has the rest.
        """
        began = monotonic()
        done = self._step()
        self._longest_step = max(self._longest_step, monotonic() - began)
        return done

    def _step(self) -> bool:
        if self._reading.urgent and self._reading.step_open():
            return True
        if self._hurry:
            self._commit()
        elif self._bind_first:
            self._bind_next(self._bind_first)
        elif self._scan.active:
            if (result := self._scan.advance(self._reading.circumstances.folders)) is not None:
                self._take_scan(result)
        elif self._reading.waiting:
            return self._reading.step_disk()
        elif self._uncommitted:
            self._commit()
        elif not self._is_known_ready():
            self._publish()
        elif self._bind_later:
            self._bind_next(self._bind_later)
        elif self._is_worth_saving():
            self._save()
        else:
            return False
        return True

    def _is_known_ready(self) -> bool:
        return self.snapshot.ready or not self._scanned or self.cancelled

    def _take_scan(self, result: ScanResult) -> None:
        """Notes the differences between what was and what is on disk."""
        before, self._reading.disk = self._reading.disk, result.files
        if not self._scanned:
            before = self._recall(result.files)
            self._scanned = True
        for uri in sorted({*before, *result.files}):
            if uri in self._reading.open:
                continue
            if uri not in result.files:
                self._reading.forget(uri)
                self._remove(uri)
            elif uri in result.forced or uri not in before or before[uri].stamp != result.files[uri].stamp:
                self._reading.note(uri)
        # A project's file may have come, gone or changed.
        self._reading.circumstances.forget_projects()
        for uri, file in self._revision.parsed.items():
            if self._reading.circumstances.relation_of(uri) != file.relation:
                self._reading.note(uri)

    def _take(self, file: ParsedFile) -> None:
        """A document was parsed."""
        self._revision.parsed[file.uri] = file
        self._uncommitted[file.uri] = None
        self._hurry = self._hurry or file.open
        self._unsaved += not file.open

    def _remove(self, uri: str) -> None:
        """Takes a document out of what is analysed and shown."""
        if self._revision.parsed.pop(uri, None) is not None:
            self._uncommitted[uri] = None
            self._hurry = True
            self._unsaved += 1
        self._shown.remove(uri)

    def _commit(self) -> None:
        """Makes an analysis of what was parsed, and notes which documents may mean something else now."""
        uncommitted, self._uncommitted, self._hurry = self._uncommitted, {}, False
        opened = self._reading.open
        # While somebody types, most edits of a view leave its columns alone: then nobody else has to look again.
        comparing = self._whole and len(uncommitted) <= _MOST_COMPARED
        others = self._revision.commit(uncommitted, self._reading.circumstances, opened, comparing=comparing)
        self._binding = None
        for uri in uncommitted:
            if uri not in opened and (file := self._revision.parsed.get(uri)) is not None:
                self._shown.show_unbound(file)
        first = [uri for uri in uncommitted if uri in opened]
        later = [*self._bind_later, *self._bind_first, *uncommitted]
        if others or not self._whole:
            first += opened
            later += self._revision.parsed
        self._bind_first = deque(uri for uri in dict.fromkeys((*self._bind_first, *first)) if uri in opened)
        urgent = set(self._bind_first)
        self._bind_later = deque(
            uri for uri in sorted(dict.fromkeys(later)) if uri not in urgent and uri in self._revision.parsed
        )
        if not self._bind_first:
            self._publish()

    def _bind_next(self, waiting: deque[str]) -> None:
        if self._binding is None:
            self._binding = self._bind(waiting[0])
        if next(self._binding, self) is self:
            self._binding = None
            waiting.popleft()
            if not waiting:
                self._publish()

    def _bind(self, uri: str) -> Generator[None, None, None]:
        file = self._revision.parsed.get(uri)
        if file is None:
            return
        lineages: list[KeptLineage] = []
        for at in range(len(file.pieces)):
            bound = self._revision.bound
            lineages.append(self._revision.kept(uri, at))
            if self._revision.bound != bound:
                yield
        self._shown.show(file, lineages)
        if not file.open:
            self._revision.analysis.pack(uri)

    def _publish(self) -> None:
        unread = self._reading.waiting or self._uncommitted or self.cancelled
        ready = self.snapshot.ready or (self._scanned and not unread)
        self._whole = self._whole or ready
        complete = ready and not self._bind_later
        self._note_times(ready, complete)
        moved = self._shown.changed or ready != self.snapshot.ready
        self._shown.publish()
        self.snapshot = Snapshot(
            dict(self._shown.views),
            self._revision.analysis,
            self._shown.index,
            revision=self.snapshot.revision + 1,
            index_revision=self.snapshot.index_revision + moved,
            ready=ready,
            complete=complete,
        )

    def _note_times(self, ready: bool, complete: bool) -> None:
        seconds = monotonic() - self._began if self._began is not None else 0.0
        if ready and self._read_seconds is None:
            self._read_seconds = seconds
        if complete and self._complete_seconds is None:
            self._complete_seconds = seconds

    # ------------------------------------------------------------ from one start to the next

    def _recall(self, files: Mapping[str, FoundFile]) -> Mapping[str, FoundFile]:
        """Begins with what the last start has left, if it left anything; gives the files that it knew as they are."""
        circumstances = self._reading.circumstances
        state = self._store.load(circumstances) if self._store is not None else None
        found = recalled(state, circumstances) if state is not None else None
        if state is None or found is None:
            return {}
        opened = [file for uri, file in self._revision.parsed.items() if uri in self._reading.open]
        for file in found.files.values():
            for piece in file.pieces:
                self._cache.put(piece.key, piece.held)
        self._reading.elsewhere.refuse(state.refused)
        self._revision.recall(found.files, found.known, circumstances, self._reading.open)
        self._shown.recall(found.views, found.contributions)
        self._uncommitted, self._hurry, self._whole = {}, False, True
        self._bind_first.clear()
        self._bind_later.clear()
        self._binding = None
        for file in opened:
            self._take(file)
        for uri in found.files.keys() - files.keys() - self._reading.open.keys():
            self._remove(uri)
        known = {uri: file for uri, file in files.items() if is_as_saved(file, found.saved.get(uri))}
        return known

    def _is_worth_saving(self) -> bool:
        """Whether files have changed since the state was saved, some time ago or many of them."""
        if self._store is None or not self._unsaved or not self.snapshot.complete:
            return False
        return self._unsaved >= _MANY_UNSAVED or monotonic() - self._saved_at >= _UNSAVED_SECONDS

    def _save(self) -> None:
        assert self._store is not None
        self._saved_at = monotonic()
        index, views = self._shown.index, self._shown.views
        try:
            files = list(taken(self._revision, views, index, self._reading.disk, time_ns()))
        except Unsaved as reason:
            _log.debug("the workspace is not saved: %s", reason)
            self._unsaved = 1
            return
        self._unsaved = 0
        self._store.save(self._reading.circumstances, files, self._reading.elsewhere.refused)
