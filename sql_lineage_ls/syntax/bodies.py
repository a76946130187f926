"""Where the body of a routine stands, and which statements are in it.

`CREATE PROCEDURE p() BEGIN INSERT ..; END` is two statements for all that follows: its head, and the INSERT at its
place in the document. So is every body in SQL, whether it stands bare, between `$$` or in a quoted string, and the SQL
that EXECUTE IMMEDIATE is given as one constant string. Bodies in other languages stay with their head. Never raises.

Sources: BigQuery "Procedural language", Snowflake "Snowflake Scripting blocks", Postgres "CREATE FUNCTION" and "DO",
Redshift "CREATE PROCEDURE", Transact-SQL "CREATE PROCEDURE", Oracle PL/SQL "CREATE PROCEDURE Statement", MySQL "CREATE
PROCEDURE", Databricks "SQL scripting".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.syntax import lexical as lex
from sql_lineage_ls.syntax import statement_heads as heads
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.splitter import StatementSlice, split_body

# Bodies in bodies (EXECUTE IMMEDIATE in a procedure in a string) that are opened.
_DEEPEST = 4
# Languages whose bodies are SQL statements. Any other is opaque.
_SQL = frozenset({"SQL", "PLPGSQL", "PLSQL", "EDBSPL"})
# What a body is written with that is no single query.
_BLOCK = re.compile(r"\s*(?:<<\s*\w+\s*>>\s*|#\w+\s+\w+\s+)*(?:BEGIN|DECLARE|LET|IF|FOR|WHILE|LOOP)\b", re.IGNORECASE)
_CHANGE = re.compile(r"\s*(?:INSERT|UPDATE|DELETE|MERGE|CREATE|TRUNCATE|CALL|DROP|ALTER)\b", re.IGNORECASE)
_QUOTE = re.compile(r"[a-zA-Z]*('''|\"\"\"|'|\")")
_SHORT = re.compile(r"DO\b|EXECUTE\b|EXEC\b", re.IGNORECASE)
_POSSIBLE = re.compile(r"(?:CREATE|ALTER|DO|EXECUTE|EXEC)\b", re.IGNORECASE)
_ESCAPES = re.compile(r"\\([\s\S])")
# With what the body of a MySQL procedure can begin besides BEGIN.
_STATEMENTS = frozenset(
    {"SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "CALL", "SET", "IF", "CASE", "WHILE", "LOOP", "REPEAT",
     "TRUNCATE"}
)  # fmt: skip
# Where AS opens the body of these kinds, without BEGIN (T-SQL; tasks).
_AS_KINDS = frozenset({"PROC", "PROCEDURE", "TRIGGER"})
_AFTER_STRING = frozenset({"INTO", "USING", ",", ")"})


class Part(Struct, frozen=True, gc=False):
    """The code points `start`..`end` of a statement, or of the head of a routine, whose body reaches `reach` further.

    `inner` where it stands in a body. `text` is what it says where that is not what is written: in a quoted string
    each `''` is one quote; it is as long as what is written.
    """

    start: int
    end: int
    inner: bool = False
    reach: int = 0
    text: str | None = None


class _Body(Struct, frozen=True, gc=False):
    """The head ends at `head`, the inside of the body is `start`..`end`; `quote` is what it stands in."""

    head: int
    start: int
    end: int
    quote: str = ""


class _Token(Struct, frozen=True, gc=False):
    """A token of a routine: the word in upper case, '' for a string; `depth` counts the brackets around it."""

    word: str
    start: int
    end: int
    depth: int


def parts(text: str, slices: Iterable[StatementSlice], dialect: Dialect) -> Iterator[Part]:
    """The statements of `slices` with those in the bodies of routines, in order.

    `CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END` gives `CREATE PROCEDURE p()`, `SELECT 1` and `SELECT 2`.
    """
    for one in slices:
        if _POSSIBLE.match(text, one.start):
            yield from _opened(text, one.start, one.end, dialect, 0, 0)
        else:
            yield Part(one.start, one.end)


def _opened(text: str, start: int, end: int, dialect: Dialect, base: int, depth: int) -> Iterator[Part]:
    """The parts of the statement `start`..`end` of `text`, which stands `base` code points into the document."""
    own = text if base else None
    inner = depth > 0
    body = _body(text, start, end, dialect) if depth < _DEEPEST and _POSSIBLE.match(text, start) else None
    if body is None:
        yield Part(base + start, base + end, inner, 0, own[start:end] if own is not None else None)
        return
    head = start + len(text[start : body.head].rstrip())
    said = own[start:head] if own is not None else None
    yield Part(base + start, base + head, inner, end - head, said)
    inside, first, last = text, body.start, body.end
    if body.quote:
        raw = text[first:last]
        plain = _unquoted(raw, body.quote, dialect)
        if plain != raw:
            inside, base, first, last = plain, base + first, 0, len(plain)
    for one in split_body(inside, dialect, first, last):
        yield from _opened(inside, one.start, one.end, dialect, base, depth + 1)


def _body(text: str, start: int, end: int, dialect: Dialect) -> _Body | None:
    """The body of the statement `start`..`end`, None where it has none that is SQL."""
    scanner = lex.scanner(dialect.name)
    short = _SHORT.match(text, start)
    if short:
        return _short_body(text, short.end(), end, short[0].upper(), scanner)
    routine = heads.ROUTINE.match(text, start, end)
    if routine is None or (text[start] in "aA" and not scanner.rules.batches):
        return None
    return _routine_body(text, routine.end(), end, routine[1].upper().split()[0], dialect)


def _short_body(text: str, start: int, end: int, word: str, scanner: lex.Scanner) -> _Body | None:
    """DO $$ .. $$, EXECUTE IMMEDIATE 'constant', EXECUTE 'constant', EXEC ('constant')."""
    tokens = list(_tokens(text, start, end, scanner))
    language = _language(tokens, text)
    if language and language not in _SQL:
        return None
    at = 0
    skipped = ("LANGUAGE", language, "IMMEDIATE", "(", "SP_EXECUTESQL", "N")
    while at < len(tokens) and tokens[at].word and tokens[at].word in skipped:
        at += 1
    if at >= len(tokens) or tokens[at].word:
        return None
    following = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if word != "DO" and at + 1 < len(tokens) and following not in _AFTER_STRING:
        return None
    body = _quoted(text, tokens[at])
    national = at > 0 and tokens[at - 1].word == "N"
    return replace(body, head=tokens[at - 1].start) if body is not None and national else body


def _quoted(text: str, token: _Token) -> _Body | None:
    head = token.start
    opener = _QUOTE.match(text, token.start)
    if opener is not None:
        prefix = opener[0][: -len(opener[1])].upper()
        if prefix.endswith("Q"):
            return _Body(head, opener.end() + 1, token.end - 2)
        if prefix:
            return None
        return _Body(head, opener.end(), token.end - len(opener[1]), opener[1])
    closer = text.index("$", token.start + 1) + 1 - token.start
    return _Body(head, token.start + closer, token.end - closer)


def _routine_body(text: str, start: int, end: int, kind: str, dialect: Dialect) -> _Body | None:
    """The body of CREATE PROCEDURE, FUNCTION, .. behind its kind."""
    scanner = lex.scanner(dialect.name)
    rules = scanner.rules
    seen: list[_Token] = []
    quoted: _Token | None = None
    for token in _tokens(text, start, end, scanner):
        before = seen[-1].word if seen else ""
        if not token.depth and quoted is None:
            if not token.word and before in ("AS", "IS") and _second(seen) not in ("EXECUTE", "EXEC"):
                quoted = token
            elif _begins_body(token, seen, kind, rules) and _language(seen, text) in ("", *_SQL):
                return _Body(token.start, token.start, end)
            elif _opens_body(token, seen, kind, rules, text, end):
                return _Body(token.start, token.end, end)
        seen.append(token)
    if quoted is None or _language(seen, text) not in ("", *_SQL):
        return None
    body = _quoted(text, quoted)
    if body is None or (kind == "FUNCTION" and not _is_procedural(text, body, _language(seen, text), dialect)):
        return None
    return body


def _second(seen: list[_Token]) -> str:
    return seen[-2].word if len(seen) > 1 else ""


def _begins_body(token: _Token, seen: list[_Token], kind: str, rules: lex.Lexical) -> bool:
    """Whether the body begins with `token`: BEGIN, DECLARE, or the one statement of a MySQL procedure."""
    if token.word in ("BEGIN", "DECLARE"):
        return True
    if not rules.delimiter_command or token.word not in _STATEMENTS:
        return False
    before = seen[-1].word if seen else ""
    if kind == "TRIGGER":
        return any(one.word == "EACH" for one in seen[-4:]) and before != "EACH"
    if kind == "EVENT":
        return before == "DO"
    return kind == "PROCEDURE" and any(one.word == ")" for one in seen)


def _opens_body(
    token: _Token, seen: list[_Token], kind: str, rules: lex.Lexical, text: str, end: int
) -> bool:
    """Whether the body begins behind `token`: the AS of a T-SQL procedure or of a task, the IS of an Oracle routine."""
    if token.word not in ("AS", "IS"):
        return False
    following = re.compile(r"\s*(\w*)").match(text, token.end, end)
    after = following[1].upper() if following else ""
    if kind == "TASK":
        return after not in ("BEGIN", "DECLARE", "")
    if rules.declarations:
        return kind not in ("TRIGGER", "RULE", "EVENT") and after not in ("LANGUAGE", "EXTERNAL", "MLE")
    if not rules.batches or kind not in _AS_KINDS:
        return False
    before = seen[-1] if seen else None
    if before is None or before.word in ("EXECUTE", "EXEC"):
        return False
    # `@since AS date` gives a parameter its type.
    return not before.word.startswith("@") and after != "EXTERNAL"


def _language(tokens: list[_Token], text: str) -> str:
    """What LANGUAGE names, in upper case; '' where it does not stand."""
    for at, token in enumerate(tokens[:-1]):
        if token.word == "LANGUAGE":
            named = tokens[at + 1]
            return text[named.start : named.end].strip("'\"").upper()
    return ""


def _is_procedural(text: str, body: _Body, language: str, dialect: Dialect) -> bool:
    """Whether the quoted body of a function is more than the query or expression that the function stands for."""
    if language in ("PLPGSQL", "PLSQL", "EDBSPL") or _BLOCK.match(text, body.start, body.end):
        return True
    if _CHANGE.match(text, body.start, body.end):
        return True
    return len(split_body(text, dialect, body.start, body.end)) > 1


def _tokens(text: str, start: int, end: int, scanner: lex.Scanner) -> Iterator[_Token]:
    """The words, strings and signs of `start`..`end` without comments."""
    depth = 0
    position = start
    while position < end:
        match = scanner.tokens.match(text, position, end)
        if match is None or match.lastindex is None:
            return
        kind = match.lastindex
        first, position = match.span(kind)
        if kind == lex.LINE_COMMENT:
            continue
        if kind == lex.COMMENT:
            closed = text.find("*/", position, end)
            position = closed + 2 if closed >= 0 else end
            continue
        if kind == lex.DELIMITED:
            position = _delimited_end(text, first, position, end)
            if position < 0:
                return
        if kind == lex.CLOSED:
            # A doubled quote reads as two strings side by side.
            while text[position : position + 1] == text[position - 1] and position < end:
                more = scanner.tokens.match(text, position, end)
                if more is None or more.lastindex != lex.CLOSED:
                    break
                position = more.end()
        depth -= kind == lex.CLOSE and depth > 0
        yield _Token(_word(text, kind, first, position, scanner.rules), first, position, depth)
        depth += kind == lex.OPEN


def _word(text: str, kind: int, start: int, end: int, rules: lex.Lexical) -> str:
    """A token's word; '' for a string. A quoted name is no string: it keeps its quotes."""
    names = '`[' if '"' in rules.backslash else '`["'
    if kind == lex.DELIMITED or (kind == lex.CLOSED and text[start] not in names):
        return ""
    word = text[start:end].upper()
    # `@p` is a sign and a word for the scanner.
    return "@" + word if kind == lex.WORD and start and text[start - 1] == "@" else word


