"""Symbols of the workspace, by a few letters of their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from sql_lineage_ls.features.workspace_symbols import MOST_SYMBOLS, SymbolNames
from sql_lineage_ls.features.workspace_symbols import workspace_symbols as feature
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import CATALOG


def family(names: SymbolNames) -> Family:
    """The handler for one client; what it looked through is kept in `names`."""

    def workspace_symbols(
        convert: Converter, params: types.WorkspaceSymbolParams
    ) -> list[types.SymbolInformation] | None:
        """The names of the workspace that fit what was typed."""
        found = feature(convert.snapshot, params.query, MOST_SYMBOLS, names)
        return [symbol for one in found if (symbol := convert.to_symbol_information(one)) is not None] or None

    return Family({types.WORKSPACE_SYMBOL: (workspace_symbols, CATALOG)}, offer)


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    return {"workspace_symbol_provider": True}
