# ruff: noqa: E501
"""Columns of a relation: types, several declarations, LIKE and CLONE, ALTER, and the places they stand at."""

from __future__ import annotations

import pytest

from sql_lineage_ls.catalog.catalog import Catalog, Definition
from sql_lineage_ls.catalog.types import ArrayType, Field, RecordType, Scalar
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.query_model import ColumnDef, CreateFunction, Name, TypeSpec
from tests.unit.catalog.ddl_files import catalog_of, columns_of, definitions, find, name_of, shown, token, tree


def test_types_become_trees() -> None:
    catalog = catalog_of(
        "CREATE TABLE t (a STRUCT<b: INT, c: ARRAY<STRUCT<d: MAP<STRING, STRUCT<e: INT>>>>>, v VARIANT, w who_knows)",
        dialect="databricks",
    )
    assert columns_of(catalog, "t", "databricks") == [
        "a {b INT, c [{d <STRING: {e INT}>}]}",
        "v ~VARIANT",
        "w ?who_knows",
    ]


def test_keys_follow_the_dialect() -> None:
    def keys(dialect: str, sql: str) -> list[str]:
        entry = find(catalog_of(sql, dialect=dialect), "t", dialect)
        assert entry is not None
        return [field.key for field in entry.relation.columns]

    assert keys("snowflake", 'CREATE TABLE t (Id INT, "Low" INT)') == ["ID", "Low"]
    assert keys("postgres", 'CREATE TABLE t (Id INT, "Up" INT)') == ["id", "Up"]
    assert keys("bigquery", "CREATE TABLE t (Id INT64, `Up` INT64)") == ["id", "up"]
    assert keys("clickhouse", "CREATE TABLE t (Id Int8, `Up` Int8)") == ["Id", "Up"]
    assert keys("oracle", 'CREATE TABLE t (Id NUMBER, "Up" NUMBER)') == ["ID", "Up"]


def test_fields_without_names_have_their_position() -> None:
    assert columns_of(catalog_of("CREATE TABLE t (p Tuple(Int8, String))", dialect="clickhouse"), "t", "clickhouse") == [
        "p {1 Int8, 2 String}"
    ]


FILES = {
    "f0.sql": "CREATE TYPE geo_t AS (lat text, lng text); CREATE TYPE addr_t AS (street text, geo geo_t)",
    "f1.sql": "CREATE TABLE depots (id int, addr addr_t, more addr_t[])",
}


def test_types_across_files_keep_the_places_of_their_fields() -> None:
    catalog = catalog_of(*FILES.values())
    entry = find(catalog, "depots")
    assert entry is not None
    assert [shown(field) for field in entry.relation.columns] == [
        "id int",
        "addr {street text, geo {lat text, lng text}}",
        "more [{street text, geo {lat text, lng text}}]",
    ]
    addr = entry.relation.columns[1]
    assert isinstance(addr.type, RecordType)
    assert addr.type.type_name == "addr_t"
    assert token(FILES, addr.type.type_site) == "addr_t"
    assert token(FILES, addr.site) == "addr"
    geo = addr.type.fields[1]
    assert (geo.site.uri, token(FILES, geo.site)) == ("f0.sql", "geo")
    assert token(FILES, geo.type.fields[0].site) == "lat"
    assert token(FILES, entry.relation.site) == "depots"


