"""Steps of scripts and of routines' bodies: what they set, decide, open, return and run.

`IF EXISTS (SELECT 1 FROM t) THEN`, `FOR r IN (SELECT a FROM t) DO`, `x := (SELECT MAX(b) FROM t)` read relations as any
query does, and their variables are no columns. What a database runs as text is named, and not guessed. Only what can
be read is taken: a step in words that are not known here stays what it was.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.brackets import CLOSE, OPEN
from sql_lineage_ls.syntax.callables import read_expression, read_parameters
from sql_lineage_ls.syntax.ddl.builtin_types import COMPOSITES, SCALARS, VARIANTS
from sql_lineage_ls.syntax.ddl.create_table import Header, read_table
from sql_lineage_ls.syntax.ddl.cursor import Cursor, Word, keywords
from sql_lineage_ls.syntax.ddl.names import relation_name
from sql_lineage_ls.syntax.ddl.queries import begins_query, read_query
from sql_lineage_ls.syntax.dialects import Dialect

T = TokenType

# A word on which a declaration is never begun.
_STATEMENTS = keywords(
    "SELECT WITH VALUES FROM INSERT UPDATE DELETE MERGE REPLACE TRUNCATE TABLE PIVOT UNPIVOT COPY LOAD UNLOAD EXPORT "
    "CREATE ALTER DROP GRANT REVOKE COMMENT ANALYZE VACUUM REFRESH EXPLAIN DESCRIBE SHOW LOCK USE COMMIT ROLLBACK "
    "SAVEPOINT START END BEGIN RAISE SIGNAL RESIGNAL PRINT THROW RAISERROR FETCH CLOSE DEALLOCATE NULL EXIT CONTINUE "
    "LEAVE ITERATE GET ASSERT NOTIFY LISTEN RESET DISCARD PUT LIST REMOVE RENAME EXCHANGE PIPE EXCEPTION ABORT"
)
# Types by which a declaration is known in every dialect.
_TYPES = SCALARS | VARIANTS | COMPOSITES | {"RESULTSET", "EXCEPTION"}
# What can follow the type's first word in a declaration.
_TYPE_GOES_ON = keywords(
    ":= = DEFAULT ( NOT NULL % [ . CURSOR RESULTSET PRECISION VARYING WITH WITHOUT TIME ZONE SCROLL NO FOR IS UNSIGNED "
    "COLLATE CONSTANT BINARY CHARACTER SET"
)
_BEFORE_TYPES = frozenset({"CONSTANT", "ALIAS", "NO", "SCROLL", "REF"})
_SETS = frozenset({":=", "=", "DEFAULT"})
_RUN_TEXT = frozenset({"SP_EXECUTESQL"})


def read_step(text: str, tokens: list[Token], dialect: Dialect, in_body: bool) -> q.StatementModel | None:
    """The step that the tokens spell; None where they are no step, or one that reads nothing.

    `FOR r IN (SELECT a FROM t)` declares r and has the query.
    """
    head = tokens[0].text.upper()
    reader = _READERS.get(head)
    lists = dialect.declares_lists.holds(in_body)
    typed = len(tokens) > 1 and tokens[1].text.upper() in _TYPES
    named = lists or typed or dialect.bare_calls or any(one.text == ":=" for one in tokens[1:5])
    if reader is None and (not named or head in _STATEMENTS):
        return None
    if tokens[0].token_type is T.COMMAND:
        first = tokens[0]
        tokens = [Token(T.VAR, first.text, first.line, first.col, first.start, first.end), *tokens[1:]]
    cursor = Cursor(text, tokens, dialect)
    step = _Step(cursor, in_body)
    statement = reader(step) if reader is not None else step.set_or_declare(lists or typed)
    if statement is None:
        return None
    return q.StatementModel(statement, tuple(cursor.issues), cursor.partial)


def without_into(tokens: list[Token]) -> None:
    """Takes `INTO a, b` out of a query that fills variables: `SELECT x INTO v FROM t`, `.. RETURNING id INTO v`."""
    depth = 0
    query = tokens[0].text.upper() in _QUERY_HEADS
    for index, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind in OPEN) - (kind in CLOSE)
        query = query or (kind is T.RETURNING and not depth)
        if kind not in _INTO or depth or not query or tokens[index - 1].text.upper() in _TAKES_INTO:
            continue
        end = _behind_targets(tokens, index + 1)
        if end > index + 1:
            del tokens[index:end]
            return


_INTO = frozenset({T.INTO, T.BULK_COLLECT_INTO})
_QUERY_HEADS = frozenset({"SELECT", "WITH", "("})
_TAKES_INTO = frozenset({"INSERT", "MERGE", "REPLACE", "IGNORE"})


def _behind_targets(tokens: list[Token], index: int) -> int:
    """Index behind a list of variables: `a, r.b, @c, :d, e[1]`."""
    if index < len(tokens) and tokens[index].text.upper() == "STRICT":
        index += 1
    while index < len(tokens):
        while index < len(tokens) and tokens[index].token_type in (T.PARAMETER, T.COLON, T.PLACEHOLDER):
            index += 1
        if index >= len(tokens) or not (tokens[index].text[:1].isalnum() or tokens[index].text[:1] in "_#$"):
            break
        if tokens[index].token_type is T.STRING:
            break
        index += 1
        while index + 1 < len(tokens) and tokens[index].token_type in (T.DOT, T.L_BRACKET):
            index += 2
            if index < len(tokens) and tokens[index].token_type is T.R_BRACKET:
                index += 1
        if index >= len(tokens) or tokens[index].token_type is not T.COMMA:
            break
        index += 1
    return index


class _Step:
    """One step while it is read."""

    def __init__(self, cursor: Cursor, in_body: bool) -> None:
        self.cursor = cursor
        self.in_body = in_body

    # What can be set.

    def set_or_declare(self, lists: bool) -> q.Statement | None:
        """`x := 1`, `r.a := 1`, and in a list of declarations `x INT`, `x INT := 1`, `c CURSOR FOR SELECT ..`."""
        cursor = self.cursor
        first = cursor.peek()
        if first is None or first.kind not in ("word", "quoted"):
            return None
        assigned = next((at for at in range(1, 8) if cursor.upper(at) in (":=", "=")), 0)
        if assigned and (cursor.upper(assigned) == ":=" or self.in_body) and self._is_target(assigned):
            cursor.advance(assigned + 1)
            return self._set((_name(first),))
        if lists and self._is_declaration():
            return self._declared((_name(first),))
        return self._called() if cursor.dialect.bare_calls else None

    def _called(self) -> q.Statement | None:
        """`load(1)`, `pkg.load`: a procedure's name, and nothing but its arguments."""
        cursor = self.cursor
        name = _routine_name(cursor)
        bracket = cursor.at("(")
        if bracket:
            cursor.skip_group()
        if not cursor.done or not name or not (bracket or len(name) > 1 or self.in_body):
            return None
        return q.CallRoutine(name)

    def _is_target(self, end: int) -> bool:
        """Whether the words up to `end` are `x`, `r.a` or `a[i]`."""
        return end == 1 or self.cursor.upper(1) in (".", "[", "(")

    def _is_declaration(self) -> bool:
        cursor = self.cursor
        kind = cursor.peek(1)
        if kind is None or (kind.kind not in ("word", "quoted") and kind.upper != "%"):
            return False
        after = cursor.peek(2)
        return after is None or after.upper in _TYPE_GOES_ON or kind.upper in _BEFORE_TYPES

    def _declared(self, names: tuple[q.Name, ...]) -> q.Statement:
        """Behind the names of a declaration: a cursor's query, or a first value."""
        cursor = self.cursor
        rows = False
        while not cursor.done:
            if cursor.accept("CURSOR"):
                return self._cursor(names)
            rows = rows or cursor.at("RESULTSET")
            if cursor.accept_any(_SETS):
                return self._set(names, rows)
            cursor.skip_group() if cursor.at("(") else cursor.advance()
        return q.Declare(names)

    def _set(self, names: tuple[q.Name, ...], rows: bool = False) -> q.Statement:
        """At the value of a variable, which is a query's `rows` or one value."""
        if rows and begins_query(self.cursor) and self._is_whole_query():
            return q.Declare(names, (), read_query(self.cursor))
        return q.Declare(names, self._values())

    def _is_whole_query(self) -> bool:
        """Whether the query at the cursor is all that follows: not `(SELECT a FROM t) + 1`."""
        if not self.cursor.at("("):
            return True
        before = self.cursor.position
        self.cursor.skip_group()
        done = self.cursor.done
        self.cursor.position = before
        return done

    def _cursor(self, names: tuple[q.Name, ...]) -> q.Statement:
        """Behind a cursor's name: its query after FOR or IS, whatever options stand between."""
        cursor = self.cursor
        while not cursor.done and not (cursor.at("FOR") or cursor.at("IS")):
            if cursor.at("("):
                names += tuple(one.name for one in read_parameters(cursor))
            else:
                cursor.advance()
        cursor.advance()
        if cursor.done or not begins_query(cursor):
            return q.Declare(names)
        return q.Declare(names, (), read_query(cursor))

    def _values(self) -> tuple[q.Expr, ...]:
        """The expression from the cursor to the end; nothing where it cannot be read, since no name may be accused."""
        cursor = self.cursor
        word = cursor.peek()
        if word is None:
            return ()
        value = read_expression(cursor.text, list(cursor.tokens[word.index :]), cursor.dialect)
        cursor.position = cursor.count
        return (value,) if value is not None else ()

    def _names(self, *stops: str) -> tuple[q.Name, ...]:
        """Names up to one of `stops`, or up to a word that no comma precedes."""
        names = []
        while (word := self.cursor.peek()) is not None and word.kind in ("word", "quoted") and word.upper not in stops:
            names.append(_name(word))
            self.cursor.advance()
            if not self.cursor.accept(","):
                break
        return tuple(names)

    # One function for each first word.

    def condition(self) -> q.Statement | None:
        self.cursor.advance()
        return q.Declare((), self._values())

    def loop(self) -> q.Statement | None:
        """FOR r IN (query), FOR r AS query, FOR i IN 1..n, FOREACH x IN ARRAY a."""
        cursor = self.cursor
        cursor.advance()
        names = () if begins_query(cursor) else self._names("IN", "AS")
        if names and not cursor.accept_any(frozenset({"IN", "AS"})):
            return None
        if cursor.accept("EXECUTE"):
            return self._run_text(cursor.peek(), names)
        if cursor.done or not begins_query(cursor):
            return q.Declare(names)
        return q.Declare(names, (), read_query(cursor))

    def declare(self) -> q.Statement | None:
        cursor = self.cursor
        cursor.advance()
        if cursor.upper(1) == "HANDLER" or cursor.upper(1) == "CONDITION":
            return q.OtherStatement("DECLARE")
        if cursor.at("@"):
            return self._table_variable()
        names = self._names()
        if not names or cursor.dialect.exec_runs_procedures:
            return self._declared_cursor(names) if names else None
        return self._declared(names)

    def _table_variable(self) -> q.Statement | None:
        """T-SQL: `DECLARE @t [AS] TABLE (a int)`; None for variables of other types."""
        cursor = self.cursor
        at, name = cursor.peek(), cursor.peek(1)
        typed = 3 if cursor.upper(2) == "AS" else 2
        if at is None or name is None or cursor.upper(typed) != "TABLE":
            return None
        cursor.advance(typed + 1)
        return read_table(cursor, (q.Name(f"@{name.text}", at.start, name.end),), Header(temporary=True))

    def _declared_cursor(self, names: tuple[q.Name, ...]) -> q.Statement | None:
        """T-SQL: `DECLARE c CURSOR LOCAL FOR query`; its variables are read by the parser."""
        return self._cursor(names) if self.cursor.accept_any(frozenset({"CURSOR", "INSENSITIVE", "SCROLL"})) else None

    def let(self) -> q.Statement | None:
        self.cursor.advance()
        names = self._names()
        return self._declared(names) if names else None

    def cursor_is(self) -> q.Statement | None:
        """Oracle: `CURSOR c (p NUMBER) IS query`."""
        self.cursor.advance()
        names = self._names()
        return self._cursor(names) if names else None

    def open(self) -> q.Statement | None:
        cursor = self.cursor
        cursor.skip_to("FOR")
        if not cursor.accept("FOR"):
            return q.OtherStatement("OPEN")
        if cursor.at("EXECUTE"):
            return self.run()
        if begins_query(cursor):
            return q.Declare((), (), read_query(cursor))
        return self._run_text(cursor.peek())

    def return_(self) -> q.Statement | None:
        """RETURN value, RETURN QUERY query, RETURN TABLE (query)."""
        cursor = self.cursor
        cursor.advance()
        cursor.accept("NEXT")
        if cursor.accept("QUERY") and cursor.at("EXECUTE"):
            return self.run()
        if cursor.at("TABLE", "("):
            cursor.advance()
        if cursor.done:
            return q.OtherStatement("RETURN")
        if begins_query(cursor) and self._is_whole_query():
            query = read_query(cursor)
            return q.QueryStatement(query) if query is not None else None
        return q.Declare((), self._values())

    def perform(self) -> q.Statement | None:
        """PL/pgSQL: PERFORM is a SELECT whose result nobody takes."""
        cursor = self.cursor
        first = cursor.tokens[0]
        cursor.tokens[0] = Token(T.SELECT, "SELECT", first.line, first.col, first.start, first.end)
        query = read_query(cursor)
        return q.QueryStatement(query) if query is not None else None

    def local_routine(self) -> q.Statement | None:
        """The head of a routine inside of a routine: its parameters are variables there."""
        self.cursor.advance()
        names = self._names()
        parameters = read_parameters(self.cursor) if self.cursor.at("(") else ()
        return q.Declare((*names, *(one.name for one in parameters)))

    def call(self) -> q.Statement | None:
        """CALL p(x), EXEC p @x."""
        cursor = self.cursor
        cursor.advance()
        name = _routine_name(cursor)
        return q.CallRoutine(name) if name else q.OtherStatement("CALL")

    def run(self) -> q.Statement | None:
        """EXECUTE IMMEDIATE text, EXECUTE text, EXEC (text), EXEC procedure."""
        cursor = self.cursor
        cursor.advance()
        immediate = cursor.accept("IMMEDIATE")
        word = cursor.peek()
        if word is None or (word.upper == "(" and cursor.peek(1) is None):
            return q.OtherStatement("EXECUTE")
        batch = cursor.dialect.exec_runs_procedures
        if batch and word.upper == "@" and cursor.upper(2) == "=":
            cursor.advance(3)
            word = cursor.peek()
        if word is None:
            return q.OtherStatement("EXECUTE")
        if batch and word.upper not in ("(", "@"):
            name = _routine_name(cursor)
            if name and name[-1].text.upper() not in _RUN_TEXT:
                return q.CallRoutine(name)
            if cursor.done:
                return q.OtherStatement("EXECUTE")
            return self._run_text(cursor.peek())
        if not immediate and not batch and word.kind != "string" and not self.in_body:
            return q.OtherStatement("EXECUTE")
        return self._run_text(word)

    def _run_text(self, word: Word | None, names: tuple[q.Name, ...] = ()) -> q.Statement:
        start = word.start if word is not None else 0
        return q.DynamicSql(names, start, self.cursor.words[-1].end)

    def prepare(self) -> q.Statement | None:
        """MySQL: `PREPARE s FROM @text`."""
        cursor = self.cursor
        if cursor.upper(2) == "FROM" and cursor.peek(3) is not None:
            cursor.advance(3)
            return self._run_text(cursor.peek())
        return None

    def nothing(self) -> q.Statement | None:
        return q.OtherStatement(self.cursor.upper())


