"""Operators, casts, lambdas, subqueries, and every expression that has no handler of its own."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower import calls, constructors, literals, name_patterns, paths
from sql_lineage_ls.syntax.lower.context import ExprHandler, Lowering
from sql_lineage_ls.syntax.lower.type_specs import lower_type

_SIGNS: dict[type, str] = {
    exp.And: "AND", exp.Or: "OR", exp.Xor: "XOR", exp.EQ: "=", exp.NEQ: "<>", exp.GT: ">", exp.GTE: ">=", exp.LT: "<",
    exp.LTE: "<=", exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.DPipe: "||",
    exp.Is: "IS", exp.Like: "LIKE", exp.ILike: "ILIKE", exp.Not: "NOT", exp.Neg: "-", exp.NullSafeEQ: "IS NOT DISTINCT",
    exp.NullSafeNEQ: "IS DISTINCT", exp.Between: "BETWEEN", exp.AtTimeZone: "AT TIME ZONE",
}  # fmt: skip


def binary(low: Lowering, node: Any) -> q.Expr:
    """`a AND b AND c`: a chain of one operator is one operation, so that 20,000 terms make no depth.

    A chain of different arithmetic operators is folded from the left, without recursion.
    """
    spine: list[Any] = []
    current = node
    table = EXPRESSIONS
    while table[current.__class__] is binary:
        spine.append(current)
        current = current.this
    sign = ""
    operands: list[q.Expr] = [low.expr(current)]
    for item in reversed(spine):
        this = _sign(item)
        if sign and this != sign and not (this in _ARITHMETIC and sign in _ARITHMETIC):
            operands = [q.Operation(sign, tuple(operands))]
        sign = this
        operands.append(low.expr(item.expression))
    return q.Operation(sign, tuple(operands))


# Mixed chains of these make one operation: all of them compute a new value from all operands.
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "||"})


def _sign(node: Any) -> str:
    return _SIGNS.get(node.__class__) or node.key.upper()


def like(low: Lowering, node: Any) -> q.Expr:
    """`a LIKE 'x'`; DuckDB's `* LIKE 'x'` and `t.* LIKE 'x'` are stars."""
    if node.this.__class__ is exp.Star:
        return _matching(paths.star(low, node.this), node)
    if node.this.__class__ is exp.Column and node.this.this.__class__ is exp.Star:
        found = low.expr(node.this)
        return _matching(found, node) if isinstance(found, q.Star) else found
    return q.Operation(_sign(node), (low.expr(node.this), low.expr(node.expression)))


def negated(low: Lowering, node: Any) -> q.Expr:
    """`NOT a`; `* NOT SIMILAR TO 'x'` is a star."""
    found = generic(low, node)
    inner = node.this
    if isinstance(found, q.Operation) and isinstance(found.operands[0], q.Star) and isinstance(inner, exp.Binary):
        return msgspec.structs.replace(found.operands[0], names=name_patterns.of_test(node, inner.this))
    return found


def _matching(star: q.Star, node: Any) -> q.Star:
    return msgspec.structs.replace(star, names=name_patterns.of_test(node, node.this))


def paren(low: Lowering, node: Any) -> q.Expr:
    """`(x)` is x."""
    while node.__class__ is exp.Paren:
        node = node.this
    return low.expr(node)


def cast(low: Lowering, node: Any) -> q.Expr:
    """CAST(x AS t), `x::t`, TRY_CAST, `DATE 'x'`."""
    return q.Cast(low.expr(node.this), lower_type(low, node.args.get("to")))


def convert(low: Lowering, node: Any) -> q.Expr:
    """T-SQL CONVERT(type, x)."""
    if isinstance(node.this, exp.DataType) and isinstance(node.expression, exp.Expr):
        return q.Cast(low.expr(node.expression), lower_type(low, node.this))
    return generic(low, node)


def lambda_(low: Lowering, node: Any) -> q.Expr:
    """`x -> x.n`, `(a, b) -> a + b`. Where `->` reads a document, `f(doc->'key')` is no lambda."""
    names = low.names(node.expressions)
    body = low.expr(node.this)
    if low.dialect.arrow_reads_json and len(names) == 1:
        return _grafted(q.ColumnRef(names), body)
    return q.Lambda(names, body)


def _grafted(document: q.Expr, step: q.Expr) -> q.Expr:
    """`'a'` as a step into `document`; of `'a'->'b'` the innermost one."""
    if isinstance(step, q.Literal) and step.kind == "string":
        return q.FieldAccess(document, q.Name(step.text, step.start, step.end, True), True)
    if isinstance(step, q.FieldAccess):
        return q.FieldAccess(_grafted(document, step.base), step.name, step.exact)
    if isinstance(step, q.ElementAccess):
        return q.ElementAccess(_grafted(document, step.base), step.index, step.key, step.start, step.end)
    if isinstance(step, q.Cast):
        return q.Cast(_grafted(document, step.value), step.type)
    return q.ElementAccess(document, step)


def subquery(low: Lowering, node: Any) -> q.Expr:
    """`(SELECT ..)` as a value."""
    return q.SubqueryExpr("scalar", low.query(node))


def exists(low: Lowering, node: Any) -> q.Expr:
    """EXISTS(SELECT ..); EXISTS(array, lambda) is a call."""
    this = node.this
    if low.is_query(this):
        return q.SubqueryExpr("exists", low.query(this))
    return calls.known(low, node)