def _delimited_end(text: str, start: int, opened: int, end: int) -> int:
    """The end of `$tag$ .. $tag$` or `q'[ .. ]'`, -1 where it is not closed."""
    opener = text[start:opened]
    if opener[-1] == "'":
        sign = text[opened]
        closer = {"[": "]", "(": ")", "{": "}", "<": ">"}.get(sign, sign) + "'"
        opened += 1
    else:
        closer = opener
    closed = text.find(closer, opened, end)
    return closed + len(closer) if closed >= 0 else -1


def _unquoted(raw: str, quote: str, dialect: Dialect) -> str:
    """What the string `raw` says, as long as it is: a quote that is written as two, or with a backslash, is one.

    `SELECT ''a''` is `SELECT  'a' `: the blank stands outside of the inner string.
    """
    rules = lex.scanner(dialect.name).rules
    sign = quote[0]
    if sign in rules.backslash and "\\" in raw:
        raw = _ESCAPES.sub(lambda m: "  " if m[1] in "nrt" else " " + m[1], raw)
    if len(quote) > 1 or sign * 2 not in raw:
        return raw
    pieces: list[str] = []
    position, inside = 0, False
    doubled = sign * 2
    while (at := raw.find(doubled, position)) >= 0:
        pieces += [raw[position:at], sign + " " if inside else " " + sign]
        inside = not inside
        position = at + 2
    pieces.append(raw[position:])
    return "".join(pieces)
