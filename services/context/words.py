"""Words as they are searched: identifiers split by humps, endings taken off, each as a 32-bit number."""

from __future__ import annotations

import re
from functools import lru_cache
from zlib import crc32

from services.syntax.records.words import KEYWORDS

_IDENTIFIER = re.compile(r"[^\W\d_]\w*")
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|[^\W\d_a-zA-Z]+|[A-Z]\d*")
_SHORTEST = 2
_LONGEST = 64
_COMMON = """
    about above after again all also an and any are at be because been before being between both but by can could did
    do does doing done down during each etc few for from further had has have having he here how if in instead into is
    isn it its itself just let like ll make makes me more most my no nor not now of off on once only or other our out
    over own pr re same she should so some such than that the their them then there these they this those through to
    too under until up use used uses using ve very via was we were what when where which while who why will with within
    without would you your
"""
STOP_WORDS = frozenset(_COMMON.split())
"""English words that tell nothing of code."""
_COMMON_OF_COMMITS = "bug change changes fix fixed fixes improve merge refactor related some update wip"
OF_COMMITS = frozenset(_COMMON_OF_COMMITS.split())
"""English words that tell nothing of a commit."""


def identifiers(text: str) -> list[str]:
    """Everything in a text that could be a name, in order."""
    return _IDENTIFIER.findall(text)


def humps(identifier: str) -> list[str]:
    """The words that an identifier is written of: `JsonHTTPReader2` as Json, HTTP, Reader2."""
    return _HUMP.findall(identifier)


@lru_cache(maxsize=16_384)
def terms(identifier: str, *, prose: bool = False) -> tuple[int, ...]:
    """The numbers of an identifier's words, and of the whole where it has several; none of a stop word, nor of a
    keyword unless it is one of `prose`: a sentence about a lock means what is named so."""
    if (identifier in KEYWORDS and not prose) or len(identifier) > _LONGEST:
        return ()
    parts = [hump.lower() for hump in humps(identifier)]
    found = [stem(part) for part in parts if _tells(part)]
    if len(parts) > 1:
        found.append(whole(identifier))
    return tuple(number(word) for word in found)


def asked(text: str, *, prose: bool = False) -> dict[str, float]:
    """Return the words of a query with their weights: repeated words weigh a little more, words of every commit
    less, and so do keywords, which count as words of `prose` alone. Whole names are included, with a `=` in
    front."""
    found: dict[str, float] = {}
    for name in identifiers(text[:_MOST_ASKED]):
        if (name in KEYWORDS and not prose) or len(name) > _LONGEST:
            continue
        parts = [hump.lower() for hump in humps(name)]
        most = _LESS if name in KEYWORDS else 1.0
        told = [(stem(part), _LESS if part in OF_COMMITS else most) for part in parts if _tells(part)]
        for word, weight in [*told, (whole(name), most)]:
            found[word] = max(found[word], weight) + _AGAIN * weight if word in found else weight
    return found


def _tells(part: str) -> bool:
    return len(part) >= _SHORTEST and part not in STOP_WORDS


_MOST_ASKED = 100_000
_AGAIN = 0.3
_LESS = 0.3


def whole(identifier: str) -> str:
    """An identifier as one word, which no part of a name is."""
    return "=" + identifier.lower().replace("_", "")


def number(word: str) -> int:
    """The 32-bit number of a word."""
    return crc32(word.encode("utf-8", "replace"))


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """Return a lower-case word without its endings, by a few simple rules (`-s`, `-ing`, `-ed`, `-er`, `-ate`,
    `-ation`, `-ize`, `-able`), with at least four letters left."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= _STEM:
            word = word[: len(word) - len(ending)] + instead
            break
    for ending in _OUTER:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            word = word[: len(word) - len(ending)]
            break
    return word.rstrip("e") if len(word) > _STEM else word


_STEM = 4
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ss", "ss"), ("us", "us"), ("s", ""))
_SUFFIXES = "ization izing ations ation ators ator ating ated ates ate izer ized ize able ings ing ion ors or ers er ed"
_OUTER = tuple(_SUFFIXES.split())
