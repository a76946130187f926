"""The query model: what one statement says, before any catalog is asked.

Frozen records in the terms of the database field (query block, range variable, projection, predicate).
They carry no sqlglot object, are cheap to make, can be cached on disk, and mean the same for every catalog.
Names are not resolved here: `a.b.c` is a `ColumnRef` of three parts, whether `a` is a table, an alias or a column.

Positions are code points **relative to the start of the statement**, half open, so that a statement keeps its
model when text above it changes. `-1` stands for a node that no token of the text carries.

Longer than other modules: it is one vocabulary, whose records are made of each other.
"""

from __future__ import annotations

from typing import Union

from msgspec import Struct


class Record(Struct, frozen=True, gc=False, array_like=True, tag=True, tag_field="node"):
    """Base of all records of the model."""


class Name(Record):
    """One identifier: its text without quotes, where it stands (quotes included), and whether it was quoted."""

    text: str
    start: int = -1
    end: int = -1
    quoted: bool = False


# ---------------------------------------------------------------- types


class FieldSpec(Record):
    """A field of a record type; `name` is None where a type leaves it out (`ROW(BIGINT)`, `Tuple(Int8)`)."""

    name: Name | None
    type: TypeSpec


class TypeSpec(Record):
    """A type as written.

    `kind` is one of
    `scalar` (`INT64`, `varchar(9)`) · `record` (STRUCT, ROW, Tuple, composite: `fields`) · `array` (`element`) ·
    `map` (`key`, `value`) · `variant` (VARIANT, OBJECT, SUPER, JSON: fields without declaration) ·
    `named` (a user's type: `name`). ClickHouse `Nested(..)` is an array of a record.
    `text` is the type's own spelling.
    """

    kind: str
    text: str
    fields: tuple[FieldSpec, ...] = ()
    element: TypeSpec | None = None
    key: TypeSpec | None = None
    value: TypeSpec | None = None
    name: tuple[Name, ...] = ()


class ColumnDef(Record):
    """A column of a DDL statement, of a table function's result or of a parameter list."""

    name: Name
    type: TypeSpec | None = None


# ---------------------------------------------------------------- expressions


class ColumnRef(Record):
    """A dotted name in an expression: `qty`, `o.customer.address.city`."""

    parts: tuple[Name, ...]


class FieldAccess(Record):
    """`.name` on something that is not a bare dotted name: `items[0].sku`, `(c).name`, `doc:device.os`.

    `exact` marks the key of a semi-structured value, which is compared with case (`doc:Device`, `doc['Device']`).
    `colon` marks the first step of Snowflake / Databricks `column:path`.
    """

    base: Expr
    name: Name
    exact: bool = False


class ElementAccess(Record):
    """A subscript. `key` is its text where it is a constant string (`m['user']`), else None."""

    base: Expr
    index: Expr | None = None
    key: str | None = None
    start: int = -1
    end: int = -1


class Star(Record):
    """`*`, `t.*`, `payload.*`, `(c).*` with its modifiers. `start`..`end` is the asterisk itself.

    `names` is a regular expression that is searched in the columns' names (`* LIKE 'x%'`, `* ILIKE 'x%'`).
    """

    qualifier: Expr | None = None
    except_: tuple[ColumnRef, ...] = ()
    replace: tuple[Projection, ...] = ()
    rename: tuple[Projection, ...] = ()
    names: str | None = None
    start: int = -1
    end: int = -1
    value: bool = False
    """`(c).*`: the qualifier is a value in brackets and names no relation."""


class ColumnsPattern(Record):
    """DuckDB and ClickHouse `COLUMNS('regex')`: the expression is repeated for each column that matches.

    `star` says which columns there are to match: `COLUMNS(t.* EXCLUDE (a))`. `unpack` marks `*COLUMNS(..)`, which is
    all of them as arguments of one call.
    """

    pattern: str
    start: int = -1
    end: int = -1
    star: Star | None = None
    unpack: bool = False


