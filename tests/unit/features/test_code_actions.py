"""Code actions: the text that each one leaves behind, at `¦`, in every dialect's way of writing nested data."""

from __future__ import annotations

import time

import pytest

from sql_lineage_ls.features.code_actions import ActionOptions, code_actions
from sql_lineage_ls.features.diagnostics import DiagnosticOptions, diagnostics
from sql_lineage_ls.features.results import Action
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot
from tests.support import product

QUERY = "file:///w/query.sql"
TABLES = "file:///w/tables.sql"

DDL = {
    "bigquery": """CREATE TABLE port.ships (
  id INT64, -- the key
  master STRUCT<name STRING, home STRUCT<city STRING>>,
  holds ARRAY<STRUCT<cargo STRING, tons NUMERIC(10, 2)>> -- what it carries
);""",
    "trino": """CREATE TABLE ships (id bigint, master row(name varchar, home row(city varchar)),
  holds array(row(cargo varchar, tons integer)), fares map(varchar, row(eur integer)));""",
    "spark": """CREATE TABLE ships (
  id BIGINT,
  master STRUCT<name: STRING, home: STRUCT<city: STRING>>,
  holds ARRAY<STRUCT<cargo: STRING, tons: INT>>
) PARTITIONED BY (day DATE);""",
    "snowflake": "CREATE TABLE ships (id NUMBER, master OBJECT(name VARCHAR, home OBJECT(city VARCHAR)));",
    "postgres": """CREATE TYPE place AS (city text); CREATE TYPE person AS (name text, home place);
CREATE TABLE ships (
  id int
  , master person
);""",
}


def asked(dialect: str, sql: str, ddl: str = "", complete: bool = False) -> tuple[Snapshot, tuple[Action, ...]]:
    offset = sql.index("¦")
    files = {QUERY: sql.replace("¦", ""), TABLES: ddl or DDL[dialect]}
    snapshot = product.open_files(files, dialect)
    options = ActionOptions(DiagnosticOptions(complete=complete))
    return snapshot, code_actions(snapshot, QUERY, Span(offset, offset), options)


def done(snapshot: Snapshot, action: Action) -> dict[str, str]:
    """The documents that an action changes, as it leaves them."""
    texts: dict[str, str] = {}
    for change in sorted(action.changes, reverse=True):
        document = snapshot.document(change.span.uri)
        text = texts.get(change.span.uri, document.text if document is not None else "")
        texts[change.span.uri] = text[: change.span.start] + change.text + text[change.span.end :]
    return texts


def results(dialect: str, sql: str, title: str, ddl: str = "", complete: bool = False) -> list[str]:
    """The texts that the actions make whose title begins with `title`."""
    snapshot, actions = asked(dialect, sql, ddl, complete)
    found = [done(snapshot, action) for action in actions if action.title.startswith(title)]
    return [text for texts in found for text in texts.values()]


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("bigquery", "SELECT master.home.ci¦yt FROM port.ships", "SELECT master.home.city FROM port.ships"),
        ("bigquery", "SELECT master.`hmoe`¦ FROM port.ships", "SELECT master.`home` FROM port.ships"),
        ("bigquery", "SELECT h.tosn¦ FROM port.ships, UNNEST(holds) h",
         "SELECT h.tons FROM port.ships, UNNEST(holds) h"),
        ("trino", "SELECT transform(holds, h -> h.¦carggo) FROM ships",
         "SELECT transform(holds, h -> h.cargo) FROM ships"),
        ("spark", "SELECT s.master.naem¦ FROM ships s", "SELECT s.master.name FROM ships s"),
        ("snowflake", "SELECT master:home.c¦ty FROM ships", "SELECT master:home.city FROM ships"),
        ("postgres", "SELECT ((master).home).ctiy¦ FROM ships", "SELECT ((master).home).city FROM ships"),
        ("postgres", "SELECT shipps.¦id FROM ships", None),
    ],
)  # fmt: skip
def test_the_name_that_was_meant(dialect: str, sql: str, expected: str | None) -> None:
    assert results(dialect, sql, "Change to") == ([expected] if expected is not None else [])


