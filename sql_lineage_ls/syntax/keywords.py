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
