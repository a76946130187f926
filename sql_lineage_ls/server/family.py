"""Features that belong together: which requests they answer, and what a client is offered of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types
from msgspec import Struct

from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter

Handler = Callable[[Converter, Any], Any]
Offer = Callable[[Client, types.ClientCapabilities], Mapping[str, Any]]


class Family(Struct, frozen=True):
    """One module of `handlers`.

    `requests` has for each method its handler and how much of the workspace it needs (`worker.CATALOG`, ..); `offer`
    the fields of `ServerCapabilities` for a client (`server.capabilities` tells which depend on it).
    """

    requests: Mapping[str, tuple[Handler, int]]
    offer: Offer
