"""What people have reported of other tools' editors, as it must be here: positions, files, speed.

The letters and numbers are those of our own list of cases (X speed, N positions, F files).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sql_lineage_ls.workspace.uris import normal_uri
from tests.e2e.wire import Json, Wire

ORDERS = (
    "-- dialect: bigquery\n"
    "CREATE TABLE orders_raw (order_id INT64, customer STRUCT<name STRING, address STRUCT<city STRING>>, "
    "items ARRAY<STRUCT<item_name STRING, qty INT64>>);\n"
)
ALL: Json = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]}, "codeLens": {}, "references": {}, "definition": {},
        "publishDiagnostics": {"versionSupport": True},
    },
}  # fmt: skip


@pytest.fixture
def wire() -> Iterator[Wire]:
    with Wire() as found:
        yield found


def place(uri: str, line: int, character: int) -> Json:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


_PUBLISHED = "textDocument/publishDiagnostics"
_requests = iter(range(1, 1_000_000))


def ask(wire: Wire, method: str, params: Json) -> Any:
    request = next(_requests)
    wire.request(request, method, params)
    return wire.answer(request)["result"]


def hover(wire: Wire, uri: str, line: int, character: int) -> Json | None:
    found: Json | None = ask(wire, "textDocument/hover", place(uri, line, character))
    return found


def change(wire: Wire, uri: str, version: int, edit: Json) -> None:
    document = {"uri": uri, "version": version}
    wire.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [edit]})


def insertion(line: int, character: int, text: str) -> Json:
    at = {"line": line, "character": character}
    return {"range": {"start": at, "end": at}, "text": text}


def diagnostics_of(wire: Wire, uri: str, enough: Any) -> Json:
    """Waits for diagnostics of a document that are enough."""
    for message in reversed(wire.seen):
        if message.get("method") == _PUBLISHED and message["params"]["uri"] == uri:
            if enough(message["params"]):
                return message["params"]  # type: ignore[no-any-return]
            break
    while True:
        params: Json = wire.next(_PUBLISHED)["params"]
        if params["uri"] == uri and enough(params):
            return params


# ---------------------------------------------------------------- speed


def test_x1_an_edit_in_the_middle_of_25_000_lines(wire: Wire) -> None:
    views = 2_500
    one = "CREATE VIEW v{at} AS\nSELECT\n  o.order_id,\n\n"
    one += "  o.customer.address.city AS c\n\n\nFROM orders_raw AS o\n\n;\n"
    uri = "untitled:long.sql"
    wire.initialize(ALL)
    wire.open("untitled:ddl.sql", ORDERS)
    wire.open(uri, "-- dialect: bigquery\n" + "".join(one.format(at=at) for at in range(views)))
    line = 1 + 10 * (views // 2) + 4
    assert hover(wire, uri, line, 14) is not None
    before = ask(wire, "sqlLineage/status", {})
    diagnostics_of(wire, uri, lambda params: params.get("version") == 1)
    began = time.monotonic()
    change(wire, uri, 2, insertion(line, 25, "x"))
    found = hover(wire, uri, line, 14)
    took = time.monotonic() - began
    assert found is not None
    assert took < 2.0, "0.2 s on a quiet machine"
    params = diagnostics_of(wire, uri, lambda params: params.get("version") == 2)
    assert [one["code"] for one in params["diagnostics"]] == ["undeclared-field"]
    after = ask(wire, "sqlLineage/status", {})
    assert after["parsedStatements"] - before["parsedStatements"] <= 1


def test_x3_unnest_at_the_end_of_a_long_chain_that_joins_back(wire: Wire) -> None:
    depth = 20
    parts = ["o AS (SELECT oid, k, x FROM ord)", "a0 AS (SELECT oid, [STRUCT(k AS k, x AS x)] AS l FROM o)"]
    parts += [
        f"a{at} AS (SELECT a{at - 1}.oid, ARRAY_CONCAT(a{at - 1}.l, [STRUCT(o.k AS k, o.x AS x)]) AS l "
        f"FROM a{at - 1} JOIN o ON o.oid = a{at - 1}.oid)"
        for at in range(1, depth + 1)
    ]
    wire.initialize(ALL)
    wire.open("untitled:ddl.sql", "-- dialect: bigquery\nCREATE TABLE ord (oid STRING, k STRING, x STRING);")
    head = f"WITH {', '.join(parts)}\n"
    began = time.monotonic()
    wire.open("untitled:q.sql", f"-- dialect: bigquery\n{head}SELECT e.k FROM a{depth}, UNNEST(a{depth}.l) AS e")
    found = hover(wire, "untitled:q.sql", 2, 9)
    assert time.monotonic() - began < 5.0, "1 s on a quiet machine"
    assert found is not None
    assert "ord.k" in found["contents"]["value"]
    assert "ord.x" not in found["contents"]["value"]


def test_x4_two_dozen_natural_joins(wire: Wire) -> None:
    wire.initialize(ALL)
    joins = "".join(f" NATURAL FULL OUTER JOIN t{at}" for at in range(2, 25))
    wire.open("untitled:ddl.sql", "-- dialect: postgres\nCREATE TABLE other (a int);")
    began = time.monotonic()
    wire.open("untitled:q.sql", f"-- dialect: postgres\nSELECT * FROM t1{joins};\nSELECT a FROM other;")
    assert hover(wire, "untitled:q.sql", 2, 7) is not None
    assert time.monotonic() - began < 5.0, "1 s on a quiet machine"


def test_x7_a_hundred_keys_in_two_seconds(wire: Wire) -> None:
    uri = "untitled:keys.sql"
    wire.initialize(ALL)
    wire.open("untitled:ddl.sql", ORDERS)
    wire.open(uri, "-- dialect: bigquery\nSELECT o.nope FROM orders_raw AS o\n")
    diagnostics_of(wire, uri, lambda params: params.get("version") == 1)
    for version in range(2, 102):
        change(wire, uri, version, insertion(1, 13, "e"))
        time.sleep(0.02)
    began = time.monotonic()
    diagnostics_of(wire, uri, lambda params: params.get("version") == 101)
    assert time.monotonic() - began < 3.0, "1 s on a quiet machine"
    published = [m["params"] for m in wire.seen if m.get("method") == _PUBLISHED]
    versions = [params["version"] for params in published if params["uri"] == uri]
    assert versions == sorted(versions)
    assert len(versions) <= 6


# ---------------------------------------------------------------- positions


@pytest.mark.parametrize(("encoding", "start"), [("utf-16", 45), ("utf-8", 47), ("utf-32", 44)])
def test_n1_an_emoji_before_the_word(wire: Wire, encoding: str, start: int) -> None:
    found = wire.initialize({**ALL, "general": {"positionEncodings": [encoding]}})
    assert found["positionEncoding"] == encoding
    wire.open("untitled:ddl.sql", ORDERS)
    uri = "untitled:q.sql"
    wire.open(uri, "SELECT '🚚 late' AS flag, o.items[OFFSET(0)].item_name AS first_item FROM orders_raw AS o;")
    for character in (start, start + 8):
        shown = hover(wire, uri, 0, character)
        assert shown is not None
        assert "orders_raw.items[*].item_name" in shown["contents"]["value"]
        span = shown["range"]
        assert (span["start"]["character"], span["end"]["character"]) == (start, start + 9)


def test_n3_every_kind_of_line_end(wire: Wire) -> None:
    wire.initialize(ALL)
    wire.open("untitled:ddl.sql", "-- dialect: postgres\nCREATE TABLE cr (a text);")
    kinds = [("\n",) * 3, ("\r\n",) * 3, ("\r",) * 3, ("\r\n", "\r", "\n")]
    for at, (mark, ends) in enumerate(product(("", "\ufeff"), kinds)):
        uri = f"untitled:v{at}.sql"
        lines = (f"{mark}CREATE VIEW v{at} AS", "SELECT a,", "       nope", "FROM cr;")
        wire.open(uri, "".join(line + end for line, end in zip(lines, (*ends, ""), strict=True)))
        (found,) = diagnostics_of(wire, uri, lambda params: params["diagnostics"])["diagnostics"]
        assert found["code"] == "undeclared-column"
        assert found["range"] == {"start": {"line": 2, "character": 7}, "end": {"line": 2, "character": 11}}


def test_n4_stars_have_places(wire: Wire) -> None:
    wire.initialize(ALL)
    ddl, uri = "untitled:ddl.sql", "untitled:v.sql"
    wire.open(ddl, ORDERS)
    text = "CREATE VIEW v AS SELECT o.* EXCEPT (items), o.customer.* FROM orders_raw AS o;"
    wire.open(uri, "-- dialect: bigquery\n" + text)
    first, second = text.index("*"), text.rindex("*")
    all_columns, fields = hover(wire, uri, 1, first), hover(wire, uri, 1, second)
    assert all_columns is not None
    assert fields is not None
    assert "orders_raw.order_id" in all_columns["contents"]["value"]
    assert "orders_raw.customer" in all_columns["contents"]["value"]
    assert "orders_raw.customer.name" in fields["contents"]["value"]
    assert "orders_raw.customer.address" in fields["contents"]["value"]
    assert "order_id" not in fields["contents"]["value"]
    column = ORDERS.splitlines()[1].index("name STRING")
    context = {"context": {"includeDeclaration": False}}
    found = ask(wire, "textDocument/references", {**place(ddl, 1, column), **context})
    spans = [(one["uri"], one["range"]["start"]["character"]) for one in found]
    assert (uri, second) in spans


def test_n6_at_the_edges_of_words_and_behind_the_end(wire: Wire) -> None:
    wire.initialize(ALL)
    uri = "untitled:q.sql"
    wire.open("untitled:ddl.sql", "CREATE TABLE e6 (a INT);")
    wire.open(uri, "SELECT a FROM e6")
    for character, name in ((7, "a"), (8, "a"), (14, "e6"), (15, "e6"), (16, "e6")):
        shown = hover(wire, uri, 0, character)
        assert shown is not None, character
        assert name in shown["contents"]["value"]
    for line, character in ((0, 3), (0, 17), (0, 99), (1, 0), (7, 9), (2**31 - 1, 2**31 - 1)):
        assert hover(wire, uri, line, character) is None


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("how", ["deleted", "deleted while open", "renamed"])
def test_f1_the_diagnostics_of_a_file_that_is_gone(wire: Wire, tmp_path: Path, how: str) -> None:
    path = tmp_path / "q.sql"
    (tmp_path / "ddl.sql").write_text(ORDERS)
    path.write_text("-- dialect: bigquery\nSELECT o.nope FROM orders_raw AS o;\n")
    uri = path.as_uri()
    wire.initialize(ALL, rootUri=tmp_path.as_uri())
    wire.open(uri, path.read_text())
    diagnostics_of(wire, uri, lambda params: params["diagnostics"])
    if how != "deleted while open":
        wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    if how == "renamed":
        path.rename(tmp_path / "p.sql")
    else:
        path.unlink()
    if how == "deleted while open":
        wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 3}]})
    assert diagnostics_of(wire, uri, lambda params: not params["diagnostics"])["diagnostics"] == []


def test_f3_one_document_by_two_spellings_of_its_address(wire: Wire) -> None:
    encoded, plain = "file:///c%3A/ws/a%20b/q%23%C3%A9.sql", "file:///C:/ws/a b/q%23é.sql"
    assert normal_uri(encoded) == normal_uri(plain)
    wire.initialize(ALL)
    wire.open(encoded, ORDERS)
    assert hover(wire, plain, 1, 14) is not None
    assert ask(wire, "sqlLineage/status", {})["documents"] == 1
    wire.open("untitled:q.sql", "-- dialect: bigquery\nSELECT o.order_id FROM orders_raw AS o")
    (found,) = ask(wire, "textDocument/definition", place("untitled:q.sql", 1, 10))
    assert found["uri"] == encoded


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "vscode-notebook-cell:/w/n.ipynb#X1", "git:/w/q.sql?%7B%7D"])
def test_f4_documents_that_are_no_files(wire: Wire, tmp_path: Path, uri: str) -> None:
    (tmp_path / "ddl.sql").write_text(ORDERS)
    wire.initialize(ALL, rootUri=tmp_path.as_uri())
    wire.open(uri, "-- dialect: bigquery\nSELECT customer.name, customer.nope FROM orders_raw;")
    params = diagnostics_of(wire, uri, lambda params: params["diagnostics"])
    assert [one["code"] for one in params["diagnostics"]] == ["undeclared-field"]
    shown = hover(wire, uri, 1, 17)
    assert shown is not None
    assert "orders_raw.customer.name" in shown["contents"]["value"]
    assert [path.name for path in tmp_path.iterdir()] == ["ddl.sql"]


def test_f5_lenses_come_with_their_command_and_stay(wire: Wire) -> None:
    wire.initialize(ALL)
    uri = "untitled:ddl.sql"
    wire.open(uri, ORDERS)
    wire.open("untitled:q.sql", "-- dialect: bigquery\nSELECT order_id FROM orders_raw;")
    first = ask(wire, "textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert len(first) > 5
    assert all(lens["command"]["title"] for lens in first)
    for _ in range(3):
        assert ask(wire, "textDocument/codeLens", {"textDocument": {"uri": uri}}) == first


def test_f7_no_place_of_an_older_version(wire: Wire) -> None:
    """Each answer has the places of the text as it stood when the question came."""
    wire.initialize(ALL)
    uri = "untitled:moving.sql"
    wire.open("untitled:ddl.sql", ORDERS)
    wire.open(uri, "-- dialect: bigquery\nSELECT o.order_id FROM orders_raw AS o")
    for version in range(2, 22):
        change(wire, uri, version, insertion(1, 6, " "))
        shown = hover(wire, uri, 1, 9 + version - 1)
        assert shown is not None
        assert shown["range"]["start"]["character"] == 9 + version - 1
