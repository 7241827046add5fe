"""Topics of changed state files: watched, and reported to subscribers on a thread of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from services.bench.window import CHOICE
from services.concurrency.background import daemon_thread
from services.ops import DATABASE as OPERATIONS
from services.semantic import GROUPS, TYPES
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
        # Waited for at the end, unless a subscriber ends it.
        self._thread = daemon_thread(self._run, name="state-watch")

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
