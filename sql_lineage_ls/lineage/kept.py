"""What was bound, kept until it is no longer true: whole for who is looked at, encoded for everybody else."""

from __future__ import annotations

import zlib

from msgspec import msgpack
from msgspec.structs import replace

from sql_lineage_ls.lineage.model import Dependency, StatementLineage
from sql_lineage_ls.syntax.packed import packed, unpacked

_decode = msgpack.Decoder(StatementLineage).decode


class KeptLineage:
    """The lineage of one statement, and what it depends on.

    `lineage` decodes an encoded one each time that it is asked for.
    """

    __slots__ = ("_data", "_lineage", "dependencies")

    def __init__(
        self, dependencies: tuple[Dependency, ...], lineage: StatementLineage | None = None, data: bytes = b""
    ) -> None:
        self.dependencies = dependencies
        self._lineage = lineage
        self._data = data

    @property
    def lineage(self) -> StatementLineage:
        """What was bound; `ValueError` where the bytes are no lineage."""
        if self._lineage is not None:
            return self._lineage
        try:
            return _decode(unpacked(self._data))
        except (zlib.error, RecursionError) as error:
            raise ValueError(f"not a lineage: {error}") from error

    @property
    def data(self) -> bytes:
        """The lineage encoded, without what each token means; b'' where it cannot be."""
        return self._data if self._lineage is None else _encoded(self._lineage)

    def brief(self) -> KeptLineage:
        """The same without what each token means."""
        if self._lineage is None:
            return self
        return KeptLineage(self.dependencies, replace(self._lineage, occurrences=()))

    def pack(self) -> None:
        """Keeps no more than the bytes. A lineage with half of a surrogate pair in a name stays as it is."""
        if self._lineage is not None and (data := _encoded(self._lineage)):
            self._lineage, self._data = None, data


def _encoded(lineage: StatementLineage) -> bytes:
    brief = replace(lineage, occurrences=()) if lineage.occurrences else lineage
    try:
        return packed(msgpack.encode(brief))
    except (UnicodeEncodeError, RecursionError):
        return b""
