"""The catalog: every relation and type that the workspace's DDL declares. Immutable.

`replace_file` gives a new catalog that shares everything the document does not touch. Entries are built when they are
first asked for and kept; a kept entry goes over to the next catalog unless a name that it was built from changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sql_lineage_ls.catalog.contribution import State, read_contribution
from sql_lineage_ls.catalog.definition import Change, Definition, Entry
from sql_lineage_ls.catalog.fingerprint import fingerprint
from sql_lineage_ls.catalog.lookup import Match, find_key
from sql_lineage_ls.catalog.merge import merge_fields
from sql_lineage_ls.catalog.names import (
    ANY_FAMILY,
    FUNCTION,
    LOCATION,
    NOWHERE,
    RELATION,
    SEPARATOR,
    Key,
    Namespace,
    is_session_name,
    location_id,
    location_name,
    qualify,
    slot_of,
)
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.resolver import Resolver
from sql_lineage_ls.catalog.types import DataType, Field
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.query_model import Drop, Name, OtherStatement, TypeSpec

__all__ = ["Catalog", "Change", "Definition", "Entry", "Namespace", "location_id", "location_name"]

_NOTHING = OtherStatement("")


class Catalog:
    """What all documents declare. `Catalog()` is empty."""

    __slots__ = ("_definitions", "_entries", "_files", "_kept", "_outdated", "_owners", "_slots", "_used_by")

    def __init__(self) -> None:
        self._definitions: dict[str, tuple[Definition, ...]] = {}
        self._files: dict[str, dict[Key, State]] = {}
        self._owners: dict[Key, tuple[str, ...]] = {}
        self._slots: dict[str, tuple[Key, ...]] = {}
        self._kept: dict[Key, Entry] = {}
        # Which entries were ever built from a slot. Shared by all revisions and only added to: an entry too many is
        # merely built again.
        self._used_by: dict[str, set[Key]] = {}
        # All entries of an earlier revision, and the keys that they are wrong for; None where they are wrong for all.
        self._entries: tuple[Entry, ...] = ()
        self._outdated: frozenset[Key] | None = None

    # ---------------------------------------------------- documents

    def definitions(self, uri: str) -> tuple[Definition, ...]:
        """The definitions of one document, as they were given."""
        return self._definitions.get(uri, ())

    def replace_file(self, uri: str, definitions: tuple[Definition, ...]) -> Catalog:
        """The catalog in which the document `uri` has these definitions, in the order of its statements."""
        return self.replace_files({uri: definitions})

    def replace_files(self, definitions: Mapping[str, tuple[Definition, ...]]) -> Catalog:
        """The catalog in which each of these documents has these definitions; () removes a document."""
        changes = [(uri, self._files.get(uri, {}), read_contribution(given)) for uri, given in definitions.items()]
        catalog = Catalog()
        catalog._definitions = {**self._definitions, **definitions}
        catalog._files = {**self._files, **{uri: new for uri, _, new in changes}}
        for uri, given in definitions.items():
            if not given:
                del catalog._definitions[uri], catalog._files[uri]
        catalog._owners, catalog._slots = self._owners, self._slots
        named = [(uri, old, new) for uri, old, new in changes if old.keys() != new.keys()]
        if named:
            catalog._owners, catalog._slots = dict(self._owners), dict(self._slots)
            for uri, old, new in named:
                catalog._register(uri, old, new)
        touched = {key for _, old, new in changes for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
        catalog._inherit(self, touched)
        return catalog

    def remove_file(self, uri: str) -> Catalog:
        """The catalog without the document `uri`."""
        return self.replace_file(uri, ()) if uri in self._files else self

    def _inherit(self, before: Catalog, touched: set[Key]) -> None:
        """Takes over the entries of the revision before, but those built from what a touched key is found by."""
        self._used_by = before._used_by
        self._entries = before._entries
        if not touched:
            self._kept, self._outdated = before._kept, before._outdated
            return
        outdated = set(touched)
        for slot in {key.slot for key in touched}:
            outdated.update(tuple(self._used_by.get(slot, ())))
        self._kept = dict(before._kept)
        for key in outdated:
            self._kept.pop(key, None)
        self._outdated = None if before._outdated is None else before._outdated | outdated

    def _register(self, uri: str, old: dict[Key, State], new: dict[Key, State]) -> None:
        """Notes which names a document declares now, in tables that are this catalog's own."""
        for key in old.keys() - new.keys():
            owners = tuple(owner for owner in self._owners[key] if owner != uri)
            if owners:
                self._owners[key] = owners
                continue
            del self._owners[key]
            keys = tuple(other for other in self._slots[key.slot] if other != key)
            if keys:
                self._slots[key.slot] = keys
            else:
                del self._slots[key.slot]
        for key in new.keys() - old.keys():
            if key not in self._owners:
                self._slots[key.slot] = tuple(sorted((*self._slots.get(key.slot, ()), key)))
            self._owners[key] = tuple(sorted((*self._owners.get(key, ()), uri)))

    # ---------------------------------------------------- for the resolver

    def states(self, key: Key) -> list[State]:
        """What each document says about `key`, in the order of their addresses."""
        return [self._files[uri][key] for uri in self._owners.get(key, ())]

    def match(self, space: str, parts: tuple[Name, ...], at: Definition) -> Match | None:
        """The key that a name in the statement `at` means."""
        return self._match(space, parts, at.dialect, at.namespace, at.uri)

    def _match(
        self, space: str, parts: tuple[Name, ...], dialect: Dialect, namespace: Namespace, uri: str
    ) -> Match | None:
        if not parts:
            return None
        candidates = self._slots.get(slot_of(space, parts[-1].text))
        if candidates is None:
            return None
        bare = len(parts) == 1 or is_session_name(parts)
        return find_key(candidates, qualify(parts, dialect, namespace), dialect.family, uri, bare)

    # ---------------------------------------------------- questions

    def find(
        self, parts: tuple[Name, ...], dialect: Dialect, namespace: Namespace = NOWHERE, uri: str = ""
    ) -> Entry | None:
        """The relation that a name means in a statement of `dialect`, None where none or more than one is declared.

        `uri` is the statement's document, whose temporary tables come first. A name that fits by its last parts only
        gives an entry with `relation.assumed`.
        """
        match = self._match(RELATION, parts, dialect, namespace, uri)
        if match is None:
            return self._wildcard(parts, dialect, namespace)
        entry = self._entry(match.key)
        if not match.assumed:
            return entry
        return replace(entry, relation=replace(entry.relation, assumed=True))

    def find_function(
        self, parts: tuple[Name, ...], dialect: Dialect, namespace: Namespace = NOWHERE
    ) -> Entry | None:
        """The user's table function that a name means; its columns are those it returns."""
        match = self._match(FUNCTION, parts, dialect, namespace, "")
        return None if match is None else self._entry(match.key)

    def function_definition(
        self, parts: tuple[Name, ...], dialect: Dialect, namespace: Namespace = NOWHERE
    ) -> Definition | None:
        """The CREATE FUNCTION that a name means; None where there is none, or more than one."""
        match = self._match(FUNCTION, parts, dialect, namespace, "")
        creates = [create for state in self.states(match.key) for create in state.creates] if match else []
        return creates[0] if len(creates) == 1 else None

    @property
    def has_functions(self) -> bool:
        """Whether any document defines a function, so that calls are worth looking up."""
        return any(key.space == FUNCTION for key in self._owners)

    def get(self, relation_id: str) -> Entry | None:
        """The entry of an id: of a relation, a location (`location_id`) or a function."""
        family, *parts = relation_id.split(SEPARATOR)
        if not parts:
            return None
        if family == LOCATION:
            keys = [Key(LOCATION, LOCATION, (SEPARATOR.join(parts),))]
        elif relation_id.endswith("()"):
            keys = [Key(FUNCTION, family, (*parts[:-1], parts[-1][:-2]))]
        else:
            keys = [Key(RELATION, family, tuple(parts)), Key(RELATION, family, tuple(parts[1:]), parts[0])]
        return next((self._entry(key) for key in keys if key in self._owners), None)

    def creates(self, parts: tuple[Name, ...], at: Definition) -> tuple[Definition, ...]:
        """What makes the relation that `parts` means in the statement `at`, by document and statement.

        None where a document also changes or renames it: then one after the other may be true.
        """
        states = self.states(Key(RELATION, at.dialect.family, qualify(parts, at.dialect, at.namespace)))
        if any(state.changes or state.sources for state in states):
            return ()
        return tuple(create for state in states for create in state.creates)

    def drops(self, relation_id: str) -> bool:
        """Whether any document drops a relation. Looks at every definition."""
        return any(
            self.relation_id(name, at.dialect, at.namespace) == relation_id
            for definitions in self._definitions.values() for at in definitions if isinstance(at.model, Drop)
            for name in (at.model.name, *at.model.others)
        )

    def declares_like(self, relation_id: str) -> bool:
        """Whether anything is declared that the name of an id could mean, in whatever dialect or session."""
        _, *parts = relation_id.split(SEPARATOR)
        return bool(parts) and any(_may_mean(key, parts) for key in self._slots.get(slot_of(RELATION, parts[-1]), ()))

    def beside(self, relation_id: str) -> tuple[str, ...]:
        """The names of the relations that are declared in the schema of an id, without the schema, sorted."""
        family, *parts = relation_id.split(SEPARATOR)
        keys = [
            key for key in self._owners
            if key.space == RELATION and key.family in (family, ANY_FAMILY)
            and _same_schema(key.parts, tuple(parts))
        ]
        return tuple(sorted({_last_name(self._entry(key), key) for key in keys}))

    def find_type(
        self, parts: tuple[Name, ...], dialect: Dialect, namespace: Namespace = NOWHERE
    ) -> DataType | None:
        """The tree of a user's type (CREATE TYPE, CREATE DOMAIN), None where it is not declared."""
        return Resolver(self).find_type(parts, Definition("", -1, _NOTHING, dialect, namespace))

    def data_type(
        self, spec: TypeSpec, dialect: Dialect, namespace: Namespace = NOWHERE, uri: str = "", statement: int = -1
    ) -> DataType:
        """The tree of a written type. Its fields' places are in `statement` of `uri`, or nowhere without a number."""
        return Resolver(self).data_type(spec, Definition(uri, statement, _NOTHING, dialect, namespace))

    def entries(self) -> tuple[Entry, ...]:
        """All relations and locations, sorted by name."""
        if self._outdated is None or self._outdated:
            asked = self._owners.keys() if self._outdated is None else self._outdated & self._owners.keys()
            wrong = None if self._outdated is None else {key.id for key in self._outdated}
            found = [] if wrong is None else [entry for entry in self._entries if entry.id not in wrong]
            found += [self._entry(key) for key in asked if key.space in (RELATION, LOCATION)]
            self._entries = tuple(sorted(found, key=lambda entry: (entry.name, entry.id)))
            self._outdated = frozenset()
        return self._entries

    def relation_id(self, parts: tuple[Name, ...], dialect: Dialect, namespace: Namespace = NOWHERE) -> str:
        """The canonical id of a name that no DDL declares."""
        return Key(RELATION, dialect.family, qualify(parts, dialect, namespace)).id

    def complete(self, entry: Entry, outputs: tuple[Field, ...], open_: bool = False) -> Relation:
        """The relation of an entry whose `query` gives `outputs` (`open_`: and maybe more), its ALTERs applied."""
        return Resolver(self).completed(entry, outputs, open_)

    def _entry(self, key: Key) -> Entry:
        entry = self._kept.get(key)
        if entry is None:
            resolver = Resolver(self)
            entry = resolver.entry(key)
            for slot in resolver.slots:
                self._used_by.setdefault(slot, set()).add(key)
            self._kept[key] = entry
        return entry

    def _wildcard(self, parts: tuple[Name, ...], dialect: Dialect, namespace: Namespace) -> Entry | None:
        """`web.hits_2*`: one relation with the columns of all tables that the prefix fits."""
        if not dialect.wildcard_tables or not parts or not parts[-1].text.endswith("*"):
            return None
        wanted = qualify(parts, dialect, namespace)
        prefix = wanted[-1][:-1]
        keys = [
            key
            for key in self._owners
            if key.space == RELATION and key.family == dialect.family and key.parts[-1].startswith(prefix)
            and _same_schema(key.parts, wanted)
        ]
        if not keys:
            return None
        entries = [self._entry(key) for key in sorted(keys)]
        columns: tuple[Field, ...] = ()
        for entry in entries:
            columns = merge_fields(columns, entry.relation.columns)
        name = ".".join(part.text for part in parts)
        # The prefix also fits tables that no DDL here declares.
        relation_id = Key(RELATION, dialect.family, wanted).id
        relation = Relation(relation_id, name, "table", columns, open=True)
        relation = replace(relation, fingerprint=fingerprint(relation))
        return Entry(relation_id, name, "table", relation)


def _may_mean(key: Key, parts: list[str]) -> bool:
    shared = min(len(key.parts), len(parts))
    return [part.casefold() for part in key.parts[-shared:]] == [part.casefold() for part in parts[-shared:]]


def _last_name(entry: Entry, key: Key) -> str:
    """The last part of a name as it is declared, where that can be told from the shown name."""
    shown = entry.name.rsplit(".", 1)[-1]
    return shown if shown.casefold() == key.parts[-1].casefold() else key.parts[-1]


def _same_schema(declared: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether the parts before the table's name agree as far as both have them."""
    shared = min(len(declared), len(wanted))
    return declared[-shared:-1] == wanted[-shared:-1]
