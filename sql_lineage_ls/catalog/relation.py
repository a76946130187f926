"""A relation of the catalog: a table, view, external location or table function with its columns."""

from __future__ import annotations

from msgspec import Struct

from sql_lineage_ls.catalog.types import Field, Site


class Relation(Struct, frozen=True):
    """What is known of one relation.

    `id` is canonical and compares equal exactly for the same relation; `name` is how it is shown.
    `kind` is `table`, `view`, `location`, `type` or `function`.
    `open` relations may have columns that `columns` does not list: nothing may be concluded from an absence.
    `assumed` is set where the reference was matched by its last parts only (`orders` for `shop.orders`): good enough
    to follow, not good enough to accuse. `site` is the token of the relation's name in the statement that made it.
    `fingerprint` changes exactly when names, types, kind or openness change.
    """

    id: str
    name: str
    kind: str
    columns: tuple[Field, ...] = ()
    open: bool = False
    assumed: bool = False
    site: Site | None = None
    location: str | None = None
    fingerprint: str = ""
