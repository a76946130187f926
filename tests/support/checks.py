"""Checks a fixture against the product: one `check_*` function a feature is the only code that calls its API.

Every check compares one to one what a fixture expects with what the product says, and returns `Failure`s. A failure
carries the rewrite that `pytest --update-fixtures` makes where a text or a golden section is all that is wrong; marks
are never added or moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sql_lineage_ls.features.results import Code, HoverInfo, NavigationTarget
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.support import product, shown
from tests.support.fixture import (
    SEVERITIES,
    Expectation,
    Fixture,
    FixtureFile,
    Label,
    Rewrite,
    apply_rewrites,
    read_fixture,
    rewrite_section,
    rewrite_text,
)

NONE = "(none)"
_LINEAGE_SECTIONS = frozenset({"nodes", "edges", "messages"})


@dataclass(frozen=True)
class Failure:
    """What is wrong, said for a person, and how the fixture's text would be mended."""

    message: str
    rewrite: Rewrite | None = None


def check_fixture(fixture: Fixture) -> list[Failure]:
    """Every failure of a fixture, in each of its dialects."""
    failures: list[Failure] = []
    for dialect in dialects_of(fixture):
        snapshot = product.open_files({file.uri: file.text for file in fixture.files}, dialect)
        for failure in _check(fixture, snapshot):
            failures.append(Failure(f"[{dialect or 'default'}] {failure.message}", failure.rewrite))
    return failures


def dialects_of(fixture: Fixture) -> tuple[str, ...]:
    """The dialects that a fixture runs in: `--# dialect: a` or `--# dialects: a, b`."""
    names = fixture.options.get("dialects", fixture.options.get("dialect", ""))
    return tuple(name.strip() for name in names.split(","))


def updated(fixture: Fixture, failures: Iterable[Failure]) -> str:
    """The fixture's text with every failure mended that a text can mend."""
    rewrites = {failure.rewrite.first: failure.rewrite for failure in failures if failure.rewrite is not None}
    return apply_rewrites(fixture, list(rewrites.values()))


def _check(fixture: Fixture, snapshot: Snapshot) -> Iterator[Failure]:
    lenses = any(file.of_kind("lens") for file in fixture.files) or fixture.options.get("lenses") == "on"
    for file in fixture.files:
        yield from check_hover(fixture, snapshot, file)
        yield from check_navigation(fixture, snapshot, file, "definition", product.definition)
        yield from check_navigation(fixture, snapshot, file, "declaration", product.declaration)
        yield from check_diagnostics(fixture, snapshot, file)
        if lenses:
            yield from check_lenses(fixture, snapshot, file)
        for check in (
            shown.check_uses,
            shown.check_hierarchy,
            shown.check_tokens,
            shown.check_selections,
            shown.check_links,
        ):
            yield from (Failure(*found) for found in check(fixture, snapshot, file))
    yield from (Failure(*found) for found in shown.check_folds(fixture, snapshot))
    yield from (Failure(*found) for found in shown.check_symbols(fixture, snapshot))
    yield from check_lineage(fixture, snapshot)


# ---------------------------------------------------------------- hover


def check_hover(fixture: Fixture, snapshot: Snapshot, file: FixtureFile) -> Iterator[Failure]:
    """Each mark's hover, at its first, its last and the offset just behind it.

    One line (`hover: t.items[*].qty`) has to be the signature, a line, or a piece of code of the hover; several lines,
    or `=@section`, are the whole hover as plain text.
    """
    for expectation in file.of_kind("hover"):
        for offset in shown.offsets(expectation):
            found = product.hover(snapshot, file.uri, offset)
            actual = NONE if found is None else found.present("plaintext")
            if found is not None and (found.span.start, found.span.end) != (expectation.start, expectation.end):
                yield Failure(_say(fixture, expectation, f"at {offset}: the hover's token is {found.span}"))
                break
            if not _hover_agrees(fixture, expectation.text, found, actual):
                yield Failure(
                    _say(fixture, expectation, f"at {offset}: hover is {actual!r}"),
                    _hover_rewrite(fixture, expectation, actual),
                )
                break


def _hover_agrees(fixture: Fixture, expected: str, found: HoverInfo | None, actual: str) -> bool:
    if expected.startswith("=@"):
        section = fixture.sections.get(expected[2:])
        return section is not None and "\n".join(section.lines) == actual
    if found is None or "\n" in expected or expected == NONE:
        return expected == actual
    codes = {piece.text for line in found.lines for piece in line if isinstance(piece, Code)}
    return expected in codes or expected in actual.split("\n")


def _hover_rewrite(fixture: Fixture, expectation: Expectation, actual: str) -> Rewrite | None:
    if not expectation.text.startswith("=@"):
        return rewrite_text(fixture, expectation, actual)
    name = expectation.text[2:]
    return rewrite_section(fixture, name, tuple(actual.split("\n"))) if name in fixture.sections else None


# ---------------------------------------------------------------- definition, declaration

Navigate = Callable[[Snapshot, str, int], tuple[NavigationTarget, ...]]


