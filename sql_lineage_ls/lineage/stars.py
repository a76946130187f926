"""Select items that stand for several columns: stars, COLUMNS('regex'), and generators in a select list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.catalog.types import Unspecified, Variant
from sql_lineage_ls.lineage import expressions, generators
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.model import Gap, Occurrence, Problem
from sql_lineage_ls.lineage.scope import Column, OpenSource, RangeVariable, Scope
from sql_lineage_ls.lineage.values import (
    RecordItem,
    Ref,
    Traced,
    Unknown,
    Value,
    build_record,
    fields,
    named_fields,
    type_of,
)
from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import UnnestShape
from sql_lineage_ls.syntax.name_matcher import name_matcher

__all__ = ["Expansion", "expand_star", "fields", "several_columns"]


class Expansion(Struct, frozen=True):
    """What a star stands for: listed columns, and sources of columns that cannot be listed."""

    columns: tuple[Column, ...]
    open: tuple[OpenSource, ...] = ()


def expand_star(star: q.Star, scope: Scope, context: Context) -> Expansion:
    """`*`, `t.*`, `payload.*` with EXCEPT, REPLACE, RENAME and ILIKE, in that order of effect."""
    found = _all(star, scope, context) if star.qualifier is None else _qualified(star, star.qualifier, scope, context)
    found = _modified(star, found, scope, context)
    columns = tuple(replace(c, definitions=c.definitions or ((star.start, star.end),)) for c in found.columns)
    _note_star(star, Expansion(columns, found.open), scope, context)
    return Expansion(columns, found.open)


def _all(star: q.Star, scope: Scope, context: Context) -> Expansion:
    merged = {column.key: column for column in scope.merged.values() if column.starred}
    in_place = dict(merged) if context.dialect.using_in_place else {}
    columns = [] if in_place else list(merged.values())
    opened: list[OpenSource] = []
    for position, variable in enumerate(scope.ranges):
        if variable.hidden or variable.kept:
            continue
        one = _of_range(variable, context) if star.start >= 0 else _of_pipe(variable, context)
        for column in _told_apart(variable, one.columns, scope, context):
            if column.key not in merged or position >= scope.merged_of.get(column.key, position + 1):
                columns.append(column)
            elif column.key in in_place:
                columns.append(in_place.pop(column.key))
        opened += one.open
    columns += in_place.values()
    return Expansion(tuple(columns), tuple(opened))


def _of_pipe(variable: RangeVariable, context: Context) -> Expansion:
    """A star that nobody has written hands on a source as it is: a value table's row is one column (GoogleSQL)."""
    if variable.row is None or variable.star_columns == () or context.dialect.unnest is not UnnestShape.ELEMENT:
        return _listed(variable, context)
    if not variable.qualifiers:
        return Expansion((unnamed_row(variable.row, context),))
    return Expansion((Column(variable.name, variable.qualifiers[-1], variable.row, spread=True),))


def unnamed_row(value: Value, context: Context) -> Column:
    """The one column that a value table without alias is."""
    name = context.dialect.anonymous.format(i=0, n=0)
    return Column(name, context.dialect.column_key(name), value, unnamed=True, spread=True)


def _told_apart(variable: RangeVariable, columns: tuple[Column, ...], scope: Scope, context: Context
                ) -> tuple[Column, ...]:
    """ClickHouse: a column whose bare name means something else in the block is called `source.column`.

    A table without alias has its database in front (`port.ship.lot`); where the query does not say which, the name is
    not known for sure.
    """
    columns = tuple(replace(c, bare="") if c.bare else c for c in columns)
    if not (context.dialect.path_names and variable.qualifiers):
        return columns
    taken = set(scope.alias_keys)
    for other in scope.visible():
        if other is variable:
            break
        taken |= other.by_key.keys()
    taken -= scope.merged.keys()
    bare_table = variable.stored and variable.qualifiers == variable.own_name[-len(variable.qualifiers) :]
    before = ".".join(variable.qualifiers) if bare_table else variable.qualifiers[-1]
    guessed = bare_table and len(variable.qualifiers) == 1
    return tuple(
        replace(c, name=f"{before}.{c.name}", key=f"{before}.{c.key}", bare=c.key, guessed=c.guessed or guessed)
        if c.key in taken else c
        for c in columns
    )


def _of_range(variable: RangeVariable, context: Context) -> Expansion:
    """What a written star shows of a source: the fields of a value table's row that has come so far as one column."""
    found = _listed(variable, context)
    if not any(column.spread for column in found.columns):
        return found
    columns: list[Column] = []
    opened = [*found.open]
    for column in found.columns:
        items = named_fields(column.value) if column.spread else None
        if items is not None:
            columns += [Column(item.name, item.key, item.value) for item in items]
        elif column.spread and isinstance(type_of(column.value), Unspecified | Variant):
            opened += open_fields(column.value, column.name)
        else:
            columns.append(column)
    return Expansion(tuple(columns), tuple(opened))


