"""Rewrites of constructs that sqlglot's parser lacks into ones that it reads. Each says what it stands for."""

from __future__ import annotations

import re

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.repair import MARK, Prepared, mark
from sql_lineage_ls.syntax.tokens import head_word

T = TokenType

_NAMES = frozenset({T.VAR, T.IDENTIFIER})
_OPEN = frozenset({T.L_PAREN, T.L_BRACKET, T.L_BRACE})
_CLOSE = frozenset({T.R_PAREN, T.R_BRACKET, T.R_BRACE})


def rewrite(prepared: Prepared) -> None:
    """Marks the tokens and applies every rewrite that the text gives a reason for."""
    mark(prepared.tokens)
    text = prepared.text
    if _SPLIT_NUMBER.search(text):
        _join_numbers(prepared.tokens)
    if "(+)" in text:
        _drop_join_marks(prepared.tokens)
    head = head_word(prepared.tokens)
    if head in ("INSERT", "REPLACE", "WITH"):
        _rewrite_insert(prepared.tokens)
    elif head == "MERGE":
        _rewrite_deletes(prepared.tokens)
    elif head == "ALTER" and is_mutation(prepared.tokens):
        _rewrite_mutation(prepared.tokens)
    if "@" in text:
        _rewrite_at_signs(prepared)
    if prepared.dialect.quoted_dots_split and "`" in text:
        _hide_dots(prepared.tokens)
    _limit_open_joins(prepared.tokens)
    if _NTH.search(text):
        _drop_nth_direction(prepared.tokens)
    if prepared.dialect.array_path_in_from:
        if _OFFSET.search(text):
            _take_offsets(prepared)
        if "[" in text:
            _wrap_paths(prepared.tokens)


_SPLIT_NUMBER = re.compile(r"[0-9]_[0-9]")
_OFFSET = re.compile(r"\bWITH\s+OFFSET\b", re.IGNORECASE)
_NTH = re.compile(r"\)\s*FROM\s+(?:FIRST|LAST)\b|\bAPPROXIMATE\s", re.IGNORECASE)


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
_JOIN_WORDS = frozenset({T.CROSS, T.NATURAL, T.ARRAY, T.LEFT, T.RIGHT, T.FULL, T.SEMI, T.ANTI, T.ASOF, T.OUTER})


def _limit_open_joins(tokens: list[Token]) -> None:
    """Makes CROSS JOIN of a plain JOIN that no condition follows, where many stand in a row."""
    join = T.JOIN
    joins = [i for i, token in enumerate(tokens) if token.token_type is join]
    if len(joins) <= _OPEN_JOINS:
        return
    found: list[int] = []
    pending: list[list[int]] = [[]]
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPEN:
            pending.append([])
        elif kind in _CLOSE:
            found += _surplus(pending.pop()) if len(pending) > 1 else []
        elif kind is join:
            pending[-1].append(index)
        elif (kind is T.ON or kind is T.USING) and pending[-1]:
            pending[-1].pop()
        elif kind in _OTHER_CLAUSES or kind is T.UNION:
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


# Behind INSERT's target these give the rows without naming a column.
_ROWS_FROM_OUTSIDE = frozenset({"EXEC", "EXECUTE", "FORMAT"})


def _cut_tail(tokens: list[Token], start: int) -> None:
    """INSERT INTO t EXEC p, INSERT INTO t FORMAT CSV: only the target says something. BY POSITION is the default."""
    depth = 0
    for index in range(start + 1, len(tokens)):
        token = tokens[index]
        kind = token.token_type
        word = token.text.upper()
        depth += (kind in _OPEN) - (kind in _CLOSE)
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
    word = tokens[index]
    name = tokens[2:index]
    if word.text.upper() == "UPDATE":
        tokens[: index + 1] = [_like(tokens[0], T.UPDATE, "UPDATE"), *name, _like(word, T.SET, "SET")]
    else:
        tokens[: index + 1] = [_like(tokens[0], T.DELETE, "DELETE"), _like(tokens[1], T.FROM, "FROM"), *name]


def _rewrite_deletes(tokens: list[Token]) -> None:
    """Oracle's `UPDATE SET .. DELETE WHERE c` of a MERGE is a branch of its own: `WHEN MATCHED AND c THEN DELETE`."""
    index = 0
    while index + 1 < len(tokens):
        word = tokens[index]
        if word.token_type is T.DELETE and tokens[index + 1].token_type is T.WHERE:
            stop = index + 2
            while stop < len(tokens) and tokens[stop].token_type is not T.WHEN:
                stop += 1
            where = tokens[index + 1]
            tokens[index : index + 2] = [
                _like(word, T.WHEN, "WHEN"),
                _like(word, T.VAR, "MATCHED"),
                _like(where, T.AND, "AND"),
            ]
            tokens[stop + 1 : stop + 1] = [_like(word, T.THEN, "THEN"), word]
            index = stop
        index += 1


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
        if tokens[index].token_type is T.DOT and index + 1 < len(tokens):
            first, last = tokens[index - 1], tokens[index + 1]
            joined = Token(T.VAR, first.text + MARK + last.text, first.line, first.col, first.start, last.end)
            tokens[index - 1 : index + 2] = [joined]
            continue
        index += 1


