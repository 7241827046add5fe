"""Who has given up: a client that closes the connection its call is answered on."""

from __future__ import annotations

import anyio
import anyio.lowlevel
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.server.http.guard import replayed
from services.server.mcp.identity import LEFT


class Entry:
    """One request after the other, in the order in which they came, and between two the event loop hears who has gone
    meanwhile: of many that are given up at once, those that have not begun cost next to nothing."""

    def __init__(self) -> None:
        self._lock = anyio.Lock()

    async def passed(self, left: anyio.Event) -> bool:
        """Whether to go on."""
        async with self._lock:
            await anyio.lowlevel.checkpoint()
            return not left.is_set()


class Leaving:
    """In front of an application that answers each POST on the connection it came over: `LEFT` in the scope is an event
    that is set when that is gone."""

    def __init__(self, app: ASGIApp, entry: Entry) -> None:
        self._app = app
        self._entry = entry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Calls the application, unless nobody waits for its answer any more."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        messages: list[Message] = [await receive()]
        while messages[-1].get("more_body", False):
            messages.append(await receive())
        left = anyio.Event()

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            left.set()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            if await self._entry.passed(left):
                await self._app({**scope, LEFT: left}, replayed(messages, receive), send)
            group.cancel_scope.cancel()
