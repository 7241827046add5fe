"""States of the window rendered: what is offered, put together within the budget, as values.

The order of the window's recent part: by last use, types of active packs weighing more (004 section 8).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from services.concurrency.cancellation import job_checkpoint
from services.model import Level
from services.prompt.items import OUTLINES, Catalogue, Named, Rendered, Request, at_level, named_elsewhere
from services.prompt.render.combined import combine
from services.prompt.render.content import USUAL_TOKEN, RemainingBudget, format_named
from services.prompt.render.fill import Composer, Composition
from services.prompt.render.ladder import Candidate, Rung, WindowOptions
from services.prompt.render.offers import LeftMembers, Offers, RenderRequest, members_for_room
from services.prompt.render.render_cache import Piece, RenderCache
from services.prompt.render.shown import Rendering, Values
from services.prompt.secrets.masking import Masker
from services.prompt.state import Entry, WindowState

PACK_WEIGHT = 1.5


def weighed(recent: Sequence[Entry], types: Collection[str]) -> tuple[Entry, ...]:
    """Recent items, heaviest first. `types`: ids of those in active packs; a member counts as its type.

    An item's weight is how many were used no later than it: that changes with use alone, never with the clock."""
    if not types:
        return tuple(recent)
    weights = {
        entry.key: (len(recent) - at) * (PACK_WEIGHT if _type_of(entry.key) in types else 1)
        for at, entry in enumerate(recent)
    }
    return tuple(sorted(recent, key=lambda entry: -weights[entry.key]))


def _type_of(key: str) -> str:
    kind, _, target = key.partition(":")
    return "_".join(target.split("_")[:2]) if kind in ("type", "member") else ""


