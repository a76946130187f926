"""What stands for several columns by their names: `* LIKE 'x%'`, `* ILIKE ..`, COLUMNS('regex'), COLUMNS(lambda ..).

Each becomes a Python regular expression that is searched in a column's name. Sources: DuckDB "Star expression",
Snowflake SELECT, ClickHouse "Dynamic column selection".
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

EVERY = ""
"""Matches every name."""


def like(pattern: str, ignore_case: bool) -> str:
    """`p_r%` as a regular expression: `(?s)^p.r.*$`."""
    steps = "".join({"%": ".*", "_": "."}.get(letter, re.escape(letter)) for letter in pattern)
    return f"(?{'i' if ignore_case else ''}s:^{steps}$)"


def one_of(names: list[str]) -> str:
    """COLUMNS(['a', 'b']), whose names ignore case."""
    return f"(?i:^(?:{'|'.join(map(re.escape, names))})$)"


def of_test(node: Any, tested: Any) -> str | None:
    """The names for which a condition on `tested` holds, None where that cannot be told.

    `c LIKE 'l%' OR c = 'note'` is `^(?:(?=(?s:^l.*$))|(?=^note$))`.
    """
    kind = node.__class__
    if kind is exp.Paren:
        return of_test(node.this, tested)
    if kind is exp.Not:
        inner = of_test(node.this, tested)
        return None if inner is None else _negated(inner)
    if kind in (exp.And, exp.Or):
        left, right = of_test(node.this, tested), of_test(node.expression, tested)
        if left is None or right is None:
            return None
        return f"^(?=.*?(?:{left}))(?=.*?(?:{right}))" if kind is exp.And else f"(?:{left})|(?:{right})"
    if kind is exp.Anonymous:
        return _called(node, tested)
    found = _compared(node, kind) if node.this == tested else None
    return _negated(found) if found is not None and node.args.get("negate") else found


def _compared(node: Any, kind: type) -> str | None:
    if kind is exp.In:
        names = [item.name for item in node.expressions if item.is_string]
        return f"^(?:{'|'.join(map(re.escape, names))})$" if names and len(names) == len(node.expressions) else None
    text = node.args.get("expression")
    if not isinstance(text, exp.Literal) or not text.is_string:
        return None
    made = _TESTS.get(kind)
    return made(text.name) if made is not None else None


def _called(node: Any, tested: Any) -> str | None:
    items = node.expressions
    made = _CALLS.get(node.name.upper())
    if made is None or len(items) != 2 or items[0].name != tested.name or not items[1].is_string:
        return None
    return made(items[1].name)


_CALLS: dict[str, Callable[[str], str]] = {
    "STARTS_WITH": lambda text: f"^{re.escape(text)}",
    "PREFIX": lambda text: f"^{re.escape(text)}",
    "ENDS_WITH": lambda text: f"{re.escape(text)}$",
    "SUFFIX": lambda text: f"{re.escape(text)}$",
    "CONTAINS": re.escape,
    "REGEXP_MATCHES": lambda text: text,
}
_TESTS: dict[type, Callable[[str], str]] = {
    exp.Like: lambda text: like(text, False),
    exp.ILike: lambda text: like(text, True),
    exp.SimilarTo: lambda text: f"^(?:{text})$",
    exp.Glob: lambda text: f"^{fnmatch.translate(text)}",
    exp.RegexpLike: lambda text: text,
    exp.EQ: lambda text: f"^{re.escape(text)}$",
    exp.NEQ: lambda text: f"^(?!{re.escape(text)}$)",
}


def _negated(pattern: str) -> str:
    return f"^(?!.*?(?:{pattern}))"