def check_navigation(
    fixture: Fixture, snapshot: Snapshot, file: FixtureFile, kind: str, navigate: Navigate
) -> Iterator[Failure]:
    """Each mark's jump, at its first, its last and the offset just behind it: exactly the labels that it names."""
    for expectation in file.of_kind(kind):
        names = [] if expectation.text == NONE else [name.lstrip("@") for name in expectation.text.split()]
        unknown = [name for name in names if name not in fixture.labels]
        if unknown:
            yield Failure(_say(fixture, expectation, f"no label '@{unknown[0]}'"))
            continue
        expected = {fixture.labels[name] for name in names}
        for offset in shown.offsets(expectation):
            targets = navigate(snapshot, file.uri, offset)
            actual = {Label(target.focus.uri, target.focus.start, target.focus.end) for target in targets}
            if actual != expected:
                places = " ".join(shown.show_place(fixture, label) for label in sorted(actual, key=repr)) or NONE
                yield Failure(
                    _say(fixture, expectation, f"at {offset}: {kind} is {places}"),
                    rewrite_text(fixture, expectation, places) if " at " not in places else None,
                )
                break


# ---------------------------------------------------------------- diagnostics, lenses


@dataclass(frozen=True)
class _Finding:
    """A diagnostic or lens that the product gives, in the terms of a mark."""

    kind: str
    code: str
    text: str
    start: int
    end: int


def check_diagnostics(fixture: Fixture, snapshot: Snapshot, file: FixtureFile) -> Iterator[Failure]:
    """The diagnostics of a file, one to one; the option `complete: on` claims that nothing is undeclared."""
    told = product.DiagnosticOptions(complete=fixture.options.get("complete") == "on")
    found = [
        _Finding(diagnostic.severity, diagnostic.code, diagnostic.message, diagnostic.span.start, diagnostic.span.end)
        for diagnostic in product.diagnostics(snapshot, file.uri, told)
    ]
    yield from _match(fixture, file, file.of_kind(*SEVERITIES), found)


def check_lenses(fixture: Fixture, snapshot: Snapshot, file: FixtureFile) -> Iterator[Failure]:
    """The lenses of a file, one to one."""
    found = [
        _Finding("lens", "", lens.title, lens.span.start, lens.span.end)
        for lens in product.code_lenses(snapshot, file.uri)
    ]
    yield from _match(fixture, file, file.of_kind("lens"), found)


def _match(
    fixture: Fixture, file: FixtureFile, expected: list[Expectation], found: list[_Finding]
) -> Iterator[Failure]:
    rest = list(found)
    missing: list[Expectation] = []
    for expectation in expected:
        same = next((finding for finding in rest if _key(finding) == _key(expectation)), None)
        if same is None:
            missing.append(expectation)
        else:
            rest.remove(same)
    for expectation in missing:
        near = next((finding for finding in rest if _key(finding)[:4] == _key(expectation)[:4]), None)
        if near is None:
            yield Failure(_say(fixture, expectation, "not found"))
            continue
        rest.remove(near)
        yield Failure(_say(fixture, expectation, f"is {near.text!r}"), rewrite_text(fixture, expectation, near.text))
    for finding in rest:
        line = file.text.count("\n", 0, finding.start) + 1
        kind = f"{finding.kind}[{finding.code}]" if finding.code else finding.kind
        yield Failure(
            f"{fixture.path}: {file.path}:{line} {file.text[finding.start : finding.end]!r}: "
            f"not expected: {kind}: {finding.text}"
        )


def _key(item: _Finding | Expectation) -> tuple[str, str, int, int, str]:
    return (item.kind, item.code, item.start, item.end, item.text)


# ---------------------------------------------------------------- lineage


def check_lineage(fixture: Fixture, snapshot: Snapshot) -> Iterator[Failure]:
    """The golden sections `@nodes`, `@edges` and `@messages`: the same facts, whatever their order.

    Indirect edges (`<~`) count where the option `indirect` is `on`, or the section has one.
    """
    wanted = _LINEAGE_SECTIONS & fixture.sections.keys()
    if not wanted:
        return
    edges = fixture.sections.get("edges")
    indirect = fixture.options.get("indirect") == "on" or (edges is not None and " <~ " in "\n".join(edges.lines))
    lines = product.lineage_text(snapshot, {file.uri: file.path for file in fixture.files}, indirect).splitlines()
    for name in sorted(wanted):
        section = fixture.sections[name]
        actual = tuple(line for line in lines if section_of(line) == name)
        if sorted(map(normal_line, section.lines)) != sorted(map(normal_line, actual)):
            said = "\n    ".join(actual) or "(nothing)"
            yield Failure(f"{fixture.path}: @{name} is\n    {said}", rewrite_section(fixture, name, actual))


def section_of(line: str) -> str:
    """The golden section that a line of the text export belongs to."""
    if line.startswith("message: "):
        return "messages"
    return "edges" if " <- " in line or " <~ " in line else "nodes"


def normal_line(line: str) -> str:
    """A line of the text export with what has no order in order: the sources of an edge, the nodes of a relation."""
    for arrow in (" <- ", " <~ "):
        if arrow in line:
            target, sources = line.split(arrow, 1)
            return target + arrow + " ".join(sorted(_source_names(sources)))
    if section_of(line) == "nodes":
        name, _, nodes = line.partition(":")
        return f"{name}: {', '.join(sorted(filter(None, (node.strip() for node in nodes.split(',')))))}"
    return line


def _source_names(text: str) -> list[str]:
    """The sources of an edge's line; an address in quotes may hold blanks."""
    names: list[str] = [""]
    quoted = False
    for char in text:
        quoted ^= char == "'"
        if char == " " and not quoted:
            names.append("")
        else:
            names[-1] += char
    return list(filter(None, names))


def _say(fixture: Fixture, expectation: Expectation, message: str) -> str:
    kind = f"{expectation.kind}[{expectation.code}]" if expectation.code else expectation.kind
    return f"{fixture.path}:{expectation.first + 1}: {kind}: {expectation.text!r}: {message}"


__all__ = ["Failure", "check_fixture", "read_fixture", "updated"]
