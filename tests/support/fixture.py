"""The annotated-SQL fixture format: reads a fixture, and writes new texts into it.

A fixture is a `.sql` file that stays valid SQL; its annotations are comments, so offsets in it are real:

    --# dialect: bigquery             an option of the whole fixture
    --- ddl/raw.sql                   the file `ddl/raw.sql` begins
    CREATE TABLE raw (qty INT64);
    --                ^^^ @qty        the label `qty` for the marked range of the last code line above
    --                ^^^ hover: ..   an expectation, `kind[code]: text`
    -- <^^^^^ hover: (none)           a mark that begins in column 0
    -- | more text                    continues the text of the expectation above
    --- @edges                        the golden section `edges` begins

Options stand before everything else. Without a `--- path` line the whole text is one file, `main.sql`.
Offsets are code points in the text of the file that a mark stands in. A mark that is out of place is an error: it is
longer than its line, begins or ends with a blank, or cuts a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

_OPTION = re.compile(r"--# *([a-z][a-z-]*): *(.*?) *$")
_HEADER = re.compile(r"--- *(@)?(\S+) *$")
_MARK = re.compile(r"-- *(?P<zero><)?(?P<carets>\^+)(?P<rest>.*)$")
_CONTINUATION = re.compile(r"-- *\| ?(.*)$")
_LABELS = re.compile(r"(?: +@[\w.-]+)*")
_EXPECTATION = re.compile(r" *([a-z]+)(?:\[([a-z-]+)\])?: ?(.*)$")
SEVERITIES = ("error", "warning", "information", "hint")
KINDS = frozenset(
    {
        "hover", "definition", "declaration", "lens", "references", "highlight", "implementation", "incoming",
        "outgoing", "token", "selection", "link", *SEVERITIES,
    }
)  # fmt: skip


class FixtureError(Exception):
    """A fixture that is not well formed: `path:line: what is wrong`."""


@dataclass(frozen=True)
class Expectation:
    """What a mark expects. `first`..`last` are the lines of the fixture (from 0) that hold its text."""

    kind: str
    code: str
    text: str
    first: int
    last: int
    start: int
    end: int

    def lines(self, text: str, prefix: str) -> list[str]:
        """The expectation's comment lines with another text; `prefix` is its first line up to the text."""
        head, *more = text.split("\n")
        return [f"{prefix}{head}".rstrip(), *(f"-- | {line}".rstrip() for line in more)]


@dataclass
class FixtureFile:
    """One file of a fixture's workspace, with everything that is expected in it."""

    path: str
    text: str = ""
    expectations: list[Expectation] = field(default_factory=list)

    @property
    def uri(self) -> str:
        return f"file:///fixture/{self.path}"

    def of_kind(self, *kinds: str) -> list[Expectation]:
        return [expectation for expectation in self.expectations if expectation.kind in kinds]


@dataclass(frozen=True)
class Label:
    """A named range of a file."""

    uri: str
    start: int
    end: int


@dataclass(frozen=True)
class Section:
    """A golden section: its lines, and where they stand in the fixture (`first` up to `end`, from 0)."""

    lines: tuple[str, ...]
    first: int
    end: int


@dataclass
class Fixture:
    """A whole fixture."""

    path: Path
    lines: list[str]
    options: dict[str, str] = field(default_factory=dict)
    files: list[FixtureFile] = field(default_factory=list)
    labels: dict[str, Label] = field(default_factory=dict)
    sections: dict[str, Section] = field(default_factory=dict)

    def label_at(self, uri: str, start: int, end: int) -> str | None:
        """The name of the label that marks exactly this range."""
        return next((name for name, label in self.labels.items() if label == Label(uri, start, end)), None)


