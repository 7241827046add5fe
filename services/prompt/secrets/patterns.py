"""Patterns, compiled on first use: those of RE2, which match in linear time on any text, and regular expressions."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re2

_MEMORY = 64 << 20
HEX = "[0-9a-f]{32}"
_EXPRESSION = "["
"""What a word has that is an expression, of what has no word of its own, or one that is in many texts."""


@cache
def compiled(pattern: str) -> Any:
    """A pattern over bytes."""
    import re2

    return re2.compile(pattern.encode(), _options())


@cache
def groups_of(pattern: str) -> dict[str, int]:
    """The groups of a pattern, by name."""
    return {name.decode(): group for name, group in compiled(pattern).groupindex.items()}


def word_list(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


@cache
def word_set(words: tuple[str, ...]) -> Any:
    """Return an automaton of case-insensitive words, which finds in one pass the words of a text (`words_in`)."""
    import re2

    found = re2.Set.SearchSet(_options())
    for word in words:
        found.Add(word if _EXPRESSION in word else "(?i)" + re2.escape(word))
    found.Compile()
    return found


def words_in(data: bytes, words: tuple[str, ...]) -> set[str]:
    """Return the words that occur in a text."""
    found: Iterable[int] | None = word_set(words).Match(data)
    return {words[index] for index in found} if found else set()


def _options() -> re2.Options:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    return options
