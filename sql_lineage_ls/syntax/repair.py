"""What is changed in a token list before sqlglot's parser sees it.

Tokens keep their offsets, so every position in the tree still is a position in the text. Changes are of three kinds:
marks, which keep the parser from reading a name as something else (function names stay the text's own, a field that
is called `list` is no constructor); rewrites of constructs that the parser lacks; and mends of a half-typed text.
Only a mend makes the model partial.
"""

from __future__ import annotations

from msgspec import Struct
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect

T = TokenType

# Ends the text of a token that must not be read as the word it looks like. It is never part of a name.
MARK = "\ue000"

# sqlglot leaves a call as it is written when its closing bracket carries this comment.
_AS_WRITTEN = "sqlglot.anonymous"

# Functions for which the parser has a syntax of its own although their arguments are ordinary ones. Reading them as
# any other call keeps the name that the text has.
_ORDINARY = frozenset(
    {"STRUCT", "ROW", "TUPLE", "MAX_BY", "MIN_BY", "ARG_MAX", "ARG_MIN", "ARGMAX", "ARGMIN", "DECODE", "ARRAYJOIN",
     "MAX", "MIN", "INITCAP", "JSON_ARRAY", "OBJECT_CONSTRUCT_KEEP_NULL", "QUANTILE", "PERCENTILE",
     "PERCENTILE_APPROX", "APPROX_PERCENTILE", "APPROX_QUANTILE", "QUANTILE_CONT", "QUANTILE_DISC", "CHAR", "CHR",
     "COLUMNS", "REGR_AVGX", "REGR_AVGY", "REGR_SXX", "REGR_SXY", "REGR_SYY", "JSON_AGG", "JSONB_EXISTS"}
)
_NESTED_TYPES = frozenset({T.STRUCT, T.MAP, T.ARRAY, T.NESTED, T.LIST, T.NULLABLE, T.LOWCARDINALITY, T.OBJECT})
# What stands before them where they are a type and no constructor.
_TYPE_BEFORE = frozenset({T.ALIAS, T.DCOLON, T.VAR, T.IDENTIFIER, T.LT, T.COLON})

# Keywords that cannot be the name behind a dot when a blank stands between them and the dot.
_CLAUSES = frozenset(
    {T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.LIMIT, T.UNION, T.INTERSECT, T.EXCEPT, T.QUALIFY, T.JOIN,
     T.LEFT, T.RIGHT, T.INNER, T.FULL, T.CROSS, T.ON, T.USING, T.AND, T.OR, T.THEN, T.ELSE, T.END, T.WHEN, T.ALIAS,
     T.IN, T.IS, T.NOT, T.LIKE, T.BETWEEN, T.WINDOW, T.INTO, T.SET, T.VALUES, T.SELECT, T.DESC, T.ASC}
)
_CLOSERS = frozenset(
    {T.COMMA, T.R_PAREN, T.R_BRACKET, T.R_BRACE, T.EQ, T.NEQ, T.LT, T.GT, T.LTE, T.GTE, T.PLUS, T.SLASH, T.DPIPE,
     T.SEMICOLON, T.DOT}
)


class Prepared(Struct):
    """The tokens to parse, and what was changed.

    `positions` maps the offset of the last token of a FROM entry to the name that its `WITH OFFSET` gives.
    """

    text: str
    dialect: Dialect
    tokens: list[Token]
    issues: list[q.SyntaxIssue]
    partial: bool = False
    positions: dict[int, q.Name] = {}


def prepare(text: str, tokens: list[Token], dialect: Dialect) -> Prepared:
    """Marks and rewrites `tokens`; the list given is not used afterwards."""
    prepared = Prepared(text, dialect, tokens, [], False, {})
    _mark(tokens)
    _mend_dots(prepared)
    if dialect.array_path_in_from:
        upper = text.upper()
        if "OFFSET" in upper:
            _take_offsets(prepared)
    return prepared


