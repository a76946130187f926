"""Values to edges: which node of a target comes from which nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from sql_lineage_ls.catalog.types import ArrayType, Field, MapType, RecordType
from sql_lineage_ls.lineage.model import (
    DIRECT_ROLES,
    GROUPING,
    MEMBERSHIP,
    ORDERING,
    VALUE,
    Edge,
    Gap,
    Path,
    Source,
    Step,
)
from sql_lineage_ls.lineage.scope import Column, OpenSource, Span
from sql_lineage_ls.lineage.values import (
    ELEMENT,
    ArrayOf,
    Flow,
    Influence,
    OneOf,
    Record,
    Traced,
    Value,
    fields,
    flatten,
    merge,
    traced,
    unique,
)


class Influences(Struct, frozen=True):
    """What decides which rows there are: the same for every column of a query, so it is prepared once."""

    sources: tuple[Source, ...] = ()
    # Where the sources of a node stand among them.
    places: dict[tuple[str, Path], list[int]] = {}
    gaps: tuple[Gap, ...] = ()

    def beside(self, own: tuple[Source, ...]) -> tuple[Source, ...]:
        """The sources that `own` does not have already.

        What groups or orders the rows by a value that the target itself is tells nothing new.
        """
        known: set[int] = set()
        for source in own:
            for place in self.places.get((source.relation, source.path), ()):
                found = self.sources[place]
                same = found.role == source.role and found.use == source.use
                if same or (found.role in _SHAPING and source.role in DIRECT_ROLES):
                    known.add(place)
        if not known:
            return self.sources
        return tuple([source for place, source in enumerate(self.sources) if place not in known])


def influences_on_all(found: Iterable[Influence]) -> Influences:
    """What every target of a query depends on."""
    items = unique(found)
    sources = tuple([item for item in items if isinstance(item, Source)])
    gaps = tuple([item for item in items if isinstance(item, Gap)]) if len(sources) < len(items) else ()
    if len(sources) > MOST_INFLUENCES:
        sources, gaps = sources[:MOST_INFLUENCES], (*gaps, _LEFT_OUT)
    places: dict[tuple[str, Path], list[int]] = {}
    for place, source in enumerate(sources):
        places.setdefault((source.relation, source.path), []).append(place)
    return Influences(sources, places, gaps)


MOST_INFLUENCES = 1_000
"""How many nodes that decide over the rows each target of a query lists: as many as no person writes."""
_LEFT_OUT = Gap("too-many", f"more than {MOST_INFLUENCES} columns decide over the rows; the rest is left out",
                role=MEMBERSHIP)

NO_INFLUENCES = Influences()

_SHAPING = frozenset({GROUPING, ORDERING})


def edges_of(
    relation: str, path: Path, value: Value, influences: Influences, span: Span, branches: tuple[Step, ...] = ()
) -> Iterator[Edge]:
    """The edges to a target column and, where the query builds a record, to each of its fields.

    `STRUCT(a AS x, b AS y) AS s` into `v` gives `v.s.x <- a` and `v.s.y <- b`. `branches` are the steps of the
    statement's own set operation.
    """
    for inner, part in leaves(path, value):
        yield _edge(relation, inner, part, influences, span, branches)


def column_edges(relation: str, path: Path, column: Column, influences: Influences) -> Iterator[Edge]:
    """The edges to a target from a column of the query that the statement itself makes."""
    return edges_of(relation, path, column.value, influences, column.span, branch_steps(column, ""))


def branch_steps(column: Column, scope: str) -> tuple[Step, ...]:
    """The select items that the branches of a set operation in `scope` bring to a column: `c/1`, `c/2`."""
    return tuple(
        Step(f"{scope}/{number}", transform, *span) for number, (transform, span) in enumerate(column.branches, 1)
    )


def leaves(path: Path, value: Value) -> Iterator[tuple[Path, Value]]:
    """The parts of a built value that have sources of their own: a record's fields, an array's element's fields."""
    if not _is_built(value):
        yield path, value
        return
    if isinstance(value, Traced) and _is_array(value):
        yield from leaves((*path, ELEMENT), _element(value))
        return
    if isinstance(value, ArrayOf):
        yield from leaves((*path, ELEMENT), value.value)
        return
    for item in fields(value) or ():
        yield from leaves((*path, item.name), item.value)


def _is_array(value: Traced) -> bool:
    inner = value.value
    return _is_array(inner) if isinstance(inner, Traced) else isinstance(inner, ArrayOf)


