"""What a well-behaved client library would not send, and how the server begins and ends."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.wire import SERVER, Json, Wire

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
NOT_INITIALIZED = -32002
CANCELLED = -32800

POSITION = {"textDocument": {"uri": "untitled:q"}, "position": {"line": 0, "character": 8}}


def test_shutdown_and_exit_end_with_0() -> None:
    with Wire() as wire:
        wire.initialize()
        wire.request(1, "shutdown")
        assert wire.answer(1)["result"] is None
        wire.notify("exit")
        assert wire.exit_code() == 0


def test_exit_without_shutdown_ends_with_1() -> None:
    with Wire() as wire:
        wire.initialize()
        wire.notify("exit")
        assert wire.exit_code() == 1


def test_exit_before_initialize_ends_with_1() -> None:
    with Wire() as wire:
        wire.notify("exit")
        assert wire.exit_code() == 1


def test_the_end_of_the_input_ends_the_server() -> None:
    with Wire() as wire:
        wire.initialize()
        assert wire.process.stdin is not None
        wire.process.stdin.close()
        assert wire.exit_code() == 1


def test_exit_does_not_wait_for_the_analysis(tmp_path: Path) -> None:
    for at in range(300):
        (tmp_path / f"{at}.sql").write_text(f"CREATE VIEW v{at} AS SELECT " + ", ".join(f"a.c{n}" for n in range(200)))
    with Wire() as wire:
        wire.initialize(rootUri=tmp_path.as_uri())
        wire.request(1, "shutdown")
        wire.answer(1)
        wire.notify("exit")
        began = time.monotonic()
        assert wire.exit_code() == 0
        assert time.monotonic() - began < 2.0


def test_requests_after_shutdown_are_refused() -> None:
    with Wire() as wire:
        wire.initialize()
        wire.request(1, "shutdown")
        wire.answer(1)
        wire.request(2, "textDocument/hover", POSITION)
        assert wire.error(2) == INVALID_REQUEST
        wire.notify("exit")
        assert wire.exit_code() == 0


def test_requests_before_initialize_are_refused_and_notifications_dropped() -> None:
    with Wire() as wire:
        wire.open("untitled:q", "SELECT 1")
        wire.request(1, "textDocument/hover", POSITION)
        assert wire.error(1) == NOT_INITIALIZED
        wire.initialize()
        wire.request(2, "textDocument/hover", POSITION)
        assert wire.answer(2)["result"] is None


def test_a_second_initialize_is_refused() -> None:
    with Wire() as wire:
        wire.initialize()
        wire.request(1, "initialize", {"processId": None, "capabilities": {}})
        assert wire.error(1) == INVALID_REQUEST


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {"textDocument": {"uri": "untitled:q"}}),
        ("textDocument/hover", {"textDocument": {"uri": "untitled:q"}, "position": {"line": "x", "character": None}}),
        ("textDocument/hover", None),
        ("textDocument/definition", []),
        ("textDocument/codeLens", {"textDocument": 7}),
        ("workspace/executeCommand", {"command": "no.such.command"}),
        ("workspace/executeCommand", {"command": "sqlLineage.uses", "arguments": ["untitled:q"]}),
        ("workspace/executeCommand", {"command": "sqlLineage.uses", "arguments": ["untitled:q", {"line": 1}]}),
    ],
)
def test_malformed_parameters_are_answered(method: str, params: Json | None) -> None:
    with Wire() as wire:
        wire.initialize()
        wire.request(1, method, params)
        assert wire.error(1) == INVALID_PARAMS
        wire.request(2, "sqlLineage/status")
        assert wire.answer(2)["result"]["ready"] is not None


def test_messages_that_are_none() -> None:
    with Wire() as wire:
        wire.initialize()
        wire.send_bytes(b"{not json")
        assert wire.error(None) == PARSE_ERROR
        wire.seen.clear()
        wire.send([1, 2])
        assert wire.error(None) == PARSE_ERROR
        wire.send({"id": 1, "method": "textDocument/hover", "params": POSITION})
        assert wire.error(1) == INVALID_REQUEST
        wire.send({"jsonrpc": "2.0", "id": 2, "method": 5})
        assert wire.error(2) == INVALID_REQUEST
        wire.send_bytes(b"", b"Content-Type: odd\r\n\r\n")
        body = b'{"jsonrpc": "2.0", "id": 3, "method": "sqlLineage/status"}'
        wire.send_bytes(body, b"content-length: %d\r\nContent-Type: x\r\n\r\n" % len(body))
        assert "result" in wire.answer(3)


def test_unknown_methods() -> None:
    with Wire() as wire:
        wire.initialize()
        wire.notify("$/unheardOf", {"a": 1})
        wire.notify("textDocument/unheardOf")
        wire.request(1, "textDocument/unheardOf", {"a": [1]})
        assert wire.error(1) == METHOD_NOT_FOUND
        wire.request("two", "unheardOf")
        assert wire.error("two") == METHOD_NOT_FOUND


def test_malformed_notifications_do_no_harm_and_pop_up_nothing() -> None:
    with Wire() as wire:
        wire.initialize()
        wire.notify("textDocument/didOpen", {"textDocument": {"uri": 1}})
        wire.notify("textDocument/didChange", {"textDocument": {"uri": "untitled:q", "version": 2}})
        wire.notify("textDocument/didClose")
        wire.notify("$/cancelRequest", {"id": 99})
        wire.notify("$/cancelRequest", {})
        wire.send({"jsonrpc": "2.0", "id": 77, "result": None})
        wire.request(1, "sqlLineage/status")
        wire.answer(1)
        assert [message.get("method") for message in wire.seen if "method" in message] == []


def test_requests_that_are_cancelled_while_they_wait_are_never_run() -> None:
    with Wire() as wire:
        wire.initialize({"textDocument": {"hover": {}}})
        wire.open("untitled:q", "SELECT 1")
        # The requests and their cancellations come in one piece, so that all of them wait together.
        messages: list[Json] = [{"id": at, "method": "textDocument/hover", "params": POSITION} for at in range(1, 6)]
        messages += [{"method": "$/cancelRequest", "params": {"id": at}} for at in range(1, 6)]
        messages += [{"id": 6, "method": "textDocument/hover", "params": POSITION}]
        wire.send_all([{"jsonrpc": "2.0", **message} for message in messages])
        assert [wire.error(at) for at in range(1, 6)] == [CANCELLED] * 5
        assert wire.answer(6)["result"] is None


def test_a_request_that_already_waits_for_the_workspace_can_be_cancelled(tmp_path: Path) -> None:
    for at in range(300):
        (tmp_path / f"{at}.sql").write_text(f"CREATE VIEW v{at} AS SELECT " + ", ".join(f"a.c{n}" for n in range(100)))
    with Wire() as wire:
        wire.initialize(rootUri=tmp_path.as_uri())
        # A lens waits until every use is known.
        wire.request(1, "textDocument/codeLens", {"textDocument": {"uri": (tmp_path / "0.sql").as_uri()}})
        wire.request(2, "sqlLineage/status")
        assert not wire.answer(2)["result"]["complete"]
        wire.notify("$/cancelRequest", {"id": 1})
        assert wire.error(1) == CANCELLED


_ALWAYS = {
    "completionProvider",
    "declarationProvider",
    "definitionProvider",
    "documentHighlightProvider",
    "documentSymbolProvider",
    "hoverProvider",
    "implementationProvider",
    "referencesProvider",
    "renameProvider",
    "signatureHelpProvider",
    "typeDefinitionProvider",
    "workspaceSymbolProvider",
}


def test_what_is_as_old_as_the_protocol_is_offered_to_all() -> None:
    # Kate asks for all of these, and mentions hover and the outline only.
    with Wire() as wire:
        found = wire.initialize({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
        assert found.keys() >= _ALWAYS
        assert found["renameProvider"] is True
        assert found["positionEncoding"] == "utf-16"


def test_what_came_later_is_offered_to_clients_that_mention_it() -> None:
    later = {
        "callHierarchyProvider": "callHierarchy",
        "codeLensProvider": "codeLens",
        "documentLinkProvider": "documentLink",
        "foldingRangeProvider": "foldingRange",
        "selectionRangeProvider": "selectionRange",
    }
    depending = {"codeActionProvider", "semanticTokensProvider", "workspace"}
    with Wire() as wire:
        assert not (later.keys() | depending) & wire.initialize().keys()
    with Wire() as wire:
        text = {name: {} for name in later.values()}
        found = wire.initialize({"textDocument": text, "general": {"positionEncodings": ["x", "utf-32", "utf-8"]}})
        assert found.keys() >= later.keys()
        assert found["positionEncoding"] == "utf-32"


def test_a_plain_client_gets_plain_answers() -> None:
    ddl = "-- dialect: bigquery\nCREATE TABLE yard.carts (id INT64, load STRUCT<kind STRING>);\n"
    query = "-- dialect: bigquery\nSELECT c.load.kind FROM yard.carts AS c;\n"
    features = ("hover", "definition", "documentSymbol", "publishDiagnostics")
    with Wire() as wire:
        wire.initialize({"textDocument": {feature: {} for feature in features}})
        wire.open("untitled:ddl", ddl)
        wire.open("untitled:query", query)
        at = {"textDocument": {"uri": "untitled:query"}, "position": {"line": 1, "character": 15}}
        wire.request(1, "textDocument/hover", at)
        contents = wire.answer(1)["result"]["contents"]
        assert contents["kind"] == "plaintext"
        assert "](" not in contents["value"]
        assert "yard.carts.load.kind" in contents["value"]
        wire.request(2, "textDocument/definition", at)
        span = {"start": {"line": 1, "character": 47}, "end": {"line": 1, "character": 51}}
        assert wire.answer(2)["result"] == [{"uri": "untitled:ddl", "range": span}]
        wire.request(3, "textDocument/documentSymbol", {"textDocument": {"uri": "untitled:ddl"}})
        symbols = wire.answer(3)["result"]
        assert [(symbol["name"], symbol.get("containerName")) for symbol in symbols] == [
            ("yard.carts", None),
            ("id", "yard.carts"),
            ("load", "yard.carts"),
            ("kind", "load"),
        ]


def test_no_root_at_all() -> None:
    with Wire() as wire:
        wire.initialize({"textDocument": {"hover": {}}}, rootUri=None, workspaceFolders=None)
        wire.open("untitled:q", "-- dialect: bigquery\nSELECT t.nothing FROM some.table AS t")
        wire.request(1, "sqlLineage/status")
        found = wire.answer(1)["result"]
        assert (found["documents"], found["statements"]) == (1, 1)


def test_a_root_that_is_only_a_path_and_one_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "a b.sql").write_text("SELECT 1")
    for params, documents in (
        ({"rootPath": str(tmp_path)}, 1),
        ({"rootUri": (tmp_path / "nowhere").as_uri()}, 0),
        ({"rootUri": "vscode-vfs://github/some/where"}, 0),
    ):
        with Wire() as wire:
            wire.initialize({"textDocument": {"codeLens": {}}}, **params)
            # Waits for the whole workspace.
            wire.request(1, "textDocument/codeLens", {"textDocument": {"uri": "untitled:none"}})
            assert wire.answer(1)["result"] is None
            wire.request(2, "sqlLineage/status")
            assert wire.answer(2)["result"]["documents"] == documents


def test_progress_of_the_first_scan(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT 1")
    with Wire() as wire:
        wire.initialize({"window": {"workDoneProgress": True}}, rootUri=tmp_path.as_uri())
        create = wire.next("window/workDoneProgress/create")
        wire.send({"jsonrpc": "2.0", "id": create["id"], "result": None})
        wire.request(1, "textDocument/codeLens", {"textDocument": {"uri": "untitled:none"}})
        wire.answer(1)
        kinds = [m["params"]["value"]["kind"] for m in wire.seen if m.get("method") == "$/progress"]
        # The scan of one file may be over before the client has agreed to show it.
        assert not kinds or (kinds[0], kinds[-1]) == ("begin", "end")


def test_only_messages_are_written_to_the_output() -> None:
    process = subprocess.run(
        SERVER, input=b"", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20, check=False
    )
    assert (process.stdout, process.returncode) == (b"", 1)


def test_a_connection_to_the_loopback_address() -> None:
    command = [sys.executable, "-m", "sql_lineage_ls", "serve", "--tcp", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        assert "127.0.0.1:" in line
        with socket.create_connection(("127.0.0.1", int(line.rsplit(":", 1)[1])), timeout=20) as connection:
            stream = connection.makefile("rwb")
            for body in (
                b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"capabilities":{}}}',
                b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}',
                b'{"jsonrpc":"2.0","method":"exit"}',
            ):
                stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            stream.flush()
            answers = stream.read()
        assert answers.count(b"Content-Length") == 2
        assert b'"capabilities"' in answers
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.wait()
