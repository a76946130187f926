"""Statements that were parsed before, by content.

A statement's key is made of everything that its model depends on (this program, sqlglot, the dialect, the text), so
an entry is never wrong and never has to be invalidated; the least recently used ones go when there are too many.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version

from sql_lineage_ls import __version__
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.macros import without_macros
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.query_model import StatementModel
from sql_lineage_ls.text.span import Span


class ParseCache:
    """Parses statements and remembers `capacity` of them. `parsed` counts how many were really parsed."""

    def __init__(self, capacity: int = 20_000) -> None:
        self.parsed = 0
        self._capacity = capacity
        self._models: OrderedDict[str, StatementModel] = OrderedDict()
        self._base = f"{__version__}\0{_sqlglot_version()}\0".encode()

    def key(self, text: str, dialect: Dialect) -> str:
        """The key of a statement: equal exactly where its model and its meaning under one catalog are."""
        digest = blake2b(self._base, digest_size=16)
        digest.update(f"{dialect.name}\0{dialect.lateral_alias.value}\0".encode())
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def find(self, key: str) -> StatementModel | None:
        """The model under a key, None where it is not known (any more)."""
        model = self._models.get(key)
        if model is not None:
            self._models.move_to_end(key)
        return model

    def parse(
        self, key: str, text: str, dialect: Dialect, macros: Sequence[Span] = (), written: str = ""
    ) -> StatementModel:
        """The model of a statement, parsed where it is not known.

        `macros` are the places of names that stand for template tags in `text`, `written` is the text with the tags.
        """
        model = self.find(key)
        if model is None:
            self.parsed += 1
            model = self._models[key] = without_macros(parse_statement(text, dialect), macros, written)
            if len(self._models) > self._capacity:
                self._models.popitem(last=False)
        return model


def _sqlglot_version() -> str:
    try:
        return version("sqlglot")
    except PackageNotFoundError:
        return ""
