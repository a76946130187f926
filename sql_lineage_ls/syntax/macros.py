"""Template tags inside a statement: names that stand for what nobody has read.

`templates.mask` puts a name of the same length where a tag stood. That name is no column: it may be a value, an
expression or a list of columns, and nothing can be concluded from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.syntax.query_model import (
    Assignment,
    ColumnRef,
    Insert,
    MergeBranch,
    Parameter,
    Star,
    StatementModel,
)
from sql_lineage_ls.text.span import Span

# Fields whose column names are targets, not values: there a name stays a name.
_TARGETS = frozenset({(Star, "except_"), (Assignment, "target"), (Insert, "columns"), (MergeBranch, "columns")})
_NOT_RENDERED = "The statement cannot be read without rendering its template."


def without_macros(model: StatementModel, macros: Sequence[Span], text: str) -> StatementModel:
    """The model with a `Parameter` for every value that names a macro, marked as read in part.

    `macros` are spans of the statement, `text` is its text with the tags. `SELECT a FROM t WHERE d = {{ day }}` has
    the parameter `{{ day }}`. A model that is nested too deeply to be walked is marked only.
    """
    if not macros:
        return model
    try:
        statement = _rewrite(model.statement, macros, text)
    except RecursionError:
        statement = model.statement
    issues = tuple(
        replace(issue, message=_NOT_RENDERED) if _is_macro(issue.start, issue.end, macros) else issue
        for issue in model.issues
    )
    return replace(model, statement=statement, issues=issues, partial=model.statement is not None)


def _rewrite(value: Any, macros: Sequence[Span], text: str) -> Any:
    if isinstance(value, tuple):
        items = tuple(_rewrite(item, macros, text) for item in value)
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if not isinstance(value, Struct):
        return value
    if isinstance(value, ColumnRef):
        return _value_of(value, macros, text)
    changes = {}
    for name in value.__struct_fields__:
        old = getattr(value, name)
        if isinstance(old, (Struct, tuple)) and (type(value), name) not in _TARGETS:
            new = _rewrite(old, macros, text)
            if new is not old:
                changes[name] = new
    return replace(value, **changes) if changes else value


def _value_of(column: ColumnRef, macros: Sequence[Span], text: str) -> ColumnRef | Parameter:
    if not any(_is_macro(part.start, part.end, macros) for part in column.parts):
        return column
    start, end = column.parts[0].start, column.parts[-1].end
    return Parameter(text[start:end] if start >= 0 else column.parts[-1].text, start, end)


def _is_macro(start: int, end: int, macros: Sequence[Span]) -> bool:
    return start >= 0 and any(macro.start < end and start < macro.end for macro in macros)
