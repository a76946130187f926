"""Statements that move rows between tables and files: COPY, LOAD DATA, UNLOAD, EXPORT DATA.

Each becomes an `Insert`: into a table from a location (`SELECT *` of it), or from a query into a location. They are
read from tokens, since their options differ in every database and name no column.
"""

from __future__ import annotations

from sqlglot.errors import TokenError
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.brackets import CLOSE, OPEN
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.lower import query_from_tokens
from sql_lineage_ls.syntax.tokens import tokenize

T = TokenType

TRANSFER_WORDS = frozenset({"COPY", "LOAD", "UNLOAD", "EXPORT"})

_QUERY_STARTS = frozenset({"SELECT", "WITH", "FROM", "VALUES", "TABLE"})
_ADDRESS_OPTIONS = frozenset({"URI", "URIS"})


def read_transfer(text: str, tokens: list[Token], dialect: Dialect) -> q.StatementModel | None:
    """The statement as an Insert, None where its form is not known.

    `COPY INTO t FROM 's3://b/x'` inserts `SELECT *` from that location into t.
    """
    reader = _Reader(text, tokens, dialect)
    statement = _READERS[tokens[0].text.upper()](reader)
    if statement is None:
        return None
    return q.StatementModel(statement, tuple(reader.issues), bool(reader.issues))


class _Reader:
    """A position in the tokens of one statement."""

    def __init__(self, text: str, tokens: list[Token], dialect: Dialect) -> None:
        self.text = text
        self.tokens = tokens
        self.dialect = dialect
        self.index = 1
        self.issues: list[q.SyntaxIssue] = []

    def word(self, ahead: int = 0) -> str:
        """The word at the position, in upper case; '' behind the end."""
        index = self.index + ahead
        return self.tokens[index].text.upper() if index < len(self.tokens) else ""

    def at(self, kind: TokenType) -> bool:
        return self.index < len(self.tokens) and self.tokens[self.index].token_type is kind

    def accept(self, *words: str) -> bool:
        """Steps over the word if it is one of `words` and no string."""
        if self.word() in words and not self.at(T.STRING):
            self.index += 1
            return True
        return False

    def find(self, *words: str) -> bool:
        """Moves behind the next of `words` outside brackets."""
        depth = 0
        for index in range(self.index, len(self.tokens)):
            token = self.tokens[index]
            if token.token_type in OPEN:
                depth += 1
            elif token.token_type in CLOSE:
                depth -= 1
            elif not depth and token.token_type is not T.STRING and token.text.upper() in words:
                self.index = index + 1
                return True
        return False

    def name(self) -> tuple[q.Name, ...]:
        """A dotted name."""
        parts: list[q.Name] = []
        while self.index < len(self.tokens):
            token = self.tokens[self.index]
            quoted = token.token_type is T.IDENTIFIER
            parts += self._parts(token) if quoted else [q.Name(token.text, token.start, token.end + 1)]
            self.index += 1
            if not self.at(T.DOT):
                break
            self.index += 1
        return tuple(parts)

    def _parts(self, token: Token) -> list[q.Name]:
        if not self.dialect.quoted_dots_split or "." not in token.text:
            return [q.Name(token.text, token.start, token.end + 1, True)]
        parts: list[q.Name] = []
        start = token.start + 1
        for word in token.text.split("."):
            parts.append(q.Name(word, start, start + len(word), True))
            start += len(word) + 1
        return parts

    def columns(self) -> tuple[q.ColumnRef, ...]:
        """A column list in brackets, types left out."""
        if not self.at(T.L_PAREN):
            return ()
        stop = self.behind()
        found: list[q.ColumnRef] = []
        depth = 0
        expected = True
        for token in self.tokens[self.index + 1 : stop - 1]:
            kind = token.token_type
            depth += (kind in OPEN or kind is T.LT) - (kind in CLOSE or kind is T.GT)
            if expected and not depth:
                name = q.Name(token.text, token.start, token.end + 1, kind is T.IDENTIFIER)
                found.append(q.ColumnRef((name,)))
                expected = False
            elif kind is T.COMMA and not depth:
                expected = True
        self.index = stop
        return tuple(found)

    def behind(self) -> int:
        """Index behind the brackets that open at the position."""
        depth = 0
        for index in range(self.index, len(self.tokens)):
            kind = self.tokens[index].token_type
            if kind in OPEN:
                depth += 1
            elif kind in CLOSE:
                depth -= 1
                if not depth:
                    return index + 1
        return len(self.tokens)

    def location(self) -> tuple[str, int, int] | None:
        """An address: a string, or a stage (`@stage/path`), which ends at a blank."""
        if self.index >= len(self.tokens):
            return None
        token = self.tokens[self.index]
        if token.token_type is T.STRING:
            self.index += 1
            return token.text, token.start, token.end + 1
        if self.text[token.start] != "@":
            return None
        end = token.end + 1
        self.index += 1
        while self.index < len(self.tokens) and self.tokens[self.index].start == end and not self.at(T.R_PAREN):
            end = self.tokens[self.index].end + 1
            self.index += 1
        return self.text[token.start : end], token.start, end

    def query(self, stop: int | None = None) -> q.Query | None:
        """The query from the position to `stop` (or, in brackets, to their end)."""
        if self.at(T.L_PAREN) and stop is None:
            stop = self.behind()
        end = len(self.tokens) if stop is None else stop
        query, issues = query_from_tokens(self.text, self.tokens[self.index : end], self.dialect)
        self.issues.extend(issues)
        self.index = end
        return query

    def quoted_query(self) -> q.Query | None:
        """A query in a string; blanks before it keep its positions those of the statement."""
        token = self.tokens[self.index]
        begin = self.text.find(token.text, token.start, token.end + 1)
        if begin < 0:
            return None
        padded = " " * begin + token.text
        try:
            tokens = tokenize(padded, self.dialect)
        except TokenError:
            return None
        query, issues = query_from_tokens(padded, tokens, self.dialect)
        self.issues.extend(issues)
        return query


