"""What stands in FROM: tables, derived tables, UNNEST, table functions, laterals, joins."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower import pivots
from sql_lineage_ls.syntax.lower.clauses import with_clause
from sql_lineage_ls.syntax.lower.context import Lowering, offset_of
from sql_lineage_ls.syntax.lower.type_specs import lower_type
from sql_lineage_ls.syntax.pipes import KEPT

# `format.`path`` reads files there (Spark: "Run SQL on files directly").
_FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc", "delta", "avro", "text", "binaryfile", "iceberg"})
_FUNCTIONS = (exp.Func, exp.Anonymous)


def from_items(low: Lowering, node: Any) -> tuple[q.FromItem, ...]:
    """The sources of a query block in the order of the text: FROM, joins, LATERAL VIEWs."""
    args = node.args
    items: list[q.FromItem] = []
    clause = args.get("from_")
    if clause is not None:
        items += _first(low, clause.this)
    elif node.__class__ is exp.Subquery:
        items += _first(low, node.this) if not low.is_query(node.this) else [q.FromItem(source(low, node))]
    return (*items, *_joined(low, args))


def _first(low: Lowering, node: Any, join: str = "") -> list[q.FromItem]:
    """A source and the joins that sqlglot hangs below it."""
    return [q.FromItem(source(low, node), join), *_joined(low, _unwrap(node).args)]


def _joined(low: Lowering, args: dict[str, Any]) -> list[q.FromItem]:
    joins = args.get("joins") or []
    laterals = args.get("laterals") or []
    if not laterals:
        return [join(low, item) for item in joins]
    ordered = sorted([*joins, *laterals], key=offset_of) if joins else laterals
    return [
        join(low, item) if item.__class__ is exp.Join else q.FromItem(source(low, item), "CROSS") for item in ordered
    ]


def join(low: Lowering, node: exp.Join) -> q.FromItem:
    """One joined source."""
    args = node.args
    on = low.maybe(args.get("on"))
    condition = args.get("match_condition")
    if condition is not None:
        matched = low.expr(condition)
        on = matched if on is None else q.Operation("AND", (matched, on))
    using = tuple([low.name(item) for item in args.get("using") or ()])
    kind = _join_kind(args, on is not None or bool(using))
    this = args["this"]
    natural = "NATURAL" in (args.get("method") or "")
    if kind == "ARRAY":
        return q.FromItem(_array_join(low, node), "CROSS")
    if this.__class__ is exp.Lateral and this.args.get("cross_apply") is False:
        kind = "LEFT"
    made = source(low, this)
    nested = _unwrap(this).args.get("joins")
    if nested and this.__class__ is not exp.Subquery:
        made = q.NestedJoin((q.FromItem(made), *[join(low, item) for item in nested]))
    made = pivots.with_pivots(made, pivots.lower_pivots(low, args.get("pivots")))
    return q.FromItem(made, kind, on, using, natural)


def _join_kind(args: dict[str, Any], conditioned: bool) -> str:
    kind: str = args.get("kind") or ""
    side: str = args.get("side") or ""
    method: str = args.get("method") or ""
    words = f"{method} {side} {kind}".upper().split()
    for word in ("ARRAY", "SEMI", "ANTI", "ASOF"):
        if word in words:
            return word
    for word in ("LEFT", "RIGHT", "FULL", "CROSS"):
        if word in words:
            return word
    return "INNER" if conditioned or "NATURAL" in words or kind else "CROSS"


def _array_join(low: Lowering, node: exp.Join) -> q.ArrayJoin:
    """ClickHouse `LEFT ARRAY JOIN arr AS x, n.y AS w`."""
    items = []
    for item in (node.this, *node.expressions):
        if isinstance(item, exp.Alias):
            alias = item.args["alias"]
            items.append(q.Projection(low.expr(item.this), low.name(alias)))
        else:
            items.append(q.Projection(low.expr(item)))
    return q.ArrayJoin(tuple(items), (node.args.get("side") or "").upper() == "LEFT")


def _unwrap(node: Any) -> Any:
    """The table below FINAL, STREAM and the like."""
    while node.__class__ in (exp.Final, exp.TableSample, exp.Stream):
        outer, node = node, node.this
        if outer.__class__ is exp.Stream and node.__class__ is exp.Subquery and node.this.__class__ is exp.Table:
            node = node.this  # STREAM(t)
    return node


def source(low: Lowering, node: Any) -> q.TableSource:
    """One source of any kind."""
    node = _unwrap(node)
    kind = node.__class__
    if kind is exp.Table:
        return table(low, node)
    if kind is exp.Subquery:
        return derived(low, node)
    if kind is exp.Unnest:
        return unnest(low, node)
    if kind is exp.Lateral:
        return lateral(low, node)
    if kind is exp.Values:
        alias, names, _ = table_alias(low, node)
        query, structure = _structured(low, low.query(node))
        clauses = pivots.lower_pivots(low, node.args.get("pivots"))
        return q.DerivedTable(query, alias, names or structure, False, clauses)
    if kind is exp.AtIndex or kind is exp.Alias or kind is exp.Column or kind is exp.Pivot:
        return _navigated(low, node)
    if low.is_query(node):
        alias, names, _ = table_alias(low, node)
        return q.DerivedTable(low.query(node), alias, names)
    return _function(low, node.this if kind is exp.TableFromRows else node, node)


def _structured(low: Lowering, query: q.Query) -> tuple[q.Query, tuple[q.Name, ...]]:
    """ClickHouse `values('town String, km Int32', (..), ..)`: the first argument names the columns."""
    rows = query.rows if isinstance(query, q.ValuesQuery) else ()
    cells = [_cells(item) for item in rows[0]] if len(rows) == 1 else []
    first = cells[0][0] if cells and len(cells[0]) == 1 else None
    if low.dialect.grammar != _STRUCTURED_VALUES or not isinstance(first, q.Literal) or first.kind != "string":
        return query, ()
    names = [part.split(maxsplit=1) for part in re.split(r",(?![^()]*\))", first.text)]
    if not all(len(words) == 2 for words in names):
        return query, ()
    return q.ValuesQuery(tuple(cells[1:])), tuple([q.Name(words[0]) for words in names])


def _cells(item: q.Expr) -> tuple[q.Expr, ...]:
    return tuple([field.value for field in item.fields]) if isinstance(item, q.RecordExpr) else (item,)


# Its VALUES in FROM is a function ("values").
_STRUCTURED_VALUES = "clickhouse"


def table_alias(low: Lowering, node: Any) -> tuple[q.Name | None, tuple[q.Name, ...], tuple[q.ColumnDef, ...]]:
    """A source's alias, its column names, and its column definitions where these have types."""
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return (low.name(alias) if isinstance(alias, exp.Expr) else None), (), ()
    this = alias.args.get("this")
    columns = alias.args.get("columns") or []
    definitions = tuple(
        [
            q.ColumnDef(low.name(item.this), lower_type(low, item.args["kind"]) if item.args.get("kind") else None)
            for item in columns
            if isinstance(item, exp.ColumnDef)
        ]
    )
    names = low.names([item.this if isinstance(item, exp.ColumnDef) else item for item in columns])
    return (low.name(this) if this is not None else None), names, definitions


