"""How each database names a select item without alias, where the name is made of the expression.

One class a way of writing; `STYLES` says which dialect writes in which way. Every rule was compared with the engine
where one runs (DuckDB, Spark, ClickHouse, SQLite; `tests/oracle/test_names.py`), else it is the documentation's. What a
style does not know for sure has no name here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect, NameStyle
from sql_lineage_ls.syntax.engine_words import (
    CLICKHOUSE_OPERATORS,
    CLICKHOUSE_REWRITTEN,
    DUCKDB_REWRITTEN,
    DUCKDB_TYPES,
    DUCKDB_WORDS,
    SPARK_FUNCTIONS,
    SPARK_NUMBERS,
)
from sql_lineage_ls.syntax.item_text import Node, Part, read_item

Pieces = list["str | q.ColumnRef"]


class _Unknown(Exception):
    """The style does not know how the database writes this."""


def written_name(text: str, dialect: Dialect) -> q.WrittenName | None:
    """The name that the database makes of an item's text, None where that is not known for sure.

    `price*2` gives `(price * 2)` in DuckDB, `multiply(price, 2)` in ClickHouse, `PRICE*2` in Oracle.
    """
    plain = _PLAIN.get(dialect.name_style)
    if plain is not None:
        name = plain(text)
        return q.WrittenName((name,)) if name else None
    style = _STYLES.get(dialect.name_style)
    node = read_item(text, dialect) if style is not None else None
    if style is None or node is None:
        return None
    try:
        writer = style()
        return q.WrittenName(_joined(writer.top(node)), tuple(writer.undated))
    except _Unknown:
        return None


def _joined(pieces: Pieces) -> tuple[str | q.ColumnRef, ...]:
    """Texts that follow each other as one."""
    found: Pieces = []
    for piece in pieces:
        if isinstance(piece, str) and found and isinstance(found[-1], str):
            found[-1] += piece
        elif piece:
            found.append(piece)
    return tuple(found)


# ---------------------------------------------------------------- the text itself

_UNUSUAL = re.compile(r"--|/\*|\n|\r|\t")


def _as_written(text: str) -> str:
    """MySQL ("Column names of expressions"), SQLite: the text between SELECT and the comma, up to 64 letters."""
    return "" if _UNUSUAL.search(text) or len(text) > 64 or text[:1] in "'\"" else text


def _squeezed(text: str) -> str:
    """Oracle: the expression in capitals without blanks, which an inline view's reader can name (dba.stackexchange
    question 218315; the SQL reference is silent). `count( * )` is `COUNT(*)`."""
    return "" if _UNUSUAL.search(text) or "'" in text or '"' in text else text.replace(" ", "").upper()


def _capitals(text: str) -> str:
    """Snowflake: the expression in capitals. How it treats several blanks is not known."""
    return "" if _UNUSUAL.search(text) or "'" in text or '"' in text or "  " in text else text.upper()


_PLAIN: dict[NameStyle, Callable[[str], str]] = {
    NameStyle.AS_WRITTEN: _as_written,
    NameStyle.SQUEEZED: _squeezed,
    NameStyle.CAPITALS: _capitals,
}


# ---------------------------------------------------------------- written anew


class _Writer:
    """Writes a tree as one engine does. A kind of node without a method has no known name."""

    def __init__(self) -> None:
        # Names that must be no dates for the name to be right.
        self.undated: list[q.ColumnRef] = []

    def top(self, node: Node) -> Pieces:
        return self.write(node)

    def write(self, part: Part) -> Pieces:
        if not isinstance(part, Node):
            raise _Unknown
        method: Callable[[Node], Pieces] | None = getattr(self, f"_{part.kind}", None)
        if method is None:
            raise _Unknown
        return method(part)

    def _many(self, parts: tuple[Part, ...], between: str = ", ") -> Pieces:
        found: Pieces = []
        for part in parts:
            found += [between] if found else []
            found += self.write(part)
        return found

    def _around(self, before: str, parts: tuple[Part, ...], after: str = ")", between: str = ", ") -> Pieces:
        return [before, *self._many(parts, between), after]

    def _number(self, node: Node) -> Pieces:
        return [node.text]

    def _brackets(self, node: Node) -> Pieces:
        return self.write(node.parts[0])

    def _name(self, node: Node) -> Pieces:
        return [q.ColumnRef(tuple(q.Name(str(part)) for part in node.parts))]


def _chain(node: Node, sign: str, *, within: bool = False) -> list[Part]:
    """The terms of `a AND b AND c`; `within` takes those of `(a AND b) AND c` too."""
    inner = _bare(node) if within else node
    if isinstance(inner, Node) and inner is not node and inner.text == sign:
        node = inner
    if node.kind != "binary" or node.text != sign:
        return [node]
    terms: list[Part] = []
    for part in node.parts:
        terms += _chain(part, sign, within=within) if isinstance(part, Node) else [part]
    return terms


def _bare(part: Part) -> Part:
    """What stands in brackets."""
    while isinstance(part, Node) and part.kind == "brackets":
        part = part.parts[0]
    return part


def _is(part: Part, *kinds: str) -> bool:
    return isinstance(part, Node) and part.kind in kinds


def _has(part: Part, kind: str) -> bool:
    return isinstance(part, Node) and (part.kind == kind or any(_has(inner, kind) for inner in part.parts))


def _reads(part: Part) -> bool:
    """Whether a condition depends on a column, so that it is not decided before the query runs."""
    return _has(part, "name") and not _has(part, "word")


class _DuckDb(_Writer):
    """DuckDB's ToString of a parsed expression (ParsedExpression::ToString)."""

    def _name(self, node: Node) -> Pieces:
        words = [str(part) for part in node.parts]
        if any(not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", w) or w.upper() in DUCKDB_WORDS for w in words):
            raise _Unknown
        return [".".join(words)]

    def _string(self, node: Node) -> Pieces:
        return ["'" + node.text.replace("'", "''") + "'"]

    def _word(self, node: Node) -> Pieces:
        if node.text != "NULL":
            raise _Unknown  # `CAST('t' AS BOOLEAN)` before version 2
        return ["NULL"]

    def _call(self, node: Node) -> Pieces:
        name = node.text.lower()
        if name == "count" and not node.flag and [getattr(p, "kind", "") for p in node.parts] in ([], ["star"]):
            return ["count_star()"]
        if name == "coalesce" and not node.flag:
            return self._around("COALESCE(", node.parts)
        if name.upper() in DUCKDB_WORDS or name in DUCKDB_REWRITTEN:
            raise _Unknown
        return self._around(f"{name}({'DISTINCT ' if node.flag else ''}", node.parts)

    def _binary(self, node: Node) -> Pieces:
        sign = "!=" if node.text == "<>" else node.text
        if sign == "<=>":
            raise _Unknown
        if sign in ("AND", "OR"):
            return self._around("(", tuple(_chain(node, sign, within=True)), ")", f" {sign} ")
        return self._around("(", node.parts, ")", f" {sign} ")

    def _null(self, node: Node) -> Pieces:
        return self._around("(", node.parts, " IS NOT NULL)" if node.flag else " IS NULL)")

    def _in(self, node: Node) -> Pieces:
        if node.flag:
            raise _Unknown  # `NOT (..)` since version 2
        value, *items = node.parts
        return ["(", *self.write(value), " IN (", *self._many(tuple(items)), "))"]

    def _between(self, node: Node) -> Pieces:
        value, low, high = node.parts
        return ["(", *self.write(value), " BETWEEN ", *self.write(low), " AND ", *self.write(high), ")"]

    def _like(self, node: Node) -> Pieces:
        return self._around("(", node.parts, ")", " !~~ " if node.flag else " ~~ ")

    def _cast(self, node: Node) -> Pieces:
        kind = DUCKDB_TYPES.get(node.text.lower())
        if kind is None:
            raise _Unknown
        return self._around("CAST(", node.parts, f" AS {kind})")

    def _index(self, node: Node) -> Pieces:
        base, index = node.parts
        if not _is(base, "name", "index"):
            raise _Unknown
        return [*self.write(base), "[", *self.write(index), "]"]

    def _case(self, node: Node) -> Pieces:
        operand, *pairs, default = node.parts
        if operand is not None:
            raise _Unknown
        found: Pieces = ["CASE "]
        for condition, value in zip(pairs[::2], pairs[1::2], strict=True):
            found += [" WHEN (", *self.write(condition), ") THEN (", *self.write(value), ")"]
        return [*found, " ELSE ", *(self.write(default) if default is not None else ["NULL"]), " END"]


class _Spark(_Writer):
    """Spark's toPrettySQL: names lose their source, strings their quotes, and operators that are functions show it."""

    def top(self, node: Node) -> Pieces:
        if node.kind == "call" and node.text.lower() in ("explode", "explode_outer"):
            return ["col"]
        inner = _bare(node.parts[0]) if node.kind == "cast" else None
        if isinstance(inner, Node) and inner.kind == "name":
            return [str(inner.parts[-1])]
        return self.write(node)

    def _string(self, node: Node) -> Pieces:
        return [node.text]

    def _word(self, node: Node) -> Pieces:
        return [node.text if node.text == "NULL" else node.text.lower()]

    def _call(self, node: Node) -> Pieces:
        name = node.text.lower()
        if name == "count" and not node.flag and [getattr(p, "kind", "") for p in node.parts] == ["star"]:
            return ["count(1)"]
        if name == "if" and len(node.parts) == 3:
            return self._around("(IF(", node.parts, "))")
        if name not in SPARK_FUNCTIONS:
            raise _Unknown
        return self._around(f"{name}({'DISTINCT ' if node.flag else ''}", node.parts)

    def _binary(self, node: Node) -> Pieces:
        if node.text in ("<>", "!="):
            return self._around("(NOT (", node.parts, "))", " = ")
        if node.text == "||":
            return self._around("concat(", node.parts)
        if node.text in "+-":
            self._no_dates(node)
        return self._around("(", node.parts, ")", f" {node.text} ")

    def _no_dates(self, node: Node) -> None:
        """`day + 1` is `date_add(day, 1)` where `day` is a date."""
        for part in map(_bare, node.parts):
            if not isinstance(part, Node):
                raise _Unknown
            if part.kind == "name":
                self.undated.append(q.ColumnRef(tuple(q.Name(str(word)) for word in part.parts)))
            elif part.kind in ("binary", "minus") and part.text in ("+", "-", "*", "/", "%", ""):
                continue
            elif part.kind != "number" and not (part.kind == "call" and part.text.lower() in SPARK_NUMBERS):
                raise _Unknown

    def _not(self, node: Node) -> Pieces:
        return self._around("(NOT ", node.parts)

    def _minus(self, node: Node) -> Pieces:
        inner = node.parts[0]
        if isinstance(inner, Node) and inner.kind == "number":
            return ["-", inner.text]
        return self._around("(- ", node.parts)

    def _null(self, node: Node) -> Pieces:
        return self._around("(", node.parts, " IS NOT NULL)" if node.flag else " IS NULL)")

    def _in(self, node: Node) -> Pieces:
        made: Pieces = ["(", *self.write(node.parts[0]), " IN (", *self._many(node.parts[1:]), "))"]
        return ["(NOT ", *made, ")"] if node.flag else made

    def _like(self, node: Node) -> Pieces:
        made = self._many(node.parts, " LIKE ")
        return ["(NOT ", *made, ")"] if node.flag else made

    def _index(self, node: Node) -> Pieces:
        base, index = node.parts
        return [*self.write(base), "[", *self.write(index), "]"]

    def _case(self, node: Node) -> Pieces:
        operand, *pairs, default = node.parts
        if operand is not None:
            raise _Unknown
        found: Pieces = ["CASE"]
        for condition, value in zip(pairs[::2], pairs[1::2], strict=True):
            found += [" WHEN ", *self.write(condition), " THEN ", *self.write(value)]
        return [*found, *([" ELSE ", *self.write(default)] if default is not None else []), " END"]


class _ClickHouse(_Writer):
    """ClickHouse: operators are functions, functions are called as they are written."""

    def _number(self, node: Node) -> Pieces:
        if "." in node.text and (node.text.endswith("0") or len(node.text) > 16):
            raise _Unknown
        return [node.text]

    def _string(self, node: Node) -> Pieces:
        if "'" in node.text:
            raise _Unknown
        return [f"'{node.text}'"]

    def _word(self, node: Node) -> Pieces:
        return [node.text if node.text == "NULL" else node.text.lower()]

    def _call(self, node: Node) -> Pieces:
        if node.text.lower() in CLICKHOUSE_REWRITTEN:
            raise _Unknown
        if node.text.lower() in ("if", "multiif") and not _reads(node.parts[0] if node.parts else None):
            raise _Unknown
        if [getattr(part, "kind", "") for part in node.parts] == ["star"] and not node.flag:
            return [f"{node.text}()"]
        if node.flag:
            if node.text != "count" or len(node.parts) != 1:
                raise _Unknown
            return self._around("countDistinct(", node.parts)
        return self._around(f"{node.text}(", node.parts)

    def _binary(self, node: Node) -> Pieces:
        name = CLICKHOUSE_OPERATORS.get(node.text)
        if name is None:
            raise _Unknown
        chained = node.text in ("AND", "OR", "||")
        return self._around(f"{name}(", tuple(_chain(node, node.text)) if chained else node.parts)

    def _not(self, node: Node) -> Pieces:
        return self._around("not(", node.parts)

    def _minus(self, node: Node) -> Pieces:
        inner = node.parts[0]
        if isinstance(inner, Node) and inner.kind == "number":
            return ["-", *self.write(inner)]
        return self._around("negate(", node.parts)

    def _null(self, node: Node) -> Pieces:
        return self._around("isNotNull(" if node.flag else "isNull(", node.parts)

    def _like(self, node: Node) -> Pieces:
        return self._around("notLike(" if node.flag else "like(", node.parts)

    def _cast(self, node: Node) -> Pieces:
        if not _is(node.parts[0], "name", "call"):
            raise _Unknown
        return self._around("CAST(", node.parts, f", '{node.text}')")

    def _index(self, node: Node) -> Pieces:
        return self._around("arrayElement(", node.parts)

    def _case(self, node: Node) -> Pieces:
        operand, *pairs, default = node.parts
        if operand is not None or default is None or not all(map(_reads, pairs[::2])):
            raise _Unknown  # what is constant is decided before
        return self._around("multiIf(", (*pairs, default))


_STYLES: dict[NameStyle, type[_Writer]] = {
    NameStyle.DUCKDB: _DuckDb,
    NameStyle.SPARK: _Spark,
    NameStyle.CLICKHOUSE: _ClickHouse,
}
