"""The best choice of levels within a room, against trying all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from services.prompt import missing_types
from services.prompt.missing_types import PackingOption, best

_things = st.lists(
    st.lists(st.builds(PackingOption, st.integers(0, 40), st.integers(1, 50)), min_size=1, max_size=2),
    max_size=6,
)


def told(things: Sequence[Sequence[PackingOption]], taken: Sequence[int | None]) -> tuple[int, int]:
    options = [its[n] for its, n in zip(things, taken, strict=True) if n is not None]
    return sum(o.cost for o in options), sum(o.value for o in options)


def tried(things: Sequence[Sequence[PackingOption]], room: int) -> int:
    choices = product(*([None, *range(len(its))] for its in things))
    worths = (told(things, choice) for choice in choices)
    return max((value for cost, value in worths if cost <= room), default=0)


@given(_things, st.integers(0, 120))
def test_it_is_the_best_there_is(things: list[list[PackingOption]], room: int) -> None:
    cost, value = told(things, best(things, room))
    assert cost <= room
    assert value == tried(things, room)


@given(_things, st.integers(0, 4))
def test_a_large_room_is_never_passed_and_little_is_lost(
    things: list[list[PackingOption]], much: int
) -> None:
    large = [[PackingOption(o.cost * 3_001, o.value) for o in its] for its in things]
    room = much * 29_999
    cost, value = told(large, best(large, room))
    assert cost <= room
    step = -(-(room + 1) // missing_types.MOST_STEPS)
    assert value >= tried(large, room - step * len(large))


def test_no_room_takes_nothing_that_costs() -> None:
    assert best([[PackingOption(1, 9)], [PackingOption(0, 1)]], 0) == [None, 0]
    assert best([[PackingOption(1, 9)]], -1) == [None]
    assert best([], 10) == []


def test_it_is_not_first_come() -> None:
    things = [[PackingOption(90, 10)], [PackingOption(50, 9)], [PackingOption(50, 9)]]
    assert best(things, 100) == [None, 0, 0]


def test_a_signature_is_taken_where_an_outline_does_not_fit() -> None:
    things = [
        [PackingOption(80, 100), PackingOption(20, 45)],
        [PackingOption(80, 100), PackingOption(20, 45)],
    ]
    assert best(things, 100) == [0, 1]
