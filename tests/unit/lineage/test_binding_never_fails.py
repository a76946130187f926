"""Binding neither raises nor hangs, whatever it is given: texts cut and mixed, and models put together from parts.

The statements are those of the fixtures. `BINDING_ROUNDS` is how many mutants each dialect gets (60).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.catalog.catalog import Catalog, Definition
from sql_lineage_ls.lineage.analysis import Analysis, ParsedStatement
from sql_lineage_ls.lineage.model import StatementLineage
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import DIALECTS, Dialect
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.splitter import split

ROUNDS = int(os.environ.get("BINDING_ROUNDS", "60"))
SECONDS = 5.0
"""Far above what any of these small statements takes, far below an endless loop."""

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "lineage"
EXPRESSIONS = q.Expr.__args__  # type: ignore[attr-defined]
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def _texts() -> dict[str, list[str]]:
    """The fixtures' SQL by dialect, without their marks and golden sections."""
    found: dict[str, list[str]] = {}
    for path in sorted(FIXTURES.glob("*.sql")):
        text = path.read_text(encoding="utf-8").split("\n--- @")[0]
        head = re.match(r"--# dialects?: (.*)", text)
        names = head.group(1).split(", ") if head else ["ansi"]
        sql = "\n".join(line for line in text.split("\n") if not line.startswith("--"))
        for name in names:
            found.setdefault(name if name in DIALECTS else "ansi", []).append(sql)
    return found


TEXTS = _texts()


def _statements(text: str, dialect: Dialect) -> list[q.StatementModel]:
    return [parse_statement(text[piece.start : piece.end], dialect) for piece in split(text, dialect)]


def _bound(models: list[q.StatementModel], dialect: Dialect) -> list[StatementLineage]:
    statements = {("u", i): ParsedStatement(str(i), model, dialect) for i, model in enumerate(models)}
    definitions = tuple(
        Definition("u", i, model.statement, dialect, ParsedStatement("", model, dialect).namespace)
        for i, model in enumerate(models)
        if isinstance(model.statement, q.CreateTable | q.CreateView | q.CreateType)
    )
    analysis = Analysis(Catalog().replace_file("u", definitions), statements)
    begun = time.monotonic()
    found = [analysis.lineage("u", i) for i in range(len(models))]
    assert time.monotonic() - begun < SECONDS
    return found


def _mixed(random: Random, texts: list[str]) -> str:
    """A text with words left out, doubled, exchanged, or taken from another text."""
    words = _WORDS.findall(random.choice(texts))
    others = [word for word in _WORDS.findall(random.choice(texts)) if word.strip()]
    for _ in range(random.randint(1, 6)):
        place = random.randrange(len(words))
        kind = random.randrange(4)
        if kind == 0:
            del words[place : place + random.randint(1, 3)]
        elif kind == 1:
            words[place:place] = words[place : place + 2]
        elif kind == 2:
            words[place] = random.choice(others)
        else:
            other = random.randrange(len(words))
            words[place], words[other] = words[other], words[place]
        if not words:
            break
    return "".join(words)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_mixed_texts(name: str) -> None:
    random, dialect = Random(name), DIALECTS[name]
    for _ in range(ROUNDS):
        for lineage in _bound(_statements(_mixed(random, TEXTS[name]), dialect), dialect):
            assert isinstance(lineage, StatementLineage)


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_texts_of_other_dialects(name: str) -> None:
    random, dialect = Random(name), DIALECTS[name]
    texts = [text for others in TEXTS.values() for text in others]
    for text in random.sample(texts, min(len(texts), ROUNDS // 3)):
        for lineage in _bound(_statements(text, dialect), dialect):
            assert isinstance(lineage, StatementLineage)


# ---------------------------------------------------------------- models


def _parts(node: Any, kinds: tuple[type, ...]) -> Iterator[Any]:
    if isinstance(node, kinds):
        yield node
    if isinstance(node, Struct):
        for name in node.__struct_fields__:
            yield from _parts(getattr(node, name), kinds)
    elif isinstance(node, tuple):
        for item in node:
            yield from _parts(item, kinds)


def _with_parts(node: Any, random: Random, parts: list[Any], chance: float) -> Any:
    """The node with some of its expressions exchanged for other ones: a model that no text would give."""
    if isinstance(node, tuple):
        return tuple(_with_parts(item, random, parts, chance) for item in node)
    if not isinstance(node, Struct):
        return node
    if isinstance(node, EXPRESSIONS) and random.random() < chance:
        return random.choice(parts)
    changed = {name: _with_parts(getattr(node, name), random, parts, chance) for name in node.__struct_fields__}
    # A few places hold one kind of expression only: the model's own types say which.
    kept = {name: value for name, value in changed.items() if _fits(node, name, value)}
    return replace(node, **kept)


def _fits(node: Struct, name: str, value: Any) -> bool:
    before = getattr(node, name)
    if type(node) in _NARROW and name in _NARROW[type(node)]:
        return type(before) is type(value) and (
            not isinstance(value, tuple) or [type(v) for v in value] == [type(v) for v in before]
        )
    return True


_NARROW: dict[type, frozenset[str]] = {
    q.Star: frozenset({"except_"}),
    q.Assignment: frozenset({"target"}),
    q.Insert: frozenset({"columns"}),
    q.TableFunction: frozenset({"call"}),
    q.MergeBranch: frozenset({"columns"}),
    q.Output: frozenset({"columns"}),
}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_models_put_together_from_parts(name: str) -> None:
    random, dialect = Random(name), DIALECTS[name]
    models = [model for text in TEXTS[name] for model in _statements(text, dialect)]
    parts = [part for model in models for part in _parts(model.statement, EXPRESSIONS)]
    if not parts:
        pytest.skip("no expressions in this dialect's fixtures")
    for _ in range(ROUNDS):
        some = random.sample(models, min(len(models), 3))
        mutants = [replace(model, statement=_with_parts(model.statement, random, parts, 0.3)) for model in some]
        for lineage in _bound([*models[:2], *mutants], dialect):
            assert isinstance(lineage, StatementLineage)
