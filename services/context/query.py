"""Context query: words, seeds, places, and what is shown already."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import cached_property

import msgspec

from services.context import words
from services.context.text_index import TextIndex

_TERMS = 40
_OF_UNIT = 30
_FIELDS = (6, 2, 1, 1)
"""What a word of a unit tells of it, by field: its name says most."""
_TESTS = frozenset({"test", "unittest", "spec", "benchmark", "mock", "fixtur"})


class Seed(msgspec.Struct, frozen=True, dict=True):
    """A unit that is known to matter. `text`: the source of the member that is meant, empty for all of it; `member`:
    that member's name; `weight`: how much it counts."""

    unit: int
    text: str = ""
    member: str = ""
    weight: float = 1.0


class ContextQuery(msgspec.Struct, frozen=True, dict=True):
    """Query of the ranking. `text`: free text; `seeds`: known relevant symbols; `told`: units to list first, each
    with its reason (frames of a trace, files of a diff); `linked`: units that registrations, events and attributes
    link to what is named, each with its reason; `shown`: units to leave out; `used`: units lately used in the
    workbench, 1 for the last one."""

    text: str = ""
    seeds: tuple[Seed, ...] = ()
    told: Mapping[int, str] = msgspec.field(default_factory=dict)
    linked: Mapping[int, str] = msgspec.field(default_factory=dict)
    shown: frozenset[int] = frozenset()
    used: Mapping[int, float] = msgspec.field(default_factory=dict)

    @cached_property
    def words(self) -> dict[str, float]:
        """The words of the text."""
        return words.asked(self.text, prose=True)

    @cached_property
    def title(self) -> dict[str, float]:
        """Return the words of the first line, which summarises the rest."""
        return words.asked(self.text.strip().partition("\n")[0], prose=True)

    @property
    def is_about_tests(self) -> bool:
        """Whether the words are about tests."""
        return not _TESTS.isdisjoint(self.title)


def numbered(asked: Mapping[str, float]) -> dict[int, float]:
    """Words by number."""
    return {words.number(word): weight for word, weight in asked.items()}


def terms_of_text(text: str, index: TextIndex) -> dict[int, float]:
    """Return the most distinctive words of a piece of source, with weights."""
    found = Counter(term for name in words.identifiers(text) for term in words.terms(name))
    return _telling({term: math.log1p(count) for term, count in found.items()}, index, _TERMS)


def terms_as_said(text: str) -> dict[int, float]:
    """Return every word of a text with equal weight; rarity alone distinguishes them."""
    return {term: 1.0 for name in words.identifiers(text) for term in words.terms(name)}


def terms_of_unit(unit: int, index: TextIndex, most: int = _OF_UNIT) -> dict[int, float]:
    """Return the most distinctive words of a unit, with weights."""
    counts = index.words(unit)
    weights = {
        term: math.log1p(sum(weight * count for weight, count in zip(_FIELDS, by_field, strict=True)))
        for term, by_field in counts.items()
    }
    return _telling(weights, index, most)


def _telling(weights: Mapping[int, float], index: TextIndex, most: int) -> dict[int, float]:
    """The `most` words that weigh most once rare ones count more; their weights are those without."""
    worth = {term: weight * index.postings.rarity(term) for term, weight in weights.items()}
    best = sorted(worth, key=lambda term: (-worth[term], term))[:most]
    return {term: weights[term] for term in best if worth[term] > 0}
