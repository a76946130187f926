from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.resplit import recut
from sql_lineage_ls.syntax.splitter import cut, split

NAMES = ("bigquery", "postgres", "mysql", "tsql", "oracle", "snowflake", "spark", "clickhouse")
PARTS = (
    "SELECT a FROM t", "INSERT INTO t VALUES (1, ';')", "CREATE VIEW v AS SELECT 1", "UPDATE t SET a = 'x;y'", ";",
    ";\n", "\n\n", " ", "-- a; comment\n", "/* ; */", "'", '"', "`", "(", ")", "BEGIN", "END", "END;",
    "IF a THEN\n",
    "END IF;\n", "GO\n", "/\n", "DELIMITER //\n", "//", "WITH c AS (SELECT 1)", "UNION ALL", "SELECT 1", "$$", "q'[",
    "]'",
    "CREATE FUNCTION f() RETURNS INT AS $$ SELECT 1; $$ LANGUAGE sql", "CREATE PROCEDURE p() BEGIN SELECT 1; END",
    "DECLARE x INT64;", "COPY t FROM STDIN;\n", "\\.\n", "\\cd x\n", "CASE WHEN a THEN b END", "*/", "/*",
    "DROP TABLE t",
    "\ufeff", "\u2028", "label:", "ALTER TABLE t ADD COLUMN b INT",
    "MERGE INTO t USING s ON a = b WHEN MATCHED THEN DELETE",
)  # fmt: skip
texts = st.lists(st.sampled_from(PARTS), max_size=24).map("".join)


def common(one: str, other: str, limit: int) -> int:
    return next((at for at in range(limit) if one[at] != other[at]), limit)


def edited(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, deadline=None)
@given(text=texts, at=st.integers(0, 400), gone=st.integers(0, 12), new=texts)
def test_after_any_edit_the_statements_are_those_of_the_whole_text(
    name: str, text: str, at: int, gone: int, new: str
) -> None:
    dialect = DIALECTS[name]
    old = cut(text, dialect)
    if not old.steady:
        return
    changed = edited(text, at, at + gone, new)
    prefix = common(text, changed, min(len(text), len(changed)))
    suffix = common(text[::-1], changed[::-1], min(len(text), len(changed)) - prefix)
    by = len(changed) - len(text)
    found = recut(changed, dialect, old.slices, prefix, suffix, by)
    if found is None:
        return
    behind = old.slices[len(old.slices) - found.last :]
    places = [(one.start, one.end) for one in old.slices[: found.first]]
    places += [*found.middle, *((one.start + by, one.end + by) for one in behind)]
    assert places == [(one.start, one.end) for one in split(changed, dialect)]


def test_an_edit_leaves_distant_statements_alone() -> None:
    dialect = DIALECTS["bigquery"]
    text = "".join(f"SELECT {at} FROM t;\n" for at in range(100))
    changed = text.replace("SELECT 50 ", "SELECT fifty ")
    at = text.index("50")
    found = recut(changed, dialect, cut(text, dialect).slices, at, len(text) - at - 2, 3)
    assert found is not None
    start = changed.index("SELECT 48")
    assert (found.first, len(found.middle), found.last) == (48, 5, 47)
    assert found.middle[0] == (start, start + len("SELECT 48 FROM t"))


def test_a_quote_that_never_closes_has_the_whole_text_split_anew() -> None:
    dialect = DIALECTS["postgres"]
    text = "".join(f"SELECT {at} FROM t;\n" for at in range(100))
    at = text.index("50")
    changed = edited(text, at, at, "'")
    assert recut(changed, dialect, cut(text, dialect).slices, at, len(text) - at, 1) is None
