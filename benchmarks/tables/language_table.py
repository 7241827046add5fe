"""Table of trigrams that distinguish secrets from language (services/prompt/secrets/judging/likelihood.py).

    python -m benchmarks.tables.language_table FOLDER...

It counts the trigrams of the distinct identifiers, texts and paths of the C# files in the folders; those that the table
itself takes for random are left out of a second count. What is kept are costs of trigrams, none of the texts.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from math import log2
from pathlib import Path

from services.prompt.secrets.judging import likelihood
from services.prompt.secrets.judging.likelihood import STEP, SYMBOLS, TABLE, trigrams_of

_IDENTIFIER = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,60}")
_TEXT = re.compile(rb"\"([\x20\x21\x23-\x5b\x5d-\x7e]{3,60})\"")
_OLD_WORD = re.compile(rb"[A-Za-z0-9+/=]{40,}")
_RANDOM = 8.0
_SEEN = 40.0
"""How much the chances of a pair's thirds weigh against those of the last symbol alone."""


def main(folders: Iterable[str]) -> None:
    """Write the table next to its module."""
    texts = sorted({text for folder in folders for text in _texts(Path(folder))})
    table = _costs(texts)
    likelihood._table = lambda: table  # noqa: SLF001 - the first table judges what the second is made of
    kept = [text for text in texts if likelihood.randomness(text) < _RANDOM]
    packed = zlib.compress(_costs(kept), 9)
    Path(likelihood.__file__).with_name(TABLE).write_bytes(packed)
    print(f"{len(kept):,} of {len(texts):,} texts, {len(packed):,} bytes")


def _texts(folder: Path) -> Iterator[bytes]:
    for path in folder.rglob("*.cs"):
        yield path.relative_to(folder).as_posix().encode("utf-8", "replace")
        data = path.read_bytes()
        yield from _IDENTIFIER.findall(data)
        yield from (text for text in _TEXT.findall(data) if not _OLD_WORD.search(text))


def _costs(texts: Iterable[bytes]) -> bytes:
    """A cost for each trigram: the chance of its last symbol after the first two, smoothed by that of shorter ones."""
    counts = [0] * SYMBOLS**3
    for text in texts:
        for at in trigrams_of(text):
            counts[at] += 1
    pairs = [0] * SYMBOLS**2
    for at, count in enumerate(counts):
        pairs[at % SYMBOLS**2] += count
    alone = [sum(pairs[one * SYMBOLS + two] for one in range(SYMBOLS)) + 1 for two in range(SYMBOLS)]
    total = sum(alone)
    costs = bytearray()
    for before in range(SYMBOLS**2):
        of_before = counts[before * SYMBOLS : (before + 1) * SYMBOLS]
        two = before % SYMBOLS
        of_two = pairs[two * SYMBOLS : (two + 1) * SYMBOLS]
        for third in range(SYMBOLS):
            short = (of_two[third] + _SEEN * alone[third] / total) / (sum(of_two) + _SEEN)
            chance = (of_before[third] + _SEEN * short) / (sum(of_before) + _SEEN)
            costs.append(min(255, round(-log2(chance) * STEP)))
    return bytes(costs)


if __name__ == "__main__":
    main(sys.argv[1:])
