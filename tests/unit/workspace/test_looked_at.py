"""What each token means is kept for open documents; of the others it can be asked for."""

from __future__ import annotations

from pathlib import Path

from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder

TEXT = "CREATE TABLE dock.ships (id INT64, master STRUCT<name STRING>);\nSELECT s.master.name FROM dock.ships AS s;\n"


def engine_on(folder: Path) -> tuple[Engine, str]:
    (folder / "ships.sql").write_text(TEXT, encoding="utf-8")
    settings = Settings(dialect="bigquery")
    engine = Engine()
    engine.configure([Folder(folder.as_uri(), folder, settings)], settings)
    engine.rescan()
    engine.finish()
    return engine, (folder / "ships.sql").as_uri()


def words(engine: Engine, uri: str) -> list[tuple[str, str]]:
    document = engine.snapshot.document(uri)
    assert document is not None
    return [(found.kind, found.name) for found in engine.snapshot.occurrences(document, document.statements[1])]


def kept(engine: Engine, uri: str) -> int:
    document = engine.snapshot.document(uri)
    assert document is not None
    return len(document.statements[1].lineage.occurrences)


SHIPS = ("relation", "dock.ships")
MEANT = [("alias", "s"), ("column", "master"), ("field", "name"), SHIPS, SHIPS, ("alias", "s")]


def test_a_file_that_nobody_has_open_keeps_its_edges_and_tells_its_words_when_asked(tmp_path: Path) -> None:
    engine, uri = engine_on(tmp_path)
    document = engine.snapshot.document(uri)
    assert document is not None
    assert [edge.path for edge in document.statements[1].lineage.edges] == [("name",)]
    assert kept(engine, uri) == 0
    assert words(engine, uri) == MEANT


def test_an_open_document_has_its_words_at_hand(tmp_path: Path) -> None:
    engine, uri = engine_on(tmp_path)
    engine.open(uri, TEXT, 1)
    engine.finish()
    assert kept(engine, uri) == len(MEANT)
    assert words(engine, uri) == MEANT


def test_edges_are_the_same_open_or_not(tmp_path: Path) -> None:
    engine, uri = engine_on(tmp_path)
    before = engine.snapshot.document(uri)
    engine.open(uri, TEXT, 1)
    after = engine.finish().document(uri)
    assert before is not None
    assert after is not None
    for one, other in zip(before.statements, after.statements, strict=True):
        assert (one.lineage.edges, one.lineage.reads) == (other.lineage.edges, other.lineage.reads)
