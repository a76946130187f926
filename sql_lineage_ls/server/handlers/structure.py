"""Requests about the form of a document: the outline, folds, growing selections, links."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from lsprotocol import types

from sql_lineage_ls.features import document_links as links_feature
from sql_lineage_ls.features import document_symbols as symbols_feature
from sql_lineage_ls.features import folding_range as folding_feature
from sql_lineage_ls.features import selection_range as selection_feature
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import DOCUMENTS
from sql_lineage_ls.workspace.uris import normal_uri, path_from_uri

_FOLD_KINDS = {"comment": types.FoldingRangeKind.Comment, "region": types.FoldingRangeKind.Region}


def document_symbols(
    convert: Converter, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    """The outline."""
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None:
        return None
    return convert.to_symbols(document, symbols_feature.document_symbols(convert.snapshot, uri))


def folding_ranges(convert: Converter, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
    """What can be folded, outer folds first, as many as the client takes."""
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None:
        return None
    client = convert.client
    found: list[types.FoldingRange] = []
    lines: set[int] = set()
    for fold in folding_feature.folding_ranges(convert.snapshot, uri):
        span = convert.to_lsp_range(document, fold.span)
        # Where whole lines are folded, only one fold can begin on a line: the outermost.
        if client.folds_lines and (span.start.line in lines or span.start.line == span.end.line):
            continue
        lines.add(span.start.line)
        found.append(
            types.FoldingRange(
                start_line=span.start.line,
                end_line=span.end.line,
                start_character=None if client.folds_lines else span.start.character,
                end_character=None if client.folds_lines else span.end.character,
                kind=_FOLD_KINDS.get(fold.kind),
            )
        )
    return found[: client.most_folds] if client.most_folds else found


def selection_ranges(convert: Converter, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
    """What grows around each of the positions."""
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None:
        return None
    found = []
    for position in params.positions:
        offset = convert.from_lsp_position(document, position)
        grown: types.SelectionRange | None = None
        for span in reversed(selection_feature.selection_range(convert.snapshot, uri, offset)):
            grown = types.SelectionRange(convert.to_lsp_range(document, span), grown)
        if grown is not None:
            found.append(grown)
    return found


def document_links(
    convert: Converter, params: types.DocumentLinkParams, folders: Sequence[str]
) -> list[types.DocumentLink] | None:
    """The links of a document to files that are there, to addresses and to models."""
    uri = normal_uri(params.text_document.uri)
    document = convert.snapshot.document(uri)
    if document is None:
        return None
    found = links_feature.document_links(convert.snapshot, uri, _is_file, folders)
    return [link for one in found if (link := convert.to_document_link(document, one)) is not None]


def _is_file(uri: str) -> bool:
    path = path_from_uri(uri)
    return path is not None and os.path.isfile(path)


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    return {
        "document_symbol_provider": True,
        "folding_range_provider": text.folding_range is not None or None,
        "selection_range_provider": text.selection_range is not None or None,
        "document_link_provider": types.DocumentLinkOptions() if text.document_link is not None else None,
    }


FAMILY = Family(
    {
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (document_symbols, DOCUMENTS),
        types.TEXT_DOCUMENT_FOLDING_RANGE: (folding_ranges, DOCUMENTS),
        types.TEXT_DOCUMENT_SELECTION_RANGE: (selection_ranges, DOCUMENTS),
    },
    offer,
)
