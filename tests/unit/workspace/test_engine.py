from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sql_lineage_ls.lineage.kept import KeptLineage
from sql_lineage_ls.lineage.model import Node, StatementLineage
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot
from sql_lineage_ls.workspace.uris import uri_from_path

DDL = "CREATE TABLE mill.sacks (id INT64, owner STRUCT<name STRING, town STRING>);\n"
VIEW = "CREATE VIEW mill.owners AS SELECT s.id, s.owner.town AS town FROM mill.sacks AS s;\n"
QUERY = "SELECT o.town FROM mill.owners AS o;\n"


def started(**texts: str) -> Engine:
    """An engine with open documents of these texts, in BigQuery's dialect, all analysed."""
    engine = Engine()
    engine.configure((), Settings(dialect="bigquery"))
    for uri, text in texts.items():
        engine.open(uri, text, 1)
    engine.rescan()
    engine.finish()
    return engine


def on_disk(folder: Path, **texts: str) -> Engine:
    for name, text in texts.items():
        (folder / f"{name}.sql").write_text(text, newline="")
    engine = Engine()
    engine.configure((Folder(uri_from_path(folder), folder, Settings(dialect="bigquery")),))
    engine.rescan()
    engine.finish()
    return engine


def lineage(snapshot: Snapshot, uri: str, at: int = 0) -> StatementLineage:
    return view(snapshot, uri).statements[at].lineage


def view(snapshot: Snapshot, uri: str) -> DocumentView:
    document = snapshot.document(uri)
    assert document is not None
    return document


def sources(found: StatementLineage) -> list[str]:
    return [".".join(source.path) for edge in found.edges for source in edge.direct]


def sacks(*path: str) -> Node:
    return Node("bigquery\x1fmill\x1fsacks", path)


# ---------------------------------------------------------------- documents


def test_a_workspace_of_open_documents() -> None:
    engine = started(ddl=DDL, view=VIEW, query=QUERY)
    snapshot = engine.snapshot
    assert (snapshot.ready, snapshot.complete) == (True, True)
    assert [document.uri for document in snapshot.documents()] == ["ddl", "query", "view"]
    assert snapshot.upstream(Node("bigquery\x1fmill\x1fowners", ("town",))) == (sacks("owner", "town"),)
    declared = snapshot.declaration(sacks("owner", "town"))
    assert declared is not None
    assert (declared.uri, DDL[declared.start : declared.end]) == ("ddl", "town")


def test_an_unsaved_edit_of_the_ddl_changes_the_lineage_in_another_document() -> None:
    engine = started(ddl=DDL, star="SELECT * FROM mill.sacks;")
    assert sources(lineage(engine.snapshot, "star")) == ["id", "owner"]
    engine.open("ddl", DDL.replace("id INT64", "id INT64, weight INT64"), 2)
    snapshot = engine.finish()
    assert sources(lineage(snapshot, "star")) == ["id", "weight", "owner"]
    assert view(snapshot, "ddl").version == 2


def test_only_the_statement_that_changed_is_parsed_and_bound() -> None:
    script = "".join(f"SELECT s.id AS k{at} FROM mill.sacks AS s;\n" for at in range(50))
    engine = started(ddl=DDL, view=VIEW, script=script)
    parsed, bound = engine.parsed, engine.bound
    engine.open("script", script.replace("k25", "kk"), 2)
    engine.finish()
    assert (engine.parsed - parsed, engine.bound - bound) == (1, 1)


def test_text_above_a_statement_moves_it_without_parsing_it() -> None:
    engine = started(script=QUERY + VIEW)
    parsed, bound = engine.parsed, engine.bound
    engine.open("script", "-- a remark\n\n" + QUERY + VIEW, 2)
    snapshot = engine.finish()
    assert (engine.parsed - parsed, engine.bound - bound) == (0, 0)
    first = view(snapshot, "script").statements[0]
    assert view(snapshot, "script").text[first.start : first.end] == QUERY.strip().rstrip(";")


def test_a_comment_behind_the_ddl_binds_nothing_else() -> None:
    engine = started(ddl=DDL, view=VIEW, query=QUERY)
    bound = engine.bound
    engine.open("ddl", DDL.replace(";", " /* all of them */;") + "-- the end\n", 2)
    snapshot = engine.finish()
    # The DDL statement itself is another text.
    assert engine.bound - bound <= 1
    declared = snapshot.declaration(sacks("owner", "town"))
    assert declared is not None
    assert view(snapshot, "ddl").text[declared.start : declared.end] == "town"


