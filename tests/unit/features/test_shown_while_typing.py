"""Uses, the lineage tree, colours and selections in a statement that is half typed, and after an edit elsewhere."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from sql_lineage_ls.features.call_hierarchy import incoming_calls, outgoing_calls, prepare_call_hierarchy
from sql_lineage_ls.features.document_highlight import document_highlight
from sql_lineage_ls.features.folding_range import folding_ranges
from sql_lineage_ls.features.implementation import implementation
from sql_lineage_ls.features.references import references
from sql_lineage_ls.features.selection_range import selection_range
from sql_lineage_ls.features.semantic_tokens import semantic_tokens
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import Snapshot

DDL, VIEW = "file:///w/ddl.sql", "file:///w/view.sql"

# The same nested column, read through an alias, in each way of writing records.
TABLES = {
    "bigquery": "CREATE TABLE t (id INT64, a STRUCT<b STRUCT<c STRING, d STRING>>);",
    "trino": "CREATE TABLE t (id bigint, a ROW(b ROW(c varchar, d varchar)));",
    "spark": "CREATE TABLE t (id BIGINT, a STRUCT<b: STRUCT<c: STRING, d: STRING>>);",
    "snowflake": "CREATE TABLE t (id NUMBER, a OBJECT(b OBJECT(c VARCHAR, d VARCHAR)));",
    "postgres": "CREATE TYPE inner_t AS (c text, d text);\nCREATE TYPE outer_t AS (b inner_t);\n"
    "CREATE TABLE t (id bigint, a outer_t);",
}
READS = {"snowflake": "x.a:b.c", "postgres": "((x.a).b).c"}
DIALECTS = sorted(TABLES)


def view(dialect: str) -> str:
    return f"CREATE VIEW v AS SELECT {READS.get(dialect, 'x.a.b.c')} AS deep, x.id FROM t AS x WHERE x.id > 1;"


class Typed:
    """An engine whose second document somebody types."""

    def __init__(self, dialect: str) -> None:
        self.engine = Engine()
        self.engine.configure((), Settings(dialect=dialect))
        self.engine.open(DDL, TABLES[dialect])
        self.engine.rescan()
        self.dialect = dialect

    def type(self, text: str) -> Snapshot:
        self.engine.open(VIEW, text)
        return self.engine.finish()


def texts(snapshot: Snapshot, spans: object) -> list[str]:
    found = []
    for span in spans:  # type: ignore[attr-defined]
        document = snapshot.document(span.uri)
        assert document is not None
        found.append(document.text[span.start : span.end])
    return found


@pytest.mark.parametrize("dialect", DIALECTS)
def test_uses_of_a_field_in_a_half_typed_statement(dialect: str) -> None:
    typed = Typed(dialect)
    whole = view(dialect)
    typed.type(whole)
    broken = whole.replace("x.id FROM", "x. FROM")
    snapshot = typed.type(broken)
    at = _declared(snapshot, "c")
    read = broken.index("c AS deep")
    spans = [found.span for found in references(snapshot, DDL, at)]
    assert [(span.uri, span.start) for span in spans] == [(DDL, at), (VIEW, read)]
    for offset in (read, read + 1):
        assert [found.span for found in references(snapshot, VIEW, offset)] == spans
        assert texts(snapshot, (found.span for found in document_highlight(snapshot, VIEW, offset))) == ["c"]
    token = next(token for token in semantic_tokens(snapshot, VIEW) if token.span.start == read)
    assert token.kind == "field"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_tree_follows_an_edit(dialect: str) -> None:
    typed = Typed(dialect)
    whole = view(dialect)
    snapshot = typed.type(whole)
    (root,) = prepare_call_hierarchy(snapshot, DDL, _declared(snapshot, "c"))
    (step,) = incoming_calls(snapshot, root)
    assert (step.item.name, step.item.detail.lower()) == ("deep", "v")
    assert [(place.uri, place.start) for place in step.places] == [(VIEW, whole.index("c AS deep"))]
    # The view reads the field beside it now: everything moves by the comment in front of it.
    edited = "-- moved\n" + whole.replace("c AS deep", "d AS deep")
    snapshot = typed.type(edited)
    assert incoming_calls(snapshot, root) == ()
    (other,) = prepare_call_hierarchy(snapshot, DDL, _declared(snapshot, "d"))
    (step,) = incoming_calls(snapshot, other)
    assert step.item.focus.start == edited.index("deep")
    (back,) = prepare_call_hierarchy(snapshot, VIEW, edited.index("deep"))
    assert [up.item.name.rsplit(".", 1)[-1] for up in outgoing_calls(snapshot, back)] == ["d"]
    (target,) = implementation(snapshot, VIEW, edited.index("deep"))
    assert target.focus.start == edited.index("deep")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_selections_and_folds_need_no_whole_statement(dialect: str) -> None:
    typed = Typed(dialect)
    path = READS.get(dialect, "x.a.b.c")
    broken = f"SELECT max(\n  {path} + 1\n FROM (\n t\n) AS x WHERE"
    snapshot = typed.type(broken)
    at = broken.index(path) + len(path)
    grown = [broken[span.start : span.end] for span in selection_range(snapshot, VIEW, at)]
    assert grown[0] == "c"
    assert path in grown
    assert grown[-1] == broken
    assert all(inner in outer for inner, outer in pairwise(grown))
    assert "(\n t" in [broken[fold.span.start : fold.span.end] for fold in folding_ranges(snapshot, VIEW)]


def _declared(snapshot: Snapshot, name: str) -> int:
    ddl = snapshot.document(DDL)
    assert ddl is not None
    found = re.search(rf"\b{name}\b", ddl.text)
    assert found is not None
    return found.start()
