"""Damaged, foreign and enormous text: everything is answered, nothing raises, and what is whole beside it works.

The short form takes seconds. `make robust` takes every prefix of many files and thousands of mutations, of the folder
in ROBUST_FOLDER too where that is set.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.syntax.lexical import scanner
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.discovery import discover
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.snapshot import Snapshot
from sql_lineage_ls.workspace.text_files import decode, read_text
from sql_lineage_ls.workspace.uris import uri_from_path
from tests.support.sweep import AT_TOKEN, OF_DOCUMENT

LONG = bool(os.environ.get("ROBUST"))
ROOT = Path(__file__).parents[2]
URI, OTHER = "file:///w/damaged.sql", "file:///w/whole.sql"
WHOLE = (
    "-- dialect: bigquery\nCREATE TABLE silo.bins (id INT64, grain STRUCT<kind STRING>);\n"
    "SELECT b.grain.kind FROM silo.bins AS b;"
)
_TOKENS = (
    "(", ")", "[", "]", "{", "}", "'", '"', "`", "--", "/*", "*/", "{{", "}}", "{%", "%}", ";", ",", ".", "*", "::",
    "SELECT", "FROM", "WITH", "AS", "JOIN", "ON", "CASE", "END", "BEGIN", "IF", "UNNEST(", "STRUCT<", "UNION ALL", "\0",
    "\ud800", "\ufeff", "\u2028", "😀", "\r", "\n", "|>", "@x", "MERGE INTO", "WHEN MATCHED", "OVER (", "CREATE VIEW",
    "x'", "$$",
)  # fmt: skip


def sources() -> list[tuple[str, str]]:
    """Files to damage, by name: our examples and fixtures, and those of a folder that was given."""
    folders = [ROOT / "examples", ROOT / "tests" / "fixtures"]
    if given := os.environ.get("ROBUST_FOLDER"):
        folders.append(Path(given))
    paths = sorted(path for folder in folders for path in folder.rglob("*.sql"))
    found = [(str(path), text) for path in paths if (text := read_text(path)) is not None and 40 < len(text) < 20_000]
    return random.Random(5).sample(found, min(len(found), 200 if LONG else 12))


class Bench:
    """One engine with a whole document and a damaged one that changes; what is logged as an error is a failure."""

    def __init__(self, dialect: str = "") -> None:
        self.engine = Engine(start=lambda _: None)
        self.engine.configure((), Settings(dialect=dialect))
        self.engine.open(OTHER, WHOLE)
        self.engine.rescan()
        self.engine.finish()

    def look(self, text: str, chance: random.Random) -> None:
        """Analyses a text, asks everything of the document and one place of it, and looks at the whole one."""
        self.engine.open(URI, text)
        snapshot = self.engine.finish()
        for name, feature in OF_DOCUMENT.items():
            assert len(list(feature(snapshot, URI))) >= 0, name
        offset = chance.randrange(len(text) + 1)
        for name, at in AT_TOKEN.items():
            assert len(list(at(snapshot, URI, offset))) >= 0, name
        check_whole(snapshot)


def check_whole(snapshot: Snapshot, uri: str = OTHER) -> None:
    document = snapshot.document(uri)
    assert document is not None
    (edge,) = document.statements[-1].lineage.edges
    assert [source.path for source in edge.sources] == [("grain", "kind")]


@pytest.fixture(autouse=True)
def no_errors(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A failure of the analysis is caught, logged and survived: here it counts."""
    with caplog.at_level(logging.ERROR):
        yield
    assert [record.getMessage() for record in caplog.records] == []


def test_files_cut_off_anywhere() -> None:
    chance = random.Random(1)
    bench = Bench()
    for _, text in sources():
        ends = range(len(text)) if LONG else sorted(chance.sample(range(len(text)), 6))
        for end in ends:
            bench.look(text[:end], chance)


def test_files_with_tokens_put_in_taken_out_and_moved() -> None:
    chance = random.Random(2)
    bench = Bench()
    for _, text in sources():
        tokens = [match.group() for match in scanner("bigquery").tokens.finditer(text)] or [text]
        for _ in range(40 if LONG else 6):
            damaged = list(tokens)
            for _ in range(chance.randint(1, 4)):
                at = chance.randrange(len(damaged) + 1)
                damaged[at : at + chance.randint(0, 3)] = chance.sample((*_TOKENS, *tokens), chance.randint(0, 2))
            bench.look("".join(damaged), chance)


