"""Builds one relation or type out of everything that all documents say about it.

Several declarations are joined, LIKE, CLONE, OF, INHERITS and user's types are looked up, ALTERs are applied in the
order of documents and statements. Circles end where they close; what is not known makes the relation open.
A resolver notes every slot that it looked into, so that the result can be kept until one of them changes.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.catalog.changes import apply_change
from sql_lineage_ls.catalog.contribution import State
from sql_lineage_ls.catalog.definition import Change, Definition, Entry
from sql_lineage_ls.catalog.fingerprint import fingerprint
from sql_lineage_ls.catalog.lookup import Match
from sql_lineage_ls.catalog.merge import merge_fields
from sql_lineage_ls.catalog.names import (
    FUNCTION,
    LOCATION,
    RELATION,
    TYPE,
    Key,
    display_name,
    location_name,
    slot_of,
)
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.type_builder import FindType, build_column, build_type
from sql_lineage_ls.catalog.types import DataType, Field, RecordType, Site, Unspecified
from sql_lineage_ls.syntax import query_model as qm

_DEEPEST = 40  # how many LIKEs or types of types are followed


class Declared(Protocol):
    """What the catalog offers to a resolver."""

    def states(self, key: Key) -> list[State]:
        """What each document says about `key`, in the order of their addresses."""

    def match(self, space: str, parts: tuple[qm.Name, ...], at: Definition) -> Match | None:
        """The key that a name in the statement `at` means."""


class Piece(Struct, frozen=True):
    """What one declaration, or all of them, give: columns, queries whose outputs are columns too, ALTERs that wait."""

    columns: tuple[Field, ...] = ()
    open: bool = False
    queries: tuple[Definition, ...] = ()
    changes: tuple[Change, ...] = ()


_OPEN = Piece(open=True)


class Resolver:
    """Resolves one key; made anew for each."""

    def __init__(self, declared: Declared) -> None:
        self.declared = declared
        self.slots: set[str] = set()
        self.active: list[Key] = []

    # -------------------------------------------------------- entries

    def entry(self, key: Key) -> Entry:
        """The entry of a relation, location or function that a document declares."""
        self.slots.add(key.slot)
        if key.space == LOCATION:
            return self._location(key)
        if key.space == FUNCTION:
            return self._function(key)
        piece = self._relation(key)
        creates = [create for state in self.declared.states(key) for create in state.creates]
        name, kind, site = self._shown(key, creates)
        relation = Relation(
            id=key.id,
            name=name,
            kind=kind,
            columns=piece.columns,
            open=piece.open or len(piece.queries) > 1 or _says_nothing(creates, piece),
            site=site,
            location=_location_of(creates),
        )
        relation = replace(relation, fingerprint=fingerprint(relation))
        query = piece.queries[0] if piece.queries else None
        return Entry(key.id, name, kind, relation, query, piece.queries, piece.changes)

    def _shown(self, key: Key, creates: list[Definition]) -> tuple[str, str, Site | None]:
        """Name, kind and place of a relation: those of its first declaration."""
        if creates:
            first = creates[0]
            name = _name_of(first.model)
            kind = "view" if isinstance(first.model, qm.CreateView) else "table"
            return display_name(name, first.dialect), kind, first.site(name[-1])
        for state in self.declared.states(key):
            for _, at in state.sources:
                for new in _new_names(at.model):
                    if at.dialect.table_key(new[-1].text, new[-1].quoted) == key.parts[-1]:
                        return display_name(new, at.dialect), "table", at.site(new[-1])
            for change in state.changes:
                altered = _name_of(change.definition.model)
                return display_name(altered, change.definition.dialect), "table", None
        return ".".join(key.parts), "table", None

    def _location(self, key: Key) -> Entry:
        """A location has the columns of every table over it, and maybe more."""
        columns: tuple[Field, ...] = ()
        address, site = key.parts[0], None
        for index, at in enumerate(create for state in self.declared.states(key) for create in state.creates):
            model = at.model
            if not isinstance(model, qm.CreateTable):
                continue
            if index == 0 and model.location:
                address = model.location
                site = at.site(qm.Name(address, model.location_start, model.location_end))
            match = self._match(RELATION, model.name, at)
            if match is not None:
                columns = merge_fields(columns, self._relation(match.key).columns)
        name = location_name(address)
        relation = Relation(key.id, name, LOCATION, columns, open=True, site=site, location=address)
        relation = replace(relation, fingerprint=fingerprint(relation))
        return Entry(key.id, name, LOCATION, relation)

    def _function(self, key: Key) -> Entry:
        creates = [create for state in self.declared.states(key) for create in state.creates]
        first = creates[0]
        model = first.model
        assert isinstance(model, qm.CreateFunction)
        find = self._finder(first)
        columns = tuple(build_column(column, first, find) for column in model.returns)
        name = display_name(model.name, first.dialect)
        relation = Relation(
            id=key.id,
            name=name,
            kind=FUNCTION,
            columns=columns,
            open=len(creates) > 1 or not columns,
            site=first.site(model.name[-1]),
        )
        relation = replace(relation, fingerprint=fingerprint(relation))
        query = first if model.query is not None and model.table and not columns else None
        return Entry(key.id, name, FUNCTION, relation, query, (query,) if query is not None else ())

    # -------------------------------------------------------- relations

    def _relation(self, key: Key) -> Piece:
        """Everything about one relation. A circle brings no columns that it does not have from elsewhere."""
        if key in self.active:
            return Piece()
        if len(self.active) >= _DEEPEST:
            return _OPEN
        self.active.append(key)
        try:
            return self._joined(key)
        finally:
            self.active.pop()

    def _joined(self, key: Key) -> Piece:
        """All declarations of `key` in one, with the ALTERs applied or, where a query comes first, kept."""
        states = self.declared.states(key)
        pieces = [self._piece(create) for create in _distinct(states)]
        pieces += [self._moved(source) for state in states for source, _ in state.sources]
        if not pieces:
            pieces = [_OPEN]
        columns: tuple[Field, ...] = ()
        for piece in pieces:
            columns = merge_fields(columns, piece.columns) if columns else piece.columns
        queries = tuple({id(query): query for piece in pieces for query in piece.queries}.values())
        waiting = [change for piece in pieces for change in piece.changes]
        changes = [change for state in states for change in state.changes]
        open_ = any(piece.open for piece in pieces)
        if queries:
            return Piece(columns, open_, queries, (*waiting, *changes))
        return self._changed(Piece(columns, open_), changes)

    def _moved(self, source: Key) -> Piece:
        """The columns of a relation that was renamed or swapped to this one."""
        self.slots.add(source.slot)
        return self._relation(source) if self.declared.states(source) else _OPEN

    def _changed(self, piece: Piece, changes: list[Change]) -> Piece:
        columns, open_ = piece.columns, piece.open
        for change in changes:
            changed = apply_change(columns, change, self._finder(change.definition))
            open_ = open_ or changed is None or isinstance(change.action, qm.ReplaceColumns)
            columns = columns if changed is None else changed
        return Piece(columns, open_)

    def completed(self, entry: Entry, outputs: tuple[Field, ...], open_: bool) -> Relation:
        """The relation of an entry whose query gives `outputs`."""
        columns = merge_fields(entry.relation.columns, outputs)
        piece = self._changed(Piece(columns, open_ or entry.relation.open), list(entry.changes))
        relation = replace(entry.relation, columns=piece.columns, open=piece.open)
        return replace(relation, fingerprint=fingerprint(relation))

    def _piece(self, at: Definition) -> Piece:
        model = at.model
        if isinstance(model, qm.CreateTable):
            return self._table(model, at)
        if isinstance(model, qm.CreateView):
            if model.query is not None:
                return Piece(queries=(at,))
            named = tuple(build_column(qm.ColumnDef(name), at, self._finder(at)) for name in model.columns)
            return Piece(named, open=not named)
        return Piece(queries=(at,))

    def _table(self, model: qm.CreateTable, at: Definition) -> Piece:
        find = self._finder(at)
        own = [build_column(column, at, find) for column in model.columns]
        columns: list[Field] = []
        parts = [self._source(name, at) for name in model.inherits]
        head, tail = own[: model.like_position], own[model.like_position :]
        like = [self._source(name, at) for name in (model.like, model.clone) if name]
        if model.of_type:
            like.append(self._row_of(model.of_type, at))
        for piece in parts:
            columns.extend(piece.columns)
        columns.extend(head)
        for piece in like:
            columns.extend(piece.columns)
        columns.extend(tail)
        sources = (*parts, *like)
        queries = tuple(query for piece in sources for query in piece.queries)
        changes = tuple(change for piece in sources for change in piece.changes)
        open_ = model.open or at.partial or any(piece.open for piece in sources)
        if model.query is not None and (not own or at.dialect.query_adds_columns):
            queries = (*queries, at)
        return Piece(merge_fields((), columns), open_, queries, changes)

    def _source(self, name: tuple[qm.Name, ...], at: Definition) -> Piece:
        match = self._match(RELATION, name, at)
        return _OPEN if match is None else self._relation(match.key)

    def _row_of(self, name: tuple[qm.Name, ...], at: Definition) -> Piece:
        found = self.find_type(name, at)
        return Piece(found.fields) if isinstance(found, RecordType) else _OPEN

    # -------------------------------------------------------- types

    def find_type(self, name: tuple[qm.Name, ...], at: Definition) -> DataType | None:
        """A user's type by its name; None where no document declares it. A type inside itself is unspecified."""
        match = self._match(TYPE, name, at)
        if match is None:
            return self._row_type(name, at)
        key = match.key
        if key in self.active or len(self.active) >= _DEEPEST:
            return Unspecified(display_name(name, at.dialect))
        self.active.append(key)
        try:
            return self._type(key)
        finally:
            self.active.pop()

    def _type(self, key: Key) -> DataType | None:
        """The last declaration that tells something: a forward declaration tells nothing."""
        states = self.declared.states(key)
        creates = [create for state in states for create in state.creates]
        told = [create for create in creates if _tells(create.model)] or creates
        if not told:
            return None
        at = told[-1]
        model = at.model
        assert isinstance(model, qm.CreateType)
        built = build_type(model.type, at, self._finder(at))
        if isinstance(built, RecordType):
            base = self.find_type(model.under, at) if model.under else None
            fields = merge_fields(base.fields, built.fields) if isinstance(base, RecordType) else built.fields
            changes = [change for state in states for change in state.changes]
            fields = self._changed(Piece(fields), changes).columns
            name = display_name(model.name, at.dialect)
            built = replace(built, fields=fields, type_name=name, type_site=at.site(model.name[-1]))
            if model.under and base is None:
                return Unspecified(name)
        return built

    def _row_type(self, name: tuple[qm.Name, ...], at: Definition) -> DataType | None:
        if not at.dialect.tables_are_types:
            return None
        match = self._match(RELATION, name, at)
        if match is None:
            return None
        piece = self._relation(match.key)
        if piece.open or piece.queries:
            return Unspecified(display_name(name, at.dialect))
        return RecordType(piece.columns, text="ROW", type_name=display_name(name, at.dialect))

    def _finder(self, at: Definition) -> FindType:
        return lambda name: self.find_type(name, at)

    def data_type(self, spec: qm.TypeSpec, at: Definition) -> DataType:
        """The tree of a written type."""
        return build_type(spec, at, self._finder(at))

    def _match(self, space: str, name: tuple[qm.Name, ...], at: Definition) -> Match | None:
        if not name:
            return None
        self.slots.add(slot_of(space, name[-1].text))
        return self.declared.match(space, name, at)


