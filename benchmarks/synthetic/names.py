"""Identifiers: most are used again and again, some are new, as in any large code base."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from benchmarks.synthetic.words import ADJECTIVES, NOUNS, SUFFIXES, VERBS

T = TypeVar("T")
_NEW = 0.26
"""How often a member gets a name of its own; with the types' names this makes about 0.3 unique names a symbol."""


class Names:
    """Names of types, each once in the code base, and of members, drawn again by Zipf's law."""

    def __init__(self) -> None:
        self._types: set[str] = set()
        self._methods = [
            "Dispose",
            "ToString",
            "Equals",
            "GetHashCode",
            "InitializeAsync",
            "Add",
            "Remove",
            "Execute",
        ]
        self._values = ["Id", "Name", "Value", "Count", "Options", "Description", "IsEnabled", "CreatedAt"]

    def type(self, random: Random) -> str:
        """A type's name that was not given before."""
        while True:
            name = pick(random, NOUNS) + pick(random, SUFFIXES)
            if random.random() < 0.6:
                name = skewed(random, NOUNS) + name
            if random.random() < 0.2 or name in self._types:
                name = pick(random, ADJECTIVES) + name
            if name not in self._types:
                self._types.add(name)
                return name

    def method(self, random: Random) -> str:
        """A method's name."""
        if random.random() >= _NEW:
            return skewed(random, self._methods)
        name = skewed(random, VERBS) + "".join(
            pick(random, NOUNS) for _ in range(1 + int(random.random() * 2.6))
        )
        if random.random() < 0.25:
            name += "Async"
        self._methods.append(name)
        return name

    def value(self, random: Random) -> str:
        """The name of a property, field or enum member."""
        if random.random() >= _NEW:
            return skewed(random, self._values)
        name = pick(random, NOUNS) + pick(random, NOUNS)
        if random.random() < 0.4:
            name = pick(random, ADJECTIVES) + name
        self._values.append(name)
        return name


def pick(random: Random, values: Sequence[T]) -> T:
    """Any of the values."""
    return values[int(random.random() * len(values))]


def skewed(random: Random, values: Sequence[T]) -> T:
    """Return one of the values, the first ones far more often."""
    return values[int(random.random() ** 3 * len(values))]


def camel(name: str) -> str:
    """`OrderLine` as `orderLine`, for parameters and fields."""
    return name[0].lower() + name[1:]
