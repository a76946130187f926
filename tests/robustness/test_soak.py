"""A few seconds of what `python -m benchmarks.soak` does for an hour."""

from __future__ import annotations

from pathlib import Path

from benchmarks.soak import Outcome, soak


def test_a_short_day(tmp_path: Path) -> None:
    outcome = Outcome()
    for outcome in soak(tmp_path.resolve(), 4.0, files=12):
        assert (outcome.differing, outcome.errors) == (0, 0)
    assert outcome.compared
    assert outcome.asked > 100
