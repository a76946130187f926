"""Cuts a document into statements without parsing it.

Owns the question where a statement begins and ends, and nothing of what it says. One pass of a dialect's scanner; a
second one when a quote or a routine's body is never closed. It never raises and takes linear time.

A statement ends
- at a semicolon outside of quotes and comments (or MySQL's DELIMITER, T-SQL's GO, Oracle's `/` line);
- before a line that can only begin another statement, when its semicolon is missing (`syntax.statement_heads`).

`CREATE PROCEDURE`, `FUNCTION`, `TRIGGER`, .. keep their body. Statements of a script (`BEGIN .. END`, `IF .. THEN`,
loops) come out one by one: the words that only steer the script belong to no statement.

What is broken loses as little as possible: brackets never hide a semicolon; a quote that is never closed ends with its
line, before a semicolon that ends the line; a comment that is never closed ends before the next statement that begins
in the first column after a semicolon or a blank line. Where a quote is never closed, every quote over several lines is
held to that rule too, since any of them may be the one. A routine that is never closed is cut at its semicolons.
"""

from __future__ import annotations

import re

from msgspec import Struct

from sql_lineage_ls.syntax import lexical as lex
from sql_lineage_ls.syntax import statement_heads as heads
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.routine_body import RoutineBody
from sql_lineage_ls.syntax.templates import tag_end

_NEXT = re.compile(r"(?:\s+|--[^\r\n]*|/\*[\s\S]{0,2000}?\*/)*(\w+|\S)?")
_VARIABLE = re.compile(r"\w+\s+@")
_LINE_END = re.compile(r"[\r\n]|\Z")
_FINAL_SEMICOLON = re.compile(r";[ \t]*(?:--[^;\r\n]*)?\Z")
_COMMENT_MARK = re.compile(r"/\*|\*/")
_COPY_FROM_STDIN = re.compile(r"\bFROM\s+STDIN\b", re.IGNORECASE)
_COPY_DATA_END = re.compile(r"^\\\.[ \t]*$", re.MULTILINE)
_BODY_WORDS = frozenset({"BEGIN", "CASE", "END", "DECLARE", "AS", "IS", "PROCEDURE", "FUNCTION"})
_CLOSING_BRACKETS = {"[": "]", "(": ")", "{": "}", "<": ">"}
# How many different closers are looked for in vain before none is looked for any more.
_PATIENCE = 64

# What the splitter is in the middle of.
_FRESH, _PLAIN, _HEAD, _STEP = range(4)


class StatementSlice(Struct, frozen=True, gc=False):
    """The code points `[start, end)` of one statement: no terminator, no blanks or comments around it."""

    start: int
    end: int


def split(text: str, dialect: Dialect) -> tuple[StatementSlice, ...]:
    """The statements of `text`, in order; never raises.

    `SELECT 1; -- one\\nSELECT ';'` gives the slices of `SELECT 1` and `SELECT ';'`. Template tags are opaque:
    `{% .. %}` and `{# .. #}` count as comments, `{{ .. }}` as a name.
    """
    return _Splitter(text, lex.scanner(dialect.name)).run()


