"""Other ways to write the same query, on the level of its text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from tests.metamorphic.cases import Case

TARGET = "zoo.result"

_ALIAS = re.compile(r"\bz(?!oo)[a-z]{2}\b")
_QUALIFIED = re.compile(r"\b(z(?!oo)[a-z]{2})\.([a-z]\w*)")
_KEYWORD = re.compile(r"\b(SELECT|FROM|WHERE|JOIN|AS)\b")
# A text in quotes, a word, or a run of blanks.
_PIECE = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|\w+|[ \n]+""")

# Databases that compare names without case, those whose tables are an exception, and the rest.
FOLDING = frozenset({"trino", "spark", "snowflake", "postgres", "redshift", "duckdb", "tsql"})
FOLDING_COLUMNS = frozenset({"bigquery"})
_QUOTES = {"bigquery": "`{}`", "spark": "`{}`", "mysql": "`{}`", "tsql": "[{}]"}
# How a database stores a name that was written without quotes.
_STORED: dict[str, Callable[[str], str]] = {"snowflake": str.upper}


def with_ctes(case: Case) -> str:
    """The query with its parts in a WITH clause."""
    if not case.parts:
        return case.main
    return "WITH " + ", ".join(f"{name} AS ({query})" for name, query in case.parts.items()) + f" {case.main}"


def with_derived_tables(case: Case) -> str:
    """The query with its parts where they are read."""
    done: dict[str, str] = {}
    for name, query in (*case.parts.items(), ("", case.main)):
        text = query
        for part, body in done.items():
            text = re.sub(rf"\b(FROM|JOIN) {part}\b", lambda match, body=body: f"{match[1]} ({body})", text)
        done[name] = text
    return done[""]


def with_views(case: Case) -> dict[str, str]:
    """The query with its parts as views in files of their own, by file."""
    queries = {**{f"zoo.{name}": query for name, query in case.parts.items()}, TARGET: case.main}
    return {f"{name}.sql": f"CREATE VIEW {name} AS {_in_schema(case, query)}" for name, query in queries.items()}


def with_models(case: Case) -> dict[str, str]:
    """The query and its parts as models of a dbt project, by file."""
    return {f"{name}.sql": _with_refs(case, query) for name, query in (*case.parts.items(), ("result", case.main))}


def _with_refs(case: Case, query: str) -> str:
    for part in case.parts:
        query = re.sub(rf"\b(FROM|JOIN) {part}\b", rf"\1 {{{{ ref('{part}') }}}}", query)
    return query


def _in_schema(case: Case, query: str) -> str:
    for part in case.parts:
        query = re.sub(rf"\b(FROM|JOIN) {part}\b", rf"\1 zoo.{part}", query)
    return query


def rename_aliases(text: str, case: Case, chance: random.Random) -> str:
    """Every table alias and every CTE gets another name."""
    number = chance.randrange(100)
    for part in case.parts:
        text = re.sub(rf"\b{part}\b", f"{part}_{number}", text)
    return _ALIAS.sub(lambda match: f"alias_{match[0]}_{number}", text)


def spread(text: str, case: Case, chance: random.Random) -> str:
    """Other blanks and line ends, and more of them around signs."""
    text = re.sub(r" ?([(),]) ?", lambda match: chance.choice(("{} ", "{}\n", " {} ", "{}")).format(match[1]), text)
    return _pieces(text, lambda piece: chance.choice((" ", "  ", "\n", "\n  ", "\t")) if piece.isspace() else piece)


def comment(text: str, case: Case, chance: random.Random) -> str:
    """Comments between the words."""
    notes = (" /* FROM nowhere */ ", " -- SELECT ' \n", " /* it's; */\n", " ")
    return _pieces(text, lambda piece: chance.choice(notes) if piece.isspace() else piece)


def swap_case(text: str, case: Case, chance: random.Random) -> str:
    """Every word in upper or lower case, as far as the database compares it without."""
    if not case.folds or case.dialect not in FOLDING | FOLDING_COLUMNS:
        return _KEYWORD.sub(lambda match: chance.choice((str.lower, str.title))(match[0]), text)
    tables = {"zoo", "pens", "meals", *case.parts} if case.dialect in FOLDING_COLUMNS else set()

    def swapped(piece: str) -> str:
        quoted = piece[0] in "'\"`"
        return piece if quoted or piece.lower() in tables else chance.choice((str.upper, str.lower))(piece)

    return _pieces(text, swapped)


def quote(text: str, case: Case, chance: random.Random) -> str:
    """The columns behind an alias in quotes, spelled as the database stores them."""
    stored, quotes = _STORED.get(case.dialect, str), _QUOTES.get(case.dialect, '"{}"')
    return _QUALIFIED.sub(lambda match: f"{match[1]}.{quotes.format(stored(match[2]))}", text)


def _pieces(text: str, change: Callable[[str], str]) -> str:
    return _PIECE.sub(lambda match: change(match[0]), text)


Rewriting = Callable[[str, Case, random.Random], str]
REWRITINGS: dict[str, Rewriting] = {
    "aliases": rename_aliases, "blanks": spread, "comments": comment, "case": swap_case, "quotes": quote,
}  # fmt: skip
# In this order they do not disturb each other: blanks and comments come last.
ORDER = ("aliases", "quotes", "case", "blanks", "comments")
