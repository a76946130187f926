"""How each dialect quotes and comments, as data, and the scanners that the splitter drives with it.

A scanner finds the tokens that decide where a statement ends and nothing more. Sources are the lexical pages of the
databases' documentations (BigQuery "Lexical structure", Postgres 4.1, Snowflake "String constants", Oracle "Text
literals", MySQL 11.1, Transact-SQL "Delimited identifiers", Spark and Databricks "STRING type", ClickHouse "Syntax",
DuckDB "Literal types"); where a page is silent the parser's tokenizer decides, since both must agree.
"""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct


class Lexical(Struct, frozen=True, kw_only=True):
    """The lexical rules of one dialect.

    `quotes` are the characters that quote strings or names; a doubled quote always stands for itself, and a backslash
    protects the next character within those of `backslash`. `comments` are what starts a comment up to the line end,
    as patterns.
    """

    quotes: str = "'\""
    backslash: str = ""
    comments: tuple[str, ...] = ("--",)
    nested_comments: bool = False
    # A carriage return ends a line comment too.
    return_ends_comment: bool = True
    # '''..''' and \"\"\"..\"\"\" (BigQuery).
    triple_quotes: bool = False
    # A quote cannot hold a line end, so an open one ends with its line (BigQuery).
    one_line_quotes: bool = False
    # r'..' without escapes (Spark, Databricks); BigQuery's raw strings end where plain ones do.
    raw_strings: bool = False
    # E'..' with backslash escapes (Postgres, Redshift, DuckDB).
    escape_strings: bool = False
    # q'[..]' (Oracle).
    alternative_quotes: bool = False
    # $tag$..$tag$: the pattern of the opener, or "".
    dollar_quotes: str = ""
    # [name] (T-SQL, SQLite); `]]` stands for `]` in T-SQL.
    bracket_names: bool = False
    doubled_brackets: bool = False
    # `$` may stand inside of a name.
    dollar_in_names: bool = False
    # A line of its own that ends a statement, as a pattern: GO (T-SQL), / (Oracle).
    batch_line: str = ""
    # First words of client commands, which end with their line: PROMPT (SQL*Plus).
    line_commands: frozenset[str] = frozenset()
    # What starts a client command at the start of a statement: \d (psql), .read (DuckDB, SQLite), @file
    # (SQL*Plus), !set (SnowSQL).
    line_command_signs: str = ""
    # DELIMITER x changes the terminator (MySQL).
    delimiter_command: bool = False
    # A line end can end a statement, a procedure reaches to the end of its batch, IF has no THEN (T-SQL).
    batches: bool = False
    # The IS or AS of a routine opens its declarations, which hold semicolons (Oracle).
    declarations: bool = False
    # CREATE TABLE t (..) SELECT without AS (MySQL, Spark).
    table_without_as: bool = False


_TAGGED_DOLLAR = r"\$(?:[^\W\d]\w*)?\$"
_LAKE = Lexical(
    quotes="'\"`", backslash="'\"", nested_comments=True, raw_strings=True, table_without_as=True
)
_TRINO = Lexical()

LEXICAL: dict[str, Lexical] = {
    "ansi": Lexical(
        quotes="'\"`", nested_comments=True, dollar_quotes=_TAGGED_DOLLAR, table_without_as=True,
        line_command_signs="\\.!",
    ),
    "bigquery": Lexical(
        quotes="'\"`", backslash="'\"`", comments=("--", "#"), triple_quotes=True, one_line_quotes=True
    ),
    "trino": _TRINO,
    "presto": _TRINO,
    "athena": Lexical(quotes="'\"`", backslash="'", nested_comments=True),
    "spark": _LAKE,
    "databricks": _LAKE,
    "hive": Lexical(quotes="'\"`", backslash="'\"", nested_comments=True, table_without_as=True),
    "snowflake": Lexical(
        backslash="'", comments=("--", r"(?<!:)(?<!:/)//"), dollar_quotes=r"\$\$", dollar_in_names=True,
        line_command_signs="!",
    ),
    "postgres": Lexical(
        nested_comments=True, escape_strings=True, dollar_quotes=_TAGGED_DOLLAR, dollar_in_names=True,
        line_command_signs="\\",
    ),
    "redshift": Lexical(
        backslash="'", nested_comments=True, escape_strings=True, dollar_quotes=_TAGGED_DOLLAR, dollar_in_names=True,
        line_command_signs="\\",
    ),
    "oracle": Lexical(
        alternative_quotes=True, dollar_in_names=True, batch_line=r"/[ \t]*(?=[\r\n]|\Z)", declarations=True,
        line_commands=frozenset(
            {"PROMPT", "REM", "REMARK", "SPOOL", "WHENEVER", "CONNECT", "CONN", "DEFINE", "UNDEFINE", "ACCEPT",
             "COLUMN", "BREAK", "TTITLE", "BTITLE", "SET", "SHOW", "HOST", "PAUSE", "CLEAR", "VARIABLE", "EXIT", "QUIT"}
        ),
        line_command_signs="@",
    ),
    "duckdb": Lexical(
        nested_comments=True, escape_strings=True, dollar_quotes=_TAGGED_DOLLAR, dollar_in_names=True,
        line_command_signs=".",
    ),
    "clickhouse": Lexical(
        quotes="'\"`", backslash="'\"`", comments=("--", "#"), nested_comments=True, return_ends_comment=False,
        dollar_quotes=_TAGGED_DOLLAR,
    ),
    "mysql": Lexical(
        quotes="'\"`", backslash="'\"", comments=(r"--(?=[\x00-\x20\x7f\s]|\Z)", "#"), return_ends_comment=False,
        delimiter_command=True, table_without_as=True,
    ),
    "tsql": Lexical(
        nested_comments=True, bracket_names=True, doubled_brackets=True,
        batch_line=r"GO(?:[ \t]+\d+)?[ \t]*;?[ \t]*(?:--[^\r\n]*)?(?=[\r\n]|\Z)", batches=True,
    ),
    "sqlite": Lexical(quotes="'\"`", bracket_names=True, return_ends_comment=False, line_command_signs="."),
}

