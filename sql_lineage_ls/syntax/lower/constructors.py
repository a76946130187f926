"""What is written as a call but is something else: records, arrays, maps, choices, and accesses by name or path."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.lower import paths
from sql_lineage_ls.syntax.lower.context import ExprHandler, Lowering, end_of, offset_of

Maker = Callable[[Lowering, str, Any], "q.Expr | None"]


# ---------------------------------------------------------------- records


def _struct(low: Lowering, name: str, node: exp.Expr) -> q.Expr:
    """STRUCT(a AS x, b): a field without a name takes that of the column it is."""
    return q.RecordExpr("struct", tuple([_field(low, item) for item in node.expressions]))


def _row(low: Lowering, name: str, node: exp.Expr) -> q.Expr:
    """ROW(a, b), tuple(a, b): positional, unless a field is given a name."""
    fields = tuple([_positional(low, item) for item in node.expressions])
    return q.RecordExpr("row", fields)


def _field(low: Lowering, node: Any) -> q.RecordField:
    kind = node.__class__
    if kind is exp.PropertyEQ or kind is exp.Kwarg:
        return q.RecordField(_key(low, node), low.expr(node.expression))
    if kind is exp.Alias:
        return q.RecordField(low.name(node.args["alias"]), low.expr(node.this))
    value = low.expr(node)
    if isinstance(value, q.ColumnRef):
        return q.RecordField(value.parts[-1], value)
    if isinstance(value, q.FieldAccess):
        return q.RecordField(value.name, value)
    return q.RecordField(None, value)


def _positional(low: Lowering, node: Any) -> q.RecordField:
    if node.__class__ in (exp.PropertyEQ, exp.Alias, exp.Kwarg):
        return _field(low, node)
    return q.RecordField(None, low.expr(node))


def _key(low: Lowering, node: exp.Expr) -> q.Name:
    """The name of `'key': value` or `key := value`; a key without a position is looked up before its value."""
    key = node.this
    name = low.name(key)
    if name.start >= 0:
        return name
    offset = offset_of(node.expression)
    if offset < 0:
        return name
    index = low.token_after(offset + 1) - 1
    for position in range(index - 1, max(index - 40, -1), -1):
        token = low.tokens[position]
        if token.text == name.text:
            raw = low.text[token.start : token.end + 1]
            return q.Name(name.text, token.start, token.end + 1, raw != name.text)
    return name


def _keyed(kind: str) -> Maker:
    """NAMED_STRUCT('a', x, ..), OBJECT_CONSTRUCT('a', x, ..): keys and values in turns."""

    def make(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
        items = node.expressions
        if len(items) % 2 or not items:
            return None
        if not all(isinstance(key, exp.Literal) and key.is_string for key in items[::2]):
            return None
        fields = []
        for key, value in zip(items[::2], items[1::2], strict=True):
            meta = key._meta or {}
            label = q.Name(key.name, meta.get("start", -1), meta.get("end", -2) + 1, True)
            fields.append(q.RecordField(label, low.expr(value)))
        return q.RecordExpr(kind, tuple(fields))

    return make


def _pack(low: Lowering, name: str, node: exp.Expr) -> q.Expr:
    """DuckDB struct_pack(a := x)."""
    return q.RecordExpr("struct", tuple([_field(low, item) for item in node.expressions]))


# ---------------------------------------------------------------- arrays and maps


def _array(low: Lowering, name: str, node: exp.Expr) -> q.Expr:
    """ARRAY(a, b), ARRAY(SELECT ..)."""
    items = node.expressions
    if len(items) == 1 and (low.is_query(items[0]) or isinstance(items[0], exp.Subquery)):
        return q.SubqueryExpr("array", low.query(items[0]))
    return q.ArrayExpr(low.exprs(items))


def _map(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
    """map(k, v, ..); map(array, array) where both are arrays."""
    items = low.exprs(node.expressions)
    if len(items) == 2 and isinstance(items[0], q.ArrayExpr) and isinstance(items[1], q.ArrayExpr):
        return q.MapExpr(items[0].items, items[1].items)
    if len(items) % 2 or not items or low.dialect.grammar in _MAP_OF_ARRAYS:
        return _as_call(name, node, items)
    return q.MapExpr(items[::2], items[1::2])


# MAP(x, y) takes the array of keys and the array of values there.
_MAP_OF_ARRAYS = frozenset({"trino", "presto", "athena", "duckdb"})


# ---------------------------------------------------------------- choices


def _if(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
    """IF(condition, a, b), IIF, IFF."""
    if len(node.expressions) not in (2, 3):
        return None
    items = low.exprs(node.expressions)
    return q.Case(None, ((items[0], items[1]),), items[2] if len(items) == 3 else None)


def _multi_if(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
    """ClickHouse multiIf(c1, a, c2, b, default)."""
    if len(node.expressions) < 3:
        return None
    items = low.exprs(node.expressions)
    whens = tuple(zip(items[:-1:2], items[1::2], strict=False))
    return q.Case(None, whens, items[-1] if len(items) % 2 else None)


def _decode(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
    """DECODE(x, 1, a, 2, b, default); with two arguments it decodes bytes."""
    if len(node.expressions) < 3:
        return None
    items = low.exprs(node.expressions)
    rest = items[1:]
    whens = tuple(zip(rest[::2], rest[1::2], strict=False))
    return q.Case(items[0], whens, rest[-1] if len(rest) % 2 else None)


def _nvl2(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
    if len(node.expressions) != 3:
        return None
    items = low.exprs(node.expressions)
    return q.Case(None, ((items[0], items[1]),), items[2])


# ---------------------------------------------------------------- accesses


def _element(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
    """ELEMENT_AT(a, i), GET(v, 'key')."""
    if len(node.expressions) != 2:
        return None
    items = low.exprs(node.expressions)
    index = items[1]
    if isinstance(index, q.Literal):
        return q.ElementAccess(items[0], index, index.text if index.kind == "string" else None, index.start, index.end)
    return q.ElementAccess(items[0], index)


def _named_element(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
    """STRUCT_EXTRACT(s, 'a'), tupleElement(t, 'a')."""
    nodes = node.expressions
    if len(nodes) < 2 or nodes[1].__class__ is not exp.Literal:
        return None
    items = low.exprs(nodes)
    key = items[1]
    if not isinstance(key, q.Literal):
        return _as_call(name, node, items)
    return q.FieldAccess(items[0], q.Name(key.text, key.start, key.end, key.kind == "string"))


def _by_path(converts: bool) -> Maker:
    """JSON_QUERY(doc, '$.a.b') is the access itself; JSON_VALUE makes text of it, so that it stays a call."""

    def make(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
        items = low.exprs(node.expressions)
        path = items[1] if len(items) > 1 else None
        if not isinstance(path, q.Literal) or path.kind != "string":
            return _as_call(name, node, items)
        chain = paths.json_path(low, items[0], path)
        if chain is None:
            return _as_call(name, node, items)
        return _as_call(name, node, (chain, *items[2:])) if converts else chain

    return make


def _by_keys(converts: bool, skip_last: bool = False) -> Maker:
    """JSON_EXTRACT_PATH_TEXT(doc, 'a', 'b'): every further argument is a key or an index."""

    def make(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
        items = low.exprs(node.expressions)
        keys = items[1:-1] if skip_last else items[1:]
        if not items or not all(isinstance(key, q.Literal) for key in keys):
            return _as_call(name, node, items)
        value = items[0]
        for key in keys:
            if isinstance(key, q.Literal) and key.kind == "string":
                if name in _DOTTED_KEYS and low.dialect.grammar == _DOTTED_KEYS[name]:
                    value = paths.json_path(low, value, key) or value
                else:
                    value = q.FieldAccess(value, q.Name(key.text, key.start, key.end, True), True)
            else:
                value = q.ElementAccess(value, key)
        return _as_call(name, node, (value,)) if converts else value

    return make


# One argument there holds the whole path: JSON_EXTRACT_PATH_TEXT(doc, 'a.b').
_DOTTED_KEYS = {"JSON_EXTRACT_PATH_TEXT": "snowflake"}


def _as_call(name: str, node: exp.Expr, items: tuple[q.Expr, ...]) -> q.Call:
    """The call that it is written as. Arguments are lowered once: twice per level would double the work."""
    start, end = span_of(node)
    return q.Call(name, items, start=start, end=end)


def span_of(node: exp.Expr) -> tuple[int, int]:
    """The span of a call's name."""
    meta = node._meta
    return (meta["start"], meta["end"] + 1) if meta and "start" in meta else (-1, -1)


