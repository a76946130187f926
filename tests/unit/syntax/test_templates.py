"""Masks: what each kind of tag becomes, and that no code point ever moves."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sql_lineage_ls.syntax.templates import RefKind, TemplateRef, mask, tag_end
from sql_lineage_ls.text.span import Span


def squeezed(text: str) -> str:
    """The masked text with its runs of blanks as one."""
    return " ".join(mask(text).text.split())


def test_a_text_without_tags_is_the_same_object() -> None:
    text = "SELECT {'a': 1}, m['k'] FROM crates -- 50 % #1"
    masked = mask(text)
    assert masked.text is text
    assert not masked.templated
    assert masked.refs == masked.macros == ()


def test_a_ref_leaves_its_name_where_it_is_written() -> None:
    text = "SELECT qty FROM {{ ref('crates') }} AS c"
    masked = mask(text)
    assert masked.text == "SELECT qty FROM         crates      AS c"
    assert masked.refs == (TemplateRef(24, 30, ("crates",), RefKind.REF),)
    assert masked.macros == ()
    assert masked.templated


def test_a_ref_of_another_package_is_named_by_its_model() -> None:
    masked = mask("FROM {{ ref('logistics', \"crates\") }}")
    assert masked.text == "FROM                      crates     "
    assert masked.refs == (TemplateRef(26, 32, ("crates",), RefKind.REF),)


def test_a_source_becomes_a_dotted_name() -> None:
    text = "FROM {{ source('raw', 'crates') }}"
    masked = mask(text)
    assert masked.text == "FROM            raw .  crates     "
    assert masked.refs == (TemplateRef(16, 29, ("raw", "crates"), RefKind.SOURCE),)


def test_a_ref_over_lines_keeps_its_lines() -> None:
    masked = mask("FROM {{\r\n  ref('crates')\r\n}} c")
    assert masked.text == "FROM   \r\n       crates  \r\n   c"
    assert masked.refs == (TemplateRef(16, 22, ("crates",), RefKind.REF),)


@pytest.mark.parametrize(
    ("text", "masked", "ref"),
    [
        ("FROM {{ this }}", "FROM ___this___", TemplateRef(5, 15, (), RefKind.THIS)),
        ("FROM {{ ref('my-crates') }}", "FROM ___ref__my_crates_____",
         TemplateRef(5, 27, ("my-crates",), RefKind.REF)),
        ("FROM `{{ ref('crates') }}`", "FROM `___ref__crates_____`",
         TemplateRef(6, 25, ("crates",), RefKind.REF)),
        ("FROM {{ ref('crates') }}_old", "FROM ___ref__crates______old",
         TemplateRef(5, 24, ("crates",), RefKind.REF)),
        ("FROM {{ ref('crates', v=2) }}", "FROM ___ref__crates___v_2____",
         TemplateRef(5, 29, ("crates_v2",), RefKind.REF)),
    ],
)
def test_a_relation_whose_name_cannot_stand_as_it_is(text: str, masked: str, ref: TemplateRef) -> None:
    assert mask(text).text == masked
    assert mask(text).refs == (ref,)


def test_other_expressions_become_names_where_names_are_expected() -> None:
    masked = mask("SELECT {{ cols }}, a + {{ b }} FROM {{ var('t') }} WHERE {{ cond() }}")
    assert masked.text == "SELECT ___cols___, a + ___b___ FROM ___var__t_____ WHERE ___cond_____"
    assert masked.macros == (Span(7, 17), Span(23, 30), Span(36, 50), Span(57, 69))
    assert masked.refs == ()


def test_the_same_expression_becomes_the_same_name() -> None:
    assert squeezed("SELECT {{ key }} FROM t GROUP BY {{ key }}") == "SELECT ___key___ FROM t GROUP BY ___key___"


def test_a_name_that_would_read_as_an_alias_is_blank() -> None:
    assert squeezed("SELECT a FROM crates\n{{ where_clause() }}") == "SELECT a FROM crates"
    assert squeezed("SELECT a FROM crates -- a,\n{{ where_clause() }}") == "SELECT a FROM crates -- a,"
    assert squeezed("SELECT f(a) {{ more }} FROM crates") == "SELECT f(a) FROM crates"
    assert squeezed("{{ union_of_all('crates') }}") == ""
    assert squeezed("SELECT 1; {{ macro() }}") == "SELECT 1;"


def test_an_alias_that_qualifies_columns_stays() -> None:
    assert squeezed("SELECT {{ a }}.qty FROM crates {{ a }}") == "SELECT ___a___.qty FROM crates ___a___"


def test_parts_of_names_and_strings() -> None:
    assert mask("FROM ds_{{ env }}.t{{ n }}").text == "FROM ds____env___.t___n___"
    assert mask("WHERE d = '{{ ds }}' AND \"{{ c }}\" = 1").text == "WHERE d = '___ds___' AND \"___c___\" = 1"


def test_calls_that_leave_no_sql() -> None:
    assert squeezed("{{ config(materialized='table', tags=['}}']) }}\nSELECT 1") == "SELECT 1"
    assert squeezed("SELECT 1 {{ log('x', info=True) }}") == "SELECT 1"


def test_comments_and_statements_are_blank() -> None:
    text = "{# it's; #}{% set x = \"%}\" %}\nSELECT 1{%- do f() -%}"
    assert mask(text).text == " " * 29 + "\nSELECT 1" + " " * 14


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a {% if x %} b {% elif y %} c {% else %} d {% endif %} e", "a b e"),
        ("{% if x %} {% if y %} b {% else %} c {% endif %} {% else %} {% if z %} d {% endif %} {% endif %} e", "b e"),
        ("SELECT {% for c in cs %} {{ c }} {% if not loop.last %} , {% endif %} {% endfor %} FROM t",
         "SELECT ___c___ FROM t"),
        ("{% for c in cs %} SELECT 1 {{ 'UNION ALL' if not loop.last }} {% endfor %}", "SELECT 1"),
        ("{% for c in cs %} SELECT 1 {% if loop.last %} ; {% else %} UNION ALL {% endif %} {% endfor %}", "SELECT 1 ;"),
        ("{% for c in cs %} a {% else %} b {% endfor %}", "a"),
        ("{% macro m(x) %} SELECT {{ x }} {% endmacro %} SELECT 2", "SELECT 2"),
        ("{% set q %} SELECT 1 {% endset %} SELECT 2", "SELECT 2"),
        ("{% set q = 1 %} SELECT 2", "SELECT 2"),
        ("{%- call statement('x') -%} SELECT 1 {%- endcall -%} SELECT 2", "SELECT 2"),
        ("{% raw %}{% if x %}{% endraw %} a {% raw %}{% else %} b {% endif %}{% endraw %} c", "a c"),
        ("{% snapshot s %} SELECT 1 {% endsnapshot %}", "SELECT 1"),
        ("{% for c in cs %} {% if x %} a {% else %} b {% endfor %} c", "a c"),
        ("{% else %} a {% endif %}", "a"),
    ],
)
def test_the_first_branch_is_kept(text: str, kept: str) -> None:
    assert squeezed(text) == kept


def test_refs_in_a_branch_that_is_left_out_are_not_read() -> None:
    masked = mask("FROM {% if x %}{{ ref('a') }}{% else %}{{ ref('b') }}{% endif %}")
    assert [ref.parts for ref in masked.refs] == [("a",)]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("FROM ${db}.crates_${env}", "FROM __db_.crates___env_"),
        ("WHERE d = '${hiveconf:day}'", "WHERE d = '__hiveconf_day_'"),
        ("SELECT '$5 {x}' || f($1, ${ a b })", "SELECT '$5 {x}' || f($1, ${ a b })"),
        ("USE ROLE <% ctx.env.role %>; SELECT a <% b", "USE ROLE ___ctx_env_role___; SELECT a <% b"),
        ("FROM `{{.Project}}.ds.crates`", "FROM `___Project__.ds.crates`"),
        ("{{- /* it's */ -}}SELECT 1", "                  SELECT 1"),
        ("a {{ if .X }}b{{ else }}c{{ end }}d", "a            b                    d"),
        ("a {{ range .Xs }}b{{ end }}c", "a                b         c"),
        ("BETWEEN {{ start }} AND {{ end }}", "BETWEEN ___start___ AND ___end___"),
    ],
)
def test_other_template_languages(text: str, masked: str) -> None:
    assert mask(text).text == masked


def test_a_tag_that_never_closes_stays() -> None:
    text = "SELECT 1 FROM {{ ref('cra"
    assert mask(text).text == text
    assert not mask(text).templated
    assert mask("{% if x SELECT {{ a }}").text == "{% if x SELECT ___a___"
    assert mask("SELECT {{ a; SELECT {{ b }}").text == "SELECT {{ a; SELECT ___b___"


def test_tag_end_reads_over_quotes() -> None:
    assert tag_end("{{ f('}}') }} }}", 0) == 13
    assert tag_end("{% x \"%}\" %}", 0) == 12
    assert tag_end("{# '#}", 0) == 6
    assert tag_end("{{ it's }}", 0) == 10
    assert tag_end("{{ a", 0) == -1
    assert tag_end("{{ f({'a': {'b': 1}}) }}", 0) == 24
    assert tag_end("{{ {'a': 1}}} }}", 0) == 13
    assert tag_end("{{ f( ; SELECT {{ a }}", 0) == -1
    assert tag_end("{{ f(' ; SELECT {{ a }}", 0) == -1


PARTS = st.lists(
    st.sampled_from(
        ["{{", "}}", "{%", "%}", "{#", "#}", "${", "}", " ref('a') ", " source('a','b') ", " this ", " if x ", " else ",
         " endif ", " for c in d ", " endfor ", " raw ", " endraw ", "SELECT ", "\n", "\r\n", "'", '"', "a", ".", "é😀",
         "\u2028", " set x ", " endset ", " end ", "config(", " macro m() ", " endmacro "]
    ),
    max_size=40,
)


@given(PARTS)
def test_no_code_point_moves(parts: list[str]) -> None:
    text = "".join(parts)
    masked = mask(text)
    assert len(masked.text) == len(text)
    assert [at for at, sign in enumerate(masked.text) if sign in "\r\n"] == [
        at for at, sign in enumerate(text) if sign in "\r\n"
    ]
    for ref in masked.refs:
        assert 0 <= ref.start < ref.end <= len(text)
    for span in masked.macros:
        assert masked.text[span.start : span.end].isidentifier()


@pytest.mark.parametrize(
    "text",
    ["{{ ' ", "{% ", "{# ", "{{ '\\' }} ", "{{ x }} ", "{% if x %}", "{{ if .x }}", "${a", "{% raw %}", "{{ x }}.",
     "{% if x %}" * 30_000 + "{% endfor %}"],
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    began = time.process_time()
    mask(text * 30_000 if len(text) < 20 else text + text[-12:] * 30_000)
    assert time.process_time() - began < 4


@pytest.mark.parametrize("test", ["is_incremental()", "var('late')"])
def test_two_ifs_of_opposite_tests_are_an_if_and_an_else(test: str) -> None:
    one = f"{{% if {test} %}} WHERE qty > 1 {{% endif %}}"
    other = f"{{%- if not  {test} -%}} WHERE qty > 2 {{% endif %}}"
    assert squeezed(f"SELECT qty FROM crates {one}\n{other}") == "SELECT qty FROM crates WHERE qty > 1"
    assert squeezed(f"SELECT qty FROM crates {other}\n{one}").count("WHERE") == 1
    assert squeezed(f"SELECT qty FROM crates {one} LIMIT 5 {other}").count("WHERE") == 2
    assert squeezed(f"SELECT qty FROM crates {one} {one}").count("WHERE") == 2
