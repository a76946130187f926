from __future__ import annotations

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.query_model import Parameter
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.parse_cache import ParseCache
from sql_lineage_ls.workspace.parsed_file import ParsedPiece, Pieces, parse_pieces

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
