"""Random expressions: reads by path, and all that is made of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from random import Random

from tests.oracle.believed import NAMES, Block, Columns, Source
from tests.oracle.flavours import Flavour
from tests.oracle.trees import LEAF, Arr, Leaf, Rec, Schema, Type

Maker = Callable[[Block, int], tuple[str, Type]]


class Expressions:
    """Writes expressions over a block; `conditions` counts those whose outcome the rows have to show both ways."""

    def __init__(self, random: Random, flavour: Flavour, schema: Schema) -> None:
        self.random = random
        self.flavour = flavour
        self.schema = schema
        self.conditions = 0
        self.budget = 12
        # The record types that the query names.
        self.records: dict[Rec, None] = {}

    @abstractmethod
    def name(self, taken: Iterable[str] = ()) -> str: ...

    @abstractmethod
    def has(self, feature: str) -> bool: ...

    @abstractmethod
    def item(self, block: Block, columns: Columns, depth: int) -> str: ...

    def expression(self, block: Block, want: type | None, depth: int, plain: bool = False) -> tuple[str, Type]:
        chance = self.random.random()
        if depth <= 0 or self.budget <= 0 or chance < 0.45:
            return self.read(block, want)
        self.budget -= 1
        makers = [self._choice, self._coalesce, self._scalar_subquery]
        if want in (None, Rec):
            makers += [self._record, self._record]
            if self.has("row"):
                makers.append(self._row)
        if want in (None, Leaf):
            makers += [self._concat, self._read_built]
        if want in (None, Arr) and self.has("array_subquery"):
            makers += [self._array_subquery]
        if want in (None, Arr):
            makers += [self._mapped, self._kept, self._listed]
            if self.has("array_fields"):
                makers.append(self._field_of_elements)
        makers += self.more(want)
        if not plain and want is None:
            makers.append(self.window)
        text, kind = self.random.choice(makers)(block, depth)
        if want is None or isinstance(kind, want):
            return text, kind
        return self.read(block, want)

    def more(self, want: type | None) -> list[Maker]:
        """What else makes a value of the wanted kind in this dialect."""
        return []

    def read(self, block: Block, want: type | None, depth: int = 0) -> tuple[str, Type]:
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
        if self.has("lateral_alias") and block.aliases and self.random.random() < 0.1:
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
        hidden = self.has("value_table") and any(s.alias == name for s in block.sources)
        return self.random.random() < (0.05 if others or hidden else 0.5)

    def leaf(self, block: Block, depth: int) -> str:
        text, kind = self.expression(block, Leaf, depth)
        return text if isinstance(kind, Leaf) else "'none#'"

    def _condition(self, block: Block) -> str:
        """A condition that is true for every other row, by a place of the tag that no other condition looks at."""
        self.conditions += 1
        return f"{self.leaf(block, 0)} LIKE '%#{'_' * (self.conditions - 1)}1%'"

    def _choice(self, block: Block, depth: int) -> tuple[str, Type]:
        one, kind = self.expression(block, None, depth - 1, plain=True)
        other = self.like(block, kind)
        return self.random.choice(self.flavour.choose).format(self._condition(block), one, other), kind

    def like(self, block: Block, kind: Type) -> str:
        """Another value of the same type."""
        for _ in range(10):
            text, other = self.read(block, type(kind))
            if other == kind:
                return text
        if isinstance(kind, Rec):
            return self._built([(name, self.like(block, inner)) for name, inner in kind.fields], kind)
        return "NULL" if isinstance(kind, Arr) else self.leaf(block, 0)

    def _coalesce(self, block: Block, depth: int) -> tuple[str, Type]:
        one, kind = self.expression(block, None, depth - 1, plain=True)
        first = self.flavour.choose[0].format(self._condition(block), one, "NULL")
        name = self.random.choice(self.flavour.otherwise)
        return f"{name}({first}, {self.like(block, kind)})", kind

    def _record(self, block: Block, depth: int) -> tuple[str, Type]:
        items = []
        for name in self.random.sample(NAMES, self.random.randint(1, 3)):
            text, kind = self.expression(block, None, depth - 1, plain=True)
            items.append((name, text, kind))
        made = Rec(tuple((name, kind) for name, _, kind in items))
        return self._built([(name, text) for name, text, _ in items], made, self.random.random()), made

    def _built(self, items: list[tuple[str, str]], kind: Rec, chance: float = 1) -> str:
        self.records[kind] = None
        return self.flavour.built(items, kind, chance)

    def _read_built(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._record(block, depth)
        assert isinstance(kind, Rec)
        name, inner = self.random.choice(kind.fields)
        if self.has("extract") and self.random.random() < 0.5:
            access = self.random.choice(("struct_extract({}, '{}')", "({})['{}']"))
            return access.format(text, name), inner
        return f"({text}).{name}", inner

    def _row(self, block: Block, depth: int) -> tuple[str, Type]:
        source = self.random.choice(block.sources)
        if not source.alias:
            return self.read(block, Rec)
        return source.alias, source.row if source.row is not None else Rec(tuple(source.columns))

    def _concat(self, block: Block, depth: int) -> tuple[str, Type]:
        template = self.random.choice(("CONCAT({}, '|', {})", "{} || '|' || {}"))
        return template.format(self.leaf(block, depth - 1), self.leaf(block, 0)), LEAF

    # ------------------------------------------------------------ arrays

    def _inner(self, block: Block, depth: int) -> tuple[Block, str] | None:
        """A block over an array of this block: the FROM of a correlated subquery."""
        inner = Block([], [*block.sources, *block.outer])
        array, kind = self.read(block, Arr)
        if not isinstance(kind, Arr):
            return None
        alias, name = self.name(), self.name()
        if self.has("value_table"):
            fields = list(kind.element.fields) if isinstance(kind.element, Rec) else []
            inner.sources.append(Source(alias, fields, kind.element))
            return inner, f"UNNEST({array}) AS {alias}"
        inner.sources.append(Source(alias, [(name, kind.element)]))
        return inner, f"UNNEST({array}) AS {alias}({name})"

    def _array_subquery(self, block: Block, depth: int) -> tuple[str, Type]:
        made = self._inner(block, depth)
        if made is None:
            return self.read(block, Arr)
        inner, from_ = made
        if self.has("as_struct") and self.random.random() < 0.6:
            columns: Columns = []
            items = [self.item(inner, columns, depth - 1) for _ in range(self.random.randint(1, 2))]
            return f"ARRAY(SELECT AS STRUCT {', '.join(items)} FROM {from_})", Arr(Rec(tuple(columns)))
        text, kind = self.expression(inner, None, depth - 1)
        return f"ARRAY(SELECT {text} FROM {from_})", Arr(kind)

    def _scalar_subquery(self, block: Block, depth: int) -> tuple[str, Type]:
        if self.flavour.any_row:
            table = self.random.choice(self.schema)
            text, kind = self.expression(Block([Source(table.name, list(table.columns))], []), None, depth - 1)
            return f"(SELECT {self.flavour.any_row}({text}) FROM {table.name})", kind
        made = self._inner(block, depth)
        if made is None:
            return self.read(block, None)
        inner, from_ = made
        if self.has("as_struct") and self.random.random() < 0.3:
            columns: Columns = []
            item = self.item(inner, columns, depth - 1)
            return f"(SELECT AS STRUCT {item} FROM {from_} LIMIT 1)", Rec(tuple(columns))
        text, kind = self.expression(inner, None, depth - 1)
        return f"(SELECT {text} FROM {from_} LIMIT 1)", kind

    def _lambda(self, block: Block, element: Type) -> tuple[str, Block]:
        name = self.name()
        return name, Block([Source("", [(name, element)])], [*block.sources, *block.outer])

    def _mapped(self, block: Block, depth: int) -> tuple[str, Type]:
        """An array with each element made into another one."""
        array, kind = self.read(block, Arr)
        if not isinstance(kind, Arr) or not self.flavour.map_array:
            return array, kind
        name, inner = self._lambda(block, kind.element)
        body, result = self.expression(inner, None, depth - 1, plain=True)
        return self.random.choice(self.flavour.map_array).format(array=array, p=name, body=body), Arr(result)

    def _kept(self, block: Block, depth: int) -> tuple[str, Type]:
        """Some elements of an array."""
        array, kind = self.expression(block, Arr, depth - 1, plain=True)
        if not isinstance(kind, Arr) or not self.flavour.keep_array:
            return array, kind
        name, inner = self._lambda(block, kind.element)
        return self.random.choice(self.flavour.keep_array).format(array=array, p=name, test=self.leaf(inner, 0)), kind

    def _listed(self, block: Block, depth: int) -> tuple[str, Type]:
        """An array of two values, or two arrays as one."""
        one, kind = self.expression(block, None, depth - 1, plain=True)
        other = self.like(block, kind)
        if isinstance(kind, Arr):
            return self.random.choice(self.flavour.join_arrays).format(one, other), kind
        return self.flavour.make_array.format(f"{one}, {other}"), Arr(kind)

    def _field_of_elements(self, block: Block, depth: int) -> tuple[str, Type]:
        """`items.sku`: the array of a field."""
        array, kind = self.read(block, Arr)
        if not isinstance(kind, Arr) or not isinstance(kind.element, Rec):
            return array, kind
        name, inner = self.random.choice(kind.element.fields)
        return f"{array}.{name}", Arr(inner)

    # ------------------------------------------------------------ aggregates and windows

    def aggregate(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self.expression(block, None, min(depth, 1), plain=True)
        chance = self.random.random()
        if chance < 0.4 and not isinstance(kind, Arr):
            collected = self.random.choice(self.flavour.collect).format(text, key=self.leaf(block, 0))
            if self.random.random() < 0.5:
                return self.random.choice(self.flavour.element).format(collected), kind
            return collected, Arr(kind)
        template = self.random.choice(self.flavour.keep)
        if template == "MAX({})" and not isinstance(kind, Leaf):
            template = self.flavour.keep[0]
        return template.format(text, key=self.leaf(block, 0)), kind

    def window(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self.expression(block, None, 0)
        name = self.random.choice(("FIRST_VALUE", "LAST_VALUE", "LAG", "ANY_VALUE"))
        if block.window and self.random.random() < 0.7:
            return f"{name}({text}) OVER {block.window}", kind
        return f"{name}({text}) OVER (PARTITION BY {self.leaf(block, 0)} ORDER BY {self.leaf(block, 0)})", kind
