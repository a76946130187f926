"""One revision's lineage: a catalog, the statements of all documents, and what was bound before.

Nothing is bound twice: a statement's lineage is reused as long as its text and every relation that it asked for are
the same, by fingerprint and by the places of its fields. Views and CTAS are inferred when somebody reads them; a
circle of views ends as an open relation with a gap, not as an endless loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b

import msgspec
from msgspec import Struct, msgpack
from msgspec.structs import replace

from sql_lineage_ls.catalog.catalog import Catalog, Definition, Entry, Namespace
from sql_lineage_ls.catalog.names import SEPARATOR, display_name
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Site
from sql_lineage_ls.lineage.circles import below, circle_of
from sql_lineage_ls.lineage.context import CalledFunction, Options
from sql_lineage_ls.lineage.kept import KeptLineage
from sql_lineage_ls.lineage.model import Dependency, Occurrence, StatementLineage
from sql_lineage_ls.lineage.probe import NOWHERE, Place
from sql_lineage_ls.lineage.redefinitions import Redefinition, redefinitions
from sql_lineage_ls.lineage.script_order import state_before, turning_points
from sql_lineage_ls.lineage.statements import bind_statement, probe_statement
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.packed import HeldModel, model_of, outline_of
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.query_model import (
    CreateFunction,
    CreateView,
    Declare,
    DynamicSql,
    Name,
    Statement,
    StatementModel,
    TypeSpec,
)

_NO_LINEAGE = StatementLineage("none")
_MISSING = ""
_CYCLE = "cycle"
_DEEP = 8
_ITSELF = "itself"
_NO_FUNCTIONS = ("()",)
# Behind the key of what does not tell what each token means.
_BRIEF = "\n"


class ParsedStatement(Struct, frozen=True):
    """A statement as the workspace knows it. `key` is a hash of engine, dialect and text.

    `inner` where it stands in the body of the routine whose head comes before it.
    """

    key: str
    held: HeldModel
    dialect: Dialect
    namespace: Namespace = Namespace()
    inner: bool = False

    @property
    def model(self) -> StatementModel:
        return model_of(self.held)

    @property
    def outline(self) -> Statement | None:
        """What it declares: see `outline_of`."""
        return outline_of(self.held)


StatementPlace = tuple[str, int]
"""A statement's document and its number in it, from 0."""