def test_the_name_that_was_meant_is_preferred_and_mends_its_finding() -> None:
    _, actions = asked("bigquery", "SELECT id¦d FROM port.ships")
    first = actions[0]
    assert (first.title, first.kind, first.preferred) == ("Change to `id`", "quickfix", True)
    assert [finding.code for finding in first.diagnostics] == ["undeclared-column"]


def test_a_table_that_was_meant() -> None:
    sql = "SELECT id FROM port.shipps¦"
    assert results("bigquery", sql, "Change to", complete=True) == ["SELECT id FROM port.ships"]
    sql = "SELECT id FROM `port.shipps¦`"
    assert results("bigquery", sql, "Change to", complete=True) == ["SELECT id FROM `port.ships`"]


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("bigquery", "SELECT ¦id FROM port.ships a JOIN port.ships ON true",
         ["SELECT a.id FROM port.ships a JOIN port.ships ON true",
          "SELECT ships.id FROM port.ships a JOIN port.ships ON true"]),
        ("trino", "SELECT master¦.name FROM ships a, ships b",
         ["SELECT a.master.name FROM ships a, ships b", "SELECT b.master.name FROM ships a, ships b"]),
        ("spark", "SELECT nobody¦.x FROM here a, there b",
         ["SELECT a.nobody.x FROM here a, there b", "SELECT b.nobody.x FROM here a, there b"]),
        ("postgres", "SELECT (¦master).name FROM ships a, ships b, (SELECT 1 AS one) c",
         ["SELECT (a.master).name FROM ships a, ships b, (SELECT 1 AS one) c",
          "SELECT (b.master).name FROM ships a, ships b, (SELECT 1 AS one) c"]),
        ("postgres", 'SELECT i¦d FROM ships "A", ships B, ships AS "order"',
         ['SELECT "A".id FROM ships "A", ships B, ships AS "order"',
          'SELECT B.id FROM ships "A", ships B, ships AS "order"',
          'SELECT "order".id FROM ships "A", ships B, ships AS "order"']),
        ("snowflake", "SELECT master:name¦ FROM ships a, ships b", []),
        ("snowflake", "SELECT master¦:name FROM ships a, ships b",
         ["SELECT a.master:name FROM ships a, ships b", "SELECT b.master:name FROM ships a, ships b"]),
    ],
)  # fmt: skip
def test_a_column_of_several_sources_gets_a_qualifier(dialect: str, sql: str, expected: list[str]) -> None:
    assert results(dialect, sql, "Change to") == expected


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("bigquery", "SELECT ¦* FROM port.ships", "SELECT id, master, holds FROM port.ships"),
        ("bigquery", "SELECT *¦ EXCEPT (id) REPLACE (UPPER(master.name) AS master) FROM port.ships",
         "SELECT UPPER(master.name) AS master, holds FROM port.ships"),
        ("bigquery", "SELECT s.master.*¦ FROM port.ships s", "SELECT s.master.name, s.master.home FROM port.ships s"),
        ("bigquery", "SELECT h.¦* FROM port.ships s, UNNEST(s.holds) h",
         "SELECT h.cargo, h.tons FROM port.ships s, UNNEST(s.holds) h"),
        ("bigquery", "WITH c AS (SELECT master.home FROM port.ships) SELECT ¦* FROM c",
         "WITH c AS (SELECT master.home FROM port.ships) SELECT home FROM c"),
        ("bigquery", "SELECT *¦ FROM (SELECT 1 AS id) a JOIN (SELECT id, holds FROM port.ships) b USING (id)",
         "SELECT id, b.holds FROM (SELECT 1 AS id) a JOIN (SELECT id, holds FROM port.ships) b USING (id)"),
        ("trino", "SELECT a.id, b.¦* FROM ships a, ships b",
         "SELECT a.id, b.id, b.master, b.holds, b.fares FROM ships a, ships b"),
        ("spark", "SELECT *¦ FROM ships a JOIN (SELECT 1 AS one) b",
         "SELECT a.id, a.master, a.holds, a.day, b.one FROM ships a JOIN (SELECT 1 AS one) b"),
        ("snowflake", "SELECT * ¦RENAME (id AS no) FROM ships", "SELECT id AS no, master FROM ships"),
        ("postgres", "SELECT (master).¦* FROM ships", "SELECT (master).name, (master).home FROM ships"),
        ("bigquery", "SELECT ¦* FROM elsewhere.unknown", None),
        ("bigquery", "SELECT COUNT(¦*) FROM port.ships", None),
        ("bigquery", "SELECT ¦* FROM {{ source('a', 'b') }}", None),
        ("bigquery", "SELECT ¦* FROM port.ships WHERE {{ when }}",
         "SELECT id, master, holds FROM port.ships WHERE {{ when }}"),
    ],
)  # fmt: skip
def test_a_star_is_expanded_where_all_columns_are_known(dialect: str, sql: str, expected: str | None) -> None:
    assert results(dialect, sql, "Expand") == ([expected] if expected is not None else [])


