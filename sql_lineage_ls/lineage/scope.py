"""Scopes: the range variables of a query block, and what a name means in them.

One `Scope` is one query block; its parent is the block around it. Which reading of a dotted name comes first is the
dialect's rule (`NameOrder`). Where the SQL does not prove the owner, the result is a gap that says which fact is
missing, never a guess.

Longer than other modules: the ways in which a name can be bound are tried in one order, here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sql_lineage_ls.catalog.system_relations import is_system_relation
from sql_lineage_ls.catalog.types import Unspecified, Variant
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.model import Gap, GeneratedSource, Path, Source
from sql_lineage_ls.lineage.values import (
    UNSPECIFIED,
    Generated,
    Influence,
    Key,
    Record,
    RecordItem,
    Ref,
    Refuted,
    Traced,
    Unknown,
    Value,
    one_of,
    type_of,
)
from sql_lineage_ls.lineage.values import field as record_field
from sql_lineage_ls.syntax.dialects import LateralAlias, NameOrder
from sql_lineage_ls.syntax.query_model import Expr, Name, NamedWindow

Span = tuple[int, int]


class Column(Struct, frozen=True, gc=False):
    """A column that a range variable is known to have."""

    name: str
    key: str
    value: Value
    definitions: tuple[Span, ...] = ()
    # The whole select item.
    span: Span = (-1, -1)
    # The select item has no alias and no name of its own.
    unnamed: bool = False
    # The database makes its name of the expression, and how is not known for sure: `name` only stands in for it.
    guessed: bool = False
    # The row of a value table, which a written star shows as its fields (GoogleSQL).
    spread: bool = False
    # Its key without the source's name that a star put before it (ClickHouse).
    bare: str = ""
    # A merged column that stands first in `*` (USING), not one that replaces another in place (ARRAY JOIN).
    starred: bool = True
    # What the branches of a set operation give to it: transform and select item of each.
    branches: tuple[tuple[str, Span], ...] = ()


class OpenSource(Struct, frozen=True, gc=False):
    """Columns that exist without being listed: those of a relation without schema, or of a record's `.*`.

    `without` are keys that a star left out. `gap` says what else feeds them that is not known (the other branch of a
    UNION). `passed_on` where a pivot hands on columns that nobody can list.
    """

    relation: str
    name: str
    path: Path = ()
    without: frozenset[str] = frozenset()
    gap: str = ""
    passed_on: bool = False
    # A computed record whose fields cannot be told apart: `parse(doc).*`.
    value: Value | None = None
    # What the other branches of a UNION bring to the same columns, known as a whole only.
    others: tuple[OpenSource, ...] = ()

    def column(self, name: str) -> Value:
        found: Value = Ref(self.relation, (*self.path, name), UNSPECIFIED)
        if self.value is not None:
            part = record_field(self.value, Key(name, name))
            refused = Gap("undeclared-field", f"{self.name} has no field '{name}'")
            found = Unknown(refused) if isinstance(part, Refuted) else part
        return one_of((found, Unknown(Gap("wildcard-unexpanded", self.gap))), "UNION") if self.gap else found


class RangeVariable(Struct, frozen=True, eq=False):
    """One source of a FROM clause.

    `qualifiers` are the folded names that may stand before a column: the alias alone, or the parts of the table's
    own name. `stored` where its columns are nodes of a stored relation (table, view, unnested array) rather than of
    a CTE or derived table. `assumed` where its schema was matched by the last part of its name only.
    """

    name: str
    qualifiers: tuple[str, ...]
    columns: tuple[Column, ...] = ()
    open: tuple[OpenSource, ...] = ()
    row: Value | None = None
    relation: str = ""
    kind: str = "relation"
    stored: bool = False
    assumed: bool = False
    hidden: bool = False
    # What `*` gives where that is not `columns`.
    star_columns: tuple[Column, ...] | None = None
    pivoted: bool = False
    influences: tuple[Influence, ...] = ()
    # What COUNT(*) over an unnested array depends on.
    counted: tuple[Source, ...] = ()
    rows: tuple[str, ...] = ()
    definitions: tuple[Span, ...] = ()
    # The table's own name, which still answers behind an alias (ClickHouse).
    own_name: tuple[str, ...] = ()
    # Where the CTE that it reads is defined, -1 for any other source.
    cte: int = -1
    # The offset of an unnested array: a name beside the alias, not one of its columns (GoogleSQL WITH OFFSET).
    beside: RangeVariable | None = None
    # Of a block before: only its name can be read, and not without it (pipe syntax).
    kept: bool = False
    # What its block keeps for the one around.
    keeps: tuple[RangeVariable, ...] = ()
    by_key: dict[str, list[Column]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for column in self.columns:
            self.by_key.setdefault(column.key, []).append(column)
        if self.star_columns and self.stored and self.kind == "relation":
            # `n.a` of a Nested column can be written as one name (ClickHouse).
            for column in self.star_columns:
                self.by_key.setdefault(column.key, [column])

    @property
    def closed(self) -> bool:
        return not self.open

    @property
    def sure(self) -> bool:
        """Whether a name that is not among its columns is wrong for certain."""
        return not self.assumed and not any(column.guessed for column in self.columns)

    def answers(self, prefix: Sequence[str]) -> bool:
        """Whether `prefix.` may stand before its columns: `ds.t`, `t` for the table `ds.t`, only `o` for `t AS o`."""
        return bool(prefix) and tuple(prefix) == self.qualifiers[-len(prefix) :]

    def whole_row(self) -> Value:
        """The row as a record: what `SELECT t FROM t` gives where the dialect has row values."""
        if self.row is not None:
            return self.row
        items = tuple(RecordItem(c.name, c.key, c.value) for c in self.columns)
        return Record(items, rest=open_record(self.open))


def open_record(sources: Sequence[OpenSource]) -> Value | None:
    """The columns that nobody lists, as one record: the rest of `SELECT AS STRUCT *`; None where there are none."""
    if not sources:
        return None
    if len(sources) > 1:
        owners = ", ".join(source.name for source in sources)
        return Unknown(Gap("wildcard-unexpanded", f"the columns of {owners} are not known here"))
    source = sources[0]
    return source.value if source.value is not None else Ref(source.relation, source.path)


class _Qualifiers:
    """The range variables of a scope by the last part of what may stand before their columns.

    Scopes that share their range variables share this too. It is made again where there are more of them.
    """

    __slots__ = ("_by_last", "_count", "_ranges", "bindings", "longest")

    def __init__(self) -> None:
        self._ranges: list[RangeVariable] = []
        self._count = -1
        self._by_last: dict[str, list[int]] = {}
        # How many parts the longest one has.
        self.longest = 0
        # What names have turned out to mean that are columns of one of them, behind a qualifier.
        self.bindings: dict[tuple[str, ...], Binding] = {}

    def refresh(self, ranges: list[RangeVariable]) -> None:
        if ranges is self._ranges and len(ranges) == self._count:
            return
        self._ranges, self._count = ranges, len(ranges)
        self._by_last, self.bindings = {}, {}
        self.longest = 0
        for place, variable in enumerate(ranges):
            if variable.qualifiers:
                self._by_last.setdefault(variable.qualifiers[-1], []).append(place)
                self.longest = max(self.longest, len(variable.qualifiers))

    def find(self, prefix: Sequence[str]) -> list[RangeVariable]:
        """The range variables that a qualifier names."""
        places = self._by_last.get(prefix[-1])
        if places is None:
            return []
        found = [self._ranges[place] for place in places]
        return found if len(prefix) == 1 else [variable for variable in found if variable.answers(prefix)]


class Scope(Struct, eq=False):
    """The names visible in one query block."""

    parent: Scope | None = None
    ranges: list[RangeVariable] = field(default_factory=list)
    merged: dict[str, Column] = field(default_factory=dict)
    # How many range variables a merged column was made of; one behind them has a column of its own.
    merged_of: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, Column] = field(default_factory=dict)
    aliases: dict[str, Column] = field(default_factory=dict)
    # Whether aliases of the select list can be read here: never, after columns, or before them.
    alias_rule: LateralAlias = LateralAlias.NEVER
    # A NATURAL JOIN over an unknown schema may merge any columns: nothing is ambiguous for sure.
    lenient: bool = False
    # ClickHouse `WITH expression AS name`.
    lets: dict[str, Column] = field(default_factory=dict)
    # All output columns, where a clause can name them that no column name settles (GROUP BY, QUALIFY, ..).
    outputs: dict[str, Column] = field(default_factory=dict)
    # The folded aliases of the whole select list, where they are known before it is read (ClickHouse).
    alias_keys: frozenset[str] = frozenset()
    # CTEs of this block: the defining name and the result (queries.QueryResult).
    ctes: dict[str, tuple[Name, Any]] = field(default_factory=dict)
    windows: dict[str, NamedWindow] = field(default_factory=dict)
    # How many range variables stand behind each source of the FROM clause.
    ends: list[int] = field(default_factory=list)
    # What USING and NATURAL compare: it decides which rows there are.
    compared: list[Influence] = field(default_factory=list)
    # ON conditions of joins in brackets, with the number of range variables that they see.
    nested_on: list[tuple[Expr, str, int]] = field(default_factory=list)
    qualifiers: _Qualifiers = field(default_factory=_Qualifiers)

    def levels(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def ctes_alone(self) -> Scope:
        """The CTEs that are known so far, without any source."""
        known = {key: cte for level in reversed([*self.levels()]) for key, cte in level.ctes.items()}
        return Scope(ctes=known)

    def visible(self) -> list[RangeVariable]:
        return [r for r in self.ranges if not (r.hidden or r.kept)]

    def limited(self, count: int, rule: LateralAlias) -> Scope:
        """The scope of an ON clause that sees the first `count` range variables, the right side of a SEMI JOIN too."""
        ranges = [replace(r, hidden=False, by_key={}) if r.hidden else r for r in self.ranges[:count]]
        return replace(self, ranges=ranges, alias_rule=rule, lenient=True, qualifiers=_Qualifiers())

    def with_aliases(self, rule: LateralAlias, outputs: Sequence[Column] = ()) -> Scope:
        """The same names with another rule for the select list's aliases, `outputs` being all it gives."""
        return replace(self, alias_rule=rule, outputs={column.key: column for column in reversed(outputs)})

    def with_parameters(self, parameters: dict[str, Column]) -> Scope:
        """The scope of a lambda's body: a parameter hides every column of its name."""
        return Scope(self, parameters=parameters)


