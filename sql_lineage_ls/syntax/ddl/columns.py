"""Reads the bracketed element list of CREATE TABLE: columns, constraints to step over, and LIKE."""

from __future__ import annotations

import re

from msgspec import Struct

from sql_lineage_ls.syntax.ddl.builtin_types import COMPOSITES, SCALARS, VARIANTS
from sql_lineage_ls.syntax.ddl.cursor import Cursor, DdlError, Word, keywords
from sql_lineage_ls.syntax.ddl.names import column_name, relation_name
from sql_lineage_ls.syntax.ddl.type_reader import read_type
from sql_lineage_ls.syntax.query_model import ColumnDef, FieldSpec, Name, TypeSpec

# What follows a column's name where it has no type (a view's column, ClickHouse, SQLite, computed columns).
_NO_TYPE = keywords(
    "AS DEFAULT MATERIALIZED ALIAS EPHEMERAL NOT NULL PRIMARY UNIQUE CHECK REFERENCES COLLATE GENERATED CONSTRAINT "
    "COMMENT OPTIONS CODEC TTL VISIBLE INVISIBLE ENCODE SORTKEY DISTKEY MASKING PROJECTION TAG WITH WITHOUT "
    "DESCRIPTION SCOPE STATISTICS IDENTITY AUTOINCREMENT AUTO_INCREMENT"
)
# The second words that make a constraint of the first.
_CONSTRAINTS = {
    "PRIMARY": frozenset({"KEY"}),
    "FOREIGN": frozenset({"KEY"}),
    "UNIQUE": frozenset({"(", "KEY", "INDEX", "CLUSTERED", "NONCLUSTERED", "NULLS"}),
    "CHECK": frozenset({"("}),
    "EXCLUDE": frozenset({"(", "USING"}),
    "PERIOD": frozenset({"FOR"}),
    "FULLTEXT": frozenset({"KEY", "INDEX", "("}),
    "SPATIAL": frozenset({"KEY", "INDEX", "("}),
    "SUPPLEMENTAL": frozenset({"LOG"}),
    "SCOPE": frozenset({"FOR"}),
    "INDEX": frozenset({"(", "USING"}),
    "KEY": frozenset({"(", "USING"}),
}
_NAMED_CONSTRAINTS = frozenset({"UNIQUE", "FULLTEXT", "SPATIAL", "INDEX", "KEY", "PROJECTION"})
_INDEX_WORDS = frozenset({"USING", "TYPE", "CLUSTERED", "NONCLUSTERED", "UNIQUE", "HASH"})


# What a template's tag looks like behind its mask: `__columns_` for `${columns}`.
STAND_IN = re.compile(r"(?<![0-9A-Za-z])__\w*_(?![0-9A-Za-z])")


class Elements(Struct, frozen=True):
    """What the brackets hold. `likes` are the sources of LIKE, each with the number of columns before it.

    `bare` where a column has neither type nor option: half-typed, or a tag that stands for more columns.
    """

    columns: tuple[ColumnDef, ...] = ()
    likes: tuple[tuple[tuple[Name, ...], int], ...] = ()
    closed: bool = True
    bare: bool = False


def type_or_none(cursor: Cursor) -> TypeSpec | None:
    """The type at the cursor. One that nests too deeply is reported and gives None."""
    try:
        return read_type(cursor)
    except DdlError as error:
        cursor.report(error.issue.message, error.issue.start, error.issue.end)
        return None


def is_constraint(cursor: Cursor) -> bool:
    """Whether the element at the cursor is a constraint or an index and not a column of such a name.

    `KEY k (a)` and `INDEX i a TYPE minmax` are, `key VARCHAR(9)` and `index Nullable(Int8)` are columns.
    """
    word = cursor.upper()
    if not word:
        return False
    if word == "CONSTRAINT":
        return True
    if cursor.upper(1) in _CONSTRAINTS.get(word, ()):
        return True
    return word in _NAMED_CONSTRAINTS and _names_index(cursor, word)


