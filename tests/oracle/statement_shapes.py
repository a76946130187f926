"""Statements around queries: views, CREATE TABLE .. AS, INSERT, UPDATE, MERGE."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.oracle.believed import MADE, NAMES, Block, Source, Written
from tests.oracle.trees import Rec, Table, Type

if TYPE_CHECKING:
    from tests.oracle.generator import Generator

def view(g: Generator) -> Written:
    """A view or table of a query, with or without a column list."""
    query = g.query()
    names = ""
    if g.random.random() < 0.3 and 0 < len(query.columns) <= len(NAMES):
        names = f" ({', '.join(g.random.sample(NAMES, len(query.columns)))})"
    # BigQuery and DuckDB take no plain column list in CTAS.
    kinds = ("VIEW", "OR REPLACE VIEW") if names else ("VIEW", "TABLE", "OR REPLACE TABLE")
    return Written(f"CREATE {g.random.choice(kinds)} {MADE}{names} AS\n{query.text}", g.conditions, "view", MADE)


def insert(g: Generator) -> Written:
    """INSERT of a query or of rows, by position, by a list or by name."""
    table = g.random.choice(g.schema)
    chosen = g.random.sample(table.columns, g.random.randint(1, len(table.columns)))
    listed = f" ({', '.join(name for name, _ in chosen)})"
    if g.random.random() < 0.3:
        chosen, listed = list(table.columns), ""
    block = Block([])
    from_ = g.from_clause(block, 1, [])
    if g.has("insert_by_name") and g.random.random() < 0.3:
        items = ", ".join(f"{g.like(block, kind)} AS {name}" for name, kind in chosen)
        return _dml(g, f"INSERT INTO {table.name} BY NAME SELECT {items} FROM {from_}", table)
    values = ", ".join(g.like(block, kind) for _, kind in chosen)
    if g.random.random() < 0.2:
        row = ", ".join(f"(SELECT {g.like(block, kind)} FROM {from_} LIMIT 1)" for _, kind in chosen)
        return _dml(g, f"INSERT INTO {table.name}{listed} VALUES ({row})", table)
    return _dml(g, f"INSERT INTO {table.name}{listed} SELECT {values} FROM {from_}", table)


def update(g: Generator) -> Written:
    """UPDATE of columns, of nested fields where the engine has that, with or without FROM."""
    table = g.random.choice(g.schema)
    alias = g.name() if g.random.random() < 0.4 else ""
    block = Block([Source(alias or table.name, list(table.columns))])
    behind = ""
    if g.random.random() < 0.5:
        behind = f" FROM {g.table(block, 1, [])}"
    sets = ", ".join(_set(g, block, table))
    head = f"UPDATE {table.name} AS {alias}" if alias else f"UPDATE {table.name}"
    return _dml(g, f"{head} SET {sets}{behind} WHERE TRUE", table)


def _set(g: Generator, block: Block, table: Table) -> list[str]:
    items = []
    for name, kind in g.random.sample(table.columns, g.random.randint(1, min(2, len(table.columns)))):
        path, inner = _below(g, name, kind)
        items.append(f"{path} = {g.like(block, inner)}")
    return items


def _below(g: Generator, path: str, kind: Type) -> tuple[str, Type]:
    while isinstance(kind, Rec) and g.has("nested_update") and g.random.random() < 0.6:
        name, kind = g.random.choice(kind.fields)
        path = f"{path}.{name}"
    return path, kind


def merge(g: Generator) -> Written:
    """MERGE with the branches that a source of one other table allows."""
    table = g.random.choice(g.schema)
    alias = g.name()
    target = Source(alias, list(table.columns))
    other = Block([target])
    source = g.table(other, 1, [])
    from_source = Block(other.sources[1:])
    branches = []
    if g.random.random() < 0.7:
        branches.append(f"WHEN MATCHED THEN UPDATE SET {', '.join(_set(g, other, table))}")
    if g.random.random() < 0.7 or not branches:
        chosen = g.random.sample(table.columns, g.random.randint(1, len(table.columns)))
        values = ", ".join(g.like(from_source, kind) for _, kind in chosen)
        listed = ", ".join(name for name, _ in chosen)
        branches.append(f"WHEN NOT MATCHED THEN INSERT ({listed}) VALUES ({values})")
    if g.random.random() < 0.2:
        branches.append(f"WHEN NOT MATCHED BY SOURCE THEN UPDATE SET {', '.join(_set(g, Block([target]), table))}")
    on = f"{g.leaf(other, 0)} = {g.leaf(other, 0)}"
    return _dml(g, f"MERGE INTO {table.name} AS {alias} USING {source} ON {on} {' '.join(branches)}", table)


def _dml(g: Generator, text: str, table: Table) -> Written:
    return Written(text, g.conditions, "dml", table.name)


def _query(g: Generator) -> Written:
    return Written(g.query().text, g.conditions)


# (weight, what the flavour must have, the shape); what is left is a query.
_STATEMENTS: tuple[tuple[float, str, Callable[[Generator], Written]], ...] = (
    (0.06, "", view),
    (0.04, "", insert),
    (0.04, "", update),
    (0.03, "merge", merge),
)


def statement(g: Generator) -> Written:
    """A statement; most are queries."""
    if not g.has("writes"):
        return _query(g)
    chance = g.random.random()
    for weight, feature, shape in _STATEMENTS:
        chance -= weight
        if chance < 0 and g.has(feature):
            return shape(g)
    return _query(g)



