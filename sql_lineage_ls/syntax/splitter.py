"""Cuts a document into statements without parsing it.

Owns the question where a statement begins and ends, and nothing of what it says. One pass of a dialect's scanner; a
second one when a quote or a routine's body is never closed. It never raises and takes linear time.

A statement ends
- at a semicolon outside of quotes and comments (or MySQL's DELIMITER, T-SQL's GO, Oracle's `/` line);
- before a line that can only begin another statement, when its semicolon is missing (`syntax.open_statement`);
- in T-SQL before a step of the script on the same line too: `BEGIN SELECT 1 END`.

`CREATE PROCEDURE`, `FUNCTION`, `TRIGGER`, .. keep their body (`syntax.bodies` opens it). Statements of a script
(`BEGIN .. END`, `IF .. THEN`, loops) come out one by one: the words that only steer the script belong to no statement,
a condition with a query in it and the head of a FOR loop are statements of their own.

What is broken loses as little as possible: brackets never hide a semicolon, open quotes and comments end where
`syntax.broken_quotes` says, and then every quote over several lines has to, since any of them may be the open one. A
routine that is never closed is cut at its semicolons.
"""

from __future__ import annotations

import re

from msgspec import Struct

from sql_lineage_ls.syntax import lexical as lex
from sql_lineage_ls.syntax import statement_heads as heads
from sql_lineage_ls.syntax.broken_quotes import boundary, line_end, line_quote_end
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.open_statement import OpenStatement
from sql_lineage_ls.syntax.routine_body import RoutineBody
from sql_lineage_ls.syntax.templates import tag_end

_NEXT = re.compile(r"(?:\s+|--[^\r\n]*|/\*[\s\S]{0,2000}?\*/)*(\w+|\S)?")
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
    return cut(text, dialect).slices


def split_body(text: str, dialect: Dialect, start: int, end: int) -> tuple[StatementSlice, ...]:
    """The statements of `text` between `start` and `end`, the inside of a routine's body; never raises."""
    return _Splitter(text, lex.scanner(dialect.name), start, end).run()


class Cut(Struct, frozen=True):
    """The statements of a text. `steady` where each was found without regard to those before it."""

    slices: tuple[StatementSlice, ...]
    steady: bool


def cut(text: str, dialect: Dialect) -> Cut:
    """The statements of `text`, and whether an edit of one can leave the others alone (`syntax.resplit`)."""
    splitter = _Splitter(text, lex.scanner(dialect.name))
    slices = splitter.run()
    return Cut(slices, splitter.routines and not (splitter.strict or splitter.unclosed or splitter.delimited))


