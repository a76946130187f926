"""The text of an expression without the name that a select item gives it."""

from __future__ import annotations


def without_alias(item: str, name: str) -> str:
    """The expression of a select item that is called `name`.

    `SUM(qty) AS total` with the name `total` is `SUM(qty)`; `o.qty` with the name `qty` stays `o.qty`.
    """
    body = item[:-1] if item[-1:] in _CLOSING else item
    if not name or body[-len(name) :].lower() != name.lower():
        return item
    head = body[: -len(name)]
    head = head[:-1] if head[-1:] in _OPENING else head
    before = head.rstrip()
    if before == head:
        return item
    if before[-2:].lower() == "as" and before[-3:-2].isspace():
        before = before[:-2].rstrip()
    return before if before and before[-1] not in ".:" else item


_OPENING = ("`", '"', "[")
_CLOSING = ("`", '"', "]")
