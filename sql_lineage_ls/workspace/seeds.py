"""Seeds: CSV files that dbt loads as tables, named by the file. Their first line is the list of columns.

No more of a seed is read than that line; types are not known.
"""

from __future__ import annotations

import re
from pathlib import Path

from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.query_model import ColumnDef, CreateTable, Name, StatementModel
from sql_lineage_ls.workspace.dbt_project import SEED_SUFFIX
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import ParsedPiece
from sql_lineage_ls.workspace.text_files import decode

# No header is longer.
_READ = 65_536
_CELL = re.compile(r'[ \t]*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^,"]*?))[ \t]*(?:,|\Z)')
_PLAIN = re.compile(r"[^\W\d]\w*")
# What separates columns in other files: then one cell holds them all, and nobody knows by which sign.
_OTHER_SIGNS = re.compile(r"[;|\t]")


def is_seed(uri: str, relation: str) -> bool:
    """Whether a document that is the relation of that name ('' for none) is a seed."""
    return bool(relation) and uri.lower().endswith(SEED_SUFFIX)


def read_header(path: Path) -> str | None:
    """The first line of a file, None where it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.readline(_READ)
    except OSError:
        return None
    text = decode(content)
    return None if text is None else header_of(text)


def header_of(text: str) -> str:
    """The first line of a text, without its end."""
    return text.split("\n", 1)[0].rstrip("\r")


def seed_piece(header: str, relation: str, dialect: Dialect, cache: ParseCache) -> tuple[ParsedPiece, ...]:
    """The table that a seed is: `crate_id,kilos` in `crates.csv` is `CREATE TABLE crates (crate_id, kilos)`.

    Its name stands at the first code point; () where the columns cannot be told.
    """
    columns = _columns(header)
    if not columns:
        return ()
    key = cache.key(f"seed\0{relation}\0{header}", dialect)
    table = CreateTable((Name(relation, 0, 1),), columns)
    return (ParsedPiece(0, len(header), key, header, cache.made(key, lambda: StatementModel(table))),)


def _columns(header: str) -> tuple[ColumnDef, ...]:
    found: list[ColumnDef] = []
    at = 0
    while at < len(header):
        cell = _CELL.match(header, at)
        if cell is None:
            return ()
        group = "plain" if cell["quoted"] is None else "quoted"
        name = cell[group].replace('""', '"')
        if not name:
            return ()
        quoted = _PLAIN.fullmatch(name) is None
        found.append(ColumnDef(Name(name, cell.start(group), cell.end(group), quoted)))
        at = cell.end()
    if len(found) == 1 and _OTHER_SIGNS.search(header):
        return ()
    # What a loader calls the second of two columns of one name is its own affair.
    return tuple(found) if len({column.name.text.lower() for column in found}) == len(found) else ()
