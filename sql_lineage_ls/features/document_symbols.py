"""The outline of a document: its statements, their columns and nested fields, and the CTEs of its queries.

Columns and fields are read from the statement itself; the columns of a query come from the analysis, which knows
what they are called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, RecordType
from sql_lineage_ls.features.results import Symbol
from sql_lineage_ls.features.type_text import one_line
from sql_lineage_ls.syntax.query_model import (
    ColumnDef,
    CreateFunction,
    CreateTable,
    CreateType,
    CreateView,
    Cte,
    Delete,
    FieldSpec,
    Insert,
    Merge,
    MultiInsert,
    Name,
    Query,
    QueryStatement,
    Statement,
    Truncate,
    TypeSpec,
    Update,
)
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

LONGEST_TITLE = 60
LONGEST_DETAIL = 48


def document_symbols(snapshot: Snapshot, uri: str) -> tuple[Symbol, ...]:
    """The outline of a document in the order of its text.

    `CREATE VIEW v AS WITH c AS (SELECT a FROM t) SELECT a AS b FROM c` gives the view `v` with the CTE `c` and the
    column `b`.
    """
    document = snapshot.document(uri)
    if document is None:
        return ()
    return tuple(
        symbol for statement in document.statements if (symbol := _of_statement(document, statement)) is not None
    )


def _of_statement(document: DocumentView, view: StatementView) -> Symbol | None:
    statement = view.model.statement
    full = Span(view.start, view.end)
    if statement is None:
        return None
    name, kind, detail = _heading(statement)
    children = [*_declared(statement, view.start), *_ctes(statement, view.start), *_outputs(view, statement)]
    if not name and not isinstance(statement, QueryStatement):
        return None
    inside = sorted((child for child in children if _is_inside(child, full)), key=lambda child: child.full)
    if not name:
        first_line = document.text[full.start : full.start + LONGEST_TITLE].split("\n", 1)[0].strip()
        return Symbol(first_line or "SELECT", "statement", "", Span(full.start, full.start), full, tuple(inside))
    focus = _span(name, view.start)
    if not (full.start <= focus.start and focus.end <= full.end):
        focus = Span(full.start, full.start)
    return Symbol(".".join(part.text for part in name), kind, detail, focus, full, tuple(inside))


def _heading(statement: Statement) -> tuple[tuple[Name, ...], str, str]:
    """The name of what a statement makes or changes, its kind, and a word about it."""
    if isinstance(statement, CreateTable):
        return statement.name, "table", "external" if statement.external else ""
    if isinstance(statement, CreateView):
        return statement.name, "view", "materialized" if statement.materialized else ""
    if isinstance(statement, CreateType):
        return statement.name, "type", ""
    if isinstance(statement, CreateFunction):
        return statement.name, "statement", "function"
    if isinstance(statement, Insert):
        return statement.target, "statement", "insert"
    if isinstance(statement, MultiInsert):
        return (statement.inserts[0].target if statement.inserts else ()), "statement", "insert"
    if isinstance(statement, Truncate):
        return statement.target, "statement", "truncate"
    if isinstance(statement, (Update, Delete, Merge)):
        return statement.target.parts, "statement", type(statement).__name__.lower()
    if isinstance(statement, QueryStatement) and statement.into:
        return statement.into, "table", ""
    return (), "statement", ""


def _declared(statement: Statement, start: int) -> Iterator[Symbol]:
    if isinstance(statement, CreateTable):
        for column in statement.columns:
            yield _column(column, start)
    elif isinstance(statement, CreateType):
        yield from _fields(statement.type, start)


def _column(column: ColumnDef, start: int) -> Symbol:
    return _declared_symbol(column.name, column.type, "column", start)


def _declared_symbol(name: Name, type_spec: TypeSpec | None, kind: str, start: int) -> Symbol:
    children = tuple(_fields(type_spec, start)) if type_spec is not None else ()
    focus = Span(start + name.start, start + name.end)
    end = max((child.full.end for child in children), default=focus.end)
    detail = " ".join(type_spec.text.split()) if type_spec is not None else ""
    if len(detail) > LONGEST_DETAIL:
        detail = detail[: LONGEST_DETAIL - 1] + "…"
    return Symbol(name.text, kind, detail, focus, Span(focus.start, max(end, focus.end)), children)


def _fields(type_spec: TypeSpec, start: int) -> Iterator[Symbol]:
    """The named fields of a type; those of an array's element or a map's value stand below the column itself."""
    for inner in (type_spec.element, type_spec.value):
        if inner is not None:
            yield from _fields(inner, start)
    for field in type_spec.fields:
        yield from _field(field, start)


def _field(field: FieldSpec, start: int) -> Iterator[Symbol]:
    if field.name is not None and field.name.start >= 0:
        yield _declared_symbol(field.name, field.type, "field", start)


def _ctes(statement: Statement, start: int) -> Iterator[Symbol]:
    for cte in _with_clauses(statement):
        if cte.name.start < 0:
            continue
        focus = Span(start + cte.name.start, start + cte.name.end)
        end = max(focus.end, start + _end(cte.query))
        yield Symbol(cte.name.text, "cte", "", focus, Span(focus.start, end))


def _with_clauses(statement: Statement) -> Sequence[Cte]:
    if isinstance(statement, (QueryStatement, CreateTable, CreateView, CreateFunction, Insert)):
        return statement.query.ctes if statement.query is not None else ()
    if isinstance(statement, (Update, Delete, Merge)):
        return statement.ctes
    return ()


def _end(query: Query) -> int:
    return getattr(query, "end", -1)


def _outputs(view: StatementView, statement: Statement) -> Iterator[Symbol]:
    """The columns of a query whose names stand in the text. Those that a star brings have no place of their own."""
    if not isinstance(statement, (CreateView, CreateTable, QueryStatement)) or view.stale:
        return
    for field in view.lineage.outputs:
        if field.site is None or field.site.start < 0:
            continue
        yield _output(field, "column", view.start)


def _output(field: Field, kind: str, start: int) -> Symbol:
    """A column of a query, or a field of a record that the query builds: `STRUCT(a AS x) AS r` has `r` and `x`."""
    assert field.site is not None
    focus = Span(start + field.site.start, start + field.site.end)
    children = tuple(_output(inner, "field", start) for inner in _built_fields(field.type))
    first = min((child.full.start for child in children), default=focus.start)
    last = max((child.full.end for child in children), default=focus.end)
    full = Span(min(first, focus.start), max(last, focus.end))
    return Symbol(field.name, kind, one_line(field.type, 1), focus, full, children)


def _built_fields(data_type: DataType) -> Iterator[Field]:
    """The fields of a record, or of an array's records, whose names stand in the query itself."""
    while isinstance(data_type, ArrayType):
        data_type = data_type.element
    if isinstance(data_type, RecordType) and data_type.built:
        yield from (field for field in data_type.fields if field.site is not None and not field.site.uri)


def _span(name: tuple[Name, ...], start: int) -> Span:
    return Span(start + name[0].start, start + name[-1].end)


def _is_inside(symbol: Symbol, full: Span) -> bool:
    return full.start <= symbol.full.start and symbol.full.end <= full.end and symbol.span.start >= full.start
