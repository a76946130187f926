"""What files say: the only reader of SQL files on disk."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path

# How many bytes tell text from other files.
_LOOKED_AT = 8_000


def read_text(path: Path) -> str | None:
    """A file's text without a byte order mark; None where it cannot be read or is no text.

    UTF-8, or UTF-16 where a byte order mark says so; bytes that are neither are read as Latin-1, in which every byte
    is a character, so that the SQL around a stray one can still be analysed. A zero byte near the start is no text,
    as for git: a backup or an archive that is called `.sql`.
    """
    try:
        content = path.read_bytes()
    except (OSError, ValueError):
        return None
    return decode(content)


def decode(content: bytes) -> str | None:
    """The text of a file's bytes; see `read_text`."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:_LOOKED_AT]:
        return None
    content = content.removeprefix(BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")
