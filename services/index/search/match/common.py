"""The words that most names have: who asks for something in a workspace's own words, asks for these most often."""

from __future__ import annotations

import re
from collections import Counter

from services.index.search.match.alphabet import fold
from services.index.search.match.texts import Texts

_WORD = re.compile(r"[A-Z]?[a-z]{2,}")
_LOOKED_AT = 50_000
"""Texts that tell which words are common: of more, some from all over."""


def common_words(texts: Texts, most: int) -> list[str]:
    """The most common words, folded, most common first; up to so many."""
    counts: Counter[str] = Counter()
    for index in range(0, len(texts), 1 + len(texts) // _LOOKED_AT):
        counts.update(_WORD.findall(texts.text(index)))
    folded: Counter[str] = Counter()
    for word, count in counts.items():
        folded[fold(word)] += count
    return [word for word, _ in folded.most_common(most)]
