"""Shapes of whole queries: set operations, pipes, FROM first, grouping sets, recursion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tests.oracle.believed import NAMES, Block, Columns, Cte, Query, Source
from tests.oracle.trees import LEAF, Arr, Leaf, Rec

if TYPE_CHECKING:
    from tests.oracle.generator import Generator

Outer = list[Source]


def flat(g: Generator, names: Sequence[str], depth: int, ctes: list[Cte], outer: Outer) -> Query:
    """A SELECT of strings with these names."""
    block = Block([], outer)
    from_ = g.from_clause(block, depth, ctes)
    items = [f"{g.leaf(block, depth - 1)} AS {name}" for name in names]
    return Query(f"SELECT {', '.join(items)} FROM {from_}", tuple((name, LEAF) for name in names))


def _names(g: Generator, low: int, high: int) -> list[str]:
    return g.random.sample(NAMES, g.random.randint(low, high))


def by_position(g: Generator, depth: int, ctes: list[Cte], outer: Outer) -> Query:
    """Two or three queries, matched by position: strings, or whatever happens to have one width."""
    if g.random.random() < 0.5:
        width = g.random.randint(1, 3)
        first, *more = [flat(g, g.random.sample(NAMES, width), depth - 1, ctes, outer)
                        for _ in range(g.random.choice((2, 2, 3)))]
        operator = g.random.choice(g.flavour.set_operators)
        return Query(f" {operator} ".join([first.text, *(one.text for one in more)]), first.columns)
    left = g.select(depth - 1, ctes, outer)
    for _ in range(8):
        right = g.select(depth - 1, ctes, outer)
        if len(right.columns) == len(left.columns):
            return Query(f"{left.text} UNION ALL {right.text}", left.columns)
    return left


def by_name(g: Generator, depth: int, ctes: list[Cte], outer: Outer) -> Query:
    """Queries that are matched by the names of their columns."""
    one = _names(g, 1, 3)
    template, side = g.random.choice(g.flavour.by_name)
    other = g.random.sample(one, len(one)) if side == "same" or g.random.random() < 0.4 else _names(g, 1, 3)
    shared = [name for name in one if name in other]
    names = {"same": one, "left": one, "inner": shared, "full": [*one, *(n for n in other if n not in one)]}[side]
    if not names:
        names, other = one, one
    listed = g.random.sample(shared, g.random.randint(1, len(shared))) if shared else names
    if "{names}" in template:
        names = listed
    left, right = flat(g, one, depth - 1, ctes, outer), flat(g, other, depth - 1, ctes, outer)
    text = f"{left.text} {template.format(names=', '.join(listed))} {right.text}"
    return Query(text, tuple((name, LEAF) for name in names))


def grouped(g: Generator, depth: int, ctes: list[Cte], outer: Outer) -> Query:
    """GROUP BY with all its spellings."""
    block = Block([], outer)
    from_ = g.from_clause(block, depth, ctes)
    keys = sorted({g.leaf(block, 0) for _ in range(g.random.choice((1, 1, 2)))})
    items: list[str] = []
    columns: Columns = []
    for key in keys:
        name = g.implied(key) if g.random.random() < 0.5 else ""
        items.append(key if name else f"{key} AS {(name := g.name([n for n, _ in columns]))}")
        columns.append((name, LEAF))
    for _ in range(g.random.randint(1, 2)):
        text, inner = g.aggregate(block, depth)
        alias = g.name([n for n, _ in columns])
        items.append(f"{text} AS {alias}")
        columns.append((alias, inner))
    listed = ", ".join(keys)
    by = g.random.choice([
        listed, ", ".join(str(i + 1) for i in range(len(keys))), f"ROLLUP ({listed})", f"CUBE ({listed})",
        f"GROUPING SETS (({listed}), ({keys[0]}), ())",
        *([", ".join(name for name, _ in columns[: len(keys)])] if g.has("group_alias") else []),
        *(["ALL"] if g.has("group_all") else []),
    ])
    having = " HAVING COUNT(*) > 0" if g.random.random() < 0.2 else ""
    tail = g.random.choice(("", "", f" ORDER BY {columns[0][0]}", " ORDER BY 1", " ORDER BY 2 DESC"))
    return Query(f"SELECT {', '.join(items)} FROM {from_} GROUP BY {by}{having}{tail}", tuple(columns))


def from_first(g: Generator, depth: int, ctes: list[Cte], outer: Outer) -> Query:
    """`FROM t SELECT a` and `FROM t` (DuckDB)."""
    block = Block([], outer)
    from_ = g.from_clause(block, depth, ctes)
    if g.random.random() < 0.3:
        return Query(f"FROM {from_}", tuple(column for source in block.sources for column in source.columns))
    items, columns = g.items(block, depth)
    return Query(f"FROM {from_} SELECT {items}", tuple(columns))


def recursive(g: Generator, name: str, ctes: list[Cte]) -> Query:
    """The body of a recursive CTE: its columns change places, so that one pass does not see all of them."""
    names = _names(g, 2, 4)
    base = flat(g, names, 1, ctes, [])
    turned = g.random.sample(names, len(names))
    alias = g.name([name]) if g.random.random() < 0.5 else ""
    block = Block([Source(alias or name, list(base.columns))])
    from_ = f"{name} AS {alias}" if alias else name
    if g.random.random() < 0.4:
        from_ += f" CROSS JOIN {g.table(block, 0, [])}"
    items = [f"{alias or name}.{one}" for one in turned]
    if g.random.random() < 0.4:
        items[g.random.randrange(len(items))] = g.read(block, Leaf)[0]
    union = "UNION ALL" if g.has("pipes") else "UNION"
    return Query(f"{base.text} {union} SELECT {', '.join(items)} FROM {from_}", base.columns)


# ---------------------------------------------------------------- pipes


def pipes(g: Generator, depth: int, ctes: list[Cte], outer: Outer) -> Query:
    """`FROM t |> WHERE .. |> SELECT ..`."""
    block = Block([], outer)
    text = f"FROM {g.from_clause(block, depth, ctes)}"
    for _ in range(g.random.randint(1, 5)):
        text += f"\n|> {g.random.choice(_OPERATORS)(g, block, depth - 1, ctes)}"
    return Query(text, tuple(column for source in block.sources for column in source.columns))


def _all(block: Block) -> Columns:
    return [column for source in block.sources for column in source.columns]


def _only(block: Block, columns: Columns) -> None:
    block.sources[:] = [Source("", columns)]


def _pipe_select(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    items, columns = g.items(block, depth)
    _only(block, columns)
    return f"SELECT {items}"


def _pipe_extend(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    text, kind = g.expression(block, None, depth)
    name = g.name(n for n, _ in _all(block))
    block.sources.append(Source("", [(name, kind)]))
    return f"EXTEND {text} AS {name}"


def _pipe_set(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    text, kind = g.expression(block, None, depth)
    name = g.random.choice([n for n, _ in _all(block)] or [g.name()])
    for source in block.sources:
        source.columns = [(n, kind if n == name else t) for n, t in source.columns]
    return f"SET {name} = {text}"


def _pipe_drop(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    name = g.random.choice([n for n, _ in _all(block)] or [g.name()])
    for source in block.sources:
        source.columns = [(n, t) for n, t in source.columns if n != name]
    return f"DROP {name}"


def _pipe_rename(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    old = g.random.choice([n for n, _ in _all(block)] or [g.name()])
    new = g.name(n for n, _ in _all(block))
    for source in block.sources:
        source.columns = [(new if n == old else n, t) for n, t in source.columns]
    return f"RENAME {old} AS {new}"


def _pipe_as(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    name = g.name()
    block.sources[:] = [Source(name, _all(block))]
    return f"AS {name}"


def _pipe_where(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    return f"WHERE {g.leaf(block, depth)} LIKE '%x%'"


def _pipe_aggregate(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    text, kind = g.aggregate(block, depth)
    key, name, alias = g.leaf(block, 0), g.name(), g.name()
    _only(block, [(name, LEAF), (alias, kind)])
    return f"AGGREGATE {text} AS {alias} GROUP BY {key} AS {name}"


def _pipe_join(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    join = g.random.choice(("CROSS JOIN", "LEFT JOIN", "JOIN"))
    before = {name for name, _ in _all(block)}
    count = len(block.sources)
    other = g.table(block, depth, ctes)
    shared = sorted(n for s in block.sources[count:] for n, kind in s.columns if n in before and kind == LEAF)
    if join == "CROSS JOIN":
        return f"{join} {other}"
    return f"{join} {other} " + (f"USING ({shared[0]})" if shared else "ON TRUE")


def _pipe_unnest(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    array, kind = g.read(block, Arr)
    if not isinstance(kind, Arr):
        return "LIMIT 10"
    alias = g.name()
    fields = list(kind.element.fields) if isinstance(kind.element, Rec) else []
    block.sources.append(Source(alias, fields, kind.element))
    return f"CROSS JOIN UNNEST({array}) AS {alias}"


def _pipe_union(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    columns = _all(block)
    if not all(kind == LEAF for _, kind in columns) or not columns or len(columns) > len(NAMES):
        return "DISTINCT" if all(kind == LEAF for _, kind in columns) else "LIMIT 5"
    _only(block, columns)
    if g.random.random() < 0.3 and len({n for n, _ in columns}) == len(columns):
        names = g.random.sample([n for n, _ in columns], len(columns))
        return f"UNION ALL BY NAME ({flat(g, names, depth, ctes, []).text})"
    return f"UNION ALL ({flat(g, g.random.sample(NAMES, len(columns)), depth, ctes, []).text})"


def _pipe_order(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    return f"ORDER BY {g.leaf(block, 0)}"


def _pipe_window(g: Generator, block: Block, depth: int, ctes: list[Cte]) -> str:
    text, kind = g.window(block, depth)
    name = g.name(n for n, _ in _all(block))
    block.sources.append(Source("", [(name, kind)]))
    return f"WINDOW {text} AS {name}" if g.random.random() < 0.5 else f"EXTEND {text} AS {name}"


_OPERATORS: tuple[Callable[[Generator, Block, int, list[Cte]], str], ...] = (
    _pipe_select, _pipe_select, _pipe_extend, _pipe_extend, _pipe_set, _pipe_drop, _pipe_rename, _pipe_as,
    _pipe_where, _pipe_aggregate, _pipe_join, _pipe_unnest, _pipe_union, _pipe_order, _pipe_window,
)

# (weight, what the flavour must have, the shape)
QUERIES: tuple[tuple[float, str, Callable[[Generator, int, list[Cte], Outer], Query]], ...] = (
    (0.08, "", by_position),
    (0.06, "by_name", by_name),
    (0.09, "", grouped),
    (0.1, "pipes", pipes),
    (0.05, "from_first", from_first),
)
