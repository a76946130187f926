"""The lineage graph: two requests of our own, which docs/protocol.md describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cattrs.errors import BaseValidationError
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcInvalidParams

from sql_lineage_ls.exporters.mermaid import Arrow, Box, to_mermaid
from sql_lineage_ls.features import lineage_graph as feature
from sql_lineage_ls.features.results import GraphRelation, GraphRow, LineageGraph
from sql_lineage_ls.lineage.model import Node, path_text
from sql_lineage_ls.server.client import Client
from sql_lineage_ls.server.convert import Converter
from sql_lineage_ls.server.family import Family
from sql_lineage_ls.server.worker import EVERYTHING
from sql_lineage_ls.workspace.snapshot import FileSpan

GRAPH = "sqlLineage/graph"
EXPAND = "sqlLineage/graphExpand"
_MOST_DEPTH = 50

_structure = converters.get_converter().structure


def graph(convert: Converter, params: Any) -> dict[str, Any] | None:
    """The graph around a position."""
    asked = _plain(params)
    try:
        at = _structure(asked, types.TextDocumentPositionParams)
    except (BaseValidationError, TypeError, KeyError, ValueError):
        raise JsonRpcInvalidParams(f"'{GRAPH}' needs a textDocument and a position") from None
    place = convert.place(at)
    found = feature.lineage_graph(convert.snapshot, *place, _options(asked)) if place is not None else None
    return _answer(convert, found, asked) if found is not None else None


def expand(convert: Converter, params: Any) -> dict[str, Any]:
    """One graph of several steps, each of which goes on from nodes of an earlier answer."""
    asked = _plain(params)
    steps = asked.get("steps")
    if not isinstance(steps, list):
        raise JsonRpcInvalidParams(f"'{EXPAND}' needs a list of steps")
    return _answer(convert, feature.expand_graph(convert.snapshot, [_step(step) for step in steps]), asked)


def _step(step: object) -> feature.GraphStep:
    nodes = step.get("nodes") if isinstance(step, dict) else None
    if not isinstance(step, dict) or not isinstance(nodes, list) or not all(_is_node(node) for node in nodes):
        raise JsonRpcInvalidParams("a step needs nodes, each a list of a relation's id and the steps of a path")
    return feature.GraphStep(tuple(Node(node[0], tuple(node[1:])) for node in nodes), _options(step))


def _plain(params: Any) -> Any:
    """The parameters as JSON: of a method that it does not know pygls makes named tuples."""
    if isinstance(params, tuple) and hasattr(params, "_asdict"):
        return {name: _plain(value) for name, value in params._asdict().items()}
    if isinstance(params, list):
        return [_plain(value) for value in params]
    return params if params is not None else {}


def _is_node(node: object) -> bool:
    return isinstance(node, list) and bool(node) and all(isinstance(part, str) for part in node)


def _options(asked: Mapping[str, Any]) -> feature.GraphOptions:
    direction, depth = asked.get("direction", "both"), asked.get("depth", 1)
    if direction not in ("up", "down", "both"):
        raise JsonRpcInvalidParams("the direction is 'up', 'down' or 'both'")
    if not isinstance(depth, int) or not 1 <= depth <= _MOST_DEPTH:
        raise JsonRpcInvalidParams(f"the depth is a number from 1 to {_MOST_DEPTH}")
    return feature.GraphOptions(direction, depth)


# ---------------------------------------------------------------- answers


def _answer(convert: Converter, found: LineageGraph, asked: Mapping[str, Any]) -> dict[str, Any]:
    answer = {
        "focus": [_node(node) for node in found.focus],
        "relations": [_relation(convert, relation) for relation in found.relations],
        "edges": [
            {
                "source": _node(edge.source),
                "target": _node(edge.target),
                "role": edge.role,
                "transform": edge.transform,
            }
            for edge in found.edges
        ],
        "truncated": found.truncated,
    }
    return {**answer, "mermaid": mermaid_of(found)} if asked.get("format") == "mermaid" else answer


def mermaid_of(found: LineageGraph) -> str:
    """The graph as a Mermaid flowchart; rows that only lead to others are left out."""
    boxes = (
        Box(
            relation.id,
            relation.name,
            tuple(
                (_key(Node(relation.id, row.path)), "rows" if row.label == "rows" else path_text(row.path))
                for row in relation.rows
                if row.used
            ),
        )
        for relation in found.relations
    )
    return to_mermaid(boxes, (Arrow(_key(edge.source), _key(edge.target), edge.role) for edge in found.edges))


def _key(node: Node) -> str:
    return "\0".join(_node(node))


def _node(node: Node) -> list[str]:
    return [node.relation, *node.path]


def _relation(convert: Converter, relation: GraphRelation) -> dict[str, Any]:
    return {
        "id": relation.id,
        "name": relation.name,
        "kind": relation.kind,
        "location": _location(convert, relation.place),
        "rows": [_row(convert, row) for row in relation.rows],
        "up": relation.up,
        "down": relation.down,
    }


def _row(convert: Converter, row: GraphRow) -> dict[str, Any]:
    return {
        "path": list(row.path),
        "label": row.label,
        "depth": row.depth,
        "type": row.type,
        "location": _location(convert, row.place),
        "used": row.used,
        "up": row.up,
        "down": row.down,
    }


def _location(convert: Converter, place: FileSpan | None) -> types.Location | None:
    return convert.to_lsp_location(place) if place is not None else None


def offer(client: Client, capabilities: types.ClientCapabilities) -> Mapping[str, Any]:
    return {}


FAMILY = Family({GRAPH: (graph, EVERYTHING), EXPAND: (expand, EVERYTHING)}, offer)
