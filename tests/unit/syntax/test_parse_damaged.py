"""Cut, damaged and hostile statements: nothing raises, and every name that is left still covers its own text."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.tokens import tokenize
from tests.unit.syntax import (
    test_lower_expressions,
    test_lower_queries,
    test_lower_sources,
    test_lower_statements,
)

SAMPLES = [
    (dialect, sql)
    for module in (test_lower_expressions, test_lower_queries, test_lower_sources, test_lower_statements)
    for dialect, sql, _ in module.CASES
]
FAILURE = "could not be read"


def records(node: object) -> Iterator[object]:
    """Every record of a model."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, msgspec.Struct):
            stack += [getattr(current, field) for field in current.__struct_fields__]
        elif isinstance(current, tuple):
            stack += current


def wrong_spans(text: str, model: q.StatementModel) -> list[tuple[q.Name, str]]:
    """The names that stand elsewhere than their span says."""
    wrong = []
    for node in records(model.statement):
        if not isinstance(node, q.Name) or node.start < 0:
            continue
        raw = text[node.start : node.end]
        inner = raw[1:-1] if raw[:1] in "\"`['" else raw
        if node.text not in (raw, inner, *(inner.replace(quote * 2, quote) for quote in "'\"`]")):
            wrong.append((node, raw))
    return wrong


def assert_sound(text: str, dialect: str) -> q.StatementModel:
    model = parse_statement(text, DIALECTS[dialect])
    assert not [issue for issue in model.issues if FAILURE in issue.message], text
    assert wrong_spans(text, model) == [], text
    assert all(0 <= issue.start <= issue.end <= len(text) for issue in model.issues), text
    assert model.statement is not None or model.issues or not text.strip()
    return model


@pytest.mark.parametrize(("dialect", "sql"), SAMPLES[::3])
def test_a_statement_cut_behind_each_token(dialect: str, sql: str) -> None:
    for token in tokenize(sql, DIALECTS[dialect]):
        assert_sound(sql[: token.end + 1], dialect)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(SAMPLES), st.data())
def test_a_statement_without_one_token(sample: tuple[str, str], data: st.DataObject) -> None:
    dialect, sql = sample
    token = data.draw(st.sampled_from(tokenize(sql, DIALECTS[dialect])))
    assert_sound(sql[: token.start] + sql[token.end + 1 :], dialect)


@pytest.mark.parametrize("name", ['"a.b"', '"."', '".;"', '"a..b"', "`a.b`", '"a.b".c'])
def test_each_part_of_a_quoted_table_name_has_its_own_span(name: str) -> None:
    for dialect in ("bigquery", "postgres", "spark", "snowflake"):
        assert_sound(f"SELECT d.id FROM {name} AS d", dialect)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(SAMPLES),
    st.integers(0, 400),
    st.text(alphabet="().,'\"`[]{}*=<>-+ :;@$#\n\u2028é🚢aSELECT", max_size=4),
)
def test_a_statement_with_stray_text(sample: tuple[str, str], place: int, stray: str) -> None:
    dialect, sql = sample
    place %= len(sql) + 1
    text = sql[:place] + stray + sql[place:]
    model = parse_statement(text, DIALECTS[dialect])
    assert wrong_spans(text, model) == []


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(DIALECTS)), st.text(max_size=40))
def test_any_text(dialect: str, text: str) -> None:
    model = parse_statement(text, DIALECTS[dialect])
    assert isinstance(model, q.StatementModel)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SAMPLES))
def test_an_emoji_before_the_statement_moves_every_span_by_its_length(sample: tuple[str, str]) -> None:
    dialect, sql = sample
    before = parse_statement(sql, DIALECTS[dialect])
    text = "/* 🚢 */ " + sql
    after = parse_statement(text, DIALECTS[dialect])
    shifted = [n.start - 8 for n in records(after.statement) if isinstance(n, q.Name) and n.start >= 0]
    assert shifted == [n.start for n in records(before.statement) if isinstance(n, q.Name) and n.start >= 0]
