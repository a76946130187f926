"""Pipe syntax (`FROM t |> WHERE a > 1 |> SELECT b`) rewritten to nested queries, token by token.

sqlglot reads most of it, but as CTEs whose names and positions it makes up. Here each operator becomes a query block
around what comes before it, so that every name keeps its place. Sources: GoogleSQL "Pipe query syntax", Databricks
"SQL pipeline syntax".
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.brackets import CLOSE, OPEN

T = TokenType

_SET_WORDS = frozenset({T.UNION, T.INTERSECT, T.EXCEPT})
_JOIN_WORDS = frozenset({T.JOIN, T.LEFT, T.RIGHT, T.FULL, T.INNER, T.CROSS, T.NATURAL, T.LATERAL})
_NAMES = frozenset({T.VAR, T.IDENTIFIER})

KEPT = "|>"
"""The alias of a query whose range variables can still be named behind it: `FROM t |> EXTEND a + 1 AS b |> SELECT t.a`.

EXTEND, SET, DROP, RENAME and the like change the columns of the table, and an alias goes on to mean the rows as they
were (GoogleSQL "Pipe query syntax", "Pipe operators and table aliases").
"""


class UnsupportedError(Exception):
    """An operator that is not rewritten; the tokens are then left as they are."""


def unpipe(tokens: list[Token]) -> list[Token]:
    """The tokens without pipes: `FROM t |> SELECT a` gives `SELECT a FROM t`; unchanged where that is not known."""
    try:
        result, _ = _level(tokens, 0)
    except UnsupportedError:
        return tokens
    return result


def _level(tokens: list[Token], index: int) -> tuple[list[Token], int]:
    """The rewritten tokens from `index` to the end of the brackets they stand in, and the index of that end."""
    steps: list[list[Token]] = [[]]
    marks: list[Token] = []
    while index < len(tokens):
        token = tokens[index]
        kind = token.token_type
        if kind in CLOSE:
            break
        if kind is T.PIPE_GT:
            steps.append([])
            marks.append(token)
            index += 1
            continue
        steps[-1].append(token)
        index += 1
        if kind in OPEN:
            inner, index = _level(tokens, index)
            steps[-1] += inner
            if index < len(tokens):
                steps[-1].append(tokens[index])
                index += 1
    if len(steps) == 1:
        return steps[0], index
    return _pipeline(steps), index


class _Block(Struct):
    """A query in the making: its sources and the conditions on them.

    `query` is set where an operator has completed it; it is a source then for the next one. `keeps` where the aliases
    in it can still be named.
    """

    sources: list[Token]
    conditions: list[list[Token]] = []
    query: list[Token] = []
    keeps: bool = False


def _pipeline(steps: list[list[Token]]) -> list[Token]:
    first = steps[0]
    if first and first[0].token_type is T.TABLE:  # Spark: `TABLE t |> ..` is `FROM t |> ..`
        first = [_make(T.FROM, "FROM", first[0]), *first[1:]]
    start = next((i for i in _outer(first) if first[i].token_type in (T.FROM, T.SELECT)), None)
    if start is None:
        raise UnsupportedError
    prefix, base = first[:start], first[start:]
    block = _Block(base[1:]) if base[0].token_type is T.FROM else _completed(base)
    ctes: list[Token] = []
    for step in steps[1:]:
        if step and step[0].token_type is T.WITH:
            more = bool(ctes) or any(token.token_type is T.WITH for token in prefix[:1])
            ctes += [_make(T.COMMA, ",", step[0]), *step[1:]] if more else step
        elif step:
            block = _apply(block, step)
    return prefix + ctes + _finish(block, step_token(steps))


def step_token(steps: list[list[Token]]) -> Token:
    """A token whose place a made-up one can take."""
    return next(step[0] for step in reversed(steps) if step)


def _outer(tokens: list[Token]) -> list[int]:
    """The indexes of the tokens outside brackets."""
    found: list[int] = []
    depth = 0
    for index, token in enumerate(tokens):
        if token.token_type in CLOSE:
            depth -= 1
        if not depth:
            found.append(index)
        if token.token_type in OPEN:
            depth += 1
    return found


def _apply(block: _Block, step: list[Token]) -> _Block:
    word = step[0]
    kind = word.token_type
    if kind in _JOIN_WORDS:
        return _join(block, step)
    if kind in _SET_WORDS:
        return _set_operation(block, step)
    handler = _OPERATORS.get(word.text.upper().split()[0])
    if handler is None:
        raise UnsupportedError
    return handler(block, step)


# ---------------------------------------------------------------- made-up tokens


def _make(kind: TokenType, text: str, near: Token) -> Token:
    """A token without width at the place of another."""
    return Token(kind, text, near.line, near.col, near.start, near.start - 1)


def _star(near: Token) -> Token:
    return _make(T.STAR, "*", near)


def _wrapped(tokens: list[Token], near: Token) -> list[Token]:
    return [_make(T.L_PAREN, "(", near), *tokens, _make(T.R_PAREN, ")", near)]


def _opened(block: _Block, near: Token) -> _Block:
    """A block to which sources can still be added: a completed one becomes a derived table."""
    if not block.query:
        return block
    sources = _wrapped(block.query, near)
    if block.keeps:
        sources += [_make(T.ALIAS, "AS", near), _make(T.IDENTIFIER, KEPT, near)]
    return _Block(sources)


def _select(block: _Block, items: list[Token], near: Token, keyword: Token | None = None) -> list[Token]:
    """SELECT items FROM the block's sources WHERE its conditions."""
    block = _opened(block, near)
    select = keyword or _make(T.SELECT, "SELECT", near)
    tokens = [select, *items, _make(T.FROM, "FROM", near), *block.sources]
    for index, condition in enumerate(block.conditions):
        tokens.append(_make(T.AND, "AND", near) if index else _make(T.WHERE, "WHERE", near))
        tokens += _wrapped(condition, near)
    return tokens


