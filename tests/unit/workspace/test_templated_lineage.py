"""Lineage of statements with template tags that nobody renders: what is said stands, what may be more is open."""

from __future__ import annotations

import pytest

from tests.support.product import diagnostics, lineage_text, open_files

DDL = "CREATE TABLE bakery.loaves (loaf_id INT64, flour STRING, grams INT64, oven STRUCT<nr INT64, heat INT64>);"


def lines(query: str, ddl: str = DDL, dialect: str = "bigquery") -> list[str]:
    """What the command line prints of the query, without the relations that the DDL declares."""
    files = {"file:///ddl.sql": "ddl.sql", "file:///query.sql": "query.sql"}
    snapshot = open_files({"file:///ddl.sql": ddl, "file:///query.sql": query}, dialect)
    printed = lineage_text(snapshot, files, indirect=False).splitlines()
    return [line for line in printed if not line.startswith("table bakery.loaves:")]


def found(query: str, ddl: str = DDL) -> list[tuple[str, str]]:
    snapshot = open_files({"file:///ddl.sql": ddl, "file:///query.sql": query}, "bigquery")
    return [
        (item.code, query[item.span.start : item.span.end]) for item in diagnostics(snapshot, "file:///query.sql")
    ]


def test_a_tag_in_a_name_is_shown_as_it_is_written() -> None:
    assert lines("SELECT grams FROM {{ db }}.loaves", "") == [
        "table {{ db }}.loaves: grams",
        "RS-1.grams <- {{ db }}.loaves.grams",
    ]
    assert lines("SELECT grams FROM ${db}.loaves_${day}", "")[0] == "table ${db}.loaves_${day}: grams"
    assert lines("SELECT grams FROM `{{ project }}.bakery.loaves`", "")[0] == "table {{ project }}.bakery.loaves: grams"


def test_one_tag_in_two_spellings_is_one_name() -> None:
    ddl = "CREATE TABLE {{db}}.tins (id INT64);"
    assert lines("SELECT * FROM {{-  db -}}.tins", ddl) == ["table {{ db }}.tins: id", "RS-1.id <- {{ db }}.tins.id"]


def test_a_name_that_no_identifier_could_be_is_the_relation_of_the_ref() -> None:
    assert lines("SELECT grams FROM {{ ref('rye-loaves') }}", "")[0] == "table rye-loaves: grams"
    assert lines("SELECT grams FROM {{ source('old bakery', 'loaves') }}", "")[0] == "table old bakery.loaves: grams"


def test_a_tag_in_a_select_list_is_an_unknown_star() -> None:
    query = "CREATE VIEW bakery.v AS SELECT l.grams, {{ star('loaves') }} FROM bakery.loaves AS l"
    assert lines(query) == ["view bakery.v: grams, *", "bakery.v.grams <- bakery.loaves.grams"]
    assert found(query) == [("unexpanded-star", "{{ star('loaves') }}")]
    behind = "CREATE VIEW bakery.v AS SELECT l.grams {{ more() }} FROM bakery.loaves AS l"
    assert found(behind) == [("unexpanded-star", "{{ more() }}")]
    assert found(f"{behind}; SELECT v.flour FROM bakery.v AS v") == [("unexpanded-star", "{{ more() }}")]


def test_a_tag_over_several_lines_is_shown_as_one() -> None:
    query = "WITH a AS (SELECT\n  {{ star(\n    from=ref('tins'),\n    except=['x']\n  ) }}\nFROM tins) SELECT * FROM a"
    snapshot = open_files({"file:///query.sql": query}, "bigquery")
    messages = [item.message for item in diagnostics(snapshot, "file:///query.sql")]
    assert "* cannot be expanded: the columns of {{ star( from=ref('tins'), except=['x'] ) }} are not known here" in (
        messages
    )


@pytest.mark.parametrize(
    "body",
    ["{% if day %}\n{{ union_of(['tins', 'jars']) }}\n{% elif week %}\nSELECT a FROM jars\n{% endif %}\n",
     "{% if day %}\n{{ union_of(['tins', 'jars']) }}\n{% endif %}", "{{ one_part() }} {{ another_part() }}"],
)
def test_a_cte_that_only_tags_make_is_no_table(body: str) -> None:
    query = f"WITH a AS ({body}) SELECT a.id, jars.lid FROM a JOIN jars ON jars.id = a.id"
    assert lines(query, "") == ["table jars: id, lid", "RS-1.lid <- jars.lid"]


def test_a_column_named_by_a_tag_is_one_of_several() -> None:
    query = (
        "CREATE VIEW bakery.v AS SELECT {% for f in flours %} SUM(l.grams) AS {{ f }}_grams, {% endfor %} l.flour "
        "FROM bakery.loaves AS l; SELECT v.rye_grams FROM bakery.v AS v"
    )
    assert lines(query)[1:3] == [
        "bakery.v.{{ f }}_grams <- bakery.loaves.grams",
        "bakery.v.flour <- bakery.loaves.flour",
    ]
    assert [code for code, _ in found(query)] == ["unexpanded-star"]


