"""A small editor: starts the server as an editor does, speaks JSON-RPC with it over stdio, and keeps what it pushes.

It knows messages as plain dictionaries, so that nothing of the server's own code can hide a fault of the server.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

Json = dict[str, Any]

REQUEST_TIMEOUT = 30.0
_CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "declaration": {"linkSupport": True},
        "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True},
        "codeLens": {},
    },
    "workspace": {"configuration": False, "workspaceFolders": True},
}


class ServerFailed(Exception):
    """The server ended, went silent or answered with an error; the text is for a person."""


class Client:
    """One session with a server process. Use as a context manager: leaving it ends the process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.diagnostics: dict[str, list[Json]] = {}
        self._messages: queue.Queue[Json | None] = queue.Queue()
        self._next_id = 0
        # stderr goes to the terminal: what the server logs is for the person who runs the demo.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sql_lineage_ls", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def initialize(self) -> Json:
        """The handshake. Returns the server's capabilities."""
        uri = self.folder.as_uri()
        result = self.request(
            "initialize",
            {
                "processId": None,
                "clientInfo": {"name": "sql-lineage-ls demo"},
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self.folder.name}],
                "capabilities": _CAPABILITIES,
            },
        )
        self.notify("initialized", {})
        capabilities: Json = (result or {}).get("capabilities", {})
        return capabilities

    def shutdown(self) -> int:
        """Ends the session in the protocol's way and returns the exit code of the server."""
        self.request("shutdown", None)
        self.notify("exit", None)
        try:
            return self._process.wait(10)
        except subprocess.TimeoutExpired:
            raise ServerFailed("the server did not end after 'exit'") from None

    def open(self, path: Path, text: str) -> str:
        """Opens a document as an editor's buffer and returns its uri."""
        uri = path.as_uri()
        document = {"uri": uri, "languageId": "sql", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def ask(self, method: str, uri: str, line: int, character: int) -> Any:
        """A request about a position, counted from 0 in UTF-16 code units."""
        position = {"line": line, "character": character}
        return self.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": position})

    def request(self, method: str, params: Json | None) -> Any:
        """Sends a request and waits for its result."""
        self._next_id += 1
        request_id = self._next_id
        self._send({"id": request_id, "method": method, "params": params})
        deadline = time.monotonic() + REQUEST_TIMEOUT
        while True:
            message = self._receive(deadline, f"'{method}'")
            if message.get("id") == request_id and "method" not in message:
                if "error" in message:
                    raise ServerFailed(f"'{method}' failed: {message['error'].get('message', message['error'])}")
                return message.get("result")

    def notify(self, method: str, params: Json | None) -> None:
        """Sends a notification."""
        self._send({"method": method, "params": params})

    def wait_for_diagnostics(self, uris: set[str], seconds: float) -> None:
        """Returns when every one of `uris` has had its diagnostics, or the time is over."""
        deadline = time.monotonic() + seconds
        while not uris <= self.diagnostics.keys():
            try:
                self._receive(deadline, "")
            except TimeoutError:
                return

    def _receive(self, deadline: float, waiting_for: str) -> Json:
        """The next message; pushed ones are kept and the server's own requests answered on the way."""
        try:
            message = self._messages.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            if not waiting_for:
                raise TimeoutError from None
            raise ServerFailed(f"the server did not answer {waiting_for} in {REQUEST_TIMEOUT:.0f} seconds") from None
        if message is None:
            code = self._process.wait()
            raise ServerFailed(f"the server ended with exit code {code}")
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
        elif "method" in message and "id" in message:
            items = (message.get("params") or {}).get("items")
            self._send({"id": message["id"], "result": [None] * len(items) if isinstance(items, list) else None})
        return message

    def _send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        if stream is None:
            return
        try:
            stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            stream.flush()
        except OSError:
            raise ServerFailed("the server has closed its input") from None

    def _read(self) -> None:
        stream = self._process.stdout
        while stream is not None and (message := _read_message(stream)) is not None:
            self._messages.put(message)
        self._messages.put(None)


def _read_message(stream: BinaryIO | Any) -> Json | None:
    """One message of the wire, None at its end."""
    length = -1
    while (header := stream.readline()) not in (b"\r\n", b"\n"):
        if not header:
            return None
        name, _, value = header.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    body = stream.read(length)
    if len(body) < length:
        return None
    message: Json = json.loads(body)
    return message
