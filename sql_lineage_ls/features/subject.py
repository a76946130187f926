"""What a question about a name is about: stored nodes, and names that only one statement has.

In `CREATE VIEW v AS WITH c AS (SELECT o.city FROM orders AS o) SELECT city FROM c` the first `city` is the column
`orders.city` and, since it names an output column, what the CTE calls `city`; the second is what the CTE calls `city`
and the column `v.city`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from sql_lineage_ls.features.locate import Found, declared, find
from sql_lineage_ls.features.type_fields import nodes_of_type_field
from sql_lineage_ls.lineage.model import Node, Occurrence
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView

Token = tuple[int, int]

# Between the parts of a name: `shop . orders`, and `source('shop', 'orders')` in a template.
_BETWEEN_PARTS = re.compile(r"[`\"\]]?\s*\.\s*[`\"\[]?|['\"]\s*,\s*['\"]")


class Subject(Struct, frozen=True):
    """The meanings of a token: the stored `nodes` that it denotes, and the tokens of its statement that define it.

    `names` are counted from the start of the statement.
    """

    found: Found
    nodes: tuple[Node, ...]
    names: tuple[Token, ...]


class Mention(Struct, frozen=True):
    """A token that has one of a subject's meanings. `defines` is set where it gives the meaning its name."""

    span: FileSpan
    defines: bool


def subject_at(snapshot: Snapshot, uri: str, offset: int) -> Subject | None:
    """What the token at `offset` is about, None where it means nothing."""
    found = find(snapshot, uri, offset)
    if found is None:
        return None
    document, statement = found.document, found.statement
    everything = snapshot.occurrences(document, statement)
    nodes = dict.fromkeys(node for one in found.occurrences for node in denoted(document, statement, one))
    nodes.update(dict.fromkeys(nodes_of_type_field(snapshot, uri, statement, found.occurrence.start)))
    names = dict.fromkeys(name for one in found.occurrences for name in _names(found, one, everything))
    return Subject(found, tuple(nodes), tuple(names))


def denoted(document: DocumentView, statement: StatementView, occurrence: Occurrence) -> tuple[Node, ...]:
    """The stored nodes that a token itself stands for, those of a column that came through `*` too.

    A declared alias stands for itself alone, and so does what a CTE names.
    """
    if occurrence.kind == "alias" and occurrence.definitions:
        return ()
    if occurrence.relation:
        return (Node(occurrence.relation, occurrence.path),)
    through_star = all(_text(document, statement, name) == "*" for name in occurrence.definitions)
    return occurrence.nodes if occurrence.kind == "column" and occurrence.definitions and through_star else ()


def mentions(snapshot: Snapshot, subject: Subject, document: DocumentView) -> Iterator[Mention]:
    """The tokens of a document that mean what `subject` does, in the order of the text.

    Of a name with several parts (`shop.orders`) the last one is the relation's.
    """
    nodes = frozenset(subject.nodes)
    relations = {node.relation for node in nodes}
    for statement in document.statements:
        here = document is subject.found.document and statement is subject.found.statement
        # Another statement knows none of the names, and touches only the relations that it lists.
        if not here and relations.isdisjoint(relation for relation, _, _ in statement.lineage.relations):
            continue
        names = subject.names if here else ()
        found = _mentions_in(snapshot, document, statement, nodes, names)
        yield from (Mention(file_span(document, statement, token), found[token]) for token in sorted(found))


def file_span(document: DocumentView, statement: StatementView, token: Token) -> FileSpan:
    """A token of a statement, in its document."""
    return FileSpan(document.uri, statement.start + token[0], statement.start + token[1])


def _mentions_in(
    snapshot: Snapshot, document: DocumentView, statement: StatementView, nodes: frozenset[Node], names: Iterable[Token]
) -> dict[Token, bool]:
    everything = snapshot.occurrences(document, statement)
    found: dict[Token, bool] = {}
    wanted = frozenset(names)
    parts = qualifiers(document, statement, everything)
    for occurrence in everything:
        token = occurrence.start, occurrence.end
        if token in parts:
            continue
        if token in wanted:
            found[token] = found.get(token, False) or _defines(occurrence, everything)
        elif not wanted.isdisjoint(occurrence.definitions) or not nodes.isdisjoint(
            denoted(document, statement, occurrence)
        ):
            found.setdefault(token, False)
    for occurrence in declared(snapshot, document.uri, statement):
        if Node(occurrence.relation, occurrence.path) in nodes:
            found[occurrence.start, occurrence.end] = True
    return found


def qualifiers(
    document: DocumentView, statement: StatementView, occurrences: Iterable[Occurrence]
) -> frozenset[Token]:
    """The tokens of relations' names that another part of the same name follows: `shop` in `shop.orders.id`."""
    kinds = ("relation", "alias")
    named = sorted((one for one in occurrences if one.kind in kinds and not one.path), key=lambda one: one.start)
    found = set()
    for one, following in pairwise(named):
        between = _text(document, statement, (one.end, following.start))
        if one.relation == following.relation and _BETWEEN_PARTS.fullmatch(between):
            found.add((one.start, one.end))
    return frozenset(found)


def _names(found: Found, occurrence: Occurrence, everything: Sequence[Occurrence]) -> Iterator[Token]:
    """The tokens that define what a token means in its statement, itself among them since others may lead to it."""
    if occurrence.kind in ("relation", "star", "type"):
        return
    yield occurrence.start, occurrence.end
    if occurrence.kind == "alias" and not _leads_to_alias(occurrence, everything):
        # The declaration of an alias leads to its relation, which is something else.
        return
    for definition in occurrence.definitions:
        if _text(found.document, found.statement, definition) != "*":
            yield definition


def _defines(occurrence: Occurrence, everything: Sequence[Occurrence]) -> bool:
    """Whether a token gives its meaning the name: an alias behind AS, a CTE's name, an output column."""
    if occurrence.kind == "alias":
        declares = occurrence.definitions or not occurrence.relation
        return bool(declares) and not _leads_to_alias(occurrence, everything)
    if occurrence.kind in ("cte", "output") and not occurrence.definitions:
        return True
    token = occurrence.start, occurrence.end
    return any(token in other.definitions for other in everything)


def _leads_to_alias(occurrence: Occurrence, everything: Sequence[Occurrence]) -> bool:
    return any(
        (other.start, other.end) in occurrence.definitions for other in everything if other.kind == "alias"
    )


def _text(document: DocumentView, statement: StatementView, token: Token) -> str:
    return document.text[statement.start + token[0] : statement.start + token[1]]
