"""Names used by the other items of a window and the words of a question: they select the members of a large type to
show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_KEPT = 4_096


class MemberLine(NamedTuple):
    """A member of a type, as an outline lists it: `text` is its declaration."""

    id: str
    name: str
    text: str


class Named(msgspec.Struct, frozen=True):
    """Names in a text. `names`: identifiers in other items; `asked`: those of the question, `words`: its words in
    lower case, identifiers split."""

    names: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def has(self, name: str, *, private: bool) -> bool:
        """Whether a member of that name is named: by the question, or, unless it is private, by another item."""
        if name in self.asked or (name in self.names and not private):
            return True
        words = humps(name)
        return bool(words) and self.words.issuperset(words)


def named_elsewhere(texts: Mapping[str, str], words: str) -> Iterator[tuple[str, Named]]:
    """Yield the names in each item's other items, by key. `texts`: of the items."""
    of_item = {key: identifiers(text) for key, text in texts.items()}
    counts = Counter(name for names in of_item.values() for name in names)
    shared = frozenset(name for name, count in counts.items() if count > 1)
    asked = identifiers(words)
    said = frozenset(hump for name in asked for hump in humps(name))
    for key, own in of_item.items():
        others = frozenset(name for name in counts if name not in own)
        yield key, Named(shared | others, asked, said)


@lru_cache(_KEPT)
def identifiers(text: str) -> frozenset[str]:
    """The identifiers in a text."""
    return frozenset(_IDENTIFIER.findall(text))


@lru_cache(_KEPT)
def humps(name: str) -> Sequence[str]:
    """The words that an identifier is written of, in lower case."""
    return tuple(hump.lower() for hump in _HUMP.findall(name))