def test_an_edit_that_leaves_a_views_columns_alone_concerns_no_other_document(tmp_path: Path) -> None:
    engine = on_disk(tmp_path, ddl=DDL, view=VIEW, query=QUERY)
    uri = uri_from_path(tmp_path / "view.sql")
    engine.open(uri, VIEW, 1)
    engine.finish()
    engine.open(uri, VIEW.replace(";", " WHERE s.id > 1;"), 2)
    while engine.urgent:
        engine.step()
    assert engine.settled
    engine.open(uri, VIEW.replace("AS town", "AS place"), 3)
    while engine.urgent:
        engine.step()
    assert not engine.settled


def test_an_index_revision_stays_where_nothing_was_gained_or_lost() -> None:
    engine = started(ddl=DDL, query=QUERY)
    before = engine.snapshot
    engine.open("query", "\n" + QUERY, 2)
    after = engine.finish()
    assert after.revision > before.revision
    assert after.index_revision == before.index_revision


def test_closing_falls_back_to_the_disk(tmp_path: Path) -> None:
    engine = on_disk(tmp_path, ddl=DDL, star="SELECT * FROM mill.sacks;")
    ddl, star = uri_from_path(tmp_path / "ddl.sql"), uri_from_path(tmp_path / "star.sql")
    engine.open(ddl, DDL.replace("id INT64, ", ""), 1)
    assert sources(lineage(engine.finish(), star)) == ["owner"]
    engine.close(ddl)
    snapshot = engine.finish()
    assert sources(lineage(snapshot, star)) == ["id", "owner"]
    assert (view(snapshot, ddl).open, view(snapshot, ddl).version) == (False, None)


def test_closing_a_document_that_is_nowhere_else_removes_it() -> None:
    engine = started(**{"untitled:Untitled-1": DDL, "query": "SELECT * FROM mill.sacks;"})
    engine.close("untitled:Untitled-1")
    snapshot = engine.finish()
    assert snapshot.document("untitled:Untitled-1") is None
    assert lineage(snapshot, "query").open


def test_closing_what_was_never_opened_does_nothing(tmp_path: Path) -> None:
    engine = on_disk(tmp_path, ddl=DDL)
    engine.close(uri_from_path(tmp_path / "ddl.sql"))
    assert engine.settled


def test_files_are_created_changed_and_deleted_outside(tmp_path: Path) -> None:
    engine = on_disk(tmp_path, star="SELECT * FROM mill.sacks;")
    star, ddl = uri_from_path(tmp_path / "star.sql"), tmp_path / "ddl.sql"
    assert lineage(engine.snapshot, star).open

    ddl.write_text(DDL)
    engine.rescan()
    assert sources(lineage(engine.finish(), star)) == ["id", "owner"]

    ddl.write_text(DDL.replace("id INT64, ", ""))
    engine.rescan()
    assert sources(lineage(engine.finish(), star)) == ["owner"]

    ddl.unlink()
    engine.rescan()
    snapshot = engine.finish()
    assert lineage(snapshot, star).open
    assert snapshot.document(uri_from_path(ddl)) is None


def test_a_file_that_vanishes_before_it_is_read(tmp_path: Path) -> None:
    engine = on_disk(tmp_path, ddl=DDL, star="SELECT * FROM mill.sacks;")
    ddl, star = uri_from_path(tmp_path / "ddl.sql"), uri_from_path(tmp_path / "star.sql")
    engine.rescan([ddl])
    while not engine.waiting_files:
        engine.step()
    (tmp_path / "ddl.sql").unlink()
    snapshot = engine.finish()
    assert snapshot.document(ddl) is None
    assert lineage(snapshot, star).open


def test_what_a_file_was_never_comes_after_the_editors_text(tmp_path: Path) -> None:
    engine = on_disk(tmp_path)
    (tmp_path / "a.sql").write_text("SELECT 1; SELECT 2; SELECT 3;")
    engine.rescan()
    while engine.waiting_files != 1:
        engine.step()
    engine.step()
    uri = uri_from_path(tmp_path / "a.sql")
    engine.open(uri, "SELECT 4;", 1)
    document = view(engine.finish(), uri)
    assert (document.text, document.open, len(document.statements)) == ("SELECT 4;", True, 1)


def test_a_rescan_of_an_unchanged_folder_does_nothing(tmp_path: Path) -> None:
    engine = on_disk(tmp_path, ddl=DDL)
    before = engine.snapshot
    engine.rescan()
    assert engine.finish() is before