class Binding(Struct, frozen=True, gc=False, eq=False):
    """What a dotted name means: `value` is that of its first `used` parts, the rest are fields.

    `qualifier` counts the parts before the column. `problem` is the code of what is wrong, with `names` to choose
    from; then `value` is `Unknown`.
    """

    value: Value
    used: int
    qualifier: int = 0
    range: RangeVariable | None = None
    column: Column | None = None
    definitions: tuple[Span, ...] = ()
    stored: bool = False
    kind: str = "column"
    problem: str = ""
    names: tuple[str, ...] = ()
    owner: str = ""


def parameter_columns(
    names: Sequence[Name], values: Iterable[Value], context: Context
) -> dict[str, Column]:
    """The parameters of a lambda or function by folded name, each with its value and the place of its name."""
    return {
        key: Column(name.text, key, value, ((name.start, name.end),))
        for name, key, value in zip(names, map(context.fold, names), values, strict=False)
    }


def resolve(names: tuple[Name, ...], scope: Scope, context: Context) -> Binding:
    """What a dotted name means: innermost scope first, proved readings before those that a missing schema allows.

    `customer.address.city` over `orders_raw` is the column `customer` (`used` 1, two fields to follow).
    """
    keys = tuple([context.fold(name) for name in names])
    if context.dialect.variables_first and keys[0] in context.options.variables:
        return Binding(Generated(GeneratedSource("parameter", names[0].text)), len(names), kind="parameter")
    if len(keys) > 1 and not scope.parameters:
        scope.qualifiers.refresh(scope.ranges)
        known = scope.qualifiers.bindings.get(keys)
        if known is not None:
            return known
    opened: list[Scope] = []
    failed: Binding | None = None
    row: Binding | None = None
    for level in scope.levels():
        found = _proved(names, keys, level, context)
        if found is not None and not found.problem:
            if not _is_last(found, names, context):
                if level is scope and found.qualifier and found.column is not None and not scope.parameters:
                    scope.qualifiers.bindings[keys] = found
                return _outer_column(found, opened, names)
            row = row or _outer_column(found, opened, names)
            continue
        failed = failed or found
        if _open_sources(level, keys[0]):
            opened.append(level)
    certain = row or (failed if failed is not None and failed.qualifier else None)
    return certain or _without_owner(names, keys, context) or _unproved(names, keys, opened, failed, scope, context)


