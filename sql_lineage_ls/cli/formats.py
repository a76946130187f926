"""The formats of `sql-lineage-ls lineage` and the options that each of them has."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Iterable
from datetime import datetime
from uuid import UUID

from sql_lineage_ls.cli.lineage import Details
from sql_lineage_ls.cli.usage import UsageError
from sql_lineage_ls.exporters.datahub import DataHubOptions, to_datahub
from sql_lineage_ls.exporters.json import json_pieces
from sql_lineage_ls.exporters.mermaid import report_to_mermaid
from sql_lineage_ls.exporters.openlineage import EPOCH, NO_RUN, OpenLineageOptions, to_openlineage
from sql_lineage_ls.exporters.report import Report
from sql_lineage_ls.exporters.text import to_text

_OPTIONS = {
    "openlineage": ("namespace", "job_namespace", "event_time", "run_id"),
    "datahub": ("platform", "platform_instance", "env"),
}
_WORD = re.compile(r"[A-Za-z0-9_.-]+\Z")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)\Z")


def make_writer(arguments: Namespace) -> Callable[[Report], Iterable[str]]:
    """What writes a report down as the arguments want it; an option of another format is refused."""
    chosen = arguments.format
    for owner, names in _OPTIONS.items():
        wrong = next((name for name in names if getattr(arguments, name) and owner != chosen), None)
        if wrong is not None:
            raise UsageError(f"'--{wrong.replace('_', '-')}' is an option of '--format {owner}'")
    if chosen == "openlineage":
        openlineage = OpenLineageOptions(
            namespace=arguments.namespace,
            job_namespace=arguments.job_namespace or "default",
            event_time=_time(arguments.event_time) if arguments.event_time else EPOCH,
            run_id=_uuid(arguments.run_id) if arguments.run_id else NO_RUN,
        )
        return lambda report: (to_openlineage(report, openlineage),)
    if chosen == "datahub":
        datahub = DataHubOptions(
            _word("--platform", arguments.platform),
            _word("--platform-instance", arguments.platform_instance),
            _word("--env", arguments.env) or "PROD",
        )
        return lambda report: (to_datahub(report, datahub),)
    if chosen == "json":
        return json_pieces
    if chosen == "mermaid":
        return lambda report: (report_to_mermaid(report),)
    return lambda report: (to_text(report, arguments.steps),)


def report_details(arguments: Namespace) -> Details:
    """How much the report has to tell; the exports for other tools tell of stored relations only, and all of it."""
    if arguments.format == "mermaid" and arguments.steps:
        raise UsageError("'--steps' is an option of '--format text' and '--format json'")
    if arguments.format not in ("text", "json", "mermaid"):
        wrong = next((name for name in ("indirect", "steps", "intermediate") if getattr(arguments, name)), None)
        if wrong is not None:
            raise UsageError(f"'--{wrong}' is an option of '--format text' and '--format json'")
    return Details(arguments.indirect, arguments.steps, arguments.intermediate)


def _time(text: str) -> str:
    wrong = UsageError(f"'{text}' is no time with a zone; write it as 2026-01-31T08:00:00Z")
    if not _TIME.match(text):
        raise wrong
    try:
        datetime.fromisoformat(text[:19])
    except ValueError:
        raise wrong from None
    return text


def _uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise UsageError(f"'{text}' is no UUID; write it as 01234567-89ab-7def-8123-456789abcdef") from None


def _word(option: str, text: str) -> str:
    if text and not _WORD.match(text):
        raise UsageError(f"'{text}' cannot be part of an urn; '{option}' takes letters, digits, '_', '.' and '-'")
    return text