def test_a_changed_file_is_read_again_whatever_its_stamp(tmp_path: Path) -> None:
    engine = on_disk(tmp_path, ddl=DDL)
    revision = engine.snapshot.revision
    engine.rescan([uri_from_path(tmp_path / "ddl.sql")])
    assert engine.finish().revision > revision


def test_nothing_is_concluded_before_the_workspace_was_read(tmp_path: Path) -> None:
    for at in range(3):
        (tmp_path / f"{at}.sql").write_text(DDL)
    engine = Engine()
    engine.configure((Folder(uri_from_path(tmp_path), tmp_path),))
    engine.open("query", QUERY, 1)
    engine.finish()
    assert not engine.snapshot.ready
    engine.rescan()
    while not engine.waiting_files:
        engine.step()
    while engine.waiting_files:
        assert not engine.snapshot.ready
        engine.step()
    assert engine.finish().ready


def test_open_documents_come_before_the_rest_of_the_workspace(tmp_path: Path) -> None:
    for at in range(20):
        (tmp_path / f"{at}.sql").write_text(DDL + QUERY)
    engine = Engine()
    engine.configure((Folder(uri_from_path(tmp_path), tmp_path),))
    engine.rescan()
    while not engine.waiting_files:
        engine.step()
    engine.open("query", QUERY, 1)
    while engine.urgent:
        engine.step()
    assert engine.snapshot.document("query") is not None
    assert engine.waiting_files >= 18


def test_the_newest_text_wins_over_one_that_is_still_being_parsed() -> None:
    engine = started(script="SELECT 1;")
    engine.open("script", "SELECT 2; SELECT 3; SELECT 4;", 2)
    engine.step()
    engine.open("script", "SELECT 5;", 3)
    snapshot = engine.finish()
    assert (view(snapshot, "script").text, view(snapshot, "script").version) == ("SELECT 5;", 3)
    assert len(view(snapshot, "script").statements) == 1


# ---------------------------------------------------------------- half-typed statements


def test_a_half_typed_statement_keeps_its_last_good_lineage_at_the_right_places() -> None:
    engine = started(ddl=DDL, query="SELECT s.id, s.owner.town FROM mill.sacks AS s WHERE s.id > 1")
    broken = "SELECT s.id, s. FROM mill.sacks AS s WHERE s.id > 1"
    engine.open("query", broken, 2)
    statement = view(engine.finish(), "query").statements[0]
    assert statement.stale
    assert statement.model.issues
    assert sources(statement.lineage) == ["id", "owner.town"]
    for read in statement.lineage.reads:
        assert read.path[-1:] == () or broken[read.start : read.end] == read.path[-1]
    for occurrence in statement.lineage.occurrences:
        assert broken[occurrence.start : occurrence.end] in occurrence.name.split(".")
    engine.open("query", "SELECT s.id, s.owner FROM mill.sacks AS s WHERE s.id > 1", 3)
    repaired = view(engine.finish(), "query").statements[0]
    assert not repaired.stale
    assert sources(repaired.lineage) == ["id", "owner"]


def test_a_half_typed_declaration_keeps_what_it_declares() -> None:
    engine = started(ddl=DDL, star="SELECT * FROM mill.sacks;")
    broken = DDL.replace("name STRING,", "name STRING, plot")
    engine.open("ddl", broken, 2)
    snapshot = engine.finish()
    assert sources(lineage(snapshot, "star")) == ["id", "owner"]
    declared = snapshot.declaration(sacks("owner", "name"))
    assert declared is not None
    assert broken[declared.start : declared.end] == "name"


def test_a_statement_that_was_replaced_is_not_half_typed() -> None:
    engine = started(query="SELECT s.id, s.owner.town FROM mill.sacks AS s")
    engine.open("query", "SELEC )", 2)
    assert not view(engine.finish(), "query").statements[0].stale


def test_statements_around_a_broken_one_are_analysed() -> None:
    engine = started(ddl=DDL, script="SELECT id FROM mill.sacks;\nSELECT FROM WHERE;\nSELECT owner FROM mill.sacks;")
    document = view(engine.snapshot, "script")
    assert [sources(statement.lineage) for statement in (document.statements[0], document.statements[2])] == [
        ["id"],
        ["owner"],
    ]


def test_views_that_read_each_other_end() -> None:
    engine = started(
        a="CREATE VIEW mill.a AS SELECT b.x, b.r FROM mill.b AS b;",
        b="CREATE VIEW mill.b AS SELECT a.x, a.r FROM mill.a AS a;",
    )
    node = Node("bigquery\x1fmill\x1fa", ("x",))
    assert engine.snapshot.upstream(node) == (Node("bigquery\x1fmill\x1fb", ("x",)),)
    assert [use.span.uri for use in engine.snapshot.uses(Node("bigquery\x1fmill\x1fa", ("r", "f")))] == ["a", "b"]


