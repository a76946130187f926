"""Generators that write what is peculiar to a dialect besides what all of them have."""

from __future__ import annotations

import re

from tests.oracle.believed import Block, Columns, Cte, Query, Source
from tests.oracle.expressions import Maker
from tests.oracle.generator import Generator
from tests.oracle.trees import LEAF, Arr, Leaf, Rec, Type

_PLAIN = re.compile(r"\w+(\.\w+)*")


class PostgresGenerator(Generator):
    """Composite values, whole rows, LATERAL, json_to_recordset, VALUES, DISTINCT ON."""

    def select(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        made = super().select(depth, ctes, outer)
        if self.random.random() > 0.05 or not made.columns or not made.text.startswith("SELECT "):
            return made
        key = self.random.choice(("1", made.columns[0][0]))
        return Query(f"SELECT DISTINCT ON ({key}) {made.text.removeprefix('SELECT ')}", made.columns)

    def record_star(self, text: str) -> str:
        return f"({text}).*"

    def implied(self, text: str) -> str:
        found = re.fullmatch(r"[\w.()\[\]]*?(\w+)\)*(?:\[\d\])?", text)
        return found.group(1) if found and not found.group(1).isdigit() else ""

    def _unnest(self, block: Block) -> str:
        chance = self.random.random()
        if chance < 0.12:
            return self._record_set(block)
        if chance < 0.2:
            alias, names = self.alias(block), [self.name(), self.name()]
            rows = ", ".join(f"({self.leaf(block, 1)}, {self.leaf(block, 1)})" for _ in range(2))
            block.sources.append(Source(alias, [(name, LEAF) for name in names]))
            return f", LATERAL (VALUES {rows}) AS {alias}({', '.join(names)})"
        if chance < 0.28:
            inner = self.select(0, [], [*block.sources, *block.outer])
            alias = self.alias(block)
            block.sources.append(Source(alias, list(inner.columns)))
            return f", LATERAL ({inner.text}) AS {alias}"
        return super()._unnest(block)

    def _record_set(self, block: Block) -> str:
        alias, names = self.alias(block), self.random.sample(["crate", "label", "lot", "port"], 2)
        pairs = ", ".join(f"'{name}', {self.leaf(block, 1)}" for name in names)
        block.sources.append(Source(alias, [(name, LEAF) for name in names]))
        columns = ", ".join(f"{name} text" for name in names)
        if self.random.random() < 0.5:
            return f", json_to_record(json_build_object({pairs})) AS {alias}({columns})"
        return f", jsonb_to_recordset(jsonb_build_array(jsonb_build_object({pairs}))) AS {alias}({columns})"

    def _inner(self, block: Block, depth: int) -> tuple[Block, str] | None:
        array, kind = self.read(block, Arr)
        if not isinstance(kind, Arr):
            return None
        inner = Block([], [*block.sources, *block.outer])
        alias, name = self.name(), self.name()
        if isinstance(kind.element, Rec):
            inner.sources.append(Source(alias, list(kind.element.fields)))
            return inner, f"unnest({array}) AS {alias}"
        inner.sources.append(Source(alias, [(name, kind.element)]))
        return inner, f"unnest({array}) AS {alias}({name})"


class SparkGenerator(Generator):
    """Generators in the select list, maps, folds over arrays, structs of columns."""

    def record_star(self, text: str) -> str:
        return f"{text}.*" if _PLAIN.fullmatch(text) else f"inline(array({text}))"

    def item(self, block: Block, columns: Columns, depth: int) -> str:
        if self.random.random() < 0.06:
            text, kind = self.expression(block, Arr, depth)
            if isinstance(kind, Arr):
                return self._generator_item(text, kind, columns)
        return super().item(block, columns, depth)

    def _generator_item(self, text: str, kind: Arr, columns: Columns) -> str:
        name = self.name()
        fields = kind.element.fields if isinstance(kind.element, Rec) else ()
        made = self.random.choice(("explode", "posexplode", "inline", "explode_outer", "stack", "bare"))
        if made == "inline" and fields:
            columns += fields
            return f"inline({text})"
        if made == "posexplode":
            columns += [("place", LEAF), (name, kind.element)]
            return f"posexplode({text}) AS (place, {name})"
        if made == "stack":
            columns.append((name, kind))
            return f"stack(2, {text}, {text}) AS {name}"
        if made == "bare":
            columns.append(("col", kind.element))
            return f"explode({text})"
        columns.append((name, kind.element))
        return f"{'explode' if made == 'inline' else made}({text}) AS {name}"

    def more(self, want: type | None) -> list[Maker]:
        if want is Rec:
            return [self._struct]
        if want is Leaf:
            return [self._map, self._folded]
        return [self._map, self._folded, self._struct] if want is None else []

    def _map(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self.expression(block, None, depth - 1, plain=True)
        made = self.random.choice((
            "map('k', {0})['k']", "map('k', {0}).k", "map_values(map('k', {0}))[0]", "element_at(map('k', {0}), 'k')",
            "map_from_arrays(array('k'), array({0}))['k']", "transform_values(map('k', {0}), (k, v) -> v)['k']",
            "map_entries(map('k', {0}))[0].value", "map_filter(map('k', {0}), (k, v) -> k = 'k')['k']",
            "map_concat(map('j', {0}), map('k', {0}))['k']",
        ))
        return made.format(text), kind

    def _folded(self, block: Block, depth: int) -> tuple[str, Type]:
        array, kind = self.read(block, Arr)
        if not isinstance(kind, Arr):
            return array, kind
        name, inner = self._lambda(block, kind.element)
        function = self.random.choice(("aggregate", "reduce"))
        return f"{function}({array}, '', (acc, {name}) -> concat(acc, {self.leaf(inner, 0)}))", LEAF

    def _struct(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self.read(block, None)
        name = self.implied(text)
        if name:
            return f"struct({text})", Rec(((name, kind),))
        name = self.name()
        return f"struct({text} AS {name})", Rec(((name, kind),))


class ClickHouseGenerator(Generator):
    """COLUMNS, APPLY, arrayJoin, parts of tuples, aliases known everywhere, WITH expressions, LIMIT BY."""

    def select(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        made = super().select(depth, ctes, outer)
        if self.random.random() < 0.05 and made.columns:
            return Query(f"{made.text} LIMIT 1 BY {made.columns[0][0]}", made.columns)
        return made

    def record_star(self, text: str) -> str:
        return f"{text}.*" if _PLAIN.fullmatch(text) else text

    def item(self, block: Block, columns: Columns, depth: int) -> str:
        chance = self.random.random()
        if chance < 0.04 and block.sources[0].columns:
            name = self.random.choice(block.sources[0].columns)[0]
            pattern = self.random.choice((name, f"^{name}$", f"{name}|lot", "o"))
            columns += [c for source in block.sources for c in source.columns if re.search(pattern, c[0])]
            return f"COLUMNS('{pattern}')"
        if chance < 0.07:
            return "* APPLY(toString)"
        if chance < 0.12:
            text, kind = self.expression(block, Arr, depth)
            if isinstance(kind, Arr):
                name = self.name([n for n, _ in columns])
                columns.append((name, kind.element))
                return f"arrayJoin({text}) AS {name}"
        return super().item(block, columns, depth)

    def implied(self, text: str) -> str:
        return text if _PLAIN.fullmatch(text) and "." not in text else ""

    def more(self, want: type | None) -> list[Maker]:
        return [self._tuple_part, self._inline_alias] if want is None else []

    def _tuple_part(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self.read(block, Rec)
        if not isinstance(kind, Rec):
            one, other = self.expression(block, None, depth - 1, plain=True)
            return f"tuple({one}, {text}).1", other
        place = self.random.randrange(len(kind.fields))
        name, inner = kind.fields[place]
        made = self.random.choice(("{0}.{1}", "tupleElement({0}, {1})", "tupleElement({0}, '{2}')", "untuple({0})"))
        return made.format(text, place + 1, name), inner

    def _inline_alias(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self.read(block, Leaf)
        name = self.name(n for n, _ in block.aliases)
        block.aliases.append((name, kind))
        return f"concat(({text} AS {name}), '|', {name})", LEAF

    def query(self) -> Query:
        """A whole query, with an expression in its WITH clause now and then."""
        made = super().query()
        if self.random.random() > 0.08 or made.text.startswith("WITH"):
            return made
        return Query(f"WITH 'none#' AS {self.name()} {made.text}", made.columns)
