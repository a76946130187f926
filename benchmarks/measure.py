"""Clocks: the best of several runs, in processor time, so that a busy machine blurs ratios less."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import process_time


def best(run: Callable[[], object], repeats: int = 5) -> float:
    """The fewest seconds of processor time that `run` took; once before the clock starts, to fill caches of code."""
    run()
    times = []
    for _ in range(repeats):
        gc.collect()
        started = process_time()
        run()
        times.append(process_time() - started)
    return min(times)


def best_of_each(runs: Sequence[Callable[[], object]], repeats: int = 5) -> list[float]:
    """`best` of several in turns, so that a slow moment of the machine meets all of them."""
    for run in runs:
        run()
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(repeats):
        for at, run in enumerate(runs):
            gc.collect()
            started = process_time()
            run()
            times[at].append(process_time() - started)
    return [min(found) for found in times]


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the sorted values lie."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
