"""A statement's text to its model. The only entry to parsing for the rest of the program; it never raises.

Tokens are checked for size and depth, marked and rewritten (`syntax.repair`), parsed by sqlglot, and lowered
(`syntax.lower`). What sqlglot cannot read is tried again with mends; what then remains is a partial tree whose names
may be looked at. Messages are our own: one sentence, and the span of the token that was not expected.
"""

from __future__ import annotations

import threading
from typing import Any

from sqlglot import exp
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.lower import lower_query, lower_statement
from sql_lineage_ls.syntax.repair import Prepared, prepare
from sql_lineage_ls.syntax.tokens import grammar, tokenize

# Nested brackets that are parsed. sqlglot's compiled parser needs stack for each level and dies without it.
MAX_DEPTH = 150
# Tokens of one statement that are parsed, some ten megabytes of text.
MAX_TOKENS = 2_000_000

_OPEN = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSE = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
# Operators before a value: each one in a row is a level of the parser's recursion.
_PREFIX = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE})

# Read by our own reader of DDL, which needs no parser.
_DDL_WORDS = frozenset({"CREATE", "ALTER", "DROP", "USE", "RENAME", "EXCHANGE", "REPLACE", "COMMENT", "SET", "UNDROP"})

# First words of statements that move no data between columns.
_NO_DATA = frozenset(
    """
    ABORT ALTER ANALYZE ASSERT ATTACH AUDIT BEGIN BREAK CACHE CALL CHECKPOINT CLOSE CLUSTER COMMENT COMMIT CONTINUE
    DEALLOCATE DECLARE DELIMITER DENY DESC DESCRIBE DETACH DISCARD DO DROP END EXEC EXECUTE EXISTS EXPLAIN FETCH FLUSH GET
    GO GOTO GRANT HELP IF IMPORT INSTALL ITERATE KILL LEAVE LIST LISTEN LOAD LOCK LOOP LS MSCK NOTIFY OPEN OPTIMIZE
    PAUSE PRAGMA PREPARE PRINT PURGE PUT RAISE RAISERROR REASSIGN RECOVER REFRESH REINDEX RELEASE REMOVE REPAIR REPEAT
    RESET RESIGNAL RESUME RETURN REVOKE RM ROLLBACK SAVE SAVEPOINT SECURITY SET SHOW SIGNAL START STOP SUMMARIZE
    SUSPEND SYSTEM THROW TRAN TRANSACTION UNCACHE UNDROP UNLISTEN UNLOCK UNSET USE VACUUM WAITFOR WHILE XA
    """.split()
)

_lock = threading.Lock()


def parse_statement(text: str, dialect: Dialect) -> q.StatementModel:
    """The model of one statement, without its terminator.

    `SELECT o.id FROM orders AS o` is a `QueryStatement` whose projection is the `ColumnRef` o.id at 7..11. Positions
    are code points of `text`. A statement that cannot be read gives `statement=None` and an issue that says why.
    """
    try:
        return _parse(text, dialect)
    except RecursionError:
        return _unread("The statement is nested too deeply to be read.", 0, len(text))
    except Exception:  # whatever the parser does with damaged text must end here
        return _unread("The statement could not be read.", 0, len(text))


def query_from_tokens(
    text: str, tokens: list[Token], dialect: Dialect
) -> tuple[q.Query | None, tuple[q.SyntaxIssue, ...]]:
    """The query that `tokens` (a slice of those of `text`) spell, and what is wrong with it. Never raises.

    The body of `CREATE VIEW v AS SELECT a FROM t` is read this way; positions stay those of `text`.
    """
    try:
        problem = _too_large(tokens)
        if problem is not None:
            return None, (problem,)
        prepared = prepare(text, list(tokens), dialect)
        tree = _tree(prepared)
        query = lower_query(prepared, tree) if tree is not None else None
        if query is None and not prepared.issues:
            start = tokens[0].start if tokens else 0
            prepared.issues.append(q.SyntaxIssue("This is not a query.", start, len(text)))
        return query, tuple(prepared.issues)
    except Exception:
        start, end = (tokens[0].start, tokens[-1].end + 1) if tokens else (0, len(text))
        return None, (q.SyntaxIssue("The query could not be read.", start, end),)


