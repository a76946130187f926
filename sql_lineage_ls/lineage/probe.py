"""What can stand at one place of a statement: the names that are visible there, or the fields of the value in front.

The place is marked by a name that nobody writes (`MARKER`); the statement is bound as any other, and the binder tells
the probe what it had in hand when it came upon the mark. So a place inside a CTE, a lambda or behind an UNNEST sees
exactly what the analysis sees: `SELECT i.¦ FROM t, UNNEST(t.items) AS i` gives the fields of `t.items[*]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from sql_lineage_ls.catalog.types import DataType
from sql_lineage_ls.lineage.model import DIRECT_ROLES, Node
from sql_lineage_ls.lineage.values import Value, element, flatten, is_array, named_fields, type_of

if TYPE_CHECKING:
    from sql_lineage_ls.lineage.context import Context
    from sql_lineage_ls.lineage.scope import Column, RangeVariable, Scope
    from sql_lineage_ls.syntax.query_model import Name

MARKER = "sqlls_here_"
"""The name that stands for the place. In lower case, so that every folding keeps it apart from real names."""


class Candidate(Struct, frozen=True):
    """A name that fits. `kind` is `column`, `field`, `alias`, `cte`, `output` or `parameter`.

    `owner` is the range variable that has a column, `nodes` what the value comes from, `key` the folded name.
    """

    name: str
    kind: str
    key: str = ""
    type: DataType | None = None
    nodes: tuple[Node, ...] = ()
    owner: str = ""


class Source(Struct, frozen=True):
    """A range variable of the block: its name, the stored relation that it is ('' for others), and its columns.

    `key` is the last part of its name, folded.
    """

    name: str
    relation: str
    columns: tuple[Candidate, ...]
    key: str = ""


class Place(Struct, frozen=True):
    """What fits at the mark. `kind` is `name`, `member` (behind a dot), `relation` (in FROM) or '' (nothing bound it).

    `prefix` are the names before the dot of a relation, `sources` the range variables of the block around.
    """

    kind: str = ""
    candidates: tuple[Candidate, ...] = ()
    prefix: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()


NOWHERE = Place()


class Probe:
    """Waits for the mark. `place` is what it found; a later find in a narrower scope replaces an emptier one."""

    def __init__(self) -> None:
        self.place = NOWHERE

    def name(self, names: Sequence[Name], scope: Scope, context: Context, usage: str) -> None:
        """A dotted name is resolved in `scope`. One that is written is a column of the target alone."""
        if names[-1].text != MARKER:
            return
        if len(names) == 1:
            found = [one for one in _visible(scope) if usage != "write" or one.kind == "column"]
            self._keep(Place("name", tuple(found), sources=tuple(_sources(scope))))
            return
        keys = tuple(context.fold(name) for name in names[:-1])
        for level in scope.levels():
            for variable in level.visible():
                if variable.answers(keys):
                    columns = tuple(_columns(variable, variable.columns))
                    self._keep(Place("member", columns, tuple(name.text for name in names[:-1])))
                    return

    def member(self, value: Value, name: Name, context: Context) -> None:
        """A field of `value` is read."""
        if name.text == MARKER:
            self._keep(Place("member", tuple(_fields(value, context))))

    def relation(self, names: Sequence[Name], scope: Scope | None) -> None:
        """A relation is named."""
        if not names or names[-1].text != MARKER:
            return
        ctes: dict[str, Candidate] = {}
        for level in scope.levels() if scope is not None and len(names) == 1 else ():
            for key, (name, result) in level.ctes.items():
                listed = tuple(column.name for column in result.columns)
                ctes.setdefault(key, Candidate(name.text, "cte", key, owner=", ".join(listed)))
        self._keep(Place("relation", tuple(ctes.values()), tuple(name.text for name in names[:-1])))

    def _keep(self, place: Place) -> None:
        if not self.place.kind or (place.candidates and len(place.candidates) >= len(self.place.candidates)):
            self.place = place


def _visible(scope: Scope) -> Iterable[Candidate]:
    """Columns, aliases and parameters, those of inner blocks first."""
    seen: set[tuple[str, str]] = set()
    for level in scope.levels():
        found = [_named(column, "parameter") for column in level.parameters.values()]
        for variable in level.visible():
            found += _columns(variable, variable.star_columns or variable.columns)
        found += [_named(column, "output") for column in (*level.lets.values(), *level.outputs.values())]
        found += [Candidate(variable.name.rpartition(".")[2], "alias", variable.qualifiers[-1], owner=variable.kind)
                  for variable in level.visible() if variable.qualifiers]
        for candidate in found:
            if (candidate.key, candidate.owner) not in seen:
                seen.add((candidate.key, candidate.owner))
                yield candidate


def _sources(scope: Scope) -> Iterable[Source]:
    for variable in scope.ranges:
        key = variable.qualifiers[-1] if variable.qualifiers else ""
        yield Source(variable.name, variable.relation, tuple(_columns(variable, variable.columns)), key)


def _columns(variable: RangeVariable, columns: Iterable[Column]) -> list[Candidate]:
    return [_named(column, "column", variable.name) for column in columns]


def _named(column: Column, kind: str, owner: str = "") -> Candidate:
    return Candidate(column.name, kind, column.key, type_of(column.value), _nodes(column.value), owner)


def _fields(value: Value, context: Context) -> Iterable[Candidate]:
    """The fields of a record; of an array where the dialect reads its records' fields through it (Spark)."""
    if is_array(value) and context.dialect.array_fields:
        value = element(value)
    for item in named_fields(value) or ():
        yield Candidate(item.name, "field", item.key, type_of(item.value), _nodes(item.value))


def _nodes(value: Value) -> tuple[Node, ...]:
    return tuple(dict.fromkeys(source.node for source in flatten(value).sources if source.role in DIRECT_ROLES))
