"""What is changed in a token list before sqlglot's parser sees it.

Tokens keep their offsets, so every position in the tree still is a position in the text. Changes are of three kinds:
marks (here), which keep the parser from reading a name as something else; rewrites of constructs that the parser
lacks (`syntax.rewrites`); and mends of a half-typed text (`syntax.mends`). Only a mend makes the model partial.
"""

from __future__ import annotations

from msgspec import Struct
from sqlglot.parser import Parser
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect

T = TokenType

# At the end of a token's text: this is not the word that it looks like. Inside it: here is a dot of the text, which
# the parser must not see. It is never part of a name.
MARK = "\ue000"

# sqlglot leaves a call as it is written when its closing bracket carries this comment.
_AS_WRITTEN = "sqlglot.anonymous"

# Functions for which the parser has a syntax of its own although their arguments are ordinary ones. Reading them as
# any other call keeps the name that the text has.
_ORDINARY = frozenset(
    {"STRUCT", "ROW", "TUPLE", "MAX_BY", "MIN_BY", "ARG_MAX", "ARG_MIN", "ARGMAX", "ARGMIN", "DECODE", "ARRAYJOIN",
     "MAX", "MIN", "INITCAP", "OBJECT_CONSTRUCT_KEEP_NULL", "PERCENTILE", "STRING_AGG",
     "PERCENTILE_APPROX", "APPROX_PERCENTILE", "APPROX_QUANTILE", "QUANTILE_CONT", "QUANTILE_DISC", "REGR_AVGX",
     "REGR_AVGY", "REGR_SXX", "REGR_SXY", "REGR_SYY", "JSON_AGG", "JSONB_EXISTS"}
)  # fmt: skip
_NESTED_TYPES = frozenset({T.STRUCT, T.MAP, T.ARRAY, T.NESTED, T.LIST, T.NULLABLE, T.LOWCARDINALITY, T.OBJECT})
# What stands before them where they are a type and no constructor.
_TYPE_BEFORE = frozenset({T.ALIAS, T.DCOLON, T.VAR, T.IDENTIFIER, T.LT, T.COLON})
_TYPES = frozenset(Parser.TYPE_TOKENS) - {T.INTERVAL}
# The parser reads `list[..]` and `array[..]` as array constructors, behind a dot too.
_ARRAY_WORDS = frozenset({"LIST", "ARRAY"})

_L_PAREN, _R_PAREN, _DOT, _IDENTIFIER = T.L_PAREN, T.R_PAREN, T.DOT, T.IDENTIFIER
_BRACKETS = frozenset({T.L_PAREN, T.R_PAREN, T.L_BRACKET})


class Prepared(Struct):
    """The tokens to parse, and what was changed.

    `positions` maps the offset of the last token of a FROM entry to the name that its `WITH OFFSET` gives; `marks` the
    offset of a CTE's name to the columns that SEARCH and CYCLE add to it.
    """

    text: str
    dialect: Dialect
    tokens: list[Token]
    issues: list[q.SyntaxIssue]
    partial: bool = False
    positions: dict[int, q.Name] = {}
    marks: dict[int, tuple[q.RecursionMark, ...]] = {}


class _Frame(Struct):
    """Open brackets: whether they hold the parts of a type, and whether a type's word stands before them or further
    out (`DATE(f(DATE(`)."""

    in_type: bool = False
    in_type_call: bool = False


def mark(tokens: list[Token]) -> None:
    """Makes every call keep its own name, and calls no types.

    sqlglot first tries to read `STRUCT(STRUCT(..))` or `DATE(DATE(..))` as a type, which doubles the work per level.
    """
    frames: list[_Frame] = []
    top = _Frame()
    calls: list[Token | None] = []
    closed: Token | None = None
    for index in [i for i, token in enumerate(tokens) if token.token_type in _BRACKETS]:
        token = tokens[index]
        kind = token.token_type
        if kind is _R_PAREN:
            token.comments = [_AS_WRITTEN]
            if frames:
                frames.pop()
                closed = calls.pop()
            continue
        word = tokens[index - 1] if index else None
        before = tokens[index - 2].token_type if index > 1 else None
        if kind is _L_PAREN:
            frames.append(_mark_call(word, before, frames[-1] if frames else top))
            calls.append(word)
            continue
        if word is not None and word.token_type is _R_PAREN:
            # `list(x)[1]`: the subscript follows a call, not the word.
            word, before = closed, _DOT
        if before is _DOT and word is not None and word.text.upper() in _ARRAY_WORDS:
            word.text += MARK
            if word.token_type is not T.IDENTIFIER:
                word.token_type = T.VAR


def _mark_call(word: Token | None, before: TokenType | None, around: _Frame) -> _Frame:
    """Marks the word before a bracket where it is a call that the parser would take for something else."""
    if word is None or word.token_type is _IDENTIFIER:
        return around
    is_type = word.token_type in _TYPES
    if around.in_type or (word.token_type in _NESTED_TYPES and before in _TYPE_BEFORE):
        return _IN_TYPE
    if word.text.upper() in _ORDINARY or (is_type and around.in_type_call and before not in _TYPE_BEFORE):
        word.text += MARK
        word.token_type = T.VAR
        return around
    return _TYPE_CALL if is_type else around


_IN_TYPE = _Frame(in_type=True)
_TYPE_CALL = _Frame(in_type_call=True)
