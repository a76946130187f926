"""Semantic tokens: in full, of a part, and what has changed since they were last asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lsprotocol import types

from sql_lineage_ls.features import semantic_tokens as feature
from sql_lineage_ls.features.results import SemanticToken
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.token_memory import TokenMemory
from sql_lineage_ls.server.worker import CATALOG
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView
from sql_lineage_ls.workspace.uris import normal_uri

# Standard types, which every theme colours.
_TYPES = {
    "namespace": "namespace",
    "relation": "class",
    "cte": "interface",
    "alias": "variable",
    "column": "property",
    "field": "property",
    "function": "function",
    "parameter": "parameter",
    "type": "type",
}
# A field is a column's own: the modifier tells the two apart for who wants to see it.
_NESTED = "nested"
_MODIFIERS = {"declaration": "declaration", "written": "modification", "unresolved": "unresolved", _NESTED: _NESTED}

LEGEND = types.SemanticTokensLegend(list(dict.fromkeys(_TYPES.values())), list(_MODIFIERS.values()))
_TYPE_NUMBERS = {kind: LEGEND.token_types.index(shown) for kind, shown in _TYPES.items()}
_BITS = {modifier: 1 << at for at, modifier in enumerate(_MODIFIERS)}

def family(memory: TokenMemory) -> Family:
    """The handlers for one client, whose answers are kept in `memory`."""

    def full(convert: Converter, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        """All tokens of a document."""
        uri = normal_uri(params.text_document.uri)
        data = _data(convert, uri)
        return types.SemanticTokens(data, memory.remember(uri, data)) if data is not None else None

    def delta(
        convert: Converter, params: types.SemanticTokensDeltaParams
    ) -> types.SemanticTokensDelta | types.SemanticTokens | None:
        """What has changed since the answer that the client still has; everything where it has none."""
        uri = normal_uri(params.text_document.uri)
        data = _data(convert, uri)
        if data is None:
            return None
        before = memory.recall(uri, params.previous_result_id)
        number = memory.remember(uri, data)
        if before is None:
            return types.SemanticTokens(data, number)
        return types.SemanticTokensDelta(token_edits(before, data), number)

    def part(convert: Converter, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
        """The tokens of what an editor shows at first."""
        uri = normal_uri(params.text_document.uri)
        document = convert.snapshot.document(uri)
        if document is None:
            return None
        memory.asked = True
        span = Span(*(convert.from_lsp_position(document, at) for at in (params.range.start, params.range.end)))
        return types.SemanticTokens(_encoded(convert, document, feature.semantic_tokens(convert.snapshot, uri, span)))

    return Family(
        {
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (full, CATALOG),
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: (delta, CATALOG),
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: (part, CATALOG),
        },
        offer,
    )


def _data(convert: Converter, uri: str) -> list[int] | None:
    document = convert.snapshot.document(uri)
    if document is None:
        return None
    return _encoded(convert, document, feature.semantic_tokens(convert.snapshot, uri))


def _encoded(convert: Converter, document: DocumentView, tokens: Iterable[SemanticToken]) -> list[int]:
    """Five numbers a token: lines and characters from the one before, length, type, modifiers.

    A name that a template tag draws over several lines is one token a line: not every client takes longer ones.
    """
    data: list[int] = []
    line = character = 0
    for token in tokens:
        bits = sum(_BITS[modifier] for modifier in token.modifiers) | (_BITS[_NESTED] if token.kind == "field" else 0)
        for span in _by_line(document, token.span):
            start = convert.to_lsp_position(document, span.start)
            end = convert.to_lsp_position(document, span.end)
            if start.line != line:
                character = 0
            data += (
                start.line - line, start.character - character, end.character - start.character,
                _TYPE_NUMBERS[token.kind], bits,
            )  # fmt: skip
            line, character = start.line, start.character
    return data


def _by_line(document: DocumentView, span: Span) -> list[Span]:
    first = document.lines.position(span.start, "utf-32")[0]
    last = document.lines.position(span.end, "utf-32")[0]
    if first == last:
        return [span]
    found = []
    for number in range(first, last + 1):
        start = max(span.start, document.lines.line_start(number))
        end = min(span.end, document.lines.line_end(number))
        blanks = len(document.text[start:end]) - len(document.text[start:end].lstrip())
        if start + blanks < end:
            found.append(Span(start + blanks, end))
    return found


def token_edits(before: list[int], after: list[int]) -> list[types.SemanticTokensEdit]:
    """The one edit that makes `after` of `before`, in whole tokens; none where they are the same."""
    if before == after:
        return []
    limit = min(len(before), len(after))
    first = next((at for at in range(limit) if before[at] != after[at]), limit)
    first -= first % 5
    last = next((at for at in range(limit - first) if before[-1 - at] != after[-1 - at]), limit - first)
    last -= last % 5
    return [types.SemanticTokensEdit(first, len(before) - last - first, after[first : len(after) - last])]


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    asks = text.semantic_tokens
    if asks is None:
        return {}
    requests = asks.requests
    delta = isinstance(requests.full, types.ClientSemanticTokensRequestFullDelta) and bool(requests.full.delta)
    return {
        "semantic_tokens_provider": types.SemanticTokensOptions(
            LEGEND,
            range=bool(requests.range) or None,
            full=types.SemanticTokensFullDelta(delta=True) if delta else True,
        )
    }
