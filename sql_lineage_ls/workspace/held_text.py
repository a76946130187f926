"""Texts of documents that nobody looks at, in less room."""

from __future__ import annotations

from functools import lru_cache
from typing import Union

from sql_lineage_ls.syntax.packed import packed, unpacked

HeldText = Union[str, bytes]
"""A document's text, or the bytes that `pack_text` made of it."""


def pack_text(text: str) -> bytes:
    """A text as bytes, halves of surrogate pairs included."""
    return packed(text.encode("utf-8", "surrogatepass"))


def text_of(held: HeldText) -> str:
    """The text that is held."""
    return held if isinstance(held, str) else _decoded(held)


# A reader asks for a document's text again and again before it goes on to the next.
@lru_cache(maxsize=8)
def _decoded(held: bytes) -> str:
    return unpacked(held).decode("utf-8", "surrogatepass")
