"""Which dialect a text is written in, said by its header or told by what it uses.

Evidence is a table: a word or sign that has to occur, a pattern that has to match, and how much it speaks for which
dialect. What stands in comments and strings does not count, but a text whose first comment begins with the name of a
dialect (`-- BigQuery: crates.sql`) is believed unless it looks like another. A dialect is named only where it clearly
leads: the wrong grammar is worse than the general one.
"""

from __future__ import annotations

import re
from collections import defaultdict

from msgspec import Struct

from sql_lineage_ls.syntax.dialects import ANSI, DIALECTS, Dialect, find_dialect
from sql_lineage_ls.syntax.templates import mask

# A dialect shows early; the rest of a long dump only costs time.
_READ = 65_536
_HEADER_READ = 4_096
# How much the leading dialect needs, and how far the next one has to be behind.
_ENOUGH = 3
_LEAD = 2

_LEADING_COMMENT = re.compile(r"\s*(--[^\r\n]*|#[^\r\n]*|/\*(?:[\s\S]*?\*/|[\s\S]*))")
_HEADER = re.compile(
    r"(?:^|\n)\s*(?:--+|#+|/\*+|\*)?[#!*\s]*(?:sqlfluff:)?(?:sql[ _-]?)?dialect\s*[:=]\s*([\w-]+)", re.IGNORECASE
)
_NAMED_FIRST = re.compile(
    r"(?:--+|#+|/\*+)[ \t]*([A-Za-z][\w-]*(?:[ _-]?SQL)?)[ \t]*(?=[:,(\r\n]|\*/|\Z)", re.IGNORECASE
)
_SILENT = re.compile(
    r"--[^\r\n]*|/\*(?:[\s\S]*?\*/|[\s\S]*)|\"\"\"(?:[\s\S]*?\"\"\"|[\s\S]*)|\$\$(?:[\s\S]*?\$\$|[\s\S]*)|'[^'\r\n]*'?"
)
_WORD = re.compile(r"\w+")


def header_dialect(text: str) -> Dialect | str | None:
    """The dialect that a comment at the top of `text` names; the name itself where no dialect has it; else None.

    `-- dialect: trino`, `# dialect: trino`, `/* dialect: trino */` and `-- sqlfluff:dialect:trino` are read in the
    comments before the first statement.
    """
    position = 1 if text.startswith("\ufeff") else 0
    text = text[:_HEADER_READ]
    while True:
        comment = _LEADING_COMMENT.match(text, position)
        if comment is None:
            return None
        header = _HEADER.search(comment[1])
        if header:
            return find_dialect(header[1]) or header[1]
        position = comment.end()


def detect_dialect(text: str) -> Dialect | None:
    """The dialect that `text` gives away by what it uses, None where no dialect clearly leads.

    ``SELECT a FROM `p.ds.crates` `` is BigQuery, `SELECT a FROM crates` could be any.
    """
    silent = _SILENT.sub(_without_content, mask(text[:_READ]).text)
    words = set(_WORD.findall(silent.upper()))
    scores: defaultdict[str, int] = defaultdict(int)
    named = _named_first(text)
    if named is not None:
        scores[_READ_AS.get(named.name, named.name)] += _ENOUGH
    for evidence in _EVIDENCE:
        present = evidence.trigger in words if evidence.trigger[0].isalpha() else evidence.trigger in silent
        if present and (evidence.pattern is None or evidence.pattern.search(silent)):
            for name, weight in evidence.weights:
                scores[name] += weight
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    if not ranked or ranked[0][1] < _ENOUGH:
        return None
    if len(ranked) > 1 and ranked[0][1] - ranked[1][1] < _LEAD:
        return None
    leader = ranked[0][0]
    if named is not None and _READ_AS.get(named.name, named.name) == leader:
        return named
    return DIALECTS[_relative(leader, silent)]


