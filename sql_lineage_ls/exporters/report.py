"""The lineage of some documents as plain rows, which the text and JSON exporters only have to write down.

Owns which relations and nodes are listed, the numbers of bare queries (`RS-1`) and the order of everything.
It knows no output format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.exporters.hops import Hop, Hops
from sql_lineage_ls.exporters.observed import STAR, Observed, node_texts
from sql_lineage_ls.exporters.spellings import Spellings
from sql_lineage_ls.lineage.attention import cautions_of
from sql_lineage_ls.lineage.expression_text import without_alias
from sql_lineage_ls.lineage.intermediate import RESULT
from sql_lineage_ls.lineage.missing import NEEDED
from sql_lineage_ls.lineage.model import DIRECT_ROLES, Edge, Gap, Source, StatementLineage, Step, path_text
from sql_lineage_ls.syntax.query_model import CreateTable, CreateView
from sql_lineage_ls.workspace.snapshot import DocumentView, Snapshot, StatementView

ORPHANS = "pseudo_table_include_orphan_column"
"""The relation that columns without a proven owner are listed under (docs/lineage-text.md, "Orphans")."""

BARE = "RS-"
"""How the result sets are called that have no name (docs/lineage-text.md, "Targets")."""


class Place(Struct, frozen=True, gc=False):
    """A range of a file: lines and columns are counted from 1, columns in code points, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


_Row = TypeVar("_Row")

ADVICE = frozenset({"unexpanded-star", "unused-cte", "unused-column"})


class Message(Struct, frozen=True):
    """A diagnostic, as the command line shows it."""

    code: str
    severity: str
    message: str
    place: Place

    @property
    def is_advice(self) -> bool:
        """Whether it only advises, on names that nobody reads and stars that cannot be listed: text leaves it out."""
        return self.code in ADVICE


class RelationRow(Struct, frozen=True):
    """A relation and the texts of its nodes, each column before its fields.

    `id` and `relation` are empty for what no statement names (the orphans) and for what nothing declares.
    """

    name: str
    kind: str
    nodes: tuple[str, ...]
    id: str = ""
    relation: Relation | None = None


class SourceRow(Struct, frozen=True):
    """One source of an edge, by names."""

    relation: str
    path: str
    role: str
    transform: str
    direct: bool
    use: str = ""

    @property
    def text(self) -> str:
        return f"{self.relation}.{self.path}"


class StepRow(Struct, frozen=True):
    """One scope on the way from the sources to the target; `path` is the node that it makes, '' where nobody asked."""

    scope: str
    transform: str
    text: str
    path: str = ""


class EdgeRow(Struct, frozen=True):
    """One target with everything it depends on. `own` is the last step, that of its own expression."""

    relation: str
    path: str
    sources: tuple[SourceRow, ...]
    edge: Edge
    expression: str
    steps: tuple[StepRow, ...]
    own: StepRow
    place: Place

    @property
    def text(self) -> str:
        return f"{self.relation}.{self.path}"


class JoinRow(Struct, frozen=True):
    """Two nodes that a join condition compares."""

    left: tuple[str, str]
    right: tuple[str, str]
    kind: str
    place: Place


class GapRow(Struct, frozen=True):
    """A missing fact: where, what would close it, and the targets that are not complete without it.

    `scope` is the CTE, derived table or target in which it is missing.
    """

    gap: Gap
    scope: str
    needed: str
    blocks: tuple[str, ...]
    expression: str
    place: Place


class WarningRow(Struct, frozen=True):
    """Something to look at, which leaves every trace as complete as it is."""

    kind: str
    text: str
    scope: str
    place: Place


class StatementRow(Struct, frozen=True):
    """One statement: what it is, what it writes, why something of it could not be followed, and what to look at.

    `edges` and `joins` are its own, in the order of the report's.
    """

    kind: str
    target: str
    analysed: bool
    gaps: tuple[GapRow, ...]
    warnings: tuple[WarningRow, ...]
    place: Place
    text: str
    dialect: str
    lineage: StatementLineage
    edges: tuple[EdgeRow, ...]
    joins: tuple[JoinRow, ...]


