"""Texts of documents that nobody looks at, in less room."""

from __future__ import annotations

from typing import Union

from sql_lineage_ls.syntax.packed import packed, unpacked

HeldText = Union[str, bytes]
"""A document's text, or the bytes that `pack_text` made of it."""


def pack_text(text: str) -> bytes:
    """A text as bytes, halves of surrogate pairs included."""
    return packed(text.encode("utf-8", "surrogatepass"))


def text_of(held: HeldText) -> str:
    """The text that is held."""
    return held if isinstance(held, str) else unpacked(held).decode("utf-8", "surrogatepass")