def _listed(variable: RangeVariable, context: Context) -> Expansion:
    context.ctes.column(variable.cte, None)
    if variable.star_columns is not None:
        return Expansion(variable.star_columns, variable.open)
    if not variable.columns and variable.row is not None and not variable.open:
        name = variable.name
        return Expansion((Column(name, variable.qualifiers[-1] if variable.qualifiers else name, variable.row),))
    if variable.assumed:  # what only looks like the relation may have other columns
        return Expansion(tuple(replace(column, guessed=True) for column in variable.columns), variable.open)
    return Expansion(variable.columns, variable.open)


def _qualified(star: q.Star, qualifier: q.Expr, scope: Scope, context: Context) -> Expansion:
    if isinstance(qualifier, q.ColumnRef) and not star.value:
        keys = tuple(context.fold(name) for name in qualifier.parts)
        for level in scope.levels():
            named = [c for v in level.visible() for c in v.by_key.get(keys[0], ())]
            if context.dialect.path_names and any(map(_is_record, named)):
                break
            # Spark lets a LATERAL VIEW have the name of a table: then it is all of both.
            answering = [v for v in level.ranges if v.answers(keys)]
            if answering:
                expressions.note_range(qualifier.parts[-1], answering[0], context)
                ones = [(v, _of_range(v, context)) for v in answering]
                return Expansion(
                    tuple(c for v, one in ones for c in _told_apart(v, one.columns, level, context)),
                    tuple(source for _, one in ones for source in one.open),
                )
            if any(keys[0] in v.by_key for v in level.visible()):
                break  # a record of this block hides the sources of the blocks around
    value = expressions.evaluate(qualifier, scope, context)
    items = named_fields(value)
    if items is not None:
        before = _path_before(qualifier, context)
        return Expansion(tuple(Column(before + item.name, before + item.key, item.value) for item in items))
    inner = expressions.unwrapped(value)
    name = context.name_of(inner.relation) if isinstance(inner, Ref) else "this expression"
    if isinstance(qualifier, q.Parameter):
        name = qualifier.text
    return Expansion((), open_fields(value, name))


def _is_record(column: Column) -> bool:
    return named_fields(column.value) is not None


def _path_before(qualifier: q.Expr, context: Context) -> str:
    """ClickHouse: the columns of `c.address.*` are called `c.address.city`."""
    if not context.dialect.path_names or not isinstance(qualifier, q.ColumnRef):
        return ""
    return "".join(f"{part.text}." for part in qualifier.parts)


def open_fields(value: Value, name: str) -> tuple[OpenSource, ...]:
    """The fields of a record whose type is not known: `payload.*` reads the whole of `payload`."""
    inner = expressions.unwrapped(value)
    if isinstance(inner, Ref):
        return (OpenSource(inner.relation, name, inner.path),)
    return (OpenSource("", name, value=value),)


def _modified(star: q.Star, found: Expansion, scope: Scope, context: Context) -> Expansion:
    columns = list(found.columns)
    opened = found.open
    if star.names is not None:
        compiled = name_matcher(star.names)
        columns = _matching(columns, compiled)
        opened = opened if compiled is not None else (*opened, _UNTOLD)
    nested = [ref for ref in star.except_ if len(ref.parts) > 1 and _starts_at_record(ref, columns, context)]
    left_out = {context.fold(ref.parts[-1]) for ref in star.except_ if ref not in nested}
    for ref in star.except_:
        _note_modifier(ref.parts[0 if ref in nested else -1], columns, context)
    columns = [_narrowed(c, nested, context) for c in columns]
    columns = [c for c in columns if (c.bare or c.key) not in left_out]
    new = {context.fold(p.alias): p for p in star.replace if p.alias is not None}
    columns = [_replaced(c, new.get(c.bare or c.key), scope, context) for c in columns]
    names = {context.fold(p.value.parts[-1]): p.alias for p in star.rename if isinstance(p.value, q.ColumnRef)}
    columns = [_renamed(c, names.get(c.key), context) for c in columns]
    if left_out or new or names:
        gone = frozenset(left_out | set(new) | set(names))
        opened = tuple(replace(source, without=source.without | gone) for source in opened)
    if found.open:
        columns += _unlisted(star, columns, scope, context)
    return Expansion(tuple(columns), opened)


def _starts_at_record(ref: q.ColumnRef, columns: list[Column], context: Context) -> bool:
    key = context.fold(ref.parts[0])
    return any(c.key == key and fields(c.value) is not None for c in columns)


