"""What a statement can begin with, and where a new one begins although the last was not ended.

Tables for the splitter: words and short look-aheads, no state. A word alone proves little (`UPDATE` is a privilege, a
clause of MERGE and a column's name), so each head is a word with what has to follow it and what must not precede it.
"""

from __future__ import annotations

import re

_NAME = r"""(?:[\w$@#.-]+|`[^`\r\n]+`|"[^"\r\n]+"|\[[^\]\r\n]{1,256}\]|\{\{)"""


def _head(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_CREATED = (
    r"(?:OR\s+(?:REPLACE|ALTER|REFRESH)|TEMP|TEMPORARY|TABLE|VIEW|MATERIALIZED|EXTERNAL|SCHEMA|DATABASE|FUNCTION|PROC"
    r"|PROCEDURE|TRIGGER|TYPE|INDEX|UNIQUE|SEQUENCE|TRANSIENT|SECURE|RECURSIVE|GLOBAL|LOCAL|PRIVATE|UNLOGGED|VIRTUAL"
    r"|FOREIGN|STREAM|STREAMING|STAGE|TASK|PIPE|FILE|WAREHOUSE|ROLE|USER|PACKAGE|MODEL|SNAPSHOT|DICTIONARY|EXTENSION"
    r"|DOMAIN|MACRO|SECRET|LIVE|DYNAMIC|HYBRID|ICEBERG|EVENT|NO\s+FORCE|FORCE|EDITIONABLE|NONEDITIONABLE|MULTISET"
    r"|VOLATILE|SYNONYM|PUBLIC|DEFINER|ALGORITHM|SQL|CATALOG|CLUSTERED|NONCLUSTERED|AGGREGATE|RULE|FLOW|ALERT|SEARCH)\b"
)
_ALTERED = (
    r"(?:TABLE|VIEW|MATERIALIZED|EXTERNAL|SCHEMA|DATABASE|SESSION|SYSTEM|TYPE|FUNCTION|PROC|PROCEDURE|USER|ROLE"
    r"|WAREHOUSE|SEQUENCE|TASK|STREAM|STAGE|PIPE|FILE|TRIGGER|PACKAGE|ICEBERG|DYNAMIC|DEFAULT\s+PRIVILEGES)\b"
)
_DROPPED = (
    r"(?:TABLE|TABLES|VIEW|MATERIALIZED|EXTERNAL|SCHEMA|DATABASE|TYPE|FUNCTION|PROC|PROCEDURE|TRIGGER|SEQUENCE"
    r"|TEMPORARY|TASK|STREAM|STAGE|PIPE|PACKAGE|DICTIONARY|SYNONYM|MACRO|EXTENSION|SNAPSHOT|USER|ROLE)\b"
)

# Heads that start a statement at any bracket depth, when they stand in the first column.
DEEP_HEADS: dict[str, re.Pattern[str]] = {
    "CREATE": _head(rf"CREATE\s+{_CREATED}"),
    "ALTER": _head(rf"ALTER\s+{_ALTERED}"),
    "DROP": _head(rf"DROP\s+{_DROPPED}"),
    "INSERT": _head(r"INSERT\s+(?:INTO|OVERWRITE|OR\s+\w+\s+INTO)\b"),
    "MERGE": _head(r"MERGE\s+INTO\b"),
    "UPDATE": _head(
        rf"UPDATE\s+(?!(?:SET|OF|NOWAIT|SKIP|ON)\b){_NAME}(?:\s+(?:AS\s+)?(?!SET\b)\w+)?\s+"
        r"(?:SET|(?:(?:INNER|CROSS|LEFT|RIGHT)\s+)?(?:OUTER\s+)?JOIN)\b"
    ),
    "DELETE": _head(r"DELETE\s+FROM\b"),
    "TRUNCATE": _head(r"TRUNCATE\s+TABLE\b"),
}

# Heads that start a statement on a line of their own outside of brackets.
HEADS: dict[str, re.Pattern[str]] = {
    **DEEP_HEADS,
    "INSERT": _head(r"INSERT\s+(?:INTO|OVERWRITE|ALL|FIRST|IGNORE|OR\s+\w+\s+INTO)\b"),
    "DELETE": _head(rf"DELETE\s+(?:FROM\b|(?!WHERE\b){_NAME}\s+WHERE\b)"),
    "MERGE": _head(
        rf"MERGE\s+(?:INTO\b|TOP\s*\(|(?!(?:JOIN|PARTITIONS?)\b){_NAME}\s+(?:(?:AS\s+)?(?!USING\b)\w+\s+)?USING\b)"
    ),
    "COPY": _head(rf"COPY\s+(?:INTO\b|{_NAME}\s*(?:\([^()]*\)\s*)?(?:FROM|TO)\b)"),
    "EXPORT": _head(r"EXPORT\s+DATA\b"),
    "LOAD": _head(r"LOAD\s+DATA\b"),
    "GRANT": _head(r"GRANT\s+(?!OPTION\b)\w"),
    "REVOKE": _head(r"REVOKE\s+\w"),
    "COMMENT": _head(r"COMMENT\s+(?:IF\s+EXISTS\s+)?ON\b"),
    "DECLARE": _head(r"DECLARE\s+[@\w`]"),
    "CALL": _head(rf"CALL\s+{_NAME}\s*\("),
    "EXECUTE": _head(r"EXECUTE\s+IMMEDIATE\b"),
    "USE": _head(rf"USE\s+(?:(?:SCHEMA|DATABASE|CATALOG|ROLE|WAREHOUSE)\s+)?{_NAME}[ \t]*(?:;|[\r\n]|\Z)"),
    "REFRESH": _head(r"REFRESH\s+(?:TABLE|MATERIALIZED)\b"),
    "ANALYZE": _head(r"ANALYZE\s+TABLE\b"),
    "REPLACE": _head(r"REPLACE\s+INTO\b"),
}
DATA_HEADS = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
CHANGES = frozenset({"UPDATE", "DELETE", "MERGE"})
DEFINITION_HEADS = frozenset({"CREATE", "ALTER", "DROP", "TRUNCATE"})
# A common table expression; WITH (format = ..), WITH OFFSET AS x and WITH NO DATA are clauses.
WITH_HEAD = _head(
    r"WITH\s+(?:RECURSIVE\s+)?(?:\w+|`[^`\r\n]+`|\"[^\"\r\n]+\"|\[[^\]\r\n]{1,256}\])\s*(?:\([^()]*\)\s*)?"
    r"AS\s*(?:(?:NOT\s+)?MATERIALIZED\s*)?\("
)

# After these a definition, a change of data, a statement of any kind goes on.
DEFINITION_CONTINUING = frozenset(
    {"THEN", "ELSE", "DO", "EXPLAIN", "ANALYZE", "VERBOSE", "PLAN", "FORMATTED", "EXTENDED", "CODEGEN", "COST",
     "LOGICAL", "BEGIN", "LOOP"}
)
CHANGE_CONTINUING = DEFINITION_CONTINUING | {
    "AS", "IS", "ALSO", "INSTEAD", "DISTRIBUTED", "ATOMIC", "FOR", "RETURN", "KEY", "ROW", "("
}
CONTINUING = CHANGE_CONTINUING | {"ON", "OR", "AND", "AFTER", "BEFORE", "OF", "GRANT", "REVOKE", "=", ".", ">"}
SET_OPERATORS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})
# After these a query goes on; the first set where the statement has a query already.
QUERY_AGAIN = DEFINITION_CONTINUING | {"(", ">", "ALL", "DISTINCT", "NAME", "RETURN"}
QUERY_CONTINUING = CONTINUING | SET_OPERATORS | {"ALL", "DISTINCT", "NAME", "QUERY"}
# First words of statements that hold no query of their own outside of brackets.
QUERYLESS = frozenset(
    {"DROP", "TRUNCATE", "UPDATE", "DELETE", "MERGE", "ALTER", "USE", "CALL", "SET", "DECLARE", "PRINT", "EXEC"}
)
# First words that another verb follows.
PREFIXES = frozenset({"WITH", "EXPLAIN", "DESCRIBE", "DESC", "PROFILE", "PREPARE", ""})
PRIVILEGES = frozenset({"GRANT", "REVOKE", "DENY", "AUDIT"})
DEFAULT_PRIVILEGES = _head(r"ALTER\s+DEFAULT\s+PRIVILEGES\b")

