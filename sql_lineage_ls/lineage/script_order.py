"""The order of a script: a relation that a file defines again is, until then, what it was before.

The catalog holds what is true at the end of each file. A statement in the middle of a script that replaces a view,
drops a table or renames a column must be read against the state that it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sql_lineage_ls.catalog.definition import Definition
from sql_lineage_ls.syntax import query_model as q

Namer = Callable[[Definition, tuple[q.Name, ...]], str]

# Changes that take something away; an added column was missing before, which accuses nobody.
_TAKING = (q.DropColumn, q.RenameColumn, q.ReplaceColumns, q.RenameTable, q.SwapTable, q.ChangeType)


def turning_points(definitions: Sequence[Definition], name_of: Namer) -> tuple[int, ...]:
    """The statements that change a relation which exists before them, in order.

    `CREATE VIEW v ..; SELECT .. FROM v; CREATE OR REPLACE VIEW v ..` has the third one. An ALTER changes what exists,
    be it declared in another file.
    """
    known: set[str] = set()
    points = []
    for definition in definitions:
        names = [name_of(definition, name) for name in _named(definition.model)]
        existed = isinstance(definition.model, q.AlterTable) or any(name in known for name in names)
        if existed and _changes(definition.model):
            points.append(definition.statement)
        known.update(names)
    return tuple(points)


def state_before(definitions: Sequence[Definition], point: int, name_of: Namer) -> tuple[Definition, ...]:
    """The definitions as a statement just before `point` finds them: first definitions wherever they stand, and of
    the later changes those that come before `point`."""
    known: set[str] = set()
    kept = []
    for definition in definitions:
        names = [name_of(definition, name) for name in _named(definition.model)]
        again = any(name in known for name in names) or (
            isinstance(definition.model, q.AlterTable) and _changes(definition.model)
        )
        if definition.statement < point or not again:
            kept.append(definition)
            known.update(names)
    return tuple(kept)


def _named(model: q.Statement) -> tuple[tuple[q.Name, ...], ...]:
    if isinstance(model, q.CreateTable | q.CreateView | q.AlterTable):
        return (model.name,) if model.name else ()
    if isinstance(model, q.Drop):
        return tuple(name for name in (model.name, *model.others) if name)
    if isinstance(model, q.QueryStatement):
        return (model.into,) if model.into else ()
    return ()


def _changes(model: q.Statement) -> bool:
    if isinstance(model, q.AlterTable):
        return any(isinstance(action, _TAKING) for action in model.actions)
    return not (isinstance(model, q.CreateTable) and model.if_not_exists)
