"""Reads a type in any dialect's spelling.

`STRUCT<a INT64>`, `STRUCT<a: INT>`, `ROW(a BIGINT)`, `Tuple(a Int8)`, `STRUCT(a INT)`, `OBJECT(a INT)` are records;
`ARRAY<T>`, `ARRAY(T)`, `T[]`, `T ARRAY`, `Nested(..)` arrays; `MAP<K, V>`, `MAP(K, V)` maps. Wrappers that change no
shape (`Nullable`, `LowCardinality`) are looked through.
"""

from __future__ import annotations

from msgspec.structs import replace

from sql_lineage_ls.syntax.ddl.builtin_types import (
    ARRAYS,
    COMPOSITES,
    CONTINUATIONS,
    SCALARS,
    SYSTEM_SCHEMAS,
    VARIANTS,
    WRAPPERS,
)
from sql_lineage_ls.syntax.ddl.cursor import MAX_DEPTH, Cursor, DdlError, keywords
from sql_lineage_ls.syntax.ddl.names import column_name, dotted_name
from sql_lineage_ls.syntax.query_model import FieldSpec, Name, TypeSpec

_BRACKETS = {"(": ")", "<": ">"}
_INTERVAL_WORDS = keywords("YEAR MONTH DAY HOUR MINUTE SECOND TO")
# What can follow a field's type that has no name, so that the word before it was the type.
_AFTER_TYPE = frozenset({"NOT", "NULL", "COMMENT", "OPTIONS", "DEFAULT"})
# First words of types that go on with a second word.
_TWO_WORDS = {
    "DOUBLE": frozenset({"PRECISION"}),
    "TIMESTAMP": frozenset({"WITH", "WITHOUT"}),
    "TIME": frozenset({"WITH", "WITHOUT"}),
    "CHARACTER": frozenset({"VARYING", "LARGE"}),
    "CHAR": frozenset({"VARYING", "LARGE"}),
    "BINARY": frozenset({"VARYING", "LARGE"}),
    "BIT": frozenset({"VARYING"}),
    "LONG": frozenset({"RAW"}),
    "INTERVAL": _INTERVAL_WORDS,
    "NATIONAL": frozenset({"CHAR", "CHARACTER"}),
}
_FURTHER_WORDS = {
    "INTERVAL": _INTERVAL_WORDS,
    "NATIONAL": frozenset({"CHAR", "CHARACTER", "VARCHAR"}),
}
_UNKNOWN = TypeSpec("named", "")


def read_type(cursor: Cursor, depth: int = 0) -> TypeSpec | None:
    """The type at the cursor; None where no type begins.

    `ARRAY<STRUCT<sku STRING>>` gives an array of a record. Raises DdlError where types nest deeper than MAX_DEPTH.
    """
    word = cursor.peek()
    if word is None or word.kind not in ("word", "quoted"):
        return None
    if depth > MAX_DEPTH:
        raise DdlError("This type is nested too deeply to be read.", word.start, word.end)
    first = cursor.position
    spec = _composite(cursor, depth) if word.upper in COMPOSITES else _plain(cursor)
    while True:
        if cursor.at("["):
            cursor.skip_group()
        elif cursor.at("ARRAY") and cursor.upper(1) not in _BRACKETS:
            cursor.advance()
            if cursor.at("["):
                cursor.skip_group()
        else:
            return spec
        spec = TypeSpec("array", cursor.spelling(first, cursor.position), element=spec)


def _composite(cursor: Cursor, depth: int) -> TypeSpec:
    first = cursor.position
    word = cursor.upper()
    closer = _BRACKETS.get(cursor.upper(1))
    if closer is None:
        return _bare(cursor)
    inner = cursor.peek(2)
    if word == "UNIONTYPE" or (word == "OBJECT" and inner is not None and inner.kind == "string"):
        cursor.advance()
        skip_arguments(cursor)
        kind = "named" if word == "UNIONTYPE" else "variant"
        return TypeSpec(kind, cursor.spelling(first, cursor.position))
    cursor.advance(2)
    spec = _inside(cursor, word, closer, depth)
    _close(cursor, closer)
    return replace(spec, text=cursor.spelling(first, cursor.position))


def _inside(cursor: Cursor, word: str, closer: str, depth: int) -> TypeSpec:
    """What stands between the brackets of a composite type."""
    if word in ARRAYS:
        return TypeSpec("array", "", element=_argument(cursor, closer, depth))
    if word == "MAP":
        return TypeSpec("map", "", key=_argument(cursor, closer, depth), value=_argument(cursor, closer, depth))
    if word in WRAPPERS:
        return _argument(cursor, closer, depth)
    if word == "SIMPLEAGGREGATEFUNCTION":
        cursor.skip_to(",", closer)
        cursor.accept(",")
        return _argument(cursor, closer, depth)
    record = TypeSpec("record", "", fields=_fields(cursor, closer, depth))
    if word == "NESTED":
        return TypeSpec("array", "", element=replace(record, text="Nested"))
    return record


