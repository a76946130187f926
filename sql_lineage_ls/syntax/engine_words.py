"""Words that engines treat in a way of their own when they write an expression anew, as data.

Taken from the engines themselves: DuckDB 2.0, Spark 4.3 and ClickHouse 26.9.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a list that is kept as one text."""
    return frozenset(text.split())


# Words that DuckDB puts in quotes, or has a syntax of its own for (duckdb_keywords() of version 2.0).
DUCKDB_WORDS = words(
    """
    ABORT ABSOLUTE ACCESS ACTION ADD ADMIN AFTER AGGREGATE ALL ALSO ALTER ALWAYS ANALYSE ANALYZE AND ANTI ANY
    APPROX ARRAY AS ASC ASOF ASSERTION ASSIGNMENT ASYMMETRIC AT ATTACH ATTRIBUTE AUTHORIZATION BACKWARD BEFORE
    BEGIN BETWEEN BIGINT BINARY BIT BOOLEAN BOTH BY CACHE CALL CALLED CASCADE CASCADED CASE CAST CATALOG CENTURIES
    CENTURY CHAIN CHAR CHARACTER CHARACTERISTICS CHECK CHECKPOINT CLASS CLOSE CLUSTER COALESCE COLLATE COLLATION
    COLUMN COLUMNS COMMENT COMMENTS COMMIT COMMITTED COMPRESSION CONCURRENTLY CONFIGURATION CONFLICT CONNECT
    CONNECTION CONSTRAINT CONSTRAINTS CONTENT CONTINUE CONVERSION COPY COST CREATE CROSS CSV CUBE CURRENT CURSOR
    CYCLE DATA DATABASE DAY DAYS DEALLOCATE DEC DECADE DECADES DECIMAL DECLARE DEFAULT DEFAULTS DEFERRABLE
    DEFERRED DEFINER DELETE DELIMITER DELIMITERS DEPENDS DESC DESCRIBE DESTROY DETACH DICTIONARY DISABLE DISCARD
    DISCONNECT DISTANCE DISTINCT DO DOCUMENT DOMAIN DOUBLE DROP EACH ELSE ENABLE ENCODING ENCRYPTED END ENUM ERROR
    ESCAPE EVENT EXACT EXCEPT EXCLUDE EXCLUDING EXCLUSIVE EXECUTE EXISTS EXPLAIN EXPORT EXPORT_STATE EXTENSION
    EXTENSIONS EXTERNAL EXTRACT FALSE FAMILY FETCH FILTER FIRST FLOAT FOLLOWING FOR FORCE FOREIGN FORWARD FREEZE
    FROM FULL FUNCTION FUNCTIONS GENERATED GLOB GLOBAL GRANT GRANTED GROUP GROUPING GROUPING_ID GROUPS HANDLER
    HAVING HEADER HOLD HOUR HOURS IDENTITY IF IGNORE ILIKE IMMEDIATE IMMUTABLE IMPLICIT IMPORT IN INCLUDE
    INCLUDING INCREMENT INDEX INDEXES INHERIT INHERITS INITIALLY INLINE INNER INOUT INPUT INSENSITIVE INSERT
    INSTALL INSTEAD INT INTEGER INTERSECT INTERVAL INTO INVOKER IS ISNULL ISOLATION JOIN JSON KEY LABEL LAMBDA
    LANGUAGE LARGE LAST LATERAL LEADING LEAKPROOF LEFT LEVEL LIKE LIMIT LISTEN LOAD LOCAL LOCATION LOCK LOCKED
    LOGGED MACRO MAP MAPPING MATCH MATCHED MATERIALIZED MAXVALUE MERGE METHOD MICROSECOND MICROSECONDS MILLENNIA
    MILLENNIUM MILLISECOND MILLISECONDS MINUTE MINUTES MINVALUE MODE MONTH MONTHS MOVE NAME NAMES NATIONAL NATURAL
    NCHAR NEAREST NEW NEXT NO NONE NOT NOTHING NOTIFY NOTNULL NOWAIT NULL NULLIF NULLS NUMERIC OBJECT OF OFF
    OFFSET OIDS OLD ON ONLY OPERATOR OPTION OPTIONS OR ORDER ORDINALITY OTHERS OUT OUTER OVER OVERLAPS OVERLAY
    OVERRIDING OWNED OWNER PARALLEL PARSER PARTIAL PARTITION PARTITIONED PASSING PASSWORD PERCENT PERSISTENT PIVOT
    PIVOT_LONGER PIVOT_WIDER PLACING PLANS POLICY POSITION POSITIONAL PRAGMA PRECEDING PRECISION PREPARE PREPARED
    PRESERVE PRIMARY PRIOR PRIVILEGES PROCEDURAL PROCEDURE PROGRAM PUBLICATION QUALIFY QUARTER QUARTERS QUOTE
    RANGE READ REAL REASSIGN RECHECK RECURSIVE REF REFERENCES REFERENCING REFRESH REGISTER REINDEX RELATIVE
    RELEASE RENAME REPEATABLE REPLACE REPLICA RESET RESOURCE RESOURCES RESPECT RESTART RESTRICT RETURNING RETURNS
    REVOKE RIGHT ROLE ROLLBACK ROLLUP ROW ROWS RULE SAMPLE SAVEPOINT SCHEMA SCHEMAS SCOPE SCROLL SEARCH SECOND
    SECONDS SECRET SECURE SECURITY SELECT SEMI SEQUENCE SEQUENCES SERIALIZABLE SERVER SESSION SET SETOF SETS SHARE
    SHOW SIMILAR SIMILARITY SIMPLE SKIP SMALLINT SNAPSHOT SOME SORTED SOURCE SQL STABLE STANDALONE START STATEMENT
    STATISTICS STDIN STDOUT STORAGE STORED STRICT STRIP STRUCT SUBSCRIPTION SUBSTRING SUMMARIZE SYMMETRIC SYSID
    SYSTEM TABLE TABLES TABLESAMPLE TABLESPACE TARGET TEMP TEMPLATE TEMPORARY TEXT THEN TIES TIME TIMESTAMP TO
    TRAILING TRANSACTION TRANSFORM TREAT TRIGGER TRIM TRUE TRUNCATE TRUSTED TRY_CAST TUPLE TYPE TYPES UNBOUNDED
    UNCOMMITTED UNENCRYPTED UNION UNIQUE UNKNOWN UNLISTEN UNLOGGED UNPACK UNPIVOT UNTIL UPDATE USE USER USING
    VACUUM VALID VALIDATE VALIDATOR VALUE VALUES VARCHAR VARIABLE VARIADIC VARYING VERBOSE VERSION VIEW VIEWS
    VIRTUAL VOLATILE WEEK WEEKS WHEN WHERE WHITESPACE WINDOW WITH WITHIN WITHOUT WORK WRAPPER WRITE XML
    XMLATTRIBUTES XMLCONCAT XMLELEMENT XMLEXISTS XMLFOREST XMLNAMESPACES XMLPARSE XMLPI XMLROOT XMLSERIALIZE
    XMLTABLE YEAR YEARS YES ZONE
    """
)
# Functions that DuckDB's parser turns into something else.
DUCKDB_REWRITTEN = frozenset({"ifnull", "list_value", "struct_pack", "try", "operator", "date_part", "if", "date"})
DUCKDB_TYPES = {
    "int": "INTEGER", "integer": "INTEGER", "bigint": "BIGINT", "smallint": "SMALLINT", "tinyint": "TINYINT",
    "varchar": "VARCHAR", "text": "VARCHAR", "string": "VARCHAR", "double": "DOUBLE", "float": "FLOAT",
    "real": "FLOAT", "boolean": "BOOLEAN", "bool": "BOOLEAN", "date": "DATE", "timestamp": "TIMESTAMP",
}  # fmt: skip

