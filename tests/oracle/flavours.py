"""How each engine writes what the generated queries are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from tests.oracle.trees import ELEMENT, Arr, Leaf, Rec, Schema, Type


@dataclass(frozen=True)
class Flavour:
    """One engine's spelling. Templates are filled by `str.format`; where one is empty, the engine has no such thing.

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
    choose: tuple[str, ...]
    keep: tuple[str, ...]
    unnest: tuple[tuple[str, str], ...]
    except_: str
    features: frozenset[str]
    map_array: tuple[str, ...] = ()
    keep_array: tuple[str, ...] = ()
    join_arrays: tuple[str, ...] = ()
    set_operators: tuple[str, ...] = ("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT")
    by_name: tuple[tuple[str, str], ...] = ()
    """Set operations by name, with the branch whose columns they give: `same`, `left`, `inner` or `full`."""
    pivoted: str = ""
    pivot_keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What a pivot tests of its key, and the values that it may find."""
    pivot: str = "({query}) PIVOT ({aggregates} FOR {key} IN ({values})) AS {alias}"
    other_record: str = ""
    field: str = "{value}.{name}"
    """How a field of a value is read."""
    make_array: str = "[{}]"
    otherwise: tuple[str, ...] = ("COALESCE", "COALESCE", "IFNULL")
    """The functions that give their second argument where the first is NULL."""
    values_column: str = "col{n}"
    """The columns of VALUES, {i} from 1 or {n} from 0."""
    any_row: str = ""
    """The aggregate that makes one value of a scalar subquery over a table; elsewhere it is over an array."""
    named_types: bool = False
    """Record types are declared and have names (Postgres)."""

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

    def built(self, items: Sequence[tuple[str, str]], kind: Rec, chance: float = 1) -> str:
        """A record of the type `kind` made of named expressions; a low `chance` gives the engine's other spelling."""
        if self.other_record and chance < 0.3:
            return self.other_record.format(", ".join(f"{name} := {value}" for name, value in items))
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


BIGQUERY = Flavour(
    dialect="bigquery",
    leaf="STRING", record="STRUCT<{}>", record_field="{name} {type}", array="ARRAY<{}>",
    make_record="STRUCT({})", make_field="{value} AS {name}",
    element=("{}[OFFSET(0)]", "{}[SAFE_ORDINAL(1)]", "{}[0]"),
    collect=("ARRAY_AGG({0})", "ARRAY_AGG({0} ORDER BY {key} LIMIT 2)"),
    choose=("IF({0}, {1}, {2})", "CASE WHEN {0} THEN {1} ELSE {2} END"),
    keep=("ANY_VALUE({})", "MAX({})", "ANY_VALUE({} HAVING MAX {key})"),
    unnest=(
        ("CROSS JOIN UNNEST({array}) AS {alias}", "element"), (", UNNEST({array}) AS {alias}", "element"),
        (", UNNEST({array})", "bare"), ("LEFT JOIN UNNEST({array}) AS {alias} WITH OFFSET AS {name}", "element_offset"),
        (", UNNEST({array}) {alias} WITH OFFSET", "element"), (", {array} AS {alias}", "path"),
        (", {array}", "path_bare"),
        ("INNER JOIN UNNEST({array}) AS {alias} ON TRUE", "element"),
    ),
    except_="EXCEPT",
    features=frozenset({"value_table", "array_subquery", "qualify", "row", "record_star", "replace", "pivot", "unpivot",
                        "group_alias", "max_by", "group_all", "as_struct", "by_name", "pipes", "recursion",
                        "writes", "merge", "nested_update"}),
    map_array=("ARRAY_TRANSFORM({array}, {p} -> {body})", "ARRAY(SELECT {body} FROM UNNEST({array}) AS {p})"),
    keep_array=("ARRAY_FILTER({array}, {p} -> {test} LIKE '%#%')", "ARRAY_REVERSE({array})",
                "ARRAY_SLICE({array}, 0, 1)",
                "ARRAY(SELECT {p} FROM UNNEST({array}) AS {p} WHERE {test} LIKE '%#%')"),
    join_arrays=("ARRAY_CONCAT({}, {})", "{} || {}"),
    set_operators=("UNION ALL", "UNION ALL", "UNION DISTINCT", "INTERSECT DISTINCT", "EXCEPT DISTINCT"),
    by_name=(
        ("UNION ALL BY NAME", "same"), ("FULL UNION ALL BY NAME", "full"), ("LEFT OUTER UNION ALL BY NAME", "left"),
        ("INNER UNION ALL BY NAME", "inner"), ("UNION ALL CORRESPONDING", "inner"),
        ("FULL OUTER UNION ALL CORRESPONDING", "full"), ("LEFT UNION ALL CORRESPONDING", "left"),
        ("UNION ALL STRICT CORRESPONDING", "same"), ("INNER UNION ALL BY NAME ON ({names})", "inner"),
        ("UNION ALL CORRESPONDING BY ({names})", "inner"), ("EXCEPT DISTINCT BY NAME", "same"),
        ("FULL UNION ALL BY NAME ON ({names})", "full"),
    ),
    pivoted="{aggregate}_{value}",
    pivot_keys=(
        ("{}", ("'red'", "'blue'", "'dark red'", "'2x'", "'a-b'", "NULL")), ("LENGTH({})", ("1", "2", "-3", "10")),
        ("({} = 'red')", ("TRUE", "FALSE")), ("CAST({} AS DATE)", ("DATE '2026-01-31'", "DATE '2026-02-01'")),
        ("CAST({} AS NUMERIC)", ("1.5", "-2.25")),
    ),
)

