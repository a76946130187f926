"""What one statement's binding knows and collects: rules, schemas, and the facts found on the way."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace
from rapidfuzz import fuzz, process

from sql_lineage_ls.catalog.names import display_part
from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import DataType
from sql_lineage_ls.lineage.cte_uses import CteUses
from sql_lineage_ls.lineage.meanings import Meanings, NamedValue, Note
from sql_lineage_ls.lineage.model import (
    Edge,
    Gap,
    Join,
    Occurrence,
    Path,
    Problem,
    Read,
    Source,
)
from sql_lineage_ls.lineage.values import Key, Value, flatten
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.query_model import CreateFunction, Name, Statement, TypeSpec

if TYPE_CHECKING:
    from sql_lineage_ls.lineage.probe import Probe
    from sql_lineage_ls.lineage.scope import Column, Scope

_SIMILAR = 70.0  # rapidfuzz ratio from which a name is worth suggesting


class Schemas(Protocol):
    """Where relations come from: the catalog, with the trees of views and CTAS inferred."""

    def relation(self, parts: tuple[Name, ...]) -> Relation | None:
        """The relation a name means, None where no DDL declares it."""

    def target(self, parts: tuple[Name, ...]) -> tuple[str, str]:
        """Id and shown name of a relation that a statement writes; never asks what its own columns are."""

    def called(self, name: str) -> CalledFunction | None:
        """The user's function that a call names (in upper case, parts joined by dots), None for any other."""

    def function(self, parts: tuple[Name, ...]) -> tuple[str, str]:
        """Id and shown name of a user's function."""

    def relation_id(self, parts: tuple[Name, ...]) -> str:
        """The canonical id of a name that no DDL declares."""

    def data_type(self, spec: TypeSpec) -> DataType:
        """A written type as a tree, named types looked up."""


class CalledFunction(Struct, frozen=True):
    """A user's function: its definition, and the relation that it is where it returns a table."""

    definition: CreateFunction
    relation: Relation | None


class Options(Struct, frozen=True):
    """What settings change in the binding.

    `variables`: script variables by folded name, which are no columns. Where `intermediate` is set CTEs and derived
    tables are relations of their own, with ids that begin with it.
    """

    variables: frozenset[str] = frozenset()
    intermediate: str = ""
    # Leaves out what only a person who looks at the text asks for: what each token means.
    brief: bool = False