def test_a_long_list_stands_one_column_a_line() -> None:
    ddl = "CREATE TABLE wide (" + ", ".join(f"column_number_{n} int" for n in range(8)) + ");"
    text = results("postgres", "SELECT\n    ¦*\nFROM wide", "Expand", ddl)[0]
    assert text.startswith("SELECT\n    column_number_0,\n    column_number_1,\n")
    assert text.endswith("    column_number_7\nFROM wide")


@pytest.mark.parametrize(
    ("dialect", "sql", "old", "new"),
    [
        ("bigquery", "SELECT flag¦ FROM port.ships", "(10, 2)>> -- what it carries\n",
         "(10, 2)>>, -- what it carries\n  flag STRING\n"),
        ("bigquery", "SELECT master.home.¦zip FROM port.ships", "<city STRING>", "<city STRING, zip STRING>"),
        ("bigquery", "SELECT master.papers¦.no FROM port.ships", "city STRING>>",
         "city STRING>, papers STRUCT<no STRING>>"),
        ("bigquery", "SELECT h.weight¦ FROM port.ships, UNNEST(holds) h", "(10, 2)>>", "(10, 2), weight STRING>>"),
        ("trino", "SELECT master.home.¦zip FROM ships", "(city varchar)", "(city varchar, zip varchar)"),
        ("trino", "SELECT flag¦ FROM ships", "eur integer))", "eur integer)), flag varchar"),
        ("spark", "SELECT master.home.¦zip FROM ships", "<city: STRING>", "<city: STRING, zip: STRING>"),
        ("spark", "SELECT flag¦ FROM ships", "tons: INT>>\n", "tons: INT>>,\n  flag STRING\n"),
        ("snowflake", "SELECT flag¦ FROM ships", "OBJECT(city VARCHAR))", "OBJECT(city VARCHAR)), flag VARCHAR"),
        ("postgres", "SELECT flag¦ FROM ships", ", master person", ", master person\n  , flag text"),
        ("postgres", "SELECT ((master).home).zip¦ FROM ships", "(city text)", "(city text, zip text)"),
    ],
)  # fmt: skip
def test_the_ddl_gets_what_it_lacks(dialect: str, sql: str, old: str, new: str) -> None:
    assert results(dialect, sql, "Add") == [DDL[dialect].replace(old, new, 1)]


def test_a_new_column_stands_before_the_constraints() -> None:
    ddl = "CREATE TABLE t (\n  a int, -- one\n  PRIMARY KEY (a)\n);"
    assert results("postgres", "SELECT b¦ FROM t", "Add", ddl) == [
        "CREATE TABLE t (\n  a int, -- one\n  b text,\n  PRIMARY KEY (a)\n);"
    ]


