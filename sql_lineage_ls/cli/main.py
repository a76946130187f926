"""The command `sql-lineage-ls`: reads the arguments and hands over to one command.

Exit codes: 0 done, 1 the command failed, 2 the arguments cannot be used, with one line that says how to mend them.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from sql_lineage_ls import __version__
from sql_lineage_ls.cli.usage import PROGRAM, UsageError

COMMANDS = ("lineage", "doctor", "datahub-paths", "serve", "demo")
FORMATS = ("text", "json", "mermaid", "openlineage", "datahub")
LOG_LEVELS = ("debug", "info", "warning", "error")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see '{self.prog} --help'")


if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[_Parser]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code. Without a command it is the language server on stdio."""
    for stream in (sys.stdout, sys.stderr):
        _use_utf8(stream)
    try:
        return _run(_with_command(list(sys.argv[1:] if argv is None else argv)))
    except UsageError as error:
        sys.stderr.write(f"{PROGRAM}: {error}\n")
        return 2
    except BrokenPipeError:
        # The reader has seen enough (`| head`). Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def make_parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    parser = _Parser(
        prog=PROGRAM,
        description="Follow every column and nested field of SQL files to its source.",
        epilog="Without a command: serve on stdin and stdout, which is how editors start it.",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _add_lineage(commands)
    _add_doctor(commands)
    _add_datahub_paths(commands)
    _add_serve(commands)
    _add_demo(commands)
    return parser


def _add_lineage(commands: _Commands) -> None:
    lineage = commands.add_parser(
        "lineage",
        help="print the lineage of SQL files",
        description="Print the tables, views, edges and messages of SQL files, in the order in which they are named.",
    )
    lineage.add_argument("paths", metavar="PATH", nargs="+", help="a file, a folder with .sql files, or - for stdin")
    lineage.add_argument("--dialect", default="", help="the SQL dialect; told from each file where it is left out")
    lineage.add_argument(
        "--format", choices=FORMATS, default="text", help="text (default), json, mermaid, or for another tool"
    )
    lineage.add_argument(
        "--indirect", action="store_true", help="also what filters, joins, groups and orders the rows (<~)"
    )
    lineage.add_argument("--steps", action="store_true", help="also how each value came to be, scope by scope")
    lineage.add_argument(
        "--intermediate", action="store_true", help="every hop: CTEs and derived tables as relations of their own"
    )
    lineage.add_argument(
        "--no-cache", action="store_true", help="neither use nor keep what an earlier run has analysed"
    )
    exports = lineage.add_argument_group("for the formats openlineage and datahub")
    exports.add_argument("--namespace", default="", help="openlineage: the namespace of the datasets")
    exports.add_argument("--job-namespace", default="", help="openlineage: the namespace of the jobs")
    exports.add_argument("--event-time", metavar="TIME", default="", help="openlineage: the events' time (ISO 8601)")
    exports.add_argument("--run-id", metavar="UUID", default="", help="openlineage: what the runs' ids are made of")
    exports.add_argument("--platform", default="", help="datahub: the platform of the datasets")
    exports.add_argument("--platform-instance", default="", help="datahub: the instance of the platform")
    exports.add_argument("--env", default="", help="datahub: the environment of the datasets, PROD if left out")


def _add_doctor(commands: _Commands) -> None:
    doctor = commands.add_parser(
        "doctor",
        help="tell what was analysed of a folder, what was not, and why",
        description="Print which dialects, files and statements were found, what could not be read and why, which "
        "relations nobody declares, the settings in force, the cache and the times.",
    )
    doctor.add_argument("path", metavar="PATH", help="a folder or a file")
    doctor.add_argument("--format", choices=("text", "json"), default="text", help="for people (default) or machines")
    doctor.add_argument("--no-cache", action="store_true", help="neither use nor keep what an earlier run has analysed")


