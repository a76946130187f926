"""Code lenses, diagnostics and the outline on snapshots made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sql_lineage_ls.catalog.relation import Relation
from sql_lineage_ls.catalog.types import Field, RecordType, Scalar, Site
from sql_lineage_ls.features.code_lens import code_lenses
from sql_lineage_ls.features.diagnostics import DEFAULT_SEVERITIES, DiagnosticOptions, diagnostics
from sql_lineage_ls.features.document_symbols import document_symbols
from sql_lineage_ls.features.results import Symbol
from sql_lineage_ls.features.uses import Uses, sentence, title
from sql_lineage_ls.lineage.model import Problem, Read, StatementLineage
from sql_lineage_ls.syntax.query_model import (
    ColumnDef,
    ColumnRef,
    CreateTable,
    CreateView,
    Cte,
    FieldSpec,
    Name,
    Projection,
    Select,
    StatementModel,
    SyntaxIssue,
    TypeSpec,
)
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.config import DIAGNOSTIC_CODES
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot
from tests.unit.features.made_by_hand import at, site, snapshot

T, Q = "file:///w/t.sql", "file:///w/q.sql"
DDL = "CREATE TABLE pets (\n  tag STRUCT<\n    chip INT64\n  >,\n  age INT64\n)"
QUERY = "SELECT tag, tag.chip, age FROM pets"
CHIP = Field("chip", "chip", Scalar("INT64"), site(T, DDL, "chip"))
TAG = Field("tag", "tag", RecordType((CHIP,)), site(T, DDL, "tag"))
AGE = Field("age", "age", Scalar("INT64"), site(T, DDL, "age"))
PETS = Relation("pets", "pets", "table", (TAG, AGE), site=site(T, DDL, "pets"))
TABLE = StatementLineage("table", "pets", relations=(("pets", "pets", "table"),))


def workspace(*reads: Read, problems: tuple[Problem, ...] = (), **options: bool) -> Snapshot:
    query = StatementLineage("query", reads=reads, relations=(("pets", "pets", "table"),), problems=problems)
    return snapshot({T: [(DDL, TABLE)], Q: [(QUERY, query)]}, (PETS,), **options)


# ---------------------------------------------------------------- lenses


def test_every_declared_name_has_a_lens_in_the_order_of_the_text() -> None:
    made = workspace(
        Read("pets", (), *at(QUERY, "pets")),
        Read("pets", ("tag",), *at(QUERY, "tag")),
        Read("pets", ("tag", "chip"), *at(QUERY, "chip")),
        Read("pets", ("tag", "chip"), 0, 6, "write"),
    )
    assert [(DDL[lens.span.start : lens.span.end], lens.title) for lens in code_lenses(made, T)] == [
        ("pets", "1 downstream use"),
        ("tag", "2 downstream uses"),
        ("chip", "1 use · 1 in a whole record"),
        ("age", "no downstream use"),
    ]


def test_lenses_of_one_line_are_told_apart_by_name() -> None:
    ddl = "CREATE TABLE pets (tag STRUCT<chip INT64>,\n  age INT64)"
    columns = (
        Field("tag", "tag", RecordType((Field("chip", "chip", Scalar("INT64"), site(T, ddl, "chip")),)),
              site(T, ddl, "tag")),
        Field("age", "age", Scalar("INT64"), site(T, ddl, "age")),
    )  # fmt: skip
    relation = Relation("pets", "pets", "table", columns, site=site(T, ddl, "pets"))
    assert [lens.title for lens in code_lenses(snapshot({T: [(ddl, TABLE)]}, (relation,)), T)] == [
        "pets: no downstream use",
        "tag: no downstream use",
        "chip: no downstream use",
        "no downstream use",
    ]


def test_lenses_of_fields_can_be_left_out() -> None:
    lenses = code_lenses(workspace(), T, fields=False)
    assert [DDL[lens.span.start : lens.span.end] for lens in lenses] == ["pets", "tag", "age"]


def test_a_lens_knows_its_places() -> None:
    made = workspace(Read("pets", ("tag",), *at(QUERY, "tag")), Read("pets", ("tag", "chip"), *at(QUERY, "chip")))
    chip = code_lenses(made, T)[2]
    assert chip.places == (FileSpan(Q, *at(QUERY, "tag")), FileSpan(Q, *at(QUERY, "chip")))


def test_no_lens_before_the_workspace_is_analysed_and_none_on_queries() -> None:
    assert code_lenses(workspace(complete=False), T) == ()
    assert code_lenses(workspace(), Q) == ()


@pytest.mark.parametrize(
    ("direct", "contained", "lens", "words"),
    [
        (0, 0, "no downstream use", "not used downstream"),
        (1, 0, "1 downstream use", "used in 1 place"),
        (3, 0, "3 downstream uses", "used in 3 places"),
        (1, 2, "1 use · 2 in a whole record", "used in 1 place and inside a whole record in 2"),
        (0, 1, "1 downstream use in a whole record", "used inside a whole record in 1 place"),
    ],
)
def test_counts_in_words(direct: int, contained: int, lens: str, words: str) -> None:
    uses = Uses(
        tuple(FileSpan(Q, n, n + 1) for n in range(direct)),
        tuple(FileSpan(Q, 100 + n, 101 + n) for n in range(contained)),
    )
    assert (title(uses), sentence(uses)) == (lens, words)


# ---------------------------------------------------------------- diagnostics

NO_FIELD = Problem(
    "undeclared-field",
    "no field `chop` in pets.tag",
    *at(QUERY, "chip"),
    relation="pets",
    path=("tag",),
    suggestion="chip",
)


def test_a_problem_is_placed_explained_and_linked() -> None:
    (found,) = diagnostics(workspace(problems=(NO_FIELD,)), Q, DiagnosticOptions(pages="https://docs/"))
    assert (found.code, found.severity, found.span) == ("undeclared-field", "error", Span(*at(QUERY, "chip")))
    assert found.message == "no field `chop` in pets.tag. Did you mean `chip`?"
    assert found.href == "https://docs/undeclared-field.md"
    (related,) = found.related
    assert (related.span, related.message) == (FileSpan(T, *at(DDL, "chip")), "`pets.tag.chip` is declared here")


def test_silence_while_loading_and_while_typing() -> None:
    assert diagnostics(workspace(problems=(NO_FIELD,), ready=False), Q) == ()
    assert diagnostics(workspace(problems=(NO_FIELD,), stale=True), Q) == ()


def test_a_template_is_no_wrong_name() -> None:
    sql = "SELECT {{ column }}, gone FROM pets"
    wrong = tuple(Problem("undeclared-column", f"no {piece}", *at(sql, piece)) for piece in ("{{ column }}", "gone"))
    made = snapshot({Q: [(sql, StatementLineage("query", problems=wrong))]})
    assert [found.message for found in diagnostics(made, Q)] == ["no gone"]


def test_severities_are_options() -> None:
    made = workspace(problems=(NO_FIELD,))
    (found,) = diagnostics(made, Q, DiagnosticOptions({"undeclared-field": "hint"}))
    assert found.severity == "hint"
    assert diagnostics(made, Q, DiagnosticOptions({"undeclared-field": "off"})) == ()


def test_what_cannot_be_read_is_information() -> None:
    sql = "SELECT FROM WHERE"
    model = StatementModel(None, (SyntaxIssue("the select list is empty", 7, 11),))
    made = snapshot({Q: [("SELECT 1", StatementLineage("query")), (sql, StatementLineage("unknown"), model)]})
    (found,) = diagnostics(made, Q)
    assert (found.code, found.severity, found.message) == (
        "unparsed-statement",
        "information",
        "the select list is empty",
    )
    assert found.span == Span(10 + 7, 10 + 11)


def test_every_code_has_a_page_and_a_setting() -> None:
    pages = Path(__file__).parents[3] / "docs" / "diagnostics"
    for code in DEFAULT_SEVERITIES:
        text = (pages / f"{code}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# `{code}`\n\n**Default severity: {DEFAULT_SEVERITIES[code]}.**")
        assert f'{code} = "off"' in text
    assert set(DIAGNOSTIC_CODES) <= set(DEFAULT_SEVERITIES)


# ---------------------------------------------------------------- outline


def _name(text: str, piece: str, nth: int = 1) -> Name:
    return Name(piece, *at(text, piece, nth))


def _shape(symbol: Symbol) -> object:
    return (symbol.name, symbol.kind, [_shape(child) for child in symbol.children])


def test_the_outline_of_a_table_has_its_fields() -> None:
    chip = FieldSpec(_name(DDL, "chip"), TypeSpec("scalar", "INT64"))
    tag = ColumnDef(_name(DDL, "tag"), TypeSpec("record", "STRUCT<\n    chip INT64\n  >", (chip,)))
    age = ColumnDef(_name(DDL, "age"), TypeSpec("scalar", "INT64"))
    model = StatementModel(CreateTable((_name(DDL, "pets"),), (tag, age)))
    (table,) = document_symbols(snapshot({T: [(DDL, TABLE, model)]}, (PETS,)), T)
    assert _shape(table) == (
        "pets",
        "table",
        [("tag", "column", [("chip", "field", [])]), ("age", "column", [])],
    )
    assert table.span == Span(*at(DDL, "pets"))
    assert table.full == Span(0, len(DDL))
    assert table.children[0].detail == "STRUCT< chip INT64 >"
    assert table.children[0].full == Span(at(DDL, "tag")[0], at(DDL, "chip")[1])


def test_the_outline_of_a_view_has_its_ctes_and_columns() -> None:
    sql = "CREATE VIEW v AS WITH c AS (SELECT a FROM t) SELECT a AS b FROM c"
    inner = Select((Projection(ColumnRef((_name(sql, "a"),))),), start=28, end=43)
    outer = Select(ctes=(Cte(_name(sql, "c"), inner),))
    model = StatementModel(CreateView((_name(sql, "v"),), outer))
    lineage = StatementLineage("view", "v", (Field("b", "b", Scalar("INT64"), Site("", -1, *at(sql, "b"))),))
    (view,) = document_symbols(snapshot({Q: [(sql, lineage, model)]}), Q)
    assert _shape(view) == ("v", "view", [("c", "cte", []), ("b", "column", [])])
    assert view.children[1].detail == "INT64"


def test_an_outline_survives_what_cannot_be_read() -> None:
    model = StatementModel(None, (SyntaxIssue("?", 0, 1),))
    assert document_symbols(snapshot({Q: [("??", StatementLineage("unknown"), model)]}), Q) == ()