@pytest.mark.parametrize(
    ("dialect", "name", "columns"),
    [
        ("bigquery", "sea.ports", "  no STRING,\n  place STRUCT<city STRING>,\n  piers ARRAY<STRUCT<depth STRING>>"),
        ("trino", "ports", "  no varchar,\n  place row(city varchar),\n  piers array(row(depth varchar))"),
        ("spark", "ports", "  no STRING,\n  place STRUCT<city: STRING>,\n  piers ARRAY<STRUCT<depth: STRING>>"),
    ],
)
def test_a_table_that_nothing_declares_gets_a_skeleton(dialect: str, name: str, columns: str) -> None:
    unnest = "UNNEST(p.piers) AS q" if dialect != "spark" else "LATERAL (SELECT explode(p.piers) AS q)"
    source = {"trino": f"{name} p CROSS JOIN UNNEST(p.piers) AS q (depth)"}.get(dialect, f"{name} p, {unnest}")
    read = {"trino": "p.piers[1].depth", "spark": "p.piers[0].depth"}.get(dialect, "q.depth")
    sql = f"SELECT p.no, p.place.city, {read} FROM {source}".replace(f"{name} p", f"{name}¦ p")
    found = results(dialect, sql, f"Declare `{name}` in tables.sql")
    assert found == [f"{DDL[dialect]}\n\nCREATE TABLE {name} (\n{columns}\n);\n"]


def test_skeletons_of_databases_without_records() -> None:
    ddl = "CREATE TABLE other (a int);"
    sql = "SELECT p.no, (p.place).city FROM por¦ts p"
    assert results("postgres", sql, "Declare `ports` in tables.sql", ddl)[0].endswith(
        "\nCREATE TYPE ports_place AS (city text);\nCREATE TABLE ports (\n  no text,\n  place ports_place\n);\n"
    )
    sql = "SELECT p.no, p.place:city::string FROM por¦ts p"
    assert "  no VARCHAR,\n  place VARIANT\n" in results("snowflake", sql, "Declare `ports` in tables", ddl)[0]


def test_a_skeleton_in_a_new_file_names_its_dialect_and_can_wait() -> None:
    snapshot, actions = asked("bigquery", "SELECT p.no FROM sea.por¦ts p", complete=True)
    new = next(action for action in actions if action.creates)
    assert new.creates == "file:///w/ports.sql"
    assert done(snapshot, new)[new.creates].startswith("-- dialect: bigquery\nCREATE TABLE sea.ports (\n  no STRING\n")
    assert [finding.code for finding in new.diagnostics] == ["unknown-relation"]
    offset = len("SELECT p.no FROM sea.por")
    lazy = code_actions(snapshot, QUERY, Span(offset, offset), ActionOptions(lazy=True))
    assert [(action.deferred, action.changes) for action in lazy if action.title == new.title] == [(True, ())]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM INFORMATION_SCHEMA.TAB¦LES",
        "WITH c AS (SELECT 1 AS x) SELECT x FROM c¦",
        "SELECT id FROM port.shi¦ps",
    ],
)
def test_no_skeleton_for_what_is_there(sql: str) -> None:
    assert results("bigquery", sql, "Declare") == []


@pytest.mark.parametrize(
    ("dialect", "sql", "title", "expected"),
    [
        ("bigquery", "SELECT COUNT(¦*) FROM port.ships", "Name", "SELECT COUNT(*) AS f0_ FROM port.ships"),
        ("postgres", "SELECT id, upper((master).na¦me) FROM ships", "Name",
         "SELECT id, upper((master).name) AS upper FROM ships"),
        ("trino", "SELECT id, id +¦ 1 FROM ships", "Name", "SELECT id, id + 1 AS _col1 FROM ships"),
        ("bigquery", "SELECT id¦ FROM port.ships", "Name", None),
        ("bigquery", "SELECT id n¦o FROM port.ships", "Write AS", "SELECT id AS no FROM port.ships"),
        ("bigquery", "SELECT s.id FROM port.ships s¦", "Write AS", "SELECT s.id FROM port.ships AS s"),
        ("bigquery", "SELECT s.id FROM port.ships AS s¦", "Write AS", None),
        ("snowflake", "SELECT q.x FROM (SELECT 1 AS x) ¦q", "Write AS", "SELECT q.x FROM (SELECT 1 AS x) AS q"),
    ],
)  # fmt: skip
def test_an_alias_is_made_explicit(dialect: str, sql: str, title: str, expected: str | None) -> None:
    assert results(dialect, sql, title) == ([expected] if expected is not None else [])