def _pattern(low: Lowering, name: str, node: exp.Expr) -> q.Expr | None:
    """COLUMNS as sqlglot reads it beside other arguments: as any function."""
    if len(node.expressions) != 1:
        return None
    start, _ = span_of(node)
    return paths.matched(low, node.expressions[0], _UNPACKED.search(low.text[: max(start, 0)]) is not None)


_UNPACKED = re.compile(r"[(,]\s*\*\s*$")


def _names(maker: Maker, names: str) -> dict[str, Maker]:
    return dict.fromkeys(names.split(), maker)


SPECIAL: dict[str, Maker] = {
    "STRUCT": _struct,
    "ROW": _row,
    "TUPLE": _row,
    "STRUCT_PACK": _pack,
    "NAMED_STRUCT": _keyed("struct"),
    **_names(_keyed("object"), "OBJECT_CONSTRUCT OBJECT_CONSTRUCT_KEEP_NULL JSON_BUILD_OBJECT JSONB_BUILD_OBJECT"),
    **_names(_array, "ARRAY ARRAY_CONSTRUCT LIST_VALUE LIST_PACK MULTISET JSON_BUILD_ARRAY JSONB_BUILD_ARRAY"),
    **_names(_map, "MAP VARMAP CREATE_MAP"),
    "MAP_FROM_ARRAYS": _map,
    **_names(_if, "IF IIF IFF"),
    "MULTIIF": _multi_if,
    "DECODE": _decode,
    "NVL2": _nvl2,
    **_names(_element, "ELEMENT_AT TRY_ELEMENT_AT LIST_EXTRACT ARRAY_EXTRACT ARRAYELEMENT GET LIST_ELEMENT"),
    **_names(_named_element, "STRUCT_EXTRACT TUPLEELEMENT GETSUBCOLUMN STRUCT_EXTRACT_AT"),
    **_names(
        _by_path(False),
        "JSON_EXTRACT JSON_QUERY GET_PATH JSON_EXTRACT_ARRAY JSON_QUERY_ARRAY VARIANT_GET TRY_VARIANT_GET",
    ),
    **_names(
        _by_path(True),
        "JSON_VALUE JSON_EXTRACT_SCALAR JSON_EXTRACT_STRING GET_JSON_OBJECT JSON_VALUE_ARRAY JSON_EXTRACT_STRING_ARRAY",
    ),
    **_names(_by_keys(False), "JSON_EXTRACT_PATH JSONB_EXTRACT_PATH JSONEXTRACTRAW SIMPLEJSONEXTRACTRAW"),
    **_names(
        _by_keys(True),
        "JSON_EXTRACT_PATH_TEXT JSONB_EXTRACT_PATH_TEXT JSONEXTRACTSTRING JSONEXTRACTINT JSONEXTRACTUINT"
        " JSONEXTRACTFLOAT JSONEXTRACTBOOL SIMPLEJSONEXTRACTSTRING SIMPLEJSONEXTRACTINT SIMPLEJSONEXTRACTUINT"
        " SIMPLEJSONEXTRACTFLOAT SIMPLEJSONEXTRACTBOOL VISITPARAMEXTRACTSTRING VISITPARAMEXTRACTINT JSONEXTRACTKEYS",
    ),
    "JSONEXTRACT": _by_keys(True, skip_last=True),
    "COLUMNS": _pattern,
}  # fmt: skip


