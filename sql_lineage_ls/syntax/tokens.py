"""Tokens of one statement, by sqlglot's tokenizers."""

from __future__ import annotations

from functools import lru_cache

from sqlglot.dialects.dialect import Dialect as Grammar
from sqlglot.tokens import Token

from sql_lineage_ls.syntax.dialects import Dialect


@lru_cache(maxsize=None)
def grammar(name: str) -> Grammar:
    """The sqlglot grammar called `name`; '' is the generic one. Made once, since making one is slow."""
    return Grammar.get_or_raise(name or None)


def tokenize(text: str, dialect: Dialect) -> list[Token]:
    """The tokens of `text`; `start` and `end` are code points, `end` is **inclusive** as sqlglot has it.

    Raises `sqlglot.errors.TokenError` for an unterminated quote or comment.
    """
    return list(grammar(dialect.grammar).tokenize(text))
