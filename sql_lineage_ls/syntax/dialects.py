"""What each database's SQL does differently, as data.

The rest of the program asks a `Dialect` for a rule and never for its name. A rule is a field here, its values are
documented at the field, and its source is the database's own documentation.

Longer than other modules: it is one table.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Folding(Enum):
    """What the database makes of an unquoted name."""

    KEEP = "keep"
    LOWER = "lower"
    UPPER = "upper"


class NameOrder(Enum):
    """Which reading of a dotted name `a.b.c` the database tries first within one scope.

    ROW_FIRST: the first part decides; a range variable hides a column of its name (BigQuery: "range variables").
    RELATION_FIRST: the longest prefix that names a relation with the next part as its column, then column and
    fields (Trino ExpressionAnalyzer, Spark AttributeSeq.resolve, DuckDB BindColumn, ClickHouse).
    RELATION_ONLY: a dotted name is never a field path (`(c).f` in Postgres, `c:f` in Snowflake, none in MySQL).
    """

    ROW_FIRST = "row_first"
    RELATION_FIRST = "relation_first"
    RELATION_ONLY = "relation_only"


class UnnestShape(Enum):
    """Which columns UNNEST of an array gives.

    ELEMENT: one value, the alias itself; fields of a record element are visible as columns too (BigQuery).
    COLUMNS: one column per field of a record element, else one column (Trino, Presto, Athena, Postgres).
    COLUMN: one column that holds the element (DuckDB, Redshift, Snowflake, ClickHouse).
    """

    ELEMENT = "element"
    COLUMNS = "columns"
    COLUMN = "column"


class NameStyle(Enum):
    """What the database calls a select item that has no alias and no name of its own (`syntax/name_styles.py`).

    ORDINAL: by its place or with a fixed word, which `anonymous` says (BigQuery, Hive, Postgres, Redshift).
    NONE: not at all, and nothing can read it by a name (Trino, Presto, Athena, T-SQL).
    The others make the name of the expression: AS_WRITTEN (MySQL, SQLite), SQUEEZED (Oracle), CAPITALS (Snowflake),
    or write it anew in their own way (DUCKDB, SPARK, CLICKHOUSE).
    """

    ORDINAL = "ordinal"
    NONE = "none"
    AS_WRITTEN = "as_written"
    SQUEEZED = "squeezed"
    CAPITALS = "capitals"
    DUCKDB = "duckdb"
    SPARK = "spark"
    CLICKHOUSE = "clickhouse"


class LateralAlias(Enum):
    """Whether a select item can name an earlier item's alias.

    NEVER (BigQuery, Postgres, Trino, Oracle, T-SQL); FALLBACK: where no column has the name (Snowflake, Redshift,
    Databricks, Spark, DuckDB); FIRST: the alias hides the column (ClickHouse).
    """

    NEVER = "never"
    FALLBACK = "fallback"
    FIRST = "first"


class Where(Enum):
    """Where a rule of scripts holds."""

    NOWHERE = "nowhere"
    BODIES = "bodies"
    EVERYWHERE = "everywhere"

    def holds(self, in_body: bool) -> bool:
        """Whether it holds for a statement inside of a routine's body, or outside."""
        return self is Where.EVERYWHERE or (in_body and self is Where.BODIES)


