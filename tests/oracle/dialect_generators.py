"""Generators that write what is peculiar to a dialect besides what all of them have."""

from __future__ import annotations

import re

from tests.oracle.basic_generator import Block, Cte, Generator, Maker, Query, Source
from tests.oracle.trees import LEAF, Arr, Leaf, Rec, Type

_PLAIN = re.compile(r"\w+(\.\w+)*")


class PostgresGenerator(Generator):
    """Composite values, whole rows, LATERAL, json_to_recordset, VALUES, DISTINCT ON."""

    def _select(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        made = super()._select(depth, ctes, outer)
        if self.random.random() > 0.05 or not made.columns or not made.text.startswith("SELECT "):
            return made
        key = self.random.choice(("1", made.columns[0][0]))
        return Query(f"SELECT DISTINCT ON ({key}) {made.text.removeprefix('SELECT ')}", made.columns)

    def _record_star(self, text: str) -> str:
        return f"({text}).*"

    def _implied(self, text: str) -> str:
        found = re.fullmatch(r"[\w.()\[\]]*?(\w+)\)*(?:\[\d\])?", text)
        return found.group(1) if found and not found.group(1).isdigit() else ""

    def _unnest(self, block: Block) -> str:
        chance = self.random.random()
        if chance < 0.12:
            return self._record_set(block)
        if chance < 0.2:
            alias, names = self._alias(block), [self._name(), self._name()]
            rows = ", ".join(f"({self._leaf(block, 1)}, {self._leaf(block, 1)})" for _ in range(2))
            block.sources.append(Source(alias, [(name, LEAF) for name in names]))
            return f", LATERAL (VALUES {rows}) AS {alias}({', '.join(names)})"
        if chance < 0.28:
            inner = self._select(0, [], [*block.sources, *block.outer])
            alias = self._alias(block)
            block.sources.append(Source(alias, list(inner.columns)))
            return f", LATERAL ({inner.text}) AS {alias}"
        return super()._unnest(block)

    def _record_set(self, block: Block) -> str:
        alias, names = self._alias(block), self.random.sample(["crate", "label", "lot", "port"], 2)
        pairs = ", ".join(f"'{name}', {self._leaf(block, 1)}" for name in names)
        block.sources.append(Source(alias, [(name, LEAF) for name in names]))
        columns = ", ".join(f"{name} text" for name in names)
        if self.random.random() < 0.5:
            return f", json_to_record(json_build_object({pairs})) AS {alias}({columns})"
        return f", jsonb_to_recordset(jsonb_build_array(jsonb_build_object({pairs}))) AS {alias}({columns})"

    def _inner(self, block: Block, depth: int) -> tuple[Block, str] | None:
        array, kind = self._read(block, Arr)
        if not isinstance(kind, Arr):
            return None
        inner = Block([], [*block.sources, *block.outer])
        alias, name = self._name(), self._name()
        if isinstance(kind.element, Rec):
            inner.sources.append(Source(alias, list(kind.element.fields)))
            return inner, f"unnest({array}) AS {alias}"
        inner.sources.append(Source(alias, [(name, kind.element)]))
        return inner, f"unnest({array}) AS {alias}({name})"


class SparkGenerator(Generator):
    """LATERAL VIEW, generators, higher-order functions, maps, lateral aliases, PIVOT and UNPIVOT."""

    def _record_star(self, text: str) -> str:
        return f"{text}.*"

    def _item(self, block: Block, items: list[str], columns: list[tuple[str, Type]], depth: int) -> None:
        chance = self.random.random()
        if chance < 0.06:
            text, kind = self._expression(block, Arr, depth)
            if isinstance(kind, Arr):
                self._generator_item(text, kind, items, columns)
                return
        super()._item(block, items, columns, depth)

    def _generator_item(self, text: str, kind: Arr, items: list[str], columns: list[tuple[str, Type]]) -> None:
        name = self._name()
        fields = kind.element.fields if isinstance(kind.element, Rec) else ()
        made = self.random.choice(("explode", "posexplode", "inline", "explode_outer", "stack", "bare"))
        if made == "inline" and fields:
            items.append(f"inline({text})")
            columns += fields
        elif made == "posexplode":
            items.append(f"posexplode({text}) AS (place, {name})")
            columns += [("place", LEAF), (name, kind.element)]
        elif made == "stack":
            items.append(f"stack(2, {text}, {text}) AS {name}")
            columns.append((name, kind))
        elif made == "bare":
            items.append(f"explode({text})")
            columns.append(("col", kind.element))
        else:
            items.append(f"{'explode' if made == 'inline' else made}({text}) AS {name}")
            columns.append((name, kind.element))

    def _more(self, want: type | None) -> list[Maker]:
        found: list[Maker] = []
        if want in (None, Leaf):
            found += [self._map, self._aggregated]
        if want in (None, Arr):
            found += [self._filtered, self._field_of_array, self._array]
        if want in (None, Rec):
            found += [self._struct]
        return found

    def _map(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._expression(block, None, depth - 1, plain=True)
        made = self.random.choice((
            "map('k', {0})['k']", "map('k', {0}).k", "map_values(map('k', {0}))[0]", "element_at(map('k', {0}), 'k')",
            "map_from_arrays(array('k'), array({0}))['k']", "transform_values(map('k', {0}), (k, v) -> v)['k']",
            "map_entries(map('k', {0}))[0].value", "map_filter(map('k', {0}), (k, v) -> k = 'k')['k']",
            "map_concat(map('j', {0}), map('k', {0}))['k']",
        ))
        return made.format(text), kind

    def _lambda(self, kind: Arr, block: Block, depth: int, want: type | None) -> tuple[str, str, Type]:
        name = self._name(source.alias for source in (*block.sources, *block.outer))
        inner = Block([Source("", [(name, kind.element)])], [*block.sources, *block.outer])
        text, made = self._expression(inner, want, depth - 1, plain=True)
        return name, text, made

    def _aggregated(self, block: Block, depth: int) -> tuple[str, Type]:
        array, kind = self._read(block, Arr)
        if not isinstance(kind, Arr):
            return array, kind
        name, text, made = self._lambda(kind, block, 1, Leaf)
        if not isinstance(made, Leaf):
            return array, kind
        function = self.random.choice(("aggregate", "reduce"))
        return f"{function}({array}, '', (acc, {name}) -> concat(acc, {text}))", LEAF

    def _filtered(self, block: Block, depth: int) -> tuple[str, Type]:
        array, kind = self._read(block, Arr)
        if not isinstance(kind, Arr):
            return array, kind
        name, text, made = self._lambda(kind, block, 1, Leaf)
        if self.random.random() < 0.3:
            return self.random.choice((
                f"array_distinct({array})", f"slice({array}, 1, 1)", f"reverse({array})", f"shuffle({array})",
                f"concat({array}, {array})", f"array_compact({array})", f"flatten(array({array}))",
                f"array_union({array}, {array})", f"array_repeat({array}, 2)[0]",
            )), kind
        if not isinstance(made, Leaf):
            return array, kind
        return f"filter({array}, {name} -> {text} IS NOT NULL OR true)", kind

    def _field_of_array(self, block: Block, depth: int) -> tuple[str, Type]:
        array, kind = self._read(block, Arr)
        if not isinstance(kind, Arr) or not isinstance(kind.element, Rec):
            return array, kind
        name, inner = self.random.choice(kind.element.fields)
        return f"{array}.{name}", Arr(inner)

    def _array(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._expression(block, None, depth - 1, plain=True)
        other = self._like(block, kind)
        return f"array({text}, {other})", Arr(kind)

    def _struct(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._read(block, None)
        name = self._implied(text)
        if name:
            return f"struct({text})", Rec(((name, kind),))
        name = self._name()
        return f"struct({text} AS {name})", Rec(((name, kind),))

    def _scalar_subquery(self, block: Block, depth: int) -> tuple[str, Type]:
        table = self.random.choice(self.schema)
        inner = Block([Source(table.name, list(table.columns))], [])
        text, kind = self._expression(inner, None, depth - 1)
        return f"(SELECT any_value({text}) FROM {table.name})", kind

    def _pivot(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        inner = self._select(depth - 1, ctes, outer)
        leaves = [name for name, kind in inner.columns if isinstance(kind, Leaf)]
        names = [name for name, _ in inner.columns]
        if len(leaves) < 2 or len(set(names)) < len(names):
            return inner
        value, key = self.random.sample(leaves, 2)
        if self.random.random() < 0.5:
            rest = tuple((n, t) for n, t in inner.columns if n not in (value, key))
            one, two = self._name(), self._name()
            aggregates = self.random.choice((
                f"max({value})", f"max({value}) AS {one}", f"max({value}) AS {one}, min({value}) AS {two}",
                f"max({value}), min({value})", f"max({value}) AS {one}, min({value})",
            ))
            listed = self.random.choice(("'red', 'blue'", "'red' AS r, 'blue' AS b", "'red' AS r, 'blue'"))
            return Query(f"SELECT * FROM ({inner.text}) PIVOT ({aggregates} FOR {key} IN ({listed}))", rest)
        name, label = self._name(), self._name()
        rest = tuple((n, t) for n, t in inner.columns if n not in (value, key))
        nulls = self.random.choice(("", "INCLUDE NULLS ", "EXCLUDE NULLS "))
        listed = self.random.choice((f"{value}, {key}", f"{value} AS v, {key} AS w"))
        text = f"SELECT * FROM ({inner.text}) UNPIVOT {nulls}({name} FOR {label} IN ({listed}))"
        return Query(text, (*rest, (label, LEAF), (name, LEAF)))


class ClickHouseGenerator(Generator):
    """ARRAY JOIN, tuples, lambdas, aliases known everywhere, WITH expressions, COLUMNS, APPLY, LIMIT BY, PREWHERE."""

    def _select(self, depth: int, ctes: list[Cte], outer: list[Source]) -> Query:
        made = super()._select(depth, ctes, outer)
        chance = self.random.random()
        if chance < 0.05 and made.columns:
            return Query(f"{made.text} LIMIT 1 BY {made.columns[0][0]}", made.columns)
        return made

    def _record_star(self, text: str) -> str:
        return f"{text}.*" if _PLAIN.fullmatch(text) else text

    def _item(self, block: Block, items: list[str], columns: list[tuple[str, Type]], depth: int) -> None:
        chance = self.random.random()
        if chance < 0.04 and block.sources[0].columns:
            name = self.random.choice(block.sources[0].columns)[0]
            pattern = self.random.choice((name, f"^{name}$", f"{name}|lot", "o"))
            items.append(f"COLUMNS('{pattern}')")
            columns += [c for source in block.sources for c in source.columns if re.search(pattern, c[0])]
            return
        if chance < 0.07:
            items.append("* APPLY(toString)")
            return
        if chance < 0.12:
            text, kind = self._expression(block, Arr, depth)
            if isinstance(kind, Arr):
                name = self._name([n for n, _ in columns])
                items.append(f"arrayJoin({text}) AS {name}")
                columns.append((name, kind.element))
                return
        super()._item(block, items, columns, depth)

    def _implied(self, text: str) -> str:
        return text if _PLAIN.fullmatch(text) and "." not in text else ""

    def _more(self, want: type | None) -> list[Maker]:
        found: list[Maker] = []
        if want in (None, Arr):
            found += [self._filtered, self._field_of_array, self._array]
        if want is None:
            found += [self._tuple_part, self._inline_alias]
        return found

    def _filtered(self, block: Block, depth: int) -> tuple[str, Type]:
        array, kind = self._read(block, Arr)
        if not isinstance(kind, Arr):
            return array, kind
        made = self.random.choice((
            "arrayFilter(x -> 1, {0})", "arrayReverse({0})", "arrayConcat({0}, {0})", "arraySlice({0}, 1, 1)",
            "arraySort({0})", "arrayDistinct({0})", "arrayPushBack({0}, {0}[1])", "arrayFlatten([{0}])",
            "arraySort(x -> 1, {0})", "arrayReverseSort({0})", "arrayCompact({0})", "arrayZip({0}, {0}).1",
        ))
        return made.format(array), kind

    def _field_of_array(self, block: Block, depth: int) -> tuple[str, Type]:
        array, kind = self._read(block, Arr)
        if not isinstance(kind, Arr) or not isinstance(kind.element, Rec):
            return array, kind
        name, inner = self.random.choice(kind.element.fields)
        return f"{array}.{name}", Arr(inner)

    def _array(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._expression(block, None, depth - 1, plain=True)
        return f"[{text}, {self._like(block, kind)}]", Arr(kind)

    def _tuple_part(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._read(block, Rec)
        if not isinstance(kind, Rec):
            one, other = self._expression(block, None, depth - 1, plain=True)
            return f"tuple({one}, {text}).1", other
        place = self.random.randrange(len(kind.fields))
        name, inner = kind.fields[place]
        made = self.random.choice(("{0}.{1}", "tupleElement({0}, {1})", "tupleElement({0}, '{2}')", "untuple({0})"))
        return made.format(text, place + 1, name), inner

    def _inline_alias(self, block: Block, depth: int) -> tuple[str, Type]:
        text, kind = self._read(block, Leaf)
        name = self._name(n for n, _ in block.aliases)
        block.aliases.append((name, kind))
        return f"concat(({text} AS {name}), '|', {name})", LEAF

    def _scalar_subquery(self, block: Block, depth: int) -> tuple[str, Type]:
        table = self.random.choice(self.schema)
        inner = Block([Source(table.name, list(table.columns))], [])
        text, kind = self._expression(inner, None, depth - 1)
        return f"(SELECT any({text}) FROM {table.name})", kind

    def query(self) -> str:
        """A whole query, with an expression in its WITH clause now and then."""
        text = super().query()
        if self.random.random() > 0.08 or text.startswith("WITH"):
            return text
        return f"WITH 'none#' AS {self._name()} {text}"
