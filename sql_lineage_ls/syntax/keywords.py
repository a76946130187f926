"""The words of a dialect's grammar, for completion."""

from __future__ import annotations

import re
from functools import cache

from sql_lineage_ls.syntax.tokens import grammar

_WORD = re.compile(r"[A-Z]+(?: [A-Z]+)*")


@cache
def keywords(grammar_name: str) -> tuple[str, ...]:
    """The keywords of a grammar in upper case, sorted: `GROUP BY`, `QUALIFY`, `SELECT` are some of Snowflake's."""
    known = grammar(grammar_name).tokenizer_class.KEYWORDS
    return tuple(sorted(word for word in known if _WORD.fullmatch(word)))


# Reserved in Postgres (its appendix C) and, nearly all of them, elsewhere; what a grammar lists comes on top.
_RESERVED = frozenset({
    "ALL", "ANALYZE", "AND", "ANY", "ARRAY", "AS", "ASC", "BETWEEN", "BOTH", "BY", "CASE", "CAST", "CHECK",
    "COLLATE", "COLUMN", "CONSTRAINT", "CREATE", "CROSS", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP",
    "CURRENT_USER", "DEFAULT", "DELETE", "DESC", "DISTINCT", "DROP", "ELSE", "END", "EXCEPT", "EXISTS", "FALSE",
    "FETCH", "FOR", "FOREIGN", "FROM", "FULL", "GRANT", "GROUP", "HAVING", "IN", "INNER", "INSERT", "INTERSECT",
    "INTO", "IS", "JOIN", "LATERAL", "LEADING", "LEFT", "LIKE", "LIMIT", "NATURAL", "NOT", "NULL", "OFFSET", "ON",
    "OR", "ORDER", "OUTER", "OVER", "PARTITION", "PRIMARY", "QUALIFY", "REFERENCES", "RIGHT", "SELECT", "SET",
    "SOME", "TABLE", "THEN", "TO", "TRAILING", "TRUE", "UNION", "UNIQUE", "UNNEST", "UPDATE", "USER", "USING",
    "VALUES", "WHEN", "WHERE", "WINDOW", "WITH",
})  # fmt: skip


@cache
def reserved(grammar_name: str) -> frozenset[str]:
    """The words, in upper case, that are no names without quotes: `ORDER`. A few more than a database has itself."""
    return _RESERVED | {word.upper() for word in grammar(grammar_name).generator_class.RESERVED_KEYWORDS}
