"""Workspace folders, and which of them a document belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.uris import is_below


class Folder(Struct, frozen=True):
    """A workspace folder with its settings; `uri` is in normal form, without a slash at its end."""

    uri: str
    path: Path
    settings: Settings = Settings()

    def relative(self, uri: str) -> str:
        """The part of a document's address below the folder: `etl/a.sql`."""
        return uri[len(self.uri) :].lstrip("/")


def folder_of(folders: Iterable[Folder], uri: str) -> Folder | None:
    """The innermost folder that a document lies in, None where it lies in none."""
    around = [folder for folder in folders if is_below(uri, folder.uri)]
    return max(around, key=lambda folder: len(folder.uri), default=None)
