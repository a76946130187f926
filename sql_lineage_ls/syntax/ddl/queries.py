"""Hands the query of a view or of CREATE TABLE .. AS to the query parser, without what follows it."""

from __future__ import annotations

from sql_lineage_ls.syntax.ddl.cursor import Cursor
from sql_lineage_ls.syntax.lower import query_from_tokens
from sql_lineage_ls.syntax.pivot_statements import PIVOT_WORDS
from sql_lineage_ls.syntax.query_model import Query

# Clauses of the CREATE statement that stand behind its query.
_TRAILERS = (
    ("WITH", "NO", "DATA"),
    ("WITH", "DATA"),
    ("WITH", "NO", "SCHEMA", "BINDING"),
    ("WITH", "CHECK", "OPTION"),
    ("WITH", "LOCAL", "CHECK", "OPTION"),
    ("WITH", "CASCADED", "CHECK", "OPTION"),
    ("WITH", "READ", "ONLY"),
)
_QUERY_WORDS = frozenset({"SELECT", "VALUES", "FROM", "TABLE"})


def begins_query(cursor: Cursor) -> bool:
    """Whether a query begins at the cursor: SELECT, VALUES, FROM, or WITH that names a CTE and no option; PIVOT."""
    ahead = 0
    while cursor.upper(ahead) == "(":
        ahead += 1
    word = cursor.upper(ahead)
    if word in _QUERY_WORDS:
        return True
    if word in PIVOT_WORDS and cursor.dialect.pivot_statements:
        behind = cursor.peek(ahead + 1)
        return behind is not None and (behind.kind in ("word", "quoted") or behind.upper == "(")
    if word != "WITH":
        return False
    if cursor.upper(ahead + 1) == "RECURSIVE":
        return True
    name = cursor.peek(ahead + 1)
    if name is None or name.kind not in ("word", "quoted"):
        return False
    after = ahead + 2
    if cursor.upper(after) == "(":
        after = _behind_names(cursor, after)
    if cursor.upper(after) != "AS":
        return False
    after += 1
    while cursor.upper(after) in ("NOT", "MATERIALIZED"):
        after += 1
    return cursor.upper(after) in ("(", "")


def holds_query(cursor: Cursor) -> bool:
    """Whether the bracket at the cursor holds a query and not columns: MySQL's `CREATE TABLE t (SELECT ..)`."""
    ahead = 0
    while cursor.upper(ahead) == "(":
        ahead += 1
    return ahead > 0 and cursor.upper(ahead) in ("SELECT", "WITH") and begins_query(cursor)


def _behind_names(cursor: Cursor, ahead: int) -> int:
    """How far behind the bracket at `ahead` is, if it holds names alone."""
    ahead += 1
    while (word := cursor.peek(ahead)) is not None and (word.kind in ("word", "quoted") or word.upper == ","):
        ahead += 1
    return ahead + 1 if cursor.upper(ahead) == ")" else ahead


def read_query(cursor: Cursor) -> Query | None:
    """The query from the cursor to the end of the statement; its issues join the cursor's."""

    first = cursor.words[cursor.position].index
    last = _end(cursor)
    cursor.position = len(cursor.words)
    query, issues = query_from_tokens(cursor.text, cursor.tokens[first:last], cursor.dialect)
    cursor.issues.extend(issues)
    if issues:
        cursor.partial = True
    return query


def _end(cursor: Cursor) -> int:
    """The index behind the query's last token."""
    words = cursor.words
    for trailer in _TRAILERS:
        cut = len(words) - len(trailer)
        if cut > cursor.position and tuple(word.upper for word in words[cut:]) == trailer:
            return words[cut].index
    return words[-1].index + 1
