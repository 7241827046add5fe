"""Telling that state files have changed, whichever process changed them: what is done elsewhere shows here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from services.workspace.files.root import Sign, sign

EVERY = 0.1
"""Seconds between two looks: a change shows well within half a second. A look is one `stat` a file, a twentieth of a
millisecond for all of them."""


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
        while not self._closed.wait(self._every):
            now = self._look()
            changed = frozenset(topic for topic, signs in now.items() if signs != self._seen[topic])
            self._seen = now
            self._on_look(changed)

    def _look(self) -> dict[str, tuple[Sign, ...]]:
        return {topic: tuple(map(sign, paths)) for topic, paths in self._topics.items()}
