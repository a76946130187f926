"""Dotted names, field accesses, subscripts and the paths into semi-structured values."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp
from sqlglot.tokens import TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower import name_patterns
from sql_lineage_ls.syntax.lower.context import ExprHandler, Lowering, end_of
from sql_lineage_ls.syntax.repair import MARK
from sql_lineage_ls.syntax.tokens import grammar

_PARTS = ("catalog", "db", "table", "this")
# Between a column and a path part, and between path parts.
_PATH_PUNCTUATION = frozenset(
    {TokenType.COLON, TokenType.DOT, TokenType.L_BRACKET, TokenType.R_BRACKET, TokenType.ARROW, TokenType.DARROW,
     TokenType.R_PAREN, TokenType.NUMBER, TokenType.STAR}
)  # fmt: skip


def column(low: Lowering, node: exp.Column) -> q.Expr:
    """`a.b.c` as one dotted name; `a.*` as a star."""
    args = node.args
    this = args["this"]
    if this.__class__ is exp.Star:
        before = [name for key in _PARTS[:3] if args.get(key) for name in _names(low, args[key])]
        return star(low, this, q.ColumnRef(tuple(before)))
    if len(args) == 1:
        name = _part(low, this)
        if not name.quoted and name.text.upper() == "DEFAULT":  # SET a = DEFAULT
            return q.Literal("other", name.text, name.start, name.end)
        return q.Parameter(name.text, name.start, name.end) if name.text[:1] == "@" else q.ColumnRef((name,))
    if len(args) == 2 and this.__class__ is exp.Identifier and "table" in args:
        first = low.name(args["table"])
        if not first.quoted and first.text[:1] != "@":
            return q.ColumnRef((first, low.name(this)))
    parts: list[q.Name] = []
    for key in _PARTS:
        part = args.get(key)
        if part.__class__ is exp.Identifier and MARK not in part.this:
            parts.append(low.name(part))
        elif part:
            parts += _names(low, part)
    return _of_variable(parts) if parts[0].text[:1] == "@" else q.ColumnRef(tuple(parts))


def _of_variable(parts: list[q.Name]) -> q.Expr:
    """`@p.a`: fields of a query parameter. A T-SQL table variable needs an alias to be a qualifier."""
    value: q.Expr = q.Parameter(parts[0].text, parts[0].start, parts[0].end)
    for part in parts[1:]:
        value = q.FieldAccess(value, part)
    return value


def _names(low: Lowering, node: Any) -> list[q.Name]:
    if node.__class__ is exp.Identifier and MARK in node.this:
        return low.parts(node)
    return [_part(low, node)]


def _part(low: Lowering, node: Any) -> q.Name:
    if node.__class__ is exp.Identifier:
        return low.name(node)
    if isinstance(node, exp.Parameter):
        name = low.name(node.this)
        return q.Name(f"${name.text}", name.start - 1 if name.start > 0 else -1, name.end)
    return low.name(node)


def identifier(low: Lowering, node: exp.Identifier) -> q.Expr:
    """A bare identifier: a lambda's parameter, or a column that the parser did not wrap."""
    return q.ColumnRef((low.name(node),))


def dot(low: Lowering, node: exp.Dot) -> q.Expr:
    """`base.x.y`: more parts of a dotted name, field accesses, a star, or a function of a schema."""
    steps: list[exp.Expr] = []
    base: Any = node
    while base.__class__ is exp.Dot:
        steps.append(base.expression)
        base = base.this
    value = low.expr(base)
    bracketed = base.__class__ is exp.Paren
    for step in reversed(steps):
        if step.__class__ is exp.Identifier or isinstance(step, (exp.Literal, exp.Var)):
            name = low.name(step)
            value = q.FieldAccess(value, name) if bracketed else _field(value, name)
        elif step.__class__ is exp.Star:
            value = star(low, step, value, bracketed)
        elif (pattern := _columns_of(step, value)) is not None:
            value = pattern
        else:
            value = _method(low, value, step)
    return value