class Applied(Record):
    """ClickHouse `* APPLY(f) APPLY(g)`, `COLUMNS('re') APPLY(f)`: each of the columns as argument of the functions."""

    columns: Expr
    functions: tuple[str, ...]


class Literal(Record):
    """`kind` is `string`, `number`, `boolean`, `null` or `other` (typed and interval constants)."""

    kind: str
    text: str
    start: int = -1
    end: int = -1


class Parameter(Record):
    """A value that comes from outside the statement: `@x`, `:x`, `?`, `${x}`.

    `template` marks a tag that may stand for an expression over columns: `{{ to_euros('price') }}`.
    """

    text: str
    start: int = -1
    end: int = -1
    template: bool = False


class Call(Record):
    """A function call. `name` is in upper case, the dialect's own spelling where the parser keeps it.

    `named` has one entry an argument: its name in `f(input => x)`, else None.
    `order_by` and `filter` are those of an aggregate (`ARRAY_AGG(x ORDER BY y)`, `WITHIN GROUP`, `FILTER`).
    `start`..`end` is the function's name.
    """

    name: str
    args: tuple[Expr, ...] = ()
    named: tuple[str | None, ...] = ()
    aggregate: bool = False
    order_by: tuple[Expr, ...] = ()
    filter: Expr | None = None
    start: int = -1
    end: int = -1


class RecordField(Record):
    """One field of a record constructor; a positional field has no name."""

    name: Name | None
    value: Expr


class RecordExpr(Record):
    """STRUCT(..), ROW(..), named_struct(..), OBJECT_CONSTRUCT(..), `{'a': x}`, tuple(..), `(a, b)`.

    `kind` is `struct`, `row` (positional, names come from a cast or a target) or `object` (keys are exact).
    """

    kind: str
    fields: tuple[RecordField, ...]


class ArrayExpr(Record):
    """`[a, b]`, `ARRAY[a, b]`, `array(a, b)`."""

    items: tuple[Expr, ...]


class MapExpr(Record):
    """`map(k1, v1, ..)`, `MAP {k: v}`, `MAP(ARRAY[..], ARRAY[..])` where the pairs can be told."""

    keys: tuple[Expr, ...]
    values: tuple[Expr, ...]


class Case(Record):
    """CASE and IF / IIF / DECODE: `whens` are (condition, value) pairs."""

    operand: Expr | None
    whens: tuple[tuple[Expr, Expr], ...]
    default: Expr | None = None


class Cast(Record):
    """CAST, `::`, TRY_CAST, SAFE_CAST, typed constructors (`STRUCT<a INT64>(x)`)."""

    value: Expr
    type: TypeSpec


class Lambda(Record):
    """`x -> x.qty`, `lambda x : x.qty`. Parameters inside `body` are ordinary `ColumnRef`s."""

    params: tuple[Name, ...]
    body: Expr


class SubqueryExpr(Record):
    """A query inside an expression. `kind` is `scalar`, `array` (ARRAY(SELECT ..)), `exists` or `in`."""

    kind: str
    query: Query
    operand: Expr | None = None


class NamedWindow(Record):
    """`w AS (PARTITION BY .. ORDER BY ..)` of a WINDOW clause."""

    name: Name
    partition_by: tuple[Expr, ...] = ()
    order_by: tuple[Expr, ...] = ()
    base: Name | None = None


class Window(Record):
    """`f(..) OVER (..)`; `window` is the name of a WINDOW clause's entry that it uses or extends."""

    value: Expr
    partition_by: tuple[Expr, ...] = ()
    order_by: tuple[Expr, ...] = ()
    window: Name | None = None


class Operation(Record):
    """Any other expression over its operands: arithmetic, comparison, LIKE, BETWEEN, AT TIME ZONE, AND, .."""

    operator: str
    operands: tuple[Expr, ...]


