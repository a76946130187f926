"""Features on real SQL of several files and databases, from text to answer."""

from __future__ import annotations

import pytest

from sql_lineage_ls.features.code_lens import code_lenses
from sql_lineage_ls.features.declaration import declaration
from sql_lineage_ls.features.definition import definition
from sql_lineage_ls.features.diagnostics import diagnostics
from sql_lineage_ls.features.document_symbols import document_symbols
from sql_lineage_ls.features.hover import hover
from sql_lineage_ls.features.results import NavigationTarget, Symbol
from sql_lineage_ls.features.type_definition import type_definition
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot


class Workspace:
    """Documents by name; a place is the name and a piece of text with `|` before the asked offset."""

    def __init__(self, dialect: str, **texts: str) -> None:
        engine = Engine()
        engine.configure((), Settings(dialect=dialect))
        self.texts = texts
        for name, text in texts.items():
            engine.open(self.uri(name), text)
        engine.rescan()
        self.snapshot: Snapshot = engine.finish()

    @staticmethod
    def uri(name: str) -> str:
        return f"file:///w/{name}.sql"

    def at(self, name: str, marked: str) -> tuple[Snapshot, str, int]:
        before, _, after = marked.partition("|")
        text = self.texts[name]
        assert text.count(before + after) == 1, marked
        return self.snapshot, self.uri(name), text.index(before + after) + len(before)

    def hover(self, name: str, marked: str) -> list[str]:
        found = hover(*self.at(name, marked))
        return found.present("plaintext").split("\n") if found is not None else []

    def shown(self, targets: tuple[NavigationTarget, ...]) -> list[str]:
        """Each target as `name:offset:token`."""
        shown = []
        for target in targets:
            name = target.focus.uri.rsplit("/", 1)[-1].removesuffix(".sql")
            shown.append(f"{name}:{target.focus.start}:{self.texts[name][target.focus.start : target.focus.end]}")
        return shown

    def token(self, name: str, marked: str, token: str) -> str:
        return f"{name}:{self.at(name, marked)[2]}:{token}"


@pytest.fixture(scope="module")
def wines() -> Workspace:
    return Workspace(
        "bigquery",
        tables="""\
CREATE TABLE cellar.bottles (
  label STRING,
  maker STRUCT<name STRING, place STRUCT<country STRING, village STRING>>,
  tastings ARRAY<STRUCT<points INT64, note STRING>>
);
""",
        views="""\
CREATE VIEW cellar.scored AS
SELECT b.label, b.maker AS house, t.points
FROM cellar.bottles AS b, UNNEST(b.tastings) AS t;
CREATE VIEW cellar.all_scored AS SELECT * FROM cellar.scored;
""",
        report="""\
WITH top AS (SELECT house, MAX(points) AS best FROM cellar.all_scored GROUP BY house)
SELECT house.place.village, best FROM top WHERE house.place.contry = 'FR';
""",
    )


def test_a_field_through_two_views_and_a_cte(wines: Workspace) -> None:
    assert wines.hover("report", "place.|village") == [
        "house.place.village : STRING",
        "from cellar.all_scored.house.place.village",
        "end to end from cellar.bottles.maker.place.village",
        # GROUP BY house is a use of the whole record.
        "used in 1 place and inside a whole record in 2",
    ]


def test_a_view_tells_what_it_reads(wines: Workspace) -> None:
    assert wines.hover("views", "FROM cellar.|scored")[-2:] == ["reads cellar.bottles", "used in 1 place"]
    assert wines.hover("views", "FROM cellar.|bottles")[-2:] == [")", "used in 1 place"]


def test_each_part_of_the_path_has_its_own_type(wines: Workspace) -> None:
    assert wines.hover("report", "house.|place.village")[0] == "house.place : STRUCT<country STRING, village STRING>"


