"""Applies ALTER actions to columns and nested fields."""

from __future__ import annotations

from msgspec.structs import replace

from sql_lineage_ls.catalog.definition import Change, Definition
from sql_lineage_ls.catalog.merge import merge_types
from sql_lineage_ls.catalog.names import display_part
from sql_lineage_ls.catalog.type_builder import FindType, build_column, build_type
from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType, Unspecified
from sql_lineage_ls.syntax.query_model import (
    AddColumn,
    ChangeType,
    DropColumn,
    Name,
    RenameColumn,
    ReplaceColumns,
)

Fields = tuple[Field, ...]
# How Spark and Trino name an array's element and a map's parts in a path.
_ELEMENT = "element"
_MAP_PARTS = frozenset({"key", "value"})


def apply_change(columns: Fields, change: Change, find: FindType) -> Fields | None:
    """The columns after one action; None where it cannot be followed, so that no list of columns is complete."""
    action, at = change.action, change.definition
    if isinstance(action, ReplaceColumns):
        return tuple(build_column(column, at, find) for column in action.columns)
    if isinstance(action, AddColumn | DropColumn | RenameColumn | ChangeType):
        return _edit(columns, action.path, action, at, find, top=True)
    return columns


Edit = AddColumn | DropColumn | RenameColumn | ChangeType


def _edit(
    fields: Fields, path: tuple[Name, ...], action: Edit, at: Definition, find: FindType, top: bool
) -> Fields | None:
    """Follows `path` down to the record that the action is about."""
    if not path:
        return fields
    name = path[0]
    key = _key(name, at, top)
    if len(path) == 1:
        return _apply(fields, name, key, action, at, find, top)
    index = _index(fields, key)
    if index is None:
        return None
    inner = _edit_type(fields[index].type, path[1:], action, at, find)
    if inner is None:
        return None
    return (*fields[:index], replace(fields[index], type=inner), *fields[index + 1 :])


def _edit_type(
    data_type: DataType, path: tuple[Name, ...], action: Edit, at: Definition, find: FindType
) -> DataType | None:
    if isinstance(data_type, RecordType):
        fields = _edit(data_type.fields, path, action, at, find, top=False)
        return None if fields is None else replace(data_type, fields=fields)
    word = path[0].text.lower()
    if isinstance(data_type, ArrayType):
        rest = path[1:] if word == _ELEMENT and (len(path) > 1 or isinstance(action, ChangeType)) else path
        element = _edit_type(data_type.element, rest, action, at, find) if rest else _new_type(action, at, find)
        return None if element is None else replace(data_type, element=element)
    if isinstance(data_type, MapType) and word in _MAP_PARTS and len(path) > 1:
        part = data_type.key if word == "key" else data_type.value
        changed = _edit_type(part, path[1:], action, at, find)
        if changed is None:
            return None
        return replace(data_type, key=changed) if word == "key" else replace(data_type, value=changed)
    return data_type


def _new_type(action: Edit, at: Definition, find: FindType) -> DataType:
    spec = action.type if isinstance(action, AddColumn | ChangeType) else None
    return build_type(spec, at, find)


def _key(name: Name, at: Definition, top: bool) -> str:
    return at.dialect.column_key(name.text, name.quoted) if top else at.dialect.field_key(name.text, name.quoted)


def _index(fields: Fields, key: str) -> int | None:
    return next((index for index, field in enumerate(fields) if field.key == key), None)


def _apply(
    fields: Fields, name: Name, key: str, action: Edit, at: Definition, find: FindType, top: bool
) -> Fields | None:
    index = _index(fields, key)
    if isinstance(action, AddColumn):
        added = Field(display_part(name, at.dialect), key, _new_type(action, at, find), at.site(name))
        return _add(fields, added, action, at, top)
    if index is None:
        return fields if isinstance(action, DropColumn) else None
    before, field, after = fields[:index], fields[index], fields[index + 1 :]
    if isinstance(action, DropColumn):
        return (*before, *after)
    if isinstance(action, RenameColumn):
        new = action.new
        renamed = replace(field, name=new.text, key=_key(new, at, top), site=at.site(new))
        return (*before, renamed, *after)
    return (*before, replace(field, type=_new_type(action, at, find)), *after)


def _add(fields: Fields, field: Field, action: AddColumn, at: Definition, top: bool) -> Fields:
    """A column that exists already keeps its place; where the two types differ nothing is known of it."""
    known = _index(fields, field.key)
    if known is not None:
        old = fields[known]
        kept = old.type if isinstance(field.type, Unspecified) else merge_types(old.type, field.type)
        return (*fields[:known], replace(old, type=kept), *fields[known + 1 :])
    if action.first:
        return (field, *fields)
    if action.after is not None:
        index = _index(fields, _key(action.after, at, top))
        if index is not None:
            return (*fields[: index + 1], field, *fields[index + 1 :])
    return (*fields, field)