def _add_datahub_paths(commands: _Commands) -> None:
    paths = commands.add_parser(
        "datahub-paths",
        help="spell the fields of DataHub lineage as its schemas do",
        description="Print DataHub metadata with the fields in its lineage spelled as the schemas spell them.",
    )
    paths.add_argument("paths", metavar="FILE", nargs="+", help="a metadata file of DataHub (JSON), or - for stdin")
    paths.add_argument("--platform", default="bigquery", help="touch the urns of this platform only (bigquery)")
    paths.add_argument(
        "--use-graph-fallback", metavar="FILE", action="append", default=[],
        help="look schemas up here too: JSON that DataHub wrote, or SQL with the DDL",
    )  # fmt: skip
    paths.add_argument(
        "--expand-struct-parents", action=argparse.BooleanOptionalAction, default=True,
        help="add edges for the fields of a record that is handed on whole (default)",
    )  # fmt: skip
    paths.add_argument(
        "--max-unmapped-logged", metavar="N", type=_count, default=20, help="name at most N unmapped fields (20)"
    )


def _add_serve(commands: _Commands) -> None:
    serve = commands.add_parser("serve", help="run the language server", description="Run the language server.")
    serve.add_argument("--stdio", action="store_true", help="speak over stdin and stdout (default)")
    serve.add_argument("--tcp", metavar="PORT", type=_port, help="listen on this port of the loopback address instead")
    serve.add_argument("--log-file", metavar="FILE", default="", help="write the log to this file; stderr otherwise")
    serve.add_argument("--log-level", choices=LOG_LEVELS, default="warning", help="how much to log")
    serve.add_argument("--no-cache", action="store_true", help="keep nothing for the next start")


def _add_demo(commands: _Commands) -> None:
    demo = commands.add_parser(
        "demo",
        help="show what an editor would show",
        description="Start the real server, ask it what an editor asks, and print what a person would see.",
    )
    demo.add_argument("path", metavar="PATH", nargs="?", default="", help="a folder; the bundled examples otherwise")


def _run(argv: list[str]) -> int:
    arguments = make_parser().parse_args(argv)
    if arguments.command == "lineage":
        from sql_lineage_ls.cli.formats import make_writer, report_details
        from sql_lineage_ls.cli.lineage import run_lineage

        details = report_details(arguments)
        code = run_lineage(
            arguments.paths, arguments.dialect, details, make_writer(arguments), not arguments.no_cache
        )
    elif arguments.command == "doctor":
        from sql_lineage_ls.cli.doctor import run_doctor

        code = run_doctor(arguments.path, arguments.format == "json", not arguments.no_cache)
    elif arguments.command == "datahub-paths":
        from sql_lineage_ls.cli.datahub_paths import run_datahub_paths
        from sql_lineage_ls.exporters.datahub_rewrite import RewriteOptions

        options = RewriteOptions(arguments.platform, arguments.expand_struct_parents, arguments.max_unmapped_logged)
        code = run_datahub_paths(arguments.paths, arguments.use_graph_fallback, options)
    elif arguments.command == "demo":
        from sql_lineage_ls.cli.demo import run_demo

        code = run_demo(arguments.path)
    else:
        from sql_lineage_ls.cli.serve import run_serve

        code = run_serve(arguments.tcp, arguments.log_file, arguments.log_level, not arguments.no_cache)
    sys.stdout.flush()
    return code


def _with_command(argv: list[str]) -> list[str]:
    """The arguments with the default command put in, and a word that is no command refused with a hint."""
    if not argv:
        return ["serve"]
    first = argv[0]
    if first in COMMANDS or first in ("-h", "--help", "--version"):
        return argv
    if first.startswith("-") and first != "-":
        return ["serve", *argv]
    if first == "-" or os.path.exists(first):
        raise UsageError(f"'{first}' is no command; did you mean '{PROGRAM} lineage {first}'?")
    near = difflib.get_close_matches(first, COMMANDS, 1)
    hint = f"did you mean '{near[0]}'?" if near else f"commands are {', '.join(COMMANDS)}"
    raise UsageError(f"'{first}' is no command; {hint}")


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) < 65536:
        raise argparse.ArgumentTypeError(f"'{text}' is no port; give a number from 0 to 65535")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no number; give 0 or more")
    return int(text)


def _use_utf8(stream: TextIO) -> None:
    """SQL holds every script there is, whatever the terminal's locale says."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace")