class _Anew(Iterable[_Row]):
    """Rows that are made for each iteration, and kept by nobody."""

    def __init__(self, tell: Callable[[], Iterator[_Row]]) -> None:
        self._tell = tell

    def __iter__(self) -> Iterator[_Row]:
        return self._tell()


class Report:
    """Everything that an exporter writes down. `relations` holds tables, then views; `locations` stand apart.

    Statements are told one after the other, anew for each iteration: the rows of a large folder need more memory than
    all that they are made from.
    """

    def __init__(
        self,
        relations: tuple[RelationRow, ...],
        locations: tuple[RelationRow, ...],
        messages: tuple[Message, ...],
        tell: Callable[[], Iterator[StatementRow]],
    ) -> None:
        self.relations = relations
        self.locations = locations
        self.messages = messages
        self.statements: Iterable[StatementRow] = _Anew(tell)
        self.edges: Iterable[EdgeRow] = _Anew(lambda: (row for one in self.statements for row in one.edges))
        self.joins: Iterable[JoinRow] = _Anew(lambda: (row for one in self.statements for row in one.joins))


class _Statement(Struct, frozen=True):
    """A statement in its document, with the name under which its result is shown.

    `hops` is set where steps were asked for.
    """

    document: DocumentView
    file: str
    view: StatementView
    lineage: StatementLineage
    target: str
    hops: Hops | None = None


def make_report(
    snapshot: Snapshot,
    files: Mapping[str, str],
    messages: Sequence[Message] = (),
    indirect: bool = False,
    *,
    steps: bool = False,
    intermediate: bool = False,
) -> Report:
    """The lineage of the documents whose uris are the keys of `files`, in that order.

    `files` gives the name under which each document is shown. Without `indirect` an edge row keeps its direct
    sources only. With `steps` an edge row has every select item that leads to it, with its own transform; without,
    those that the binder notes, with the strongest transform so far. With `intermediate` CTEs and derived tables are
    relations of the kind `result`, and each edge is one hop.

    `CREATE VIEW v AS SELECT a.b FROM t` gives the relations `t` (`a`, `a.b`) and `v` (`b`) and the edge `v.b <- t.a.b`.
    """
    spellings = _spellings(snapshot, files)
    seen = _Seen()
    observed = _observe(_statements(snapshot, files, spellings, intermediate=intermediate), seen)
    if intermediate:
        _name_results(observed, seen.bare)
    names = {relation_id: entry.name for relation_id, entry in observed.items()}
    rows = [
        _relation_row(relation_id, entry, snapshot.relation(relation_id)) for relation_id, entry in observed.items()
    ]
    tables = [row for row in rows if row.kind == "table"]
    if seen.orphans:
        tables.append(RelationRow(ORPHANS, "table", tuple(seen.orphans)))

    def tell() -> Iterator[StatementRow]:
        told = _statements(snapshot, files, spellings, steps=steps, intermediate=intermediate)
        return (_statement_row(statement, names, indirect) for statement in told)

    return Report(
        relations=(*tables, *(row for row in rows if row.kind == "view"), *(r for r in rows if r.kind == RESULT)),
        locations=tuple(row for row in rows if row.kind == "location"),
        messages=tuple(messages),
        tell=tell,
    )


def place(document: DocumentView, file: str, start: int, end: int) -> Place:
    """The code points `start`..`end` of a document as lines and columns."""
    line, column = document.lines.position(start, "utf-32")
    end_line, end_column = document.lines.position(end, "utf-32")
    return Place(file, line + 1, column + 1, end_line + 1, end_column + 1)


class _Seen(Struct):
    """What is counted while statements are looked through: bare queries, and columns that nobody owns."""

    bare: int = 0
    orphans: dict[str, None] = field(default_factory=dict)


def _statements(
    snapshot: Snapshot, files: Mapping[str, str], spellings: Spellings, *, steps: bool = False, intermediate: bool
) -> Iterator[_Statement]:
    bare_queries = 0
    for uri, file in files.items():
        document = snapshot.document(uri)
        if document is None:
            continue
        for view in document.statements:
            lineage = spellings.applied(view.lineage)
            target = lineage.target
            if not target and (lineage.edges or lineage.outputs):
                bare_queries += 1
                target = f"{BARE}{bare_queries}"
            hops = None
            if steps or intermediate:
                detailed = spellings.applied(snapshot.detailed_lineage(uri, view.index))
                hops = Hops(detailed)
                if intermediate and detailed.kind != "failed":
                    lineage, hops = _single_hops(detailed), None
            yield _Statement(document, file, view, lineage, target, hops)


