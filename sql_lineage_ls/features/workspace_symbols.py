"""Workspace symbols: every table, view, type, function, CTE, column and nested field of the workspace, by its name."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator

from sql_lineage_ls.features.document_symbols import document_symbols
from sql_lineage_ls.features.results import FoundSymbol, Symbol
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot

# An editor shows some dozens and asks again with the next letter.
MOST_SYMBOLS = 256

_RELATIONS = frozenset({"table", "view", "type"})


def workspace_symbols(snapshot: Snapshot, query: str, limit: int = MOST_SYMBOLS) -> tuple[FoundSymbol, ...]:
    """The symbols whose names hold the letters of `query` in their order, the best `limit` of them, best first.

    `cty` finds `city`, `orders.cty` the `city` in an `orders`; case does not count. Nothing typed yet finds the
    tables, views and types.
    """
    words = query.split()
    if not words:
        everything = (symbol for symbol in _symbols(snapshot) if symbol.kind in _RELATIONS)
        return tuple(heapq.nsmallest(limit, everything, key=lambda symbol: (symbol.name, symbol.span)))
    wanted = "".join(words)
    letters = re.compile(".*?".join(re.escape(letter) for letter in wanted), re.IGNORECASE | re.DOTALL)
    dotted = "." in wanted
    found: list[tuple[tuple[int, int, int, str, FileSpan], FoundSymbol]] = []
    for symbol in _symbols(snapshot):
        # The whole path counts only where a dot asks for it.
        text = f"{symbol.container}.{symbol.name}" if dotted and symbol.container else symbol.name
        match = letters.search(text)
        if match is not None:
            found.append(((*_rank(text, wanted, match), symbol.name, symbol.span), symbol))
    return tuple(symbol for _, symbol in heapq.nsmallest(limit, found, key=lambda pair: pair[0]))


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


def _symbols(snapshot: Snapshot) -> Iterator[FoundSymbol]:
    for document in snapshot.documents():
        yield from _flat(document.uri, document_symbols(snapshot, document.uri), "")


def _flat(uri: str, symbols: Iterable[Symbol], container: str) -> Iterator[FoundSymbol]:
    for symbol in symbols:
        if symbol.kind == "column" and not container:
            # A column of a bare query belongs to nothing that could be looked for.
            continue
        named = symbol.kind != "statement" or symbol.detail == "function"
        if named:
            span = FileSpan(uri, symbol.span.start, symbol.span.end)
            yield FoundSymbol(symbol.name, symbol.kind, container, span)
        inner = (f"{container}.{symbol.name}" if container else symbol.name) if named else container
        yield from _flat(uri, symbol.children, inner)