def _columns_of(step: exp.Expr, source: q.Expr) -> q.ColumnsPattern | None:
    """ClickHouse `t.COLUMNS('regex')`: the columns of one source."""
    if step.__class__ is not exp.Anonymous or step.name.upper() != "COLUMNS" or len(step.expressions) != 1:
        return None
    pattern = step.expressions[0]
    if not isinstance(pattern, exp.Literal) or not isinstance(source, q.ColumnRef):
        return None
    return q.ColumnsPattern(pattern.name, star=q.Star(source))


def _field(value: q.Expr, name: q.Name) -> q.Expr:
    if isinstance(value, q.ColumnRef):
        return q.ColumnRef((*value.parts, name))
    return q.FieldAccess(value, name)


# Methods of XML and object values; any other dotted call is a function of a schema or a package.
_METHODS = {
    "tsql": frozenset({"VALUE", "QUERY", "EXIST", "NODES"}),
    "oracle": frozenset({"GETCLOBVAL", "GETSTRINGVAL", "GETNUMBERVAL", "EXTRACT", "EXISTSNODE"}),
}


def _method(low: Lowering, value: q.Expr, step: exp.Expr) -> q.Expr:
    """`schema.function(x)`; on another value a method of it, which reads that value."""
    called = low.expr(step)
    if not isinstance(called, q.Call):
        return q.Operation(".", (value, called))
    if isinstance(value, q.ColumnRef) and called.name not in _METHODS.get(low.dialect.grammar, ()):
        prefix = ".".join(part.text for part in value.parts).upper()
        return q.Call(
            f"{prefix}.{called.name}", called.args, called.named, False, called.order_by, called.filter,
            value.parts[0].start if value.parts[0].start >= 0 else called.start, called.end,
        )  # fmt: skip
    return q.Call(called.name, (value, *called.args), start=called.start, end=called.end)


def bracket(low: Lowering, node: exp.Bracket) -> q.Expr:
    """`items[0]`, `m['k']`, `doc['a']['b']`, `l[1:2]`."""
    value = low.expr(node.this)
    for item in node.expressions:
        if item.__class__ is exp.Slice:
            value = q.Call("ARRAY_SLICE", (value, *low.exprs([part for part in item.args.values() if part])))
            continue
        index = low.expr(item)
        if isinstance(index, q.Literal) and index.kind == "number" and node.args.get("offset") is None:
            index = _as_written(low, index)
        if isinstance(index, q.Literal) and index.kind == "string":
            value = q.ElementAccess(value, index, index.text, index.start, index.end)
        else:
            start, end = (index.start, index.end) if isinstance(index, (q.Literal, q.Parameter)) else (-1, -1)
            value = q.ElementAccess(value, index, None, start, end)
    return value


def _as_written(low: Lowering, index: q.Literal) -> q.Literal:
    """A constant subscript. sqlglot counts it from 0 in every dialect: `m[5]` of Trino, a map's key, has become 4."""
    shift = grammar(low.dialect.grammar).INDEX_OFFSET
    if not shift or not index.text.isdigit():
        return index
    return q.Literal(index.kind, str(int(index.text) + shift), index.start, index.end)


def star(low: Lowering, node: exp.Expr, qualifier: q.Expr | None = None, value: bool = False) -> q.Star:
    """`*` and what may follow it: EXCEPT, EXCLUDE, REPLACE, RENAME, ILIKE. `value` is set for `(c).*`."""
    args = node.args
    meta = node._meta or {}
    start, end = meta.get("start", -1), meta.get("end", -2) + 1
    if low.text[start:end] != "*":
        start = end = -1
    if not args:
        return q.Star(qualifier, start=start, end=end, value=value)
    like = args.get("ilike")
    return q.Star(
        qualifier,
        tuple([_reference(low, item) for item in args.get("except_") or ()]),
        tuple([_replacement(low, item) for item in args.get("replace") or ()]),
        tuple([_replacement(low, item) for item in args.get("rename") or ()]),
        name_patterns.like(like.name, True) if isinstance(like, exp.Expr) else None,
        start,
        end,
        value,
    )


def _reference(low: Lowering, node: exp.Expr) -> q.ColumnRef:
    value = low.expr(node)
    return value if isinstance(value, q.ColumnRef) else q.ColumnRef((low.name(node),))


