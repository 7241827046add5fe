"""Limits of connections and sessions: how long a head and reading an answer may take, which connection or session
ends where there are too many, and the end of a call whose client has closed the connection."""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import h11
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from services.server.http.guard import replayed
from services.server.mcp.identity import LEFT

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
    from mcp.server.streamable_http import StreamableHTTPServerTransport

HEAD_WITHIN = 10.0
"""Seconds from the first byte of a head, or from connecting, to its end."""
READ_WITHIN = 30.0
"""Seconds in which a reader has to take something of an answer that waits for it."""


class IdleConnections:
    """Connections of a server that wait for the head of a request: those without any request first, then the others,
    each in the order in which they began to wait."""

    def __init__(self) -> None:
        self._new: dict[ImpatientProtocol, None] = {}
        self._asked: dict[ImpatientProtocol, None] = {}

    def note(self, connection: ImpatientProtocol) -> None:
        """Takes in, or leaves out, a connection that may have begun or ended to wait."""
        if connection.is_idle:
            (self._asked if connection.has_asked else self._new).setdefault(connection)
        else:
            self.leave_out(connection)

    def leave_out(self, connection: ImpatientProtocol) -> None:
        """Forgets a connection."""
        self._new.pop(connection, None)
        self._asked.pop(connection, None)

    def first(self, *, but: ImpatientProtocol) -> ImpatientProtocol | None:
        """Return the connection to close for another; None where all are active."""
        waiting = (each for each in chain(self._new, self._asked) if each is not but and not each.unread)
        return next(waiting, None)


class Inbox:
    """Data received over the connections of a server, read piece by piece in the order of arrival. Between two pieces
    the event loop sees which clients have left: their data is dropped unread."""

    def __init__(self) -> None:
        self._pieces: deque[tuple[ImpatientProtocol, bytes]] = deque()

    def put(self, connection: ImpatientProtocol, data: bytes) -> None:
        """Takes in what came."""
        self._pieces.append((connection, data))
        if len(self._pieces) == 1:
            connection.loop.call_soon(self._read)

    def _read(self) -> None:
        connection, data = self._pieces[0]
        try:
            while connection.transport.is_closing() and len(self._pieces) > 1:
                self._pieces.popleft()
                connection, data = self._pieces[0]
            if not connection.transport.is_closing():
                connection.read(data)
        finally:
            self._pieces.popleft()
            if self._pieces:
                connection.loop.call_soon(self._read)


class ImpatientProtocol(H11Protocol):
    """Closes connections that send the head of a request byte by byte, or none at all, and those that have stopped
    reading: their answers would stay in memory. Where there are as many as may be, one that asks nothing makes room, so
    that whoever holds connections keeps nobody out. `idle`, `inbox`: those of its server."""

    def __init__(
        self,
        *arguments: Any,
        idle: IdleConnections,
        inbox: Inbox,
        within: float = HEAD_WITHIN,
        read_within: float = READ_WITHIN,
        **named: Any,
    ) -> None:
        super().__init__(*arguments, **named)
        self._idle = idle
        self._inbox = inbox
        self.unread = 0
        """Pieces that came and were not read."""
        self._most = self.limit_concurrency
        self._within = within
        self._read_within = read_within
        self._timer: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begins to wait for the first head."""
        super().connection_made(transport)
        self._idle.note(self)
        self._make_room()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Is read in its turn."""
        self._unset_keepalive_if_required()
        self.unread += 1
        self._inbox.put(self, data)

    def read(self, data: bytes) -> None:
        """Read data, and continue waiting while the head is incomplete."""
        self.unread -= 1
        # Connections alone are counted: the tasks of clients that have gone are ending, and nobody is kept out by them.
        self.limit_concurrency = self._most if self._is_full else None
        super().data_received(data)
        self._idle.note(self)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for."""
        self._stop()
        self._flows()
        self._idle.leave_out(self)
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begins to wait for the next request."""
        super().on_response_complete()
        self._idle.note(self)

    def send_400_response(self, msg: str) -> None:
        """Answer data that is no HTTP, unless an answer is under way already, and close. The running handler sees a
        disconnect: nothing can follow."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()
        if self.has_asked:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _make_room(self) -> None:
        """Close an idle connection where there are too many: preferably one without any request, then the longest
        idle."""
        chosen = self._idle.first(but=self) if self._is_full else None
        if chosen is not None:
            self._idle.leave_out(chosen)
            self.connections.discard(chosen)
            chosen.transport.close()

    @property
    def _is_full(self) -> bool:
        return self._most is not None and len(self.connections) >= self._most

    @property
    def has_asked(self) -> bool:
        """Whether it has had a request."""
        # uvicorn's types have a cycle from the start; there is none before the first request.
        return self.cycle is not None  # pyright: ignore[reportUnnecessaryComparison]

    @property
    def is_idle(self) -> bool:
        """Whether it waits for the head of a request."""
        return self.conn.their_state is h11.IDLE and (not self.has_asked or self.cycle.response_complete)

    def pause_writing(self) -> None:
        """More is written than the reader takes: begins to watch whether they take anything."""
        super().pause_writing()
        self._watch(self._unread())

    def resume_writing(self) -> None:
        """The reader has caught up."""
        self._flows()
        super().resume_writing()

    def _watch(self, before: int) -> None:
        self._flows()
        self._stalled = self.loop.call_later(self._read_within, self._look, before)

    def _look(self, before: int) -> None:
        """`before`: bytes that were unread at the last look."""
        unread = self._unread()
        if unread < before:
            self._watch(unread)
        else:
            self.transport.abort()

    def _unread(self) -> int:
        return self.transport.get_write_buffer_size()

    def _flows(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self._within, self._give_up)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


class Entry:
    """Queue that admits requests in the order of their arrival, and lets the event loop notice disconnects between
    two: of many that are given up at once, those that have not begun cost next to nothing."""

    def __init__(self) -> None:
        self._lock = anyio.Lock()  # requests pass in the order of arrival; of the event loop

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
        """Call the application, unless the client has left."""
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


class Sessions(StreamableHTTPSessionManager):
    """The SDK's, but for what happens when there are as many as may be: the session that has been idle longest ends.
    Its client, should it still be there, is answered that there is no such session and begins another, as the protocol
    has it. Sessions with a request under way, or a stream open, stay."""

    def _admit_session(self, requestor: AuthorizationContext | None) -> StreamableHTTPServerTransport | None:
        if self.max_sessions is not None and len(self._server_instances) >= self.max_sessions:
            self._end_oldest()
        return super()._admit_session(requestor)

    def _end_oldest(self) -> None:
        # A deadline is set when the last request of a session ends, and is infinite while there is one.
        idle = {
            id_: scope
            for id_, transport in self._server_instances.items()
            if (scope := transport.idle_scope) is not None and scope.deadline < float("inf")
        }
        if idle:
            oldest = min(idle, key=lambda id_: idle[id_].deadline)
            del self._server_instances[oldest]
            self._session_owners.pop(oldest, None)
            idle[oldest].cancel()
