"""A statement's text to its model. The only entry to parsing for the rest of the program; it never raises.

DDL goes to our own reader (`syntax.ddl`), the rest through sqlglot's parser (`syntax.tree`) to the lowering
(`syntax.lower`). Messages are our own: one sentence, and the span of the token that was not expected.
"""

from __future__ import annotations

import difflib

from msgspec.structs import replace
from sqlglot import exp
from sqlglot.errors import TokenError
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.callables import read_callable
from sql_lineage_ls.syntax.ddl import read_ddl
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.engine_words import words
from sql_lineage_ls.syntax.lower import lower_statement
from sql_lineage_ls.syntax.output_clause import take_output, with_output
from sql_lineage_ls.syntax.procedural import read_step, without_into
from sql_lineage_ls.syntax.repair import Prepared
from sql_lineage_ls.syntax.rewrites import is_mutation
from sql_lineage_ls.syntax.tokens import head_word, tokenize
from sql_lineage_ls.syntax.transfers import TRANSFER_WORDS, read_transfer
from sql_lineage_ls.syntax.tree import build_tree, too_large

T = TokenType

# First words of statements that the reader of DDL may know.
_DDL_WORDS = frozenset({"CREATE", "ALTER", "DROP", "USE", "RENAME", "EXCHANGE", "REPLACE", "SET"})

# First words of statements that move no data between columns.
_NO_DATA = words(
    """
    ABORT ACCEPT ADD ALTER ANALYZE ASSERT ATTACH AUDIT BEGIN BREAK CACHE CALL CHECKPOINT CLOSE CLUSTER COMMENT
    COMMIT CONNECT CONTINUE CREATE DEALLOCATE DECLARE DELIMITER DENY DESC DESCRIBE DETACH DISCARD DISCONNECT DO DROP
    END EXEC EXECUTE EXISTS EXIT EXPLAIN FETCH FLUSH GET GO GOTO GRANT HELP HOST IF IMPORT INSTALL ITERATE KILL
    LEAVE LIST LISTEN LOCK LOOP LS MSCK NOTIFY NULL OPEN OPTIMIZE PAUSE PRAGMA PREPARE PRINT PROMPT PURGE PUT QUIT
    RAISE RAISERROR REASSIGN RECOVER REFRESH REINDEX RELEASE REM REMOVE REPAIR REPEAT RESET RESIGNAL RESUME RETURN
    REVOKE RM ROLLBACK SAVE SAVEPOINT SECURITY SET SHOW SIGNAL SPOOL START STOP SUMMARIZE SUSPEND SYSTEM THROW TRAN
    TRANSACTION UNCACHE UNDEFINE UNDROP UNLISTEN UNLOCK UNSET USE VACUUM WAITFOR WATCH WHENEVER WHILE XA
    APPLY CHECK FLASHBACK HANDLER RESTORE
    """
)
# What a line begins with that a client reads itself: `\\cd`, `.print`, `!source`.
_CLIENT_MARKS = frozenset({"\\", ".", "!"})
# Those of them whose rest need not be read, since no variable can be set there.
_OPAQUE = _NO_DATA - {"SET", "DECLARE", "CREATE", "ALTER", "EXECUTE", "EXISTS", "DESC", "DO", "BEGIN", "IF"}

# The words that are worth a correction, and how near a misspelt one has to be.
_HEADS = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "ALTER", "DROP", "TRUNCATE")
_NEAR = 0.75


def parse_statement(text: str, dialect: Dialect, in_body: bool = False) -> q.StatementModel:
    """The model of one statement, without its terminator; `in_body` where it stands in a routine's body.

    `SELECT o.id FROM orders AS o` is a `QueryStatement` whose projection is the `ColumnRef` o.id at 7..11. Positions
    are code points of `text`. A statement that cannot be read gives `statement=None` and an issue that says why.
    """
    try:
        return _parse(text, dialect, in_body)
    except RecursionError:
        return _unread("The statement is nested too deeply to be read.", 0, len(text))
    except Exception:  # whatever damaged text does to the parser must end here
        return _unread("The statement could not be read.", 0, len(text))


def _parse(text: str, dialect: Dialect, in_body: bool) -> q.StatementModel:
    try:
        tokens = tokenize(text, dialect)
    except TokenError:
        return _unread("A quote or a comment is not closed.", 0, len(text))
    if not tokens:
        return q.StatementModel(None)
    problem = too_large(tokens)
    if problem is not None:
        return q.StatementModel(None, (problem,))
    head = head_word(tokens)
    step = read_step(text, tokens, dialect, in_body)
    if step is not None:
        return step
    if dialect.into_variables.holds(in_body):
        without_into(tokens)
    if (head in _OPAQUE and head not in _DDL_WORDS) or _updates_statistics(tokens):
        return q.StatementModel(q.OtherStatement(head))
    if head == "ALTER" and is_mutation(tokens):
        return _model(*build_tree(text, tokens, dialect), head)
    if head in _DDL_WORDS:
        reading = read_ddl(text, tokens, dialect) or (
            read_callable(text, tokens, dialect) if head == "CREATE" else None
        )
        if reading is not None:
            return reading
    if head in TRANSFER_WORDS:
        return read_transfer(text, tokens, dialect) or _not_analysed(tokens, head)
    if head in _CLIENT_MARKS and "\n" not in text.strip():
        return q.StatementModel(q.OtherStatement(head))
    output = take_output(text, tokens, dialect) if dialect.output_clause else ()
    model = _model(*build_tree(text, tokens, dialect), head)
    return replace(model, statement=with_output(model.statement, output)) if output else model


def _updates_statistics(tokens: list[Token]) -> bool:
    """T-SQL's `UPDATE STATISTICS sales.orders`; `UPDATE statistics SET ..` changes a table."""
    heads = " ".join(token.text.upper() for token in tokens[:2])  # the tokenizer may give both words as one
    return heads.startswith("UPDATE STATISTICS") and len(tokens) > 1 and not any(t.token_type is T.SET for t in tokens)


def _model(prepared: Prepared, tree: exp.Expr | None, head: str) -> q.StatementModel:
    try:
        statement = lower_statement(prepared, tree) if tree is not None else None
    except Exception:  # the tree of damaged text may lack anything
        if not prepared.issues:
            raise
        statement = None
    if statement is None and head in _NO_DATA:
        return q.StatementModel(q.OtherStatement(head))
    issues = prepared.issues
    if statement is None and not issues:
        return _not_analysed(prepared.tokens, head)
    if statement is None and (meant := _meant(head)):
        first = prepared.tokens[0]
        text = f"No statement begins with `{first.text}`. Did you mean {meant}?"
        issues = [q.SyntaxIssue(text, first.start, first.end + 1)]
    return q.StatementModel(statement, tuple(issues), prepared.partial and statement is not None)


def _meant(head: str) -> str:
    """The word that a misspelt head was meant to be: `SELEC` is SELECT; '' where none is near."""
    near = difflib.get_close_matches(head, _HEADS, 1, _NEAR)
    return near[0] if near and head not in _HEADS else ""


def _not_analysed(tokens: list[Token], head: str) -> q.StatementModel:
    first = next((token for token in tokens if token.text), tokens[0])
    issue = q.SyntaxIssue(f"This {head} statement is not analysed.", first.start, first.end + 1)
    return q.StatementModel(None, (issue,))


def _unread(message: str, start: int, end: int) -> q.StatementModel:
    return q.StatementModel(None, (q.SyntaxIssue(message, start, end),))