def test_who_asks_by_half_of_a_name_decides_nothing_for_others() -> None:
    whole = "SELECT o.town FROM mill.owners AS o;"
    for half in ("a", "z"):
        engine = started(**{"ddl": DDL, "view": VIEW, half: "SELECT o.town FROM owners AS o;", "query": whole})
        (dependency,) = lineage(engine.snapshot, "query").dependencies
        assert not dependency.fingerprint.endswith("?")


# ---------------------------------------------------------------- settings


def test_the_dialect_of_a_document(tmp_path: Path) -> None:
    (tmp_path / "etl").mkdir()
    for name, text in {
        "etl/glob.sql": "-- dialect: trino\nSELECT 1",
        "header.sql": "-- dialect: trino\nSELECT 1",
        "plain.sql": "SELECT 1",
        "odd.sql": "-- dialect: nonsense\nSELECT 1",
        "old.hql": "SELECT 1",
    }.items():
        (tmp_path / name).write_text(text)
    folder = Folder(uri_from_path(tmp_path), tmp_path, Settings(dialect="postgres", dialects={"etl/*.sql": "spark"}))
    engine = Engine()
    engine.configure((folder,))
    engine.rescan()
    found = {document.uri.rsplit("/", 1)[-1]: document.dialect.name for document in engine.finish().documents()}
    assert found == {
        "glob.sql": "spark",
        "header.sql": "trino",
        "plain.sql": "postgres",
        "odd.sql": "postgres",
        "old.hql": "postgres",
    }
    (notice,) = engine.take_notices()
    assert "odd.sql" in notice
    assert "'nonsense'" in notice
    assert engine.take_notices() == ()

    engine.configure((Folder(folder.uri, tmp_path, Settings()),))
    found = {document.uri.rsplit("/", 1)[-1]: document.dialect.name for document in engine.finish().documents()}
    assert (found["plain.sql"], found["old.hql"]) == ("ansi", "hive")


def test_names_are_looked_up_in_the_schema_of_the_settings_and_of_use() -> None:
    engine = Engine()
    engine.configure((), Settings(dialect="spark", schema="mill"))
    engine.open("ddl", "CREATE TABLE mill.sacks (id INT);\nCREATE TABLE yard.sacks (no INT);")
    engine.open("query", "SELECT * FROM sacks;\nUSE yard;\nSELECT * FROM sacks;")
    engine.rescan()
    snapshot = engine.finish()
    assert sources(lineage(snapshot, "query", 0)) == ["id"]
    assert sources(lineage(snapshot, "query", 2)) == ["no"]


def test_files_and_documents_above_the_size_limit_are_left_out_and_named_once(tmp_path: Path) -> None:
    (tmp_path / "big.sql").write_text("SELECT 1" + " " * 100)
    engine = Engine()
    engine.configure((Folder(uri_from_path(tmp_path), tmp_path, Settings(max_file_size=50)),))
    engine.rescan()
    engine.finish()
    engine.rescan()
    uri = uri_from_path(tmp_path / "big.sql")
    assert engine.finish().document(uri) is None
    assert len(engine.take_notices()) == 1
    engine.open(uri, "SELECT 1" + " " * 100)
    assert view(engine.finish(), uri).statements == ()


