"""The shape of a real warehouse repository, as plain numbers.

Quantiles of mozilla/bigquery-etl (2,136 SQL files, 1,109 schemas), measured once; no text of it is here. The rows give
the values at the shares of `SHARES`.
"""

from __future__ import annotations

from random import Random

SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
FILE_BYTES = (35, 218, 646, 2_031, 4_976, 7_931, 22_482, 60_000)
STATEMENTS_IN_FILE = (1, 1, 1, 1, 2, 2, 3, 30)
CTES = (0, 0, 0, 1, 4, 6, 11, 37)
JOINS = (0, 0, 0, 1, 2, 4, 9, 31)
OUTPUTS = (1, 1, 3, 7, 18, 28, 58, 404)
TABLE_COLUMNS = (1, 5, 9, 17, 32, 43, 87, 411)
# How many tables have fields down to a depth, of 1,109.
DEPTHS = {1: 888, 2: 131, 3: 52, 4: 31, 5: 1, 6: 5, 8: 1}
# How many relations stand at the end of a chain of so many views.
CHAINS = {
    0: 98, 1: 591, 2: 342, 3: 129, 4: 100, 5: 59, 6: 65, 7: 54, 8: 49, 9: 62, 10: 60, 11: 34, 12: 21, 13: 16, 14: 8,
    15: 5,
}  # fmt: skip
# Of the relations that a query reads, the share that nothing in the workspace declares.
UNDECLARED = 0.2
# Files that are larger than the quantiles tell: bytes of one statement, branches of one UNION, statements of one file.
LONGEST_STATEMENT = 345_000
WIDEST_UNION = 150
MOST_STATEMENTS = 321


def draw(random: Random, quantiles: tuple[int, ...]) -> int:
    """A number of that distribution, straight between two quantiles."""
    share = random.random()
    for at in range(1, len(SHARES)):
        if share <= SHARES[at]:
            low, high = quantiles[at - 1], quantiles[at]
            return round(low + (high - low) * (share - SHARES[at - 1]) / (SHARES[at] - SHARES[at - 1]))
    return quantiles[-1]


def choose(random: Random, counts: dict[int, int]) -> int:
    """A key, as often as its count says."""
    return random.choices(tuple(counts), tuple(counts.values()))[0]
