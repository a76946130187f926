"""Lineage across statements: who uses a node, and which nodes it comes from or goes to.

Pure functions over a `GraphIndex`, which holds what each document's statements said. Nothing here knows documents,
texts or the catalog; results are sorted, and cycles end a walk instead of the program.

With `CREATE VIEW v AS SELECT addr FROM t` and `SELECT addr.city FROM v`, the uses of `t.addr.city` are the read of
the whole `t.addr` in the view (`contained`) and the read of `v.addr.city`, since the view hands the record on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from msgspec import Struct

from sql_lineage_ls.lineage.model import DIRECT_ROLES, ROWS, VALUE, WINDOW, Node, Path, Source, StatementLineage

READ = "read"
WRITE = "write"
TAKEN_APART = "element"
STAR = "star"
CONTAINED = "contained"

ELEMENT = "[*]"
# The path of a star that stands for all columns of a relation.
EVERY_COLUMN: Path = ("*",)
# A record that went through one of these is still the same record: its fields are found below the target.
_UNCHANGED = frozenset({"IDENTITY", "RENAME", "UNNEST", "UNION"})
_RANK = {WRITE: 0, READ: 1, STAR: 2, CONTAINED: 3}


class IndexedRead(Struct, frozen=True, gc=False, array_like=True):
    """A `Read` with its document and statement; `start`..`end` count from the start of that statement.

    `target` is the relation that the statement writes, '' for a bare query. `whole` is False where the statement
    only takes the value apart: `UNNEST(items)`, `items[0].sku` and a lambda over `items` use the fields that they
    read, and not each field of `items`.
    """

    uri: str
    statement: int
    start: int
    end: int
    path: Path
    usage: str
    target: str
    whole: bool = True


class Link(Struct, frozen=True, gc=False, order=True, array_like=True):
    """One source of one target: `target <- source` with the source's role and transform."""

    source: Node
    target: Node
    role: str
    transform: str


class Fan(Struct, frozen=True, gc=False, array_like=True):
    """The links of one source to all targets in one relation that depend on it alike.

    What decides the rows of a query is a source of each of its columns: a statement with 100 targets has 10,000 links
    and 300 fans.
    """

    source: Node
    targets: tuple[Node, ...]
    role: str
    transform: str

    def links(self) -> Iterator[Link]:
        """Each link by itself."""
        for target in self.targets:
            yield Link(self.source, target, self.role, self.transform)


class Contribution(Struct, frozen=True):
    """What one document says of one relation: the reads of it, the links out of it, and the links into it."""

    reads: tuple[IndexedRead, ...] = ()
    out: tuple[Fan, ...] = ()
    into: tuple[Fan, ...] = ()


class GraphIndex(Protocol):
    """The contributions of all documents to one relation, in the order of the documents' addresses."""

    def contributions(self, relation: str) -> Iterable[Contribution]: ...

    def about(self, relation: str, column: str) -> Contribution:
        """The part of them that can concern a column or what is in it: see `Columns`."""
        ...

    def into(self, relation: str, column: str) -> Sequence[Fan]:
        """The fans that can lead to a column or to what is in it."""
        ...


class Columns:
    """What is said of a relation, by column: whoever asks for each of 20,000 need not look at what is said of others.

    Reads and links of the relation as a whole concern every column.
    """

    __slots__ = ("_contributions", "_into", "_out", "_reads")

    def __init__(self, contributions: Iterable[Contribution]) -> None:
        self._reads: dict[str, list[tuple[int, IndexedRead]]] = {}
        self._out: dict[str, list[tuple[int, Fan]]] = {}
        self._contributions = contributions = tuple(contributions)
        self._into: dict[str, list[Fan]] | None = None
        for at, read in enumerate(read for one in contributions for read in one.reads):
            column = read.path[0] if read.path and read.path != EVERY_COLUMN else ""
            self._reads.setdefault(column, []).append((at, read))
        for at, fan in enumerate(fan for one in contributions for fan in one.out):
            self._out.setdefault(fan.source.path[0] if fan.source.path else "", []).append((at, fan))

    def about(self, column: str) -> Contribution:
        """The reads that can use a column, and the links that can leave it, in the order of all."""
        return Contribution(
            tuple(read for _, read in _in_order(self._reads.get("", ()), self._reads.get(column, ()))),
            tuple(fan for _, fan in _in_order(self._out.get("", ()), self._out.get(column, ()))),
        )


    def into(self, column: str) -> list[Fan]:
        """The fans that can lead to a column, among others."""
        if self._into is None:
            self._into = {}
            for fan in (fan for one in self._contributions for fan in one.into):
                for target in dict.fromkeys(target.path[0] if target.path else "" for target in fan.targets):
                    self._into.setdefault(target, []).append(fan)
        return [*self._into.get("", ()), *self._into.get(column, ())]


