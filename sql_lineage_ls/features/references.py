"""Find references: every place of the workspace that reads or writes what a name stands for.

Counted as the lenses count: reads of the node itself and of what is in it, reads of a record or star that contains
it, and the same through views that hand the record on. Names that one statement has (an alias, a CTE, a column of it)
are looked for in that statement.
"""

from __future__ import annotations

import re

from sql_lineage_ls.features.navigate import declaration_of, is_star
from sql_lineage_ls.features.results import Reference
from sql_lineage_ls.features.subject import Subject, mentions, subject_at
from sql_lineage_ls.features.writers import Write, writes_of
from sql_lineage_ls.lineage.graph import ELEMENT, WRITE
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot, Use

DECLARATION = "declaration"
READ = "read"

# The name before the dot (or Snowflake's colon) at the end of a text; `(c.addr).` has brackets around it.
_NAME_BEFORE = re.compile(r"([\w$]+|`[^`]*`|\"[^\"]*\")\s*\)?\s*[.:]\s*\Z")
_LONGEST_NAME = 200


def references(snapshot: Snapshot, uri: str, offset: int, declarations: bool = True) -> tuple[Reference, ...]:
    """The places that use what stands at `offset`, sorted; those that only declare it with `declarations`.

    On `city` of `CREATE TABLE t (addr STRUCT<city STRING>)`: the `city` of `SELECT addr.city`, the `addr` of
    `SELECT addr` and the `*` of `SELECT *`, told apart by `usage`. A relation is used where a statement names it.
    """
    subject = subject_at(snapshot, uri, offset)
    if subject is None:
        return ()
    found: dict[FileSpan, str] = {}
    for node in subject.nodes:
        for use in snapshot.uses(node):
            if node.path or not use.node.path:
                found.setdefault(_place(snapshot, node, use), use.usage)
        # Who writes a record writes each field of it; a column without a name in an INSERT is written all the same.
        for write in writes_of(snapshot, node) if node.path else ():
            if not _is_known(found, write):
                found.setdefault(write.span, WRITE)
    declaring = _declarations(snapshot, subject)
    for mention in mentions(snapshot, subject, subject.found.document):
        if mention.defines:
            declaring.add(mention.span)
        else:
            found.setdefault(mention.span, READ)
    for span in declaring:
        # `city` in `CREATE VIEW v AS SELECT city FROM t` declares v.city, and is a read of t.city all the same.
        if found.get(span, WRITE) == WRITE:
            found[span] = DECLARATION
    return tuple(
        Reference(span, found[span]) for span in sorted(found) if declarations or found[span] != DECLARATION
    )


def _is_known(found: dict[FileSpan, str], write: Write) -> bool:
    """Whether a place in the writing statement is known by its name already."""
    uri, start, end = write.document.uri, write.statement.start, write.statement.end
    return any(usage == WRITE and span.uri == uri and start <= span.start < end for span, usage in found.items())


def _declarations(snapshot: Snapshot, subject: Subject) -> set[FileSpan]:
    spans = (declaration_of(snapshot, node) for node in subject.nodes if node.path[-1:] != (ELEMENT,))
    return {span for span in spans if span is not None and not is_star(snapshot, span)}


def _place(snapshot: Snapshot, node: Node, use: Use) -> FileSpan:
    """The token of `node` itself where a use names something in it: `addr` in `c.addr.city`."""
    document = snapshot.document(use.span.uri)
    if not node.path or document is None or use.node.path[: len(node.path)] != node.path:
        return use.span
    place = use.span
    for name in use.node.path[len(node.path) - 1 : -1][::-1]:
        first = max(0, place.start - _LONGEST_NAME)
        before = _NAME_BEFORE.search(document.text[first : place.start])
        if before is None or before[1].strip('`"').lower() != name.lower():
            return use.span
        place = FileSpan(place.uri, first + before.start(1), first + before.end(1))
    return place
