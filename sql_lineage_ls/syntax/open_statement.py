"""What is known of a statement while its words go by: whether the next line can still belong to it.

Guards the rule that a broken statement never swallows the next. A line begins another statement only where the grammar
cannot go on with it, judged by the words before it and by what the statement holds already; the words themselves are
tables of `syntax.statement_heads`.
"""

from __future__ import annotations

import re

from sql_lineage_ls.syntax import statement_heads as heads
from sql_lineage_ls.syntax.lexical import Lexical

_VARIABLE = re.compile(r"\w+\s+@")


class OpenStatement:
    """A statement that begins at `start` with the word `first`, "" where that is no word."""

    __slots__ = ("_as_seen", "_changes", "_from_first", "_multi_insert", "_query", "_rules", "_set_open", "_text",
                 "_verb", "cases", "depth", "first", "start")

    def __init__(self, text: str, rules: Lexical, start: int = 0, first: str = "") -> None:
        self._text = text
        self._rules = rules
        self.start = start
        self.first = first
        # Open brackets and open CASE expressions.
        self.depth = 0
        self.cases = 0
        # A query began outside of brackets, so that another SELECT cannot be its start.
        self._query = first in ("SELECT", "VALUES")
        # A set operator waits for its right side.
        self._set_open = False
        # FROM came before SELECT, so that INSERT may follow (Hive, Spark).
        self._from_first = first == "FROM"
        # The AS in front of a query was seen.
        self._as_seen = False
        # What a prefix such as WITH or EXPLAIN introduces was seen.
        self._verb = first not in heads.PREFIXES
        # WITH led to a statement that holds no SELECT outside of brackets.
        self._changes = False
        self._multi_insert = first == "INSERT" and heads.MULTI_INSERT.match(text, start) is not None

    @classmethod
    def step(cls, text: str, rules: Lexical, start: int, first: str) -> OpenStatement:
        """A step of a script, such as END or IF .. THEN, which any statement can follow."""
        statement = cls(text, rules, start)
        statement._verb = True
        statement._query = first in heads.SCRIPT_STEPS
        return statement

    def word(self, word: str, previous: str) -> None:
        """Take note of a word of the statement; `previous` is the token before it."""
        if word == "CASE":
            self.cases += 1
        elif word == "END":
            self.cases = max(self.cases - 1, 0)
        if self.depth:
            return
        if word == "SELECT" or (word == "VALUES" and not self._multi_insert):
            self._query = self._verb = True
            self._set_open = False
        elif word in heads.SET_OPERATORS:
            # SELECT * EXCEPT (a) is no set operation.
            self._set_open = self._set_open or previous != "*"
        elif word == "FROM" and not self._query and self.first in ("FROM", "WITH"):
            self._from_first = self._verb = True
        elif word == "AS":
            self._as_seen = True
        elif word in heads.DATA_HEADS:
            self._verb = True
            self._changes = self._changes or word in heads.CHANGES
            if word == "INSERT" and self._from_first:
                self._query = False
        elif word in ("EXEC", "EXECUTE") and self.first == "INSERT":
            self._query = True

    def ends_before(self, word: str, at: int, previous: str, tagged: bool) -> bool:
        """True where `word`, the first of its line, begins another statement although this one has no terminator.

        `tagged` says that a template's statement tag stands between the two: they may be two branches of one query.
        """
        first_column = at == 0 or self._text[at - 1] in "\r\n"
        if previous == "ON" and self.first == "SET":
            # SET NOCOUNT ON is complete, JOIN t ON is not.
            previous = ""
        if self.first in heads.PRIVILEGES and previous in (self.first, ",", "FOR"):
            return False
        if self.depth:
            return first_column and word in heads.DEEP_HEADS and self._ends_before_head(word, at, previous, True)
        if word in ("SELECT", "WITH"):
            return (first_column or self._rules.batches) and not tagged and self._ends_before_query(word, at, previous)
        if word in heads.HEADS and self._ends_before_head(word, at, previous, first_column):
            return True
        return self._rules.batches and self._ends_before_batch_head(word, at, previous)

    def _ends_before_head(self, word: str, at: int, previous: str, first_column: bool) -> bool:
        continuing = heads.CONTINUING
        if first_column and word in heads.DEFINITION_HEADS:
            continuing = heads.DEFINITION_CONTINUING
        elif first_column and word in heads.DATA_HEADS:
            continuing = heads.CHANGE_CONTINUING
            if previous == "AS" and heads.QUERY_HOLDER.match(self._text, self.start):
                previous = ""
        head = heads.DEEP_HEADS if self.depth else heads.HEADS
        if previous in continuing or not head[word].match(self._text, at):
            return False
        if word in heads.DATA_HEADS:
            return self._verb and not (word == "INSERT" and self._from_first)
        return not (word in heads.PRIVILEGES and heads.DEFAULT_PRIVILEGES.match(self._text, self.start))

    def _ends_before_query(self, word: str, at: int, previous: str) -> bool:
        if previous in (heads.QUERY_AGAIN if self._query else heads.QUERY_CONTINUING) or self._set_open:
            return False
        if word == "WITH" and not heads.WITH_HEAD.match(self._text, at):
            return False
        if self._query or self._changes or self.first in heads.QUERYLESS:
            return True
        return (
            self.first == "CREATE" and previous == ")" and not self._as_seen and not self._rules.table_without_as
            and heads.TABLE_HEAD.match(self._text, self.start) is not None
        )

    def _ends_before_batch_head(self, word: str, at: int, previous: str) -> bool:
        head = heads.BATCH_HEADS.get(word)
        if head is None or previous in heads.BATCH_CONTINUING or not head.match(self._text, at):
            return False
        if word in ("END", "ELSE"):
            return not self.cases
        if word in heads.DATA_HEADS:
            return self._verb
        if word in ("EXEC", "EXECUTE"):
            return self.first != "INSERT" or self._query
        if word == "SET":
            return self.first != "UPDATE" or not _VARIABLE.match(self._text, at)
        return not (word == "IF" and self.first in ("DROP", "CREATE", "ALTER"))
