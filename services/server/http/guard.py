"""Guard of HTTP requests (SAFETY, Models and the network).

A web page that a person visits can send requests to this machine, and with a name that it points here even read
the answers: exact lists of Host and Origin stop both. The token stops other people's programs.

The token that a client shows: made anew for each server, or kept in a file that only its owner reads.

What is no JSON-RPC message is refused as that, before the SDK, which takes some of it for something else.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import secrets
import stat
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.decoding import decode
from services.errors import UsageError, WorkspaceError
from services.server.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR

OPEN_PATH = "/health"
"""Answers without a token: it tells nothing of the workspace."""

JSON = "application/json"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`body`: bytes; `receive`: seconds in which a body has to be there; `send`: seconds in which a reader has to take
    a piece of an answer; `rest`: seconds for which the rest of a body that is refused is taken."""

    body: int = 8 * 1024 * 1024
    receive: float = 30.0
    send: float = 30.0
    rest: float = 2.0


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """Rules of admission. `hosts`, `origins`: header values in lower case; `token`: the required bearer token;
    `signed`: paths whose requests have a signature instead, which their handler checks."""

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str
    limits: Limits = Limits()
    signed: frozenset[str] = frozenset()


def rules_for(
    names: Iterable[str], port: int, *, token: str, origins: Iterable[str] = (), limits: Limits | None = None
) -> Rules:
    """Return the rules for a server that is reached by `names` on `port`: its own pages and `origins` are
    admitted."""
    hosts = frozenset(f"{_bracketed(name.lower())}:{port}" for name in names)
    own = {f"http://{host}" for host in hosts}
    listed = frozenset(own | {origin.lower().rstrip("/") for origin in origins})
    return Rules(hosts=hosts, origins=listed, token=token, limits=limits or Limits())


class Guard:
    """ASGI application in front of another one. A refused client learns the rule and nothing else."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        request = _ending(receive)
        if refusal := self._refusal(scope):
            await _refuse(request, send, *refusal, rest=self._rules.limits.rest)
            return
        began = time.perf_counter()
        body = await self._body(request)
        if isinstance(body, tuple):
            await _refuse(request, send, *body, rest=self._rules.limits.rest)
            return
        if body[-1]["type"] == "http.disconnect":
            return
        await self._app(scope, replayed(body, receive), self._patient(send, began))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason; None for a request that may come in."""
        if _values(scope, b"content-length") and _values(scope, b"transfer-encoding"):
            # Whoever stands between may take the other for the body's end (RFC 9112, 6.1); a refusal closes.
            return 400, "Content-Length beside Transfer-Encoding is not served."
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._rules.hosts:
            return 421, "This Host is not served here."
        if any(origin.lower() not in self._rules.origins for origin in origins):
            return 403, "This Origin may not ask."
        path = scope["path"]
        if path != OPEN_PATH and path not in self._rules.signed and not self._is_bearer(scope):
            return 401, "A bearer token is needed: Authorization: Bearer TOKEN."
        declared = _values(scope, b"content-length")
        if declared and (not declared[0].isdigit() or int(declared[0][:20]) > self._rules.limits.body):
            return 413, f"A body has at most {self._rules.limits.body} bytes."
        return None

    def _is_bearer(self, scope: Scope) -> bool:
        shown = _values(scope, b"authorization")
        if len(shown) != 1:
            return False
        scheme, _, token = shown[0].partition(" ")
        same = hmac.compare_digest(token.strip().encode("latin-1"), self._rules.token.encode())
        return scheme.lower() == "bearer" and same

    async def _body(self, receive: Receive) -> list[Message] | tuple[int, str]:
        """The whole body as it came, or why it is refused."""
        limits = self._rules.limits
        try:
            with anyio.fail_after(limits.receive):
                messages = await _received(receive, limits.body)
        except TimeoutError:
            return 408, f"The body was not there within {limits.receive:g} seconds."
        return messages if messages is not None else (413, f"A body has at most {limits.body} bytes.")

    def _patient(self, send: Send, began: float) -> Send:
        """Return a `send` that ends the connection after the limit: a reader that has stopped holds no resources. The
        answer contains the time since `began`, so that a slow server can be distinguished from a slow client or
        network."""

        async def within(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = (b"server-timing", b"answer;dur=%.1f" % ((time.perf_counter() - began) * 1000))
                message = {**message, "headers": [*message.get("headers", []), *_HEADERS, took]}
            with anyio.fail_after(self._rules.limits.send):
                await send(message)

        return within


_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]


