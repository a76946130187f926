"""What each name means, for colours: a grammar cannot tell an alias from a table, or a field from a schema.

Only names have tokens; keywords, numbers and comments are the grammar's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sql_lineage_ls.features.locate import declared
from sql_lineage_ls.features.results import SemanticToken
from sql_lineage_ls.features.subject import qualifiers
from sql_lineage_ls.lineage.graph import WRITE
from sql_lineage_ls.lineage.model import Occurrence, StatementLineage
from sql_lineage_ls.syntax.model_walk import records_of
from sql_lineage_ls.syntax.query_model import Call, CreateFunction
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

DECLARATION = "declaration"
UNRESOLVED = "unresolved"
WRITTEN = "written"

# Problems of a name that means nothing, or nothing certain.
_UNRESOLVED = frozenset(
    {"orphan-column", "ambiguous-column", "ambiguous-field", "undeclared-column", "undeclared-field", "field-of-array"}
)
_KINDS = {"output": "column"}
_Place = tuple[int, int]
_NAMES = frozenset({"relation", "cte", "alias", "column", "field", "parameter", "type"})


def semantic_tokens(snapshot: Snapshot, uri: str, span: Span | None = None) -> tuple[SemanticToken, ...]:
    """The names of a document, or of the statements in a part of it, in the order of the text; none overlap.

    `WITH c AS (SELECT o.addr.city FROM shop.orders o)` has a declared `cte`, an `alias`, a `column`, a `field`, a
    `namespace`, a `relation` and a declared `alias`.
    """
    document = snapshot.document(uri)
    if document is None:
        return ()
    wanted = span or Span(0, len(document.text))
    found: list[SemanticToken] = []
    end = -1
    for statement in document.statements:
        if statement.end < wanted.start or statement.start > wanted.end:
            continue
        for token in _of_statement(snapshot, document, statement):
            if token.span.start >= end and wanted.start <= token.span.end and token.span.start <= wanted.end:
                found.append(token)
                end = token.span.end
    return tuple(found)


def _of_statement(snapshot: Snapshot, document: DocumentView, statement: StatementView) -> list[SemanticToken]:
    tokens: dict[_Place, tuple[str, set[str]]] = {}
    for occurrence in declared(snapshot, document.uri, statement):
        kind = _KINDS.get(occurrence.kind, occurrence.kind)
        tokens[occurrence.start, occurrence.end] = (kind, {DECLARATION})
    occurrences = snapshot.occurrences(document, statement)
    parts = qualifiers(document, statement, occurrences)
    _add_names(tokens, occurrences, statement.lineage)
    tokens.update((place, ("namespace", set())) for place in parts)
    for start, end, modifiers in _functions(document, statement):
        tokens.setdefault((start, end), ("function", modifiers))
    base, text = statement.start, document.text
    return [
        SemanticToken(Span(base + start, base + end), kind, tuple(sorted(modifiers)))
        for (start, end), (kind, modifiers) in sorted(tokens.items())
        if 0 <= start < end and text[base + start : base + end] != "*"
    ]


def _add_names(
    tokens: dict[_Place, tuple[str, set[str]]], occurrences: Sequence[Occurrence], lineage: StatementLineage
) -> None:
    written = {(read.start, read.end) for read in lineage.reads if read.usage == WRITE}
    wrong = {(problem.start, problem.end) for problem in lineage.problems if problem.code in _UNRESOLVED}
    kind_at = {(one.start, one.end): one.kind for one in occurrences if one.kind in ("alias", "parameter")}
    for occurrence in occurrences:
        place = occurrence.start, occurrence.end
        kind = _KINDS.get(occurrence.kind, occurrence.kind)
        if kind not in _NAMES:
            continue
        if kind == "column" and any(kind_at.get(name) == "parameter" for name in occurrence.definitions):
            kind = "parameter"
        known = tokens.setdefault(place, (kind, set()))[1]
        if _declares(occurrence, kind_at):
            known.add(DECLARATION)
        if place in written and DECLARATION not in known:
            known.add(WRITTEN)
        if place in wrong or (kind in ("column", "field") and occurrence.reason and not occurrence.nodes):
            known.add(UNRESOLVED)


def _declares(occurrence: Occurrence, kind_at: Mapping[_Place, str]) -> bool:
    if occurrence.kind == "alias":
        # A use leads to the alias, the alias to its relation; the name of a relation itself leads nowhere.
        leads_to_alias = any(kind_at.get(name) == "alias" for name in occurrence.definitions)
        return not leads_to_alias and bool(occurrence.definitions or not occurrence.relation)
    return occurrence.kind in ("output", "parameter") or (occurrence.kind == "cte" and not occurrence.definitions)


def _functions(document: DocumentView, statement: StatementView) -> Iterator[tuple[int, int, set[str]]]:
    """The names of the functions that are called or created, as they stand in the text."""
    model = statement.model.statement
    if isinstance(model, CreateFunction) and model.name and model.name[-1].start >= 0:
        yield model.name[-1].start, model.name[-1].end, {DECLARATION}
    text = document.text
    for call in records_of(Call, model):
        name = text[statement.start + call.start : statement.start + call.end] if call.start >= 0 else ""
        # Operators are calls too.
        if name and (name[0].isalpha() or name[0] in "_`\""):
            yield call.start + name.rfind(".") + 1, call.end, set()
