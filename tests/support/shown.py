"""Checks of what editors show of lineage: uses, the lineage tree, colours, folds, selections, symbols and links."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sql_lineage_ls.features.results import LineageItem, LineageStep
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot
from tests.support import product
from tests.support.fixture import (
    Expectation,
    Fixture,
    FixtureFile,
    Label,
    Rewrite,
    rewrite_section,
    rewrite_text,
)

NONE = "(none)"
_LONGEST_LEVEL = 60
_DEEPEST_TREE = 12

Found = tuple[str, Rewrite | None]
"""What is wrong at a mark, and how its text would be mended."""


def check_uses(fixture: Fixture, snapshot: Snapshot, file: FixtureFile) -> Iterator[Found]:
    """`references: @a @b`, `highlight: @a! @b` (`!` marks what is written) and `implementation: @a`.

    Asked at the first, the last and the offset just behind each mark; the labels are all there is, in any order.
    """
    for kind, ask in (("references", _references), ("highlight", _highlights), ("implementation", _implementations)):
        for expectation in file.of_kind(kind):
            yield from _check_places(fixture, snapshot, file, expectation, ask)


_Ask = Callable[[Snapshot, str, int], list[tuple[FileSpan, str]]]


def _references(snapshot: Snapshot, uri: str, offset: int) -> list[tuple[FileSpan, str]]:
    return [(found.span, "") for found in product.references(snapshot, uri, offset)]


def _highlights(snapshot: Snapshot, uri: str, offset: int) -> list[tuple[FileSpan, str]]:
    return [(found.span, "!" if found.written else "") for found in product.document_highlight(snapshot, uri, offset)]


def _implementations(snapshot: Snapshot, uri: str, offset: int) -> list[tuple[FileSpan, str]]:
    return [(found.focus, "") for found in product.implementation(snapshot, uri, offset)]


def _check_places(
    fixture: Fixture, snapshot: Snapshot, file: FixtureFile, expectation: Expectation, ask: _Ask
) -> Iterator[Found]:
    words = [] if expectation.text == NONE else expectation.text.split()
    unknown = [word for word in words if word.strip("@!") not in fixture.labels]
    if unknown:
        yield _say(fixture, expectation, f"no label '{unknown[0]}'"), None
        return
    wanted = {(fixture.labels[word.strip("@!")], "!" if word.endswith("!") else "") for word in words}
    for offset in offsets(expectation):
        found = [(Label(span.uri, span.start, span.end), sign) for span, sign in ask(snapshot, file.uri, offset)]
        if set(found) != wanted:
            shown = " ".join(show_place(fixture, label) + sign for label, sign in found) or NONE
            rewrite = rewrite_text(fixture, expectation, shown) if " at " not in shown else None
            yield _say(fixture, expectation, f"at {offset}: {expectation.kind} is {shown}"), rewrite
            return


# ---------------------------------------------------------------- the lineage tree


def check_hierarchy(fixture: Fixture, snapshot: Snapshot, file: FixtureFile) -> Iterator[Found]:
    """`incoming: shop.v.city(shop.w.city)` is the whole tree downstream of a mark, `outgoing: ..` the one upstream.

    What an item leads to stands in brackets behind it; a query is shown by its first words, a circle by `^`.
    """
    for kind, walk in (("incoming", product.incoming_calls), ("outgoing", product.outgoing_calls)):
        for expectation in file.of_kind(kind):
            for offset in offsets(expectation):
                roots = product.prepare_call_hierarchy(snapshot, file.uri, offset)
                trees = [_tree(snapshot, root, walk, 0) for root in roots]
                shown = " | ".join(tree or NONE for tree in trees) or NONE
                if shown != expectation.text:
                    message = _say(fixture, expectation, f"at {offset}: {kind} is {shown!r}")
                    yield message, rewrite_text(fixture, expectation, shown)
                    break


_Walk = Callable[[Snapshot, LineageItem], tuple[LineageStep, ...]]


def _tree(snapshot: Snapshot, item: LineageItem, walk: _Walk, depth: int) -> str:
    assert depth < _DEEPEST_TREE, "the tree does not end"
    shown = []
    for step in walk(snapshot, item):
        inner = _tree(snapshot, step.item, walk, depth + 1)
        shown.append(_show_item(step.item) + (f"({inner})" if inner else ""))
    return ", ".join(shown)


def _show_item(item: LineageItem) -> str:
    if item.node is None:
        return " ".join(item.name.split()[:2]) + ".."
    name = f"{item.detail.split(' · ')[0]}.{item.name}" if item.node.path else item.name
    return name + ("^" if item.circle else "")


# ---------------------------------------------------------------- colours, selections, links


def check_tokens(fixture: Fixture, snapshot: Snapshot, file: FixtureFile) -> Iterator[Found]:
    """`token: column declaration`: the kind and the modifiers of the one token at a mark."""
    marks = file.of_kind("token")
    tokens = product.semantic_tokens(snapshot, file.uri) if marks else ()
    found = {(token.span.start, token.span.end): " ".join((token.kind, *token.modifiers)) for token in tokens}
    for expectation in marks:
        actual = found.get((expectation.start, expectation.end), NONE)
        if actual != expectation.text:
            yield _say(fixture, expectation, f"token is {actual!r}"), rewrite_text(fixture, expectation, actual)


def check_selections(fixture: Fixture, snapshot: Snapshot, file: FixtureFile) -> Iterator[Found]:
    """`selection: addr`, continued by a line for each selection around it, short of the document; blanks are one."""
    for expectation in file.of_kind("selection"):
        for offset in offsets(expectation):
            spans = product.selection_range(snapshot, file.uri, offset)[:-1]
            actual = "\n".join(_level(file.text[span.start : span.end]) for span in spans) or NONE
            if actual != expectation.text:
                message = _say(fixture, expectation, f"at {offset}: selection is {actual!r}")
                yield message, rewrite_text(fixture, expectation, actual)
                break


def _level(text: str) -> str:
    plain = " ".join(line for line in text.split("\n") if not line.lstrip().startswith("--"))
    words = " ".join(plain.split())
    return words if len(words) <= _LONGEST_LEVEL else f"{words[: _LONGEST_LEVEL - 12]} .. {words[-8:]}"


def check_links(fixture: Fixture, snapshot: Snapshot, file: FixtureFile) -> Iterator[Found]:
    """`link: @label`, `link: data/x.csv` (a file of the fixture, or of its option `files`) or an address."""
    marks = file.of_kind("link")
    files = {f"file:///fixture/{path.strip()}" for path in fixture.options.get("files", "").split(",")}
    files |= {other.uri for other in fixture.files}
    links = product.document_links(snapshot, file.uri, files.__contains__) if marks else ()
    found = {}
    for link in links:
        place = link.place
        shown = show_place(fixture, Label(place.uri, place.start, place.end)) if place is not None else link.address
        found[link.span.start, link.span.end] = shown.removeprefix("file:///fixture/")
    for expectation in marks:
        actual = found.get((expectation.start, expectation.end), NONE)
        if actual != expectation.text:
            yield _say(fixture, expectation, f"link is {actual!r}"), rewrite_text(fixture, expectation, actual)


# ---------------------------------------------------------------- whole files, the whole workspace


def check_folds(fixture: Fixture, snapshot: Snapshot) -> Iterator[Found]:
    """The golden section `@folds`: `main.sql 3-7 code`, lines of a file counted from 1."""
    section = fixture.sections.get("folds")
    if section is None:
        return
    actual = []
    for file in fixture.files:
        for fold in product.folding_ranges(snapshot, file.uri):
            first, last = (file.text.count("\n", 0, offset) + 1 for offset in (fold.span.start, fold.span.end))
            actual.append(f"{file.path} {first}-{last} {fold.kind}")
    if tuple(actual) != section.lines:
        shown = "\n    ".join(actual)
        yield f"{fixture.path}: @folds is\n    {shown}", rewrite_section(fixture, "folds", tuple(actual))


def check_symbols(fixture: Fixture, snapshot: Snapshot) -> Iterator[Found]:
    """The golden section `@symbols`: what the option `symbols` finds, best first: `field shop.orders.addr city`."""
    section = fixture.sections.get("symbols")
    if section is None:
        return
    found = product.workspace_symbols(snapshot, fixture.options.get("symbols", ""))
    actual = tuple(f"{symbol.kind} {symbol.container or '-'} {symbol.name}" for symbol in found)
    if actual != section.lines:
        shown = "\n    ".join(actual)
        yield f"{fixture.path}: @symbols is\n    {shown}", rewrite_section(fixture, "symbols", actual)


# ---------------------------------------------------------------- words


def offsets(expectation: Expectation) -> tuple[int, ...]:
    """The first, the last and the offset just behind a mark."""
    return tuple(dict.fromkeys((expectation.start, expectation.end - 1, expectation.end)))


def show_place(fixture: Fixture, place: Label) -> str:
    """A place by its label, else by its text."""
    name = fixture.label_at(place.uri, place.start, place.end)
    if name is not None:
        return f"@{name}"
    text = next((file.text for file in fixture.files if file.uri == place.uri), "")
    return f"{text[place.start : place.end]!r} at {place.uri}:{place.start}"


def _say(fixture: Fixture, expectation: Expectation, message: str) -> str:
    return f"{fixture.path}:{expectation.first + 1}: {expectation.kind}: {expectation.text!r}: {message}"