_Item = TypeVar("_Item")


def _in_order(of_all: Sequence[tuple[int, _Item]], of_one: Sequence[tuple[int, _Item]]) -> list[tuple[int, _Item]]:
    return sorted((*of_all, *of_one), key=lambda item: item[0])


class FoundUse(Struct, frozen=True, gc=False, order=True, array_like=True):
    """A use of a node. `usage` is `read`, `write`, `star` or `contained`, `node` the node that is read there."""

    uri: str
    statement: int
    start: int
    end: int
    usage: str
    node: Node
    target: str


class Part(Struct, frozen=True):
    """What one statement adds to the index, by relation, and the lineage that says so."""

    lineage: StatementLineage
    by_relation: Mapping[str, Contribution]


def statement_contributions(
    uri: str, lineages: Iterable[StatementLineage], known: Sequence[Part] = ()
) -> tuple[Part, ...]:
    """What each statement of a document adds to the index; taken from `known` where the statement is the same."""
    parts = []
    for at, lineage in enumerate(lineages):
        same = at < len(known) and known[at].lineage is lineage
        parts.append(known[at] if same else Part(lineage, _contributions_of(uri, at, lineage)))
    return tuple(parts)


def merge_contributions(parts: Iterable[Mapping[str, Contribution]]) -> dict[str, Contribution]:
    """What several statements say of each relation; what one alone says of it is that very record."""
    found: dict[str, list[Contribution]] = {}
    for part in parts:
        for relation, contribution in part.items():
            found.setdefault(relation, []).append(contribution)
    return {
        relation: said[0] if len(said) == 1 else Contribution(
            tuple(read for one in said for read in one.reads),
            tuple(fan for one in said for fan in one.out),
            tuple(fan for one in said for fan in one.into),
        )
        for relation, said in found.items()
    }


def contributions_of(uri: str, lineages: Iterable[StatementLineage]) -> Mapping[str, Contribution]:
    """What a document adds to the index, by relation."""
    return merge_contributions(part.by_relation for part in statement_contributions(uri, lineages))


def _contributions_of(uri: str, statement: int, lineage: StatementLineage) -> Mapping[str, Contribution]:
    """What a statement says of each relation that it touches.

    Targets of bare queries are stored nowhere and make no links; their reads count.
    """
    reads: dict[str, list[IndexedRead]] = {}
    targets_of = _targets_of(lineage)
    node_of = {key: source.node for sources in targets_of.values() for key, (source, _) in sources.items()}
    used = _used(lineage, node_of.values())
    for read in lineage.reads:
        if read.usage == TAKEN_APART:
            continue
        # What is read whole is a source of something; without any edge nothing tells.
        whole = not used or read.usage != READ or Node(read.relation, read.path) in used
        found = IndexedRead(uri, statement, read.start, read.end, read.path, read.usage, lineage.target, whole)
        reads.setdefault(read.relation, []).append(found)
    stored = {relation for relation, _, _ in lineage.relations} | {lineage.target}
    out: dict[str, list[Fan]] = {}
    into: dict[str, list[Fan]] = {}
    for relation, sources in targets_of.items():
        if not relation or relation not in stored:
            continue
        for key, (source, targets) in sources.items():
            fan = Fan(node_of[key], tuple(targets), source.role, source.transform)
            out.setdefault(source.relation, []).append(fan)
            into.setdefault(relation, []).append(fan)
    return {
        relation: Contribution(
            tuple(reads.get(relation, ())), tuple(out.get(relation, ())), tuple(into.get(relation, ()))
        )
        for relation in sorted({*reads, *out, *into})
    }


