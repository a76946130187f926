"""Code actions: what mends the findings at a place, and what can be rewritten there.

`SELECT customer.ctiy FROM orders` offers `city` (did you mean), the field in the DDL, and a comment that silences the
finding; `SELECT * FROM orders` the columns in place of the star. Every edit leaves the meaning of the rest alone; where
that cannot be proved the action is not offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sql_lineage_ls.features.asking import Asked
from sql_lineage_ls.features.declare_names import declare_columns
from sql_lineage_ls.features.declare_relation import declare_relation
from sql_lineage_ls.features.diagnostics import DiagnosticOptions, diagnostics
from sql_lineage_ls.features.expand_star import expand_star
from sql_lineage_ls.features.explicit_alias import explicit_alias
from sql_lineage_ls.features.mend_names import did_you_mean, qualify
from sql_lineage_ls.features.remove_cte import remove_cte
from sql_lineage_ls.features.results import Action, Diagnostic, TextChange
from sql_lineage_ls.features.silence import silence
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.snapshot import Snapshot

QUICK_FIX = "quickfix"
REWRITE = "refactor.rewrite"

_MENDS: Sequence[Callable[[Asked, Diagnostic], Iterable[Action]]] = (
    did_you_mean, qualify, remove_cte, declare_columns, silence,
)  # fmt: skip
_REWRITES: Sequence[Callable[[Asked], Iterable[Action]]] = (declare_relation, expand_star, explicit_alias)


class ActionOptions(Struct, frozen=True):
    """`diagnostics` are those of the findings to mend; `kinds` the kinds that are wanted, all where there are none.

    With `lazy` costly actions come without their changes (`Action.deferred`).
    """

    diagnostics: DiagnosticOptions = DiagnosticOptions()
    kinds: tuple[str, ...] = ()
    lazy: bool = False


def code_actions(snapshot: Snapshot, uri: str, span: Span, options: ActionOptions | None = None) -> tuple[Action, ...]:
    """What can be done at `span` (a cursor where it is empty), what is most likely wanted first."""
    chosen = options or ActionOptions()
    document = snapshot.document(uri)
    if document is None or not snapshot.ready:
        return ()
    found = tuple(
        one for one in diagnostics(snapshot, uri, chosen.diagnostics, span)
        if one.span.start <= span.end and span.start <= one.span.end
    )
    statement = document.statement_at(span.start)
    asked = Asked(snapshot, document, statement, span, found, chosen.lazy)
    wanted = (action for action in _actions(asked) if _is_wanted(action.kind, chosen.kinds))
    return tuple(_with_line_ends(snapshot, action) for action in wanted)


def _actions(asked: Asked) -> Iterator[Action]:
    for mend in _MENDS:
        for finding in asked.found:
            yield from mend(asked, finding)
    if asked.statement is not None and not asked.statement.stale:
        for rewrite in _REWRITES:
            yield from rewrite(asked)


def _with_line_ends(snapshot: Snapshot, action: Action) -> Action:
    """The action with the line ends that each document has already; what makes them writes `\\n`."""
    return replace(action, changes=tuple(_ended(snapshot, change) for change in action.changes))


def _ended(snapshot: Snapshot, change: TextChange) -> TextChange:
    document = snapshot.document(change.span.uri) if "\n" in change.text else None
    if document is None or "\r\n" not in document.text:
        return change
    return replace(change, text=re.sub(r"\r?\n", "\r\n", change.text))


def _is_wanted(kind: str, kinds: Sequence[str]) -> bool:
    """Kinds are a tree: who wants `refactor` wants `refactor.rewrite`; the empty kind is its root."""
    return not kinds or any(not wanted or kind == wanted or kind.startswith(wanted + ".") for wanted in kinds)