def test_definition_is_one_hop_and_declaration_the_last(wines: Workspace) -> None:
    place = wines.at("report", "|best FROM top")
    assert wines.shown(definition(*place)) == [wines.token("report", "AS |best", "best")]
    points = wines.token("tables", "<|points", "points")
    assert wines.shown(declaration(*place)) == [points]
    # `points` of all_scored came through a star: one hop nearer with a token is the view below it.
    assert wines.shown(definition(*wines.at("report", "MAX(|points"))) == [
        wines.token("views", "t.|points", "points")
    ]


def test_an_undeclared_field_is_found_through_views(wines: Workspace) -> None:
    (found,) = diagnostics(wines.snapshot, wines.uri("report"))
    assert found.code == "undeclared-field"
    assert wines.texts["report"][found.span.start : found.span.end] == "contry"
    assert found.suggestion == "country"
    assert "did you mean" in found.message.lower()


@pytest.mark.parametrize(
    ("query", "related"),
    [
        ("SELECT line FROM trains AS t, buses b;", ["trains.line", "buses.line"]),
        ("SELECT nope FROM trains AS t, buses b;", ["trains", "buses"]),
        ("SELECT seat FROM trains;", ["trains.seats"]),
        ("SELECT t.door.wydth FROM trains AS t;", ["trains.door.width"]),
        ("SELECT t.door.colour FROM trains AS t;", ["trains.door"]),
        ("WITH c AS (SELECT seats FROM trains) SELECT seat FROM c;", []),
    ],
)
def test_a_diagnostic_shows_the_declarations_that_prove_it(query: str, related: list[str]) -> None:
    made = Workspace(
        "bigquery",
        ddl="CREATE TABLE trains (line STRING, seats INT64, door STRUCT<width INT64>);"
        "CREATE TABLE buses (line STRING);",
        query=query,
    )
    (found,) = diagnostics(made.snapshot, made.uri("query"))
    assert [place.message for place in found.related] == [f"`{name}` is declared here" for name in related]
    assert [made.texts["ddl"][place.span.start : place.span.end] for place in found.related] == [
        name.split(".")[-1] for name in related
    ]


def test_lenses_count_through_views(wines: Workspace) -> None:
    titles = {
        wines.texts["tables"][lens.span.start : lens.span.end]: lens.title
        for lens in code_lenses(wines.snapshot, wines.uri("tables"))
    }
    assert titles == {
        "bottles": "1 downstream use",
        "label": "1 downstream use",
        "maker": "maker: 1 downstream use",
        "name": "name: 4 downstream uses in a whole record",
        "place": "place: 1 use · 4 in a whole record",
        "country": "country: 4 downstream uses in a whole record",
        "village": "village: 1 use · 4 in a whole record",
        "tastings": "tastings: 2 downstream uses",
        "points": "points: 1 downstream use",
        "note": "note: no downstream use",
    }
    assert [
        (wines.texts["views"][lens.span.start : lens.span.end], lens.title)
        for lens in code_lenses(wines.snapshot, wines.uri("views"))
    ] == [
        ("scored", "1 downstream use"),
        ("label", "label: 1 downstream use"),
        ("house", "house: 1 downstream use"),
        ("points", "points: 1 downstream use"),
        ("all_scored", "1 downstream use"),
    ]


def test_the_outline(wines: Workspace) -> None:
    def shape(symbol: Symbol) -> object:
        return {symbol.name: [shape(child) for child in symbol.children]} if symbol.children else symbol.name

    assert [shape(symbol) for symbol in document_symbols(wines.snapshot, wines.uri("tables"))] == [
        {
            "cellar.bottles": [
                "label",
                {"maker": ["name", {"place": ["country", "village"]}]},
                {"tastings": ["points", "note"]},
            ]
        }
    ]
    assert [shape(symbol) for symbol in document_symbols(wines.snapshot, wines.uri("views"))] == [
        {"cellar.scored": ["label", "house", "points"]},
        {"cellar.all_scored": ["label", "house", "points"]},
    ]


