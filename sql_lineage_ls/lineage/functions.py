"""What functions do to the shape of their arguments, as data.

A function that is in none of these tables computes something new from all of its arguments (`Derived`). Names are
those of `query_model.Call.name`: upper case, sqlglot's canonical spelling where it has one, else as written.
"""

from __future__ import annotations

# Hand their first argument on unchanged.
SAME = frozenset(
    {"ANY_VALUE", "ARBITRARY", "FIRST", "FIRST_VALUE", "LAST", "LAST_VALUE", "NTH_VALUE", "ANY", "ANY_LAST",
     "ANY_HEAVY", "MODE", "IDENTITY", "ASSUME_NOT_NULL", "ASSUMENOTNULL", "TO_NULLABLE", "TONULLABLE",
     "MATERIALIZE", "AS_ARRAY", "AS_OBJECT", "TO_VARIANT", "TO_OBJECT", "TO_ARRAY", "TO_JSON", "TO_JSONB",
     "ROW_TO_JSON", "ARRAY_DISTINCT", "ARRAY_REVERSE", "REVERSE", "ARRAY_SLICE", "SLICE",
     "ARRAY_SORT", "SORT_ARRAY", "LIST_SORT", "LIST_DISTINCT", "LIST_REVERSE", "LIST_SLICE", "SHUFFLE",
     "ARRAY_COMPACT", "TRIM_ARRAY", "ARRAY_UNIQ", "ARRAY_REMOVE", "ARRAY_EXCEPT", "ARRAY_INTERSECT", "ARRAY_FILTER",
     "ARRAYREVERSE", "ARRAYSLICE", "ARRAYDISTINCT", "ARRAYCOMPACT", "ARRAYPOPBACK", "ARRAYPOPFRONT", "ARRAYRESIZE",
     "ARRAYINTERSECT", "ANYLAST", "ARRAYROTATELEFT", "ARRAYROTATERIGHT", "ARRAYSHUFFLE",
     "ARRAY_CONCAT_AGG", "SINGLE_VALUE", "MAP_CONCAT_AGG", "TABLE", "VALUE"}
)

# Make a document of a text, or a value of one: its keys are read with case, and none is declared.
PARSED = frozenset({"PARSE_JSON", "TRY_PARSE_JSON", "JSON_PARSE", "SAFE.PARSE_JSON"})

# The greatest or least value of all rows: of records, one whole record.
EXTREMES = frozenset({"MAX", "MIN"})

# Hand their first argument on; the others decide which row it is taken from.
SELECTED = frozenset({"MAX_BY", "MIN_BY", "ARG_MAX", "ARG_MIN", "ARGMAX", "ARGMIN", "LAST_BY", "FIRST_BY"})

# A row's neighbour: the first argument, or the third where there is none.
SHIFTED = frozenset({"LAG", "LEAD"})

# One of the arguments, unchanged.
CHOICE = frozenset({"COALESCE", "IFNULL", "NVL", "ISNULL", "ZEROIFNULL", "FIRST_NON_NULL"})

# An array of their first argument's values.
COLLECTED = frozenset(
    {"ARRAY_AGG", "ARRAYAGG", "COLLECT_LIST", "COLLECT_SET", "ARRAY_UNIQUE_AGG", "LIST", "GROUP_ARRAY", "GROUPARRAY",
     "GROUP_UNIQ_ARRAY", "GROUPUNIQARRAY", "COLLECT", "SET_AGG", "MULTISET_AGG", "JSON_AGG", "JSONB_AGG"}
)

# Arrays of some of the array's elements.
GROUPED_ELEMENTS = frozenset({"COMBINATIONS", "NGRAMS"})

# A map made of the entries of several maps.
MERGED_MAPS = frozenset({"MAP_CONCAT"})

# An array made of the elements of several arrays.
JOINED = frozenset(
    {"ARRAY_CONCAT", "ARRAY_CAT", "ARRAYCONCAT", "LIST_CONCAT", "ARRAY_UNION", "ARRAY_APPEND", "ARRAY_PREPEND",
     "LIST_APPEND", "LIST_PREPEND", "ARRAYPUSHBACK", "ARRAYPUSHFRONT"}
)

# The elements of all arrays that are nested in one.
FLATTENED_WHOLE = frozenset({"ARRAYFLATTEN"})

# An element of their first argument.
ELEMENT_OF = frozenset(
    {"ELEMENT_AT", "ARRAY_FIRST", "ARRAY_LAST", "LIST_FIRST", "LIST_LAST", "LIST_EXTRACT", "ARRAY_EXTRACT",
     "ARRAYELEMENT", "GET", "TRY_ELEMENT_AT", "ARRAY_GET", "ARRAY_MIN", "ARRAY_MAX", "LIST_MIN", "LIST_MAX",
     "UNNEST", "EXPLODE", "EXPLODE_OUTER", "ARRAYJOIN", "ARRAY_JOIN_ELEMENT", "CARDINALITY_ELEMENT"}
)

