"""How each database names the columns that a PIVOT makes."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from sql_lineage_ls.lineage import naming
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.scope import Scope
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import Dialect


def pivot_name(
    values: tuple[q.Projection, ...], pivot: q.Pivot, aggregate: q.Projection, scope: Scope, context: Context
) -> tuple[str, bool]:
    """The name of the column of these values and this aggregate, and whether it is not known for sure.

    `PIVOT (SUM(x) AS s FOR k IN ('a', 2))` gives `s_a` and `s_2` in BigQuery ("PIVOT operator", rules for
    pivot_column), `a_s` and `2_s` elsewhere; `PIVOT (SUM(x), MIN(x) ..)` gives `a_sum(x)` and `a_min(x)` in DuckDB
    and Spark, which write an aggregate without alias as they name a select item without alias.
    """
    dialect = context.dialect
    words = [
        _value_name(value, key, dialect)
        for value, axis in zip(values, pivot.axes, strict=True)
        for key in (axis.columns[0] if len(axis.columns) == 1 else None,)
    ]
    guessed = None in words
    value = "_".join("value" if word is None else word for word in words)
    alone = len(pivot.aggregates) == 1
    if alone and (aggregate.alias is None or dialect.pivot_value_alone):
        return (_by_itself(values, value) if dialect.pivot_words else value), guessed
    if aggregate.alias is not None:
        function = dialect.fold(aggregate.alias.text) if dialect.pivot_quotes else aggregate.alias.text
    else:
        made = naming.made_name(aggregate, scope, context)
        guessed = guessed or naming.is_guessed(made, dialect) or not made
        function = made or (aggregate.value.name.lower() if isinstance(aggregate.value, q.Call) else "value")
    return dialect.pivot_name.format(value=value, aggregate=function), guessed


def _by_itself(values: tuple[q.Projection, ...], name: str) -> str:
    """The words of a value where no aggregate's alias stands before them: no number may come first."""
    first = values[0].value if values else None
    if (values and values[0].alias is not None) or _is_text(first):
        return name.removeprefix("_") if name == _EMPTY else name
    return f"_{name}" if name[:1].isdigit() else name


def _is_text(value: q.Expr | None) -> bool:
    inner = value.value if isinstance(value, q.Cast) and value.type.text.upper() == "STRING" else value
    return isinstance(inner, q.Literal) and inner.kind == "string"


def _value_name(projection: q.Projection, key: q.Expr | None, dialect: Dialect) -> str | None:
    """What a value brings to the name, None where that is not known."""
    if projection.alias is not None:
        return projection.alias.text
    value = projection.value
    if dialect.pivot_words:
        return _in_words(value, key)
    if isinstance(value, q.Literal):
        return f"'{value.text}'" if value.kind == "string" and dialect.pivot_quotes else value.text
    if isinstance(value, q.ColumnRef):
        return value.parts[-1].text
    if isinstance(value, q.Operation) and value.operator == "-" and len(value.operands) == 1:
        inner = _value_name(q.Projection(value.operands[0]), None, dialect)
        return None if inner is None else f"-{inner}"
    if isinstance(value, q.RecordExpr):
        words = [_value_name(q.Projection(field.value), None, dialect) for field in value.fields]
        return None if None in words else "_".join(word for word in words if word is not None)
    return None


# ---------------------------------------------------------------- BigQuery

_EMPTY = "_empty_string_value"


def _in_words(value: q.Expr, key: q.Expr | None) -> str | None:
    """BigQuery: `-1.5` is `minus_1_point_5`, a date `2026_01_31`, a record the names and words of its fields.

    Its analyzer asks for an alias where this gives None.
    """
    if isinstance(value, q.Literal):
        if value.kind == "number":
            return _number(value.text)
        if value.kind == "string":
            return value.text or _EMPTY
        return {"null": "NULL", "boolean": value.text.lower()}.get(value.kind)
    if isinstance(value, q.Operation) and value.operator == "-" and len(value.operands) == 1:
        inner = _in_words(value.operands[0], None)
        return None if inner is None else f"minus_{inner}"
    if isinstance(value, q.Cast) and isinstance(value.value, q.Literal):
        return _constant(value.type.text.upper(), value.value)
    if isinstance(value, q.RecordExpr):
        return _record(value, key)
    return None


def _constant(kind: str, literal: q.Literal) -> str | None:
    if kind == "DATE":
        return literal.text.replace("-", "_")
    if kind in ("NUMERIC", "BIGNUMERIC", "DECIMAL", "BIGDECIMAL", "INT64"):
        return _number(literal.text)
    return _in_words(literal, None) if kind == "STRING" else None


def _number(text: str) -> str | None:
    try:
        number = Decimal(int(text, 16)) if text[:2].lower() == "0x" else Decimal(text)
    except (InvalidOperation, ValueError):
        return None
    plain = f"{abs(number):f}"
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return ("minus_" if number < 0 else "") + plain.replace(".", "_point_")


def _record(value: q.RecordExpr, key: q.Expr | None) -> str | None:
    """The fields have the names that those of the tested record have."""
    fields = key.fields if isinstance(key, q.RecordExpr) and key.kind != "row" else ()
    words = []
    for position, field in enumerate(value.fields):
        word = _in_words(field.value, None)
        if word is None:
            return None
        name = _field_name(fields[position]) if position < len(fields) else ""
        words.append(f"{name}_{word}" if name else word)
    return "_".join(words)


def _field_name(field: q.RecordField) -> str:
    if field.name is not None:
        return field.name.text
    return field.value.parts[-1].text if isinstance(field.value, q.ColumnRef) else ""
