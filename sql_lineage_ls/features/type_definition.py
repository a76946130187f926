"""Go to type definition: the CREATE TYPE of a value, or the field whose type is written in place as a STRUCT."""

from __future__ import annotations

from sql_lineage_ls.catalog.types import ArrayType, DataType, MapType, RecordType
from sql_lineage_ls.features.definition import targets
from sql_lineage_ls.features.locate import find
from sql_lineage_ls.features.navigate import nearest_declarations
from sql_lineage_ls.features.results import NavigationTarget
from sql_lineage_ls.lineage.model import Node
from sql_lineage_ls.workspace.snapshot import Snapshot


def type_definition(snapshot: Snapshot, uri: str, offset: int) -> tuple[NavigationTarget, ...]:
    """Where the record type of the value at `offset` is written, () for a scalar: it is written nowhere."""
    found = find(snapshot, uri, offset)
    if found is None:
        return ()
    for occurrence in found.occurrences:
        record = _record(occurrence.type)
        if record is None:
            continue
        if record.type_site is not None:
            span = snapshot.site_span(record.type_site)
            if span is not None:
                return targets(snapshot, found, (span,))
        nodes = occurrence.nodes or ((Node(occurrence.relation, occurrence.path),) if occurrence.path else ())
        spans = nearest_declarations(snapshot, nodes)
        if spans:
            return targets(snapshot, found, spans)
    return ()


def _record(data_type: DataType | None) -> RecordType | None:
    """The record in a type: that of an array's elements, of a map's values."""
    while isinstance(data_type, (ArrayType, MapType)):
        data_type = data_type.element if isinstance(data_type, ArrayType) else data_type.value
    return data_type if isinstance(data_type, RecordType) else None
