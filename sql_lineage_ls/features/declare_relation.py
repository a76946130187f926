"""Writes the CREATE TABLE of a table that nothing declares, with the columns and fields that are read of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sql_lineage_ls.catalog.names import SEPARATOR
from sql_lineage_ls.features.asking import Asked
from sql_lineage_ls.features.results import Action, TextChange
from sql_lineage_ls.features.subject import qualifiers
from sql_lineage_ls.features.type_spelling import TYPE_SPELLINGS, spelled_columns, tree_of
from sql_lineage_ls.features.unknown_relations import UNKNOWN_RELATION, unknown_relations
from sql_lineage_ls.lineage.model import ROWS, Node
from sql_lineage_ls.syntax.pieces import SEMICOLON, pieces_of
from sql_lineage_ls.syntax.query_model import CreateTable
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView

_FILE_NAME = re.compile(r"[^\w.-]")


def declare_relation(asked: Asked) -> Iterator[Action]:
    """`SELECT o.id, o.customer.city FROM shop.orders o` gives `CREATE TABLE shop.orders (id .., customer ..)`.

    Behind the tables that another file declares, and in a file of its own.
    """
    statement = asked.statement
    found = _unknown(asked, statement) if statement is not None else None
    if found is None:
        return
    relation_id, name = found
    document = asked.document
    mended = tuple(one for one in asked.found if one.code == UNKNOWN_RELATION)
    kind = "quickfix" if mended else "refactor.rewrite"
    home = _home(asked.snapshot, document, relation_id)
    if home is not None:
        changes = () if asked.lazy else _behind(home, _ddl(asked, relation_id, name))
        title = f"Declare `{name}` in {home.uri.rpartition('/')[2]} (check the types)"
        yield Action(title, kind, changes, diagnostics=mended, deferred=asked.lazy)
    address = _new_file(asked.snapshot, home or document, relation_id)
    if address:
        text = "" if asked.lazy else f"-- dialect: {document.dialect.name}\n{_ddl(asked, relation_id, name)}"
        change = () if asked.lazy else (TextChange(FileSpan(address, 0, 0), text),)
        title = f"Declare `{name}` in a new file {address.rpartition('/')[2]} (check the types)"
        yield Action(title, kind, change, address, mended, deferred=asked.lazy)


def _unknown(asked: Asked, statement: StatementView) -> tuple[str, str] | None:
    """The relation under the cursor and its name as it is written, where nothing declares it."""
    snapshot, document = asked.snapshot, asked.document
    offset = asked.span.start - statement.start
    tokens = [one for one in snapshot.occurrences(document, statement) if one.kind == "relation" and one.relation]
    token = next((one for one in tokens if one.start <= offset <= one.end), None)
    if token is None or snapshot.declares_like(token.relation):
        return None
    before_others = qualifiers(document, statement, tokens)
    for problem in unknown_relations(snapshot, document, statement):
        parts = [one for one in tokens if one.relation == token.relation and one.end <= problem.end]
        read = next((one for one in statement.lineage.reads if one.start == problem.start and not one.path), None)
        if read is None or read.relation != token.relation or not parts:
            continue
        first = parts[-1].start
        for one in reversed(parts[:-1]):
            if (one.start, one.end) not in before_others:
                break
            first = one.start
        text = document.text[statement.start + first : statement.start + problem.end]
        quote = document.text[statement.start + first - 1 : statement.start + first]
        closes = document.text[statement.start + problem.end :][:1] == quote
        return token.relation, f"{quote}{text}{quote}" if quote in ("`", '"') and closes else text
    return None


def _ddl(asked: Asked, relation_id: str, name: str) -> str:
    """The statement, with the CREATE TYPEs that it needs before it."""
    snapshot = asked.snapshot
    uses = sorted(snapshot.uses(Node(relation_id, ())), key=lambda use: (use.span.uri != asked.document.uri, use.span))
    paths = dict.fromkeys(
        use.node.path for use in uses
        if use.node.relation == relation_id and use.node.path and use.node.path != ROWS and "*" not in use.node.path
    )
    spelling = TYPE_SPELLINGS[asked.document.dialect.name]
    declared = spelled_columns(tree_of(paths), spelling, relation_id.split(SEPARATOR)[-1])
    types = "".join(f"{line}\n" for line in declared.types)
    columns = ",\n".join(f"  {column}" for column in declared.definitions) or f"  id {spelling.text}"
    return f"{types}CREATE TABLE {name} (\n{columns}\n);\n"


def _home(snapshot: Snapshot, asking: DocumentView, relation_id: str) -> DocumentView | None:
    """The document that declares most tables of the same schema, else most tables."""
    schema = relation_id.rpartition(SEPARATOR)[0]
    ranked = []
    for document in snapshot.documents():
        if document.dialect.family != asking.dialect.family:
            continue
        tables = [
            one.lineage.target or "" for one in document.statements
            if isinstance(one.model.statement, CreateTable) and one.model.statement.query is None
        ]
        if tables:
            same = sum(one.rpartition(SEPARATOR)[0] == schema for one in tables)
            ranked.append((same, len(tables), document.uri))
    return snapshot.document(max(ranked)[2]) if ranked else None


def _behind(document: DocumentView, ddl: str) -> tuple[TextChange, ...]:
    """The DDL at the end of a document, whose last statement may lack its semicolon."""
    text = document.text
    changes = []
    end = document.statements[-1].end if document.statements else 0
    if end and all(piece.kind != SEMICOLON for piece in pieces_of(text[end:], document.dialect)):
        changes.append(TextChange(FileSpan(document.uri, end, end), ";"))
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return (*changes, TextChange(FileSpan(document.uri, len(text), len(text)), gap + ddl))


def _new_file(snapshot: Snapshot, beside: DocumentView, relation_id: str) -> str:
    """The address of a file beside a document that does not exist yet, '' where there is none."""
    name = _FILE_NAME.sub("_", relation_id.split(SEPARATOR)[-1].rpartition(".")[2])
    folder = beside.uri.rpartition("/")[0]
    address = f"{folder}/{name}.sql"
    return address if beside.uri.startswith("file:") and snapshot.document(address) is None else ""
