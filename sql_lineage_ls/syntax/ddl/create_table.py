"""Reads CREATE TABLE in every dialect, from behind its name on."""

from __future__ import annotations

import re

from msgspec import Struct

from sql_lineage_ls.syntax.ddl.columns import STAND_IN, Elements, read_column, read_elements
from sql_lineage_ls.syntax.ddl.cursor import Cursor, Word, keywords
from sql_lineage_ls.syntax.ddl.names import relation_name
from sql_lineage_ls.syntax.ddl.queries import begins_query, holds_query, read_query
from sql_lineage_ls.syntax.query_model import ColumnDef, CreateTable, Name, Query, TypeSpec

# Keys of option lists that hold the address of the table's files.
_LOCATION_KEYS = frozenset({"LOCATION", "EXTERNAL_LOCATION", "PATH", "URIS"})
# ClickHouse engines whose first argument is the address of the table's files.
_LOCATION_ENGINES = keywords(
    "S3 S3QUEUE GCS OSS COSN HDFS URL DELTALAKE DELTALAKES3 HUDI ICEBERG ICEBERGS3 ICEBERGHDFS"
)
# Properties that say the columns come from a schema file.
_SCHEMA_FILES = re.compile(r"(?i)avro\.schema\.(url|literal)")
_STAGE = re.compile(r"@[^\s,)]*")
_SOURCES = frozenset({"LIKE", "CLONE", "COPY", "INHERITS", "PARTITION"})
_OPTION_LISTS = frozenset({"WITH", "OPTIONS", "TBLPROPERTIES", "SERDEPROPERTIES"})


class Clauses:
    """What the clauses behind the name said so far."""

    def __init__(self) -> None:
        self.elements = Elements()
        self.listed = False
        self.partition_columns: list[ColumnDef] = []
        self.query: Query | None = None
        self.has_query = False
        self.like: tuple[Name, ...] = ()
        self.clone: tuple[Name, ...] = ()
        self.of_type: tuple[Name, ...] = ()
        self.inherits: list[tuple[Name, ...]] = []
        self.location: Word | None = None
        self.stage = ""
        self.location_end = -1
        self.foreign_source = False
        self.open = False


class Header(Struct, frozen=True):
    """What stood before the name."""

    temporary: bool = False
    external: bool = False
    replace: bool = False
    if_not_exists: bool = False
    materialized: bool = False


def read_table(cursor: Cursor, name: tuple[Name, ...], header: Header) -> CreateTable:
    """The CREATE TABLE whose name was just read. `open` is set where the statement does not list all columns."""
    clauses = Clauses()
    _behind_name(cursor, clauses)
    while not cursor.done:
        before = cursor.position
        _clause(cursor, clauses)
        if cursor.position == before:
            cursor.advance()
    return _table(cursor, name, header, clauses)


def _behind_name(cursor: Cursor, clauses: Clauses) -> None:
    """What can only stand right behind the name: the column list, OF type, and ClickHouse's cluster before them."""
    if cursor.accept("ON", "CLUSTER"):
        cursor.advance()
    if cursor.at("(") and not holds_query(cursor):
        clauses.listed = True
        clauses.elements = read_elements(cursor)
    elif cursor.accept("OF"):
        clauses.of_type = relation_name(cursor)


def _clause(cursor: Cursor, clauses: Clauses) -> None:
    """One clause at the cursor, or one word of an option that says nothing about columns."""
    word = cursor.upper()
    if word == "(" and not clauses.has_query and holds_query(cursor):
        _query(cursor, clauses)
    elif word == "AS":
        cursor.advance()
        _behind_as(cursor, clauses)
    elif word in ("SELECT", "WITH") and begins_query(cursor):
        _query(cursor, clauses)
    elif word == "PARTITIONED" and cursor.upper(1) == "BY":
        cursor.advance(2)
        _partition_columns(cursor, clauses)
    elif word == "WITH" and cursor.at("WITH", "PARTITION", "COLUMNS"):
        cursor.advance(3)
        clauses.open = clauses.open or not cursor.at("(")
        _partition_columns(cursor, clauses)
    elif word in _OPTION_LISTS and cursor.upper(1) == "(":
        cursor.advance()
        _options(cursor, clauses)
    elif word in _SOURCES:
        _source(cursor, clauses, word)
    elif word == "LOCATION":
        cursor.advance()
        cursor.accept("=")
        _location(cursor, clauses)
    elif word == "ENGINE":
        _engine(cursor, clauses)
    elif word == "USING" and cursor.upper(1) == "TEMPLATE":
        cursor.advance(2)
        clauses.open = True
    else:
        cursor.skip_group() if word in ("(", "[", "{") else cursor.advance()


def _source(cursor: Cursor, clauses: Clauses, word: str) -> None:
    """A clause that names the relation or type whose columns the table has."""
    cursor.advance()
    if word == "LIKE":
        clauses.like = clauses.like or relation_name(cursor)
    elif word in ("CLONE", "COPY"):
        if cursor.at("GRANTS") or cursor.at("TAGS"):
            return
        clauses.clone = clauses.clone or relation_name(cursor)
    elif word == "PARTITION" and cursor.accept("OF"):
        clauses.inherits.append(relation_name(cursor))
    elif word == "INHERITS" and cursor.accept("("):
        while (name := relation_name(cursor)) != ():
            clauses.inherits.append(name)
            cursor.skip_to(",")
            cursor.accept(",")
        cursor.accept(")")