def _targets_of(lineage: StatementLineage) -> dict[str, dict[int, tuple[Source, list[Node]]]]:
    """The targets in each relation by their source: what decides the rows is the very same record for all of them."""
    found: dict[str, dict[int, tuple[Source, list[Node]]]] = {}
    for edge in lineage.edges:
        target = Node(edge.relation, edge.path)
        sources = found.setdefault(edge.relation, {})
        for source in edge.sources:
            known = sources.get(id(source))
            if known is None:
                sources[id(source)] = source, [target]
            else:
                known[1].append(target)
    return found


def _used(lineage: StatementLineage, sources: Iterable[Node]) -> set[Node]:
    """The nodes whose values a statement uses; `items` too where `items[*]` has no token of its own: `items[0]`."""
    used = set(sources)
    named = {Node(read.relation, read.path) for read in lineage.reads}
    for node in used - named:
        while node.path[-1:] == (ELEMENT,):
            node = Node(node.relation, node.path[:-1])
            used.add(node)
    return used


def uses(index: GraphIndex, node: Node) -> tuple[FoundUse, ...]:
    """Every place that uses `node`, sorted by place.

    Reads and writes of the node or of anything below it, and reads of a record, array or row that contains it
    (`contained`). Where such a record is handed on unchanged, the uses of the same field in the target are uses of
    the node too. A node with the path `()` is the relation: every read of it or of its columns counts.
    """
    found: dict[tuple[str, int, int, int], FoundUse] = {}
    seen = {node}
    waiting = [node]
    while waiting:
        current = waiting.pop()
        for use in _uses_of(index, current):
            place = (use.uri, use.statement, use.start, use.end)
            known = found.get(place)
            if known is None or _RANK[use.usage] < _RANK[known.usage]:
                found[place] = use
        for following in _handed_on(index, current):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return tuple(sorted(found.values()))


def direct_uses(index: GraphIndex, node: Node) -> tuple[FoundUse, ...]:
    """The uses of `node` itself and not those of what it is handed on to: one statement further, sorted by place."""
    return tuple(sorted(set(_uses_of(index, node))))


def writers(index: GraphIndex, relation: str) -> tuple[tuple[str, int], ...]:
    """The statements that define, fill or change a relation, each as its document and number, sorted."""
    return tuple(
        sorted(
            {
                (read.uri, read.statement)
                for contribution in index.contributions(relation)
                for read in contribution.reads
                if read.usage == WRITE
            }
        )
    )


def written_from(lineage: StatementLineage, node: Node, roles: frozenset[str] = DIRECT_ROLES) -> tuple[Node, ...]:
    """The nodes that one statement writes from `node`: `v.city` for `t.addr` in `CREATE VIEW v AS SELECT addr.city`."""
    steps = ((link, link.source, link.target) for link in _links(lineage) if link.source.relation == node.relation)
    return tuple(sorted(set(_reached(steps, node, roles))))


def made_from(lineage: StatementLineage, node: Node, roles: frozenset[str] = DIRECT_ROLES) -> tuple[Node, ...]:
    """The nodes that one statement reads to write `node`."""
    steps = ((link, link.target, link.source) for link in _links(lineage) if link.target.relation == node.relation)
    return tuple(sorted(set(_reached(steps, node, roles))))


def _links(lineage: StatementLineage) -> Iterator[Link]:
    stored = {relation for relation, _, _ in lineage.relations}
    for edge in lineage.edges:
        if edge.relation and (edge.relation == lineage.target or edge.relation in stored):
            target = Node(edge.relation, edge.path)
            for source in edge.sources:
                yield Link(source.node, target, source.role, source.transform)


