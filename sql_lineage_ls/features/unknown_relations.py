"""`unknown-relation`: names of tables that nothing in a workspace declares, which claims to declare all of them.

A name is told only where nothing can stand behind it: no declaration of any dialect that it could mean, no statement
that could not be read and holds the word, no template in it, no table of the database's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sql_lineage_ls.catalog.names import ANY_FAMILY, SEPARATOR
from sql_lineage_ls.features.locate import is_templated
from sql_lineage_ls.lineage.model import Problem, Read
from sql_lineage_ls.syntax.query_model import OtherStatement
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

UNKNOWN_RELATION = "unknown-relation"

# Statements that only mention a name, or make it.
_SILENT_KINDS = frozenset({"alter", "failed", "unbound"})
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
# Names of parameters, stages, partitions and snapshots of a table, prefixes of tables: not plain tables.
_SPECIAL = re.compile(r"[@$:#%?*&{}<>/\\]")
_BEFORE = re.compile(r"[\w.`\"\[\]$\-{}@:&%?<>]*\Z")


def unknown_relations(snapshot: Snapshot, document: DocumentView, statement: StatementView) -> Iterator[Problem]:
    """The tables that a statement reads or writes and nothing declares.

    `SELECT id FROM shop.ordres` with only `shop.orders` declared gives one at `ordres`, with `orders` as suggestion.
    """
    model = statement.model
    if model.issues or model.partial or model.templated or statement.lineage.kind in _SILENT_KINDS:
        return
    tables = {identity for identity, _, kind in statement.lineage.relations if kind == "table"}
    told: set[tuple[int, int]] = set()
    for read in statement.lineage.reads:
        place = read.start, read.end
        if read.path or read.start < 0 or read.relation not in tables or place in told:
            continue
        told.add(place)
        family, *parts = read.relation.split(SEPARATOR)
        if snapshot.declares_like(read.relation) or _is_special(document, statement, read, family, parts):
            continue
        if _may_be_made(snapshot, parts[-1]):
            continue
        meant = snapshot.near_relation(read.relation)
        hint = f"; did you mean '{meant}'?" if meant else ""
        text = f"nothing in this workspace declares '{snapshot.relation_name(read.relation)}'{hint}"
        yield Problem(UNKNOWN_RELATION, text, read.start, read.end, suggestion=meant)


def _is_special(
    document: DocumentView, statement: StatementView, read: Read, family: str, parts: list[str]
) -> bool:
    """Whether the name is one of the database's own, of a session, or of something that is only known when it runs."""
    # A reserved schema may come with its table in one part: `ds.INFORMATION_SCHEMA.TABLES` (BigQuery).
    words = ".".join(parts).lower().split(".")
    schemas = frozenset().union(*_SYSTEM_SCHEMAS.values()) if family == ANY_FAMILY else _SYSTEM_SCHEMAS[family]
    if any(word in schemas for word in words[:-1]):
        return True
    # A file without a dialect may be meant for any database.
    systems = _SYSTEM_TABLES.values() if family == ANY_FAMILY else (_SYSTEM_TABLES.get(family, _NOTHING),)
    if any(system.fullmatch(words[-1]) for system in systems):
        return True
    start = statement.start + read.start
    before = _BEFORE.search(document.text, max(0, start - 200), start)
    if document.text.rfind("{{", 0, start) > document.text.rfind("}}", 0, start):
        return True  # `ref` and `source` may name what a package or another project makes
    written = (before[0] if before else "") + document.text[start : statement.start + read.end]
    return bool(_SPECIAL.search(written)) or is_templated(written)


def _may_be_made(snapshot: Snapshot, name: str) -> bool:
    """Whether a statement that says no more than its words has that word in it: it may make what it names."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    return any(
        word.search(document.text, statement.start, statement.end)
        for document in snapshot.documents()
        for statement in document.statements
        if statement.model.issues or statement.model.statement is None
        or isinstance(statement.model.statement, OtherStatement)
    )
