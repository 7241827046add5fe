"""Topics of changed state files: watched, and reported to subscribers on a thread of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from services.bench.window import CHOICE
from services.ops import DATABASE as OPERATIONS
from services.semantic.store import GROUPS, TYPES
from services.source.journal.database import FILE as JOURNAL
from services.workspace.files.root import Sign, sign
from services.workspace.state import StateFolder

WINDOW = "window"
"""Pinned and recent items, and the model they are for."""
WRITES = "writes"
"""Locks, writes and their history."""
INDEX = "index"
"""The kept index."""
PACKS = "packs"
PRESETS = "presets"
PROPOSALS = "proposals"
"""What agents want to write."""
NOTES = "notes"
"""What types are for; outlines by type stand in one of the folders too."""
OPS = "ops"
"""Operations that last."""
WATCHING = "watching"
"""How the disk is followed, of which no file tells: whether the folder is there, and whether changes could be read."""

_NAMES = {
    WINDOW: ("window.json", CHOICE),
    WRITES: (JOURNAL, f"{JOURNAL}-wal"),
    INDEX: ("index.db", "index.db-wal"),
    PACKS: ("packs-active.json",),
    PRESETS: ("presets", "previous_window.json"),
    PROPOSALS: ("proposals",),
    OPS: (OPERATIONS, f"{OPERATIONS}-wal"),
}
_SHARED = {PACKS: ("packs",), PRESETS: ("presets",), NOTES: (TYPES, GROUPS)}


def files_of_topics(state: StateFolder) -> dict[str, tuple[Path, ...]]:
    """The files and folders of each topic, whether they are there or not."""
    found = {topic: tuple(map(state.path, names)) for topic, names in _NAMES.items()}
    for topic, names in _SHARED.items():
        found[topic] = (*found.get(topic, ()), *map(state.shared.path, names))
    return found


_ENDS_WITHIN = 5.0
"""Seconds for which closing waits for work under way."""


class CoalescingWorker:
    """Works on a thread of its own; what is handed over meanwhile is taken together when that ends."""

    def __init__(self, work: Callable[[frozenset[str]], None]) -> None:
        """`work`: called with the topics handed over since the last call, on that thread, never twice at once."""
        self._work = work
        self._changing = threading.Condition()
        self._waiting: frozenset[str] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="coalescing worker", daemon=True)

    def submit(self, topics: frozenset[str]) -> None:
        """Leaves it to the other thread, and waits for nothing. Does nothing once closed."""
        with self._changing:
            if self._closed:
                return
            self._waiting = topics | (self._waiting or frozenset())
            if self._thread.ident is None:
                self._thread.start()
            self._changing.notify()

    def close(self) -> None:
        """Works no more: what waits is forgotten, what is under way may end."""
        with self._changing:
            self._closed = True
            self._changing.notify()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=_ENDS_WITHIN)

    def _run(self) -> None:
        while (topics := self._next()) is not None:
            self._work(topics)

    def _next(self) -> frozenset[str] | None:
        """Return the topics handed over, once there are any; None when closed."""
        with self._changing:
            self._changing.wait_for(lambda: self._closed or self._waiting is not None)
            topics, self._waiting = self._waiting, None
            return None if self._closed else topics


# Telling that state files have changed, whichever process changed them: what is done elsewhere shows here.

EVERY = 0.1
"""Seconds between two looks: a change shows well within half a second. A look is one `stat` a file, a twentieth of a
millisecond for all of them."""
_RESTS_AFTER, _AT_REST = 300, 3
"""Looks in which nothing had changed after which the pause is so many times as long: to wake up costs more than to
look."""


class StateWatch:
    """Looks at state files until it is closed. `on_look` is called on the watch's own thread after every look, with the
    topics whose files have changed since the last one, which are seldom any."""

    def __init__(
        self,
        topics: Mapping[str, tuple[Path, ...]],
        on_look: Callable[[frozenset[str]], None],
        *,
        every: float = EVERY,
    ) -> None:
        """`topics`: the files (or folders, whose entries count) behind each name."""
        self._topics = topics
        self._on_look = on_look
        self._every = every
        self._closed = threading.Event()
        self._seen = self._look()
        self._thread = threading.Thread(target=self._run, name="state-watch", daemon=True)

    def start(self) -> None:
        """Begins looking, unless it did before. What changed since the watch was made counts."""
        if self._thread.ident is None:
            self._thread.start()

    def close(self) -> None:
        """Stops looking."""
        self._closed.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        quiet = 0
        while not self._closed.wait(self._every * (_AT_REST if quiet > _RESTS_AFTER else 1)):
            now = self._look()
            changed = frozenset(topic for topic, signs in now.items() if signs != self._seen[topic])
            self._seen = now
            quiet = 0 if changed else quiet + 1
            self._on_look(changed)

    def _look(self) -> dict[str, tuple[Sign, ...]]:
        return {topic: tuple(map(sign, paths)) for topic, paths in self._topics.items()}
