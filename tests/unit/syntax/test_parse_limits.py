"""Deep, long and exponential statements: a message or a model, in bounded time, never a crash."""

from __future__ import annotations

import threading
import time

import pytest

from sql_lineage_ls.syntax import query_model as q
from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from sql_lineage_ls.syntax.tree import MAX_DEPTH

TERMS = 20_000


def query(sql: str, dialect: str = "bigquery") -> q.Select:
    model = parse_statement(sql, DIALECTS[dialect])
    assert model.issues == ()
    assert isinstance(model.statement, q.QueryStatement)
    assert isinstance(model.statement.query, q.Select)
    return model.statement.query


@pytest.mark.parametrize("sign", ["AND", "OR", "+", "||"])
def test_a_chain_of_one_operator_is_one_operation(sign: str) -> None:
    select = query("SELECT " + f" {sign} ".join(f"c{i}" for i in range(TERMS)) + " FROM vessels")
    value = select.projections[0].value
    assert isinstance(value, q.Operation)
    assert value.operator == sign
    assert len(value.operands) == TERMS
    last = value.operands[-1]
    assert isinstance(last, q.ColumnRef)
    assert last.parts[0].text == f"c{TERMS - 1}"


def test_a_chain_of_different_arithmetic_operators_is_flat() -> None:
    value = query("SELECT " + "a + b - " * (TERMS // 2) + "c FROM vessels").projections[0].value
    assert isinstance(value, q.Operation)
    assert len(value.operands) == TERMS + 1


def test_and_binds_closer_than_or_in_a_long_chain() -> None:
    where = query("SELECT 1 FROM t WHERE " + " OR ".join("a AND b" for _ in range(5_000))).where
    assert isinstance(where, q.Operation)
    assert where.operator == "OR"
    assert {type(operand) for operand in where.operands} == {q.Operation}
    assert len(where.operands) == 5_000


def depth(node: q.Query) -> int:
    return 1 + max(depth(node.left), depth(node.right)) if isinstance(node, q.SetOperation) else 1


def test_a_union_of_ten_thousand_branches_is_balanced() -> None:
    model = parse_statement(" UNION ALL ".join(f"SELECT c{i} FROM t" for i in range(10_000)), DIALECTS["trino"])
    assert isinstance(model.statement, q.QueryStatement)
    assert depth(model.statement.query) <= 16
    first = model.statement.query
    while isinstance(first, q.SetOperation):
        first = first.left
    assert isinstance(first, q.Select)
    assert first.projections[0].value == q.ColumnRef((q.Name("c0", 7, 9),))


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("(", ")"), ("f(", ")"), ("STRUCT(", ")"), ("[", "]"), ("(SELECT ", ")"), ("CASE WHEN a THEN ", " END")],
)
def test_nesting_up_to_the_cap_is_read_and_beyond_it_is_a_message(opening: str, closing: str) -> None:
    allowed = MAX_DEPTH - 2
    model = parse_statement("SELECT " + opening * allowed + "a" + closing * allowed + " FROM t", DIALECTS["bigquery"])
    assert model.statement is not None or model.issues[0].message == "The statement is nested too deeply to be read."
    deeper = MAX_DEPTH + 1
    model = parse_statement("SELECT " + opening * deeper + "a" + closing * deeper + " FROM t", DIALECTS["bigquery"])
    assert model.statement is None
    assert [issue.message for issue in model.issues] == ["The statement is nested deeper than 150 levels."]


@pytest.mark.parametrize("word", ["NOT", "-", "+", "~", "INTERVAL"])
def test_operators_in_a_row(word: str) -> None:
    model = parse_statement("SELECT " + f"{word} " * 5_000 + "a", DIALECTS["postgres"])
    assert [issue.message for issue in model.issues] == ["Too many operators stand in a row."]


@pytest.mark.parametrize("dialect", ["bigquery", "trino", "spark", "clickhouse", "snowflake", "duckdb"])
@pytest.mark.parametrize("word", ["STRUCT", "ARRAY", "MAP", "DATE", "DECIMAL", "ROW", "JSON", "TIMESTAMP", "CAST", "f"])
def test_a_call_in_a_call_costs_no_more_at_each_level(word: str, dialect: str) -> None:
    started = time.perf_counter()
    parse_statement("SELECT " + f"{word}(" * 60 + "a" + ")" * 60 + " FROM t", DIALECTS[dialect])
    assert time.perf_counter() - started < 2


def test_joins_without_conditions_are_not_tried_in_every_pairing() -> None:
    started = time.perf_counter()
    select = query("SELECT * FROM t " + " ".join(f"JOIN t{i}" for i in range(300)), "spark")
    assert time.perf_counter() - started < 2
    assert [item.join for item in select.sources] == ["", *["CROSS"] * 300]


def test_a_small_stack_is_enough() -> None:
    models: list[q.StatementModel] = []

    def run() -> None:
        for opening, closing in (("(", ")"), ("f(", ")"), ("(SELECT * FROM ", ")"), ("STRUCT(", ")")):
            sql = "SELECT * FROM " if "FROM" in opening else "SELECT "
            text = sql + opening * (MAX_DEPTH - 2) + "a" + closing * (MAX_DEPTH - 2)
            models.append(parse_statement(text, DIALECTS["bigquery"]))

    size = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join(60)
    finally:
        threading.stack_size(size)
    assert len(models) == 4


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a" + "::int" * 3_000 + " FROM t",
        "SELECT a" + " COLLATE c" * 3_000,
        "SELECT " + "a BETWEEN b AND " * 2_000 + "c",
    ],
)
def test_what_recurses_without_brackets_ends_in_a_message(sql: str) -> None:
    model = parse_statement(sql, DIALECTS["postgres"])
    assert model.statement is not None or [issue.message for issue in model.issues] == [
        "The statement is nested too deeply to be read."
    ]


@pytest.mark.parametrize(
    "word", ["SELECT", "WITH", "FROM", "CASE", "INSERT", "EXPLAIN", "LATERAL", ".", ",", "((", "[", "{"]
)
def test_one_word_over_and_over(word: str) -> None:
    for dialect in DIALECTS.values():
        model = parse_statement(f"{word} " * 400, dialect)
        assert model.statement is not None or model.issues


@pytest.mark.parametrize("parts", [1_000, 20_000])
def test_a_name_of_very_many_parts_is_a_message(parts: int) -> None:
    text = "SELECT 1 AS one, " + ".".join(f"a{at}" for at in range(parts)) + " FROM t"
    model = parse_statement(text, DIALECTS["bigquery"])
    assert [issue.message for issue in model.issues] == ["Too many parts of a name stand in a row."]


def test_a_name_of_a_hundred_parts_is_read() -> None:
    value = query("SELECT 1 AS one, " + ".".join(f"a{at}" for at in range(100)) + " FROM t").projections[1].value
    assert isinstance(value, q.ColumnRef)
    assert len(value.parts) == 100