_ASKED_KEPT = 2_000
_DECLARING = (Level.SIGNATURE, *OUTLINES)
_JOINED_KEPT = 500
_FILLABLE = (Level.USED, Level.OUTLINE)
_ROUNDS = 3
"""How often room that is left is given to members."""
_SPARED = 20
"""One part in so many of the budget is not shared out again where members did not fit as they were counted."""
_WHOLE_SHARE = 8
"""For a question, types of more than one part in so many of the budget are listed by member."""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Rendering with other options than the window's. `options`: for another reader; `mask`: a further mask; `only`:
    keys of the items to show; None for the usual ones; `words`: the question that the text is for."""

    options: WindowOptions | None = None
    mask: Masker | None = None
    only: frozenset[str] | None = None
    words: str = ""


class Renderer:
    """Renders states over a catalogue. What has not changed since the last rendering is not made again. Thread-safe.

    `options`: for whom it renders; `favoured`: asked at every rendering for the ids of types that weigh more in the
    recent part."""

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        options: WindowOptions,
        masker: Callable[[], Masker],
    ) -> None:
        """Create a renderer. `masker`: returns the current masker."""
        self.options = options
        self.favoured: Callable[[], Collection[str]] = frozenset
        self._masker = masker
        self._wished: dict[str, RenderRequest] = {}
        self._cache = RenderCache(catalogue)
        self._offers = Offers(self._cache)
        self._asked = RenderCache(catalogue)  # of what is not in the window
        self._joined = RenderCache(catalogue)  # of members that are shown together
        self._values = Values()
        self._lock = threading.RLock()  # one rendering at a time: the cache is set up for one format

    def rendering(self, state: WindowState, form: str, view: View | None = None) -> Rendering:
        """A state in a format. Raises UsageError, TokenizerError."""
        seen = view or View()
        options = seen.options or self.options
        if seen.only is not None:
            state = state.only(seen.only)
        state = replace(state, recent=weighed(state.recent, self.favoured()))
        with self._lock:
            job_checkpoint()  # whoever waited for the lock may be gone by now
            wishes = self._wishes(state)
            self._set_up(form, options, seen.mask)
            candidates = self._offers.candidates(wishes)
            wishes, candidates = self._with_named(wishes, candidates, seen.words)
            if view is None:
                self._forget_all_but({each.key for each in candidates})
            asked = sum(_is_text(each, options) for each in candidates)
            limits = options.budget.room_for(asked)
            most = limits.tokens // _WHOLE_SHARE if seen.words.strip() else None
            composer = Composer(format_named(form), options.counter, limits, most_raised=most)
            composition, candidates = self._filled(composer, wishes, candidates, seen)
            return self._values.rendering([wish.entry for wish in wishes], candidates, composition, options)

    def _with_named(
        self, wishes: Sequence[RenderRequest], candidates: Sequence[Candidate], words: str
    ) -> tuple[list[RenderRequest], list[Candidate]]:
        """Return the same lists; types that show only used members know which these are."""
        used = {wish.entry.key for wish in wishes if wish.request and wish.request.level is Level.USED}
        if not used:
            return list(wishes), list(candidates)
        named = _named_by_others(candidates, words)
        made: list[RenderRequest] = []
        for wish in wishes:
            key, request = wish.entry.key, wish.request
            if key in used and request is not None and request.named != named.get(key):
                wish = self._wished[key] = RenderRequest(
                    wish.entry, replace(request, named=named.get(key)), wish.pinned
                )
            made.append(wish)
        return made, self._offers.candidates(made)

    def _filled(
        self, composer: Composer, wishes: Sequence[RenderRequest], candidates: list[Candidate], view: View
    ) -> tuple[Composition, list[Candidate]]:
        """The text, and what it is made of: types that lost members for want of room get back as many as there is room
        for, and for a question, whose answer may touch any member, outlines of pinned types list the others too."""
        options, words = view.options or self.options, view.words
        made, shown = self._composed(composer, candidates, options, words), candidates
        also: dict[int, tuple[str, ...]] = {}
        spared = 0
        for _ in range(_ROUNDS if made.text else 0):
            left = dict(self._left(wishes, candidates, made, is_question=bool(words.strip())))
            room = _left_of(composer.limits, made) - spared
            more = members_for_room(left, words, room, options.counter) if left and room > 0 else {}
            if not more:
                break
            together = {at: (*also.get(at, ()), *more.get(at, ())) for at in {*also, *more}}
            now = [
                self._listing(wish, each, made.taken[at], together[at]) if at in together else each
                for at, (wish, each) in enumerate(zip(wishes, candidates, strict=True))
            ]
            tried = self._composed(composer, now, options, words, {now[at].key for at in together})
            if (
                tried.text
                and tried.lost <= made.lost
                and not any(_is_cut(tried.taken[at]) for at in together)
            ):
                made, shown, also = tried, now, together
            else:
                spared = composer.limits.tokens // _SPARED + 2 * spared
        return made, shown

    def _left(
        self,
        wishes: Sequence[RenderRequest],
        candidates: Sequence[Candidate],
        made: Composition,
        *,
        is_question: bool,
    ) -> Iterator[tuple[int, LeftMembers]]:
        """Pinned types, by their places, that do not list all members: for a question all that they have, else those
        that they would list as they were chosen."""
        for at, (wish, candidate, taken) in enumerate(zip(wishes, candidates, made.taken, strict=True)):
            request = wish.request
            if request is None or taken is None or request.key.kind != "type" or not wish.pinned:
                continue
            if (
                taken.cut
                or taken.content.level not in _FILLABLE
                or request.members
                or candidate.wanted is None
            ):
                continue
            wanted = candidate.wanted.content
            if wanted.level is Level.USED or (not is_question and taken.content.level is wanted.level):
                continue
            whole = self._rung(at_level(request, Level.DECLARATIONS), True)
            members = whole.content.rendered.members if whole is not None else ()
            all_of_it = frozenset(each.id for each in members) if is_question else wanted.rendered.listed
            if left := all_of_it - taken.content.rendered.listed:
                yield at, LeftMembers(members, left)

    def _listing(
        self, wish: RenderRequest, candidate: Candidate, taken: Rung | None, also: tuple[str, ...]
    ) -> Candidate:
        """The candidate at the level at which it is shown, with more of its members."""
        if wish.request is None or taken is None or taken.content.request is None:
            return candidate
        whole = self._rung(at_level(wish.request, Level.DECLARATIONS), True)
        is_whole = taken.content.level is not Level.USED and whole is not None
        if whole is not None and is_whole and _lists_all(whole, taken, also):
            return replace(candidate, rungs=(whole,))
        request = replace(taken.content.request, also=also, beside=())
        rung = self._rung(request, True)
        if rung is None:
            return candidate
        chosen = candidate.rungs[:1] if taken.content.level is Level.USED else ()
        return replace(candidate, rungs=(*chosen, rung))

    def _composed(
        self,
        composer: Composer,
        candidates: Sequence[Candidate],
        options: WindowOptions,
        words: str,
        fixed: Collection[str] = (),
    ) -> Composition:
        """The text of those that belong to it; `taken` is of all candidates. `fixed`: keys of those that are not to be
        shown with less."""

        def lower(those: Sequence[Candidate]) -> list[Candidate]:
            ladders = self._offers.ladders(those, _named_by_others(those, words))
            return [
                each if each.key in fixed else ladder for each, ladder in zip(those, ladders, strict=True)
            ]

        chosen = [each for each in candidates if _is_text(each, options)]
        made = composer.compose(chosen, lower, lambda shown: combine(shown, self._rung, composer.measured))
        rungs, costs = iter(made.taken), iter(made.costs or ())
        belongs = [_is_text(each, options) for each in candidates]
        return replace(
            made,
            taken=tuple(next(rungs) if its else None for its in belongs),
            costs=None if made.costs is None else tuple(next(costs) if its else 0 for its in belongs),
        )

    def _rung(self, request: Request, pinned: bool) -> Rung | None:
        """Return the rung of a request without an entry."""
        content = self._joined.contents([(request, pinned)], self._joined.versions([request]))[0]
        return None if content is None else Rung(content, self._joined.pieces([content])[0])

    def rendered(self, request: Request) -> Rendered | None:
        """An item as it is now; None where there is nothing to show of it at its level."""
        with self._lock:
            return self._cache.rendered(request)

    def pieces(self, state: WindowState) -> list[Piece]:
        """Return the piece of each entry of a state at its chosen level; none where it has vanished."""
        with self._lock:
            wishes = self._wishes(state)
            self._set_up("md", self.options, None)
            candidates = self._offers.candidates(wishes)
        return [each.rungs[0].piece if each.rungs else Piece("", 0) for each in candidates]

    def costs(self, requests: Sequence[Request]) -> list[int | None]:
        """Return the cost of each item among others, in Markdown; None where it has no content."""
        with self._lock:
            cache, options = self._asked, self.options
            cache.set_up(format_named("md"), options.counter, most=options.budget.room, mask=self._masker())
            asked = [(request, True) for request in requests]
            contents = cache.contents(asked, cache.versions(requests))
            pieces = iter(cache.pieces([each for each in contents if each is not None]))
            if len(cache) > _ASKED_KEPT:
                cache.forget_all_but({str(request.key) for request in requests})
            return [None if each is None else next(pieces).tokens for each in contents]

    def _set_up(self, form: str, options: WindowOptions, mask: Masker | None) -> None:
        masker = mask or self._masker()
        for cache in (self._cache, self._joined):
            cache.set_up(format_named(form), options.counter, most=options.budget.room, mask=masker)

    def _wishes(self, state: WindowState) -> list[RenderRequest]:
        """Return the requests of the text, in its order."""
        return [
            self._wish(entry, pinned=pinned)
            for entries, pinned in ((state.pinned, True), (state.recent, False))
            for entry in entries
        ]

    def _wish(self, entry: Entry, *, pinned: bool) -> RenderRequest:
        """That of the last time, of the very same entry."""
        known = self._wished.get(entry.key)
        if known is None or known.entry is not entry or known.pinned is not pinned:
            known = self._wished[entry.key] = RenderRequest(entry, entry.request(), pinned)
        return known

    def _forget_all_but(self, keys: Collection[str]) -> None:
        """Drop all items but these from the caches."""
        self._offers.forget_all_but(keys)
        if len(self._joined) > _JOINED_KEPT:
            self._joined.forget_all_but(())
        for key in [key for key in self._wished if key not in keys]:
            del self._wished[key]


def _left_of(limits: RemainingBudget, made: Composition) -> int:
    """The tokens that a text leaves, about, where characters are limited too."""
    tokens = limits.tokens - made.tokens
    return tokens if limits.chars is None else min(tokens, (limits.chars - len(made.text)) // USUAL_TOKEN)


def _is_cut(taken: Rung | None) -> bool:
    return taken is None or taken.cut


def _lists_all(whole: Rung, taken: Rung, also: Collection[str]) -> bool:
    listed = taken.content.rendered.listed.union(also)
    return all(each.id in listed for each in whole.content.rendered.members)


def _named_by_others(candidates: Sequence[Candidate], words: str) -> dict[str, Named]:
    """Return the names in the source of other items and in the question, by key. Outlines declare and do not use
    members: a declaration in both an interface and its implementation does not show that either is needed."""
    shown = {each.key: each.rungs[0].content for each in candidates if each.rungs}
    texts = {key: "" if each.level in _DECLARING else each.text for key, each in shown.items()}
    return dict(named_elsewhere(texts, words))


def _is_text(candidate: Candidate, options: WindowOptions) -> bool:
    """Whether it belongs to the text, or is only listed."""
    return candidate.pinned or options.recents
