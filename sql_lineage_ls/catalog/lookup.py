"""Finds what a name means among the declared ones."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from sql_lineage_ls.catalog.names import ANY_FAMILY, Key


class Match(Struct, frozen=True, gc=False):
    """The key that a name means. `assumed` where it was matched by its last parts only."""

    key: Key
    assumed: bool = False


def find_key(
    candidates: Iterable[Key], parts: tuple[str, ...], family: str, uri: str, bare: bool = False
) -> Match | None:
    """The one candidate that `parts` names for a statement of `family` in the document `uri`; None if unclear.

    In this order: the document's own temporary table, the same full name, a name that ends with the other
    (`orders` for `shop.orders`). Declarations of the same family go before those of no family. Two candidates of
    one rank are unclear, and the ranks below are not asked. Another document's temporary table comes last. A temporary
    table without a schema is meant by a name without one only (`bare`).
    """
    ranks: dict[int, list[Key]] = {}
    for key in candidates:
        rank = _rank(key, parts, family, uri, bare)
        if rank is not None:
            ranks.setdefault(rank, []).append(key)
    if not ranks:
        return None
    best = min(ranks)
    found = ranks[best]
    if best == _SESSION_UNKNOWN:
        return Match(min(found), assumed=bool(uri) or len(found) > 1)
    return Match(found[0], best >= _SUFFIX) if len(found) == 1 else None


_OWN_SESSION = 0
_EXACT = 1
_EXACT_OTHER = 2
_SUFFIX = 3
_SUFFIX_OTHER = 4
_SESSION_UNKNOWN = 5


def _rank(key: Key, parts: tuple[str, ...], family: str, uri: str, bare: bool) -> int | None:
    same_family = key.family == family
    if not same_family and ANY_FAMILY not in (key.family, family):
        return None
    declared = key.parts
    if not same_family:
        declared = tuple(part.casefold() for part in declared)
        parts = tuple(part.casefold() for part in parts)
    shorter = min(len(declared), len(parts))
    if declared[-shorter:] != parts[-shorter:]:
        return None
    if key.uri:
        if len(declared) == 1 and not bare:
            return None
        return _OWN_SESSION if key.uri == uri else _SESSION_UNKNOWN
    if declared == parts:
        return _EXACT if same_family else _EXACT_OTHER
    return _SUFFIX if same_family else _SUFFIX_OTHER
