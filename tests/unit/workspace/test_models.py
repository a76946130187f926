"""dbt models: the query of a file is the relation that the file is named after."""

from __future__ import annotations

from pathlib import Path

import pytest

from sql_lineage_ls.features.definition import definition
from sql_lineage_ls.features.diagnostics import diagnostics
from sql_lineage_ls.features.hover import hover
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.dbt_project import model_folders
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.folders import Folder
from sql_lineage_ls.workspace.models import ModelFiles
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot
from sql_lineage_ls.workspace.uris import uri_from_path
from tests.support.product import lineage_text

DDL = "CREATE TABLE dock.crates (crate_id INT64, owner STRUCT<name STRING, port STRING>, kilos INT64);\n"
LOADED = "SELECT crate_id, owner.port AS port, kilos FROM {{ source('dock', 'crates') }}\n"
HEAVY = "SELECT l.port, l.kilos / 1000 AS tons FROM {{ ref('loaded') }} AS l WHERE l.kilos > {{ var('least') }}\n"


def engine_of(folder: Path, settings: Settings = Settings(dialect="bigquery"), **files: str) -> Engine:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".sql").write_text(text)
    engine = Engine()
    engine.configure((Folder(uri_from_path(folder), folder, settings),))
    engine.rescan()
    engine.finish()
    return engine


def project(folder: Path, text: str = "name: harbour\n") -> Path:
    (folder / "dbt_project.yml").write_text(text)
    return folder


def uri(folder: Path, name: str) -> str:
    return uri_from_path(folder / name)


def edges(snapshot: Snapshot) -> list[str]:
    """The lines of the command line that are edges, over all documents."""
    files = {document.uri: document.uri.rsplit("/", 1)[-1] for document in snapshot.documents()}
    return [line for line in lineage_text(snapshot, files, indirect=False).splitlines() if " <- " in line]


def codes(snapshot: Snapshot) -> list[str]:
    return [found.code for document in snapshot.documents() for found in diagnostics(snapshot, document.uri)]


def text_of_hover(snapshot: Snapshot, uri: str, word: str) -> str:
    document = snapshot.document(uri)
    assert document is not None
    found = hover(snapshot, uri, document.text.index(word))
    assert found is not None
    return found.present("plaintext")


def test_lineage_runs_across_models(tmp_path: Path) -> None:
    engine = engine_of(project(tmp_path), ddl=DDL, models__loaded=LOADED, models__marts__heavy=HEAVY)
    assert edges(engine.snapshot) == [
        "loaded.crate_id <- dock.crates.crate_id",
        "loaded.port <- dock.crates.owner.port",
        "loaded.kilos <- dock.crates.kilos",
        "heavy.port <- loaded.port",
        "heavy.tons <- loaded.kilos",
    ]
    assert codes(engine.snapshot) == []


def test_analyses_and_macros_are_no_models(tmp_path: Path) -> None:
    engine = engine_of(
        project(tmp_path),
        models__loaded=LOADED,
        analyses__look="SELECT kilos FROM {{ ref('loaded') }}",
        macros__weigh="{% macro weigh() %} SELECT kilos FROM x {% endmacro %}",
    )
    assert edges(engine.snapshot)[0] == "RS-1.kilos <- loaded.kilos"
    assert not any("weigh" in line for line in edges(engine.snapshot))


def test_a_ref_leads_to_the_query_of_its_model(tmp_path: Path) -> None:
    engine = engine_of(project(tmp_path), ddl=DDL, models__loaded=LOADED, models__heavy=HEAVY)
    (target,) = definition(engine.snapshot, uri(tmp_path, "models/heavy.sql"), HEAVY.index("loaded"))
    loaded = uri(tmp_path, "models/loaded.sql")
    assert target.focus == FileSpan(loaded, 0, len("SELECT"))
    (target,) = definition(engine.snapshot, uri(tmp_path, "models/heavy.sql"), HEAVY.index("port"))
    at = LOADED.index("port,")
    assert target.focus == FileSpan(loaded, at, at + len("port"))


def test_an_unsaved_edit_of_a_model_changes_what_another_one_shows(tmp_path: Path) -> None:
    engine = engine_of(project(tmp_path), ddl=DDL, models__loaded=LOADED, models__heavy=HEAVY)
    heavy = uri(tmp_path, "models/heavy.sql")
    before = text_of_hover(engine.snapshot, heavy, "port")
    assert "owner.port" in before
    engine.open(uri(tmp_path, "models/loaded.sql"), LOADED.replace("owner.port AS", "owner.name AS"), 1)
    after = text_of_hover(engine.finish(), heavy, "port")
    assert "owner.name" in after
    assert "owner.port" not in after
    engine.close(uri(tmp_path, "models/loaded.sql"))
    assert text_of_hover(engine.finish(), heavy, "port") == before