def test_oracle_has_no_as_before_the_alias_of_a_table() -> None:
    assert results("oracle", "SELECT s.id FROM ships ¦s", "Write AS", "CREATE TABLE ships (id NUMBER);") == []


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("WITH ¦a AS (SELECT 1 AS x) SELECT id FROM port.ships", "SELECT id FROM port.ships"),
        ("WITH ¦a AS (SELECT 1 AS x),\n  b AS (SELECT 2 AS y)\nSELECT y FROM b",
         "WITH b AS (SELECT 2 AS y)\nSELECT y FROM b"),
        ("WITH b AS (SELECT 2 AS y), -- two\n  ¦a AS (SELECT f(1) AS x)\nSELECT y FROM b",
         "WITH b AS (SELECT 2 AS y)\nSELECT y FROM b"),
        ("CREATE VIEW v AS WITH RECURSIVE ¦a AS (SELECT 1 AS x) SELECT id FROM port.ships",
         "CREATE VIEW v AS SELECT id FROM port.ships"),
    ],
)  # fmt: skip
def test_an_unused_cte_goes(sql: str, expected: str) -> None:
    assert results("bigquery", sql, "Remove") == [expected]


def test_a_cte_that_changes_data_stays() -> None:
    sql = "WITH ¦gone AS (DELETE FROM ships RETURNING id) SELECT 1 AS one"
    assert results("postgres", sql, "Remove") == []


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT\n  id,\n  ¦idd\nFROM port.ships",
         "SELECT\n  id,\n  -- sql-lineage: ignore[undeclared-column]\n  idd\nFROM port.ships"),
        ("SELECT ¦idd FROM port.ships",
         "SELECT idd FROM port.ships  -- sql-lineage: ignore[undeclared-column]"),
        ("SELECT ¦idd -- why\nFROM port.ships",
         "-- sql-lineage: ignore[undeclared-column]\nSELECT idd -- why\nFROM port.ships"),
        ("SELECT\n  -- sql-lineage: ignore[orphan-column]\n  ¦idd\nFROM port.ships",
         "SELECT\n  -- sql-lineage: ignore[orphan-column, undeclared-column]\n  idd\nFROM port.ships"),
        ("SELECT ¦idd -- sql-lineage: ignore[orphan-column]\nFROM port.ships",
         "SELECT idd -- sql-lineage: ignore[orphan-column, undeclared-column]\nFROM port.ships"),
        ("SELECT '''a\nb''', ¦idd FROM port.ships",
         "SELECT '''a\nb''', idd FROM port.ships  -- sql-lineage: ignore[undeclared-column]"),
    ],
)  # fmt: skip
def test_a_finding_is_silenced_where_it_stands(sql: str, expected: str) -> None:
    assert results("bigquery", sql, "Ignore `undeclared-column` here", DDL["bigquery"]) == [expected]
    left = product.open_files({QUERY: expected, TABLES: DDL["bigquery"]}, "bigquery")
    assert product.diagnostics(left, QUERY) == ()


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", "-- sql-lineage: ignore-file[undeclared-column]\n"),
        ("-- dialect: bigquery\n", "-- dialect: bigquery\n-- sql-lineage: ignore-file[undeclared-column]\n"),
        ("-- sql-lineage: ignore-file[unused-cte]\n", "-- sql-lineage: ignore-file[unused-cte, undeclared-column]\n"),
    ],
)
def test_a_finding_is_silenced_in_the_file(head: str, expected: str) -> None:
    query = "SELECT idd FROM port.ships"
    sql = head + query.replace("idd", "¦idd")
    assert results("bigquery", sql, "Ignore `undeclared-column` in this file") == [expected + query]
    left = product.open_files({QUERY: expected + query, TABLES: DDL["bigquery"]}, "bigquery")
    assert product.diagnostics(left, QUERY) == ()


def test_every_edit_mends_what_it_claims_to() -> None:
    for sql in ("SELECT master.home.cit¦ FROM port.ships", "SELECT h.kg¦ FROM port.ships, UNNEST(holds) h"):
        snapshot, actions = asked("bigquery", sql)
        for action in actions:
            files = {QUERY: sql.replace("¦", ""), TABLES: DDL["bigquery"], **done(snapshot, action)}
            assert product.diagnostics(product.open_files(files, "bigquery"), QUERY) == (), action.title