def table(low: Lowering, node: exp.Table) -> q.TableSource:
    """A named table, a function, or a file's address."""
    this = node.args.get("this")
    if this is None:
        return _rows_from(low, node)
    if isinstance(this, _FUNCTIONS):
        return _function(low, this, node)
    if isinstance(this, (exp.Values, exp.Subquery)):
        alias, names, _ = table_alias(low, node)
        return msgspec.structs.replace(source(low, this), alias=alias, column_aliases=names)
    alias, names, _ = table_alias(low, node)
    clauses = pivots.lower_pivots(low, node.args.get("pivots"))
    parts = table_parts(low, node)
    if parts and not parts[-1].text:
        return q.TableRef(())  # half-typed: `FROM WHERE x`
    address = _address(low, this, parts)
    last = alias or (parts[-1] if parts else None)
    position = low.prepared.positions.get(last.start) if last is not None and low.prepared.positions else None
    starts = [part.start for part in parts if part.start >= 0]
    start, end = (starts[0], parts[-1].end) if starts else (-1, -1)
    return q.TableRef(
        () if address is not None else parts, alias, names, position, position is not None, clauses, address, start, end
    )


def _rows_from(low: Lowering, node: exp.Table) -> q.TableSource:
    """Postgres `ROWS FROM (unnest(a), f(b)) AS t(x, y)`: the columns of the functions side by side."""
    items = [q.FromItem(source(low, item), "CROSS") for item in node.args.get("rows_from") or []]
    alias, names, _ = table_alias(low, node)
    counted = bool(node.args.get("ordinality"))
    if len(items) == 1 and isinstance(items[0].source, (q.Unnest, q.TableFunction)):
        return msgspec.structs.replace(items[0].source, alias=alias, column_aliases=names, with_position=counted)
    if counted:
        items.append(q.FromItem(q.TableFunction(q.Call("GENERATE_SERIES"), q.Name("ordinality")), "CROSS"))
    if not items:
        return q.TableRef(())
    return q.DerivedTable(q.Select((q.Projection(q.Star()),), tuple(items)), alias, names, lateral=True)


