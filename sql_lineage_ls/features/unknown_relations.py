"""`unknown-relation`: names of tables that nothing in a workspace declares, which claims to declare all of them.

A name is told only where nothing can stand behind it: no declaration of any dialect that it could mean, no statement
that could not be read and holds the word, no template in it, no table of the database's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sql_lineage_ls.catalog.names import SEPARATOR
from sql_lineage_ls.catalog.system_relations import is_system_relation
from sql_lineage_ls.features.locate import is_templated
from sql_lineage_ls.lineage.model import Problem, Read
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

UNKNOWN_RELATION = "unknown-relation"

# Statements that only mention a name, or make it.
_SILENT_KINDS = frozenset({"alter", "failed", "unbound"})
# Names of parameters, stages, partitions and snapshots of a table, prefixes of tables: not plain tables.
_SPECIAL = re.compile(r"[@$:#%?*&{}<>/\\]")
_WORD = re.compile(r"\w+")
_BEFORE = re.compile(r"[\w.`\"\[\]$\-{}@:&%?<>]*\Z")


def unknown_relations(snapshot: Snapshot, document: DocumentView, statement: StatementView) -> Iterator[Problem]:
    """The tables that a statement reads or writes and nothing declares.

    `SELECT id FROM shop.ordres` with only `shop.orders` declared gives one at `ordres`, with `orders` as suggestion.
    """
    model = statement.model
    if model.issues or model.partial or model.templated or statement.lineage.kind in _SILENT_KINDS:
        return
    tables = {identity for identity, _, kind in statement.lineage.relations if kind == "table"}
    told: set[tuple[int, int]] = set()
    for read in statement.lineage.reads:
        place = read.start, read.end
        if read.path or read.start < 0 or read.relation not in tables or place in told:
            continue
        told.add(place)
        if snapshot.declares_like(read.relation) or _is_special(document, statement, read):
            continue
        if _may_be_made(snapshot, read.relation.split(SEPARATOR)[-1]):
            continue
        meant = snapshot.near_relation(read.relation)
        hint = f"; did you mean '{meant}'?" if meant else ""
        text = f"nothing in this workspace declares '{snapshot.relation_name(read.relation)}'{hint}"
        yield Problem(UNKNOWN_RELATION, text, read.start, read.end, suggestion=meant)


def _is_special(document: DocumentView, statement: StatementView, read: Read) -> bool:
    """Whether the name is one of the database's own, of a session, or of something that is only known when it runs."""
    if is_system_relation(read.relation):
        return True
    start = statement.start + read.start
    before = _BEFORE.search(document.text, max(0, start - 200), start)
    if document.text.rfind("{{", 0, start) > document.text.rfind("}}", 0, start):
        return True  # `ref` and `source` may name what a package or another project makes
    written = (before[0] if before else "") + document.text[start : statement.start + read.end]
    return bool(_SPECIAL.search(written)) or is_templated(written)


def _may_be_made(snapshot: Snapshot, name: str) -> bool:
    """Whether a statement that says no more than its words has that word in it: it may make what it names."""
    words = set(_WORD.findall(name.lower()))
    return any(words <= document.loose_words for document in snapshot.documents())
