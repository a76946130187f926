"""What the server and its worker processes say to each other: typed records, framed by their length.

The bytes come from a process of ours and are still checked like any input: a broken process must not break this one.
"""

from __future__ import annotations

import os
import struct
from typing import IO, Union

from msgspec import Struct, msgpack

from sql_lineage_ls.workspace.parsed_file import ParsedPiece

_LENGTH = struct.Struct("<I")
_MOST_BYTES = 1 << 30


class Job(Struct, frozen=True, array_like=True):
    """A document to be cut into statements and parsed.

    `text` is what `pack_text` made of it, `settings` the folder's settings as msgpack. Statements with the keys
    `refused` are not parsed. Where `only` is set, the statement with that key is, and no other.
    """

    id: int
    text: bytes
    relative: str
    relation: str
    settings: bytes
    refused: tuple[str, ...] = ()
    only: str = ""


class Hello(Struct, frozen=True, array_like=True, tag=True):
    """The process has started."""


class Begun(Struct, frozen=True, array_like=True, tag=True):
    """A statement is about to be parsed: its key and its place in the document."""

    key: str
    start: int
    end: int


class Done(Struct, frozen=True, array_like=True, tag=True):
    """All that was found in a document. `unknown` is what its first line names that is no dialect.

    Statements with the keys `skipped` were not parsed.
    """

    id: int
    dialect: str
    unknown: str
    pieces: tuple[ParsedPiece, ...]
    skipped: tuple[str, ...]
    parsed: int


class Failed(Struct, frozen=True, array_like=True, tag=True):
    """The document could not be cut into statements."""

    id: int
    reason: str


Reply = Union[Hello, Begun, Done, Failed]

_encoder = msgpack.Encoder()
_replies = msgpack.Decoder(Reply)
_jobs = msgpack.Decoder(Job)


def write_message(stream: int, message: Job | Reply) -> None:
    """Writes one message to a file descriptor; `OSError` where the other side is gone."""
    body = _encoder.encode(message)
    view = memoryview(_LENGTH.pack(len(body)) + body)
    while view:
        view = view[os.write(stream, view) :]


def read_job(stream: IO[bytes]) -> Job | None:
    """The next job, None at the end."""
    body = _read(stream)
    return _jobs.decode(body) if body is not None else None


def read_reply(stream: IO[bytes]) -> Reply | None:
    """The next reply, None at the end; `ValueError` for bytes that are none."""
    body = _read(stream)
    return _replies.decode(body) if body is not None else None


def _read(stream: IO[bytes]) -> bytes | None:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > _MOST_BYTES:
        raise ValueError("a message is too long")
    body = stream.read(length)
    return body if len(body) == length else None
