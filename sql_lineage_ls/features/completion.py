"""Completion: what can stand at the cursor, as the analysis sees it there.

`SELECT i.¦ FROM orders_raw AS o, UNNEST(o.items) AS i` offers the fields of `orders_raw.items[*]`, `FROM ¦` the CTEs
and relations, `ON ¦` whole join conditions, and every other place the columns in scope; keywords come last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from sql_lineage_ls.features.asking import place_at, statement_before
from sql_lineage_ls.features.join_conditions import join_conditions
from sql_lineage_ls.features.results import Completion, Completions
from sql_lineage_ls.features.type_text import field_rows, one_line, signature
from sql_lineage_ls.features.written_names import qualifier, written
from sql_lineage_ls.lineage.model import Node, path_text
from sql_lineage_ls.lineage.probe import Candidate, Place
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.keywords import keywords
from sql_lineage_ls.syntax.pieces import COMMENT, LINE_COMMENT, QUOTED, TAG, pieces_of
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot

MOST_ITEMS = 500
"""More than this nobody reads; the editor asks again with the next letter."""

# How far before the cursor is looked: a pattern that ends there would cost the square of a long text.
_LOOK_BACK = 500
_WORD_BEFORE = re.compile(r"[\w$]*\Z")
_WORD_BEHIND = re.compile(r"[\w$]*")
_MODEL = re.compile(r"""\bref\(\s*['"](?P<typed>[\w.]*)\Z""")
_LAST_WORD = re.compile(r"(\w+)\s*\Z")

# What stands first where several kinds fit.
_ORDER = {"condition": 0, "field": 1, "column": 1, "output": 2, "parameter": 2, "cte": 3, "alias": 4, "table": 5,
          "view": 5, "model": 5, "function": 6, "keyword": 7}  # fmt: skip


def completions(snapshot: Snapshot, uri: str, offset: int, limit: int = MOST_ITEMS) -> Completions:
    """What fits at `offset` (code points), best first; empty inside strings and comments, and in unknown documents."""
    document = snapshot.document(uri)
    if document is None:
        return Completions()
    first = max(0, offset - _LOOK_BACK)
    before = document.text[first:offset]
    model = _MODEL.search(before)
    if model is not None:
        span = Span(first + model.start("typed"), offset)
        return _limited(_models(snapshot, document), span, model["typed"], limit)
    word = _WORD_BEFORE.search(before)
    start = first + word.start() if word else offset
    typed = document.text[start:offset]
    behind = _WORD_BEHIND.match(document.text, offset)
    span = Span(start, behind.end() if behind else offset)
    if not _in_code(document, start) or typed[:1].isdigit():
        return Completions()
    place = place_at(snapshot, document, span)
    found = _items(snapshot, document, place, before[: start - first], typed)
    return _limited(found, span, typed, limit)


def _in_code(document: DocumentView, offset: int) -> bool:
    statement = statement_before(document, offset)
    begin = statement.start if statement is not None else max(document.text.rfind("\n", 0, offset), 0)
    text = document.text[begin : offset + 1]
    at = offset - begin
    for piece in pieces_of(text, document.dialect):
        inside = piece.start < at < piece.end or (piece.kind == LINE_COMMENT and piece.start < at <= piece.end)
        if inside and piece.kind in (QUOTED, COMMENT, LINE_COMMENT, TAG):
            return False
    return True


def _items(
    snapshot: Snapshot, document: DocumentView, place: Place, before: str, typed: str
) -> Iterator[Completion]:
    dialect = document.dialect
    if place.kind == "relation":
        yield from (_named(snapshot, candidate, dialect, frozenset(), {}) for candidate in place.candidates)
        yield from _relations(snapshot, document, place.prefix)
        return
    if place.kind == "member":
        yield from (_named(snapshot, candidate, dialect, frozenset(), {}) for candidate in place.candidates)
        return
    last = _LAST_WORD.search(before)
    if last is not None and last[1].upper() == "ON":
        yield from join_conditions(snapshot, place.sources, dialect)
    names = Counter(candidate.key for candidate in place.candidates if candidate.kind == "column")
    several = frozenset(name for name, count in names.items() if count > 1)
    owners = {source.name: qualifier(source, dialect) for source in place.sources if "." not in source.name}
    yield from (_named(snapshot, candidate, dialect, several, owners) for candidate in place.candidates)
    if before.rstrip()[-1:] != ".":
        yield from _keywords(dialect, typed)


def _named(
    snapshot: Snapshot, candidate: Candidate, dialect: Dialect, several: frozenset[str], owners: Mapping[str, str]
) -> Completion:
    """A name in scope; a column that several sources have is written with its source, as `owners` spell it."""
    text = written(candidate, dialect)
    label = candidate.name
    if candidate.kind == "column" and candidate.key in several and candidate.owner:
        label, text = f"{candidate.owner}.{label}", f"{owners.get(candidate.owner, candidate.owner)}.{text}"
    source = _source(snapshot, candidate.nodes)
    if candidate.kind == "cte":
        source = candidate.owner
    return Completion(label, candidate.kind, text, one_line(candidate.type, 1), source, candidate.nodes)


def _source(snapshot: Snapshot, nodes: tuple[Node, ...]) -> str:
    """`orders_raw.items[*].qty`, and how many more a value comes from."""
    if not nodes:
        return ""
    first = nodes[0]
    shown = f"{snapshot.relation_name(first.relation)}.{path_text(first.path)}"
    return shown if len(nodes) == 1 else f"{shown} +{len(nodes) - 1}"


def _relations(snapshot: Snapshot, document: DocumentView, prefix: tuple[str, ...]) -> Iterator[Completion]:
    """The relations whose name begins with `prefix`, with the parts of the name behind it."""
    folded = [document.dialect.table_key(part) for part in prefix]
    for relation in snapshot.relation_names(document.dialect.family):
        parts = relation.name.split(".")
        keys = [document.dialect.table_key(part.strip('"`[]')) for part in parts]
        if keys[: len(folded)] == folded and len(parts) > len(folded):
            rest = ".".join(parts[len(folded) :])
            yield Completion(rest, relation.kind, rest, relation.kind, "", (Node(relation.id, ()),))


def _models(snapshot: Snapshot, document: DocumentView) -> Iterator[Completion]:
    """The relations that `ref('` can name: the models of the workspace."""
    for relation in snapshot.relation_names(document.dialect.family):
        if relation.kind == "model":
            yield Completion(relation.name, "model", relation.name, "model", "", (Node(relation.id, ()),))


def _keywords(dialect: Dialect, typed: str) -> Iterator[Completion]:
    for word in keywords(dialect.grammar):
        cased = word.lower() if typed.islower() else word
        yield Completion(cased, "keyword", cased)


def _limited(found: Iterable[Completion], span: Span, typed: str, limit: int) -> Completions:
    """Those that fit what was typed, sorted by kind and then as they came."""
    letters = typed.lower()
    fitting = [item for item in found if not letters or _fits(letters, item.label.lower())]
    fitting.sort(key=lambda item: (_ORDER.get(item.kind, 6), not item.label.lower().startswith(letters)))
    return Completions(span, tuple(fitting[:limit]), len(fitting) > limit)


def _fits(letters: str, label: str) -> bool:
    """Whether the letters stand in the label in their order: `cadr` fits `customer_address`."""
    rest = iter(label)
    return all(letter in rest for letter in letters)


def describe(snapshot: Snapshot, nodes: Iterable[Node]) -> str:
    """What is said of a chosen item: each node that it comes from with its type, and a relation's columns."""
    lines = []
    for node in nodes:
        name = snapshot.relation_name(node.relation)
        relation = snapshot.relation(node.relation)
        if not node.path and relation is not None:
            lines += [name, *field_rows(relation.columns)]
            continue
        field = snapshot.field(node)
        lines.append(signature(f"{name}.{path_text(node.path)}", field.type if field is not None else None))
    return "\n".join(lines)