class _Splitter:
    """The state of one pass over a text."""

    def __init__(self, text: str, scanner: lex.Scanner) -> None:
        self.text = text
        self.limit = len(text.rstrip())
        self.scanner = scanner
        self.rules = scanner.rules
        self.pattern = scanner.tokens
        self.strict = False
        self.routines = True
        self.found: list[StatementSlice] = []
        self._forget()

    def _forget(self) -> None:
        """Begin a pass."""
        self.unclosed: set[str] = set()
        self.delimiter = ""
        # The last token that is neither a comment nor a block tag, and the last block tag's end.
        self.last_start, self.last = -1, -1
        self.tag_at = -1
        self._reset()

    def _reset(self) -> None:
        """Begin a statement."""
        self.mode = _FRESH
        self.start = -1
        self.first = ""
        self.depth = 0
        self.cases = 0
        self.until = heads.NOTHING
        # A query began outside of brackets; a set operator waits for its right side; FROM came first; AS was seen;
        # the verb behind a prefix such as WITH was seen.
        self.query = self.set_open = self.from_first = self.as_seen = self.verb = self.multi_insert = False
        self.body: RoutineBody | None = None

    def run(self) -> tuple[StatementSlice, ...]:
        position = first = 1 if self.text.startswith("\ufeff") else 0
        while True:
            while position < self.limit:
                position = self._scan(position)
                if position < 0:
                    # A quote never closes: once more, with quotes held to their lines.
                    self.strict = True
                    self.pattern = self.scanner.lines
                    self.found.clear()
                    self.routines = True
                    self._forget()
                    position = first
            if self.body is None or not self.body.is_open(self.depth):
                break
            # A routine never closes: once more from its start, cut at its semicolons.
            position = self.start
            self.routines = False
            delimiter = self.delimiter
            self._forget()
            self.delimiter = delimiter
        self._emit()
        return tuple(self.found)

    def _emit(self) -> None:
        if self.mode == _PLAIN:
            self.found.append(StatementSlice(self.start, self.last))
        self._reset()

    def _scan(self, position: int) -> int:
        """Read tokens from `position` until one has to be stepped over by hand; where to go on, -1 to start again."""
        text = self.text
        watched = heads.WATCHED
        for match in self.pattern.finditer(text, position, self.limit):
            kind = match.lastindex
            assert kind is not None
            start, end = match.span(kind)
            if kind == lex.WORD:
                word = text[start:end].upper()
                if self.mode == _FRESH or word in watched:
                    jump = self._word(word, start, end)
                    if jump:
                        return jump
            elif kind == lex.LINE_COMMENT:
                continue
            elif kind != lex.CLOSED or self.mode == _FRESH:
                jump = self._mark(kind, start, end)
                if jump:
                    return jump
            self.last_start, self.last = start, end
        return self.limit

    def _step_to(self, start: int, end: int) -> int:
        """Take `[start, end)` as one token and go on behind it."""
        self.last_start, self.last = start, end
        return end

    # Tokens that are no words.

    def _mark(self, kind: int, start: int, end: int) -> int:
        """A token that is no word; where to go on, 0 when the scanner may simply continue."""
        if kind == lex.SEMICOLON:
            return self._semicolon(start, end)
        if kind == lex.COMMENT:
            return self._comment_end(start)
        if kind == lex.TAG:
            return self._tag(start, end)
        if kind in (lex.SYMBOL, lex.OPEN):
            jump = self._symbol(start, end)
            if jump:
                return jump
        if self.mode == _FRESH:
            self._begin("", start)
        if kind == lex.OPEN:
            self.depth += 1
        elif kind == lex.CLOSE:
            self.depth = max(self.depth - 1, 0)
        elif kind == lex.DELIMITED:
            return self._delimited(start, end)
        elif kind == lex.OPEN_QUOTE:
            return self._open_quote(start)
        return 0

    def _semicolon(self, start: int, end: int) -> int:
        if self.delimiter:
            return self._delimiter(start) or self._step_to(start, end)
        if self.body is not None and self.body.semicolon(self.depth):
            return 0
        copy = self.first == "COPY" and self.rules.line_command_signs == "\\"
        data = copy and _COPY_FROM_STDIN.search(self.text, self.start, start) is not None
        self._emit()
        self.last_start, self.last = start, end
        if data and "\\." not in self.unclosed:
            stop = _COPY_DATA_END.search(self.text, end)
            if stop:
                return stop.end()
            self.unclosed.add("\\.")
        return 0

    def _delimiter(self, start: int) -> int:
        """Where to go on behind the terminator that DELIMITER set, 0 when there is none at `start`."""
        if not self.text.startswith(self.delimiter, start):
            return 0
        self._emit()
        return self._step_to(start, start + len(self.delimiter))

    def _symbol(self, start: int, end: int) -> int:
        if self.delimiter:
            return self._delimiter(start)
        sign = self.text[start]
        if sign == "/" and self.scanner.batch_line and self._begins_line(start):
            return self._batch_line(start)
        if self.mode != _FRESH:
            return 0
        if sign in self.rules.line_command_signs and self._begins_line(start):
            return self._line_end(start)
        if sign == "<":
            label = heads.LABEL.match(self.text, start)
            return label.end() if label else 0
        return 0

    def _batch_line(self, start: int) -> int:
        assert self.scanner.batch_line is not None
        line = self.scanner.batch_line.match(self.text, start)
        if line is None:
            return 0
        self._emit()
        return self._step_to(start, line.end())

    def _comment_end(self, start: int) -> int:
        text = self.text
        if not self.rules.nested_comments:
            end = text.find("*/", start + 2) if "*/" not in self.unclosed else -1
            if end >= 0:
                return end + 2
        elif "*/" not in self.unclosed:
            depth = 1
            for mark in _COMMENT_MARK.finditer(text, start + 2):
                depth += 1 if mark[0] == "/*" else -1
                if not depth:
                    return mark.end()
        self.unclosed.add("*/")
        boundary = self._boundary(start, self.limit)
        if boundary < 0:
            return self.limit
        if self.body is None:
            self._emit()
        return boundary

    def _tag(self, start: int, end: int) -> int:
        opener = self.text[start:end]
        stop = tag_end(self.text, start) if opener not in self.unclosed else -1
        if opener != "{{" and stop >= 0:
            self.tag_at = stop
            return stop
        if stop < 0:
            if opener == "{#":
                self.unclosed.add(opener)
            stop = end
        if self.mode == _FRESH:
            self._begin("", start)
        return self._step_to(start, stop)

    def _delimited(self, start: int, end: int) -> int:
        """A quote with a closer of its own: q'[..]' or $tag$..$tag$."""
        opener = self.text[start:end]
        if opener[-1] == "'":
            sign = self.text[end]
            closer, begin = _CLOSING_BRACKETS.get(sign, sign) + "'", end + 1
        else:
            closer, begin = opener, end
        if self.delimiter and closer.startswith(self.delimiter):
            return self._delimiter(start)
        stop = -1
        if closer not in self.unclosed and len(self.unclosed) < _PATIENCE:
            stop = self.text.find(closer, begin)
        if stop >= 0 and not (self.strict and heads.ROUTINE_BOUNDARY.search(self.text, begin, stop)):
            return self._step_to(start, stop + len(closer))
        if stop < 0:
            self.unclosed.add(closer)
        if opener[-1] == "'":
            return self._line_quote(start)
        return 0 if self.strict else -1

    def _open_quote(self, start: int) -> int:
        """A quote that its pattern did not close."""
        if not self.strict and not self.rules.one_line_quotes:
            return -1
        quote = self.text[start]
        if not self.rules.one_line_quotes and quote not in self.unclosed:
            match = self.scanner.quotes[quote].match(self.text, start)
            if match is None:
                self.unclosed.add(quote)
            elif self._boundary(start, match.end()) < 0:
                return self._step_to(start, match.end())
        return self._line_quote(start)

    def _line_quote(self, start: int) -> int:
        """End an open quote with its line, before the semicolon that ends the line."""
        line_end = min(self._line_end(start), self.limit)
        line = self.text[start:line_end]
        semicolon = _FINAL_SEMICOLON.search(line, 1)
        kept = line[: semicolon.start()] if semicolon else line
        return self._step_to(start, start + len(kept.rstrip()))

    def _boundary(self, start: int, end: int) -> int:
        """The first place behind `start` where a statement must begin, -1 when there is none before `end`."""
        for match in heads.BOUNDARY.finditer(self.text, start, end):
            if heads.DEFINITION_BOUNDARY.match(self.text, match.start()):
                return match.start()
            at, lines = match.start(), 0
            while at > start and self.text[at - 1].isspace():
                at -= 1
                lines += self.text[at] == "\n"
            line = self.text[max(self.text.rfind("\n", start, at), start) : at]
            if lines > 1 or _FINAL_SEMICOLON.search(line):
                return match.start()
        return -1

    def _line_end(self, start: int) -> int:
        match = _LINE_END.search(self.text, start)
        return match.start() if match else len(self.text)

    def _begins_line(self, start: int) -> bool:
        """True where nothing but blanks and comments stands between the last token's line and `start`."""
        return self.last < 0 or self.text.find("\n", self.last, start) >= 0 or "\r" in self.text[self.last : start]

    def _previous(self) -> str:
        return self.text[self.last_start : self.last].upper() if self.last >= 0 else ""

    def _next(self, end: int) -> str:
        """The next word or sign behind `end`, "" at the end of the text."""
        match = _NEXT.match(self.text, end)
        return (match[1] or "").upper() if match else ""

    # Words.

    def _word(self, word: str, start: int, end: int) -> int:
        """A word at the start of a statement or one to watch; where to go on, 0 when the scanner may continue."""
        if word == "GO" and self.scanner.batch_line and self._begins_line(start):
            jump = self._batch_line(start)
            if jump:
                return jump
        if self.mode == _FRESH:
            return self._begin_word(word, start, end)
        if start and self.text[start - 1] in ".@#$:":
            return 0
        if self._begins_line(start) and self._cuts(word, start):
            self._emit()
            return start
        if self.body is not None:
            if word in _BODY_WORDS:
                self.body.word(word, self._previous(), self._next(end), self.depth)
        elif self.mode == _HEAD:
            return self._head_word(word, start, end)
        elif self.mode == _PLAIN:
            self._plain_word(word)
        return 0

    def _begin_word(self, word: str, start: int, end: int) -> int:
        rules = self.rules
        if word in rules.line_commands and self._begins_line(start):
            return self._line_end(start)
        if word == "DELIMITER" and rules.delimiter_command and self._begins_line(start):
            stop = self._line_end(start)
            delimiter = self.text[end:stop].strip()
            self.delimiter = "" if delimiter == ";" else delimiter
            return stop
        if self.delimiter:
            self._begin(word, start)
            return 0
        label = heads.LABEL.match(self.text, start) if self.text[end : end + 1] in (":", " ") else None
        if label:
            return label.end()
        if word in heads.SCRIPT_HEADS:
            return self._script_head(word, start, end)
        if word in heads.SCRIPT_STEPS:
            self.mode = _STEP
            return self._script_end(end) if word == "END" else 0
        self._begin(word, start)
        return 0

    def _script_head(self, word: str, start: int, end: int) -> int:
        """Leave out what only steers a script; BEGIN of a transaction is a statement."""
        if word == "BEGIN" and self._next(end) in heads.TRANSACTION:
            self._begin(word, start)
            return 0
        until = heads.SCRIPT_HEADS[word]
        if until is heads.NOTHING:
            return self._step_to(start, end)
        self.mode, self.start = _HEAD, start
        self.until = heads.BATCH_STARTS if self.rules.batches else until
        return 0

    def _script_end(self, end: int) -> int:
        """Step over the second word of END IF, END LOOP, .."""
        match = _NEXT.match(self.text, end)
        word = (match[1] or "").upper() if match else ""
        if match and (word in ("TRY", "CATCH", "CASE") or (word in heads.UNCOUNTED and not self.rules.batches)):
            return self._step_to(match.start(1), match.end())
        return 0

    def _head_word(self, word: str, start: int, end: int) -> int:
        if word == "CASE":
            self.cases += 1
        elif word == "END":
            self.cases = max(self.cases - 1, 0)
        elif word in self.until and not self.cases and not self.depth:
            self._reset()
            return start if self.rules.batches else self._step_to(start, end)
        return 0

    def _begin(self, word: str, start: int) -> None:
        self.mode, self.start, self.first = _PLAIN, start, word
        if word in ("CREATE", "ALTER") and self.routines:
            routine = heads.ROUTINE.match(self.text, start)
            if routine and (word == "CREATE" or self.rules.batches):
                self.body = RoutineBody(routine[1].upper(), self.rules)
                return
        self.verb = word not in heads.PREFIXES
        self.query = word in ("SELECT", "VALUES")
        self.from_first = word == "FROM"
        self.multi_insert = word == "INSERT" and heads.MULTI_INSERT.match(self.text, start) is not None

    def _plain_word(self, word: str) -> None:
        """Keep what decides whether a later line can still belong to the statement."""
        if word == "CASE":
            self.cases += 1
        elif word == "END":
            self.cases = max(self.cases - 1, 0)
        if self.depth:
            return
        if word == "SELECT" or (word == "VALUES" and not self.multi_insert):
            self.query = self.verb = True
            self.set_open = False
        elif word in heads.SET_OPERATORS:
            self.set_open = self.set_open or self._previous() != "*"
        elif word == "FROM" and not self.query and self.first in ("FROM", "WITH"):
            self.from_first = self.verb = True
        elif word == "AS":
            self.as_seen = True
        elif word in heads.DATA_HEADS:
            self.verb = True
            if word == "INSERT" and self.from_first:
                self.query = False
        elif word in ("EXEC", "EXECUTE") and self.first == "INSERT":
            self.query = True

    # A missing semicolon.

    def _cuts(self, word: str, start: int) -> bool:
        """True where `word`, the first of its line, begins a statement although the last one has no terminator."""
        first_column = start == 0 or self.text[start - 1] in "\r\n"
        if self.body is not None or self.delimiter:
            return self._cuts_routine(word, start, first_column)
        previous = self._previous()
        if previous == "ON" and self.first == "SET":
            # SET NOCOUNT ON is complete, JOIN t ON is not.
            previous = ""
        if self.first in heads.PRIVILEGES and previous in (self.first, ",", "FOR"):
            return False
        if self.depth:
            head = heads.DEEP_HEADS.get(word)
            return first_column and head is not None and self._cuts_head(head, word, start, first_column, previous)
        if word in ("SELECT", "WITH"):
            return (first_column or self.rules.batches) and self._cuts_query(word, start, previous)
        head = heads.HEADS.get(word)
        if head is not None and self._cuts_head(head, word, start, first_column, previous):
            return True
        return self.rules.batches and self._cuts_batch(word, start, previous)

    def _cuts_head(self, head: re.Pattern[str], word: str, start: int, first_column: bool, previous: str) -> bool:
        continuing = heads.CONTINUING
        if first_column and word in heads.DEFINITION_HEADS:
            continuing = heads.DEFINITION_CONTINUING
        elif first_column and word in heads.DATA_HEADS:
            continuing = heads.CHANGE_CONTINUING
            if previous == "AS" and heads.QUERY_HOLDER.match(self.text, max(self.start, 0)):
                previous = ""
        if previous in continuing or not head.match(self.text, start):
            return False
        if word in heads.DATA_HEADS:
            return (self.verb or self.mode != _PLAIN) and not (word == "INSERT" and self.from_first)
        return not (word in heads.PRIVILEGES and heads.DEFAULT_PRIVILEGES.match(self.text, max(self.start, 0)))

    def _cuts_query(self, word: str, start: int, previous: str) -> bool:
        continuing = heads.QUERY_AGAIN if self.query else heads.QUERY_CONTINUING
        if previous in continuing or self.set_open or self.tag_at > self.last:
            return False
        if word == "WITH" and not heads.WITH_HEAD.match(self.text, start):
            return False
        if self.mode == _STEP:
            return True
        if self.query or self.first in heads.QUERYLESS:
            return True
        return (
            self.first == "CREATE" and previous == ")" and not self.as_seen and not self.rules.table_without_as
            and heads.TABLE_HEAD.match(self.text, self.start) is not None
        )

    def _cuts_batch(self, word: str, start: int, previous: str) -> bool:
        head = heads.BATCH_HEADS.get(word)
        if head is None or previous in heads.BATCH_CONTINUING or not head.match(self.text, start):
            return False
        if word in ("END", "ELSE"):
            return not self.cases
        if word in heads.DATA_HEADS:
            return self.verb or self.mode != _PLAIN
        if word in ("EXEC", "EXECUTE"):
            return self.first != "INSERT" or self.query
        if word == "SET":
            return self.first != "UPDATE" or not _VARIABLE.match(self.text, start)
        return not (word == "IF" and self.first in ("DROP", "CREATE", "ALTER"))

    def _cuts_routine(self, word: str, start: int, first_column: bool) -> bool:
        body = self.body
        if self.rules.batches and body is not None and body.done:
            return word in heads.BATCH_STARTS
        if not first_column or word != "CREATE" or self._previous() in heads.CONTINUING:
            return False
        if heads.ROUTINE.match(self.text, start):
            return True
        if body is None or body.is_open(self.depth) or self.rules.batches:
            return False
        return heads.DEEP_HEADS["CREATE"].match(self.text, start) is not None