def upstream(index: GraphIndex, node: Node) -> tuple[Node, ...]:
    """Every node whose value reaches `node`, through any number of views and tables; `node` itself is not listed.

    Only dataflow counts (values and the conditions that choose between them), not filters, groups or orders.
    """
    return _closure(index, node, _sources)


def downstream(index: GraphIndex, node: Node) -> tuple[Node, ...]:
    """Every node that the value of `node` reaches, through any number of views and tables."""
    return _closure(index, node, _targets)


def sources(index: GraphIndex, node: Node, roles: frozenset[str] = DIRECT_ROLES) -> tuple[Node, ...]:
    """The nodes one statement before `node`: those that its own writers read in one of `roles`, sorted."""
    return tuple(sorted(set(_sources(index, node, roles))))


def targets(index: GraphIndex, node: Node, roles: frozenset[str] = DIRECT_ROLES) -> tuple[Node, ...]:
    """The nodes one statement behind `node`: those that its readers write in one of `roles`, sorted."""
    return tuple(sorted(set(_targets(index, node, roles))))


def fans_into(index: GraphIndex, node: Node) -> Iterable[Fan]:
    """The fans that can lead to `node`, among others."""
    if node.path:
        return index.into(node.relation, node.path[0])
    return (fan for contribution in index.contributions(node.relation) for fan in contribution.into)


def fans_out_of(index: GraphIndex, node: Node) -> Iterable[Fan]:
    """The fans that can leave `node`."""
    return (fan for contribution in _concerning(index, node) for fan in contribution.out)


def flows_into(fans: Iterable[Fan], node: Node) -> tuple[Link, ...]:
    """The links of `fans` that end at `node` or at something in it, each with its role, sorted; for drawing.

    The end at `node` is the exact target where it lies below, the other end what `sources` would name. What decides
    the rows for several targets alike ends once at the whole relation, with the path `()`.
    """
    found = set()
    for fan in fans:
        targets = [target for target in fan.targets if _touch(target.path, node.path)]
        for link in _drawn(fan, targets):
            other = _carry(link.target.path, link.source, node.path, _is_unchanged(link))
            if other is not None:
                here = link.target if _is_at_or_below(link.target.path, node.path) else node
                found.add(Link(other, here, link.role, link.transform))
    return tuple(sorted(found))


def flows_out_of(fans: Iterable[Fan], node: Node) -> tuple[Link, ...]:
    """The links of `fans` that begin at `node`, at something in it, or at a record around it; as `flows_into`."""
    found = set()
    for fan in fans:
        for link in _drawn(fan, fan.targets):
            from_path = _of_any_key(link.source.path, node.path)
            other = _carry(from_path, link.target, node.path, _is_unchanged(link))
            if other is not None:
                here = link.source if from_path[: len(node.path)] == node.path else node
                found.add(Link(here, other, link.role, link.transform))
    return tuple(sorted(found))


def query_fans(lineage: StatementLineage, relation: str) -> tuple[Fan, ...]:
    """The fans into what a bare query hands out, which is called `relation` here: it is stored nowhere."""
    return tuple(
        Fan(source.node, tuple(Node(relation, target.path) for target in targets), source.role, source.transform)
        for source, targets in _targets_of(lineage).get("", {}).values()
        if source.relation
    )


def _drawn(fan: Fan, targets: Sequence[Node]) -> Iterator[Link]:
    if fan.role in DIRECT_ROLES or fan.role == WINDOW or len(fan.targets) == 1:
        for target in targets:
            yield Link(fan.source, target, fan.role, fan.transform)
    elif targets:
        yield Link(fan.source, Node(targets[0].relation, ()), fan.role, fan.transform)


