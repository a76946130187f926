"""Workspaces of any size in the shape of a real one: nested tables, chains of views, and a few extreme files.

Everything comes from one seed, so two runs measure the same files.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from msgspec import Struct

from benchmarks import shape

_WORDS = ("berth", "cargo", "crew", "draft", "fleet", "hatch", "keel", "mast", "pilot", "port", "rudder", "tide")
_SCALARS = ("INT64", "STRING", "FLOAT64", "DATE", "BOOL", "TIMESTAMP", "NUMERIC")
# Tables are a third of the files.
_TABLES = 3
# An extreme file of each kind for so many files.
_EXTREME = 1_000


class Column(Struct, frozen=True):
    """A column: its declaration, and one path that leads to a scalar in it; `rows` where it is an array of records."""

    name: str
    declared: str
    path: str
    rows: str = ""


class Source(Struct, frozen=True):
    """A relation that queries read, at the end of a chain of `depth` views."""

    name: str
    columns: tuple[Column, ...]
    depth: int


def generate(files: int, seed: int = 1) -> dict[str, str]:
    """The texts of a workspace by path."""
    random = Random(seed)
    texts: dict[str, str] = {}
    levels: dict[int, list[Source]] = {0: []}
    for at in range(max(files // _TABLES, 1)):
        table = _table(f"raw.{_word(random)}_{at}", random)
        levels[0].append(table)
        texts[f"raw/{table.name.split('.')[1]}.sql"] = _declaration(table)
    for at in range(len(texts), files - 3 * (files // _EXTREME)):
        texts[f"mart_{at % 40}/{_word(random)}_{at}.sql"] = _file(at, levels, random)
    for at in range(files // _EXTREME):
        texts[f"extreme/long_{at}.sql"] = "SELECT\n" + _long(levels, random)
        texts[f"extreme/union_{at}.sql"] = "\nUNION ALL\n".join(_select(levels, random, 3) for _ in
                                                                range(shape.WIDEST_UNION)) + ";\n"
        texts[f"extreme/many_{at}.sql"] = ";\n".join(_select(levels, random, 4) for _ in
                                                     range(shape.MOST_STATEMENTS)) + ";\n"
    return texts


def write(files: int, folder: Path, seed: int = 1) -> int:
    """Writes a workspace; how many bytes of SQL it has."""
    texts = generate(files, seed)
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    (folder / "sql-lineage.toml").write_text('dialect = "bigquery"\n', encoding="utf-8")
    return sum(len(text.encode()) for text in texts.values())


# ---------------------------------------------------------------- tables


def _word(random: Random) -> str:
    return random.choice(_WORDS)


def _table(name: str, random: Random) -> Source:
    count = shape.draw(random, shape.TABLE_COLUMNS)
    depth = shape.choose(random, shape.DEPTHS)
    columns = [_column(f"{_word(random)}_{at}", 1 if at % 3 else depth, random) for at in range(count)]
    return Source(name, (Column("id", "id INT64", "id"), *columns), 0)


def _column(name: str, depth: int, random: Random) -> Column:
    if depth <= 1:
        return Column(name, f"{name} {random.choice(_SCALARS)}", name)
    inner = _column(_word(random), depth - 1, random)
    record = f"STRUCT<{inner.declared}, note STRING, amount NUMERIC>"
    if depth == 3:
        return Column(name, f"{name} ARRAY<{record}>", "", name)
    return Column(name, f"{name} {record}", f"{name}.{inner.path}" if inner.path else f"{name}.note")


def _declaration(table: Source) -> str:
    columns = ",\n".join(f"  {column.declared} OPTIONS (description = 'of {table.name}')" for column in table.columns)
    return f"-- {table.name}\nCREATE TABLE {table.name} (\n{columns}\n);\n"


# ---------------------------------------------------------------- queries


def _file(at: int, levels: dict[int, list[Source]], random: Random) -> str:
    depth = min(shape.choose(random, shape.CHAINS), max(levels) + 1)
    size = shape.draw(random, shape.FILE_BYTES)
    outputs = shape.draw(random, shape.OUTPUTS)
    name = f"mart_{at % 40}.{_word(random)}_{at}"
    query = _query(_sources(levels, max(depth - 1, 0), random), outputs, size, random)
    statements = [f"CREATE OR REPLACE VIEW {name} AS\n{query}"]
    if depth:
        columns = tuple(Column(f"c{one}", "", f"c{one}") for one in range(outputs))
        levels.setdefault(depth, []).append(Source(name, (Column("id", "", "id"), *columns), depth))
    else:
        statements = [query]
    for _ in range(shape.draw(random, shape.STATEMENTS_IN_FILE) - 1):
        statements.append(_select(levels, random, 3))
    return ";\n\n".join(statements) + ";\n"


def _sources(levels: dict[int, list[Source]], depth: int, random: Random) -> list[Source]:
    """What a query reads: one relation of the depth, the others from anywhere below, some declared nowhere."""
    count = 1 + shape.draw(random, shape.JOINS)
    found = [random.choice(levels[depth])]
    for at in range(1, count):
        known = levels[random.randint(0, depth)]
        if random.random() < shape.UNDECLARED:
            found.append(Source(f"lake.{_word(random)}_{at}", (Column("id", "", "id"), Column("v", "", "v")), 0))
        else:
            found.append(random.choice(known))
    return found


def _query(sources: list[Source], outputs: int, size: int, random: Random) -> str:
    ctes = list(_ctes(sources, size, random))
    head = "WITH " + ",\n".join(ctes) + "\n" if ctes else ""
    joined = "".join(
        f"\nLEFT JOIN {source.name} AS s{at} ON s{at}.id = s0.id" for at, source in enumerate(sources) if at
    )
    unnested = next((column.rows for column in sources[0].columns if column.rows), "")
    rows = f", UNNEST(s0.{unnested}) AS r" if unnested else ""
    items = ["  s0.id"]
    for at in range(outputs):
        owner = at % len(sources)
        items.append(f"  {_expression(f's{owner}', sources[owner], random)} AS c{at}")
    if rows:
        items.append("  r.amount AS row_amount")
    items += [f"  (SELECT MAX(x.e0) FROM part_{at} AS x) AS n{at}" for at in range(len(ctes))]
    where = f"\nWHERE s0.id > {random.randint(1, 999)} AND s0.id IS NOT NULL"
    return f"{head}SELECT\n" + ",\n".join(items) + f"\nFROM {sources[0].name} AS s0{rows}{joined}{where}"


def _ctes(sources: list[Source], size: int, random: Random) -> Iterator[str]:
    """CTEs, as many as the size of the file leaves room for."""
    left = size - 400
    at = 0
    wide = max(size // (shape.CTES[-1] * 30), 4)
    while left > 0:
        source = random.choice(sources)
        known = f"\n  JOIN part_{at - 1} AS p ON p.id = t.id" if at % 3 == 1 else ""
        count = random.randint(wide // 2, wide)
        items = ",\n".join(f"    {_expression('t', source, random)} AS e{one}" for one in range(count))
        text = (
            f"part_{at} AS (\n  SELECT\n    t.id,\n{items}\n  FROM {source.name} AS t{known}\n"
            f"  WHERE t.id < {random.randint(1, 999)}\n)"
        )
        yield text
        left -= len(text) + 60
        at += 1


def _expression(alias: str, source: Source, random: Random) -> str:
    column = random.choice([column for column in source.columns if column.path])
    path = f"{alias}.{column.path}"
    form = random.randint(0, 9)
    if form == 0:
        return f"COALESCE({path}, {path}, NULL)"
    if form == 1:
        return f"CASE WHEN {alias}.id > 3 THEN {path} ELSE NULL END"
    if form == 2:
        return f"FIRST_VALUE({path}) OVER (PARTITION BY {alias}.id ORDER BY {path})"
    if form == 3:
        return f"STRUCT({path} AS a, {alias}.id AS b)"
    return path


def _select(levels: dict[int, list[Source]], random: Random, outputs: int) -> str:
    source = random.choice(levels[0])
    items = ", ".join(_expression("t", source, random) for _ in range(outputs))
    return f"SELECT {items} FROM {source.name} AS t WHERE t.id = {random.randint(1, 999)}"


def _long(levels: dict[int, list[Source]], random: Random) -> str:
    source = random.choice(levels[0])
    lines: list[str] = []
    size = 0
    while size < shape.LONGEST_STATEMENT:
        lines.append(f"  {_expression('t', source, random)} AS c{len(lines)}")
        size += len(lines[-1]) + 2
    return ",\n".join(lines) + f"\nFROM {source.name} AS t;\n"
