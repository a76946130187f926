"""The engines that answer generated statements. A server is started once."""

from __future__ import annotations

from functools import cache

from tests.oracle import engines, quirks
from tests.oracle.compare import Database, Engine
from tests.oracle.dialect_generators import ClickHouseGenerator, PostgresGenerator, SparkGenerator
from tests.oracle.duck import DuckDb
from tests.oracle.flavours import BIGQUERY, CLICKHOUSE, DUCKDB, POSTGRES, SPARK
from tests.oracle.googlesql import GoogleSql, prepare
from tests.oracle.trees import Schema


def _googlesql(schema: Schema, ddl: str) -> Database:
    prepare()
    return GoogleSql(schema)


def _duckdb(schema: Schema, ddl: str) -> Database:
    return DuckDb(schema)


def _postgres(schema: Schema, ddl: str) -> Database:
    return _postgres_server().fill(schema, ddl)


def _clickhouse(schema: Schema, ddl: str) -> Database:
    return _clickhouse_server().fill(schema, ddl)


def _spark(schema: Schema, ddl: str) -> Database:
    return _spark_server().fill(schema, ddl)


_postgres_server = cache(engines.Postgres)
_clickhouse_server = cache(engines.ClickHouse)
_spark_server = cache(engines.Spark)

ENGINES = {
    "bigquery": Engine(BIGQUERY, _googlesql, quirks.shows_all, quirks.none),
    "duckdb": Engine(DUCKDB, _duckdb, quirks.picks, quirks.duckdb),
    "postgres": Engine(POSTGRES, _postgres, quirks.picks_more, quirks.postgres, PostgresGenerator),
    "clickhouse": Engine(CLICKHOUSE, _clickhouse, quirks.picks_more, quirks.clickhouse, ClickHouseGenerator),
    "spark": Engine(SPARK, _spark, quirks.picks_more, quirks.none, SparkGenerator),
}