def test_kinds_are_a_tree_and_an_unknown_document_has_nothing() -> None:
    snapshot, actions = asked("bigquery", "SELECT ¦* FROM port.ships")
    at = Span(7, 7)
    assert code_actions(snapshot, QUERY, at, ActionOptions(kinds=("refactor",))) == actions
    assert code_actions(snapshot, QUERY, at, ActionOptions(kinds=("quickfix",))) == ()
    assert code_actions(snapshot, "file:///nowhere.sql", at) == ()


def test_a_half_typed_statement_offers_nothing_that_its_edits_could_break() -> None:
    engine = Engine()
    engine.configure((), Settings(dialect="bigquery"))
    engine.open(TABLES, DDL["bigquery"])
    engine.open(QUERY, "SELECT * FROM port.ships WHERE id = 1")
    engine.rescan()
    at = Span(7, 7)
    assert [action.title for action in code_actions(engine.finish(), QUERY, at)] == ["Expand `*` to 3 columns"]
    engine.open(QUERY, "SELECT * FROM port.ships WHERE (")
    assert code_actions(engine.finish(), QUERY, at) == ()
    engine.open(TABLES, "CREATE TABLE port.ships (id INT64);")
    engine.open(QUERY, "SELECT * FROM port.ships WHERE id = 2")
    assert [action.title for action in code_actions(engine.finish(), QUERY, at)] == ["Expand `*` to 1 column"]


@pytest.mark.parametrize("dialect", DDL)
def test_a_table_that_was_meant_in_each_family(dialect: str) -> None:
    name = "port.ships" if dialect == "bigquery" else "ships"
    assert results(dialect, f"SELECT id FROM {name}s¦", "Change to", complete=True) == [f"SELECT id FROM {name}"]


def test_an_alias_that_is_no_source_is_no_column_of_one_of_several_tables() -> None:
    assert results("trino", "SELECT q.id¦ FROM ships a JOIN ships b ON a.id = b.id", "Add") == []


def test_findings_of_one_statement_are_those_of_the_document_there() -> None:
    sql = "SELECT idd FROM port.ships;\nSELECT master.naem FROM port.ships;\n"
    snapshot = product.open_files({QUERY: sql, TABLES: DDL["bigquery"]}, "bigquery")
    everything = product.diagnostics(snapshot, QUERY)
    assert [finding.code for finding in everything] == ["undeclared-column", "undeclared-field"]
    assert product.diagnostics(snapshot, QUERY, within=Span(3, 3)) == everything[:1]
    assert product.diagnostics(snapshot, QUERY, within=Span(40, 40)) == everything[1:]


def test_line_ends_stay_as_they_are() -> None:
    ddl = "CREATE TABLE ships (\r\n  id int -- the id\r\n);\r\n"
    found = results("postgres", "SELECT s.crew¦ FROM ships s", "Add", ddl)
    assert found == ["CREATE TABLE ships (\r\n  id int, -- the id\r\n  crew text\r\n);\r\n"]
    (found,) = results("postgres", "SELECT 1;\r\nSELECT s.crew¦ FROM ships s", "Ignore `undeclared-column` in", ddl),
    assert found == ["-- sql-lineage: ignore-file[undeclared-column]\r\nSELECT 1;\r\nSELECT s.crew FROM ships s"]


def test_a_skeleton_for_a_very_long_name() -> None:
    name = "harbour_" * 40
    (found,) = results("postgres", f"SELECT 1 FROM s.{name}¦ x", "Declare", complete=True)[-1:]
    assert found.endswith(f"CREATE TABLE s.{name} (\n  id text\n);\n")


def test_many_unknown_tables_are_found_in_linear_time() -> None:
    sql = "".join(f"SELECT a.id FROM lost{at} a;\n" for at in range(1_500))
    started = time.perf_counter()
    snapshot, _ = asked("postgres", f"¦{sql}", complete=True)
    found = diagnostics(snapshot, QUERY, DiagnosticOptions(complete=True))
    assert time.perf_counter() - started < 15
    assert [one.code for one in found] == ["unknown-relation"] * 1_500