class _Reader:
    """Reads the lines of a fixture in order."""

    def __init__(self, path: Path, text: str) -> None:
        self.fixture = Fixture(path, text.split("\n"))
        self.file: FixtureFile | None = None
        self.code_start = -1
        self.code = ""

    def fail(self, number: int, message: str) -> FixtureError:
        return FixtureError(f"{self.fixture.path}:{number + 1}: {message}")

    def read(self) -> Fixture:
        section: tuple[str, int] | None = None
        lines = self.fixture.lines
        for number, line in enumerate(lines):
            header = _HEADER.fullmatch(line)
            if header:
                self._end_section(section, number)
                section = (header[2], number + 1) if header[1] else None
                self.file = None if section else self._new_file(header[2], number)
            elif section is None:
                self._read_line(number, line)
        self._end_section(section, len(lines))
        return self.fixture

    def _new_file(self, path: str, number: int) -> FixtureFile:
        if any(other.path == path for other in self.fixture.files):
            raise self.fail(number, f"a second file '{path}'")
        file = FixtureFile(path)
        self.fixture.files.append(file)
        self.code_start, self.code = -1, ""
        return file

    def _end_section(self, section: tuple[str, int] | None, end: int) -> None:
        if section is None:
            return
        name, first = section
        if name in self.fixture.sections:
            raise self.fail(first - 1, f"a second section '@{name}'")
        lines = tuple(line for line in self.fixture.lines[first:end] if line.strip())
        self.fixture.sections[name] = Section(lines, first, end)

    def _read_line(self, number: int, line: str) -> None:
        option = _OPTION.fullmatch(line)
        if option:
            if self.file is not None:
                raise self.fail(number, "options stand at the top of a fixture")
            self.fixture.options[option[1]] = option[2]
            return
        if self.file is None:
            if not line.strip():
                return
            self.file = self._new_file("main.sql", number)
        start = len(self.file.text)
        last = number == len(self.fixture.lines) - 1
        self.file.text += line if last else line + "\n"
        if mark := _MARK.fullmatch(line):
            self._read_mark(number, line, mark)
        elif continuation := _CONTINUATION.fullmatch(line):
            self._continue(number, continuation[1])
        else:
            self.code_start, self.code = start, line

    def _continue(self, number: int, text: str) -> None:
        assert self.file is not None
        if not self.file.expectations or self.file.expectations[-1].last != number - 1:
            raise self.fail(number, "nothing above to continue")
        last = self.file.expectations.pop()
        self.file.expectations.append(
            Expectation(last.kind, last.code, f"{last.text}\n{text}", last.first, number, last.start, last.end)
        )

    def _read_mark(self, number: int, line: str, mark: re.Match[str]) -> None:
        assert self.file is not None
        begin = 0 if mark["zero"] else mark.start("carets")
        finish = begin + len(mark["carets"])
        self._check_place(number, begin, finish)
        start, end = self.code_start + begin, self.code_start + finish
        labels = _LABELS.match(mark["rest"])
        assert labels is not None
        names = [name[1:] for name in labels[0].split()]
        for name in names:
            if name in self.fixture.labels:
                raise self.fail(number, f"a second label '@{name}'")
            self.fixture.labels[name] = Label(self.file.uri, start, end)
        rest = mark["rest"][labels.end() :]
        if not rest.strip():
            if not names:
                raise self.fail(number, "a mark that expects nothing")
            return
        expectation = _EXPECTATION.fullmatch(rest)
        if not expectation or expectation[1] not in KINDS:
            raise self.fail(number, f"cannot read '{rest.strip()}'; known kinds: {', '.join(sorted(KINDS))}")
        if bool(expectation[2]) != (expectation[1] in SEVERITIES):
            raise self.fail(number, "a [code] belongs to diagnostics, and only to them")
        self.file.expectations.append(
            Expectation(expectation[1], expectation[2] or "", expectation[3].strip(), number, number, start, end)
        )

    def _check_place(self, number: int, begin: int, finish: int) -> None:
        code = self.code
        if self.code_start < 0 or not code.strip():
            raise self.fail(number, "a mark without a code line above")
        if finish > len(code):
            raise self.fail(number, f"the mark is longer than its line: {code!r}")
        marked = code[begin:finish]
        if marked != marked.strip():
            raise self.fail(number, f"the mark begins or ends with a blank: {marked!r}")
        for edge in (begin, finish):
            if 0 < edge < len(code) and _is_word(code[edge - 1]) and _is_word(code[edge]):
                raise self.fail(number, f"the mark cuts a word: {marked!r} in {code!r}")


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def read_fixture(path: Path, text: str | None = None) -> Fixture:
    """The fixture at `path`, or in `text`. Raises FixtureError where it is not well formed."""
    return _Reader(path, path.read_text(encoding="utf-8") if text is None else text).read()


@dataclass(frozen=True)
class Rewrite:
    """New lines for the lines `first`..`end` of a fixture."""

    first: int
    end: int
    lines: tuple[str, ...]


def rewrite_text(fixture: Fixture, expectation: Expectation, text: str) -> Rewrite:
    """The change that gives an expectation another text; its mark stays where it is."""
    old = fixture.lines[expectation.first]
    head = old[: old.index(":", old.index("^")) + 1] + " "
    return Rewrite(expectation.first, expectation.last + 1, tuple(expectation.lines(text, head)))


def rewrite_section(fixture: Fixture, name: str, lines: tuple[str, ...]) -> Rewrite:
    """The change that gives a golden section other lines; blank lines behind it stay."""
    section = fixture.sections[name]
    end = section.end
    while end > section.first and not fixture.lines[end - 1].strip():
        end -= 1
    return Rewrite(section.first, end, lines)


def apply_rewrites(fixture: Fixture, rewrites: list[Rewrite]) -> str:
    """The fixture's text with all changes made."""
    lines = list(fixture.lines)
    for rewrite in sorted(rewrites, key=lambda change: change.first, reverse=True):
        lines[rewrite.first : rewrite.end] = rewrite.lines
    return "\n".join(lines)
