"""Requests about the uses of a name: references, highlights, implementation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from sql_lineage_ls.features import document_highlight as highlight_feature
from sql_lineage_ls.features import implementation as implementation_feature
from sql_lineage_ls.features import references as references_feature
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import CATALOG, EVERYTHING
from sql_lineage_ls.workspace.uris import normal_uri


def references(convert: Converter, params: types.ReferenceParams) -> list[types.Location] | None:
    """Every place that uses a name; None where the position has none."""
    place = convert.place(params)
    if place is None:
        return None
    found = references_feature.references(convert.snapshot, *place, params.context.include_declaration)
    return convert.to_lsp_locations(reference.span for reference in found) or None


def document_highlight(
    convert: Converter, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    """The tokens of the document that mean the same."""
    document = convert.snapshot.document(normal_uri(params.text_document.uri))
    place = convert.place(params)
    if document is None or place is None:
        return None
    found = highlight_feature.document_highlight(convert.snapshot, *place)
    return [convert.to_highlight(document, highlight) for highlight in found] or None


def implementation(
    convert: Converter, params: types.ImplementationParams
) -> list[types.Location] | list[types.LocationLink] | None:
    """The statements that write a relation or a column."""
    document = convert.snapshot.document(normal_uri(params.text_document.uri))
    place = convert.place(params)
    if document is None or place is None:
        return None
    found = implementation_feature.implementation(convert.snapshot, *place)
    return convert.to_locations(document, found, convert.client.implementation_links) or None


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    return {
        "references_provider": True,
        "document_highlight_provider": True,
        "implementation_provider": True,
    }


FAMILY = Family(
    {
        types.TEXT_DOCUMENT_REFERENCES: (references, EVERYTHING),
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (document_highlight, CATALOG),
        types.TEXT_DOCUMENT_IMPLEMENTATION: (implementation, EVERYTHING),
    },
    offer,
)
