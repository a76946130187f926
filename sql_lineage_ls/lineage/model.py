"""What the analysis of one statement says, as frozen, serialisable facts.

Positions are code points relative to the start of the statement, as in the query model; -1 where no token of the
text stands for a thing. Relations are named by `Relation.id`; `StatementLineage.relations` maps each id to its name.

`CREATE VIEW v AS SELECT customer.city AS c FROM t WHERE ok` gives one `Edge` to `v.c` with the sources
`t.customer.city` (value) and `t.ok` (membership).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from sql_lineage_ls.catalog.types import DataType, Field

Path = tuple[str, ...]
"""Steps from the column down: a name, `[*]` for an element, `['k']` for a map's literal key."""

VALUE = "value"
CONDITION = "condition"
MEMBERSHIP = "membership"
GROUPING = "grouping"
WINDOW = "window"
ORDERING = "ordering"
DIRECT_ROLES = frozenset({VALUE, CONDITION})

ROWS: Path = ("RelationRows",)
"""The pseudo column that stands for the rows of a relation (docs/model.md, "Edges")."""


def path_text(path: Path) -> str:
    """`("items", "[*]", "qty")` is `items[*].qty`."""
    text = ""
    for step in path:
        text += step if not text or step.startswith("[") else "." + step
    return text


class Node(Struct, frozen=True, gc=False, order=True, array_like=True):
    """A relation and a field path in it."""

    relation: str
    path: Path


JOIN = "join"
FILTER = "filter"


class Source(Struct, frozen=True, gc=False, array_like=True):
    """A node that a target depends on, how (`role`), and what was done to it on the way (`transform`).

    Transforms: IDENTITY, RENAME, CAST, EXPRESSION, CASE, AGGREGATE, WINDOW, UNNEST, STRUCT, CONSTANT, UNION, PIVOT.
    `use` tells sources of the role `membership` apart: `join` where the node is compared with one of another relation
    (ON, USING, NATURAL, WHERE, IN, MERGE), `filter` for every other predicate, '' where only rows are counted.
    In `ON a.id = b.id AND b.open` the first two are joins and `b.open` is a filter.
    """

    relation: str
    path: Path
    role: str = VALUE
    transform: str = "IDENTITY"
    use: str = ""

    @property
    def node(self) -> Node:
        return Node(self.relation, self.path)


class GeneratedSource(Struct, frozen=True, gc=False, array_like=True):
    """A value that no relation holds.

    `kind` is `constant` (`'APP'`), `system` (`CURRENT_DATE`, `COUNT(*)`), `ordinal` (`ROW_NUMBER()`, an offset),
    `sequence` (`NEXTVAL`), `default` (the column's DEFAULT) or `parameter`.
    """

    kind: str
    text: str

    @property
    def transform(self) -> str:
        return "CONSTANT" if self.kind == "constant" else "EXPRESSION"


class Gap(Struct, frozen=True, gc=False, array_like=True):
    """A fact that is missing: why an edge could not be drawn, said for a person, and where.

    `scope` is the CTE or derived table in which it is missing, '' for the statement itself. `role` says what cannot be
    told: the value, or only what decides over it (`WHERE x > 1` where nothing proves whose column `x` is).
    """

    kind: str
    text: str
    start: int = -1
    end: int = -1
    scope: str = ""
    role: str = VALUE

    # Among sources a gap stands for no node.
    relation: ClassVar[str] = ""
    path: ClassVar[Path] = ()
    use: ClassVar[str] = ""


class Step(Struct, frozen=True, gc=False, array_like=True):
    """One scope on the way from the sources to the target: its name (`c`, `RS-1`), what it does, and its text.

    The branches of a set operation are scopes of their own, counted from 1 in the order of the text: `c/1`, `c/2`; the
    name before the `/` is missing where they are branches of the statement itself.
    """

    scope: str
    transform: str
    start: int = -1
    end: int = -1


