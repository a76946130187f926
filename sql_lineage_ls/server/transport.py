"""Bytes in and out: messages framed by `Content-Length`, over stdio or one loopback connection.

Reading has a thread of its own: in pygls it shares the pool of the handlers, and a busy pool is a deaf server.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import Protocol

_log = logging.getLogger(__name__)

_CHUNK = 1 << 16
_MOST_BYTES = 1 << 30


class Framing:
    """Cuts a stream of bytes into message bodies. Headers other than `Content-Length` are read past."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length = -1

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that are complete now that `data` has come."""
        self._buffer += data
        bodies = []
        while (body := self._next()) is not None:
            bodies.append(body)
        return bodies

    def _next(self) -> bytes | None:
        if self._length < 0 and not self._read_header():
            return None
        if len(self._buffer) < self._length:
            return None
        body = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        self._length = -1
        return body

    def _read_header(self) -> bool:
        """Reads headers up to one that has a length; False where more bytes are needed."""
        while True:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return False
            length = _content_length(bytes(self._buffer[:end]))
            del self._buffer[: end + 4]
            if length is not None:
                self._length = length
                return True
            _log.warning("a header without a usable Content-Length was skipped")


def _content_length(header: bytes) -> int | None:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
            return length if length <= _MOST_BYTES else None
    return None


class Receiver(Protocol):
    """The side of the protocol that a transport feeds."""

    def put(self, body: bytes) -> None: ...

    def handle_next(self) -> None: ...

    def end(self) -> None: ...


class StdioWriter:
    """Writes to a stream of bytes; what cannot be written any more is dropped, as its reader is gone."""

    def __init__(self, stream: io.RawIOBase, lost: Callable[[], None]) -> None:
        self._stream = stream
        self._lost = lost

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self._stream.write(view) or 0 :]
        except OSError:
            self._lost()

    def close(self) -> None:
        """Nothing is buffered here, and the stream is the process's own."""


def take_stdout() -> io.FileIO:
    """The standard output for messages alone: whatever else prints goes to the standard error from now on."""
    output = io.FileIO(os.dup(sys.stdout.fileno()), "w")
    sys.stdout = sys.stderr
    return output


def read_stdin(loop: asyncio.AbstractEventLoop, receiver: Receiver) -> None:
    """Starts the thread that reads the standard input until it ends."""
    # Not `sys.stdin`: its lock would be held by this thread when the interpreter ends.
    stream = io.FileIO(sys.stdin.fileno(), "r", closefd=False)

    def run() -> None:
        framing = Framing()
        try:
            while data := stream.read(_CHUNK):
                for body in framing.feed(data):
                    receiver.put(body)
                    loop.call_soon_threadsafe(receiver.handle_next)
        except OSError as error:
            _log.warning("the input failed: %s", error)
        finally:
            try:
                loop.call_soon_threadsafe(receiver.end)
            except RuntimeError:
                _log.debug("the input ended after the loop")

    threading.Thread(target=run, name="input", daemon=True).start()


async def read_connection(reader: asyncio.StreamReader, receiver: Receiver) -> None:
    """Reads a connection until it ends."""
    loop = asyncio.get_running_loop()
    framing = Framing()
    try:
        while data := await reader.read(_CHUNK):
            for body in framing.feed(data):
                receiver.put(body)
                loop.call_soon(receiver.handle_next)
    except OSError as error:
        _log.warning("the connection failed: %s", error)
    receiver.end()
