"""`sql-lineage-ls datahub-paths`: prints DataHub metadata with the fields of its lineage spelled as its schemas do."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from sql_lineage_ls.cli.lineage import STDIN, read_report
from sql_lineage_ls.cli.usage import PROGRAM, UsageError
from sql_lineage_ls.exporters.datahub import schema_paths
from sql_lineage_ls.exporters.datahub_rewrite import RewriteOptions, rewrite_paths, schemas_of
from sql_lineage_ls.exporters.dataset_names import Datasets


def run_datahub_paths(paths: Sequence[str], schemas: Sequence[str], options: RewriteOptions) -> int:
    """Prints the items of all metadata files as one JSON array, and a line on standard error that says what was done.

    `schemas` are further sources of schemas, the first one that knows a dataset holds: JSON files that DataHub wrote,
    and SQL files and folders with DDL. The exit code is 0 whatever could be rewritten.
    """
    items = [item for path in paths for item in _items(path)]
    dumps = [schemas_of(_json(path)) for path in schemas if not _is_sql(path)]
    known = {urn: fields for dump in reversed(dumps) for urn, fields in dump.items()}
    declared = _declared([path for path in schemas if _is_sql(path)], options.platform)
    done = rewrite_paths(items, options, known, declared)
    try:
        text = json.dumps(done.items, ensure_ascii=False, indent=2)
    except RecursionError:
        raise UsageError("the metadata is nested too deeply") from None
    sys.stdout.write(text + "\n")
    sys.stderr.write(f"{PROGRAM}: {done.summary}\n")
    return 0


def _is_sql(path: str) -> bool:
    return os.path.isdir(path) or path.lower().endswith(".sql")


def _declared(paths: Sequence[str], platform: str) -> dict[str, tuple[str, ...]]:
    """The fields of every relation that DDL declares whole, by the name of its dataset."""
    if not paths:
        return {}
    report = read_report(paths)
    datasets = Datasets(report)
    dialects = {statement.lineage.target: statement.dialect for statement in report.statements}
    return {
        datasets.name(row.id, dialects[row.id]): schema_paths(datasets.columns(row.id, dialects[row.id]), platform)
        for row in report.relations
        if row.id in dialects and row.relation is not None and not row.relation.open
    }


def _items(path: str) -> Iterator[Any]:
    document = _json(path)
    if isinstance(document, list):
        yield from document
    else:
        yield document


def _json(path: str) -> Any:
    """The content of a file: one JSON document, or one a line, which come as a list."""
    try:
        if path == STDIN:
            text = sys.stdin.buffer.read().decode("utf-8-sig")
        else:
            with open(path, encoding="utf-8-sig") as file:
                text = file.read()
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"'{path}' is not UTF-8 text") from None
    try:
        return _parsed(text)
    except RecursionError:
        raise UsageError(f"'{path}' is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"'{path}' is no JSON: {error}") from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not lines[0].rstrip().endswith("}"):
            raise
        return [json.loads(line) for line in lines]
