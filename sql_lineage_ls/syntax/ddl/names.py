"""Names in DDL: relations, columns and field paths, with the span of each part."""

from __future__ import annotations

import re

from sql_lineage_ls.syntax.ddl.cursor import Cursor, Word
from sql_lineage_ls.syntax.query_model import Name

_PLAIN = re.compile(r"[#@$\w]+")
_DASHED = re.compile(r"[#@$\w]+(?:-\w+)*")


def split_quoted(text: str, raw: str, start: int, quoted: bool = True) -> tuple[Name, ...]:
    """The parts of a quoted token that holds a dotted name: `` `p.d.t` `` gives p, d and t, each at its own place."""
    parts = text.split(".")
    if len(parts) == 1:
        return (Name(text, start, start + len(raw), quoted),)
    if len(raw) != len(text) + 2:  # escapes inside: places inside the token cannot be told
        return tuple(Name(part, start, start + len(raw), quoted) for part in parts)
    names = []
    at = start + 1
    for part in parts:
        names.append(Name(part, at, at + len(part), quoted))
        at += len(part) + 1
    return tuple(names)


def _starts_name(word: Word | None) -> bool:
    return word is not None and (word.kind in ("word", "quoted", "string") or word.text in ("#", "@", "$", "##"))


def _identifier_call(cursor: Cursor) -> tuple[Name, ...]:
    """IDENTIFIER('db.schema.t') of Snowflake and Databricks: the string's text is the name."""
    literal = cursor.peek(2)
    cursor.advance()
    if literal is None or literal.kind != "string":
        first = cursor.position
        cursor.skip_group()
        return (Name(cursor.spelling(first, cursor.position), cursor.words[first].start, cursor.end_offset(), True),)
    cursor.skip_group()
    raw = cursor.text[literal.start : literal.end]
    names = split_quoted(literal.text, raw, literal.start, quoted=False)
    return tuple(
        Name(name.text[1:-1], name.start, name.end, True) if re.fullmatch(r'".+"', name.text) else name
        for name in names
    )


def _unquoted(cursor: Cursor, pattern: re.Pattern[str]) -> tuple[Name, bool]:
    """An unquoted part, several tokens long where it holds `-`, `#` or `@`; True if its dot was read with it."""
    first = cursor.words[cursor.position]
    match = pattern.match(cursor.text, first.start)
    end = match.end() if match else first.end
    cursor.advance()
    dotted = False
    while (word := cursor.peek()) is not None and word.start < end:
        cursor.advance()
        dotted = word.end > end
    return Name(cursor.text[first.start : end], first.start, end), dotted


def relation_name(cursor: Cursor) -> tuple[Name, ...]:
    """The dotted name of a relation at the cursor; `()` where none begins.

    `` my-proj.`ds.t` `` (BigQuery) gives three names. An omitted part (`db..t`) is a name without text.
    """
    pattern = _DASHED if cursor.dialect.dashed_tables else _PLAIN
    names: list[Name] = []
    while _starts_name(cursor.peek()):
        word = cursor.words[cursor.position]
        dotted = False
        if word.kind in ("quoted", "string"):
            cursor.advance()
            if cursor.dialect.quoted_dots_split:
                names.extend(split_quoted(word.text, cursor.text[word.start : word.end], word.start))
            else:
                names.append(Name(word.text, word.start, word.end, True))
        elif word.upper == "IDENTIFIER" and cursor.upper(1) == "(":
            names.extend(_identifier_call(cursor))
        else:
            name, dotted = _unquoted(cursor, pattern)
            names.append(name)
        if not dotted and not cursor.accept("."):
            break
        if cursor.at("."):
            cursor.advance()
            names.append(Name("", cursor.end_offset(), cursor.end_offset()))
    return tuple(names)


def column_name(cursor: Cursor) -> Name | None:
    """The name of a column or field at the cursor: a word, a quoted name, or SQLite's string."""
    word = cursor.peek()
    if word is None or word.kind not in ("word", "quoted", "string"):
        return None
    if word.kind != "word":
        cursor.advance()
        return Name(word.text, word.start, word.end, True)
    name, _ = _unquoted(cursor, _PLAIN)
    return name


def dotted_name(cursor: Cursor) -> tuple[Name, ...]:
    """A type's name, or a column or nested field as ALTER names it: `customer.address.city`, `items.element.qty`."""
    names: list[Name] = []
    while (name := column_name(cursor)) is not None:
        names.append(name)
        if not cursor.accept("."):
            break
    return tuple(names)
