"""Random queries over random nested schemas.

The generator keeps track of what it believes to be in scope, so that most queries are valid, and draws all names from
one small pool, so that aliases, columns and fields hide each other. It never says what a name means: the engine does.
Shapes of queries, of sources and of stars are tables of functions in modules of their own; this one writes FROM clauses
and select lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from tests.oracle.believed import NAMES, Block, Columns, Cte, Query, Source
from tests.oracle.expressions import Expressions
from tests.oracle.query_shapes import QUERIES, recursive
from tests.oracle.star_shapes import record_star, several, star
from tests.oracle.table_shapes import TABLES
from tests.oracle.trees import LEAF, Arr, Leaf, Rec, Schema, Table, Type


def random_schema(random: Random) -> Schema:
    """Two or three tables with nested columns."""
    names = random.sample(NAMES, 3)
    return tuple(Table(name, _columns(random, random.randint(2, 4), 3)) for name in names[: random.randint(2, 3)])


def _columns(random: Random, count: int, depth: int) -> tuple[tuple[str, Type], ...]:
    return tuple((name, _type(random, depth)) for name in random.sample(NAMES, count))


def _type(random: Random, depth: int) -> Type:
    chance = random.random()
    if depth == 0 or chance < 0.3:
        return LEAF
    if chance < 0.65:
        return Rec(_columns(random, random.randint(1, 3), depth - 1))
    if chance < 0.9:
        return Arr(Rec(_columns(random, random.randint(1, 3), depth - 1)))
    return Arr(LEAF)


class Generator(Expressions):
    """Writes queries. `conditions` counts those whose outcome the rows have to show both ways."""

    # ------------------------------------------------------------ queries

    def query(self) -> Query:
        """A whole query."""
        ctes: list[Cte] = []
        parts = []
        looping = False
        for _ in range(self.random.choice((0, 0, 0, 1, 1, 2))):
            name = self.name()
            if any(name == other for other, _ in ctes):
                continue
            again = self.random.random() < 0.12 and self.has("recursion")
            inner = recursive(self, name, ctes) if again else self.any_query(2, ctes, [])
            looping = looping or again
            parts.append(f"{name} AS ({inner.text})")
            ctes.append((name, inner.columns))
        main = self.any_query(2, ctes, [])
        # One CTE a line, which tells them apart without a parser.
        head = "WITH RECURSIVE " if looping else "WITH "
        return Query(head + ",\n".join(parts) + f"\n{main.text}", main.columns) if parts else main

    def any_query(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        chance = self.random.random()
        for weight, feature, shape in QUERIES:
            chance -= weight
            if chance < 0 and depth > 0:
                return shape(self, depth, ctes, outer) if self.has(feature) else self.select(depth, ctes, outer)
        return self.select(depth, ctes, outer)

    def select(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        block = Block([], outer)
        if self.random.random() < 0.15:
            block.window = self.name()
        from_ = self.from_clause(block, depth, ctes)
        items, columns = self.items(block, depth)
        tail = ""
        if self.random.random() < 0.15:
            leaf = self.leaf(block, 0)
            tail = f" WHERE {leaf} LIKE '%#%'"
        if self.has("qualify") and self.random.random() < 0.08:
            window = f"ROW_NUMBER() OVER (PARTITION BY {self.leaf(block, 0)} ORDER BY {self.leaf(block, 0)})"
            tail += ("" if tail else " WHERE TRUE") + f" QUALIFY {window} > 0"
        if block.window:
            window = f" WINDOW {block.window} AS (PARTITION BY {self.leaf(block, 0)} ORDER BY {self.leaf(block, 0)})"
            tail = tail.replace(" QUALIFY", window + " QUALIFY") if self.has("window_first") else tail + window
            tail = tail if window in tail else tail + window
        return Query(f"SELECT {items} FROM {from_}{tail}", tuple(columns))

    def items(self, block: Block, depth: int) -> tuple[str, Columns]:
        """A select list, and the columns that it is believed to give."""
        items: list[str] = []
        columns: Columns = []
        block.aliases = []
        for _ in range(self.random.randint(1, 3)):
            items.append(self.item(block, columns, depth))
        return ", ".join(items), columns

    def item(self, block: Block, columns: Columns, depth: int) -> str:
        chance = self.random.random()
        if chance < 0.09:
            return star(self, block, columns)
        if chance < 0.13 and self.has("columns"):
            return several(self, block, columns)
        if chance < 0.18 and self.has("record_star") and (made := record_star(self, block, columns, depth)):
            return made
        if chance < 0.2 and self.has("select_unnest"):
            text, kind = self.expression(block, Arr, depth)
            if isinstance(kind, Arr):
                name = self.name()
                columns.append((name, kind.element))
                return f"UNNEST({text}) AS {name}"
        text, kind = self.expression(block, None, depth)
        name = self.implied(text) if self.random.random() < 0.25 else ""
        if name:
            columns.append((name, kind))
            return text
        name = self.name([n for n, _ in columns])
        columns.append((name, kind))
        block.aliases.append((name, kind))
        if self.has("prefix_alias") and self.random.random() < 0.05:
            return f"{name}: {text}"
        return f"{text} AS {name}" if self.random.random() < 0.9 else f"{text} {name}"

    # ------------------------------------------------------------ FROM

    def from_clause(self, block: Block, depth: int, ctes: list[Cte]) -> str:
        text = self.table(block, depth, ctes)
        arrays = self.random.choice((0, 0, 1, 1, 2))
        for _ in range(self.random.choice((0, 0, 0, 0, 1, 1, 2))):
            text += self._join(block, depth, ctes, "CROSS JOIN" if arrays else ",")
        # A comma binds less than the JOIN UNNEST behind it, which then sees the nearer table first (DuckDB).
        for _ in range(arrays):
            made = self._unnest(block)
            text += f"{'' if made.startswith(',') else ' '}{made}" if made else ""
        return text

    def _join(self, block: Block, depth: int, ctes: list[Cte], comma: str) -> str:
        before = {name for source in block.sources for name, kind in source.columns if isinstance(kind, Leaf)}
        count = len(block.sources)
        join = self.random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", comma))
        if self.has("lateral") and self.random.random() < 0.15:
            inner = self.any_query(depth - 1, ctes, block.sources)
            alias = self.alias(block)
            block.sources.append(Source(alias, list(inner.columns)))
            return f" CROSS JOIN LATERAL ({inner.text}) AS {alias}"
        other = self.table(block, depth, ctes)
        if self.has("natural") and self.random.random() < 0.1:
            return f" NATURAL {self.random.choice(('', 'LEFT ', 'FULL '))}JOIN {other}"
        if self.has("positional_join") and self.random.random() < 0.05:
            return f" POSITIONAL JOIN {other}"
        shared = sorted({
            name for source in block.sources[count:] for name, kind in source.columns
            if name in before and isinstance(kind, Leaf)
        })
        if join in ("CROSS JOIN", ","):
            return f"{'' if join == ',' else ' '}{join} {other}"
        if shared:
            using = self.random.sample(shared, self.random.randint(1, min(2, len(shared))))
            return f" {join} {other} USING ({', '.join(using)})"
        if self.has("semi_join") and self.random.random() < 0.15:
            del block.sources[count:]
            return f" {self.random.choice(('SEMI', 'ANTI'))} JOIN {other} ON TRUE"
        return f" {join} {other} ON TRUE"

    def table(self, block: Block, depth: int, ctes: list[Cte]) -> str:
        chance = self.random.random()
        for weight, feature, shape in TABLES:
            chance -= weight
            if chance < 0 and depth > 0 and self.has(feature):
                return shape(self, block, depth, ctes)
        if chance < 0.2 and depth > 0:
            inner = self.any_query(depth - 1, ctes, block.outer if self.random.random() < 0.3 else [])
            alias = self.alias(block)
            block.sources.append(Source(alias, list(inner.columns)))
            return f"({inner.text}) AS {alias}"
        if ctes and chance < 0.6:
            name, columns = self.random.choice(ctes)
        else:
            table = self.random.choice(self.schema)
            name, columns = table.name, table.columns
        taken = any(source.alias == name for source in block.sources)
        alias = self.alias(block) if taken or self.random.random() < 0.5 else ""
        block.sources.append(Source(alias or name, list(columns)))
        return f"{name} AS {alias}" if alias else name

    def _unnest(self, block: Block) -> str:
        text, kind = self.read(block, Arr)
        if not isinstance(kind, Arr):
            return ""
        template, shape = self.random.choice(self.flavour.unnest)
        alias, name = self.alias(block), self.name()
        if shape.startswith("path") and ("[" in text or "(" in text or "." not in text):
            return ""
        made = template.format(array=text, alias=alias, name=name)
        fields = list(kind.element.fields) if isinstance(kind.element, Rec) else []
        if shape == "column":
            block.sources.append(Source(alias, [(name, kind.element)]))
        elif shape == "alias":
            block.sources.append(Source(alias, [("unnest", kind.element)], None))
        elif shape in ("col", "poscol"):
            block.sources.append(Source(alias, [("col", kind.element)]))
        elif shape == "array":
            block.sources.append(Source(alias, [(name, kind)]))
        elif shape == "join":
            block.sources.append(Source("", [(name, kind.element)]))
        elif shape == "join_bare":
            block.sources.append(Source("", [(text.split(".")[-1], kind.element)]))
        elif shape.startswith("fields"):
            block.sources.append(Source(alias, fields or [(alias, kind.element)]))
        elif shape in ("bare", "path_bare"):
            hidden = text.split(".")[-1] if shape == "path_bare" else ""
            block.sources.append(Source(hidden, fields, kind.element if hidden else None))
        else:
            block.sources.append(Source(alias, fields, kind.element))
        return made

    def record_star(self, text: str) -> str:
        """All fields of a record."""
        plain = text.isalpha() if self.has("columns") else True
        return f"{text}.*" if plain and self.random.random() < 0.8 else f"({text}).*"

    # ------------------------------------------------------------ names

    def name(self, taken: Iterable[str] = ()) -> str:
        """A name, mostly one that is not taken."""
        known = set(taken)
        free = [name for name in NAMES if name not in known]
        return self.random.choice(free if free and self.random.random() < 0.95 else NAMES)

    def alias(self, block: Block) -> str:
        return self.name(source.alias for source in block.sources)

    def implied(self, text: str) -> str:
        """The name that a select item has without alias, '' where it has none."""
        last = text.split(".")[-1]
        return last if text.replace(".", "").replace("_", "").isalpha() and last in NAMES else ""

    def has(self, feature: str) -> bool:
        return not feature or feature in self.flavour.features


def swapped(random: Random, text: str) -> str:
    """The query with one name exchanged for another: most are still queries, and the names mean something else."""
    words = text.split(" ")
    places = [i for i, word in enumerate(words) if any(name in word for name in NAMES)]
    if not places:
        return text
    place = random.choice(places)
    present = [name for name in NAMES if name in words[place]]
    words[place] = words[place].replace(random.choice(present), random.choice(NAMES), 1)
    return " ".join(words)


