"""Writes down the name that a select item has anyway, and the AS that an alias can go without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sql_lineage_ls.features.asking import Asked
from sql_lineage_ls.features.locate import is_templated
from sql_lineage_ls.features.results import Action
from sql_lineage_ls.features.written_names import written
from sql_lineage_ls.lineage.naming import implied_name
from sql_lineage_ls.lineage.probe import Candidate
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.model_walk import records_of
from sql_lineage_ls.syntax.pieces import COMMENT, LINE_COMMENT, pieces_of
from sql_lineage_ls.syntax.query_model import (
    ColumnRef,
    ColumnsPattern,
    DerivedTable,
    Name,
    Projection,
    Select,
    Star,
    TableRef,
)
from sql_lineage_ls.workspace.snapshot import StatementView

_SEVERAL = (Star, ColumnsPattern)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def explicit_alias(asked: Asked) -> Iterator[Action]:
    """`SELECT COUNT(*) FROM orders o` becomes `COUNT(*) AS f0_` (BigQuery's name) and `orders AS o`."""
    statement = asked.statement
    if statement is None or statement.model.issues:
        return
    offset = asked.span.start - statement.start
    yield from _item(asked, statement, offset)
    for name in _aliases(statement, asked.document.dialect.table_alias_as):
        if name.start <= offset <= name.end and not _has_as(asked, statement, name):
            at = statement.start + name.start
            yield Action(
                f"Write AS before the alias `{name.text}`", "refactor.rewrite", (asked.change(at, at, "AS "),)
            )


def _item(asked: Asked, statement: StatementView, offset: int) -> Iterator[Action]:
    """The select item at the cursor, where it computes something and has no alias."""
    found = [
        (item, select.projections[:position])
        for select in records_of(Select, statement.model)
        for position, item in enumerate(select.projections)
        if 0 <= item.start <= offset <= item.end
    ]
    if not found:
        return
    item, before = min(found, key=lambda one: one[0].end - one[0].start)
    text = asked.document.text[statement.start + item.start : statement.start + item.end]
    if item.alias is not None or item.aliases or isinstance(item.value, (ColumnRef, *_SEVERAL)) or is_templated(text):
        return
    name = _name(item, before, asked.document.dialect)
    at = statement.start + item.end
    yield Action(f"Name it: AS {name}", "refactor.rewrite", (asked.change(at, at, f" AS {name}"),))


def _name(item: Projection, before: Sequence[Projection], dialect: Dialect) -> str:
    """The name that the database gives to an item, where that is a word; else one by its place."""
    implied = implied_name(item.value, dialect)
    if implied is not None:
        return written(Candidate(implied.text, "", implied.text), dialect)
    unnamed = sum(one.alias is None and implied_name(one.value, dialect) is None for one in before)
    made = dialect.anonymous.format(i=len(before), n=unnamed)
    return made if _WORD.match(made) else f"column_{len(before) + 1}"


def _aliases(statement: StatementView, tables_too: bool) -> Iterator[Name]:
    """The aliases of select items, and of tables where AS may stand before those."""
    for item in records_of(Projection, statement.model):
        if item.alias is not None and item.start <= item.alias.start < item.end:
            yield item.alias
    if not tables_too:
        return
    sources: list[TableRef | DerivedTable] = [
        *records_of(TableRef, statement.model), *records_of(DerivedTable, statement.model)
    ]
    for source in sources:
        if source.alias is not None and source.alias.start >= 0:
            yield source.alias


def _has_as(asked: Asked, statement: StatementView, name: Name) -> bool:
    """Whether the word before an alias is AS; true too where it is no word, since other grammars begin with a name."""
    text = asked.document.text[statement.start : statement.start + name.start]
    before = [one for one in pieces_of(text, asked.document.dialect) if one.kind not in (COMMENT, LINE_COMMENT)]
    if not before:
        return True
    return text[before[-1].start : before[-1].end].upper() in ("AS", "=", ",", "(", "SELECT", ".", ":=")
