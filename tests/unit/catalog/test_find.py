# ruff: noqa: E501
"""What a name means: namespaces, folding, families, suffixes and temporary tables."""

from __future__ import annotations

import pytest

from sql_lineage_ls.catalog.catalog import Namespace
from sql_lineage_ls.catalog.names import location_id
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.query_model import Name
from tests.unit.catalog.ddl_files import catalog_of, columns_of, find, name_of


def test_an_exact_name_and_one_that_is_not_declared() -> None:
    catalog = catalog_of("CREATE TABLE shop.orders (id int)")
    entry = find(catalog, "shop.orders")
    assert entry is not None
    assert (entry.name, entry.kind, entry.relation.assumed, entry.relation.open) == ("shop.orders", "table", False, False)
    assert find(catalog, "shop.order") is None
    assert find(catalog, "other.orders") is None


@pytest.mark.parametrize(
    ("declared", "asked", "assumed"),
    [
        ("acme.shop.orders", "orders", True),
        ("acme.shop.orders", "shop.orders", True),
        ("orders", "acme.shop.orders", True),
        ("acme.shop.orders", "acme.shop.orders", False),
    ],
)
def test_a_unique_suffix_is_assumed(declared: str, asked: str, assumed: bool) -> None:
    entry = find(catalog_of(f"CREATE TABLE {declared} (id int)"), asked)
    assert entry is not None
    assert (entry.name, entry.relation.assumed) == (declared, assumed)


def test_two_candidates_are_none() -> None:
    catalog = catalog_of("CREATE TABLE a.orders (id int)", "CREATE TABLE b.orders (id int)")
    assert find(catalog, "orders") is None
    assert find(catalog, "a.orders") is not None
    assert find(catalog, "x.a.orders") is not None


@pytest.mark.parametrize(
    ("namespace", "asked", "assumed"),
    [
        (Namespace(schema="shop"), "orders", True),
        (Namespace("acme", "shop"), "orders", False),
        (Namespace("acme"), "shop.orders", False),
        (Namespace("ACME", "Shop"), "Orders", False),
    ],
)
def test_defaults_make_a_name_exact(namespace: Namespace, asked: str, assumed: bool) -> None:
    entry = find(catalog_of("CREATE TABLE acme.shop.orders (id int)"), asked, namespace=namespace)
    assert entry is not None
    assert entry.relation.assumed == assumed


def test_a_quoted_default_keeps_its_case() -> None:
    catalog = catalog_of('CREATE TABLE "Shop".orders (id int)')
    quoted = find(catalog, "orders", namespace=Namespace(schema='"Shop"'))
    assert quoted is not None
    assert not quoted.relation.assumed
    assert find(catalog, "orders", namespace=Namespace(schema="Shop")) is None


def test_defaults_of_the_declaration_count_too() -> None:
    catalog = catalog_of("CREATE TABLE orders (id int)", namespace=Namespace("acme", "shop"))
    entry = find(catalog, "acme.shop.orders")
    assert entry is not None
    assert (entry.name, entry.relation.assumed) == ("orders", False)
    assert find(catalog, "orders", namespace=Namespace("acme", "hr")) is None


@pytest.mark.parametrize(
    ("dialect", "declared", "asked", "found"),
    [
        ("postgres", "Orders", "ORDERS", True),
        ("postgres", '"Orders"', "orders", False),
        ("postgres", '"Orders"', '"Orders"', True),
        ("postgres", "orders", '"Orders"', False),
        ("postgres", "Orders", '"orders"', True),
        ("snowflake", "orders", "ORDERS", True),
        ("snowflake", '"orders"', "orders", False),
        ("snowflake", '"ORDERS"', "orders", True),
        ("oracle", '"Orders"', "orders", False),
        ("oracle", "Orders", '"ORDERS"', True),
        ("bigquery", "Orders", "orders", False),
        ("bigquery", "orders", "orders", True),
        ("clickhouse", "Orders", "orders", False),
        ("mysql", "Orders", "orders", False),
        ("trino", '"Orders"', "orders", True),
        ("spark", "Orders", "ORDERS", True),
        ("duckdb", '"Orders"', "ORDERS", True),
        ("tsql", "Orders", "ORDERS", True),
        ("redshift", '"Orders"', "orders", True),
    ],
)
def test_case_of_table_names(dialect: str, declared: str, asked: str, found: bool) -> None:
    if dialect in ("bigquery", "mysql", "clickhouse", "spark"):
        declared = declared.replace('"', "`")
    entry = find(catalog_of(f"CREATE TABLE {declared} (a INT)", dialect=dialect), asked, dialect)
    assert (entry is not None) == found


