"""What an engine does and we do not follow, and runs on tagged data that may show less than all sources."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.oracle.trees import Tree, tags

# What picks a row or a letter, or keeps rows that show only one side: such a run need not show every source.
_PICKS = re.compile(
    r"ANY_VALUE|MAX|FIRST|LAST|LAG|LIMIT|QUALIFY|ARG_|LIST_EXTRACT|ARRAY_EXTRACT|\[1\]"
    r"|(LEFT|RIGHT) JOIN \S+( AS \w+)? USING|NONE#|VALUES|\(\*COLUMNS|NATURAL|INTERSECT|EXCEPT"
    r"|MIN\(|LIST_DISTINCT|\[1:2\]|ANTI JOIN|POSITIONAL JOIN|BY NAME[\s\S]*WHERE"
)
# The same for engines that fold arrays and show a part of them.
_PICKS_MORE = re.compile(
    rf"{_PICKS.pattern}|DISTINCT|ANY\(|ARRAY_AGG|COLLECT_|GROUP|\[0\]|_AT\(|GET\(|COALESCE|IFNULL|NVL|PIVOT|\bUSING\b|"
    r"RECURSIVE"
)


def shows_all(text: str, columns: Sequence[tuple[str, Tree]]) -> bool:
    """A resolved tree loses nothing."""
    return False


def picks(text: str, columns: Sequence[tuple[str, Tree]]) -> bool:
    """Whether a run in DuckDB may show less than all sources."""
    return (
        bool(_PICKS.search(text.upper())) or ("USING" in text and "UNNEST" in text)
        or all(tree is None for _, tree in columns)
    )


def picks_more(text: str, columns: Sequence[tuple[str, Tree]]) -> bool:
    """Whether a run in PostgreSQL, Spark or ClickHouse may show less than all sources."""
    return (
        bool(_PICKS_MORE.search(text.upper())) or any(tree is None for _, tree in columns)
        or not any(tags(tree) for _, tree in columns)
    )


def duckdb(text: str, found: list[str]) -> bool:
    """`* REPLACE` drops the second of two columns of one name, and repeated names are numbered in another order beside
    USING.
    """
    return all(line.startswith("columns") for line in found) and ("REPLACE" in text or "USING" in text)


def postgres(text: str, found: list[str]) -> bool:
    """A row with two fields of one name has the first."""
    return all(line.startswith("ambiguous-field") for line in found)


def none(text: str, found: list[str]) -> bool:
    """Nothing that we do not follow is known."""
    return False


def clickhouse(text: str, found: list[str]) -> bool:
    """One name for two things (an element of ARRAY JOIN, a source, an alias, a column) means now this and now that, by
    an order of its own.
    """
    return _twice_named(text) or ("ARRAY JOIN" in text and all(line.startswith("columns") for line in found))


def _twice_named(text: str) -> bool:
    """Whether an alias inside of a query's expressions or of ARRAY JOIN is used for something else too."""
    words = re.findall(r"\w+", text)
    given = set(re.findall(r"ARRAY JOIN \S+(?:, 1\))?\S* AS (\w+)|\([^\s]+ AS (\w+)\)", text))
    names = {name for pair in given for name in pair if name}
    bare = {match.split(".")[-1] for match in re.findall(r"ARRAY JOIN ([\w.]+)", text)}
    sources = set(re.findall(r"(?:FROM|JOIN|,) (\w+)|\) AS (\w+)|(\w+) AS \(", text))
    taken = {name for group in sources for name in group if name}
    repeated = {name for name in names | bare if len(re.findall(rf"AS {name}\b", text)) > 1}
    return bool(repeated or (names | bare) & taken or ("APPLY" in words and "ARRAY" in words))
