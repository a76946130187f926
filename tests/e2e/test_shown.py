"""References, lineage trees, colours, folds, selections, symbols and links through the real server, as two editors."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.e2e.workspace import FILES, Document, Editor, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

_numbers = count()


def opened(editor: Editor, folder: Path, name: str) -> Document:
    return Document.open(editor, (folder / name).as_uri(), FILES[name])


def scratch(editor: Editor, text: str) -> Document:
    return Document.open(editor, f"untitled:Shown-{next(_numbers)}", "-- dialect: bigquery\n" + text)


async def _references(document: Document, word: str, after: str = "", declaration: bool = True) -> list[Any]:
    params = types.ReferenceParams(
        types.ReferenceContext(declaration), document.identifier, document.at(word, after)
    )
    found = await document.client.text_document_references_async(params)
    return [(location.uri.rsplit("/", 1)[-1], location.range) for location in found or ()]


async def test_only_what_the_client_can_show_is_offered(editor: Editor) -> None:
    found = editor.server_capabilities
    text = editor.capabilities.text_document
    assert text is not None
    for asked, offered in (
        (text.references, found.references_provider),
        (text.document_highlight, found.document_highlight_provider),
        (text.implementation, found.implementation_provider),
        (text.call_hierarchy, found.call_hierarchy_provider),
        (text.folding_range, found.folding_range_provider),
        (text.selection_range, found.selection_range_provider),
        (text.document_link, found.document_link_provider),
        (text.semantic_tokens, found.semantic_tokens_provider),
    ):
        assert bool(asked) == bool(offered)
    assert found.workspace_symbol_provider


async def test_references_of_a_nested_field_over_files(editor: Editor, folder: Path) -> None:
    vessels = opened(editor, folder, "vessels.sql")
    manifest = opened(editor, folder, "manifest.sql")
    expected = [("manifest.sql", manifest.range_of("city")), ("vessels.sql", vessels.range_of("city"))]
    assert await _references(vessels, "city") == expected
    assert await _references(vessels, "city", declaration=False) == expected[:1]
    assert await _references(manifest, "city") == expected
    query = scratch(editor, "SELECT 'é😀', * FROM port.vessels AS v; SELECT v.master FROM port.vessels v;")
    found = await _references(vessels, "city", declaration=False)
    name = query.uri.rsplit("/", 1)[-1]
    assert [place for place in found if place[0] == name] == [
        (name, query.range_of("*")), (name, query.range_of("master"))
    ]
    assert await _references(query, "SELECT") == []


async def test_highlights_tell_reads_from_writes(editor: Editor) -> None:
    query = scratch(editor, "UPDATE port.log SET berth = 1 WHERE berth > 2;")
    params = types.DocumentHighlightParams(query.identifier, query.at("berth"))
    found = await editor.text_document_document_highlight_async(params)
    assert [(one.range, one.kind) for one in found or ()] == [
        (query.range_of("berth"), types.DocumentHighlightKind.Write),
        (query.range_of("berth", "WHERE"), types.DocumentHighlightKind.Read),
    ]


async def test_implementation_is_the_statement_that_writes(editor: Editor) -> None:
    query = scratch(editor, "INSERT INTO port.log (berth)\nSELECT 1;\nSELECT l.berth FROM port.log AS l;")
    params = types.ImplementationParams(query.identifier, query.at("berth", "l."))
    found = await editor.text_document_implementation_async(params)
    assert isinstance(found, list)
    ranges = [getattr(one, "target_selection_range", None) or one.range for one in found]  # type: ignore[union-attr]
    assert ranges == [query.range_of("berth")]


async def test_the_lineage_tree_goes_down_and_up(editor: Editor, folder: Path) -> None:
    vessels = opened(editor, folder, "vessels.sql")
    manifest = opened(editor, folder, "manifest.sql")
    params = types.CallHierarchyPrepareParams(vessels.identifier, vessels.at("city"))
    (root,) = await editor.text_document_prepare_call_hierarchy_async(params) or ()
    assert (root.name, root.detail, root.selection_range) == (
        "master.home.city", "port.vessels", vessels.range_of("city")
    )
    (step,) = await editor.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(root)) or ()
    assert (step.from_.name, step.from_.uri) == ("city", manifest.uri)
    assert list(step.from_ranges) == [manifest.range_of("city")]
    assert step.from_.selection_range == manifest.range_of("city", "AS ")
    (report,) = (
        await editor.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(step.from_)) or ()
    )
    assert report.from_.name == "SELECT m.city, m.tons FROM port.manifest AS m"
    assert not await editor.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(report.from_))
    (up,) = await editor.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(step.from_)) or ()
    assert (up.to.name, up.to.uri) == ("master.home.city", vessels.uri)
    assert list(up.from_ranges) == [manifest.range_of("city")]


async def test_a_hierarchy_item_of_somebody_else_leads_nowhere(editor: Editor) -> None:
    span = types.Range(types.Position(0, 0), types.Position(0, 1))
    for data in (None, 5, {"node": "x"}, {"node": [1], "behind": [[2], "x"]}, {"node": ["nobody"], "behind": []}):
        item = types.CallHierarchyItem("x", types.SymbolKind.Field, "file:///x.sql", span, span, data=data)
        found = await editor.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(item))
        assert not found


def _decoded(editor: Editor, document: Document, data: Any) -> list[tuple[str, str, list[str]]]:
    """Tokens as (text, type, modifiers)."""
    options = editor.server_capabilities.semantic_tokens_provider
    assert isinstance(options, types.SemanticTokensOptions)
    lines = document.text.split("\n")
    encoded = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[editor.encoding]
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[editor.encoding]
    found, line, character = [], 0, 0
    for at in range(0, len(data), 5):
        down, right, length, kind, bits = data[at : at + 5]
        line, character = line + down, right + (0 if down else character)
        content = lines[line].encode(encoded)[character * width : (character + length) * width].decode(encoded)
        modifiers = [name for bit, name in enumerate(options.legend.token_modifiers) if bits >> bit & 1]
        found.append((content, options.legend.token_types[kind], modifiers))
    return found


async def test_colours_in_full_in_part_and_after_an_edit(editor: Editor) -> None:
    query = scratch(
        editor, "WITH c AS (SELECT '😀', v.master.home.city FROM port.vessels AS v)\nSELECT UPPER(c.city), c.no FROM c;"
    )
    full = await editor.text_document_semantic_tokens_full_async(types.SemanticTokensParams(query.identifier))
    assert full is not None
    found = _decoded(editor, query, full.data)
    assert found[:8] == [
        ("c", "interface", ["declaration"]), ("v", "variable", []), ("master", "property", []),
        ("home", "property", ["nested"]), ("city", "property", ["nested"]), ("port", "namespace", []),
        ("vessels", "class", []), ("v", "variable", ["declaration"]),
    ]  # fmt: skip
    assert ("UPPER", "function", []) in found
    assert ("no", "property", ["unresolved"]) in found
    part = await editor.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(query.identifier, types.Range(types.Position(2, 0), types.Position(3, 0)))
    )
    assert part is not None
    assert set(map(str, _decoded(editor, query, part.data))) <= set(map(str, found))
    if not isinstance(editor.server_capabilities.semantic_tokens_provider.full, types.SemanticTokensFullDelta):  # type: ignore[union-attr]
        return
    query.replace("c.no", "c.city AS town")
    params = types.SemanticTokensDeltaParams(query.identifier, full.result_id or "")
    delta = await editor.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(delta, types.SemanticTokensDelta)
    data = list(full.data)
    for edit in delta.edits:
        data[edit.start : edit.start + edit.delete_count] = edit.data or ()
    assert ("town", "property", ["declaration"]) in _decoded(editor, query, data)
    again = await editor.text_document_semantic_tokens_full_async(types.SemanticTokensParams(query.identifier))
    assert again is not None
    assert list(again.data) == data
    # An answer that nobody remembers is answered in full.
    params = types.SemanticTokensDeltaParams(query.identifier, "unknown")
    assert isinstance(await editor.text_document_semantic_tokens_full_delta_async(params), types.SemanticTokens)


async def test_colours_are_asked_for_again_when_another_document_changes(editor: Editor) -> None:
    query = scratch(editor, "SELECT b.depth FROM port.buoys AS b;")
    await editor.text_document_semantic_tokens_full_async(types.SemanticTokensParams(query.identifier))
    before = editor.token_refreshes
    scratch(editor, "CREATE TABLE port.buoys (colour STRING);")
    workspace = editor.capabilities.workspace
    if workspace and workspace.semantic_tokens and workspace.semantic_tokens.refresh_support:
        await until(lambda: editor.token_refreshes, lambda refreshes: refreshes > before)
    full = await editor.text_document_semantic_tokens_full_async(types.SemanticTokensParams(query.identifier))
    assert full is not None
    assert ("depth", "property", ["unresolved"]) in _decoded(editor, query, full.data)


async def test_folds_are_whole_lines_where_the_client_wants_them(editor: Editor, folder: Path) -> None:
    vessels = opened(editor, folder, "vessels.sql")
    found = await editor.text_document_folding_range_async(types.FoldingRangeParams(vessels.identifier))
    assert found is not None
    assert (found[0].start_line, found[0].end_line) == (1, 5)
    options = editor.capabilities.text_document.folding_range  # type: ignore[union-attr]
    if options and options.line_folding_only:
        assert all(fold.start_character is None for fold in found or ())
        assert len({fold.start_line for fold in found or ()}) == len(found or ())


async def test_selections_grow_from_the_token_to_the_file(editor: Editor, folder: Path) -> None:
    manifest = opened(editor, folder, "manifest.sql")
    params = types.SelectionRangeParams(manifest.identifier, [manifest.at("home"), manifest.at("tons", "AS ")])
    found = await editor.text_document_selection_range_async(params)
    assert found is not None
    assert len(found) == 2
    grown: types.SelectionRange | None = found[0]
    ranges = []
    while grown is not None:
        ranges.append(grown.range)
        grown = grown.parent
    assert ranges[:4] == [
        manifest.range_of(text)
        for text in ("home", "v.master.home", "v.master.home.city", "v.master.home.city AS city")
    ]
    assert ranges[-1].end == manifest.position(len(manifest.text))


async def test_symbols_of_the_workspace(editor: Editor, folder: Path) -> None:
    found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("ctr"))
    assert not found
    found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("city"))
    assert [(one.name, one.container_name) for one in found or ()] == [
        ("city", "port.manifest"), ("city", "port.vessels.master.home")
    ]
    found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams("vssl.hm.cty"))
    assert [(one.name, one.container_name) for one in found or ()] == [("city", "port.vessels.master.home")]


async def test_links_to_files_that_are_there(editor: Editor, folder: Path) -> None:
    (folder / "tides.csv").write_text("", encoding="utf-8")
    text = "-- dialect: duckdb\nSELECT 1 FROM read_csv('tides.csv'), read_csv('gone.csv');\n"
    query = Document.open(editor, (folder / "links.sql").as_uri(), text)
    found = await editor.text_document_document_link_async(types.DocumentLinkParams(query.identifier))
    assert [(link.range, link.target) for link in found or ()] == [
        (query.range_of("tides.csv"), (folder / "tides.csv").as_uri())
    ]


async def test_nothing_is_known_of_a_document_that_nobody_opened(editor: Editor) -> None:
    document = Document(editor, "untitled:never-opened-either", "SELECT a FROM t")
    assert await _references(document, "a ") == []
    identifier = document.identifier
    assert await editor.text_document_folding_range_async(types.FoldingRangeParams(identifier)) is None
    assert await editor.text_document_semantic_tokens_full_async(types.SemanticTokensParams(identifier)) is None
    assert await editor.text_document_document_link_async(types.DocumentLinkParams(identifier)) is None
    position = types.Position(0, 0)
    assert (
        await editor.text_document_prepare_call_hierarchy_async(types.CallHierarchyPrepareParams(identifier, position))
        is None
    )
    params = types.SelectionRangeParams(identifier, [position])
    assert await editor.text_document_selection_range_async(params) is None
