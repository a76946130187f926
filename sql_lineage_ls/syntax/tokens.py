"""Tokens of one statement, by sqlglot's tokenizers."""

from __future__ import annotations

from functools import cache

from sqlglot.dialects.dialect import Dialect as Grammar
from sqlglot.errors import TokenError
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.dialects import Dialect

_QUOTES = frozenset("'\"$")


@cache
def grammar(name: str) -> Grammar:
    """The sqlglot grammar called `name`; '' is the generic one. Made once, since making one is slow."""
    return Grammar.get_or_raise(name or None)


def head_word(tokens: list[Token]) -> str:
    """The statement's first word in upper case: `MERGE`; `BEGIN` of the token BEGIN TRANSACTION.

    Athena's tokenizer marks a Hive statement with an empty token, which is passed over.
    """
    text = next((token.text for token in tokens if token.text), "")
    return text.upper().split(maxsplit=1)[0] if text.strip() else ""


def tokenize(text: str, dialect: Dialect) -> list[Token]:
    """The tokens of `text`; `start` and `end` are code points, `end` is **inclusive** as sqlglot has it.

    Raises `sqlglot.errors.TokenError` for an unterminated quote or comment.
    """
    tokens = list(grammar(dialect.grammar).tokenize(text))
    if len(tokens) == 2 and tokens[1].token_type is TokenType.STRING:
        # The tokenizer leaves what follows some words (RENAME, REPLACE, UNLOAD, ..) in one piece.
        end = tokens[0].end + 1
        if text[end:].lstrip()[:1] in _QUOTES:
            return tokens
        try:
            return [tokens[0], *grammar(dialect.grammar).tokenize(" " * end + text[end:])]
        except TokenError:
            return tokens
    return tokens