def _element(value: Value) -> Value:
    if isinstance(value, Traced):
        return traced(_element(value.value), value.influences, value.steps, value.transform)
    assert isinstance(value, ArrayOf)
    return value.value


def _is_built(value: Value) -> bool:
    """Whether the query builds this record (or an array of such records), so that its fields have their own sources."""
    if isinstance(value, Record):
        return value.rest is None and not value.positional and bool(value.items)
    if isinstance(value, (Traced, ArrayOf)):
        return _is_built(value.value)
    if isinstance(value, OneOf):
        return any(_is_built(item) for item in value.values) and fields(value) is not None
    return False


def _edge(
    relation: str, path: Path, value: Value, influences: Influences, span: Span, branches: tuple[Step, ...]
) -> Edge:
    flow = flatten(value)
    own = unique(flow.sources)
    transform = flow.transform
    if transform == "IDENTITY":
        direct = {(s.relation, s.path) for s in own if s.role in DIRECT_ROLES}
        if len(direct) == 1 and next(iter(direct))[1][-1:] != path[-1:]:
            transform = "RENAME"
            own = tuple([_relabel(s) for s in own])
    sources = own + influences.beside(own)
    gaps = tuple(dict.fromkeys((*flow.gaps, *influences.gaps))) if influences.gaps else flow.gaps
    steps = (*flow.steps, *branches) if branches else flow.steps
    return Edge(relation, path, sources, flow.generated, gaps, steps, transform, *span)


def _relabel(source: Source) -> Source:
    if source.role == VALUE and source.transform == "IDENTITY":
        return Source(source.relation, source.path, source.role, "RENAME")
    return source


def star_edges(relation: str, opened: Iterable[OpenSource], influences: Iterable[Influence]) -> Iterator[Edge]:
    """`v.* <- t.*`: a star over columns that nobody lists; `payload.*` reads the whole of `payload`.

    What a pivot passes on is all columns but those it uses: there `*` has no edge but a gap.
    """
    opened = tuple(opened)
    weighing = influences_on_all(influences)
    flows = [
        flatten(source.value) if source.value is not None else Flow((Source(source.relation, source.path or ("*",)),))
        for first in opened
        for source in (first, *first.others)
        if not source.passed_on
    ]
    if flows:
        flow = merge(flows, "IDENTITY")
        sources = unique((*flow.sources, *weighing.sources))
        yield Edge(relation, ("*",), sources, flow.generated, (*flow.gaps, *weighing.gaps), flow.steps)
    elif opened:
        owners = ", ".join(dict.fromkeys(source.name for source in opened))
        gap = Gap("wildcard-unexpanded", f"the columns of {owners} that the pivot passes on are not known here")
        yield Edge(relation, ("*",), weighing.sources, gaps=(gap, *weighing.gaps))


def merged(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """One edge a target: branches of a MERGE that write the same column come together."""
    found: dict[tuple[str, Path], Edge] = {}
    for edge in edges:
        key = (edge.relation, edge.path)
        other = found.get(key)
        found[key] = edge if other is None else _joined(other, edge)
    return tuple(found.values())


def _joined(one: Edge, other: Edge) -> Edge:
    return Edge(
        one.relation, one.path, unique((*one.sources, *other.sources)),
        tuple(dict.fromkeys((*one.generated, *other.generated))), tuple(dict.fromkeys((*one.gaps, *other.gaps))),
        tuple(dict.fromkeys((*one.steps, *other.steps))),
        one.transform if one.transform == other.transform else "EXPRESSION", one.start, one.end,
    )


def tree_paths(columns: Iterable[Field]) -> Iterator[Path]:
    """Every node of a relation's tree: `items`, `items[*]`, `items[*].qty`; a map's entries have `key` and `value`."""
    for column in columns:
        yield from _paths((column.name,), column)


def _paths(path: Path, field: Field) -> Iterator[Path]:
    yield path
    kind = field.type
    if isinstance(kind, RecordType):
        for child in kind.fields:
            yield from _paths((*path, child.name), child)
    elif isinstance(kind, ArrayType):
        yield from _paths((*path, ELEMENT), Field(ELEMENT, ELEMENT, kind.element))
    elif isinstance(kind, MapType):
        yield (*path, ELEMENT)
        yield from _paths((*path, ELEMENT, "key"), Field("key", "key", kind.key))
        yield from _paths((*path, ELEMENT, "value"), Field("value", "value", kind.value))