def _is_last(found: Binding, names: tuple[Name, ...], context: Context) -> bool:
    """Whether the columns of outer blocks come before what was found."""
    if context.dialect.dotted_are_columns and len(names) > 1:
        # `o.v` in WHERE and in a lateral source reads the table o around where the column o has no such field.
        bare = found.kind == "column" and found.column is not None and not found.qualifier
        return found.kind == "output" or (bare and _has_no_field(found, names[1], context))
    return found.kind == "alias" and context.dialect.rows_after_columns


def _unproved(
    names: tuple[Name, ...], keys: tuple[str, ...], opened: list[Scope], failed: Binding | None, scope: Scope,
    context: Context,
) -> Binding:
    """A name that no list of columns has: of a relation without schema, or of none."""
    if len(opened) > 1:
        return _inner_or_outer(names, keys, opened)
    if opened:
        return _from_open(names, keys, opened[0], context)
    return failed or _not_found(names, scope, context)


def _proved(names: tuple[Name, ...], keys: tuple[str, ...], level: Scope, context: Context) -> Binding | None:
    if keys[0] in level.parameters:
        hiding = _over_parameter(names, keys, level, context)
        if hiding is not None:
            return hiding
        parameter = level.parameters[keys[0]]
        return Binding(parameter.value, 1, kind="parameter", definitions=parameter.definitions)
    order = context.dialect.name_order
    if order is NameOrder.ROW_FIRST:
        return _row_first(names, keys, level, context)
    if len(names) == 1:
        found = _column(keys[0], level, context)
        if found is None or found.kind == "output":
            # A range variable as a record comes before the alias of a select item (DuckDB).
            return _row(keys[0], level, context) or found
        return found
    if order is NameOrder.RELATION_ONLY:
        return _qualified(names, keys, level, context)
    if context.dialect.path_names:
        return _whole_path(keys, level) or _relation_first(names, keys, level, context)
    return _relation_first(names, keys, level, context)


