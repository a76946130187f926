"""Rewrites of constructs that sqlglot's parser lacks into ones that it reads. Each says what it stands for."""

from __future__ import annotations

import re

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.array_paths import rewrite_paths
from sql_lineage_ls.syntax.brackets import CLOSE, OPEN, behind_bracket
from sql_lineage_ls.syntax.clause_words import rewrite_clause_words
from sql_lineage_ls.syntax.from_first import comes_first, select_first
from sql_lineage_ls.syntax.merge_words import rewrite_merge
from sql_lineage_ls.syntax.name_clauses import rewrite_name_clauses
from sql_lineage_ls.syntax.pipes import unpipe
from sql_lineage_ls.syntax.pivot_statements import wrap_pivots
from sql_lineage_ls.syntax.recursion_marks import cut_recursion_marks
from sql_lineage_ls.syntax.relation_arguments import WRITTEN, rewrite_relation_arguments
from sql_lineage_ls.syntax.repair import MARK, Prepared, mark
from sql_lineage_ls.syntax.tokens import head_word

T = TokenType



def rewrite(prepared: Prepared) -> None:
    """Marks the tokens and applies every rewrite that the text gives a reason for."""
    _order_clauses(prepared)
    text = prepared.text
    # Looking for a word takes a tenth of what an expression without case takes to find that there is none.
    upper = text.upper()
    if ("IDENTIFIER" in upper or "SEMANTIC_VIEW" in upper) and _NAME_CLAUSE.search(text):
        rewrite_name_clauses(prepared.tokens)
    mark(prepared.tokens)
    _rewrite_signs(prepared)
    by_head = _BY_HEAD.get(head_word(prepared.tokens))
    if by_head is not None:
        by_head(prepared.tokens)
    if "@" in text:
        _rewrite_at_signs(prepared)
    _limit_open_joins(prepared.tokens)
    rewrite_clause_words(upper, prepared.tokens, prepared.dialect)
    if ("TABLE" in upper or "MODEL" in upper) and WRITTEN.search(text):
        rewrite_relation_arguments(prepared.tokens)
    if ("SEARCH" in upper or "CYCLE" in upper) and _RECURSION_MARK.search(upper):
        cut_recursion_marks(prepared)
    if ("NTH_VALUE" in upper or "APPROXIMATE" in upper) and _NTH.search(text):
        _drop_nth_direction(prepared.tokens)
    if "PIVOT" in upper and prepared.dialect.pivot_statements:
        wrap_pivots(prepared.tokens)
    if "CORRESPONDING" in upper:
        _read_corresponding(prepared.tokens)
    if prepared.dialect.array_path_in_from:
        rewrite_paths(prepared)
        if "OFFSET" in upper and "LIMIT" in upper:
            _end_offset(prepared.tokens)


def _rewrite_signs(prepared: Prepared) -> None:
    """Numbers, marks and quotes that sqlglot's tokenizer reads otherwise than the database."""
    text, tokens = prepared.text, prepared.tokens
    if _SPLIT_NUMBER.search(text):
        _join_numbers(tokens)
    if "(+)" in text:
        _drop_join_marks(tokens)
    if "~" in text and not prepared.dialect.grammar:
        _read_matches(tokens)
    if "-\n" in text and prepared.dialect.grammar in _CONTINUED:
        _drop_continuations(prepared)
    if prepared.dialect.quoted_dots_split and "`" in text:
        _hide_dots(tokens)


def _order_clauses(prepared: Prepared) -> None:
    """Pipes, and FROM before SELECT."""
    if "|>" in prepared.text:
        prepared.tokens[:] = unpipe(prepared.tokens)
    if prepared.dialect.grammar in _SELECT_LATER and comes_first(prepared.tokens):
        prepared.tokens[:] = select_first(prepared.tokens)


