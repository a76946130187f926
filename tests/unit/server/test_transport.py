from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.protocol import default_converter

from sql_lineage_ls.server.app import Server
from sql_lineage_ls.server.protocol import Protocol
from sql_lineage_ls.server.transport import Framing, StdioWriter


@given(st.lists(st.binary(max_size=40), max_size=6), st.integers(1, 30))
def test_messages_are_cut_alike_however_the_bytes_come(bodies: list[bytes], size: int) -> None:
    stream = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    framing = Framing()
    found = [body for at in range(0, len(stream), size) for body in framing.feed(stream[at : at + size])]
    assert found == bodies


@pytest.mark.parametrize(
    ("stream", "bodies"),
    [
        (b"content-length:2\r\nContent-Type: x; charset=utf-8\r\n\r\nok", [b"ok"]),
        (b"X: y\r\n\r\nContent-Length: 2\r\n\r\nok", [b"ok"]),
        (b"Content-Length: -5\r\n\r\nContent-Length: 2\r\n\r\nok", [b"ok"]),
        (b"Content-Length: 99999999999\r\n\r\nContent-Length: 2\r\n\r\nok", [b"ok"]),
        (b"Content-Length: 3\r\n\r\nok", []),
    ],
)
def test_headers(stream: bytes, bodies: list[bytes]) -> None:
    assert Framing().feed(stream) == bodies


class _Stream:
    """A stream that takes at most three bytes at a time, and then breaks."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.written = b""

    def write(self, data: memoryview) -> int:
        if not self.room:
            raise BrokenPipeError
        taken = bytes(data[: min(3, self.room)])
        self.written += taken
        self.room -= len(taken)
        return len(taken)


def test_writing_ends_quietly_when_the_reader_is_gone() -> None:
    lost: list[bool] = []
    stream = _Stream(8)
    writer = StdioWriter(stream, lambda: lost.append(True))  # type: ignore[arg-type]
    writer.write(b"12345")
    assert (stream.written, lost) == (b"12345", [])
    writer.write(b"67890")
    assert (stream.written, lost) == (b"12345678", [True])


# ---------------------------------------------------------------- the line of waiting messages


class _Answers:
    """A transport that keeps what the server writes."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self.messages.append(json.loads(data))

    def close(self) -> None:
        """Nothing is open."""


def make_protocol() -> tuple[Protocol, _Answers, list[str]]:
    """A protocol whose hover notes that it was run."""
    server = Server("test", "1", protocol_cls=Protocol, converter_factory=default_converter)
    answers = _Answers()
    server.protocol.set_writer(answers, include_headers=False)
    server.protocol.initialize = lambda _: types.ServerCapabilities()
    run: list[str] = []

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> None:
        run.append(params.text_document.uri)

    feed(server.protocol, {"id": 0, "method": "initialize", "params": {"processId": None, "capabilities": {}}})
    answers.messages.clear()
    return server.protocol, answers, run


def feed(protocol: Protocol, *messages: dict[str, Any]) -> None:
    """Puts messages into the line, then handles all of them."""
    for message in messages:
        protocol.put(json.dumps({"jsonrpc": "2.0", **message}).encode())
    for _ in messages:
        protocol.handle_next()


def hover(request: int) -> dict[str, Any]:
    params = {"textDocument": {"uri": f"u{request}"}, "position": {"line": 0, "character": 0}}
    return {"id": request, "method": "textDocument/hover", "params": params}


def cancel(request: int) -> dict[str, Any]:
    return {"method": "$/cancelRequest", "params": {"id": request}}


def test_a_cancelled_request_is_not_run_and_the_others_are() -> None:
    protocol, answers, run = make_protocol()
    feed(protocol, hover(1), hover(2), hover(3), cancel(2))
    assert run == ["u1", "u3"]
    assert [(message["id"], message.get("error", {}).get("code")) for message in answers.messages] == [
        (1, None),
        (2, -32800),
        (3, None),
    ]


def test_a_cancellation_of_an_answered_request_is_forgotten() -> None:
    protocol, answers, run = make_protocol()
    feed(protocol, hover(1))
    feed(protocol, cancel(1))
    feed(protocol, hover(1))
    assert run == ["u1", "u1"]
    assert len(answers.messages) == 2


def test_an_answer_to_a_request_that_was_given_up_is_ignored() -> None:
    protocol, _, _ = make_protocol()
    future = protocol.send_request("workspace/codeLens/refresh", msg_id="mine")
    future.cancel()
    feed(protocol, {"id": "mine", "result": None})
    assert future.cancelled()


def test_a_malformed_answer_ends_the_waiting() -> None:
    protocol, _, _ = make_protocol()
    future = protocol.send_request("workspace/configuration", types.ConfigurationParams([]), msg_id="mine")
    feed(protocol, {"id": "mine", "error": "no object"})
    assert future.exception() is not None


def test_what_is_not_understood_of_a_client_is_left_out() -> None:
    server = Server("test", "1", protocol_cls=Protocol, converter_factory=default_converter)
    answers = _Answers()
    server.protocol.set_writer(answers, include_headers=False)
    seen: list[types.InitializeParams] = []

    def initialize(params: types.InitializeParams) -> types.ServerCapabilities:
        seen.append(params)
        return types.ServerCapabilities()

    server.protocol.initialize = initialize
    capabilities = {
        "textDocument": {
            "hover": {"contentFormat": ["html", "markdown"]},
            "documentSymbol": {"symbolKind": {"valueSet": [1, 999]}, "hierarchicalDocumentSymbolSupport": True},
            "codeLens": {},
        },
        "workspace": {"configuration": True, "workspaceEdit": {"failureHandling": "somehow"}},
    }
    params = {"processId": 1, "trace": "loud", "rootUri": "file:///w", "capabilities": capabilities}
    feed(server.protocol, {"id": 1, "method": "initialize", "params": params})
    (found,) = seen
    assert found.root_uri == "file:///w"
    assert found.capabilities.workspace is not None
    assert found.capabilities.workspace.configuration is True
    text = found.capabilities.text_document
    assert text is not None
    assert text.hover is not None
    assert list(text.hover.content_format or ()) == [types.MarkupKind.Markdown]
    assert text.document_symbol is not None
    assert text.document_symbol.hierarchical_document_symbol_support is True
    assert text.code_lens is not None


def test_an_initialize_that_is_none_is_answered() -> None:
    server = Server("test", "1", protocol_cls=Protocol, converter_factory=default_converter)
    answers = _Answers()
    server.protocol.set_writer(answers, include_headers=False)
    feed(server.protocol, {"id": 1, "method": "initialize", "params": 5})
    assert answers.messages[0]["error"]["code"] == -32602
