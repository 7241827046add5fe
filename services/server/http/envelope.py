"""What is no JSON-RPC message is refused as that, before the SDK, which takes some of it for something else."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.server.http.guard import JSON, is_json_type, replayed
from services.server.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR

_NOT_JSON = INVALID_REQUEST, f"Send {JSON}."


class Envelope:
    """In front of an application that takes one message with each POST."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a message through, or refuse it."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(_from_here_on(scope), receive, send)
            return
        messages: list[Message] = [await receive()]
        while messages[-1].get("more_body", False):
            messages.append(await receive())
        is_json = is_json_type(scope)
        wrong = _wrong(b"".join(message.get("body", b"") for message in messages)) if is_json else _NOT_JSON
        if wrong is None:
            await self._app(scope, replayed(messages, receive), send)
            return
        code, words = wrong
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": words}}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 400 if is_json else 415, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _wrong(body: bytes) -> tuple[int, str] | None:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return PARSE_ERROR, "Parse error: the body is not JSON."
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, "Invalid Request: it is no JSON-RPC 2.0 message."
    return _wrong_request(value) if "method" in value else None


def _wrong_request(value: dict[str, Any]) -> tuple[int, str] | None:
    """A request with an id that is none would be taken for a notification: nobody would hear of it again."""
    if not isinstance(value["method"], str):
        return INVALID_REQUEST, "Invalid Request: method is a text."
    if "id" in value and (isinstance(value["id"], bool) or not isinstance(value["id"], str | int)):
        return INVALID_REQUEST, "Invalid Request: id is a text or a whole number."
    if not isinstance(value.get("params", {}), dict):
        return INVALID_PARAMS, "Invalid params: they are an object."
    return None


def _from_here_on(scope: Scope) -> Scope:
    """A stream that is asked for anew begins with what comes: nothing is kept to be told again, and the SDK has no
    answer to who wants it."""
    headers = [header for header in scope.get("headers", ()) if header[0] != b"last-event-id"]
    return {**scope, "headers": headers}