# A routine's body holds statements; its kind is the last group.
ROUTINE = _head(
    r"(?:CREATE|ALTER)\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?"
    r"(?:(?:TEMP|TEMPORARY|AGGREGATE|TABLE(?=\s+FUNCTION)|EDITIONABLE|NONEDITIONABLE|SECURE|CONSTRAINT|EXTERNAL"
    r"|DEFINER\s*=\s*[^\s]+(?:\s*@\s*[^\s]+)?)\s+)*"
    r"(PROCEDURE|PROC|FUNCTION|TRIGGER|PACKAGE|TYPE\s+BODY|RULE|EVENT|TASK)\b"
)
# AS of these is followed by a query and nothing else.
QUERY_HOLDER = _head(r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+){0,3}?(?:TABLE|VIEW)\b")
TABLE_HEAD = _head(r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:\w+)\s+){0,3}?TABLE\b")
MULTI_INSERT = _head(r"INSERT\s+(?:OVERWRITE\s+)?(?:ALL|FIRST)\b")

# BEGIN followed by one of these starts a transaction, not a block.
TRANSACTION = frozenset(
    {"TRANSACTION", "TRAN", "WORK", "ISOLATION", "READ", "DEFERRED", "IMMEDIATE", "EXCLUSIVE", "CONCURRENT",
     "DISTRIBUTED", "DEFERRABLE", ";", ""}
)
# END followed by one of these ends a script block that is not counted.
UNCOUNTED = frozenset({"IF", "LOOP", "WHILE", "FOR", "REPEAT"})

