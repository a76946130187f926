"""Array paths in FROM: `FROM t, t.items AS i WITH OFFSET AS o`, `FROM c, c.orders[0].lines AS l`.

sqlglot knows WITH OFFSET behind UNNEST(..) only, and no subscript in a table's name.
"""

from __future__ import annotations

import re

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.brackets import CLOSE, OPEN, behind_bracket
from sql_lineage_ls.syntax.repair import Prepared

T = TokenType

_OFFSET = re.compile(r"\bWITH\s+OFFSET\b", re.IGNORECASE)
_NAMES = frozenset({T.VAR, T.IDENTIFIER})


def rewrite_paths(prepared: Prepared) -> None:
    """Takes WITH OFFSET off the paths, and wraps those with a subscript in UNNEST."""
    if "OFFSET" in prepared.text.upper() and _OFFSET.search(prepared.text):
        _take_offsets(prepared)
    if "[" in prepared.text:
        _wrap_paths(prepared.tokens)


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
            index = behind_bracket(tokens, index)
        else:
            break
    return index


def _in_from(tokens: list[Token], indexes: set[int]) -> set[int]:
    """Those of `indexes` that stand in a FROM clause itself, not in brackets within it."""
    found: set[int] = set()
    stack: list[bool] = []
    inside = False
    for index, token in enumerate(tokens):
        kind = token.token_type
        if inside and index in indexes:
            found.add(index)
        if kind in OPEN:
            stack.append(inside)
            inside = False
        elif kind in CLOSE:
            inside = stack.pop() if stack else False
        elif kind is T.FROM:
            inside = True
        elif kind in _OTHER_CLAUSES:
            inside = False
    return found


_OTHER_CLAUSES = frozenset(
    {T.SELECT, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.QUALIFY, T.SET, T.VALUES, T.WINDOW, T.LIMIT, T.ON}
)
