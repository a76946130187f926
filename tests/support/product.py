"""The calls that the fixtures make of the product, so that a change of its API is a change of this file."""

from __future__ import annotations

from collections.abc import Mapping

from sql_lineage_ls.exporters.report import Message, Report, make_report, place
from sql_lineage_ls.exporters.text import to_text
from sql_lineage_ls.features.call_hierarchy import incoming_calls, outgoing_calls, prepare_call_hierarchy
from sql_lineage_ls.features.code_actions import code_actions
from sql_lineage_ls.features.code_lens import code_lenses
from sql_lineage_ls.features.declaration import declaration
from sql_lineage_ls.features.definition import definition
from sql_lineage_ls.features.diagnostics import DiagnosticOptions, diagnostics
from sql_lineage_ls.features.document_highlight import document_highlight
from sql_lineage_ls.features.document_links import document_links
from sql_lineage_ls.features.folding_range import folding_ranges
from sql_lineage_ls.features.hover import hover
from sql_lineage_ls.features.impact import impact
from sql_lineage_ls.features.implementation import implementation
from sql_lineage_ls.features.inlay_hints import HintOptions, inlay_hints
from sql_lineage_ls.features.references import references
from sql_lineage_ls.features.results import Diagnostic
from sql_lineage_ls.features.selection_range import selection_range
from sql_lineage_ls.features.semantic_tokens import semantic_tokens
from sql_lineage_ls.features.workspace_symbols import workspace_symbols
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot

__all__ = [
    "DiagnosticOptions",
    "HintOptions",
    "code_actions",
    "code_lenses",
    "declaration",
    "definition",
    "diagnostics",
    "document_highlight",
    "document_links",
    "folding_ranges",
    "hover",
    "impact",
    "implementation",
    "incoming_calls",
    "inlay_hints",
    "lineage_report",
    "lineage_text",
    "open_files",
    "outgoing_calls",
    "prepare_call_hierarchy",
    "references",
    "selection_range",
    "semantic_tokens",
    "workspace_symbols",
]


def open_files(texts: Mapping[str, str], dialect: str, models: bool = False) -> Snapshot:
    """The snapshot of a workspace that consists of these documents; '' leaves the dialect to each file.

    With `models` the query of a file is the relation that the file is named after.
    """
    engine = Engine()
    engine.configure((), Settings(dialect=dialect, models=models))
    for uri, text in texts.items():
        engine.open(uri, text)
    # There are no folders to look at: what is open is all there is.
    engine.rescan()
    return engine.finish()


def lineage_report(snapshot: Snapshot, files: Mapping[str, str], indirect: bool) -> Report:
    """The report of the command line on these documents; `files` maps their uris to the names to show."""
    messages = [
        _message(snapshot, uri, name, diagnostic)
        for uri, name in files.items()
        for diagnostic in diagnostics(snapshot, uri)
    ]
    return make_report(snapshot, files, messages, indirect)


def lineage_text(snapshot: Snapshot, files: Mapping[str, str], indirect: bool) -> str:
    """The lines that the command line prints for these documents."""
    return to_text(lineage_report(snapshot, files, indirect))


def _message(snapshot: Snapshot, uri: str, name: str, diagnostic: Diagnostic) -> Message:
    document = snapshot.document(uri)
    assert document is not None
    where = place(document, name, diagnostic.span.start, diagnostic.span.end)
    return Message(diagnostic.code, diagnostic.severity, diagnostic.message, where)