def _over_parameter(
    names: tuple[Name, ...], keys: tuple[str, ...], level: Scope, context: Context
) -> Binding | None:
    """The column of the lambda's own block that a dotted name reads although a parameter has its first name (DuckDB).

    Only a field that is declared is taken for it: where there is none, the database refuses the query.
    """
    if len(names) == 1 or not context.dialect.dotted_are_columns:
        return None
    block: Scope | None = level
    while block is not None and block.parameters:
        block = block.parent
    if block is None:
        return None
    columns = replace(block, alias_rule=LateralAlias.NEVER, outputs={}, lets={})
    for found in (_qualified(names, keys, columns, context), _column(keys[0], columns, context)):
        if found is not None and not found.problem and found.column is not None and _has_fields(
                found.value, names[found.used:], context):
            return found
    return None


def _whole_path(keys: tuple[str, ...], level: Scope) -> Binding | None:
    """A column of a subquery that is called as the path it was read by: `customer.city`, `s.customer.city`."""
    for variable in level.visible():
        for qualifier in (0, 1):
            if qualifier and not variable.answers(keys[:1]):
                continue
            for end in range(len(keys), qualifier + 1, -1):
                found = variable.by_key.get(".".join(keys[qualifier:end]), [])
                if len(found) == 1:
                    column = found[0]
                    return Binding(column.value, end, qualifier, variable, column, column.definitions,
                                   variable.stored)
    return None


