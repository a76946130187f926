"""How the demo looks: a line of SQL, and under it what an editor would show there. Plain text where no terminal is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TextIO

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

_LINK = re.compile(r"\[(`+ ?.*? ?`+)\]\([^)]*\)")
_CODE = re.compile(r"(`+) ?(.*?) ?\1")
_ESCAPE = re.compile(r"\\([\\`*_\[\]<>#|~&])")
_SEVERITY_STYLES = {1: ("error", "red"), 2: ("warning", "yellow"), 3: ("information", "blue"), 4: ("hint", "cyan")}
_ROOM = 7


class Target(NamedTuple):
    """Where a jump goes: a file, line and column from 1, and the token `start`..`end` of the line's text."""

    file: str
    line: int
    column: int
    text: str = ""
    start: int = 0
    end: int = 0


class Screen:
    """Prints to `stream`, in colour where it is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        terminal = stream.isatty()
        self._console = Console(
            file=stream, highlight=False, soft_wrap=True, width=None if terminal else 120, no_color=not terminal or None
        )
        self._syntax = Syntax("", "sql", theme="ansi_dark", background_color="default")

    def title(self, text: str) -> None:
        self._console.print()
        self._console.print(Text(text, "bold"))

    def place(self, file: str, line: int) -> None:
        """Where the next line stands; `line` counts from 1."""
        self._console.print(Text(f"{' ' * _ROOM}{file}:{line}", "dim"))

    def code(self, number: int, line: str) -> None:
        text = self._syntax.highlight(line.expandtabs(4))
        text.rstrip()
        self._console.print(Text(f"{number:>{_ROOM - 2}} │ ", "dim"), text, sep="", end="\n")

    def mark(self, start: int, end: int, style: str) -> None:
        """A line of carets below columns `start`..`end` of the code line above."""
        self._console.print(
            Text(f"{' ' * (_ROOM - 2)} │ ", "dim"), Text(" " * start + "^" * max(1, end - start), style), sep=""
        )

    def lens(self, indent: int, text: str) -> None:
        self._console.print(Text(f"{' ' * (_ROOM - 2)} │ ", "dim"), Text(" " * indent + text, "italic magenta"), sep="")

    def hover(self, markdown: str) -> None:
        """The hover's Markdown, its SQL block first."""
        for line in markdown.replace("  \n", "\n").split("\n"):
            if line.startswith("```") or not line.strip():
                continue
            is_code = "`" not in line and _is_signature(line, markdown)
            self._boxed(self._syntax.highlight(line) if is_code else _prose(line), "cyan")

    def finding(self, severity: int, code: str, message: str) -> None:
        word, colour = _SEVERITY_STYLES.get(severity, ("error", "red"))
        self._boxed(Text.assemble((f"{word}[{code}] ", f"bold {colour}"), message), colour)

    def jump(self, what: str, targets: Sequence[Target]) -> None:
        for target in targets:
            line = self._syntax.highlight(target.text.expandtabs(4))
            line.rstrip()
            if target.end > target.start:
                line.stylize("bold reverse", target.start, target.end)
            indent = len(target.text) - len(target.text.lstrip())
            where = f"{target.file}:{target.line}:{target.column} "
            self._boxed(Text.assemble((f"{what} → ", "bold green"), (where, "dim"), line[indent:]), "green")

    def note(self, text: str) -> None:
        self._console.print(Text(text, "dim"))

    def _boxed(self, text: Text, colour: str) -> None:
        text.rstrip()
        self._console.print(Text(f"{' ' * (_ROOM - 2)} ┃ ", colour), text, sep="")


def _is_signature(line: str, markdown: str) -> bool:
    block = markdown.split("```")[1] if markdown.startswith("```") else ""
    return line in block.split("\n")


def _prose(line: str) -> Text:
    """A line of Markdown as text: links lose their address, code its backticks."""
    text = Text()
    line = _LINK.sub(r"\1", line)
    end = 0
    for match in _CODE.finditer(line):
        text.append(_ESCAPE.sub(r"\1", line[end : match.start()]))
        text.append(match.group(2), "bold")
        end = match.end()
    text.append(_ESCAPE.sub(r"\1", line[end:]))
    return text