DUCKDB = Flavour(
    dialect="duckdb",
    leaf="VARCHAR", record="STRUCT({})", record_field="{name} {type}", array="{}[]",
    make_record="{{{}}}", make_field="'{name}': {value}",
    element=("{}[1]", "list_extract({}, 1)", "array_extract({}, 1)"),
    collect=("LIST({})", "ARRAY_AGG({})"),
    choose=("CASE WHEN {0} THEN {1} ELSE {2} END", "IF({0}, {1}, {2})"),
    keep=("ANY_VALUE({})", "MAX({})", "arg_max({}, {key})", "FIRST({})", "LAST({})", "max_by({}, {key})"),
    unnest=(
        (", UNNEST({array}) AS {alias}({name})", "column"), ("CROSS JOIN UNNEST({array}) AS {alias}({name})", "column"),
        ("LEFT JOIN UNNEST({array}) AS {alias}({name}) ON TRUE", "column"), (", UNNEST({array}) AS {alias}", "alias"),
        (", (SELECT UNNEST({array}) AS {name}) AS {alias}", "column"),
        (", LATERAL (SELECT UNNEST({array}) AS {name}) AS {alias}", "column"),
        (", UNNEST({array}) WITH ORDINALITY AS {alias}({name}, nth)", "column"),
    ),
    except_="EXCLUDE",
    features=frozenset({"array_subquery", "qualify", "row", "record_star", "replace", "pivot", "unpivot", "group_alias",
                        "lateral_alias", "max_by", "group_all", "select_unnest", "extract", "by_name", "from_first",
                        "rename", "columns", "column_lists", "pivot_statement", "lateral", "natural",
                        "positional_join", "semi_join", "prefix_alias", "window_first", "recursion",
                        "writes", "insert_by_name"}),
    map_array=("list_transform({array}, lambda {p}: {body})", "[{body} FOR {p} IN {array}]",
               "list_transform({array}, lambda {p}, nth: {body})", "array_apply({array}, lambda {p}: {body})",
               "ARRAY(SELECT {body} FROM UNNEST({array}) AS each({p}))"),
    keep_array=("list_filter({array}, lambda {p}: {test} LIKE '%#%')", "[{p} FOR {p} IN {array} IF {test} LIKE '%#%']",
                "list_sort({array})", "list_reverse({array})", "list_distinct({array})", "{array}[1:2]",
                "array_slice({array}, 1, 1)"),
    join_arrays=("list_concat({}, {})", "array_cat({}, {})", "{} || {}"),
    set_operators=("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL"),
    by_name=(("UNION ALL BY NAME", "full"), ("UNION BY NAME", "full")),
    pivoted="{value}_{aggregate}",
    pivot_keys=(("{}", ("'red'", "'blue'", "'dark red'", "'2x'")),),
    other_record="struct_pack({})",
)


