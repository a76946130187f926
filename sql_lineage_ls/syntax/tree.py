"""Tokens to sqlglot's tree: caps, rewrites, one pass of the parser, and what is tried when that fails."""

from __future__ import annotations

import logging
import threading

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError
from sqlglot.parser import Parser
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.mends import add_query, mend, mend_names
from sql_lineage_ls.syntax.repair import Prepared
from sql_lineage_ls.syntax.rewrites import rewrite
from sql_lineage_ls.syntax.tokens import grammar

# Nested brackets that are parsed. sqlglot's compiled parser needs stack for each level and dies without it.
MAX_DEPTH = 150
# Tokens of one statement that are parsed, some ten megabytes of text.
MAX_TOKENS = 2_000_000

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
# Operators before a value: each one in a row is a level of the parser's recursion.
_PREFIX = frozenset(
    {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE, TokenType.RLIKE, TokenType.INTERVAL}
)
# Tokens that are left out, one after the other, where the parser stops at them in a damaged statement.
_DELETIONS = 3
_SUBSCRIPTS = frozenset({TokenType.L_BRACKET, TokenType.R_BRACKET})
_DEEPER = _OPEN | _CLOSE | _PREFIX

# sqlglot deep-copies every joined source of these to make `FROM t, t.items` an UNNEST. Our binder does that itself,
# and the parser is faster without. The flag is a class attribute: it is off only while we hold the lock.
_IMPLICIT_UNNEST = frozenset({"BigQueryParser", "RedshiftParser"})
_lock = threading.Lock()

# The parser logs what it falls back from; our issues say it. A handler keeps that off the standard error stream.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())


def too_large(tokens: list[Token]) -> q.SyntaxIssue | None:
    """Why these tokens are not given to the parser, if there is a reason."""
    if len(tokens) > MAX_TOKENS:
        return q.SyntaxIssue("The statement is too large to be read.", tokens[0].start, tokens[0].end + 1)
    depth = run = 0
    last = -1
    deeper = [i for i, token in enumerate(tokens) if token.token_type in _DEEPER]
    for index in deeper:
        token = tokens[index]
        kind = token.token_type
        if kind in _OPEN:
            depth += 1
            if depth > MAX_DEPTH:
                message = f"The statement is nested deeper than {MAX_DEPTH} levels."
                return q.SyntaxIssue(message, token.start, token.end + 1)
        elif kind in _CLOSE:
            depth -= 1
        else:
            run = run + 1 if index == last + 1 else 1
            last = index
            if run > MAX_DEPTH:
                return q.SyntaxIssue("Too many operators stand in a row.", token.start, token.end + 1)
    return _long_chain(tokens, deeper) or _long_name(tokens)


def _long_name(tokens: list[Token]) -> q.SyntaxIssue | None:
    """A name of far too many parts, `a.b.c..`: each of them has all those before it in its path.

    Looks at one token of so many only, which none so long can escape.
    """
    for start in range(0, len(tokens) - 2 * MAX_DEPTH, MAX_DEPTH):
        at = start if tokens[start].token_type is TokenType.DOT else start + 1
        end = at
        while end < len(tokens) and tokens[end].token_type is TokenType.DOT:
            if end - at > 2 * MAX_DEPTH:
                return q.SyntaxIssue("Too many parts of a name stand in a row.", tokens[at].start, tokens[at].end + 1)
            end += 2
    return None


def _long_chain(tokens: list[Token], deeper: list[int]) -> q.SyntaxIssue | None:
    """A value with too many subscripts, `a[0].b[0].c[0]..`: the parser's work grows with their square."""
    brackets = [i for i in deeper if tokens[i].token_type in _SUBSCRIPTS]
    if len(brackets) <= 2 * MAX_DEPTH:
        return None
    lengths: dict[int, int] = {}
    open_: list[int] = []
    for index in brackets:
        if tokens[index].token_type is TokenType.L_BRACKET:
            dotted = index > 2 and tokens[index - 2].token_type is TokenType.DOT
            length = lengths.get(index - 3 if dotted else index - 1, 0) + 1
            if length > MAX_DEPTH:
                token = tokens[index]
                return q.SyntaxIssue("Too many subscripts stand in a row.", token.start, token.end + 1)
            open_.append(length)
        elif open_:
            lengths[index] = open_.pop()
    return None