def _named_first(text: str) -> Dialect | None:
    """The dialect whose name begins the first comment; the general dialect is no news."""
    comment = _LEADING_COMMENT.match(text[:_HEADER_READ].lstrip("\ufeff"))
    named = _NAMED_FIRST.match(comment[1]) if comment else None
    dialect = find_dialect(named[1].replace(" ", "")) if named else None
    return dialect if dialect is not None and dialect is not ANSI else None


def _without_content(match: re.Match[str]) -> str:
    return {"'": "''", "$": "$$"}.get(match[0][0], " ")


def _relative(name: str, text: str) -> str:
    """The dialect of a family that its own words point to: Hive and Databricks read as Spark first."""
    for relative, pattern in _RELATIVES.get(name, ()):
        if pattern.search(text):
            return relative
    return name


class _Evidence(Struct, frozen=True):
    """One piece: `trigger` is an upper-case word or a sign, `weights` what it is worth for which dialect."""

    trigger: str
    pattern: re.Pattern[str] | None
    weights: tuple[tuple[str, int], ...]


def _when(triggers: str, pattern: str = "", **weights: int) -> list[_Evidence]:
    """Evidence where one of the triggers occurs and the pattern matches; case counts from `(?-i:` on."""
    compiled = re.compile(pattern, re.IGNORECASE | re.MULTILINE) if pattern else None
    return [_Evidence(trigger, compiled, tuple(weights.items())) for trigger in triggers.split()]


