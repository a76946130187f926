"""Between the program and the protocol: offsets and positions, addresses, and the results of features.

The only place that knows lines, characters and the client's encoding and spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from lsprotocol import types
from msgspec import Struct

from sql_lineage_ls.features.results import (
    Diagnostic,
    FoundSymbol,
    Highlight,
    HoverInfo,
    Lens,
    Link,
    NavigationTarget,
    Symbol,
)
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.spelling import Spelling
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot
from sql_lineage_ls.workspace.uris import normal_uri

SOURCE = "sql-lineage"
SHOW_REFERENCES = "sqlLineage.showReferences"

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
_TAGS = {"unnecessary": types.DiagnosticTag.Unnecessary, "deprecated": types.DiagnosticTag.Deprecated}
_SYMBOL_KINDS = {
    "table": types.SymbolKind.Class,
    "view": types.SymbolKind.Interface,
    "column": types.SymbolKind.Property,
    "field": types.SymbolKind.Field,
    "cte": types.SymbolKind.Variable,
    "type": types.SymbolKind.Struct,
    "statement": types.SymbolKind.Event,
}


class AtPosition(Protocol):
    """The parameters of a request about a position of a document."""

    text_document: types.TextDocumentIdentifier
    position: types.Position


class Converter(Struct, frozen=True):
    """Conversions for one client, over one snapshot."""

    snapshot: Snapshot
    client: Client
    spelling: Spelling

    # ------------------------------------------------------------ places

    def place(self, params: AtPosition) -> tuple[str, int] | None:
        """The document and the offset that a request is about; None where nobody knows the document."""
        uri = normal_uri(params.text_document.uri)
        document = self.snapshot.document(uri)
        return (uri, self.from_lsp_position(document, params.position)) if document is not None else None

    def from_lsp_position(self, document: DocumentView, position: types.Position) -> int:
        """The offset of a position, clamped to the text."""
        return document.lines.offset(position.line, position.character, self.client.encoding)

    def is_in_text(self, document: DocumentView, position: types.Position) -> bool:
        """Whether a document has that line and it goes so far: nothing stands behind the end of a line or text."""
        lines = document.lines
        if not 0 <= position.line < lines.line_count:
            return False
        return position.character <= lines.position(lines.line_end(position.line), self.client.encoding)[1]

    def to_lsp_position(self, document: DocumentView, offset: int) -> types.Position:
        line, character = document.lines.position(offset, self.client.encoding)
        return types.Position(line, character)

    def to_lsp_range(self, document: DocumentView, span: Span) -> types.Range:
        return types.Range(self.to_lsp_position(document, span.start), self.to_lsp_position(document, span.end))

    def to_lsp_location(self, span: FileSpan) -> types.Location | None:
        """The location of a place, None where its document is gone."""
        document = self.snapshot.document(span.uri)
        if document is None:
            return None
        return types.Location(self.spelling.of(span.uri), self.to_lsp_range(document, Span(span.start, span.end)))

    def to_lsp_locations(self, spans: Iterable[FileSpan]) -> list[types.Location]:
        return [location for span in spans if (location := self.to_lsp_location(span)) is not None]

    # ------------------------------------------------------------ results

    def to_hover(self, document: DocumentView, info: HoverInfo) -> types.Hover:
        """A hover in the format that the client prefers; only Markdown has links."""
        if self.client.markdown:
            content = types.MarkupContent(types.MarkupKind.Markdown, info.present("markdown", self._link))
        else:
            content = types.MarkupContent(types.MarkupKind.PlainText, info.present("plaintext"))
        return types.Hover(content, self.to_lsp_range(document, info.span))

    def _link(self, span: FileSpan) -> str:
        """The address of a place, as editors follow it from Markdown: `file:///w/a.sql#L3,5`, counted from 1."""
        uri = self.spelling.of(span.uri)
        document = self.snapshot.document(span.uri)
        if document is None:
            return uri
        line, character = document.lines.position(span.start, self.client.encoding)
        return f"{uri}#L{line + 1},{character + 1}"

    def to_locations(
        self, document: DocumentView, targets: Iterable[NavigationTarget], links: bool
    ) -> list[types.Location] | list[types.LocationLink]:
        """Jump targets: links for clients that know them, else plain locations."""
        if not links:
            return self.to_lsp_locations(target.focus for target in targets)
        found = (self._to_link(document, target) for target in targets)
        return [link for link in found if link is not None]

    def _to_link(self, document: DocumentView, target: NavigationTarget) -> types.LocationLink | None:
        focus, full = self.to_lsp_location(target.focus), self.to_lsp_location(target.full)
        if focus is None or full is None:
            return None
        return types.LocationLink(
            target_uri=focus.uri,
            target_range=full.range,
            target_selection_range=focus.range,
            origin_selection_range=self.to_lsp_range(document, target.origin),
        )

    def to_highlight(self, document: DocumentView, found: Highlight) -> types.DocumentHighlight:
        kind = types.DocumentHighlightKind.Write if found.written else types.DocumentHighlightKind.Read
        return types.DocumentHighlight(self.to_lsp_range(document, Span(found.span.start, found.span.end)), kind)

    def to_document_link(self, document: DocumentView, link: Link) -> types.DocumentLink | None:
        """A link; one to a place names its line as editors read it from an address."""
        target = link.address or (self._link(link.place) if link.place is not None else "")
        if not target:
            return None
        tooltip = link.tooltip if self.client.link_tooltips else None
        return types.DocumentLink(self.to_lsp_range(document, link.span), target, tooltip)

    def to_symbol_information(self, symbol: FoundSymbol) -> types.SymbolInformation | None:
        location = self.to_lsp_location(symbol.span)
        if location is None:
            return None
        kind = _SYMBOL_KINDS.get(symbol.kind, types.SymbolKind.Variable)
        return types.SymbolInformation(location, symbol.name, kind, container_name=symbol.container or None)

    def to_code_lens(self, document: DocumentView, lens: Lens) -> types.CodeLens:
        """A lens whose command gets the document, the position and the places; one without uses has no command."""
        span = self.to_lsp_range(document, lens.span)
        if not lens.places:
            return types.CodeLens(span, types.Command(lens.title, ""))
        arguments = [self.spelling.of(document.uri), span.start, self.to_lsp_locations(lens.places)]
        return types.CodeLens(span, types.Command(lens.title, SHOW_REFERENCES, arguments=arguments))

    def to_diagnostic(self, document: DocumentView, found: Diagnostic) -> types.Diagnostic:
        related = [
            types.DiagnosticRelatedInformation(location, note.message)
            for note in found.related
            if (location := self.to_lsp_location(note.span)) is not None
        ]
        return types.Diagnostic(
            self.to_lsp_range(document, found.span),
            found.message,
            severity=_SEVERITIES.get(found.severity, types.DiagnosticSeverity.Warning),
            code=found.code,
            code_description=types.CodeDescription(found.href) if found.href and self.client.code_description else None,
            source=SOURCE,
            tags=[_TAGS[tag] for tag in found.tags if tag in _TAGS] or None,
            related_information=related if related and self.client.related_information else None,
            data={"suggestion": found.suggestion} if found.suggestion else None,
        )

    def to_symbols(
        self, document: DocumentView, symbols: Iterable[Symbol]
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
        """The outline: a tree for clients that know one, else a flat list with the names of the containers."""
        if self.client.nested_symbols:
            return [self._to_symbol(document, symbol) for symbol in symbols]
        flat: list[types.SymbolInformation] = []
        self._flatten(document, symbols, None, flat.append)
        return flat

    def _to_symbol(self, document: DocumentView, symbol: Symbol) -> types.DocumentSymbol:
        return types.DocumentSymbol(
            name=symbol.name or " ",
            kind=_SYMBOL_KINDS.get(symbol.kind, types.SymbolKind.Variable),
            range=self.to_lsp_range(document, symbol.full),
            selection_range=self.to_lsp_range(document, symbol.span),
            detail=symbol.detail or None,
            children=[self._to_symbol(document, child) for child in symbol.children] or None,
        )

    def _flatten(
        self,
        document: DocumentView,
        symbols: Iterable[Symbol],
        container: str | None,
        add: Callable[[types.SymbolInformation], None],
    ) -> None:
        uri = self.spelling.of(document.uri)
        for symbol in symbols:
            kind = _SYMBOL_KINDS.get(symbol.kind, types.SymbolKind.Variable)
            location = types.Location(uri, self.to_lsp_range(document, symbol.span))
            add(types.SymbolInformation(location, symbol.name or " ", kind, container_name=container))
            self._flatten(document, symbol.children, symbol.name, add)
