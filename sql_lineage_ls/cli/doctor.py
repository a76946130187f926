"""`sql-lineage-ls doctor`: what was analysed of a folder, what was not, and why.

Reads as `lineage` does and writes down `workspace.health` with the settings, the cache, the times and the versions
around it. Nothing of what the files say is printed but names and places.
"""

from __future__ import annotations

import logging
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sql_lineage_ls import __version__
from sql_lineage_ls.cli.lineage import folder_at, note, require
from sql_lineage_ls.cli.wording import counted
from sql_lineage_ls.workspace.choose_dialect import choose_dialect
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.config_files import SETTINGS_FILES, read_folder
from sql_lineage_ls.workspace.discovery import Discovery, LeftOut, discover
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.figures import Figures
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.health import Group, Health, Spot, health_of
from sql_lineage_ls.workspace.snapshot import Snapshot
from sql_lineage_ls.workspace.store import Store, user_store
from sql_lineage_ls.workspace.text_files import read_text
from sql_lineage_ls.workspace.uris import uri_from_path

_REASONS = {
    "glob": "by the setting `dialects`",
    "header": "by its first line",
    "setting": "by the setting `dialect`",
    "ending": "by its ending",
    "text": "told from the text",
    "default": "nothing tells",
}
_LEFT_OUT = {
    "exclude": "by the setting `exclude`",
    "gitignore": "by .gitignore",
    "link": "symbolic links",
    "skipped-folder": "folders of other tools",
    "too-large": "larger than the setting `max_file_size`",
}
# So many groups are printed; the JSON has them all.
_MOST_SHOWN = 10


class SettingInForce(Struct, frozen=True):
    """A setting, its value and where it stands: a file's name, or `default`."""

    key: str
    value: Any
    origin: str


class Versions(Struct, frozen=True):
    """What runs. `sqlglot_compiled` tells whether sqlglot's compiled modules are in use."""

    program: str
    python: str
    sqlglot: str
    sqlglot_compiled: bool


class Checkup(Struct, frozen=True):
    """Everything that the doctor has to say."""

    path: str
    health: Health
    settings: tuple[SettingInForce, ...]
    cache: str
    cache_bytes: int
    seconds: float
    figures: Figures
    versions: Versions
    notices: tuple[str, ...] = ()


def run_doctor(path: str, as_json: bool, cached: bool) -> int:
    """Prints the check-up of a folder or file; raises `UsageError` where it is not there."""
    require(path)
    found = checkup(path, user_store() if cached else None)
    if as_json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in as_text(found))
    return 0


def checkup(path: str, store: Store | None) -> Checkup:
    """Analyses a folder or file and looks at what came of it."""
    started = time.monotonic()
    is_folder = os.path.isdir(path)
    folder = folder_at(path if is_folder else os.path.dirname(os.path.abspath(path)), "")
    engine = Engine(store=store if is_folder else None)
    logging.getLogger("sql_lineage_ls").addHandler(logging.NullHandler())
    if is_folder:
        discovery = discover(folder.path, folder.settings)
        engine.configure((folder,), folder.settings)
        names = {found.uri: os.path.relpath(found.path, folder.path) for found in discovery.files}
        engine.rescan()
    else:
        discovery = Discovery()
        names = _open_file(engine, Path(path).resolve(), path, folder.settings)
    try:
        snapshot = engine.finish()
        figures = engine.figures()
        notices = engine.take_notices()
    finally:
        engine.stop()
    health = health_of(snapshot, names, _reasons(snapshot, names, folder), _left_out(discovery, folder))
    return Checkup(
        path=path,
        health=health,
        settings=_settings_in_force(folder),
        cache=figures.cache,
        cache_bytes=figures.cache_bytes,
        seconds=time.monotonic() - started,
        figures=figures,
        versions=_versions(),
        notices=notices,
    )


def _open_file(engine: Engine, path: Path, name: str, settings: Settings) -> dict[str, str]:
    """Has one file analysed alone."""
    engine.configure((), settings)
    uri = uri_from_path(path)
    text = read_text(path)
    if text is None:
        note(f"'{name}' cannot be read as text")
    else:
        engine.open(uri, text)
    engine.rescan()
    return {uri: name}


def _reasons(snapshot: Snapshot, names: Iterable[str], folder: Folder) -> dict[str, str]:
    """Why each document has its dialect."""
    found = {}
    for uri in names:
        document = snapshot.document(uri)
        if document is not None:
            found[uri] = choose_dialect(folder.relative(uri), document.text, folder.settings).reason
    return found


