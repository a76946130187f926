"""`python -m tests.oracle bigquery --queries 50000 --seed 1000`: a long comparison with one engine.

Prints each kind of disagreement with its shortest statement, and what was counted. Ends with 1 if there is any.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.oracle.compare import Disagreement, Tally, compare
from tests.oracle.opened import ENGINES

EVERY = 30.0
"""Seconds between two lines of progress."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("engine", choices=sorted(ENGINES))
    parser.add_argument("--queries", type=int, default=2000, help="statements that the engine accepts")
    parser.add_argument("--seed", type=int, default=7, help="the first schema")
    parser.add_argument("--minutes", type=float, default=1e6, help="an earlier end")
    chosen = parser.parse_args()
    end = time.monotonic() + 60 * chosen.minutes
    tally = Tally()
    shortest: dict[str, Disagreement] = {}
    counts: dict[str, int] = {}
    shown = time.monotonic()
    for one in compare(ENGINES[chosen.engine], chosen.seed, chosen.queries, tally, lambda: time.monotonic() > end):
        counts[one.kind] = counts.get(one.kind, 0) + 1
        if one.kind not in shortest or len(one.text) < len(shortest[one.kind].text):
            shortest[one.kind] = one
        if time.monotonic() - shown > EVERY:
            shown = time.monotonic()
            print(tally, f"{sum(counts.values())} disagreements", file=sys.stderr, flush=True)
    for kind, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"== {count} times {kind}\n{shortest[kind]}\n")
    print(f"{chosen.engine}, seed {chosen.seed}: {tally}; {sum(counts.values())} disagreements")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