# ---------------------------------------------------------------- the parser's own classes


def struct(low: Lowering, node: exp.Expr) -> q.Expr:
    """`{'a': x}`, and STRUCT where the parser builds it itself."""
    items = node.expressions
    fields = tuple([_field(low, item) for item in items])
    positional = fields and all(not isinstance(item, (exp.PropertyEQ, exp.Alias)) for item in items)
    kind = "struct" if positional or low.dialect.grammar not in _OBJECT_BRACES else "object"
    return q.RecordExpr(kind, fields)


# `{'a': x}` makes a semi-structured object there, whose keys are compared with case.
_OBJECT_BRACES = frozenset({"snowflake"})


def array(low: Lowering, node: exp.Expr) -> q.Expr:
    """`[a, b]`, `ARRAY[a, b]`, `ARRAY(SELECT ..)`, `[f(x) FOR x IN l]`."""
    items = node.expressions
    if len(items) == 1 and items[0].__class__ is exp.Comprehension:
        return low.expr(items[0])
    return _array(low, "ARRAY", node)


def comprehension(low: Lowering, node: exp.Expr) -> q.Expr:
    """DuckDB `[f(x) FOR x IN list IF condition]`, read as list_transform of list_filter."""
    args = node.args
    param = (low.name(node.expression),)
    value = low.expr(args["iterator"])
    condition = args.get("condition")
    if condition is not None:
        value = q.Call("LIST_FILTER", (value, q.Lambda(param, low.expr(condition))))
    return q.Call("LIST_TRANSFORM", (value, q.Lambda(param, low.expr(node.this))))