Expr = Union[
    ColumnRef,
    FieldAccess,
    ElementAccess,
    Star,
    ColumnsPattern,
    Applied,
    Literal,
    Parameter,
    Call,
    RecordExpr,
    ArrayExpr,
    MapExpr,
    Case,
    Cast,
    Lambda,
    SubqueryExpr,
    Window,
    Operation,
]


# ---------------------------------------------------------------- query blocks


class WrittenName(Record):
    """What the database calls a select item without alias: `pieces` in a row, a name in them as it is resolved.

    It is right where none of `undated` is a date.
    """

    pieces: tuple[Union[str, ColumnRef], ...]
    undated: tuple[ColumnRef, ...] = ()


class Projection(Record):
    """One item of a select list (also of REPLACE, of a pivot's aggregates and IN list).

    `start`..`end` is the whole item, alias included. `aliases` is the list form of generators:
    `posexplode(x) AS (p, v)`.
    """

    value: Expr
    alias: Name | None = None
    aliases: tuple[Name, ...] = ()
    start: int = -1
    end: int = -1
    written: WrittenName | None = None


class RecursionMark(Record):
    """A column that SEARCH or CYCLE adds to a recursive CTE, made from its columns `keys`.

    `kind` is `SEARCH`, which numbers the rows, `CYCLE`, which marks them, or `USING`, which holds the keys' values.
    """

    name: Name
    keys: tuple[Name, ...]
    kind: str


class Cte(Record):
    """`name (columns) AS (query)` of a WITH clause."""

    name: Name
    query: Query
    columns: tuple[Name, ...] = ()
    marks: tuple[RecursionMark, ...] = ()
    write: Statement | None = None
    """The statement of a data-modifying CTE, whose RETURNING is `query`."""


class PivotAxis(Record):
    """`FOR column IN (values)`: each value's `alias` is the name given to it, its text span the value."""

    columns: tuple[Expr, ...]
    values: tuple[Projection, ...]


class Pivot(Record):
    """`PIVOT (aggregates FOR .. IN (..))`; `any_values` where the IN list is a subquery or ANY."""

    aggregates: tuple[Projection, ...]
    axes: tuple[PivotAxis, ...]
    group_by: tuple[Expr, ...] = ()
    any_values: bool = False
    alias: Name | None = None
    column_aliases: tuple[Name, ...] = ()


class UnpivotInput(Record):
    """One entry of an UNPIVOT's IN list: its columns and the label that its rows get."""

    columns: tuple[Expr, ...]
    label: Literal | None = None


class Unpivot(Record):
    """`UNPIVOT (value_columns FOR name_column IN (inputs))`."""

    value_columns: tuple[Name, ...]
    name_column: Name
    inputs: tuple[UnpivotInput, ...]
    alias: Name | None = None
    column_aliases: tuple[Name, ...] = ()


class TableRef(Record):
    """A name in FROM (or the target of DML): a table, a view, a CTE, or an array path of an earlier source.

    `FROM t, t.arr AS v WITH OFFSET AS i` gives a second `TableRef` with `position` i.
    `location` is set where a file is read by its address: `FROM 's3://bucket/x.parquet'`.
    """

    parts: tuple[Name, ...]
    alias: Name | None = None
    column_aliases: tuple[Name, ...] = ()
    position: Name | None = None
    with_position: bool = False
    pivots: tuple[Union[Pivot, Unpivot], ...] = ()
    location: str | None = None
    start: int = -1
    end: int = -1


class DerivedTable(Record):
    """A query in FROM."""

    query: Query
    alias: Name | None = None
    column_aliases: tuple[Name, ...] = ()
    lateral: bool = False
    pivots: tuple[Union[Pivot, Unpivot], ...] = ()


