"""`sql-lineage-ls serve`: the language server, over stdio or on a port of the loopback address."""

from __future__ import annotations

import sys
from pathlib import Path

from sql_lineage_ls.cli.usage import PROGRAM, UsageError


def run_serve(tcp_port: int | None, log_file: str, log_level: str, cached: bool) -> int:
    """Serves one client and returns the exit code. A log file that cannot be written is refused at once."""
    path = Path(log_file).resolve() if log_file else None
    if path is not None:
        _check_log_file(path)
    if tcp_port is None and sys.stdin.isatty():
        sys.stderr.write(f"{PROGRAM}: waiting for an editor on standard input; see '{PROGRAM} --help'\n")
    from sql_lineage_ls.server.app import serve

    return serve(tcp_port, path, log_level, cached)


def _check_log_file(path: Path) -> None:
    try:
        with path.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"the log file '{path}' cannot be written ({reason}); give another --log-file") from error
