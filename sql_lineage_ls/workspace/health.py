"""What was analysed of a workspace, what was not, and why: the facts behind `sql-lineage-ls doctor`.

Pure: reads a snapshot and what was found on disk, and makes records. Nothing is read or measured here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from sql_lineage_ls.catalog.system_relations import is_system_relation
from sql_lineage_ls.syntax.packed import is_read
from sql_lineage_ls.workspace.discovery import LeftOut
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

# So many examples are given of one kind.
_EXAMPLES = 3
FAILED = "the analysis failed: please report it"


class Spot(Struct, frozen=True, order=True):
    """A place in a file: the line counts from 1."""

    file: str
    line: int


class DialectCount(Struct, frozen=True):
    """How many files have a dialect for one reason; `reason` is that of a `DialectChoice`."""

    dialect: str
    reason: str
    files: int
    examples: tuple[str, ...]


class Group(Struct, frozen=True):
    """How often one message is given, and where first."""

    message: str
    count: int
    examples: tuple[Spot, ...]


class Unresolved(Struct, frozen=True):
    """A relation that statements read and nothing declares: how many read it, and where first."""

    relation: str
    statements: int
    examples: tuple[Spot, ...]


class Ignored(Struct, frozen=True):
    """How many files or folders are left out for one reason, and which first."""

    reason: str
    count: int
    examples: tuple[str, ...]


class Health(Struct, frozen=True):
    """All of it. `not_analysed` are files that could not be read as text."""

    files: int
    not_analysed: tuple[str, ...]
    statements: int
    analysed: int
    targets: int
    complete_targets: int
    dialects: tuple[DialectCount, ...]
    unread: tuple[Group, ...]
    gaps: tuple[Group, ...]
    unresolved: tuple[Unresolved, ...]
    ignored: tuple[Ignored, ...]


def health_of(
    snapshot: Snapshot,
    names: Mapping[str, str],
    reasons: Mapping[str, str],
    left_out: Iterable[LeftOut],
) -> Health:
    """The health of the documents in `names`, which says how each is called; `reasons` says why it has its dialect.

    Of one file `SELECT a FROM t; SELECT (` one of two statements is analysed, and `t` is unresolved.
    """
    documents = [document for uri in names if (document := snapshot.document(uri)) is not None]
    known = {document.uri for document in documents}
    unread, gaps, unresolved = _Groups(names), _Groups(names), _Groups(names)
    statements = analysed = targets = complete = 0
    for document in documents:
        for statement in document.statements:
            statements += 1
            whole = is_read(statement.held)
            for message in _unread(statement):
                unread.add(message, document, statement)
                whole = False
            analysed += whole
            for relation in _unresolved(snapshot, statement):
                unresolved.add(relation, document, statement)
            for kind in dict.fromkeys(gap.kind for gap in statement.lineage.gaps):
                gaps.add(kind, document, statement)
            targets += len(statement.lineage.edges)
            complete += sum(edge.complete for edge in statement.lineage.edges)
    return Health(
        files=len(names),
        not_analysed=tuple(sorted(name for uri, name in names.items() if uri not in known)),
        statements=statements,
        analysed=analysed,
        targets=targets,
        complete_targets=complete,
        dialects=_dialects(documents, names, reasons),
        unread=unread.sorted(),
        gaps=gaps.sorted(),
        unresolved=tuple(Unresolved(one.message, one.count, one.examples) for one in unresolved.sorted()),
        ignored=_ignored(left_out),
    )


def _unread(statement: StatementView) -> Iterator[str]:
    if statement.lineage.kind == "failed":
        yield FAILED
    elif not is_read(statement.held):
        issues = statement.model.issues
        yield issues[0].message if issues else FAILED


def _unresolved(snapshot: Snapshot, statement: StatementView) -> Iterator[str]:
    """The relations that a statement reads and nothing declares: not its own target, no CTE, no files."""
    lineage = statement.lineage
    for relation_id, name, kind in lineage.relations:
        # Of a stage (`@loads`) no DDL could say anything.
        if kind != "table" or relation_id == lineage.target or name.startswith("@"):
            continue
        if snapshot.relation(relation_id) is not None or is_system_relation(relation_id):
            continue
        if not snapshot.declares_like(relation_id):
            yield name


class _Groups:
    """Counts messages, and remembers the first places of each."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._counts: Counter[str] = Counter()
        self._places: dict[str, list[Spot]] = {}

    def add(self, message: str, document: DocumentView, statement: StatementView) -> None:
        self._counts[message] += 1
        places = self._places.setdefault(message, [])
        if len(places) < _EXAMPLES:
            line = document.lines.position(statement.start, "utf-32")[0] + 1
            places.append(Spot(self._names[document.uri], line))

    def sorted(self) -> tuple[Group, ...]:
        """The most frequent first."""
        ranked = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Group(message, count, tuple(self._places[message])) for message, count in ranked)


def _dialects(
    documents: Iterable[DocumentView], names: Mapping[str, str], reasons: Mapping[str, str]
) -> tuple[DialectCount, ...]:
    found: dict[tuple[str, str], list[str]] = {}
    for document in documents:
        found.setdefault((document.dialect.name, reasons.get(document.uri, "")), []).append(names[document.uri])
    return tuple(
        DialectCount(dialect, reason, len(files), tuple(sorted(files)[:_EXAMPLES]))
        for (dialect, reason), files in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    )


def _ignored(left_out: Iterable[LeftOut]) -> tuple[Ignored, ...]:
    found: dict[str, list[str]] = {}
    for one in left_out:
        found.setdefault(one.reason, []).append(one.path)
    return tuple(
        Ignored(reason, len(paths), tuple(sorted(paths)[:_EXAMPLES])) for reason, paths in sorted(found.items())
    )