def build_tree(text: str, tokens: list[Token], dialect: Dialect) -> tuple[Prepared, exp.Expr | None]:
    """The tree of one statement, and the tokens as they were parsed with the issues found.

    `tokens` is changed. With errors the tree is one of the mended text, or the part that could be read.
    """
    prepared = Prepared(text, dialect, tokens, [], False, {}, {})
    mend_names(prepared)
    rewrite(prepared)
    tree, error = _run(prepared, ErrorLevel.IMMEDIATE)
    if error is None:
        return prepared, tree
    prepared.issues.append(_unexpected(prepared, error))
    prepared.partial = True
    mend(prepared)
    tree, error = _run(prepared, ErrorLevel.IMMEDIATE)
    if error is not None and add_query(prepared):
        tree, error = _run(prepared, ErrorLevel.IMMEDIATE)
    for _ in range(_DELETIONS):
        if error is None or not 0 < error.index < len(prepared.tokens):
            break
        del prepared.tokens[error.index]
        tree, error = _run(prepared, ErrorLevel.IMMEDIATE)
    if error is not None:
        tree, _ = _run(prepared, ErrorLevel.IGNORE)
    return prepared, tree


class _Failure(Exception):
    """Where the parser gave up: an index into the tokens, their number for the end of the statement."""

    def __init__(self, index: int, deep: bool) -> None:
        super().__init__(index)
        self.index = index
        self.deep = deep


def _run(prepared: Prepared, level: ErrorLevel) -> tuple[exp.Expr | None, _Failure | None]:
    """One pass of sqlglot's parser over the tokens. Damaged text can raise anything in it."""
    parser = grammar(prepared.dialect.grammar).parser(error_level=level)
    kind = type(parser)
    implicit = kind.__name__ in _IMPLICIT_UNNEST
    try:
        with _lock:
            if implicit:
                kind.SUPPORTS_IMPLICIT_UNNEST = False
            try:
                trees = parser.parse(prepared.tokens, prepared.text)
            finally:
                if implicit:
                    kind.SUPPORTS_IMPLICIT_UNNEST = True
    except Exception as error:
        return None, _Failure(_place(prepared, parser, error), isinstance(error, RecursionError))
    found = [tree for tree in trees if tree is not None]
    if len(found) > 1 and not prepared.partial:
        last = prepared.tokens[-1]
        message = "Only the first of several statements is read here."
        prepared.issues.append(q.SyntaxIssue(message, last.start, last.end + 1))
        prepared.partial = True
    return (found[0] if found else None), None


def _place(prepared: Prepared, parser: Parser, error: Exception) -> int:
    """Index of the token at which the parser gave up."""
    tokens = prepared.tokens
    if parser._index >= len(tokens):
        return len(tokens)
    details = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    line, col = details.get("line"), details.get("col")
    for index, token in enumerate(tokens):
        if token.line == line and token.col == col:
            return index
    return max(parser._index, 0)


def _unexpected(prepared: Prepared, failure: _Failure) -> q.SyntaxIssue:
    """One sentence about the token at which the parser gave up."""
    tokens = prepared.tokens
    end = tokens[-1].end + 1
    if failure.deep:
        return q.SyntaxIssue("The statement is nested too deeply to be read.", tokens[0].start, end)
    if failure.index >= len(tokens):
        return q.SyntaxIssue("The statement ends too early.", max(tokens[-1].start, 0), end)
    token = tokens[failure.index]
    text = prepared.text[token.start : token.end + 1]
    shown = text if len(text) <= 30 else text[:27] + "..."
    return q.SyntaxIssue(f"`{shown}` is not expected here.", token.start, token.end + 1)
