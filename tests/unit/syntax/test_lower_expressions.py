# ruff: noqa: E501
"""Expressions of every dialect, lowered: whole models, every name's span checked by the text that it covers."""

from __future__ import annotations

import pytest

from sql_lineage_ls.syntax.dialects import DIALECTS
from sql_lineage_ls.syntax.parse import parse_statement
from tests.support.model_text import model_text

CASES = [
    # dotted names
    (
        "bigquery",
        "SELECT v.hull.maker.country, draught FROM vessels AS v",
        "select v.hull.maker.country, draught from vessels as v",
    ),
    ("bigquery", "SELECT a.b.c.d.e.f.g FROM a", "select a.b.c.d.e.f.g from a"),
    (
        "trino",
        'SELECT "Ship Log".entry, log."Deck" FROM harbour."Ship Log"',
        "select 'Ship Log'.entry, log.'Deck' from harbour.'Ship Log'",
    ),
    (
        "tsql",
        "SELECT [Ship Log].[entry], #berths.no FROM [Ship Log], #berths",
        "select 'Ship Log'.'entry', #berths.no from 'Ship Log' cross #berths",
    ),
    (
        "bigquery",
        "SELECT `quay.log`.`mooring`.`rope` FROM `quay.log`",
        "select 'quay'.'log'.'mooring'.'rope' from 'quay'.'log'",
    ),
    ("bigquery", "SELECT t.1st_mate, t.2nd FROM crew AS t", "select t.1st_mate, t.2nd from crew as t"),
    ("snowflake", "SELECT m.$1, $2 FROM manifests AS m", "select m.$1, param(2) from manifests as m"),
    # stars
    (
        "bigquery",
        "SELECT *, v.*, v.hull.*, * EXCEPT (notes, mood), v.* REPLACE (tons * 2 AS tons) FROM vessels AS v",
        "select *, v.*, v.hull.*, * except(notes, mood), v.* replace((* tons 2) as tons) from vessels as v",
    ),
    (
        "snowflake",
        "SELECT * EXCLUDE (notes) REPLACE (tons + 1 AS tons) RENAME (flag AS country), v.* ILIKE '%port%' FROM vessels AS v",
        "select * except(notes) replace((+ tons 1) as tons) rename(flag as country), v.* names '(?is:^.*port.*$)' from vessels as v",
    ),
    (
        "postgres",
        "SELECT (v.hull).*, (crew_list).captain, (v.hull).maker.country FROM vessels AS v",
        "select (v.hull).*, crew_list->captain, v.hull->maker->country from vessels as v",
    ),
    (
        "duckdb",
        "SELECT COLUMNS('tons_.*'), * LIKE 'ton%', COLUMNS(* EXCLUDE (notes)) FROM vessels",
        "select columns('tons_.*'), * names '(?s:^ton.*$)', columns(* except(notes), '') from vessels",
    ),
    (
        "clickhouse",
        "SELECT COLUMNS('tons'), v.* EXCEPT (notes), * REPLACE (tons + 1 AS tons) FROM vessels AS v",
        "select columns('tons'), v.* except(notes), * replace((+ tons 1) as tons) from vessels as v",
    ),
    # subscripts
    (
        "bigquery",
        "SELECT cargo[OFFSET(0)].kind, cargo[SAFE_ORDINAL(2)].lots[0].kg FROM calls",
        "select cargo[0]->kind, cargo[2]->lots[0]->kg from calls",
    ),
    (
        "trino",
        "SELECT element_at(cargo, 1).kind, marks['port'].hue, marks[side] FROM calls",
        "select cargo[1]->kind, marks['port']->hue, marks[side] from calls",
    ),
    (
        "spark",
        "SELECT cargo[0].kind, marks['port'], element_at(marks, 'bow'), cargo.kind FROM calls",
        "select cargo[0]->kind, marks['port'], marks['bow'], cargo.kind from calls",
    ),
    (
        "bigquery",
        "SELECT note.list[0].text, note.array[1].text FROM logs",
        "select note.list[0]->text, note.array[1]->text from logs",
    ),
    (
        "postgres",
        "SELECT berths[2:4], (rows)[1].no FROM plans",
        "select ARRAY_SLICE(berths, 2, 4), rows[1]->no from plans",
    ),
    (
        "clickhouse",
        "SELECT crew.1, crew.captain.2, tupleElement(crew, 'mate') FROM logs",
        "select crew.1, crew.captain.2, crew->'mate' from logs",
    ),
    # semi-structured
    (
        "snowflake",
        """SELECT log:deck.crew[0].name::string AS n, log:"Deck Log"['Side'].x, $1:port::int, g.value:kg FROM logs, LATERAL FLATTEN(INPUT => log:cargo) g""",
        "select cast(log:deck:crew[0]:name as VARCHAR) as n, log:'Deck Log':'Side':x, cast(param(1):port as INT), g.value:kg from logs cross table FLATTEN(INPUT => log:cargo) as g",
    ),
    (
        "snowflake",
        "SELECT GET(log, 'deck'), GET_PATH(log, 'deck.crew[0]'), log['deck']['crew'], JSON_EXTRACT_PATH_TEXT(log, 'deck.name') FROM logs",
        "select log['deck'], log:deck:crew[0], log['deck']['crew'], JSON_EXTRACT_PATH_TEXT(log:deck:name) from logs",
    ),
    (
        "snowflake",
        "SELECT log:cargo[pick.i].kg.net FROM logs, pick",
        "select log:cargo[pick.i]:kg:net from logs cross pick",
    ),
    (
        "databricks",
        "SELECT log:deck.crew[0].name, log:['Deck Log'], log:cargo[*].kg::double FROM logs",
        "select log:deck:crew[0]:name, log:'Deck Log', cast(log:cargo[*]:kg as DOUBLE) from logs",
    ),
    (
        "postgres",
        "SELECT log->'deck'->>'name', log #>> '{deck,crew,0}', jsonb_extract_path_text(log, 'deck', 'name'), log->0->side FROM logs",
        "select ->>(log:'deck':'name'), ->>(log:deck:crew[0]), JSONB_EXTRACT_PATH_TEXT(log:'deck':'name'), (-> log[0] side) from logs",
    ),
    (
        "mysql",
        """SELECT log->'$.deck.crew[1]', log->>'$.deck', JSON_EXTRACT(log, '$.deck."Side Log"') FROM logs""",
        "select log:deck:crew[1], ->>(log:deck), log:deck:Side Log from logs",
    ),
    (
        "bigquery",
        "SELECT JSON_VALUE(log, '$.deck.name'), JSON_QUERY(log, '$.deck'), JSON_EXTRACT_ARRAY(log, '$.cargo'), JSON_VALUE(log, path) FROM logs",
        "select JSON_VALUE(log:deck:name), log:deck, log:cargo, JSON_VALUE(log, path) from logs",
    ),
    (
        "trino",
        "SELECT json_extract_scalar(log, '$.deck.name'), json_query(log, 'lax $.deck.crew'), json_value(log, 'strict $.deck') FROM logs",
        "select JSON_EXTRACT_SCALAR(log:deck:name), log:deck:crew, JSON_VALUE(log:deck) from logs",
    ),
    (
        "redshift",
        "SELECT JSON_EXTRACT_PATH_TEXT(log, 'deck', 'name'), log.deck.crew[0].name FROM logs",
        "select JSON_EXTRACT_PATH_TEXT(log:'deck':'name'), log.deck.crew[0]->name from logs",
    ),
    (
        "clickhouse",
        "SELECT JSONExtractString(log, 'deck', 'name'), JSONExtract(log, 'deck', 'no', 'Int32'), JSONExtractRaw(log, 'deck') FROM logs",
        "select JSONEXTRACTSTRING(log:'deck':'name'), JSONEXTRACT(log:'deck':'no'), log:'deck' from logs",
    ),
    (
        "hive",
        "SELECT get_json_object(log, '$.deck.crew[0].name') FROM logs",
        "select GET_JSON_OBJECT(log:deck:crew[0]:name) from logs",
    ),
    (
        "oracle",
        "SELECT l.log.deck.name, JSON_VALUE(l.log, '$.deck.name') FROM logs l",
        "select l.log.deck.name, JSON_VALUE(l.log:deck:name) from logs as l",
    ),
    # constructors
    (
        "bigquery",
        "SELECT STRUCT(v.name AS title, v.tons, 3), STRUCT<port STRING, stay STRUCT<days INT64>>(home, STRUCT(4)), (name, tons) FROM vessels AS v",
        "select struct{title=v.name, tons=v.tons, 3}, cast(struct{home=home, struct{4}} as record<port STRING, stay record<days INT64>>), row{name, tons} from vessels as v",
    ),
    (
        "trino",
        "SELECT ROW(name, tons), CAST(ROW(name, tons) AS ROW(title VARCHAR, load DOUBLE)), ROW(name AS title).title FROM vessels",
        "select row{name, tons}, cast(row{name, tons} as record<title VARCHAR, load DOUBLE>), row{title=name}->title from vessels",
    ),
    (
        "spark",
        "SELECT struct(name, tons AS load), named_struct('title', name, 'load', tons), map('title', name), array(name, home) FROM vessels",
        "select struct{name=name, load=tons}, struct{'title'=name, 'load'=tons}, map{'title': name}, array[name, home] from vessels",
    ),
    (
        "snowflake",
        "SELECT OBJECT_CONSTRUCT('title', name, 'load', tons), {'title': name}, ARRAY_CONSTRUCT(name, home), OBJECT_CONSTRUCT(*) FROM vessels",
        "select object{'title'=name, 'load'=tons}, object{'title'=name}, array[name, home], OBJECT_CONSTRUCT(*) from vessels",
    ),
    (
        "duckdb",
        "SELECT {'title': name, 'hold': {'load': tons}}, struct_pack(title := name), row(name, tons), MAP {'title': name}, [name, home], struct_extract(hold, 'load') FROM vessels",
        "select struct{'title'=name, 'hold'=struct{'load'=tons}}, struct{title=name}, row{name, tons}, map{'title': name}, array[name, home], hold->'load' from vessels",
    ),
    (
        "postgres",
        "SELECT ROW(name, tons)::vessel_t, jsonb_build_object('title', name), ARRAY[name, home], ARRAY(SELECT no FROM berths) FROM vessels",
        "select cast(row{name, tons} as named vessel_t), object{'title'=name}, array[name, home], array(select no from berths) from vessels",
    ),
    (
        "clickhouse",
        "SELECT tuple(name, tons), (name, tons), map('title', name), [name, home], {'title': name} FROM vessels",
        "select row{name, tons}, row{name, tons}, map{'title': name}, array[name, home], map{'title': name} from vessels",
    ),
    (
        "trino",
        "SELECT MAP(ARRAY['title'], ARRAY[name]), JSON_OBJECT('title': name), MAP(titles, names) FROM vessels",
        "select map{'title': name}, object{'title'=name}, MAP(titles, names) from vessels",
    ),
    (
        "bigquery",
        "SELECT ARRAY_AGG(STRUCT(c.kind, c.kg) ORDER BY c.kg DESC LIMIT 3)[OFFSET(0)].kind, ARRAY(SELECT AS STRUCT kind FROM UNNEST(cargo)) FROM calls AS c",
        "select ARRAY_AGG!(struct{kind=c.kind, kg=c.kg}) order(c.kg)[0]->kind, array(select struct kind from unnest(cargo)) from calls as c",
    ),
    (
        "oracle",
        "SELECT vessel_t(name, tons), CAST(MULTISET(SELECT no FROM berths) AS berth_list) FROM vessels",
        "select VESSEL_T(name, tons), cast(array(select no from berths) as named ~berth_list) from vessels",
    ),
    # choices
    (
        "bigquery",
        "SELECT IF(tons > 5, hull, NULL), CASE flag WHEN 'X' THEN a ELSE b END, CASE WHEN tons > 1 THEN a WHEN sunk THEN b END FROM vessels",
        "select case when (> tons 5) then hull else NULL end, case flag when 'X' then a else b end, case when (> tons 1) then a when sunk then b end from vessels",
    ),
    (
        "snowflake",
        "SELECT IFF(sunk, a, b), DECODE(flag, 'X', a, 'Y', b, c), NVL2(a, b, c), IFNULL(a, b), NVL(a, b) FROM vessels",
        "select case when sunk then a else b end, case flag when 'X' then a when 'Y' then b else c end, case when a then b else c end, IFNULL(a, b), NVL(a, b) from vessels",
    ),
    (
        "tsql",
        "SELECT IIF(sunk = 1, a, b), ISNULL(a, b), COALESCE(a, b, c) FROM vessels",
        "select case when (= sunk 1) then a else b end, ISNULL(a, b), COALESCE(a, b, c) from vessels",
    ),
    (
        "clickhouse",
        "SELECT multiIf(sunk, a, old, b, c), sunk ? a : b, if(sunk, a, b) FROM vessels",
        "select case when sunk then a when old then b else c end, case when sunk then a else b end, case when sunk then a else b end from vessels",
    ),
    (
        "spark",
        "SELECT decode(raw, 'UTF-8'), if(sunk, a, b) FROM vessels",
        "select DECODE(raw, 'UTF-8'), case when sunk then a else b end from vessels",
    ),
    # casts
    (
        "bigquery",
        "SELECT CAST(cargo AS ARRAY<STRUCT<kind STRING, kg NUMERIC(5, 2)>>), SAFE_CAST(x AS INT64), DATE '2024-02-03' FROM calls",
        "select cast(cargo as array<record<kind STRING, kg NUMERIC(5, 2)>>), cast(x as INT64), cast('2024-02-03' as DATE) from calls",
    ),
    (
        "postgres",
        "SELECT x::int, y::numeric(5, 2), addr::port.address, list::text[] FROM calls",
        "select cast(x as INT), cast(y as DECIMAL(5, 2)), cast(addr as named port.address), cast(list as array<TEXT>) from calls",
    ),
    (
        "clickhouse",
        "SELECT x::Tuple(a Int8, b Nested(c String)), CAST(x, 'Int8') FROM calls",
        "select cast(x as record<a Int8, b array<record<c String>>>), cast(x as Int8) from calls",
    ),
    (
        "tsql",
        "SELECT CONVERT(INT, x), TRY_CAST(y AS DECIMAL(5, 2)) FROM calls",
        "select cast(x as INTEGER), cast(y as NUMERIC(5, 2)) from calls",
    ),
    # lambdas
    (
        "trino",
        "SELECT transform(cargo, c -> c.kg * 2), reduce(cargo, 0, (s, c) -> s + c.kg, s -> s) FROM calls",
        "select TRANSFORM(cargo, (c) -> (* c.kg 2)), REDUCE(cargo, 0, (s, c) -> (+ s c.kg), (s) -> s) from calls",
    ),
    (
        "spark",
        "SELECT transform(cargo, (c, i) -> c.kg + i), filter(cargo, c -> c.kg > tons), aggregate(cargo, 0, (acc, c) -> acc + c.kg) FROM calls",
        "select TRANSFORM(cargo, (c, i) -> (+ c.kg i)), FILTER(cargo, (c) -> (> c.kg tons)), AGGREGATE(cargo, 0, (acc, c) -> (+ acc c.kg)) from calls",
    ),
    (
        "snowflake",
        "SELECT TRANSFORM(cargo, c -> c:kg), FILTER(cargo, c INT -> c > 1) FROM calls",
        "select TRANSFORM(cargo, (c) -> c:kg), FILTER(cargo, (c) -> (> cast(c as INT) 1)) from calls",
    ),
    (
        "duckdb",
        "SELECT list_transform(cargo, c -> c.kg), list_filter(cargo, lambda c: c.kg > 1), [c.kg FOR c IN cargo IF c.kg > 1] FROM calls",
        "select LIST_TRANSFORM(cargo, (c) -> c.kg), LIST_FILTER(cargo, (c) -> (> c.kg 1)), LIST_TRANSFORM(LIST_FILTER(cargo, (c) -> (> c.kg 1)), (c) -> c.kg) from calls",
    ),
    (
        "clickhouse",
        "SELECT arrayMap(c -> c.1, cargo), arrayMap((c, i) -> c + i, cargo, nos) FROM calls",
        "select ARRAYMAP((c) -> c.1, cargo), ARRAYMAP((c, i) -> (+ c i), cargo, nos) from calls",
    ),
    # functions
    (
        "bigquery",
        "SELECT COUNT(*), COUNT(DISTINCT flag), SAFE.SUBSTR(name, 1), port.tonnage(v.hull), NET.HOST(url), STRING_AGG(name, ',' ORDER BY tons) FROM vessels AS v",
        "select COUNT!(*), COUNT!(flag), SUBSTR(name, 1), PORT.TONNAGE(v.hull), HOST(url), STRING_AGG!(name, ',') order(tons) from vessels as v",
    ),
    (
        "bigquery",
        "SELECT DATE_TRUNC(day, MONTH), DATE_DIFF(a, b, DAY), TIMESTAMP_TRUNC(ts, WEEK(MONDAY)), EXTRACT(YEAR FROM day), DATE_ADD(d, INTERVAL n DAY) FROM calls",
        "select DATE_TRUNC(day, MONTH), DATE_DIFF(a, b, DAY), TIMESTAMP_TRUNC(ts, WEEK), EXTRACT(day), DATE_ADD(d, (INTERVAL n)) from calls",
    ),
    (
        "tsql",
        "SELECT DATEADD(day, 1, d), DATEDIFF(yy, y, d), DATEPART(month, d), doc.value('(/a)[1]', 'int') FROM calls",
        "select DATEADD(DAY, 1, d), DATEDIFF(YY, y, d), EXTRACT(d), VALUE(doc, '(/a)[1]', 'int') from calls",
    ),
    (
        "snowflake",
        "SELECT DATEADD(month, n, d), DATE_TRUNC('month', d), TO_DATE(x), LISTAGG(name, ',') WITHIN GROUP (ORDER BY tons) FROM calls",
        "select DATEADD(MONTH, n, d), DATE_TRUNC('month', d), TO_DATE(x), LISTAGG!(name, ',') order(tons) from calls",
    ),
    (
        "postgres",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY tons), count(*) FILTER (WHERE sunk), string_agg(name, ',' ORDER BY tons), x = ANY(list) FROM calls",
        "select PERCENTILE_CONT!(0.5, tons) order(tons), COUNT!(*) filter(sunk), STRING_AGG!(name, ',') order(tons), (= x list) from calls",
    ),
    (
        "trino",
        "SELECT max_by(name, tons), arbitrary(name), array_agg(name ORDER BY tons), approx_percentile(tons, 0.5) FROM calls",
        "select MAX_BY!(name, tons), ARBITRARY!(name), ARRAY_AGG!(name) order(tons), APPROX_PERCENTILE!(tons, 0.5) from calls",
    ),
    (
        "clickhouse",
        "SELECT argMax(name, tons), quantile(0.5)(tons), sumIf(tons, sunk), groupArray(3)(name), uniqExact(flag) FROM calls",
        "select ARGMAX!(name, tons), QUANTILE!(tons, 0.5), SUMIF!(tons, sunk), GROUPARRAY!(name), UNIQEXACT!(flag) from calls",
    ),
    (
        "duckdb",
        "SELECT max(tons), arg_max(name, tons), unnest(cargo), list(name ORDER BY tons), struct_insert(hull, age := 3) FROM calls",
        "select MAX!(tons), ARG_MAX!(name, tons), UNNEST(cargo), LIST!(name) order(tons), STRUCT_INSERT(hull, age => 3) from calls",
    ),
    (
        "oracle",
        "SELECT MAX(name) KEEP (DENSE_RANK LAST ORDER BY tons), NVL(a, b), t.hull.getClobVal(), port_pkg.fee(tons) FROM calls t",
        "select MAX!(name) over(order tons), NVL(a, b), GETCLOBVAL(t.hull), PORT_PKG.FEE(tons) from calls as t",
    ),
    # windows
    (
        "bigquery",
        "SELECT ROW_NUMBER() OVER (PARTITION BY flag ORDER BY tons DESC), LAST_VALUE(name IGNORE NULLS) OVER w, SUM(tons) OVER (w ORDER BY day) FROM calls WINDOW w AS (PARTITION BY port)",
        "select ROW_NUMBER() over(partition flag order tons), LAST_VALUE(name) over(window w), SUM!(tons) over(window w order day) from calls window w(port; )",
    ),
    (
        "snowflake",
        "SELECT FIRST_VALUE(name) IGNORE NULLS OVER (ORDER BY tons), NTH_VALUE(name, 2) FROM LAST OVER (ORDER BY tons), LAG(name, 1, home) OVER (ORDER BY day) FROM calls",
        "select FIRST_VALUE(name) over(order tons), NTH_VALUE(name, 2) over(order tons), LAG(name, 1, home) over(order day) from calls",
    ),
    # operators
    (
        "bigquery",
        "SELECT a + b - c * d, a || b || c, NOT sunk, -tons, a BETWEEN b AND c, a IS NULL, a LIKE 'x%', a IN (1, b), a IN UNNEST(list), a IS DISTINCT FROM b FROM calls",
        "select (- a b (* c d)), (|| a b c), (NOT sunk), (- tons), (BETWEEN a b c), (IS a NULL), (LIKE a 'x%'), (IN a 1 b), (IN a list), (IS DISTINCT a b) from calls",
    ),
    (
        "postgres",
        """SELECT a AND b AND c OR d AND e, day AT TIME ZONE 'UTC', name COLLATE "C" FROM calls""",
        "select (OR (AND a b c) (AND d e)), (AT TIME ZONE day 'UTC'), name from calls",
    ),
    (
        "bigquery",
        "SELECT (SELECT MAX(no) FROM berths), EXISTS(SELECT 1 FROM berths), a NOT IN (SELECT no FROM berths), a > ALL (SELECT no FROM berths) FROM calls",
        "select scalar(select MAX!(no) from berths), exists(select 1 from berths), (NOT a in(select no from berths)), (> a scalar(select no from berths)) from calls",
    ),
    # constants and parameters
    (
        "bigquery",
        r"SELECT 1, 'x', TRUE, NULL, r'\d', @limit, @boat.name, ?, INTERVAL 2 DAY FROM calls",
        r"select 1, 'x', TRUE, NULL, '\d', param(@limit), param(@boat)->name, param(?), INTERVAL 2 from calls",
    ),
    ("spark", "SELECT :limit, ${port}, 1.5 FROM calls", "select param(limit), param(port), 1.5 from calls"),
    ("trino", "SELECT 100_000, 5_000 AS fee FROM calls", "select 100000, 5000 as fee from calls"),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_the_whole_model(dialect: str, sql: str, expected: str) -> None:
    assert model_text(sql, parse_statement(sql, DIALECTS[dialect])) == expected