def test_the_innermost_folder_decides(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.sql").write_text("SELECT 1")
    engine = Engine()
    engine.configure(
        (
            Folder(uri_from_path(tmp_path), tmp_path, Settings(dialect="spark")),
            Folder(uri_from_path(inner), inner, Settings(dialect="trino")),
        )
    )
    engine.rescan()
    (document,) = engine.finish().documents()
    assert document.dialect.name == "trino"


def test_a_failing_analysis_of_one_statement_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from sql_lineage_ls.lineage.analysis import Analysis

    real = Analysis.kept

    def failing(self: Analysis, uri: str, index: int) -> KeptLineage:
        if index == 1:
            raise RuntimeError("broken")
        return real(self, uri, index)

    monkeypatch.setattr(Analysis, "kept", failing)
    engine = started(ddl=DDL, script="SELECT id FROM mill.sacks;\nSELECT 1;\nSELECT owner FROM mill.sacks;")
    document = view(engine.snapshot, "script")
    assert [statement.lineage.kind == "failed" for statement in document.statements] == [False, True, False]
    assert sources(document.statements[2].lineage) == ["owner"]
    engine.open("script", "SELECT id FROM mill.sacks;\nSELECT 2;", 2)
    engine.finish()
    # The fault is told in full once, however often it comes.
    assert len(caplog.records) > 1
    assert [record.exc_info is not None for record in caplog.records].count(True) == 1


# ---------------------------------------------------------------- incremental equals rebuilt

PIECES = (
    "CREATE TABLE mill.sacks (id INT64, owner STRUCT<name STRING, town STRING>);",
    "CREATE TABLE mill.sacks (id INT64, owner STRUCT<name STRING>, weight INT64);",
    "CREATE TABLE mill.loads (sack INT64, parts ARRAY<STRUCT<kind STRING, kilos INT64>>);",
    "CREATE VIEW mill.owners AS SELECT s.id, s.owner, s.owner.town AS town FROM mill.sacks AS s;",
    "CREATE VIEW mill.owners AS SELECT * FROM mill.sacks;",
    "CREATE VIEW mill.towns AS SELECT o.owner.town AS town, o.* FROM mill.owners AS o;",
    "CREATE TABLE mill.kept AS SELECT t.town, p.kilos FROM mill.towns t, mill.loads l, UNNEST(l.parts) p;",
    "ALTER TABLE mill.sacks ADD COLUMN mark STRING;",
    "DROP TABLE mill.loads;",
    "SELECT * FROM mill.kept;",
    "SELECT k.town, o.owner.name FROM mill.kept k JOIN mill.owners o ON k.town = o.town;",
    "INSERT INTO mill.sacks (id, weight) SELECT sack, 1 FROM mill.loads;",
    "SELECT id FROM mill.sacks WHERE owner.town = 'x';",
    "-- a remark\n",
    "",
)
DOCUMENTS = ("a", "b", "c")


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES), max_size=5).map("\n".join)


@settings(max_examples=40, deadline=None)
@given(
    st.fixed_dictionaries({uri: texts() for uri in DOCUMENTS}),
    st.lists(st.tuples(st.sampled_from(DOCUMENTS), st.one_of(st.none(), texts())), max_size=8),
    st.randoms(use_true_random=False),
)
def test_incremental_equals_rebuilt(
    first: dict[str, str], edits: list[tuple[str, str | None]], chance: random.Random
) -> None:
    engine = started(**first)
    now: dict[str, str] = dict(first)
    for version, (uri, text) in enumerate(edits, start=2):
        if text is None:
            engine.close(uri)
            now.pop(uri, None)
        else:
            engine.open(uri, text, version)
            now[uri] = text
        for _ in range(chance.choice((0, 1, 3, 1000))):
            engine.step()
    assert contents(engine.finish()) == contents(started(**now).snapshot)


def contents(snapshot: Snapshot) -> list[object]:
    """Everything that features can learn from a snapshot, apart from versions."""
    found: list[object] = []
    relations = {
        relation
        for document in snapshot.documents()
        for statement in document.statements
        for relation, _, _ in statement.lineage.relations
    }
    for document in snapshot.documents():
        found.append((document.uri, document.text, document.dialect.name))
        found += [(one.start, one.end, one.model, one.lineage, one.stale) for one in document.statements]
    for relation_id in sorted(relations):
        relation = snapshot.relation(relation_id)
        found.append((relation_id, relation))
        nodes = [Node(relation_id, ())]
        if relation is not None:
            nodes += [Node(relation_id, (column.name,)) for column in relation.columns]
        for node in nodes:
            found.append((node, snapshot.uses(node), snapshot.upstream(node), snapshot.downstream(node)))
            found.append(snapshot.declaration(node))
    return found


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_typing_character_by_character_ends_like_opening(data: st.DataObject) -> None:
    before = data.draw(st.sampled_from(PIECES[:13]))
    after = data.draw(st.sampled_from(PIECES[:13]))
    engine = started(ddl=PIECES[0], other=PIECES[3], script=before + "\n" + PIECES[9])
    for version, text in enumerate(_typed(before, after), start=2):
        engine.open("script", text + "\n" + PIECES[9], version)
        engine.finish()
    rebuilt = started(ddl=PIECES[0], other=PIECES[3], script=after + "\n" + PIECES[9])
    assert contents(engine.snapshot) == contents(rebuilt.snapshot)


def _typed(before: str, after: str) -> Iterator[str]:
    """A statement deleted from its end and another typed in its place, a few keys at a time."""
    for length in range(len(before), 0, -7):
        yield before[:length]
    for length in range(1, len(after), 7):
        yield after[:length]
    yield after
