"""Where the items of each select list stand, from the token list alone.

sqlglot gives no span to a projection. Here every SELECT keyword's list is cut at the commas of its own bracket
depth; a Select node then claims the list that a leaf of its first item lies in. Lists are claimed outside in, which
is the order of lowering.
"""

from __future__ import annotations

from bisect import bisect_right

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax.brackets import CLOSE, OPEN, behind_bracket

T = TokenType

# Keywords that end a select list where they stand at its own depth.
_ENDS = frozenset(
    {T.FROM, T.WHERE, T.GROUP_BY, T.HAVING, T.ORDER_BY, T.LIMIT, T.UNION, T.INTERSECT, T.EXCEPT, T.QUALIFY,
     T.WINDOW, T.INTO, T.FETCH, T.CLUSTER_BY, T.DISTRIBUTE_BY, T.SORT_BY, T.PREWHERE, T.SEMICOLON, T.PIPE_GT,
     T.CONNECT_BY, T.LATERAL, T.INSERT}
)  # fmt: skip
_INTERESTING = OPEN | CLOSE | _ENDS | {T.SELECT, T.COMMA, T.LT}
# Types whose parameters stand in angle brackets: the commas of `STRUCT<a INT64, b STRING>` cut nothing.
_ANGLED = frozenset({T.STRUCT, T.ARRAY, T.MAP})
# Words between SELECT and its first item.
_PREFIXES = frozenset({T.DISTINCT, T.ALL, T.HINT, T.STRAIGHT_JOIN})


class _List:
    """One select list: its items' spans, half open; `parent` is the list that encloses it."""

    __slots__ = ("claimed", "first", "items", "keyword", "parent")

    def __init__(self, keyword: int, first: int, parent: _List | None) -> None:
        self.keyword = keyword
        self.first = first
        self.items: list[tuple[int, int]] = []
        self.parent = parent
        self.claimed = False

    def cut(self, tokens: list[Token], index: int) -> None:
        """Ends the item before the token `index`; the next one begins behind it."""
        if index > self.first:
            self.items.append((tokens[self.first].start, tokens[index - 1].end + 1))
        self.first = index + 1


class SelectItems:
    """The select lists of one statement's tokens."""

    def __init__(self, tokens: list[Token]) -> None:
        self._lists = sorted(_scan(tokens), key=lambda entry: entry.keyword)
        self._keywords = [entry.keyword for entry in self._lists]

    def claim(self, offset: int, count: int) -> tuple[int, list[tuple[int, int]]]:
        """The items of the outermost unclaimed list of `count` items whose first item holds `offset`.

        Gives the offset of its SELECT keyword and the spans, or (-1, []) where none fits. `offset` -1 stands for a
        first item without any position: then the first unclaimed list with that count is meant.
        """
        if offset < 0:
            return self._next_of(count)
        index = bisect_right(self._keywords, offset) - 1
        entry: _List | None = self._lists[index] if index >= 0 else None
        found: _List | None = None
        while entry is not None:
            items = entry.items
            if not entry.claimed and len(items) == count and items[0][0] <= offset <= items[0][1]:
                found = entry
            entry = entry.parent
        if found is None:
            return -1, []
        found.claimed = True
        return found.keyword, found.items

    def _next_of(self, count: int) -> tuple[int, list[tuple[int, int]]]:
        for entry in self._lists:
            if not entry.claimed and len(entry.items) == count:
                entry.claimed = True
                return entry.keyword, entry.items
        return -1, []


def _scan(tokens: list[Token]) -> list[_List]:
    """All lists, in the order of their SELECT keywords."""
    lists: list[_List] = []
    stack: list[tuple[_List | None, _List | None]] = []
    current: _List | None = None
    enclosing: _List | None = None
    angled = -1
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind not in _INTERESTING:
            continue
        if current is not None and (kind in CLOSE or kind is T.SELECT):
            current.cut(tokens, index)
        if kind in OPEN:
            stack.append((current, enclosing))
            current, enclosing = None, current or enclosing
        elif kind in CLOSE:
            current, enclosing = stack.pop() if stack else (None, None)
        elif kind is T.SELECT:
            current = _List(token.start, _first_item(tokens, index + 1), enclosing)
            lists.append(current)
        elif current is None or index < angled:
            continue
        elif kind is T.LT:
            angled = _behind_angles(tokens, index)
        elif kind is T.COMMA:
            current.cut(tokens, index)
        elif not _is_modifier(tokens, index):
            current.cut(tokens, index)
            current = None
    if current is not None:
        current.cut(tokens, len(tokens))
    return lists


def _is_modifier(tokens: list[Token], index: int) -> bool:
    """`* EXCEPT (a)` and `a IS DISTINCT FROM b` hold a keyword that ends no list."""
    previous = tokens[index - 1].token_type
    kind = tokens[index].token_type
    if previous is T.COLON or previous is T.DOT or (kind is T.INSERT and _calls(tokens, index)):
        return True
    return (kind is T.EXCEPT and previous is T.STAR) or (kind is T.FROM and previous is T.DISTINCT)


def _calls(tokens: list[Token], index: int) -> bool:
    """Whether the word is a function's name: `INSERT(a, 0, 0, 'b')`."""
    return index + 1 < len(tokens) and tokens[index + 1].token_type is T.L_PAREN


def _first_item(tokens: list[Token], index: int) -> int:
    """Index of the first item's token: behind DISTINCT [ON (..)], ALL, TOP n [PERCENT], AS STRUCT / VALUE, a hint."""
    count = len(tokens)
    while index < count and tokens[index].token_type in _PREFIXES:
        index += 1
        if index + 1 < count and tokens[index].token_type is T.ON and tokens[index + 1].token_type is T.L_PAREN:
            index = behind_bracket(tokens, index + 1)
    if index + 1 < count and tokens[index].token_type is T.TOP:
        index = behind_bracket(tokens, index + 1) if tokens[index + 1].token_type is T.L_PAREN else index + 2
        while index < count and tokens[index].text.upper() in ("PERCENT", "WITH", "TIES"):
            index += 1
    if index + 1 < count and tokens[index].token_type is T.ALIAS:
        index += 2
    return index


def _behind_angles(tokens: list[Token], index: int) -> int:
    """Index behind the angle brackets that open at `index`; `index` itself for a comparison."""
    if not index or tokens[index - 1].token_type not in _ANGLED:
        return index
    depth = 0
    for position in range(index, len(tokens)):
        kind = tokens[position].token_type
        if kind is T.LT:
            depth += 1
        elif kind is T.GT:
            depth -= 1
            if not depth:
                return position + 1
    return index
