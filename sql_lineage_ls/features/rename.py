"""Rename: a name in one statement, or a declared relation, column or field over the whole workspace.

`ALTER`ing nothing in the database, it changes what the files say: the declaration and every place that means it. What
a query hands on keeps its name: `CREATE VIEW v AS SELECT town FROM t` becomes `SELECT city AS town FROM t`, so that the
readers of `v.town` stay right. Where that cannot be proved the rename is refused, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from sql_lineage_ls.features.locate import Found, declared
from sql_lineage_ls.features.rename_checks import Plan, danger, listed_beside, where
from sql_lineage_ls.features.results import Refusal, Renaming, TextChange
from sql_lineage_ls.features.subject import Subject, Token, denoted, mentions, subject_at
from sql_lineage_ls.features.type_fields import nodes_of_type_field
from sql_lineage_ls.features.written_names import is_plain
from sql_lineage_ls.lineage.model import Node, Occurrence
from sql_lineage_ls.lineage.naming import implied_name
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.model_walk import records_of
from sql_lineage_ls.syntax.query_model import Projection, RecordExpr
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView

_QUOTES = {'"': '"', "`": "`", "[": "]"}
_READS = frozenset({"column", "field"})
# Uses by which a name travels without being written.
_UNNAMED_USES = {
    "star": "a `*` hands it on under its present name",
    "contained": "a record that contains it is handed on whole",
}


class _Renamed(Struct, frozen=True):
    """What is renamed: the subject, its present name, and whether it is stored (`nodes`) or of one statement."""

    subject: Subject
    name: str
    stored: bool


def prepare_rename(snapshot: Snapshot, uri: str, offset: int) -> Span | Refusal:
    """The token that can be renamed at `offset`, or why none can."""
    renamed = _renamed(snapshot, uri, offset)
    if isinstance(renamed, Refusal):
        return renamed
    reason = _obstacle(snapshot, renamed)
    return Refusal(reason) if reason else renamed.subject.found.span


def rename(snapshot: Snapshot, uri: str, offset: int, name: str) -> Renaming | Refusal:
    """The changes that give what stands at `offset` the new `name` (without quotes), or why it cannot have it."""
    renamed = _renamed(snapshot, uri, offset)
    if isinstance(renamed, Refusal):
        return renamed
    reason = _obstacle(snapshot, renamed) or _unfit(name) or _taken(snapshot, renamed, name)
    if reason:
        return Refusal(reason)
    documents = snapshot.documents() if renamed.stored else (renamed.subject.found.document,)
    places = {
        mention.span for document in documents for mention in mentions(snapshot, renamed.subject, document)
        if _bears_name(snapshot, renamed, document, mention.span)
    }
    for node in renamed.subject.nodes if renamed.stored else ():
        # The field of a CREATE TYPE is no name of a relation.
        declaration = snapshot.declaration(node)
        if declaration is not None:
            places |= {declaration, *listed_beside(snapshot, node, declaration)}
    reason = danger(snapshot, Plan(renamed.subject, renamed.name, name, renamed.stored, frozenset(places)))
    if reason:
        return Refusal(reason)
    changes = (TextChange(span, _changed(snapshot, renamed, span, name)) for span in sorted(places))
    return Renaming(tuple(changes))


def _renamed(snapshot: Snapshot, uri: str, offset: int) -> _Renamed | Refusal:
    if not snapshot.complete:
        return Refusal("The workspace is still being read; a rename has to know every use.")
    subject = subject_at(snapshot, uri, offset)
    if subject is None:
        return Refusal("There is no name here that could be renamed.")
    found = subject.found
    token = found.document.text[found.span.start : found.span.end]
    if found.statement.stale or found.statement.model.issues:
        return Refusal("This statement cannot be read in full, so its names cannot be followed.")
    if token == "*":
        return Refusal("A star stands for many names.")
    node = _stored_node(snapshot, subject)
    if node is None:
        if found.occurrence.kind in (*_READS, "relation") and found.occurrence.relation:
            return Refusal(_undeclared(found.occurrence))
        own = Subject(found, (), subject.names)
        return _Renamed(own, bare(token), False) if subject.names else Refusal(_undeclared(found.occurrence))
    whole = _declared_subject(snapshot, node, found)
    return whole if isinstance(whole, Refusal) else _Renamed(whole, bare(token), True)


def _stored_node(snapshot: Snapshot, subject: Subject) -> Node | None:
    """The declared node that the token stands for, None where it is a name of its statement only."""
    found = subject.found
    for occurrence in found.occurrences:
        for node in denoted(found.document, found.statement, occurrence):
            if snapshot.declaration(node) is not None:
                return node
    place = FileSpan(found.document.uri, found.span.start, found.span.end)
    return next((node for node in subject.nodes if snapshot.declaration(node) == place), None)


def _declared_subject(snapshot: Snapshot, node: Node, found: Found) -> Subject | Refusal:
    place = snapshot.declaration(node)
    assert place is not None
    document = snapshot.document(place.uri)
    if document is None:
        return Refusal("The declaration is not in the workspace.")
    if document.text[place.start : place.end] == "*":
        return Refusal(f"`{node.path[-1]}` comes out of a `*`: rename the column that it is.")
    statement = document.statement_at(place.start)
    # A field of a CREATE TYPE is one node in each table that is made of the type.
    same = nodes_of_type_field(snapshot, place.uri, statement, place.start - statement.start) if statement else ()
    return Subject(found, same or (node,), ())


def _undeclared(occurrence: Occurrence) -> str:
    return f"No DDL of the workspace declares `{occurrence.name}`, so nobody knows who else uses it."


# ---------------------------------------------------------------- what forbids it


def _obstacle(snapshot: Snapshot, renamed: _Renamed) -> str:
    """Why the rename cannot be proved right, '' where it can."""
    if not renamed.stored:
        return ""
    for node in renamed.subject.nodes:
        if not node.path and _is_model(snapshot, node, renamed.subject.found.document.dialect):
            return "A model has the name of its file: rename the file."
        for use in snapshot.direct_uses(node) if node.path else ():
            if use.usage in _UNNAMED_USES:
                return f"{_UNNAMED_USES[use.usage]} in {where(snapshot, use.span)}."
    return _unread(snapshot, renamed) or _merged(snapshot, renamed)


def _is_model(snapshot: Snapshot, node: Node, dialect: Dialect) -> bool:
    return any(one.id == node.relation and one.kind == "model" for one in snapshot.relation_names(dialect.family))


def _unread(snapshot: Snapshot, renamed: _Renamed) -> str:
    """A statement that nobody could read but that has the name in its text."""
    word = re.compile(rf"(?<!\w){re.escape(renamed.name)}(?!\w)", re.IGNORECASE)
    for document in snapshot.documents():
        for statement in document.statements:
            if not (statement.stale or statement.model.issues):
                continue
            match = word.search(document.text, statement.start, statement.end)
            if match is not None:
                span = FileSpan(document.uri, match.start(), match.end())
                return f"A statement that cannot be read may use it, in {where(snapshot, span)}."
    return ""


def _merged(snapshot: Snapshot, renamed: _Renamed) -> str:
    """A USING that compares it with a column of another relation, which keeps its name."""
    nodes = frozenset(renamed.subject.nodes)
    relations = {node.relation for node in nodes}
    for document in snapshot.documents():
        for statement in document.statements:
            if relations.isdisjoint(relation for relation, _, _ in statement.lineage.relations):
                continue
            for join in statement.lineage.joins:
                pair = {join.left, join.right}
                if join.start < 0 or not nodes & pair or pair <= nodes:
                    continue
                span = FileSpan(document.uri, statement.start + join.start, statement.start + join.end)
                if _is_using(document, span):
                    return f"USING compares it with a column of the same name, in {where(snapshot, span)}."
    return ""


_USING = re.compile(r"\bUSING\s*\([^()]*\Z", re.IGNORECASE)


def _is_using(document: DocumentView, span: FileSpan) -> bool:
    return _USING.search(document.text, max(0, span.start - 200), span.start) is not None


def _unfit(name: str) -> str:
    if not name or name != name.strip() or any(sign in name for sign in "\n\r\0.\"`[]"):
        return f"`{name}` cannot be a name."
    return ""


def _taken(snapshot: Snapshot, renamed: _Renamed, name: str) -> str:
    """Why the name is not free beside what is renamed."""
    dialect = renamed.subject.found.document.dialect
    key = dialect.column_key(name)
    if key == dialect.column_key(renamed.name):
        return ""
    if not renamed.stored:
        found = renamed.subject.found
        for other in snapshot.occurrences(found.document, found.statement):
            if other.kind in ("cte", "alias", "output", "relation") and dialect.column_key(other.name) == key:
                return f"The statement has a `{name}` already."
        return ""
    for node in renamed.subject.nodes:
        for sibling in _siblings(snapshot, node, dialect):
            if dialect.column_key(sibling) == key:
                return f"There is a `{name}` beside it already."
    return ""


def _siblings(snapshot: Snapshot, node: Node, dialect: Dialect) -> Iterator[str]:
    if not node.path:
        prefix = snapshot.relation_name(node.relation).rpartition(".")[0]
        for one in snapshot.relation_names(dialect.family):
            if one.name.rpartition(".")[0] == prefix:
                yield one.name.rpartition(".")[2]
        return
    relation = snapshot.relation(node.relation)
    if len(node.path) == 1:
        yield from (field.name for field in (relation.columns if relation is not None else ()))
        return
    parent = snapshot.field(Node(node.relation, node.path[:-1]))
    fields = getattr(parent.type, "fields", ()) if parent is not None else ()
    yield from (field.name for field in fields)


# ---------------------------------------------------------------- what changes


def _changed(snapshot: Snapshot, renamed: _Renamed, span: FileSpan, name: str) -> str:
    """What the token at `span` becomes."""
    document = snapshot.document(span.uri)
    assert document is not None
    old = document.text[span.start : span.end]
    new = _written(name, old, renamed, document.dialect)
    roles = _roles(snapshot, renamed, document, span)
    if roles == {"read"}:
        return f"{new} AS {old}"
    return f"{old} AS {new}" if roles == {"output"} else new


def _bears_name(snapshot: Snapshot, renamed: _Renamed, document: DocumentView, span: FileSpan) -> bool:
    """Whether a token means what is renamed by its own name, and not by that of a field of a built record.

    In `SELECT STRUCT(o.city AS town).town` the last token is the value of `city` all the same.
    """
    name = document.text[span.start : span.end]
    if bare(name).lower() != renamed.name.lower():
        return False
    statement = document.statement_at(span.start)
    if statement is None or not renamed.stored:
        return True
    token = span.start - statement.start, span.end - statement.start
    here = [one for one in _all_at(snapshot, document, statement) if (one.start, one.end) == token]
    return any(one.kind != "field" or len(one.path) > 1 for one in here)


def _roles(snapshot: Snapshot, renamed: _Renamed, document: DocumentView, span: FileSpan) -> set[str]:
    """Which of the two meanings of a bare select item is renamed: what it reads, or what it gives; empty elsewhere.

    `town` in `CREATE VIEW v AS SELECT town FROM t` reads t.town and gives v.town.
    """
    statement = document.statement_at(span.start)
    if statement is None:
        return set()
    token = span.start - statement.start, span.end - statement.start
    here = [one for one in _all_at(snapshot, document, statement) if (one.start, one.end) == token]
    if not any(one.kind in _READS for one in here) or token not in _implied_names(document, statement):
        return set()
    nodes = frozenset(renamed.subject.nodes)
    if not renamed.stored:
        # What a view or model hands on keeps its name.
        return {"read"} if any(one.kind == "output" and one.relation for one in here) else set()
    roles = set()
    for one in here:
        if not nodes.isdisjoint(denoted(document, statement, one)):
            roles.add("output" if one.kind == "output" else "read")
    return roles


def _implied_names(document: DocumentView, statement: StatementView) -> set[Token]:
    """The tokens that name an output column without AS: the last name of a select item."""
    found = set()
    for projection in records_of(Projection, statement.model.statement):
        name = implied_name(projection.value, document.dialect) if projection.alias is None else None
        if name is not None and not projection.aliases:
            found.add((name.start, name.end))
    for record in records_of(RecordExpr, statement.model.statement):
        for field in record.fields:
            # STRUCT(c.name) has a field `name`, which no AS gives it.
            name = implied_name(field.value, document.dialect)
            if name is not None and field.name is not None and field.name.start == name.start:
                found.add((name.start, name.end))
    return found


def _all_at(snapshot: Snapshot, document: DocumentView, statement: StatementView) -> Iterator[Occurrence]:
    yield from snapshot.occurrences(document, statement)
    yield from declared(snapshot, document.uri, statement)


def _written(name: str, old: str, renamed: _Renamed, dialect: Dialect) -> str:
    """The new name in the quotes of the old one, or in the dialect's where it needs some.

    `Town` is another name in quotes than without in Postgres: all places get the one that the first token asks for.
    """
    found = renamed.subject.found
    declared_quoted = found.text(found.occurrence.start, found.occurrence.end)[:1] in _QUOTES
    fold = dialect.column_key if found.occurrence.path or found.occurrence.kind in _READS else dialect.table_key
    key = fold(name, declared_quoted)
    quoted = name if fold(name, True) == key else key
    if old[:1] in _QUOTES:
        return old[0] + quoted + _QUOTES[old[0]]
    if is_plain(name, dialect) and fold(name) == key:
        return name
    return dialect.quote + quoted + dialect.quote


def bare(token: str) -> str:
    """A name without its quotes."""
    return token[1:-1] if token[:1] in _QUOTES else token

