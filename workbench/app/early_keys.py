"""What is typed before there is anything that could take it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from textual import events
from textual.app import App
from textual.dom import DOMNode


class EarlyKeys:
    """Keeps keys and pasted text for an app, and hands them on in their order. `take`: what the app does with one."""

    def __init__(self, app: App[int], take: Callable[[events.Event], Awaitable[None]]) -> None:
        self._app = app
        self._take = take
        self._kept: list[events.Event] | None = []

    @property
    def are_over(self) -> bool:
        """Whether nothing is kept any more."""
        return self._kept is None

    def keep(self, event: events.Event) -> bool:
        """Keep an event if it is typed too early; whether it was."""
        if self._kept is None or not isinstance(event, (events.Key, events.Paste)):
            return False
        if not event.is_forwarded:
            self._kept.append(event)
        return not event.is_forwarded

    async def release(self) -> None:
        """Hand the first one on, and each next one when what the one before led to has been done: a key may move the
        keyboard."""
        if not self._kept:
            self._kept = None
            return
        await self._take(self._kept.pop(0))
        self._once_heard((self._app.focused or self._app.screen).ancestors_with_self)

    def _once_heard(self, nodes: Sequence[DOMNode]) -> None:
        """A key rises from the focus to the app, through the queue of each node; this follows it, and comes last to
        the app, where a change of focus may have been put off."""
        if nodes:
            nodes[0].call_later(self._once_heard, nodes[1:])
        else:
            self._app.call_later(self.release)