def _finish(block: _Block, near: Token) -> list[Token]:
    return block.query or _select(block, [_star(near)], near)


def _completed(query: list[Token], keeps: bool = False) -> _Block:
    return _Block([], [], query, keeps)


# ---------------------------------------------------------------- operators


def _where(block: _Block, step: list[Token]) -> _Block:
    block = _opened(block, step[0])
    return _Block(block.sources, [*block.conditions, step[1:]])


def _select_list(block: _Block, step: list[Token]) -> _Block:
    return _completed(_select(block, step[1:], step[0], step[0]))


def _extend(block: _Block, step: list[Token]) -> _Block:
    near = step[0]
    return _completed(_select(block, [_star(near), _make(T.COMMA, ",", near), *step[1:]], near), True)


def _items(tokens: list[Token]) -> list[list[Token]]:
    """A list cut at its commas."""
    items: list[list[Token]] = [[]]
    outer = set(_outer(tokens))
    for index, token in enumerate(tokens):
        if token.token_type is T.COMMA and index in outer:
            items.append([])
        else:
            items[-1].append(token)
    return [item for item in items if item]


def _modified(block: _Block, near: Token, word: tuple[TokenType, str], items: list[list[Token]]) -> _Block:
    """SELECT * EXCEPT / REPLACE / RENAME (items)."""
    listed: list[Token] = []
    for item in items:
        listed += [_make(T.COMMA, ",", near), *item] if listed else item
    modifier = [_star(near), _make(word[0], word[1], near), *_wrapped(listed, near)]
    return _completed(_select(block, modifier, near), True)


def _set(block: _Block, step: list[Token]) -> _Block:
    items: list[list[Token]] = []
    for item in _items(step[1:]):
        if len(item) < 3 or item[1].token_type is not T.EQ:
            raise UnsupportedError
        items.append([*item[2:], _make(T.ALIAS, "AS", item[1]), item[0]])
    return _modified(block, step[0], (T.REPLACE, "REPLACE"), items)


def _drop(block: _Block, step: list[Token]) -> _Block:
    return _modified(block, step[0], (T.EXCEPT, "EXCEPT"), _items(step[1:]))


def _rename(block: _Block, step: list[Token]) -> _Block:
    items: list[list[Token]] = []
    for item in _items(step[1:]):
        old, new = item[0], item[-1]
        items.append([old, _make(T.ALIAS, "AS", new), new])
    return _modified(block, step[0], (T.RENAME, "RENAME"), items)


def _as(block: _Block, step: list[Token]) -> _Block:
    query = _finish(block, step[0])
    return _Block(_wrapped(query, step[0]) + step)


