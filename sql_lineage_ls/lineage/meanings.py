"""What each token of a statement means: noted while it is bound, told when somebody looks at the text.

Most statements are bound without anybody asking, and telling costs as much as a third of binding: a note keeps the
value, and what it comes from is worked out for the first reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Protocol, Union, overload

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.catalog.types import DataType
from sql_lineage_ls.lineage.model import (
    DIRECT_ROLES,
    VALUE,
    ColumnFact,
    GeneratedSource,
    Node,
    Occurrence,
    Path,
    Source,
)
from sql_lineage_ls.lineage.values import ELEMENT, Ref, Value, flatten, type_of


class NamedValue(Protocol):
    """A column as far as facts go."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> Value: ...


class Note(Struct, frozen=True, gc=False, eq=False):
    """A token, the value that it stands for, if any, and the columns that it expands to (`model.Occurrence`)."""

    start: int
    end: int
    kind: str
    name: str
    value: Union[Value, None]
    relation: str
    path: Path
    definitions: tuple[tuple[int, int], ...]
    columns: Sequence[NamedValue]
    expression: tuple[int, int]


class _Meaning(Struct, frozen=True, gc=False):
    """What occurrences say of a value."""

    nodes: tuple[Node, ...] = ()
    type: DataType | None = None
    transform: str = ""
    generated: tuple[GeneratedSource, ...] = ()
    reason: str = ""


_NOTHING = _Meaning()


class Meanings(Sequence[Occurrence]):
    """What the tokens of one statement mean, in the order of the text: worked out from notes when it is first read."""

    def __init__(self) -> None:
        self._notes: list[Note | tuple[Occurrence, Sequence[NamedValue]]] = []
        self._told: tuple[Occurrence, ...] | None = None

    def note(self, note: Note) -> None:
        """Keeps what will be told of a token."""
        self._notes.append(note)

    def add(self, occurrence: Occurrence, columns: Sequence[NamedValue] = ()) -> None:
        """Keeps an occurrence that is told as it is, with the columns that it expands to."""
        self._notes.append((occurrence, columns))

    def told(self) -> tuple[Occurrence, ...]:
        """What was noted. From then on nothing can be noted any more."""
        if self._told is None:
            self._told = tuple(_Telling().tell(self._notes))
            self._notes = []
        return self._told

    def __bool__(self) -> bool:
        return bool(self._notes or self._told)

    def __len__(self) -> int:
        return len(self.told())

    @overload
    def __getitem__(self, at: int) -> Occurrence: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Occurrence, ...]: ...

    def __getitem__(self, at: int | slice) -> Occurrence | tuple[Occurrence, ...]:
        return self.told()[at]

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self.told())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.told() == tuple(other)

    def __hash__(self) -> int:
        return hash(self.told())

    def __repr__(self) -> str:
        return repr(self.told())


class _Telling:
    """Notes to occurrences. A wide table is told once, not for each mention of its alias: notes share their values."""

    def __init__(self) -> None:
        # By the identity of columns and values, which the notes keep.
        self._facts: dict[int, ColumnFact] = {}
        self._listed: dict[int, tuple[ColumnFact, ...]] = {}
        self._meanings: dict[int, _Meaning] = {}

    def tell(self, notes: Sequence[Note | tuple[Occurrence, Sequence[NamedValue]]]) -> list[Occurrence]:
        told = []
        for note in notes:
            if isinstance(note, Note):
                told.append(self._occurrence(note))
            elif note[1]:
                told.append(replace(note[0], columns=self._columns(note[1])))
            else:
                told.append(note[0])
        told.sort(key=attrgetter("start", "end"))
        return told

    def _occurrence(self, note: Note) -> Occurrence:
        meaning = self._meaning(note.value) if note.value is not None else _NOTHING
        return Occurrence(
            note.start, note.end, note.kind, note.name, note.relation, note.path, meaning.nodes, meaning.type,
            meaning.transform, meaning.generated, meaning.reason, note.definitions,
            self._columns(note.columns) if note.columns else (), note.expression,
        )  # fmt: skip

    def _meaning(self, value: Value) -> _Meaning:
        told = self._meanings.get(id(value))
        if told is None:
            told = self._meanings[id(value)] = _meaning_of(value)
        return told

    def _columns(self, columns: Sequence[NamedValue]) -> tuple[ColumnFact, ...]:
        listed = self._listed.get(id(columns))
        if listed is None:
            listed = self._listed[id(columns)] = tuple([self._fact(column) for column in columns])
        return listed

    def _fact(self, column: NamedValue) -> ColumnFact:
        told = self._facts.get(id(column))
        if told is None:
            told = self._facts[id(column)] = _column_fact(column.name, column.value)
        return told


def _meaning_of(value: Value) -> _Meaning:
    if isinstance(value, Ref) and value.path:
        transform = "UNNEST" if ELEMENT in value.path else "IDENTITY"
        return _Meaning((Node(value.relation, value.path),), value.type, transform)
    flow = flatten(value)
    reason = "; ".join(dict.fromkeys([gap.text for gap in flow.gaps if gap.role in DIRECT_ROLES]))
    return _Meaning(_value_nodes(flow.sources), type_of(value), flow.transform, flow.generated, reason)


def _column_fact(name: str, value: Value) -> ColumnFact:
    if isinstance(value, Ref):
        return ColumnFact(name, value.type, (Node(value.relation, value.path),))
    return ColumnFact(name, type_of(value), _value_nodes(flatten(value).sources))


def _value_nodes(sources: tuple[Source, ...]) -> tuple[Node, ...]:
    return tuple(dict.fromkeys([Node(source.relation, source.path) for source in sources if source.role == VALUE]))
