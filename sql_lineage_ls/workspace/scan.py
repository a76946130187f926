"""Looking at the workspace folders again and again, a few milliseconds at a time."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from time import perf_counter

from msgspec import Struct

from sql_lineage_ls.workspace.discovery import FoundFile, discovering
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.notices import Notices

_STEP_SECONDS = 0.005


class ScanResult(Struct, frozen=True):
    """The SQL files of all folders by address, and those that are to be read again whatever their stamps say."""

    files: Mapping[str, FoundFile]
    forced: frozenset[str]


class FolderScan:
    """A scan that can be asked for at any time: one that is under way is begun anew, as folders may have changed."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._asked = False
        self._forced: set[str] = set()
        self._job: Generator[None, None, dict[str, FoundFile]] | None = None

    @property
    def active(self) -> bool:
        """Whether a scan was asked for and has not ended."""
        return self._asked or self._job is not None

    def ask(self, changed: Iterable[str]) -> None:
        """Asks for a scan; `changed` are files that are known to have changed."""
        self._forced.update(changed)
        self._asked = True

    def advance(self, folders: tuple[Folder, ...]) -> ScanResult | None:
        """Looks at some more of the folders; the result when there is no more."""
        if self._asked or self._job is None:
            self._asked = False
            self._job = self._scan(folders)
        deadline = perf_counter() + _STEP_SECONDS
        while perf_counter() < deadline:
            try:
                next(self._job)
            except StopIteration as end:
                self._job = None
                forced, self._forced = frozenset(self._forced), set()
                return ScanResult(end.value, forced)
        return None

    def _scan(self, folders: tuple[Folder, ...]) -> Generator[None, None, dict[str, FoundFile]]:
        found: dict[str, FoundFile] = {}
        for folder in folders:
            discovery = yield from discovering(folder.path, folder.settings)
            found.update((file.uri, file) for file in discovery.files)
            for file in discovery.too_large:
                self._notices.say_too_large(str(file.path), file.stamp[1], folder.settings.max_file_size)
        return found