def _aggregate(block: _Block, step: list[Token]) -> _Block:
    """AGGREGATE items [GROUP [AND ORDER] BY keys]: the keys come first in the output."""
    near = step[0]
    group = next((i for i in _outer(step) if step[i].token_type is T.GROUP_BY or step[i].text.upper() == "GROUP"), None)
    items = step[1:group] if group is not None else step[1:]
    if group is None:
        return _completed(_select(block, items, near))
    first = group + 1
    while first < len(step) and step[first].text.upper() in ("AND", "ORDER", "BY", "ORDER BY"):
        first += 1
    keys = [_without_direction(key) for key in _items(step[first:])]
    listed: list[Token] = []
    grouped: list[Token] = []
    for key in keys:
        listed += [_make(T.COMMA, ",", near), *key] if listed else key
        plain = _without_alias(key)
        grouped += [_make(T.COMMA, ",", near), *plain] if grouped else plain
    if items:
        listed = [*listed, _make(T.COMMA, ",", near), *items]
    by = _make(T.GROUP_BY, "GROUP BY", near)
    return _completed([*_select(block, listed, near), by, *grouped])


def _without_direction(key: list[Token]) -> list[Token]:
    return key[:-1] if key[-1].token_type in (T.ASC, T.DESC) else key


def _without_alias(key: list[Token]) -> list[Token]:
    if len(key) > 2 and key[-2].token_type is T.ALIAS:
        return key[:-2]
    if len(key) > 1 and key[-1].token_type in _NAMES and key[-2].token_type in (*_NAMES, *CLOSE):
        return key[:-1]
    return key


def _ordered(block: _Block, step: list[Token]) -> _Block:
    """ORDER BY, LIMIT: a clause behind everything else."""
    return _completed([*_select(block, [_star(step[0])], step[0]), *step], True)


def _distinct(block: _Block, step: list[Token]) -> _Block:
    return _completed(_select(block, [step[0], _star(step[0])], step[0]), True)


def _pivoted(block: _Block, step: list[Token]) -> _Block:
    if block.conditions or block.query:
        block = _completed(_finish(block, step[0]))
    opened = _opened(block, step[0])
    return _Block([*opened.sources, *step])


def _join(block: _Block, step: list[Token]) -> _Block:
    if block.conditions:
        block = _completed(_finish(block, step[0]), True)
    opened = _opened(block, step[0])
    return _Block([*opened.sources, *step])


def _set_operation(block: _Block, step: list[Token]) -> _Block:
    """UNION ALL (query), (query)."""
    near = step[0]
    first = next((i for i in _outer(step) if step[i].token_type is T.L_PAREN), None)
    if first is None:
        raise UnsupportedError
    words, query = step[:first], _wrapped(_finish(block, near), near)
    for item in _items(step[first:]):
        query = [*query, *words, *item]
    return _completed(query)


def _call(block: _Block, step: list[Token]) -> _Block:
    """`CALL f(1) AS x` is FROM f((what comes before), 1) AS x; a model stands in front of the table."""
    near = step[0]
    opened = next((i for i in _outer(step) if step[i].token_type is T.L_PAREN), None)
    if opened is None:
        raise UnsupportedError
    closed = next(i for i in _outer(step) if step[i].token_type is T.R_PAREN)
    arguments, table = step[opened + 1 : closed], _wrapped(_finish(block, near), near)
    comma = [_make(T.COMMA, ",", near)] if arguments else []
    models = bool(arguments) and arguments[0].text.upper() == "MODEL"
    passed = [*arguments, *comma, *table] if models else [*table, *comma, *arguments]
    return _Block([*step[1 : opened + 1], *passed, *step[closed:]])


def _unchanged(block: _Block, step: list[Token]) -> _Block:
    return block


_OPERATORS: dict[str, Callable[[_Block, list[Token]], _Block]] = {
    "WHERE": _where,
    "SELECT": _select_list,
    "EXTEND": _extend,
    "WINDOW": _extend,
    "SET": _set,
    "DROP": _drop,
    "RENAME": _rename,
    "AS": _as,
    "AGGREGATE": _aggregate,
    "ORDER": _ordered,
    "LIMIT": _ordered,
    "DISTINCT": _distinct,
    "PIVOT": _pivoted,
    "UNPIVOT": _pivoted,
    "CALL": _call,
    "TABLESAMPLE": _unchanged,
    "ASSERT": _unchanged,
}