class Analysis:
    """The lineage of every statement of one revision, bound when it is asked for.

    `previous` lends what it has bound; it must not be used for binding any more. `bound` counts the statements that
    this revision really bound. What each token means is kept for the documents in `looked_at` only, where these are
    given: it is most of a lineage, and can be asked for (`occurrences`).
    """

    def __init__(
        self,
        catalog: Catalog,
        statements: Mapping[StatementPlace, ParsedStatement],
        previous: Analysis | None = None,
        looked_at: Collection[str] | None = None,
    ) -> None:
        self.catalog = catalog
        self.statements = statements
        self.bound = 0
        self._looked_at = looked_at
        self._asked: tuple[StatementPlace, Sequence[Occurrence]] | None = None
        self.has_functions = catalog.has_functions
        self._lineages: dict[StatementPlace, KeptLineage] = {}
        self._inferred: dict[tuple[str, str, int, str], Relation] = {}
        # Of documents that define a relation more than once: where, and the catalog as it is before each place.
        self._turning: dict[str, tuple[int, ...]] = {}
        self._states: dict[StatementPlace, Catalog] = {}
        self._inferring: list[str] = []
        # How many views may wait for one another before those below are looked at first, the lowest ones in front.
        self._deep = _DEEP
        # Views that read themselves by way of others: open relations for whoever reads them.
        self._circular: set[str] = set()
        self._variables: dict[str, tuple[frozenset[str], ...]] = {}
        # Shared with the revision before: what was bound for a statement's text, last result only.
        self._known: dict[str, KeptLineage] = previous._known if previous is not None else {}
        if len(self._known) > 2 * len(statements) + 1_000:
            self._forget()

    def _forget(self) -> None:
        keys = {statement.key for statement in self.statements.values()}
        for key in [key for key in self._known if key.split("\n", 1)[0] not in keys]:
            del self._known[key]

    def keep(self, previous: Analysis, uris: Iterable[str], redefined: Collection[str]) -> None:
        """Takes over what `previous` has bound of documents, where no definition has changed that they can see.

        That is for the caller to know. `redefined` are those with definitions that changed inside: a script that
        replaces its own relations is looked at anew.
        """
        for uri in uris:
            replaces = uri in redefined and self.turning_points_of(uri)
            if previous._is_brief(uri) or replaces:
                continue
            variables, before = self._variables_of(uri), previous._variables_of(uri)
            index = 0
            while (parsed := self.statements.get((uri, index))) is not None:
                place = uri, index
                old = previous.statements.get(place)
                known = previous._lineages.get(place)
                same = old is not None and old.key == parsed.key and old.dialect is parsed.dialect
                if known is not None and same and variables[index] == before[index]:
                    self._lineages[place] = known
                index += 1

    def lineage(self, uri: str, index: int) -> StatementLineage:
        """The lineage of statement `index` of a document; an empty one where there is no such statement."""
        return self.kept(uri, index).lineage

    def kept(self, uri: str, index: int) -> KeptLineage:
        """The same, as it is kept: without decoding it where it is encoded."""
        found = self._lineages.get((uri, index))
        if found is not None:
            return found
        parsed = self.statements.get((uri, index))
        if parsed is None:
            return KeptLineage((), _NO_LINEAGE)
        variables = self._variables_of(uri)[index]
        key = _known_key(parsed, variables)
        brief = self._is_brief(uri)
        known = self._known.get(key + _BRIEF if brief else key)
        if known is None and brief and (full := self._known.get(key)) is not None:
            known = self._known[key + _BRIEF] = full.brief()
        if known is None or not self._still_true(known, parsed, uri, index):
            lineage = self._bind(parsed, uri, index, Options(variables, brief=brief))
            known = self._known[key + _BRIEF if brief else key] = KeptLineage(lineage.dependencies, lineage)
            self.bound += 1
        self._lineages[uri, index] = known
        return known

    def pack(self, uri: str) -> None:
        """Encodes what is kept of a document that nobody looks at, and forgets what each of its tokens means."""
        variables = self._variables_of(uri)
        index = 0
        while (parsed := self.statements.get((uri, index))) is not None:
            if (known := self._lineages.get((uri, index))) is not None:
                known.pack()
            self._known.pop(_known_key(parsed, variables[index]), None)
            index += 1

    def key_of(self, uri: str, index: int) -> str:
        """The key that `recall` finds the lineage of a statement under, without what each token means."""
        parsed = self.statements.get((uri, index))
        return _known_key(parsed, self._variables_of(uri)[index]) + _BRIEF if parsed is not None else ""

    def recall(self, known: Mapping[StatementPlace, tuple[str, KeptLineage]]) -> None:
        """Takes over what an analysis of the same catalog and the same statements has bound."""
        for place, (key, lineage) in known.items():
            self._known[key] = lineage
            if self._is_brief(place[0]):
                self._lineages[place] = lineage

    def _is_brief(self, uri: str) -> bool:
        return self._looked_at is not None and uri not in self._looked_at

    def occurrences(self, uri: str, index: int) -> Sequence[Occurrence]:
        """What each token of a statement means, in the order of the text."""
        known = self.lineage(uri, index)
        parsed = self.statements.get((uri, index))
        if known.occurrences or parsed is None:
            return known.occurrences
        if self._asked is None or self._asked[0] != (uri, index):
            full = self._bind(parsed, uri, index, Options(self._variables_of(uri)[index]))
            self._asked = (uri, index), full.occurrences
        return self._asked[1]

    def probe(self, uri: str, index: int, text: str) -> Place:
        """What can stand at the mark in `text`, which statement `index` of a document has become.

        A statement that the document does not have yet (-1) is bound as its last one would be.
        """
        parsed = self.statements.get((uri, index)) or self.statements.get((uri, 0))
        if parsed is None:
            return NOWHERE
        model = parse_statement(text, parsed.dialect, parsed.inner)
        changed = replace(parsed, held=model)
        options = Options(self._variables_of(uri)[max(index, 0)], brief=True)
        return probe_statement(model, parsed.dialect, _StatementSchemas(self, changed, uri, max(index, 0)), options)

    def signature(self, uri: str, index: int, name: str) -> CreateFunction | None:
        """The user's function that `name` means in a statement, None for any other."""
        parsed = self.statements.get((uri, index))
        if parsed is None:
            return None
        called = _StatementSchemas(self, parsed, uri, index).called(name.upper())
        return called.definition if called is not None else None

    def detailed(self, uri: str, index: int) -> StatementLineage:
        """The lineage of a statement with its CTEs and derived tables as relations of the kind `result`; not kept."""
        parsed = self.statements.get((uri, index))
        if parsed is None:
            return _NO_LINEAGE
        options = Options(self._variables_of(uri)[index], SEPARATOR.join(("result", uri, str(index), "")))
        return self._bind(parsed, uri, index, options)

    def _bind(self, parsed: ParsedStatement, uri: str, index: int, options: Options) -> StatementLineage:
        schemas = _StatementSchemas(self, parsed, uri, index)
        lineage = bind_statement(parsed.model, parsed.dialect, schemas, options)
        if schemas.itself is not None:
            # A model that reads what its last run has stored: its columns are known now.
            stored = self._stored(schemas.itself, lineage, uri, index)
            schemas = _StatementSchemas(self, parsed, uri, index, stored)
            lineage = bind_statement(parsed.model, parsed.dialect, schemas, options)
        return replace(lineage, dependencies=tuple(schemas.asked.values()))

    def relation(self, relation_id: str) -> Relation | None:
        """A relation of the catalog by id, its tree inferred where a query defines it."""
        entry = self.catalog.get(relation_id)
        return self.whole(entry) if entry is not None else None

    def whole(self, entry: Entry) -> Relation:
        """An entry's relation: as declared, or as its view's or CTAS' query gives it."""
        if entry.query is None:
            return entry.relation
        relation = self._inferred.get(_version(entry, entry.query))
        if relation is None:
            # Who asked by the last parts of the name must not decide for those who ask by all of it.
            told = replace(entry, relation=replace(entry.relation, assumed=False)) if entry.relation.assumed else entry
            relation = self._infer(told, entry.query)
        return replace(relation, assumed=True) if entry.relation.assumed else relation

    def _stored(self, entry: Entry, lineage: StatementLineage, uri: str, index: int) -> Relation:
        outputs = tuple(sited(field, uri, index) for field in lineage.outputs)
        relation = self.catalog.complete(entry, outputs, lineage.open or not outputs)
        return replace(relation, assumed=True, fingerprint=_ITSELF)

    def _infer(self, entry: Entry, query: Definition) -> Relation:
        if entry.id in self._inferring and entry.id not in self._circular:
            self._circular |= circle_of(entry, self.catalog, self._model_of)
        if entry.id in self._circular:
            return replace(entry.relation, open=True, fingerprint=_CYCLE)
        if len(self._inferring) >= self._deep:
            self._infer_below(entry)
        self._inferring.append(entry.id)
        try:
            lineage = self.lineage(query.uri, query.statement)
        finally:
            self._inferring.pop()
        if entry.id in self._circular:
            return replace(entry.relation, open=True, fingerprint=_CYCLE)
        outputs = tuple(sited(field, query.uri, query.statement) for field in lineage.outputs)
        relation = self.catalog.complete(entry, outputs, lineage.open or not outputs)
        # Inside a circle the tree may lack what the circle would bring: good for now, not to be kept.
        if not self._inferring:
            self._inferred[_version(entry, query)] = relation
        return relation

    def _infer_below(self, entry: Entry) -> None:
        """Binds what an entry reads from the lowest up, so that a long chain of views needs no deep recursion."""
        before, self._deep = self._deep, self._deep + _DEEP
        try:
            for other in below(entry, self.catalog, self._model_of, self._is_bound):
                self.whole(other)
        finally:
            self._deep = before

    def _model_of(self, definition: Definition) -> StatementModel | None:
        return self.model(definition.uri, definition.statement)

    def _is_bound(self, entry: Entry) -> bool:
        return entry.query is not None and (entry.query.uri, entry.query.statement) in self._lineages

    def model(self, uri: str, index: int) -> StatementModel | None:
        """The model of a statement, None where there is no such statement."""
        parsed = self.statements.get((uri, index))
        return parsed.model if parsed is not None else None

    def in_body(self, uri: str, index: int) -> bool:
        """Whether a statement stands in the body of a routine."""
        parsed = self.statements.get((uri, index))
        return parsed is not None and parsed.inner

    def redefinitions(self, uri: str) -> tuple[Redefinition, ...]:
        """The relations that a document declares although they are declared already; see `redefinitions`."""
        return tuple(redefinitions(uri, self))

    def turning_points_of(self, uri: str) -> tuple[int, ...]:
        """The statements of a document that replace a relation which it defined before."""
        points = self._turning.get(uri)
        if points is None:
            points = self._turning[uri] = turning_points(self.catalog.definitions(uri), self._name_of)
        return points

    def catalog_at(self, uri: str, index: int) -> Catalog:
        """The catalog as statement `index` of a document finds it: what it or a later one replaces is not yet so."""
        point = next((place for place in self.turning_points_of(uri) if place >= index), None)
        if point is None:
            return self.catalog
        state = self._states.get((uri, point))
        if state is None:
            before = state_before(self.catalog.definitions(uri), point, self._name_of)
            state = self._states[uri, point] = self.catalog.replace_file(uri, before)
        return state

    def _name_of(self, definition: Definition, name: tuple[Name, ...]) -> str:
        return self.catalog.relation_id(name, definition.dialect, definition.namespace)

    def _still_true(self, known: KeptLineage, parsed: ParsedStatement, uri: str, index: int) -> bool:
        schemas = _StatementSchemas(self, parsed, uri, index)
        return all(schemas.fingerprint(dependency.parts) == dependency.fingerprint for dependency in known.dependencies)

    def _variables_of(self, uri: str) -> tuple[frozenset[str], ...]:
        """The variables that each statement of a document knows: names that are no columns.

        A routine's body knows its own and its parameters, the script around it what is declared outside of bodies.
        """
        found = self._variables.get(uri)
        if found is not None:
            return found
        outside: set[str] = set()
        scopes: list[set[str]] = []
        names = outside
        while (parsed := self.statements.get((uri, len(scopes)))) is not None:
            if parsed.inner and scopes and scopes[-1] is outside:
                before = self.statements[uri, len(scopes) - 1]
                names = set(parsed.dialect.routine_variables) | _declared(before)
            elif not parsed.inner:
                names = outside
            if isinstance(parsed.outline, Declare | DynamicSql):
                names |= _declared(parsed)
            scopes.append(names)
        kept: dict[int, frozenset[str]] = {}
        self._variables[uri] = tuple(kept.setdefault(id(scope), frozenset(scope)) for scope in scopes)
        return self._variables[uri]