def _left_out(discovery: Discovery, folder: Folder) -> Iterator[LeftOut]:
    """What was found and not looked at, by its path below the folder."""
    for one in discovery.left_out:
        yield LeftOut(one.reason, os.path.relpath(one.path, folder.path))
    for file in discovery.too_large:
        yield LeftOut("too-large", os.path.relpath(file.path, folder.path))


def _settings_in_force(folder: Folder) -> tuple[SettingInForce, ...]:
    """Each setting with the file that sets it; the later file wins, key by key."""
    origins: dict[str, str] = {}
    # `read_folder` gives the stronger file last, `SETTINGS_FILES` names it first.
    for layer, name in zip(read_folder(folder.path), reversed(SETTINGS_FILES), strict=True):
        origins.update(dict.fromkeys(layer.values, name))
    values = msgspec.to_builtins(folder.settings)
    return tuple(SettingInForce(key, value, origins.get(key, "default")) for key, value in values.items())


def _versions() -> Versions:
    try:
        sqlglot = version("sqlglot")
    except PackageNotFoundError:
        sqlglot = "unknown"
    parser = find_spec("sqlglot.parser")
    compiled = parser is not None and not (parser.origin or "").endswith(".py")
    return Versions(__version__, platform.python_version(), sqlglot, compiled)


# ---------------------------------------------------------------- text


def as_text(found: Checkup) -> Iterator[str]:
    """The check-up for people."""
    health, versions = found.health, found.versions
    compiled = "compiled" if versions.sqlglot_compiled else "not compiled: slower"
    yield f"sql-lineage-ls {versions.program}, Python {versions.python}, sqlglot {versions.sqlglot} ({compiled})"
    yield ""
    yield f"{found.path}: {counted(health.files, 'file')}, {counted(health.statements, 'statement')}"
    yield f"  {health.analysed} of {counted(health.statements, 'statement')} analysed"
    yield f"  {health.complete_targets} of {counted(health.targets, 'target column')} traced completely"
    for name in health.not_analysed[:_MOST_SHOWN]:
        yield f"  cannot be read as text: {name}"
    yield from _dialect_lines(health)
    yield from _section("Not analysed", [_group_line(one) for one in health.unread])
    unresolved = [
        f"{one.relation}: read by {counted(one.statements, 'statement')} ({_spots(one.examples)})"
        for one in health.unresolved
    ]
    yield from _section("Relations that nothing declares, most read first", unresolved)
    yield from _section("Missing facts, by kind (docs/model.md)", [_group_line(one) for one in health.gaps])
    ignored = [
        f"{_LEFT_OUT.get(one.reason, one.reason)}: {one.count} ({_some(one.examples, one.count)})"
        for one in health.ignored
    ]
    yield from _section("Left out", ignored)
    chosen = [f"{one.key} = {_value(one.value)} ({one.origin})" for one in found.settings if one.origin != "default"]
    yield from _section("Settings", chosen or ["all are the defaults"])
    yield from _section("Messages", list(found.notices))
    figures = found.figures
    yield from _section("Times", [
        f"all {found.seconds:.2f} s",
        f"files read after {figures.read_seconds or 0.0:.2f} s, analysed after {figures.complete_seconds or 0.0:.2f} s",
        f"longest step {figures.longest_step:.3f} s",
        f"statements parsed: {figures.parsed}, bound: {figures.bound}",
        f"cache: {found.cache}" + (f", {found.cache_bytes:,} bytes" if found.cache_bytes else ""),
    ])


def _dialect_lines(health: Health) -> Iterator[str]:
    lines = [
        f"{one.dialect}, {_REASONS.get(one.reason, one.reason)}: {counted(one.files, 'file')}"
        f" ({_some(one.examples, one.files)})"
        for one in health.dialects
    ]
    yield from _section("Dialects", lines)


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield title
    yield from (f"  {line}" for line in lines[:_MOST_SHOWN])
    if len(lines) > _MOST_SHOWN:
        yield f"  and {len(lines) - _MOST_SHOWN} more (--format json has all)"


def _group_line(one: Group) -> str:
    return f"{one.count} times: {one.message} ({_spots(one.examples)})"


def _spots(spots: Iterable[Spot]) -> str:
    return ", ".join(f"{spot.file}:{spot.line}" for spot in spots)


def _some(examples: Sequence[str], count: int) -> str:
    return ", ".join(examples) + (", …" if count > len(examples) else "")


def _value(value: object) -> str:
    return msgspec.json.encode(value).decode()
