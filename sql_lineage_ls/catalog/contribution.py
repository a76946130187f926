"""What one document says about each relation, type and function, after its statements ran in order."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from sql_lineage_ls.catalog.definition import Change, Definition
from sql_lineage_ls.catalog.names import (
    FUNCTION,
    RELATION,
    TYPE,
    Key,
    is_session_name,
    location_key,
    qualify,
)
from sql_lineage_ls.syntax import query_model as qm


class State(Struct, frozen=True):
    """What a document says about one key.

    `creates` are the definitions that stand together; OR REPLACE, or DROP and CREATE, replace those before them.
    `changes` are ALTERs after them, `sources` the relations that were renamed or swapped to this name.
    """

    creates: tuple[Definition, ...] = ()
    changes: tuple[Change, ...] = ()
    sources: tuple[tuple[Key, Definition], ...] = ()


class _Reader:
    """Runs the definitions of one document in order."""

    def __init__(self) -> None:
        self.states: dict[Key, State] = {}
        self.dropped: set[Key] = set()

    def read(self, at: Definition) -> None:
        model = at.model
        if isinstance(model, qm.CreateTable):
            temporary = model.temporary or is_session_name(model.name)
            self.create(_key(RELATION, model.name, at, temporary), at, model.replace)
            if model.location:
                self.create(location_key(model.location), at, False)
        elif isinstance(model, qm.CreateView):
            self.create(_key(RELATION, model.name, at, model.temporary), at, model.replace)
        elif isinstance(model, qm.QueryStatement):
            temporary = model.temporary or is_session_name(model.into)
            self.create(_key(RELATION, model.into, at, temporary), at, False)
        elif isinstance(model, qm.CreateType):
            self.create(_key(TYPE, model.name, at), at, model.replace)
        elif isinstance(model, qm.CreateFunction):
            self.create(_key(FUNCTION, model.name, at), at, False)
        elif isinstance(model, qm.AlterTable):
            self.alter(model, at)
        elif isinstance(model, qm.Drop):
            self.drop(model, at)

    def create(self, key: Key | None, at: Definition, replaces: bool) -> None:
        if key is None:
            return
        state = self.states.get(key, State())
        if replaces or key in self.dropped:
            state = State()
            self.dropped.discard(key)
        self.states[key] = State((*state.creates, at), state.changes, state.sources)

    def own(self, key: Key, name: tuple[qm.Name, ...], at: Definition) -> Key:
        """The temporary table of that name where the document made one."""
        temporary = _key(key.space, name, at, temporary=True)
        return temporary if temporary is not None and temporary in self.states else key

    def alter(self, model: qm.AlterTable, at: Definition) -> None:
        key = _key(TYPE if model.kind == "TYPE" else RELATION, model.name, at)
        if key is None:
            return
        key = self.own(key, model.name, at)
        changes = []
        for action in model.actions:
            if isinstance(action, qm.RenameTable):
                old = _key(RELATION, action.old, at) if action.old else key
                if old is not None:
                    self.move(old, _beside(old, action.new, at), at)
            elif isinstance(action, qm.SwapTable):
                other = _beside(key, action.other, at)
                self.move(key, other, at)
                self.move(other, key, at)
            elif not isinstance(action, qm.MoveRows):
                changes.append(Change(at, action))
        if changes:
            state = self.states.get(key, State())
            self.states[key] = State(state.creates, (*state.changes, *changes), state.sources)

    def move(self, source: Key, target: Key, at: Definition) -> None:
        state = self.states.get(target, State())
        self.states[target] = State(state.creates, state.changes, (*state.sources, (source, at)))

    def drop(self, model: qm.Drop, at: Definition) -> None:
        """A dropped table stays known until the document makes it anew: the statements before the DROP use it."""
        if model.kind == "SCHEMA":
            return
        for name in (model.name, *model.others):
            key = _key(TYPE if model.kind == "TYPE" else RELATION, name, at)
            if key is not None:
                self.dropped.add(self.own(key, name, at))


def _key(space: str, name: tuple[qm.Name, ...], at: Definition, temporary: bool = False) -> Key | None:
    parts = qualify(name, at.dialect, at.namespace)
    if not parts:
        return None
    if not temporary:
        return Key(space, at.dialect.family, parts)
    bare = len(name) == 1 or is_session_name(name)
    return Key(space, at.dialect.family, parts[-1:] if bare else parts, at.uri)


def _beside(key: Key, name: tuple[qm.Name, ...], at: Definition) -> Key:
    """The key of a new name: without a schema it stays in the schema of the old one."""
    parts = qualify(name, at.dialect, at.namespace)
    if len(name) == 1:
        parts = (*key.parts[:-1], *parts[-1:])
    return Key(RELATION, key.family, parts, key.uri)


def read_contribution(definitions: Iterable[Definition]) -> dict[Key, State]:
    """What the definitions of one document, in order, say about each key."""
    reader = _Reader()
    for definition in definitions:
        reader.read(definition)
    return reader.states
