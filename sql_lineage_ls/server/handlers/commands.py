"""Commands that a client can have the server execute, and the server's own request about its state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cattrs.errors import BaseValidationError
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcInvalidParams

from sql_lineage_ls import __version__
from sql_lineage_ls.features.code_lens import code_lenses
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.syntax.packed import is_read
from sql_lineage_ls.workspace.figures import Figures
from sql_lineage_ls.workspace.uris import normal_uri

STATUS = "sqlLineage/status"
USES = "sqlLineage.uses"
REINDEX = "sqlLineage.reindex"

_structure = converters.get_converter().structure


def uses(convert: Converter, arguments: list[Any]) -> list[types.Location]:
    """The downstream uses of what is declared at a position: the arguments are a document and a position.

    For clients that have no command of their own for a lens. [] where nothing is declared there.
    """
    if len(arguments) < 2 or not isinstance(arguments[0], str):
        raise JsonRpcInvalidParams(f"'{USES}' needs the address of a document and a position")
    try:
        position = _structure(arguments[1], types.Position)
    except (BaseValidationError, TypeError, KeyError, ValueError):
        raise JsonRpcInvalidParams(f"'{USES}' needs a position as its second argument") from None
    uri = normal_uri(arguments[0])
    document = convert.snapshot.document(uri)
    if document is None:
        return []
    offset = convert.from_lsp_position(document, position)
    for lens in code_lenses(convert.snapshot, uri):
        if lens.span.contains(offset):
            return convert.to_lsp_locations(lens.places)
    return []


COMMANDS: dict[str, Callable[[Converter, list[Any]], Any]] = {USES: uses}


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