class Dialect(Struct, frozen=True, kw_only=True):
    """The rules of one dialect.

    `name` is what settings and the command line call it; `grammar` sqlglot's name of its grammar; `family` the
    databases that read each other's tables. Quoted names ignore case where `quoted_ignore_case`.
    """

    name: str
    grammar: str
    family: str
    folding: Folding = Folding.LOWER
    tables_ignore_case: bool = True
    columns_ignore_case: bool = True
    fields_ignore_case: bool = True
    quoted_ignore_case: bool = True
    name_order: NameOrder = NameOrder.RELATION_ONLY
    unnest: UnnestShape = UnnestShape.COLUMN
    lateral_alias: LateralAlias = LateralAlias.NEVER
    # A bare range variable is its row as a record (BigQuery, Postgres, DuckDB).
    row_value: bool = False
    # A bare name is a column of any enclosing block before it is the row of a source (Postgres transformColumnRef).
    rows_after_columns: bool = False
    # Two columns of a subquery that are the same column of the same source are one (Spark).
    copies_are_one: bool = False
    # A table's own name can be written where it has an alias (ClickHouse).
    alias_keeps_name: bool = False
    # `items.sku` of an array of records is the array of its fields (Spark, Hive, ClickHouse); elsewhere an error.
    array_fields: bool = False
    # `m.key` reads a map's value under that key (Spark, Databricks, Hive).
    map_fields: bool = False
    # `FROM t, t.items AS i` iterates the array (BigQuery, Redshift).
    array_path_in_from: bool = False
    # Dots inside a quoted name separate its parts: `proj.ds.t` in backticks is three names (BigQuery).
    quoted_dots_split: bool = False
    # `x['k']` of a value whose type is not known is a map's entry (Trino, Spark, DuckDB, ClickHouse), else a field.
    keys_are_map_keys: bool = False
    # A record made of `*` has its columns' names as they are stored for keys (Snowflake's OBJECT_CONSTRUCT(*)).
    keys_as_stored: bool = False
    # WITH without RECURSIVE may refer to itself (Oracle, T-SQL, Snowflake).
    implicit_recursion: bool = False
    # The name of a select item that has none: {i} counts all items, {n} the unnamed ones, both from 0.
    anonymous: str = "_col{i}"
    # Where the name is made of the expression; `anonymous` then stands in for one that is not known for sure.
    name_style: NameStyle = NameStyle.NONE
    # `"text"` is a string (Spark, Hive, BigQuery, MySQL).
    text_quotes: bool = False
    # A cast or a call without alias has the name of what it casts or calls (Postgres, Redshift).
    call_names: bool = False
    # A column list may name fewer columns than the query gives; the rest keep their names (Postgres, DuckDB).
    short_column_lists: bool = False
    # A view or CTAS with two columns of one name is an error (not in DuckDB, SQLite and ClickHouse).
    unique_outputs: bool = True
    # The columns of VALUES: {i} counts from 1, {n} from 0.
    values_column: str = "column{i}"
    # How a pivot names its columns, from the aggregate's alias and the value's name.
    pivot_name: str = "{value}_{aggregate}"
    # PIVOT and UNPIVOT are statements too (DuckDB; read where the dialect is not known).
    pivot_statements: bool = False
    # A pivot's string values keep their quotes in the column's name (Snowflake, Oracle).
    pivot_quotes: bool = False
    # A pivot's values without alias are named in words: `_1`, `minus_1_point_5` (BigQuery, "PIVOT operator").
    pivot_words: bool = False
    # Pseudo columns that every table has and no DDL lists.
    pseudo_columns: frozenset[str] = frozenset()
    # What the one column of an unnested collection of scalars is called, '' for the alias or `unnest` (Oracle).
    element_column: str = ""
    # `$2` is the second column of the source (Snowflake).
    numbered_columns: bool = False
    # `->` in an argument reads a document's key, it makes no lambda (Postgres, MySQL, SQLite).
    arrow_reads_json: bool = False
    # Fields that values have without declaring them (ClickHouse subcolumns: `arr.size0`, `n.null`, `m.keys`).
    pseudo_fields: frozenset[str] = frozenset()
    # EXCHANGE PARTITION moves rows into the altered table only (Hive "Exchange Partition"); elsewhere it swaps them.
    exchange_takes_only: bool = False
    # How an identifier is quoted when it has to be.
    quote: str = '"'
    # What `lateral_alias` becomes where the database has it as an option and the workspace sets it.
    optional_lateral_alias: LateralAlias | None = None
    # Records of several branches (CASE, COALESCE, UNION) come together field by field of one name, not by position
    # (DuckDB, "Struct data type: combination casting"; an OBJECT of Snowflake has keys and no positions anyway).
    records_by_name: bool = False
    # A cast, or a column that is written, takes a record's fields by their names where they share any (DuckDB,
    # ClickHouse "CAST" of named tuples).
    casts_by_name: bool = False
    # A subquery in FROM sees the sources before it without LATERAL (DuckDB, "FROM and JOIN clauses: lateral joins").
    implicit_lateral: bool = False
    # What the second column of a name is called in a subquery, CTE or CTAS (DuckDB, SQLite), '' where it keeps it.
    repeated_name: str = ""
    # `x.f` is a column of an outer block before a field of the item called x, and a column of its own block before a
    # field of a lambda's parameter x; x alone is the item or parameter (DuckDB, tried).
    dotted_are_columns: bool = False
    # The one column of an aliased UNNEST can also be read as `unnest` (DuckDB).
    unnest_name: bool = False
    # In `*`, the merged column of USING stands where the left table has it, not first (DuckDB, SQLite).
    using_in_place: bool = False
    # UNPIVOT gives the values before the names (BigQuery "UNPIVOT operator"; T-SQL, whose page shows no star); in
    # Snowflake (Snowpark "DataFrame.unpivot"), Oracle, Redshift, Spark and DuckDB the names come first.
    unpivot_values_first: bool = False
    # With one aggregate only, a pivot names its columns by the values alone, whatever the aggregate's alias (Spark,
    # Databricks "PIVOT clause").
    pivot_value_alone: bool = False
    # The alias of a table function names its one column too (Postgres "Table functions", Redshift, DuckDB).
    function_alias_names_column: bool = False
    # A column that several sources have is the first one's, not an error (ClickHouse).
    first_source_wins: bool = False
    # WHERE and ON know the select list's aliases although the list itself does not (SQLite).
    aliases_in_where: bool = False
    # `customer.city` without alias is a column called `customer.city` (ClickHouse).
    path_names: bool = False
    # A table's name is also the type of its row (Postgres, "Composite Types").
    tables_are_types: bool = False
    # `CREATE TABLE t (a INT) AS SELECT ..` has the query's columns next to its own (MySQL, "CREATE TABLE ... SELECT").
    query_adds_columns: bool = False
    # `CREATE TABLE a AS b` copies the columns of b (ClickHouse, "With a Schema Similar to Other Table").
    as_copies_table: bool = False
    # A table name that ends with `*` means all tables with that prefix (BigQuery, "wildcard tables").
    wildcard_tables: bool = False
    # Unquoted table names may hold dashes (BigQuery lexical structure, "Table names").
    dashed_tables: bool = False
    # AS may stand before a table's alias (not in Oracle, "SELECT: t_alias").
    table_alias_as: bool = True
    # The schema that `db..t` leaves out (Snowflake, "Object name resolution"; T-SQL, "Multipart names").
    omitted_schema: str = ""
    # A catalog is called a database; elsewhere a database is a schema (Spark, Hive, MySQL, ClickHouse).
    database_is_catalog: bool = False
    # A bare `USE name` names a catalog rather than a schema in it (Snowflake, T-SQL).
    use_names_catalog: bool = False
    # How a field of a column is read where a dotted name never means it (Postgres "Accessing Composite Types",
    # Snowflake "Traversing semi-structured data").
    field_syntax: str = ""
    # Functions whose first argument is a row's alias or a view, not a column (Oracle, "Object Reference Functions").
    row_functions: frozenset[str] = frozenset()
    # OUTPUT reads what a change wrote, and INTO writes that to a table (T-SQL, "OUTPUT clause").
    output_clause: bool = False
    # A procedure is called by its name alone (Oracle PL/SQL, "Subprogram Invocation").
    bare_calls: bool = False
    # COLUMNS(..) repeats its select item for each column that it matches (DuckDB "Star expression", ClickHouse "Dynamic
    # column selection").
    repeats_columns: bool = False
    # A quoted name in a select list is a regular expression over the columns (Hive, "REGEX Column Specification").
    regex_columns: bool = False
    # Types of text whose values may be documents, which a dotted name reads (Oracle, "Simple Dot-Notation Access to
    # JSON Data": the column needs an IS JSON check, which need not stand in the DDL that is read).
    document_types: frozenset[str] = frozenset()
    # The column of a file's row that every external table has (Snowflake, "CREATE EXTERNAL TABLE").
    external_column: str = ""
    # UPDATE and DELETE of a CTE write the table that it reads (Transact-SQL, "WITH common_table_expression"; Oracle's
    # inline views are read as such).
    writes_through_ctes: bool = False
    # UPDATE of a join writes any of its tables (MySQL, "UPDATE statement: multiple-table syntax").
    updates_several: bool = False
    # ON DUPLICATE KEY UPDATE reads the sources of the SELECT that is inserted (MySQL, "INSERT ... ON DUPLICATE KEY").
    conflict_sees_sources: bool = False
    # Columns need no type (SQLite, "Column Data Types").
    types_optional: bool = False
    # Columns `n.a Array(..)`, `n.b Array(..)` are the fields of a Nested column n (ClickHouse, "Nested").
    dotted_columns: bool = False

    # The variables of a block are listed behind one DECLARE (`a INT; b TEXT;`): in a routine's body, or in any block.
    declares_lists: Where = Where.NOWHERE
    # SELECT .. INTO and RETURNING .. INTO name variables and no table (PL/pgSQL "Executing a Command with a
    # Single-Row Result", PL/SQL, MySQL "SELECT ... INTO Statement", Snowflake Scripting "Setting a variable").
    into_variables: Where = Where.NOWHERE
    # A variable comes before a column of its name (MySQL "Local Variable Scope and Resolution", Redshift). BigQuery,
    # Oracle and Databricks read the column; in PL/pgSQL such a name is an error.
    variables_first: bool = False
    # EXEC p runs a procedure, and variables begin with @ (T-SQL).
    exec_runs_procedures: bool = False
    # `v(1)` is an element of the collection v (PL/SQL "Collections").
    elements_in_brackets: bool = False
    # Names that every body of a routine knows.
    routine_variables: frozenset[str] = frozenset()

    def fold(self, text: str, quoted: bool = False) -> str:
        """The name as the database compares it: `fold("Qty")` is `QTY` in Snowflake, `qty` in Postgres."""
        if quoted and not self.quoted_ignore_case:
            return text
        if self.folding is Folding.UPPER:
            return text.upper()
        return text.lower()

    def table_key(self, text: str, quoted: bool = False) -> str:
        """One part of a table's name as the database compares it: BigQuery keeps `Orders` and `orders` apart."""
        return self.fold(text, quoted) if self.tables_ignore_case else text

    def column_key(self, text: str, quoted: bool = False) -> str:
        """A column's name as the database compares it."""
        return self.fold(text, quoted) if self.columns_ignore_case else text

    def field_key(self, text: str, quoted: bool = False) -> str:
        """A nested field's name as the database compares it."""
        return self.fold(text, quoted) if self.fields_ignore_case else text


