"""A worker process in which some statements are as bad as the worst that a parser was ever given."""

from __future__ import annotations

import os
import signal
import time

from sql_lineage_ls.syntax.dialects import Dialect
from sql_lineage_ls.syntax.query_model import StatementModel
from sql_lineage_ls.workspace import parse_cache, worker_process

_parse = parse_cache.parse_statement


def _fragile(text: str, dialect: Dialect, in_body: bool = False) -> StatementModel:
    if "falls_down" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "never_ends" in text:
        time.sleep(1_000)
    return _parse(text, dialect, in_body)


def main(seconds: float) -> None:
    parse_cache.parse_statement = _fragile
    worker_process.main(seconds)
