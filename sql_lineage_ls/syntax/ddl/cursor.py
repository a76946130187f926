"""The words of a DDL statement and a cursor over them.

A `Word` is a token with its kind told apart (keyword or name, quoted name, string, number, mark). Tokens that the
tokenizer joins (`PARTITIONED BY`, `DOUBLE PRECISION`) are split again, so that a reader sees one word at a time.
Positions are code points relative to the text, half open.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec import Struct
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.query_model import SyntaxIssue
from sql_lineage_ls.syntax.tokens import tokenize

MAX_DEPTH = 150
"""How deep types may nest. Deeper ones are reported and read as unknown: recursion must stay bounded."""

_STRINGS = frozenset(
    {
        TokenType.STRING,
        TokenType.BIT_STRING,
        TokenType.HEX_STRING,
        TokenType.BYTE_STRING,
        TokenType.NATIONAL_STRING,
        TokenType.NATIONAL_RAW_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.UNICODE_STRING,
    }
)
# First words behind which the tokenizer takes all the rest for one string.
_COMMANDS = frozenset({TokenType.RENAME, TokenType.COMMAND})
_PIECES = re.compile(r"\S+")
# Marks without a blank behind them, and without one before them, in the normal spelling of a type.
_GLUED_BEFORE = frozenset({"", "(", "<", "[", ".", "%", "@"})
_GLUED = frozenset({",", ")", ">", "[", "]", ".", "(", "<", ":", "%"})
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = frozenset(_OPENERS.values())


def keywords(words: str) -> frozenset[str]:
    """The set of the words in `words`: `keywords("ADD DROP")`."""
    return frozenset(words.split())


class DdlError(Exception):
    """A part that cannot be read; the reader around it turns it into a `SyntaxIssue`."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.issue = SyntaxIssue(message, start, end)


class Word(Struct, frozen=True, gc=False):
    """One word. `kind` is `word`, `quoted`, `string`, `number` or `mark`; `index` that of its token."""

    kind: str
    text: str
    upper: str
    start: int
    end: int
    index: int


# The kinds that a token's type tells; all others are told by the first character.
_KINDS = {TokenType.IDENTIFIER: "quoted", TokenType.NUMBER: "number", **dict.fromkeys(_STRINGS, "string")}


def _words_of(text: str, tokens: list[Token]) -> list[Word]:
    """The words of all tokens, in one loop: a view has its whole query behind its name."""
    words: list[Word] = []
    add = words.append
    for index, token in enumerate(tokens):
        token_type = token.token_type
        start, end = token.start, token.end + 1
        kind = _KINDS.get(token_type)
        raw = text[start:end]
        if kind is not None:
            add(Word(kind, token.text, "", start, end, index))
        elif not raw or token_type is TokenType.HIVE_TOKEN_STREAM:
            continue
        elif raw.isidentifier():
            add(Word("word", raw, raw.upper(), start, end, index))
        elif raw[0].isalpha() or raw[0] == "_" or token_type is TokenType.VAR:
            words += _pieces(raw, start, end, index)
        elif len(raw) > 1 and set(raw) <= {"<", ">"}:
            words += [Word("mark", mark, mark, start + i, start + i + 1, index) for i, mark in enumerate(raw)]
        else:
            add(Word("mark", raw, raw, start, end, index))
    return words


def _pieces(raw: str, start: int, end: int, index: int) -> list[Word]:
    """The words of a token that may hold several: `GROUP BY` is one token."""
    if len(raw.split(None, 1)) == 1:
        return [Word("word", raw, raw.upper(), start, end, index)]
    return [
        Word("word", piece.group(), piece.group().upper(), start + piece.start(), start + piece.end(), index)
        for piece in _PIECES.finditer(raw)
    ]


def _words(text: str, tokens: list[Token], dialect: Dialect) -> list[Word]:
    words = _words_of(text, tokens)
    if not tokens or tokens[0].token_type not in _COMMANDS:
        return words
    begin = tokens[0].end + 1
    try:
        rest = tokenize(text[begin:], dialect)
    except TokenError:
        return words[:1]
    shifted = _words_of(text[begin:], rest)
    return words[:1] + [
        Word(word.kind, word.text, word.upper, word.start + begin, word.end + begin, 1) for word in shifted
    ]


class Cursor:
    """A position in the words of one statement, and the issues found so far."""

    def __init__(self, text: str, tokens: list[Token], dialect: Dialect) -> None:
        self.text = text
        self.tokens = tokens
        self.dialect = dialect
        self.words = _words(text, tokens, dialect)
        while self.words and self.words[-1].kind == "mark" and self.words[-1].text in (";", "/"):
            self.words.pop()
        self.count = len(self.words)
        self.uppers = [word.upper for word in self.words]
        self.position = 0
        self.issues: list[SyntaxIssue] = []
        self.partial = False

    @property
    def done(self) -> bool:
        return self.position >= self.count

    def peek(self, ahead: int = 0) -> Word | None:
        """The word `ahead` of the cursor, None past the end."""
        at = self.position + ahead
        return self.words[at] if 0 <= at < self.count else None

    def upper(self, ahead: int = 0) -> str:
        """That word in upper case; '' for names in quotes, strings, numbers and past the end."""
        at = self.position + ahead
        return self.uppers[at] if 0 <= at < self.count else ""

    def advance(self, by: int = 1) -> None:
        self.position = min(self.position + by, self.count)

    def at(self, keyword: str, *more: str) -> bool:
        """True where the words ahead are exactly these keywords."""
        if self.position >= self.count or self.uppers[self.position] != keyword:
            return False
        return not more or all(self.upper(ahead) == word for ahead, word in enumerate(more, 1))

    def accept(self, keyword: str, *more: str) -> bool:
        """Step over these keywords if they are ahead."""
        if not self.at(keyword, *more):
            return False
        self.position += 1 + len(more)
        return True

    def accept_any(self, keywords: Collection[str]) -> str:
        """Step over one word of `keywords`; '' if none is ahead."""
        word = self.upper()
        if word and word in keywords:
            self.position += 1
            return word
        return ""

    def skip_group(self) -> None:
        """Step over the bracket ahead with all that is in it. An unclosed one ends with the statement."""
        depth = 0
        while not self.done:
            mark = self.uppers[self.position]
            self.position += 1
            if mark in _OPENERS:
                depth += 1
            elif mark in _CLOSERS:
                depth -= 1
                if depth <= 0:
                    return

    def skip_to(self, *stops: str) -> None:
        """Step on to the next of `stops` outside brackets, or to a closing bracket that was not opened here."""
        while not self.done:
            mark = self.uppers[self.position]
            if mark in stops or mark in _CLOSERS:
                return
            if mark in _OPENERS:
                self.skip_group()
            else:
                self.position += 1

    def end_offset(self) -> int:
        """Where the last word that was read ends."""
        return self.words[self.position - 1].end if self.position else 0

    def spelling(self, first: int, last: int) -> str:
        """The words `first` to `last` (exclusive) in one spelling, without comments: `STRUCT<a INT64, b DATE>`."""
        text = ""
        before = ""
        for word in self.words[first:last]:
            raw = self.text[word.start : word.end]
            glued = before in _GLUED_BEFORE or raw in _GLUED
            text += raw if glued else " " + raw
            before = raw
        return text

    def report(self, message: str, start: int, end: int) -> None:
        """Note an issue: what was read so far stands, but is not all."""
        self.issues.append(SyntaxIssue(message, start, end))
        self.partial = True