def _declared(parsed: ParsedStatement) -> set[str]:
    """The variables that a statement makes known: those that it declares or sets, a routine's parameters and name."""
    statement = parsed.outline
    fold = parsed.dialect.column_key
    if isinstance(statement, Declare | DynamicSql):
        return {fold(name.text, name.quoted) for name in statement.names}
    if isinstance(statement, CreateFunction):
        listed = (*(one.name for one in (*statement.params, *statement.returns)), *statement.name[-1:])
        return {fold(name.text, name.quoted) for name in listed}
    return set()


class _StatementSchemas:
    """The catalog as one statement sees it; remembers what was asked, so that the answer's lifetime is known."""

    def __init__(
        self, analysis: Analysis, parsed: ParsedStatement, uri: str, index: int, stored: Relation | None = None
    ) -> None:
        self._analysis = analysis
        # The entry of a model that reads itself, and what is known of it.
        self.itself: Entry | None = None
        self._stored = stored
        self._index = index
        self._catalog = analysis.catalog_at(uri, index)
        self._parsed = parsed
        self._uri = uri
        self._relations: dict[tuple[str, ...], Relation | None] = {}
        self._called: dict[str, CalledFunction | None] = {}
        self.asked: dict[tuple[str, ...], Dependency] = {}

    def relation(self, parts: tuple[Name, ...]) -> Relation | None:
        words = _words(parts)
        if words in self._relations:
            return self._relations[words]
        relation = self._find(parts)
        self._relations[words] = relation
        self.asked[words] = Dependency(words, _mark(relation))
        return relation

    def target(self, parts: tuple[Name, ...]) -> tuple[str, str]:
        parsed = self._parsed
        entry = self._catalog.find(parts, parsed.dialect, parsed.namespace, self._uri)
        if entry is None or entry.relation.assumed:
            return self.relation_id(parts), display_name(parts, parsed.dialect)
        return entry.id, entry.name

    def called(self, name: str) -> CalledFunction | None:
        if not self._analysis.has_functions:
            self.asked[_NO_FUNCTIONS] = Dependency(_NO_FUNCTIONS, _MISSING)
            return None
        if name not in self._called:
            self._called[name] = self._find_function(name)
            words = (*_NO_FUNCTIONS, name)
            self.asked[words] = Dependency(words, _function_mark(self._called[name]))
        return self._called[name]

    def _find_function(self, name: str) -> CalledFunction | None:
        parsed = self._parsed
        # A call's name comes in upper case; where the database minds the case, most are defined in lower case.
        for spelled in (name, name.lower()):
            parts = tuple(Name(part) for part in spelled.split("."))
            definition = self._catalog.function_definition(parts, parsed.dialect, parsed.namespace)
            if definition is None or not isinstance(definition.model, CreateFunction):
                continue
            entry = self._catalog.find_function(parts, parsed.dialect, parsed.namespace)
            if entry is None or not (definition.model.table or definition.model.returns):
                return CalledFunction(definition.model, None)
            return CalledFunction(definition.model, self._analysis.whole(entry))
        return None

    def function(self, parts: tuple[Name, ...]) -> tuple[str, str]:
        parsed = self._parsed
        entry = self._catalog.find_function(parts, parsed.dialect, parsed.namespace)
        shown = display_name(parts, parsed.dialect)
        return (entry.id, entry.name) if entry is not None else (self.relation_id(parts) + "()", shown)

    def relation_id(self, parts: tuple[Name, ...]) -> str:
        return self._catalog.relation_id(parts, self._parsed.dialect, self._parsed.namespace)

    def data_type(self, spec: TypeSpec) -> DataType:
        kind = self._catalog.data_type(spec, self._parsed.dialect, self._parsed.namespace)
        if _names_a_type(spec):
            words = ("", *(part.text for part in spec.name))
            self.asked[words] = Dependency(words, _type_mark(kind))
        return kind

    def fingerprint(self, words: tuple[str, ...]) -> str:
        """What the catalog answers now to a question that was asked before."""
        if words[:1] == _NO_FUNCTIONS:
            if len(words) == 1:
                return "some" if self._analysis.has_functions else _MISSING
            return _function_mark(self._find_function(words[1]))
        if words[:1] == ("",):
            spec = TypeSpec("named", "", name=tuple(Name(word) for word in words[1:]))
            return _type_mark(self._catalog.data_type(spec, self._parsed.dialect, self._parsed.namespace))
        return _mark(self._find(tuple(Name(word[1:], quoted=word[0] == '"') for word in words)))

    def _find(self, parts: tuple[Name, ...]) -> Relation | None:
        parsed = self._parsed
        entry = self._catalog.find(parts, parsed.dialect, parsed.namespace, self._uri)
        if entry is None:
            return None
        if self._is_itself(entry):
            self.itself = entry
            return self._stored or replace(entry.relation, open=True, assumed=True, fingerprint=_ITSELF)
        relation = self._analysis.whole(entry)
        family = entry.id.split(SEPARATOR, 1)[0]
        return relation if family == parsed.dialect.family else _under(relation, parsed.dialect)

    def _is_itself(self, entry: Entry) -> bool:
        query = entry.query
        if query is None or (query.uri, query.statement) != (self._uri, self._index):
            return False
        return isinstance(query.model, CreateView) and query.model.model


