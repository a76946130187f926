"""Fingerprints: equal exactly for what no query can tell apart.

They cover names, keys, types, kind and openness, and no places: a comment edited in DDL changes nothing downstream.
"""

from __future__ import annotations

from hashlib import blake2b

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import ArrayType, DataType, Field, MapType, RecordType


def fingerprint(relation: Relation) -> str:
    """16 hexadecimal digits over the relation's name, kind, openness, location and columns."""
    words = [relation.id, relation.name, relation.kind, "open" if relation.open else "", relation.location or ""]
    _write_fields(words, relation.columns)
    return blake2b("\x00".join(words).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _write_fields(words: list[str], fields: tuple[Field, ...]) -> None:
    words.append(f"{len(fields)}(")
    for field in fields:
        words.append(field.name)
        words.append(field.key)
        _write_type(words, field.type)


def _write_type(words: list[str], data_type: DataType) -> None:
    words.append(type(data_type).__name__)
    words.append(data_type.text)
    if isinstance(data_type, RecordType):
        words.append(data_type.type_name + ("+" if data_type.built else ""))
        _write_fields(words, data_type.fields)
    elif isinstance(data_type, ArrayType):
        _write_type(words, data_type.element)
    elif isinstance(data_type, MapType):
        _write_type(words, data_type.key)
        _write_type(words, data_type.value)
