"""What a rename would change besides names: the new name taken by something else, the old one missed somewhere.

    SELECT a FROM t, u                    t.a as `b`: no longer the only `b`, where u has one
    SELECT c + 1 AS x FROM t ORDER BY a   t.a as `x`: the order would be that of the alias
    SELECT x FROM t NATURAL JOIN u        t.id as `key`: joined no more
    CREATE INDEX i ON t (id)              not followed, so that the `id` would stay

Looked for in the text of each statement that touches the name, since a name that the analysis does not follow counts
as well. What is no danger is let through only where the text shows it: names behind a dot, functions, comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from sql_lineage_ls.features.locate import declared
from sql_lineage_ls.features.subject import Subject
from sql_lineage_ls.lineage.model import Node, Occurrence
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.keywords import keywords
from sql_lineage_ls.syntax.pieces import COMMENT, LINE_COMMENT, QUOTED, TAG, WORD, Piece, pieces_of
from sql_lineage_ls.syntax.query_model import CreateTable
from sql_lineage_ls.workspace.snapshot import DocumentView, FileSpan, Snapshot, StatementView

_BY_NAME = re.compile(r"\bBY\s+NAME\b|\bCORRESPONDING\b|\bINSERT\s+ROW\b|\b(?:SET|INSERT)\s*\*", re.IGNORECASE)
_NATURAL = re.compile(r"\bNATURAL\b", re.IGNORECASE)
# What stands before lists of a table's own columns.
_LISTS = frozenset({"KEY", "UNIQUE", "BY", "SORTKEY", "DISTKEY"})
# What takes columns of a star by their names.
_STAR_LISTS = frozenset({"EXCEPT", "EXCLUDE", "REPLACE", "RENAME"})
_NAMES = ("cte", "alias", "output", "relation", "type", "function")


class Plan(Struct, frozen=True):
    """A rename: what of, from which name to which, and the places that change. `stored` is one over all files."""

    subject: Subject
    old: str
    new: str
    stored: bool
    places: frozenset[FileSpan]

    @property
    def is_column(self) -> bool:
        """Whether a column or field is renamed, and not a relation, an alias or a CTE."""
        if self.stored:
            return bool(self.subject.nodes[0].path)
        return any(one.kind in ("output", "column", "field") for one in self.subject.found.occurrences)


class Word(Struct, frozen=True):
    """A word or a quoted name. `before` and `behind` are the pieces around it, in upper case, '' where there is none.

    `heads` are what stands before the brackets that it is in, the innermost first.
    """

    span: tuple[int, int]
    text: str
    quoted: bool
    before: str
    behind: str
    heads: tuple[str, ...]


def danger(snapshot: Snapshot, plan: Plan) -> str:
    """Why the rename could change what a statement means, '' where it cannot."""
    found = plan.subject.found
    if not plan.stored:
        return _danger_in(snapshot, plan, found.document, found.statement)
    for document in snapshot.documents():
        if document.dialect.family != found.document.dialect.family:
            continue
        for statement in document.statements:
            if reason := _danger_in(snapshot, plan, document, statement):
                return reason
    return ""


def listed_beside(snapshot: Snapshot, node: Node, declaration: FileSpan) -> Iterator[FileSpan]:
    """Where the CREATE TABLE that declares a column names it again: in keys, partitions and checks.

    The second `id` of `CREATE TABLE t (id int, PRIMARY KEY (id))`.
    """
    document = snapshot.document(declaration.uri)
    statement = document.statement_at(declaration.start) if document is not None else None
    if document is None or statement is None or len(node.path) != 1:
        return
    model = statement.model.statement
    if not isinstance(model, CreateTable) or model.query is not None:
        return
    fold = document.dialect.column_key
    meanings = _meanings(snapshot, document, statement)
    for word in words_of(document.text[statement.start : statement.end], document.dialect):
        if fold(word.text, word.quoted) == fold(node.path[-1]) and word.span not in meanings and _is_listed(word):
            yield FileSpan(document.uri, statement.start + word.span[0], statement.start + word.span[1])


def _is_listed(word: Word) -> bool:
    if word.before == "." or word.behind in (".", "("):
        return False
    if "CHECK" in word.heads:
        return True
    if not word.heads:
        return word.before in ("BY", ",")
    return word.heads[0] in _LISTS and word.before in ("(", ",") and word.behind in (")", ",")


def where(snapshot: Snapshot, span: FileSpan) -> str:
    """A place for people: `orders.sql:12`."""
    document = snapshot.document(span.uri)
    line = document.lines.position(span.start)[0] + 1 if document is not None else 0
    return f"{span.uri.rpartition('/')[2]}:{line}"


def words_of(text: str, dialect: Dialect) -> Iterator[Word]:
    """The names and keywords of a statement, without what stands in comments, texts and templates."""
    pieces = [one for one in pieces_of(text, dialect) if one.kind not in (COMMENT, LINE_COMMENT)]
    heads: list[str] = []
    for at, piece in enumerate(pieces):
        before = _upper(text, pieces, at - 1)
        sign = text[piece.start : piece.end]
        if sign == "(":
            heads.append(before)
        elif sign == ")" and heads:
            heads.pop()
        quoted = piece.kind == QUOTED and sign[0] in (dialect.quote, "[")
        if quoted or piece.kind == WORD:
            name = sign[1:-1] if quoted else sign
            yield Word(
                (piece.start, piece.end), name, quoted, before, _upper(text, pieces, at + 1), tuple(reversed(heads))
            )


def _upper(text: str, pieces: list[Piece], at: int) -> str:
    return text[pieces[at].start : pieces[at].end].upper() if 0 <= at < len(pieces) else ""


def _danger_in(snapshot: Snapshot, plan: Plan, document: DocumentView, statement: StatementView) -> str:
    text = document.text[statement.start : statement.end]
    relations = {relation for relation, _, _ in statement.lineage.relations}
    touched = not plan.stored or any(node.relation in relations for node in plan.subject.nodes)
    if not touched and not _may_be_about(snapshot, plan, text.lower()):
        return ""
    if touched and plan.is_column and (reason := _by_name(plan, text)):
        return f"{reason}, in {where(snapshot, FileSpan(document.uri, statement.start, statement.end))}."
    meanings = _meanings(snapshot, document, statement)
    words = tuple(words_of(text, document.dialect))
    seen = _Seen(snapshot, plan, document, statement, text, words, meanings)
    return _missed(seen) or (_captured(seen) or _whole_rows(seen) if touched else "")


def _may_be_about(snapshot: Snapshot, plan: Plan, lowered: str) -> bool:
    """Whether the text of a statement has both names, so that it may be one that the analysis does not follow."""
    if plan.old.lower() not in lowered:
        return False
    tables = {snapshot.relation_name(node.relation).rpartition(".")[2].strip('"`[]') for node in plan.subject.nodes}
    return any(re.search(rf"(?<!\w){re.escape(table.lower())}(?!\w)", lowered) for table in tables)


def _by_name(plan: Plan, text: str) -> str:
    if _BY_NAME.search(text):
        return "Columns are matched by their names"
    if _NATURAL.search(text) and not (plan.stored and len(plan.subject.nodes[0].path) > 1):
        return "A NATURAL JOIN compares all columns of one name"
    return ""


class _Seen(Struct, frozen=True):
    """A statement that is looked at: its words, and what the analysis says of them."""

    snapshot: Snapshot
    plan: Plan
    document: DocumentView
    statement: StatementView
    text: str
    words: tuple[Word, ...]
    meanings: dict[tuple[int, int], list[Occurrence]]

    def changes(self, word: Word) -> bool:
        return self.place(word) in self.plan.places

    def place(self, word: Word) -> FileSpan:
        return FileSpan(self.document.uri, self.statement.start + word.span[0], self.statement.start + word.span[1])

    def called(self, name: str) -> list[Word]:
        """The words that are that name, but for its case."""
        return [one for one in self.words if one.text.lower() == name.lower()]

    def refuse(self, word: Word, why: str) -> str:
        return f"{why}, in {where(self.snapshot, self.place(word))}."


def _meanings(
    snapshot: Snapshot, document: DocumentView, statement: StatementView
) -> dict[tuple[int, int], list[Occurrence]]:
    found: dict[tuple[int, int], list[Occurrence]] = {}
    for one in (*snapshot.occurrences(document, statement), *declared(snapshot, document.uri, statement)):
        found.setdefault((one.start, one.end), []).append(one)
    return found


# ---------------------------------------------------------------- the old name


def _missed(seen: _Seen) -> str:
    """A place with the old name that may mean what is renamed and is not known to mean something else."""
    plan = seen.plan
    tag = re.compile(rf"(?<!\w){re.escape(plan.old)}(?!\w)", re.IGNORECASE)
    for piece in pieces_of(seen.text, seen.document.dialect):
        if piece.kind == TAG and tag.search(seen.text, piece.start, piece.end):
            return f"A template may use it, in {where(seen.snapshot, _span(seen, piece))}."
    for word in seen.called(plan.old) if plan.is_column else ():
        if not plan.stored and word.heads[:1] == ("USING",):
            return seen.refuse(word, "USING compares it with a column of the same name")
        if seen.changes(word) or word.behind == "(" or word.before == ":" or _is_no_name(seen, word):
            continue
        if not _is_known(seen, word):
            return seen.refuse(word, f"It is not known what `{word.text}` means")
    return ""


def _span(seen: _Seen, piece: Piece) -> FileSpan:
    return FileSpan(seen.document.uri, seen.statement.start + piece.start, seen.statement.start + piece.end)


def _is_known(seen: _Seen, word: Word) -> bool:
    """Whether a word means something else for sure."""
    if word.heads and word.heads[0] in _STAR_LISTS:
        return False
    nodes = frozenset(seen.plan.subject.nodes)
    for one in seen.meanings.get(word.span, ()):
        if one.kind in _NAMES or one.relation or one.definitions or (one.nodes and nodes.isdisjoint(one.nodes)):
            return True
    # A part of a longer token: `shop.orders` in one pair of quotes.
    inside = (span for span in seen.meanings if word.span[0] <= span[0] and span[1] <= word.span[1])
    return any(span != word.span for span in inside)


def _is_no_name(seen: _Seen, word: Word) -> bool:
    """Whether a word is a type or a keyword that is spelled like the name: `date DATE`, `DATE_TRUNC(day, DAY)`."""
    if word.quoted or word.text.upper() not in keywords(seen.document.dialect.grammar):
        return False
    names = {one.text for one in seen.words if seen.changes(one)} or {seen.plan.old}
    follows_name = any(one.text.upper() == word.before and one.span in seen.meanings for one in seen.words)
    return follows_name or word.before in ("AS", "::") or word.text not in names


def _whole_rows(seen: _Seen) -> str:
    """A row that is handed on whole, with the names of its columns: `SELECT t FROM t`, `to_json(t)`."""
    plan = seen.plan
    if not plan.stored or not plan.is_column:
        return ""
    relations = {node.relation for node in plan.subject.nodes}
    for word in seen.words:
        if word.behind == "." or word.before in ("AS", "INTO", "UPDATE", "FROM", "TABLE"):
            continue
        for one in seen.meanings.get(word.span, ()):
            leads = (other.kind for span in one.definitions for other in seen.meanings.get(span, ()))
            if one.kind == "alias" and one.relation in relations and not one.path and "relation" not in leads:
                return seen.refuse(word, "A row that contains it is handed on whole")
    return ""


# ---------------------------------------------------------------- the new name


def _captured(seen: _Seen) -> str:
    """A place where the new name would mean something else, or make another name mean what is renamed."""
    plan = seen.plan
    bare = [one for one in seen.words if seen.changes(one) and one.before != "."]
    reads = [one for one in bare if not _declares(seen, one)]
    for word in seen.called(plan.new):
        if word.before in (".", ":") or word.behind == "(" or seen.changes(word) or _is_keyword(seen, word):
            continue
        names = any(one.kind in ("output", "cte", "alias", "relation") for one in seen.meanings.get(word.span, ()))
        if not names or reads or not plan.is_column:
            return seen.refuse(word, f"`{word.text}` means something else already")
    if not plan.is_column:
        reads = [one for one in reads if any(it.kind == "alias" for it in seen.meanings.get(one.span, ()))]
    if not reads:
        return ""
    own = {node.relation for node in plan.subject.nodes} if plan.is_column else set()
    for relation_id, name, _ in seen.statement.lineage.relations:
        relation = seen.snapshot.relation(relation_id)
        if relation is None or (plan.stored and relation_id in own):
            continue
        if any(column.name.lower() == plan.new.lower() for column in relation.columns):
            return seen.refuse(reads[0], f"`{name}` has a column `{plan.new}`, which it could be taken for")
    return ""


def _is_keyword(seen: _Seen, word: Word) -> bool:
    known = word.text.upper() in keywords(seen.document.dialect.grammar)
    return known and not word.quoted and word.span not in seen.meanings


def _declares(seen: _Seen, word: Word) -> bool:
    """Whether a place gives what is renamed its name, and reads nothing by it."""
    if seen.plan.stored and any(
        seen.place(word) == seen.snapshot.declaration(node) for node in seen.plan.subject.nodes
    ):
        return True
    meanings = seen.meanings.get(word.span, ())
    return bool(meanings) and all(one.kind in ("output", "cte") and not one.definitions for one in meanings)