class _Splitter:
    """The state of one pass over a text."""

    def __init__(self, text: str, scanner: lex.Scanner, start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.first = start
        self.limit = len(text.rstrip()) if end is None else end
        self.scanner = scanner
        self.rules = scanner.rules
        self.pattern = scanner.tokens
        self.strict = False
        self.routines = True
        self.delimited = False
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
        self.statement = OpenStatement(self.text, self.rules)
        self.body: RoutineBody | None = None
        self.until = heads.NOTHING

    def run(self) -> tuple[StatementSlice, ...]:
        position = first = self.first + (not self.first and self.text.startswith("\ufeff"))
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
            if self.body is None or not self.body.is_open(self.statement.depth):
                break
            # A routine never closes: once more from its start, cut at its semicolons.
            position = self.statement.start
            self.routines = False
            delimiter = self.delimiter
            self._forget()
            self.delimiter = delimiter
        self._emit()
        return tuple(self.found)

    def _emit(self) -> None:
        if self.mode == _PLAIN:
            self.found.append(StatementSlice(self.statement.start, self.last))
        self._reset()

    def _scan(self, position: int) -> int:
        """Read tokens from `position` until one has to be stepped over by hand; where to go on, -1 to start again."""
        text = self.text
        watched = heads.WATCHED
        # Inside of a statement a sign means something to a batch or a delimiter only.
        dull = lex.SYMBOL if self.scanner.batch_line is None and not self.delimiter else None
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
            elif kind not in (lex.CLOSED, dull) or self.mode == _FRESH:
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
            self.statement.depth += 1
        elif kind == lex.CLOSE:
            self.statement.depth = max(self.statement.depth - 1, 0)
        elif kind == lex.DELIMITED:
            return self._delimited(start, end)
        elif kind == lex.OPEN_QUOTE:
            return self._open_quote(start)
        return 0

    def _semicolon(self, start: int, end: int) -> int:
        if self.delimiter:
            return self._delimiter(start) or self._step_to(start, end)
        if self.body is not None and self.body.semicolon(self.statement.depth):
            return 0
        copy = self.statement.first == "COPY" and "\\" in self.rules.line_command_signs
        data = copy and _COPY_FROM_STDIN.search(self.text, self.statement.start, start) is not None
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
            return line_end(self.text, start)
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
        end = boundary(self.text, start, self.limit)
        if end < 0:
            return self.limit
        if self.body is None:
            self._emit()
        return end

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
            elif boundary(self.text, start, match.end()) < 0:
                return self._step_to(start, match.end())
        return self._line_quote(start)

    def _line_quote(self, start: int) -> int:
        return self._step_to(start, line_quote_end(self.text, start, self.limit))

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
        if (self._begins_line(start) or self._needs_no_line(word)) and self._ends_before(word, start):
            if self.mode == _HEAD:
                self._emit_head()
            self._emit()
            return start
        if self.body is not None:
            if word in _BODY_WORDS:
                self.body.word(word, self._previous(), self._next(end), self.statement.depth)
        elif self.mode == _HEAD:
            return self._head_word(word, start, end)
        elif self.mode == _PLAIN:
            self.statement.word(word, self._previous())
        return 0

    def _needs_no_line(self, word: str) -> bool:
        """Whether a statement may begin with `word` in the middle of a line, without a semicolon (T-SQL)."""
        if not self.rules.batches:
            return False
        return word in heads.BATCH_STEPS or (self.mode == _STEP and word in heads.BATCH_STARTS)

    def _begin_word(self, word: str, start: int, end: int) -> int:
        rules = self.rules
        if word in rules.line_commands and self._begins_line(start):
            return line_end(self.text, start)
        if word == "DELIMITER" and rules.delimiter_command and self._begins_line(start):
            stop = line_end(self.text, start)
            delimiter = self.text[end:stop].strip()
            self.delimiter = "" if delimiter == ";" else delimiter
            self.delimited = True
            return stop
        if self.delimiter:
            self._begin(word, start)
            return 0
        label = heads.LABEL.match(self.text, start) if self.text[end : end + 1] in (":", " ") else None
        if label:
            return label.end()
        if word in heads.SCRIPT_HEADS:
            return self._script_head(word, heads.SCRIPT_HEADS[word], start, end)
        if word in heads.LOCAL_ROUTINES and rules.declarations:
            return self._script_head(word, heads.ROUTINE_HEAD, start, end)
        if word in heads.SCRIPT_STEPS:
            self.mode = _STEP
            self.statement = OpenStatement.step(self.text, rules, start, word)
            return self._script_end(end) if word == "END" else 0
        self._begin(word, start)
        return 0

    def _script_head(self, word: str, until: frozenset[str], start: int, end: int) -> int:
        """Leave out what only steers a script; BEGIN of a transaction is a statement."""
        if word == "BEGIN" and self._next(end) in heads.TRANSACTION:
            self._begin(word, start)
            return 0
        if until is heads.NOTHING:
            return self._step_to(start, end)
        self.mode = _HEAD
        self.statement = OpenStatement.step(self.text, self.rules, start, word)
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
        """Leave out the condition of IF, WHILE, .. up to the word that ends it."""
        statement = self.statement
        if word in self.until and not statement.cases and not statement.depth and not self._tests_column(word, end):
            self._emit_head()
            self._reset()
            begins = self.rules.batches or word in heads.STATEMENT_ENDS_HEAD
            return start if begins else self._step_to(start, end)
        if word in ("CASE", "END"):
            statement.word(word, "")
        return 0

    def _tests_column(self, word: str, end: int) -> bool:
        """IF UPDATE(c) in a trigger (T-SQL)."""
        return word == "UPDATE" and self._next(end) == "("

    def _emit_head(self) -> None:
        """What steers a script is a statement of its own where it reads a relation or names a row."""
        start = self.statement.start
        if heads.READING_HEAD.match(self.text, start, self.last):
            self.found.append(StatementSlice(start, self.last))

    def _begin(self, word: str, start: int) -> None:
        self.mode = _PLAIN
        self.statement = OpenStatement(self.text, self.rules, start, word)
        if word in ("CREATE", "ALTER") and self.routines:
            routine = heads.ROUTINE.match(self.text, start)
            if routine and (word == "CREATE" or self.rules.batches):
                self.body = RoutineBody(routine[1].upper(), self.rules)

    # A missing semicolon.

    def _ends_before(self, word: str, start: int) -> bool:
        """True where `word`, the first of its line, begins a statement although the last one has no terminator."""
        if self.body is not None or self.delimiter:
            return self._routine_ends_before(word, start)
        return self.statement.ends_before(word, start, self._previous(), self.tag_at > self.last)

    def _routine_ends_before(self, word: str, start: int) -> bool:
        body = self.body
        first_column = start == 0 or self.text[start - 1] in "\r\n"
        if self.rules.batches and body is not None and body.done:
            return word in heads.BATCH_STARTS
        if not first_column or word != "CREATE" or self._previous() in heads.CONTINUING:
            return False
        if heads.ROUTINE.match(self.text, start):
            return True
        if body is None or body.is_open(self.statement.depth) or self.rules.batches:
            return False
        return heads.DEEP_HEADS["CREATE"].match(self.text, start) is not None
