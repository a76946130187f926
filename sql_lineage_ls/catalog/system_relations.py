"""The relations that each database has of its own, which no DDL of a workspace declares."""

from __future__ import annotations

import re

from sql_lineage_ls.catalog.names import ANY_FAMILY, SEPARATOR

# Schemas of the databases' own that any part of a name may be, and tables that are there without one. Sources: the
# chapters on system catalogs of each database's documentation.
_SYSTEM_SCHEMAS = {
    "bigquery": frozenset({"information_schema"}),
    "snowflake": frozenset({"information_schema", "snowflake", "snowflake_sample_data"}),
    "postgres": frozenset({"information_schema", "pg_catalog", "pg_toast"}),
    "redshift": frozenset({"information_schema", "pg_catalog", "pg_internal", "sys"}),
    "oracle": frozenset({"sys", "system"}),
    "duckdb": frozenset({"information_schema", "pg_catalog", "system"}),
    "clickhouse": frozenset({"information_schema", "system"}),
    "mysql": frozenset({"information_schema", "mysql", "performance_schema", "sys"}),
    "tsql": frozenset({"information_schema", "sys", "msdb", "master", "tempdb"}),
    "sqlite": frozenset(),
}
_SYSTEM_TABLES = {
    "bigquery": re.compile(r"__tables(_summary)?__|.*_?\d{8}"),
    "postgres": re.compile(r"pg_.*|new|old"),
    "redshift": re.compile(r"(pg|stl|stv|svv|svl|svcs|sys)_.*"),
    "oracle": re.compile(
        r"dual|(all|user|dba|cdb|role|session|nls|database|product|sm|global|resource)_.*|g?v_?\$.*|x\$.*"
        r"|cat|tab|cols|obj|dict(ionary)?|new|old"
    ),
    "duckdb": re.compile(r"(pg|duckdb|sqlite)_.*|.*\.(csv|tsv|json|jsonl|ndjson|parquet)(\.gz)?"),
    "clickhouse": re.compile(r"numbers|one"),
    "mysql": re.compile(r"dual|new|old"),
    "tsql": re.compile(r"sys(objects|columns|indexes|types|users|comments|databases|processes)|inserted|deleted"),
    "sqlite": re.compile(r"sqlite_.*|new|old"),
}
_NOTHING = re.compile(r"(?!)")


def is_system_relation(relation_id: str) -> bool:
    """Whether a relation's id names a table of the database's own: `sys.databases` of T-SQL, `dual` of Oracle."""
    family, *parts = relation_id.split(SEPARATOR)
    # A reserved schema may come with its table in one part: `ds.INFORMATION_SCHEMA.TABLES` (BigQuery).
    words = ".".join(parts).lower().split(".")
    anywhere = family == ANY_FAMILY or family not in _SYSTEM_SCHEMAS
    schemas = frozenset().union(*_SYSTEM_SCHEMAS.values()) if anywhere else _SYSTEM_SCHEMAS[family]
    if any(word in schemas for word in words[:-1]):
        return True
    # A file without a dialect may be meant for any database.
    systems = _SYSTEM_TABLES.values() if family == ANY_FAMILY else (_SYSTEM_TABLES.get(family, _NOTHING),)
    return any(system.fullmatch(words[-1]) is not None for system in systems)
