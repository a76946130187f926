"""The settings files of a workspace folder: `sql-lineage.toml` and `[tool.sql-lineage]` of `pyproject.toml`."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

import msgspec

from sql_lineage_ls.workspace.config import ConfigProblem, Layer, read_layer

SETTINGS_FILE = "sql-lineage.toml"
PROJECT_FILE = "pyproject.toml"
SETTINGS_FILES = (SETTINGS_FILE, PROJECT_FILE)


def read_folder(folder: Path) -> tuple[Layer, ...]:
    """What the files of a folder set, the stronger one last. A file that is not there sets nothing."""
    return _read_project_file(folder / PROJECT_FILE), _read_settings_file(folder / SETTINGS_FILE)


def _read_settings_file(path: Path) -> Layer:
    text = _read(path)
    if text is None:
        return Layer()
    data = _parse(text)
    return read_layer(data, str(path)) if not isinstance(data, str) else _broken(path, data)


def _read_project_file(path: Path) -> Layer:
    text = _read(path)
    # Whatever else is wrong with a pyproject.toml is for other tools to say.
    if not isinstance(text, bytes) or b"sql-lineage" not in text:
        return Layer()
    data = _parse(text)
    if isinstance(data, str):
        return _broken(path, data)
    tool = data.get("tool")
    return read_layer(tool.get("sql-lineage"), str(path)) if isinstance(tool, dict) else Layer()


def _read(path: Path) -> bytes | str | None:
    """A file's bytes, None where there is none, or a sentence that says why it cannot be read."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return f"the file cannot be read: {error.strerror or error}"


def _parse(content: bytes | str) -> dict[str, Any] | str:
    """The tables of a TOML file, or a sentence that says what is wrong with it."""
    if isinstance(content, str):
        return content
    try:
        return msgspec.toml.decode(content.removeprefix(BOM_UTF8), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return f"the file is not valid TOML: {error}"


def _broken(path: Path, message: str) -> Layer:
    return Layer(problems=(ConfigProblem(str(path), "", message),))