class Placed(Protocol):
    """What has a place in the text."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


class Context:
    """The collector of one statement. Lives as long as its binding and is never shared."""

    def __init__(
        self, dialect: Dialect, schemas: Schemas, options: Options, partial: bool = False, templated: bool = False
    ) -> None:
        self.dialect = dialect
        self.schemas = schemas
        self.options = options
        self.meanings = Meanings()
        self.partial = partial
        self.templated = templated
        self.relations: dict[str, tuple[str, str]] = {}
        self.reads: dict[Read, None] = {}
        self.joins: dict[Join, None] = {}
        self.problems: dict[Problem, None] = {}
        self.orphans: dict[Path, None] = {}
        self.gaps: dict[Gap, None] = {}
        # The CTE or derived table that is being bound, '' for the statement's own query.
        self.scope = ""
        # The edges of CTEs and derived tables that are relations of their own, and their number.
        self.inner: list[Edge] = []
        self.results = 0
        self.ctes = CteUses()
        # Waits for a marked place (completion); None while a statement is analysed.
        self.probe: Probe | None = None
        # What data-modifying CTEs do, with the scope in which each does it; `outer` is the scope around the statement.
        self.writes: list[tuple[Statement, Scope]] = []
        self.outer: Scope | None = None
        # How a name that no DDL declares was first written, by the node above it and its folded form.
        self._spellings: dict[tuple[str, Path, str], str] = {}
        # How many calls of users' functions are being looked into.
        self.depth = 0
        # The columns of relations that were read before, by the identity of the relation, which is kept with them.
        self.columns: dict[int, tuple[Relation, tuple[Column, ...]]] = {}
        # Unquoted names as the dialect compares them.
        self._keys: dict[str, str] = {}
        # The column that COLUMNS('regex') stands for while its expression is repeated.
        self.matched_column: Value | None = None
        self._join_kind = ""
        # Whether the predicate at hand compares two relations.
        self.compares = False

    def inside(self) -> Context:
        """The collector of a function's body, whose places are of another statement: nobody reads what it collects."""
        context = Context(self.dialect, self.schemas, replace(self.options, brief=True), True)
        context.depth = self.depth + 1
        context.relations = self.relations
        return context

    @contextmanager
    def joining(self, kind: str) -> Iterator[None]:
        """Inside, comparisons of two columns are join links of this kind."""
        before, self._join_kind = self._join_kind, kind
        yield
        self._join_kind = before

    @contextmanager
    def within(self, scope: str) -> Iterator[None]:
        """Inside, a CTE or derived table of this name is bound."""
        before, self.scope = self.scope, scope
        yield
        self.scope = before

    def gap(self, kind: str, text: str, at: Placed | None = None) -> Gap:
        """A missing fact, noted where it is missing."""
        found = Gap(kind, text, at.start if at else -1, at.end if at else -1, self.scope)
        self.gaps[found] = None
        return found

    @contextmanager
    def matching(self, value: Value) -> Iterator[None]:
        """Inside, COLUMNS('regex') is this column."""
        before, self.matched_column = self.matched_column, value
        yield
        self.matched_column = before

    @contextmanager
    def reading_again(self) -> Iterator[None]:
        """Inside, tokens are read that were read before: what is told about them stays as it is."""
        told, inner, results = self.meanings, len(self.inner), self.results
        self.meanings = Meanings()
        yield
        self.meanings = told
        del self.inner[inner:]
        self.results = results

    def key(self, name: Name, exact: bool = False) -> Key:
        """A field's name under the dialect's rules."""
        rules = self.dialect
        folded = name.text if exact else rules.field_key(name.text, name.quoted)
        shown = name.text if exact else self.show(name)
        return Key(shown, folded, exact, rules.array_fields, rules.map_fields)

    def show(self, name: Name) -> str:
        """A name as results show it: quoted only where the plain spelling would mean another one."""
        return display_part(name, self.dialect) if name.quoted else name.text

    def spelled(self, relation: str, above: Path, key: str, shown: str) -> str:
        """One spelling for a column or field that no DDL declares: `Weight` and `weight` are one where case folds."""
        return self._spellings.setdefault((relation, above, key), shown)

    def fold(self, name: Name) -> str:
        """A column's, alias' or CTE's name as the dialect compares it."""
        if name.quoted:
            return self.dialect.column_key(name.text, True)
        key = self._keys.get(name.text)
        if key is None:
            key = self._keys[name.text] = self.dialect.column_key(name.text)
        return key

    def touch(self, relation_id: str, name: str, kind: str) -> None:
        """Notes that the statement touches a stored relation."""
        self.relations.setdefault(relation_id, (name, kind))

    def name_of(self, relation_id: str) -> str:
        return self.relations.get(relation_id, (relation_id, ""))[0]

    def read(self, relation: str, path: Path, name: Name, usage: str = "read") -> None:
        """Notes a use of a stored node at a token."""
        self.reads[Read(relation, path, name.start, name.end, usage)] = None

    def occur(self, occurrence: Occurrence, columns: Sequence[NamedValue] = ()) -> None:
        """Notes what a token means where that is no value, and the columns that it expands to."""
        if not self.options.brief and occurrence.start >= 0:
            self.meanings.add(occurrence, columns)

    def meaning(
        self,
        name: Name,
        kind: str,
        value: Value | None,
        *,
        relation: str = "",
        path: Path = (),
        definitions: tuple[tuple[int, int], ...] = (),
        columns: Sequence[NamedValue] = (),
        expression: tuple[int, int] = (-1, -1),
    ) -> None:
        """Notes what the token of `name` means: a value and where it comes from, and the columns it expands to."""
        if not self.options.brief and name.start >= 0:
            self.meanings.note(
                Note(name.start, name.end, kind, name.text, value, relation, path, definitions, columns, expression)
            )

    def report(self, problem: Problem) -> None:
        """Notes a disproved name. A statement read only in part proves nothing wrong, nor one with template tags."""
        if self.partial or (self.templated and problem.code != "unexpanded-star"):
            return
        if problem.start >= 0:
            self.problems[problem] = None

    def join(
        self, left: Value, right: Value, kind: str, name: Name | None = None, alone: Container[str] = ()
    ) -> None:
        """Notes the link that a comparison of two stored nodes makes; `kind` is '' for that of the clause around.

        Relations in `alone` stand in FROM once: two columns of one of them are compared within a row, not joined.
        """
        kind = kind or self._join_kind
        if not kind:
            return
        for one in _nodes(left):
            for other in _nodes(right):
                if one.relation == other.relation and one.relation in alone:
                    continue
                self.compares = True
                if one.relation != other.relation or one.path != other.path:
                    start, end = (name.start, name.end) if name else (-1, -1)
                    self.joins[Join(one.node, other.node, kind, start, end)] = None


def _nodes(value: Value) -> Iterable[Source]:
    return (source for source in flatten(value).sources if source.role == "value")


def nearest(name: str, choices: Iterable[str]) -> str:
    """The choice that a mistyped `name` most likely means, '' if none is near: `nearest("ctiy", ["city"])`."""
    by_lower = {choice.lower(): choice for choice in choices if choice != name}
    found = process.extractOne(name.lower(), sorted(by_lower), scorer=fuzz.ratio, score_cutoff=_SIMILAR)
    return by_lower[found[0]] if found else ""
