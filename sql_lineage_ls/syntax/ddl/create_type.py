"""Reads CREATE TYPE and CREATE DOMAIN in every dialect, from behind the name on."""

from __future__ import annotations

from sql_lineage_ls.syntax.ddl.columns import read_elements, type_or_none
from sql_lineage_ls.syntax.ddl.cursor import Cursor
from sql_lineage_ls.syntax.ddl.names import column_name, relation_name
from sql_lineage_ls.syntax.ddl.type_reader import skip_arguments
from sql_lineage_ls.syntax.query_model import CreateType, FieldSpec, Name, TypeSpec

_METHOD_WORDS = frozenset({"FUNCTION", "PROCEDURE"})
_UNKNOWN = TypeSpec("named", "")


def read_create_type(cursor: Cursor, name: tuple[Name, ...], replace: bool) -> CreateType:
    """The type whose name was just read.

    `AS (city text)` and `AS OBJECT (..)` are records, `AS VARRAY(9) OF t` and `AS TABLE OF t` arrays, an ENUM or
    RANGE a scalar; DOMAIN and T-SQL's FROM give the type that they name.
    """
    under: tuple[Name, ...] = ()
    _skip_preamble(cursor)
    if cursor.accept("UNDER"):
        under = relation_name(cursor)
        spec = _attributes(cursor, "OBJECT")
    else:
        spec = _body(cursor)
    return CreateType(name, spec, replace, under)


def _skip_preamble(cursor: Cursor) -> None:
    """Step over Oracle's FORCE, OID '..', AUTHID .. and over AS / IS / FROM."""
    while not cursor.done and cursor.upper() in ("FORCE", "OID", "AUTHID", "SHARING"):
        cursor.advance(1 if cursor.at("FORCE") else 2)
    cursor.accept_any(("AS", "IS", "FROM"))


def _body(cursor: Cursor) -> TypeSpec:
    first = cursor.position
    if cursor.at("("):
        base_type = cursor.upper(2) == "="  # CREATE TYPE t (INPUT = f, ..)
        return TypeSpec("scalar", "BASE") if base_type else _attributes(cursor, "ROW")
    if cursor.accept("ENUM") or cursor.accept("RANGE"):
        skip_arguments(cursor)
        return TypeSpec("scalar", cursor.spelling(first, first + 1))
    if cursor.at("OBJECT", "("):
        cursor.advance()
        return _attributes(cursor, "OBJECT")
    if cursor.at("TABLE", "("):
        cursor.advance()
        return _attributes(cursor, "TABLE")
    if cursor.accept("TABLE", "OF"):
        return _collection(cursor, first)
    if cursor.accept("VARRAY") or cursor.accept("VARYING", "ARRAY"):
        skip_arguments(cursor)
        cursor.accept("OF")
        return _collection(cursor, first)
    return type_or_none(cursor) or _UNKNOWN


def _collection(cursor: Cursor, first: int) -> TypeSpec:
    bracketed = cursor.accept("(")  # VARRAY(9) OF (NUMBER NOT NULL)
    element = type_or_none(cursor) or _UNKNOWN
    if bracketed:
        cursor.skip_to(")")
        cursor.accept(")")
    return TypeSpec("array", cursor.spelling(first, cursor.position), element=element)


def _attributes(cursor: Cursor, head: str) -> TypeSpec:
    """`(a T, b T, MEMBER FUNCTION ..)` as a record; methods are no attributes."""
    if not cursor.at("("):
        return _UNKNOWN
    if head == "TABLE":
        columns = read_elements(cursor).columns
        return TypeSpec("record", head, tuple(FieldSpec(c.name, c.type or _UNKNOWN) for c in columns))
    fields = []
    opening = cursor.words[cursor.position]
    cursor.advance()
    while not cursor.done and not cursor.at(")"):
        before = cursor.position
        if not _is_method(cursor) and (name := column_name(cursor)) is not None:
            fields.append(FieldSpec(name, type_or_none(cursor) or _UNKNOWN))
        cursor.skip_to(",")
        cursor.accept(",")
        if cursor.position == before:
            cursor.advance()
    if not cursor.accept(")"):
        cursor.report("The attribute list is not closed: ')' is missing.", opening.start, opening.end)
    return TypeSpec("record", head, tuple(fields))


def _is_method(cursor: Cursor) -> bool:
    """Whether the element at the cursor is a method or a pragma."""
    if cursor.at("PRAGMA"):
        return True
    ahead = 0
    while (word := cursor.peek(ahead)) is not None and word.upper not in (",", "(", ")"):
        if word.upper in _METHOD_WORDS:
            return True
        ahead += 1
    return False