def test_a_type_that_appears_later_is_seen() -> None:
    catalog = catalog_of(FILES["f1.sql"])
    assert columns_of(catalog, "depots") == ["id int", "addr ?addr_t", "more [?addr_t]"]
    later = catalog.replace_file("z.sql", definitions("z.sql", "CREATE TYPE addr_t AS (street text)"))
    assert columns_of(later, "depots") == ["id int", "addr {street text}", "more [{street text}]"]
    assert columns_of(later.remove_file("z.sql"), "depots") == ["id int", "addr ?addr_t", "more [?addr_t]"]


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("oracle", "CREATE TYPE lot_t AS OBJECT (no NUMBER); CREATE TYPE lots AS TABLE OF lot_t; CREATE TABLE t (l lots, p REF lot_t)",
         ["l [{no NUMBER}]", "p {no NUMBER}"]),
        ("oracle", "CREATE TYPE p_t AS OBJECT (name VARCHAR2(9)) NOT FINAL; CREATE TYPE s_t UNDER p_t (school VARCHAR2(9)); CREATE TABLE t OF s_t",
         ["name VARCHAR2(9)", "school VARCHAR2(9)"]),
        ("oracle", "CREATE TYPE s_t UNDER p_t (school VARCHAR2(9)); CREATE TABLE t (s s_t)", ["s ?s_t"]),
        ("oracle", "CREATE TYPE a_t; CREATE TYPE b_t AS OBJECT (a REF a_t); CREATE TYPE a_t AS OBJECT (b REF b_t, n NUMBER); CREATE TABLE t (a a_t)",
         ["a {b {a ?REF a_t}, n NUMBER}"]),
        ("postgres", "CREATE DOMAIN code AS varchar(9); CREATE TABLE t (c code)", ["c code"]),
        ("postgres", "CREATE TYPE p AS (a int); ALTER TYPE p ADD ATTRIBUTE b int, RENAME ATTRIBUTE a TO c; CREATE TABLE t (p p)",
         ["p {c int, b int}"]),
        ("postgres", "CREATE TABLE o (a int); CREATE TABLE t (whole o, many o[])", ["whole {a int}", "many [{a int}]"]),
        ("postgres", "CREATE TYPE s.p AS (a int); CREATE TABLE t (p s.p, q p)", ["p {a int}", "q {a int}"]),
        ("duckdb", "CREATE TYPE p AS STRUCT(a INT); CREATE TABLE t (p p[])", ["p [{a INT}]"]),
        ("tsql", "CREATE TYPE dbo.ids AS TABLE (id INT); CREATE TABLE t (a [int], b [dbo].[ids])", ["a [int]", "b {id INT}"]),
    ],
)  # fmt: skip
def test_users_types(dialect: str, sql: str, expected: list[str]) -> None:
    assert columns_of(catalog_of(sql, dialect=dialect), "t", dialect) == expected


def test_find_type_and_data_type() -> None:
    catalog = catalog_of(FILES["f0.sql"])
    found = catalog.find_type(name_of("addr_t"), DIALECTS["postgres"])
    assert found is not None
    assert tree(found) == "{street text, geo {lat text, lng text}}"
    assert catalog.find_type(name_of("nope"), DIALECTS["postgres"]) is None
    spec = definitions("x", "CREATE TABLE t (a addr_t[])")[0].model.columns[0].type
    assert tree(catalog.data_type(spec, DIALECTS["postgres"])) == "[{street text, geo {lat text, lng text}}]"


# ------------------------------------------------------------ several declarations


def test_declarations_of_several_files_are_joined() -> None:
    catalog = catalog_of(
        "CREATE TABLE t (Id INT64, s STRUCT<a INT64, b INT64>, n INT64)",
        "CREATE TABLE IF NOT EXISTS t (id INT64, s STRUCT<a INT64, c STRING>, n STRING, extra INT64)",
        dialect="bigquery",
    )
    assert columns_of(catalog, "t", "bigquery") == [
        "Id INT64",
        "s {a INT64, b INT64, c STRING}",
        "n ?",
        "extra INT64",
    ]


@pytest.mark.parametrize(
    "second",
    ["CREATE OR REPLACE TABLE t (b int)", "DROP TABLE t; CREATE TABLE t (b int)", "DROP TABLE a, t; CREATE TABLE t (b int)"],
)
def test_a_later_declaration_of_the_same_file_replaces(second: str) -> None:
    assert columns_of(catalog_of(f"CREATE TABLE t (a int); ALTER TABLE t ADD x int; {second}"), "t") == ["b int"]


def test_repeats_in_one_file_are_joined_and_a_last_drop_is_not_the_end() -> None:
    assert columns_of(catalog_of("CREATE TABLE t (a int); CREATE TABLE IF NOT EXISTS t (b int)"), "t") == ["a int", "b int"]
    assert columns_of(catalog_of("CREATE TABLE t (a int); DROP TABLE t"), "t") == ["a int"]


