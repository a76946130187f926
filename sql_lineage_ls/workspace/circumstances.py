"""What a document's meaning depends on besides its text: its folder, that folder's settings, the project around it."""

from __future__ import annotations

from collections.abc import Iterable

from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.folders import Folder, folder_of
from sql_lineage_ls.workspace.models import ModelFiles


class Circumstances:
    """The workspace folders, and the settings of documents that lie in none of them."""

    def __init__(self, folders: Iterable[Folder] = (), settings: Settings = Settings()) -> None:
        self.folders = tuple(folders)
        self.settings = settings
        self._models = ModelFiles()

    def forget_projects(self) -> None:
        """Has project files read again: one may have come, gone or changed."""
        self._models = ModelFiles()

    def of(self, uri: str) -> tuple[Settings, str, str]:
        """Everything about one document, to be compared."""
        return self.settings_of(uri), self.relative(uri), self.relation_of(uri)

    def settings_of(self, uri: str) -> Settings:
        """The settings that apply to a document."""
        folder = folder_of(self.folders, uri)
        return folder.settings if folder is not None else self.settings

    def relative(self, uri: str) -> str:
        """A document's path below its folder, its name where it lies in none."""
        folder = folder_of(self.folders, uri)
        return folder.relative(uri) if folder is not None else uri.rsplit("/", 1)[-1]

    def relation_of(self, uri: str) -> str:
        """The name of the relation that a document's query is, '' where it is no model."""
        return self._models.relation(uri, folder_of(self.folders, uri), self.settings_of(uri))
