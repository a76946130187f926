"""Relations that are declared twice: in a script that does not drop them between, and elsewhere with other columns.

Silence beats a guess. Within a script only what runs from its top to its end without a choice counts, and nothing in a
routine's body; over files only names with a schema, written or set, since scripts for several databases often lie side
by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from msgspec import Struct

from sql_lineage_ls.catalog.catalog import Catalog
from sql_lineage_ls.catalog.definition import Definition
from sql_lineage_ls.catalog.names import display_name, qualify
from sql_lineage_ls.catalog.types import Site
from sql_lineage_ls.lineage.model import StatementLineage
from sql_lineage_ls.syntax import query_model as q


class Redefinition(Struct, frozen=True):
    """A second declaration: the places of its name and of the other one's, and what is wrong."""

    site: Site
    other: Site
    name: str
    message: str


class Declarations(Protocol):
    """What is known of the statements around: the catalog, and what each query gives."""

    catalog: Catalog

    def lineage(self, uri: str, index: int) -> StatementLineage: ...

    def model(self, uri: str, index: int) -> q.StatementModel | None: ...

    def in_body(self, uri: str, index: int) -> bool: ...


# Statements beside the definitions that neither drop a table nor decide whether the next ones run.
_PLAIN = frozenset({"ANALYZE", "COMMENT", "COMMIT", "GRANT", "REVOKE", "VACUUM", "SHOW", "DESCRIBE", "EXPLAIN"})
_DATA = (q.QueryStatement, q.Insert, q.MultiInsert, q.Update, q.Merge, q.Delete, q.Truncate, q.Drop,
         q.AlterTable, q.CreateTable, q.CreateView, q.CreateType)  # fmt: skip


def redefinitions(uri: str, known: Declarations) -> Iterator[Redefinition]:
    """The second declarations in a document, in the order of its statements.

    `CREATE TABLE t (a INT); CREATE TABLE t (a INT)` gives one at the second `t`.
    """
    told = {found.site: found for found in _in_script(uri, known)}
    for found in _in_other_files(uri, known):
        told.setdefault(found.site, found)
    yield from (told[site] for site in sorted(told, key=lambda site: (site.statement, site.start)))


# ---------------------------------------------------------------- within a script


def _in_script(uri: str, known: Declarations) -> Iterator[Redefinition]:
    made: dict[str, Definition] = {}
    before = 0
    for at in known.catalog.definitions(uri):
        if not all(_runs_on(known.model(uri, index)) for index in range(before, at.statement + 1)):
            made.clear()
        before = at.statement + 1
        if known.in_body(uri, at.statement):
            continue
        model = at.model
        if isinstance(model, q.Drop):
            for name in (model.name, *model.others):
                made.pop(_id(name, at, known), None)
            if model.kind == "SCHEMA":
                made.clear()
        elif isinstance(model, q.AlterTable):
            if any(isinstance(action, q.RenameTable | q.SwapTable) for action in model.actions):
                made.clear()
        elif name := _made(model):
            first = made.get(_id(name, at, known))
            if first is not None and not _replaces(model):
                yield from _told(at, first, "is created twice: nothing drops it between")
            made[_id(name, at, known)] = at


def _runs_on(model: q.StatementModel | None) -> bool:
    """Whether a statement is read in full and leaves the order of the script alone."""
    if model is None or model.issues or model.partial or model.templated:
        return False
    statement = model.statement
    return isinstance(statement, _DATA) or (isinstance(statement, q.OtherStatement) and statement.keyword in _PLAIN)


def _made(model: q.Statement) -> tuple[q.Name, ...]:
    """The relation that a statement makes, () where it makes none."""
    if isinstance(model, q.CreateTable):
        return model.name
    if isinstance(model, q.CreateView):
        return () if model.model else model.name
    return model.into if isinstance(model, q.QueryStatement) else ()


def _replaces(model: q.Statement) -> bool:
    return isinstance(model, q.CreateTable | q.CreateView) and (model.replace or model.if_not_exists)


# ---------------------------------------------------------------- over files


def _in_other_files(uri: str, known: Declarations) -> Iterator[Redefinition]:
    """Declarations with other columns than an earlier file's, in the order of addresses."""
    for at in known.catalog.definitions(uri):
        name = _made(at.model)
        if not name or getattr(at.model, "temporary", False) or len(qualify(name, at.dialect, at.namespace)) < 2:
            continue
        if known.in_body(uri, at.statement):
            continue
        for other in known.catalog.creates(name, at):
            if other.uri >= uri or known.in_body(other.uri, other.statement):
                continue
            here, there = _columns(at, known), _columns(other, known)
            differ = here and there and here.keys() != there.keys()
            if differ and not known.catalog.drops(_id(name, at, known)):
                yield from _told(at, other, _difference(here, there))
                break


def _columns(at: Definition, known: Declarations) -> dict[str, str]:
    """The columns that a declaration lists or its query gives, by key; none where not all of them are known."""
    model = at.model
    statement = known.model(at.uri, at.statement)
    if at.partial or statement is None or statement.templated or statement.issues:
        return {}
    if isinstance(model, q.CreateTable) and model.query is None:
        if model.open or model.like or model.clone or model.of_type or model.inherits:
            return {}
        names = (column.name for column in model.columns)
        return {at.dialect.column_key(name.text, name.quoted): name.text for name in names}
    lineage = known.lineage(at.uri, at.statement)
    return {} if lineage.open else {output.key: output.name for output in lineage.outputs}


def _difference(here: dict[str, str], there: dict[str, str]) -> str:
    sides = ((here.keys() - there.keys(), here, "only here"), (there.keys() - here.keys(), there, "only there"))
    told = [f"{word} {_listed(names[key] for key in names if key in keys)}" for keys, names, word in sides if keys]
    return f"is declared elsewhere with other columns: {'; '.join(told)}"


_MOST_LISTED = 5


def _listed(names: Iterable[str]) -> str:
    found = [f"'{name}'" for name in names]
    more = len(found) - _MOST_LISTED
    return ", ".join(found[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


# ---------------------------------------------------------------- both


def _told(at: Definition, other: Definition, text: str) -> Iterator[Redefinition]:
    name, first = _made(at.model), _made(other.model)
    site, other_site = at.site(name[-1]), other.site(first[-1])
    if site is not None and other_site is not None:
        shown = display_name(name, at.dialect)
        yield Redefinition(site, other_site, shown, f"'{shown}' {text}")


def _id(name: tuple[q.Name, ...], at: Definition, known: Declarations) -> str:
    return known.catalog.relation_id(name, at.dialect, at.namespace)
