"""Where likely secrets are in a text. Patterns are RE2's, over the text as UTF-8: time is linear in its length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from services.prompt.secrets.rules import RULES, Rule

if TYPE_CHECKING:
    import re2

_MEMORY = 32 << 20
_LONGEST_KEY = 32_768
_KEY_LINES = rb"(?:\\[nr]|[A-Za-z0-9+/=])*(?:\r?\n[ \t\"'+]*[A-Za-z0-9+/=]{16,}(?:\\[nr])*[\"' \t+]*)*"
"""What a private key goes on with where its end is missing: base64, maybe in strings of source."""


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A likely secret. `start`, `end`: bytes of the text as UTF-8; `kind`: of the rule."""

    start: int
    end: int
    kind: str


def find_secrets(data: bytes) -> tuple[Found, ...]:
    """The likely secrets of a text in UTF-8, in its order, none within another; of two that overlap the first in
    the table stays, since it says more exactly what it is."""
    words = _words_in(data)
    taken: list[Found] = []
    for rule, pattern in _compiled():
        if words.isdisjoint(rule.words):
            continue
        for found in _of_rule(rule, pattern, data):
            if all(found.end <= other.start or other.end <= found.start for other in taken):
                taken.append(found)
    return tuple(sorted(taken))


def _of_rule(rule: Rule, pattern: Any, data: bytes) -> Iterator[Found]:
    group = pattern.groupindex[b"s"]
    for match in pattern.finditer(data):
        start, end = match.span(group)
        before = data[match.start() : start].decode("utf-8", "replace")
        if rule.plausible(before, data[start:end].decode("utf-8", "replace")):
            yield Found(start, _end_of_key(data, end) if rule.kind == "private-key" else end, rule.kind)


def _end_of_key(data: bytes, start: int) -> int:
    """Where a private key ends: with its last line, or, where that is missing, with what may be of a key."""
    end = data.find(b"-----END ", start, start + _LONGEST_KEY)
    if end >= 0:
        closing = data.find(b"-----", end + 9, end + 80)
        return closing + 5 if closing >= 0 else end + 9
    rest = _key_lines().match(data[start : start + _LONGEST_KEY])
    return start + (rest.end() if rest is not None else 0)


def _words_in(data: bytes) -> set[str]:
    found = _word_set().Match(data)
    return {_words()[index] for index in found} if found else set()


@cache
def _words() -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for rule in RULES for word in rule.words))


@cache
def _word_set() -> Any:
    """All words of all rules in one automaton, which says in one pass which of them are there."""
    import re2

    words = re2.Set.SearchSet(_options())
    for word in _words():
        words.Add("(?i)" + re2.escape(word))
    words.Compile()
    return words


@cache
def _compiled() -> tuple[tuple[Rule, Any], ...]:
    import re2

    return tuple((rule, re2.compile(rule.pattern.encode(), _options())) for rule in RULES)


@cache
def _key_lines() -> Any:
    import re2

    return re2.compile(_KEY_LINES, _options())


def _options() -> re2.Options:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    return options