class Unnest(Record):
    """UNNEST(arrays) and its spellings; `position` is WITH OFFSET / WITH ORDINALITY / AT.

    `alias` is the range variable. In BigQuery it is the element itself; in Trino, Postgres and DuckDB it is a
    relation whose columns are `column_aliases`. `start`..`end` is the keyword.
    """

    arrays: tuple[Expr, ...]
    alias: Name | None = None
    column_aliases: tuple[Name, ...] = ()
    position: Name | None = None
    with_position: bool = False
    pivots: tuple[Union[Pivot, Unpivot], ...] = ()
    start: int = -1
    end: int = -1


class TableFunction(Record):
    """A function in FROM: FLATTEN, generate_series, TABLE(..), json_to_recordset, and LATERAL VIEW's generators.

    `columns` is a column definition list (`AS t(a int, b text)`). `view` marks LATERAL VIEW, whose alias is the
    relation and whose `column_aliases` name the generator's columns.
    """

    call: Expr
    alias: Name | None = None
    column_aliases: tuple[Name, ...] = ()
    columns: tuple[ColumnDef, ...] = ()
    with_position: bool = False
    view: bool = False
    outer: bool = False
    pivots: tuple[Union[Pivot, Unpivot], ...] = ()


class ArrayJoin(Record):
    """ClickHouse `[LEFT] ARRAY JOIN a AS x, b`."""

    items: tuple[Projection, ...]
    left: bool = False


class NestedJoin(Record):
    """A join in parentheses: `FROM (a JOIN b ON ..) AS j`."""

    items: tuple[FromItem, ...]
    alias: Name | None = None
    column_aliases: tuple[Name, ...] = ()


TableSource = Union[TableRef, DerivedTable, Unnest, TableFunction, ArrayJoin, NestedJoin]


class FromItem(Record):
    """One source of a FROM clause, in order. `join` is '' for the first one, `CROSS` for a comma, else the kind:

    `INNER`, `LEFT`, `RIGHT`, `FULL`, `CROSS`, `SEMI`, `ANTI`, `ASOF`.
    """

    source: TableSource
    join: str = ""
    on: Expr | None = None
    using: tuple[Name, ...] = ()
    natural: bool = False


class Select(Record):
    """A query block. `row` is `struct` for SELECT AS STRUCT, `value` for SELECT AS VALUE, else ''."""

    projections: tuple[Projection, ...] = ()
    sources: tuple[FromItem, ...] = ()
    where: Expr | None = None
    group_by: tuple[Expr, ...] = ()
    group_by_all: bool = False
    having: Expr | None = None
    qualify: Expr | None = None
    windows: tuple[NamedWindow, ...] = ()
    order_by: tuple[Expr, ...] = ()
    distinct: bool = False
    distinct_on: tuple[Expr, ...] = ()
    connect_by: tuple[Expr, ...] = ()
    ctes: tuple[Cte, ...] = ()
    recursive: bool = False
    row: str = ""
    start: int = -1
    end: int = -1
    lets: tuple[Projection, ...] = ()
    """ClickHouse `WITH expression AS name`: names for expressions, visible in the whole block."""
    keeps: bool = False
    """Its range variables can still be named by the block that has it as a source (pipe syntax)."""
    named: tuple[Projection, ...] = ()
    """ClickHouse `f((a + b) AS c)`: names given inside of expressions, as visible as those of the select list."""


class SetOperation(Record):
    """UNION, INTERSECT, EXCEPT. `by_name` matches columns by name, else by position.

    `side` says which columns a match by name keeps: '' and `FULL` those of both branches, `LEFT` those of the left
    one, `INNER` those that both have. `columns` lists them instead (BigQuery BY NAME ON, CORRESPONDING BY).
    """

    operator: str
    left: Query
    right: Query
    by_name: bool = False
    distinct: bool = False
    order_by: tuple[Expr, ...] = ()
    ctes: tuple[Cte, ...] = ()
    recursive: bool = False
    side: str = ""
    columns: tuple[Name, ...] = ()


class ValuesQuery(Record):
    """VALUES (..), (..) as a query."""

    rows: tuple[tuple[Expr, ...], ...]
    ctes: tuple[Cte, ...] = ()