@pytest.mark.parametrize(
    ("dialect", "ddl", "query", "marked", "path"),
    [
        (
            "postgres",
            "CREATE TYPE |spot AS (x int); CREATE TABLE maps (at spot);",
            "SELECT (m.at).x FROM maps m;",
            "(m.|at)",
            "maps.at",
        ),
        (
            "oracle",
            "CREATE TYPE |spot AS OBJECT (x NUMBER); CREATE TABLE maps (at spot);",
            "SELECT m.at.x FROM maps m;",
            "m.|at",
            "maps.at",
        ),
        (
            "duckdb",
            "CREATE TYPE |spot AS STRUCT(x INTEGER); CREATE TABLE maps (at spot);",
            "SELECT m.at.x FROM maps m;",
            "m.|at",
            "maps.at",
        ),
        (
            "trino",
            "CREATE TABLE maps (|at ROW(x BIGINT));",
            "SELECT m.at.x FROM maps m;",
            "m.|at",
            "maps.at",
        ),
    ],
)
def test_type_definition(dialect: str, ddl: str, query: str, marked: str, path: str) -> None:
    made = Workspace(dialect, ddl=ddl.replace("|", ""), query=query)
    place = made.at("query", marked)
    token = ddl[ddl.index("|") + 1 :].split(" ")[0]
    assert made.shown(type_definition(*place)) == [f"ddl:{ddl.index('|')}:{token}"]
    assert made.hover("query", marked)[1].lower() == f"from {path}"


def test_a_column_of_an_external_table_comes_from_its_files() -> None:
    made = Workspace(
        "trino",
        ddl="CREATE TABLE pings (ip VARCHAR) WITH (external_location = 's3://net/pings/');",
        query="SELECT ip FROM pings;",
    )
    assert made.hover("query", "SELECT |ip") == ["ip : VARCHAR", "from pings.ip", "used in 1 place"]
    assert made.hover("ddl", "(|ip")[0] == "pings.ip : VARCHAR"
    assert made.shown(declaration(*made.at("query", "SELECT |ip"))) == ["ddl:20:ip"]


def test_an_added_column_leads_to_the_alter_statement() -> None:
    made = Workspace(
        "snowflake",
        ddl="create table ev (id number);",
        change="alter table ev add column kind varchar;",
        query="select kind from ev;",
    )
    assert made.shown(definition(*made.at("query", "|kind"))) == ["change:26:kind"]
    assert [lens.title for lens in code_lenses(made.snapshot, made.uri("change"))] == ["1 downstream use"]


def test_a_bare_query_tells_its_rows_and_its_ctes() -> None:
    bees = Workspace(
        "bigquery",
        q="CREATE TABLE hives (id INT64, yard STRING, kilos INT64);\n"
        "WITH heavy AS (SELECT h.yard FROM hives AS h WHERE h.kilos > 9)\n"
        "SELECT x.yard AS place, COUNT(*) AS much FROM heavy AS x GROUP BY x.yard;",
    )
    columns = ["yard STRING from hives.yard"]
    assert bees.hover("q", "WITH |heavy") == ["cte heavy : 1 column", *columns]
    assert bees.hover("q", "AS |x GROUP") == ["cte heavy AS x : 1 column", *columns]
    assert bees.hover("q", "SELECT |x.yard") == ["cte heavy AS x : 1 column", *columns]
    assert bees.hover("q", "AS |place") == ["place : STRING", "from hives.yard", "rows limited by hives.kilos"]
    assert bees.hover("q", "AS |much") == ["much", "as COUNT(*) (aggregate)", "depends on the rows of hives",
                                           "rows limited by hives.kilos", "grouped by hives.yard"]  # fmt: skip


def test_the_name_in_using_stands_for_both_columns() -> None:
    bees = Workspace(
        "bigquery",
        q="CREATE TABLE hives (yard STRING); CREATE TABLE yards (yard STRING, owners ARRAY<STRUCT<name STRING>>);\n"
        "SELECT yard FROM hives JOIN yards USING (yard);\n"
        "SELECT o.name FROM yards, UNNEST(yards.owners) AS o;",
    )
    assert bees.hover("q", "USING (|yard") == ["yard : STRING", "from hives.yard, yards.yard"]
    assert bees.shown(definition(*bees.at("q", "USING (|yard"))) == [
        bees.token("q", "hives (|yard STRING", "yard"), bees.token("q", "yards (|yard STRING", "yard"),
    ]  # fmt: skip
    assert bees.shown(definition(*bees.at("q", "AS |o;"))) == [bees.token("q", "|owners ARRAY", "owners")]