# Script heads: what is left out before the statement that follows. The value is the words that end the head.
_THEN = frozenset({"THEN"})
_LOOP = frozenset({"DO", "LOOP"})
_CHANGE = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE", "EXECUTE"})
NOTHING: frozenset[str] = frozenset()
SCRIPT_HEADS: dict[str, frozenset[str]] = {
    "BEGIN": NOTHING, "ELSE": NOTHING, "LOOP": NOTHING, "REPEAT": NOTHING, "THEN": NOTHING, "TRY": NOTHING,
    "CATCH": NOTHING, "ATOMIC": NOTHING,
    "IF": _THEN, "ELSEIF": _THEN, "ELSIF": _THEN, "WHEN": _THEN, "EXCEPTION": _THEN, "CASE": _THEN,
    "WHILE": _LOOP, "FOR": _LOOP, "FOREACH": _LOOP, "FORALL": _CHANGE,
}
# These end the head of FORALL and begin its statement.
STATEMENT_ENDS_HEAD = _CHANGE
# A routine inside of a routine (Oracle): its statements follow its IS or AS.
LOCAL_ROUTINES = frozenset({"PROCEDURE", "FUNCTION"})
ROUTINE_HEAD = frozenset({"IS", "AS"})
# Heads that are statements of their own.
READING_HEAD = _head(r"(?:FOR|FORALL|PROCEDURE|FUNCTION)\b|[\s\S]*\bSELECT\b")
# Whole statements of a script that read and write nothing.
SCRIPT_STEPS = frozenset({"END", "UNTIL", "BREAK", "CONTINUE", "LEAVE", "ITERATE", "EXIT", "NULL"})
LABEL = _head(r"\w+\s*:\s*(?=(?:BEGIN|LOOP|WHILE|FOR|REPEAT)\b)|<<\s*\w+\s*>>")