def _spellings(snapshot: Snapshot, files: Iterable[str]) -> Spellings:
    documents = [document for uri in files if (document := snapshot.document(uri)) is not None]
    lineages = ((view.lineage, document.dialect) for document in documents for view in document.statements)
    return Spellings(lineages, lambda relation_id: not relation_id or snapshot.relation(relation_id) is not None)


def _single_hops(lineage: StatementLineage) -> StatementLineage:
    """A lineage whose edges have no steps before their own: those are edges too. Branches of a UNION stay steps."""
    return replace(lineage, edges=tuple(
        replace(edge, steps=tuple(step for step in edge.steps if step.scope.startswith("/"))) for edge in lineage.edges
    ))


def _name_results(observed: Mapping[str, Observed], number: int) -> None:
    """Names for CTEs and derived tables: their own, with a number where it is taken; `RS-n` where they have none."""
    taken = {entry.name for entry in observed.values() if entry.kind != RESULT}
    for entry in observed.values():
        if entry.kind != RESULT:
            continue
        if not entry.name:
            number += 1
            entry.name = f"{BARE}{number}"
        count, name = 1, entry.name
        while entry.name in taken:
            count += 1
            entry.name = f"{name}#{count}"
        taken.add(entry.name)


def _observe(statements: Iterable[_Statement], seen: _Seen) -> dict[str, Observed]:
    observed: dict[str, Observed] = {}
    for statement in statements:
        lineage = statement.lineage
        seen.bare += statement.target.startswith(BARE)
        seen.orphans.update(dict.fromkeys(path_text(path) for path in lineage.orphans))
        for relation_id, name, kind in lineage.relations:
            observed.setdefault(relation_id, Observed(name, kind, {}, {}))
        target = observed.get(lineage.target)
        if target is not None and _infers_columns(statement.view):
            target.inferred = True
        for edge in lineage.edges:
            if edge.relation in observed:
                observed[edge.relation].write(edge)
        sources = [(source.relation, source.path) for edge in lineage.edges for source in edge.sources]
        for relation_id, path in (*sources, *((read.relation, read.path) for read in lineage.reads)):
            if relation_id in observed:
                observed[relation_id].read(path)
    return observed


def _infers_columns(view: StatementView) -> bool:
    statement = view.model.statement
    if isinstance(statement, CreateView):
        return True
    return isinstance(statement, CreateTable) and statement.query is not None and not statement.columns


def _relation_row(relation_id: str, entry: Observed, relation: Relation | None) -> RelationRow:
    return RelationRow(entry.name, entry.kind, node_texts(relation, entry), relation_id, relation)


def _edge_rows(statement: _Statement, names: Mapping[str, str], indirect: bool) -> Iterator[EdgeRow]:
    for edge in statement.lineage.edges:
        sources = tuple(_source_row(source, names) for source in edge.sources)
        relation = names.get(edge.relation) or edge.relation or statement.target
        expression = without_alias(_text(statement, edge.start, edge.end), edge.path[0])
        steps = _steps(statement, edge, relation)
        own = steps.pop() if statement.hops and steps else _own_step(edge, expression)
        yield EdgeRow(
            relation=relation,
            path=path_text(edge.path),
            sources=sources if indirect else tuple(source for source in sources if source.direct),
            edge=edge,
            expression=expression,
            steps=tuple(steps),
            own=StepRow(relation, own.transform, own.text, path_text(edge.path)),
            place=_place_in(statement, edge.start, edge.end),
        )


# A step is a hint where to look; a select item of a page of text would stand in every edge that passes it.
_STEP_LENGTH = 300


def _step_text(statement: _Statement, start: int, end: int) -> str:
    text = _text(statement, start, end)
    return text if len(text) <= _STEP_LENGTH else text[: _STEP_LENGTH - 1] + "…"


