"""What the names in DDL mean: each column and nested field is a node, with its type."""

from __future__ import annotations

from collections.abc import Iterable

from sql_lineage_ls.catalog.types import DataType
from sql_lineage_ls.lineage.context import Context
from sql_lineage_ls.lineage.model import Node, Occurrence, Path
from sql_lineage_ls.lineage.values import ELEMENT
from sql_lineage_ls.syntax import query_model as q


def note_relation(name: q.Name, relation: str, shown: str, context: Context) -> None:
    """The token that names the relation a statement defines or writes."""
    context.occur(Occurrence(name.start, name.end, "relation", shown, relation=relation))


def note_columns(relation: str, columns: Iterable[q.ColumnDef], context: Context) -> None:
    """The columns of a CREATE TABLE and their nested fields, each a node of `relation`."""
    for column in columns:
        kind = context.schemas.data_type(column.type) if column.type is not None else None
        _note(relation, (column.name.text,), column.name, kind, "column", context)
        if column.type is not None:
            _note_fields(relation, (column.name.text,), column.type, context)


def _note(relation: str, path: Path, name: q.Name, kind: DataType | None, word: str, context: Context) -> None:
    context.occur(Occurrence(name.start, name.end, word, name.text, relation=relation, path=path,
                             nodes=(Node(relation, path),) if relation else (), type=kind))


def _note_fields(relation: str, path: Path, spec: q.TypeSpec, context: Context) -> None:
    for field in spec.fields:
        if field.name is None:
            continue
        inner = (*path, field.name.text)
        _note(relation, inner, field.name, context.schemas.data_type(field.type), "field", context)
        _note_fields(relation, inner, field.type, context)
    if spec.element is not None:
        _note_fields(relation, (*path, ELEMENT), spec.element, context)
    for part, type_ in (("key", spec.key), ("value", spec.value)):
        if type_ is not None:
            _note_fields(relation, (*path, ELEMENT, part), type_, context)


def note_actions(relation: str, actions: Iterable[q.AlterAction], context: Context) -> None:
    """The columns and fields that an ALTER TABLE names."""
    for action in actions:
        if isinstance(action, q.ReplaceColumns):
            note_columns(relation, action.columns, context)
        elif isinstance(action, q.AddColumn | q.ChangeType | q.DropColumn | q.RenameColumn):
            _note_action(relation, action, context)


def _note_action(
    relation: str, action: q.AddColumn | q.ChangeType | q.DropColumn | q.RenameColumn, context: Context
) -> None:
    path: Path = ()
    spec = action.type if isinstance(action, q.AddColumn | q.ChangeType) else None
    for position, name in enumerate(action.path):
        path = (*path, ELEMENT if name.text.lower() == "element" and position else name.text)
        last = position == len(action.path) - 1
        kind = context.schemas.data_type(spec) if last and spec is not None else None
        _note(relation, path, name, kind, "field" if position else "column", context)
    if spec is not None:
        _note_fields(relation, path, spec, context)
    if isinstance(action, q.RenameColumn):
        _note(relation, (*path[:-1], action.new.text), action.new, None, "column", context)


def note_type(statement: q.CreateType, context: Context) -> None:
    """The name of a CREATE TYPE and its fields, which belong to no relation yet."""
    last = statement.name[-1]
    context.occur(Occurrence(last.start, last.end, "type", last.text, type=context.schemas.data_type(statement.type)))
    _note_fields("", (), statement.type, context)
