"""A client that speaks bare JSON-RPC, for what a well-behaved client library would not let through."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]

SERVER = (sys.executable, "-m", "sql_lineage_ls", "serve")
SECONDS = 20.0


class Wire:
    """A server process and the messages that it has sent. Leaving the context ends it."""

    def __init__(self, command: Sequence[str] = SERVER) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.messages: queue.Queue[Json] = queue.Queue()
        self.seen: list[Json] = []
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def send(self, message: Json | list[Any]) -> None:
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body: bytes, header: bytes = b"") -> None:
        stream = self.process.stdin
        assert stream is not None
        stream.write((header or b"Content-Length: %d\r\n\r\n" % len(body)) + body)
        stream.flush()

    def send_all(self, messages: list[Json]) -> None:
        """Sends messages in one write."""
        bodies = [json.dumps(message).encode() for message in messages]
        self.send_bytes(b"", b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies))

    def next(self, method: str) -> Json:
        """Waits for a request or notification of the server."""
        while True:
            message = self.messages.get(timeout=SECONDS)
            self.seen.append(message)
            if message.get("method") == method:
                return message

    def request(self, request: int | str, method: str, params: Any = None) -> None:
        """Sends a request without waiting for its answer."""
        self.send({"jsonrpc": "2.0", "id": request, "method": method, "params": params})

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, request: int | str | None) -> Json:
        """Waits for the answer to a request."""
        for message in self.seen:
            if "method" not in message and message.get("id") == request:
                return message
        while True:
            message = self.messages.get(timeout=SECONDS)
            self.seen.append(message)
            if "method" not in message and message.get("id") == request:
                return message

    def error(self, request: int | str | None) -> int:
        """The error code of the answer to a request."""
        code: int = self.answer(request)["error"]["code"]
        return code

    def initialize(self, capabilities: Json | None = None, **params: Any) -> Json:
        """The handshake; gives the server's capabilities."""
        self.request("initialize", "initialize", {"processId": None, "capabilities": capabilities or {}, **params})
        found: Json = self.answer("initialize")["result"]["capabilities"]
        self.notify("initialized", {})
        return found

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "sql", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def exit_code(self) -> int:
        return self.process.wait(timeout=SECONDS)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            if not line.strip():
                self.messages.put(json.loads(stream.read(length)))
