"""What has to be true of the exports of any SQL, shown on the SQL of all fixtures."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from sql_lineage_ls.exporters.datahub import to_datahub
from sql_lineage_ls.exporters.openlineage import to_openlineage
from sql_lineage_ls.exporters.report import Report, make_report
from sql_lineage_ls.exporters.text import to_text
from sql_lineage_ls.lineage.model import DIRECT_ROLES, Edge
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.support.checks import dialects_of
from tests.support.fixture import read_fixture
from tests.support.product import open_files

FOLDER = Path(__file__).parents[2] / "fixtures"
FIXTURES = sorted(FOLDER.rglob("*.sql"))

Place = tuple[str, tuple[str, ...]]


def opened(path: Path) -> tuple[Snapshot, dict[str, str]]:
    fixture = read_fixture(path)
    texts = {file.uri: file.text for file in fixture.files}
    return open_files(texts, dialects_of(fixture)[0]), {file.uri: file.path for file in fixture.files}


@pytest.mark.parametrize("path", FIXTURES, ids=[path.relative_to(FOLDER).as_posix() for path in FIXTURES])
def test_hops_lead_where_the_whole_way_leads(path: Path) -> None:
    snapshot, files = opened(path)
    whole = make_report(snapshot, files)
    hops = make_report(snapshot, files, intermediate=True)
    for ours, theirs in zip(whole.statements, hops.statements, strict=True):
        results = {relation_id for relation_id, _, kind in theirs.lineage.relations if kind == "result"}
        direct: dict[Place, set[Place]] = defaultdict(set)
        for edge in theirs.lineage.edges:
            direct[edge.relation, edge.path] |= sources_of(edge)
        targets = Counter((edge.relation, edge.path) for edge in ours.lineage.edges)
        for edge in ours.lineage.edges:
            target = (edge.relation, edge.path)
            # Two columns of one name are an error that only the edges of a query keep apart.
            if targets[target] == 1 and not any("*" in path for _, path in sources_of(edge)):
                assert follow(target, direct, results) in (None, sources_of(edge)), (path.name, edge.path)


def sources_of(edge: Edge) -> set[Place]:
    return {(source.relation, source.path) for source in edge.sources if source.role in DIRECT_ROLES}


def follow(target: Place, direct: Mapping[Place, set[Place]], results: set[str]) -> set[Place] | None:
    """The stored nodes that hops lead to; None where a hop is a star, which names no column."""
    found: set[Place] = set()
    waiting, seen = [*direct[target]], set[Place]()
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        relation, path = place
        if relation not in results:
            found.add(place)
        elif place in direct:
            waiting += direct[place]
        elif (relation, ("*",)) in direct:
            return None
        else:
            waiting += beside(relation, path, direct)
    return found


def beside(relation: str, path: tuple[str, ...], direct: Mapping[Place, set[Place]]) -> list[Place]:
    """Hops of the fields below a node that is read whole, and of the record around a field."""
    places: list[Place] = []
    for (owner, written), sources in direct.items():
        if owner == relation and written[: len(path)] == path:
            places += sources
        elif owner == relation and path[: len(written)] == written:
            places += [(source, (*inner, *path[len(written) :])) for source, inner in sources]
    return places


@pytest.mark.parametrize("path", FIXTURES, ids=[path.relative_to(FOLDER).as_posix() for path in FIXTURES])
def test_every_export_is_written_and_tells_what_the_edges_tell(path: Path) -> None:
    snapshot, files = opened(path)
    report = make_report(snapshot, files, steps=True)
    lines = to_text(report, steps=True).splitlines()
    assert {line.split(" step ")[0] for line in lines if " step " in line} >= {edge.text for edge in report.edges}
    events = [json.loads(line) for line in to_openlineage(report).splitlines()]
    assert len({event["job"]["name"] for event in events if "job" in event}) == sum("job" in event for event in events)
    assert fields_with_sources(report) == sum(
        1
        for event in events
        for output in event.get("outputs", ())
        for field in output["facets"].get("columnLineage", {}).get("fields", {}).values()
        if any(step["type"] == "DIRECT" for found in field["inputFields"] for step in found["transformations"])
    )
    for proposal in json.loads(to_datahub(report)):
        for edge in proposal["aspect"]["json"]["fineGrainedLineages"]:
            assert edge["upstreams"]
            (downstream,) = edge["downstreams"]
            assert downstream.startswith(f"urn:li:schemaField:({proposal['entityUrn']},")


def fields_with_sources(report: Report) -> int:
    """How many named fields of written relations have a named field as their value."""
    pseudo = (("*",), ("RelationRows",))
    return len(
        {
            (statement.place, edge.edge.relation, edge.path)
            for statement in report.statements
            for edge in statement.edges
            if statement.lineage.target and edge.edge.path not in pseudo
            and any(source.role == "value" and source.path not in pseudo for source in edge.edge.sources)
        }
    )  # fmt: skip
