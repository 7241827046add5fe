"""What every request has to pass before anything looks into it (SAFETY, Models and the network).

A web page that a person visits can send requests to this machine, and with a name that it points here even read
the answers: exact lists of Host and Origin stop both. The token stops other people's programs.
"""

from __future__ import annotations

import hmac
import json
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPEN_PATH = "/health"
"""Answers without a token: it tells nothing of the workspace."""

JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`body`: bytes; `receive`: seconds in which a body has to be there; `send`: seconds in which a reader has to take
    a piece of an answer."""

    body: int = 8 * 1024 * 1024
    receive: float = 30.0
    send: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """`hosts`, `origins`: as they stand in the header, in small letters; `token`: what a bearer has to show."""

    hosts: frozenset[str]
    origins: frozenset[str]
    token: str
    limits: Limits = Limits()


def rules_for(
    names: Iterable[str], port: int, *, token: str, origins: Iterable[str] = (), limits: Limits | None = None
) -> Rules:
    """Rules for a server that is reached by `names` on `port`: its own pages may ask, and `origins`."""
    hosts = frozenset(f"{_bracketed(name.lower())}:{port}" for name in names)
    own = {f"http://{host}" for host in hosts}
    listed = frozenset(own | {origin.lower().rstrip("/") for origin in origins})
    return Rules(hosts=hosts, origins=listed, token=token, limits=limits or Limits())


class Guard:
    """An ASGI application in front of another one. Whoever is refused learns the rule and nothing else."""

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
            await _refuse(request, send, *refusal)
            return
        began = time.perf_counter()
        body = await self._body(scope, request)
        if isinstance(body, tuple):
            await _refuse(request, send, *body)
            return
        if body and body[-1]["type"] == "http.disconnect":
            return
        await self._app(scope, replayed(body, receive), self._patient(send, began))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason; None for a request that may come in."""
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._rules.hosts:
            return 421, "This Host is not served here."
        if any(origin.lower() not in self._rules.origins for origin in origins):
            return 403, "This Origin may not ask."
        if scope["path"] != OPEN_PATH and not self._is_bearer(scope):
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

    async def _body(self, scope: Scope, receive: Receive) -> list[Message] | tuple[int, str]:
        """The whole body as it came, or why it is refused. A GET has none, and its end is not waited for."""
        if scope["method"] in ("GET", "HEAD", "DELETE", "OPTIONS"):
            return []
        limits = self._rules.limits
        try:
            with anyio.fail_after(limits.receive):
                messages = await _received(receive, limits.body)
        except TimeoutError:
            return 408, f"The body was not there within {limits.receive:g} seconds."
        return messages if messages is not None else (413, f"A body has at most {limits.body} bytes.")

    def _patient(self, send: Send, began: float) -> Send:
        """Sends within the limit, or ends the connection: a reader that has stopped keeps nothing alive. The answer
        says how long it took since `began`, so that a slow server can be told from a slow client or network."""

        async def within(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = (b"server-timing", b"answer;dur=%.1f" % ((time.perf_counter() - began) * 1000))
                message = {**message, "headers": [*message.get("headers", []), *_HEADERS, took]}
            with anyio.fail_after(self._rules.limits.send):
                await send(message)

        return within


_LINGERS = 2.0
"""Seconds for which the rest of a body that is refused is taken."""
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
    """A `receive` that tells messages that were received already, then the rest."""
    waiting = deque(messages)

    async def replay() -> Message:
        return waiting.popleft() if waiting else await receive()

    return replay


def is_json_type(scope: Scope) -> bool:
    """Whether a request says that its body is JSON."""
    said = _values(scope, b"content-type")
    return len(said) == 1 and said[0].partition(";")[0].strip().lower() == JSON


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]


async def _refuse(receive: Receive, send: Send, status: int, message: str) -> None:
    """A refusal as JSON-RPC has it, for clients of either protocol.

    What is on its way of the request's body is read and thrown away: a connection that is closed over unread bytes is
    reset, and the client never sees why."""
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
    with anyio.move_on_after(_LINGERS):
        while (await receive())["type"] == "http.request":
            pass
    await send({"type": "http.response.body", "body": b""})


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name