def test_every_part_of_a_table_name_is_the_table() -> None:
    bees = Workspace(
        "redshift",
        q="CREATE TABLE farm.hives (frames super);\nSELECT f.kilos FROM farm.hives AS h, h.frames AS f;",
    )
    table = ["table farm.hives (", "  frames super", ")"]
    assert bees.hover("q", "CREATE TABLE |farm")[:3] == table
    assert bees.hover("q", "FROM |farm")[:3] == table
    assert bees.shown(definition(*bees.at("q", "FROM |farm"))) == [bees.token("q", "TABLE farm.|hives", "hives")]
    # The qualifier says what its alias says.
    assert bees.hover("q", "SELECT |f.") == bees.hover("q", "AS |f;") == ["f : super", "from farm.hives.frames[*]"]


def test_a_numbered_column_of_files_is_told_like_its_fields() -> None:
    bees = Workspace("snowflake", q="SELECT $1:frames.kilos FROM @apiary/day.json;")
    assert bees.hover("q", "SELECT |$1")[:2] == ["$1", "from '@apiary/day.json'.$1"]
    assert bees.hover("q", "|frames")[:2] == ["$1.frames", "from '@apiary/day.json'.$1.frames"]


@pytest.mark.parametrize(
    ("dialect", "statement"),
    [
        ("postgres", "UPDATE hives SET yard = 'n' WHERE id = 1 RETURNING |kilos AS k"),
        ("postgres", "UPDATE hives SET yard = 'n' WHERE id = 1 RETURNING new.|kilos"),
        ("postgres", "INSERT INTO hives (id) VALUES (1) RETURNING id, hives.|kilos"),
        ("postgres", "DELETE FROM hives AS h WHERE id = 1 RETURNING h.|kilos"),
        ("tsql", "UPDATE hives SET yard = 'n' OUTPUT inserted.id, deleted.|kilos WHERE id = 1"),
        ("tsql", "MERGE hives AS h USING yards AS y ON h.id = y.id WHEN MATCHED THEN UPDATE SET yard = y.name "
         "OUTPUT inserted.|kilos"),
    ],
)  # fmt: skip
def test_what_returning_reads_is_used(dialect: str, statement: str) -> None:
    bees = Workspace(
        dialect,
        ddl="CREATE TABLE hives (id INT, yard VARCHAR(9), kilos INT); CREATE TABLE yards (id INT, name VARCHAR(9));",
        q=statement.replace("|", ""),
    )
    assert bees.hover("q", statement) == ["kilos : INT", "from hives.kilos", "used in 1 place"]
    assert diagnostics(bees.snapshot, bees.uri("q")) == ()


def test_returning_knows_the_columns_of_its_table() -> None:
    bees = Workspace("postgres", q="CREATE TABLE hives (id INT); DELETE FROM hives RETURNING kilos, *;")
    assert [found.code for found in diagnostics(bees.snapshot, bees.uri("q"))] == ["undeclared-column"]


@pytest.mark.parametrize(
    ("dialect", "kind", "written"), [("postgres", "text[]", "(frame).kilos"), ("snowflake", "VARIANT", "frame:kilos")]
)
def test_a_field_that_is_read_by_a_dot_only_is_told_how(dialect: str, kind: str, written: str) -> None:
    bees = Workspace(dialect, q=f"CREATE TABLE hives (frame {kind}); SELECT frame.kilos, frames.kilos FROM hives;")
    assert [found.message for found in diagnostics(bees.snapshot, bees.uri("q"))] == [
        f"no source is called 'frame' here; a field of the column 'frame' is read by {written}",
        "no source is called 'frames' here",
    ]
