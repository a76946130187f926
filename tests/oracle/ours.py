"""What the program says of a query, and how that differs from what an engine says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sql_lineage_ls.features.diagnostics import DEFAULT_SEVERITIES
from sql_lineage_ls.lineage.edges import merged
from sql_lineage_ls.lineage.model import VALUE, Edge, StatementLineage, path_text
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.oracle.trees import ELEMENT, Items, Repeated, Row, Schema, Tree, at, leaf_paths, tags
from tests.support import product

# Problems that accuse the query: an engine that runs it proves them wrong.
ACCUSING = tuple(code for code, severity in DEFAULT_SEVERITIES.items() if severity in ("error", "warning"))


@dataclass(frozen=True)
class Answer:
    """The lineage of the one query, with the names of the relations instead of their ids."""

    lineage: StatementLineage
    names: dict[str, str]
    issues: tuple[str, ...]

    def sources(self, edge: Edge) -> list[str]:
        """The nodes whose values enter a target."""
        return [
            f"{self.names.get(source.relation, source.relation)}.{path_text(source.path)}"
            for source in edge.sources if source.role == VALUE
        ]


class Analyst:
    """The program with the tables of `ddl` open ('' for none): it answers one statement after the other."""

    def __init__(self, ddl: str, dialect: str) -> None:
        self._engine = Engine()
        self._engine.configure((), Settings(dialect=dialect))
        self._engine.open("file:///ddl.sql", ddl)
        self._engine.rescan()
        self._engine.finish()

    def analyse(self, statement: str) -> Answer:
        """Our lineage of a statement."""
        self._engine.close(_QUERY)
        self._engine.open(_QUERY, statement)
        return _answer(self._engine.finish())


_QUERY = "file:///q.sql"


def analyse(ddl: str, query: str, dialect: str) -> Answer:
    """Our lineage of a query over the tables of `ddl` ('' for none)."""
    return _answer(product.open_files({_QUERY: query, **({"file:///ddl.sql": ddl} if ddl else {})}, dialect))


def _answer(snapshot: Snapshot) -> Answer:
    document = snapshot.document(_QUERY)
    assert document is not None
    statement = document.statements[0]
    names = {identity: name for identity, name, _ in statement.lineage.relations}
    issues = tuple(issue.message for issue in statement.model.issues)
    return Answer(statement.lineage, names, issues)


def false_alarms(answer: Answer) -> list[str]:
    """Problems that we report of a query that the engine accepts."""
    found = [f"{p.code}: {p.message}" for p in answer.lineage.problems if p.code.startswith(ACCUSING)]
    return [*found, *(f"unparsed: {issue}" for issue in answer.issues)]


def expanded(node: str, schema: Schema) -> frozenset[str]:
    """The leaves of a stored node: itself, or all that are below it."""
    below = (node[:-1],) if node.endswith(".*") else (node + ".", node + "[")
    return frozenset(leaf for leaf in leaf_paths(schema) if leaf == node or leaf.startswith(below))


def differences(
    answer: Answer, columns: Sequence[tuple[str, Tree]], schema: Schema, *, lossy: bool = False, partial: bool = False
) -> list[str]:
    """Where our edges and the engine's result disagree, column by column and field by field.

    `lossy`: the engine may show less than all sources. `partial`: we may say less (a query without DDL), as long as
    the edge says that a fact is missing.
    """
    found: list[str] = []
    for edge in merged(answer.lineage.edges):
        name, below = edge.path[0], edge.path[1:]
        trees = [tree for column, tree in columns if column.lower() == name.lower()]
        if len(trees) != 1:
            continue
        try:
            theirs = tags(at(trees[0], below))
        except Repeated:
            continue
        except KeyError as error:
            found.append(f"{path_text(edge.path)}: no field {error} in the engine's result")
            continue
        ours = frozenset(leaf for node in answer.sources(edge) for leaf in expanded(node, schema))
        unknown = [node for node in answer.sources(edge) if not expanded(node, schema)]
        if unknown:
            found.append(f"{path_text(edge.path)}: invented {unknown}")
        # Silence with a reason is no disagreement: an element of unknown type may have any field.
        silent = any(gap.kind == "owner-unproved" for gap in edge.gaps)
        if theirs - ours and not silent and not (partial and edge.gaps):
            found.append(f"{path_text(edge.path)}: misses {sorted(theirs - ours)}; has {answer.sources(edge)}")
        if ours - theirs and not lossy:
            found.append(f"{path_text(edge.path)}: {sorted(ours - theirs)} too many; the engine has {sorted(theirs)}")
    if not partial:
        found += _columns(answer, columns)
    return found


def written_differences(
    answer: Answer, target: str, written: Sequence[tuple[str, Tree]], schema: Schema, *, lossy: bool = False
) -> list[str]:
    """Where our edges of a DML statement and the paths that the engine writes disagree, leaf by leaf of the target."""
    theirs: dict[str, frozenset[str]] = {}
    for path, tree in written:
        for leaf, found in _leaves(f"{target}.{path}", tree, schema):
            theirs[leaf] = theirs.get(leaf, frozenset()) | found
    edges = merged(answer.lineage.edges)
    places = [expanded(f"{target}.{path_text(edge.path)}", schema) for edge in edges]
    values = [frozenset(leaf for node in answer.sources(edge) for leaf in expanded(node, schema)) for edge in edges]
    found = []
    for edge, place, value in zip(edges, places, values, strict=True):
        name = path_text(edge.path)
        if not place:
            found.append(f"{name}: no node of {target}")
        above = [v for p, v in zip(places, values, strict=True) if p > place]
        inside = frozenset().union(*(v for p, v in zip(places, values, strict=True) if p <= place), *above)
        real = frozenset().union(*(theirs.get(leaf, frozenset()) for leaf in place))
        if real - inside and not any(gap.kind == "owner-unproved" for gap in edge.gaps):
            found.append(f"{name}: misses {sorted(real - inside)}; has {answer.sources(edge)}")
        if value - real and not above and not lossy:
            found.append(f"{name}: {sorted(value - real)} too many; the engine has {sorted(real)}")
    covered = frozenset().union(*places)
    # A column that is written with itself is no flow.
    missing = sorted(leaf for leaf, sources in theirs.items() if sources - {leaf} and leaf not in covered)
    return [*found, *([f"nothing is said of {missing}"] if missing else [])]


def _leaves(path: str, tree: Tree, schema: Schema) -> Iterator[tuple[str, frozenset[str]]]:
    """The leaves of the target below a path with the sources that a value brings to each."""
    if isinstance(tree, Row):
        for name, inner in tree.fields:
            yield from _leaves(f"{path}.{name}", inner, schema)
    elif isinstance(tree, Items):
        yield from _leaves(path + ELEMENT, tree.element, schema)
    elif tree is not None:
        yield from ((leaf, tree) for leaf in expanded(path, schema))


def _columns(answer: Answer, columns: Sequence[tuple[str, Tree]]) -> list[str]:
    """Output columns that only one side has."""
    if answer.lineage.open:
        return ["the output is open although every table is declared"]
    theirs = [name.lower() for name, _ in columns]
    ours = [column.name.lower() for column in answer.lineage.outputs]
    if len(ours) != len(theirs):
        return [f"columns {ours}, the engine has {theirs}"]
    # A name that is not known for sure is no claim, and `$unnest1` is an analyzer's own.
    named = ["" if column.guessed or name.startswith("$") else name
             for column, name in zip(answer.lineage.outputs, theirs, strict=True)]
    wrong = [(one, other) for one, other in zip(ours, named, strict=True) if other and one != other]
    return [f"columns {ours}, the engine has {theirs}"] if wrong else []