def test_the_last_good_query_stands_while_a_model_is_half_typed(tmp_path: Path) -> None:
    engine = engine_of(project(tmp_path), ddl=DDL, models__loaded=LOADED, models__heavy=HEAVY)
    loaded = uri(tmp_path, "models/loaded.sql")
    engine.open(loaded, LOADED, 1)
    whole = edges(engine.finish())
    engine.open(loaded, LOADED.replace("owner.port AS port", "owner. AS port"), 2)
    assert edges(engine.finish()) == whole
    assert "heavy.port <- loaded.port" in whole


def test_an_incremental_model_reads_itself(tmp_path: Path) -> None:
    text = (
        "{{ config(materialized='incremental') }}\nSELECT crate_id, kilos AS mass FROM {{ source('dock', 'crates') }}\n"
        "{% if is_incremental() %} WHERE crate_id > (SELECT MAX(crate_id) FROM {{ this }}) {% endif %}"
    )
    engine = engine_of(project(tmp_path), ddl=DDL, models__latest=text)
    assert edges(engine.snapshot) == ["latest.crate_id <- dock.crates.crate_id", "latest.mass <- dock.crates.kilos"]
    (target,) = definition(engine.snapshot, uri(tmp_path, "models/latest.sql"), text.index("this"))
    assert target.focus.uri == uri(tmp_path, "models/latest.sql")
    assert codes(engine.snapshot) == []


def test_a_version_is_the_model_of_the_file_with_its_number(tmp_path: Path) -> None:
    engine = engine_of(
        project(tmp_path), ddl=DDL, models__loaded_v2=LOADED, models__top="SELECT port FROM {{ ref('loaded', v=2) }}"
    )
    assert edges(engine.snapshot)[-1] == "top.port <- loaded_v2.port"


@pytest.mark.parametrize(
    ("models", "found"),
    [(True, "pick.kilos <- dock.crates.kilos"), (("jobs/*.sql",), "pick.kilos <- dock.crates.kilos"),
     (("other/*.sql",), "RS-1.kilos <- dock.crates.kilos"), (False, "RS-1.kilos <- dock.crates.kilos")],
)
def test_the_setting_decides_without_a_project(
    tmp_path: Path, models: bool | tuple[str, ...], found: str
) -> None:
    settings = Settings(dialect="bigquery", models=models)
    engine = engine_of(tmp_path, settings, ddl=DDL, jobs__pick="SELECT kilos FROM dock.crates")
    assert edges(engine.snapshot) == [found]


def test_of_several_queries_none_is_the_model(tmp_path: Path) -> None:
    two = "SELECT kilos FROM dock.crates; SELECT crate_id FROM dock.crates"
    engine = engine_of(tmp_path, Settings(dialect="bigquery", models=True), ddl=DDL, two=two)
    assert edges(engine.snapshot) == ["RS-1.kilos <- dock.crates.kilos", "RS-2.crate_id <- dock.crates.crate_id"]


def test_a_project_that_appears_makes_models(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, ddl=DDL, models__loaded=LOADED)
    assert edges(engine.snapshot)[0] == "RS-1.crate_id <- dock.crates.crate_id"
    project(tmp_path, "model-paths: [elsewhere]\n")
    engine.rescan()
    assert edges(engine.finish())[0] == "RS-1.crate_id <- dock.crates.crate_id"
    project(tmp_path)
    engine.rescan()
    assert edges(engine.finish())[0] == "loaded.crate_id <- dock.crates.crate_id"


def test_the_model_folder_alone_finds_its_project_within_the_repository(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    (shop / "models").mkdir(parents=True)
    project(shop)
    address = uri(shop, "models/crates.sql")
    folder = Folder(uri_from_path(shop / "models"), shop / "models")
    assert ModelFiles().relation(address, folder, Settings()) == ""
    (tmp_path / ".git").mkdir()
    assert ModelFiles().relation(address, folder, Settings()) == "crates"
    assert ModelFiles().relation(uri(shop, "models/crates.ddl"), folder, Settings()) == ""
    assert ModelFiles().relation("untitled:crates.sql", None, Settings()) == ""


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("name: harbour\n", ("models",)),
        ("", ("models",)),
        ('model-paths: ["models", \'more models\']  # all', ("models", "more models")),
        ("model-paths: [a,\n  b, # not c\n  d]\nseed-paths: [s]\n", ("a", "b", "d")),
        ("model-paths:\n  - a\n\n  # - c\n  - \"b/c\" # last\nseed-paths:\n  - s\n", ("a", "b/c")),
        ("model-paths:\n- a\n", ("a",)),
        ("source-paths: ['old']\n", ("old",)),
        ("vars:\n  model-paths: [x]\n", ("models",)),
        ("model-paths: models\n", ("models",)),
        ("model-paths: [\n", ("models",)),
        ("model-paths:\r\n  - a\r\n  - b\r\n", ("a", "b")),
    ],
)
def test_model_folders_are_read_from_the_project(text: str, folders: tuple[str, ...]) -> None:
    assert model_folders(text) == folders


