"""Which files of a folder are SQL, or seeds of a dbt project (CSV files in its seed folders).

Left out are what `.gitignore` files leave out (also those of the folders above, up to the repository's root), the
setting `exclude`, version control and dependency folders, symbolic links (what they lead to inside of the folder is
found at its own place, what lies outside is not the workspace's), and files above the setting `max_file_size`.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

from msgspec import Struct

from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.dbt_project import PROJECT_FILE, SEED_SUFFIX, is_in, read_project
from sql_lineage_ls.workspace.globs import Glob
from sql_lineage_ls.workspace.text_files import read_text
from sql_lineage_ls.workspace.uris import uri_from_path

# File name endings, each with the dialect of files that say nothing of it themselves ('': any).
SUFFIXES = {".sql": "", ".ddl": "", ".hql": "hive", ".bq": "bigquery", ".bqsql": "bigquery", ".psql": "postgres"}

_SKIPPED_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".venv", "venv", "node_modules", "target", "dbt_packages", "__pycache__", ".tox", ".nox",
        ".mypy_cache", ".pytest_cache", ".ruff_cache", ".idea", ".vscode", ".terraform", "site-packages",
    }
)  # fmt: skip


_FOLDER = "folder"
_FILE = "file"
_LINK = "link"
_SKIPPED = "skipped-folder"
_NO_STAMP = (0, 0)


class FoundFile(Struct, frozen=True, order=True):
    """A file to analyse. `stamp` (time of change, size) differs when its content may differ."""

    uri: str
    path: Path
    stamp: tuple[int, int]


class LeftOut(Struct, frozen=True, order=True):
    """A file or folder that is not looked at. `reason` is `gitignore`, `exclude`, `link` or `skipped-folder`."""

    reason: str
    path: str


class Discovery(Struct, frozen=True):
    """The SQL files of a folder, sorted by address, those that are too large to be read, and what was left out.

    Of files with other names nothing is said.
    """

    files: tuple[FoundFile, ...] = ()
    too_large: tuple[FoundFile, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def discover(folder: Path, settings: Settings) -> Discovery:
    """The SQL files below `folder`. What cannot be listed is left out; nothing raises."""
    work = discovering(folder, settings)
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: Discovery = end.value
            return found


def discovering(folder: Path, settings: Settings) -> Generator[None, None, Discovery]:
    """`discover` in steps of one folder: there may be a million of them below a home directory."""
    files: list[FoundFile] = []
    too_large: list[FoundFile] = []
    left_out: list[LeftOut] = []
    root = os.path.abspath(folder)
    exclude = Glob.parse(*settings.exclude)
    waiting: list[tuple[str, tuple[_Ignores, ...]]] = [(root, _ignores_above(root))]
    seeds: tuple[str, ...] = ()
    while waiting:
        current, ignores = waiting.pop()
        entries = _list(current)
        if any(entry.name == PROJECT_FILE for entry in entries) and (project := read_project(current)) is not None:
            seeds += project.seeds
        has_seeds = any(is_in(current, seed) for seed in seeds)
        if any(entry.name == ".gitignore" for entry in entries):
            ignores = (*ignores, *_read_ignores(current))
        for entry in entries:
            kind, stamp = _look_at(entry, has_seeds)
            if kind is None:
                continue
            reason = kind if kind in (_LINK, _SKIPPED) else _left_out_by(
                entry.path, kind == _FOLDER, root, exclude, ignores
            )
            if reason:
                left_out.append(LeftOut(reason, entry.path))
                continue
            if kind == _FOLDER:
                waiting.append((entry.path, ignores))
                continue
            found = FoundFile(uri_from_path(Path(entry.path)), Path(entry.path), stamp)
            # Of a seed only the first line is read.
            fits = stamp[1] <= settings.max_file_size or not is_sql(entry.name)
            (files if fits else too_large).append(found)
        yield
    return Discovery(tuple(sorted(files)), tuple(sorted(too_large)), tuple(sorted(left_out)))


def is_sql(path: str) -> bool:
    """Whether a file's name is that of a SQL file."""
    return os.path.splitext(path)[1].lower() in SUFFIXES


class _Ignores(Struct, frozen=True):
    """An ignore file: its globs speak of paths below `folder`."""

    folder: str
    globs: Glob


def _list(folder: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except OSError:
        return []


def _look_at(entry: os.DirEntry[str], has_seeds: bool) -> tuple[str | None, tuple[int, int]]:
    """Whether an entry is a folder to look into or a file to analyse, with its stamp; None where it is neither.

    A link to one, or a folder of other tools, is `_LINK` or `_SKIPPED`.
    """
    try:
        if entry.is_symlink():
            return _LINK if is_sql(entry.name) or entry.is_dir() else None, _NO_STAMP
        if entry.is_dir(follow_symlinks=False):
            return _SKIPPED if entry.name in _SKIPPED_FOLDERS else _FOLDER, _NO_STAMP
        wanted = is_sql(entry.name) or (has_seeds and entry.name.lower().endswith(SEED_SUFFIX))
        if not wanted or not entry.is_file():
            return None, _NO_STAMP
        status = entry.stat()
    except OSError:
        return None, _NO_STAMP
    return _FILE, (status.st_mtime_ns, status.st_size)


def _left_out_by(path: str, is_folder: bool, root: str, exclude: Glob | None, ignores: tuple[_Ignores, ...]) -> str:
    """Why a file or folder is left out, '' where it is not."""
    if exclude is not None and exclude.matches(_relative(path, root, is_folder)):
        return "exclude"
    return "gitignore" if _is_ignored(path, is_folder, ignores) else ""


def _is_ignored(path: str, is_folder: bool, ignores: tuple[_Ignores, ...]) -> bool:
    """The nearest ignore file that speaks of a path decides, as in git."""
    for ignore in reversed(ignores):
        decision = ignore.globs.decides(_relative(path, ignore.folder, is_folder))
        if decision is not None:
            return decision
    return False


def _relative(path: str, folder: str, is_folder: bool) -> str:
    """A path below `folder`, which it begins with (`os.path.relpath` would cost more than the rest of the walk)."""
    relative = path[len(folder) :].lstrip(os.sep).replace(os.sep, "/")
    return relative + "/" if is_folder else relative


def _read_ignores(folder: str) -> tuple[_Ignores, ...]:
    text = read_text(Path(folder, ".gitignore"))
    return (_Ignores(folder, Glob.parse_lines(text.splitlines())),) if text else ()


def _ignores_above(root: str) -> tuple[_Ignores, ...]:
    """The ignore files between the repository's root and `root`; none where `root` is in no repository."""
    above: list[_Ignores] = []
    current = root
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return ()
        current = parent
        above.extend(_read_ignores(current))
    return tuple(reversed(above))
