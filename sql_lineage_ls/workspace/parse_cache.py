"""Statements that were parsed before, by content.

A statement's key is made of everything that its model depends on (this program, sqlglot, the dialect, the text), so
an entry is never wrong and never has to be invalidated; the least recently used ones go when there are too many.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version

from sql_lineage_ls import __version__
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.macros import Tags, with_tags
from sql_lineage_ls.syntax.packed import HeldModel, PackedModel, model_of, pack
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.query_model import StatementModel


class ParseCache:
    """Parses statements and remembers `capacity` of them. `parsed` counts how many were really parsed."""

    def __init__(self, capacity: int = 50_000) -> None:
        self.parsed = 0
        self._capacity = capacity
        self._models: OrderedDict[str, HeldModel] = OrderedDict()
        self._base = f"{__version__}\0{_sqlglot_version()}\0".encode()

    def key(self, text: str, dialect: Dialect, in_body: bool = False) -> str:
        """The key of a statement: equal exactly where its model and its meaning under one catalog are."""
        digest = blake2b(self._base, digest_size=16)
        digest.update(f"{dialect.name}\0{dialect.lateral_alias.value}\0{in_body:d}\0".encode())
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def find(self, key: str) -> HeldModel | None:
        """What is kept under a key, None where it is not known (any more)."""
        held = self._models.get(key)
        if held is not None:
            self._models.move_to_end(key)
        return held

    def parse(
        self, key: str, text: str, dialect: Dialect, tags: Tags | None = None, in_body: bool = False
    ) -> StatementModel:
        """The model of a statement, parsed where it is not known. `tags` are the template tags that `text` hides."""

        def parsed() -> StatementModel:
            self.parsed += 1
            model = parse_statement(text, dialect, in_body)
            return with_tags(model, tags) if tags is not None else model

        return self.made(key, parsed)

    def made(self, key: str, make: Callable[[], StatementModel]) -> StatementModel:
        """The model under a key, made where it is not known."""
        held = self.find(key)
        if isinstance(held, StatementModel):
            return held
        try:
            model = make() if held is None else model_of(held)
        except ValueError:
            # Bytes that are no model.
            model = make()
        self.put(key, model)
        return model

    def put(self, key: str, held: HeldModel) -> None:
        """Keeps a model under a key."""
        self._models[key] = held
        if len(self._models) > self._capacity:
            self._models.popitem(last=False)

    def packed(self, key: str, model: StatementModel) -> HeldModel:
        """The model under a key, packed where that can be: for a statement that nobody looks at."""
        held = self.find(key)
        if isinstance(held, PackedModel):
            return held
        made = pack(model) or model
        self.put(key, made)
        return made


def _sqlglot_version() -> str:
    try:
        return version("sqlglot")
    except PackageNotFoundError:
        return ""
