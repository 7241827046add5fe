"""States of the window rendered: what is offered, put together within the budget, as values.

The order of the window's recent part: by last use, types of active packs weighing more (004 section 8).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from services.concurrency.job_context import job_checkpoint
from services.model import Level
from services.prompt.combined import combine
from services.prompt.render.budget import WindowOptions
from services.prompt.render.fill import Composer, Composition
from services.prompt.render.formats import format_named
from services.prompt.render.ladder import Candidate, Rung
from services.prompt.render.offers import Offers, RenderRequest
from services.prompt.render.render_cache import Piece, RenderCache
from services.prompt.render.shown import Rendering, Values
from services.prompt.secrets.masking import Masker
from services.prompt.state.items import OUTLINES, Catalogue, Rendered, Request, at_level
from services.prompt.state.named import Named, named_elsewhere
from services.prompt.state.state import Entry, WindowState

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


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A rendering that differs from the window as it is kept. `options`: for whom else; `mask`: what else is masked;
    `only`: keys of the items to show; None: as ever; `words`: the question that the text is for."""

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
        """`masker`: of the moment."""
        self.options = options
        self.favoured: Callable[[], Collection[str]] = frozenset
        self._masker = masker
        self._wished: dict[str, RenderRequest] = {}
        self._cache = RenderCache(catalogue)
        self._offers = Offers(self._cache)
        self._asked = RenderCache(catalogue)  # of what is not in the window
        self._joined = RenderCache(catalogue)  # of members that are shown together
        self._values = Values()
        self._lock = threading.RLock()

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
            composer = Composer(format_named(form), options.counter, options.budget.room_for(asked))
            composition, candidates = self._for_question(composer, wishes, candidates, seen)
            return self._values.rendering([wish.entry for wish in wishes], candidates, composition, options)

    def _with_named(
        self, wishes: Sequence[RenderRequest], candidates: Sequence[Candidate], words: str
    ) -> tuple[list[RenderRequest], list[Candidate]]:
        """The same; types that are to show what others use know what that is."""
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

    def _for_question(
        self, composer: Composer, wishes: Sequence[RenderRequest], candidates: list[Candidate], view: View
    ) -> tuple[Composition, list[Candidate]]:
        """The text, and what it is made of: for a question, whose answer may touch any member, outlines of pinned types
        list all declarations as far as there is room, the shortest first."""
        options = view.options or self.options
        made = self._composed(composer, candidates, options, view.words)
        if not view.words.strip() or not made.text:
            return made, candidates
        spare = composer.limits.tokens - made.tokens
        widened = {
            at: rung
            for at, rung in self._widened(wishes, candidates)
            if (taken := made.taken[at]) is not None
            and taken.content.level is Level.OUTLINE
            and not taken.cut
        }
        now, fixed = list(candidates), set[str]()
        costs = {at: rung.piece.tokens - candidates[at].rungs[0].piece.tokens for at, rung in widened.items()}
        for at in sorted(widened, key=lambda at: (costs[at], at)):
            if 0 < costs[at] <= spare:
                now[at] = replace(now[at], rungs=(widened[at],))
                fixed.add(now[at].key)
                spare -= costs[at]
        if not fixed:
            return made, candidates
        more = self._composed(composer, now, options, view.words, fixed)
        return (made, candidates) if more.lost > made.lost or not more.text else (more, now)

    def _widened(
        self, wishes: Sequence[RenderRequest], candidates: Sequence[Candidate]
    ) -> Iterator[tuple[int, Rung]]:
        """Pinned outlines of whole types with all declarations, by the place of their candidates."""
        for at, (wish, candidate) in enumerate(zip(wishes, candidates, strict=True)):
            request = wish.request
            if request is None or not wish.pinned or not candidate.rungs:
                continue
            if request.key.kind != "type" or request.level is not Level.OUTLINE or request.members:
                continue
            rung = self._rung(at_level(request, Level.DECLARATIONS), True)
            if rung is not None:
                yield at, rung

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
        """What is shown of a request that no entry has made."""
        content = self._joined.contents([(request, pinned)], self._joined.versions([request]))[0]
        return None if content is None else Rung(content, self._joined.pieces([content])[0])

    def rendered(self, request: Request) -> Rendered | None:
        """An item as it is now; None where there is nothing to show of it at its level."""
        with self._lock:
            return self._cache.rendered(request)

    def pieces(self, state: WindowState) -> list[Piece]:
        """What every entry of a state takes as it was chosen; nothing, where it has vanished."""
        with self._lock:
            wishes = self._wishes(state)
            self._set_up("md", self.options, None)
            candidates = self._offers.candidates(wishes)
        return [each.rungs[0].piece if each.rungs else Piece("", 0) for each in candidates]

    def costs(self, requests: Sequence[Request]) -> list[int | None]:
        """What each item would take of the budget beside others, in Markdown; None where there is nothing to show."""
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
        """What is in the text, in its order."""
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
        """Let go of items that are not among these."""
        self._offers.forget_all_but(keys)
        if len(self._joined) > _JOINED_KEPT:
            self._joined.forget_all_but(())
        for key in [key for key in self._wished if key not in keys]:
            del self._wished[key]


def _named_by_others(candidates: Sequence[Candidate], words: str) -> dict[str, Named]:
    """By key, what the source of the other items and the question name. Outlines declare, and use no members: what an
    interface and its implementation both declare says nothing of what is needed of either."""
    shown = {each.key: each.rungs[0].content for each in candidates if each.rungs}
    texts = {key: "" if each.level in _DECLARING else each.text for key, each in shown.items()}
    return dict(named_elsewhere(texts, words))


def _is_text(candidate: Candidate, options: WindowOptions) -> bool:
    """Whether it belongs to the text, or is only listed."""
    return candidate.pinned or options.recents