Query = Union[Select, SetOperation, ValuesQuery]


# ---------------------------------------------------------------- statements


class QueryStatement(Record):
    """A query on its own. `into` is the table of SELECT .. INTO."""

    query: Query
    into: tuple[Name, ...] = ()
    temporary: bool = False


class CreateTable(Record):
    """CREATE TABLE in all its forms.

    `columns` holds partition columns too (Hive). `query` is that of CREATE TABLE .. AS; `column_names` its column
    list without types. `like`, `clone` and `of_type` name where the columns come from; `location` is the address of
    an external table's files (`start`..`end` its token). `open` is set where columns may exist that the statement
    does not list (schema inference, an external table without columns).
    """

    name: tuple[Name, ...]
    columns: tuple[ColumnDef, ...] = ()
    column_names: tuple[Name, ...] = ()
    query: Query | None = None
    like: tuple[Name, ...] = ()
    clone: tuple[Name, ...] = ()
    of_type: tuple[Name, ...] = ()
    location: str | None = None
    location_start: int = -1
    location_end: int = -1
    temporary: bool = False
    external: bool = False
    replace: bool = False
    if_not_exists: bool = False
    open: bool = False
    like_position: int = 0
    """How many of `columns` stand before those of `like`."""
    inherits: tuple[tuple[Name, ...], ...] = ()
    """More relations whose columns this one has too, in front of its own: INHERITS, PARTITION OF, a second LIKE."""


class CreateView(Record):
    """CREATE [MATERIALIZED] VIEW name (columns) AS query. `query` is None where the body could not be read."""

    name: tuple[Name, ...]
    query: Query | None
    columns: tuple[Name, ...] = ()
    materialized: bool = False
    temporary: bool = False
    replace: bool = False
    to: tuple[Name, ...] = ()
    """The table that a ClickHouse materialized view writes its rows to."""
    if_not_exists: bool = False
    model: bool = False
    """A model of a project: where it reads itself, it reads what its last run has stored (dbt `{{ this }}`)."""
    of_type: tuple[Name, ...] = ()
    """The type whose attributes name its columns (Oracle object views)."""


class CreateType(Record):
    """CREATE TYPE / CREATE DOMAIN: composite, object, VARRAY, nested table, DuckDB STRUCT, enum."""

    name: tuple[Name, ...]
    type: TypeSpec
    replace: bool = False
    under: tuple[Name, ...] = ()
    """The supertype whose attributes come first (Oracle UNDER)."""


class AddColumn(Record):
    """ADD COLUMN: `path` has more than one part for a nested field (Spark, Trino, ClickHouse, BigQuery)."""

    path: tuple[Name, ...]
    type: TypeSpec | None = None
    if_not_exists: bool = False
    first: bool = False
    after: Name | None = None


class DropColumn(Record):
    """DROP COLUMN, or of a nested field."""

    path: tuple[Name, ...]
    if_exists: bool = False


class RenameColumn(Record):
    """RENAME COLUMN old TO new, or of a nested field."""

    path: tuple[Name, ...]
    new: Name


class ChangeType(Record):
    """ALTER / MODIFY / CHANGE COLUMN with a new type."""

    path: tuple[Name, ...]
    type: TypeSpec


class ReplaceColumns(Record):
    """Hive and Spark REPLACE COLUMNS (..)."""

    columns: tuple[ColumnDef, ...]


class RenameTable(Record):
    """RENAME TO. `old` is set for the second and later pairs of `RENAME TABLE a TO b, c TO d`."""

    new: tuple[Name, ...]
    old: tuple[Name, ...] = ()


class SwapTable(Record):
    """Snowflake SWAP WITH, ClickHouse EXCHANGE TABLES."""

    other: tuple[Name, ...]


