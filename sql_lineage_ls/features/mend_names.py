"""Mends names: the one that was probably meant, and a qualifier where several sources could own a column."""

from __future__ import annotations

from collections.abc import Iterator

from sql_lineage_ls.features.asking import Asked, place_at, steps_behind
from sql_lineage_ls.features.results import Action, Diagnostic
from sql_lineage_ls.features.written_names import qualifier, written
from sql_lineage_ls.lineage.probe import Candidate, Source
from sql_lineage_ls.syntax.dialects import Dialect, NameOrder
from sql_lineage_ls.text.span import Span

_OWNERLESS = frozenset({"ambiguous-column", "orphan-column"})
_CLOSING = {'"': '"', "`": "`", "[": "]"}
# Names of sources, of which only the last part stands before a column.
_SOURCES = "orphan-column"


def did_you_mean(asked: Asked, finding: Diagnostic) -> Iterator[Action]:
    """`SELECT o.ctiy` becomes `SELECT o.city`, in the quotes that the misspelt name has."""
    if not finding.suggestion:
        return
    meant = finding.suggestion
    if finding.code == _SOURCES:
        meant = _last_part(meant)
    token = asked.text(finding.span)
    text = meant if finding.code == "unknown-code" else _respelled(token, meant, asked.document.dialect)
    change = asked.change(finding.span.start, finding.span.end, text)
    yield Action(f"Change to `{text}`", "quickfix", (change,), diagnostics=(finding,), preferred=True)


def _respelled(token: str, meant: str, dialect: Dialect) -> str:
    closing = _CLOSING.get(token[:1])
    if closing is None:
        return written(Candidate(meant, ""), dialect)
    plain = meant[1:-1] if meant[:1] in _CLOSING else meant
    # `shop.ordres` in one pair of quotes is a name of two parts.
    kept = token[1 : token.rfind(".") + 1] if dialect.quoted_dots_split and "." in token else ""
    return f"{token[0]}{kept}{plain}{closing}"


def qualify(asked: Asked, finding: Diagnostic) -> Iterator[Action]:
    """`SELECT id FROM orders o, returns r` becomes `o.id` or `r.id`: one action for each source that can have it."""
    if finding.code not in _OWNERLESS:
        return
    dialect, text = asked.document.dialect, asked.document.text
    behind = text[finding.span.end : finding.span.end + 1]
    if text[: finding.span.start].rstrip()[-1:] == "." or (behind == "." and dialect.name_order is _FLAT):
        return
    path = Span(finding.span.start, steps_behind(text, finding.span.end))
    place = place_at(asked.snapshot, asked.document, path)
    key = _key(asked.text(finding.span), dialect)
    for source in place.sources:
        if not _can_own(asked, finding, source, key):
            continue
        name = qualifier(source, dialect)
        change = asked.change(finding.span.start, finding.span.start, f"{name}.")
        title = f"Change to `{name}.{asked.text(finding.span)}`"
        yield Action(title, "quickfix", (change,), diagnostics=(finding,))


_FLAT = NameOrder.RELATION_ONLY


def _can_own(asked: Asked, finding: Diagnostic, source: Source, key: str) -> bool:
    """Of an ambiguous column the sources that have it, of an orphan those whose columns nobody has listed."""
    if finding.code == "ambiguous-column":
        return any(column.key == key for column in source.columns)
    return source.name in finding.owners or asked.snapshot.relation_name(source.relation) in finding.owners


def _key(token: str, dialect: Dialect) -> str:
    quoted = token[:1] in _CLOSING
    return dialect.column_key(token[1:-1] if quoted else token, quoted)


def _last_part(name: str) -> str:
    """`orders` of `shop.orders`; a name that ends with a quote is one part."""
    return name if name.endswith(('"', "`", "]")) and "." not in name else name.rpartition(".")[2]
