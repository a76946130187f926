"""Random queries over random nested schemas.

The generator keeps track of what it believes to be in scope, so that most queries are valid, and draws all names from
one small pool, so that aliases, columns and fields hide each other. It never says what a name means: the engine does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from tests.oracle.basic_flavours import Flavour
from tests.oracle.trees import LEAF, Arr, Leaf, Rec, Schema, Table, Type

NAMES = ("crate", "label", "lot", "port", "hull", "note", "berth", "seal")


@dataclass
class Source:
    """What the generator believes of one source of a FROM clause."""

    alias: str
    columns: list[tuple[str, Type]]
    # The element that the alias stands for (BigQuery).
    row: Type | None = None


@dataclass
class Block:
    """A query that is being written: what can be read in it."""

    sources: list[Source]
    outer: list[Source] = field(default_factory=list)
    aliases: list[tuple[str, Type]] = field(default_factory=list)


@dataclass(frozen=True)
class Query:
    """A query's text and the columns that it is believed to give."""

    text: str
    columns: tuple[tuple[str, Type], ...]


Cte = tuple[str, tuple[tuple[str, Type], ...]]
Maker = Callable[[Block, int], "tuple[str, Type]"]


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


class Generator:
    """Writes queries. `conditions` counts those whose outcome the rows have to show both ways."""

    def __init__(self, random: Random, flavour: Flavour, schema: Schema) -> None:
        self.random = random
        self.flavour = flavour
        self.schema = schema
        self.conditions = 0
        self.budget = 14
        # The record types that the queries name.
        self.records: dict[Rec, None] = {}

    # ------------------------------------------------------------ queries

    def query(self) -> str:
        """A whole query."""
        ctes: list[Cte] = []
        parts = []
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            inner = self._any_query(2, ctes, [])
            name = self._name()
            if any(name == other for other, _ in ctes):
                continue
            parts.append(f"{name} AS ({inner.text})")
            ctes.append((name, inner.columns))
        main = self._any_query(2, ctes, [])
        # One CTE a line, which tells them apart without a parser.
        return "WITH " + ",\n".join(parts) + f"\n{main.text}" if parts else main.text

    def _any_query(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        chance = self.random.random()
        if chance < 0.12:
            return self._union(depth, ctes, outer)
        if chance < 0.2:
            return self._grouped(depth, ctes, outer)
        if chance < 0.24 and self._has("pivot"):
            return self._pivot(depth, ctes, outer)
        return self._select(depth, ctes, outer)

    def _select(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        block = Block([], outer)
        from_ = self._from(block, depth, ctes)
        items: list[str] = []
        columns: list[tuple[str, Type]] = []
        for _ in range(self.random.randint(1, 3)):
            self._item(block, items, columns, depth)
        tail = ""
        if self.random.random() < 0.15:
            leaf = self._leaf(block, 0)
            tail = f" WHERE {leaf} LIKE '%#%'"
        if self._has("qualify") and self.random.random() < 0.08:
            window = f"ROW_NUMBER() OVER (PARTITION BY {self._leaf(block, 0)} ORDER BY {self._leaf(block, 0)})"
            tail += ("" if tail else " WHERE TRUE") + f" QUALIFY {window} > 0"
        return Query(f"SELECT {', '.join(items)} FROM {from_}{tail}", tuple(columns))

    def _item(self, block: Block, items: list[str], columns: list[tuple[str, Type]], depth: int) -> None:
        chance = self.random.random()
        if chance < 0.06 and not items:
            items.append(self._star(block, columns))
            return
        if chance < 0.12:
            source = self.random.choice(block.sources)
            if source.alias:
                items.append(f"{source.alias}.*")
                columns += source.columns
                return
        if chance < 0.17 and self._has("record_star"):
            text, kind = self._expression(block, Rec, depth)
            if isinstance(kind, Rec):
                items.append(self._record_star(text))
                columns += kind.fields
                return
        if chance < 0.2 and self._has("select_unnest"):
            text, kind = self._expression(block, Arr, depth)
            if isinstance(kind, Arr):
                name = self._name()
                items.append(f"UNNEST({text}) AS {name}")
                columns.append((name, kind.element))
                return
        text, kind = self._expression(block, None, depth)
        name = self._implied(text) if self.random.random() < 0.25 else ""
        if name:
            items.append(text)
        else:
            name = self._name([n for n, _ in columns])
            items.append(f"{text} AS {name}")
            block.aliases.append((name, kind))
        columns.append((name, kind))

    def _record_star(self, text: str) -> str:
        return f"{text}.*" if "." not in text or self.random.random() < 0.7 else f"({text}).*"

    def _star(self, block: Block, columns: list[tuple[str, Type]]) -> str:
        all_columns = [column for source in block.sources for column in source.columns]
        chance = self.random.random()
        if chance < 0.3 and all_columns and self.flavour.except_:
            gone = self.random.choice(all_columns)[0]
            columns += [column for column in all_columns if column[0] != gone]
            return f"* {self.flavour.except_} ({gone})"
        if chance < 0.6 and all_columns and self._has("replace"):
            name = self.random.choice(all_columns)[0]
            text, kind = self._expression(block, None, 1)
            columns += [(n, kind if n == name else t) for n, t in all_columns]
            return f"* REPLACE ({text} AS {name})"
        columns += all_columns
        return "*"

    def _union(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        left = self._select(depth - 1, ctes, outer)
        for _ in range(8):
            right = self._select(depth - 1, ctes, outer)
            if len(right.columns) == len(left.columns):
                return Query(f"{left.text} UNION ALL {right.text}", left.columns)
        return left

    def _grouped(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        block = Block([], outer)
        from_ = self._from(block, depth, ctes)
        key, kind = self._leaf(block, 0), LEAF
        name = self._implied(key) if self.random.random() < 0.5 else ""
        items = [key if name else f"{key} AS {(name := self._name())}"]
        columns: list[tuple[str, Type]] = [(name, kind)]
        for _ in range(self.random.randint(1, 2)):
            text, inner = self._aggregate(block, depth)
            alias = self._name([n for n, _ in columns])
            items.append(f"{text} AS {alias}")
            columns.append((alias, inner))
        by = self.random.choice([key, "1", *([name] if self._has("group_alias") else []),
                                 *(["ALL"] if self._has("group_all") else [])])
        having = " HAVING COUNT(*) > 0" if self.random.random() < 0.2 else ""
        return Query(f"SELECT {', '.join(items)} FROM {from_} GROUP BY {by}{having}", tuple(columns))

    def _aggregate(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._expression(block, None, min(depth, 1), plain=True)
        chance = self.random.random()
        if chance < 0.4 and not isinstance(kind, Arr):
            collected = self.random.choice(self.flavour.collect).format(text)
            if self.random.random() < 0.5:
                return self.random.choice(self.flavour.element).format(collected), kind
            return collected, Arr(kind)
        template = self.random.choice(self.flavour.keep)
        if template == "MAX({})" and not isinstance(kind, Leaf):
            template = self.flavour.keep[0]
        return template.format(text, key=self._leaf(block, 0)), kind

    def _pivot(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        inner = self._select(depth - 1, ctes, outer)
        leaves = [name for name, kind in inner.columns if isinstance(kind, Leaf)]
        names = [name for name, _ in inner.columns]
        if len(leaves) < 2 or len(set(names)) < len(names):
            return inner
        value, key = self.random.sample(leaves, 2)
        alias = self._name()
        if self.random.random() < 0.5:
            rest = [(n, t) for n, t in inner.columns if n not in (value, key)]
            if all(isinstance(kind, Leaf) for _, kind in rest):
                agg = self.random.choice(("MAX({}) AS {}", "ANY_VALUE({}) AS {}")).format(value, self._name())
                return Query(
                    f"SELECT * FROM ({inner.text}) PIVOT ({agg} FOR {key} IN ('red' AS red, 'blue' AS blue))",
                    tuple(rest),
                )
        name, label = self._name(), self._name()
        rest = [(n, t) for n, t in inner.columns if n not in (value, key)]
        return Query(
            f"SELECT * FROM ({inner.text}) AS {alias} UNPIVOT ({name} FOR {label} IN ({value}, {key}))",
            (*rest, (name, LEAF)),
        )

    # ------------------------------------------------------------ FROM

    def _from(self, block: Block, depth: int, ctes: list[Cte]) -> str:
        text = self._table(block, depth, ctes)
        arrays = self.random.choice((0, 0, 1, 1, 2))
        if self.random.random() < 0.3:
            before = {name for source in block.sources for name, _ in source.columns}
            count = len(block.sources)
            comma = "CROSS JOIN" if arrays else ","
            join = self.random.choice(("LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", comma))
            other = self._table(block, depth, ctes)
            shared = sorted(
                name for source in block.sources[count:] for name, kind in source.columns
                if name in before and isinstance(kind, Leaf)
            )
            if join in ("CROSS JOIN", ","):
                text += f"{'' if join == ',' else ' '}{join} {other}"
            elif shared:
                text += f" {join} {other} USING ({self.random.choice(shared)})"
            else:
                text += f" {join} {other} ON TRUE"
        # A comma binds less than the JOIN UNNEST behind it, which then sees the nearer table first (DuckDB).
        for _ in range(arrays):
            made = self._unnest(block)
            text += f"{'' if made.startswith(',') else ' '}{made}" if made else ""
        return text

    def _table(self, block: Block, depth: int, ctes: list[Cte]) -> str:
        chance = self.random.random()
        if chance < 0.25 and depth > 0:
            inner = self._any_query(depth - 1, ctes, block.outer if self.random.random() < 0.3 else [])
            alias = self._alias(block)
            block.sources.append(Source(alias, list(inner.columns)))
            return f"({inner.text}) AS {alias}"
        if ctes and chance < 0.7:
            name, columns = self.random.choice(ctes)
        else:
            table = self.random.choice(self.schema)
            name, columns = table.name, table.columns
        alias = self._alias(block) if self.random.random() < 0.5 else ""
        block.sources.append(Source(alias or name, list(columns)))
        return f"{name} AS {alias}" if alias else name

    def _unnest(self, block: Block) -> str:
        text, kind = self._read(block, Arr)
        if not isinstance(kind, Arr):
            return ""
        template, shape = self.random.choice(self.flavour.unnest)
        alias, name = self._alias(block), self._name()
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

    # ------------------------------------------------------------ expressions

    def _expression(self, block: Block, want: type | None, depth: int, plain: bool = False) -> tuple[str, Type]:
        chance = self.random.random()
        if depth <= 0 or self.budget <= 0 or chance < 0.45:
            return self._read(block, want)
        self.budget -= 1
        makers = [self._choice, self._coalesce, self._scalar_subquery]
        if want in (None, Rec):
            makers += [self._record, self._record]
            if self._has("row"):
                makers.append(self._row)
        if want in (None, Leaf):
            makers += [self._concat, self._read_built]
        if want in (None, Arr) and self._has("array_subquery"):
            makers += [self._array_subquery]
        if want in (None, Arr) and self.flavour.map_array:
            makers += [self._mapped]
        makers += self._more(want)
        if not plain and want is None:
            makers.append(self._window)
        text, kind = self.random.choice(makers)(block, depth)
        if want is None or isinstance(kind, want):
            return text, kind
        return self._read(block, want)

    def _more(self, want: type | None) -> list[Maker]:
        """What else makes a value of the wanted kind in this dialect."""
        return []

    def _read(self, block: Block, want: type | None, depth: int = 0) -> tuple[str, Type]:
        """A stored value by its path, of the wanted kind if there is one."""
        sources = block.sources
        if block.outer and self.random.random() < 0.25:
            sources = block.outer
        if not sources:
            sources = block.sources or block.outer
        if not sources:
            return "'none#'", LEAF
        for _ in range(12):
            found = self._path(self.random.choice(sources), block)
            if found is not None and (want is None or isinstance(found[1], want)):
                return found
        return found if found is not None else ("'none#'", LEAF)

    def _path(self, source: Source, block: Block) -> tuple[str, Type] | None:
        if self._has("lateral_alias") and block.aliases and self.random.random() < 0.1:
            text, kind = self.random.choice(block.aliases)
        elif source.row is not None and source.alias and self.random.random() < 0.5:
            text, kind = source.alias, source.row
        elif source.columns:
            name, kind = self.random.choice(source.columns)
            text = name if self._plain(name, source, block) else f"{source.alias}.{name}"
        elif source.row is not None and source.alias:
            text, kind = source.alias, source.row
        else:
            return None
        stop = self.random.random() * 0.6
        while self.random.random() > stop:
            if isinstance(kind, Rec) and kind.fields:
                name, kind = self.random.choice(kind.fields)
                text = self.flavour.field.format(value=text, name=name)
            elif isinstance(kind, Arr) and self.random.random() < 0.5:
                text, kind = self.random.choice(self.flavour.element).format(text), kind.element
            else:
                break
        return text, kind

    def _plain(self, name: str, source: Source, block: Block) -> bool:
        """Whether to read a column without its source's name: mostly where no other source has that name."""
        if not source.alias:
            return True
        others = [s for s in block.sources if s is not source and any(name == n for n, _ in s.columns)]
        hidden = "value_table" in self.flavour.features and any(s.alias == name for s in block.sources)
        return self.random.random() < (0.05 if others or hidden else 0.5)

    def _leaf(self, block: Block, depth: int) -> str:
        text, kind = self._expression(block, Leaf, depth)
        return text if isinstance(kind, Leaf) else "'none#'"

    def _condition(self, block: Block) -> str:
        """A condition that is true for every other row, by a place of the tag that no other condition looks at."""
        self.conditions += 1
        return f"{self._leaf(block, 0)} LIKE '%#{'_' * (self.conditions - 1)}1%'"

    def _choice(self, block: Block, depth: int) -> tuple[str, Type]:
        one, kind = self._expression(block, None, depth - 1, plain=True)
        other = self._like(block, kind)
        return self.flavour.choose.format(self._condition(block), one, other), kind

    def _like(self, block: Block, kind: Type) -> str:
        """Another value of the same type."""
        for _ in range(10):
            text, other = self._read(block, type(kind))
            if other == kind:
                return text
        if isinstance(kind, Rec):
            return self._built([(name, self._like(block, inner)) for name, inner in kind.fields], kind)
        return "NULL" if isinstance(kind, Arr) else self._leaf(block, 0)

    def _coalesce(self, block: Block, depth: int) -> tuple[str, Type]:
        one, kind = self._expression(block, None, depth - 1, plain=True)
        first = self.flavour.choose.format(self._condition(block), one, "NULL")
        return f"COALESCE({first}, {self._like(block, kind)})", kind

    def _record(self, block: Block, depth: int) -> tuple[str, Type]:
        items = []
        for name in self.random.sample(NAMES, self.random.randint(1, 3)):
            text, kind = self._expression(block, None, depth - 1, plain=True)
            items.append((name, text, kind))
        made = Rec(tuple((name, kind) for name, _, kind in items))
        return self._built([(name, text) for name, text, _ in items], made), made

    def _built(self, items: list[tuple[str, str]], kind: Rec) -> str:
        self.records[kind] = None
        return self.flavour.built(items, kind)

    def _read_built(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._record(block, depth)
        assert isinstance(kind, Rec)
        name, inner = self.random.choice(kind.fields)
        if self._has("extract") and self.random.random() < 0.3:
            return f"struct_extract({text}, '{name}')", inner
        return f"({text}).{name}", inner

    def _row(self, block: Block, depth: int) -> tuple[str, Type]:
        source = self.random.choice(block.sources)
        if not source.alias:
            return self._read(block, Rec)
        return source.alias, source.row if source.row is not None else Rec(tuple(source.columns))

    def _concat(self, block: Block, depth: int) -> tuple[str, Type]:
        return f"CONCAT({self._leaf(block, depth - 1)}, '|', {self._leaf(block, 0)})", LEAF

    def _inner(self, block: Block, depth: int) -> tuple[Block, str] | None:
        """A block over an array of this block: the FROM of a correlated subquery."""
        inner = Block([], [*block.sources, *block.outer])
        array, kind = self._read(block, Arr)
        if not isinstance(kind, Arr):
            return None
        alias, name = self._name(), self._name()
        if self._has("value_table"):
            fields = list(kind.element.fields) if isinstance(kind.element, Rec) else []
            inner.sources.append(Source(alias, fields, kind.element))
            return inner, f"UNNEST({array}) AS {alias}"
        inner.sources.append(Source(alias, [(name, kind.element)]))
        return inner, f"UNNEST({array}) AS {alias}({name})"

    def _array_subquery(self, block: Block, depth: int) -> tuple[str, Type]:
        made = self._inner(block, depth)
        if made is None:
            return self._read(block, Arr)
        inner, from_ = made
        if self._has("as_struct") and self.random.random() < 0.6:
            items: list[str] = []
            columns: list[tuple[str, Type]] = []
            for _ in range(self.random.randint(1, 2)):
                self._item(inner, items, columns, depth - 1)
            return f"ARRAY(SELECT AS STRUCT {', '.join(items)} FROM {from_})", Arr(Rec(tuple(columns)))
        text, kind = self._expression(inner, None, depth - 1)
        return f"ARRAY(SELECT {text} FROM {from_})", Arr(kind)

    def _scalar_subquery(self, block: Block, depth: int) -> tuple[str, Type]:
        made = self._inner(block, depth)
        if made is None:
            return self._read(block, None)
        inner, from_ = made
        if self._has("as_struct") and self.random.random() < 0.3:
            items: list[str] = []
            columns: list[tuple[str, Type]] = []
            self._item(inner, items, columns, depth - 1)
            return f"(SELECT AS STRUCT {', '.join(items)} FROM {from_} LIMIT 1)", Rec(tuple(columns))
        text, kind = self._expression(inner, None, depth - 1)
        return f"(SELECT {text} FROM {from_} LIMIT 1)", kind

    def _mapped(self, block: Block, depth: int) -> tuple[str, Type]:
        array, kind = self._read(block, Arr)
        if not isinstance(kind, Arr):
            return array, kind
        # DuckDB reads `x.x` in a lambda as a table's column where it can, so a parameter has no source's name.
        names = {source.alias for source in (*block.sources, *block.outer)}
        name = next((n for n in self.random.sample(NAMES, len(NAMES)) if n not in names), "each")
        inner = Block([Source("", [(name, kind.element)])], [*block.sources, *block.outer])
        body, result = self._expression(inner, None, depth - 1, plain=True)
        return self.random.choice(self.flavour.map_array).format(array=array, p=name, body=body), Arr(result)

    def _window(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._expression(block, None, 0)
        name = self.random.choice(("FIRST_VALUE", "LAST_VALUE", "LAG", "ANY_VALUE"))
        return f"{name}({text}) OVER (PARTITION BY {self._leaf(block, 0)} ORDER BY {self._leaf(block, 0)})", kind

    # ------------------------------------------------------------ names

    def _name(self, taken: Iterable[str] = ()) -> str:
        """A name, mostly one that is not taken."""
        free = [name for name in NAMES if name not in set(taken)]
        return self.random.choice(free if free and self.random.random() < 0.95 else NAMES)

    def _alias(self, block: Block) -> str:
        return self._name(source.alias for source in block.sources)

    def _implied(self, text: str) -> str:
        """The name that a select item has without alias, '' where it has none."""
        last = text.split(".")[-1]
        return last if text.replace(".", "").replace("_", "").isalpha() and last in NAMES else ""

    def _has(self, feature: str) -> bool:
        return feature in self.flavour.features


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