def _replacement(low: Lowering, node: exp.Expr) -> q.Projection:
    """`expression AS name` of REPLACE, `old AS new` of RENAME."""
    if not isinstance(node, exp.Alias):
        return q.Projection(low.expr(node))
    alias = low.name(node.args["alias"])
    value = low.expr(node.this)
    start = value.parts[0].start if isinstance(value, q.ColumnRef) else -1
    return q.Projection(value, alias, start=start, end=alias.end if start >= 0 else -1)


def columns_pattern(low: Lowering, node: exp.Expr) -> q.Expr:
    """COLUMNS(..), `*COLUMNS(..)`."""
    found = matched(low, node.this, bool(node.args.get("unpack")))
    return low.expr(node.this) if found is None else found


def matched(low: Lowering, inner: Any, unpack: bool) -> q.ColumnsPattern | None:
    """What stands in COLUMNS: `'regex'`, `['a', 'b']`, `lambda c: c LIKE 'x%'`, `t.* EXCLUDE (a)`."""
    if isinstance(inner, exp.Literal) and inner.is_string:
        meta = inner._meta or {}
        return q.ColumnsPattern(inner.name, meta.get("start", -1), meta.get("end", -2) + 1, unpack=unpack)
    if isinstance(inner, exp.Array) and all(item.is_string for item in inner.expressions):
        return q.ColumnsPattern(name_patterns.one_of([item.name for item in inner.expressions]), unpack=unpack)
    if isinstance(inner, exp.Lambda) and inner.expressions:
        pattern = name_patterns.of_test(inner.this, inner.expressions[0])
        return q.ColumnsPattern(pattern, unpack=unpack) if pattern is not None else None
    found = low.expr(inner)
    return q.ColumnsPattern(name_patterns.EVERY, star=found, unpack=unpack) if isinstance(found, q.Star) else None


def applied(low: Lowering, node: exp.Expr) -> q.Expr:
    """ClickHouse `* APPLY(f)`; an expression that names no columns is what it is."""
    inner = low.expr(node.this)
    function = node.args.get("expression")
    name = function.name if isinstance(function, exp.Expr) else ""
    if isinstance(inner, q.Applied):
        return q.Applied(inner.columns, (*inner.functions, name))
    return q.Applied(inner, (name,)) if isinstance(inner, q.Star | q.ColumnsPattern) else inner


# ---------------------------------------------------------------- semi-structured values


def json_extract(low: Lowering, node: exp.Expr) -> q.Expr:
    """`doc:a.b[0]`, `doc -> 'a'`: a chain of accesses; `->>` gives text, so that it is a call."""
    value = low.expr(node.this)
    path = node.expression
    if isinstance(path, exp.JSONPath):
        chain = _walk(low, value, path)
    elif isinstance(path, exp.Literal):
        chain = operator_path(low, value, path)
    else:
        return q.Operation("->", (value, low.expr(path)))
    if isinstance(node, (exp.JSONExtractScalar, exp.JSONBExtractScalar)):
        return q.Call("->>", (chain,))
    return chain


def operator_path(low: Lowering, value: q.Expr, path: exp.Expr) -> q.Expr:
    """The constant on the right of `->` or `#>`: a key, an index, or `{a,b}`."""
    literal = low.expr(path)
    if not isinstance(literal, q.Literal) or literal.kind != "string":
        return q.ElementAccess(value, literal)
    text = literal.text
    if text.startswith("{") and text.endswith("}"):
        return extend(value, [part.strip() for part in text[1:-1].split(",")], low, literal)
    if re.match(r"(?i)\s*(?:lax|strict)?\s*\$", text):
        return json_path(low, value, literal) or q.Operation("->", (value, literal))
    return q.FieldAccess(value, q.Name(text, literal.start, literal.end, True), True)


def _walk(low: Lowering, value: q.Expr, path: exp.JSONPath) -> q.Expr:
    """The parts of a parsed path; their spans are looked up in the tokens behind the value."""
    position = low.token_after(end_of(value)) if end_of(value) >= 0 else -1
    return walk(low, value, path, position)


