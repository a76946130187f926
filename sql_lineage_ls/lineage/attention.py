"""What in a statement is worth attention though every source of it may be proved.

A warning never makes a trace incomplete; a gap always does (docs/model.md, "Gaps and warnings"). Nothing here needs a
catalog, and nothing is asked for while statements are bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from msgspec import Struct

from sql_lineage_ls.lineage.model import StatementLineage
from sql_lineage_ls.syntax import query_model as q


class Caution(Struct, frozen=True, gc=False):
    """A warning: something to look at. `scope` is the CTE or derived table around it, '' for the statement itself.

    `kind` is `star-not-expanded`, `conditional-aggregate`, `magic-number`, `crossed-union` or
    `crossed-insert`.
    """

    kind: str
    text: str
    start: int = -1
    end: int = -1
    scope: str = ""


def cautions_of(model: q.StatementModel, lineage: StatementLineage) -> tuple[Caution, ...]:
    """The warnings of a statement in the order of the text.

    `SELECT SUM(CASE WHEN kind = 3 THEN paid END) AS s FROM t` has a `conditional-aggregate` and, for the 3, a
    `magic-number`.
    """
    found = dict.fromkeys(_stars(lineage))
    if model.statement is not None:
        found.update(dict.fromkeys(_in_model(model.statement)))
    return tuple(sorted(found, key=lambda caution: (caution.start, caution.end, caution.kind)))


def _stars(lineage: StatementLineage) -> Iterator[Caution]:
    for problem in lineage.problems:
        if problem.code == "unexpanded-star":
            yield Caution("star-not-expanded", problem.message, problem.start, problem.end)


# Numbers that say nothing of a business rule.
_PLAIN_NUMBERS = frozenset({"0", "1", "2", "10", "100", "1000", "0.0", "1.0", "100.0"})
_COMPARISONS = frozenset({"=", "==", "<", ">", "<=", ">=", "<>", "!=", "IN", "BETWEEN"})


class _Seen(Struct, frozen=True, gc=False):
    """A part of a statement's model, with the scope and the select item around it."""

    node: object
    scope: str = ""
    item: tuple[int, int] = (-1, -1)


def _in_model(statement: q.Statement) -> Iterator[Caution]:
    """What each part says for itself. No recursion: a chain of ten thousand branches is as deep as it is long."""
    waiting = [_Seen(statement)]
    while waiting:
        seen = waiting.pop()
        node = seen.node
        if isinstance(node, tuple):
            waiting += [_Seen(part, seen.scope, seen.item) for part in node if type(part) not in _LEAVES]
        elif isinstance(node, q.SetOperation):
            branches = _branches(node)
            if not node.by_name:
                yield from _crossed_union(branches, seen.scope)
            waiting += [_Seen((*node.ctes, *branches), seen.scope, seen.item)]
        elif isinstance(node, Struct):
            yield from _own(node, seen)
            scope = _scope_of(node, seen.scope)
            item = (node.start, node.end) if isinstance(node, q.Projection) else seen.item
            parts = [getattr(node, name) for name in node.__struct_fields__]
            # Most of what a model holds are names and texts, in which nothing else is.
            waiting += [_Seen(part, scope, item) for part in parts if part and type(part) not in _LEAVES]


_LEAVES = frozenset({str, int, bool, q.Name})


def _branches(node: q.SetOperation) -> list[q.Query]:
    """All branches of one chain, in the order of the text."""
    branches = [node.right]
    left = node.left
    while isinstance(left, q.SetOperation) and not left.ctes and left.by_name == node.by_name:
        branches.append(left.right)
        left = left.left
    return [left, *reversed(branches)]


def _own(node: Struct, seen: _Seen) -> Iterator[Caution]:
    if isinstance(node, q.Call) and node.aggregate and any(isinstance(arg, q.Case) for arg in node.args):
        start, end = (node.start, node.end) if node.start >= 0 else seen.item
        text = f"{node.name} over a CASE: its conditions decide what is counted or added"
        yield Caution("conditional-aggregate", text, start, end, seen.scope)
    elif isinstance(node, q.Operation) and node.operator in _COMPARISONS:
        for operand in node.operands:
            if _is_magic(operand):
                text = f"{operand.text} is compared with, and nothing says what it means"
                yield Caution("magic-number", text, operand.start, operand.end, seen.scope)
    elif isinstance(node, q.Insert) and node.query is not None and not node.by_name:
        listed = [ref.parts[-1].text.lower() for ref in node.columns]
        at = _crossing(listed, _names(node.query))
        if at is not None:
            text = f"column {at + 1} of the list gets another column of the list's names: they go by position"
            yield Caution("crossed-insert", text, *_place(node.query), seen.scope)


def _scope_of(node: Struct, scope: str) -> str:
    if isinstance(node, q.Cte):
        return node.name.text
    if isinstance(node, q.DerivedTable):
        return node.alias.text if node.alias is not None else "subquery"
    return scope


def _is_magic(operand: q.Expr) -> TypeGuard[q.Literal]:
    return isinstance(operand, q.Literal) and operand.kind == "number" and operand.text not in _PLAIN_NUMBERS


def _crossed_union(branches: list[q.Query], scope: str) -> Iterator[Caution]:
    """Branches that name the same columns in another order: the columns go by position, which may not be meant."""
    first = _names(branches[0])
    for branch in branches[1:]:
        names = _names(branch)
        at = _crossing(first, names)
        if at is not None and first is not None and names is not None:
            text = f"column {at + 1} is '{first[at]}' in one branch and '{names[at]}' here: branches go by position"
            yield Caution("crossed-union", text, *_place(branch), scope)


def _crossing(names: list[str] | None, others: list[str] | None) -> int | None:
    """The first position at which two lists of the same names differ, None where they do not or are not the same."""
    if not names or not others or names == others or sorted(names) != sorted(others):
        return None
    if len(set(names)) < len(names):
        return None
    return next(position for position, name in enumerate(names) if others[position] != name)


def _names(query: q.Query) -> list[str] | None:
    """The names of a SELECT's columns, None where one has none or is a star."""
    while isinstance(query, q.SetOperation):
        query = query.left
    if not isinstance(query, q.Select):
        return None
    names = []
    for item in query.projections:
        name = item.alias or (item.value.parts[-1] if isinstance(item.value, q.ColumnRef) else None)
        if name is None:
            return None
        names.append(name.text.lower())
    return names


def _place(query: q.Query) -> tuple[int, int]:
    while isinstance(query, q.SetOperation):
        query = query.left
    return (query.start, query.end) if isinstance(query, q.Select) else (-1, -1)
