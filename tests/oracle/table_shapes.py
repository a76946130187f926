"""Shapes of one source of a FROM clause: pivots, queries, VALUES."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.oracle.believed import NAMES, Block, Columns, Cte, Source
from tests.oracle.query_shapes import flat
from tests.oracle.trees import LEAF, Rec

if TYPE_CHECKING:
    from tests.oracle.generator import Generator


def pivot(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    """`(query) PIVOT (aggregates FOR key IN (values)) AS alias`."""
    value, key, *rest = g.random.sample(NAMES, g.random.randint(2, 4))
    inner = flat(g, [value, *rest], depth - 1, ctes, [])
    conditions, test = g.conditions, ""
    if conditions < 2:
        g.conditions += 1
        test = f"CASE WHEN {value} LIKE '%#{'_' * conditions}1%' THEN 'red' ELSE 'blue' END"
    query = f"SELECT {', '.join([value, *rest])}, {test or value} AS {key} FROM ({inner.text}) AS inside"
    made: Columns = [(name, LEAF) for name in rest]
    aggregates = []
    for _ in range(g.random.choice((1, 1, 2))):
        aggregate = g.random.choice(("MAX({})", "MIN({})", "ANY_VALUE({})")).format(value)
        alias = g.name() if g.random.random() < 0.6 else ""
        aggregates.append((f"{aggregate} AS {alias}" if alias else aggregate, alias))
    tested, values = g.random.choice(g.flavour.pivot_keys)
    chosen = g.random.sample(values, g.random.randint(1, min(3, len(values))))
    entries = []
    for text in chosen:
        alias = g.name() if g.random.random() < 0.3 else ""
        entries.append(f"{text} AS {alias}" if alias else text)
        shown = alias or text.strip("'")
        for _, named in aggregates:
            made.append((g.flavour.pivoted.format(value=shown, aggregate=named) if named else shown, LEAF))
    alias = g.alias(block)
    block.sources.append(Source(alias, [column for column in made if column[0].replace("_", "").isalpha()]))
    listed = ", ".join(text for text, _ in aggregates)
    # sqlglot reads no alias in the list of a PIVOT statement, which DuckDB does not document either.
    if g.has("pivot_statement") and " AS " not in "".join(entries) and g.random.random() < 0.4:
        by = f" GROUP BY {', '.join(rest)}" if rest and g.random.random() < 0.5 else ""
        return f"(PIVOT ({query}) ON {tested.format(key)} IN ({', '.join(entries)}) USING {listed}{by}) AS {alias}"
    return g.flavour.pivot.format(
        query=query, aggregates=listed, key=tested.format(key), values=", ".join(entries), alias=alias
    )


def unpivot(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    """`(query) UNPIVOT (values FOR name IN (columns)) AS alias`."""
    names = g.random.sample(NAMES, g.random.randint(2, 5))
    inner = flat(g, names, depth - 1, ctes, [])
    width = 2 if len(names) > 3 and g.random.random() < 0.5 else 1
    groups = [names[i : i + width] for i in range(0, g.random.choice((width, 2 * width)), width)]
    used = {name for group in groups for name in group}
    values = g.random.sample(NAMES, width)
    label = g.name(values)
    rest: Columns = [(name, LEAF) for name in names if name not in used]
    alias = g.alias(block)
    block.sources.append(Source(alias, [*rest, *((name, LEAF) for name in values), (label, LEAF)]))
    entries = [group[0] if width == 1 else f"({', '.join(group)})" for group in groups]
    if g.has("pivot_statement") and g.random.random() < 0.4:
        return (f"(UNPIVOT ({inner.text}) ON {', '.join(entries)} INTO NAME {label} VALUE {', '.join(values)})"
                f" AS {alias}")
    if g.random.random() < 0.4:
        told = "{} AS {}" if g.has("unpivot_names") else "{} AS '{}'"
        entries = [told.format(entry, g.random.choice(("one", "two", "x y"))) for entry in entries]
    nulls = g.random.choice(("", "", "INCLUDE NULLS ", "EXCLUDE NULLS "))
    if g.has("pivot_statement"):
        nulls = nulls.replace("EXCLUDE NULLS ", "")
    target = values[0] if width == 1 else f"({', '.join(values)})"
    return f"({inner.text}) UNPIVOT {nulls}({target} FOR {label} IN ({', '.join(entries)})) AS {alias}"


def as_value(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    """`(SELECT AS VALUE record ..) AS alias`, `(SELECT AS STRUCT ..) AS alias` (BigQuery)."""
    inner = Block([])
    from_ = g.from_clause(inner, depth - 1, ctes)
    alias = g.alias(block)
    if g.random.random() < 0.5:
        items, columns = g.items(inner, depth - 1)
        block.sources.append(Source(alias, columns, Rec(tuple(columns))))
        return f"(SELECT AS STRUCT {items} FROM {from_}) AS {alias}"
    text, kind = g.expression(inner, Rec, depth - 1)
    block.sources.append(Source(alias, list(kind.fields) if isinstance(kind, Rec) else [], kind))
    return f"(SELECT AS VALUE {text} FROM {from_}) AS {alias}"


def values(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    """`(VALUES ('a', 'b')) AS alias(x, y)`."""
    names = g.random.sample(NAMES, g.random.randint(1, 3))
    alias = g.alias(block)
    row = "(" + ", ".join("'none#'" for _ in names) + ")"
    if g.random.random() < 0.3:
        made = [(g.flavour.values_column.format(n=i, i=i + 1), LEAF) for i in range(len(names))]
        block.sources.append(Source(alias, list(made)))
        return f"(VALUES {row}) AS {alias}"
    block.sources.append(Source(alias, [(name, LEAF) for name in names]))
    return f"(VALUES {row}, {row}) AS {alias}({', '.join(names)})"


def relabelled(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    """`t AS alias(a, b)`: the first columns under other names."""
    table = g.random.choice(g.schema)
    count = g.random.randint(1, len(table.columns))
    names = g.random.sample(NAMES, count)
    alias = g.alias(block)
    columns = [(name, kind) for name, (_, kind) in zip(names, table.columns, strict=False)]
    block.sources.append(Source(alias, [*columns, *table.columns[count:]]))
    return f"{table.name} AS {alias}({', '.join(names)})"


# (weight, what the flavour must have, the shape)
TABLES: tuple[tuple[float, str, Callable[[Generator, Block, int, list[Cte]], str]], ...] = (
    (0.04, "pivot", pivot),
    (0.04, "unpivot", unpivot),
    (0.05, "as_struct", as_value),
    (0.02, "column_lists", values),
    (0.04, "column_lists", relabelled),
)
