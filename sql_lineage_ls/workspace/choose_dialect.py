"""Which dialect a document is read in.

The first of these that names one decides:

1. a glob of the setting `dialects` that matches the file,
2. a first line `-- dialect: trino` in the document,
3. the setting `dialect` of the workspace,
4. the file's ending, where it belongs to one dialect (`.hql`),
5. what the text itself tells,
6. else ANSI.

The globs come before the document's own line because they are how a project overrules files that it did not write;
the line comes before the setting because it speaks of this one document.
"""

from __future__ import annotations

import os

from msgspec import Struct

from sql_lineage_ls.syntax.detect import detect_dialect, header_dialect
from sql_lineage_ls.syntax.dialects import ANSI, Dialect, find_dialect
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.discovery import SUFFIXES
from sql_lineage_ls.workspace.globs import Glob


class DialectChoice(Struct, frozen=True):
    """A document's dialect. `reason` is `glob`, `header`, `setting`, `ending`, `text` or `default`.

    `unknown` is what a first line named that is no dialect.
    """

    dialect: Dialect
    reason: str
    unknown: str = ""


def choose_dialect(relative: str, text: str, settings: Settings) -> DialectChoice:
    """The dialect of a document. `relative` is its path below its workspace folder, with `/` between parts."""
    for pattern, name in settings.dialects.items():
        glob = Glob.parse(pattern)
        dialect = find_dialect(name)
        if glob is not None and dialect is not None and glob.matches(relative):
            return DialectChoice(settings.rules(dialect), "glob")
    header = header_dialect(text)
    if isinstance(header, Dialect):
        return DialectChoice(settings.rules(header), "header")
    dialect, reason = _without_header(relative, text, settings)
    return DialectChoice(settings.rules(dialect), reason, header or "")


def _without_header(relative: str, text: str, settings: Settings) -> tuple[Dialect, str]:
    dialect = find_dialect(settings.dialect) if settings.dialect else None
    if dialect is not None:
        return dialect, "setting"
    suffix = SUFFIXES.get(os.path.splitext(relative)[1].lower(), "")
    dialect = find_dialect(suffix) if suffix else None
    if dialect is not None:
        return dialect, "ending"
    dialect = detect_dialect(text)
    return (dialect, "text") if dialect is not None else (ANSI, "default")