def _touch(one: Path, other: Path) -> bool:
    """Whether one path is the other, or lies in it."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _is_at_or_below(path: Path, asked: Path) -> bool:
    return not path or path[: len(asked)] == asked


class _Step(Protocol):
    def __call__(self, index: GraphIndex, node: Node) -> Iterator[Node]: ...


def _closure(index: GraphIndex, node: Node, step: _Step) -> tuple[Node, ...]:
    seen = {node}
    waiting = [node]
    while waiting:
        for reached in step(index, waiting.pop()):
            if reached not in seen:
                seen.add(reached)
                waiting.append(reached)
    seen.discard(node)
    return tuple(sorted(seen))


def _sources(index: GraphIndex, node: Node, roles: frozenset[str] = DIRECT_ROLES) -> Iterator[Node]:
    into = (link for fan in fans_into(index, node) if fan.role in roles for link in fan.links())
    return _reached(((link, link.target, link.source) for link in into), node, roles)


def _targets(index: GraphIndex, node: Node, roles: frozenset[str] = DIRECT_ROLES) -> Iterator[Node]:
    out = (link for fan in fans_out_of(index, node) if fan.role in roles for link in fan.links())
    return _reached(((link, link.source, link.target) for link in out), node, roles)


def _reached(steps: Iterable[tuple[Link, Node, Node]], node: Node, roles: frozenset[str]) -> Iterator[Node]:
    """Where links lead from `node`; each with its end here and its end there."""
    for link, here, there in steps:
        if link.role in roles and link.source.path != ROWS:
            reached = _carry(_of_any_key(here.path, node.path), there, node.path, _is_unchanged(link))
            if reached is not None:
                yield reached


def _carry(from_path: Path, to: Node, path: Path, unchanged: bool) -> Node | None:
    """Where a link that leaves `from_path` for `to` carries `path`; None where it does not touch it.

    A link of the path itself or of something below it leads to its other end. One of a containing record leads to the
    same field below the other end where the record is unchanged, else to the other end.
    """
    if from_path[: len(path)] == path:
        return to
    if path[: len(from_path)] != from_path:
        return None
    return Node(to.relation, to.path + path[len(from_path) :]) if unchanged else to


def _is_unchanged(link: Link) -> bool:
    if link.role != VALUE:
        return False
    collected = link.transform == "AGGREGATE" and link.target.path[-1:] == (ELEMENT,)
    return link.transform in _UNCHANGED or collected


def _uses_of(index: GraphIndex, node: Node) -> Iterator[FoundUse]:
    path = node.path
    for contribution in _concerning(index, node):
        for read in contribution.reads:
            usage = _usage(read, path)
            if usage is not None:
                at = Node(node.relation, read.path)
                yield FoundUse(read.uri, read.statement, read.start, read.end, usage, at, read.target)


def _concerning(index: GraphIndex, node: Node) -> Iterable[Contribution]:
    return (index.about(node.relation, node.path[0]),) if node.path else index.contributions(node.relation)


def _usage(read: IndexedRead, path: Path) -> str | None:
    """How `read` uses `path`; None where it does not.

    Naming a relation (`FROM t`) uses the relation, not each of its columns; a star or a whole row does use them.
    """
    if read.path == EVERY_COLUMN:
        return STAR if len(path) <= 1 else CONTAINED
    read_path = _of_any_key(read.path, path)
    if read_path[: len(path)] == path:
        return read.usage
    if path[: len(read_path)] != read_path or read.usage == WRITE or not read.whole:
        return None
    return CONTAINED if read_path or read.usage == STAR else None


def _of_any_key(path: Path, asked: Path) -> Path:
    """A path as one who asks for any entry of a map sees it: for `m[*].value.f` the read of `m['k'].f` is one of it."""
    for at, step in enumerate(path) if ELEMENT in asked else ():
        if step.startswith("['") and asked[at : at + 1] == (ELEMENT,):
            return _of_any_key((*path[:at], ELEMENT, "value", *path[at + 1 :]), asked)
    return path


def _handed_on(index: GraphIndex, node: Node) -> Iterator[Node]:
    """The nodes that are the same field one statement further, where a containing record is handed on unchanged."""
    for contribution in _concerning(index, node):
        for fan in contribution.out:
            length = len(fan.source.path)
            if length >= len(node.path) or node.path[:length] != fan.source.path:
                continue
            for link in fan.links():
                if _is_unchanged(link):
                    yield Node(link.target.relation, link.target.path + node.path[length:])
