"""Commands that a client can have the server execute, and the server's own request about its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cattrs.errors import BaseValidationError
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcInvalidParams

from sql_lineage_ls import __version__
from sql_lineage_ls.features.code_lens import code_lenses
from sql_lineage_ls.features.impact import impact, named_nodes, node_name
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.syntax.packed import is_read
from sql_lineage_ls.workspace.figures import Figures
from sql_lineage_ls.workspace.uris import normal_uri

STATUS = "sqlLineage/status"
USES = "sqlLineage.uses"
COPY_FIELD_PATH = "sqlLineage.copyFieldPath"
IMPACT = "sqlLineage.impact"
# Executed, but not offered: editors have a command of this name for people, and none can have two.
SHOW_STATUS = "sqlLineage.status"
REINDEX = "sqlLineage.reindex"

_structure = converters.get_converter().structure


def uses(convert: Converter, arguments: list[Any]) -> list[types.Location]:
    """The downstream uses of what is declared at a position: the arguments are a document and a position.

    For clients that have no command of their own for a lens. [] where nothing is declared there.
    """
    place = _place(convert, USES, arguments)
    if place is None:
        return []
    uri, offset = place
    for lens in code_lenses(convert.snapshot, uri):
        if lens.span.contains(offset):
            return convert.to_lsp_locations(lens.places)
    return []


def copy_field_path(convert: Converter, arguments: list[Any]) -> str | None:
    """The path of what stands at a position, `shop.orders.items[*].qty`, one a line where there are several."""
    place = _place(convert, COPY_FIELD_PATH, arguments)
    nodes = named_nodes(convert.snapshot, *place) if place is not None else ()
    return "\n".join(node_name(convert.snapshot, node) for node in nodes) or None


def show_impact(convert: Converter, arguments: list[Any]) -> dict[str, Any] | None:
    """The downstream uses of what stands at a position, grouped by what they go into; None where nothing does."""
    place = _place(convert, IMPACT, arguments)
    found = impact(convert.snapshot, *place) if place is not None else None
    if found is None:
        return None
    groups = [
        {
            "name": group.name,
            "location": convert.to_lsp_location(group.place) if group.place is not None else None,
            "uses": [{"location": convert.to_lsp_location(use.span), "usage": use.usage} for use in group.uses],
        }
        for group in found.groups
    ]
    return {"paths": list(found.names), "count": sum(len(group.uses) for group in found.groups), "groups": groups}


def _place(convert: Converter, command: str, arguments: list[Any]) -> tuple[str, int] | None:
    """The document and the offset that a command is about; None where nobody knows the document."""
    if len(arguments) < 2 or not isinstance(arguments[0], str):
        raise JsonRpcInvalidParams(f"'{command}' needs the address of a document and a position")
    try:
        position = _structure(arguments[1], types.Position)
    except (BaseValidationError, TypeError, KeyError, ValueError):
        raise JsonRpcInvalidParams(f"'{command}' needs a position as its second argument") from None
    uri = normal_uri(arguments[0])
    document = convert.snapshot.document(uri)
    return (uri, convert.from_lsp_position(document, position)) if document is not None else None


COMMANDS: dict[str, Callable[[Converter, list[Any]], Any]] = {
    USES: uses,
    COPY_FIELD_PATH: copy_field_path,
    IMPACT: show_impact,
}


def status(convert: Converter, figures: Figures) -> dict[str, Any]:
    """What the server knows, for people who report a problem: counts and times, and nothing of what the files say."""
    documents = convert.snapshot.documents()
    statements = [statement for document in documents for statement in document.statements]
    return {
        "version": __version__,
        "revision": convert.snapshot.revision,
        "ready": convert.snapshot.ready,
        "complete": convert.snapshot.complete,
        "positionEncoding": convert.client.encoding,
        "documents": len(documents),
        "openDocuments": sum(document.open for document in documents),
        "statements": len(statements),
        "staleStatements": sum(statement.stale for statement in statements),
        "unparsedStatements": sum(not is_read(statement.held) for statement in statements),
        "parsedStatements": figures.parsed,
        "boundStatements": figures.bound,
        "waitingFiles": figures.waiting_files,
        "workerProcesses": figures.processes,
        "crashedProcesses": figures.crashed_processes,
        "cache": figures.cache,
        "cacheBytes": figures.cache_bytes,
        "readSeconds": figures.read_seconds,
        "completeSeconds": figures.complete_seconds,
        "longestStepSeconds": figures.longest_step,
        "indexedRelations": figures.index_relations,
        "dialects": sorted({document.dialect.name for document in documents}),
    }