CLICKHOUSE_OPERATORS = {
    "+": "plus", "-": "minus", "*": "multiply", "/": "divide", "%": "modulo", "=": "equals", "<>": "notEquals",
    "!=": "notEquals", "<": "less", ">": "greater", "<=": "lessOrEquals", ">=": "greaterOrEquals", "AND": "and",
    "OR": "or", "||": "concat",
}  # fmt: skip
# Functions with a syntax of their own, or that ClickHouse's parser replaces.
CLICKHOUSE_REWRITTEN = words(
    """array tuple cast date_add date_sub dateadd datesub date_diff datediff timestamp_add timestamp_sub timestampadd
    timestampsub timestampdiff timestamp_diff timestampdiff exists left right ltrim rtrim trim position substring
    substr mid extract overlay columns grouping view values date timestamp interval not and or xor in globalin any all
    kql map untuple"""
)

# Functions of Spark that are called in the name as they are written, each of them tried (Spark 4.3, all that SHOW
# FUNCTIONS lists, with up to four arguments), and those of them that give a number and no date for sure.
SPARK_FUNCTIONS = words(
    """
    abs add_months any any_value approx_count_distinct array array_append array_compact array_contains
    array_distinct array_except array_insert array_intersect array_max array_min array_position array_prepend
    array_remove array_repeat array_size array_union arrays_overlap arrays_zip ascii avg base64 between bin
    bit_and bit_count bit_get bit_length bit_or bit_xor bitmap_bit_position bitmap_bucket_number
    bitmap_construct_agg bool_and bool_or btrim cardinality ceiling char char_length character_length chr coalesce
    collation collect_list collect_set collect_union concat concat_ws contains conv corr count_if covar_pop
    covar_samp crc32 current_catalog current_date current_path current_schema current_timestamp current_timezone
    current_user date_add date_diff date_format date_from_unix_date date_sub date_trunc datediff day dayname
    dayofmonth dayofweek dayofyear decode element_at elt encode endswith equal_null every factorial find_in_set
    first first_value format_number format_string from_base32 from_utc_timestamp get get_json_object getbit
    greatest hash hex ifnull ilike initcap input_file_block_length input_file_block_start input_file_name
    is_valid_utf8 isnan jaro_winkler_similarity json_array_length json_object_keys kll_sketch_agg_bigint
    kll_sketch_agg_double kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float
    kll_sketch_merge_bigint kll_sketch_merge_double kll_sketch_merge_float kll_sketch_to_string_bigint
    kll_sketch_to_string_double kll_sketch_to_string_float kurtosis last last_day last_value lcase least left len
    length levenshtein ln localtimestamp lower luhn_check make_date make_timestamp make_valid_utf8 map map_concat
    map_contains_key map_entries map_from_arrays map_keys map_values max max_by md5 mean measure median min min_by
    mod mode monotonically_increasing_id month monthname named_struct nanvl negative next_day now nullif
    nullifzero nvl nvl2 octet_length parse_json parse_url pmod pow printf quarter quote rand randn regexp_count
    regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
    repeat reverse right rint sequence session_user sha sha1 sha2 shiftleft shiftright shiftrightunsigned shuffle
    sign size skewness slice some soundex space split_part st_geogfromwkb startswith std stddev stddev_pop
    stddev_samp struct substring_index sum timestamp_micros timestamp_millis timestamp_seconds to_base32 to_binary
    to_date to_json to_timestamp to_timestamp_ltz to_timestamp_ntz to_utc_timestamp to_variant_object translate
    trunc try_add try_avg try_divide try_element_at try_make_timestamp try_mod try_multiply try_parse_json
    try_parse_url try_subtract try_sum try_to_binary try_to_date try_to_timestamp try_url_decode try_validate_utf8
    typeof ucase unbase64 unhex unix_date upper url_decode url_encode user uuid validate_utf8 var_pop var_samp
    variance version weekday weekofyear width_bucket xxhash64 year zeroifnull count
    """
)
SPARK_NUMBERS = words(
    """
    abs avg cardinality char_length count count_if datediff day length mean month quarter size stddev sum variance
    year
    """
)
