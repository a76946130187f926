"""SEARCH and CYCLE behind a recursive CTE: columns that the database adds to its rows.

`WITH RECURSIVE r AS (..) SEARCH DEPTH FIRST BY id SET ord CYCLE id SET looped USING path` gives r the columns `ord`,
`looped` and `path` (PostgreSQL, "Search Order" and "Cycle Detection"; Oracle, "subquery_factoring_clause").
"""

from __future__ import annotations

from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.brackets import CLOSE, OPEN
from sql_lineage_ls.syntax.repair import Prepared

T = TokenType

_QUERY_HEADS = frozenset({T.SELECT, T.INSERT, T.UPDATE, T.DELETE, T.MERGE, T.VALUES, T.L_PAREN, T.COMMA})


def cut_recursion_marks(prepared: Prepared) -> None:
    """Takes the clauses out of the tokens and notes their columns by the place of the CTE's name."""
    tokens = prepared.tokens
    index = 1
    while index < len(tokens):
        if _word(tokens, index) in _READERS and tokens[index - 1].token_type is T.R_PAREN:
            owner = _owner(tokens, index - 1)
            stop = _clause_end(tokens, index)
            if owner is not None and stop > index:
                marks = _marks(tokens, index, stop)
                prepared.marks[owner.start] = (*prepared.marks.get(owner.start, ()), *marks)
                del tokens[index:stop]
                continue
        index += 1


def _word(tokens: list[Token], index: int) -> str:
    return tokens[index].text.upper() if index < len(tokens) else ""


def _owner(tokens: list[Token], closing: int) -> Token | None:
    """The name of the CTE whose body ends at `closing`."""
    index = _opening(tokens, closing) - 1
    while _word(tokens, index) in ("AS", "MATERIALIZED", "NOT"):
        index -= 1
    if index > 0 and tokens[index].token_type is T.R_PAREN:
        index = _opening(tokens, index) - 1
    return tokens[index] if index > 0 else None


def _opening(tokens: list[Token], closing: int) -> int:
    depth = 0
    for index in range(closing, -1, -1):
        kind = tokens[index].token_type
        depth += (kind in CLOSE) - (kind in OPEN)
        if not depth:
            return index
    return 0


def _clause_end(tokens: list[Token], start: int) -> int:
    """The index behind the clause: up to the next one, the next CTE's comma, or the query. `start` if it has no SET."""
    index, assigned = start + 1, False
    while index < len(tokens):
        if _word(tokens, index) == "SET":
            assigned = True
        elif assigned and (tokens[index].token_type in _QUERY_HEADS or _word(tokens, index) in _READERS):
            break
        index += 1
    return index if assigned else start


def _marks(tokens: list[Token], start: int, stop: int) -> tuple[q.RecursionMark, ...]:
    keys = _listed(tokens, start + _READERS[_word(tokens, start)], stop)
    found: list[q.RecursionMark] = []
    for index in range(start, stop - 1):
        word = _word(tokens, index)
        if word in ("SET", "USING"):
            kind = word if word == "USING" else _word(tokens, start)
            found.append(q.RecursionMark(_name(tokens[index + 1]), keys, kind))
    return tuple(found)


def _listed(tokens: list[Token], index: int, stop: int) -> tuple[q.Name, ...]:
    """The columns before SET; ASC, DESC and NULLS FIRST behind them order, and name nothing."""
    names: list[q.Name] = []
    expected = True
    for token in tokens[index:stop]:
        if token.text.upper() == "SET":
            break
        if token.token_type is T.COMMA:
            expected = True
        elif expected:
            names.append(_name(token))
            expected = False
    return tuple(names)


def _name(token: Token) -> q.Name:
    return q.Name(token.text, token.start, token.end + 1, token.token_type is T.IDENTIFIER)


# How many words stand before the list of columns: SEARCH DEPTH FIRST BY, CYCLE.
_READERS = {"SEARCH": 4, "CYCLE": 1}
