"""Constants and parameters."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower.context import ExprHandler, Lowering


def literal(low: Lowering, node: exp.Literal) -> q.Literal:
    """`'x'`, `12`: the text without quotes."""
    meta = node._meta
    kind = "string" if node.args["is_string"] else "number"
    if meta and "start" in meta:
        return q.Literal(kind, node.args["this"], meta["start"], meta["end"] + 1)
    return q.Literal(kind, str(node.args["this"]))


def _null(low: Lowering, node: exp.Expr) -> q.Literal:
    return q.Literal("null", "NULL")


def _boolean(low: Lowering, node: exp.Expr) -> q.Literal:
    return q.Literal("boolean", "TRUE" if node.args.get("this") else "FALSE")


def _text(low: Lowering, node: exp.Expr) -> q.Literal:
    """Other string-like constants: raw, national, byte, hex, heredoc."""
    meta = node._meta or {}
    kind = "string" if isinstance(node, (exp.RawString, exp.National)) else "other"
    end = meta.get("end", -2)
    return q.Literal(kind, str(node.args.get("this", "")), meta.get("start", -1), end + 1)


def _interval(low: Lowering, node: exp.Interval) -> q.Expr:
    """`INTERVAL 1 DAY` is a constant, `INTERVAL n DAY` a computation with n."""
    value = node.this
    if value is None or isinstance(value, exp.Literal):
        return q.Literal("other", f"INTERVAL {value.name if value is not None else ''}".strip())
    return q.Operation("INTERVAL", (low.expr(value),))


def _parameter(low: Lowering, node: exp.Expr) -> q.Parameter:
    text = _parameter_text(node)
    inner = node.args.get("this")
    meta = (inner._meta or {}) if isinstance(inner, exp.Expr) else {}
    if "start" not in meta or not meta["start"]:
        return q.Parameter(text)
    return q.Parameter(text, meta["start"] - 1, meta["end"] + 1)


def _parameter_text(node: Any) -> str:
    while isinstance(node, exp.Expr):
        inner = node.args.get("this")
        if inner is None:
            return "?"
        node = inner
    return str(node)


def _word(low: Lowering, node: exp.Expr) -> q.Literal:
    """A keyword that stands where an expression may: a date part, an option."""
    return q.Literal("other", node.name)


TABLE: dict[type, ExprHandler] = {
    exp.Literal: literal,
    exp.Null: _null,
    exp.Boolean: _boolean,
    exp.RawString: _text,
    exp.National: _text,
    exp.ByteString: _text,
    exp.HexString: _text,
    exp.BitString: _text,
    exp.UnicodeString: _text,
    exp.Interval: _interval,
    exp.Parameter: _parameter,
    exp.SessionParameter: _parameter,
    exp.Placeholder: _parameter,
    exp.PositionalColumn: _parameter,
    exp.Var: _word,
    exp.DataType: _word,
    exp.PseudoType: _word,
    exp.JSONPath: _word,
}
