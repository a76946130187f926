"""The state of lowering one statement, and the dispatch from sqlglot's node classes to the functions of this package.

Every function that lowers takes the `Lowering` first and the node second. Nodes carry offsets only on identifiers,
literals, stars and function names (`meta["start"]`, inclusive `meta["end"]`); whatever else needs a span gets it
from the token list. Names are read from the text itself, so that tokens may be marked before parsing
(`syntax.repair`) without the mark showing up in the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from sys import intern
from typing import Any

from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.repair import MARK, Prepared
from sql_lineage_ls.syntax.select_items import SelectItems

_IDENTIFIER = exp.Identifier
QUOTES = frozenset("\"`['")

ExprHandler = Callable[["Lowering", Any], q.Expr]
QueryHandler = Callable[["Lowering", Any], q.Query]
StatementHandler = Callable[["Lowering", Any], q.Statement | None]


class Lowering:
    """One statement on its way to the query model."""

    __slots__ = (
        "_expressions", "_hashes", "_queries", "dialect", "items", "prepared", "starts", "statements", "text", "tokens",
    )  # fmt: skip

    def __init__(
        self,
        prepared: Prepared,
        expressions: Mapping[type, ExprHandler],
        queries: Mapping[type, QueryHandler],
        statements: Mapping[type, StatementHandler],
    ) -> None:
        self.prepared = prepared
        self.text = prepared.text
        self._hashes = "#" in prepared.text
        self.dialect = prepared.dialect
        self.tokens = prepared.tokens
        self.items = SelectItems(prepared.tokens)
        self.starts: list[int] = []
        self._expressions = expressions
        self._queries = queries
        self.statements = statements

    def expr(self, node: exp.Expr) -> q.Expr:
        """One expression."""
        return self._expressions[node.__class__](self, node)

    def exprs(self, nodes: list[exp.Expr] | None) -> tuple[q.Expr, ...]:
        """Each expression of a list."""
        if not nodes:
            return ()
        table = self._expressions
        return tuple([table[node.__class__](self, node) for node in nodes])

    def maybe(self, node: exp.Expr | None) -> q.Expr | None:
        """The expression, or None where the clause is missing."""
        return None if node is None else self._expressions[node.__class__](self, node)

    def query(self, node: exp.Expr) -> q.Query:
        """A query of any shape; what damaged text has in its place is a select list."""
        handler = self._queries.get(node.__class__)
        if handler is not None:
            return handler(self, node)
        return q.Select((q.Projection(self.expr(node)),) if isinstance(node, exp.Expr) else ())

    def is_query(self, node: object) -> bool:
        """Whether `node` is lowered by `query`."""
        return node.__class__ in self._queries

    def name(self, node: exp.Expr | None) -> q.Name:
        """An identifier (or whatever stands for one) with its span, quotes included; nameless in damaged text."""
        if node.__class__ is _IDENTIFIER:
            text = node.args["this"]
            meta = node._meta
            if meta:
                start, end = meta.get("start", 0), meta.get("end", -1) + 1
                hashed = self._hashes and start and self.text[start - 1] == "#"
                if end and self.text[start:end] == text and not hashed:
                    # The same few names stand all over a workspace: one string for each.
                    return q.Name(intern(text), start, end)
        elif not isinstance(node, exp.Expr):
            return q.Name("")
        return self._other_name(node)

    def _other_name(self, node: exp.Expr) -> q.Name:
        text = node.name
        meta = node._meta
        if not meta or "start" not in meta:
            return q.Name(text.rstrip(MARK).replace(MARK, "."))
        return self.name_at(text, meta["start"], meta["end"] + 1)

    def name_at(self, text: str, start: int, end: int) -> q.Name:
        """The name `text` that the parser found at `start`..`end`; without a span where the text differs there."""
        raw = self.text[start:end]
        if raw == text:
            if start and self.text[start - 1] == "#":
                return _hash_name(self.text, start, end)
            return q.Name(text, start, end)
        return self._unequal(text.rstrip(MARK).replace(MARK, "."), raw, start, end)

    def _unequal(self, text: str, raw: str, start: int, end: int) -> q.Name:
        """A name that its span spells in another way: quoted, or cut by the tokenizer (`t.25x`)."""
        if raw[:1] in QUOTES:
            return q.Name(text, start, end, True)
        if raw == text:
            return q.Name(text, start, end)
        if self.text[start : start + len(text)] == text:
            return q.Name(text, start, start + len(text))
        if text.startswith("$") and self.text[start - 1 : end] == text:
            return q.Name(text, start - 1, end)
        return q.Name(text)

    def parts(self, node: exp.Expr) -> list[q.Name]:
        """The names of an identifier that may hold several: `` `p.d.t` `` has three, each with its own span."""
        text = node.name
        meta = node._meta
        if MARK not in text[:-1] or not meta or "start" not in meta:
            return [self.name(node)]
        found: list[q.Name] = []
        start = meta["start"] + 1
        spelled = self.text[start : meta["end"]].split(".")
        for word, raw in zip(text.split(MARK), spelled, strict=False):
            found.append(q.Name(word, start, start + len(raw), True))
            start += len(raw) + 1
        return found

    def names(self, nodes: list[exp.Expr] | None) -> tuple[q.Name, ...]:
        """Each identifier of a list; an alias list may hold column definitions."""
        return tuple([self.name(node) for node in nodes]) if nodes else ()

    def token_after(self, offset: int) -> int:
        """Index of the first token that starts at or behind `offset`."""
        starts = self.starts
        if not starts:
            starts.extend([token.start for token in self.tokens])
        low, high = 0, len(starts)
        while low < high:
            middle = (low + high) // 2
            if starts[middle] < offset:
                low = middle + 1
            else:
                high = middle
        return low


def _hash_name(text: str, start: int, end: int) -> q.Name:
    """T-SQL's temporary tables: `#t` and `##t` are the whole name, which sqlglot's tokens leave the `#` out of."""
    while start and text[start - 1] == "#":
        start -= 1
    return q.Name(text[start:end], start, end)


def offset_of(node: exp.Expr | None) -> int:
    """Where some leaf below `node` stands, -1 where none has a position."""
    stack: list[exp.Expr] = [node] if node is not None else []
    while stack:
        current = stack.pop()
        meta = current._meta
        if meta and "start" in meta:
            start: int = meta["start"]
            return start
        for value in reversed(list(current.args.values())):
            if isinstance(value, exp.Expr):
                stack.append(value)
            elif isinstance(value, list):
                stack.extend(item for item in reversed(value) if isinstance(item, exp.Expr))
    return -1


def end_of(node: q.Expr) -> int:
    """The last offset that a lowered dotted name or access is known to reach, -1 where unknown."""
    if isinstance(node, q.ColumnRef):
        return node.parts[-1].end
    if isinstance(node, q.FieldAccess):
        return node.name.end if node.name.end >= 0 else end_of(node.base)
    if isinstance(node, q.ElementAccess):
        return max(node.end, end_of(node.base), end_of(node.index) if node.index is not None else -1)
    if isinstance(node, (q.Literal, q.Parameter, q.Star)):
        return node.end
    if isinstance(node, q.Call):
        ends = [end_of(arg) for arg in node.args]
        return max([node.end, *ends])
    if isinstance(node, q.Cast):
        return end_of(node.value)
    return -1
