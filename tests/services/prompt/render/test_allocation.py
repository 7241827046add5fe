"""Sharing a room out: whatever the items and the room, what the ladder promises holds (SPEC section 8)."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from services.model import Level
from services.prompt.items import KINDS, Rendered
from services.prompt.render.content import LEAST_LINES, Content, RemainingBudget
from services.prompt.render.ladder import Allocation, Candidate, Rung, falling
from services.prompt.render.render_cache import Piece

LINE = "0123456789\n"
PER_LINE = 6


def content(name: str, lines: int, *, level: Level = Level.OUTLINE, pinned: bool = True) -> Content:
    text = LINE * lines
    rendered = Rendered(label=name, text=text, version="1")
    return Content(
        key=f"type:{name}", kind=KINDS["type"], level=level, rendered=rendered, text=text, pinned=pinned
    )


def piece(shown: Content) -> Piece:
    """Counted as the tokenizer of the tests counts: so many tokens a line, and a heading."""
    return Piece(shown.text, 4 + PER_LINE * shown.text.count("\n") + (8 if shown.cut else 0))


def measure(shown: Content, first: bool) -> Piece:
    """The first of a text goes without the blank line between."""
    its = piece(shown)
    return Piece(its.text, its.tokens - 1) if first else its


LEVELS = (Level.OUTLINE, Level.SIGNATURE)


@dataclass(frozen=True)
class Item:
    pinned: bool
    lines: tuple[int, ...]

    def candidate(self, at: int) -> Candidate:
        contents = [
            content(f"N{at}", lines, level=level, pinned=self.pinned)
            for lines, level in zip(self.lines, LEVELS, strict=False)
        ]
        rungs = falling([Rung(each, piece(each)) for each in contents])
        return Candidate(f"type:N{at}", f"N{at}", self.pinned, rungs)


ITEMS = st.lists(
    st.builds(
        Item,
        st.booleans(),
        st.lists(st.integers(1, 60), min_size=1, max_size=2).map(
            lambda sizes: tuple(sorted(sizes, reverse=True))
        ),
    ),
    max_size=7,
)
ROOMS = st.builds(RemainingBudget, st.integers(0, 900), st.none() | st.integers(0, 2500))


def shared(items: list[Item], room: RemainingBudget) -> tuple[list[Candidate], list[Rung | None]]:
    candidates = [item.candidate(at) for at, item in enumerate(items)]
    return candidates, Allocation(candidates, room, measure).made()


@given(ITEMS, ROOMS)
def test_what_is_taken_never_exceeds_the_room(items: list[Item], room: RemainingBudget) -> None:
    _, taken = shared(items, room)
    pieces = [each.piece for each in taken if each is not None]
    assert room.holds(sum(p.tokens for p in pieces), sum(p.chars for p in pieces)) or not pieces


@given(ITEMS, ROOMS)
def test_what_is_taken_is_a_rung_of_the_item_or_the_beginning_of_one(
    items: list[Item], room: RemainingBudget
) -> None:
    candidates, taken = shared(items, room)
    assert len(taken) == len(candidates)
    for candidate, rung in zip(candidates, taken, strict=True):
        if rung is None:
            continue
        whole = {each.content.text for each in candidate.rungs}
        if not rung.cut:
            assert rung.content.text in whole
            continue
        assert any(text.startswith(rung.content.text) and text != rung.content.text for text in whole)
        assert rung.content.text.count("\n") >= LEAST_LINES


@given(ITEMS, ROOMS)
def test_nothing_is_cut_inside_a_line_and_at_most_one_item_is_cut(
    items: list[Item], room: RemainingBudget
) -> None:
    _, taken = shared(items, room)
    assert all(rung.content.text.endswith("\n") for rung in taken if rung is not None)
    assert sum(rung.cut for rung in taken if rung is not None) <= 1


@given(ITEMS, ROOMS)
def test_the_same_items_in_the_same_room_are_shown_alike(items: list[Item], room: RemainingBudget) -> None:
    assert shared(items, room)[1] == shared(items, room)[1]


@given(ITEMS)
def test_where_there_is_room_for_all_everything_is_whole(items: list[Item]) -> None:
    candidates, taken = shared(items, RemainingBudget(100_000, None))
    assert [rung.content for rung in taken if rung] == [each.rungs[0].content for each in candidates]


@given(ITEMS, ROOMS)
def test_recent_items_take_nothing_from_pinned_ones(items: list[Item], room: RemainingBudget) -> None:
    pinned = [item for item in items if item.pinned]
    _, alone = shared(pinned, room)
    _, beside = shared(items, room)
    of_pinned = [rung for item, rung in zip(items, beside, strict=True) if item.pinned]
    for mine, theirs in zip(alone, of_pinned, strict=True):
        if theirs is None:
            assert mine is None
        elif mine is not None and not mine.cut and not theirs.cut:
            assert theirs.content.level == mine.content.level


@given(ITEMS, ROOMS)
def test_detail_goes_before_items_do(items: list[Item], room: RemainingBudget) -> None:
    """No item of a group has more than its least while one before it, which would fit in its place, has nothing."""
    candidates, taken = shared(items, room)
    for pinned in (True, False):
        group = [at for at, each in enumerate(candidates) if each.pinned is pinned]
        for at in group:
            least = candidates[at].rungs[-1]
            for later in group:
                its = taken[later]
                if later > at and taken[at] is None and its is not None and not its.cut:
                    assert its.content is candidates[later].rungs[-1].content or (
                        its.piece.tokens - candidates[later].rungs[-1].piece.tokens < least.piece.tokens
                        or room.chars is not None
                    )


@given(st.lists(st.integers(1, 60), max_size=6))
def test_a_ladder_leads_down(sizes: list[int]) -> None:
    rungs = [Rung(each, piece(each)) for each in (content("N", lines) for lines in sizes)]
    kept = falling(rungs)
    costs = [each.piece.tokens for each in kept]
    assert costs == sorted(set(costs), reverse=True)
    assert kept[:1] == tuple(rungs[:1])
