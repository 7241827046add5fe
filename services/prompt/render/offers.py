"""Candidates of a window's text: each as it was chosen, and, where not all fits, with less detail or with single
members."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from services.model import Level
from services.prompt.items import KINDS, MemberLine, Named, Request, at_level, humps, identifiers
from services.prompt.outline.outline_members import stem
from services.prompt.render.content import Content
from services.prompt.render.ladder import Candidate, Rung, with_rungs
from services.prompt.render.render_cache import Piece, RenderCache
from services.prompt.state import Entry
from services.prompt.tokens.tokenizers import TokenCounter


class RenderRequest(msgspec.Struct, frozen=True):
    """An entry, what is to be rendered of it (None for a kind that this program does not know), and whether it is
    pinned."""

    entry: Entry
    request: Request | None
    pinned: bool


class _Offered(msgspec.Struct):
    """A candidate, and what it was made of: it is the same as long as that is. `laddered`: with all its rungs, once
    they were asked for, and `named`: what was named elsewhere then."""

    wish: RenderRequest
    version: str | None
    setting: object
    candidate: Candidate
    laddered: Candidate | None = None
    named: Named | None = None


class Offers:
    """Candidates over a cache. One whose item has not changed is the very one of the last time. Not safe between
    threads."""

    def __init__(self, cache: RenderCache) -> None:
        self._cache = cache
        self._offered: dict[str, _Offered] = {}

    def candidates(self, wishes: Sequence[RenderRequest]) -> list[Candidate]:
        """Each as it was chosen. A wish is compared with that of the last time by identity."""
        versions = self._versions(wishes)
        offered, setting = self._offered, self._cache.setting
        changed = [
            (wish, version)
            for wish, version in zip(wishes, versions, strict=True)
            if (known := offered.get(wish.entry.key)) is None
            or known.wish is not wish
            or known.version != version
            or known.setting is not setting
        ]
        if changed:
            self._offer(changed)
        return [offered[wish.entry.key].candidate for wish in wishes]

    def ladders(
        self, candidates: Sequence[Candidate], named: Mapping[str, Named] | None = None
    ) -> list[Candidate]:
        """Candidates of the last call with all their rungs. `named`: by key, what the others name."""
        offered = [self._offered[each.key] for each in candidates]
        names = named or {}
        todo = [
            each for each in offered if each.laddered is None or each.named != names.get(each.candidate.key)
        ]
        for each in todo:
            each.named = names.get(each.candidate.key)
        lower = [
            [(request, each.wish.pinned) for request in _lower(each.wish.request, each.named)]
            if each.candidate.rungs
            else []
            for each in todo
        ]
        versions = [each.version for each, its in zip(todo, lower, strict=True) for _ in its]
        found = iter(self._cache.contents([asked for its in lower for asked in its], versions))
        contents = [[content for _ in its if (content := next(found)) is not None] for its in lower]
        pieces = iter(self._cache.pieces([content for its in contents for content in its]))
        for each, its in zip(todo, contents, strict=True):
            lowered = [Rung(content, next(pieces)) for content in its]
            rungs = [*each.candidate.rungs, *self._without_sections(each.candidate), *lowered]
            each.laddered = with_rungs(each.candidate, rungs)
        return [each.laddered or each.candidate for each in offered]

    def _without_sections(self, candidate: Candidate) -> list[Rung]:
        """Return the chosen rung with fewer and fewer of its sections."""
        if not candidate.rungs or not candidate.rungs[0].sections:
            return []
        shorter = list(_shorter(candidate.rungs[0].content))
        pieces = self._cache.measured([content for content, _ in shorter])
        return [Rung(content, piece, left) for (content, left), piece in zip(shorter, pieces, strict=True)]

    def forget_all_but(self, keys: Collection[str]) -> None:
        """Drop all items but these from the cache."""
        self._cache.forget_all_but(keys)
        for key in [key for key in self._offered if key not in keys]:
            del self._offered[key]

    def _versions(self, wishes: Sequence[RenderRequest]) -> list[str | None]:
        found = iter(self._cache.versions([wish.request for wish in wishes if wish.request is not None]))
        return [None if wish.request is None else next(found) for wish in wishes]

    def _offer(self, changed: Sequence[tuple[RenderRequest, str | None]]) -> None:
        asked = [
            (wish.request, wish.pinned, version) for wish, version in changed if wish.request is not None
        ]
        found = iter(self._cache.contents([each[:2] for each in asked], [each[2] for each in asked]))
        contents = [None if wish.request is None else next(found) for wish, _ in changed]
        pieces = iter(self._cache.pieces([content for content in contents if content is not None]))
        for (wish, version), content in zip(changed, contents, strict=True):
            candidate = _candidate(wish, content, None if content is None else next(pieces))
            # What shows nothing may show something the next time: whether a file can be read is not in its version.
            setting = self._cache.setting if candidate.rungs else object()
            self._offered[wish.entry.key] = _Offered(wish, version, setting, candidate)


def _shorter(content: Content) -> Iterator[tuple[Content, int]]:
    """A content without its last section, without the last two, and so on, with how many are left."""
    text, sections = content.text, content.rendered.sections
    for left in range(len(sections) - 1, -1, -1):
        at = text.rfind(f"\n{sections[left]}\n")
        if at < 0:
            return
        text = text[:at].rstrip("\n") + "\n"
        names = ", ".join(line.rstrip(":").lower().replace("_", " ") for line in sections[left:])
        cut = f"Of the note on it, {names} are not shown." if left else "The note on it is not shown."
        yield replace(content, text=text, cut=cut), left


def _lower(request: Request | None, named: Named | None) -> list[Request]:
    """Return the request at every lower level, the highest first: below bodies the whole outline, not that of the
    members whose bodies were chosen, nor all declarations. `named`: for the members that others use."""
    if request is None:
        return []
    levels = KINDS[request.key.kind].levels
    lower = [each for each in levels[: levels.index(request.level)] if each is not Level.DECLARATIONS]
    made = (at_level(request, level) for level in reversed(lower))
    return [replace(each, named=named) if each.level is Level.USED else each for each in made]


def _candidate(wish: RenderRequest, content: Content | None, piece: Piece | None) -> Candidate:
    entry, pinned = wish.entry, wish.pinned
    if content is not None and piece is not None:
        sections = len(content.rendered.sections)
        return Candidate(entry.key, content.rendered.label, pinned, (Rung(content, piece, sections),))
    known = entry.key.partition(":")[0] in KINDS
    why = "Its source is no longer there." if known else "This version cannot show items of its kind."
    return Candidate(entry.key, entry.label or entry.key, pinned, (), why)


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