def mapping(low: Lowering, node: exp.Expr) -> q.Expr:
    """A map from two arrays; `MAP {k: v}`."""
    keys, values = node.args.get("keys"), node.args.get("values")
    if isinstance(keys, exp.Array) and isinstance(values, exp.Array):
        return q.MapExpr(low.exprs(keys.expressions), low.exprs(values.expressions))
    return q.Call("MAP", low.exprs([part for part in (keys, values) if part is not None]))


def to_map(low: Lowering, node: exp.Expr) -> q.Expr:
    """DuckDB `MAP {'k': v}`."""
    inner = node.this
    if isinstance(inner, exp.Struct):
        pairs = [item for item in inner.expressions if isinstance(item, exp.PropertyEQ)]
        keys = tuple([low.expr(pair.this) for pair in pairs])
        return q.MapExpr(keys, tuple([low.expr(pair.expression) for pair in pairs]))
    return low.expr(inner)


def json_object(low: Lowering, node: exp.Expr) -> q.Expr:
    """JSON_OBJECT('a': x), JSON_OBJECT('a' VALUE x)."""
    fields: list[q.RecordField] = []
    for item in node.expressions:
        pair = item.this if isinstance(item, exp.FormatJson) else item
        if not isinstance(pair, exp.JSONKeyValue) or not isinstance(pair.this, exp.Literal):
            return q.Operation("JSON_OBJECT", low.exprs(list(node.expressions)))
        start, end = span_of(pair.this)
        fields.append(q.RecordField(q.Name(pair.this.name, start, end, True), low.expr(pair.expression)))
    return q.RecordExpr("object", tuple(fields))


def tuple_(low: Lowering, node: exp.Expr) -> q.Expr:
    """`(a, b)`."""
    return q.RecordExpr("row", tuple([_positional(low, item) for item in node.expressions]))


def if_(low: Lowering, node: exp.Expr) -> q.Expr:
    """IF(condition, a, b)."""
    args = node.args
    value = low.maybe(args.get("true")) or q.Literal("null", "")
    return q.Case(None, ((low.expr(node.this), value),), low.maybe(args.get("false")))


def case(low: Lowering, node: exp.Expr) -> q.Expr:
    """CASE [x] WHEN .. THEN .. ELSE .. END."""
    args = node.args
    whens = tuple([(low.expr(branch.this), low.expr(branch.args["true"])) for branch in args["ifs"]])
    return q.Case(low.maybe(args.get("this")), whens, low.maybe(args.get("default")))


def decode_case(low: Lowering, node: exp.Expr) -> q.Expr:
    """DECODE where the parser reads it."""
    made = _decode(low, "DECODE", node)
    return q.Call("DECODE", low.exprs(node.expressions)) if made is None else made


def struct_extract(low: Lowering, node: exp.Expr) -> q.Expr:
    """STRUCT_EXTRACT where the parser reads it."""
    key = low.expr(node.expression)
    text = key.text if isinstance(key, q.Literal) else ""
    return q.FieldAccess(low.expr(node.this), q.Name(text, *span_of(node.expression)))


def json_value(low: Lowering, node: exp.Expr) -> q.Expr:
    """JSON_VALUE(doc, '$.a' RETURNING ..)."""
    value = low.expr(node.this)
    path = node.args.get("path") or node.args.get("expression")
    if not isinstance(path, exp.Expr):
        return q.Call("JSON_VALUE", (value,))
    if isinstance(path, exp.JSONPath):
        return q.Call("JSON_VALUE", (paths.walk(low, value, path, low.token_after(end_of(value)) + 1),))
    literal = low.expr(path)
    if isinstance(literal, q.Literal) and literal.kind == "string":
        chain = paths.json_path(low, value, literal)
        if chain is not None:
            return q.Call("JSON_VALUE", (chain,), start=span_of(node)[0], end=span_of(node)[1])
    return q.Call("JSON_VALUE", (value, literal))


TABLE: dict[type, ExprHandler] = {
    exp.Struct: struct,
    exp.Array: array,
    exp.List: array,
    exp.Comprehension: comprehension,
    exp.Map: mapping,
    exp.VarMap: mapping,
    exp.ToMap: to_map,
    exp.JSONObject: json_object,
    exp.Tuple: tuple_,
    exp.If: if_,
    exp.Case: case,
    exp.DecodeCase: decode_case,
    exp.StructExtract: struct_extract,
    exp.JSONValue: json_value,
}