_SELECT_LATER = frozenset({"", "duckdb", "hive", "spark", "databricks"})
_NAME_CLAUSE = re.compile(r"\b(?:IDENTIFIER|SEMANTIC_VIEW)\s*\(", re.IGNORECASE)
_SPLIT_NUMBER = re.compile(r"[0-9]_[0-9]")
_RECURSION_MARK = re.compile(r"\)\s*(?:SEARCH\s+(?:DEPTH|BREADTH)|CYCLE)\s")
_NTH = re.compile(r"\)\s*FROM\s+(?:FIRST|LAST)\b|\bAPPROXIMATE\s", re.IGNORECASE)


def _end_offset(tokens: list[Token]) -> None:
    """`UNNEST(items) WITH OFFSET LIMIT 3`, where sqlglot takes LIMIT for the offset's alias: a WHERE parts them."""
    for index in range(len(tokens) - 1, 1, -1):
        before = tokens[index - 1]
        if (tokens[index].token_type is T.LIMIT and before.text.upper() == "OFFSET"
                and tokens[index - 2].token_type is T.WITH):
            tokens[index:index] = [Token(T.WHERE, "WHERE", before.line, before.col, before.end, before.end),
                                   Token(T.TRUE, "TRUE", before.line, before.col, before.end, before.end)]


_SET_OPERATORS = frozenset({T.UNION, T.INTERSECT, T.EXCEPT})


def _read_corresponding(tokens: list[Token]) -> None:
    """`UNION ALL CORRESPONDING` keeps the columns that both branches have: an INNER UNION ALL BY NAME."""
    for index in range(len(tokens) - 1, 1, -1):
        if tokens[index].text.upper() != "CORRESPONDING":
            continue
        operator = index - 1 if tokens[index - 1].token_type in _SET_OPERATORS else index - 2
        if tokens[operator].token_type not in _SET_OPERATORS or tokens[index - 1].text.upper() == "STRICT":
            continue
        if operator and tokens[operator - 1].token_type not in (T.LEFT, T.FULL, T.INNER, T.OUTER):
            tokens.insert(operator, _like(tokens[operator], T.INNER, "INNER"))


def _join_numbers(tokens: list[Token]) -> None:
    """`100_000`, which the tokenizer cuts into a number and an alias."""
    for index in range(len(tokens) - 1, 0, -1):
        token = tokens[index]
        if token.token_type is T.VAR and token.text[:1] == "_" and token.text[1:].replace("_", "").isdigit():
            number = tokens[index - 1]
            if number.token_type is T.NUMBER and number.end + 1 == token.start:
                number.text += token.text.replace("_", "")
                number.end = token.end
                del tokens[index]


def _hide_dots(tokens: list[Token]) -> None:
    """Marks the dots inside `` `p.d.t` ``: the lowering splits such a name, and knows where each part stands."""
    identifier = T.IDENTIFIER
    for token in tokens:
        if token.token_type is identifier and "." in token.text:
            token.text = token.text.replace(".", MARK)


# Joins in a row without ON or USING that the parser is left to pair with later conditions: it tries every way.
_OPEN_JOINS = 6
_CLAUSES = frozenset(
    {T.SELECT, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.QUALIFY, T.SET, T.VALUES, T.WINDOW, T.LIMIT, T.UNION}
)
_JOIN_SCAN = _CLAUSES | OPEN | CLOSE | {T.JOIN, T.ON, T.USING}
_JOIN_WORDS = frozenset({T.CROSS, T.NATURAL, T.ARRAY, T.LEFT, T.RIGHT, T.FULL, T.SEMI, T.ANTI, T.ASOF, T.OUTER})


