"""Hostile statements by size: each shape is a function of `n` that says n times what could cost more each time.

Not among them: n grouped columns of n targets, as each target names what groups its rows, which is n times n facts."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class Shape(Struct, frozen=True):
    """A text for each size. `size` is one at which the text takes some tens of milliseconds."""

    name: str
    dialect: str
    size: int
    text: Callable[[int], str]


_HEAD = "CREATE TABLE quay.crates (id INT, kind VARCHAR(10), load INT);\n"


def _cte_chain(n: int) -> str:
    parts = ["c0 AS (SELECT id, kind FROM quay.crates)"]
    parts += [f"c{at} AS (SELECT id, kind FROM c{at - 1})" for at in range(1, n)]
    return f"WITH {', '.join(parts)} SELECT id, kind FROM c{n - 1}"


def _cte_diamonds(n: int) -> str:
    parts = ["c0 AS (SELECT id, kind FROM quay.crates)"]
    parts += [f"c{at} AS (SELECT a.id, b.kind FROM c{at - 1} a JOIN c{at - 1} b ON a.id = b.id)" for at in range(1, n)]
    return f"WITH {', '.join(parts)} SELECT id, kind FROM c{n - 1}"


def _views(n: int) -> str:
    parts = ["CREATE VIEW v0 AS SELECT id, kind FROM quay.crates"]
    parts += [f"CREATE VIEW v{at} AS SELECT * FROM v{at - 1}" for at in range(1, n)]
    return _HEAD + ";\n".join(parts)


def _cyclic_views(n: int) -> str:
    return ";\n".join(f"CREATE VIEW v{at} AS SELECT a, b FROM v{(at + 1) % n}" for at in range(n))


def _views_upside_down(n: int) -> str:
    """Each reads the one that comes after it."""
    return ";\n".join(f"CREATE VIEW v{at} AS SELECT * FROM v{at + 1}" for at in range(n)) + (
        f";\nCREATE VIEW v{n} AS SELECT id, kind FROM quay.crates;\n" + _HEAD
    )


def _merge(n: int) -> str:
    branches = " ".join(f"WHEN MATCHED AND s.id = {at} THEN UPDATE SET load = s.load" for at in range(n))
    return f"MERGE INTO quay.crates t USING quay.incoming s ON t.id = s.id {branches}"


def _struct(n: int) -> str:
    return "CREATE TABLE w (r STRUCT<" + ", ".join(f"f{at} INT64" for at in range(n)) + ">)"


SHAPES: tuple[Shape, ...] = (
    Shape("brackets, closed", "postgres", 20_000, lambda n: "SELECT " + "(" * n + "a" + ")" * n + " FROM t"),
    Shape("brackets, open", "postgres", 50_000, lambda n: "SELECT " + "(" * n),
    Shape("brackets, closing", "postgres", 50_000, lambda n: "SELECT " + ")" * n),
    Shape("square brackets", "bigquery", 20_000, lambda n: "SELECT " + "[" * n + "]" * n),
    Shape("braces", "duckdb", 20_000, lambda n: "SELECT " + "{'a': " * n),
    Shape(
        "angle brackets", "bigquery", 20_000, lambda n: "CREATE TABLE t (a " + "ARRAY<" * n + "INT64" + ">" * n + ")"
    ),
    Shape("calls", "spark", 20_000, lambda n: "SELECT " + "f(" * n + "a" + ")" * n),
    Shape(
        "calls beside", "spark", 1_500, lambda n: "SELECT f(" + ", ".join(f"g(a{at})" for at in range(n)) + ") FROM t"
    ),
    Shape(
        "joins",
        "postgres",
        150,
        lambda n: "SELECT t0.a FROM t0 " + " ".join(f"JOIN t{at} ON t{at}.a = t{at - 1}.a" for at in range(1, n)),
    ),
    Shape(
        "joins using",
        "postgres",
        100,
        lambda n: "SELECT a FROM t0 " + " ".join(f"JOIN t{at} USING (a)" for at in range(1, n)),
    ),
    Shape(
        "natural joins",
        "postgres",
        100,
        lambda n: "SELECT * FROM t0 " + " ".join(f"NATURAL JOIN t{at}" for at in range(1, n)),
    ),
    Shape("comma joins", "oracle", 300, lambda n: "SELECT t0.a FROM " + ", ".join(f"t{at}" for at in range(n))),
    Shape("CTE chain", "trino", 200, _cte_chain),
    Shape("CTE diamonds", "trino", 100, _cte_diamonds),
    Shape("union", "trino", 400, lambda n: " UNION ALL ".join("SELECT a, b FROM t" for _ in range(n))),
    Shape("in list", "mysql", 5_000, lambda n: "SELECT a FROM t WHERE a IN (" + ", ".join(map(str, range(n))) + ")"),
    Shape("values", "mysql", 2_000, lambda n: "INSERT INTO t (a, b) VALUES " + ", ".join("(1, 'x')" for _ in range(n))),
    Shape(
        "case",
        "snowflake",
        1_000,
        lambda n: "SELECT CASE " + " ".join(f"WHEN a = {at} THEN b" for at in range(n)) + " END FROM t",
    ),
    Shape("line comments", "postgres", 5_000, lambda n: "-- note\n" * n + "SELECT a FROM t"),
    Shape("block comments", "postgres", 5_000, lambda n: "/* note */ " * n + "SELECT a FROM t"),
    Shape(
        "comments among items",
        "postgres",
        2_000,
        lambda n: "SELECT " + ", ".join(f"a{at} /* x */ -- y\n" for at in range(n)) + " FROM t",
    ),
    Shape("open comments", "postgres", 20_000, lambda n: "/*" * n),
    Shape("open quotes", "postgres", 8_000, lambda n: "SELECT 'a ''" * n),
    Shape("odd quotes", "bigquery", 2_000, lambda n: "SELECT 'it's' \"q\" `\n" * n),
    Shape("dollar quotes", "postgres", 5_000, lambda n: "SELECT " + " ".join(f"$q{at}$" for at in range(n))),
    Shape("backslashes", "mysql", 50_000, lambda n: "SELECT '" + "\\" * n),
    Shape(
        "template tags",
        "bigquery",
        1_000,
        lambda n: "SELECT " + ", ".join("{{ col('a') }}" for _ in range(n)) + " FROM {{ ref('t') }}",
    ),
    Shape(
        "template blocks",
        "bigquery",
        1_000,
        lambda n: "SELECT a " + "{% if x %} , b {% else %} , c {% endif %}" * n + " FROM t",
    ),
    Shape(
        "template loops in loops",
        "bigquery",
        2_000,
        lambda n: "SELECT 1 " + "{% for x in y %}" * n + "{% endfor %}" * n,
    ),
    Shape("open template tags", "bigquery", 5_000, lambda n: "SELECT " + "{{ a " * n),
    Shape("open template blocks", "bigquery", 5_000, lambda n: "SELECT " + "{% if a " * n),
    Shape("template comments", "bigquery", 5_000, lambda n: "{# a " * n),
    Shape(
        "concatenation", "postgres", 2_000, lambda n: "SELECT " + " || ".join(f"a{at}" for at in range(n)) + " FROM t"
    ),
    Shape("mixed operators", "postgres", 1_000, lambda n: "SELECT " + "a + b * c - " * n + "d FROM t"),
    Shape(
        "and or",
        "postgres",
        1_000,
        lambda n: "SELECT a FROM t WHERE " + " OR ".join("b = 1 AND c = 2" for _ in range(n)),
    ),
    Shape("casts", "postgres", 3_000, lambda n: "SELECT a" + "::int" * n + " FROM t"),
    Shape(
        "many casts", "postgres", 1_500, lambda n: "SELECT " + ", ".join(f"a{at}::int" for at in range(n)) + " FROM t"
    ),
    Shape("nots", "postgres", 5_000, lambda n: "SELECT " + "NOT " * n + "a"),
    Shape("minus signs", "postgres", 20_000, lambda n: "SELECT " + "- " * n + "a"),
    Shape(
        "DDL columns",
        "postgres",
        2_000,
        lambda n: "CREATE TABLE w (" + ", ".join(f"c{at} INT" for at in range(n)) + ")",
    ),
    Shape("DDL fields", "bigquery", 2_000, _struct),
    Shape("DDL nesting", "bigquery", 1_000, lambda n: "CREATE TABLE w (c " + "STRUCT<a " * n + "INT64" + ">" * n + ")"),
    Shape(
        "alterations",
        "postgres",
        400,
        lambda n: "CREATE TABLE w (id INT);" + "".join(f"ALTER TABLE w ADD COLUMN c{at} INT;" for at in range(n)),
    ),
    Shape("merge branches", "snowflake", 200, _merge),
    Shape(
        "script statements",
        "bigquery",
        500,
        lambda n: ";\n".join(f"SET x = (SELECT MAX(id) FROM t{at})" for at in range(n)),
    ),
    Shape("variables", "bigquery", 400, lambda n: "".join(f"DECLARE x{at} INT64;\n" for at in range(n)) + "SELECT x0"),
    Shape("statements", "ansi", 500, lambda n: ";\n".join(f"SELECT a FROM t{at}" for at in range(n))),
    Shape("empty statements", "ansi", 20_000, lambda n: ";" * n),
    Shape("ifs in ifs", "bigquery", 1_000, lambda n: "IF a THEN " * n + "SELECT 1; " + "END IF; " * n),
    Shape("begins in begins", "snowflake", 2_000, lambda n: "BEGIN " * n + "SELECT 1; " + "END; " * n),
    Shape("ends", "snowflake", 5_000, lambda n: "END; " * n),
    Shape(
        "procedures",
        "postgres",
        100,
        lambda n: "\n".join(
            f"CREATE FUNCTION f{at}() RETURNS int AS $$ BEGIN DELETE FROM t; END $$ LANGUAGE plpgsql;"
            for at in range(n)
        ),
    ),
    Shape(
        "body of a procedure",
        "tsql",
        300,
        lambda n: "CREATE PROCEDURE p AS BEGIN\n" + "INSERT INTO t SELECT a FROM u;\n" * n + "END",
    ),
    Shape("batches", "tsql", 500, lambda n: "SELECT a FROM t\nGO\n" * n),
    Shape("lambdas", "spark", 8_000, lambda n: "SELECT " + "transform(a, x -> " * n + "x" + ")" * n + " FROM t"),
    Shape(
        "lambdas beside",
        "spark",
        400,
        lambda n: "SELECT " + ", ".join(f"transform(a{at}, x -> x.b)" for at in range(n)) + " FROM t",
    ),
    Shape("subqueries", "postgres", 8_000, lambda n: "SELECT a FROM " + "(SELECT a FROM " * n + "t" + ") s" * n),
    Shape(
        "subqueries beside",
        "postgres",
        200,
        lambda n: (
            "SELECT " + ", ".join(f"(SELECT MAX(b) FROM u WHERE u.a = t.a) AS m{at}" for at in range(n)) + " FROM t"
        ),
    ),
    Shape("views", "postgres", 100, _views),
    Shape("views upside down", "postgres", 200, _views_upside_down),
    Shape("cyclic views", "postgres", 100, _cyclic_views),
    Shape("dotted names", "bigquery", 5_000, lambda n: "SELECT " + ".".join(f"a{at}" for at in range(n)) + " FROM t"),
    Shape("subscripts", "trino", 2_000, lambda n: "SELECT a" + "[1]" * n + " FROM t"),
    Shape("long name", "postgres", 200_000, lambda n: f"SELECT {'a' * n} FROM t"),
    Shape("long string", "postgres", 500_000, lambda n: f"SELECT '{'a' * n}' FROM t"),
    Shape("blanks", "postgres", 200_000, lambda n: "SELECT a" + " " * n + "FROM t"),
    Shape("line ends", "postgres", 100_000, lambda n: "SELECT a" + "\n" * n + "FROM t"),
    Shape("digits", "postgres", 100_000, lambda n: f"SELECT {'1' * n} FROM t"),
    Shape("dots", "postgres", 20_000, lambda n: f"SELECT {'.' * n} FROM t"),
    Shape("stars", "bigquery", 5_000, lambda n: "SELECT " + "*, " * n + "a FROM t"),
    Shape("pipes", "bigquery", 100, lambda n: "FROM t " + "|> WHERE a > 1 " * n),
    Shape(
        "windows",
        "postgres",
        300,
        lambda n: (
            "SELECT " + ", ".join(f"SUM(a) OVER (PARTITION BY b ORDER BY c) AS s{at}" for at in range(n)) + " FROM t"
        ),
    ),
    Shape(
        "unnests",
        "bigquery",
        100,
        lambda n: "SELECT t.a FROM t" + "".join(f", UNNEST(t.b{at}) AS u{at}" for at in range(n)),
    ),
    Shape(
        "lateral views",
        "spark",
        100,
        lambda n: "SELECT a FROM t" + "".join(f" LATERAL VIEW explode(b{at}) x{at} AS y{at}" for at in range(n)),
    ),
    Shape("grants", "postgres", 400, lambda n: ";\n".join(f"GRANT SELECT ON t{at} TO r" for at in range(n))),
    Shape("unreadable", "postgres", 300, lambda n: ";\n".join("SELECT FROM WHERE ) (" for _ in range(n))),
    Shape("commas", "postgres", 20_000, lambda n: "SELECT " + "," * n),
    Shape("one word", "postgres", 5_000, lambda n: "SELECT " * n),
    Shape(
        "ignores",
        "postgres",
        400,
        lambda n: "".join(f"-- sql-lineage: ignore[unused-cte]\nSELECT a FROM t{at};\n" for at in range(n)),
    ),
    Shape(
        "struct literals",
        "bigquery",
        1_000,
        lambda n: "SELECT STRUCT(" + ", ".join(f"a AS f{at}" for at in range(n)) + ") FROM t",
    ),
    Shape("update sets", "postgres", 1_000, lambda n: "UPDATE t SET " + ", ".join(f"c{at} = d{at}" for at in range(n))),
    Shape(
        "pivot",
        "bigquery",
        500,
        lambda n: "SELECT * FROM t PIVOT(SUM(a) FOR k IN (" + ", ".join(f"'v{at}'" for at in range(n)) + "))",
    ),
)
