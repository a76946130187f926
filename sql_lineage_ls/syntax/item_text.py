"""The text of a select item as a small tree, from which the name is made that a database gives to it without alias.

Databases make such a name of the expression itself: `a+1` is a column `(a + 1)` in Spark. sqlglot's tree does not
serve: it rewrites functions into a canonical form. Only what every database reads alike is read here, the rest is
None: then nobody knows the name for sure.

Longer than a table would be: it is one grammar, a function for each level of it.
"""

from __future__ import annotations

import re
from typing import Union

from msgspec import Struct

from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.engine_words import words


class Node(Struct, frozen=True, gc=False):
    """One node of the tree: what `kind` says of `text` and `parts`.

    `name` (parts are strings) · `number` · `string` · `word` (NULL, TRUE, FALSE) · `call` (`text` as written; `flag`
    for DISTINCT) · `star` · `binary` (`text` is the operator) · `not` · `minus` · `null` (IS NULL, `flag` negates) ·
    `in` (`flag` negates) · `between` · `like` (`flag` negates) · `cast` (`text` is the type) · `index` ·
    `brackets` · `case` (operand or None, conditions and values in turn, default or None).
    """

    kind: str
    text: str = ""
    parts: tuple[Part, ...] = ()
    flag: bool = False


Part = Union[Node, str, None]

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*\n?|/\*.*?\*/)|(?P<number>\d+\.\d+|\d+(?![\w.]))|(?P<string>'(?:[^'\\]|'')*')"""
    r"""|(?P<quoted>"[^"\\]*"|`[^`\\]*`)|(?P<name>[A-Za-z_]\w*)|(?P<sign><=>|<>|!=|<=|>=|\|\||::|[-+*/%=<>(),.\[\]])""",
    re.DOTALL,
)
# Words that open something with a syntax of its own, or that mean something else than a name.
_SPECIAL = words(
    """ALL AND ANY ARRAY AS ASC AT BETWEEN BINARY BY CASE CAST COLLATE CONVERT CURRENT_DATE CURRENT_TIME
    CURRENT_TIMESTAMP CURRENT_USER DATE DESC DIV ELSE END ESCAPE EXISTS EXTRACT FALSE FILTER FROM GLOB IF ILIKE IN
    INTERVAL IS ISNULL LAMBDA LIKE LOCALTIME LOCALTIMESTAMP MAP MATCH MOD NOT NOTNULL NULL OR OVER OVERLAY POSITION
    REGEXP RLIKE ROW SAFE_CAST SELECT SIMILAR SOME STRUCT SUBSTRING TABLE THEN TIME TIMESTAMP TRIM TRUE TRY_CAST TUPLE
    UNIQUE UNNEST VALUES WHEN WITHIN XOR"""
)
_COMPARISONS = frozenset({"=", "<>", "!=", "<", "<=", ">", ">=", "<=>"})


class _NotRead(Exception):
    """The text has something that is not read here."""


def read_item(text: str, dialect: Dialect) -> Node | None:
    """The tree of an expression, None where it is not of the kinds above: `a+1` gives `binary` of two parts."""
    try:
        reader = _Reader(_tokens(text, dialect))
        node = reader.either()
        return node if reader.at_end() else None
    except (_NotRead, RecursionError):
        return None


def _tokens(text: str, dialect: Dialect) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise _NotRead
        kind, word = match.lastgroup, match.group()
        place = match.end()
        if kind == "space":
            continue
        if kind == "quoted":
            if word[0] == '"' and dialect.text_quotes:
                kind, word = "string", "'" + word[1:-1].replace("'", "''") + "'"
            else:
                word = word[1:-1]
        found.append((kind, word))
    if len(found) > _LONGEST:
        raise _NotRead
    return found


_LONGEST = 400