def _limit_open_joins(tokens: list[Token]) -> None:
    """Makes CROSS JOIN of a plain JOIN that no condition follows, where many stand in a row."""
    join = T.JOIN
    scanned = [i for i, token in enumerate(tokens) if token.token_type in _JOIN_SCAN]
    if sum(1 for i in scanned if tokens[i].token_type is join) <= _OPEN_JOINS:
        return
    found: list[int] = []
    pending: list[list[int]] = [[]]
    for index in scanned:
        kind = tokens[index].token_type
        if kind in OPEN:
            pending.append([])
        elif kind in CLOSE:
            found += _surplus(pending.pop()) if len(pending) > 1 else []
        elif kind is join:
            pending[-1].append(index)
        elif (kind is T.ON or kind is T.USING) and pending[-1]:
            pending[-1].pop()
        elif kind in _CLAUSES:
            found += _surplus(pending[-1])
            pending[-1] = []
    for rest in pending:
        found += _surplus(rest)
    for index in sorted(found, reverse=True):
        before = tokens[index - 1]
        if before.token_type is T.INNER:
            tokens[index - 1] = _like(before, T.CROSS, "CROSS")
        elif before.token_type not in _JOIN_WORDS:
            tokens.insert(index, _like(tokens[index], T.CROSS, "CROSS"))


def _surplus(indexes: list[int]) -> list[int]:
    return indexes if len(indexes) > _OPEN_JOINS else []


def _drop_nth_direction(tokens: list[Token]) -> None:
    """`NTH_VALUE(x, 2) FROM LAST` and Redshift's `APPROXIMATE COUNT(..)`: words that change no source."""
    index = 1
    while index + 2 < len(tokens):
        word = tokens[index].text.upper()
        direction = tokens[index + 1].text.upper()
        if word == "FROM" and direction in ("FIRST", "LAST") and tokens[index - 1].token_type is T.R_PAREN:
            if tokens[index + 2].text.upper() in ("OVER", "IGNORE", "RESPECT"):
                del tokens[index : index + 2]
        elif word == "APPROXIMATE" and tokens[index + 2].token_type is T.L_PAREN:
            del tokens[index]
        index += 1


# The generic grammar knows `~` in front of a value only; behind one it matches a pattern (Postgres, DuckDB).
_VALUE_ENDS = frozenset({T.VAR, T.IDENTIFIER, T.R_PAREN, T.R_BRACKET, T.STRING})


def _read_matches(tokens: list[Token]) -> None:
    """`name ~ 'pattern'` where the dialect is not known."""
    for index in range(1, len(tokens)):
        if tokens[index].token_type is T.TILDE and tokens[index - 1].token_type in _VALUE_ENDS:
            tokens[index].token_type = T.RLIKE


# SQL*Plus reads `-` at the end of a line as "goes on in the next one".
_CONTINUED = frozenset({"oracle"})


def _drop_continuations(prepared: Prepared) -> None:
    """A dash at a line's end that no value can follow."""
    tokens = prepared.tokens
    for index in range(len(tokens) - 2, 0, -1):
        dash, following = tokens[index], tokens[index + 1].token_type
        ends_line = dash.token_type is T.DASH and prepared.text[dash.end + 1 : dash.end + 2] in ("\n", "\r")
        alone = following in (T.COMMA, T.R_PAREN) or tokens[index - 1].token_type in (T.COMMA, T.L_PAREN)
        if ends_line and alone:
            del tokens[index]


def _drop_join_marks(tokens: list[Token]) -> None:
    """Oracle's `(+)` behind a collection in FROM; it says which rows stay and names nothing."""
    tokens[:] = [
        token
        for index, token in enumerate(tokens)
        if token.token_type is not T.JOIN_MARKER or not index or tokens[index - 1].token_type is not T.R_PAREN
    ]


def _rewrite_insert(tokens: list[Token]) -> None:
    """REPLACE INTO is an INSERT; `INSERT INTO t (a.b)` has its dotted columns joined; a folder's format is dropped."""
    if tokens[0].text.upper() == "REPLACE" and len(tokens) > 1 and tokens[1].token_type is not T.L_PAREN:
        tokens[0] = _like(tokens[0], T.INSERT, "INSERT")
        if tokens[1].token_type is not T.INTO:
            tokens.insert(1, _like(tokens[0], T.INTO, "INTO"))
    insert = T.INSERT
    start = next((i for i, token in enumerate(tokens) if token.token_type is insert), -1)
    if start < 0:
        return
    if start + 2 < len(tokens) and any(token.text.upper() == "DIRECTORY" for token in tokens[start : start + 4]):
        _drop_folder_format(tokens, start)
        return
    _join_columns(tokens, start)
    _cut_tail(tokens, start)
    table = next((i for i in range(start + 3, len(tokens) - 1) if tokens[i].token_type is T.TABLE), 0)
    if table and tokens[table - 1].token_type not in (T.INTO, T.OVERWRITE, T.L_PAREN):
        _rewrite_table(tokens, table)