# What begins a statement on a line of its own where no semicolon is needed (T-SQL), besides HEADS.
BATCH_HEADS: dict[str, re.Pattern[str]] = {
    word: _head(rf"{word}\b")
    for word in (
        "BEGIN", "END", "ELSE", "IF", "WHILE", "DECLARE", "PRINT", "EXEC", "EXECUTE", "RETURN", "RAISERROR", "THROW",
        "COMMIT", "ROLLBACK", "OPEN", "CLOSE", "DEALLOCATE", "WAITFOR", "GOTO", "BREAK", "CONTINUE", "TRUNCATE",
    )
} | {
    "SET": _head(
        r"SET\s+(?:@\w+\s*[-+*/%&|^]?=|(?:NOCOUNT|XACT_ABORT|ANSI_\w+|QUOTED_IDENTIFIER|IDENTITY_INSERT|ROWCOUNT"
        r"|LANGUAGE|DATEFORMAT|DATEFIRST|ARITHABORT|TRANSACTION|STATISTICS|CONCAT_NULL_YIELDS_NULL|NUMERIC_ROUNDABORT"
        r"|LOCK_TIMEOUT|DEADLOCK_PRIORITY)\b)"
    ),
    "FETCH": _head(r"FETCH\s+(?:(?:NEXT|PRIOR|FIRST|LAST)\s+)?FROM\b"),
    "UPDATE": _head(rf"UPDATE\s+(?!(?:SET|OF)\b){_NAME}"),
    "DELETE": _head(rf"DELETE\s+(?!(?:WHERE)\b){_NAME}"),
    "INSERT": _head(rf"INSERT\s+(?!(?:VALUES|DEFAULT)\b){_NAME}"),
    "MERGE": HEADS["MERGE"],
    "USE": HEADS["USE"],
}
# After these no new statement begins, even in T-SQL.
BATCH_CONTINUING = CONTINUING | set(",=(+-*/<>.%") | {"NOT", "IN", "WITH", "BY", "SET", "TO"}
# What ends the condition of an IF or WHILE that has no THEN (T-SQL).
BATCH_STARTS = (frozenset(BATCH_HEADS) - {"END", "ELSE"}) | {
    "SELECT", "WITH", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE"
}

# Reserved words that end a statement in the middle of a line too (T-SQL).
BATCH_STEPS = frozenset({"BEGIN", "END", "ELSE", "IF", "WHILE", "BREAK", "CONTINUE", "RETURN", "PRINT", "RAISERROR"})

# Words that a splitter has to look at; all others pass by.
WATCHED = (
    frozenset(HEADS) | frozenset(BATCH_HEADS) | SET_OPERATORS | UNCOUNTED | frozenset(SCRIPT_HEADS)
    | {"SELECT", "WITH", "VALUES", "FROM", "AS", "IS", "CASE", "END", "DO", "GO", "PROCEDURE", "FUNCTION"}
)

# Where an open quote or comment cannot have meant to reach: a statement in the first column, a definition in any case,
# others behind a semicolon or a blank line.
DEFINITION_BOUNDARY = _head(rf"(?:CREATE\s+{_CREATED}|ALTER\s+{_ALTERED}|DROP\s+{_DROPPED})")
ROUTINE_BOUNDARY = re.compile(
    r"(?<=[\r\n])CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:FUNCTION|PROCEDURE|TRIGGER)\b", re.IGNORECASE
)
BOUNDARY = re.compile(
    r"(?<=[\r\n])(?:CREATE|INSERT|MERGE|ALTER|DROP|UPDATE|DELETE|SELECT|WITH|TRUNCATE|GRANT|REVOKE|USE|SET|CALL|COPY"
    r"|DECLARE|BEGIN|COMMENT|EXPORT|LOAD|EXPLAIN|SHOW|DESCRIBE)\b",
    re.IGNORECASE,
)
