from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from sql_lineage_ls.workspace.uris import is_below, normal_uri, path_from_uri, uri_from_path


@pytest.mark.parametrize(
    ("uri", "normal"),
    [
        ("file:///c%3A/w/a.sql", "file:///C:/w/a.sql"),
        ("file:///C:/w/a.sql", "file:///C:/w/a.sql"),
        ("FILE:///c:/w/a.sql", "file:///C:/w/a.sql"),
        ("file:///w/a%20b%2Bc.sql", "file:///w/a%20b+c.sql"),
        ("file:///w/%C3%A9.sql", "file:///w/%C3%A9.sql"),
        ("file:///w/é.sql", "file:///w/%C3%A9.sql"),
        ("file://localhost/w/a.sql", "file:///w/a.sql"),
        ("file://server/share/a.sql", "file://server/share/a.sql"),
        ("file:///w/a%23b%3F.sql", "file:///w/a%23b%3F.sql"),
        ("file:///w/a#b.sql", "file:///w/a%23b.sql"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        ("vscode-vfs://github/x/a%3A.sql", "vscode-vfs://github/x/a%3A.sql"),
        ("no address", "no address"),
        ("file://[bad/a.sql", "file://[bad/a.sql"),
    ],
)
def test_normal_form(uri: str, normal: str) -> None:
    assert normal_uri(uri) == normal
    assert normal_uri(normal) == normal


def test_paths_and_back() -> None:
    path = Path("/w/a b%c#é.sql")
    assert uri_from_path(path) == "file:///w/a%20b%25c%23%C3%A9.sql"
    assert path_from_uri(uri_from_path(path)) == path


def test_paths_of_other_systems() -> None:
    assert uri_from_path(PureWindowsPath("c:\\w\\a b.sql")) == "file:///C:/w/a%20b.sql"
    assert uri_from_path(PureWindowsPath("\\\\host\\share\\a.sql")) == "file://host/share/a.sql"
    assert uri_from_path(PurePosixPath("/w/a.sql")) == "file:///w/a.sql"


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "git:/w/a.sql", "file:///a%00b.sql", ""])
def test_what_is_no_file_has_no_path(uri: str) -> None:
    assert path_from_uri(uri) is None


def test_below() -> None:
    assert is_below("file:///w/a/b.sql", "file:///w/a")
    assert is_below("file:///w/a/b.sql", "file:///w/a/")
    assert not is_below("file:///w/ab.sql", "file:///w/a")