def _row_first(names: tuple[Name, ...], keys: tuple[str, ...], level: Scope, context: Context) -> Binding | None:
    variable = _range(keys[:1], level, keys[1:2])
    if variable is not None:
        if len(names) == 1 or variable.row is not None:
            return _row(keys[0], level, context)
        return _range_column(names, keys, 1, variable, context)
    return _column(keys[0], level, context) or _qualified(names, keys, level, context)


def _relation_first(names: tuple[Name, ...], keys: tuple[str, ...], level: Scope, context: Context) -> Binding | None:
    if context.dialect.path_names:
        alias = level.aliases.get(keys[0]) if level.alias_rule is LateralAlias.FIRST else None
        if alias is not None and _has_fields(alias.value, names[1:], context):
            return _alias(alias)
        column = _column(keys[0], level, context)
        if column is not None and column.kind == "column" and _has_fields(column.value, names[1:], context):
            return column  # a column's field comes before a source's column (ClickHouse)
        path = _column_with_fields(names, keys[0], level, context)
        if path is not None:
            return path
    qualified = _qualified(names, keys, level, context)
    if qualified is not None and not qualified.problem:
        variable = qualified.range
        if variable is None or variable.closed or qualified.column is not None:
            return qualified
    column = _column(keys[0], level, context)
    if column is not None and column.kind == "output" and _has_no_field(column, names[1], context):
        # An alias that has no such field leaves the name to the column that it hides (ClickHouse).
        column = _column(keys[0], replace(level, alias_rule=LateralAlias.NEVER), context) or column
    if column is not None and not column.problem and column.kind == "column":
        return column
    if qualified is not None:
        return qualified
    if column is not None:
        return column
    row = _row(keys[0], level, context)
    return row if row is not None and row.range is not None and row.range.row is not None else None


def _column_with_fields(names: tuple[Name, ...], key: str, level: Scope, context: Context) -> Binding | None:
    """Of several columns of one name the first that has the fields (ClickHouse)."""
    for variable in level.visible():
        for column in variable.by_key.get(key, ()):
            if _has_fields(column.value, names[1:], context):
                return Binding(column.value, 1, 0, variable, column, column.definitions, variable.stored)
    return None


def _has_fields(value: Value, names: Sequence[Name], context: Context) -> bool:
    """Whether the fields are declared one below the other."""
    for name in names:
        if isinstance(type_of(value), Unspecified | Variant):
            return False
        found = record_field(value, context.key(name))
        if isinstance(found, Refuted):
            return False
        value = found
    return True


def _has_no_field(binding: Binding, name: Name, context: Context) -> bool:
    if name.text.isdigit() or name.text in context.dialect.pseudo_fields:
        return False
    return isinstance(record_field(binding.value, context.key(name)), Refuted)


def _qualified(names: tuple[Name, ...], keys: tuple[str, ...], level: Scope, context: Context) -> Binding | None:
    """`relation.column`, the longest relation name first."""
    level.qualifiers.refresh(level.ranges)
    failed: Binding | None = None
    for length in range(min(len(names) - 1, 4, level.qualifiers.longest), 0, -1):
        variable = _range(keys[:length], level, keys[length : length + 1])
        if variable is None:
            continue
        found = _range_column(names, keys, length, variable, context)
        if not found.problem:
            return found
        failed = failed or found
    return failed


