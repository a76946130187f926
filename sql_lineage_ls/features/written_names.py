"""How a name has to be written in SQL."""

from __future__ import annotations

import re

from sql_lineage_ls.lineage.probe import Candidate, Source
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.keywords import reserved

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*\Z")


def is_plain(name: str, dialect: Dialect) -> bool:
    """Whether a name needs no quotes: `order date` and `order` do."""
    return _PLAIN.match(name) is not None and name.upper() not in reserved(dialect.grammar)


def written(candidate: Candidate, dialect: Dialect) -> str:
    """The name of a candidate: in quotes where it is no plain word, or where folding would make another of it.

    `order date` is `"order date"` in Postgres, and so is `Qty`, which would be `qty` without quotes.
    """
    name = candidate.name
    if name[:1] == dialect.quote:
        return name
    if is_plain(name, dialect) and (not candidate.key or dialect.column_key(name) == candidate.key):
        return name
    closing = dialect.quote
    return dialect.quote + name.replace(closing, closing * 2) + closing


def qualifier(source: Source, dialect: Dialect) -> str:
    """What stands before the columns of a source: `o`; in Postgres `"O"` where its name was given in quotes."""
    name = source.name if source.name[-1:] in ('"', "`", "]") else source.name.rpartition(".")[2]
    if is_plain(name, dialect) and source.key not in ("", dialect.column_key(name), dialect.table_key(name)):
        return dialect.quote + name + dialect.quote
    return written(Candidate(name, ""), dialect)
