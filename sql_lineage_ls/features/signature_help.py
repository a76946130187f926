"""Signature help: the parameters of the user's function that a call is being written of."""

from __future__ import annotations

import re

from sql_lineage_ls.features.results import Signature
from sql_lineage_ls.syntax.pieces import CLOSE, OPEN, SIGN, WORD, pieces_of
from sql_lineage_ls.syntax.query_model import ColumnDef, CreateFunction
from sql_lineage_ls.workspace.snapshot import Snapshot

_NAME = re.compile(r"[\w.`\"$]+\Z")
_LONGEST_NAME = 300


def signature_at(snapshot: Snapshot, uri: str, offset: int) -> Signature | None:
    """The function whose brackets are open at `offset`, None outside of calls and for functions nobody declares.

    In `SELECT net_price(o.price, ¦)`, with `CREATE FUNCTION net_price(gross NUMERIC, rate NUMERIC) ..` in the
    workspace, that is `net_price(gross NUMERIC, rate NUMERIC)` with the second parameter active.
    """
    document = snapshot.document(uri)
    statement = document.statement_at(offset) if document is not None else None
    if document is None or statement is None:
        return None
    text = document.text[statement.start : offset]
    calls: list[tuple[int, int]] = []
    for piece in pieces_of(text, document.dialect):
        if piece.kind == OPEN:
            calls.append((piece.start, 0))
        elif piece.kind == CLOSE and calls:
            calls.pop()
        elif piece.kind in (SIGN, WORD) and text[piece.start] == "," and calls:
            calls[-1] = calls[-1][0], calls[-1][1] + 1
    if not calls or text[calls[-1][0]] != "(":
        return None
    bracket, active = calls[-1]
    called = _NAME.search(text, max(0, bracket - _LONGEST_NAME), bracket)
    if called is None:
        return None
    function = snapshot.signature(uri, statement.index, re.sub(r"[`\"]", "", called[0]))
    return _signature(called[0], function, active) if function is not None else None


def _signature(name: str, function: CreateFunction, active: int) -> Signature:
    parameters = tuple(_declared(param) for param in function.params)
    returned = ", ".join(_declared(column) for column in function.returns)
    result = function.result.text if function.result is not None else f"TABLE({returned})" if returned else ""
    label = f"{name}({', '.join(parameters)})" + (f" -> {result}" if result else "")
    return Signature(label, parameters, min(active, max(len(parameters) - 1, 0)))


def _declared(column: ColumnDef) -> str:
    return column.name.text + (f" {column.type.text}" if column.type is not None else "")