def _narrowed(column: Column, left_out: list[q.ColumnRef], context: Context) -> Column:
    """`* EXCEPT (customer.phone)` leaves out a field of a column (Spark, "Star clause")."""
    value = column.value
    for ref in left_out:
        if context.fold(ref.parts[0]) == column.key:
            value = _without(value, [context.key(name).key for name in ref.parts[1:]])
    return column if value is column.value else replace(column, value=value)


def _without(value: Value, path: list[str]) -> Value:
    items = named_fields(value)
    if items is None:
        return value
    kept = []
    for item in items:
        if item.key != path[0]:
            kept.append(item)
        elif len(path) > 1:
            kept.append(RecordItem(item.name, item.key, _without(item.value, path[1:]), item.definition))
    return build_record(tuple(kept), declared=True)


def _unlisted(star: q.Star, columns: list[Column], scope: Scope, context: Context) -> list[Column]:
    """REPLACE and RENAME name columns that exist even where the schema does not list them."""
    listed = {c.key for c in columns}
    more = []
    for projection in (*star.replace, *star.rename):
        if projection.alias is None or context.fold(projection.alias) in listed:
            continue
        value = expressions.evaluate(projection.value, scope, context)
        at = ((projection.alias.start, projection.alias.end),)
        more.append(Column(projection.alias.text, context.fold(projection.alias), value, at))
    return more


def _note_modifier(name: q.Name, columns: list[Column], context: Context) -> None:
    column = next((c for c in columns if c.key == context.fold(name)), None)
    if column is not None:
        context.meaning(name, "column", column.value)


def _replaced(column: Column, projection: q.Projection | None, scope: Scope, context: Context) -> Column:
    if projection is None or projection.alias is None:
        return column
    value = expressions.evaluate(projection.value, scope, context)
    context.meaning(projection.alias, "output", value, expression=(projection.start, projection.end))
    span = (projection.start, projection.end)
    return replace(column, value=value, definitions=((projection.alias.start, projection.alias.end),), span=span)


def _renamed(column: Column, name: q.Name | None, context: Context) -> Column:
    if name is None:
        return column
    context.meaning(name, "output", column.value)
    return replace(column, name=context.show(name), key=context.fold(name), guessed=False,
                   definitions=((name.start, name.end),))


def _note_star(star: q.Star, found: Expansion, scope: Scope, context: Context) -> None:
    name = q.Name("*", star.start, star.end)
    for variable in scope.visible() if star.qualifier is None else ():
        if variable.stored and variable.relation and not variable.pivoted and variable.kind == "relation":
            _read_star(star, variable, found, name, context)
    if star.qualifier is not None:
        for column in found.columns:
            inner = column.value.value if isinstance(column.value, Traced) else column.value
            if isinstance(inner, Ref):
                context.read(inner.relation, inner.path, name, "star")
        for source in found.open:
            if source.relation:
                context.read(source.relation, source.path or ("*",), name, "star")
    reason = ""
    if found.open:
        owners = ", ".join(dict.fromkeys(source.name for source in found.open))
        reason = f"the columns of {owners} are not known here"
        if isinstance(star.qualifier, q.Parameter):
            message = "this template tag may stand for any columns: it is not rendered"
        else:
            message = f"* cannot be expanded: {reason}"
        context.report(Problem("unexpanded-star", message, star.start, star.end))
    context.occur(Occurrence(star.start, star.end, "star", "*", reason=reason), found.columns)


def _read_star(star: q.Star, variable: RangeVariable, found: Expansion, name: q.Name, context: Context) -> None:
    plain = not (star.except_ or star.replace or star.names is not None)
    if plain:
        context.read(variable.relation, ("*",), name, "star")
        return
    for column in found.columns:
        inner = column.value
        if isinstance(inner, Ref) and inner.relation == variable.relation:
            context.read(inner.relation, inner.path, name, "star")
    if variable.open:
        context.read(variable.relation, ("*",), name, "star")


# ---------------------------------------------------------------- several columns without a star


def whole_star(projection: q.Projection) -> q.Star | None:
    """The star that a select item is: `t.*`, and `COLUMNS(t.*)` too."""
    value: q.Expr | None = projection.value
    if isinstance(value, q.ColumnsPattern) and not value.pattern and projection.alias is None:
        value = value.star
    return value if isinstance(value, q.Star) else None


