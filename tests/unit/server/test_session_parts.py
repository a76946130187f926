from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from sql_lineage_ls.server.client import read_client
from sql_lineage_ls.server.documents import Documents
from sql_lineage_ls.server.settings import FolderSettings, section_of
from sql_lineage_ls.server.spelling import Spelling
from sql_lineage_ls.text.line_index import Encoding, LineIndex
from sql_lineage_ls.workspace.uris import uri_from_path

TEXT = st.text(st.sampled_from("ab\n\r\u2028\x0cé🚢\u0085"), max_size=20)


@given(TEXT, st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25), TEXT), max_size=5), st.sampled_from(
    ("utf-8", "utf-16", "utf-32")
))  # fmt: skip
def test_edits_keep_the_text_in_step(text: str, edits: list[tuple[int, int, str]], encoding: Encoding) -> None:
    documents = Documents()
    documents.open("u", text, 1, 0.0)
    changes: list[types.TextDocumentContentChangeEvent] = []
    expected = text
    for one, other, new in edits:
        lines = LineIndex(expected)
        # Positions inside of a line end do not exist in the protocol: take those that the line index gives.
        first, last = (types.Position(*lines.position(at, encoding)) for at in sorted((one, other)))
        start = lines.offset(first.line, first.character, encoding)
        end = lines.offset(last.line, last.character, encoding)
        changes.append(types.TextDocumentContentChangePartial(types.Range(first, last), new))
        expected = expected[:start] + new + expected[end:]
    changed = documents.change("u", changes, 2, encoding, 1.0)
    assert changed is not None
    assert (changed.text, changed.version, changed.changed_at) == (expected, 2, 1.0)


def test_a_whole_text_replaces_what_was_there() -> None:
    documents = Documents()
    documents.open("u", "old", 1, 0.0)
    changed = documents.change("u", [types.TextDocumentContentChangeWholeDocument("new")], 2, "utf-16", 0.0)
    assert changed is not None
    assert changed.text == "new"


def test_an_edit_of_what_is_not_open_is_ignored() -> None:
    documents = Documents()
    assert documents.change("u", [types.TextDocumentContentChangeWholeDocument("x")], 2, "utf-16", 0.0) is None
    documents.close("u")
    assert list(documents) == []


def test_answers_are_spelled_as_the_client_spells() -> None:
    spelling = Spelling()
    assert spelling.remember("file:///c%3A/w/a.sql") == "file:///C:/w/a.sql"
    assert spelling.remember_folder("file:///c%3A/w/") == "file:///C:/w"
    assert spelling.of("file:///C:/w/a.sql") == "file:///c%3A/w/a.sql"
    assert spelling.of("file:///C:/w/sub/b.sql") == "file:///c%3A/w/sub/b.sql"
    assert spelling.of("file:///C:/other/b.sql") == "file:///C:/other/b.sql"
    assert spelling.of("untitled:Untitled-1") == "untitled:Untitled-1"
    spelling.forget_folder("file:///C:/w")
    assert spelling.of("file:///C:/w/sub/b.sql") == "file:///C:/w/sub/b.sql"


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [(None, "utf-16"), ([], "utf-16"), (["utf-7"], "utf-16"), (["utf-32", "utf-8"], "utf-32"), (["utf-8"], "utf-8")],
)
def test_the_encoding_of_positions(offered: list[str] | None, chosen: str) -> None:
    general = types.GeneralClientCapabilities(position_encodings=offered)
    assert read_client(types.ClientCapabilities(general=general)).encoding == chosen


def test_a_client_that_says_nothing_can_do_nothing() -> None:
    client = read_client(types.ClientCapabilities())
    flags = [name for name in client.__struct_fields__ if name != "encoding"]
    assert [name for name in flags if getattr(client, name)] == []


def test_editor_settings_over_files_and_defaults_under_them(tmp_path: Path) -> None:
    (tmp_path / "sql-lineage.toml").write_text('schema = "file"\ncatalog = "file"\ndiagnostics = false\n')
    settings = FolderSettings()
    uri = uri_from_path(tmp_path)
    settings.add(uri)
    settings.add(uri)
    # VS Code sends the default of every setting that was left alone.
    editor = {"schema": "editor", "catalog": "", "diagnostics": True, "serverPath": "x", "trace": {"server": "off"}}
    settings.configure(editor, {uri: {"dialect": "trino"}})
    settings.reload()
    (folder,) = settings.folders
    found = folder.settings
    assert (found.schema, found.catalog, found.diagnostics, found.dialect) == ("editor", "file", False, "trino")
    assert settings.default.schema == "editor"
    assert settings.problems == ()
    settings.remove(uri)
    settings.reload()
    assert settings.folders == ()


def test_a_problem_of_the_editors_settings_is_named_once(tmp_path: Path) -> None:
    settings = FolderSettings()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        settings.add(uri_from_path(tmp_path / name))
    settings.configure({"dialect": "klingon"}, {uri: {"dialect": "klingon"} for uri in settings.uris})
    settings.reload()
    assert [problem.key for problem in settings.problems] == ["dialect"]
    assert settings.problems[0].source == "the editor's settings (sqlLineage)"


def test_a_section_alone_or_in_a_whole_configuration() -> None:
    assert section_of({"sqlLineage": {"schema": "s"}, "other": 1}) == {"schema": "s"}
    assert section_of({"schema": "s"}) == {"schema": "s"}
    assert section_of(None) is None