# The groups of a scanner, in order. A quote that closes is CLOSED as a whole, else its first character is OPEN_QUOTE.
CLOSED, DELIMITED, WORD, SEMICOLON, LINE_COMMENT, COMMENT, TAG, OPEN, CLOSE, OPEN_QUOTE, SYMBOL = range(1, 12)

_TRIPLE = {quote: rf"{quote * 3}[^{quote}\\]*(?:(?:\\[\s\S]|{quote}(?!{quote * 2}))[^{quote}\\]*)*{quote * 3}"
           for quote in "'\""}


class Scanner(Struct, frozen=True):
    """The compiled patterns of one dialect.

    `tokens` closes quotes over lines, `lines` within one line only; `quotes` holds the pattern of each quote over
    lines.
    """

    rules: Lexical
    tokens: re.Pattern[str]
    lines: re.Pattern[str]
    quotes: dict[str, re.Pattern[str]]
    batch_line: re.Pattern[str] | None


@cache
def scanner(name: str) -> Scanner:
    """The scanner of the dialect called `name`, compiled once."""
    rules = LEXICAL[name]
    return Scanner(
        rules=rules,
        tokens=_token_pattern(rules, one_line=rules.one_line_quotes),
        lines=_token_pattern(rules, one_line=True),
        quotes={quote: re.compile(_quote_pattern(rules, quote, one_line=False)) for quote in rules.quotes},
        batch_line=re.compile(rules.batch_line, re.IGNORECASE) if rules.batch_line else None,
    )


def _quote_pattern(rules: Lexical, quote: str, one_line: bool) -> str:
    """One closed quote; a doubled quote reads as two quotes side by side, which ends at the same place."""
    return _closed(quote, quote in rules.backslash, one_line)


def _closed(quote: str, backslash: bool, one_line: bool) -> str:
    stop = r"\r\n" if one_line else ""
    if not backslash:
        return f"{quote}[^{quote}{stop}]*{quote}"
    escaped = r"\\[^\r\n]" if one_line else r"\\[\s\S]"
    return rf"{quote}[^{quote}\\{stop}]*(?:{escaped}[^{quote}\\{stop}]*)*{quote}"


def _token_pattern(rules: Lexical, one_line: bool) -> re.Pattern[str]:
    closed: list[str] = []
    if rules.triple_quotes:
        closed += _TRIPLE.values()
    closed += [_quote_pattern(rules, quote, one_line) for quote in rules.quotes]
    prefixed: list[str] = []
    if rules.raw_strings:
        prefixed += [f"[rR]{_closed(quote, False, one_line)}" for quote in "'\""]
    if rules.escape_strings:
        # A doubled quote goes on with the same escapes, which a plain string behind it would not have.
        stop, escaped = (r"\r\n", r"\\[^\r\n]") if one_line else ("", r"\\[\s\S]")
        prefixed.append(rf"[eE]'[^'\\{stop}]*(?:(?:{escaped}|'')[^'\\{stop}]*)*'")
    if rules.bracket_names:
        # Names are short; the bound keeps a line of open brackets from being read again for each of them.
        again = r"(?:\]\][^\]\r\n]{0,256})*" if rules.doubled_brackets else ""
        closed.append(rf"\[[^\]\r\n]{{0,128}}{again}\]")
    delimited = [r"[nN]?[qQ]'(?=\S)"] if rules.alternative_quotes else []
    if rules.dollar_quotes:
        delimited.append(rules.dollar_quotes)
    comment_end = r"[^\r\n]*" if rules.return_ends_comment else r"[^\n]*"
    parts = (
        "|".join(prefixed + closed),
        "|".join(delimited) or "(?!)",
        r"\w[\w$]*" if rules.dollar_in_names else r"\w+",
        ";",
        f"(?:{'|'.join(rules.comments)}){comment_end}",
        r"/\*",
        r"\{[{%#]",
        r"[(\[{]",
        r"[)\]}]",
        f"[{rules.quotes}]",
        r"\S",
    )
    return re.compile(r"\s*(?:" + "|".join(f"({part})" for part in parts) + ")")