def _parse(text: str, dialect: Dialect) -> q.StatementModel:
    try:
        tokens = tokenize(text, dialect)
    except TokenError:
        return _unread("A quote or a comment is not closed.", 0, len(text))
    if not tokens:
        return q.StatementModel(None)
    problem = _too_large(tokens)
    if problem is not None:
        return q.StatementModel(None, (problem,))
    head = tokens[0].text.upper()
    if head in _DDL_WORDS:
        from sql_lineage_ls.syntax.ddl import read_ddl  # noqa: PLC0415

        model = read_ddl(text, tokens, dialect)
        if model is not None:
            return model
    prepared = prepare(text, tokens, dialect)
    tree = _tree(prepared)
    return _model(prepared, tree, head)


def _model(prepared: Prepared, tree: Any, head: str) -> q.StatementModel:
    issues = prepared.issues
    statement = lower_statement(prepared, tree) if tree is not None else None
    if statement is None:
        if head in _NO_DATA:
            return q.StatementModel(q.OtherStatement(head))
        if not issues:
            first = prepared.tokens[0]
            issues.append(q.SyntaxIssue(f"This {head} statement is not analysed.", first.start, first.end + 1))
    return q.StatementModel(statement, tuple(issues), prepared.partial and statement is not None)


def _unread(message: str, start: int, end: int) -> q.StatementModel:
    return q.StatementModel(None, (q.SyntaxIssue(message, start, end),))


def _too_large(tokens: list[Token]) -> q.SyntaxIssue | None:
    """Why these tokens are not given to the parser, if there is a reason."""
    if len(tokens) > MAX_TOKENS:
        return q.SyntaxIssue("The statement is too large to be read.", tokens[0].start, tokens[0].end + 1)
    depth = run = 0
    for token in tokens:
        kind = token.token_type
        if kind in _OPEN:
            depth += 1
            if depth > MAX_DEPTH:
                return q.SyntaxIssue(
                    f"The statement is nested deeper than {MAX_DEPTH} levels.", token.start, token.end + 1
                )
        elif kind in _CLOSE:
            depth -= 1
        if kind in _PREFIX:
            run += 1
            if run > MAX_DEPTH:
                return q.SyntaxIssue("Too many operators stand in a row.", token.start, token.end + 1)
        elif run:
            run = 0
    return None


def _tree(prepared: Prepared) -> exp.Expr | None:
    """The parsed tree; with mends, and at last in part, where the text has errors."""
    tree, error = _run(prepared, ErrorLevel.IMMEDIATE)
    if error is None:
        return tree
    prepared.issues.append(_unexpected(prepared, error))
    prepared.partial = True
    tree, _ = _run(prepared, ErrorLevel.IGNORE)
    return tree


def _run(prepared: Prepared, level: ErrorLevel) -> tuple[exp.Expr | None, ParseError | None]:
    """One pass of sqlglot's parser over the tokens."""
    parser = grammar(prepared.dialect.grammar).parser(error_level=level)
    kind = type(parser)
    stock = _IMPLICIT_UNNEST.get(kind.__name__, False)
    try:
        with _lock:
            if stock:
                kind.SUPPORTS_IMPLICIT_UNNEST = False
            try:
                trees = parser.parse(prepared.tokens, prepared.text)
            finally:
                if stock:
                    kind.SUPPORTS_IMPLICIT_UNNEST = True
    except ParseError as error:
        return None, error
    found = next((tree for tree in trees if tree is not None), None)
    return found, None


# sqlglot deep-copies every joined source of these to make `FROM t, t.items` an UNNEST. Our binder does that itself,
# and the parser is two times faster without. The flag is a class attribute: it is off only while we hold the lock.
_IMPLICIT_UNNEST = {"BigQueryParser": True, "RedshiftParser": True}


def _unexpected(prepared: Prepared, error: ParseError) -> q.SyntaxIssue:
    """One sentence about the token at which the parser gave up."""
    token = _error_token(prepared, error)
    if token is None:
        end = prepared.tokens[-1].end + 1
        return q.SyntaxIssue("The statement ends too early.", max(end - 1, 0), end)
    text = prepared.text[token.start : token.end + 1]
    shown = text if len(text) <= 30 else text[:27] + "..."
    return q.SyntaxIssue(f"`{shown}` is not expected here.", token.start, token.end + 1)


def _error_token(prepared: Prepared, error: ParseError) -> Token | None:
    details = error.errors[0] if error.errors else {}
    line, col = details.get("line"), details.get("col")
    for token in prepared.tokens:
        if token.line == line and token.col == col:
            return token
    return None