def several_columns(projection: q.Projection, scope: Scope, context: Context) -> Expansion | None:
    """The columns of a select item that makes more than one, None for an ordinary item."""
    expr = projection.value
    if isinstance(expr, q.Call) and expr.name == "UNTUPLE" and len(expr.args) == 1:
        return _untupled(projection, expr.args[0], scope, context)
    if isinstance(expr, q.Call):
        made = generators.select_columns(projection, scope, context)
        if made is not None:
            return Expansion(tuple(made))
    if isinstance(expr, q.Applied):
        return _applied(expr, (projection.start, projection.end), scope, context)
    pattern = next(_patterns(expr), None) if context.dialect.repeats_columns else None
    if pattern is None:
        return None
    found = _matched(pattern, scope, context)
    columns = []
    for column in found.columns:
        with context.matching(column.value):
            value = expressions.evaluate(expr, scope, context)
        name, key = _repeated_name(projection.alias, column, pattern.pattern, context)
        columns.append(Column(name, key, value, ((projection.start, projection.end),)))
    as_they_are = expr is pattern and projection.alias is None
    return Expansion(tuple(columns), found.open if as_they_are or not found.open else (_UNTOLD,))


def _untupled(projection: q.Projection, arg: q.Expr, scope: Scope, context: Context) -> Expansion | None:
    """ClickHouse `untuple(t) AS u`: a column `u.name` for each element; without alias their names are not known."""
    items = named_fields(expressions.evaluate(arg, scope, context))
    if items is None:
        return None
    alias, at = projection.alias, (projection.start, projection.end)
    before = f"{alias.text}." if alias is not None else ""
    return Expansion(tuple(
        Column(before + i.name, before + i.key, i.value, (at,), at, unnamed=alias is None, guessed=alias is None)
        for i in items
    ))


def _applied(expr: q.Applied, at: tuple[int, int], scope: Scope, context: Context) -> Expansion | None:
    """A column `f(name)` for each of the columns, None where they cannot be listed."""
    if isinstance(expr.columns, q.Star):
        expanded = expand_star(expr.columns, scope, context)
        if expanded.open:
            return None
    elif not isinstance(expr.columns, q.ColumnsPattern):
        return None
    else:
        expanded = _matched(expr.columns, scope, context)
    made = []
    for column in expanded.columns:
        name, value = column.name, column.value
        for function in expr.functions:
            with context.matching(value):
                value = expressions.evaluate(q.Call(function.upper(), (q.ColumnsPattern(""),)), scope, context)
            name = f"{function}({name})"
        made.append(Column(name, context.dialect.column_key(name), value, (at,), at))
    return Expansion(tuple(made), (_UNTOLD,) if expanded.open else ())


def _patterns(node: object) -> Iterator[q.ColumnsPattern]:
    """The COLUMNS('regex') inside an expression: the whole expression is repeated for each column."""
    if isinstance(node, q.ColumnsPattern):
        if not node.unpack:
            yield node
    elif isinstance(node, tuple):
        for item in node:
            yield from _patterns(item)
    elif isinstance(node, Struct) and not isinstance(node, _LEAVES):
        for name in node.__struct_fields__:
            yield from _patterns(getattr(node, name))


_LEAVES = (q.ColumnRef, q.Literal, q.Parameter, q.Name, q.SubqueryExpr, q.TypeSpec, q.Star)


def matching_columns(pattern: q.ColumnsPattern, scope: Scope, context: Context) -> list[Column]:
    """The listed columns of `*`, or of the star in it, whose names a COLUMNS(..) matches."""
    return list(_matched(pattern, scope, context).columns)


def _matched(pattern: q.ColumnsPattern, scope: Scope, context: Context) -> Expansion:
    star = pattern.star
    found = expand_star(star, scope, context) if isinstance(star, q.Star) else _all(q.Star(start=0), scope, context)
    compiled = name_matcher(pattern.pattern)
    opened = found.open if compiled is not None else (*found.open, _UNTOLD)
    return Expansion(tuple(_matching(found.columns, compiled)), opened)


# The columns that an expression over COLUMNS(..) makes of columns which nobody lists.
_UNTOLD = OpenSource("", "COLUMNS(..)", value=Unknown(Gap(
    "wildcard-unexpanded", "the columns whose names match are not known here"
)))


def _matching(columns: Iterable[Column], compiled: re.Pattern[str] | None) -> list[Column]:
    if compiled is None:
        return []
    return [column for column in columns if compiled.search(column.bare or column.name)]


def _repeated_name(alias: q.Name | None, column: Column, pattern: str, context: Context) -> tuple[str, str]:
    r"""The alias names each column; `\1` in it is what a group of the regex has found."""
    if alias is None:
        return column.name, column.key
    found = re.search(pattern, column.name)
    if "\\" not in alias.text or found is None:
        return context.show(alias), context.fold(alias)
    groups = (found.group(), *found.groups())
    name = re.sub(r"\\(\d)", lambda m: groups[int(m[1])] or "" if int(m[1]) < len(groups) else "", alias.text)
    return name, context.dialect.column_key(name)