def in_(low: Lowering, node: Any) -> q.Expr:
    """`x IN (..)`, `x IN (SELECT ..)`, `x IN UNNEST(array)`, `x IN name`."""
    args = node.args
    value = low.expr(node.this)
    query = args.get("query")
    if query is not None:
        return q.SubqueryExpr("in", low.query(query), value)
    field = args.get("field") or args.get("unnest")
    if field.__class__ is exp.Column and low.dialect.grammar in _IN_TABLE:
        named = low.expr(field)
        if isinstance(named, q.ColumnRef):
            table = q.FromItem(q.TableRef(named.parts, start=named.parts[0].start, end=named.parts[-1].end))
            return q.SubqueryExpr("in", q.Select((q.Projection(q.Star()),), (table,)), value)
    if field is not None:
        inner = field.expressions if field.__class__ is exp.Unnest else [field]
        return q.Operation("IN", (value, *low.exprs(inner)))
    return q.Operation("IN", (value, *low.exprs(args.get("expressions"))))


# A bare name behind IN is a table there (ClickHouse "IN operators", SQLite "The IN and NOT IN operators").
_IN_TABLE = frozenset({"clickhouse", "sqlite"})


def nested_document(low: Lowering, node: Any) -> q.Expr:
    """ClickHouse `doc.^part`: the document below a key."""
    part = low.expr(node.expression)
    name = part.parts[0] if isinstance(part, q.ColumnRef) else low.name(node.expression)
    return q.FieldAccess(low.expr(node.this), name, True)


def xml_element(low: Lowering, node: Any) -> q.Expr:
    """XMLELEMENT("trip", name): the first word names the element."""
    return q.Call("XMLELEMENT", low.exprs(node.expressions))


def quantified(low: Lowering, node: Any) -> q.Expr:
    """`= ANY (SELECT ..)`, `> ALL (array)`."""
    return low.expr(node.this)


def extract(low: Lowering, node: Any) -> q.Expr:
    """EXTRACT(YEAR FROM d)."""
    return q.Call("EXTRACT", (low.expr(node.expression),))


def unnest(low: Lowering, node: Any) -> q.Expr:
    """UNNEST(..) in an expression."""
    return q.Call("UNNEST", low.exprs(node.expressions))


def explode(low: Lowering, node: Any) -> q.Expr:
    """ClickHouse arrayJoin where the parser reads it."""
    return q.Call("EXPLODE", low.exprs([node.this, *node.expressions]))


def transparent(low: Lowering, node: Any) -> q.Expr:
    """A wrapper that changes no source: an alias inside an expression, COLLATE, a comment."""
    return low.expr(node.this)


def property_eq(low: Lowering, node: Any) -> q.Expr:
    """`name := value` outside a call's arguments."""
    return low.expr(node.expression)


def generic(low: Lowering, node: Any) -> q.Expr:
    """Whatever has no handler: an operation over all the expressions in it."""
    children: list[exp.Expr] = []
    for value in node.args.values():
        if isinstance(value, exp.Expr):
            children.append(value)
        elif isinstance(value, list):
            children.extend(item for item in value if isinstance(item, exp.Expr))
    return q.Operation(_sign(node), low.exprs(children))


def named_thing(low: Lowering, node: exp.Table) -> q.Expr:
    """A name among arguments that is no column: the model of `ML.PREDICT(MODEL ml.churn, ..)`."""
    return q.Literal("other", node.name)


def _plain(low: Lowering, node: Any) -> q.Expr:
    """A flag or a word that the parser keeps without a node, and what broken text lacks."""
    return q.Literal("other", "" if node is None else str(node))


def _table() -> dict[type, ExprHandler]:
    """A handler for every class of sqlglot, found by its nearest base."""
    special: dict[type, ExprHandler] = {
        **literals.TABLE,
        **paths.TABLE,
        **constructors.TABLE,
        **calls.TABLE,
        exp.Like: like,
        exp.ILike: like,
        exp.SimilarTo: like,
        exp.Glob: like,
        exp.Not: negated,
        exp.Paren: paren,
        exp.Cast: cast,
        exp.TryCast: cast,
        exp.JSONCast: cast,
        exp.CastToStrType: cast,
        exp.Convert: convert,
        exp.Lambda: lambda_,
        exp.Exists: exists,
        exp.In: in_,
        exp.Any: quantified,
        exp.All: quantified,
        exp.Extract: extract,
        exp.NestedJSONSelect: nested_document,
        exp.XMLElement: xml_element,
        exp.Unnest: unnest,
        exp.Explode: explode,
        exp.Alias: transparent,
        exp.Aliases: transparent,
        exp.Collate: transparent,
        exp.Ordered: transparent,
        exp.Distinct: generic,
        exp.PropertyEQ: property_eq,
        exp.Kwarg: property_eq,
        exp.Table: named_thing,
        exp.Subquery: subquery,
        exp.Query: subquery,
        exp.Binary: binary,
        exp.Func: calls.known,
        exp.Expr: generic,
    }
    special = {cls: handler for cls, handler in special.items() if isinstance(cls, type)}
    table: dict[type, ExprHandler] = {str: _plain, bool: _plain, int: _plain, type(None): _plain}
    for value in vars(exp).values():
        if isinstance(value, type) and issubclass(value, exp.Expr):
            table[value] = next(special[base] for base in value.__mro__ if base in special)
    return table


EXPRESSIONS = _table()