def _everything(source: q.TableRef) -> q.Query:
    return q.Select((q.Projection(q.Star()),), (q.FromItem(source),))


def _file(location: tuple[str, int, int]) -> q.TableRef:
    address, start, end = location
    return q.TableRef((), location=address, start=start, end=end)


# Ends of a COPY that no path names: the client's own streams, and programs.
_STREAMS = frozenset({"STDIN", "STDOUT", "PROGRAM"})


def _copy(reader: _Reader) -> q.Statement | None:
    """COPY [INTO] a FROM b, COPY a TO b."""
    reader.accept("INTO")
    if reader.at(T.L_PAREN):
        query = reader.query()
        location = reader.location() if reader.accept("TO") else None
        if query is not None and reader.word() in _STREAMS:
            return q.QueryStatement(query)
        return q.Insert((), query, location=location[0]) if location is not None else None
    location = reader.location()
    if location is not None:
        return _unloaded(reader, location[0]) if reader.accept("FROM") else None
    name = reader.name()
    columns = reader.columns()
    if reader.accept("TO"):
        if reader.word() in _STREAMS:
            return q.QueryStatement(_table(name, columns))
        location = reader.location()
        return q.Insert((), _table(name, columns), location=location[0]) if location is not None else None
    if not reader.accept("FROM"):
        return None
    if reader.at(T.L_PAREN):
        return q.Insert(name, reader.query(), columns)
    if reader.word() in _STREAMS:
        return q.OtherStatement("COPY")
    location = reader.location()
    return q.Insert(name, _everything(_file(location)), columns) if location is not None else None


def _unloaded(reader: _Reader, address: str) -> q.Statement | None:
    """Behind COPY INTO 'location' FROM: a table or a query."""
    if reader.at(T.L_PAREN):
        return q.Insert((), reader.query(), location=address)
    return q.Insert((), _table(reader.name(), ()), location=address)


def _table(name: tuple[q.Name, ...], columns: tuple[q.ColumnRef, ...]) -> q.Query:
    source = q.TableRef(name, start=name[0].start, end=name[-1].end) if name else q.TableRef(())
    if not columns:
        return _everything(source)
    return q.Select(tuple(q.Projection(column) for column in columns), (q.FromItem(source),))


def _unload(reader: _Reader) -> q.Statement | None:
    """UNLOAD ('SELECT ..') TO 'location', UNLOAD (SELECT ..) TO 'location'."""
    if not reader.at(T.L_PAREN):
        return None
    stop = reader.behind()
    if reader.index + 1 < len(reader.tokens) and reader.tokens[reader.index + 1].token_type is T.STRING:
        reader.index += 1
        query = reader.quoted_query()
        reader.index = stop
    else:
        query = reader.query()
    location = reader.location() if reader.accept("TO") else None
    return q.Insert((), query, location=location[0]) if location is not None and query is not None else None


def _export(reader: _Reader) -> q.Statement | None:
    """EXPORT DATA OPTIONS (uri = '..') AS query. Hive's EXPORT TABLE and DuckDB's EXPORT DATABASE copy whole things."""
    if reader.word() != "DATA":
        return q.OtherStatement("EXPORT")
    address = _option(reader)
    if not reader.find("AS"):
        return None
    if reader.word() not in _QUERY_STARTS and not reader.at(T.L_PAREN):
        return None
    return q.Insert((), reader.query(len(reader.tokens)), location=address[0] if address is not None else "")


def _option(reader: _Reader) -> tuple[str, int, int] | None:
    """The string behind `uri =` or the first one of `uris = [..]`."""
    tokens = reader.tokens
    for index in range(reader.index, len(tokens) - 2):
        if tokens[index].text.upper() in _ADDRESS_OPTIONS and tokens[index + 1].token_type is T.EQ:
            for token in tokens[index + 2 : index + 4]:
                if token.token_type is T.STRING:
                    return token.text, token.start, token.end + 1
    return None


_LOAD_WORDS = frozenset({"OVERWRITE", "REPLACE", "IGNORE", "INTO", "TEMP", "TEMPORARY", "TABLE"})


def _load(reader: _Reader) -> q.Statement | None:
    """LOAD DATA INTO t FROM FILES (uris = ..), LOAD DATA [LOCAL] INPATH '..' INTO TABLE t, LOAD DATA INFILE '..'."""
    if not reader.accept("DATA"):
        return q.OtherStatement("LOAD")
    reader.accept("LOCAL")
    location: tuple[str, int, int] | None = None
    if reader.accept("INPATH", "INFILE"):
        location = reader.location()
    overwrite = False
    while reader.word() in _LOAD_WORDS:
        overwrite = overwrite or reader.word() == "OVERWRITE"
        reader.index += 1
    name = reader.name()
    columns = reader.columns()
    if location is None:
        location = _option(reader)
    if location is None or not name:
        return None
    return q.Insert(name, _everything(_file(location)), columns, overwrite=overwrite)


_READERS = {"COPY": _copy, "UNLOAD": _unload, "EXPORT": _export, "LOAD": _load}