def _mark(tokens: list[Token]) -> None:
    """Makes every call keep its own name, and record constructors no types.

    sqlglot first tries to read `STRUCT(STRUCT(..))` as a type, which doubles the work per level.
    """
    previous: Token | None = None
    before = None
    in_type: list[bool] = []
    for token in tokens:
        kind = token.token_type
        if kind is T.R_PAREN:
            token.comments = [_AS_WRITTEN]
            if in_type:
                in_type.pop()
        elif kind is T.L_PAREN:
            inside = bool(in_type and in_type[-1])
            if previous is not None and previous.token_type is not T.IDENTIFIER:
                inside = inside or (previous.token_type in _NESTED_TYPES and before in _TYPE_BEFORE)
                if not inside and previous.text.upper() in _ORDINARY:
                    previous.text += MARK
                    previous.token_type = T.VAR
            in_type.append(inside)
        elif kind is T.L_BRACKET and previous is not None and previous.text.upper() in ("LIST", "ARRAY"):
            if before is T.DOT:
                previous.text += MARK
                if previous.token_type is not T.IDENTIFIER:
                    previous.token_type = T.VAR
        before = previous.token_type if previous is not None else None
        previous = token


def _mend_dots(prepared: Prepared) -> None:
    """Puts an empty name behind a dot that none follows: `SELECT o. FROM orders AS o`."""
    tokens = prepared.tokens
    places: list[int] = []
    last = len(tokens) - 1
    for index, token in enumerate(tokens):
        if token.token_type is not T.DOT:
            continue
        if index == last:
            places.append(index + 1)
            continue
        following = tokens[index + 1]
        kind = following.token_type
        if kind in _CLOSERS or (kind in _CLAUSES and following.start > token.end + 1):
            places.append(index + 1)
    for place in reversed(places):
        dot = tokens[place - 1]
        end = dot.end + 1
        tokens.insert(place, Token(T.VAR, MARK, dot.line, dot.col, end, end - 1))
        prepared.issues.append(q.SyntaxIssue("A name is missing behind this dot.", dot.start, end))
    prepared.partial = prepared.partial or bool(places)


def _take_offsets(prepared: Prepared) -> None:
    """Takes `WITH OFFSET [AS name]` away from `FROM t, t.items AS i WITH OFFSET AS o`, and notes it.

    The parser knows it behind UNNEST(..) only.
    """
    tokens = prepared.tokens
    kept: list[Token] = []
    index, count = 0, len(tokens)
    while index < count:
        token = tokens[index]
        if token.token_type is T.WITH and index + 1 < count and tokens[index + 1].text.upper() == "OFFSET":
            if kept and _ends_path(kept):
                stop = index + 2
                word = tokens[index + 1]
                name = q.Name("offset", -1, -1)
                if stop + 1 < count and tokens[stop].token_type is T.ALIAS:
                    word = tokens[stop + 1]
                    name = q.Name(word.text, word.start, word.end + 1, word.token_type is T.IDENTIFIER)
                    stop += 2
                elif stop < count and tokens[stop].token_type in (T.VAR, T.IDENTIFIER):
                    word = tokens[stop]
                    name = q.Name(word.text, word.start, word.end + 1, word.token_type is T.IDENTIFIER)
                    stop += 1
                prepared.positions[kept[-1].start] = name
                index = stop
                continue
        kept.append(token)
        index += 1
    prepared.tokens[:] = kept


def _ends_path(tokens: list[Token]) -> bool:
    """Whether the tokens end with a path in FROM and not with UNNEST(..)."""
    index = len(tokens) - 1
    if tokens[index].token_type is T.R_PAREN:
        return False
    before = tokens[index - 1].token_type if index else None
    if before is T.ALIAS:
        return index < 2 or tokens[index - 2].token_type is not T.R_PAREN
    return before is not T.R_PAREN
