"""Which CTEs and which of their columns a statement reads, so that the others can be faded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sql_lineage_ls.lineage.model import Problem
from sql_lineage_ls.syntax.query_model import Name


@dataclass
class _Use:
    """How a CTE is read. `own` are the columns that its select list names itself, by key."""

    name: Name
    own: dict[str, Name]
    read: bool = False
    whole: bool = False
    columns: set[str] = field(default_factory=set)


class CteUses:
    """The CTEs of one statement, by the place of their defining names."""

    def __init__(self) -> None:
        self._uses: dict[int, _Use] = {}

    def define(self, name: Name, own: dict[str, Name]) -> None:
        """Notes a CTE that the text names. Reads of itself in its own recursive part came before and do not count."""
        if name.start < 0:
            return
        self._uses[name.start] = _Use(name, own)

    def read(self, cte: int) -> None:
        """A FROM clause names the CTE."""
        if cte in self._uses:
            self._uses[cte].read = True

    def column(self, cte: int, key: str | None) -> None:
        """One of its columns is read, or with None all of them."""
        use = self._uses.get(cte)
        if use is None:
            return
        if key is None:
            use.whole = True
        else:
            use.columns.add(key)

    def problems(self) -> Iterator[Problem]:
        """`unused-cte` and `unused-column`: `WITH c AS (SELECT a, b FROM t) SELECT a FROM c` never reads `c.b`."""
        for use in self._uses.values():
            name = use.name
            if not use.read:
                yield Problem("unused-cte", f"nothing reads the CTE '{name.text}'", name.start, name.end)
                continue
            for key, column in () if use.whole else use.own.items():
                if key not in use.columns:
                    text = f"nothing reads the column '{column.text}' of '{name.text}'"
                    yield Problem("unused-column", text, column.start, column.end)