def _address(low: Lowering, this: Any, parts: tuple[q.Name, ...]) -> str | None:
    """The address of a file or a stage that stands in a table's place."""
    if isinstance(this, exp.Var) and this.name.startswith("@"):
        return this.name
    if not parts or not parts[-1].quoted:
        return None
    last = parts[-1]
    if last.start >= 0 and low.text[last.start] == "'":
        return last.text
    if len(parts) == 2 and "/" in last.text and parts[0].text.lower() in _FILE_FORMATS:
        return last.text
    return None


def table_parts(low: Lowering, node: Any) -> tuple[q.Name, ...]:
    """The parts of a table's name with exact spans: `` `p.d.t` `` has three, each inside the backticks."""
    nodes: list[Any] = []
    this = node.args.get("this")
    while this.__class__ is exp.Dot:
        nodes.insert(0, this.expression)
        this = this.this
    nodes.insert(0, this)
    for key in ("db", "catalog"):
        part = node.args.get(key)
        if part:
            nodes.insert(0, part)
    names = _own_spans(low, [name for part in nodes for name in low.parts(part)])
    if low.dialect.quoted_dots_split and len(names) == len(nodes):
        names = _mend_dashes(low, names, nodes)
    return tuple(names)


def _own_spans(low: Lowering, names: list[q.Name]) -> list[q.Name]:
    """The parser itself cuts `"d.t"` in BigQuery, and gives each part the span of the whole token."""
    places = {(name.start, name.end) for name in names}
    if len(names) < 2 or len(places) > 1 or names[0].start < 0:
        return names
    start, end = names[0].start + 1, names[0].end - 1
    pieces = low.text[start:end].split(".")
    if len(pieces) != len(names):
        return [q.Name(name.text, quoted=name.quoted) for name in names]
    placed = []
    for name, piece in zip(names, pieces, strict=True):
        placed.append(q.Name(name.text, start, start + len(piece), name.quoted))
        start += len(piece) + 1
    return placed


def _mend_dashes(low: Lowering, names: list[q.Name], nodes: list[Any]) -> list[q.Name]:
    """`my-proj.ds.t`: the parser joins the words of a dashed part and gives the span of one of them."""
    for index, name in enumerate(names):
        if name.start >= 0 or "-" not in name.text:
            continue
        meta = nodes[index]._meta or {}
        around = meta.get("start", -1)
        found = low.text.find(name.text, max(around - len(name.text), 0), around + len(name.text) + 1)
        if around >= 0 and found >= 0:
            names[index] = q.Name(name.text, found, found + len(name.text))
    return names


