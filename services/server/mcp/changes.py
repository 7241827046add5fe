"""Word of changes: a client that subscribed to the window, an outline or a pack learns that it should read it again."""

from __future__ import annotations

import contextlib
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated

from services.bench.topics import PACKS as PACKS_TOPIC
from services.bench.topics import WINDOW as WINDOW_TOPIC
from services.model import TypeChange
from services.server.mcp.identity import session_of
from services.server.mcp.resources import WINDOW, outline_uri, pack_uri
from services.server.serving import Serving

Context = ServerRequestContext[Any, Any]

TELL_EVERY = 0.1
"""Seconds between two rounds of news: many changes at once are told once."""
_MOST_HEARD = 10_000
_MOST_SESSIONS = 1_000
_MOST_URIS = 1_000


class Changes:
    """Subscriptions of both eras of the protocol: sessions that named resources, and streams that listen."""

    def __init__(self, serving: Serving) -> None:
        self.bus = InMemorySubscriptionBus()
        self._serving = serving
        self._sessions: OrderedDict[str, tuple[ServerSession, set[str]]] = OrderedDict()
        self._heard: deque[str] = deque(maxlen=_MOST_HEARD)
        self._packs = serving.bench.packs.stamps()

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Tell this session of one resource from now on."""
        key = session_of(ctx)
        _, uris = self._sessions.pop(key, (ctx.session, set[str]()))
        if len(uris) < _MOST_URIS:
            uris.add(str(params.uri))
        self._sessions[key] = (ctx.session, uris)
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """No longer."""
        if known := self._sessions.get(session_of(ctx)):
            known[1].discard(str(params.uri))
        return types.EmptyResult()

    @contextlib.asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        """Tells of changes as long as the block lasts."""
        bench = self._serving.bench
        stops = [bench.subscribe(self._types_changed), bench.on_shared(self._topics_changed)]
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._follow)
                yield
                group.cancel_scope.cancel()
        finally:
            for stop in stops:
                stop()

    def _types_changed(self, changes: Sequence[TypeChange]) -> None:
        self._heard.extend(outline_uri(each.id) for each in changes)
        self._heard.append(WINDOW)

    def _topics_changed(self, topics: Iterable[str]) -> None:
        if PACKS_TOPIC in topics:
            self._heard.extend(map(pack_uri, self._packs_changed()))
        if WINDOW_TOPIC in topics or PACKS_TOPIC in topics:
            self._heard.append(WINDOW)

    def _packs_changed(self) -> list[str]:
        """Names of the packs that came, went or were built since the last look."""
        before, self._packs = self._packs, self._serving.bench.packs.stamps()
        names = dict.fromkeys((*before, *self._packs))
        return [name for name in names if before.get(name) != self._packs.get(name)]

    async def _follow(self) -> None:
        while True:
            await anyio.sleep(TELL_EVERY)
            heard = dict.fromkeys(self._heard.popleft() for _ in range(len(self._heard)))
            if heard:
                await self._tell(heard)

    async def _tell(self, told: Collection[str]) -> None:
        for uri in told:
            await self.bus.publish(ResourceUpdated(uri))
        if WINDOW in told:
            await self.bus.publish(ResourcesListChanged())
        for session, wanted in list(self._sessions.values()):
            for uri in told:
                if uri in wanted:
                    await session.send_resource_updated(uri)