class MoveRows(Record):
    """Rows go between two tables that keep their columns: EXCHANGE PARTITION, SWITCH, APPEND FROM, MOVE PARTITION.

    `takes` where the altered table gets rows of `other`, `gives` where `other` gets rows of it.
    """

    other: tuple[Name, ...]
    takes: bool
    gives: bool


AlterAction = Union[
    AddColumn, DropColumn, RenameColumn, ChangeType, ReplaceColumns, RenameTable, SwapTable, MoveRows
]


class AlterTable(Record):
    """ALTER TABLE name action, action. `kind` is `TABLE`, `VIEW` or `TYPE`."""

    name: tuple[Name, ...]
    actions: tuple[AlterAction, ...]
    kind: str = "TABLE"


class Drop(Record):
    """DROP TABLE / VIEW / TYPE. `kind` is `TABLE`, `VIEW`, `TYPE` or `SCHEMA`."""

    kind: str
    name: tuple[Name, ...]
    others: tuple[tuple[Name, ...], ...] = ()
    """The further names of `DROP TABLE a, b`."""


class PartitionValue(Record):
    """`PARTITION (day = '2026-01-01', hour)`: a static value, or None for a dynamic partition."""

    name: Name
    value: Expr | None = None


class Output(Record):
    """OUTPUT items [INTO target (columns)] (T-SQL): what a change reads of its rows, and where that is written."""

    items: tuple[Projection, ...]
    target: tuple[Name, ...] = ()
    columns: tuple[ColumnRef, ...] = ()


class Insert(Record):
    """INSERT / REPLACE INTO. Columns match by position unless `by_name`; `row` is BigQuery's INSERT ROW.

    `location` is the folder of INSERT OVERWRITE DIRECTORY.
    """

    target: tuple[Name, ...]
    query: Query | None
    columns: tuple[ColumnRef, ...] = ()
    by_name: bool = False
    overwrite: bool = False
    partition: tuple[PartitionValue, ...] = ()
    location: str | None = None
    conflict: Conflict | None = None
    returning: tuple[Expr, ...] = ()
    """What RETURNING or OUTPUT reads of the rows written. They go to the client, not into a relation."""
    alias: Name | None = None
    """`INSERT INTO stock AS s`: what ON CONFLICT and RETURNING call the table."""
    left_out: tuple[Name, ...] = ()
    """The columns that `(* EXCEPT (a, b))` in the place of a column list does not write (ClickHouse)."""
    output: tuple[Output, ...] = ()


class Conflict(Record):
    """What ON CONFLICT DO UPDATE or ON DUPLICATE KEY UPDATE assigns to rows that exist, and to which of them.

    `row` is what MySQL calls the row that could not be inserted, with `columns` of its own: `VALUES (..) AS new(a)`.
    """

    assignments: tuple[Assignment, ...]
    where: Expr | None = None
    row: Name | None = None
    columns: tuple[Name, ...] = ()


class MultiInsert(Record):
    """Hive FROM .. INSERT .. INSERT .., Snowflake and Oracle INSERT ALL."""

    inserts: tuple[Insert, ...]


class Assignment(Record):
    """`path = value` of UPDATE and MERGE; a nested field's path has its column first (or an alias before it).

    `elements` are the places in the path behind which a subscript stands: 1 for `stops[2].town` (Postgres).
    """

    target: ColumnRef
    value: Expr
    elements: tuple[int, ...] = ()


class Update(Record):
    """UPDATE target SET .. FROM .. WHERE ... T-SQL's and MySQL's joined forms have their tables in `sources`."""

    target: TableRef
    assignments: tuple[Assignment, ...]
    sources: tuple[FromItem, ...] = ()
    where: Expr | None = None
    ctes: tuple[Cte, ...] = ()
    returning: tuple[Expr, ...] = ()
    output: tuple[Output, ...] = ()


