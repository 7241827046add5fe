"""What is no JSON-RPC message is refused as that, before the SDK, which calls it wrong parameters."""

from __future__ import annotations

import json

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.server.http.guard import replayed
from services.server.jsonrpc import INVALID_REQUEST, PARSE_ERROR


class Envelope:
    """In front of an application that takes one message with each POST."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a message through, or refuse it."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        messages: list[Message] = [await receive()]
        while messages[-1].get("more_body", False):
            messages.append(await receive())
        wrong = _wrong(b"".join(message.get("body", b"") for message in messages))
        if wrong is None:
            await self._app(scope, replayed(messages, receive), send)
            return
        code, words = wrong
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": words}}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 400, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _wrong(body: bytes) -> tuple[int, str] | None:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return PARSE_ERROR, "Parse error: the body is not JSON."
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, "Invalid Request: it is no JSON-RPC 2.0 message."
    return None
