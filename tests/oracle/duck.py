"""DuckDB: the query is run on tables in which every leaf holds its own path, so the output says where it came from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from threading import Timer
from typing import Any

from tests.oracle.analyzer import Rejected
from tests.oracle.believed import MADE
from tests.oracle.flavours import DUCKDB, tagged
from tests.oracle.trees import Items, Row, Schema, Tree, merged

BITS = 2
"""How many conditions of a query are independent of each other: each looks at one bit of the tag."""

PATIENCE = 3.0
"""Seconds for one query."""

_TAG = re.compile(r"([a-z_.\[\]*]+)#[01]")

ROWS = ["".join(bits) for bits in product("01", repeat=BITS)]


class DuckDb:
    """An in-memory database that holds tagged rows of one schema."""

    def __init__(self, schema: Schema) -> None:
        import duckdb

        self._errors = duckdb.Error
        self._connection = duckdb.connect()
        self._connection.execute("SET threads = 1; SET memory_limit = '400MB'; SET max_temp_directory_size = '0KB'")
        self._connection.execute(DUCKDB.ddl(schema))
        for table in schema:
            for row in ROWS:
                values = ", ".join(tagged(f"{table.name}.{n}", k, row, DUCKDB) for n, k in table.columns)
                self._connection.execute(f"INSERT INTO {table.name} VALUES ({values})")

    def run(self, statement: str) -> list[tuple[str, Tree]]:
        """The output columns of a query, view or CTAS with where each leaf comes from; `Rejected`."""
        if not statement.startswith("CREATE"):
            return self._rows(statement)
        head, query = statement.split("\n", 1)
        self._connection.execute("BEGIN")
        try:
            return self._rows(query, head)
        finally:
            self._connection.execute("ROLLBACK")

    def _rows(self, query: str, head: str = "") -> list[tuple[str, Tree]]:
        # Joins without condition may give more rows than anybody waits for.
        patience = Timer(PATIENCE, self._connection.interrupt)
        patience.start()
        try:
            # DuckDB does not look into a CTE that nobody reads.
            *ctes, _ = query.split("\n")
            for cte in ctes:
                name = cte.removeprefix("WITH ").removeprefix("RECURSIVE ").split(" ")[0]
                self._connection.execute("\n".join([*ctes, f"SELECT 1 FROM {name} LIMIT 0"]))
            if head:
                self._connection.execute(f"{head}\n{query}")
                query = f"SELECT * FROM {MADE}"
            result = self._connection.execute(query)
            names = [column[0] for column in result.description]
            rows = result.fetchmany(5_000)
        except self._errors as error:
            raise Rejected(str(error)) from error
        finally:
            patience.cancel()
        return columns_of(names, rows)

    def writes(self, statement: str) -> list[tuple[str, Tree]]:
        """The columns of the rows that INSERT and UPDATE write; the tables stay as they are."""
        self._connection.execute("BEGIN")
        try:
            found = self._rows(f"{statement} RETURNING *")
        finally:
            self._connection.execute("ROLLBACK")
        target = statement.split(" SET ")[-1].split(" FROM ")[0] if statement.startswith("UPDATE") else ""
        # What UPDATE does not set is the row as it was.
        return [(name, tree) for name, tree in found if not target or re.search(rf"(^|, ){name} = ", target)]

    def close(self) -> None:
        """Gives its memory back."""
        self._connection.close()


def columns_of(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[tuple[str, Tree]]:
    """The trees of a result's columns, all rows together."""
    seen = [dict.fromkeys(map(_frozen, column)) for column in zip(*rows, strict=True)] if rows else [{} for _ in names]
    return [(name, merged(map(_tree, values))) for name, values in zip(names, seen, strict=True)]


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, _frozen(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return ("\0list", *map(_frozen, value))
    return value


def _tree(value: Any) -> Tree:
    if value is None:
        return None
    if isinstance(value, tuple) and value[:1] == ("\0list",):
        return Items(merged(map(_tree, value[1:])))
    if isinstance(value, tuple):
        return Row(tuple((name, _tree(inner)) for name, inner in value))
    if not isinstance(value, str):
        return frozenset()
    return frozenset(_TAG.findall(value))