def test_or_replace_leaves_other_files_alone() -> None:
    assert columns_of(catalog_of("CREATE TABLE t (a int)", "CREATE OR REPLACE TABLE t (b int)"), "t") == ["a int", "b int"]


# ------------------------------------------------------------ LIKE and friends


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("postgres", "CREATE TABLE b (x int, y int); CREATE TABLE t (a int, LIKE b, c int)", ["a int", "x int", "y int", "c int"]),
        ("postgres", "CREATE TABLE b (x int); CREATE TABLE c (y int); CREATE TABLE t (z int) INHERITS (b, c)", ["x int", "y int", "z int"]),
        ("postgres", "CREATE TABLE b (x int); CREATE TABLE t PARTITION OF b FOR VALUES IN (1)", ["x int"]),
        ("postgres", "CREATE TABLE t (a int, LIKE nowhere)", ["a int", "..."]),
        ("snowflake", "CREATE TABLE b (x INT); ALTER TABLE b ADD COLUMN y INT; CREATE TABLE t CLONE b; ALTER TABLE t ADD z INT", ["x INT", "y INT", "z INT"]),
        ("snowflake", "CREATE TABLE t CLONE nowhere", ["..."]),
        ("bigquery", "CREATE TABLE d.b (x INT64); CREATE TABLE t LIKE d.b", ["x INT64"]),
        ("postgres", "CREATE TABLE t (LIKE u); CREATE TABLE u (LIKE t)", ["..."]),
        ("postgres", "CREATE TABLE t (a int, LIKE t)", ["a int"]),
        ("clickhouse", "CREATE TABLE t (a Int8); CREATE TABLE u AS t; EXCHANGE TABLES t AND u", ["a Int8"]),
        ("oracle", "CREATE TABLE t OF nowhere_t", ["..."]),
    ],
)  # fmt: skip
def test_columns_of_other_relations(dialect: str, sql: str, expected: list[str]) -> None:
    assert columns_of(catalog_of(sql, dialect=dialect), "t", dialect) == expected


def test_columns_of_like_stand_at_their_source() -> None:
    files = {"f0.sql": "CREATE TABLE b (x int)", "f1.sql": "CREATE TABLE t (LIKE b)"}
    entry = find(catalog_of(*files.values()), "t")
    assert entry is not None
    site = entry.relation.columns[0].site
    assert (site.uri, token(files, site)) == ("f0.sql", "x")
    assert token(files, entry.relation.site) == "t"


def test_a_long_chain_ends_open() -> None:
    chain = "; ".join(f"CREATE TABLE t{i} (LIKE t{i + 1})" for i in range(2_000))
    catalog = catalog_of(f"{chain}; CREATE TABLE t2000 (a int)")
    assert columns_of(catalog, "t0") == ["..."]
    assert columns_of(catalog, "t1999") == ["a int"]


def test_like_of_a_view_waits_for_the_view() -> None:
    catalog = catalog_of("CREATE VIEW v AS SELECT 1 AS a; CREATE TABLE t (LIKE v)")
    entry = find(catalog, "t")
    assert entry is not None
    assert entry.query is not None
    assert entry.query.statement == 0
    assert (entry.kind, entry.relation.columns, entry.relation.open) == ("table", (), False)


# ------------------------------------------------------------ ALTER


