"""An editor as far as benchmarks need one: bare JSON-RPC over the standard streams of a server process."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

_SECONDS = 300.0


class Client:
    """A running server on a folder. Leaving the context ends it."""

    def __init__(self, folder: Path, *, settle: bool = True) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sql_lineage_ls", "serve"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self._id = 0
        # The diagnostics that came last, by document: version and number.
        self._published: dict[str, tuple[int, int]] = {}
        threading.Thread(target=self._read, daemon=True).start()
        self.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {
            "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
            "textDocument": {"publishDiagnostics": {"versionSupport": True},
                             "hover": {"contentFormat": ["markdown"]}},
        }})  # fmt: skip
        self._notify("initialized", {})
        if settle:
            self.settle()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    def ask(self, method: str, params: object) -> Any:
        """The result of a request, None where there is none."""
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        while True:
            message = self._take()
            if "method" not in message and message.get("id") == self._id:
                return message.get("result")

    def open(self, uri: str, text: str) -> None:
        self._published.pop(uri, None)
        self._notify("textDocument/didOpen", {
            "textDocument": {"uri": uri, "languageId": "sql", "version": 1, "text": text}})  # fmt: skip

    def insert(self, uri: str, version: int, line: int, character: int, text: str, gone: int) -> None:
        """Replaces `gone` characters at a place."""
        place = {"start": {"line": line, "character": character}, "end": {"line": line, "character": character + gone}}
        changes = [{"range": place, "text": text}]
        self._notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": changes})  # fmt: skip

    def close(self, uri: str) -> None:
        self._notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri: str, version: int, least: int = 0) -> None:
        """Waits for the diagnostics of a version, `least` of them at least."""
        while True:
            found, number = self._published.get(uri, (0, 0))
            if found >= version and number >= least:
                return
            self._take()

    def settled(self) -> bool:
        status = self.ask("sqlLineage/status", {})
        return bool(status and status["ready"] and status["complete"])

    def settle(self) -> None:
        """Waits until everything is analysed."""
        while not self.settled():
            time.sleep(0.01)

    def resident(self) -> float:
        """Megabytes of the server that are in memory; 0 where the system does not tell."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1])
        except OSError:
            return 0.0
        return pages * 4096 / 1e6

    def _notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        stream = self._process.stdin
        assert stream is not None
        body = json.dumps(message).encode()
        stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stream.flush()

    def _take(self) -> dict[str, Any]:
        """The next message; requests of the server are answered with nothing, diagnostics noted."""
        message = self._messages.get(timeout=_SECONDS)
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self._published[params["uri"]] = params.get("version") or 0, len(params["diagnostics"])
        elif "method" in message and "id" in message:
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        return message

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            if not line.strip():
                self._messages.put(json.loads(stream.read(length)))