class MergeBranch(Record):
    """One WHEN of a MERGE. `matched` is `matched`, `not_matched` or `not_matched_by_source`.

    `action` is `update`, `insert` or `delete`. `star` is UPDATE SET * / INSERT * (by name), `row` INSERT ROW
    (by position).
    """

    matched: str
    action: str
    condition: Expr | None = None
    assignments: tuple[Assignment, ...] = ()
    columns: tuple[ColumnRef, ...] = ()
    values: tuple[Expr, ...] = ()
    star: bool = False
    row: bool = False


class Merge(Record):
    """MERGE INTO target USING source ON .. WHEN ..."""

    target: TableRef
    source: TableSource
    on: Expr | None
    branches: tuple[MergeBranch, ...]
    ctes: tuple[Cte, ...] = ()
    returning: tuple[Expr, ...] = ()
    output: tuple[Output, ...] = ()


class Delete(Record):
    """DELETE FROM target USING .. WHERE .."""

    target: TableRef
    sources: tuple[FromItem, ...] = ()
    where: Expr | None = None
    ctes: tuple[Cte, ...] = ()
    returning: tuple[Expr, ...] = ()
    output: tuple[Output, ...] = ()


class Truncate(Record):
    """TRUNCATE TABLE."""

    target: tuple[Name, ...]


class Use(Record):
    """USE [CATALOG | SCHEMA | DATABASE] name, SET search_path / SCHEMA: the defaults of the statements after it."""

    parts: tuple[Name, ...]
    kind: str = ""


class Declare(Record):
    """A step of a script that sets variables, or decides by a condition what is run.

    DECLARE x INT64 DEFAULT .., SET x = .., x := .. (their names are no columns afterwards); IF and WHILE name none.
    `query` is what a cursor, the variable of FOR .. IN, or a result set stands for.
    """

    names: tuple[Name, ...]
    values: tuple[Expr, ...] = ()
    query: Query | None = None


class CallRoutine(Record):
    """CALL p(..), EXEC p ..: a procedure is run."""

    name: tuple[Name, ...]
    args: tuple[Expr, ...] = ()


class DynamicSql(Record):
    """EXECUTE IMMEDIATE, EXEC(@sql), ..: SQL whose text at `start`..`end` is made when it runs.

    `names` are variables that its rows are read by.
    """

    names: tuple[Name, ...] = ()
    start: int = -1
    end: int = -1


class CreateFunction(Record):
    """CREATE FUNCTION / PROCEDURE / MACRO. `query` is the body of a SQL function where it is one query."""

    name: tuple[Name, ...]
    params: tuple[ColumnDef, ...] = ()
    returns: tuple[ColumnDef, ...] = ()
    body: Expr | None = None
    query: Query | None = None
    table: bool = False
    """It stands in FROM: TABLE FUNCTION, RETURNS TABLE, a macro AS TABLE."""
    result: TypeSpec | None = None
    """The type of the value that it returns."""
    language: str = ""
    """The language of its body where that is not SQL."""


class OtherStatement(Record):
    """A statement that moves no data between columns (GRANT, COMMENT, BEGIN, ..). `keyword` is its first word."""

    keyword: str


Statement = Union[
    QueryStatement,
    CreateTable,
    CreateView,
    CreateType,
    AlterTable,
    Drop,
    Insert,
    MultiInsert,
    Update,
    Merge,
    Delete,
    Truncate,
    Use,
    Declare,
    CallRoutine,
    DynamicSql,
    CreateFunction,
    OtherStatement,
]


class SyntaxIssue(Record):
    """Why a statement, or a part of it, could not be read: one plain sentence and the span it is about."""

    message: str
    start: int
    end: int


class StatementModel(Record):
    """One statement, lowered. `statement` is None where nothing of it could be read.

    `partial` is set where the model stands for a statement that was only read in part (an issue was repaired
    around): names in it may be looked at, but nothing may be concluded from what is missing.
    `templated` is set where tags stand in it that nobody has rendered: what it says is true, but it may say more.
    """

    statement: Statement | None
    issues: tuple[SyntaxIssue, ...] = ()
    partial: bool = False
    templated: bool = False
