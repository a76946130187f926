"""Stars with all that can follow them, and select items that stand for several columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.oracle.believed import Block, Columns
from tests.oracle.trees import LEAF, Leaf, Rec

if TYPE_CHECKING:
    from tests.oracle.generator import Generator


def star(g: Generator, block: Block, columns: Columns) -> str:
    """`*` or `t.*` with EXCEPT, REPLACE and RENAME."""
    source = g.random.choice(block.sources)
    if source.alias and g.random.random() < 0.4:
        written, listed = f"{source.alias}.*", list(source.columns)
    else:
        written, listed = "*", [column for one in block.sources for column in one.columns]
    if listed and g.random.random() < 0.35 and g.flavour.except_:
        gone = set(g.random.sample([n for n, _ in listed], g.random.choice((1, 1, min(2, len(listed))))))
        listed = [column for column in listed if column[0] not in gone]
        written += f" {g.flavour.except_} ({', '.join(sorted(gone))})"
    if listed and g.has("replace") and g.random.random() < 0.3:
        name = g.random.choice(listed)[0]
        text, kind = g.expression(block, None, 1)
        listed = [(n, kind if n == name else t) for n, t in listed]
        written += f" REPLACE ({text} AS {name})"
    elif listed and g.has("rename") and g.random.random() < 0.3:
        old, new = g.random.choice(listed)[0], g.name(n for n, _ in listed)
        listed = [(new if n == old else n, t) for n, t in listed]
        written += f" RENAME ({old} AS {new})"
    columns += listed
    return written


def several(g: Generator, block: Block, columns: Columns) -> str:
    """DuckDB's `COLUMNS(..)` and `* LIKE ..`."""
    all_columns = [column for source in block.sources for column in source.columns]
    letter = g.random.choice("lpnahe")
    template, matched = g.random.choice(_SEVERAL)
    found = [column for column in all_columns if matched(column[0], letter)]
    if not found:
        return star(g, block, columns)
    text = template.format(letter)
    if all(isinstance(kind, Leaf) for _, kind in found) and g.random.random() < 0.4:
        if "COLUMNS" in text and g.random.random() < 0.4:
            columns.append((name := g.name(), LEAF))
            return f"COALESCE(*{text}) AS {name}"
        if "COLUMNS" in text:
            columns += found
            return f"CONCAT({text}, '|')"
    columns += found
    return text


_SEVERAL: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("COLUMNS('^{0}.*')", lambda name, letter: name.startswith(letter)),
    ("COLUMNS('{0}')", lambda name, letter: letter in name),
    ("COLUMNS(lambda c: c LIKE '%{0}%')", lambda name, letter: letter in name),
    ("COLUMNS(*)", lambda name, letter: True),
    ("* LIKE '%{0}%'", lambda name, letter: letter in name),
    ("* SIMILAR TO '.*{0}.*'", lambda name, letter: letter in name),
    ("* NOT LIKE '{0}%'", lambda name, letter: not name.startswith(letter)),
)


def record_star(g: Generator, block: Block, columns: Columns, depth: int) -> str:
    """`record.*`, `(record).*`, `UNNEST(record)`; '' where there is no record."""
    text, kind = g.expression(block, Rec, depth)
    if not isinstance(kind, Rec):
        return ""
    columns += kind.fields
    if g.has("select_unnest") and g.random.random() < 0.5:
        return f"UNNEST({text})"
    return g.record_star(text)