def _known_key(parsed: ParsedStatement, variables: frozenset[str]) -> str:
    return "\n".join((parsed.key, *sorted(variables)))


def _version(entry: Entry, query: Definition) -> tuple[str, str, int, str]:
    """Which of the definitions of a relation an inferred tree belongs to."""
    return entry.id, query.uri, query.statement, f"{entry.relation.fingerprint}{len(entry.changes)}"


def _function_mark(called: CalledFunction | None) -> str:
    if called is None:
        return _MISSING
    encoded = msgspec.msgpack.encode(called.definition)
    return blake2b(encoded, digest_size=8).hexdigest() + _mark(called.relation)


def _words(parts: tuple[Name, ...]) -> tuple[str, ...]:
    return tuple([('"' if part.quoted else " ") + part.text for part in parts])


def _mark(relation: Relation | None) -> str:
    """What a statement that asked for this relation depends on.

    More than the fingerprint: types in a lineage lead to the places of their fields, which must not outlive an edit.
    """
    if relation is None:
        return _MISSING
    if relation.fingerprint == _ITSELF:
        return _ITSELF
    return relation.fingerprint + _digest(relation.columns) + ("?" if relation.assumed else "")


def _names_a_type(spec: TypeSpec) -> bool:
    return spec.kind == "named"


