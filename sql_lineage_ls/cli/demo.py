"""`sql-lineage-ls demo`: the real server, asked what an editor asks, and its answers as a person would see them.

Without a path it tells the story of the bundled examples; with one it picks places of the person's own folder.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sql_lineage_ls.cli.client import Client, Json, ServerFailed
from sql_lineage_ls.cli.scenes import SCENES, Scene
from sql_lineage_ls.cli.screen import Screen, Target
from sql_lineage_ls.cli.usage import PROGRAM, UsageError
from sql_lineage_ls.cli.wording import counted
from sql_lineage_ls.text.line_index import LineIndex
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.discovery import discover
from sql_lineage_ls.workspace.text_files import read_text

SECONDS_FOR_DIAGNOSTICS = 20.0
MOST_DOCUMENTS = 60
MOST_LENSES = 6
_SAYS_NO_USE = re.compile(r"(?:(?:\S+: )?no downstream use(?: \| )?)+")
MOST_HOVERS = 6
MOST_TRIES = 80
MOST_FINDINGS = 12
_DOTTED = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?!\w|\()")
_JUMPS = {"definition": "go to definition", "declaration": "go to declaration"}


class _Document(NamedTuple):
    """A file that the demo opened; `file` is how it is shown."""

    uri: str
    file: str
    text: str
    lines: LineIndex

    def line(self, number: int) -> str:
        """A line without its end, counted from 0."""
        start = self.lines.offset(number, 0)
        return self.text[start : self.lines.offset(number + 1, 0)].rstrip("\r\n") if number >= 0 else ""

    def columns(self, span: Json) -> tuple[int, int, int]:
        """Line, first and last column of a protocol range, in code points; the end of the line for a longer one."""
        line = span["start"]["line"]
        start = self.lines.offset(line, span["start"]["character"], "utf-16")
        end = self.lines.offset(span["end"]["line"], span["end"]["character"], "utf-16")
        first = start - self.lines.offset(line, 0)
        return line, first, min(first + end - start, len(self.line(line)))


def run_demo(path: str) -> int:
    """Runs the demo on a folder and returns the exit code: 0, or 1 where the server failed."""
    folder = Path(path).resolve() if path else _examples()
    if not folder.is_dir():
        raise UsageError(f"'{path}' is no folder; give a folder with .sql files, or none for the bundled examples")
    screen = Screen(sys.stdout)
    began = time.monotonic()
    try:
        with Client(folder) as client:
            client.initialize()
            documents = _open(client, folder)
            if not documents:
                sys.stderr.write(f"{PROGRAM}: no SQL files in '{path}'\n")
                return 0
            client.wait_for_diagnostics({document.uri for document in documents.values()}, SECONDS_FOR_DIAGNOSTICS)
            session = _Session(client, screen, documents, folder)
            if path:
                session.explore()
            else:
                session.tell()
            code = client.shutdown()
    except ServerFailed as error:
        sys.stderr.write(f"{PROGRAM}: demo: {error}\n")
        return 1
    findings = sum(map(len, client.diagnostics.values()))
    count = f"{counted(len(documents), 'file')}, {counted(findings, 'finding')}"
    screen.title(f"{count}, {time.monotonic() - began:.1f} seconds")
    if code != 0:
        sys.stderr.write(f"{PROGRAM}: demo: the server ended with exit code {code}\n")
        return 1
    return 0


def _examples() -> Path:
    """The bundled workspace: inside the installed package, or beside it in a clone."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "examples", package.parent / "examples"):
        if folder.is_dir():
            return folder
    raise UsageError("the bundled examples are not installed; give a folder with .sql files")


def _open(client: Client, folder: Path) -> dict[str, _Document]:
    documents = {}
    for found in discover(folder, Settings()).files[:MOST_DOCUMENTS]:
        text = read_text(found.path)
        if text is not None:
            file = found.path.relative_to(folder).as_posix() if found.path.is_relative_to(folder) else str(found.path)
            documents[file] = _Document(client.open(found.path, text), file, text, LineIndex(text))
    return documents


