"""The sweep: asks every feature at every token of a workspace, whole, half typed and edited.

    python -m tests.support.sweep path/to/sql               every token of every file
    python -m tests.support.sweep path/to/sql --every 50    one token of fifty

Prints what raised, what answered with a place that is none, and the slowest answer of each feature; the exit code is 1
where anything was wrong. Nothing in the folder is executed or written.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from sql_lineage_ls.features.document_symbols import document_symbols
from sql_lineage_ls.features.lineage_graph import GraphOptions, lineage_graph
from sql_lineage_ls.features.results import LineageItem, Symbol
from sql_lineage_ls.features.type_definition import type_definition
from sql_lineage_ls.syntax.pieces import pieces_of
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot
from sql_lineage_ls.workspace.uris import uri_from_path
from tests.support import product

Place = Span | FileSpan
AtPlace = Callable[[Snapshot, str, int], Iterable[Place]]
OfDocument = Callable[[Snapshot, str], Iterable[Place]]

# How many tokens are asked with the statement around them cut off behind the token.
_HALF_TYPED_EVERY = 40


def _jump(feature: Callable[..., Iterable[object]]) -> AtPlace:
    return lambda snapshot, uri, offset: [target.focus for target in feature(snapshot, uri, offset)]  # type: ignore[attr-defined]


def _hover(snapshot: Snapshot, uri: str, offset: int) -> Iterator[Place]:
    found = product.hover(snapshot, uri, offset)
    if found is not None:
        assert found.present("markdown", lambda span: span.uri)
        yield found.span


def _tree(snapshot: Snapshot, uri: str, offset: int) -> Iterator[Place]:
    for root in product.prepare_call_hierarchy(snapshot, uri, offset):
        yield from _item(root)
        for walk in (product.incoming_calls, product.outgoing_calls):
            for step in walk(snapshot, root):
                yield from _item(step.item)
                yield from step.places


def _graph(snapshot: Snapshot, uri: str, offset: int) -> Iterator[Place]:
    graph = lineage_graph(snapshot, uri, offset, GraphOptions("both", 2))
    for relation in graph.relations if graph is not None else ():
        assert relation.name
        yield from (place for place in (relation.place, *(row.place for row in relation.rows)) if place is not None)


def _item(item: LineageItem) -> Iterator[Place]:
    assert item.name
    yield from (item.focus, item.full)


def _selection(snapshot: Snapshot, uri: str, offset: int) -> Iterable[Place]:
    spans = product.selection_range(snapshot, uri, offset)
    for inner, outer in pairwise(spans):
        assert outer.start <= inner.start <= inner.end <= outer.end
        assert inner != outer
    return spans


def _impact(snapshot: Snapshot, uri: str, offset: int) -> Iterator[Place]:
    found = product.impact(snapshot, uri, offset)
    for group in found.groups if found is not None else ():
        yield from (use.span for use in group.uses)


AT_TOKEN: Mapping[str, AtPlace] = {
    "hover": _hover,
    "definition": _jump(product.definition),
    "declaration": _jump(product.declaration),
    "type definition": _jump(type_definition),
    "implementation": _jump(product.implementation),
    "references": lambda snapshot, uri, offset: [one.span for one in product.references(snapshot, uri, offset)],
    "highlight": lambda snapshot, uri, offset: [one.span for one in product.document_highlight(snapshot, uri, offset)],
    "call hierarchy": _tree,
    "graph": _graph,
    "actions": lambda snapshot, uri, offset: [
        change.span for action in product.code_actions(snapshot, uri, Span(offset, offset)) if not action.creates
        for change in action.changes
    ],
    "impact": _impact,
    "selection": _selection,
}


def _symbols(snapshot: Snapshot, uri: str) -> Iterator[Place]:
    waiting: list[Symbol] = list(document_symbols(snapshot, uri))
    while waiting:
        symbol = waiting.pop()
        waiting += symbol.children
        yield from (symbol.span, symbol.full)


def _tokens(snapshot: Snapshot, uri: str) -> Iterator[Place]:
    end = 0
    for token in product.semantic_tokens(snapshot, uri):
        assert token.span.start >= end, "tokens overlap"
        end = token.span.end
        yield token.span


OF_DOCUMENT: Mapping[str, OfDocument] = {
    "outline": _symbols,
    "colours": _tokens,
    "folds": lambda snapshot, uri: [fold.span for fold in product.folding_ranges(snapshot, uri)],
    "links": lambda snapshot, uri: [link.span for link in product.document_links(snapshot, uri, lambda _: True)],
    "hints": lambda snapshot, uri: [
        Span(hint.offset, hint.offset)
        for hint in product.inlay_hints(snapshot, uri, Span(0, 1 << 30), product.HintOptions(types=True))
    ],
    "lenses": lambda snapshot, uri: [lens.span for lens in product.code_lenses(snapshot, uri)],
    "diagnostics": lambda snapshot, uri: [found.span for found in product.diagnostics(snapshot, uri)],
}


@dataclass
class Sweep:
    """What a sweep has found."""

    asked: int = 0
    failures: list[str] = field(default_factory=list)
    slowest: dict[str, tuple[float, str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def ask(self, name: str, where: str, snapshot: Snapshot, uri: str, get: Callable[[], Iterable[Place]]) -> None:
        """Asks one feature and looks at each place that it answers with."""
        self.asked += 1
        started = time.perf_counter()
        try:
            places = list(get())
            took = time.perf_counter() - started
            for place in places:
                _check(snapshot, uri, place)
        except Exception:
            self.failures.append(f"{name} at {where}\n{traceback.format_exc()}")
            return
        self.seconds[name] = self.seconds.get(name, 0.0) + took
        self.slowest[name] = max(self.slowest.get(name, (0.0, "")), (took, where))


def _check(snapshot: Snapshot, uri: str, place: Place) -> None:
    document = snapshot.document(place.uri if isinstance(place, FileSpan) else uri)
    assert document is not None, f"{place} lies in no document"
    assert 0 <= place.start <= place.end <= len(document.text), f"{place} lies outside of its document"


def sweep(engine: Engine, every: int = 1, documents: Iterable[str] | None = None) -> Sweep:
    """Asks every feature at one of `every` tokens of the engine's documents, and while statements are half typed."""
    found = Sweep()
    snapshot = engine.finish()
    uris = [document.uri for document in snapshot.documents()] if documents is None else list(documents)
    for uri in uris:
        document = snapshot.document(uri)
        if document is not None:
            _sweep_document(found, snapshot, document, every)
            _sweep_half_typed(found, engine, document, every)
    for query in ("", "id", "cty", "a.b", "*(["):
        found.ask("workspace symbols", query, snapshot, "", lambda query=query: [  # type: ignore[misc]
            one.span for one in product.workspace_symbols(snapshot, query)
        ])
    return found


