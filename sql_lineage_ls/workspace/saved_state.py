"""A workspace as it was analysed last, as bytes: what a file of the cache holds.

Bytes are only ever decoded into the records below, never run. They are believed when they were made by this very
program and are whole, by a checksum over all of them; anything else is no state. A state is one: what it says of a
document is true beside what it says of all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
from msgspec import Struct, msgpack

from sql_lineage_ls import __version__
from sql_lineage_ls.lineage.model import Dependency
from sql_lineage_ls.workspace.parsed_file import ParsedPiece

_MAGIC = b"sql-lineage-ls state\n"
_DIGEST = 16
_LENGTH = 4
_HEAD = len(_MAGIC) + 2 * _DIGEST
# The layers whose code decides what a state holds and means.
_LAYERS = ("text", "syntax", "catalog", "lineage", "workspace")
_LIBRARIES = ("sqlglot", "sqlglotc", "msgspec")


class SavedPiece(Struct, frozen=True, array_like=True, gc=False):
    """A statement, its model packed, and its lineage with what that depends on.

    `known_as` is the key of the lineage in the analysis.
    """

    piece: ParsedPiece
    known_as: str
    dependencies: tuple[Dependency, ...]
    lineage: bytes


class SavedFile(Struct, frozen=True, array_like=True, gc=False):
    """A document. `stamp` is that of the file with this text, None where it is not known to have it."""

    uri: str
    stamp: tuple[int, int] | None
    digest: bytes
    dialect: str
    relation: str
    text: bytes
    steady: bool
    pieces: tuple[SavedPiece, ...]
    contributions: tuple[tuple[str, bytes], ...]


class SavedState(Struct, frozen=True):
    """All documents of a workspace, and the statements that are not to be parsed, by their keys."""

    files: tuple[SavedFile, ...]
    refused: tuple[str, ...] = ()


_decode_file = msgpack.Decoder(SavedFile).decode
_decode_refused = msgpack.Decoder(tuple[str, ...]).decode
_encode = msgpack.Encoder().encode


def text_digest(text: str) -> bytes:
    """What tells a text from others."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


def encode_state(files: Iterable[SavedFile], refused: tuple[str, ...]) -> bytes:
    """The bytes of a state; `UnicodeEncodeError` for names with halves of surrogate pairs."""
    body = bytearray()
    for record in (refused, *files):
        encoded = _encode(record)
        body += len(encoded).to_bytes(_LENGTH, "little")
        body += encoded
    return b"".join((_MAGIC, program_digest(), blake2b(body, digest_size=_DIGEST).digest(), body))


def decode_state(data: bytes) -> SavedState | str:
    """The state in some bytes, or why there is none."""
    if not data.startswith(_MAGIC):
        return "it is no state"
    if data[len(_MAGIC) : len(_MAGIC) + _DIGEST] != program_digest():
        return "another version wrote it"
    body = memoryview(data)[_HEAD:]
    if blake2b(body, digest_size=_DIGEST).digest() != data[_HEAD - _DIGEST : _HEAD]:
        return "it is damaged"
    try:
        refused, *files = _records(body)
        return SavedState(tuple(_decode_file(file) for file in files), _decode_refused(refused))
    except (ValueError, msgspec.DecodeError, RecursionError) as error:
        return f"it is damaged: {error}"


def _records(body: memoryview) -> Iterator[memoryview]:
    at = 0
    while at < len(body):
        end = at + _LENGTH + int.from_bytes(body[at : at + _LENGTH], "little")
        if end > len(body):
            raise ValueError("a record is cut off")
        yield body[at + _LENGTH : end]
        at = end


@lru_cache(maxsize=1)
def program_digest() -> bytes:
    """What tells this program from every other version of it: its own code, and the libraries that it relies on."""
    digest = blake2b(__version__.encode(), digest_size=_DIGEST)
    for name in _LIBRARIES:
        digest.update(f"{name} {_version(name)}\n".encode())
    package = Path(__file__).resolve().parents[1]
    for layer in _LAYERS:
        for path in sorted((package / layer).rglob("*.py")):
            digest.update(path.name.encode())
            try:
                digest.update(path.read_bytes())
            except OSError:
                continue
    return digest.digest()


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
