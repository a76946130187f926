"""Requests about a position: hover, definition, declaration, type definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types

from sql_lineage_ls.features import declaration as declaration_feature
from sql_lineage_ls.features import definition as definition_feature
from sql_lineage_ls.features import hover as hover_feature
from sql_lineage_ls.features import type_definition as type_definition_feature
from sql_lineage_ls.features.results import NavigationTarget
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import CATALOG, EVERYTHING
from sql_lineage_ls.workspace.snapshot import Snapshot
from sql_lineage_ls.workspace.uris import normal_uri

Targets = list[types.Location] | list[types.LocationLink] | None
_Jump = Callable[[Snapshot, str, int], tuple[NavigationTarget, ...]]
_JumpParams = types.DefinitionParams | types.DeclarationParams | types.TypeDefinitionParams


def hover(convert: Converter, params: types.HoverParams) -> types.Hover | None:
    """What the token at a position is and where it comes from."""
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None or not convert.is_in_text(document, params.position):
        return None
    offset = convert.from_lsp_position(document, params.position)
    info = hover_feature.hover(convert.snapshot, uri, offset)
    return convert.to_hover(document, info) if info is not None else None


def definition(convert: Converter, params: types.DefinitionParams) -> Targets:
    """One hop nearer to the source."""
    return _jump(convert, params, definition_feature.definition, convert.client.definition_links)


def declaration(convert: Converter, params: types.DeclarationParams) -> Targets:
    """The declared source at the end of the chain."""
    return _jump(convert, params, declaration_feature.declaration, convert.client.declaration_links)


def type_definition(convert: Converter, params: types.TypeDefinitionParams) -> Targets:
    """Where the type of a value is written."""
    return _jump(convert, params, type_definition_feature.type_definition, convert.client.type_definition_links)


def _jump(convert: Converter, params: _JumpParams, feature: _Jump, links: bool) -> Targets:
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None or not convert.is_in_text(document, params.position):
        return None
    offset = convert.from_lsp_position(document, params.position)
    return convert.to_locations(document, feature(convert.snapshot, uri, offset), links) or None


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    return {
        "hover_provider": True,
        "definition_provider": True,
        "declaration_provider": True,
        "type_definition_provider": True,
    }


FAMILY = Family(
    {
        # A hover counts uses.
        types.TEXT_DOCUMENT_HOVER: (hover, EVERYTHING),
        types.TEXT_DOCUMENT_DEFINITION: (definition, CATALOG),
        types.TEXT_DOCUMENT_DECLARATION: (declaration, CATALOG),
        types.TEXT_DOCUMENT_TYPE_DEFINITION: (type_definition, CATALOG),
    },
    offer,
)
