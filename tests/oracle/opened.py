"""The engines that answer generated statements."""

from __future__ import annotations

from tests.oracle.compare import Engine
from tests.oracle.duck import DuckDb
from tests.oracle.flavours import BIGQUERY, DUCKDB
from tests.oracle.googlesql import GoogleSql, prepare
from tests.oracle.trees import Schema


def _googlesql(schema: Schema) -> GoogleSql:
    prepare()
    return GoogleSql(schema)


ENGINES = {
    "bigquery": Engine(BIGQUERY, _googlesql, executed=False),
    "duckdb": Engine(DUCKDB, DuckDb, executed=True),
}