def _steps(statement: _Statement, edge: Edge, relation: str) -> list[StepRow]:
    """The steps of an edge; a branch of the statement's own set operation is a scope of the target `relation`."""
    if statement.hops is None:
        return [_step_row(step, statement, edge, relation) for step in edge.steps]
    return [
        StepRow(_scope(hop.scope, relation), hop.transform, _hop_text(statement, hop), path_text(hop.path))
        for hop in statement.hops.to(edge.relation, edge.path)
    ]


def _step_row(step: Step, statement: _Statement, edge: Edge, relation: str) -> StepRow:
    text = _step_text(statement, step.start, step.end)
    if not step.scope.startswith("/"):
        return StepRow(step.scope, step.transform, text)
    return StepRow(relation + step.scope, step.transform, without_alias(text, edge.path[0]), path_text(edge.path))


def _own_step(edge: Edge, expression: str) -> StepRow:
    """The last step of a target; a set operation has no text but that of its branches."""
    united = any(step.scope.startswith("/") for step in edge.steps)
    return StepRow("", "UNION" if united else edge.transform, "" if united else expression)


def _scope(scope: str, relation: str) -> str:
    return relation + scope if scope.startswith("/") else scope


def _hop_text(statement: _Statement, hop: Hop) -> str:
    if hop.passed or hop.path == STAR:
        return "*"
    return without_alias(_text(statement, hop.start, hop.end), hop.path[0])


def _source_row(source: Source, names: Mapping[str, str]) -> SourceRow:
    return SourceRow(
        relation=names.get(source.relation, source.relation),
        path=path_text(source.path),
        role=source.role,
        transform=source.transform,
        direct=source.role in DIRECT_ROLES,
        use=source.use,
    )


def _join_rows(statement: _Statement, names: Mapping[str, str]) -> Iterator[JoinRow]:
    for join in statement.lineage.joins:
        left, right = (
            (names.get(node.relation, node.relation), path_text(node.path)) for node in (join.left, join.right)
        )
        yield JoinRow(left, right, join.kind, _place_in(statement, join.start, join.end))


def _statement_row(statement: _Statement, names: Mapping[str, str], indirect: bool) -> StatementRow:
    lineage, view = statement.lineage, statement.view
    edges = tuple(_edge_rows(statement, names, indirect))
    target = names.get(lineage.target, statement.target)
    return StatementRow(
        kind=lineage.kind,
        target=target,
        analysed=not view.model.issues,
        gaps=tuple(_gap_rows(statement, target, edges)),
        warnings=tuple(
            WarningRow(found.kind, found.text, found.scope or target, _place_in(statement, found.start, found.end))
            for found in cautions_of(view.model, lineage)
        ),
        place=place(statement.document, statement.file, view.start, view.end),
        text=statement.document.text[view.start : view.end],
        dialect=statement.document.dialect.name,
        lineage=lineage,
        edges=edges,
        joins=tuple(_join_rows(statement, names)),
    )


def _gap_rows(statement: _Statement, target: str, edges: Iterable[EdgeRow]) -> Iterator[GapRow]:
    """The gaps of a statement, those that stop at a target and those that nothing depends on."""
    found: dict[tuple[str, str, int, int], tuple[Gap, dict[str, None]]] = {}
    for gap in statement.lineage.gaps:
        found.setdefault((gap.kind, gap.text, gap.start, gap.end), (gap, {}))
    for edge in edges:
        for gap in edge.edge.gaps:
            known = found.setdefault((gap.kind, gap.text, gap.start, gap.end), (gap, {}))
            known[1].setdefault(edge.text)
    for gap, blocks in found.values():
        where = _place_in(statement, gap.start, gap.end)
        text = _step_text(statement, gap.start, gap.end)
        yield GapRow(gap, gap.scope or target, NEEDED.get(gap.kind, ""), tuple(blocks), text, where)


def _text(statement: _Statement, start: int, end: int) -> str:
    if start < 0:
        return ""
    return statement.document.text[statement.view.start + start : statement.view.start + end]


def _place_in(statement: _Statement, start: int, end: int) -> Place:
    """A range of a statement, the whole statement where no token stands for the thing."""
    view = statement.view
    if start < 0:
        return place(statement.document, statement.file, view.start, view.end)
    return place(statement.document, statement.file, view.start + start, view.start + end)
