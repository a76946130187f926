from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sql_lineage_ls.syntax.dialects import DIALECTS, Dialect
from sql_lineage_ls.syntax.query_model import Parameter
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import ParsedFile, ParsedPiece, Pieces, parse_pieces

BIGQUERY = DIALECTS["bigquery"]


def pieces(text: str, cache: ParseCache | None = None) -> tuple[ParsedPiece, ...]:
    work = parse_pieces(text, BIGQUERY, cache or ParseCache())
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: Pieces = end.value
            return found.pieces


def parameters(value: object) -> list[str]:
    if isinstance(value, Parameter):
        return [value.text]
    fields = value if isinstance(value, tuple) else [getattr(value, n) for n in getattr(value, "__struct_fields__", ())]
    return [text for field in fields for text in parameters(field)]


def test_a_template_tag_is_a_parameter_and_its_statement_may_say_more() -> None:
    (piece,) = pieces("SELECT r.id, {{ extra }} FROM mill.rows AS r WHERE r.day = {{ day }}")
    assert parameters(piece.model.statement) == ["{{ extra }}", "{{ day }}"]
    assert piece.model.templated
    assert not piece.model.partial
    assert piece.model.issues == ()


def test_an_issue_at_a_tag_is_told_without_the_name_that_stands_for_it() -> None:
    (piece,) = pieces("SELECT CAST(a AS {{ kind }} z) FROM t")
    assert [issue.message for issue in piece.model.issues] == [
        "The statement cannot be read without rendering its template."
    ]


def test_a_tag_that_names_a_relation_leaves_the_statement_whole() -> None:
    (piece,) = pieces("SELECT r.id FROM {{ ref('rows') }} AS r")
    assert parameters(piece.model.statement) == []
    assert not piece.model.templated


def test_statements_that_differ_in_their_tags_only_are_two() -> None:
    first, second = pieces("SELECT {{ a.b }} FROM t; SELECT {{ a_b }} FROM t")
    assert first.text == second.text
    assert (parameters(first.model), parameters(second.model)) == (["{{ a.b }}"], ["{{ a_b }}"])


def test_a_tag_accuses_nobody() -> None:
    engine = Engine()
    engine.configure((), Settings(dialect="bigquery"))
    engine.open("ddl", "CREATE TABLE mill.rows (id INT64);")
    query = "SELECT {{ cols }}, r.id, r.no FROM mill.rows AS r WHERE {{ cond }}; SELECT r.no FROM mill.rows AS r"
    engine.open("query", query)
    engine.rescan()
    document = engine.finish().document("query")
    assert document is not None
    templated, plain = document.statements
    assert [problem.code for problem in templated.lineage.problems] == ["unexpanded-star"]
    assert templated.lineage.orphans == ()
    assert [problem.code for problem in plain.lineage.problems] == ["undeclared-column"]


def test_the_cache_is_bounded_and_keyed_by_everything_that_matters() -> None:
    cache = ParseCache(capacity=2)
    keys = {cache.key(text, DIALECTS[name]) for text in ("SELECT 1", "SELECT 2") for name in ("trino", "spark")}
    keys.add(cache.key("SELECT 1", Settings(reusable_column_aliases=True).rules(BIGQUERY)))
    keys.add(cache.key("SELECT 1", BIGQUERY))
    assert len(keys) == 6
    pieces("SELECT 1; SELECT 2; SELECT 3; SELECT 3", cache)
    assert cache.parsed == 3
    pieces("SELECT 3; SELECT 1", cache)
    assert cache.parsed == 4


ROUTINES = (
    "CREATE PROCEDURE p(x INT) BEGIN\n  SELECT 1;\n  INSERT INTO t SELECT 2;\nEND;\n", "SELECT 3;\n",
    "DELETE FROM t;\n", "EXECUTE IMMEDIATE 'DELETE FROM t';\n", "END;", "BEGIN\n", "$$", "'", "END IF;\n",
    "CREATE FUNCTION f() RETURNS int AS $$ BEGIN\n DELETE FROM t; SELECT 4 INTO x;\nEND $$ LANGUAGE plpgsql;\n",
    "IF EXISTS (SELECT 5) THEN\n", "FOR r IN (SELECT 6) DO\n", "x := 1;\n", " ", "\n",
)  # fmt: skip
texts = st.lists(st.sampled_from(ROUTINES), max_size=12).map("".join)


@pytest.mark.parametrize("name", ["bigquery", "postgres", "snowflake", "oracle", "tsql", "mysql"])
@settings(max_examples=60, deadline=None)
@given(text=texts, at=st.integers(0, 500), gone=st.integers(0, 30), new=texts)
def test_after_an_edit_the_statements_of_bodies_are_those_of_the_whole_text(
    name: str, text: str, at: int, gone: int, new: str
) -> None:
    dialect, cache = DIALECTS[name], ParseCache()
    before = parsed(text, dialect, cache, None)
    changed = text[:at] + new + text[at + gone :]
    places = [
        [(one.start, one.end, one.text, one.inner, one.reach) for one in parsed(changed, dialect, cache, known).pieces]
        for known in (before, None)
    ]
    assert places[0] == places[1]


def parsed(text: str, dialect: Dialect, cache: ParseCache, before: ParsedFile | None) -> ParsedFile:
    work = parse_pieces(text, dialect, cache, before)
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: Pieces = end.value
            return ParsedFile("a.sql", text, None, dialect, True, found.pieces, "", found.steady)