ALTERED = [
    ("postgres", "ADD COLUMN b int, DROP COLUMN a", ["s {x int, y int}", "b int"]),
    ("postgres", "RENAME a TO c", ["c int", "s {x int, y int}"]),
    ("postgres", "ALTER a TYPE text", ["a text", "s {x int, y int}"]),
    ("postgres", "ADD COLUMN a int", ["a int", "s {x int, y int}"]),
    ("postgres", "ADD COLUMN a text", ["a ?", "s {x int, y int}"]),
    ("postgres", "DROP COLUMN nope", ["a int", "s {x int, y int}"]),
    ("postgres", "RENAME nope TO c", ["a int", "s {x int, y int}", "..."]),
    ("trino", "ADD COLUMN s.z int", ["a int", "s {x int, y int, z int}"]),
    ("trino", "DROP COLUMN s.x", ["a int", "s {y int}"]),
    ("trino", "RENAME COLUMN s.x TO w", ["a int", "s {w int, y int}"]),
    ("trino", "ALTER COLUMN s.x SET DATA TYPE bigint", ["a int", "s {x bigint, y int}"]),
    ("trino", "ADD COLUMN nope.z int", ["a int", "s {x int, y int}", "..."]),
    ("spark", "ADD COLUMNS (b int FIRST, s.z int)", ["a int", "s {x int, y int, z int}", "b int"]),
    ("spark", "ADD COLUMN b int FIRST", ["b int", "a int", "s {x int, y int}"]),
    ("spark", "ADD COLUMN b int AFTER a", ["a int", "b int", "s {x int, y int}"]),
    ("spark", "ADD COLUMN s.z int AFTER x", ["a int", "s {x int, z int, y int}"]),
    ("hive", "CHANGE COLUMN a b bigint", ["b bigint", "s {x int, y int}"]),
    ("hive", "REPLACE COLUMNS (p int)", ["p int", "..."]),
]
RECORDS = {"postgres": "s rec", "trino": "s ROW(x int, y int)"}


@pytest.mark.parametrize(("dialect", "action", "expected"), ALTERED)
def test_alter(dialect: str, action: str, expected: list[str]) -> None:
    record = RECORDS.get(dialect, "s STRUCT<x: int, y: int>")
    catalog = catalog_of(
        "CREATE TYPE rec AS (x int, y int)" if dialect == "postgres" else "CREATE TABLE unused (a int)",
        f"CREATE TABLE t (a int, {record})",
        f"ALTER TABLE t {action}",
        dialect=dialect,
    )
    assert columns_of(catalog, "t", dialect) == expected


def test_alter_below_arrays_and_maps() -> None:
    catalog = catalog_of(
        "CREATE TABLE t (i ARRAY<STRUCT<q: int>>, m MAP<STRING, STRUCT<v: int>>, n ARRAY<int>)",
        "ALTER TABLE t ADD COLUMN i.element.r int; ALTER TABLE t ADD COLUMN m.value.w int;"
        "ALTER TABLE t ALTER COLUMN n.element TYPE bigint",
        dialect="spark",
    )
    assert columns_of(catalog, "t", "spark") == ["i [{q int, r int}]", "m <STRING: {v int, w int}>", "n [bigint]"]


def test_alters_apply_in_the_order_of_documents() -> None:
    catalog = catalog_of(
        "CREATE TABLE t (a int)", "ALTER TABLE t RENAME a TO b", "ALTER TABLE t RENAME b TO c; ALTER TABLE t ADD d int"
    )
    assert columns_of(catalog, "t") == ["c int", "d int"]


def test_a_renamed_column_stands_at_its_new_name() -> None:
    files = {"f0.sql": "CREATE TABLE t (a int)", "f1.sql": "ALTER TABLE t RENAME a TO better"}
    entry = find(catalog_of(*files.values()), "t")
    assert entry is not None
    assert (entry.relation.columns[0].site.uri, token(files, entry.relation.columns[0].site)) == ("f1.sql", "better")


def test_alter_of_an_undeclared_table_makes_it_open() -> None:
    catalog = catalog_of("ALTER TABLE s.t ADD COLUMN a int")
    entry = find(catalog, "s.t")
    assert entry is not None
    assert (entry.name, [shown(field) for field in entry.relation.columns], entry.relation.open) == ("s.t", ["a int"], True)


def test_renamed_and_swapped_tables() -> None:
    catalog = catalog_of("CREATE TABLE s.t (a int); ALTER TABLE s.t RENAME TO u")
    assert columns_of(catalog, "s.u") == ["a int"]
    assert [entry.name for entry in catalog.entries()] == ["s.t", "s.u"]
    swapped = catalog_of("CREATE TABLE t (a INT); CREATE TABLE u (b INT); ALTER TABLE t SWAP WITH u", dialect="snowflake")
    assert columns_of(swapped, "t", "snowflake") == ["a INT", "b INT"]
    assert columns_of(swapped, "u", "snowflake") == ["b INT", "a INT"]
    moved = catalog_of("CREATE TABLE t (a INT); CREATE TABLE n (b INT); RENAME TABLE t TO o, n TO t", dialect="mysql")
    assert columns_of(moved, "t", "mysql") == ["a INT", "b INT"]