class _Reader:
    """Reads tokens by falling precedence: OR, AND, NOT, comparison, sum, product, sign, subscript."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = [*tokens, ("", "")]
        self._at = 0

    def at_end(self) -> bool:
        return self._tokens[self._at][0] == ""

    def _next(self) -> tuple[str, str]:
        token = self._tokens[self._at]
        if not token[0]:
            raise _NotRead
        self._at += 1
        return token

    def _sign(self, *signs: str) -> str:
        kind, word = self._tokens[self._at]
        if kind == "sign" and word in signs:
            self._at += 1
            return word
        return ""

    def _word(self, *words: str) -> str:
        kind, word = self._tokens[self._at]
        if kind == "name" and word.upper() in words:
            self._at += 1
            return word.upper()
        return ""

    def _need(self, sign: str) -> None:
        if not self._sign(sign):
            raise _NotRead

    def _need_word(self, word: str) -> None:
        if not self._word(word):
            raise _NotRead

    def either(self) -> Node:
        node = self._both()
        while self._word("OR"):
            node = Node("binary", "OR", (node, self._both()))
        return node

    def _both(self) -> Node:
        node = self._negated()
        while self._word("AND"):
            node = Node("binary", "AND", (node, self._negated()))
        return node

    def _negated(self) -> Node:
        return Node("not", "", (self._negated(),)) if self._word("NOT") else self._compared()

    def _compared(self) -> Node:
        node = self._sum()
        sign = self._sign(*_COMPARISONS)
        if sign:
            return Node("binary", sign, (node, self._sum()))
        if self._word("IS"):
            negated = bool(self._word("NOT"))
            self._need_word("NULL")
            return Node("null", "", (node,), negated)
        negated = bool(self._word("NOT"))
        if self._word("LIKE"):
            return Node("like", "", (node, self._sum()), negated)
        if self._word("IN"):
            self._need("(")
            return Node("in", "", (node, *self._list(")")), negated)
        if not negated and self._word("BETWEEN"):
            low = self._sum()
            self._need_word("AND")
            return Node("between", "", (node, low, self._sum()))
        if negated:
            raise _NotRead
        return node

    def _sum(self) -> Node:
        node = self._product()
        seen = ""
        while sign := self._sign("+", "-", "||"):
            # How `||` binds against `+` differs.
            if seen and (seen == "||") != (sign == "||"):
                raise _NotRead
            seen = sign
            node = Node("binary", sign, (node, self._product()))
        return node

    def _product(self) -> Node:
        node = self._signed()
        while sign := self._sign("*", "/", "%"):
            node = Node("binary", sign, (node, self._signed()))
        return node

    def _signed(self) -> Node:
        if not self._sign("-"):
            return self._subscripted()
        return Node("minus", "", (self._subscripted(),))

    def _subscripted(self) -> Node:
        node = self._primary()
        while sign := self._sign("[", "::"):
            if sign == "::":
                node = Node("cast", self._type(), (node,))
                continue
            node = Node("index", "", (node, self.either()))
            self._need("]")
        if self._tokens[self._at] == ("sign", "."):
            raise _NotRead
        return node

    def _primary(self) -> Node:
        kind, word = self._next()
        if kind in ("number", "string"):
            return Node(kind, word if kind == "number" else word[1:-1].replace("''", "'"))
        if kind == "sign" and word == "(":
            node = self.either()
            self._need(")")
            return Node("brackets", "", (node,))
        if kind == "quoted":
            return self._name(word)
        if kind != "name":
            raise _NotRead
        upper = word.upper()
        if upper in ("NULL", "TRUE", "FALSE"):
            return Node("word", upper)
        if upper == "CASE":
            return self._case()
        if upper == "CAST":
            self._need("(")
            node = self.either()
            self._need_word("AS")
            made = Node("cast", self._type(), (node,))
            self._need(")")
            return made
        if upper in _SPECIAL and not (upper == "IF" and self._tokens[self._at] == ("sign", "(")):
            raise _NotRead
        return self._call(word) if self._sign("(") else self._name(word)

    def _name(self, first: str) -> Node:
        parts = [first]
        while self._sign("."):
            kind, word = self._next()
            if kind not in ("name", "quoted"):
                raise _NotRead
            parts.append(word)
        if self._tokens[self._at] == ("sign", "("):
            raise _NotRead  # `schema.f(x)`
        return Node("name", "", tuple(parts))

    def _call(self, name: str) -> Node:
        if self._sign("*"):
            self._need(")")
            return Node("call", name, (Node("star"),))
        distinct = bool(self._word("DISTINCT"))
        made = Node("call", name, self._list(")"), distinct)
        if self._tokens[self._at] == ("sign", "("):
            raise _NotRead  # `quantile(0.5)(x)`
        return made

    def _list(self, end: str) -> tuple[Node, ...]:
        if self._sign(end):
            return ()
        items = [self.either()]
        while self._sign(","):
            items.append(self.either())
        self._need(end)
        return tuple(items)

    def _type(self) -> str:
        kind, word = self._next()
        if kind != "name":
            raise _NotRead
        if not self._sign("("):
            return word
        numbers = []
        while True:
            kind, number = self._next()
            if kind != "number":
                raise _NotRead
            numbers.append(number)
            if not self._sign(","):
                break
        self._need(")")
        return f"{word}({', '.join(numbers)})"

    def _case(self) -> Node:
        operand = None if self._tokens[self._at][1].upper() == "WHEN" else self.either()
        parts: list[Part] = [operand]
        while self._word("WHEN"):
            parts.append(self.either())
            self._need_word("THEN")
            parts.append(self.either())
        default = self.either() if self._word("ELSE") else None
        self._need_word("END")
        return Node("case", "", (*parts, default))