# ---------------------------------------------------------------- arrays in FROM


def _take_offsets(prepared: Prepared) -> None:
    """Takes `WITH OFFSET [AS name]` away from `FROM t, t.items AS i WITH OFFSET AS o`, and notes it.

    The parser knows it behind UNNEST(..) only.
    """
    tokens = prepared.tokens
    kept: list[Token] = []
    index, count = 0, len(tokens)
    while index < count:
        token = tokens[index]
        begins = token.token_type is T.WITH and index + 1 < count and tokens[index + 1].text.upper() == "OFFSET"
        if begins and kept and _ends_path(kept):
            prepared.positions[kept[-1].start], index = _offset_name(tokens, index + 2)
            continue
        kept.append(token)
        index += 1
    tokens[:] = kept


def _offset_name(tokens: list[Token], index: int) -> tuple[q.Name, int]:
    """The name behind WITH OFFSET, and the index behind it; without one the column is called `offset`."""
    if index + 1 < len(tokens) and tokens[index].token_type is T.ALIAS:
        index += 1
    elif index >= len(tokens) or tokens[index].token_type not in _NAMES:
        return q.Name("offset"), index
    word = tokens[index]
    return q.Name(word.text, word.start, word.end + 1, word.token_type is T.IDENTIFIER), index + 1


def _ends_path(tokens: list[Token]) -> bool:
    """Whether the tokens end with a path in FROM and not with UNNEST(..)."""
    index = len(tokens) - 1
    if tokens[index].token_type is T.R_PAREN:
        return False
    before = tokens[index - 1].token_type if index else None
    if before is T.ALIAS:
        return index < 2 or tokens[index - 2].token_type is not T.R_PAREN
    return before is not T.R_PAREN


def _wrap_paths(tokens: list[Token]) -> None:
    """`FROM c, c.orders[0].lines AS l`: a path with a subscript becomes UNNEST(path)."""
    bracket = T.L_BRACKET
    starts = [_path_start(tokens, i) for i, token in enumerate(tokens) if token.token_type is bracket]
    heads = {start for start in starts if start > 0 and tokens[start - 1].token_type in _BEFORE_SOURCE}
    if not heads:
        return
    inside = _in_from(tokens, heads)
    for start in sorted(heads & inside, reverse=True):
        stop = _path_end(tokens, start)
        first, last = tokens[start], tokens[stop - 1]
        tokens.insert(stop, Token(T.R_PAREN, ")", last.line, last.col, last.end, last.end))
        word = Token(T.UNNEST, "UNNEST", first.line, first.col, first.start, first.start)
        tokens[start:start] = [word, Token(T.L_PAREN, "(", first.line, first.col, first.start, first.start)]


_BEFORE_SOURCE = frozenset({T.FROM, T.JOIN, T.COMMA})


def _path_start(tokens: list[Token], index: int) -> int:
    """Index of the first name of the dotted path before the bracket at `index`, -1 where none is."""
    index -= 1
    if index < 0 or tokens[index].token_type not in _NAMES:
        return -1
    while index > 1 and tokens[index - 1].token_type is T.DOT and tokens[index - 2].token_type in _NAMES:
        index -= 2
    return index


def _path_end(tokens: list[Token], index: int) -> int:
    """Index behind the dotted path with subscripts that begins at `index`."""
    count = len(tokens)
    index += 1
    while index < count:
        kind = tokens[index].token_type
        if kind is T.DOT and index + 1 < count:
            index += 2
        elif kind is T.L_BRACKET:
            index = _behind(tokens, index)
        else:
            break
    return index


def _behind(tokens: list[Token], index: int) -> int:
    depth = 0
    for position in range(index, len(tokens)):
        kind = tokens[position].token_type
        if kind in _OPEN:
            depth += 1
        elif kind in _CLOSE:
            depth -= 1
            if not depth:
                return position + 1
    return len(tokens)


def _in_from(tokens: list[Token], indexes: set[int]) -> set[int]:
    """Those of `indexes` that stand in a FROM clause itself, not in brackets within it."""
    found: set[int] = set()
    stack: list[bool] = []
    inside = False
    for index, token in enumerate(tokens):
        kind = token.token_type
        if inside and index in indexes:
            found.add(index)
        if kind in _OPEN:
            stack.append(inside)
            inside = False
        elif kind in _CLOSE:
            inside = stack.pop() if stack else False
        elif kind is T.FROM:
            inside = True
        elif kind in _OTHER_CLAUSES:
            inside = False
    return found


_OTHER_CLAUSES = frozenset(
    {T.SELECT, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.QUALIFY, T.SET, T.VALUES, T.WINDOW, T.LIMIT, T.ON}
)
