"""Values to edges: which node of a target comes from which nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from sql_lineage_ls.catalog.types import ArrayType, Field, MapType, RecordType
from sql_lineage_ls.lineage.model import (
    DIRECT_ROLES,
    GROUPING,
    ORDERING,
    VALUE,
    Edge,
    Gap,
    Path,
    Source,
)
from sql_lineage_ls.lineage.scope import OpenSource, Span
from sql_lineage_ls.lineage.values import (
    ELEMENT,
    ArrayOf,
    Flow,
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

    def beside(self, own: tuple[Source, ...]) -> tuple[Source, ...]:
        """The sources that `own` does not have already.

        What groups or orders the rows by a value that the target itself is tells nothing new.
        """
        known: set[int] = set()
        for source in own:
            for place in self.places.get((source.relation, source.path), ()):
                role = self.sources[place].role
                if role == source.role or (role in _SHAPING and source.role in DIRECT_ROLES):
                    known.add(place)
        if not known:
            return self.sources
        return tuple([source for place, source in enumerate(self.sources) if place not in known])


def influences_on_all(sources: Iterable[Source]) -> Influences:
    """Sources that every target of a query depends on."""
    found = unique(sources)
    places: dict[tuple[str, Path], list[int]] = {}
    for place, source in enumerate(found):
        places.setdefault((source.relation, source.path), []).append(place)
    return Influences(found, places)


NO_INFLUENCES = Influences()

_SHAPING = frozenset({GROUPING, ORDERING})


def edges_of(relation: str, path: Path, value: Value, influences: Influences, span: Span) -> Iterator[Edge]:
    """The edges to a target column and, where the query builds a record, to each of its fields.

    `STRUCT(a AS x, b AS y) AS s` into `v` gives `v.s.x <- a` and `v.s.y <- b`.
    """
    for inner, part in leaves(path, value):
        yield _edge(relation, inner, part, influences, span)


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


def _edge(relation: str, path: Path, value: Value, influences: Influences, span: Span) -> Edge:
    flow = flatten(value)
    own = unique(flow.sources)
    transform = flow.transform
    if transform == "IDENTITY":
        direct = {(s.relation, s.path) for s in own if s.role in DIRECT_ROLES}
        if len(direct) == 1 and next(iter(direct))[1][-1:] != path[-1:]:
            transform = "RENAME"
            own = tuple([_relabel(s) for s in own])
    sources = own + influences.beside(own)
    return Edge(relation, path, sources, flow.generated, flow.gaps, flow.steps, transform, *span)


def _relabel(source: Source) -> Source:
    if source.role == VALUE and source.transform == "IDENTITY":
        return Source(source.relation, source.path, source.role, "RENAME")
    return source


def star_edges(relation: str, opened: Iterable[OpenSource], influences: tuple[Source, ...]) -> Iterator[Edge]:
    """`v.* <- t.*`: a star over columns that nobody lists; `payload.*` reads the whole of `payload`.

    What a pivot passes on is all columns but those it uses: there `*` has no edge but a gap.
    """
    opened = tuple(opened)
    flows = [
        flatten(source.value) if source.value is not None else Flow((Source(source.relation, source.path or ("*",)),))
        for first in opened
        for source in (first, *first.others)
        if not source.passed_on
    ]
    if flows:
        flow = merge(flows, "IDENTITY")
        yield Edge(relation, ("*",), unique((*flow.sources, *influences)), flow.generated, flow.gaps, flow.steps)
    elif opened:
        owners = ", ".join(dict.fromkeys(source.name for source in opened))
        gap = Gap("wildcard-unexpanded", f"the columns of {owners} that the pivot passes on are not known here")
        yield Edge(relation, ("*",), influences, gaps=(gap,))


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
