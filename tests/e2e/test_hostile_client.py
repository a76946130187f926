"""Clients that flood, cancel, send garbage, leave in the middle, or die: the server answers or ends, as it should."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.wire import Json, Wire

URI = "untitled:q.sql"
TEXT = (
    "-- dialect: bigquery\nCREATE TABLE pit.carts (id INT64, load STRUCT<ore STRING>);\n"
    "SELECT c.load.ore FROM pit.carts c;\n"
)
ALL: Json = {"textDocument": {"hover": {}, "codeLens": {}, "publishDiagnostics": {}, "documentSymbol": {}}}
HOVER = {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 15}}
METHODS = (
    "hover", "definition", "declaration", "typeDefinition", "implementation", "references", "documentHighlight",
    "documentSymbol", "codeLens", "foldingRange", "selectionRange", "completion", "signatureHelp", "rename",
    "prepareRename", "codeAction", "inlayHint", "semanticTokens/full", "semanticTokens/range", "documentLink",
    "prepareCallHierarchy", "formatting", "diagnostic",
)  # fmt: skip


def is_alive(wire: Wire) -> bool:
    """Whether the server still knows what it is asked."""
    wire.open("untitled:alive.sql", TEXT)
    wire.request("alive", "textDocument/hover", {**HOVER, "textDocument": {"uri": "untitled:alive.sql"}})
    return "pit.carts.load.ore" in wire.answer("alive")["result"]["contents"]["value"]


def change(version: int, edit: Json) -> Json:
    params = {"textDocument": {"uri": URI, "version": version}, "contentChanges": [edit]}
    return {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}


def test_ten_thousand_changes_without_a_pause_lose_none() -> None:
    at = {"line": 2, "character": 36}
    blank = {"range": {"start": at, "end": at}, "text": " "}
    with Wire() as wire:
        wire.initialize(ALL)
        wire.open(URI, TEXT.replace(";\n", " ;\n"))
        for start in range(0, 10_000, 500):
            wire.send_all([change(start + one + 2, blank) for one in range(500)])
        # Then the field is renamed behind all of them: in the last text it stands where it stood.
        column = TEXT.splitlines()[2].index("ore")
        span = {"start": {"line": 2, "character": column}, "end": {"line": 2, "character": column + 3}}
        wire.send(change(10_002, {"range": span, "text": "tin"}))
        wire.request(1, "textDocument/documentSymbol", {"textDocument": {"uri": URI}})
        assert "result" in wire.answer(1)
        while True:
            params = wire.next("textDocument/publishDiagnostics")["params"]
            if params["diagnostics"]:
                break
        (found,) = params["diagnostics"]
        assert (found["code"], found["range"]) == ("undeclared-field", span)
        assert is_alive(wire)


def test_everything_is_cancelled() -> None:
    with Wire() as wire:
        wire.initialize(ALL)
        wire.open(URI, TEXT)
        for start in range(0, 300, 50):
            requests = range(start + 1, start + 51)
            asked = {"method": "textDocument/hover", "params": HOVER}
            wire.send_all([{"jsonrpc": "2.0", "id": one, **asked} for one in requests])
            ids = (*requests, 10**6, "x")
            wire.send_all([{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": one}} for one in ids])
        for request in range(1, 301):
            answer = wire.answer(request)
            assert "result" in answer or answer["error"]["code"] in (-32800, -32801)
        assert is_alive(wire)


def test_a_document_that_is_closed_and_opened_in_the_middle_of_requests() -> None:
    with Wire() as wire:
        wire.initialize(ALL)
        request = 0
        for _ in range(20):
            wire.open(URI, TEXT)
            wire.request(request := request + 1, "textDocument/hover", HOVER)
            wire.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
            wire.request(request := request + 1, "textDocument/codeLens", {"textDocument": {"uri": URI}})
            wire.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        for one in range(1, request + 1):
            answer = wire.answer(one)
            assert "result" in answer or answer["error"]["code"] == -32801
        assert is_alive(wire)


@pytest.mark.parametrize("seed", [1])
def test_positions_anywhere(seed: int) -> None:
    chance = random.Random(seed)
    numbers = (0, 1, 2, 3, 17, 1_000, 2**31 - 1, 2**31, -1, 2**64, 1.5, "1", None)
    with Wire() as wire:
        wire.initialize(ALL)
        wire.open(URI, TEXT)
        request = 0
        for method in METHODS:
            for _ in range(6):
                places = [{"line": chance.choice(numbers), "character": chance.choice(numbers)} for _ in range(2)]
                params: Json = {
                    "textDocument": {"uri": chance.choice((URI, "untitled:none", "", "::", "file:///%zz"))},
                    "position": places[0], "range": {"start": places[0], "end": places[1]}, "positions": places,
                    "context": {"includeDeclaration": True, "diagnostics": []}, "newName": "n", "options": {},
                }  # fmt: skip
                wire.request(request := request + 1, f"textDocument/{method}", params)
        for start in numbers[:8]:
            for end in numbers[:8]:
                span = {"start": {"line": start, "character": end}, "end": {"line": end, "character": start}}
                wire.send(change(3, {"range": span, "text": ""}))
        for one in range(1, request + 1):
            answer = wire.answer(one)
            assert "result" in answer or answer["error"]["code"] in (-32601, -32602, -32803), answer
        assert is_alive(wire)


@pytest.mark.parametrize(
    "bodies",
    [
        [b"{", b"[]", b"null", b"\xff\xfe", b'"x"', b"", b"[[[[[" * 20_000, b'{"jsonrpc": "2.0"}', b"{}" * 10],
        [b'{"jsonrpc": "2.0", "id": 1e400, "method": "x"}', b'{"jsonrpc": "2.0", "id": {"a": []}, "method": "x"}',
         b'{"jsonrpc": "2.0", "id": null, "method": "x"}', b'{"jsonrpc": "2.0", "id": [1], "method": "shutdown"}'],
        [b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "untitled:s",'
         b' "languageId": "sql", "version": 1, "text": "SELECT \\ud800 FROM \\u0000t"}}}'],
        [b'{"jsonrpc": "2.0", "method": "' + b"x" * 100_000 + b'"}', b'{"jsonrpc": "2.0", "id": 7, "result": null}'],
    ],
    ids=["no JSON", "odd ids", "odd text", "unknown"],
)
def test_bodies_that_are_garbage(bodies: list[bytes]) -> None:
    with Wire() as wire:
        wire.initialize(ALL)
        for body in bodies:
            wire.send_bytes(body)
        assert is_alive(wire)


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: x\r\n\r\n", b"Content-Length: -5\r\n\r\n", b"Content-Length\r\n\r\n", b"\r\n\r\n\r\n",
        b"X: " + b"y" * 100_000 + b"\r\n\r\n", b"\x00\x01\x02\r\n\r\n",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    ],
    ids=["no number", "negative", "no colon", "empty", "huge", "binary", "twice"],
)  # fmt: skip
def test_headers_that_are_garbage(header: bytes) -> None:
    """A header that says nothing is skipped: the next message is read."""
    with Wire() as wire:
        wire.initialize(ALL)
        wire.send_bytes(b"", header)
        assert is_alive(wire)


@pytest.mark.parametrize("length", [10**6, 10**18])
def test_a_length_that_never_comes_ends_with_the_input(length: int) -> None:
    with Wire() as wire:
        wire.initialize(ALL)
        wire.send_bytes(b"{}", b"Content-Length: %d\r\n\r\n" % length)
        assert wire.process.stdin is not None
        wire.process.stdin.close()
        assert wire.exit_code() == 1


def test_a_client_that_reads_nothing_and_dies(tmp_path: Path) -> None:
    """The client's own process is killed while the server has much to say: the server ends, and its processes too."""
    for at in range(200):
        (tmp_path / f"{at}.sql").write_text(f"CREATE VIEW v{at} AS SELECT " + ", ".join(f"a.c{n}" for n in range(200)))
    client = (
        "import subprocess, sys, time, json\n"
        "server = subprocess.Popen([sys.executable, '-m', 'sql_lineage_ls', 'serve', '--no-cache'],\n"
        "  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)\n"
        "def send(message):\n"
        "  body = json.dumps({'jsonrpc': '2.0', **message}).encode()\n"
        "  server.stdin.write(b'Content-Length: %d\\r\\n\\r\\n%s' % (len(body), body)); server.stdin.flush()\n"
        "params = {'processId': None, 'capabilities': {}, 'rootUri': sys.argv[1]}\n"
        "send({'id': 1, 'method': 'initialize', 'params': params})\n"
        "send({'method': 'initialized', 'params': {}})\n"
        "for at in range(50):\n"
        "  send({'id': 2 + at, 'method': 'sqlLineage/status'})\n"
        "print(server.pid, flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", client, tmp_path.as_uri()], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        server = int(process.stdout.readline())
        time.sleep(0.5)
    finally:
        process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 20
    while _runs(server) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _runs(server)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    # What nobody has waited for is over too.
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
