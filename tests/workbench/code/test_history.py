"""Back and forward."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.code.visits import History

MOVES = st.lists(st.one_of(st.sampled_from("abc"), st.sampled_from([-1, 1, -3, 5])))


def walked(moves: list[str | int]) -> History:
    history = History()
    for move in moves:
        history = history.visit(move) if isinstance(move, str) else history.step(move)
    return history


def test_what_was_ahead_is_forgotten_by_a_visit() -> None:
    history = walked(["a", "b", "c", -1, -1, "d"])
    assert (history.places, history.current) == (("a", "d"), "d")
    assert not history.can_go_forward


@given(MOVES)
def test_one_is_always_somewhere_one_has_been(moves: list[str | int]) -> None:
    history = walked(moves)
    visited = [move for move in moves if isinstance(move, str)]
    assert (history.current is None) == (not visited)
    assert history.current is None or history.current in visited
    assert len(history.places) <= 100


@given(MOVES, st.sampled_from("abc"))
def test_back_leads_to_where_one_was(moves: list[str | int], place: str) -> None:
    before = walked(moves)
    after = before.visit(place)
    if before.current not in (None, place):
        assert after.step(-1).current == before.current
        assert after.step(-1).step(1) == after


def test_jumps_in_a_file_are_come_back_from_and_of_a_row_of_them_the_first() -> None:
    history = History().visit("A").jumped(10, 300, "source")
    assert [(spot.place, spot.line) for spot in history.spots] == [("A", 10), ("A", 300)]
    history = history.jumped(300, 500, "source").jumped(500, 700, "source")
    assert [spot.line for spot in history.spots] == [10, 700]
    assert [spot.line for spot in history.jumped(710, 20, "source").spots] == [10, 710, 20]
    back = history.left_at(700, "source").step(-1)
    assert (back.spot and back.spot.line, back.can_go_forward) == (10, True)
    assert back.visit("B").places == ("A", "B")