# ---------------------------------------------------------------- seeds and snapshots


def test_a_seed_has_the_columns_of_its_first_line(tmp_path: Path) -> None:
    (project(tmp_path) / "seeds").mkdir()
    seed = tmp_path / "seeds" / "ports.csv"
    seed.write_text('port_id,"Full, name",town\n1,x,y\n')
    (tmp_path / "elsewhere.csv").write_text("a,b\n")
    made = engine_of(tmp_path, models__far="SELECT * FROM {{ ref('ports') }} AS p WHERE p.town > ''").snapshot
    uri = uri_from_path(tmp_path / "models" / "far.sql")
    assert [document.uri for document in made.documents()] == [uri, uri_from_path(seed)]
    assert lineage_text(made, {uri: "far"}, indirect=False).splitlines() == [
        "table ports: port_id, `Full, name`, town",
        "view far: port_id, `Full, name`, town",
        "far.port_id <- ports.port_id",
        "far.`Full, name` <- ports.`Full, name`",
        "far.town <- ports.town",
    ]
    text = made.document(uri)
    assert text is not None
    (target,) = definition(made, uri, text.text.index("town"))
    assert target.focus == FileSpan(uri_from_path(seed), 21, 25)


@pytest.mark.parametrize("header", ["", "a;b", "a|b", "a,b,A", "a,,b", 'a,"b', "\0a,b"])
def test_a_seed_whose_columns_cannot_be_told_declares_nothing(tmp_path: Path, header: str) -> None:
    (project(tmp_path) / "seeds").mkdir()
    (tmp_path / "seeds" / "ports.csv").write_text(f"{header}\n1\n")
    made = engine_of(tmp_path, models__far="SELECT x FROM {{ ref('ports') }}").snapshot
    uri = uri_from_path(tmp_path / "models" / "far.sql")
    assert diagnostics(made, uri) == ()
    assert lineage_text(made, {uri: "far"}, indirect=False).splitlines()[0] == "table ports: x"


def test_a_seed_follows_its_file_and_its_project(tmp_path: Path) -> None:
    project(tmp_path, "seed-paths: ['tables']\n")
    (tmp_path / "tables").mkdir()
    seed = tmp_path / "tables" / "ports.csv"
    seed.write_text("port_id\n1\n")
    engine = engine_of(tmp_path, models__far="SELECT * FROM {{ ref('ports') }}")
    uri = uri_from_path(tmp_path / "models" / "far.sql")
    seed.write_text("port_id,depth\n1,2\n")
    engine.rescan()
    assert "far.depth <- ports.depth" in lineage_text(engine.finish(), {uri: "far"}, indirect=False)
    seed.unlink()
    engine.rescan()
    assert "depth" not in lineage_text(engine.finish(), {uri: "far"}, indirect=False)


def test_a_snapshot_is_the_relation_of_its_block_with_what_dbt_adds(tmp_path: Path) -> None:
    project(tmp_path)
    query = "{{ config(strategy='check') }}\nSELECT id, town FROM dock.ports"
    snapshot = f"{{% snapshot ports_history %}}\n{query}\n{{% endsnapshot %}}"
    made = engine_of(tmp_path, snapshots__any="-- nothing", models__now="SELECT * FROM {{ ref('ports_history') }}",
                     snapshots__ports=snapshot).snapshot
    uri = uri_from_path(tmp_path / "models" / "now.sql")
    assert lineage_text(made, {uri: "now"}, indirect=False).splitlines()[:2] == [
        "view now: id, town, dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to",
        "view ports_history: id, town, dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to",
    ]
    ports = uri_from_path(tmp_path / "snapshots" / "ports.sql")
    assert "ports_history.town <- dock.ports.town" in lineage_text(made, {ports: "ports"}, indirect=False)