def _range(prefix: Sequence[str], level: Scope, column: Sequence[str] = ()) -> RangeVariable | None:
    """The range variable of a name; of two that share it (`a.t, b.t`, an alias given twice) the one with `column`.

    The right side of a SEMI JOIN leaves its name to others.
    """
    level.qualifiers.refresh(level.ranges)
    found = level.qualifiers.find(prefix)
    if not found:
        found = [r for r in level.ranges if r.own_name and tuple(prefix) == r.own_name[-len(prefix) :]]
    if len(found) > 1:
        found = [r for r in found if not r.hidden] or found
    if len(found) > 1 and column:
        return next((r for r in found if column[0] in r.by_key), found[0])
    return found[0] if found else None


def _range_column(
    names: tuple[Name, ...], keys: tuple[str, ...], length: int, variable: RangeVariable, context: Context
) -> Binding:
    """The column after a qualifier of `length` parts."""
    key = keys[length]
    found = _one_column(variable.by_key.get(key, []), context)
    if len(found) == 1:
        column = found[0]
        return Binding(column.value, length + 1, length, variable, column, column.definitions, variable.stored)
    if found and context.dialect.first_source_wins:
        column = found[0]
        return Binding(column.value, length + 1, length, variable, column, column.definitions, variable.stored)
    if found:
        gap = Gap("ambiguous", f"{variable.name} has {len(found)} columns called '{names[length].text}'")
        return Binding(Unknown(gap), length + 1, length, variable, problem="ambiguous-column", owner=variable.name)
    if variable.row is not None and not variable.columns and variable.closed:
        return Binding(variable.row, length, length, variable, kind="alias", stored=variable.stored,
                       definitions=variable.definitions)
    numbered = _numbered(names[length].text, variable)
    if numbered is not None:
        return Binding(numbered.value, length + 1, length, variable, numbered, numbered.definitions, variable.stored)
    special = _special(names[length], variable, context)
    if special is not None:
        return Binding(special, length + 1, length, variable, stored=False)
    if variable.open:
        return _open_column(names[length], key, variable, length, context)
    gap = Gap("undeclared-column", f"{variable.name} has no column '{names[length].text}'")
    problem = "undeclared-column" if variable.sure else ""
    return Binding(Unknown(gap), length + 1, length, variable, problem=problem,
                   names=tuple(c.name for c in variable.columns), owner=variable.name)


def _numbered(text: str, variable: RangeVariable) -> Column | None:
    """Snowflake `$2`: the second column of a source."""
    if not (text.startswith("$") and text[1:].isdigit() and variable.closed):
        return None
    position = int(text[1:]) - 1
    return variable.columns[position] if 0 <= position < len(variable.columns) else None


def _special(name: Name, variable: RangeVariable, context: Context) -> Value | None:
    """Pseudo columns, which every stored table has without declaring them."""
    if name.text.lower() in context.dialect.pseudo_columns and variable.kind in ("relation", "unnest"):
        return Generated(GeneratedSource("system", name.text))
    return None


