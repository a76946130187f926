"""Rows of results, as a table for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct


class Row(Struct, frozen=True):
    """One measurement: what was done, how long it took or how large it was, and beside what.

    `ratio` is compared with `target`; None where there is nothing to compare with.
    """

    what: str
    measured: float
    unit: str
    beside: str = ""
    reference: float = 0.0
    ratio: float | None = None
    target: float | None = None

    @property
    def met(self) -> str:
        if self.ratio is None or self.target is None:
            return ""
        return "yes" if self.ratio <= self.target else "no"


def compared(what: str, measured: float, unit: str, beside: str, reference: float, target: float | None = None) -> Row:
    """A row whose ratio is that of the two measurements."""
    return Row(what, measured, unit, beside, reference, measured / reference if reference else 0.0, target)


def limited(what: str, measured: float, unit: str, limit: float) -> Row:
    """A row that is held against a fixed limit in its own unit."""
    return Row(what, measured, unit, "limit", limit, measured / limit, 1.0)


def render(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | measured | beside | ratio | target | met |", "|---|---|---|---|---|---|"]
    for row in rows:
        beside = f"{row.beside}: {_number(row.reference)} {row.unit}" if row.beside else ""
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        target = "" if row.target is None else f"≤ {row.target:g}"
        lines.append(
            f"| {row.what} | {_number(row.measured)} {row.unit} | {beside} | {ratio} | {target} | {row.met} |"
        )
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"