class Edge(Struct, frozen=True, gc=False, array_like=True):
    """Everything that one target node depends on.

    `source_kind` is physical, generated, mixed or unresolved; `complete` is False exactly where `gaps` is not empty.
    `start`..`end` is the expression in the text.
    """

    relation: str
    path: Path
    sources: tuple[Source, ...] = ()
    generated: tuple[GeneratedSource, ...] = ()
    gaps: tuple[Gap, ...] = ()
    steps: tuple[Step, ...] = ()
    transform: str = "IDENTITY"
    start: int = -1
    end: int = -1

    @property
    def complete(self) -> bool:
        return not self.gaps

    @property
    def source_kind(self) -> str:
        physical = any(source.role in DIRECT_ROLES for source in self.sources)
        if not physical and any(gap.role in DIRECT_ROLES for gap in self.gaps):
            return "unresolved"
        if physical and self.generated:
            return "mixed"
        return "physical" if physical else "generated"

    @property
    def direct(self) -> tuple[Source, ...]:
        return tuple(source for source in self.sources if source.role in DIRECT_ROLES)


class Join(Struct, frozen=True, gc=False, array_like=True):
    """Two nodes compared in a join condition. `kind` is the join's kind (`INNER`, `LEFT`, ..)."""

    left: Node
    right: Node
    kind: str
    start: int = -1
    end: int = -1


class Read(Struct, frozen=True, gc=False, array_like=True):
    """A place where a stored node is used: what the reverse index, lenses and references are made of.

    `usage` is `read`, `write`, `star` (read as part of `*`) or `element`: an array is taken apart there, which shows
    that its elements exist, but uses nothing that is in them. `start`..`end` is the token of the path's last part.
    """

    relation: str
    path: Path
    start: int
    end: int
    usage: str = "read"


class ColumnFact(Struct, frozen=True, gc=False, array_like=True):
    """A column of a range variable or of a star, for hover and completion."""

    name: str
    type: DataType
    nodes: tuple[Node, ...] = ()


class Occurrence(Struct, frozen=True, gc=False, array_like=True):
    """What the token at `start`..`end` means.

    `kind`: `relation`, `cte`, `alias` (of a relation), `column`, `field`, `star`, `output` (the alias or bare name
    that names an output column), `parameter`, `type`.
    `nodes` are the stored nodes its value comes from, `relation` the relation it names, `type` its data type.
    `definitions` are spans **in this statement** one hop nearer to the source (a projection, a CTE's name, an alias);
    where there is none the definition is the declaration of `nodes` (or of `relation`).
    `path` is the node that the token itself denotes when it stands for a stored one (`relation` + `path`).
    `reason` says why nothing is proved. `columns` lists what a star, relation, CTE or alias expands to.
    """

    start: int
    end: int
    kind: str
    name: str
    relation: str = ""
    path: Path = ()
    nodes: tuple[Node, ...] = ()
    type: DataType | None = None
    transform: str = ""
    generated: tuple[GeneratedSource, ...] = ()
    reason: str = ""
    definitions: tuple[tuple[int, int], ...] = ()
    columns: tuple[ColumnFact, ...] = ()
    expression: tuple[int, int] = (-1, -1)


class Problem(Struct, frozen=True, gc=False, array_like=True):
    """A name that the catalog disproves or nobody proves; becomes a diagnostic.

    `code` is a diagnostic code (`undeclared-field`, ..). `related` is the declared node or relation that shows why.
    `suggestion` is a near name for did-you-mean, '' where there is none. `owner` names the sources that were searched.
    """

    code: str
    message: str
    start: int
    end: int
    relation: str = ""
    path: Path = ()
    suggestion: str = ""
    owner: str = ""


class Dependency(Struct, frozen=True, gc=False, array_like=True):
    """A relation name that the analysis asked the catalog for, and what it got: '' for nothing."""

    parts: tuple[str, ...]
    fingerprint: str


class StatementLineage(Struct, frozen=True, gc=False):
    """The lineage of one statement.

    `target` is the id of the relation written, '' for a bare query (the caller numbers it `RS-n`).
    `outputs` is the output tree: of a view, CTAS or query its columns with the types that could be inferred;
    `open` where a star could not be expanded.
    """

    kind: str
    target: str = ""
    outputs: tuple[Field, ...] = ()
    open: bool = False
    edges: tuple[Edge, ...] = ()
    joins: tuple[Join, ...] = ()
    reads: tuple[Read, ...] = ()
    orphans: tuple[Path, ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()
    """(id, name, kind) of every stored relation that the statement touches, in order of appearance."""
    gaps: tuple[Gap, ...] = ()
    problems: tuple[Problem, ...] = ()
    occurrences: Sequence[Occurrence] = ()
    """What each token means, in the order of the text. Worked out when it is read: not to be serialised."""
    dependencies: tuple[Dependency, ...] = ()