async def _received(receive: Receive, most: int) -> list[Message] | None:
    """The messages of a body; None if it is longer than `most` bytes."""
    messages: list[Message] = []
    size = 0
    while True:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if size > most:
            return None
        if message["type"] != "http.request" or not message.get("more_body", False):
            return messages


def _ending(receive: Receive) -> Receive:
    """A `receive` that does not wait behind the end of a body."""
    over = False

    async def ending() -> Message:
        nonlocal over
        if over:
            return {"type": "http.disconnect"}
        message = await receive()
        over = not message.get("more_body", False)
        return message

    return ending


def replayed(messages: list[Message], receive: Receive) -> Receive:
    """Return a `receive` that replays received messages, then continues."""
    waiting = deque(messages)

    async def replay() -> Message:
        return waiting.popleft() if waiting else await receive()

    return replay


def is_json_type(scope: Scope) -> bool:
    """Whether a request declares a JSON body."""
    said = _values(scope, b"content-type")
    return len(said) == 1 and said[0].partition(";")[0].strip().lower() == JSON


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]


async def _refuse(receive: Receive, send: Send, status: int, message: str, *, rest: float) -> None:
    """A refusal as JSON-RPC has it, for clients of either protocol.

    What comes of the request's body within `rest` seconds is read and thrown away: a connection that is closed over
    unread bytes is reset, and the client never sees why."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}
    body = json.dumps(error).encode()
    headers = [
        (b"content-type", JSON.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
        *_HEADERS,
    ]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    with anyio.move_on_after(rest):
        while (await receive())["type"] == "http.request":
            pass
    await send({"type": "http.response.body", "body": b""})


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")
"""RFC 6750, 2.1, and long enough not to be guessed."""


def new_token() -> str:
    """Return an unpredictable token."""
    return secrets.token_urlsafe(32)


def token_in(path: Path) -> str:
    """The token that a file holds; a file that is not there yet is made with a new one, for its owner alone.

    Raises UsageError for a file that others may read, or that holds no token; WorkspaceError if it cannot be opened."""
    try:
        return _made(path) if not path.exists() else _read(path)
    except OSError as error:
        raise WorkspaceError(f"The token file {str(path)!r} cannot be used: {error.strerror}.") from error


def _made(path: Path) -> str:
    token = new_token()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(token + "\n")
    return token


def _read(path: Path) -> str:
    with path.open() as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            raise UsageError(f"Others may read {str(path)!r}. Keep the token to yourself: chmod 600.")
        token = file.read(1_024).strip()
    if not _TOKEN.fullmatch(token):
        raise UsageError(f"{str(path)!r} holds no token: 16 letters and digits or more, on one line.")
    return token


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
        value = decode(Any, body)
    except msgspec.DecodeError:
        return PARSE_ERROR, "Parse error: the body is not JSON."
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, "Invalid Request: it is no JSON-RPC 2.0 message."
    return _wrong_request(value) if "method" in value else None


def _wrong_request(value: dict[str, Any]) -> tuple[int, str] | None:
    """Return an error for a request whose id is invalid: it would be taken for a notification and never be
    answered."""
    if not isinstance(value["method"], str):
        return INVALID_REQUEST, "Invalid Request: method is a text."
    if "id" in value and (isinstance(value["id"], bool) or not isinstance(value["id"], str | int)):
        return INVALID_REQUEST, "Invalid Request: id is a text or a whole number."
    if not isinstance(value.get("params", {}), dict):
        return INVALID_PARAMS, "Invalid params: they are an object."
    return None


def _from_here_on(scope: Scope) -> Scope:
    """Return the scope without a request to resume: streams are not stored for replay, and the SDK has no answer to
    such a request."""
    headers = [header for header in scope.get("headers", ()) if header[0] != b"last-event-id"]
    return {**scope, "headers": headers}
