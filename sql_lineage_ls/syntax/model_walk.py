"""One walk over the query model, for who looks for one kind of record wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from sql_lineage_ls.syntax.query_model import Literal, Name, Record, Select, SetOperation, ValuesQuery

_LEAVES = frozenset({str, int, bool, Name, Literal})
_Kind = TypeVar("_Kind", bound=Record)


def records_of(kind: type[_Kind], model: object) -> Iterator[_Kind]:
    """Every record of a kind in a model, those inside of others too, in no order; names and literals are not found.

    Deep models need no deep stack.
    `records_of(Call, model)` of `SELECT SUM(ABS(x)) FROM t` gives the calls of SUM and of ABS.
    """
    return (record for record in _walk(model, ()) if isinstance(record, kind))


def parts_of_block(expr: Record) -> Iterator[Record]:
    """An expression and its parts that belong to the same query block: none inside of a subquery.

    `parts_of_block` of `SUM(x) + (SELECT MAX(y) FROM u)` gives the sum, the call of SUM and `x`, and the subquery
    itself.
    """
    return _walk(expr, (Select, SetOperation, ValuesQuery))


def _walk(model: object, shut: tuple[type[Record], ...]) -> Iterator[Record]:
    """Every record, those of the types `shut` and what is in them left out."""
    waiting: list[object] = [model]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting += value
        elif isinstance(value, Record) and not isinstance(value, shut):
            yield value
            for name in value.__struct_fields__:
                inner = getattr(value, name)
                # Most of what a model holds are names and texts, in which nothing else is.
                if inner and type(inner) not in _LEAVES:
                    waiting.append(inner)