@pytest.mark.parametrize(
    ("dialect", "declared", "name"),
    [
        ("postgres", "sales.orders", "sales.orders"),
        ("postgres", 'sales."orders"', "sales.orders"),
        ("postgres", 'sales."Orders"', 'sales."Orders"'),
        ("snowflake", '"acct"', '"acct"'),
        ("snowflake", '"ACCT"', "ACCT"),
        ("trino", '"Order Lines"', '"Order Lines"'),
        ("bigquery", "`acme-prod.sales.orders`", "acme-prod.sales.orders"),
        ("bigquery", "`acme-prod.sales.order lines`", "acme-prod.sales.`order lines`"),
        ("tsql", "[dbo].[Orders]", "dbo.Orders"),
        ("mysql", "`a``b`", "`a``b`"),
    ],
)
def test_how_a_name_is_shown(dialect: str, declared: str, name: str) -> None:
    catalog = catalog_of(f"CREATE TABLE {declared} (a INT)", dialect=dialect)
    assert [entry.name for entry in catalog.entries()] == [name]


def test_families_do_not_see_each_other_and_everybody_sees_none() -> None:
    catalog = catalog_of(
        ("trino", "CREATE TABLE lake_t (a BIGINT)"),
        ("snowflake", "CREATE TABLE flake_t (a NUMBER)"),
        ("ansi", "CREATE TABLE any_t (a INT)"),
    )
    assert find(catalog, "lake_t", "spark") is not None
    assert find(catalog, "lake_t", "snowflake") is None
    assert find(catalog, "lake_t", "ansi") is not None
    assert find(catalog, "flake_t", "ansi") is not None
    assert find(catalog, "ANY_T", "snowflake") is not None
    assert find(catalog, "any_t", "bigquery") is not None


def test_the_own_family_goes_first_and_two_others_are_unclear() -> None:
    catalog = catalog_of(
        ("trino", "CREATE TABLE t (lake INT)"),
        ("snowflake", "CREATE TABLE t (flake INT)"),
    )
    assert columns_of(catalog, "t", "spark") == ["lake INT"]
    assert find(catalog, "t", "ansi") is None
    both = catalog.replace_file("x.sql", catalog_of(("ansi", "CREATE TABLE t (plain INT)")).definitions("f0.sql"))
    assert columns_of(both, "t", "ansi") == ["plain INT"]
    assert columns_of(both, "t", "spark") == ["lake INT"]
    assert columns_of(both, "t", "oracle") == ["plain INT"]


def test_each_document_has_its_own_temporary_tables() -> None:
    catalog = catalog_of(
        "CREATE TEMP TABLE fresh (a int)", "CREATE TEMP TABLE fresh (b int)", "CREATE TABLE fresh (c int)"
    )

    def seen_by(uri: str) -> tuple[list[str], bool]:
        entry = find(catalog, "fresh", uri=uri)
        assert entry is not None
        return [field.name for field in entry.relation.columns], entry.relation.assumed

    assert seen_by("f0.sql") == (["a"], False)
    assert seen_by("f1.sql") == (["b"], False)
    assert seen_by("f2.sql") == (["c"], False)
    assert len({entry.id for entry in catalog.entries()}) == 3


def test_another_documents_temporary_table_is_only_assumed() -> None:
    catalog = catalog_of("CREATE TEMP TABLE fresh (a int)", "SELECT 1")
    entry = find(catalog, "fresh", uri="f1.sql")
    assert entry is not None
    assert entry.relation.assumed