def test_files_with_bytes_changed() -> None:
    chance = random.Random(3)
    bench = Bench()
    for _, text in sources():
        for _ in range(40 if LONG else 4):
            content = bytearray(text.encode())
            for _ in range(chance.randint(1, 20)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            decoded = decode(bytes(content))
            if decoded is not None:
                bench.look(decoded, chance)


def test_files_that_are_no_text_or_of_another_encoding(tmp_path: Path) -> None:
    files = {
        "null.sql": b"SELECT\0 1", "bytes.sql": bytes(range(256)) * 40, "empty.sql": b"", "mark.sql": b"\xef\xbb\xbf",
        "half.sql": "SELECT 'é😀' AS a FROM t".encode()[:13], "latin.sql": "SELECT 'é' AS a FROM t".encode("latin-1"),
        "little.sql": "SELECT k FROM t".encode("utf-16"), "odd.sql": b"\xff\xfeS\0E", "only.sql": b"\xff\xfe",
        "surrogate.sql": b"SELECT '\xed\xa0\x80' AS a FROM t", "ends.sql": b"SELECT a\r\r\n\nFROM t\x0b\x0c\x85",
        "whole.sql": WHOLE.encode(),
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "around").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "itself.sql").symlink_to(tmp_path / "itself.sql")
    (tmp_path / "gone.sql").symlink_to(tmp_path / "nowhere")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.sql")
    engine = Engine(start=lambda _: None)
    engine.configure((Folder(uri_from_path(tmp_path), tmp_path, Settings()),))
    engine.rescan()
    snapshot = engine.finish()
    check_whole(snapshot, uri_from_path(tmp_path / "whole.sql"))
    read = {document.uri.rsplit("/", 1)[-1] for document in snapshot.documents()}
    assert files.keys() - read == {"null.sql", "bytes.sql"}
    assert len(discover(tmp_path, Settings()).files) == len(files)
    little = snapshot.document(uri_from_path(tmp_path / "little.sql"))
    assert little is not None
    assert [edge.path for edge in little.statements[0].lineage.edges] == [("k",)]


def test_ten_megabytes(tmp_path: Path) -> None:
    """On disk it is left out and named; in an editor it is read, statement by statement."""
    text = "INSERT INTO silo.log VALUES (1, 'all is well');\n" * (210_000 if LONG else 4_000)
    (tmp_path / "large.sql").write_text(text)
    (tmp_path / "whole.sql").write_text(WHOLE)
    engine = Engine(start=lambda _: None)
    limit = 2_000_000 if LONG else 100_000
    engine.configure((Folder(uri_from_path(tmp_path), tmp_path, Settings(max_file_size=limit)),))
    engine.rescan()
    snapshot = engine.finish()
    check_whole(snapshot, uri_from_path(tmp_path / "whole.sql"))
    assert len(snapshot.documents()) == 1
    (notice,) = engine.take_notices()
    assert "large.sql" in notice
    engine.rescan()
    engine.finish()
    assert engine.take_notices() == ()
    bench = Bench("ansi")
    bench.engine.open(URI, text[:1_900_000])
    document = bench.engine.finish().document(URI)
    assert document is not None
    assert len(document.statements) == len(text[:1_900_000].splitlines())


def test_a_line_without_end() -> None:
    count = 50_000 if LONG else 2_000
    items = ", ".join(f"b.c{at} AS name_{at}" for at in range(count))
    Bench("postgres").look(f"SELECT {items} FROM b", random.Random(4))


def test_very_many_statements() -> None:
    count = 100_000 if LONG else 3_000
    bench = Bench("postgres")
    bench.engine.open(URI, "SELECT a FROM b;" * count)
    document = bench.engine.finish().document(URI)
    assert document is not None
    assert len(document.statements) == count
    assert bench.engine.parsed <= 4, "the same text is parsed once"


def test_a_table_of_twenty_thousand_columns() -> None:
    count = 20_000 if LONG else 800
    names = [f"c{at}" for at in range(count)]
    bench = Bench("postgres")
    text = f"CREATE TABLE wide ({', '.join(f'{name} int' for name in names)});\nCREATE VIEW v AS SELECT * FROM wide;"
    bench.look(f"{text}\nSELECT c7, c{count - 1} FROM v;", random.Random(5))
    snapshot = bench.engine.snapshot
    document = snapshot.document(URI)
    assert document is not None
    assert len(document.statements[1].lineage.outputs) == count
    wide = next(one for one, name, _ in document.statements[1].lineage.relations if name == "wide")
    assert len(snapshot.uses(Node(wide, ("c7",)))) == 1


@pytest.mark.parametrize(
    "sign",
    ["(", "[", "{", "<", "CASE ", "f(", "(SELECT ", "BEGIN ", "{% if x %}", "/*", "'", '"', "`", "$$"],
)
def test_fifty_thousand_of_one_sign(sign: str) -> None:
    bench = Bench("bigquery")
    bench.look("SELECT " + sign * (50_000 if LONG else 4_000) + " a FROM t;\n\nSELECT 1", random.Random(6))
    document = bench.engine.snapshot.document(URI)
    assert document is not None
    for statement in document.statements[:1]:
        assert statement.model.statement is not None or statement.model.issues
