"""Members for the room that a text leaves: of types that are not listed whole, those that a question touches.

Each pinned type is taken to be touched alike, so that a member of a small type is likelier to be meant than one of a
large type; among the members of a type the words of the question tell. What is likeliest for its tokens comes first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from services.prompt.outline.outline_members import stem
from services.prompt.state.named import MemberLine, humps, identifiers
from services.prompt.tokens.tokenizers import TokenCounter

_IN_NAME = 2.0
"""How much a word of a member's name counts beside one of its types and parameters."""
_WHOLE = 3.0
"""How much a name counts that the question has whole."""
_SHORTEST = 6
"""Letters of two words of a name that together are looked for within a word of the question: `XREADGROUP`."""


class LeftMembers(NamedTuple):
    """The members of a type, and the ids of those that its outline does not list yet."""

    members: Sequence[MemberLine]
    left: frozenset[str]


def members_for_room(
    types: Mapping[int, LeftMembers], question: str, room: int, counter: TokenCounter
) -> dict[int, tuple[str, ...]]:
    """The ids of members to list beside, by the numbers of their types, within so many tokens."""
    rated = list(_rated(types, question))
    costs = counter.count_many([f"\t{member.text}\n" for _, member, _ in rated])
    ranked = sorted(zip(rated, costs, strict=True), key=lambda each: -each[0][2] / each[1])
    found: dict[int, list[str]] = {}
    for (number, member, _), cost in ranked:
        if cost <= room:
            room -= cost
            found.setdefault(number, []).append(member.id)
    return {number: tuple(ids) for number, ids in found.items()}


def _rated(types: Mapping[int, LeftMembers], question: str) -> Iterator[tuple[int, MemberLine, float]]:
    """Each member that is left, with how likely it is to be touched."""
    everyone = [member for its in types.values() for member in its.members]
    asked = _Question(question, everyone)
    for number, its in types.items():
        weights = [1.0 + asked.score(member) ** 2 for member in its.members]
        total = sum(weights)
        for member, weight in zip(its.members, weights, strict=True):
            if member.id in its.left:
                yield number, member, weight / total


class _Question:
    """The words of a question, weighed by how rare they are among members."""

    def __init__(self, text: str, members: Sequence[MemberLine]) -> None:
        self._names = identifiers(text)
        said = {word for name in self._names for word in (*humps(name), name.lower())}
        self._words = {stem(word) for word in said}
        self._long = [word for word in said if len(word) > _SHORTEST]
        counts = Counter(word for member in members for word in {*_words(member.name), *_words(member.text)})
        self._rarity = {word: math.log((len(members) + 1) / count) for word, count in counts.items()}

    def score(self, member: MemberLine) -> float:
        """How much of a member the question names."""
        name = _words(member.name)
        named = {word for word in name if word in self._words} | set(self._within(name))
        around = {word for word in _words(member.text) if word in self._words} - named
        score = _IN_NAME * self._sum(named) + self._sum(around)
        return score + (_WHOLE * self._sum(set(name)) if member.name in self._names else 0.0)

    def _sum(self, words: set[str]) -> float:
        return sum(self._rarity[word] for word in words)

    def _within(self, name: Sequence[str]) -> Iterator[str]:
        """Words of a name that stand side by side in one word of the question."""
        for pair in pairwise(name):
            joined = "".join(pair)
            if len(joined) >= _SHORTEST and any(joined in word for word in self._long):
                yield from pair


@lru_cache(maxsize=8_192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem(word) for name in identifiers(text) for word in humps(name)))