def _sweep_document(found: Sweep, snapshot: Snapshot, document: DocumentView, every: int) -> None:
    uri = document.uri
    for name, ask in OF_DOCUMENT.items():
        found.ask(name, uri, snapshot, uri, lambda ask=ask: ask(snapshot, uri))  # type: ignore[misc]
    pieces = pieces_of(document.text, document.dialect)
    for piece in pieces[::every]:
        for offset in (piece.start, piece.end):
            _ask_at(found, snapshot, uri, offset)


def _ask_at(found: Sweep, snapshot: Snapshot, uri: str, offset: int) -> None:
    for name, ask in AT_TOKEN.items():
        found.ask(name, f"{uri}:{offset}", snapshot, uri, lambda ask=ask: ask(snapshot, uri, offset))  # type: ignore[misc]


def _sweep_half_typed(found: Sweep, engine: Engine, document: DocumentView, every: int) -> None:
    """Cuts the rest of a statement off behind a token, asks there, and puts the text back."""
    uri, text = document.uri, document.text
    pieces = pieces_of(text, document.dialect)
    engine.open(uri, text)
    engine.finish()
    for piece in pieces[_HALF_TYPED_EVERY // 2 :: _HALF_TYPED_EVERY * every]:
        statement = document.statement_at(piece.start)
        typed = text[: piece.end] + (text[statement.end :] if statement is not None else "")
        engine.open(uri, typed)
        snapshot = engine.finish()
        for offset in (piece.start, piece.end):
            _ask_at(found, snapshot, uri, offset)
        for name, ask in OF_DOCUMENT.items():
            where = f"{uri} cut at {piece.end}"
            found.ask(name, where, snapshot, uri, lambda ask=ask, snapshot=snapshot: ask(snapshot, uri))  # type: ignore[misc]
    engine.open(uri, text)
    engine.finish()
    engine.close(uri)
    engine.finish()


def open_folder(path: Path) -> Engine:
    """An engine that has read a folder."""
    engine = Engine()
    engine.configure((Folder(uri_from_path(path.resolve()), path.resolve(), Settings()),), Settings())
    engine.rescan()
    engine.finish()
    return engine


def main() -> int:
    parser = argparse.ArgumentParser(description="ask every feature at every token of a folder")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="ask at one token of so many")
    chosen = parser.parse_args()
    started = time.perf_counter()
    found = sweep(open_folder(chosen.folder), chosen.every)
    for failure in found.failures[:20]:
        print(failure)
    for name, (seconds, where) in sorted(found.slowest.items()):
        print(f"{name:18} slowest {seconds * 1000:8.1f} ms  in all {found.seconds[name]:7.2f} s  {where}")
    print(f"{found.asked} questions, {len(found.failures)} failures, {time.perf_counter() - started:.1f} s")
    return 1 if found.failures else 0


if __name__ == "__main__":
    sys.exit(main())
