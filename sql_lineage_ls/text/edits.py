"""Edits of a document as an editor sends them."""

from __future__ import annotations

from sql_lineage_ls.text.line_index import Encoding, LineIndex


def apply_change(
    text: str,
    lines: LineIndex,
    start: tuple[int, int],
    end: tuple[int, int],
    new_text: str,
    encoding: Encoding = "utf-16",
) -> str:
    """The text after the range from `start` to `end` became `new_text`.

    `start` and `end` are a line and a character in units of `encoding`, `lines` is the index of `text`. Positions
    outside of the text are clamped, a range that ends before it starts is read from its smaller end.

    `apply_change("SELECT a", LineIndex("SELECT a"), (0, 7), (0, 8), "b")` is `SELECT b`.
    """
    first = lines.offset(*start, encoding)
    last = lines.offset(*end, encoding)
    if last < first:
        first, last = last, first
    return text[:first] + new_text + text[last:]
