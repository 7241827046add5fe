"""Cached answers to single letters: they answer typing while a workspace is still being opened, before the search was
imported and loaded."""

from __future__ import annotations

import string
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from services.concurrency.cancellation import until
from services.decoding import decode_msgpack
from services.errors import CodeCortexError
from services.model import SearchAnswer
from services.settings.personal import read_small

if TYPE_CHECKING:
    from services.bench import Bench

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
