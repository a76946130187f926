from __future__ import annotations

import os
from pathlib import Path

import pytest

from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.discovery import Discovery, discover, is_sql
from sql_lineage_ls.workspace.text_files import decode, read_text


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("SELECT 1;\n")


def names(root: Path, found: Discovery) -> list[str]:
    return [file.path.relative_to(root).as_posix() for file in found.files]


def test_finds_sql_files_in_sorted_order_and_skips_what_is_not_the_workspaces(tmp_path: Path) -> None:
    write(tmp_path, "b.sql", "a/x.SQL", "a/y.ddl", "a/notes.txt", "z.hql", "q.bq")
    write(tmp_path, ".git/h.sql", "node_modules/n.sql", "target/t.sql", ".venv/v.sql")
    assert names(tmp_path, discover(tmp_path, Settings())) == ["a/x.SQL", "a/y.ddl", "b.sql", "q.bq", "z.hql"]


def test_honours_nested_gitignore_files(tmp_path: Path) -> None:
    write(tmp_path, "keep.sql", "gen/a.sql", "gen/keep.sql", "sub/b.sql", "sub/c.sql", "out/d.sql", "sub/out/e.sql")
    (tmp_path / ".gitignore").write_text("gen/*\n!gen/keep.sql\n/out\n")
    (tmp_path / "sub" / ".gitignore").write_text("c.sql\n")
    assert names(tmp_path, discover(tmp_path, Settings())) == [
        "gen/keep.sql",
        "keep.sql",
        "sub/b.sql",
        "sub/out/e.sql",
    ]


def test_honours_the_ignore_file_of_the_repository_above(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.tmp.sql\n")
    write(tmp_path, "models/a.sql", "models/a.tmp.sql")
    assert names(tmp_path, discover(tmp_path / "models", Settings())) == ["models/a.sql"]


def test_exclude_setting(tmp_path: Path) -> None:
    write(tmp_path, "a.sql", "old/b.sql", "c.bak.sql")
    assert names(tmp_path, discover(tmp_path, Settings(exclude=("old/", "*.bak.sql")))) == ["a.sql"]


def test_large_files_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "a.sql")
    (tmp_path / "big.sql").write_text("x" * 101)
    found = discover(tmp_path, Settings(max_file_size=100))
    assert names(tmp_path, found) == ["a.sql"]
    assert [file.path.name for file in found.too_large] == ["big.sql"]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights on Windows")
def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    root = tmp_path / "root"
    write(outside, "o.sql")
    write(root, "a.sql")
    (root / "link").symlink_to(outside)
    (root / "l.sql").symlink_to(outside / "o.sql")
    (root / "loop").symlink_to(root)
    assert names(root, discover(root, Settings())) == ["a.sql"]


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert discover(tmp_path / "nowhere", Settings()) == Discovery()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"SELECT '\xc3\xa9'\r\n", "SELECT 'é'\r\n"),
        (b"\xef\xbb\xbfSELECT 1", "SELECT 1"),
        ("SELECT 'é'".encode("utf-16"), "SELECT 'é'"),
        (b"\xfe\xff\x00S\x00E", "SE"),
        (b"SELECT '\xe9'", "SELECT 'é'"),
        (b"", ""),
        (b"\xff\xfeS", "�"),
        (b"SQLite format 3\0", None),
    ],
)
def test_decoding(content: bytes, text: str | None) -> None:
    assert decode(content) == text


def test_reading_never_raises(tmp_path: Path) -> None:
    assert read_text(tmp_path) is None
    assert read_text(tmp_path / "none.sql") is None
    assert read_text(Path("a\0b")) is None


def test_stamps_follow_the_size(tmp_path: Path) -> None:
    write(tmp_path, "a.sql")
    assert [file.stamp[1] for file in discover(tmp_path, Settings()).files] == [10]


def test_names_of_sql_files() -> None:
    assert is_sql("/a/b.SQL")
    assert not is_sql("/a/b.sql.txt")
