"""What the client at the other end can do, read once from its capabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from lsprotocol import types
from msgspec import Struct
from pygls.capabilities import get_capability

from sql_lineage_ls.text.line_index import Encoding

_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


class Client(Struct, frozen=True, kw_only=True):
    """The capabilities that change an answer or the server's behaviour. `encoding` is what positions count in."""

    encoding: Encoding = "utf-16"
    markdown: bool = False
    definition_links: bool = False
    declaration_links: bool = False
    type_definition_links: bool = False
    implementation_links: bool = False
    nested_symbols: bool = False
    related_information: bool = False
    code_description: bool = False
    lens_refresh: bool = False
    token_refresh: bool = False
    link_tooltips: bool = False
    folds_lines: bool = False
    # How many folds a client takes, 0 where it does not say.
    most_folds: int = 0
    document_changes: bool = False
    creates_files: bool = False
    action_literals: bool = False
    preferred_actions: bool = False
    resolves_actions: bool = False
    resolves_hints: bool = False
    hint_refresh: bool = False
    # Asks for diagnostics, and asks again when it is told to.
    pulls_diagnostics: bool = False
    related_documents: bool = False
    watches_files: bool = False
    configuration: bool = False
    progress: bool = False
    folder_changes: bool = False


def read_client(capabilities: types.ClientCapabilities) -> Client:
    """The client behind these capabilities; what it does not mention it cannot do."""

    def has(name: str) -> bool:
        return bool(_get(capabilities, name))

    formats = cast("Sequence[str]", _get(capabilities, "text_document.hover.content_format") or ())
    return Client(
        encoding=_encoding(_get(capabilities, "general.position_encodings")),
        # The formats stand in the client's order of preference.
        markdown=bool(formats) and formats[0] == types.MarkupKind.Markdown,
        definition_links=has("text_document.definition.link_support"),
        declaration_links=has("text_document.declaration.link_support"),
        type_definition_links=has("text_document.type_definition.link_support"),
        implementation_links=has("text_document.implementation.link_support"),
        nested_symbols=has("text_document.document_symbol.hierarchical_document_symbol_support"),
        related_information=has("text_document.publish_diagnostics.related_information"),
        code_description=has("text_document.publish_diagnostics.code_description_support"),
        lens_refresh=has("workspace.code_lens.refresh_support"),
        token_refresh=has("workspace.semantic_tokens.refresh_support"),
        link_tooltips=has("text_document.document_link.tooltip_support"),
        folds_lines=has("text_document.folding_range.line_folding_only"),
        most_folds=int(_get(capabilities, "text_document.folding_range.range_limit") or 0),
        document_changes=has("workspace.workspace_edit.document_changes"),
        creates_files=has("workspace.workspace_edit.document_changes")
        and "create" in (_get(capabilities, "workspace.workspace_edit.resource_operations") or ()),
        action_literals=has("text_document.code_action.code_action_literal_support"),
        preferred_actions=has("text_document.code_action.is_preferred_support"),
        resolves_hints="tooltip" in (_get(capabilities, "text_document.inlay_hint.resolve_support.properties") or ()),
        hint_refresh=has("workspace.inlay_hint.refresh_support"),
        pulls_diagnostics=_get(capabilities, "text_document.diagnostic") is not None
        and has("workspace.diagnostics.refresh_support"),
        related_documents=has("text_document.diagnostic.related_document_support"),
        resolves_actions=has("text_document.code_action.data_support")
        and "edit" in (_get(capabilities, "text_document.code_action.resolve_support.properties") or ()),
        watches_files=has("workspace.did_change_watched_files.dynamic_registration"),
        configuration=has("workspace.configuration"),
        progress=has("window.work_done_progress"),
        folder_changes=has("workspace.workspace_folders"),
    )


def _encoding(offered: Sequence[str] | None) -> Encoding:
    """The first encoding of the client's list that we know; UTF-16 where it has none, as the protocol demands."""
    for name in offered or ():
        for encoding in _ENCODINGS:
            if name == encoding:
                return encoding
    return "utf-16"


def _get(capabilities: types.ClientCapabilities, name: str) -> Any:
    return get_capability(capabilities, name)
