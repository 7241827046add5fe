"""Word of changes: a client that subscribed to a resource learns that it should read it again."""

from __future__ import annotations

import contextlib
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from urllib.parse import unquote

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourcesListChanged, ResourceUpdated
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from services.bench.topics import NOTES as NOTES_TOPIC
from services.bench.topics import OPS as OPS_TOPIC
from services.bench.topics import PACKS as PACKS_TOPIC
from services.bench.topics import WINDOW as WINDOW_TOPIC
from services.errors import CodeCortexError
from services.model import TypeChange
from services.ops import DATABASE as OPERATIONS
from services.server.mcp.identity import Context, session_of
from services.server.mcp.resources import (
    OUTLINE,
    SEMANTIC,
    WINDOW,
    op_uri,
    outline_uri,
    pack_uri,
    semantic_uri,
)
from services.server.serving import Serving

TELL_EVERY = 0.1
"""Seconds between two rounds of news: many changes at once are told once."""
TAKEN_WITHIN = 2.0
"""Seconds in which a session has to take its news: one that does not is told no more, as it may ask at any time."""
_MOST_HEARD = 10_000
_MOST_SESSIONS = 1_000
_MOST_URIS = 1_000


class Changes:
    """Subscriptions of both eras of the protocol: sessions that named resources, and streams that listen."""

    def __init__(self, serving: Serving) -> None:
        self.bus = InMemorySubscriptionBus()
        self._serving = serving
        self._sessions: OrderedDict[str, tuple[ServerSession, dict[str, str]]] = OrderedDict()
        self._heard: deque[str] = deque(maxlen=_MOST_HEARD)
        self._packs = serving.bench.packs.stamps()
        self._notes = serving.bench.notes.store.stamps()
        self._ops = self._op_stamps()
        self._listed = self._list()

    def listed(self, ctx: Context) -> None:
        """Notify this session of changes of the list from now on. Sessions of the newer protocol subscribe to
        that."""
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._known(ctx)

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Notify this session of changes of one resource from now on."""
        uri = str(params.uri)
        told_with = await anyio.to_thread.run_sync(self._told_with, uri)
        uris = self._known(ctx)
        if len(uris) < _MOST_URIS:
            uris[uri] = told_with
        return types.EmptyResult()

    def _told_with(self, uri: str) -> str:
        """The resource whose changes are those of another: by a path, or of a member, its type's."""
        for start, uri_of in ((OUTLINE, outline_uri), (SEMANTIC, semantic_uri)):
            if uri.startswith(start) and self._serving.ready:
                found = self._serving.bench.lookup.resolve(unquote(uri.removeprefix(start))).resolved
                return uri if found is None else uri_of(found.type_id)
        return uri

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Cancel the subscription."""
        if known := self._sessions.get(session_of(ctx)):
            known[1].pop(str(params.uri), None)
        return types.EmptyResult()

    def _known(self, ctx: Context) -> dict[str, str]:
        """Return the subscriptions of this session, each with the resource to name in its notifications."""
        key = session_of(ctx)
        _, uris = self._sessions.pop(key, (ctx.session, dict[str, str]()))
        self._sessions[key] = (ctx.session, uris)
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return uris

    @contextlib.asynccontextmanager
    async def followed(self) -> AsyncIterator[None]:
        """Send notifications of changes as long as the block lasts."""
        bench = self._serving.bench
        stops = [
            bench.sharing.subscribe(self._types_changed),
            bench.sharing.subscribe(self._lines_changed, cosmetic=True),
            bench.sharing.topics.subscribe(self._topics_changed),
        ]
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._follow)
                yield
                group.cancel_scope.cancel()
        finally:
            for stop in stops:
                stop()

    def _types_changed(self, changes: Sequence[TypeChange]) -> None:
        self._heard.extend(uri_of(each.id) for each in changes for uri_of in (outline_uri, semantic_uri))
        self._heard.append(WINDOW)

    def _lines_changed(self, changes: Sequence[TypeChange]) -> None:
        """Comments and layout are seen where the window shows source."""
        if self._serving.bench.window.shows_lines_of(change.file for change in changes):
            self._heard.append(WINDOW)

    def _topics_changed(self, topics: Iterable[str]) -> None:
        if PACKS_TOPIC in topics:
            self._heard.extend(map(pack_uri, self._packs_changed()))
        if WINDOW_TOPIC in topics or PACKS_TOPIC in topics:
            self._heard.append(WINDOW)
        if NOTES_TOPIC in topics:
            self._heard.extend(map(semantic_uri, self._notes_changed()))
        if OPS_TOPIC in topics:
            with contextlib.suppress(CodeCortexError):  # the file is busy: the next look tells
                self._heard.extend(map(op_uri, self._ops_changed()))

    def _op_stamps(self) -> dict[str, str]:
        bench = self._serving.bench
        return bench.ops.jobs.stamps() if bench.state.path(OPERATIONS).exists() else {}

    def _ops_changed(self) -> list[str]:
        """Return the ids of operations that are new or changed since the last look."""
        before, self._ops = self._ops, self._op_stamps()
        return [op_id for op_id, stamp in self._ops.items() if before.get(op_id) != stamp]

    def _notes_changed(self) -> list[str]:
        """Ids of the types whose notes came, went or were written since the last look."""
        store = self._serving.bench.notes.store
        before, self._notes = self._notes, store.stamps()
        files = dict.fromkeys((*before, *self._notes))
        changed = (file for file in files if before.get(file) != self._notes.get(file))
        return [type_id for file in changed for type_id in store.types_of(file)]

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

    def _list(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the sources of the list of resources: the items of the window, and packs."""
        state = self._serving.bench.window.unchecked.state()
        return frozenset(entry.key for entry in (*state.pinned, *state.recent)), frozenset(self._packs)

    async def _tell(self, told: Collection[str]) -> None:
        for uri in told:
            await self.bus.publish(ResourceUpdated(uri))
        before = self._listed
        if WINDOW in told:
            self._listed = await anyio.to_thread.run_sync(self._list)
        is_other = self._listed != before
        if is_other:
            await self.bus.publish(ResourcesListChanged())
        async with anyio.create_task_group() as group:
            for key, (session, wanted) in list(self._sessions.items()):
                news = [uri for uri, told_with in wanted.items() if told_with in told]
                if news or is_other:
                    group.start_soon(self._tell_session, key, session, news, is_other)

    async def _tell_session(self, key: str, session: ServerSession, news: list[str], is_other: bool) -> None:
        with anyio.move_on_after(TAKEN_WITHIN) as waiting:
            for uri in news:
                await session.send_resource_updated(uri)
            if is_other:
                await session.send_resource_list_changed()
        if waiting.cancelled_caught:
            self._sessions.pop(key, None)
