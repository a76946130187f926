"""How each engine writes what the generated queries are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.oracle.trees import Arr, Leaf, Schema, Type


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
    choose: tuple[str, ...]
    keep: tuple[str, ...]
    unnest: tuple[tuple[str, str], ...]
    except_: str
    features: frozenset[str]
    map_array: tuple[str, ...]
    keep_array: tuple[str, ...]
    join_arrays: tuple[str, ...]
    set_operators: tuple[str, ...]
    by_name: tuple[tuple[str, str], ...]
    """Set operations by name, with the branch whose columns they give: `same`, `left`, `inner` or `full`."""
    pivoted: str
    pivot_keys: tuple[tuple[str, tuple[str, ...]], ...]
    """What a pivot tests of its key, and the values that it may find."""
    other_record: str = ""

    def type(self, kind: Type) -> str:
        """A type as DDL writes it."""
        if isinstance(kind, Leaf):
            return self.leaf
        if isinstance(kind, Arr):
            return self.array.format(self.type(kind.element))
        inner = ", ".join(self.record_field.format(name=name, type=self.type(t)) for name, t in kind.fields)
        return self.record.format(inner)

    def ddl(self, schema: Schema) -> str:
        """The CREATE TABLEs of a schema."""
        return "\n".join(
            f"CREATE TABLE {table.name} ({', '.join(f'{name} {self.type(kind)}' for name, kind in table.columns)});"
            for table in schema
        )

    def built(self, items: Sequence[tuple[str, str]], chance: float = 1) -> str:
        """A record made of named expressions; a low `chance` gives the engine's other spelling."""
        if self.other_record and chance < 0.3:
            return self.other_record.format(", ".join(f"{name} := {value}" for name, value in items))
        return self.make_record.format(", ".join(self.make_field.format(name=n, value=v) for n, v in items))


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
                        "group_alias", "max_by", "group_all", "as_struct", "by_name", "pipes"}),
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
                        "positional_join", "semi_join", "prefix_alias", "window_first"}),
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
