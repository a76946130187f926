"""`python -m benchmarks.peers --python VENV/bin/python`: other tools on the large statement, beside ours in one run.

They are installed in an environment of their own (`pip install sqllineage` or `'acryl-datahub[sql-parser]'`), as
they need other versions of sqlglot; what that environment does not have is left out. The least of two runs counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

from benchmarks import statement as large
from benchmarks.analysis import analyse, catalog_of
from sql_lineage_ls.syntax.dialects import DIALECTS

_RUNS = 2
# Each reads the statement from its input and prints its own seconds; a warm-up comes first.
_HEAD = "import json, sys, time\nsql, ddl = json.load(sys.stdin)\n"
_TAIL = (
    "\nrun('SELECT a AS b FROM t')\nbest = 1e9\nfor _ in range({runs}):\n"
    "  began = time.perf_counter(); run(sql); best = min(best, time.perf_counter() - began)\nprint(best)\n"
)
_PEERS = {
    "sqllineage": "from sqllineage.runner import LineageRunner\n"
    "def run(sql): LineageRunner(sql, dialect='sparksql').get_column_lineage()",
    "DataHub": "from datahub.sql_parsing.sqlglot_lineage import sqlglot_lineage\n"
    "from datahub.sql_parsing.schema_resolver import SchemaResolver\n"
    "def run(sql): sqlglot_lineage.__wrapped__(sql, SchemaResolver(platform='spark')) "
    "if hasattr(sqlglot_lineage, '__wrapped__') else sqlglot_lineage(sql, SchemaResolver(platform='spark'))",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--python", action="append", default=[], help="the Python of an environment with other tools")
    options = parser.parse_args()
    spelling = large.SPARK
    text, ddl = large.statement(spelling), large.declarations(spelling)
    dialect = DIALECTS["spark"]
    catalog = catalog_of(ddl, dialect)
    analyse("SELECT 1", dialect, catalog)
    best = float("inf")
    for _ in range(_RUNS):
        began = time.perf_counter()
        analyse(text, dialect, catalog)
        best = min(best, time.perf_counter() - began)
    print(f"ours: {best * 1e3:.0f} ms")
    for python in options.python or [sys.executable]:
        for name, code in _PEERS.items():
            print(f"{name}: {_measured(python, code, json.dumps([text, ddl]), best)}", flush=True)


def _measured(python: str, code: str, data: str, ours: float) -> str:
    program = _HEAD + code + _TAIL.format(runs=_RUNS)
    done = subprocess.run([python, "-c", program], input=data, capture_output=True, text=True, check=False)
    if done.returncode:
        return "left out: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    seconds = float(done.stdout.split()[-1])
    return f"{seconds * 1e3:.0f} ms, {seconds / ours:.0f} times ours"


if __name__ == "__main__":
    main()