def _distinct(states: list[State]) -> list[Definition]:
    """The definitions of all documents without those that say the same as an earlier one."""
    distinct: list[Definition] = []
    for state in states:
        for create in state.creates:
            if not any(create.model == other.model and create.dialect is other.dialect for other in distinct):
                distinct.append(create)
    return distinct


def _says_nothing(creates: list[Definition], piece: Piece) -> bool:
    """Whether no declaration lists a column although one speaks of another relation: a circle of LIKEs."""
    if piece.columns or piece.queries:
        return False
    return any(isinstance(at.model, qm.CreateTable) and not at.model.columns and _borrows(at.model) for at in creates)


def _borrows(model: qm.CreateTable) -> bool:
    return bool(model.like or model.clone or model.of_type or model.inherits)


def _tells(model: qm.Statement) -> bool:
    return isinstance(model, qm.CreateType) and bool(model.type.text)


def _name_of(model: qm.Statement) -> tuple[qm.Name, ...]:
    if isinstance(model, qm.QueryStatement):
        return model.into
    if isinstance(model, qm.CreateTable | qm.CreateView | qm.CreateType | qm.CreateFunction | qm.AlterTable):
        return model.name
    return ()


def _new_names(model: qm.Statement) -> list[tuple[qm.Name, ...]]:
    if not isinstance(model, qm.AlterTable):
        return []
    names = [model.name]
    for action in model.actions:
        if isinstance(action, qm.RenameTable):
            names.append(_beside(action.old or model.name, action.new))
        elif isinstance(action, qm.SwapTable):
            names.append(_beside(model.name, action.other))
    return names


def _beside(old: tuple[qm.Name, ...], new: tuple[qm.Name, ...]) -> tuple[qm.Name, ...]:
    """A new name without a schema stays in the schema of the old one."""
    return new if len(new) > 1 else (*old[:-1], *new)


def _location_of(creates: list[Definition]) -> str | None:
    for create in creates:
        if isinstance(create.model, qm.CreateTable) and create.model.location:
            return create.model.location
    return None