def _routine_name(cursor: Cursor) -> tuple[q.Name, ...]:
    """A procedure's name; none where a part of it is missing in a half-typed text."""
    word = cursor.peek()
    if word is None or word.kind == "string":
        return ()
    names = relation_name(cursor)
    return names if all(name.text and name.end > name.start for name in names[-1:]) else ()


def _name(word: Word) -> q.Name:
    return q.Name(word.text, word.start, word.end, word.kind == "quoted")


_READERS: dict[str, Callable[[_Step], q.Statement | None]] = {
    **dict.fromkeys(("IF", "ELSEIF", "ELSIF", "WHEN", "WHILE", "UNTIL", "CASE"), _Step.condition),
    "FOR": _Step.loop,
    "FOREACH": _Step.loop,
    "FORALL": _Step.loop,
    "DECLARE": _Step.declare,
    "LET": _Step.let,
    "CURSOR": _Step.cursor_is,
    "OPEN": _Step.open,
    "RETURN": _Step.return_,
    "PERFORM": _Step.perform,
    "PROCEDURE": _Step.local_routine,
    "FUNCTION": _Step.local_routine,
    "CALL": _Step.call,
    "EXEC": _Step.run,
    "EXECUTE": _Step.run,
    "PREPARE": _Step.prepare,
    **dict.fromkeys(("TYPE", "SUBTYPE", "PRAGMA"), _Step.nothing),
}
