"""What every command says when its arguments cannot be used."""

from __future__ import annotations

PROGRAM = "sql-lineage-ls"


class UsageError(Exception):
    """Arguments that cannot be used; the text is one line that says how to mend them."""
