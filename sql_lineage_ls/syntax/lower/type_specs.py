"""Types of casts, with the spans of their field names."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as Grammar
from sqlglot.errors import TokenError

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.ddl.cursor import Cursor, DdlError
from sql_lineage_ls.syntax.ddl.type_reader import read_type
from sql_lineage_ls.syntax.lower.context import Lowering
from sql_lineage_ls.syntax.tokens import grammar, tokenize

D = exp.DType

_RECORDS = frozenset({D.STRUCT, D.OBJECT, D.NESTED})
_ARRAYS = frozenset({D.ARRAY, D.LIST})
_VARIANTS = frozenset({D.VARIANT, D.JSON, D.JSONB, D.SUPER, D.DYNAMIC})


def lower_type(low: Lowering, node: Any) -> q.TypeSpec:
    """A type as the query model has it: `STRUCT<a INT64>` is a record of one scalar field."""
    if isinstance(node, exp.Literal):
        return _type_in_quotes(low, node)
    if not isinstance(node, exp.DataType):
        return q.TypeSpec("scalar", node.name if isinstance(node, exp.Expr) else str(node))
    kind = node.this
    inner = node.expressions
    if not isinstance(kind, exp.DType):
        return q.TypeSpec("scalar", kind.key.upper() if isinstance(kind, exp.Expr) else str(kind))
    if kind in _RECORDS and inner:
        return _record(low, kind, inner)
    if kind in _ARRAYS and inner:
        element = lower_type(low, inner[0])
        return q.TypeSpec("array", f"ARRAY<{element.text}>", element=element)
    if kind is D.MAP and len(inner) == 2:
        key, value = lower_type(low, inner[0]), lower_type(low, inner[1])
        return q.TypeSpec("map", f"MAP<{key.text}, {value.text}>", key=key, value=value)
    if kind in _VARIANTS or kind is D.OBJECT:
        return q.TypeSpec("variant", _spelling(grammar(low.dialect.grammar), kind))
    if kind is D.USERDEFINED:
        return _named(low, node.args.get("kind"))
    params = ", ".join(item.name for item in inner if isinstance(item, exp.Expr))
    text = _spelling(grammar(low.dialect.grammar), kind)
    return q.TypeSpec("scalar", f"{text}({params})" if params and kind not in _ARRAYS else text)


def _type_in_quotes(low: Lowering, literal: exp.Literal) -> q.TypeSpec:
    """ClickHouse `CAST(x, 'Tuple(a String)')`: a type in a string. Its field names keep no place in the statement."""
    text = literal.name
    try:
        spec = read_type(Cursor(text, tokenize(text, low.dialect), low.dialect))
    except (DdlError, TokenError):
        spec = None
    return _without_places(spec) if spec is not None else q.TypeSpec("scalar", text)


def _without_places(spec: q.TypeSpec) -> q.TypeSpec:
    fields = tuple(
        q.FieldSpec(
            q.Name(field.name.text, quoted=field.name.quoted) if field.name else None, _without_places(field.type)
        )
        for field in spec.fields
    )
    element, key, value = (inner and _without_places(inner) for inner in (spec.element, spec.key, spec.value))
    name = tuple(q.Name(part.text, quoted=part.quoted) for part in spec.name)
    return q.TypeSpec(spec.kind, spec.text, fields, element, key, value, name)


def _record(low: Lowering, kind: Any, inner: list[exp.Expr]) -> q.TypeSpec:
    fields = tuple([_field(low, item) for item in inner])
    text = ", ".join(f"{field.name.text} {field.type.text}" if field.name else field.type.text for field in fields)
    record = q.TypeSpec("record", f"STRUCT<{text}>", fields)
    return q.TypeSpec("array", f"ARRAY<{record.text}>", element=record) if kind is D.NESTED else record


def _field(low: Lowering, node: exp.Expr) -> q.FieldSpec:
    if isinstance(node, exp.ColumnDef):
        return q.FieldSpec(low.name(node.this), lower_type(low, node.args.get("kind")))
    if isinstance(node, exp.PropertyEQ):
        return q.FieldSpec(low.name(node.this), lower_type(low, node.expression))
    return q.FieldSpec(None, lower_type(low, node))


def _named(low: Lowering, kind: Any) -> q.TypeSpec:
    """A user's type: `CAST(x AS sales.address)`."""
    names: list[q.Name] = []
    while isinstance(kind, exp.Dot):
        names.insert(0, low.name(kind.expression))
        kind = kind.this
    if isinstance(kind, exp.Expr):
        names.insert(0, low.name(kind))
    elif isinstance(kind, str):
        names = [q.Name(part) for part in kind.split(".")]
    return q.TypeSpec("named", ".".join(name.text for name in names), name=tuple(names))


def _spelling(dialect: Grammar, kind: Any) -> str:
    """The dialect's own word for a type: BIGINT is INT64 in BigQuery."""
    word: str = dialect.generator_class.TYPE_MAPPING.get(kind, kind.value)
    return word
