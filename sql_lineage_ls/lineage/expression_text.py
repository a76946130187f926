"""The text of an expression without the name that a select item gives it."""

from __future__ import annotations

import re


def without_alias(item: str, name: str) -> str:
    """The expression of a select item that is called `name`.

    `SUM(qty) AS total` with the name `total` is `SUM(qty)`; `o.qty` with the name `qty` stays `o.qty`.
    """
    written = re.escape(name)
    match = re.search(rf"(?is)(?<![.:\s])(\s+as)?\s+[`\"\[]?{written}[`\"\]]?$", item)
    return item[: match.start()] if match else item
