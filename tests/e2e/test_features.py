"""Each feature through the real server, under the capabilities of VS Code (UTF-16) and Neovim (UTF-8)."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from lsprotocol import types

from tests.e2e.workspace import FILES, Document, Editor, settled, status, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

_numbers = count()


def scratch(editor: Editor, text: str) -> Document:
    """A new unsaved document in the workspace."""
    return Document.open(editor, f"untitled:Scratch-{next(_numbers)}", text)


def opened(editor: Editor, folder: Path, name: str) -> Document:
    return Document.open(editor, (folder / name).as_uri(), FILES[name])


@pytest.fixture
def vessels(editor: Editor, folder: Path) -> Document:
    return opened(editor, folder, "vessels.sql")


def spot(document: Document, word: str, after: str = "") -> tuple[str, types.Range]:
    return document.uri, document.range_of(word, after)


async def test_the_encoding_is_the_clients_first_choice(editor: Editor) -> None:
    offered = editor.capabilities.general.position_encodings if editor.capabilities.general else None  # type: ignore[union-attr]
    assert editor.encoding == (offered[0] if offered else "utf-16")


async def test_hover_names_the_source_through_a_view(editor: Editor, folder: Path, vessels: Document) -> None:
    report = scratch(editor, FILES["report.sql"])
    text = await report.hover("city")
    assert text is not None
    link = f"{(folder / 'vessels.sql').as_uri()}#L4,42"
    assert f"[`port.vessels.master.home.city`]({link})" in text
    assert "city : STRING" in text


async def test_hover_says_nothing_between_names(editor: Editor) -> None:
    assert await scratch(editor, FILES["report.sql"]).hover(" m.city") is None


async def test_hover_on_each_part_of_a_path(editor: Editor) -> None:
    query = scratch(editor, "-- dialect: bigquery\nSELECT v.master.home.city FROM port.vessels AS v;")
    for part, type_ in (("master", "STRUCT"), ("home", "STRUCT"), ("city", "STRING")):
        text = await query.hover(part)
        assert text is not None, part
        assert part in text
        assert type_ in text


async def test_definition_is_one_hop_and_declaration_the_end(editor: Editor, folder: Path, vessels: Document) -> None:
    manifest = opened(editor, folder, "manifest.sql")
    report = scratch(editor, FILES["report.sql"])
    assert await report.definition("city") == [spot(manifest, "city", "AS ")]
    assert await report.declaration("city") == [spot(vessels, "city")]
    assert await manifest.definition("tons", "h.") == [spot(vessels, "tons")]


async def test_definition_gives_the_token_that_it_came_from(editor: Editor) -> None:
    report = scratch(editor, FILES["report.sql"])
    params = types.DefinitionParams(report.identifier, report.at("city"))
    found = await editor.text_document_definition_async(params)
    assert isinstance(found, list)
    (link,) = found
    assert isinstance(link, types.LocationLink)
    assert link.origin_selection_range == report.range_of("city")


async def test_type_definition_of_a_record(editor: Editor, vessels: Document) -> None:
    query = scratch(editor, "-- dialect: bigquery\nSELECT v.master FROM port.vessels AS v;")
    params = types.TypeDefinitionParams(query.identifier, query.at("master"))
    found = await editor.text_document_type_definition_async(params)
    assert isinstance(found, list)
    assert [getattr(link, "target_uri", None) for link in found] == [vessels.uri]


async def test_the_outline_is_a_tree(editor: Editor, vessels: Document) -> None:
    found = await editor.text_document_document_symbol_async(types.DocumentSymbolParams(vessels.identifier))
    assert found is not None
    (table,) = found
    assert isinstance(table, types.DocumentSymbol)
    assert table.name == "port.vessels"
    assert [column.name for column in table.children or ()] == ["id", "master", "holds"]
    master = (table.children or ())[1]
    assert [field.name for field in master.children or ()] == ["name", "home"]
    assert table.selection_range == vessels.range_of("port.vessels")


async def test_lenses_count_the_uses_of_every_declaration(editor: Editor, vessels: Document) -> None:
    lenses = await vessels.lenses()
    titles = {
        vessels.text[slice(*_offsets(vessels, lens.range))]: lens.command.title for lens in lenses if lens.command
    }
    assert set(titles) == {"vessels", "id", "master", "name", "home", "city", "berth", "holds", "cargo", "tons"}
    assert titles["berth"] == "berth: no downstream use"
    assert titles["city"] == "city: 1 downstream use"
    (city,) = (lens for lens in lenses if lens.range == vessels.range_of("city"))
    assert city.command is not None
    assert city.command.command == "sqlLineage.showReferences"
    uri, position, places = city.command.arguments or ()
    assert uri == vessels.uri
    assert position == {"line": city.range.start.line, "character": city.range.start.character}
    (place,) = places
    assert place["uri"].endswith("/manifest.sql")


async def test_the_uses_command_gives_the_places_of_a_lens(editor: Editor, vessels: Document) -> None:
    position = vessels.at("city")
    arguments = [vessels.uri, {"line": position.line, "character": position.character}]
    params = types.ExecuteCommandParams("sqlLineage.uses", arguments)
    (place,) = await editor.workspace_execute_command_async(params)
    assert place["uri"].endswith("/manifest.sql")


async def test_diagnostics_of_a_field_that_the_ddl_refutes(editor: Editor, vessels: Document) -> None:
    query = scratch(editor, "-- dialect: bigquery\nSELECT v.master.home.citty FROM port.vessels AS v;")
    (found,) = await query.diagnostics(["undeclared-field"])
    assert found.range == query.range_of("citty")
    assert found.severity == types.DiagnosticSeverity.Error
    assert found.source == "sql-lineage"
    assert "city" in found.message
    (related,) = found.related_information or ()
    assert related.location.uri == vessels.uri
    query.replace("citty", "city")
    assert await query.diagnostics([]) == []
    assert editor.versions[query.uri][-1] == 2


async def test_diagnostics_go_when_a_document_is_closed(editor: Editor) -> None:
    query = scratch(editor, "-- dialect: bigquery\nSELECT v.nothing FROM port.vessels AS v;")
    await query.diagnostics(["undeclared-column"])
    query.close()
    assert await query.diagnostics([]) == []


async def test_a_burst_of_edits_never_shows_an_older_version_after_a_newer(editor: Editor) -> None:
    query = scratch(editor, "-- dialect: bigquery\nSELECT v.x0 FROM port.vessels AS v;")
    for number in range(30):
        query.replace(f"x{number} ", f"x{number + 1} ")
    await until(lambda: editor.versions.get(query.uri), lambda versions: bool(versions) and versions[-1] == 31)
    (found,) = await query.diagnostics(["undeclared-column"])
    assert found.range == query.range_of("x30")
    versions = [version for version in editor.versions[query.uri] if version is not None]
    assert versions == sorted(versions)


async def test_an_unsaved_edit_of_the_ddl_changes_a_hover_elsewhere(editor: Editor, vessels: Document) -> None:
    query = scratch(editor, "-- dialect: bigquery\nSELECT v.master.rank FROM port.vessels AS v;")
    await query.diagnostics(["undeclared-field"])
    vessels.replace("name STRING, ", "name STRING, rank NUMERIC, ")
    text = await query.hover("rank")
    assert text is not None
    assert "NUMERIC" in text
    assert await query.declaration("rank") == [spot(vessels, "rank")]
    assert await query.diagnostics([]) == []


async def test_an_edit_of_a_view_moves_the_definition_elsewhere(editor: Editor, folder: Path) -> None:
    manifest = opened(editor, folder, "manifest.sql")
    report = scratch(editor, FILES["report.sql"])
    manifest.replace("CREATE VIEW", "-- 🚢\n\nCREATE VIEW")
    assert await report.definition("city") == [spot(manifest, "city", "AS ")]


@pytest.mark.parametrize(
    "text",
    [
        "-- dialect: bigquery\nSELECT '🚢🚢' AS ship, v.master.home.city FROM port.vessels AS v;",
        "-- dialect: bigquery\r\nSELECT 1 AS n,\r\n  v.master.home.city FROM port.vessels AS v;\r\n",
        "-- dialect: bigquery\nSELECT '\u2028\x0c\x85' AS n,\n  v.master.home.city FROM port.vessels AS v;",
        "-- dialect: bigquery\n/* é😀🏴 */ SELECT /* 🚢 */ v.master.home.city FROM port.vessels AS v;",
        "-- dialect: bigquery\rSELECT 1 AS n,\rv.master.home.city FROM port.vessels AS v;",
    ],
    ids=["emoji", "crlf", "u2028", "astral", "cr"],
)
async def test_positions(editor: Editor, vessels: Document, text: str) -> None:
    query = scratch(editor, text)
    params = types.HoverParams(query.identifier, query.at("city"))
    found = await editor.text_document_hover_async(params)
    assert found is not None
    assert found.range == query.range_of("city")
    assert await query.declaration("city") == [spot(vessels, "city")]
    query.replace("home.city", "home.berth")
    found = await editor.text_document_hover_async(types.HoverParams(query.identifier, query.at("berth")))
    assert found is not None
    assert found.range == query.range_of("berth")


async def test_edits_around_line_ends_keep_the_text(editor: Editor) -> None:
    query = scratch(editor, "-- dialect: bigquery\r\nSELECT\u2028'🚢',\r\nv.id\r\nFROM port.vessels AS v;")
    query.replace("'🚢',\r\n", "'⚓🚢' AS s, ")
    query.replace("v.id\r\nFROM", "v.master.home.city\nFROM")
    query.replace(";", " WHERE v.id = 1;\n")
    found = await editor.text_document_hover_async(types.HoverParams(query.identifier, query.at("city")))
    assert found is not None
    assert found.range == query.range_of("city")


async def test_an_empty_document_and_positions_outside_of_the_text(editor: Editor) -> None:
    empty = scratch(editor, "")
    assert await editor.text_document_hover_async(types.HoverParams(empty.identifier, types.Position(0, 0))) is None
    assert await editor.text_document_hover_async(types.HoverParams(empty.identifier, types.Position(99, 99))) is None
    assert await empty.lenses() == []
    assert await empty.diagnostics([]) == []
    empty.set("-- dialect: bigquery\nSELECT v.id FROM port.vessels AS v")
    assert await empty.hover("id") is not None


async def test_a_half_typed_statement_still_answers(editor: Editor) -> None:
    query = scratch(editor, "-- dialect: bigquery\nSELECT v.master.name, v.id FROM port.vessels AS v;")
    assert await query.hover("id") is not None
    query.replace("v.master.name", "v.master.")
    assert await query.hover("id") is not None
    assert (await status(editor)).staleStatements == 1


async def test_a_document_of_another_spelling_is_the_same_document(editor: Editor, folder: Path) -> None:
    uri = (folder / "vessels.sql").as_uri()
    spelled = uri.replace("vessels.sql", "%76essels.sql")
    document = Document.open(editor, spelled, FILES["vessels.sql"])
    query = scratch(editor, "-- dialect: bigquery\nSELECT v.id FROM port.vessels AS v;")
    assert await query.declaration("id") == [(spelled, document.range_of("id"))]


async def test_documents_that_nobody_opened(editor: Editor) -> None:
    stranger = Document(editor, "untitled:never-opened", "SELECT 1")
    assert await stranger.hover("1") is None
    stranger.replace("1", "2")
    stranger.close()
    assert await stranger.lenses() == []
    assert (await settled(editor)).ready


async def test_lenses_are_asked_for_again_when_uses_change(editor: Editor, vessels: Document) -> None:
    await vessels.lenses()
    before = editor.lens_refreshes
    scratch(editor, "-- dialect: bigquery\nSELECT v.master.home.berth FROM port.vessels AS v;")
    can_refresh = bool(editor.capabilities.workspace.code_lens)  # type: ignore[union-attr]
    if can_refresh:
        await until(lambda: editor.lens_refreshes, lambda refreshes: refreshes > before)
    (berth,) = (lens for lens in await vessels.lenses() if lens.range == vessels.range_of("berth"))
    assert berth.command is not None
    assert berth.command.title == "berth: 1 downstream use"
    assert editor.lens_refreshes > before or not can_refresh


def _offsets(document: Document, span: types.Range) -> tuple[int, int]:
    from sql_lineage_ls.text.line_index import LineIndex

    lines = LineIndex(document.text)
    encoding = document.client.encoding
    return (
        lines.offset(span.start.line, span.start.character, encoding),
        lines.offset(span.end.line, span.end.character, encoding),
    )