# Behind INSERT's target these give the rows without naming a column.
_ROWS_FROM_OUTSIDE = frozenset({"EXEC", "EXECUTE", "FORMAT"})


def _cut_tail(tokens: list[Token], start: int) -> None:
    """INSERT INTO t EXEC p, INSERT INTO t FORMAT CSV: only the target says something. BY POSITION is the default."""
    depth = 0
    for index in range(start + 1, len(tokens)):
        token = tokens[index]
        kind = token.token_type
        word = token.text.upper()
        depth += (kind in OPEN) - (kind in CLOSE)
        if kind in (T.SELECT, T.VALUES, T.WITH, T.FROM):
            return
        if not depth and word in _ROWS_FROM_OUTSIDE and tokens[index - 1].token_type is not T.DOT and index > start + 2:
            del tokens[index:]
            return
        if word == "BY" and index + 1 < len(tokens) and tokens[index + 1].text.upper() == "POSITION":
            del tokens[index : index + 2]
            return


def is_mutation(tokens: list[Token]) -> bool:
    """ClickHouse `ALTER TABLE t UPDATE ..`, `ALTER TABLE t DELETE WHERE ..`."""
    return _mutation_word(tokens) > 0


def _mutation_word(tokens: list[Token]) -> int:
    index = 3
    while index + 1 < len(tokens) and tokens[index].token_type is T.DOT:
        index += 2
    if index < len(tokens) and tokens[index].text.upper() in ("UPDATE", "DELETE"):
        return index
    return -1


def _rewrite_mutation(tokens: list[Token]) -> None:
    """`ALTER TABLE t UPDATE a = b WHERE c` is `UPDATE t SET a = b WHERE c`."""
    index = _mutation_word(tokens)
    if index < 0:
        return
    word = tokens[index]
    name = tokens[2:index]
    if word.text.upper() == "UPDATE":
        tokens[: index + 1] = [_like(tokens[0], T.UPDATE, "UPDATE"), *name, _like(word, T.SET, "SET")]
    else:
        tokens[: index + 1] = [_like(tokens[0], T.DELETE, "DELETE"), _like(tokens[1], T.FROM, "FROM"), *name]


# A name with `@` is a variable or a table variable there. Elsewhere it is a stage or a database link.
_VARIABLES = frozenset({"tsql", "bigquery", "mysql"})
# `t@v1` is a version of t there.
_VERSIONS = frozenset({"databricks", "spark"})


def _rewrite_at_signs(prepared: Prepared) -> None:
    """Joins `@` and its name to one token, so that the name keeps its place; drops a table's version."""
    tokens = prepared.tokens
    grammar = prepared.dialect.grammar
    index = 0
    while index + 1 < len(tokens):
        token, name = tokens[index], tokens[index + 1]
        adjacent = token.token_type is T.PARAMETER and token.text == "@" and name.start == token.end + 1
        if adjacent and grammar in _VARIABLES and name.token_type is not T.PARAMETER:
            if not index or tokens[index - 1].token_type is not T.PARAMETER:
                joined = Token(T.VAR, "@" + name.text, token.line, token.col, token.start, name.end)
                tokens[index : index + 2] = [joined]
        elif adjacent and grammar in _VERSIONS and index and tokens[index - 1].end + 1 == token.start:
            del tokens[index : index + 2]
            continue
        index += 1


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)


