"""Members of a type that a question touches: those that have its words, rare ones counting most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from services.context import words
from services.context.query import Query
from services.model import Symbol

_NAME = 2.0
"""How much a word of a member's name counts beside one of its types and parameters."""


class Touched:
    """Over one question: its words, and those of its seeds' members."""

    def __init__(self, query: Query, rarity: Callable[[int], float]) -> None:
        """Prepare the scoring of members. `rarity`: weight of a word, by its number."""
        said = "\n".join([query.text, *(text for seed in query.seeds for text in (seed.member, seed.text))])
        self._worth = {
            word: weight * rarity(words.number(word)) for word, weight in words.asked(said).items()
        }

    def first(self, members: Iterable[Symbol]) -> list[Symbol]:
        """Return the members with most of the words first, the rest in source order."""
        return sorted(members, key=self._score, reverse=True)

    def _score(self, member: Symbol) -> float:
        name = _words(member.name)
        return sum(
            self._worth[word] * (_NAME if word in name else 1.0)
            for word in dict.fromkeys((*name, *_words(member.signature)))
            if word in self._worth
        )


@lru_cache(maxsize=8_192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(words.asked(text))
