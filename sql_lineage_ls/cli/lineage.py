"""`sql-lineage-ls lineage`: reads files and folders, analyses them together, and prints what they say."""

from __future__ import annotations

import difflib
import logging
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from sql_lineage_ls.cli.usage import PROGRAM, UsageError
from sql_lineage_ls.exporters.report import Message, Report, make_report, place
from sql_lineage_ls.features.diagnostics import DiagnosticOptions, diagnostics
from sql_lineage_ls.syntax.dialects import DIALECTS, find_dialect
from sql_lineage_ls.workspace.config import Settings, combine
from sql_lineage_ls.workspace.config_files import read_folder
from sql_lineage_ls.workspace.discovery import discover
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.snapshot import Snapshot
from sql_lineage_ls.workspace.store import user_store
from sql_lineage_ls.workspace.text_files import read_text
from sql_lineage_ls.workspace.uris import uri_from_path

STDIN = "-"
STDIN_URI = "untitled:stdin"
STDIN_NAME = "<stdin>"


class Input(Struct, frozen=True):
    """A document to analyse. `name` is how the output calls it; `text` is None for a file of a folder."""

    uri: str
    name: str
    text: str | None
    settings: Settings


class Details(Struct, frozen=True):
    """How much is told beyond the direct edges from end to end: see `make_report`."""

    indirect: bool = False
    steps: bool = False
    intermediate: bool = False


def run_lineage(
    paths: Sequence[str], dialect: str, details: Details, write: Callable[[Report], Iterable[str]], cached: bool = False
) -> int:
    """Prints the lineage of `paths`, in the order in which they stand, as `write` tells it.

    The exit code is 0 whatever was found.
    """
    sys.stdout.writelines(write(read_report(paths, dialect, details, cached)))
    return 0


def read_report(
    paths: Sequence[str], dialect: str = "", details: Details = Details(), cached: bool = False
) -> Report:
    """The lineage of files and folders, analysed together; raises `UsageError` for a path that is not there.

    `cached` keeps the analysis of folders in the user's cache folder, for the next time.
    """
    override = dialect_name(dialect)
    for path in paths:
        if path != STDIN:
            require(path)
    folders = tuple(folder_at(path, override) for path in paths if path != STDIN and os.path.isdir(path))
    settings = settings_at(Path.cwd(), override)
    inputs: dict[str, Input] = {}
    for found in _inputs(paths, folders, settings):
        inputs.setdefault(found.uri, found)
    snapshot = _analyse(inputs.values(), folders, settings, cached)
    files = {uri: found.name for uri, found in inputs.items()}
    messages = [
        message
        for found in inputs.values()
        if found.settings.diagnostics
        for message in messages_of(snapshot, found.uri, found.name, found.settings)
    ]
    return make_report(
        snapshot, files, messages, details.indirect, steps=details.steps, intermediate=details.intermediate
    )


def require(path: str) -> None:
    """Raises `UsageError` for a path that is not there, with the one that was probably meant."""
    if os.path.exists(path):
        return
    if os.path.islink(path):
        raise UsageError(f"'{path}' is a link to a file that is not there")
    raise UsageError(f"'{path}' is neither a file nor a folder{_near_path(path)}")


def dialect_name(name: str) -> str:
    """The settings' name of a dialect, '' where none was given."""
    if not name:
        return ""
    dialect = find_dialect(name)
    if dialect is not None:
        return dialect.name
    near = difflib.get_close_matches(name.lower(), DIALECTS, 1)
    hint = f"did you mean '{near[0]}'?" if near else f"dialects are {', '.join(DIALECTS)}"
    raise UsageError(f"'{name}' is no dialect; {hint}")


def _near_path(path: str) -> str:
    parent = os.path.dirname(path)
    try:
        names = os.listdir(parent or ".")
    except OSError:
        return ""
    near = difflib.get_close_matches(os.path.basename(path), names, 1)
    return f"; did you mean '{os.path.join(parent, near[0])}'?" if near else ""


def folder_at(path: str, dialect: str) -> Folder:
    """A workspace folder with the settings of its own files; see `settings_at`."""
    resolved = Path(path).resolve()
    return Folder(uri_from_path(resolved), resolved, settings_at(resolved, dialect))


def settings_at(folder: Path, dialect: str) -> Settings:
    """What the folder's own files set; a dialect of the command line beats everything that they and the SQL say."""
    layers = read_folder(folder)
    for layer in layers:
        for problem in layer.problems:
            note(str(problem))
    settings = combine(*layers)
    return msgspec.structs.replace(settings, dialects={"**": dialect}) if dialect else settings


def _inputs(paths: Sequence[str], folders: tuple[Folder, ...], settings: Settings) -> Iterator[Input]:
    waiting = iter(folders)
    for path in paths:
        if path == STDIN:
            text = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
            yield Input(STDIN_URI, STDIN_NAME, text, settings)
        elif os.path.isdir(path):
            yield from _files_of(path, next(waiting))
        else:
            resolved = Path(path).resolve()
            yield from _file(resolved, path, settings)


def _files_of(path: str, folder: Folder) -> Iterator[Input]:
    discovery = discover(folder.path, folder.settings)
    for found in discovery.too_large:
        note(f"'{found.path}' is left out: it is larger than `max_file_size`")
    if not discovery.files:
        note(f"'{path}' has no SQL files")
    for found in discovery.files:
        name = os.path.join(path, os.path.relpath(found.path, folder.path))
        yield Input(found.uri, os.path.normpath(name), None, folder.settings)


def _file(path: Path, name: str, settings: Settings) -> Iterator[Input]:
    text = read_text(path)
    if text is None:
        note(f"'{name}' cannot be read as text")
    else:
        yield Input(uri_from_path(path), name, text, settings)


def _analyse(inputs: Collection[Input], folders: tuple[Folder, ...], settings: Settings, cached: bool) -> Snapshot:
    engine = Engine(store=user_store() if cached and folders else None)
    engine.configure(folders, settings)
    for found in inputs:
        if found.text is not None:
            engine.open(found.uri, found.text)
    engine.rescan()
    # A failure of ours is told below, in one line instead of a page.
    logging.getLogger("sql_lineage_ls").addHandler(logging.NullHandler())
    try:
        snapshot = engine.finish()
    finally:
        engine.stop()
    for notice in engine.take_notices():
        note(notice)
    for found in inputs:
        document = snapshot.document(found.uri)
        if document is None:
            note(f"'{found.name}' cannot be read as text")
            continue
        for statement in document.statements:
            if statement.lineage.kind == "failed":
                line = place(document, found.name, statement.start, statement.end).line
                note(f"{found.name}:{line}: the analysis of this statement failed; please report it")
    return snapshot


def messages_of(snapshot: Snapshot, uri: str, name: str, settings: Settings) -> Iterator[Message]:
    """The diagnostics of a document in the terms of the exports, which call the document `name`."""
    document = snapshot.document(uri)
    if document is None:
        return
    for item in diagnostics(snapshot, uri, DiagnosticOptions(settings.severities, complete=settings.complete)):
        yield Message(item.code, item.severity, item.message, place(document, name, item.span.start, item.span.end))


def note(text: str) -> None:
    sys.stderr.write(f"{PROGRAM}: note: {text}\n")