def test_values_by_tags_leave_the_other_columns_alone() -> None:
    query = (
        "SELECT l.grams, {{ euros('price') }} AS price, '{{ day }}' AS day FROM bakery.loaves AS l "
        "WHERE l.flour = {{ f }}"
    )
    assert lines(query) == ["RS-1.grams <- bakery.loaves.grams"]
    snapshot = open_files({"file:///ddl.sql": DDL, "file:///query.sql": query}, "bigquery")
    document = snapshot.document("file:///query.sql")
    assert document is not None
    price, day = document.statements[0].lineage.edges[1:]
    why = "is not rendered: what it reads is not known"
    euros, filtered = f"{{{{ euros('price') }}}} {why}", f"{{{{ f }}}} {why}"
    assert [(gap.role, gap.text) for gap in price.gaps] == [("value", euros), ("membership", filtered)]
    assert [gap.role for gap in day.gaps] == ["membership"]
    assert [value.kind for value in day.generated] == ["parameter"]


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "redshift", "postgres", "spark"])
def test_a_tag_for_a_type_is_a_type_that_nobody_knows(dialect: str) -> None:
    query = (
        "SELECT CAST(l.grams AS {{ dbt.type_string() }}) AS a, l.flour::{{ type }} AS b, "
        "ROUND(CAST(l.grams / 2 AS {{ dbt.type_numeric() }}), 4) AS c FROM bakery.loaves AS l"
    )
    ddl = "CREATE TABLE bakery.loaves (grams INT, flour INT);"
    grams, flour = "bakery.loaves.grams", "bakery.loaves.flour"
    assert lines(query, ddl, dialect) == [f"RS-1.a <- {grams}", f"RS-1.b <- {flour}", f"RS-1.c <- {grams}"]


def test_a_tag_for_a_type_hides_no_wrong_name() -> None:
    query = "SELECT x.v, x.other FROM (SELECT CAST(l.grams AS {{ kind }}) AS v FROM bakery.loaves AS l) AS x"
    assert found(query) == [("undeclared-column", "other")]


def test_a_branch_that_is_not_taken_may_say_otherwise() -> None:
    query = "SELECT {% if quick %} l.weight {% else %} l.grams {% endif %} AS w FROM bakery.loaves AS l"
    assert found(query) == []
    incremental = "SELECT l.weight FROM bakery.loaves AS l {% if is_incremental() %} WHERE l.grams > 1 {% endif %}"
    assert found(incremental) == [("undeclared-column", "weight")]


def test_a_tag_for_a_field_or_key_names_no_node() -> None:
    assert lines("SELECT l.oven.{{ part }} AS x FROM bakery.loaves AS l") == []
    assert lines("SELECT l.loaf_{{ part }} AS x FROM bakery.loaves AS l") == []


def test_a_tag_in_an_except_list_hides_what_is_left() -> None:
    query = "SELECT * EXCEPT ({{ private }}) FROM bakery.loaves"
    assert lines(query) == []
    assert [code for code, _ in found(query)] == ["unexpanded-star"]


def test_a_tag_that_is_a_whole_query_is_one_of_unknown_columns() -> None:
    query = (
        "WITH x AS (\n  -- every loaf\n  {{ union_of(\n    ref('loaves')) }}\n) "
        "SELECT x.flour, l.grams FROM x JOIN bakery.loaves AS l USING (grams)"
    )
    assert lines(query) == ["RS-1.grams <- bakery.loaves.grams"]
    assert found(query) == [("unexpanded-star", "{{ union_of(\n    ref('loaves')) }}")]
    assert lines("SELECT d.flour FROM ({{ everything() }}) AS d") == []
    listed = "SELECT grams FROM bakery.loaves WHERE grams IN ({{ weights }})"
    assert lines(listed) == ["RS-1.grams <- bakery.loaves.grams"]


def test_a_tag_behind_a_with_clause_is_the_query_that_reads_it() -> None:
    query = "WITH x AS (\n SELECT l.grams FROM bakery.loaves AS l\n)\n/* as text */\n{{ as_json(\n  table='x') }}\n"
    assert lines(query) == []
    assert found(query) == [("unexpanded-star", "{{ as_json(\n  table='x') }}")]
    whole = "WITH x AS (SELECT l.grams FROM bakery.loaves AS l) SELECT y.grams FROM (SELECT * FROM x) AS y {{ some() }}"
    assert found(whole) == []
    assert lines(whole) == ["RS-1.grams <- bakery.loaves.grams"]


def test_a_tag_in_a_column_list_hides_which_column_is_written_from_which() -> None:
    assert lines("INSERT INTO bakery.loaves ({{ cols }}) SELECT grams FROM bakery.loaves") == []
    insert = "INSERT INTO bakery.loaves (loaf_id, flour) SELECT {{ id }} AS a, flour FROM bakery.loaves"
    assert lines(insert) == ["bakery.loaves.flour <- bakery.loaves.flour"]


@pytest.mark.parametrize(
    "columns", ["a INT64 {{ more }}", "a INT64, {{ more }}", "a INT64, {{ prefix }}_b INT64", "{{ all }}"]
)
def test_a_table_with_a_tag_between_its_brackets_is_open(columns: str) -> None:
    ddl = f"CREATE TABLE bakery.tins ({columns});"
    assert found("SELECT t.a, t.other FROM bakery.tins AS t", ddl) == []
    assert "RS-1.other <- bakery.tins.other" in lines("SELECT t.other FROM bakery.tins AS t", ddl)


def test_a_tag_behind_the_brackets_leaves_the_table_closed() -> None:
    ddl = "CREATE TABLE bakery.tins (a INT64) {{ options }} CLUSTER BY a;"
    query = "SELECT t.a FROM bakery.tins AS t; SELECT t.b FROM bakery.tins AS t"
    assert found(query, ddl) == [("undeclared-column", "b")]


def test_a_tag_in_its_name_leaves_the_table_closed() -> None:
    ddl = "CREATE TABLE {{ db }}.tins (a INT64);"
    assert lines("SELECT * FROM {{ db }}.tins", ddl)[-1] == "RS-1.a <- {{ db }}.tins.a"