def derived(low: Lowering, node: exp.Subquery) -> q.TableSource:
    """A query in brackets, or a join in brackets."""
    alias, names, _ = table_alias(low, node)
    clauses = pivots.lower_pivots(low, node.args.get("pivots"))
    inner = node.this
    if inner.__class__ in (exp.Table, exp.Lateral, exp.Unnest, exp.Final):
        items = _first(low, inner)
        if len(items) == 1 and alias is None:
            return pivots.with_pivots(items[0].source, clauses)
        return pivots.with_pivots(q.NestedJoin(tuple(items), alias, names), clauses)
    if inner.__class__ in (exp.Describe, exp.Summarize, exp.Show):
        return q.TableFunction(q.Call(inner.key.upper()), alias, names)
    if inner.__class__ is exp.Subquery and (_holds_join(inner) or inner.args.get("alias") or node.args.get("joins")):
        items = [q.FromItem(derived(low, inner)), *_joined(low, inner.args), *_joined(low, node.args)]
        if len(items) == 1 and alias is None:
            return pivots.with_pivots(items[0].source, clauses)
        return pivots.with_pivots(q.NestedJoin(tuple(items), alias, names), clauses)
    bare = low.query(inner)
    if alias is not None and alias.text == KEPT:
        kept = msgspec.structs.replace(bare, keeps=True) if isinstance(bare, q.Select) else bare
        return q.DerivedTable(kept, None, (), False, clauses)
    return q.DerivedTable(_around(low, node, bare), alias, names, False, clauses)


def _around(low: Lowering, node: exp.Subquery, query: q.Query) -> q.Query:
    """The query with what stands around its brackets (a WITH clause)."""
    if not node.args.get("with_"):
        return query
    ctes = with_clause(low, node.args["with_"])[0]
    return msgspec.structs.replace(query, ctes=(*ctes, *query.ctes))


def _holds_join(node: Any) -> bool:
    """Whether brackets within brackets hold tables and no query."""
    while node.__class__ is exp.Subquery:
        node = node.this
    return node.__class__ in (exp.Table, exp.Lateral, exp.Unnest)


def unnest(low: Lowering, node: exp.Unnest) -> q.Unnest:
    """UNNEST(arrays); an alias without columns may come as the only column (BigQuery)."""
    alias, names, _ = table_alias(low, node)
    if alias is None and len(names) == 1:
        alias, names = names[0], ()
    offset = node.args.get("offset")
    position = low.name(offset) if isinstance(offset, exp.Expr) else None
    arrays = low.exprs(node.expressions)
    start = _keyword_before(low, node, "UNNEST")
    return q.Unnest(
        arrays, alias, names, position, bool(offset), pivots.lower_pivots(low, node.args.get("pivots")),
        start, start + 6 if start >= 0 else -1,
    )  # fmt: skip


def _keyword_before(low: Lowering, node: Any, word: str) -> int:
    """Where the keyword stands that opens `node`, -1 where its first leaf has no position."""
    offset = offset_of(node)
    if offset < 0:
        return -1
    index = low.token_after(offset)
    for position in range(index, max(index - 24, -1), -1):
        if position < len(low.tokens) and low.tokens[position].text.upper() == word:
            return low.tokens[position].start
    return -1


def lateral(low: Lowering, node: exp.Lateral) -> q.TableSource:
    """LATERAL (SELECT ..), LATERAL f(x), LATERAL VIEW f(x) t AS a, b, CROSS APPLY."""
    args = node.args
    this = args["this"]
    clauses = pivots.lower_pivots(low, args.get("pivots"))
    alias, names, definitions = table_alias(low, node)
    if this.__class__ is exp.Subquery or low.is_query(this):
        query = low.query(this)
        return q.DerivedTable(query, alias, names, True, clauses)
    if this.__class__ is exp.Unnest:
        inner = unnest(low, this)
        if alias is None and len(names) == 1:
            alias, names = names[0], ()
        return msgspec.structs.replace(inner, alias=alias or inner.alias, column_aliases=names or inner.column_aliases)
    call, columns = _callee(low, this)
    return q.TableFunction(
        call, alias, names, definitions or columns, bool(args.get("ordinality")), bool(args.get("view")),
        bool(args.get("outer")), clauses,
    )  # fmt: skip


def _function(low: Lowering, this: Any, node: Any) -> q.TableSource:
    """A function in FROM; TABLE(collection) of Oracle is an UNNEST."""
    alias, names, definitions = table_alias(low, node)
    clauses = pivots.lower_pivots(low, node.args.get("pivots"))
    schema = [low.name(node.args[key]) for key in ("catalog", "db") if isinstance(node.args.get(key), exp.Expr)]
    call, columns = _callee(low, this)
    if isinstance(call, q.Call) and call.name == "TABLE" and len(call.args) == 1:
        inner = call.args[0]
        if not isinstance(inner, q.Call) and not isinstance(inner, q.Literal):
            return q.Unnest((inner,), alias, names, pivots=clauses, start=call.start, end=call.end)
        call = inner
    if schema and isinstance(call, q.Call):
        prefix = ".".join(part.text for part in schema).upper()
        call = msgspec.structs.replace(call, name=f"{prefix}.{call.name}", start=schema[0].start)
    ordinal = bool(node.args.get("ordinality"))
    return q.TableFunction(call, alias, names, definitions or columns, ordinal, pivots=clauses)


