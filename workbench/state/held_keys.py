"""Keys that came before what they are about was there: kept, and handed on in their order once it is.

A key that is pressed while its workspace, its search or the change before it is still on its way means what will be
there then. From it on everything that is typed is kept, so that nothing overtakes it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual import events
from textual.app import App
from textual.dom import DOMNode

_AT_ONCE = frozenset({"ctrl+q", "ctrl+c", "ctrl+g"})
"""Keys that wait for nothing: they end the program, or what is waited for."""
_LET_GO = "escape"

Act = Callable[[], object]


class HeldKeys:
    """Keeps keys and pasted text for an app, from its start until the first `release`, and again from each `hold`.
    `take`: what the app does with one."""

    def __init__(self, app: App[int], take: Callable[[events.Event], Awaitable[None]]) -> None:
        self._app = app
        self._take = take
        self._kept: list[events.Event | Act] | None = []
        self._waits = True
        self._starts = True
        self._release = 0
        """Which release hands things on: an earlier one has nothing more to do."""

    @property
    def are_none(self) -> bool:
        """Whether nothing is kept any more."""
        return self._kept is None

    @property
    def wait(self) -> bool:
        """Whether an act waits for something that is on its way."""
        return self._waits and not self._starts

    def hold(self, act: Act) -> None:
        """Keep an act and what is typed from now on. While another waits it is the last; else it is the one that was
        handed on just now, and the first."""
        kept = self._kept or []
        self._kept = [*kept, act] if self._waits else [act, *kept]
        self._waits = True

    def after_text(self, act: Act, *, else_now: Act) -> None:
        """Call `act` once the first key is answered that was kept since the start, where that is typed into a box; else
        call `else_now` at once."""
        first = self._kept[0] if self._kept else None
        if self._kept and isinstance(first, events.Key) and first.is_printable:
            self._kept.insert(1, act)
        else:
            else_now()

    def drop(self) -> int:
        """Forget what is kept; how much that was."""
        kept, self._kept, self._waits = self._kept or [], None, False
        return len(kept)

    def keep(self, event: events.Event) -> bool:
        """Keep an event if it is typed too early; whether it was."""
        if self._kept is None or not isinstance(event, (events.Key, events.Paste)) or event.is_forwarded:
            return False
        if isinstance(event, events.Key) and not self._starts:
            if event.key in _AT_ONCE:
                return False
            if event.key == _LET_GO and self._waits:
                self.drop()
                return True
        self._kept.append(event)
        return True

    async def release(self) -> None:
        """Hand the first one on, and each next one when what the one before led to has been done: a key may move the
        keyboard, or have to wait itself."""
        self._waits = self._starts = False
        self._release += 1
        await self._go_on(self._release)

    async def _go_on(self, release: int) -> None:
        if release != self._release or self._waits or self._kept is None:
            return
        if not self._kept:
            self._kept = None
            return
        first = self._kept.pop(0)
        if isinstance(first, events.Event):
            await self._take(first)
        else:
            first()
        self._once_heard((self._app.focused or self._app.screen).ancestors_with_self, release)

    def _once_heard(self, nodes: Sequence[DOMNode], release: int) -> None:
        """A key rises from the focus to the app, through the queue of each node; this follows it, and comes last to
        the app, where a change of focus may have been put off."""
        if nodes:
            nodes[0].call_later(self._once_heard, nodes[1:], release)
        else:
            self._app.call_later(self._go_on, release)
