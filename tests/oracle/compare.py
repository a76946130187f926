"""Generated statements, answered by an engine and by the program, and where the two disagree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol

from tests.oracle import ours
from tests.oracle.believed import Written
from tests.oracle.duck import BITS
from tests.oracle.flavours import Flavour
from tests.oracle.generator import Generator, random_schema, swapped
from tests.oracle.googlesql import Rejected, Untraced
from tests.oracle.statement_shapes import statement
from tests.oracle.trees import Rec, Schema, Tree

A_SCHEMA = 25
"""Generated queries of one schema; each is followed by mutants of itself."""


class Database(Protocol):
    """An engine that holds one schema."""

    def run(self, query: str) -> list[tuple[str, Tree]]: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Engine:
    """How to fill an engine's database with a schema, whose DDL is given.

    `loses` says of a statement and its answer whether they may show less than all sources: never where the answer is
    a resolved tree. `quirk` says of a statement and what is found wrong whether the engine does what we do not follow.
    """

    flavour: Flavour
    open: Callable[[Schema, str], Database]
    loses: Callable[[str, Sequence[tuple[str, Tree]]], bool]
    quirk: Callable[[str, list[str]], bool]
    generator: type[Generator] = Generator


@dataclass(frozen=True)
class Disagreement:
    """A statement of which the engine and the program say different things."""

    seed: int
    ddl: str
    text: str
    found: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"seed {self.seed}", self.ddl, self.text, *self.found])

    @property
    def kind(self) -> str:
        """The first difference without its names."""
        return re.sub(r"'[^']*'|\[[^\]]*\]|[a-z_]+(\.[a-z_*\[\]]+)+|^[a-z_]+:", "…", self.found[0])


@dataclass
class Tally:
    """How often what happened."""

    generated: int = 0
    compared: int = 0
    rejected: int = 0
    untraced: Counter[str] = field(default_factory=Counter)
    named: int = 0
    """Rejected because of a name."""
    flagged: int = 0
    """Those of them that the program accuses too."""

    def __str__(self) -> str:
        return (
            f"{self.generated} statements: {self.compared} compared, {self.rejected} rejected by the engine "
            f"({self.named} for a name, of which {self.flagged} are diagnosed), {self.untraced.total()} not traced "
            f"{dict(self.untraced) or ''}"
        )


# Refusals that are about what a name means.
_NAMES = re.compile(
    r"Unrecognized name|Name \w+ not found|is ambiguous|Cannot access field|does not exist in|Duplicate column"
    r"|not found in FROM|Ambiguous reference|not found in struct|Could not find key|does not have a column"
    r"|Referenced table|Column .* not found|Field name|has no column|not found inside"
    r"|column .* does not exist|missing FROM-clause|UNRESOLVED_COLUMN|AMBIGUOUS_|FIELD_NOT_FOUND|UNKNOWN_IDENTIFIER"
)


def compare(
    engine: Engine, seed: int, count: int, tally: Tally, ended: Callable[[], bool] = lambda: False
) -> Iterator[Disagreement]:
    """Compares until `count` statements were accepted by the engine; schemas come from `seed` and those after it.

    `ended` is asked after each schema.
    """
    last = tally.compared + count
    while tally.compared < last and not ended():
        random = Random(seed)
        schema = random_schema(random)
        records: dict[Rec, None] = {}
        statements = list(_statements(random, engine, schema, records))
        ddl = engine.flavour.ddl(schema, records)
        database = engine.open(schema, ddl)
        analyst = ours.Analyst(ddl, engine.flavour.dialect)
        for made in statements:
            if tally.compared >= last:
                break
            found = _compared(engine, database, analyst, schema, made, tally)
            if found:
                yield Disagreement(seed, ddl, made.text, tuple(found))
        database.close()
        seed += 1


def _statements(
    random: Random, engine: Engine, schema: Schema, records: dict[Rec, None]
) -> Iterator[Written]:
    """Generated statements and mutants of them; the record types that they name."""
    for _ in range(A_SCHEMA):
        generator = engine.generator(random, engine.flavour, schema)
        made = statement(generator)
        records.update(generator.records)
        yield made
        yield replace(made, text=made.head + swapped(random, made.text[len(made.head):]))


def _compared(
    engine: Engine, database: Database, analyst: ours.Analyst, schema: Schema, made: Written, tally: Tally
) -> list[str]:
    tally.generated += 1
    text = made.text
    answer = analyst.analyse(text)
    try:
        run = getattr(database, "writes", database.run) if made.kind == "dml" else database.run
        columns = run(text)
    except Rejected as error:
        tally.rejected += 1
        if _NAMES.search(str(error)):
            tally.named += 1
            tally.flagged += bool(ours.false_alarms(answer))
        return []
    except Untraced as error:
        tally.untraced[str(error)] += 1
        return []
    tally.compared += 1
    lossy = made.conditions > BITS or engine.loses(text, columns)
    differing = (ours.written_differences(answer, made.target, columns, schema, lossy=lossy) if made.kind == "dml"
                 else ours.differences(answer, columns, schema, lossy=lossy))
    found = [*ours.false_alarms(answer), *differing]
    return [] if found and engine.quirk(text, found) else found
