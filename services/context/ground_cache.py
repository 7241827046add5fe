"""Cache of the ranking's corpus, updated incrementally with the index and the repository."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from services.context.history import log
from services.context.history.history import History, StoredHistory
from services.context.ranking import Ground
from services.context.structure_builder import StructureBuilder
from services.context.text.text_index import KeptWords, TextIndex, sealed, unsealed
from services.errors import CodeCortexError
from services.index.index import Index
from services.model import Notice, Progress
from services.workspace.state import StateFolder

_WORDS, _HISTORY = "words.db", "history.bin"
_DECODER = msgspec.msgpack.Decoder(StoredHistory)

Report = Callable[[Progress], None]


class GroundCache:
    """Cached corpus of the ranking, rebuilt incrementally when the index or the repository changes. Thread-safe:
    one thread at a time updates it, and a returned corpus does not change."""

    def __init__(self, index: Index, state: StateFolder, folder: Path) -> None:
        """`folder`: the workspace's root."""
        self._index = index
        self._state = state
        self._folder = folder
        self._words = KeptWords(state.path(_WORDS))
        self._text = TextIndex(self._words)
        self._history: History | None = None
        self._read_again = False
        self._made: Ground | None = None
        self._made_of = ""
        self._structures, self._tip = StructureBuilder(), log.Tip(folder)
        self.lock = threading.RLock()
        """Held while a ground is brought up to date, and while it is asked: words change in place."""

    def notices(self) -> tuple[Notice, ...]:
        """Notices about damaged caches that are being rebuilt."""
        lost = {
            f"the words of files ({_WORDS})": self._words.renewed,
            f"the history ({_HISTORY})": self._read_again,
        }
        return tuple(
            Notice(severity="information", message=f"Damaged, and made anew: {what}.")
            for what, is_lost in lost.items()
            if is_lost
        )

    def now(self, *, report: Report | None = None, cancel: threading.Event | None = None) -> Ground:
        """Return the corpus of the current index. Raises Cancelled; what was read so far is cached."""
        with self.lock, self._index.reading():
            self._state.ensure()
            catalogue, graph = self._index.catalogue, self._index.graph()
            read = _told(report, "Reading words")
            self._text.update(
                catalogue,
                self._index.records,
                worker=self._index.worker_input,
                report=read,
                cancel=cancel,
            )
            history = self._up_to_date(report, cancel)
            structure = self._structures.update(catalogue, graph)
            made = self._made
            if made is None or made.structure is not structure or self._made_of != history.tip:
                made = self._made = Ground(structure, self._text, history)
                self._made_of = history.tip
            return made

    def let_go(self) -> bool:
        """Release the caches from memory unless they would have to be rebuilt; return whether no update was
        running."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            if self._words.is_lasting:
                self._text, self._structures = TextIndex(self._words), StructureBuilder()
                self._history = self._made = None
        finally:
            self.lock.release()
        return True

    # History

    def _up_to_date(self, report: Report | None, cancel: threading.Event | None) -> History:
        history = self._history if self._history is not None else self._kept()
        tip = self._tip.now()
        if tip != history.tip:
            if report is not None:
                report(Progress(phase="Reading the history", done=0, total=None))
            history = self._brought(history, tip, cancel)
            with suppress(CodeCortexError, OSError):
                self._state.write(_HISTORY, sealed(msgspec.msgpack.encode(history.stored())))
        self._history = history
        return history

    def _brought(self, history: History, tip: str, cancel: threading.Event | None) -> History:
        """The history up to `tip`: what is new of it, or all where it went another way."""
        if not tip:
            return History()
        since = history.tip if history.tip and log.is_ancestor(self._folder, history.tip, tip) else None
        new = history if since else History()
        new.add(tip, log.read(self._folder, tip, since=since, cancel=cancel))
        return new

    def _kept(self) -> History:
        with suppress(CodeCortexError, OSError):
            data = self._state.read(_HISTORY)
            with suppress(msgspec.MsgspecError, IndexError):
                if (whole := unsealed(data)) is not None:
                    return History(_DECODER.decode(whole))
            self._read_again = data is not None
        return History()


def _told(report: Report | None, phase: str) -> Callable[[int, int], None] | None:
    if report is None:
        return None
    return lambda done, total: report(Progress(phase=phase, done=done, total=total))