def _column(key: str, level: Scope, context: Context) -> Binding | None:
    """An unqualified column among those that are listed."""
    if level.alias_rule is LateralAlias.FIRST and key in level.aliases:
        return _alias(level.aliases[key])
    if key in level.merged:
        column = level.merged[key]
        return Binding(column.value, 1, column=column, definitions=column.definitions, stored=False)
    found = [(variable, column) for variable in level.visible()
             for column in _one_column(variable.by_key.get(key, ()), context)]
    if len(found) == 1:
        variable, column = found[0]
        return Binding(column.value, 1, 0, variable, column, column.definitions, variable.stored)
    if key in level.lets:
        return _alias(level.lets[key])
    if key in level.outputs:
        return _alias(level.outputs[key])
    if found and context.dialect.first_source_wins:
        variable, column = found[0]
        return Binding(column.value, 1, 0, variable, column, column.definitions, variable.stored)
    if found:
        owners = ", ".join(dict.fromkeys(variable.name for variable, _ in found))
        gap = Gap("ambiguous", f"'{found[0][1].name}' is a column of {owners}: say which")
        sure = not level.lenient and not any(variable.assumed for variable, _ in found)
        return Binding(Unknown(gap), 1, problem="ambiguous-column" if sure else "", owner=owners)
    if level.alias_rule is LateralAlias.FALLBACK and key in level.aliases:
        return _alias(level.aliases[key])
    return None


def _one_column(columns: Sequence[Column], context: Context) -> Sequence[Column]:
    """One of the columns that are copies of one attribute, which are not ambiguous in Spark (AttributeSeq.resolve)."""
    return columns[:1] if len(columns) > 1 and are_copies(columns, context) else columns


def are_copies(columns: Sequence[Column], context: Context) -> bool:
    """Whether columns of one name are the same column of the same source, in a dialect where they then are one."""
    first, *others = (_plain(column.value) for column in columns)
    return context.dialect.copies_are_one and isinstance(first, Ref) and all(other == first for other in others)


def _plain(value: Value) -> Value:
    while isinstance(value, Traced):
        value = value.value
    return value


def _alias(column: Column) -> Binding:
    return Binding(column.value, 1, column=column, definitions=column.definitions, kind="output")


def _row(key: str, level: Scope, context: Context) -> Binding | None:
    """A bare range variable: an unnested element, or the row as a record where the dialect has row values."""
    variable = _range((key,), level)
    if variable is None or (variable.row is None and not context.dialect.row_value):
        return None
    return Binding(variable.whole_row(), 1, 0, variable, definitions=variable.definitions, kind="alias",
                   stored=variable.stored)


# ---------------------------------------------------------------- without a schema


def _open_sources(level: Scope, key: str) -> list[tuple[RangeVariable, OpenSource]]:
    return [
        (variable, source) for variable in level.visible() for source in variable.open if key not in source.without
    ]


def _open_column(
    name: Name, key: str, variable: RangeVariable, qualifier: int, context: Context
) -> Binding:
    possible = [source for source in variable.open if key not in source.without]
    if len(possible) == 1:
        value = _column_of(possible[0], name, key, context)
        return Binding(value, qualifier + 1, qualifier, variable, stored=variable.stored)
    owners = ", ".join(source.name for source in variable.open)
    gap = Gap("owner-unproved", f"'{name.text}' may come from any of {owners}, whose columns are not known here")
    return Binding(Unknown(gap), qualifier + 1, qualifier, variable)


def _column_of(source: OpenSource, name: Name, key: str, context: Context) -> Value:
    return source.column(context.spelled(source.relation, source.path, key, context.show(name)))


def _from_open(names: tuple[Name, ...], keys: tuple[str, ...], level: Scope, context: Context) -> Binding:
    sources = _open_sources(level, keys[0])
    if len(sources) == 1:
        variable, source = sources[0]
        return Binding(_column_of(source, names[0], keys[0], context), 1, 0, variable, stored=variable.stored)
    owners = ", ".join(dict.fromkeys(source.name for _, source in sources))
    gap = Gap("owner-unproved", f"nothing proves which of {owners} has the column '{names[0].text}'")
    # A source that the query itself computes has columns that nobody could declare.
    declarable = all(source.value is None for _, source in sources)
    # Nor can those of the database's own tables be.
    declarable = declarable and not all(is_system_relation(source.relation) for _, source in sources)
    return Binding(Unknown(gap), 1, problem="orphan-column" if declarable else "", owner=owners)


