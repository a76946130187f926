"""Snapshots: `{% snapshot crates_history %} SELECT .. {% endsnapshot %}` is the relation `crates_history`.

Its columns are those of the query and the four that dbt adds to each row (dbt, "Snapshot meta-fields").
"""

from __future__ import annotations

import re

from sql_lineage_ls.syntax.query_model import Call, DerivedTable, FromItem, Name, Projection, Query, Select, Star

_BLOCK = re.compile(r"\{%[-+]?\s*snapshot\s+(\w+)\s*[-+]?%\}")
_ADDED = ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to")


def snapshot_name(text: str) -> str:
    """The name of the only snapshot in a text, '' where there is none or more than one."""
    names = _BLOCK.findall(text)
    return names[0] if len(names) == 1 else ""


def with_history(query: Query) -> Query:
    """A snapshot's query with the columns that dbt adds."""
    added = (Projection(Call("SNAPSHOT", ()), Name(name)) for name in _ADDED)
    return Select((Projection(Star()), *added), (FromItem(DerivedTable(query)),))
