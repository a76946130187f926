"""What a `dbt_project.yml` says about folders: those of models, of snapshots and of seeds.

Reads these keys and no more of YAML than their lists in brackets or with dashes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from msgspec import Struct

from sql_lineage_ls.workspace.text_files import read_text

PROJECT_FILE = "dbt_project.yml"
SEED_SUFFIX = ".csv"

# What the keys are called, what dbt called them before version 1.0, and what they are without one.
_MODELS = ("model-paths", "source-paths"), ("models",)
_SNAPSHOTS = ("snapshot-paths",), ("snapshots",)
_SEEDS = ("seed-paths", "data-paths"), ("seeds",)
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>[^\r\n]+)")
_SCALAR = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s,\[\]#'"][^,\[\]#'"]*))""")


class Project(Struct, frozen=True):
    """A dbt project: its folder, the folders of its queries (models and snapshots) and of its seeds, absolute."""

    folder: str
    queries: tuple[str, ...]
    seeds: tuple[str, ...] = ()


def read_project(folder: str) -> Project | None:
    """The project whose file lies in a folder, None where there is none that can be read."""
    path = os.path.join(folder, PROJECT_FILE)
    if not os.path.isfile(path):
        return None
    text = read_text(Path(path))
    if text is None:
        return None
    queries = (*folders_of(text, *_MODELS), *folders_of(text, *_SNAPSHOTS))
    return Project(folder, _absolute(folder, queries), _absolute(folder, folders_of(text, *_SEEDS)))


def model_folders(text: str) -> tuple[str, ...]:
    """The model folders that a `dbt_project.yml` names: `model-paths: ["models", "extra"]`."""
    return folders_of(text, *_MODELS)


def folders_of(text: str, keys: tuple[str, ...], default: tuple[str, ...]) -> tuple[str, ...]:
    """The folders listed under one of the keys; `default` where there is none."""
    found = re.search(rf"^(?:{'|'.join(keys)})\s*:[ \t]*(?P<value>[^\r\n]*)", text, re.MULTILINE)
    if found is None:
        return default
    value = found["value"].strip()
    if value and not value.startswith("#"):
        if value.startswith("[") and "]" not in value:
            end = text.find("]", found.end())
            value = text[found.start("value") : end] if end >= 0 else value
        return _scalars(value) or default
    items: list[str] = []
    for line in text[found.end() :].splitlines()[1:]:
        item = _ITEM.match(line)
        if item is not None:
            items += _scalars(item["value"])[:1]
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return tuple(items) or default


def _scalars(value: str) -> tuple[str, ...]:
    lines = (line for line in value.strip().strip("[]").splitlines() if not line.lstrip().startswith("#"))
    found = _SCALAR.finditer(" ".join(line.split(" #", 1)[0] for line in lines))
    return tuple(text for match in found if (text := (match[1] or match[2] or match[3] or "").strip()))


def _absolute(folder: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(os.path.normpath(os.path.join(folder, name)) for name in names)


def is_in(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
