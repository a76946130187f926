"""What the generator believes to be in scope. It never says what a name means: the engine does."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.oracle.trees import Type

NAMES = ("crate", "label", "lot", "port", "hull", "note", "berth", "seal")

MADE = "made"
"""The relation that a generated view or CTAS creates."""

Columns = list[tuple[str, Type]]


@dataclass
class Source:
    """What the generator believes of one source of a FROM clause."""

    alias: str
    columns: Columns
    # The element that the alias stands for (BigQuery).
    row: Type | None = None


@dataclass
class Block:
    """A query that is being written: what can be read in it."""

    sources: list[Source]
    outer: list[Source] = field(default_factory=list)
    aliases: Columns = field(default_factory=list)
    # The name of its WINDOW clause's one entry.
    window: str = ""


@dataclass(frozen=True)
class Query:
    """A query's text and the columns that it is believed to give."""

    text: str
    columns: tuple[tuple[str, Type], ...]


@dataclass(frozen=True)
class Written:
    """A statement: a `query`, a `view` or CTAS, or `dml` that writes `target`."""

    text: str
    conditions: int
    kind: str = "query"
    target: str = ""

    @property
    def head(self) -> str:
        """What must stay as it is: the name of what a view or CTAS makes, the target of DML."""
        return "" if self.kind == "query" else self.text[: self.text.index(self.target) + len(self.target)]


Cte = tuple[str, tuple[tuple[str, Type], ...]]
