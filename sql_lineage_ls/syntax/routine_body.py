"""The body of CREATE PROCEDURE, FUNCTION, TRIGGER, ..: which semicolons belong to it.

Only blocks that can end a body are counted: BEGIN and CASE open one, END closes one unless IF, LOOP, WHILE, FOR or
REPEAT follows it, so those need no counting of their own.
"""

from __future__ import annotations

from sql_lineage_ls.syntax.lexical import Lexical
from sql_lineage_ls.syntax.statement_heads import TRANSACTION, UNCOUNTED

# AS in front of one of these names a routine of another language and opens no declarations (Oracle).
_FOREIGN = frozenset({"LANGUAGE", "EXTERNAL", "MLE"})
_NO_DECLARATIONS = frozenset({"TRIGGER", "RULE", "EVENT", "TASK"})


class RoutineBody:
    """The open blocks of one routine while its words go by."""

    __slots__ = ("_block_is_body", "_blocks", "_header", "_kind", "_rules", "done")

    def __init__(self, kind: str, rules: Lexical) -> None:
        self._kind = kind
        self._rules = rules
        # Open blocks; True while a block's declarations still wait for their BEGIN.
        self._blocks: list[bool] = []
        # The IS or AS of this routine, or of one inside of it, is still to come.
        self._header = rules.declarations and kind not in _NO_DECLARATIONS
        self._block_is_body = False
        # A body that is one block was closed.
        self.done = False

    def is_open(self, depth: int) -> bool:
        """True where a block, or the bracket of a rule's actions, waits for its end."""
        return bool(self._blocks) or (self._kind == "RULE" and depth > 0)

    def semicolon(self, depth: int) -> bool:
        """True where a semicolon at bracket depth `depth` belongs to the body, False where it ends the routine."""
        self._header = False
        if self.is_open(depth):
            return True
        return self._rules.batches and self._kind != "FUNCTION" and not self.done

    def word(self, word: str, previous: str, following: str, depth: int) -> None:
        """Count `word`, given the words around it."""
        if word == "BEGIN":
            self._begin(previous, following)
        elif word == "CASE":
            if previous != "END":
                self._blocks.append(False)
        elif word == "END":
            self._end(following)
        elif word == "DECLARE":
            if not self._blocks and not self._rules.batches:
                self._blocks.append(True)
        elif word in ("AS", "IS"):
            if self._header and not depth and following not in _FOREIGN:
                self._header = False
                self._blocks.append(True)
        elif word in ("PROCEDURE", "FUNCTION") and self._rules.declarations and self._blocks and not depth:
            self._header = True

    def _begin(self, previous: str, following: str) -> None:
        if following in TRANSACTION:
            return
        if self._blocks and self._blocks[-1]:
            self._blocks[-1] = False
            return
        if not self._blocks and previous in ("AS", "IS") and following != "TRY":
            self._block_is_body = True
        self._blocks.append(False)

    def _end(self, following: str) -> None:
        if following in UNCOUNTED and not self._rules.batches:
            return
        if self._blocks:
            self._blocks.pop()
        self.done = self._block_is_body and not self._blocks