def _drop_folder_format(tokens: list[Token], start: int) -> None:
    """INSERT OVERWRITE DIRECTORY 'path' USING parquet OPTIONS (..) SELECT: the folder and the query stay."""
    stop = next((i for i in range(start, len(tokens)) if tokens[i].token_type in (T.SELECT, T.WITH, T.FROM)), None)
    using = next((i for i in range(start, stop or 0) if tokens[i].token_type is T.USING), None)
    if using is not None and stop is not None:
        del tokens[using:stop]


def _is_name(token: Token) -> bool:
    return token.token_type is T.IDENTIFIER or token.text.rpartition(MARK)[2].isidentifier()


def _join_columns(tokens: list[Token], start: int) -> None:
    """Makes each `a.b` of an INSERT's column list one name, whose dots are marks."""
    index = start + 1
    while index < len(tokens) and tokens[index].token_type not in (T.L_PAREN, T.SELECT, T.VALUES, T.WITH):
        index += 1
    if index >= len(tokens) or tokens[index].token_type is not T.L_PAREN:
        return
    if index + 1 < len(tokens) and tokens[index + 1].token_type in (T.SELECT, T.WITH, T.L_PAREN):
        return
    while index < len(tokens) and tokens[index].token_type is not T.R_PAREN:
        first, last = tokens[index - 1], tokens[min(index + 1, len(tokens) - 1)]
        if tokens[index].token_type is T.DOT and _is_name(first) and _is_name(last):
            joined = Token(T.VAR, first.text + MARK + last.text, first.line, first.col, first.start, last.end)
            tokens[index - 1 : index + 2] = [joined]
            continue
        index += 1


def _drop_first_from(tokens: list[Token]) -> None:
    """`DELETE FROM t FROM t JOIN u ..` (T-SQL) is `DELETE t FROM t JOIN u ..`."""
    if len(tokens) < 4 or tokens[1].token_type is not T.FROM:
        return
    index = 3
    while index + 1 < len(tokens) and tokens[index].token_type is T.DOT:
        index += 2
    if index < len(tokens) and tokens[index].token_type is T.FROM:
        del tokens[1]


def _name_inline_view(tokens: list[Token]) -> None:
    """Oracle's `UPDATE (SELECT ..) v SET ..`, `DELETE FROM (SELECT ..) v` change the view's table, as of a CTE."""
    opening = next((i for i, token in enumerate(tokens[:3]) if token.token_type is T.L_PAREN), 0)
    if not opening or opening + 1 >= len(tokens) or tokens[opening + 1].token_type not in (T.SELECT, T.WITH):
        return
    stop = behind_bracket(tokens, opening)
    query = tokens[opening:stop]
    alias = tokens[stop] if stop < len(tokens) and tokens[stop].token_type is T.VAR else None
    name = alias or _like(tokens[0], T.VAR, "inline_view")
    verb = tokens[:opening]
    tokens[: stop + (alias is not None)] = [
        _like(tokens[0], T.WITH, "WITH"), name, _like(tokens[0], T.ALIAS, "AS"), *query, *verb, name,
    ]  # fmt: skip


def _rewrite_delete(tokens: list[Token]) -> None:
    _drop_first_from(tokens)
    _name_inline_view(tokens)


def _rewrite_table(tokens: list[Token], index: int = 0) -> None:
    """`TABLE t` is `SELECT * FROM t` (Spark, PostgreSQL), as a statement or behind INSERT INTO s."""
    word = tokens[index]
    if index + 1 < len(tokens) and _is_name(tokens[index + 1]):
        tokens[index : index + 1] = [
            _like(word, T.SELECT, "SELECT"), _like(word, T.STAR, "*"), _like(word, T.FROM, "FROM")]  # fmt: skip


_BY_HEAD = {
    "TABLE": _rewrite_table,
    "UPDATE": _name_inline_view,
    "DELETE": _rewrite_delete,
    "INSERT": _rewrite_insert,
    "REPLACE": _rewrite_insert,
    "WITH": _rewrite_insert,
    "MERGE": rewrite_merge,
    "ALTER": _rewrite_mutation,
}