def walk(low: Lowering, value: q.Expr, path: exp.JSONPath, position: int = -1) -> q.Expr:
    """`value` with an access for each part of a path that sqlglot has parsed."""
    for part in path.expressions:
        if isinstance(part, exp.JSONPathRoot):
            continue
        if isinstance(part, exp.JSONPathKey) and isinstance(part.this, str):
            name, position = _path_name(low, part.this, position)
            value = q.FieldAccess(value, name, True)
        elif isinstance(part, exp.JSONPathSubscript):
            index = part.this
            if isinstance(index, str):
                name, position = _path_name(low, index, position)
                value = q.FieldAccess(value, name, True)
            else:
                value = q.ElementAccess(value, q.Literal("number", str(index)) if isinstance(index, int) else None)
        else:
            value = q.ElementAccess(value)
    return value


def _path_name(low: Lowering, text: str, position: int) -> tuple[q.Name, int]:
    """The token that spells a path part, searched from the token index `position` on (-1: unknown)."""
    tokens = low.tokens
    index = position
    while 0 <= index < min(len(tokens), position + 8):
        token = tokens[index]
        if token.token_type in (TokenType.IDENTIFIER, TokenType.STRING) and token.text == text:
            return q.Name(text, token.start, token.end + 1, True), index + 1
        if low.text[token.start : token.end + 1] == text:
            return q.Name(text, token.start, token.end + 1), index + 1
        if token.token_type is TokenType.STRING:
            inside = _within(low, text, token.start, token.end + 1)
            if inside is not None:
                return inside, index
        if token.token_type not in _PATH_PUNCTUATION:
            break
        index += 1
    return q.Name(text), position


def _within(low: Lowering, text: str, start: int, end: int) -> q.Name | None:
    """A path part inside a string: `'$.a.b'`."""
    found = re.search(rf"(?<![\w]){re.escape(text)}(?![\w])", low.text[start:end])
    return q.Name(text, start + found.start(), start + found.end()) if found else None


_STEP = re.compile(
    r"""\.?\*|\.?"([^"]*)"|\.([^.\["*]+)|\[\s*'([^']*)'\s*\]"""
    r"""|\[\s*"([^"]*)"\s*\]|\[([^\]]*)\]|([^.\["]+)"""
)


def json_path(low: Lowering, value: q.Expr, literal: q.Literal) -> q.Expr | None:
    """The accesses of a constant path, None where it cannot be read: `'$.a[0].b'`, `'lax $.a'`, `'a.b[0]'`."""
    text = literal.text
    head = re.match(r"\s*(?:(?:lax|strict)\s+)?\$?", text)
    position = head.end() if head else 0
    shift = _shift(low, literal)
    while position < len(text):
        step = _STEP.match(text, position)
        if step is None or step.end() == position:
            return None
        group = step.lastindex
        if group is None:
            value = q.ElementAccess(value)
        elif group == 5:
            inner = step.group(5).strip()
            value = q.ElementAccess(value, q.Literal("number", inner) if inner.isdigit() else None)
        else:
            name = step.group(group)
            start, end = step.span(group)
            span = (shift + start, shift + end) if shift >= 0 else (-1, -1)
            value = q.FieldAccess(value, q.Name(name, *span), True)
        position = step.end()
    return value


def _shift(low: Lowering, literal: q.Literal) -> int:
    """Where the text of a string constant begins in the statement, -1 where escapes make that unknown."""
    if literal.start < 0:
        return -1
    raw = low.text[literal.start : literal.end]
    inner = raw.find(literal.text)
    return literal.start + inner if inner >= 0 else -1


def extend(value: q.Expr, keys: list[str], low: Lowering, literal: q.Literal | None = None) -> q.Expr:
    """`value` with a field access for each key; a number is an element."""
    for key in keys:
        if key.lstrip("-").isdigit():
            value = q.ElementAccess(value, q.Literal("number", key))
            continue
        inside = _within(low, key, literal.start, literal.end) if literal is not None and literal.start >= 0 else None
        value = q.FieldAccess(value, inside or q.Name(key), True)
    return value


TABLE: dict[type, ExprHandler] = {
    exp.Column: column,
    exp.Identifier: identifier,
    exp.Dot: dot,
    exp.Bracket: bracket,
    exp.Star: star,
    exp.Columns: columns_pattern,
    exp.Apply: applied,
    exp.JSONExtract: json_extract,
    exp.JSONExtractScalar: json_extract,
    exp.JSONBExtract: json_extract,
    exp.JSONBExtractScalar: json_extract,
}
