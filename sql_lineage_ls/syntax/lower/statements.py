"""Statements that move data: queries, INSERT, UPDATE, MERGE, DELETE, TRUNCATE, and script variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower import sources
from sql_lineage_ls.syntax.lower.clauses import with_clause
from sql_lineage_ls.syntax.lower.context import Lowering
from sql_lineage_ls.syntax.lower.queries import values_row
from sql_lineage_ls.syntax.repair import MARK

StatementHandler = Callable[[Lowering, Any], "q.Statement"]


def query(low: Lowering, node: Any) -> q.Statement:
    """A query on its own, or SELECT .. INTO, which means a whole set operation though it stands in its first branch."""
    first = node
    while isinstance(first, exp.SetOperation):
        first = first.this
    into = first.args.get("into") if isinstance(first, exp.Select) else None
    lowered = low.query(node)
    if into is None:
        return q.QueryStatement(lowered)
    made = into.this
    names = sources.target(low, made).parts if isinstance(made, exp.Expr) else ()
    temporary = bool(into.args.get("temporary")) or (bool(names) and names[-1].text.startswith("#"))
    return q.QueryStatement(lowered, names, temporary)


def insert(low: Lowering, node: exp.Insert) -> q.Statement:
    """INSERT in all its forms."""
    return _insert(low, node, _inserted(low, node))


def _insert(low: Lowering, node: exp.Insert, body: q.Query | None) -> q.Insert:
    args = node.args
    this = node.this
    partition = args.get("partition") or (this.args.get("partition") if isinstance(this, exp.Expr) else None)
    location: str | None = None
    columns: tuple[q.ColumnRef, ...] = ()
    parts: tuple[q.Name, ...] = ()
    alias: q.Name | None = None
    left_out: tuple[q.Name, ...] = ()
    if isinstance(this, exp.Directory):
        location = this.this.name if isinstance(this.this, exp.Expr) else str(this.this)
    else:
        if this.__class__ is exp.Schema:
            left_out = tuple(
                [low.name(column) for item in this.expressions if item.__class__ is exp.Star
                 for column in item.args.get("except_") or ()]
            )
            columns = tuple([_target_column(low, item) for item in this.expressions if item.__class__ is not exp.Star])
            partition = partition or this.this.args.get("partition")
        named = sources.target(low, this.this if this.__class__ is exp.Schema else this)
        parts, alias = named.parts, named.alias
    return q.Insert(
        parts,
        body,
        columns,
        bool(args.get("by_name")),
        bool(args.get("overwrite")),
        _partition(low, partition),
        location,
        _conflict(low, args.get("conflict"), args.get("expression")),
        sources.returned(low, node),
        alias,
        left_out,
    )


def _conflict(low: Lowering, node: Any, body: Any) -> q.Conflict | None:
    """What ON CONFLICT DO UPDATE SET, ON DUPLICATE KEY UPDATE assigns."""
    if node is None or not node.expressions:
        return None
    where = node.args.get("where")
    alias = body.args.get("alias") if isinstance(body, exp.Values) else None
    return q.Conflict(
        assignments(low, node.expressions),
        low.expr(where.this) if where is not None else None,
        low.name(alias.this) if alias is not None and alias.this is not None else None,
        low.names(alias.args.get("columns")) if alias is not None else (),
    )


def _inserted(low: Lowering, node: exp.Insert) -> q.Query | None:
    """What is inserted, with a WITH clause that stands before INSERT."""
    body = node.args.get("expression")
    if body is None or not low.is_query(body):
        return None
    made = low.query(body)
    ctes = with_clause(low, node.args.get("with_"))[0]
    return _with_ctes(made, ctes)


def _with_ctes(made: q.Query, ctes: tuple[q.Cte, ...]) -> q.Query:
    return msgspec.structs.replace(made, ctes=(*ctes, *made.ctes)) if ctes else made


def _target_column(low: Lowering, node: Any) -> q.ColumnRef:
    """A column that is written: `a`, `a.b`."""
    if isinstance(node, exp.ColumnDef):
        node = node.this
    if node.__class__ is exp.Identifier:
        if MARK in node.this[:-1]:
            return q.ColumnRef(_dotted(low, node))
        return q.ColumnRef((low.name(node),))
    value = low.expr(node)
    return column_path(value) or q.ColumnRef((low.name(node),))


def _dotted(low: Lowering, node: exp.Identifier) -> tuple[q.Name, ...]:
    """The parts of a dotted column that was joined to one token before parsing."""
    parts: list[q.Name] = []
    meta = node._meta or {}
    start, end = meta.get("start", 0), meta.get("end", -1) + 1
    words = node.this.split(MARK)
    for text, raw in zip(words, low.text[start:end].split("."), strict=False):
        raw = raw.strip()
        start = low.text.find(raw, start)
        parts.append(q.Name(text, start, start + len(raw), raw != text))
        start += len(raw)
    return tuple(parts)


def column_path(value: q.Expr) -> q.ColumnRef | None:
    """The dotted path that an assignment writes; a subscript writes into its array."""
    if isinstance(value, q.ColumnRef):
        return value
    if isinstance(value, q.FieldAccess):
        base = column_path(value.base)
        return q.ColumnRef((*base.parts, value.name)) if base is not None else None
    if isinstance(value, q.ElementAccess):
        return column_path(value.base)
    if isinstance(value, q.Call) and value.name == "ARRAY_SLICE":
        return column_path(value.args[0])
    return None


def _subscripted(value: q.Expr) -> tuple[int, ...]:
    """How many names stand before each subscript of a path that is written: 1 for `stops[2].town`."""
    if isinstance(value, q.FieldAccess):
        return _subscripted(value.base)
    if isinstance(value, q.ElementAccess):
        path = column_path(value.base)
        return (*_subscripted(value.base), len(path.parts)) if path is not None else ()
    return ()


def _partition(low: Lowering, node: Any) -> tuple[q.PartitionValue, ...]:
    """`PARTITION (day = '2026-01-01', hour)`."""
    if node is None:
        return ()
    found: list[q.PartitionValue] = []
    for item in node.expressions:
        value: q.Expr | None = None
        name = item
        if isinstance(item, exp.EQ):
            value = low.expr(item.expression)
            name = item.this
        reference = low.expr(name)
        if isinstance(reference, q.ColumnRef):
            found.append(q.PartitionValue(reference.parts[-1], value))
    return tuple(found)


def multi_insert(low: Lowering, node: exp.MultitableInserts) -> q.Statement:
    """Hive FROM .. INSERT .., Snowflake and Oracle INSERT ALL / FIRST: every branch reads the same source."""
    ctes = with_clause(low, node.args.get("with_"))[0]
    origin = node.args["source"]
    item = q.FromItem(
        q.DerivedTable(low.query(origin))
        if low.is_query(origin) and origin.__class__ not in (exp.Table, exp.Subquery)
        else sources.source(low, origin)
    )
    inserts: list[q.Insert] = []
    earlier: list[q.Expr] = []
    for branch in node.expressions:
        conditional = branch.__class__ is exp.ConditionalInsert
        inner = branch.this if conditional else branch
        condition = low.maybe(branch.args.get("expression")) if conditional else None
        if condition is not None:
            earlier.append(condition)
        elif conditional and branch.args.get("else_"):
            condition = q.Operation("NOT", tuple(earlier))
        made = _with_ctes(_restricted(_branch_query(low, inner, item), condition), ctes)
        inserts.append(_insert(low, inner, made))
    return q.MultiInsert(tuple(inserts))


def _branch_query(low: Lowering, node: Any, item: q.FromItem) -> q.Query:
    """What one branch inserts, reading the common source."""
    body = node.args.get("expression")
    if body is None:
        return q.Select((q.Projection(q.Star()),), (item,))
    if isinstance(body, exp.Values):
        row = values_row(low, body.expressions[0]) if body.expressions else ()
        return q.Select(tuple([_spanned(value) for value in row]), (item,))
    made = low.query(body)
    if isinstance(made, q.Select):
        return msgspec.structs.replace(made, sources=(item, *made.sources))
    return made


def _spanned(value: q.Expr) -> q.Projection:
    """A value of a VALUES list as a select item."""
    if isinstance(value, q.ColumnRef):
        return q.Projection(value, start=value.parts[0].start, end=value.parts[-1].end)
    if isinstance(value, q.Literal):
        return q.Projection(value, start=value.start, end=value.end)
    return q.Projection(value)


def _restricted(made: q.Query, condition: q.Expr | None) -> q.Query:
    if condition is None or not isinstance(made, q.Select):
        return made
    where = condition if made.where is None else q.Operation("AND", (made.where, condition))
    return msgspec.structs.replace(made, where=where)


def update(low: Lowering, node: exp.Update) -> q.Statement:
    """UPDATE with or without joins."""
    args = node.args
    this = node.this
    clause = args.get("from_")
    items: list[q.FromItem] = []
    joined = this.args.get("joins") if isinstance(this, exp.Expr) else None
    if joined:
        items = [q.FromItem(sources.source(low, this)), *[sources.join(low, item) for item in joined]]
    if clause is not None:
        items += sources.from_items(low, node)
    where = args.get("where")
    return q.Update(
        sources.target(low, this),
        assignments(low, node.expressions),
        tuple(items),
        low.expr(where.this) if where is not None else None,
        with_clause(low, args.get("with_"))[0],
        sources.returned(low, node),
    )


def assignments(low: Lowering, nodes: list[Any]) -> tuple[q.Assignment, ...]:
    """`a = x, s.f = y, (c, d) = (SELECT ..)`."""
    found: list[q.Assignment] = []
    for node in nodes:
        if not isinstance(node, (exp.EQ, exp.PropertyEQ)):
            continue
        left, right = node.this, node.expression
        if left.__class__ is exp.Tuple:
            found += _tuple_assignment(low, left, right)
            continue
        written = low.expr(left)
        path = column_path(written)
        if path is not None:
            found.append(q.Assignment(path, low.expr(right), _subscripted(written)))
    return tuple(found)


def _tuple_assignment(low: Lowering, left: Any, right: Any) -> list[q.Assignment]:
    """`(a, b) = (x, y)`; `(a, b) = (SELECT x, y ..)` gives each column its own select item."""
    paths = [column_path(low.expr(item)) for item in left.expressions]
    if right.__class__ is exp.Tuple:
        values = list(low.exprs(right.expressions))
    else:
        value = low.expr(right)
        values = [value] * len(paths)
        inner = value.query if isinstance(value, q.SubqueryExpr) else None
        if isinstance(inner, q.Select) and len(inner.projections) == len(paths):
            values = [
                q.SubqueryExpr("scalar", msgspec.structs.replace(inner, projections=(item,)))
                for item in inner.projections
            ]
    return [q.Assignment(path, value) for path, value in zip(paths, values, strict=False) if path is not None]


def delete(low: Lowering, node: exp.Delete) -> q.Statement:
    """DELETE FROM t USING u; DELETE a FROM a JOIN b."""
    args = node.args
    this = node.this
    items: list[q.FromItem] = []
    made = sources.target(low, this) if isinstance(this, exp.Expr) else q.TableRef(())
    tables = args.get("tables") or []
    joined = this.args.get("joins") if isinstance(this, exp.Expr) else None
    if joined or tables:
        if isinstance(this, exp.Expr):
            items.append(q.FromItem(sources.source(low, this)))
        items += [sources.join(low, item) for item in joined or ()]
    if tables:
        made = sources.target(low, tables[0])
    for item in args.get("using") or ():
        items += [q.FromItem(sources.source(low, item), "CROSS" if items else "")]
        items += [sources.join(low, extra) for extra in item.args.get("joins") or ()]
    where = args.get("where")
    return q.Delete(
        made,
        tuple(items),
        low.expr(where.this) if where is not None else None,
        with_clause(low, args.get("with_"))[0],
        sources.returned(low, node),
    )


def merge(low: Lowering, node: exp.Merge) -> q.Statement:
    """MERGE with all its branches."""
    args = node.args
    whens = args.get("whens")
    on = args.get("on")
    return q.Merge(
        sources.target(low, node.this),
        sources.source(low, args["using"]),
        low.expr(on) if on is not None else None,
        tuple([_branch(low, item) for item in (whens.expressions if whens is not None else ())]),
        with_clause(low, args.get("with_"))[0],
        sources.returned(low, node),
    )


def _branch(low: Lowering, node: exp.When) -> q.MergeBranch:
    args = node.args
    matched = "matched" if args.get("matched") else ("not_matched_by_source" if args.get("source") else "not_matched")
    condition = low.maybe(args.get("condition"))
    then = args.get("then")
    extra = then.args.get("where") if isinstance(then, exp.Expr) else None
    if extra is not None:
        where = low.expr(extra.this)
        condition = where if condition is None else q.Operation("AND", (condition, where))
    if then.__class__ is exp.Update:
        found = then.args.get("expressions")
        if not found and then.this is None:
            return q.MergeBranch(matched, "update", condition, row=True)
        items = found if isinstance(found, list) else [found]
        star = any(item.__class__ is exp.Star for item in items) or then.this.__class__ is exp.Star
        return q.MergeBranch(matched, "update", condition, assignments(low, items), star=star)
    if then.__class__ is exp.Insert:
        return _insert_branch(low, matched, condition, then)
    return q.MergeBranch(matched, "delete" if _word(then) == "DELETE" else "nothing", condition)


def _insert_branch(low: Lowering, matched: str, condition: q.Expr | None, then: Any) -> q.MergeBranch:
    this, body = then.args.get("this"), then.args.get("expression")
    if this.__class__ is exp.Star:
        return q.MergeBranch(matched, "insert", condition, star=True)
    columns = tuple([_target_column(low, item) for item in this.expressions]) if isinstance(this, exp.Tuple) else ()
    whole = isinstance(body, exp.Tuple) and [item.name.upper() for item in body.expressions] == ["ROW"]
    if _word(this) == "ROW" or whole or (this is None and not body):
        return q.MergeBranch(matched, "insert", condition, columns=columns, row=True)
    values: tuple[q.Expr, ...] = ()
    if isinstance(body, exp.Values):
        values = values_row(low, body.expressions[0]) if body.expressions else ()
    elif isinstance(body, exp.Expr):
        values = values_row(low, body)
    return q.MergeBranch(matched, "insert", condition, columns=columns, values=values)


def _word(node: Any) -> str:
    return node.name.upper() if isinstance(node, (exp.Var, exp.Identifier)) else ""


def truncate(low: Lowering, node: Any) -> q.Statement:
    """TRUNCATE TABLE t."""
    tables = node.expressions
    return q.Truncate(sources.target(low, tables[0]).parts if tables else ())


def declare(low: Lowering, node: exp.Declare) -> q.Statement:
    """DECLARE x, y INT64 DEFAULT 1."""
    names: list[q.Name] = []
    values: list[q.Expr] = []
    for item in node.expressions:
        words = item.this if isinstance(item.this, list) else [item.this]
        names += [low.name(word) for word in words if isinstance(word, exp.Expr)]
        default = item.args.get("default")
        if isinstance(default, exp.Expr):
            values.append(low.expr(default))
    return q.Declare(tuple(names), tuple(values))


def set_(low: Lowering, node: exp.Set) -> q.Statement:
    """SET x = 1, SET (x, y) = (1, 2); a session's setting sets no variable."""
    names: list[q.Name] = []
    values: list[q.Expr] = []
    for item in node.expressions:
        pair = item.this
        if not isinstance(pair, exp.EQ):
            return q.OtherStatement("SET")
        if isinstance(pair.this, exp.SessionParameter):
            return q.OtherStatement("SET")
        left = pair.this.expressions if pair.this.__class__ is exp.Tuple else [pair.this]
        for word in left:
            names.append(low.name(word.this if word.__class__ is exp.Column else word))
        values.append(low.expr(pair.expression))
    return q.Declare(tuple(names), tuple(values)) if names else q.OtherStatement("SET")


STATEMENTS: dict[type, StatementHandler] = {
    exp.Select: query,
    exp.Union: query,
    exp.Except: query,
    exp.Intersect: query,
    exp.Values: query,
    exp.Subquery: query,
    exp.Table: query,
    exp.Pivot: query,
    exp.Insert: insert,
    exp.MultitableInserts: multi_insert,
    exp.Update: update,
    exp.Delete: delete,
    exp.Merge: merge,
    exp.TruncateTable: truncate,
    exp.Declare: declare,
    exp.Set: set_,
}
