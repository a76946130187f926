"""Lines of scripts that begin with no verb: declarations behind the first one, assignments, calls of procedures.

`DECLARE a INT; b INT; BEGIN` is cut at its semicolons, so that `b INT` stands alone.
"""

from __future__ import annotations

from sqlglot.tokens import Token

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.ddl.builtin_types import COMPOSITES, SCALARS, VARIANTS
from sql_lineage_ls.syntax.dialects import Dialect

_TYPES = SCALARS | VARIANTS | COMPOSITES | {"RESULTSET", "EXCEPTION"}
_BEHIND_TYPE = frozenset({"(", ":=", "DEFAULT", "NOT", "%", "[", "<"})


def read_script_line(tokens: list[Token], dialect: Dialect) -> q.Statement | None:
    """`total := a + b`, `LET n INT := 1` and `n NUMBER(9)` declare a name, `dbms_output.put_line(x)` moves no data."""
    if len(tokens) > 2 and tokens[0].text.upper() == "LET":
        return _declared(tokens[1])
    if len(tokens) > 1 and (tokens[1].text == ":=" or _is_declaration(tokens)):
        return _declared(tokens[0])
    if dialect.bare_calls and _is_call(tokens):
        return q.OtherStatement("CALL")
    return None


def _declared(token: Token) -> q.Declare:
    return q.Declare((q.Name(token.text, token.start, token.end + 1),))


def _is_declaration(tokens: list[Token]) -> bool:
    if tokens[1].text.upper() not in _TYPES:
        return False
    return len(tokens) == 2 or tokens[2].text.upper() in _BEHIND_TYPE


def _is_call(tokens: list[Token]) -> bool:
    """Whether a dotted name and its arguments in brackets are all there is."""
    at = 1
    while at + 1 < len(tokens) and tokens[at].text == ".":
        at += 2
    if at >= len(tokens) or tokens[at].text != "(":
        return False
    depth = 0
    for index in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[index].text, 0)
        if depth == 0:
            return index == len(tokens) - 1
    return False
