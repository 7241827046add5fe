"""What other processes write is brought in when the journal has it: the disk's own word of it takes longer, and reaches
processes that follow another one twice as late."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from services.bench.sync.topics import WRITES
from services.errors import CodeCortexError

if TYPE_CHECKING:
    from services.bench.edits.writing import Writing


class WrittenByOthers:
    """Hears of topics on one thread. Every write is brought in once."""

    def __init__(self, writing: Callable[[], Writing], bring: Callable[[Collection[str]], object]) -> None:
        self._writing = writing
        self._bring = bring
        self._since = time.time_ns() // 1_000_000
        self._known: frozenset[int] = frozenset()

    def hear(self, topics: frozenset[str]) -> None:
        """Looks what was written, where anything was. What cannot be read now comes with the disk's word."""
        if WRITES not in topics:
            return
        try:
            found = self._writing().written_by_others(since=self._since)
        except CodeCortexError:
            return
        files = {file for number, written in found.items() if number not in self._known for file in written}
        self._known = frozenset(found)
        if files:
            self._bring(files)