_TRINO = {
    "family": "lake",
    "name_order": NameOrder.RELATION_FIRST,
    "unnest": UnnestShape.COLUMNS,
    "keys_are_map_keys": True,
    "values_column": "_col{n}",
    "pseudo_columns": frozenset({"$path", "$file_size", "$file_modified_time", "$partition", "$bucket", "$row_id"}),
}
_SPARK = {
    "family": "lake",
    "name_order": NameOrder.RELATION_FIRST,
    "lateral_alias": LateralAlias.FALLBACK,
    "array_fields": True,
    "map_fields": True,
    "keys_are_map_keys": True,
    "values_column": "col{i}",
    "pivot_value_alone": True,
    "name_style": NameStyle.SPARK,
    "copies_are_one": True,
    "text_quotes": True,
    "pseudo_columns": frozenset({"_metadata"}),
    "quote": "`",
}
_PLPGSQL_NAMES = frozenset(
    {"new", "old", "found", "sqlstate", "sqlerrm", "tg_op", "tg_name", "tg_when", "tg_level", "tg_relid", "tg_argv",
     "tg_nargs", "tg_table_name", "tg_table_schema", "tg_event", "tg_tag"}
)
_POSTGRES_SYSTEM = frozenset({"user", "ctid", "tableoid", "xmin", "xmax", "cmin", "cmax", "oid"})

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            name="ansi",
            grammar="",
            family="ansi",
            pivot_statements=True,
            declares_lists=Where.BODIES,
            into_variables=Where.BODIES,
            routine_variables=_PLPGSQL_NAMES,
            quoted_ignore_case=True,
            name_order=NameOrder.RELATION_FIRST,
            unnest=UnnestShape.COLUMNS,
            lateral_alias=LateralAlias.FALLBACK,
            array_fields=True,
            map_fields=True,
            array_path_in_from=True,
            row_value=True,
            keys_are_map_keys=True,
            function_alias_names_column=True,
            implicit_recursion=True,
            short_column_lists=True,
            unique_outputs=False,
            repeats_columns=True,
        ),
        Dialect(
            name="bigquery",
            name_style=NameStyle.ORDINAL,
            text_quotes=True,
            grammar="bigquery",
            family="bigquery",
            wildcard_tables=True,
            dashed_tables=True,
            folding=Folding.KEEP,
            tables_ignore_case=False,
            name_order=NameOrder.ROW_FIRST,
            unnest=UnnestShape.ELEMENT,
            row_value=True,
            array_path_in_from=True,
            quoted_dots_split=True,
            anonymous="f{n}_",
            pivot_name="{aggregate}_{value}",
            pivot_words=True,
            pseudo_columns=frozenset(
                {"_table_suffix", "_partitiontime", "_partitiondate", "_file_name", "_change_type", "_change_timestamp"}
            ),
            quote="`",
            optional_lateral_alias=LateralAlias.FALLBACK,
            unpivot_values_first=True,
        ),
        Dialect(name="trino", grammar="trino", **_TRINO),  # type: ignore[arg-type]
        Dialect(name="presto", grammar="presto", **_TRINO),  # type: ignore[arg-type]
        Dialect(name="athena", grammar="athena", **_TRINO),  # type: ignore[arg-type]
        Dialect(name="spark", grammar="spark", **_SPARK),  # type: ignore[arg-type]
        Dialect(name="databricks", grammar="databricks", **_SPARK),  # type: ignore[arg-type]
        Dialect(
            name="hive",
            grammar="hive",
            regex_columns=True,
            **{  # type: ignore[arg-type]
                **_SPARK,
                "exchange_takes_only": True,
                "lateral_alias": LateralAlias.NEVER,
                "anonymous": "_c{i}",
                "name_style": NameStyle.ORDINAL,
                # Hive, LanguageManual "Virtual Columns".
                "pseudo_columns": frozenset(
                    {"input__file__name", "block__offset__inside__file", "row__offset__inside__block",
                     "raw__data__size", "row__id", "grouping__id"}
                ),
            },
        ),
        Dialect(
            name="snowflake",
            name_style=NameStyle.CAPITALS,
            grammar="snowflake",
            external_column="VALUE",
            family="snowflake",
            declares_lists=Where.EVERYWHERE,
            into_variables=Where.EVERYWHERE,
            routine_variables=frozenset(
                {"sqlrowcount", "sqlfound", "sqlnotfound", "sqlerrm", "sqlcode", "sqlstate", "sqlid"}
            ),
            omitted_schema="PUBLIC",
            field_syntax="{column}:{field}",
            database_is_catalog=True,
            use_names_catalog=True,
            folding=Folding.UPPER,
            quoted_ignore_case=False,
            lateral_alias=LateralAlias.FALLBACK,
            keys_as_stored=True,
            numbered_columns=True,
            implicit_recursion=True,
            pivot_quotes=True,
            pseudo_columns=frozenset(
                {"level", "metadata$filename", "metadata$file_row_number", "metadata$action", "metadata$isupdate",
                 "metadata$row_id", "metadata$file_content_key", "metadata$file_last_modified",
                 "metadata$start_scan_time"}
            ),
        ),
        Dialect(
            name="postgres",
            name_style=NameStyle.ORDINAL,
            grammar="postgres",
            family="postgres",
            declares_lists=Where.BODIES,
            into_variables=Where.BODIES,
            routine_variables=_PLPGSQL_NAMES,
            arrow_reads_json=True,
            tables_are_types=True,
            field_syntax="({column}).{field}",
            database_is_catalog=True,
            quoted_ignore_case=False,
            unnest=UnnestShape.COLUMNS,
            row_value=True,
            rows_after_columns=True,
            call_names=True,
            function_alias_names_column=True,
            short_column_lists=True,
            anonymous="?column?",
            pseudo_columns=_POSTGRES_SYSTEM,
        ),
        Dialect(
            name="redshift",
            name_style=NameStyle.ORDINAL,
            grammar="redshift",
            family="redshift",
            declares_lists=Where.BODIES,
            into_variables=Where.BODIES,
            routine_variables=_PLPGSQL_NAMES,
            variables_first=True,
            arrow_reads_json=True,
            database_is_catalog=True,
            name_order=NameOrder.RELATION_FIRST,
            lateral_alias=LateralAlias.FALLBACK,
            array_path_in_from=True,
            call_names=True,
            function_alias_names_column=True,
            short_column_lists=True,
            anonymous="?column?",
            pseudo_columns=_POSTGRES_SYSTEM,
        ),
        Dialect(
            name="oracle",
            writes_through_ctes=True,
            name_style=NameStyle.SQUEEZED,
            grammar="oracle",
            family="oracle",
            table_alias_as=False,
            row_functions=frozenset({"REF", "VALUE", "MAKE_REF"}),
            bare_calls=True,
            elements_in_brackets=True,
            declares_lists=Where.EVERYWHERE,
            into_variables=Where.EVERYWHERE,
            routine_variables=frozenset({"sqlerrm", "sqlcode", "new", "old"}),
            folding=Folding.UPPER,
            quoted_ignore_case=False,
            name_order=NameOrder.RELATION_FIRST,
            unnest=UnnestShape.COLUMNS,
            element_column="COLUMN_VALUE",
            document_types=frozenset({"CLOB", "NCLOB", "BLOB", "VARCHAR2", "NVARCHAR2", "RAW"}),
            implicit_recursion=True,
            pivot_quotes=True,
            pseudo_columns=frozenset(
                {"rowid", "rownum", "level", "ora_rowscn", "column_value", "object_id", "object_value",
                 "connect_by_isleaf", "connect_by_iscycle", "sysdate", "systimestamp", "user", "uid"}
            ),
        ),
        Dialect(
            name="duckdb",
            name_style=NameStyle.DUCKDB,
            grammar="duckdb",
            family="duckdb",
            short_column_lists=True,
            unique_outputs=False,
            repeats_columns=True,
            name_order=NameOrder.RELATION_FIRST,
            lateral_alias=LateralAlias.FALLBACK,
            row_value=True,
            keys_are_map_keys=True,
            values_column="col{n}",
            records_by_name=True,
            casts_by_name=True,
            implicit_lateral=True,
            pivot_statements=True,
            dotted_are_columns=True,
            repeated_name="{name}_{n}",
            unnest_name=True,
            function_alias_names_column=True,
            using_in_place=True,
            pseudo_columns=frozenset({"rowid", "filename", "file_row_number"}),
        ),
        Dialect(
            name="clickhouse",
            name_style=NameStyle.CLICKHOUSE,
            grammar="clickhouse",
            family="clickhouse",
            as_copies_table=True,
            dotted_columns=True,
            repeats_columns=True,
            unique_outputs=False,
            folding=Folding.KEEP,
            tables_ignore_case=False,
            columns_ignore_case=False,
            fields_ignore_case=False,
            quoted_ignore_case=False,
            name_order=NameOrder.RELATION_FIRST,
            lateral_alias=LateralAlias.FIRST,
            array_fields=True,
            keys_are_map_keys=True,
            values_column="c{i}",
            first_source_wins=True,
            alias_keeps_name=True,
            casts_by_name=True,
            path_names=True,
            pseudo_fields=frozenset({"size0", "size1", "size2", "null", "keys", "values"}),
            pseudo_columns=frozenset(
                {"_part", "_part_index", "_part_uuid", "_partition_id", "_partition_value", "_part_offset",
                 "_sample_factor", "_table", "_database", "_path", "_file", "_size", "_time", "_shard_num",
                 "_block_number", "_block_offset", "_row_exists", "_version", "_sign"}
            ),
            quote="`",
        ),
        Dialect(
            name="mysql",
            name_style=NameStyle.AS_WRITTEN,
            text_quotes=True,
            grammar="mysql",
            family="mysql",
            into_variables=Where.EVERYWHERE,
            variables_first=True,
            routine_variables=frozenset({"new", "old"}),
            arrow_reads_json=True,
            query_adds_columns=True,
            conflict_sees_sources=True,
            updates_several=True,
            folding=Folding.KEEP,
            tables_ignore_case=False,
            values_column="column_{n}",
            quote="`",
        ),
        Dialect(
            name="tsql",
            writes_through_ctes=True,
            grammar="tsql",
            family="tsql",
            exec_runs_procedures=True,
            output_clause=True,
            folding=Folding.KEEP,
            omitted_schema="dbo",
            database_is_catalog=True,
            use_names_catalog=True,
            implicit_recursion=True,
            unpivot_values_first=True,
            pseudo_columns=frozenset({"$action", "$identity", "$rowguid", "identitycol", "rowguidcol"}),
        ),
        Dialect(
            name="sqlite",
            name_style=NameStyle.AS_WRITTEN,
            grammar="sqlite",
            family="sqlite",
            routine_variables=frozenset({"new", "old"}),
            arrow_reads_json=True,
            types_optional=True,
            unique_outputs=False,
            folding=Folding.KEEP,
            using_in_place=True,
            repeated_name="{name}:{n}",
            aliases_in_where=True,
            pseudo_columns=frozenset({"rowid", "oid", "_rowid_"}),
        ),
    )
}

ANSI = DIALECTS["ansi"]

# Spellings that people and other tools use.
_OTHER_NAMES = {
    "": "ansi", "generic": "ansi", "sql": "ansi", "standard": "ansi",
    "bq": "bigquery", "googlesql": "bigquery", "zetasql": "bigquery",
    "prestodb": "presto", "prestosql": "trino", "spark2": "spark", "sparksql": "spark", "spark_sql": "spark",
    "postgresql": "postgres", "pg": "postgres", "mssql": "tsql", "sqlserver": "tsql", "t-sql": "tsql",
    "plsql": "oracle", "mariadb": "mysql", "sqlite3": "sqlite", "clickhouse-sql": "clickhouse",
}


def find_dialect(name: str) -> Dialect | None:
    """The dialect that a person means, or None: `find_dialect("PostgreSQL").name` is `postgres`."""
    key = name.strip().lower()
    return DIALECTS.get(_OTHER_NAMES.get(key, key))