class _Session:
    """What is asked and shown in one run."""

    def __init__(self, client: Client, screen: Screen, documents: dict[str, _Document], folder: Path) -> None:
        self.client = client
        self.screen = screen
        self.documents = documents
        self.folder = folder

    # ------------------------------------------------------------ the bundled examples

    def tell(self) -> None:
        """The scenes of the bundled examples. A scene without an answer is a failure of the server."""
        for scene in SCENES:
            self.screen.title(scene.title)
            document = self.documents.get(scene.file)
            offset = document.text.find(scene.around) if document is not None else -1
            if document is None or offset < 0:
                raise ServerFailed(f"the example {scene.file} has no '{scene.around}'")
            if not self._show(document, scene, offset):
                raise ServerFailed(f"no answer at '{scene.around}' in {scene.file}")

    def _show(self, document: _Document, scene: Scene, offset: int) -> bool:
        line, _ = document.lines.position(offset)
        if scene.asks == ("lens",):
            return self._show_lenses(document, line)
        if not scene.at:
            return self._show_findings(document, line, MOST_FINDINGS) > 0
        position = document.lines.position(offset + scene.around.find(scene.at))
        return self._show_answers(document, position, len(scene.at), scene.asks)

    # ------------------------------------------------------------ a folder of the person's own

    def explore(self) -> None:
        """Declarations with uses, hovers on field paths, and every finding, as far as a screen goes."""
        self.screen.title("Who uses what is declared")
        shown = 0
        for document in self.documents.values():
            for line, title in self._lenses(document).items():
                if shown < MOST_LENSES and not _SAYS_NO_USE.fullmatch(title):
                    self.screen.place(document.file, line + 1)
                    self._show_line(document, line, title)
                    shown += 1
        if not shown:
            self.screen.note("  nothing that is declared here is used here")
        self.screen.title("Where values come from")
        self._explore_hovers()
        self.screen.title("Findings")
        left = MOST_FINDINGS
        for document in self.documents.values():
            left -= self._show_findings(document, None, left)
        total = sum(map(len, self.client.diagnostics.values()))
        if not total:
            self.screen.note("  none")
        elif total > MOST_FINDINGS:
            self.screen.note(f"  and {total - MOST_FINDINGS} more")

    def _explore_hovers(self) -> None:
        shown = 0
        for document, start, end in islice(self._field_paths(), MOST_TRIES):
            if shown == MOST_HOVERS:
                break
            position = document.lines.position(start)
            answer = self.client.ask("hover", document.uri, *position)
            if answer and "\nfrom " in _markdown(answer):
                shown += self._show_answers(document, position, end - start, ("hover", "declaration"))
        if not shown:
            self.screen.note("  no column or field path whose source is known")

    def _field_paths(self) -> Iterator[tuple[_Document, int, int]]:
        """The last parts of dotted names, the first of each document before the second of any."""
        documents = self.documents.values()
        found = ([(document, match) for match in _DOTTED.finditer(document.text)] for document in documents)
        for one_of_each in zip_longest(*found):
            for document, match in filter(None, one_of_each):
                yield document, match.start() + match.group().rfind(".") + 1, match.end()

    # ------------------------------------------------------------ answers

    def _show_answers(
        self, document: _Document, position: tuple[int, int], length: int, asks: tuple[str, ...]
    ) -> bool:
        line, character = position
        column = document.lines.offset(line, character) - document.lines.offset(line, 0)
        self.screen.place(document.file, line + 1)
        self.screen.code(line + 1, document.line(line))
        self.screen.mark(column, column + length, "cyan")
        answered = False
        for ask in asks:
            answer = self.client.ask(ask, document.uri, line, character)
            if ask == "hover" and answer:
                self.screen.hover(_markdown(answer))
                answered = True
            elif ask != "hover":
                targets = [self._target(target) for target in _as_list(answer)]
                self.screen.jump(_JUMPS[ask], targets)
                answered |= bool(targets)
        return answered

    def _target(self, target: Json) -> Target:
        uri = target.get("targetUri") or target.get("uri", "")
        span = target.get("targetSelectionRange") or target.get("range", {})
        file = self._file(uri)
        document = self.documents.get(file)
        if document is None:
            start = span["start"]
            return Target(file, start["line"] + 1, start["character"] + 1)
        line, start, end = document.columns(span)
        return Target(file, line + 1, start + 1, document.line(line), start, end)

    def _file(self, uri: str) -> str:
        path = unquote(urlsplit(uri).path)
        root = unquote(urlsplit(self.folder.as_uri()).path).rstrip("/") + "/"
        return path[len(root) :] if path.startswith(root) else path

    def _lenses(self, document: _Document) -> dict[int, str]:
        """The lenses above each line of a document, as an editor shows them side by side."""
        lenses = self.client.request("textDocument/codeLens", {"textDocument": {"uri": document.uri}}) or []
        found: dict[int, list[tuple[int, str]]] = {}
        for lens in lenses:
            resolved = lens if lens.get("command") else self.client.request("codeLens/resolve", lens)
            line, column, _ = document.columns(lens["range"])
            found.setdefault(line, []).append((column, str(resolved["command"]["title"])))
        return {line: " | ".join(title for _, title in sorted(found[line])) for line in sorted(found)}

    def _show_lenses(self, document: _Document, first: int) -> bool:
        last = first
        while last < document.lines.line_count and document.line(last).strip():
            last += 1
        lenses = self._lenses(document)
        self.screen.place(document.file, first + 1)
        for line in range(first, last):
            self._show_line(document, line, lenses.get(line, ""))
        return any(first <= line < last for line in lenses)

    def _show_line(self, document: _Document, line: int, lenses: str) -> None:
        text = document.line(line)
        if lenses:
            self.screen.lens(len(text) - len(text.lstrip()), lenses)
        self.screen.code(line + 1, text)

    def _show_findings(self, document: _Document, only_line: int | None, most: int) -> int:
        shown = 0
        for finding in self.client.diagnostics.get(document.uri, ()):
            line, start, end = document.columns(finding["range"])
            if shown >= most or (only_line is not None and line != only_line):
                continue
            shown += 1
            severity = finding.get("severity", 1)
            self.screen.place(document.file, line + 1)
            self.screen.code(line + 1, document.line(line))
            self.screen.mark(start, end, "yellow" if severity > 1 else "red")
            self.screen.finding(severity, str(finding.get("code", "")), finding["message"])
            for info in finding.get("relatedInformation") or ():
                self.screen.jump(info["message"], [self._target(info["location"])])
        return shown


def _markdown(answer: Json) -> str:
    contents: Any = answer["contents"]
    return str(contents["value"]) if isinstance(contents, dict) else str(contents)


def _as_list(answer: Any) -> list[Json]:
    if not answer:
        return []
    return answer if isinstance(answer, list) else [answer]