def _names_index(cursor: Cursor, word: str) -> bool:
    second, third, fourth = cursor.peek(1), cursor.peek(2), cursor.peek(3)
    if second is None or second.kind not in ("word", "quoted") or third is None:
        return False
    if word == "PROJECTION":
        return third.upper == "(" and fourth is not None and fourth.upper in ("SELECT", "WITH")
    if second.upper in COMPOSITES or second.upper in VARIANTS:
        return False
    if third.upper == "(":
        return fourth is not None and fourth.kind in ("word", "quoted", "mark") and fourth.upper not in ("MAX", ")")
    if second.upper in SCALARS:
        return False
    return third.upper in _INDEX_WORDS or _has_word(cursor, "TYPE")


def _has_word(cursor: Cursor, keyword: str) -> bool:
    """Whether the element at the cursor holds `keyword` outside brackets."""
    start = cursor.position
    cursor.skip_to(keyword, ",")
    found = cursor.at(keyword)
    cursor.position = start
    return found


def read_column(cursor: Cursor) -> ColumnDef | None:
    """A column definition with its type; the cursor stops behind the type, before the column's options."""
    name = column_name(cursor)
    if name is None:
        return None
    name = _dotted(cursor, name)
    cursor.accept(":")
    if cursor.upper() in _NO_TYPE:
        return ColumnDef(name)
    return ColumnDef(name, type_or_none(cursor))


def _dotted(cursor: Cursor, name: Name) -> Name:
    """ClickHouse's flattened `n.x Array(T)` is one column whose name holds a dot."""
    while cursor.at(".") and (part := cursor.peek(1)) is not None and part.kind in ("word", "quoted"):
        cursor.advance()
        last = column_name(cursor)
        if last is None:
            break
        name = Name(f"{name.text}.{last.text}", name.start, last.end, name.quoted or last.quoted)
    return name


def read_elements(cursor: Cursor) -> Elements:
    """The columns between `(` at the cursor and its `)`. An unclosed list is reported."""
    opening: Word = cursor.words[cursor.position]
    cursor.advance()
    columns: list[ColumnDef] = []
    likes: list[tuple[tuple[Name, ...], int]] = []
    bare = False
    while not cursor.done and not cursor.at(")"):
        before = cursor.position
        if cursor.at("LIKE") and cursor.peek(1) is not None and cursor.upper(1) not in (",", ")", "("):
            cursor.advance()
            likes.append((relation_name(cursor), len(columns)))
        elif not is_constraint(cursor) and (column := read_column(cursor)) is not None:
            untyped = column.type is None and cursor.upper() in (",", ")", "")
            bare = bare or untyped
            if not (untyped and STAND_IN.fullmatch(column.name.text)):
                columns.append(column)
        cursor.skip_to(",")
        cursor.accept(",")
        if cursor.position == before:
            cursor.advance()  # a stray closing bracket
    closed = cursor.accept(")")
    if not closed:
        cursor.report("The column list is not closed: ')' is missing.", opening.start, opening.end)
    bare = bare and not cursor.dialect.types_optional
    if cursor.dialect.dotted_columns:
        columns = _nested(columns)
    return Elements(tuple(columns), tuple(likes), closed, bare)


def _nested(columns: list[ColumnDef]) -> list[ColumnDef]:
    """Columns `n.a Array(T)`, `n.b Array(U)` as one column n, an array of records with the fields a and b."""
    plain = {column.name.text for column in columns}
    nested: dict[str, ColumnDef] = {}
    for column in columns:
        prefix, _, last = column.name.text.partition(".")
        spec = column.type
        if not last or prefix in plain or spec is None or spec.kind != "array" or spec.element is None:
            nested[column.name.text] = column
            continue
        name, quote = column.name, int(column.name.quoted)
        first = nested.get(prefix)
        outer = Name(prefix, name.start + quote, name.start + quote + len(prefix), name.quoted)
        inner = Name(last, name.end - quote - len(last), name.end - quote, name.quoted)
        before = first.type.element.fields if first and first.type and first.type.element else ()
        record = TypeSpec("record", "Nested", (*before, FieldSpec(inner, spec.element)))
        nested[prefix] = ColumnDef(first.name if first else outer, TypeSpec("array", "Nested", element=record))
    return list(nested.values())
