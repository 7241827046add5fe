"""Typing ahead of the program: typed keys wait while their target, or the effect of an earlier key, is still under
way, and single letters are answered from a cache while a workspace is still being opened.

A key that is pressed while its workspace, its search or the change before it is still on its way means what will be
there then. From it on everything that is typed is kept, so that nothing overtakes it.

A key that comes right behind another waits too: a letter is taken by its box at once, while what is bound, as
backspace and arrows are, is done only when the key has risen to the app. Over a slow line both arrive together.
"""

from __future__ import annotations

import string
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from textual import events
from textual.app import App
from textual.dom import DOMNode

from services.concurrency.cancellation import until
from services.decoding import decode_msgpack
from services.errors import CodeCortexError
from services.model import SearchAnswer
from services.settings.personal import read_small

if TYPE_CHECKING:
    from services.bench import Bench

_AT_ONCE = frozenset({"ctrl+q", "ctrl+c", "ctrl+g"})
"""Keys that wait for nothing: they end the program, or what is waited for."""
_LET_GO = "escape"

Act = Callable[[], object]


class HeldKeys:
    """Queue of keys and pasted text for an app: from its start until the first `release`, again from each `hold`, and
    after each key until it was handled. `take`: the app's handling of an event."""

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
        """Whether no keys are queued, or under way."""
        return self._kept is None

    @property
    def have_started(self) -> bool:
        """Whether a receiver of keys is ready."""
        return not self._starts

    @property
    def wait(self) -> bool:
        """Whether an act waits for something that is on its way."""
        return self._waits and not self._starts

    def hold(self, act: Act) -> None:
        """Queue an act and the keys typed from now on. While another waits it is the last; else it belongs to the key
        that was handed on just now, and is the first."""
        kept = self._kept or []
        self._kept = [*kept, act] if self._waits else [act, *kept]
        self._waits = True

    def after_text(self, act: Act, *, else_now: Act) -> None:
        """Call `act` once the first queued key since the start was handled, where that is typed into a box; else call
        `else_now` at once."""
        first = self._kept[0] if self._kept else None
        if self._kept and isinstance(first, events.Key) and first.is_printable:
            self._kept.insert(1, act)
        else:
            else_now()

    def drop(self) -> int:
        """Drop the queue; return its length."""
        kept, self._kept, self._waits = self._kept or [], None, False
        return len(kept)

    async def take(self, event: events.Event) -> None:
        """Hand an event on, or queue it if it is typed too early."""
        if self.keep(event):
            return
        is_first = _is_typed(event) and self._kept is None
        if is_first:
            self._kept = []
            self._release += 1
        await self._take(event)
        if is_first:
            self._follow(self._release)

    def keep(self, event: events.Event) -> bool:
        """Queue an event if it is typed too early; return whether it was."""
        if self._kept is None or not _is_typed(event):
            return False
        if isinstance(event, events.Key) and not self._starts:
            if event.key in _AT_ONCE and self._waits:
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
        self._follow(release)

    def _follow(self, release: int) -> None:
        self._once_heard((self._app.focused or self._app.screen).ancestors_with_self, release)

    def _once_heard(self, nodes: Sequence[DOMNode], release: int) -> None:
        """A key rises from the focus to the app, through the queue of each node; this follows it, past those that have
        gone meanwhile."""
        for place, node in enumerate(nodes, 1):
            if node.call_later(self._once_heard, nodes[place:], release):
                return
        self._once_shown(release)

    def _once_shown(self, release: int) -> None:
        """Wait for the screen that the key has opened, which is created in its own queue; this message reaches the
        app last, where a change of focus may have been put off."""

        def go_on() -> None:
            self._app.call_later(self._go_on, release)

        if not self._app.screen.call_later(go_on):
            go_on()


def _is_typed(event: events.Event) -> bool:
    """Whether it comes from the keyboard, and was not handed on yet."""
    return isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded


FILE = "letters.msgpack"
_LIMIT = 40
"""Results of each: as many as a screen shows at once."""
_MOST_BYTES = 4_000_000


class Letters:
    """Answers to single letters as they were when a workbench was last open. They are shown until they are searched
    for, so that they may be a little old. `folder`: the state folder, None for none; the file is read when the first
    letter is asked for."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._answers: dict[str, msgspec.Raw] | None = None

    def answer(self, query: str) -> SearchAnswer | None:
        """Return the cached answer of a query; None where it is not a single letter, or has no readable one."""
        if self._folder is None or query not in string.ascii_lowercase or not query:
            return None
        try:
            if self._answers is None:
                kept_all = read_small(self._folder / FILE, _MOST_BYTES, follow=False)
                self._answers = decode_msgpack(dict[str, msgspec.Raw], kept_all)
            kept = self._answers.get(query)
            return decode_msgpack(SearchAnswer, kept) if kept is not None else None
        except (OSError, ValueError):
            self._answers = {}
            return None


def keep_letters(bench: Bench, cancel: threading.Event) -> None:
    """Search for each letter and store the answers for the next start. Failure to write is ignored. Raises
    Cancelled."""
    search = bench.index.facade.search
    letters = until(cancel, string.ascii_lowercase, message="Cancelled while nobody waited.")
    answers = {letter: search(letter, limit=_LIMIT) for letter in letters}
    with suppress(CodeCortexError):
        bench.state.write(FILE, msgspec.msgpack.encode(answers))
