"""Go to implementation: the statements that fill a relation or write a column.

A table is declared in one place and filled in others: INSERT, MERGE, UPDATE, CREATE TABLE AS. A view is filled by its
own query.
"""

from __future__ import annotations

from collections.abc import Iterator

from sql_lineage_ls.features.definition import targets
from sql_lineage_ls.features.results import NavigationTarget
from sql_lineage_ls.features.subject import file_span, subject_at
from sql_lineage_ls.features.writers import writes_of
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot


def implementation(snapshot: Snapshot, uri: str, offset: int) -> tuple[NavigationTarget, ...]:
    """Where what stands at `offset` is written, () where no statement of the workspace writes it.

    `INSERT INTO daily (city) SELECT addr.city FROM t` is an implementation of `daily`, at that name, and of
    `daily.city`, at the name in its list; without a list at the select item. A CTE and its columns lead to the CTE.
    """
    subject = subject_at(snapshot, uri, offset)
    if subject is None:
        return ()
    spans = [span for node in subject.nodes for span in _places(snapshot, node)]
    if not subject.nodes:
        found = subject.found
        spans += (file_span(found.document, found.statement, name) for name in subject.names[1:] or subject.names)
    return targets(snapshot, subject.found, tuple(sorted(spans)))


def _places(snapshot: Snapshot, node: Node) -> Iterator[FileSpan]:
    for write in writes_of(snapshot, node):
        yield write.span
