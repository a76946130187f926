"""Hostile statements: twice the text costs about twice the time, in the analysis and in every feature of a document.

The short form has small texts; `make robust` has eight times as long ones.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from time import process_time

import pytest

from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.robustness.shapes import SHAPES, Shape
from tests.support.sweep import OF_DOCUMENT

LONG = bool(os.environ.get("ROBUST"))
URI = "file:///w/a.sql"
# Twice the text may take 2.6 times as long; what is over sooner than this says nothing.
_RATIO, _NOTHING = 2.6, 0.03
_TRIES = 5


def analysed(text: str, dialect: str) -> Snapshot:
    engine = Engine(start=lambda _: None)
    engine.configure((), Settings(dialect=dialect))
    engine.open(URI, text)
    engine.rescan()
    return engine.finish()


def seconds(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


def measured(shape: Shape, size: int) -> dict[str, float]:
    """How long the analysis and each feature of the whole document take."""
    text = shape.text(size)
    gc.collect()
    gc.disable()
    try:
        began = process_time()
        snapshot = analysed(text, shape.dialect)
        found = {"analysis": process_time() - began}
        for name, feature in OF_DOCUMENT.items():
            began = process_time()
            assert len(list(feature(snapshot, URI))) >= 0
            found[name] = process_time() - began
    finally:
        gc.enable()
    return found


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name.replace(" ", "-"))
def test_twice_as_much_costs_about_twice_as_much(shape: Shape) -> None:
    size = shape.size * 2 if LONG else max(shape.size // 6, 4)
    small = measured(shape, size)
    large = measured(shape, 2 * size)
    for _ in range(_TRIES):
        steep = {name for name in small if large[name] > max(_RATIO * small[name], _NOTHING)}
        if not steep:
            return
        # Another process may have been in the way.
        small = {name: min(taken, small[name]) for name, taken in measured(shape, size).items()}
        large = {name: min(taken, large[name]) for name, taken in measured(shape, 2 * size).items()}
    assert {name: (small[name], large[name]) for name in steep} == {}
