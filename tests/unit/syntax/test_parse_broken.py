# ruff: noqa: E501
"""Half-typed and damaged statements: what is still read of them, and what is said about the rest."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from tests.support.model_text import model_text

CASES = [
    # dots
    (
        "bigquery",
        "SELECT v. FROM vessels AS v",
        "select v. from vessels as v [partial] [A name is missing behind this dot. @.]",
    ),
    (
        "bigquery",
        "SELECT v.hull. FROM vessels AS v",
        "select v.hull. from vessels as v [partial] [A name is missing behind this dot. @.]",
    ),
    (
        "bigquery",
        "SELECT v.hull., v.name FROM vessels AS v WHERE v. = 1",
        "select v.hull., v.name from vessels as v where (= v. 1) [partial] [A name is missing behind this dot. @.] [A name is missing behind this dot. @.]",
    ),
    ("bigquery", "SELECT v.", "select v. [partial] [A name is missing behind this dot. @.]"),
    ("bigquery", "SELECT v.from FROM vessels AS v", "select v.from from vessels as v"),
    # missing operands and items
    (
        "bigquery",
        "SELECT id, FROM vessels WHERE",
        "select id from vessels where  [partial] [The statement ends too early. @WHERE]",
    ),
    (
        "bigquery",
        "SELECT id FROM vessels WHERE tons >",
        "select id from vessels where (> tons ) [partial] [The statement ends too early. @>]",
    ),
    (
        "bigquery",
        "SELECT id FROM vessels JOIN",
        "select id from vessels cross  [partial] [The statement ends too early. @JOIN]",
    ),
    (
        "bigquery",
        "SELECT id FROM vessels JOIN calls ON vessels.id =",
        "select id from vessels inner calls on (= vessels.id ) [partial] [The statement ends too early. @=]",
    ),
    ("bigquery", "SELECT FROM vessels", "select  from vessels [partial] [The list is empty. @SELECT]"),
    (
        "bigquery",
        "SELECT id FROM WHERE tons > 1",
        "select id from  where (> tons 1) [partial] [`WHERE` is not expected here. @WHERE]",
    ),
    ("bigquery", "SELECT id FROM", "select id from  [partial] [The statement ends too early. @FROM]"),
    (
        "bigquery",
        "SELECT id FROM vessels ORDER BY",
        "select id from vessels order  [partial] [The statement ends too early. @ORDER BY]",
    ),
    (
        "bigquery",
        "SELECT CASE WHEN tons > 1 THEN FROM vessels",
        "select case when (> tons 1) then  end from vessels [partial] [`FROM` is not expected here. @FROM]",
    ),
    # brackets
    (
        "bigquery",
        "SELECT COALESCE(id, FROM vessels",
        "select COALESCE(id) from vessels [partial] [The statement ends too early. @vessels]",
    ),
    (
        "bigquery",
        "SELECT id FROM (SELECT id FROM vessels",
        "select id from (select id from vessels) [partial] [The statement ends too early. @vessels]",
    ),
    ("bigquery", "SELECT id) FROM vessels", "select id from vessels [partial] [`)` is not expected here. @)]"),
    (
        "bigquery",
        "SELECT cargo[ FROM calls",
        "select cargo[] from calls [partial] [`FROM` is not expected here. @FROM]",
    ),
    (
        "bigquery",
        "WITH fleet AS (SELECT id FROM vessels",
        "with fleet = (select id from vessels) select  [partial] [The statement ends too early. @vessels]",
    ),
    (
        "bigquery",
        "WITH fleet AS (SELECT id FROM vessels)",
        "with fleet = (select id from vessels) select  [partial] [The statement ends too early. @)]",
    ),
    (
        "bigquery",
        "WITH fleet AS (SELECT id FROM vessels), SELECT id FROM fleet",
        "with fleet = (select id from vessels) select id from fleet [partial] [`SELECT` is not expected here. @SELECT]",
    ),
    # stray tokens
    (
        "bigquery",
        "SELECT id tons flag FROM vessels",
        "select id as tons from vessels [partial] [`flag` is not expected here. @flag]",
    ),
    (
        "bigquery",
        "SELECT id FROM vessels WHERE tons = )",
        "select id from vessels where (= tons ) [partial] [`)` is not expected here. @)]",
    ),
    (
        "bigquery",
        "SELECT id FROM vessels v w x WHERE tons = 1",
        "select id from vessels as v where (= tons 1) [partial] [`w` is not expected here. @w]",
    ),
    ("bigquery", "SELECT 1; SELECT 2", "select 1 [partial] [Only the first of several statements is read here. @2]"),
    # other statements
    ("bigquery", "INSERT INTO calls (id,", "insert calls(id) [partial] [The statement ends too early. @,]"),
    ("bigquery", "INSERT INTO calls (id) SELECT", "insert calls(id) <- select  [partial] [The list is empty. @SELECT]"),
    ("bigquery", "UPDATE calls SET", "update calls set  [partial] [The list is empty. @SET]"),
    (
        "bigquery",
        "UPDATE calls SET n = WHERE id = 1",
        "update calls set n :=  where (= id 1) [partial] [`WHERE` is not expected here. @WHERE]",
    ),
    (
        "bigquery",
        "MERGE INTO calls USING news ON calls.id =",
        "merge calls using news on (= calls.id ) [partial] [The statement ends too early. @=]",
    ),
    ("bigquery", "DELETE FROM calls WHERE", "delete calls where  [partial] [The statement ends too early. @WHERE]"),
    # not read at all
    ("bigquery", "SELECT 'open FROM vessels", "- [A quote or a comment is not closed. @SELECT 'open FROM vessels]"),
    ("bigquery", "vessels are nice", "- [`nice` is not expected here. @nice]"),
    ("bigquery", "ELSE SELECT id FROM vessels", "- [This ELSE statement is not analysed. @ELSE]"),
    ("oracle", "FORALL i IN 1 .. 9", "declare i = "),
    ("bigquery", "", "-"),
    ("bigquery", "-- only a comment", "-"),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_the_whole_model(dialect: str, sql: str, expected: str) -> None:
    assert model_text(sql, parse_statement(sql, DIALECTS[dialect])) == expected


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELEC id FROM vessels", "No statement begins with `SELEC`. Did you mean SELECT?"),
        ("creat table vessels (id INT64)", "No statement begins with `creat`. Did you mean CREATE?"),
        ("harbour master wanted", "`wanted` is not expected here."),
    ],
)
def test_a_misspelt_beginning_is_told_at_its_own_place(sql: str, message: str) -> None:
    model = parse_statement(sql, DIALECTS["bigquery"])
    assert model.statement is None
    assert [issue.message for issue in model.issues] == [message]
    assert model.issues[0].start == (0 if "begins" in message else sql.index("wanted"))
