"""Files by parts of their paths, as one types."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence

from services.model import FileHit


def best_files(paths: Iterable[str], words: Sequence[str], *, most: int) -> tuple[FileHit, ...]:
    """The best `most` of the paths that have every one of the words (lower case, none empty)."""
    loose = [re.compile(".*?".join(map(re.escape, word)), re.DOTALL) for word in words]
    best = heapq.nsmallest(most, _ranked(paths, words, loose))
    return tuple(FileHit(path=path, positions=_positions(path.lower(), words, loose)) for _, path in best)


def _ranked(
    paths: Iterable[str], words: Sequence[str], loose: Sequence[re.Pattern[str]]
) -> Iterator[tuple[tuple[int, int], str]]:
    for path in paths:
        low = path.lower()
        if not all(pattern.search(low) for pattern in loose):
            continue
        name = low.rpartition("/")[2]
        yield (sum(_rank(name, low, word) for word in words), len(path)), path


def _rank(name: str, path: str, word: str) -> int:
    """0 where the name begins with the word, up to 4 where its letters are only somewhere in the path."""
    if name.startswith(word):
        return 0
    return 1 if word in name else 2 if word in path else 4


def _positions(low: str, words: Sequence[str], loose: Sequence[re.Pattern[str]]) -> tuple[int, ...]:
    """The characters that matched: of the name where a word is in it, else the last place in the path."""
    found: set[int] = set()
    for word, pattern in zip(words, loose, strict=True):
        at = low.rfind(word)
        if at >= 0:
            found.update(range(at, at + len(word)))
        elif match := pattern.search(low):
            place = match.start()
            for letter in word:
                place = low.index(letter, place)
                found.add(place)
                place += 1
    return tuple(sorted(found))
