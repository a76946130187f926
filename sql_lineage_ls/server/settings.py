"""The settings of each workspace folder, out of its files and the client's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sql_lineage_ls.workspace.config import (
    SECTION,
    ConfigProblem,
    Layer,
    Settings,
    combine,
    read_layer,
    without_defaults,
)
from sql_lineage_ls.workspace.config_files import read_folder
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.uris import path_from_uri

# What editors keep in our section for themselves: how the server is started, what their log shows.
CLIENT_KEYS = frozenset({"server_path", "server_arguments", "python", "trace", "enable", "enabled"})
_SOURCE = f"the editor's settings ({SECTION})"


class FolderSettings:
    """The workspace folders in the client's order, with what files and the client say of each.

    `default` applies to documents that lie in no folder. `problems` are the settings that do not apply.
    """

    def __init__(self) -> None:
        self.folders: tuple[Folder, ...] = ()
        self.default = Settings()
        self.problems: tuple[ConfigProblem, ...] = ()
        self._uris: list[str] = []
        self._common = Layer()
        self._by_folder: dict[str, Layer] = {}

    @property
    def uris(self) -> tuple[str, ...]:
        """The folders' addresses in normal form."""
        return tuple(self._uris)

    def add(self, uri: str) -> None:
        if uri not in self._uris:
            self._uris.append(uri)

    def remove(self, uri: str) -> None:
        if uri in self._uris:
            self._uris.remove(uri)
        self._by_folder.pop(uri, None)

    def configure(self, data: object, by_folder: Mapping[str, object] | None = None) -> None:
        """Takes the client's section: `data` for everything, `by_folder` for single folders."""
        self._common = _client_layer(data)
        self._by_folder = {uri: _client_layer(value) for uri, value in (by_folder or {}).items()}

    def reload(self) -> None:
        """Reads the folders' files again and puts everything together."""
        problems: dict[ConfigProblem, None] = dict.fromkeys(self._common.problems)
        folders = []
        for uri in self._uris:
            path = path_from_uri(uri)
            if path is None:
                continue
            layers = (*read_folder(path), self._common, self._by_folder.get(uri, Layer()))
            problems.update(dict.fromkeys(problem for layer in layers for problem in layer.problems))
            folders.append(Folder(uri, path, combine(*layers)))
        self.folders = tuple(folders)
        self.default = combine(self._common)
        self.problems = tuple(problems)


def section_of(data: Any) -> Any:
    """Our section of a client's whole configuration; clients send the one or the other."""
    return data[SECTION] if isinstance(data, Mapping) and SECTION in data else data


def _client_layer(data: object) -> Layer:
    if isinstance(data, list) or not data:
        # Neovim's empty table is an empty list on the wire.
        return Layer()
    return without_defaults(read_layer(data, _SOURCE, CLIENT_KEYS))