_FORMATS = r"(?:PARQUET|DELTA|ORC|CSV|JSON|AVRO|ICEBERG|TEXT|HUDI)"
_EVIDENCE: tuple[_Evidence, ...] = tuple(
    evidence
    for group in (
        # BigQuery
        _when("`", r"`[\w-]+\.[\w$-]+\.[\w$*-]+`", bigquery=4),
        _when("`", r"`[\w-]+\.[\w$*-]+`", bigquery=2),
        _when("`", r"`\w+-[\w-]+`\s*\.", bigquery=3),
        _when("TYPE", r"\bANY\s+TYPE\b", bigquery=3),
        _when("LANGUAGE", r"\bLANGUAGE\s+js\b", bigquery=3),
        _when("BYTES", r"\b\w+\s+BYTES\b", bigquery=2),
        _when("EXTERNAL_QUERY LOGICAL_OR LOGICAL_AND TO_JSON_STRING", bigquery=2),
        _when("SAFE", r"\bSAFE\.\w+\s*\(", bigquery=3),
        _when(",", r",\s*FROM\b", bigquery=1, duckdb=1, snowflake=1),
        _when("INT64 FLOAT64", r"\b(?-i:INT64|int64|FLOAT64|float64)\b", bigquery=3),
        _when("BIGNUMERIC SAFE_CAST SAFE_DIVIDE _PARTITIONTIME _TABLE_SUFFIX _PARTITIONDATE", bigquery=3),
        _when("OFFSET ORDINAL SAFE_OFFSET SAFE_ORDINAL", r"\[\s*(?:SAFE_)?(?:OFFSET|ORDINAL)\s*\(", bigquery=4),
        _when("OFFSET", r"\bWITH\s+OFFSET\b", bigquery=4),
        _when("STRUCT", r"\bSTRUCT\s*<\s*`?\w+`?\s+\w", bigquery=2, spark=1),
        _when("STRUCT", r"\bAS\s+STRUCT\b", bigquery=4),
        _when("STRUCT", r"\bSTRUCT\s*\([^()]{0,200}\sAS\s+\w+", bigquery=3, spark=1),
        _when("GENERATE_UUID GENERATE_DATE_ARRAY FARM_FINGERPRINT FORMAT_TIMESTAMP FORMAT_DATE PARSE_TIMESTAMP"
              " PARSE_DATE TIMESTAMP_TRUNC TIMESTAMP_MILLIS DATETIME_DIFF APPROX_QUANTILES ARRAY_CONCAT_AGG",
              bigquery=3),
        _when("COUNTIF", bigquery=2),
        _when("OPTIONS", r"\bOPTIONS\s*\(\s*(?:description|labels|partition_expiration_days)\b", bigquery=3),
        _when("EXCEPT", r"\*\s*EXCEPT\s*\(", bigquery=2, spark=1),
        _when("|>", r"^\s*\|>", bigquery=2, spark=1),
        # Trino, Presto, Athena
        _when("ROW", r"\bROW\s*\(\s*\"?\w+\"?\s+(?:VARCHAR|BIGINT|INTEGER|INT|DOUBLE|BOOLEAN|ROW|ARRAY|MAP|DATE"
              r"|TIMESTAMP|DECIMAL|REAL)\b", trino=4),
        _when("ARRAY", r"\bARRAY\s*\(\s*(?-i:VARCHAR|BIGINT|INTEGER|DOUBLE|ROW|varchar|bigint|integer|double|row)\b",
              trino=4),
        _when("MAP", r"\bMAP\s*\(\s*(?-i:VARCHAR|varchar|BIGINT|bigint|INTEGER|integer)\s*,", trino=2, duckdb=2),
        _when("WITH", r"\bWITH\s*\([^()]{0,200}\b(?:format|external_location|partitioned_by|partitioning|bucketed_by)"
              r"\s*=", trino=4),
        _when("UNNEST", r"\bUNNEST\s*\([^()]{0,200}\)\s*(?:WITH\s+ORDINALITY\s+)?(?:AS\s+)?\w+\s*\(",
              trino=2, postgres=1),
        _when("JSON_EXTRACT_SCALAR DATE_PARSE APPROX_DISTINCT FROM_ISO8601_TIMESTAMP TRANSFORM_VALUES ANY_MATCH"
              " FROM_UNIXTIME_NANOS MAP_AGG", trino=2),
        # Spark, Hive, Databricks
        _when("LATERAL", r"\bLATERAL\s+VIEW\b", spark=4),
        _when("USING", rf"\bUSING\s+{_FORMATS}\b", spark=4),
        _when("STORED", r"\bSTORED\s+(?:AS|BY)\b", spark=4),
        _when("FORMAT", r"\bROW\s+FORMAT\s+(?:SERDE|DELIMITED)\b", spark=4),
        _when("TBLPROPERTIES MSCK NAMED_STRUCT POSEXPLODE GET_JSON_OBJECT ZORDER", spark=3),
        _when("COLLECT_LIST COLLECT_SET EXPLODE EXPLODE_OUTER MAP_FROM_ARRAYS", spark=3),
        _when("STRUCT", r"\bSTRUCT\s*<\s*`?\w+`?\s*:", spark=4),
        _when("OVERWRITE", r"\bINSERT\s+OVERWRITE\s+(?!INTO\b)\w", spark=3),
        _when("DISTRIBUTE SORT", r"\b(?:DISTRIBUTE|SORT)\s+BY\b", spark=3),
        _when("PARTITIONED", r"\bPARTITIONED\s+BY\s*\(", spark=1),
        _when("STRING", r"\b\w+\s+STRING\b", spark=1, bigquery=1),
        _when("STREAMING LIVE", r"\b(?:CREATE|REFRESH)\s[^;]{0,40}\b(?:STREAMING|LIVE)\s+TABLE\b", spark=3),
        # Snowflake
        _when("VARIANT", r"\b\w+\s+VARIANT\b", snowflake=3, spark=1),
        _when("FLATTEN", r"\b(?:LATERAL\s+|TABLE\s*\(\s*)FLATTEN\s*\(|\bFLATTEN\s*\(\s*INPUT\s*=>", snowflake=4),
        _when("OBJECT_CONSTRUCT ARRAY_CONSTRUCT TRY_PARSE_JSON TIMESTAMP_LTZ TO_VARIANT OBJECT_AGG", snowflake=3),
        _when("TIMESTAMP_NTZ PARSE_JSON QUERY_TAG", snowflake=2),
        _when("USE", r"\bUSE\s+(?:ROLE|WAREHOUSE)\b", snowflake=3),
        _when("SNOWFLAKE", r"\bSNOWFLAKE\s*\.\s*\w", snowflake=4),
        _when("IDENTIFIER", r"\bIDENTIFIER\s*\(", snowflake=2, spark=1),
        _when("LANGUAGE", r"\bLANGUAGE\s+JAVASCRIPT\b|\bRUNTIME_VERSION\s*=", snowflake=3),
        _when("OVERWRITE", r"\bINSERT\s+OVERWRITE\s+INTO\b", snowflake=3),
        _when("TARGET_LAG UUID_STRING RESULT_SCAN", snowflake=3),
        _when("COMMENT", r"\bCOMMENT\s*=\s*''", snowflake=1, mysql=1),
        _when("CREATE", r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:DYNAMIC\s+TABLE|SEMANTIC\s+VIEW|STREAMLIT|NETWORK\s+RULE"
              r"|COMPUTE\s+POOL|MASKING\s+POLICY|ROW\s+ACCESS\s+POLICY|RESOURCE\s+MONITOR)\b", snowflake=3),
        _when(":", r"(?:^|[\s,(=])[A-Za-z_][\w.]*:[A-Za-z_\"](?!\w*\s*<)[\w.\"\[\]]*(?:::|\s+AS\b|\s*[,)=]|\s+FROM\b)",
              snowflake=3, spark=1),
        _when("NUMBER", r"\bNUMBER\s*\(\s*38\b", snowflake=2),
        _when("NUMBER", r"\b\w+\s+NUMBER\b", snowflake=1, oracle=1),
        _when("TRANSIENT WAREHOUSE STAGE PIPE STREAM", r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TRANSIENT|WAREHOUSE|STAGE"
              r"|PIPE|STREAM)\b", snowflake=3),
        _when("FORMAT", r"\bFILE\s+FORMAT\b", snowflake=3),
        _when("@", r"\bFROM\s+@[\w~%]|\bCOPY\s+INTO\s+@", snowflake=2),
        _when("COPY", r"\bCOPY\s+(?:INTO|GRANTS)\b", snowflake=2, spark=1),
        _when("QUALIFY", snowflake=1, bigquery=1, duckdb=1, spark=1),
        _when("IFF DATEADD", r"\b(?:IFF|DATEADD)\s*\(", snowflake=1, tsql=1),
        _when("$$", snowflake=1, postgres=1),
        # Postgres and Redshift
        _when("::", snowflake=1, postgres=1, redshift=1, duckdb=1),
        _when("TYPE", r"\bCREATE\s+TYPE\s+[\w.\"]+\s+AS\s*(?:ENUM\s*)?\(", postgres=4),
        _when("PLPGSQL JSONB BIGSERIAL BYTEA TSVECTOR PG_CATALOG", postgres=4),
        _when("SERIAL TIMESTAMPTZ CITEXT INET", postgres=2),
        _when("CONFLICT", r"\bON\s+CONFLICT\b", postgres=2, sqlite=2, duckdb=1),
        _when(".", r"(?<![\w)])\(\s*[A-Za-z_]\w*(?:\.\w+)?\s*\)\s*\.\s*[A-Za-z_]\w*\b(?!\s*\()", postgres=3),
        _when("DISTINCT", r"\bDISTINCT\s+ON\s*\(", postgres=2, duckdb=1),
        _when("EXTENSION", r"\bCREATE\s+EXTENSION\b", postgres=4),
        _when("OWNER", r"\bOWNER\s+TO\b", postgres=3),
        _when("INDEX", r"\bUSING\s+(?:btree|gin|gist|brin)\b", postgres=4),
        _when("VARYING ZONE", r"\bCHARACTER\s+VARYING\b|\bWITH(?:OUT)?\s+TIME\s+ZONE\b", postgres=1),
        _when("->>", postgres=1, sqlite=1, mysql=1, duckdb=1),
        _when("[]", r"\b(?:TEXT|INT|INTEGER|BIGINT|VARCHAR)\s*\[\]", postgres=2, duckdb=2),
        _when("DISTKEY SORTKEY DISTSTYLE IAM_ROLE JSON_PARSE", redshift=4),
        _when("_", r"\b(?:STL|STV|SVV|SVL|SVCS)_\w", redshift=4),
        _when("SUPER", r"\b\w+\s+SUPER\b", redshift=4),
        _when("UNLOAD", r"\bUNLOAD\s*\(", redshift=3),
        # Oracle
        _when("VARCHAR2 NVARCHAR2 BULK ROWNUM", oracle=3),
        _when("SYSDATE", oracle=2, redshift=1),
        _when("OBJECT", r"\b(?:AS|IS)\s+OBJECT\s*\(", oracle=4),
        _when("VARRAY NOCYCLE", oracle=4),
        _when("TABLE", r"\b(?:AS|IS)\s+TABLE\s+OF\b|\bNESTED\s+TABLE\b", oracle=4),
        _when("DUAL", r"\bFROM\s+DUAL\b", oracle=2, mysql=1),
        _when("CONNECT", r"\bCONNECT\s+BY\b", oracle=3),
        _when("(+)", oracle=4),
        _when("%", r"%(?:ROW)?TYPE\b", oracle=4),
        _when("/", r"^/[ \t]*$", oracle=3),
        _when("CLOB NVL NVL2", oracle=1),
        # DuckDB
        _when("STRUCT", r"\bSTRUCT\s*\(\s*\"?\w+\"?\s+(?!AS\b)\w+", duckdb=3),
        _when("[]", r"\)\s*\[\]", duckdb=2, postgres=-1),
        _when("READ_PARQUET READ_CSV READ_CSV_AUTO READ_JSON READ_JSON_AUTO STRUCT_PACK LIST_TRANSFORM LIST_VALUE"
              " HUGEINT UBIGINT", duckdb=4),
        _when("FROM", r"\bSELECT\b[^;()]{0,300}\bFROM\s+''", duckdb=3),
        _when("{", r"\{\s*''\s*:", duckdb=2, snowflake=1),
        _when("EXCLUDE", r"\*\s*EXCLUDE\b", duckdb=2, snowflake=2),
        _when("MACRO", r"\bCREATE\s+(?:OR\s+REPLACE\s+)?MACRO\b", duckdb=4),
        # ClickHouse
        _when("ENGINE", r"\bENGINE\s*=\s*(?:\w*MergeTree|Log|TinyLog|Memory|Distributed|Kafka|Null|S3|Buffer)\b",
              clickhouse=5),
        _when("NESTED ARRAY TUPLE NULLABLE LOWCARDINALITY MAP",
              r"\b(?-i:Nested|Array|Tuple|Nullable|LowCardinality|Map)\s*\((?!\s*\))", clickhouse=3),
        _when("INT8 INT16 INT32 UINT8 UINT16 UINT32 UINT64 FIXEDSTRING DATETIME64",
              r"\b(?-i:U?Int(?:8|16|32|64|128|256)|FixedString|DateTime64)\b", clickhouse=3),
        _when("ARRAYJOIN ARRAYMAP GROUPARRAY UNIQEXACT TOSTARTOFMONTH TOSTARTOFDAY TOSTARTOFHOUR TOYYYYMM PREWHERE"
              " ARRAYFILTER COUNTSTATE UNIQSTATE JSONEACHROW", clickhouse=4),
        _when("JOIN", r"\bARRAY\s+JOIN\b", clickhouse=4),
        _when("CLUSTER", r"\bON\s+CLUSTER\b", clickhouse=4),
        # T-SQL
        _when("]", r"\[\w[\w ]*\]\s*\.\s*\[", tsql=4),
        _when("]", r"\b(?:FROM|JOIN|INTO|TABLE|SELECT|VIEW)\s+\[[A-Za-z_][\w ]*\]", tsql=3),
        _when("GO", r"^\s*GO\s*;?\s*$", tsql=4),
        _when("NVARCHAR", tsql=2),
        _when("TOP", r"\bSELECT\s+(?:DISTINCT\s+)?TOP\s*\(?\s*\d", tsql=2, redshift=1, snowflake=1),
        _when("DBO", r"\bdbo\.", tsql=4),
        _when("@", r"\bDECLARE\s+@\w", tsql=4),
        _when("DATETIME2 UNIQUEIDENTIFIER SMALLDATETIME DATETIMEOFFSET NOLOCK", tsql=4),
        _when("APPLY", r"\b(?:CROSS|OUTER)\s+APPLY\b", tsql=3),
        _when("#", r"\b(?:INTO|FROM|TABLE|JOIN)\s+#\w", tsql=4),
        _when("GETDATE", tsql=2, redshift=1),
        _when("IDENTITY", r"\bIDENTITY\s*\(\s*\d+\s*,", tsql=2, redshift=1, snowflake=1),
        # MySQL
        _when("AUTO_INCREMENT MEDIUMTEXT LONGTEXT MEDIUMINT STRAIGHT_JOIN INNODB MYISAM UTF8MB4", mysql=4),
        _when("DUPLICATE", r"\bON\s+DUPLICATE\s+KEY\b", mysql=4),
        _when("UNSIGNED", mysql=2),
        _when("DELIMITER", r"^\s*DELIMITER\s+\S", mysql=4),
        _when("LIMIT", r"\bLIMIT\s+\d+\s*,\s*\d+", mysql=2, clickhouse=1, sqlite=1),
        _when("GROUP_CONCAT", mysql=2, sqlite=2),
        _when("`", r"`\w+`", mysql=1, spark=1),
        # SQLite
        _when("AUTOINCREMENT", sqlite=3, snowflake=1),
        _when("PRAGMA", r"^\s*PRAGMA\s+\w+", sqlite=4),
        _when("ROWID", r"\bWITHOUT\s+ROWID\b", sqlite=5),
        _when("SQLITE_MASTER SQLITE_SCHEMA SQLITE_SEQUENCE", sqlite=5),
        _when("OR", r"\bINSERT\s+OR\s+(?:REPLACE|IGNORE|ROLLBACK|ABORT)\b", sqlite=4),
        _when("JULIANDAY STRFTIME", sqlite=2, duckdb=1),
    )
    for evidence in group
)


def _points(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# Dialects that share the evidence of another.
_READ_AS = {"databricks": "spark", "hive": "spark", "presto": "trino", "athena": "trino"}
# Within a family: what only one of its dialects has.
_RELATIVES: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    "spark": (
        (
            "databricks",
            _points(r"\bUSING\s+DELTA\b|\bZORDER\b|\bCREATE\s[^;]{0,40}\b(?:LIVE|STREAMING)\s+TABLE\b|\bread_files\s*\(|\bVARIANT\b"
                    r"|\bCOPY\s+INTO\b|\bAPPLY\s+CHANGES\b|\bQUALIFY\b|(?:^|[\s,(=])[A-Za-z_][\w.]*:[a-z_]\w*(?:::|\s+AS\b)"),
        ),
        (
            "hive",
            _points(r"\bSERDE\b|\bFIELDS\s+TERMINATED\b|\bSTORED\s+BY\b|\bINPUTFORMAT\b|\bCLUSTERED\s+BY\b"
                    r"|\bLOAD\s+DATA\s+(?:LOCAL\s+)?INPATH\b"),
        ),
    ),
}