def test_a_name_with_a_schema_is_not_the_temporary_table_without_one() -> None:
    sql = "CREATE TABLE ds.orders (a INT64); CREATE TEMP TABLE orders (b INT64); DROP TABLE orders; CREATE TEMP TABLE orders (c INT64)"
    catalog = catalog_of(sql, dialect="bigquery")

    def columns(name: str) -> list[str]:
        entry = find(catalog, name, "bigquery", Namespace(schema="ds"), "f0.sql")
        assert entry is not None
        return [field.name for field in entry.relation.columns]

    assert columns("ds.orders") == ["a"]
    assert columns("orders") == ["c"]
    assert columns("_SESSION.orders") == ["c"]


def test_a_temporary_table_with_a_schema() -> None:
    catalog = catalog_of("CREATE TABLE a.t (x INT)", "CREATE TEMP TABLE a.t (y INT)", dialect="snowflake")
    entry = find(catalog, "a.t", "snowflake", uri="f1.sql")
    assert entry is not None
    assert [field.name for field in entry.relation.columns] == ["y"]
    assert catalog.get(entry.id) == entry
    other = find(catalog, "a.t", "snowflake", uri="f0.sql")
    assert other is not None
    assert [field.name for field in other.relation.columns] == ["x"]


@pytest.mark.parametrize(
    ("dialect", "name"), [("tsql", "#fresh"), ("postgres", "pg_temp.fresh"), ("bigquery", "_SESSION.fresh")]
)
def test_names_that_say_temporary(dialect: str, name: str) -> None:
    catalog = catalog_of(f"CREATE TABLE {name} (a INT)", dialect=dialect)
    for asked in {name, name.split(".")[-1]}:
        entry = find(catalog, asked, dialect, uri="f0.sql")
        assert entry is not None
        assert not entry.relation.assumed
        assert entry.name == name


def test_an_omitted_schema() -> None:
    catalog = catalog_of("CREATE TABLE db.dbo.t (a INT)", dialect="tsql")
    omitted = catalog.find((Name("db"), Name(""), Name("t")), DIALECTS["tsql"])
    assert omitted is not None
    assert not omitted.relation.assumed


def test_ids() -> None:
    catalog = catalog_of("CREATE TABLE Shop.Orders (a int)")
    entry = find(catalog, "shop.orders")
    assert entry is not None
    assert catalog.get(entry.id) == entry
    assert entry.id == catalog.relation_id(name_of("SHOP.ORDERS"), DIALECTS["postgres"])
    assert entry.id == catalog.relation_id(name_of("orders"), DIALECTS["postgres"], Namespace(schema="shop"))
    assert entry.id != catalog.relation_id(name_of("shop.orders"), DIALECTS["oracle"])
    assert entry.id != catalog.relation_id(name_of('"shop.orders"'), DIALECTS["postgres"])
    assert catalog.get("") is None
    assert catalog.get("nothing") is None
    assert catalog.get(catalog.relation_id(name_of("nope"), DIALECTS["postgres"])) is None


def test_locations_are_relations() -> None:
    catalog = catalog_of(
        "CREATE TABLE one (a INT, r ROW(x INT)) WITH (external_location = 's3://b/data/')",
        "CREATE TABLE two (b INT, r ROW(y INT)) WITH (external_location = 's3://b/data')",
        dialect="trino",
    )
    place = catalog.get(location_id("s3://b/data/"))
    assert place is not None
    assert (place.name, place.kind, place.relation.open) == ("'s3://b/data/'", "location", True)
    assert [field.name for field in place.relation.columns] == ["a", "r", "b"]
    assert columns_of(catalog, "one", "trino") == ["a INT", "r {x INT}"]
    assert [entry.name for entry in catalog.entries()] == ["'s3://b/data/'", "one", "two"]


def test_a_wildcard_is_the_union_of_its_tables_and_of_those_that_nobody_declares() -> None:
    catalog = catalog_of(
        "CREATE TABLE web.hits_1 (uid STRING); CREATE TABLE web.hits_2 (uid STRING, ref STRING);"
        "CREATE TABLE web.other (x INT64); CREATE TABLE app.hits_3 (y INT64)",
        dialect="bigquery",
    )
    assert columns_of(catalog, "web.hits_*", "bigquery") == ["uid STRING", "ref STRING", "..."]
    assert find(catalog, "web.none_*", "bigquery") is None
    assert find(catalog_of("CREATE TABLE hits_1 (a INT)"), "hits_*", "postgres") is None
