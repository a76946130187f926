"""The cache folder: one file a workspace, replaced as a whole, bounded in size, and never needed.

Several editors may have one workspace open: each file is complete in itself, is read in one go and replaced in one
step, and the last to write it wins. What cannot be read is as good as not there; what cannot be written is said in
the log once. Nothing here raises.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec.structs import replace
from platformdirs import user_cache_path

from sql_lineage_ls.workspace.circumstances import Circumstances
from sql_lineage_ls.workspace.config import CodeLensSettings, Settings
from sql_lineage_ls.workspace.saved_state import SavedFile, SavedState, decode_state, encode_state

_log = logging.getLogger(__name__)

_SUFFIX = ".state"
# All states together take no more than this.
_MOST_BYTES = 1 << 30


class Store:
    """The states of workspaces in a folder. `outcome` tells what became of the last reading: for people who ask."""

    def __init__(self, folder: Path, most_bytes: int = _MOST_BYTES) -> None:
        self.outcome = "not read"
        self.bytes = 0
        self._folder = folder
        self._most_bytes = most_bytes
        self._complained = False

    def load(self, circumstances: Circumstances) -> SavedState | None:
        """The state of a workspace, None where there is none that can be believed."""
        path = self._path(circumstances)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            self.outcome = "empty"
            return None
        except OSError as error:
            self.outcome = "unreadable"
            self._complain("cannot be read", error)
            return None
        state = decode_state(data)
        if isinstance(state, str):
            self.outcome = state
            _log.info("the cache file %s is made anew: %s", path, state)
            return None
        self.outcome, self.bytes = "read", len(data)
        with contextlib.suppress(OSError):
            # Those that nobody has used for longest go first.
            os.utime(path)
        return state

    def save(self, circumstances: Circumstances, files: Iterable[SavedFile], refused: tuple[str, ...]) -> None:
        """Keeps the state of a workspace."""
        try:
            data = encode_state(files, refused)
        except (UnicodeEncodeError, RecursionError) as error:
            _log.info("the workspace is not kept in the cache: %s", error)
            return
        if len(data) > self._most_bytes:
            _log.info("the workspace is not kept in the cache: its %s bytes are too many", f"{len(data):,}")
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._evict(len(data), self._path(circumstances))
            self._write(self._path(circumstances), data)
        except OSError as error:
            self._complain("cannot be written", error)
            return
        self.bytes = len(data)

    def _path(self, circumstances: Circumstances) -> Path:
        """A file for each workspace and each way in which it can be read."""
        words = [(folder.uri, _analysed(folder.settings)) for folder in circumstances.folders]
        content = msgspec.msgpack.encode((sorted(words, key=lambda word: word[0]), _analysed(circumstances.settings)))
        return self._folder / (blake2b(content, digest_size=16).hexdigest() + _SUFFIX)

    def _write(self, path: Path, data: bytes) -> None:
        descriptor, name = tempfile.mkstemp(dir=self._folder, prefix="new-", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise

    def _evict(self, coming: int, path: Path) -> None:
        """Makes room: states go that were not used for longest, and what interrupted writes have left."""
        found = []
        for entry in os.scandir(self._folder):
            if entry.path == str(path) or not entry.name.endswith((_SUFFIX, ".tmp")):
                continue
            # Another editor may have put its state in its place, or taken one away, in between.
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                found.append((status.st_mtime, status.st_size, entry.path))
        room = self._most_bytes - coming
        for _, size, name in sorted(found, reverse=True):
            room -= size
            if room < 0:
                with contextlib.suppress(OSError):
                    os.unlink(name)

    def _complain(self, what: str, error: OSError) -> None:
        if not self._complained:
            self._complained = True
            _log.warning("the cache in %s %s; the server works without it: %s", self._folder, what, error)


def _analysed(settings: Settings) -> Settings:
    """The settings without those that change nothing in what is analysed."""
    return replace(
        settings, exclude=(), severities={}, diagnostics=True, code_lens=CodeLensSettings(), complete=False
    )


def user_store() -> Store | None:
    """The store in the user's cache folder, None where the system has no place for one."""
    try:
        return Store(user_cache_path("sql-lineage-ls", appauthor=False) / "workspaces")
    except (OSError, RuntimeError) as error:
        _log.warning("there is no cache folder: %s", error)
        return None
