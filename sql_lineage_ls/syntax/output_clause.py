"""T-SQL's OUTPUT clause, which the parser reads in few places: taken out of the tokens and read as a select list.

`DELETE FROM t OUTPUT deleted.id INTO log (id) WHERE ..` is the DELETE without it, and `deleted.id` written to `log.id`
(Transact-SQL, "OUTPUT clause").
"""

from __future__ import annotations

from msgspec.structs import replace
from sqlglot.tokens import Token, TokenType

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.brackets import CLOSE, OPEN
from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.lower import query_from_tokens

T = TokenType

_HEADS = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE", "WITH"})
_ENDS = frozenset(
    {"INTO", "FROM", "WHERE", "VALUES", "SELECT", "EXEC", "EXECUTE", "OPTION", "DEFAULT", "OUTPUT", "WITH"}
)
_STATEMENTS = (q.Insert, q.Update, q.Delete, q.Merge)


def take_output(text: str, tokens: list[Token], dialect: Dialect) -> tuple[q.Output, ...]:
    """Removes every OUTPUT clause from the tokens of a statement, and what they say."""
    found: list[q.Output] = []
    if tokens[0].text.upper() not in _HEADS:
        return ()
    while (start := _start(tokens)) > 0:
        end = _end(tokens, start + 1)
        items = tokens[start + 1 : end]
        target: tuple[q.Name, ...] = ()
        columns: tuple[q.ColumnRef, ...] = ()
        if end < len(tokens) and tokens[end].text.upper() == "INTO":
            target, end = _name(tokens, end + 1)
            columns, end = _columns(tokens, end)
        del tokens[start:end]
        projections = _projections(text, items, dialect)
        if projections:
            found.append(q.Output(projections, target, columns))
    return tuple(found)


def with_output(statement: q.Statement | None, output: tuple[q.Output, ...]) -> q.Statement | None:
    """The statement with what it puts out."""
    if not output or not isinstance(statement, _STATEMENTS):
        return statement
    return replace(statement, output=output)


def _start(tokens: list[Token]) -> int:
    """Index of the first OUTPUT outside of brackets; 0 where there is none. That of EXEC's arguments is another."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.token_type in OPEN) - (token.token_type in CLOSE)
        word = token.text.upper()
        if not depth and token.token_type is not T.IDENTIFIER and word in ("OUTPUT", "EXEC", "EXECUTE"):
            return index if word == "OUTPUT" else 0
    return 0


def _end(tokens: list[Token], index: int) -> int:
    """Index behind the items: that of the next clause outside of brackets."""
    depth = 0
    while index < len(tokens):
        token = tokens[index]
        begins = not depth and token.token_type is not T.IDENTIFIER
        if begins and (token.text.upper() in _ENDS or token.token_type is T.SEMICOLON):
            break
        following = tokens[index + 1].token_type if index + 1 < len(tokens) else None
        if not depth and token.token_type is T.L_PAREN and following in (T.SELECT, T.WITH):
            # `OUTPUT inserted.id (SELECT ..)`: the query of INSERT in brackets.
            break
        depth += (token.token_type in OPEN) - (token.token_type in CLOSE)
        index += 1
    return index


def _name(tokens: list[Token], index: int) -> tuple[tuple[q.Name, ...], int]:
    parts: list[q.Name] = []
    while index < len(tokens):
        first = tokens[index]
        if first.token_type is T.PARAMETER and index + 1 < len(tokens):
            index += 1
        last = tokens[index]
        text = "@" + last.text if first is not last else last.text
        parts.append(q.Name(text, first.start, last.end + 1, last.token_type is T.IDENTIFIER))
        index += 1
        if index >= len(tokens) or tokens[index].token_type is not T.DOT:
            break
        index += 1
    return tuple(parts), index


def _columns(tokens: list[Token], index: int) -> tuple[tuple[q.ColumnRef, ...], int]:
    """The column list in brackets at `index`, and the index behind it."""
    if index + 1 >= len(tokens) or tokens[index].token_type is not T.L_PAREN:
        return (), index
    if tokens[index + 1].token_type in (T.SELECT, T.WITH, T.L_PAREN):
        return (), index
    found: list[q.ColumnRef] = []
    index += 1
    while index < len(tokens) and tokens[index].token_type is not T.R_PAREN:
        token = tokens[index]
        if token.token_type is not T.COMMA:
            name = q.Name(token.text, token.start, token.end + 1, token.token_type is T.IDENTIFIER)
            found.append(q.ColumnRef((name,)))
        index += 1
    return tuple(found), index + 1


def _projections(text: str, items: list[Token], dialect: Dialect) -> tuple[q.Projection, ...]:
    if not items:
        return ()
    first = items[0]
    select = Token(T.SELECT, "SELECT", first.line, first.col, first.start, first.start - 1)
    query, issues = query_from_tokens(text, [select, *items], dialect)
    return query.projections if isinstance(query, q.Select) and not issues else ()