def _outer_column(found: Binding, opened: list[Scope], names: tuple[Name, ...]) -> Binding:
    """A column of an outer block may be hidden by one of an inner relation whose schema is not known."""
    if not opened or found.qualifier or found.kind not in ("column", "alias") or len(names) > 1:
        return found
    inner = ", ".join(source.name for _, source in _open_sources(opened[0], ""))
    outer = found.range.name if found.range else "the outer query"
    gap = Gap("owner-unproved", f"'{names[0].text}' is {outer}'s unless {inner} has such a column")
    return Binding(Unknown(gap), 1, problem="")


def _inner_or_outer(names: tuple[Name, ...], keys: tuple[str, ...], opened: list[Scope]) -> Binding:
    """A bare name in a correlated subquery: a column of the inner relation or, where that has none, of the outer."""
    inner, outer = (", ".join(source.name for _, source in _open_sources(level, keys[0])) for level in opened[:2])
    gap = Gap("owner-unproved", f"'{names[0].text}' is a column of {inner} or, where that has none, of {outer}")
    return Binding(Unknown(gap), 1)


def _not_found(names: tuple[Name, ...], scope: Scope, context: Context) -> Binding:
    """Every schema is known, and none has the name."""
    variables = [variable for level in scope.levels() for variable in level.visible()]
    owners = ", ".join(dict.fromkeys(variable.name for variable in variables))
    if len(names) > 1 and context.dialect.name_order is NameOrder.RELATION_ONLY:
        text = f"no source is called '{names[-2].text}' here{_field_hint(names, variables, context)}"
        gap = Gap("alias-binding-missing", text)
        return Binding(Unknown(gap), len(names), len(names) - 1, problem="orphan-column",
                       names=tuple(variable.name for variable in variables), owner=owners)
    if not variables:
        return Binding(Unknown(Gap("no-source", f"'{names[0].text}' stands in a query without sources")), 1)
    text = f"no column '{names[0].text}' in {owners}"
    if len(names) > 1:
        text = f"'{names[0].text}' is neither a source nor a column here; the sources are {owners}"
    gap = Gap("undeclared-column", text)
    sure = all(variable.sure for variable in variables)
    candidates = tuple(dict.fromkeys(c.name for variable in variables for c in variable.columns))
    return Binding(Unknown(gap), 1, problem="undeclared-column" if sure else "", names=candidates, owner=owners)


def _field_hint(names: tuple[Name, ...], variables: list[RangeVariable], context: Context) -> str:
    """How the field is read, where the name that is no source is a column: by `(home).town` in Postgres."""
    column, last = names[-2].text, names[-1].text
    key = context.fold(names[-2])
    if not context.dialect.field_syntax or not any(key in variable.by_key for variable in variables):
        return ""
    written = context.dialect.field_syntax.format(column=column, field=last)
    return f"; a field of the column '{column}' is read by {written}"


def _without_owner(names: tuple[Name, ...], keys: tuple[str, ...], context: Context) -> Binding | None:
    """Names that no relation has: script variables, sequences, pseudo columns, niladic functions."""
    if keys[0] in context.options.variables or names[0].text.startswith(("@", "$", ":")):
        return Binding(Generated(GeneratedSource("parameter", names[0].text)), len(names), kind="parameter")
    last = names[-1].text.lower()
    if len(names) > 1 and last in ("nextval", "currval"):
        text = ".".join(name.text for name in names)
        return Binding(Generated(GeneratedSource("sequence", text)), len(names))
    lone = names[0].text.lower()
    if not names[0].quoted and (lone in context.dialect.pseudo_columns or (len(names) == 1 and lone in NILADIC)):
        return Binding(Generated(GeneratedSource("system", names[0].text)), len(names))
    return None


# Functions that SQL calls without brackets; parsers hand some of them on as names.
NILADIC = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user",
     "session_user", "system_user", "current_role", "current_catalog", "current_schema"}
)
