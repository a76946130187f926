"""Every feature at every offset of real SQL, whole and cut off: nothing raises, and every span is one of the text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sql_lineage_ls.features.code_lens import code_lenses
from sql_lineage_ls.features.declaration import declaration
from sql_lineage_ls.features.definition import definition
from sql_lineage_ls.features.diagnostics import diagnostics
from sql_lineage_ls.features.document_symbols import document_symbols
from sql_lineage_ls.features.hover import hover
from sql_lineage_ls.features.results import Symbol
from sql_lineage_ls.features.type_definition import type_definition
from sql_lineage_ls.text.span import Span
from sql_lineage_ls.workspace.config import Settings
from sql_lineage_ls.workspace.engine import Engine
from sql_lineage_ls.workspace.snapshot import FileSpan, Snapshot

URI = "file:///w/q.sql"

TEXTS = {
    "bigquery": """\
CREATE TABLE `zoo.cages` (id INT64, 🦒 STRUCT<name STRING, tags ARRAY<STRING>>,
  meals ARRAY<STRUCT<food STRING, kg NUMERIC>>);
CREATE OR REPLACE VIEW zoo.fed AS
WITH m AS (SELECT c.*, meal FROM zoo.cages AS c, UNNEST(c.meals) AS meal WITH OFFSET AS pos)
SELECT id, STRUCT(meal.food AS food, SUM(meal.kg) OVER (PARTITION BY id) AS kg) AS day, nothing FROM m WHERE pos > 0;
MERGE zoo.totals AS t USING zoo.fed AS f ON t.id = f.id
WHEN MATCHED THEN UPDATE SET t.kg = f.day.kg, t.x.y = 1 WHEN NOT MATCHED THEN INSERT ROW;
ALTER TABLE zoo.cages ADD COLUMN keeper STRUCT<name STRING>;
""",
    "trino": """\
CREATE TABLE boats (name varchar, crew array(row(who varchar, age integer)), berth map(varchar, row(x double)));
CREATE VIEW sailors AS SELECT b.name, t.who, berth['a'].x, CAST(ROW(1, name) AS ROW(n bigint, s varchar)).s AS label
FROM boats b CROSS JOIN UNNEST(b.crew) WITH ORDINALITY AS t (who, age, n);
SELECT * FROM sailors s JOIN boats USING (name) WHERE EXISTS (SELECT 1 FROM boats WHERE boats.name = s.name);
""",
    "postgres": """\
CREATE TYPE spot AS (x int, y int);
CREATE TABLE maps (id int, at spot, doc jsonb);
INSERT INTO maps (id, at.x) SELECT m.id, (m.at).y FROM maps m;
SELECT (at).x, doc -> 'a' ->> 'b' AS b, (at).z FROM maps;
""",
    "snowflake": """\
create table ev (payload variant, n number);
create view v as select payload:user.name::string as "User", f.value:k as k from ev, lateral flatten(payload:items) f;
update ev set n = v.k from v where v.k = ev.n;
""",
    "spark": """\
CREATE TABLE log (d DATE, e ARRAY<STRUCT<k: STRING, v: MAP<STRING, INT>>>) USING parquet;
SELECT x.k, x.v['a'], transform(e, i -> i.v), e.k FROM log LATERAL VIEW explode(e) t AS x;
""",
    "ansi": "SELECT a.b.c FROM a, (SELECT 1 AS b) AS b; SELECT FROM; )) garbage '",
}


def snapshot_of(text: str, dialect: str) -> Snapshot:
    engine = Engine()
    engine.configure((), Settings(dialect=dialect))
    engine.open(URI, text)
    engine.rescan()
    return engine.finish()


def check(snapshot: Snapshot, text: str) -> None:
    for offset in range(len(text) + 2):
        found = hover(snapshot, URI, offset)
        if found is not None:
            assert 0 <= found.span.start <= offset <= found.span.end <= len(text)
            assert "\x1f" not in found.present("markdown", lambda span: f"{span.uri}#{span.start}")
            assert "\x1f" not in found.present("plaintext")
        for feature in (definition, declaration, type_definition):
            for target in feature(snapshot, URI, offset):
                assert target.origin.start <= offset <= target.origin.end
                assert is_inside(target.focus, text)
                assert target.full.start <= target.focus.start <= target.focus.end <= target.full.end
    for diagnostic in diagnostics(snapshot, URI):
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert diagnostic.message
    lenses = code_lenses(snapshot, URI)
    assert list(lenses) == sorted(lenses, key=lambda lens: lens.span)
    assert all(is_inside(place, text) for lens in lenses for place in lens.places)
    for symbol in document_symbols(snapshot, URI):
        check_symbol(symbol, Span(0, len(text)))


def is_inside(span: FileSpan, text: str) -> bool:
    return span.uri == URI and 0 <= span.start < span.end <= len(text)


def check_symbol(symbol: Symbol, around: Span) -> None:
    assert symbol.name
    assert around.start <= symbol.full.start <= symbol.span.start <= symbol.span.end <= symbol.full.end <= around.end
    for child in symbol.children:
        check_symbol(child, symbol.full)


@pytest.mark.parametrize("dialect", TEXTS)
def test_every_offset(dialect: str) -> None:
    check(snapshot_of(TEXTS[dialect], dialect), TEXTS[dialect])


def cuts() -> Iterator[tuple[str, int]]:
    for dialect, text in TEXTS.items():
        for end in range(1, len(text), 37):
            yield dialect, end


@pytest.mark.parametrize(("dialect", "end"), list(cuts()))
def test_every_offset_of_a_text_that_is_cut_off(dialect: str, end: int) -> None:
    text = TEXTS[dialect][:end]
    check(snapshot_of(text, dialect), text)


@pytest.mark.parametrize("dialect", ["bigquery", "trino"])
def test_every_offset_while_somebody_types(dialect: str) -> None:
    engine = Engine()
    engine.configure((), Settings(dialect=dialect))
    engine.rescan()
    text = TEXTS[dialect]
    for end in (*range(len(text) - 1, len(text) - 120, -17), len(text)):
        typed = text[:end]
        engine.open(URI, typed)
        check(engine.finish(), typed)