def _callee(low: Lowering, this: Any) -> tuple[q.Expr, tuple[q.ColumnDef, ...]]:
    """The call, and the columns that it defines itself (OPENJSON .. WITH, JSON_TABLE .. COLUMNS)."""
    if isinstance(this, exp.OpenJSON):
        return q.Call("OPENJSON", (low.expr(this.this),)), _definitions(low, this.expressions)
    if isinstance(this, exp.JSONTable):
        schema = this.args.get("schema")
        nodes = schema.expressions if schema is not None else []
        return q.Call("JSON_TABLE", (low.expr(this.this),)), _definitions(low, nodes)
    if isinstance(this, exp.XMLTable):
        columns = _definitions(low, this.args.get("columns") or [])
        return q.Call("XMLTABLE", low.exprs(this.args.get("passing"))), columns
    return low.expr(this), ()


def _definitions(low: Lowering, nodes: list[Any]) -> tuple[q.ColumnDef, ...]:
    """The column definitions of a table function, nested ones included."""
    found: list[q.ColumnDef] = []
    for node in nodes:
        nested = node.args.get("nested_schema")
        if nested is not None:
            found += _definitions(low, nested.expressions)
        elif isinstance(node.this, exp.Expr):
            kind = node.args.get("kind")
            found.append(q.ColumnDef(low.name(node.this), lower_type(low, kind) if kind is not None else None))
    return tuple(found)


def _navigated(low: Lowering, node: Any) -> q.TableSource:
    """Redshift `FROM o.items AS i AT idx`, `FROM UNPIVOT o.attrs AS v AT k`."""
    position: q.Name | None = None
    alias: q.Name | None = None
    unpivot = node.__class__ is exp.Pivot
    if unpivot:
        node = node.this
    if node.__class__ is exp.AtIndex:
        position = low.name(node.expression)
        node = node.this
    if node.__class__ is exp.Alias:
        alias = low.name(node.args["alias"])
        node = node.this
    value = low.expr(node)
    if unpivot or not isinstance(value, q.ColumnRef):
        return q.Unnest((value,), alias, (), position, position is not None)
    parts = value.parts
    return q.TableRef(parts, alias, (), position, position is not None, start=parts[0].start, end=parts[-1].end)


def target(low: Lowering, node: Any) -> q.TableRef:
    """The table that a statement writes."""
    if not isinstance(node, exp.Expr):
        return q.TableRef(())
    made = source(low, node.this if node.__class__ is exp.Schema else node)
    if isinstance(made, q.TableRef):
        return made
    if isinstance(made, q.TableFunction) and isinstance(made.call, q.Call):
        call = made.call
        return q.TableRef((q.Name(low.text[call.start : call.end] or call.name, call.start, call.end),), made.alias)
    return q.TableRef(())


def returning_query(low: Lowering, node: Any) -> q.Query:
    """A data-modifying CTE: what its RETURNING gives, read from the table that it writes."""
    clause = node.args.get("returning")
    if clause is None:
        return q.Select()
    made = target(low, node.this)
    projections = []
    for item in clause.expressions:
        alias = low.name(item.args["alias"]) if isinstance(item, exp.Alias) else None
        value = low.expr(item.this if isinstance(item, exp.Alias) else item)
        projections.append(q.Projection(value, alias))
    return q.Select(tuple(projections), (q.FromItem(made),))


def returned(low: Lowering, node: exp.Expr) -> tuple[q.Expr, ...]:
    """What RETURNING or OUTPUT of a statement by itself reads, without the names that it gives."""
    clause = node.args.get("returning")
    items = clause.expressions if clause is not None else ()
    return tuple([low.expr(item.this if isinstance(item, exp.Alias) else item) for item in items])
