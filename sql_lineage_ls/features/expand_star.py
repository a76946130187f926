"""Writes the columns of a star in its place, where all of them are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sql_lineage_ls.features.asking import Asked, line_start, place_at
from sql_lineage_ls.features.locate import is_templated
from sql_lineage_ls.features.results import Action
from sql_lineage_ls.features.written_names import qualifier, written
from sql_lineage_ls.lineage.model import ColumnFact
from sql_lineage_ls.lineage.probe import Candidate, Source
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.model_walk import records_of
from sql_lineage_ls.syntax.pieces import groups_of, item_around, pieces_of
from sql_lineage_ls.syntax.query_model import Projection, Star
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import StatementView

MOST_COLUMNS = 500
"""A list that is longer than this nobody wants to have in a query."""
_WIDEST = 100


def expand_star(asked: Asked) -> Iterator[Action]:
    """`SELECT o.* EXCEPT (id) FROM orders AS o` becomes `SELECT o.customer, o.items FROM orders AS o`."""
    statement = asked.statement
    if statement is None or statement.model.issues:
        return
    item = _item_at(statement, asked.span.start - statement.start)
    if item is None or not isinstance(item.value, Star):
        return
    star = item.value
    columns = _columns(asked, statement, star)
    span = Span(statement.start + item.start, statement.start + item.end)
    if not columns or len(columns) > MOST_COLUMNS or is_templated(asked.text(span)):
        return
    texts = list(_texts(asked, statement, item, star, columns))
    yield Action(
        f"Expand `{' '.join(asked.text(span).split())}` to {_counted(len(texts))}",
        "refactor.rewrite",
        (asked.change(span.start, span.end, _listed(asked.document.text, span.start, texts)),),
    )


def _item_at(statement: StatementView, offset: int) -> Projection | None:
    """The select item at an offset, where it is nothing but a star."""
    found = [
        item for item in records_of(Projection, statement.model)
        if isinstance(item.value, Star) and 0 <= item.start <= offset <= item.end and item.value.start >= item.start
    ]
    return min(found, key=lambda item: item.end - item.start, default=None)


def _columns(asked: Asked, statement: StatementView, star: Star) -> tuple[ColumnFact, ...]:
    """What the analysis found the star to stand for; () where it does not know all of it."""
    for occurrence in asked.snapshot.occurrences(asked.document, statement):
        if occurrence.kind == "star" and occurrence.start == star.start:
            return () if occurrence.reason else occurrence.columns
    return ()


def _texts(
    asked: Asked, statement: StatementView, item: Projection, star: Star, columns: Sequence[ColumnFact]
) -> Iterator[str]:
    """The items that stand for a star: each column with its owner, and what REPLACE and RENAME say of it."""
    dialect = asked.document.dialect
    text = asked.document.text[statement.start : statement.end]
    fold = dialect.column_key
    replaced = _modifiers(text, dialect, star.replace)
    renamed = _modifiers(text, dialect, star.rename)
    prefix = text[item.start : star.start] if star.qualifier is not None else ""
    whole = Span(statement.start + item.start, statement.start + item.end)
    sources = () if prefix else place_at(asked.snapshot, asked.document, whole).sources
    owners = _owners(sources, columns, dialect) if len(sources) > 1 else [""] * len(columns)
    for column, owner in zip(columns, owners, strict=True):
        key = fold(column.name)
        if key in renamed:
            yield prefix + renamed[key]
        else:
            name = written(Candidate(column.name, "column"), dialect)
            yield replaced.get(key, f"{prefix or owner}{name}")


def _owners(sources: Sequence[Source], columns: Sequence[ColumnFact], dialect: Dialect) -> list[str]:
    """What stands before each column: `o.`; nothing before one that USING or NATURAL has made of several."""
    in_star = Counter(dialect.column_key(column.name) for column in columns)
    in_sources = Counter(column.key for source in sources for column in source.columns)
    used: set[tuple[str, str]] = set()
    owners = []
    for column in columns:
        owner = ""
        for source in sources:
            found = next((one for one in source.columns if _is(one, column)), None)
            if found is None or (source.name, found.key) in used or in_star[found.key] < in_sources[found.key]:
                continue
            used.add((source.name, found.key))
            owner = qualifier(source, dialect) + "."
            break
        owners.append(owner)
    return owners


def _is(one: Candidate, column: ColumnFact) -> bool:
    return one.name == column.name and one.nodes == column.nodes


def _modifiers(text: str, dialect: Dialect, items: Sequence[Projection]) -> dict[str, str]:
    """What REPLACE or RENAME says of each column, by the name that it gives."""
    pieces = pieces_of(text, dialect)
    groups = groups_of(text, pieces)
    found = {}
    for item in items:
        if item.alias is not None and item.alias.start >= 0:
            start, end = item_around(text, pieces, groups, item.alias.start)
            found[dialect.column_key(item.alias.text, item.alias.quoted)] = text[start:end]
    return found


def _listed(text: str, start: int, items: list[str]) -> str:
    """The items on one line where they fit, else one a line below the first."""
    begin = line_start(text, start)
    if start - begin + sum(len(item) + 2 for item in items) <= _WIDEST:
        return ", ".join(items)
    indent = "".join(char if char.isspace() else " " for char in text[begin:start])
    return f",\n{indent}".join(items)


def _counted(count: int) -> str:
    return "1 column" if count == 1 else f"{count} columns"
