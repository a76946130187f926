"""Downstream uses of a node, counted and put into words."""

from __future__ import annotations

from msgspec import Struct

from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot


class Uses(Struct, frozen=True):
    """The places that read a node itself (`direct`), and those that read a record which contains it."""

    direct: tuple[FileSpan, ...]
    contained: tuple[FileSpan, ...]

    @property
    def places(self) -> tuple[FileSpan, ...]:
        return tuple(sorted((*self.direct, *self.contained)))


def downstream(snapshot: Snapshot, nodes: tuple[Node, ...]) -> Uses:
    """Who reads one of `nodes`: each place once, writes left out, as `direct` where both kinds meet.

    A relation is used where a statement names it, and not once more for each of its columns. Several nodes share one
    declaration where several tables are made of one CREATE TYPE.
    """
    direct: dict[FileSpan, None] = {}
    contained: dict[FileSpan, None] = {}
    for node in nodes:
        for use in snapshot.uses(node):
            if use.usage != "write" and (node.path or not use.node.path):
                (contained if use.usage == "contained" else direct).setdefault(use.span)
    return Uses(tuple(sorted(direct)), tuple(sorted(span for span in contained if span not in direct)))


def title(uses: Uses) -> str:
    """`no downstream use`, `1 downstream use`, `3 downstream uses`, `1 use · 2 in a whole record`."""
    direct, contained = len(uses.direct), len(uses.contained)
    if not contained:
        return f"{direct or 'no'} downstream {_uses(direct)}"
    inside = f"{contained} in a whole record"
    if direct:
        return f"{direct} {_uses(direct)} · {inside}"
    return f"{contained} downstream {_uses(contained)} in a whole record"


def sentence(uses: Uses) -> str:
    """For a hover: `used in 3 places`, `used in 1 place and inside a whole record in 2`, `not used downstream`."""
    direct, contained = len(uses.direct), len(uses.contained)
    if not direct and not contained:
        return "not used downstream"
    if not contained:
        return f"used in {_places(direct)}"
    if not direct:
        return f"used inside a whole record in {_places(contained)}"
    return f"used in {_places(direct)} and inside a whole record in {contained}"


def _uses(count: int) -> str:
    return "uses" if count > 1 else "use"


def _places(count: int) -> str:
    return "1 place" if count == 1 else f"{count} places"
