"""Taking back what one did to the window, and nothing that others did since."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from services.bench.window.curation import Curation
from services.errors import UsageError
from services.model import Window
from services.prompt.state.state import Entry, WindowState

_KEPT = 50


@dataclass(frozen=True, slots=True)
class _Change:
    """What somebody did here. Pins, their levels and their order count; what was merely used does not."""

    what: str
    before: WindowState
    after: WindowState


class WindowUndo:
    """The changes that were made through one bench, the last one first to be taken back. Thread-safe."""

    def __init__(self, window: Curation) -> None:
        self._window = window
        self._lock = threading.RLock()
        self._changes: list[_Change] = []

    @property
    def last(self) -> str:
        """What would be taken back; empty where that is nothing."""
        return self._changes[-1].what if self._changes else ""

    def doing(self, what: str, act: Callable[[], Window]) -> Window:
        """Do `act`, and remember it where it changed the window. Raises what it raises."""
        with self._lock:
            before = self._window.state()
            window = act()
            after = self._window.state()
            if _kept(before) != _kept(after):
                self._changes = [*self._changes, _Change(what, before, after)][-_KEPT:]
            return window

    def undo(self) -> tuple[str, Window]:
        """Take the last change back: what it was, and the window. Raises UsageError where there is none, ReadOnly."""
        with self._lock:
            if not self._changes:
                raise UsageError("There is nothing to take back: nothing was changed here yet.")
            change = self._changes.pop()
            now = self._window.state()
            return change.what, self._window.restore(taken_back(change.before, change.after, now))


def taken_back(before: WindowState, after: WindowState, now: WindowState) -> WindowState:
    """`now` without the change that led from `before` to `after`.

    Where nobody did anything since, that is `before`. What others pinned since stays, behind; what they took out stays
    out; an entry that they changed stays as it is."""
    if _kept(now) == _kept(after):
        return replace(before, extra=now.extra)
    ours = {entry.key: entry for entry in before.pinned}
    theirs = {entry.key: entry for entry in now.pinned}
    was = {entry.key: entry for entry in after.pinned}
    wanted = [
        theirs[key] if key in theirs and not _alike(theirs[key], was.get(key)) else entry
        for key, entry in ours.items()
        if key in theirs or key not in was
    ]
    there = {entry.key for entry in wanted}
    added = [entry for key, entry in theirs.items() if key not in there and key not in was]
    pinned = (*wanted, *added)
    keys = {entry.key for entry in pinned}
    recent = tuple(entry for entry in now.recent if entry.key not in keys)
    return replace(now, pinned=pinned, recent=recent)


def _kept(state: WindowState) -> tuple[object, ...]:
    recent = {entry.key: (entry.level, entry.members) for entry in state.recent}
    return tuple((entry.key, entry.level, entry.members) for entry in state.pinned), recent


def _alike(entry: Entry, other: Entry | None) -> bool:
    return other is not None and (entry.level, entry.members) == (other.level, other.members)