MAP_KEYS = frozenset({"MAP_KEYS", "MAPKEYS", "OBJECT_KEYS"})
MAP_VALUES = frozenset({"MAP_VALUES", "MAPVALUES"})
# Maps that an aggregate makes of keys and values, one or several values a key.
MAP_COLLECTED = frozenset({"MAP_AGG"})
MULTIMAP_COLLECTED = frozenset({"MULTIMAP_AGG"})
# An array of the elements of an array's arrays.
FLATTENED = frozenset({"FLATTEN", "ARRAY_FLATTEN", "LIST_FLATTEN"})
# An array of a map's entries, each a record of its key and its value; and the way back.
MAP_ENTRIES = frozenset({"MAP_ENTRIES"})
MAP_FROM_ENTRIES = frozenset({"MAP_FROM_ENTRIES"})

# An object of all columns, its keys their names as stored: OBJECT_CONSTRUCT(*).
OBJECTS = frozenset({"OBJECT_CONSTRUCT", "OBJECT_CONSTRUCT_KEEP_NULL"})

# The lambda's result for each element.
MAPPED = frozenset({"TRANSFORM", "LIST_TRANSFORM", "LIST_APPLY", "ARRAY_TRANSFORM", "ARRAY_APPLY", "ARRAYMAP",
                    "ARRAY_MAP", "APPLY"})
# The array itself; the lambda decides which elements stay.
FILTERED = frozenset({"FILTER", "LIST_FILTER", "ARRAYFILTER", "ARRAY_FILTER", "MAP_FILTER"})
# The array itself; the lambda decides in which order.
SORTED = frozenset(
    {"ARRAY_SORT", "ARRAYSORT", "LIST_SORT", "ARRAY_SORT_BY", "SORT_ARRAY", "ARRAYREVERSESORT", "ARRAY_REVERSE_SORT",
     "ARRAYPARTIALSORT", "ARRAYPARTIALREVERSESORT", "LIST_REVERSE_SORT"}
)
# One element that the lambda chooses.
FOUND = frozenset({"ARRAYFIRST", "ARRAYLAST", "ARRAY_FIND", "FIND_FIRST"})
# One value made of all elements, with a state that goes from one to the next.
FOLDED = frozenset({"REDUCE", "AGGREGATE", "LIST_REDUCE", "ARRAY_REDUCE", "ARRAYREDUCE", "ARRAYFOLD", "FOLD"})
# One value made of all rows: the argument goes into a state that starts as the second one (Trino, "reduce_agg").
FOLDED_ROWS = frozenset({"REDUCE_AGG"})
ZIPPED = frozenset({"ZIP_WITH"})
ARRAYS_ZIP = frozenset({"ARRAYS_ZIP", "ZIP", "ARRAYZIP", "LIST_ZIP"})

# Count rows, not values, when their argument is `*` or absent.
COUNTS = frozenset({"COUNT", "COUNT_BIG", "COUNT_IF", "COUNTIF"})
# Stand for a column whose name a variable holds.
DYNAMIC_NAMES = frozenset({"IDENTIFIER"})
# Count rows when their argument is a constant.
ROW_COUNTS = COUNTS | {"SUM"}

# Order or number rows: no value of any column enters them.
ORDINALS = frozenset(
    {"ROW_NUMBER", "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST", "NTILE", "MONOTONICALLY_INCREASING_ID",
     "ROWNUMBERINALLBLOCKS", "GENERATE_SUBSCRIPTS", "ROWNUM"}
)

# Functions of the rows' grouping, not of the columns' values.
GROUPING_ONLY = frozenset({"GROUPING", "GROUPING_ID", "GROUPING_SETS", "ROLLUP", "CUBE"})

# In FROM or a select list, make several columns of their argument.
GENERATORS = frozenset(
    {"EXPLODE", "EXPLODE_OUTER", "POSEXPLODE", "POSEXPLODE_OUTER", "INLINE", "INLINE_OUTER", "STACK", "FLATTEN",
     "UNNEST", "JSON_TUPLE", "VARIANT_EXPLODE"}
)

# In FROM, give the columns of the relation among their arguments, and more (BigQuery "ML.PREDICT", "APPENDS").
WIDENING = frozenset({"ML.PREDICT", "ML.GENERATE_TEXT", "ML.GENERATE_EMBEDDING", "ML.TRANSLATE", "ML.UNDERSTAND_TEXT",
                      "ML.DETECT_ANOMALIES", "AI.GENERATE_TABLE", "APPENDS", "CHANGES"})

# Numbers of a sequence.
SEQUENCES = frozenset({"NEXTVAL", "CURRVAL", "LASTVAL", "NEXT_VALUE_FOR"})

# Values that a single word makes.
SYSTEM = frozenset(
    {"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_DATETIME", "LOCALTIME", "LOCALTIMESTAMP", "NOW",
     "GETDATE", "SYSDATE", "SYSDATETIME", "SYSTIMESTAMP", "TODAY", "RAND", "RANDOM", "UUID", "GENERATE_UUID",
     "GEN_RANDOM_UUID", "UUID_STRING", "NEWID", "UUIDGENERATE", "CURRENT_USER", "SESSION_USER", "USER",
     "CURRENT_ROLE", "CURRENT_WAREHOUSE", "CURRENT_DATABASE", "CURRENT_SCHEMA", "CURRENT_CATALOG", "VERSION", "PI",
     "UTC_TIMESTAMP", "UTC_DATE", "UNIX_TIMESTAMP", "SEQ1", "SEQ2", "SEQ4", "SEQ8", "INPUT_FILE_NAME",
     "SPARK_PARTITION_ID", "CURRENT_TIMEZONE", "GETUTCDATE", "SCOPE_IDENTITY", "LAST_INSERT_ID"}
)
