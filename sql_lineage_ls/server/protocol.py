"""The language server protocol over JSON-RPC, where pygls' own handling falls short of it.

What is different from pygls' protocol: every request is answered, malformed and late ones too; a request that was
cancelled while it waited in line is never started; a failed handler is logged and answered, and never shows a
message box; documents and folders are kept by the session alone, as pygls cuts lines where the protocol does not.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from sql_lineage_ls.server.lenient import understood

_log = logging.getLogger(__name__)

Message = dict[str, Any]


class Protocol(LanguageServerProtocol):
    """One connection. `receive` takes messages from the transport, in the order in which they came."""

    # The session handles these itself: without a built-in handler they reach its own.
    lsp_text_document__did_open = None  # type: ignore[assignment]
    lsp_text_document__did_change = None  # type: ignore[assignment]
    lsp_text_document__did_close = None  # type: ignore[assignment]
    lsp_notebook_document__did_open = None  # type: ignore[assignment]
    lsp_notebook_document__did_change = None  # type: ignore[assignment]
    lsp_notebook_document__did_close = None  # type: ignore[assignment]
    lsp_workspace__did_change_workspace_folders = None  # type: ignore[assignment]
    lsp_workspace__execute_command = None  # type: ignore[assignment]
    lsp_work_done_progress_cancel = None  # type: ignore[assignment]

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        self.initialize: Callable[[types.InitializeParams], types.ServerCapabilities] | None = None
        self.ended: Callable[[int], None] | None = None
        self._initialized = False
        self._waiting: deque[Message | bytes] = deque()
        self._cancelled: set[str | int] = set()

    # ------------------------------------------------------------ messages in

    def put(self, body: bytes) -> None:
        """Takes the bytes of one message from the transport, on any thread; `handle_next` handles it.

        A cancellation takes effect here, ahead of everything that still waits in line.
        """
        message = _decode(body)
        if isinstance(message, dict) and message.get("method") == types.CANCEL_REQUEST:
            params = message.get("params")
            request = params.get("id") if isinstance(params, dict) else None
            if isinstance(request, (str, int)):
                self._cancelled.add(request)
        self._waiting.append(message)

    def handle_next(self) -> None:
        """Handles the message that waits longest, if there is one."""
        if not self._waiting:
            return
        message = self._waiting.popleft()
        if isinstance(message, bytes):
            # A message whose id cannot be read is answered with none (JSON-RPC 2.0, section 5).
            refusal = JsonRpcParseError("the message is not a JSON object")
            self._send_response(None, error=refusal.to_response_error())  # type: ignore[arg-type]
            return
        try:
            self._handle_raw(message)
        except Exception:
            _log.exception("a message could not be handled")

    def _handle_raw(self, message: Message) -> None:
        method, request = message.get("method"), message.get("id")
        if method == types.CANCEL_REQUEST:
            self._cancel_running(message)
            return
        is_request = method is not None and "id" in message
        refusal = self._refusal(message, method, request) if method is not None else None
        if refusal is not None:
            if is_request:
                self._send_response(request, error=refusal.to_response_error())  # type: ignore[arg-type]
            return
        if isinstance(method, str) and self.get_message_type(method) is None:
            message.setdefault("params", None)
        try:
            structured = self.structure_message(message)
        except Exception as error:
            structured = self._structure_leniently(message) if method == types.INITIALIZE else None
            if structured is None:
                self._answer_malformed(message, is_request, error)
                return
        self.handle_message(structured)

    def _structure_leniently(self, message: Message) -> Any:
        """An `initialize` without what is not understood of it; None where too little is left."""
        params = message.get("params")
        if not isinstance(params, dict):
            return None
        structure = self._converter.structure

        def fits(kind: Any) -> Callable[[Any], bool]:
            def check(value: Any) -> bool:
                try:
                    structure(value, kind)
                except Exception:
                    return False
                return True

            return check

        capabilities = understood(params.get("capabilities"), fits(types.ClientCapabilities)) or {}
        needed = {"processId": None, "capabilities": capabilities}
        rest = {key: value for key, value in params.items() if key != "capabilities"}
        rest = understood(rest, lambda value: fits(types.InitializeParams)({**needed, **value})) or {}
        try:
            return self.structure_message({**message, "params": {**needed, **rest}})
        except Exception:
            return None

    def _refusal(self, message: Message, method: object, request: Any) -> JsonRpcException | None:
        """Why a request or notification is not handled at all, None where it is."""
        if not isinstance(method, str) or message.get("jsonrpc") != self.VERSION:
            return JsonRpcInvalidRequest("the message is no JSON-RPC 2.0 request")
        if request in self._cancelled:
            self._cancelled.discard(request)
            return JsonRpcRequestCancelled("the request was cancelled")
        if method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shut down and waits for 'exit'")
        if not self._initialized and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("the server waits for 'initialize'")
        if self._initialized and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("the server is already initialized")
        return None

    def _cancel_running(self, message: Message) -> None:
        params = message.get("params")
        request = params.get("id") if isinstance(params, dict) else None
        if not isinstance(request, (str, int)):
            return
        self._cancelled.discard(request)
        if request in self._request_futures:
            self._handle_cancel_notification(request)

    def _answer_malformed(self, message: Message, is_request: bool, error: Exception) -> None:
        _log.warning("malformed message %r: %s", message.get("method"), error)
        if is_request:
            reason = JsonRpcInvalidParams(f"the parameters do not fit '{message['method']}'")
            self._send_response(message["id"], error=reason.to_response_error())
        elif message.get("method") is None and "id" in message:
            # An answer that cannot be read: whoever waits for it must not wait for ever.
            self._handle_response(message["id"], None, types.ResponseError(-32603, "malformed response"))

    # ------------------------------------------------------------ answers

    def _handle_response(
        self, msg_id: str | int, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        future = self._request_futures.pop(msg_id, None)
        self._result_types.pop(msg_id, None)
        if future is None or future.done():
            return
        if error is not None:
            future.set_exception(JsonRpcException.from_error(error))
        else:
            future.set_result(result)

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            error: JsonRpcException = JsonRpcRequestCancelled("the request was cancelled")
        elif (failure := future.exception()) is None:
            self._send_response(msg_id, result=future.result())
            return
        elif isinstance(failure, JsonRpcException):
            error = failure
        else:
            _log.error("a request failed", exc_info=failure)
            error = JsonRpcInternalError(f"{type(failure).__name__}: {failure}")
        self._send_response(msg_id, error=error.to_response_error())

    # ------------------------------------------------------------ life cycle

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        self._initialized = True
        self.client_capabilities = params.capabilities
        self._server.process_id = params.process_id
        assert self.initialize is not None
        self.server_capabilities = self.initialize(params)
        yield from ()
        return types.InitializeResult(self.server_capabilities, self.server_info)

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: object) -> Generator[Any, Any, None]:
        # What still runs is answered as cancelled; its answers would come after this one.
        for request, future in list(self._request_futures.items()):
            if request != self.msg_id and not future.done():
                future.cancel()
        self._shutdown = True
        yield from ()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: object) -> Generator[Any, Any, None]:
        self.end()
        yield from ()

    def end(self) -> None:
        """Ends the session: `exit` came, or the client is gone. The exit code is 0 only after `shutdown`."""
        if self.ended is not None:
            self.ended(0 if self._shutdown else 1)


def _decode(body: bytes) -> Message | bytes:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return message if isinstance(message, dict) else body
