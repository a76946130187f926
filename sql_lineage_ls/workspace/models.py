"""Models: files whose query *is* a relation, named by the file (dbt).

`models/staging/crates.sql` with `SELECT ..` in it is the relation `crates`. A file is one where the setting `models`
says so or, without it, where it lies in a model or snapshot folder of the nearest dbt project at or above it. Projects
are looked for up to the root of the workspace folder, or of the repository that it lies in. A CSV file in a seed folder
is a relation too (`workspace.seeds`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.dbt_project import SEED_SUFFIX, Project, is_in, read_project
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.globs import Glob
from sql_lineage_ls.workspace.uris import path_from_uri

_MODEL_SUFFIX = ".sql"


class ModelFiles:
    """Which files are models. Remembers the projects that it found until it is made anew."""

    def __init__(self) -> None:
        self._projects: dict[str, Project | None] = {}
        self._roots: dict[str, str] = {}
        self._folders: dict[tuple[str, str], bool] = {}

    def relation(self, uri: str, folder: Folder | None, settings: Settings) -> str:
        """The name of the relation that a file's query is, '' where it is none.

        `file:///w/models/crates.sql` gives `crates` in a dbt project. `folder` is the workspace folder around it.
        """
        stem, suffix = os.path.splitext(unquote(uri.rsplit("/", 1)[-1]))
        suffix = suffix.lower()
        if suffix == SEED_SUFFIX:
            return stem if self._lies_in(uri, folder, SEED_SUFFIX) else ""
        return stem if suffix == _MODEL_SUFFIX and self._is_model(uri, folder, settings) else ""

    def _is_model(self, uri: str, folder: Folder | None, settings: Settings) -> bool:
        if isinstance(settings.models, bool):
            return settings.models
        if settings.models is not None:
            glob = Glob.parse(*settings.models)
            relative = folder.relative(uri) if folder is not None else uri.rsplit("/", 1)[-1]
            return glob is not None and glob.matches(unquote(relative))
        return self._lies_in(uri, folder, _MODEL_SUFFIX)

    def _lies_in(self, uri: str, folder: Folder | None, suffix: str) -> bool:
        """Whether a file lies in a folder of a project for files with that ending."""
        # Asked of every file of a workspace after every scan: the files of a folder are alike.
        parent = uri.rsplit("/", 1)[0]
        known = self._folders.get((parent, suffix))
        if known is None:
            known = self._folders[parent, suffix] = self._is_project_folder(path_from_uri(parent), folder, suffix)
        return known

    def _is_project_folder(self, path: Path | None, folder: Folder | None, suffix: str) -> bool:
        if path is None:
            return False
        project = self._project_above(str(path), self._root(folder.path if folder is not None else path))
        if project is None:
            return False
        return any(is_in(str(path), one) for one in (project.seeds if suffix == SEED_SUFFIX else project.queries))

    def _project_above(self, current: str, root: str) -> Project | None:
        """The nearest project at or above a folder, not above `root`."""
        for above in _upwards(current, root):
            if above not in self._projects:
                self._projects[above] = read_project(above)
            if (project := self._projects[above]) is not None:
                return project
        return None

    def _root(self, folder: Path) -> str:
        """How far up projects are looked for: a model folder may be opened without the project around it."""
        start = os.path.abspath(folder)
        if start not in self._roots:
            above = _upwards(start, "")
            self._roots[start] = next((one for one in above if os.path.exists(os.path.join(one, ".git"))), start)
        return self._roots[start]


def _upwards(current: str, root: str) -> Iterator[str]:
    """A folder and those above it, up to `root`; all of them where `root` is ''."""
    while True:
        yield current
        parent = os.path.dirname(current)
        if current in (root, parent):
            return
        current = parent
