"""Workspace symbols: every table, view, type, function, CTE, column and nested field of the workspace, by its name."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct, msgpack

from sql_lineage_ls.features.document_symbols import document_symbols
from sql_lineage_ls.features.results import FoundSymbol, Symbol
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot

# An editor shows some dozens and asks again with the next letter.
MOST_SYMBOLS = 256

_RELATIONS = frozenset({"table", "view", "type"})


class _Named(Struct, frozen=True, gc=False, array_like=True):
    name: str
    kind: str
    container: str
    start: int
    end: int


_decode = msgpack.Decoder(tuple[_Named, ...]).decode


class SymbolNames:
    """The names of documents that did not change, so that the next letter need not look for them again.

    For each document a text of its names, in which letters are looked for first, and the symbols encoded.
    """

    def __init__(self) -> None:
        self._documents: dict[str, tuple[DocumentView, str, bytes]] = {}

    def fitting(self, snapshot: Snapshot, letters: re.Pattern[str]) -> Iterator[FoundSymbol]:
        """The symbols of all documents that have a name which fits."""
        documents = snapshot.documents()
        if len(self._documents) > len(documents):
            gone = self._documents.keys() - {document.uri for document in documents}
            for uri in gone:
                del self._documents[uri]
        for document in documents:
            uri = document.uri
            _, names, data = self._names_of(snapshot, document)
            if letters.search(names):
                for one in _decode(data):
                    yield FoundSymbol(one.name, one.kind, one.container, FileSpan(uri, one.start, one.end))

    def _names_of(self, snapshot: Snapshot, document: DocumentView) -> tuple[DocumentView, str, bytes]:
        known = self._documents.get(document.uri)
        if known is None or known[0] is not document:
            found = tuple(_flat(document_symbols(snapshot, document.uri), ""))
            names = "\n".join(one.name for one in found)
            known = self._documents[document.uri] = document, names, _encode(found)
        return known


def workspace_symbols(
    snapshot: Snapshot, query: str, limit: int = MOST_SYMBOLS, names: SymbolNames | None = None
) -> tuple[FoundSymbol, ...]:
    """The symbols whose names hold the letters of `query` in their order, the best `limit` of them, best first.

    `cty` finds `city`, `orders.cty` the `city` in an `orders`; case does not count. Nothing typed yet finds the
    tables, views and types. `names` is a memory that a caller keeps who asks again.
    """
    names = names or SymbolNames()
    wanted = "".join(query.split())
    if not wanted:
        everything = (one for one in names.fitting(snapshot, re.compile("")) if one.kind in _RELATIONS)
        return tuple(heapq.nsmallest(limit, everything, key=lambda symbol: (symbol.name, symbol.span)))
    letters = _in_order(wanted)
    dotted = "." in wanted
    found: list[tuple[tuple[int, int, int, str, FileSpan], FoundSymbol]] = []
    for symbol in names.fitting(snapshot, _in_order(wanted.rsplit(".", 1)[-1])):
        # The whole path counts only where a dot asks for it.
        text = f"{symbol.container}.{symbol.name}" if dotted and symbol.container else symbol.name
        match = letters.search(text)
        if match is not None:
            found.append(((*_rank(text, wanted, match), symbol.name, symbol.span), symbol))
    return tuple(symbol for _, symbol in heapq.nsmallest(limit, found, key=lambda pair: pair[0]))


def _in_order(letters: str) -> re.Pattern[str]:
    return re.compile("[^\\n]*?".join(re.escape(letter) for letter in letters), re.IGNORECASE)


def _encode(symbols: tuple[_Named, ...]) -> bytes:
    try:
        return msgpack.encode(symbols)
    except UnicodeEncodeError:
        # Half of a surrogate pair in a name: nobody can type it.
        return msgpack.encode(tuple(one for one in symbols if (one.name + one.container).isprintable()))


def _rank(text: str, wanted: str, match: re.Match[str]) -> tuple[int, int, int]:
    """Whole names first, then beginnings, beginnings of a word, parts, and letters apart; then the shorter name."""
    lower, plain = text.lower(), wanted.lower()
    at = lower.find(plain)
    if lower == plain:
        kind = 0
    elif at == 0:
        kind = 1
    elif at > 0:
        kind = 2 if not lower[at - 1].isalnum() else 3
    else:
        kind = 4
    return kind, match.end() - match.start(), len(text)


def _flat(symbols: Iterable[Symbol], container: str) -> Iterator[_Named]:
    for symbol in symbols:
        if symbol.kind == "column" and not container:
            # A column of a bare query belongs to nothing that could be looked for.
            continue
        named = symbol.kind != "statement" or symbol.detail == "function"
        if named:
            yield _Named(symbol.name, symbol.kind, container, symbol.span.start, symbol.span.end)
        inner = (f"{container}.{symbol.name}" if container else symbol.name) if named else container
        yield from _flat(symbol.children, inner)
