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
    choose: str
    keep: tuple[str, ...]
    unnest: tuple[tuple[str, str], ...]
    except_: str
    features: frozenset[str]
    map_array: tuple[str, ...] = ()

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

    def built(self, items: Sequence[tuple[str, str]]) -> str:
        """A record made of named expressions."""
        return self.make_record.format(", ".join(self.make_field.format(name=n, value=v) for n, v in items))


BIGQUERY = Flavour(
    dialect="bigquery",
    leaf="STRING", record="STRUCT<{}>", record_field="{name} {type}", array="ARRAY<{}>",
    make_record="STRUCT({})", make_field="{value} AS {name}",
    element=("{}[OFFSET(0)]", "{}[SAFE_ORDINAL(1)]", "{}[0]"),
    collect=("ARRAY_AGG({})",),
    choose="IF({0}, {1}, {2})",
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
                        "group_alias", "max_by", "group_all", "as_struct"}),
)

DUCKDB = Flavour(
    dialect="duckdb",
    leaf="VARCHAR", record="STRUCT({})", record_field="{name} {type}", array="{}[]",
    make_record="{{{}}}", make_field="'{name}': {value}",
    element=("{}[1]", "list_extract({}, 1)", "array_extract({}, 1)"),
    collect=("LIST({})", "ARRAY_AGG({})"),
    choose="CASE WHEN {0} THEN {1} ELSE {2} END",
    keep=("ANY_VALUE({})", "MAX({})", "arg_max({}, {key})", "FIRST({})", "LAST({})", "max_by({}, {key})"),
    unnest=(
        (", UNNEST({array}) AS {alias}({name})", "column"), ("CROSS JOIN UNNEST({array}) AS {alias}({name})", "column"),
        ("LEFT JOIN UNNEST({array}) AS {alias}({name}) ON TRUE", "column"), (", UNNEST({array}) AS {alias}", "alias"),
        (", (SELECT UNNEST({array}) AS {name}) AS {alias}", "column"),
        (", LATERAL (SELECT UNNEST({array}) AS {name}) AS {alias}", "column"),
    ),
    except_="EXCLUDE",
    features=frozenset({"array_subquery", "qualify", "row", "record_star", "replace", "pivot", "unpivot", "group_alias",
                        "lateral_alias", "max_by", "group_all", "select_unnest", "extract"}),
    map_array=("list_transform({array}, lambda {p}: {body})", "[{body} FOR {p} IN {array}]"),
)