# ------------------------------------------------------------ queries


def test_views_and_ctas_wait_for_their_query() -> None:
    catalog = catalog_of("CREATE VIEW s.v (x) AS SELECT 1; CREATE TABLE c AS SELECT 1 AS y")
    for name, kind, statement in (("s.v", "view", 0), ("c", "table", 1)):
        entry = find(catalog, name)
        assert entry is not None
        assert (entry.kind, entry.query.uri, entry.query.statement) == (kind, "f0.sql", statement)
        assert (entry.relation.columns, entry.relation.open) == ((), False)


def test_two_queries_leave_a_view_open_and_two_equal_ones_do_not() -> None:
    two = find(catalog_of("CREATE VIEW v AS SELECT 1 AS a", "CREATE VIEW v AS SELECT 2 AS b"), "v")
    assert two is not None
    assert (two.relation.open, len(two.queries)) == (True, 2)
    equal = find(catalog_of("CREATE VIEW v AS SELECT 1 AS a", "CREATE VIEW v AS SELECT 1 AS a"), "v")
    assert equal is not None
    assert (equal.relation.open, len(equal.queries)) == (False, 1)


def test_typed_columns_need_no_query() -> None:
    catalog = catalog_of("CREATE TABLE t (a Int8) ENGINE = Memory AS SELECT 1 AS a", dialect="clickhouse")
    entry = find(catalog, "t", "clickhouse")
    assert entry is not None
    assert entry.query is None
    assert columns_of(catalog, "t", "clickhouse") == ["a Int8"]


def test_complete_applies_what_waited() -> None:
    catalog = catalog_of("CREATE TABLE c AS SELECT 1 AS a, 2 AS b", "ALTER TABLE c DROP COLUMN a; ALTER TABLE c ADD d int")
    entry = find(catalog, "c")
    assert entry is not None
    outputs = (Field("a", "a", Scalar("int")), Field("b", "b", ArrayType(Scalar("int"))))
    whole = catalog.complete(entry, outputs)
    assert [shown(field) for field in whole.columns] == ["b [int]", "d int"]
    assert not whole.open
    assert catalog.complete(entry, outputs, open_=True).open
    assert whole.fingerprint != catalog.complete(entry, outputs[:1]).fingerprint


def test_a_view_that_could_not_be_read_has_its_names() -> None:
    catalog = catalog_of("CREATE VIEW v (a, b) AS", "CREATE VIEW w AS")
    assert columns_of(catalog, "v") == ["a ?", "b ?"]
    assert columns_of(catalog, "w") == ["..."]


def test_functions_are_no_relations() -> None:
    model = CreateFunction(name_of("pick"), returns=(ColumnDef(Name("a"), TypeSpec("scalar", "int")),))
    catalog = Catalog().replace_file("f.sql", (Definition("f.sql", 0, model, DIALECTS["postgres"]),))
    assert find(catalog, "pick") is None
    assert catalog.entries() == ()
    entry = catalog.find_function(name_of("PICK"), DIALECTS["postgres"])
    assert entry is not None
    assert (entry.kind, [shown(field) for field in entry.relation.columns]) == ("function", ["a int"])
    assert catalog.get(entry.id) == entry
    assert Catalog().find_function(name_of("pick"), DIALECTS["postgres"]) is None


def test_declared_columns_come_before_those_of_a_query() -> None:
    catalog = catalog_of("CREATE TABLE t (a int, b int)", "CREATE OR REPLACE TABLE t AS SELECT 1 AS c, 2 AS b")
    entry = find(catalog, "t")
    assert entry is not None
    whole = catalog.complete(entry, (Field("c", "c", Scalar("int")), Field("b", "b", Scalar("int"))))
    assert [field.name for field in whole.columns] == ["a", "b", "c"]
    assert whole.columns[1].site == entry.relation.columns[1].site
