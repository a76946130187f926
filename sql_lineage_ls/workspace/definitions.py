"""What a document gives to the analysis: its statements in their namespaces, and those that define relations."""

from __future__ import annotations

from collections.abc import Iterable

from sql_lineage_ls.catalog.catalog import Definition, Namespace
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.lineage.analysis import Analysis, ParsedStatement
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.packed import outline_of
from sql_lineage_ls.syntax.query_model import (
    AddColumn,
    AlterTable,
    CreateFunction,
    CreateTable,
    CreateType,
    CreateView,
    Drop,
    QueryStatement,
    Statement,
    Use,
)
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.parsed_file import ParsedFile

_DEFINING = (CreateTable, CreateView, CreateType, CreateFunction, AlterTable, Drop)
_DEFINING_RELATIONS = (CreateTable, CreateView)
_CATALOG_KINDS = frozenset({"CATALOG", "DATABASE"})


def statements_of(file: ParsedFile, settings: Settings) -> tuple[ParsedStatement, ...]:
    """The statements of a document as the analysis takes them.

    Unqualified names are looked up in the catalog and schema of the settings until a `USE` statement says otherwise
    for those behind it; one in a routine's body says so for that body. A half-typed statement is represented by its
    last good version.
    """
    namespace = outside = Namespace(settings.catalog, settings.schema)
    statements = []
    for piece in file.pieces:
        namespace = namespace if piece.inner else outside
        good = piece.analysed
        key = f"{good.key}:{namespace.catalog}:{namespace.schema}"
        statements.append(ParsedStatement(key, good.held, file.dialect, namespace, piece.inner))
        outline = outline_of(good.held)
        if isinstance(outline, Use):
            namespace = _use(outline, file.dialect, namespace)
            outside = outside if piece.inner else namespace
    return tuple(statements)


def definitions_of(uri: str, statements: tuple[ParsedStatement, ...]) -> tuple[Definition, ...]:
    """The statements of a document that make, change or remove relations and types, in order."""
    found = []
    for at, statement in enumerate(statements):
        outline = statement.outline
        if outline is not None and defines(outline) and not (statement.inner and _takes(outline)):
            partial = statement.held.partial
            found.append(Definition(uri, at, outline, statement.dialect, statement.namespace, partial))
    return tuple(found)


def _takes(statement: Statement) -> bool:
    """Whether a statement takes columns away or renames: what a body that may never run does must accuse nobody."""
    return isinstance(statement, AlterTable) and not all(isinstance(one, AddColumn) for one in statement.actions)


def defines(statement: Statement) -> bool:
    """Whether other statements can depend on this one by a name that it declares."""
    return isinstance(statement, _DEFINING) or (isinstance(statement, QueryStatement) and bool(statement.into))


def exports(
    analysis: Analysis, uri: str, statements: Iterable[tuple[int, ParsedStatement]]
) -> tuple[tuple[str, Relation], ...] | None:
    """What others can see of numbered statements of a document: the relations that they define, with their places.

    None where one defines what is no relation: types and functions, whose every change may matter.
    """
    found = []
    for at, statement in statements:
        model = statement.outline
        if model is None or not defines(model):
            continue
        if not isinstance(model, _DEFINING_RELATIONS):
            return None
        entry = analysis.catalog.find(model.name, statement.dialect, statement.namespace, uri)
        if entry is None:
            return None
        found.append((f"{at} {entry.id}", analysis.whole(entry)))
    return tuple(found)


def _use(use: Use, dialect: Dialect, namespace: Namespace) -> Namespace:
    """The namespace behind a USE: `USE sales` names a schema in Spark and a catalog in Snowflake."""
    names = [f'"{part.text}"' if part.quoted else part.text for part in use.parts]
    if not names:
        return namespace
    if len(names) > 1:
        return Namespace(names[-2], names[-1])
    names_catalog = use.kind.upper() in _CATALOG_KINDS or (not use.kind and dialect.use_names_catalog)
    return Namespace(names[0], "") if names_catalog else Namespace(namespace.catalog, names[0])
