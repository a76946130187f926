"""Canonical names: which spellings mean the same relation, and how a name is shown.

A relation's **id** is its family and the parts of its name as the database compares them, joined by U+001F, which no
name holds: `postgres␟public␟orders`. Temporary tables have their document in it, since each session has its own.
A location's id is `location␟` and its address without a trailing slash. Ids are compared and stored, never shown.
"""

from __future__ import annotations

import re

from msgspec import Struct

from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.query_model import Name

SEPARATOR = "\u001f"
ANY_FAMILY = "ansi"
"""The family whose declarations everybody sees, and whose references see everybody's declarations."""

RELATION = "relation"
TYPE = "type"
FUNCTION = "function"
LOCATION = "location"

# Schemas that exist for one session only.
_SESSION_SCHEMAS = frozenset({"pg_temp", "_session"})
_PLAIN = re.compile(r"[^\W\d][\w$]*\Z")
_PLAIN_DASHED = re.compile(r"[^\W\d][\w$-]*\Z")


class Namespace(Struct, frozen=True, gc=False):
    """The defaults of unqualified names, from configuration and the USE statements before a statement.

    A name in double quotes is compared as quoted names are: `"Sales"`.
    """

    catalog: str = ""
    schema: str = ""


NOWHERE = Namespace()
"""No defaults: a name means what it says."""


class Key(Struct, frozen=True, gc=False, order=True, cache_hash=True):
    """What a declaration is about. `space` is `relation`, `type`, `function` or `location`.

    `uri` is set for temporary tables: each document is a session of its own.
    """

    space: str
    family: str
    parts: tuple[str, ...]
    uri: str = ""

    @property
    def id(self) -> str:
        session = (self.uri,) if self.uri else ()
        call = "()" if self.space == FUNCTION else ""
        return SEPARATOR.join((self.family, *session, *self.parts)) + call

    @property
    def slot(self) -> str:
        """Under what the key is looked up: its space and last part, in any family's case."""
        return slot_of(self.space, self.parts[-1])


def slot_of(space: str, last: str) -> str:
    return f"{space}:{last.casefold()}"


def location_key(address: str) -> Key:
    """The key of an external location: `s3://b/x/` and `s3://b/x` are one."""
    return Key(LOCATION, LOCATION, (address.rstrip("/"),))


def location_id(address: str) -> str:
    """The id of an external location."""
    return location_key(address).id


def is_location(relation_id: str) -> bool:
    """Whether an id is that of an external location."""
    return relation_id.startswith(LOCATION + SEPARATOR)


def location_name(address: str) -> str:
    """How a location is shown: `'s3://b/x/'`."""
    return f"'{address}'"


def is_session_name(parts: tuple[Name, ...]) -> bool:
    """Whether the name itself says that the table is temporary: `#t`, `pg_temp.t`, `_SESSION.t`."""
    if not parts:
        return False
    schema = parts[-2].text.lower() if len(parts) > 1 else ""
    return parts[-1].text.startswith(("#", "@")) or schema in _SESSION_SCHEMAS


def qualify(parts: tuple[Name, ...], dialect: Dialect, namespace: Namespace) -> tuple[str, ...]:
    """The parts of a name as the database compares them, its omitted ones filled from the namespace.

    `Orders` in Postgres with the schema `shop` is `("shop", "orders")`.
    """
    keys = [dialect.table_key(part.text, part.quoted) for part in parts]
    if len(keys) > 1 and keys[0].lower() in _SESSION_SCHEMAS:
        return tuple(keys[1:])
    schema = _default_key(namespace.schema, dialect)
    omitted = schema or dialect.table_key(dialect.omitted_schema)
    keys = [key or omitted for key in keys if key or omitted]
    if len(keys) == 1 and schema and not is_session_name(parts):
        keys.insert(0, schema)
    if len(keys) == 2 and namespace.catalog:
        keys.insert(0, _default_key(namespace.catalog, dialect))
    return tuple(keys)


def _default_key(name: str, dialect: Dialect) -> str:
    quoted = len(name) > 2 and name[0] == name[-1] == '"'
    return dialect.table_key(name[1:-1] if quoted else name, quoted)


def display_name(parts: tuple[Name, ...], dialect: Dialect) -> str:
    """The name as it is written, quoted only where it has to be: `sales.orders`, `sales."Order Lines"`."""
    return ".".join(display_part(part, dialect) for part in parts if part.text)


def display_part(part: Name, dialect: Dialect) -> str:
    if not part.quoted or part.text.startswith(("#", "@")):
        return part.text
    plain = _PLAIN_DASHED if dialect.dashed_tables else _PLAIN
    same = dialect.table_key(part.text, False) == dialect.table_key(part.text, True)
    if same and plain.match(part.text):
        return part.text
    closing = dialect.quote
    return dialect.quote + part.text.replace(closing, closing * 2) + closing
