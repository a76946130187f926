"""The columns of each database's own table functions, as data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from sql_lineage_ls.syntax.dialects import Dialect


class Part(Enum):
    """What a column of a table function holds."""

    ELEMENT = "element"
    """One element of the first argument: `jsonb_array_elements(doc).value`."""
    WHOLE = "whole"
    """Something made from the first argument: a key of a document, a part of a text."""
    PLACE = "place"
    """Where the row stands in the first argument; no value of it."""
    SERIES = "series"
    """A new value that all arguments bound: generate_series."""


Columns = tuple[tuple[str, Part], ...]

_KEY_VALUE: Columns = (("key", Part.WHOLE), ("value", Part.WHOLE))
_VALUE: Columns = (("value", Part.ELEMENT),)
_TREE: Columns = (
    ("key", Part.PLACE), ("value", Part.ELEMENT), ("type", Part.PLACE), ("atom", Part.ELEMENT), ("id", Part.PLACE),
    ("parent", Part.PLACE), ("fullkey", Part.PLACE), ("path", Part.PLACE),
)  # fmt: skip
_SPLIT: Columns = (("SEQ", Part.PLACE), ("INDEX", Part.PLACE), ("VALUE", Part.WHOLE))

# PostgreSQL "JSON Processing Functions": these have OUT parameters, whose names an alias does not replace.
_POSTGRES: Mapping[str, Columns] = {
    **dict.fromkeys(("JSON_EACH", "JSONB_EACH", "JSON_EACH_TEXT", "JSONB_EACH_TEXT", "EACH"), _KEY_VALUE),
    **dict.fromkeys(("JSON_ARRAY_ELEMENTS", "JSONB_ARRAY_ELEMENTS", "JSON_ARRAY_ELEMENTS_TEXT",
                     "JSONB_ARRAY_ELEMENTS_TEXT"), _VALUE),
}  # fmt: skip
# DuckDB "JSON table functions" and SQLite "json_each and json_tree": the same eight columns.
_JSON_TREE: Mapping[str, Columns] = dict.fromkeys(("JSON_EACH", "JSON_TREE"), _TREE)

_BY_DIALECT: Mapping[str, Mapping[str, Columns]] = {
    "ansi": _POSTGRES,
    "postgres": _POSTGRES,
    "redshift": _POSTGRES,
    "duckdb": _JSON_TREE,
    # SQLite "The generate_series() table-valued function".
    "sqlite": {**_JSON_TREE, "GENERATE_SERIES": (("value", Part.SERIES),)},
    # T-SQL "OPENJSON" without WITH, "STRING_SPLIT", "GENERATE_SERIES".
    "tsql": {
        "OPENJSON": (("key", Part.PLACE), ("value", Part.ELEMENT), ("type", Part.PLACE)),
        "STRING_SPLIT": (("value", Part.WHOLE), ("ordinal", Part.PLACE)),
        "GENERATE_SERIES": (("value", Part.SERIES),),
    },
    # Snowflake "SPLIT_TO_TABLE", "STRTOK_SPLIT_TO_TABLE".
    "snowflake": dict.fromkeys(("SPLIT_TO_TABLE", "STRTOK_SPLIT_TO_TABLE"), _SPLIT),
    # ClickHouse "numbers", "zeros", "generateSeries".
    "clickhouse": {
        **dict.fromkeys(("NUMBERS", "NUMBERS_MT"), (("number", Part.SERIES),)),
        **dict.fromkeys(("GENERATESERIES", "GENERATE_SERIES"), (("generate_series", Part.SERIES),)),
    },
    # Spark "range (table-valued function)".
    "spark": {"RANGE": (("id", Part.SERIES),)},
    "databricks": {"RANGE": (("id", Part.SERIES),)},
    # Trino "sequence" as a table function.
    "trino": {"SEQUENCE": (("sequential_number", Part.SERIES),)},
}

# One column, named by the function or by the alias (Postgres "Table Functions"; DuckDB).
_UNNAMED: Mapping[str, Part] = {
    **dict.fromkeys(("GENERATE_SERIES", "RANGE", "SEQUENCE", "GENERATE_DATE_ARRAY", "GENERATE_ARRAY",
                     "GENERATE_TIMESTAMP_ARRAY", "GENERATE_SUBSCRIPTS"), Part.SERIES),
    **dict.fromkeys(("REGEXP_SPLIT_TO_TABLE", "STRING_TO_TABLE", "REGEXP_MATCHES", "JSON_OBJECT_KEYS",
                     "JSONB_OBJECT_KEYS", "SKEYS", "SVALS"), Part.WHOLE),
    "JSONB_PATH_QUERY": Part.ELEMENT,
}  # fmt: skip


def function_columns(name: str, dialect: Dialect) -> Columns | None:
    """The columns of the table function `name` (in upper case) whose names the database fixes, else None."""
    return _BY_DIALECT.get(dialect.name, {}).get(name)


def unnamed_column(name: str) -> Part | None:
    """What the one column of `name` holds where its alias names it: `generate_series(1, 3) AS day`, else None."""
    return _UNNAMED.get(name)
