"""Models: files whose query *is* a relation, named by the file (dbt).

`models/staging/crates.sql` with `SELECT ..` in it is the relation `crates`. A file is one where the setting `models`
says so or, without it, where it lies in a model folder of the nearest dbt project at or above it. Projects are looked
for up to the root of the workspace folder, or of the repository that it lies in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct

from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.discovery import read_text
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.globs import Glob
from sql_lineage_ls.workspace.uris import path_from_uri

PROJECT_FILE = "dbt_project.yml"

_MODEL_SUFFIX = ".sql"
_DEFAULT_FOLDERS = ("models",)
# `source-paths` is what dbt called it before version 1.0.
_PATHS = re.compile(r"^(?:model|source)-paths\s*:[ \t]*(?P<value>[^\r\n]*)", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>[^\r\n]+)")
_SCALAR = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s,\[\]#'"][^,\[\]#'"]*))""")


class Project(Struct, frozen=True):
    """A dbt project: its folder and the folders of its models, absolute."""

    folder: str
    models: tuple[str, ...]


class ModelFiles:
    """Which files are models. Remembers the projects that it found until it is made anew."""

    def __init__(self) -> None:
        self._projects: dict[str, Project | None] = {}
        self._roots: dict[str, str] = {}
        self._folders: dict[str, bool] = {}

    def relation(self, uri: str, folder: Folder | None, settings: Settings) -> str:
        """The name of the relation that a file's query is, '' where it is none.

        `file:///w/models/crates.sql` gives `crates` in a dbt project. `folder` is the workspace folder around it.
        """
        if not self._is_model(uri, folder, settings):
            return ""
        stem, suffix = os.path.splitext(unquote(uri.rsplit("/", 1)[-1]))
        return stem if suffix.lower() == _MODEL_SUFFIX else ""

    def _is_model(self, uri: str, folder: Folder | None, settings: Settings) -> bool:
        if isinstance(settings.models, bool):
            return settings.models
        if settings.models is not None:
            glob = Glob.parse(*settings.models)
            relative = folder.relative(uri) if folder is not None else uri.rsplit("/", 1)[-1]
            return glob is not None and glob.matches(unquote(relative))
        # Asked of every file of a workspace after every scan: the files of a folder are alike.
        parent = uri.rsplit("/", 1)[0]
        known = self._folders.get(parent)
        if known is None:
            known = self._folders[parent] = self._is_model_folder(path_from_uri(parent), folder)
        return known

    def _is_model_folder(self, path: Path | None, folder: Folder | None) -> bool:
        if path is None:
            return False
        project = self._project_above(str(path), self._root(folder.path if folder is not None else path))
        return project is not None and any(_is_in(str(path), models) for models in project.models)

    def _project_above(self, current: str, root: str) -> Project | None:
        """The nearest project at or above a folder, not above `root`."""
        for above in _upwards(current, root):
            if above not in self._projects:
                self._projects[above] = _read_project(above)
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


def model_folders(text: str) -> tuple[str, ...]:
    """The model folders that a `dbt_project.yml` names: `model-paths: ["models", "extra"]`.

    Reads this one key and no more of YAML than its lists in brackets or with dashes; `models` where it is not there.
    """
    found = _PATHS.search(text)
    if found is None:
        return _DEFAULT_FOLDERS
    value = found["value"].strip()
    if value and not value.startswith("#"):
        if value.startswith("[") and "]" not in value:
            end = text.find("]", found.end())
            value = text[found.start("value") : end] if end >= 0 else value
        return _scalars(value) or _DEFAULT_FOLDERS
    items: list[str] = []
    for line in text[found.end() :].splitlines()[1:]:
        item = _ITEM.match(line)
        if item is not None:
            items += _scalars(item["value"])[:1]
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return tuple(items) or _DEFAULT_FOLDERS


def _scalars(value: str) -> tuple[str, ...]:
    lines = (line for line in value.strip().strip("[]").splitlines() if not line.lstrip().startswith("#"))
    found = _SCALAR.finditer(" ".join(line.split(" #", 1)[0] for line in lines))
    return tuple(text for match in found if (text := (match[1] or match[2] or match[3] or "").strip()))


def _read_project(folder: str) -> Project | None:
    path = os.path.join(folder, PROJECT_FILE)
    if not os.path.isfile(path):
        return None
    text = read_text(Path(path))
    if text is None:
        return None
    return Project(folder, tuple(os.path.normpath(os.path.join(folder, name)) for name in model_folders(text)))


def _upwards(current: str, root: str) -> Iterator[str]:
    """A folder and those above it, up to `root`; all of them where `root` is ''."""
    while True:
        yield current
        parent = os.path.dirname(current)
        if current in (root, parent):
            return
        current = parent


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
