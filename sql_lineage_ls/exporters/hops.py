"""One statement hop by hop: the select items that lead to a target, in the order in which the query makes them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sql_lineage_ls.lineage.intermediate import RESULT
from sql_lineage_ls.lineage.model import DIRECT_ROLES, Edge, Path, StatementLineage


class Hop(Struct, frozen=True, gc=False):
    """A select item of a CTE, derived table or of the statement itself.

    `scope` is the CTE's name, with a number where the statement has several of it, '' for the statement itself; the
    branches of a set operation in it are `c/1`, `c/2`.
    `passed` where a star hands the column on, so that `start`..`end` is the item of another scope.
    """

    scope: str
    path: Path
    transform: str
    start: int
    end: int
    passed: bool


class Hops:
    """The hops of a statement whose CTEs and derived tables are relations (`Snapshot.detailed_lineage`)."""

    def __init__(self, lineage: StatementLineage) -> None:
        self._edges = lineage.edges
        self._scopes = _scopes(lineage)
        self._of: dict[str, list[int]] = {}
        # A star hands the items of another scope on: the first relation with an item is where it is made.
        self._makers: dict[tuple[int, int], str] = {}
        for at, edge in enumerate(lineage.edges):
            self._of.setdefault(edge.relation, []).append(at)
            self._makers.setdefault((edge.start, edge.end), edge.relation)

    def to(self, relation: str, path: Path) -> tuple[Hop, ...]:
        """The hops that lead to a node which the statement writes, its own last; empty where it has none.

        `WITH c AS (SELECT SUM(x) AS s FROM t) SELECT s * 2 AS d FROM c` makes `d` of the hops `c.s` (AGGREGATE) and
        `d` (EXPRESSION).
        """
        own = [at for at in self._of.get(relation, ()) if self._edges[at].path == path]
        found = set(own)
        waiting = list(own)
        while waiting:
            for at in self._before(self._edges[waiting.pop()]):
                if at not in found:
                    found.add(at)
                    waiting.append(at)
        return tuple(hop for at in (*sorted(found.difference(own)), *own[:1]) for hop in self._hops(self._edges[at]))

    def _before(self, edge: Edge) -> Iterator[int]:
        for source in edge.sources:
            if source.role in DIRECT_ROLES and source.relation in self._scopes:
                yield from self._makers_of(source.relation, source.path)

    def _makers_of(self, relation: str, path: Path) -> list[int]:
        """The items that make a node: its own, those of the fields in it, that of the record around, or a star."""
        items = self._of.get(relation, [])
        exact = [at for at in items if self._edges[at].path == path]
        related = exact or [at for at in items if _overlaps(self._edges[at].path, path)]
        return related or [at for at in items if self._edges[at].path == ("*",)]

    def _hops(self, edge: Edge) -> Iterator[Hop]:
        """The item that makes a target, behind those of its branches where a set operation makes it."""
        scope = self._scopes.get(edge.relation, "")
        branches = [step for step in edge.steps if step.scope.startswith("/")]
        for step in branches:
            yield Hop(scope + step.scope, edge.path, step.transform, step.start, step.end, False)
        made_by = self._makers[edge.start, edge.end]
        passed = edge.start >= 0 and made_by != edge.relation
        if branches:
            yield Hop(scope, edge.path, "UNION", -1, -1, False)
        else:
            transform = "IDENTITY" if passed else edge.transform
            yield Hop(scope, edge.path, transform, edge.start, edge.end, passed)


def _scopes(lineage: StatementLineage) -> dict[str, str]:
    """The relations that are CTEs or derived tables, with a name for each."""
    times: dict[str, int] = {}
    scopes = {}
    for relation_id, name, kind in lineage.relations:
        if kind == RESULT:
            shown = name or "subquery"
            times[shown] = times.get(shown, 0) + 1
            scopes[relation_id] = shown if times[shown] == 1 else f"{shown}#{times[shown]}"
    return scopes


def _overlaps(one: Path, other: Path) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
