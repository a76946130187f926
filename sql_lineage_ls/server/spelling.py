"""How the client writes addresses: answers use its own spelling of them, not our normal form.

VS Code opens `file:///c%3A/w/a.sql` and would take `file:///C:/w/a.sql` for another document.
"""

from __future__ import annotations

from sql_lineage_ls.workspace.uris import is_below, normal_uri


class Spelling:
    """The client's spelling of the documents and folders that it named."""

    def __init__(self) -> None:
        self._documents: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def remember(self, uri: str) -> str:
        """Notes how the client writes a document's address, and gives its normal form."""
        normal = normal_uri(uri)
        self._documents[normal] = uri
        return normal

    def remember_folder(self, uri: str) -> str:
        """Notes how the client writes a folder's address, and gives its normal form, without a slash at its end."""
        normal = normal_uri(uri).rstrip("/") or uri
        self._folders[normal] = uri.rstrip("/")
        return normal

    def forget_folder(self, uri: str) -> str:
        """The normal form of a folder that the client has removed."""
        normal = normal_uri(uri).rstrip("/")
        self._folders.pop(normal, None)
        return normal

    def of(self, uri: str) -> str:
        """The client's spelling: as it named the document, else as it names the folder around it."""
        known = self._documents.get(uri)
        if known is not None:
            return known
        for normal, written in self._folders.items():
            if is_below(uri, normal):
                return written + uri[len(normal) :]
        return uri
