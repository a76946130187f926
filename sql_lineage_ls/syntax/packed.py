"""Models of statements that nobody looks at, encoded: a twentieth of the memory, and what processes exchange.

A statement is **held** as its model, or packed. What the catalog and the order of a script need of it stays at hand
as its outline: a declaration without its query.
"""

from __future__ import annotations

import zlib
from hashlib import blake2b
from typing import Union

from msgspec import Struct, msgpack
from msgspec.structs import replace

from sql_lineage_ls.syntax.query_model import (
    AlterTable,
    CreateFunction,
    CreateTable,
    CreateType,
    CreateView,
    Declare,
    Drop,
    DynamicSql,
    Literal,
    Projection,
    Query,
    QueryStatement,
    Select,
    Statement,
    StatementModel,
    Use,
)

_WHOLE = (CreateType, CreateFunction, AlterTable, Drop, Use, Declare, DynamicSql)

_decode = msgpack.Decoder(StatementModel).decode


class PackedModel(Struct, frozen=True, array_like=True, tag=True, tag_field="node"):
    """The model of a statement as bytes. `outline` is `outline_of` it, `read` whether it has no issues."""

    data: bytes
    outline: Statement | None = None
    read: bool = True
    partial: bool = False

    def unpack(self) -> StatementModel:
        """The model; `ValueError` where the bytes are none."""
        try:
            return _decode(unpacked(self.data))
        except (zlib.error, RecursionError) as error:
            raise ValueError(f"not a model: {error}") from error


HeldModel = Union[StatementModel, PackedModel]
"""A statement's model, whichever way it is kept."""


def pack(model: StatementModel) -> PackedModel | None:
    """The model packed; None where it cannot be encoded (half of a surrogate pair in a name)."""
    try:
        return PackedModel(packed(msgpack.encode(model)), outline_of(model), not model.issues, model.partial)
    except (UnicodeEncodeError, RecursionError):
        return None


def model_of(held: HeldModel) -> StatementModel:
    """The model that is held."""
    return held if isinstance(held, StatementModel) else held.unpack()


def outline_of(held: HeldModel) -> Statement | None:
    """What a statement declares, without the query that it declares it by; None where it declares nothing.

    `CREATE VIEW v AS SELECT a FROM t` is `CREATE VIEW v AS SELECT '<digest>'`: equal for equal queries.
    """
    if isinstance(held, PackedModel):
        return held.outline
    statement = held.statement
    if isinstance(statement, _WHOLE):
        return statement
    if isinstance(statement, CreateTable | CreateView) or (isinstance(statement, QueryStatement) and statement.into):
        return replace(statement, query=_digest(statement.query)) if statement.query is not None else statement
    return None


def is_read(held: HeldModel) -> bool:
    """Whether a statement could be read without issues."""
    return held.read if isinstance(held, PackedModel) else not held.issues


def packed(data: bytes) -> bytes:
    """Bytes in less room where that is worth it."""
    return b"\1" + zlib.compress(data, 1) if len(data) > _WORTH_IT else b"\0" + data


def unpacked(data: bytes) -> bytes:
    """What `packed` was given; `zlib.error` where it is damaged."""
    return zlib.decompress(data[1:]) if data[:1] == b"\1" else data[1:]


# Shorter ones hardly shrink.
_WORTH_IT = 200


def _digest(query: Query) -> Query:
    try:
        content = msgpack.encode(query)
    except UnicodeEncodeError:
        content = repr(query).encode("utf-8", "surrogatepass")
    return Select((Projection(Literal("string", blake2b(content, digest_size=16).hexdigest())),))