def _bare(cursor: Cursor) -> TypeSpec:
    """A composite's word without brackets: Snowflake's ARRAY and OBJECT, a STRUCT of unknown fields."""
    word = cursor.words[cursor.position]
    cursor.advance()
    if word.upper in VARIANTS:
        return TypeSpec("variant", word.text)
    if word.upper in ARRAYS:
        return TypeSpec("array", word.text, element=TypeSpec("variant", "VARIANT"))
    return TypeSpec("named", word.text)


def _argument(cursor: Cursor, closer: str, depth: int) -> TypeSpec:
    spec = read_type(cursor, depth + 1) or _UNKNOWN
    cursor.skip_to(",", closer)
    cursor.accept(",")
    return spec


def _fields(cursor: Cursor, closer: str, depth: int) -> tuple[FieldSpec, ...]:
    fields = []
    while not cursor.done and cursor.upper() not in (")", ">", "]", "}"):
        name = _field_name(cursor)
        fields.append(FieldSpec(name, read_type(cursor, depth + 1) or _UNKNOWN))
        cursor.skip_to(",", closer)
        cursor.accept(",")
    return tuple(fields)


def _field_name(cursor: Cursor) -> Name | None:
    """The name before a field's type, None where the type stands alone: `ROW(BIGINT, x DATE)`."""
    if not _names_field(cursor):
        return None
    name = column_name(cursor)
    cursor.accept(":")
    return name


def _names_field(cursor: Cursor) -> bool:
    first, second = cursor.peek(), cursor.peek(1)
    if first is None or second is None:
        return False
    if second.text == ":":
        return True
    if second.kind not in ("word", "quoted") or second.upper in _AFTER_TYPE:
        return False
    if second.upper == "ARRAY" and cursor.upper(2) not in _BRACKETS:
        return first.upper not in SCALARS
    return second.upper not in _TWO_WORDS.get(first.upper, ())


def _close(cursor: Cursor, closer: str) -> None:
    if cursor.accept(closer):
        return
    at = cursor.end_offset()
    cursor.report(f"This type is not closed: '{closer}' is missing.", max(0, at - 1), at)


def skip_arguments(cursor: Cursor) -> None:
    """Step over `(..)` or `<..>` behind a type's name."""
    if cursor.at("("):
        cursor.skip_group()
        return
    if not cursor.at("<"):
        return
    depth = 0
    while not cursor.done:
        mark = cursor.upper()
        if mark == ")":
            return
        cursor.advance()
        depth += {"<": 1, ">": -1}.get(mark, 0)
        if depth == 0:
            return


def _plain(cursor: Cursor) -> TypeSpec:
    """A scalar, a semi-structured type or a user's type: one name, maybe dotted, with arguments and more words."""
    first = cursor.position
    if cursor.at("REF") and (target := cursor.peek(1)) is not None and target.kind in ("word", "quoted"):
        cursor.advance()
    parts = dotted_name(cursor)
    if cursor.at("%"):
        cursor.advance(2)
        return TypeSpec("named", cursor.spelling(first, cursor.position))
    kind = _kind(cursor, parts)
    if kind == "scalar":
        _scalar_rest(cursor)
    else:
        skip_arguments(cursor)
    name = parts if kind == "named" else ()
    return TypeSpec(kind, cursor.spelling(first, cursor.position), name=name)


def _kind(cursor: Cursor, parts: tuple[Name, ...]) -> str:
    if len(parts) > 1 and parts[0].text.upper() not in SYSTEM_SCHEMAS:
        return "named"
    last = parts[-1]
    if last.quoted and not cursor.dialect.quoted_ignore_case:
        return "named"
    if last.text.upper() in VARIANTS:
        return "variant"
    return "scalar" if last.text.upper() in SCALARS else "named"


def _scalar_rest(cursor: Cursor) -> None:
    """Step over the arguments and further words of a scalar type: `varying(9)`, `(3) WITH TIME ZONE`, `TO SECOND`."""
    further = CONTINUATIONS | _FURTHER_WORDS.get(cursor.upper(-1), frozenset())
    while True:
        if cursor.at("(") or cursor.at("<"):
            before = cursor.position
            skip_arguments(cursor)
            if cursor.position == before:
                return
        elif cursor.upper() in further:
            cursor.advance()
        elif cursor.upper() in ("WITH", "WITHOUT") and "TIME" in (cursor.upper(1), cursor.upper(2)):
            cursor.advance(4 if cursor.upper(1) == "LOCAL" else 3)
        else:
            return
