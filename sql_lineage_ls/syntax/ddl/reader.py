"""The entry of the DDL reader: tells which statement it is and hands it to the reader of that statement."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokenizer_core import Token

from sql_lineage_ls.syntax.ddl.alter import read_alter, read_rename_table
from sql_lineage_ls.syntax.ddl.create_other import ALIAS_KINDS, BODY_KINDS, read_alias, read_body
from sql_lineage_ls.syntax.ddl.create_table import Header, read_table
from sql_lineage_ls.syntax.ddl.create_type import read_create_type
from sql_lineage_ls.syntax.ddl.create_view import read_view
from sql_lineage_ls.syntax.ddl.cursor import Cursor, DdlError, keywords
from sql_lineage_ls.syntax.ddl.names import relation_name
from sql_lineage_ls.syntax.ddl.queries import begins_query
from sql_lineage_ls.syntax.ddl.session import read_alter_session, read_set, read_use
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.query_model import (
    AlterTable,
    Drop,
    Name,
    OtherStatement,
    Statement,
    StatementModel,
    SwapTable,
)

# Words between CREATE and the kind of thing that is created.
_MODIFIERS = keywords(
    "OR REPLACE ALTER REFRESH TEMP TEMPORARY TRANSIENT EXTERNAL FOREIGN GLOBAL LOCAL UNLOGGED VOLATILE ICEBERG DYNAMIC "
    "HYBRID EVENT SNAPSHOT PRIVATE SHARDED DUPLICATED IMMUTABLE BLOCKCHAIN MULTISET SET COLUMN ROW MATERIALIZED SECURE "
    "RECURSIVE FORCE NO NOFORCE EDITIONABLE NONEDITIONABLE EDITIONING LIVE STREAMING WINDOW MANAGED INTERACTIVE "
    "PERSISTENT PUBLIC DIRECTORY READ WRITE ONLY SQL SECURITY DEFINER INVOKER ALGORITHM"
)
_TABLE_KINDS = frozenset({"TABLE", "VIEW", "TYPE", "DOMAIN"})
_DROP_KINDS = {"TABLE": "TABLE", "VIEW": "VIEW", "TYPE": "TYPE", "DOMAIN": "TYPE", "SCHEMA": "SCHEMA"}
_CALLABLE_KINDS = frozenset({"FUNCTION", "PROCEDURE", "PROC", "MACRO", "AGGREGATE"})
_TEMPORARY = frozenset({"TEMP", "TEMPORARY"})
_EXTERNAL = frozenset({"EXTERNAL", "FOREIGN"})


def read_ddl(text: str, tokens: list[Token], dialect: Dialect) -> StatementModel | None:
    """The DDL statement in `tokens`; None where it is no DDL that this reader knows (functions, DML, queries).

    `text` is the statement, positions are code points in it. `CREATE TABLE t (id INT64)` gives a CreateTable with
    one column. Never raises: what cannot be read is an issue, and what was read before it stands.
    """
    cursor = Cursor(text, tokens, dialect)
    reader = _READERS.get(cursor.upper())
    if reader is None:
        return None
    try:
        statement = reader(cursor)
    except DdlError as error:
        return StatementModel(None, (*cursor.issues, error.issue), True)
    if statement is None:
        return None
    return StatementModel(statement, tuple(cursor.issues), cursor.partial)


def _create(cursor: Cursor) -> Statement | None:
    replace = cursor.at("REPLACE")  # Teradata's and Databricks' REPLACE TABLE
    cursor.advance()
    modifiers: set[str] = {"REPLACE"} if replace else set()
    while True:
        if word := cursor.accept_any(_MODIFIERS):
            modifiers.add(word)
        elif cursor.at("="):  # MySQL: ALGORITHM = MERGE, DEFINER = `root`@`%`
            cursor.advance(2)
            if cursor.accept("@"):
                cursor.advance()
        else:
            break
    if not replace and (kind := cursor.accept_any(ALIAS_KINDS)):
        return read_alias(cursor, kind, "REPLACE" in modifiers)
    if not replace and cursor.accept_any(BODY_KINDS):
        return read_body(cursor)
    kind = cursor.accept_any(_TABLE_KINDS)
    if cursor.upper() in _CALLABLE_KINDS or (replace and not kind):
        return None
    body_of_type = kind == "TYPE" and cursor.at("BODY") and not cursor.at("BODY", "AS")
    log_of_view = kind == "VIEW" and cursor.at("LOG", "ON")
    if not kind or body_of_type or log_of_view:
        return OtherStatement("CREATE")
    guarded = cursor.accept("IF", "NOT", "EXISTS")
    name = relation_name(cursor)
    guarded = cursor.accept("IF", "NOT", "EXISTS") or guarded
    if not name:
        raise _no_name(cursor, kind)
    if kind in ("TYPE", "DOMAIN"):
        return read_create_type(cursor, name, "REPLACE" in modifiers)
    header = Header(
        temporary=bool(modifiers & _TEMPORARY) or name[-1].text.startswith("#"),
        external=bool(modifiers & _EXTERNAL),
        replace=bool(modifiers & {"REPLACE", "ALTER", "REFRESH"}),
        if_not_exists=guarded,
        materialized="MATERIALIZED" in modifiers,
    )
    return read_table(cursor, name, header) if kind == "TABLE" else read_view(cursor, name, header)


def _no_name(cursor: Cursor, kind: str) -> DdlError:
    at = cursor.end_offset()
    return DdlError(f"CREATE {kind} names no {kind.lower()}.", max(0, at - 1), at)


def _alter(cursor: Cursor) -> Statement | None:
    cursor.advance()
    if cursor.at("SESSION") or cursor.at("USER") or cursor.at("DATABASE"):
        return read_alter_session(cursor)
    _skip_modifiers(cursor)
    kind = cursor.accept_any(_TABLE_KINDS)
    if not kind:
        return OtherStatement("ALTER")
    cursor.accept("IF", "EXISTS")
    cursor.accept("ONLY")
    name = relation_name(cursor)
    cursor.accept("*")
    if not name:
        return OtherStatement("ALTER")
    if kind == "VIEW" and (view := _redefined_view(cursor, name)) is not None:
        return view
    altered = read_alter(cursor, name, "TYPE" if kind == "DOMAIN" else kind)
    return altered if altered.actions else OtherStatement("ALTER")


def _skip_modifiers(cursor: Cursor) -> None:
    while cursor.accept_any(_MODIFIERS):
        pass


def _redefined_view(cursor: Cursor, name: tuple[Name, ...]) -> Statement | None:
    """ALTER VIEW v AS query defines the view anew (Hive, MySQL, T-SQL, BigQuery)."""
    start = cursor.position
    if cursor.at("(") or cursor.at("AS"):
        cursor.skip_group() if cursor.at("(") else None
        if cursor.accept("AS") and begins_query(cursor):
            cursor.position = start
            return read_view(cursor, name, Header(replace=True))
    cursor.position = start
    return None


def _drop(cursor: Cursor) -> Statement | None:
    cursor.advance()
    _skip_modifiers(cursor)
    kind = _DROP_KINDS.get(cursor.upper())
    if kind is None or cursor.upper(1) in _CALLABLE_KINDS:
        return OtherStatement("DROP")
    cursor.advance()
    cursor.accept("BODY")
    cursor.accept("IF", "EXISTS")
    names = []
    while name := relation_name(cursor):
        names.append(name)
        cursor.skip_to(",")
        if not cursor.accept(","):
            break
    return Drop(kind, names[0], tuple(names[1:])) if names else OtherStatement("DROP")


def _rename(cursor: Cursor) -> Statement | None:
    cursor.advance()
    cursor.accept("TABLE")
    altered = read_rename_table(cursor)
    return altered if altered.actions else OtherStatement("RENAME")


def _exchange(cursor: Cursor) -> Statement | None:
    """ClickHouse: EXCHANGE TABLES a AND b."""
    cursor.advance()
    cursor.accept_any(("TABLES", "TABLE"))
    first = relation_name(cursor)
    cursor.accept("AND")
    second = relation_name(cursor)
    return AlterTable(first, (SwapTable(second),)) if first and second else OtherStatement("EXCHANGE")


_READERS: dict[str, Callable[[Cursor], Statement | None]] = {
    "CREATE": _create,
    "REPLACE": _create,
    "ALTER": _alter,
    "DROP": _drop,
    "RENAME": _rename,
    "EXCHANGE": _exchange,
    "USE": read_use,
    "SET": read_set,
}
