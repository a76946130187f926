"""What is kept between two starts: it is never wrong, and nothing needs it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.workspace import saved_state, store
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.snapshot import Snapshot
from sql_lineage_ls.workspace.store import Store
from sql_lineage_ls.workspace.uris import uri_from_path

TEXTS = {
    "ddl": "CREATE TABLE ferry.trips (id INT64, stop STRUCT<port STRING, gates ARRAY<STRUCT<no INT64>>>);\n",
    "ports": "CREATE VIEW ferry.ports AS SELECT t.stop.port, t.stop FROM ferry.trips AS t;\n",
    "gates": "DECLARE port STRING;\nSELECT g.no, p.port FROM ferry.ports AS p, UNNEST(p.stop.gates) AS g;\n",
    "broken": "SELECT FROM WHERE;\nSELECT nothing.here FROM ferry.ports;\n",
    "tags": "SELECT {{ cols }}, port FROM {{ ref('ports') }};",
    "again": "CREATE TABLE ferry.crew (id INT64);\nALTER TABLE ferry.crew ADD COLUMN no INT64;\nTABLE ferry.crew;",
    "body": "CREATE PROCEDURE ferry.f(d DATE) BEGIN DECLARE n INT64; SELECT t.id, n, d FROM ferry.trips AS t; END;",
    "call": "CREATE FUNCTION ferry.twice(x INT64) AS (x * 2);\nSELECT ferry.twice(id) AS d FROM ferry.trips;",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    for name, text in TEXTS.items():
        write(made, name, text)
    return made


def write(folder: Path, name: str, text: str) -> None:
    path = folder / f"{name}.sql"
    path.write_text(text)
    # As old as files are that nobody has touched since the last start.
    os.utime(path, (1_000_000, 1_000_000 + zlib.crc32(text.encode()) % 1_000_000))


def started(folder: Path, kept: Store | None, **opened: str) -> Engine:
    engine = Engine(store=kept)
    engine.configure([Folder(uri_from_path(folder), folder, Settings(dialect="bigquery"))])
    for name, text in opened.items():
        engine.open(uri_from_path(folder / f"{name}.sql"), text, 1)
    engine.rescan()
    engine.finish()
    return engine


def facts(snapshot: Snapshot) -> list[object]:
    """Everything that features can learn."""
    found: list[object] = [snapshot.ready, snapshot.complete]
    relations: set[str] = set()
    for document in snapshot.documents():
        found.append((document.uri, document.text, document.dialect.name, document.open))
        for one in document.statements:
            lineage = one.lineage
            found.append((one.start, one.end, one.model, lineage, snapshot.occurrences(document, one)))
            relations.update(name for name, _, _ in lineage.relations)
    for relation in sorted(relations):
        found.append((relation, snapshot.relation(relation), snapshot.uses(Node(relation, ()))))
    return found


def state_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.state"))


# ---------------------------------------------------------------- the next start


def test_the_next_start_knows_everything_without_parsing_or_binding(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    first = started(folder, kept)
    assert (kept.outcome, len(state_files(tmp_path / "cache"))) == ("empty", 1)
    second = started(folder, kept)
    assert kept.outcome == "read"
    assert (second.parsed, second.bound) == (0, 0)
    assert facts(second.snapshot) == facts(first.snapshot) == facts(started(folder, None).snapshot)


def test_only_what_has_changed_since_is_looked_at_again(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    started(folder, kept)
    write(folder, "gates", TEXTS["gates"] + "SELECT id FROM ferry.trips;")
    write(folder, "new", "SELECT port FROM ferry.ports;")
    (folder / "broken.sql").unlink()
    engine = started(folder, kept)
    assert (engine.parsed, engine.bound) == (2, 2)
    assert facts(engine.snapshot) == facts(started(folder, None).snapshot)


def test_a_changed_declaration_reaches_those_that_read_it(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    started(folder, kept)
    write(folder, "ddl", TEXTS["ddl"].replace("port STRING", "harbour STRING"))
    engine = started(folder, kept)
    assert facts(engine.snapshot) == facts(started(folder, None).snapshot)
    assert engine.bound < started(folder, None).bound


def test_a_file_with_another_time_and_the_same_text_is_the_same(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    started(folder, kept)
    for path in folder.iterdir():
        os.utime(path)
    engine = started(folder, kept)
    assert (engine.parsed, engine.bound) == (0, 0)


def test_a_file_that_changed_within_its_time_and_size(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    path = folder / "fresh.sql"
    path.write_text("SELECT id FROM ferry.trips;")
    stamp = path.stat()
    started(folder, kept)
    path.write_text("SELECT no FROM ferry.trips;")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert facts(started(folder, kept).snapshot) == facts(started(folder, None).snapshot)


def test_what_is_open_beats_what_was_kept(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    unsaved = TEXTS["ddl"].replace("id INT64", "id INT64, day DATE")
    started(folder, kept, ddl=unsaved, again=TEXTS["again"])
    for opened in ({}, {"gates": TEXTS["gates"]}, {"ddl": unsaved}, {"gates": "SELECT id FROM ferry.trips;"}):
        assert facts(started(folder, kept, **opened).snapshot) == facts(started(folder, None, **opened).snapshot)


def test_an_open_file_as_it_was_costs_itself_alone(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    started(folder, kept)
    engine = started(folder, kept, ports=TEXTS["ports"])
    # It is bound before the catalog is there, and then under it.
    assert engine.parsed == 1
    assert engine.bound == 2


def test_half_typed_text_is_not_kept(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    engine = Engine(store=kept)
    engine.configure([Folder(uri_from_path(folder), folder, Settings(dialect="bigquery"))])
    uri = uri_from_path(folder / "ports.sql")
    engine.open(uri, TEXTS["ports"], 1)
    engine.finish()
    engine.open(uri, TEXTS["ports"].replace("t.stop.port", "t.stop."), 2)
    engine.rescan()
    document = engine.finish().document(uri)
    assert document is not None
    assert document.statements[0].stale
    assert state_files(tmp_path / "cache") == []


def test_settings_that_change_the_analysis_have_a_state_of_their_own(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    for dialect, severities in (("bigquery", {}), ("spark", {}), ("bigquery", {"orphan-column": "off"})):
        engine = Engine(store=kept)
        given_settings = Settings(dialect=dialect, severities=severities)
        engine.configure([Folder(uri_from_path(folder), folder, given_settings)])
        engine.rescan()
        found = {document.dialect.name for document in engine.finish().documents()}
        assert found == {dialect}
    assert len(state_files(tmp_path / "cache")) == 2
    assert engine.parsed == 0


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(TEXTS)), st.sampled_from((*TEXTS.values(), "", ";", "-- x\n"))),
                max_size=4), st.booleans())
def test_kept_and_changed_equals_rebuilt(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, str]], opened: bool
) -> None:
    base = tmp_path_factory.mktemp("kept")
    folder = base / "work"
    folder.mkdir()
    for name, text in TEXTS.items():
        write(folder, name, text)
    kept = Store(base / "cache")
    started(folder, kept)
    for name, text in changes:
        write(folder, name, text)
    documents = {name: text for name, text in changes[:1]} if opened else {}
    assert facts(started(folder, kept, **documents).snapshot) == facts(started(folder, None, **documents).snapshot)
    assert facts(started(folder, kept).snapshot) == facts(started(folder, None).snapshot)
    shutil.rmtree(base)


# ---------------------------------------------------------------- files that cannot be believed


def test_a_damaged_state_is_made_anew(folder: Path, tmp_path: Path) -> None:
    kept = Store(tmp_path / "cache")
    expected = facts(started(folder, kept).snapshot)
    (path,) = state_files(tmp_path / "cache")
    whole = path.read_bytes()
    chance = random.Random(3)
    damages: list[Callable[[bytes], bytes]] = [
        lambda data: data[: chance.randrange(len(data))],
        lambda data: data + b"x",
        lambda data: b"",
        lambda data: b"\0" * len(data),
    ]
    for _ in range(12):
        at = chance.randrange(len(whole))
        damages.append(lambda data, at=at: data[:at] + bytes([data[at] ^ (1 + chance.randrange(255))]) + data[at + 1 :])
    for damage in damages:
        path.write_bytes(damage(whole))
        engine = started(folder, kept)
        assert kept.outcome not in ("read", "empty")
        assert facts(engine.snapshot) == expected
        assert path.read_bytes() == whole


def test_bytes_with_a_right_checksum_and_wrong_records_are_no_state() -> None:
    for body in (b"\1\0\0\0\xc1", b"\1\0\0\0\x90\1\0\0\0\x90", b"\xff\xff\xff\xff", b"\1"):
        head = saved_state._MAGIC + saved_state.program_digest()
        digest = saved_state.blake2b(body, digest_size=16).digest()
        assert str(saved_state.decode_state(head + digest + body)).startswith("it is damaged")


def test_a_state_of_another_version_is_made_anew(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path / "cache")
    with monkeypatch.context() as patched:
        patched.setattr(saved_state, "program_digest", lambda: b"another program!")
        started(folder, kept)
    engine = started(folder, kept)
    assert kept.outcome == "another version wrote it"
    assert engine.parsed > 0
    assert started(folder, kept).parsed == 0


# ---------------------------------------------------------------- folders that cannot be used


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything may be written by root")
def test_a_folder_that_must_not_be_written(folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    kept = Store(tmp_path / "cache" / "below")
    assert started(folder, kept).snapshot.complete
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1


@pytest.mark.parametrize("call", ["mkstemp", "replace", "mkdir", "read"])
def test_a_full_disk_or_a_read_only_folder_is_said_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, call: str
) -> None:
    kept = Store(tmp_path / "cache")
    if call == "read":
        started(folder, kept)

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    owner = {"mkstemp": store.tempfile, "replace": store.os, "mkdir": Path, "read": Path}[call]
    with monkeypatch.context() as patched:
        patched.setattr(owner, "read_bytes" if call == "read" else call, fails)
        if call == "read":
            assert kept.load(engine_circumstances(folder)) is None
            assert kept.load(engine_circumstances(folder)) is None
        else:
            for text in ("SELECT 1", "SELECT 2"):
                write(folder, "more", text)
                assert started(folder, kept).snapshot.complete
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1
    assert not list((tmp_path / "cache").glob("*.tmp"))


def engine_circumstances(folder: Path) -> store.Circumstances:
    return store.Circumstances([Folder(uri_from_path(folder), folder, Settings(dialect="bigquery"))])


def test_a_file_where_the_folder_should_be(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    assert started(folder, Store(tmp_path / "cache")).snapshot.complete


# ---------------------------------------------------------------- several


def test_the_folder_stays_within_its_size(tmp_path: Path) -> None:
    sizes = []
    for at in range(6):
        folder = tmp_path / f"work{at}"
        folder.mkdir()
        write(folder, "a", TEXTS["ddl"] + TEXTS["ports"])
        started(folder, Store(tmp_path / "cache", most_bytes=3 * (sizes[0] if sizes else 1 << 20)))
        found = state_files(tmp_path / "cache")
        sizes.append(max(path.stat().st_size for path in found))
        os.utime(max(found, key=lambda path: path.stat().st_mtime_ns), (at + 1, at + 1))
    assert 2 <= len(state_files(tmp_path / "cache")) <= 3
    # A workspace that is larger than the folder may be is analysed and not kept.
    small = Store(tmp_path / "small", most_bytes=10)
    assert started(folder, small).snapshot.complete
    assert state_files(tmp_path / "small") == []


def test_files_that_another_process_takes_away_meanwhile(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "new-other.tmp").write_bytes(b"half")
    scan = os.scandir

    def taken_away_meanwhile(path: Path) -> Any:
        if Path(path) != cache:
            return scan(path)
        found = list(scan(path))
        for entry in found:
            os.unlink(entry.path)
        return found

    monkeypatch.setattr(store.os, "scandir", taken_away_meanwhile)
    started(folder, Store(cache))
    monkeypatch.undo()
    assert len(state_files(cache)) == 1


PROGRAM = """
import sys
from pathlib import Path
from tests.unit.workspace.test_store import facts, started
from sql_lineage_ls.workspace.store import Store
folder, cache = Path(sys.argv[1]), Path(sys.argv[2])
expected = facts(started(folder, None).snapshot)
for _ in range(6):
    kept = Store(cache)
    engine = started(folder, kept)
    assert facts(engine.snapshot) == expected
    assert kept.outcome in ("read", "empty"), kept.outcome
    engine._unsaved = 1_000
    engine.finish()
"""


def test_two_processes_share_the_folder(folder: Path, tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", PROGRAM, str(folder), str(tmp_path / "cache")]
    running = [subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
    assert len(state_files(tmp_path / "cache")) == 1
    assert not list((tmp_path / "cache").glob("*.tmp"))
