"""Humps of container and name together: `JCSO` for `JsonConvert.SerializeObject`.

A beginning of the term chains along humps of the container, and the rest along humps of the name from its first
character on.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from services.index.search.alphabet import code_of
from services.index.search.maps import ONE, LetterMaps, Words
from services.index.search.texts import Texts
from services.index.search.trail import after, some, up

_Chain = tuple[NDArray[np.int32], Words]
_KEPT = 128


class Heads:
    """For every text, how much of the end of a term chains along its humps from its first character on."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self._kept: OrderedDict[tuple[bool, str], _Chain] = OrderedDict()

    def tail(self, term: str, *, shortest: int) -> NDArray[np.uint8]:
        """By text, the length of the longest proper end of the term that does, uint8 (n,); 0 below `shortest`."""
        found = np.zeros(len(self.texts), np.uint8)
        for start in range(len(term) - shortest, 0, -1):
            for maps in (self.texts.short, self.texts.long):
                found[maps.ids[self._chain(maps, term[start:])[0]]] = len(term) - start
        return found

    def _chain(self, maps: LetterMaps, text: str) -> _Chain:
        key = (maps is self.texts.long, text)
        found = self._kept.get(key)
        if found is None:
            found = self._extended(maps, text) if len(text) > 1 else _begun(maps, text)
            self._kept[key] = found
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return found

    def _extended(self, maps: LetterMaps, text: str) -> _Chain:
        rows, humps = self._chain(maps, text[:-1])
        letter = maps.letters[code_of(text[-1])][:, rows]
        chained = (up(humps) | (after(humps) & maps.humps[:, rows])) & letter
        kept = np.flatnonzero(some(chained))
        return rows[kept], chained[:, kept]


def _begun(maps: LetterMaps, char: str) -> _Chain:
    first = maps.letters[code_of(char)][0] & ONE
    rows = np.flatnonzero(first).astype(np.int32)
    humps = np.zeros((len(maps.humps), len(rows)), np.uint64)
    humps[0] = ONE
    return rows, humps
