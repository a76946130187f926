"""Diagnostics: what the catalog proves wrong, what nobody can prove, and what could not be read.

Silence beats a false alarm: nothing is said before the catalog is loaded, nothing about a half-typed statement.
Every code has a page in docs/diagnostics/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

from msgspec import Struct

from sql_lineage_ls.features.ignores import UNKNOWN_CODE, ignores_of, unknown_codes
from sql_lineage_ls.features.locate import is_templated
from sql_lineage_ls.features.navigate import declaration_of
from sql_lineage_ls.features.results import Diagnostic, Related
from sql_lineage_ls.features.unknown_relations import UNKNOWN_RELATION, unknown_relations
from sql_lineage_ls.lineage.model import Node, Problem, path_text
from sql_lineage_ls.lineage.redefinitions import Redefinition
from sql_lineage_ls.syntax.pieces import WORD, pieces_of
from sql_lineage_ls.syntax.query_model import SyntaxIssue
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

UNPARSED = "unparsed-statement"
REDEFINED = "redefined-relation"
OFF = "off"

# What the database itself would reject is an error. An orphan column may be fine in the database, which knows more
# tables than the workspace does: a warning. A statement that we cannot read is our limit, not the user's mistake.
DEFAULT_SEVERITIES: Mapping[str, str] = MappingProxyType(
    {
        "orphan-column": "warning",
        "ambiguous-column": "error",
        "ambiguous-field": "error",
        "undeclared-column": "error",
        "undeclared-field": "error",
        "field-of-array": "error",
        "column-count-mismatch": "error",
        "duplicate-column": "error",
        "unexpanded-star": "information",
        UNKNOWN_RELATION: "warning",
        REDEFINED: "warning",
        UNKNOWN_CODE: "warning",
        "unused-cte": "hint",
        "unused-column": "hint",
        UNPARSED: "information",
    }
)


# Shown faded: what nobody reads.
UNNECESSARY = ("unnecessary",)
_FADED = frozenset({"unused-cte", "unused-column"})
# What can be said of a template tag itself.
_OF_TAGS = frozenset({UNPARSED, "unexpanded-star"})


class DiagnosticOptions(Struct, frozen=True):
    """`severities` replaces the default of a code, `off` silences it; `pages` is the address before `<code>.md`.

    `complete` is set where the workspace declares every relation there is.
    """

    severities: Mapping[str, str] = MappingProxyType({})
    pages: str = ""
    complete: bool = False


def diagnostics(
    snapshot: Snapshot, uri: str, options: DiagnosticOptions | None = None, within: Span | None = None
) -> tuple[Diagnostic, ...]:
    """The findings in a document, sorted by place; () until the catalog is loaded.

    With `within` only those of the statements that touch it, and those that no statement has.

    `SELECT customer.town FROM orders` with `customer STRUCT<city STRING>` gives one `undeclared-field` at `town`.
    """
    document = snapshot.document(uri)
    if document is None or not snapshot.ready:
        return ()
    chosen = options or DiagnosticOptions()
    ignores = ignores_of(document)
    found = [
        diagnostic
        for statement in document.statements
        if not statement.stale and (within is None or (statement.start <= within.end and within.start <= statement.end))
        for diagnostic in _of_statement(snapshot, document, statement, chosen)
        # What a template will put there may well exist.
        if diagnostic.code in _OF_TAGS or not is_templated(document.text[diagnostic.span.start : diagnostic.span.end])
        if not ignores.silence(diagnostic.code, _line(document, diagnostic.span.start), statement.index)
    ]
    for redefinition in snapshot.redefinitions(uri):
        place = snapshot.site_span(redefinition.site)
        if place is None or ignores.silence(REDEFINED, _line(document, place.start), redefinition.site.statement):
            continue
        found += _of_redefinition(snapshot, redefinition, Span(place.start, place.end), chosen)
    if ignores.unknown and _severity(UNKNOWN_CODE, chosen) != OFF:
        found += unknown_codes(ignores, _severity(UNKNOWN_CODE, chosen), _page(UNKNOWN_CODE, chosen))
    return tuple(sorted(dict.fromkeys(found), key=lambda item: (item.span, item.code, item.message)))


def _of_statement(
    snapshot: Snapshot, document: DocumentView, statement: StatementView, options: DiagnosticOptions
) -> Iterator[Diagnostic]:
    for issue in statement.model.issues:
        severity = _severity(UNPARSED, options)
        if severity != OFF:
            yield Diagnostic(
                UNPARSED, severity, _span(statement, issue), issue.message, href=_page(UNPARSED, options)
            )
    problems = statement.lineage.problems
    if options.complete and _severity(UNKNOWN_RELATION, options) != OFF:
        problems = (*problems, *unknown_relations(snapshot, document, statement))
    for problem in problems:
        severity = _severity(problem.code, options)
        if severity != OFF and problem.start >= 0:
            span = _span(statement, problem)
            token = document.text[span.start : span.end]
            yield Diagnostic(
                code=problem.code,
                severity=severity,
                span=span,
                message=_message(problem),
                related=tuple(_related(snapshot, document, statement, problem, token)),
                tags=UNNECESSARY if problem.code in _FADED else (),
                href=_page(problem.code, options),
                suggestion=problem.suggestion,
                owners=tuple(problem.owner.split(", ")) if problem.owner else (),
                node=Node(problem.relation, problem.path) if problem.relation else None,
            )


def _of_redefinition(
    snapshot: Snapshot, redefinition: Redefinition, span: Span, options: DiagnosticOptions
) -> Iterator[Diagnostic]:
    severity = _severity(REDEFINED, options)
    if severity != OFF and not _chosen_between(snapshot, redefinition):
        other = snapshot.site_span(redefinition.other)
        related = (Related(other, f"`{redefinition.name}` is declared here too"),) if other is not None else ()
        yield Diagnostic(
            REDEFINED, severity, span, redefinition.message, related=related, href=_page(REDEFINED, options)
        )


def _chosen_between(snapshot: Snapshot, redefinition: Redefinition) -> bool:
    """Whether words stand between two statements of a script that choose which of them runs: `END IF; ELSE`."""
    first, second = redefinition.other, redefinition.site
    document = snapshot.document(second.uri)
    if document is None or first.uri != second.uri:
        return False
    statements = document.statements[first.statement : second.statement + 1]
    return any(
        piece.kind == WORD
        for before, behind in pairwise(statements)
        for piece in pieces_of(document.text[before.end : behind.start], document.dialect)
    )


def _line(document: DocumentView, offset: int) -> int:
    return document.lines.position(offset, "utf-32")[0]


def _severity(code: str, options: DiagnosticOptions) -> str:
    return options.severities.get(code) or DEFAULT_SEVERITIES.get(code, "warning")


def _page(code: str, options: DiagnosticOptions) -> str:
    return f"{options.pages}{code}.md" if options.pages else ""


def _span(statement: StatementView, at: Problem | SyntaxIssue) -> Span:
    """A place in the document; the whole statement where no token stands for the finding."""
    if at.start < 0:
        return Span(statement.start, statement.end)
    return Span(statement.start + at.start, statement.start + at.end)


def _message(problem: Problem) -> str:
    if not problem.suggestion or problem.suggestion in problem.message:
        return problem.message
    return f"{problem.message.rstrip('.')}. Did you mean `{problem.suggestion}`?"


def _related(
    snapshot: Snapshot, document: DocumentView, statement: StatementView, problem: Problem, token: str
) -> Iterator[Related]:
    """The declarations that prove the finding, by the words of a reader.

    Of a field that its record lacks, the record; of a column that its tables lack or that several have, the tables
    or those columns; of a misspelt name, the one that was probably meant.
    """
    owners = [Node(problem.relation, problem.path)]
    if not problem.relation:
        owners = _searched(snapshot, document, statement, problem) if problem.owner else []
    for owner in owners:
        meant = Node(owner.relation, (*owner.path, problem.suggestion or token.strip('`\"[]')))
        node = meant if snapshot.declaration(meant) is not None else owner
        span = declaration_of(snapshot, node)
        if span is not None:
            name = snapshot.relation_name(node.relation)
            name = f"{name}.{path_text(node.path)}" if node.path else name
            yield Related(span, f"`{name}` is declared here")


def _searched(
    snapshot: Snapshot, document: DocumentView, statement: StatementView, problem: Problem
) -> list[Node]:
    """The stored relations that were searched for a column, where their names mean one thing in the statement."""
    known: dict[str, set[str]] = {}
    for occurrence in snapshot.occurrences(document, statement):
        if occurrence.kind in ("relation", "alias", "cte"):
            known.setdefault(occurrence.name, set()).add(occurrence.relation)
    found = (known.get(name, set()) for name in problem.owner.split(", "))
    return [Node(relation, ()) for relations in found if len(relations) == 1 for relation in relations if relation]