POSTGRES = Flavour(
    dialect="postgres",
    leaf="text", record="", record_field="", array="{}[]", named_types=True,
    make_record="ROW({})::{type}", make_field="{value}", make_array="ARRAY[{}]",
    field="({value}).{name}",
    element=("({})[1]",),
    collect=("array_agg({})", "array_agg({0} ORDER BY {key})"),
    choose=("CASE WHEN {0} THEN {1} ELSE {2} END",),
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
    features=frozenset({"array_subquery", "row", "record_star", "group_alias", "recursion", "lateral", "natural",
                        "column_lists"}),
    join_arrays=("array_cat({}, {})", "{} || {}"),
    set_operators=("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"),
    otherwise=("COALESCE",),
    values_column="column{i}",
)

SPARK = Flavour(
    dialect="spark",
    leaf="STRING", record="STRUCT<{}>", record_field="{name}: {type}", array="ARRAY<{}>",
    make_record="named_struct({})", make_field="'{name}', {value}", make_array="array({})",
    element=("{}[0]", "element_at({}, 1)", "get({}, 0)", "try_element_at({}, 1)"),
    collect=("collect_list({})", "array_agg({})"),
    choose=("if({0}, {1}, {2})", "CASE WHEN {0} THEN {1} ELSE {2} END"),
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
    features=frozenset({"row", "record_star", "pivot", "unpivot", "unpivot_names", "group_alias", "lateral_alias",
                        "group_all", "array_fields", "lateral", "natural", "semi_join", "column_lists"}),
    map_array=("transform({array}, {p} -> {body})", "transform({array}, ({p}, i) -> {body})"),
    keep_array=("filter({array}, {p} -> {test} IS NOT NULL OR true)", "array_distinct({array})",
                "slice({array}, 1, 1)", "reverse({array})", "shuffle({array})", "array_compact({array})",
                "flatten(array({array}))", "array_repeat({array}, 2)[0]"),
    join_arrays=("concat({}, {})", "array_union({}, {})"),
    pivoted="{value}_{aggregate}",
    pivot_keys=(("{}", ("'red'", "'blue'", "'dark red'", "'2x'")),),
    pivot="(SELECT * FROM ({query}) PIVOT ({aggregates} FOR {key} IN ({values}))) AS {alias}",
    otherwise=("COALESCE", "COALESCE", "IFNULL", "nvl"),
    values_column="col{i}",
    any_row="any_value",
)

CLICKHOUSE = Flavour(
    dialect="clickhouse",
    leaf="String", record="Tuple({})", record_field="{name} {type}", array="Array({})",
    make_record="CAST(tuple({}), '{type}')", make_field="{value}",
    element=("{}[1]", "arrayElement({}, 1)"),
    collect=("groupArray({})", "groupUniqArray({})"),
    choose=("if({0}, {1}, {2})", "CASE WHEN {0} THEN {1} ELSE {2} END"),
    keep=("any({})", "max({})", "argMax({}, {key})", "anyLast({})", "min({})"),
    unnest=(
        ("ARRAY JOIN {array} AS {name}", "join"), ("LEFT ARRAY JOIN {array} AS {name}", "join"),
        ("ARRAY JOIN {array}", "join_bare"),
    ),
    except_="EXCEPT",
    features=frozenset({"record_star", "replace", "group_alias", "lateral_alias", "group_all", "array_fields"}),
    map_array=("arrayMap({p} -> {body}, {array})", "arrayMap(({p}) -> {body}, {array})"),
    keep_array=("arrayFilter({p} -> 1, {array})", "arrayReverse({array})", "arraySlice({array}, 1, 1)",
                "arraySort({array})", "arrayDistinct({array})", "arrayPushBack({array}, {array}[1])",
                "arrayFlatten([{array}])", "arraySort({p} -> 1, {array})", "arrayReverseSort({array})",
                "arrayCompact({array})", "arrayZip({array}, {array}).1",
                "arrayFilter({p} -> notEmpty({test}), {array})"),
    join_arrays=("arrayConcat({}, {})",),
    set_operators=("UNION ALL", "UNION ALL", "UNION DISTINCT", "INTERSECT", "EXCEPT"),
    otherwise=("COALESCE", "COALESCE", "ifNull"),
    any_row="any",
)
