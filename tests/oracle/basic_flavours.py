"""How PostgreSQL, Spark and ClickHouse write what the generated queries are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from tests.oracle.trees import ELEMENT, Arr, Leaf, Rec, Schema, Type


@dataclass(frozen=True)
class Flavour:
    """One engine's spelling. Templates are filled by `str.format`.

    `unnest` lists the ways to iterate an array in FROM, as (template, kind): `element` where the alias is the
    element, `column` where the alias has one column, called {name}. `features` switches clauses on.
    """

    dialect: str
    leaf: str
    record: str
    record_field: str
    array: str
    make_record: str
    make_field: str
    element: tuple[str, ...]
    collect: tuple[str, ...]
    choose: str
    keep: tuple[str, ...]
    unnest: tuple[tuple[str, str], ...]
    except_: str
    features: frozenset[str]
    map_array: tuple[str, ...] = ()
    # How a field of a value is read, and all of its fields.
    field: str = "{value}.{name}"
    record_star: str = "({value}).*"
    make_array: str = "[{}]"
    # Record types are declared and have names (Postgres).
    named_types: bool = False

    def type(self, kind: Type) -> str:
        """A type as DDL writes it."""
        if isinstance(kind, Leaf):
            return self.leaf
        if isinstance(kind, Arr):
            return self.array.format(self.type(kind.element))
        if self.named_types:
            return f"r_{crc32(repr(kind).encode()):08x}"
        inner = ", ".join(self.record_field.format(name=name, type=self.type(t)) for name, t in kind.fields)
        return self.record.format(inner)

    def ddl(self, schema: Schema, records: Iterable[Rec] = ()) -> str:
        """The CREATE TABLEs of a schema, behind the types of `records` and of its columns where these have names."""
        kinds = [*records, *(kind for table in schema for _, kind in table.columns)]
        made = dict.fromkeys(inner for kind in kinds for inner in _records(kind)) if self.named_types else {}
        types = [
            f"CREATE TYPE {self.type(kind)} AS ({', '.join(f'{n} {self.type(t)}' for n, t in kind.fields)});"
            for kind in made
        ]
        tables = [
            f"CREATE TABLE {table.name} ({', '.join(f'{name} {self.type(kind)}' for name, kind in table.columns)});"
            for table in schema
        ]
        return "\n".join([*types, *tables])

    def built(self, items: Sequence[tuple[str, str]], kind: Rec) -> str:
        """A record of the type `kind` made of named expressions."""
        inner = ", ".join(self.make_field.format(name=n, value=v) for n, v in items)
        return self.make_record.format(inner, type=self.type(kind))


def _records(kind: Type) -> Iterator[Rec]:
    """The record types in a type, the innermost first."""
    if isinstance(kind, Arr):
        yield from _records(kind.element)
    if isinstance(kind, Rec):
        for _, inner in kind.fields:
            yield from _records(inner)
        if _told_apart(kind):
            yield kind


def _told_apart(kind: Type) -> bool:
    """Whether no record in a type has two fields of one name, which no type can be declared for."""
    if isinstance(kind, Arr):
        return _told_apart(kind.element)
    if isinstance(kind, Leaf):
        return True
    return len({name for name, _ in kind.fields}) == len(kind.fields) and all(_told_apart(t) for _, t in kind.fields)


def tagged(path: str, kind: Type, row: str, flavour: Flavour) -> str:
    """A literal of a type in which every leaf is its own path and the bits of its row."""
    if isinstance(kind, Leaf):
        return f"'{path}#{row}'"
    if isinstance(kind, Rec):
        items = [(name, tagged(f"{path}.{name}", inner, row, flavour)) for name, inner in kind.fields]
        return flavour.built(items, kind)
    return flavour.make_array.format(tagged(path + ELEMENT, kind.element, row, flavour))


POSTGRES = Flavour(
    dialect="postgres",
    leaf="text", record="", record_field="", array="{}[]", named_types=True,
    make_record="ROW({})::{type}", make_field="{value}", make_array="ARRAY[{}]",
    field="({value}).{name}", record_star="({value}).*",
    element=("({})[1]",),
    collect=("array_agg({})",),
    choose="CASE WHEN {0} THEN {1} ELSE {2} END",
    keep=("any_value({})", "max({})", "min({})"),
    unnest=(
        (", unnest({array}) AS {alias}({name})", "column"), ("CROSS JOIN unnest({array}) AS {alias}", "fields"),
        ("LEFT JOIN LATERAL unnest({array}) AS {alias} ON true", "fields"), (", unnest({array}) AS {alias}", "fields"),
        (", unnest({array}) WITH ORDINALITY AS {alias}", "fields_ordinality"),
        (", LATERAL (SELECT {name} FROM unnest({array}) AS {name}) AS {alias}", "column"),
        ("LEFT JOIN LATERAL (SELECT {name} FROM unnest({array}) AS {name}) AS {alias} ON true", "column"),
        (", ROWS FROM (unnest({array})) AS {alias}", "fields"),
    ),
    except_="",
    features=frozenset({"array_subquery", "row", "record_star", "group_alias"}),
)

SPARK = Flavour(
    dialect="spark",
    leaf="STRING", record="STRUCT<{}>", record_field="{name}: {type}", array="ARRAY<{}>",
    make_record="named_struct({})", make_field="'{name}', {value}", make_array="array({})", record_star="{value}.*",
    element=("{}[0]", "element_at({}, 1)", "get({}, 0)", "try_element_at({}, 1)"),
    collect=("collect_list({})", "array_agg({})"),
    choose="if({0}, {1}, {2})",
    keep=("any_value({})", "max({})", "max_by({}, {key})", "first({})", "last({})", "first_value({})", "min({})"),
    unnest=(
        ("LATERAL VIEW explode({array}) {alias} AS {name}", "column"),
        ("LATERAL VIEW OUTER explode({array}) {alias} AS {name}", "column"),
        ("LATERAL VIEW explode({array}) {alias}", "col"),
        ("LATERAL VIEW posexplode({array}) {alias} AS place, {name}", "column"),
        ("LATERAL VIEW OUTER posexplode({array}) {alias}", "poscol"),
        ("LATERAL VIEW inline({array}) {alias}", "fields"), ("LATERAL VIEW OUTER inline({array}) {alias}", "fields"),
        ("LATERAL VIEW inline(array(named_struct('a', {array}))) {alias} AS {name}", "array"),
        (", LATERAL explode({array}) AS {alias}({name})", "column"), (", LATERAL explode({array}) AS {alias}", "col"),
        (", LATERAL inline({array}) AS {alias}", "fields"),
        ("LATERAL VIEW stack(2, {array}, {array}) {alias} AS {name}", "array"),
        (", LATERAL (SELECT explode({array}) AS {name}) AS {alias}", "column"),
    ),
    except_="EXCEPT",
    features=frozenset({"row", "record_star", "pivot", "unpivot", "group_alias", "lateral_alias", "group_all",
                        "array_fields"}),
    map_array=("transform({array}, {p} -> {body})", "transform({array}, ({p}, i) -> {body})"),
)

CLICKHOUSE = Flavour(
    dialect="clickhouse",
    leaf="String", record="Tuple({})", record_field="{name} {type}", array="Array({})",
    make_record="CAST(tuple({}), '{type}')", make_field="{value}", record_star="{value}.*",
    element=("{}[1]", "arrayElement({}, 1)"),
    collect=("groupArray({})", "groupUniqArray({})"),
    choose="if({0}, {1}, {2})",
    keep=("any({})", "max({})", "argMax({}, {key})", "anyLast({})", "min({})"),
    unnest=(
        ("ARRAY JOIN {array} AS {name}", "join"), ("LEFT ARRAY JOIN {array} AS {name}", "join"),
        ("ARRAY JOIN {array}", "join_bare"),
    ),
    except_="EXCEPT",
    features=frozenset({"record_star", "replace", "group_alias", "lateral_alias", "group_all", "array_fields",
                        "any_alias"}),
    map_array=("arrayMap({p} -> {body}, {array})", "arrayMap(({p}) -> {body}, {array})"),
)