def _behind_as(cursor: Cursor, clauses: Clauses) -> None:
    """`AS query`, or ClickHouse's `AS table`. Any other AS belongs to an option: STORED AS, VERSION AS OF."""
    if begins_query(cursor):
        _query(cursor, clauses)
    elif cursor.dialect.as_copies_table and not clauses.listed:
        name = relation_name(cursor)
        if name and not cursor.at("("):
            clauses.like = name
        else:
            clauses.open = True


def _query(cursor: Cursor, clauses: Clauses) -> None:
    clauses.has_query = True
    clauses.query = read_query(cursor)


def _partition_columns(cursor: Cursor, clauses: Clauses) -> None:
    """`PARTITIONED BY (day DATE)` adds a column; `(day)` and `(bucket(4, id))` speak of columns that exist."""
    if not cursor.accept("("):
        return
    while not cursor.done and not cursor.at(")"):
        before = cursor.position
        second = cursor.peek(1)
        if second is not None and (second.kind in ("word", "quoted")):
            column = read_column(cursor)
            if column is not None and column.type is not None:
                clauses.partition_columns.append(column)
        cursor.skip_to(",")
        cursor.accept(",")
        if cursor.position == before:
            cursor.advance()
    cursor.accept(")")


def _options(cursor: Cursor, clauses: Clauses) -> None:
    """`(key = value, 'key' 'value', ..)`: looks for the address of the table's files."""
    first = cursor.position
    cursor.skip_group()
    end = cursor.position
    cursor.position = first + 1
    while cursor.position < end:
        key = cursor.words[cursor.position]
        cursor.advance()
        text = key.text if key.kind in ("string", "quoted") else key.upper
        if _SCHEMA_FILES.search(text):
            clauses.open = True
        elif text.upper() == "DATA_SOURCE":
            clauses.foreign_source = True
        elif text.upper() in _LOCATION_KEYS:
            cursor.accept("=")
            _location(cursor, clauses)
        cursor.skip_to(",")
        cursor.accept(",")
        if cursor.upper() in (")", "]", "}"):
            break
    cursor.position = end


def _location(cursor: Cursor, clauses: Clauses) -> None:
    """The address at the cursor: a string, the first of a list of strings, or Snowflake's `@stage/path/`."""
    while cursor.upper() in ("[", "("):
        cursor.advance()
    word = cursor.peek()
    if word is None or clauses.location is not None:
        return
    if word.kind == "string":
        cursor.advance()
        clauses.location, clauses.location_end = word, word.end
        return
    stage = _STAGE.match(cursor.text, word.start)
    if stage is None or len(stage.group()) < 2:
        return
    clauses.location, clauses.stage, clauses.location_end = word, stage.group(), stage.end()
    while not cursor.done and cursor.words[cursor.position].start < stage.end():
        cursor.advance()


def _engine(cursor: Cursor, clauses: Clauses) -> None:
    cursor.advance()
    cursor.accept("=")
    engine = cursor.upper()
    cursor.advance()
    if cursor.upper() != "(":
        return
    first = cursor.position
    if engine in _LOCATION_ENGINES:
        cursor.advance()
        _location(cursor, clauses)
    cursor.position = first
    cursor.skip_group()


def _table(cursor: Cursor, name: tuple[Name, ...], header: Header, clauses: Clauses) -> CreateTable:
    elements = clauses.elements
    columns = elements.columns
    column_names: tuple[Name, ...] = ()
    if clauses.has_query and columns and all(column.type is None for column in columns):
        column_names, columns = tuple(column.name for column in columns), ()
    likes = [like for like, _ in elements.likes]
    like = clauses.like or (likes[0] if likes else ())
    inherits = (*clauses.inherits, *(likes if clauses.like else likes[1:]))
    if header.external and cursor.dialect.external_column:
        columns = (ColumnDef(Name(cursor.dialect.external_column), TypeSpec("variant", "VARIANT")), *columns)
    known = clauses.listed or clauses.has_query or like or clauses.clone or clauses.of_type or inherits
    location = clauses.location
    if clauses.foreign_source or (location is not None and STAND_IN.search(clauses.stage or location.text)):
        location = None  # an address that only another system, or a template's values, can tell
    return CreateTable(
        name=name,
        columns=(*columns, *clauses.partition_columns),
        column_names=column_names,
        query=clauses.query,
        like=like,
        clone=clauses.clone,
        of_type=clauses.of_type,
        location=(clauses.stage or location.text) if location is not None else None,
        location_start=location.start if location is not None else -1,
        location_end=clauses.location_end if location is not None else -1,
        temporary=header.temporary,
        external=header.external,
        replace=header.replace,
        if_not_exists=header.if_not_exists,
        open=clauses.open or not known or not elements.closed or (elements.bare and not column_names)
        or (clauses.has_query and clauses.query is None),
        like_position=elements.likes[0][1] if elements.likes and not clauses.like else 0,
        inherits=inherits,
    )
