"""Tokens of one statement, by sqlglot's tokenizers."""

from __future__ import annotations

import re
from functools import cache

from sqlglot.dialects.dialect import Dialect as Grammar
from sqlglot.errors import TokenError
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.dialects import Dialect

_QUOTES = frozenset("'\"$")
# `GROUP BY` is one token, unless a comment stands in it.
_SECOND_WORDS = frozenset({"BY", "by", "By"})
# Each comment can be read in one way only: a text that does not fit must not be tried in many.
_ONE_COMMENT = r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|--[^\r\n]*(?=[\r\n]|\Z)"
_COMMENT = re.compile(_ONE_COMMENT)
_SPLIT_KEYWORD = re.compile(
    rf"\b(?:GROUP|ORDER|PARTITION|CLUSTER|SORT|DISTRIBUTE|CONNECT)\b(?:\s|{_ONE_COMMENT})+(?=BY\b)", re.IGNORECASE
)
_NOT_A_LINE_END = re.compile(r"[^\r\n]")


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
    if ("--" in text or "/*" in text) and any(token.text in _SECOND_WORDS for token in tokens):
        tokens = list(grammar(dialect.grammar).tokenize(_SPLIT_KEYWORD.sub(_without_comment, text)))
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


def _without_comment(keyword: re.Match[str]) -> str:
    """`GROUP /* by what */ BY` with blanks for the comment, so that it is the keyword that it is."""
    return _COMMENT.sub(lambda comment: _NOT_A_LINE_END.sub(" ", comment[0]), keyword[0])