def _type_mark(kind: DataType) -> str:
    return _digest(kind)


def _digest(records: object) -> str:
    """A hash of columns or of a type, the places of their fields included."""
    try:
        content = msgpack.encode(records)
    except UnicodeEncodeError:
        # A lone surrogate in a name.
        content = repr(records).encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=8).hexdigest()


def _under(relation: Relation, dialect: Dialect) -> Relation:
    """A relation declared in a file without dialect, with its names compared as the reading dialect does."""
    return replace(relation, columns=tuple(_rekeyed(column, dialect.column_key(column.name), dialect)
                                           for column in relation.columns))


def _rekeyed(field: Field, key: str, dialect: Dialect) -> Field:
    return Field(field.name, key, _rekeyed_type(field.type, dialect), field.site, field.guessed)


def _rekeyed_type(kind: DataType, dialect: Dialect) -> DataType:
    if isinstance(kind, RecordType):
        return replace(kind, fields=tuple(_rekeyed(f, dialect.field_key(f.name), dialect) for f in kind.fields))
    if isinstance(kind, ArrayType):
        return replace(kind, element=_rekeyed_type(kind.element, dialect))
    if isinstance(kind, MapType):
        return replace(kind, key=_rekeyed_type(kind.key, dialect), value=_rekeyed_type(kind.value, dialect))
    return kind


def sited(field: Field, uri: str, statement: int) -> Field:
    """An output column with its place: the lineage of a statement knows no document, its relation does."""
    site = field.site
    if site is not None and not site.uri:
        site = Site(uri, statement, site.start, site.end)
    return Field(field.name, field.key, _sited_type(field.type, uri, statement), site, field.guessed)


def _sited_type(kind: DataType, uri: str, statement: int) -> DataType:
    """The fields of a record that the query builds stand in its statement too."""
    if isinstance(kind, RecordType) and (kind.built or any(f.site is None or not f.site.uri for f in kind.fields)):
        return replace(kind, fields=tuple(sited(f, uri, statement) for f in kind.fields))
    if isinstance(kind, ArrayType):
        element = _sited_type(kind.element, uri, statement)
        return kind if element is kind.element else replace(kind, element=element)
    return kind
