"""A text coloured piece by piece has the colours it has as a whole."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import Cancelled
from services.syntax.highlight import BLOCK, Colours, highlight

_PIECES = ["int a = 1; // one", "/* open", "still */ int b;", 'var c = """', 'raw """;', '@"x', '";', ""]


@given(st.lists(st.sampled_from(_PIECES), max_size=12), st.lists(st.integers(1, 400), max_size=6))
def test_any_lines_in_any_order_have_the_colours_of_the_whole_text(
    pieces: list[str], asked: list[int]
) -> None:
    lines = (pieces * (3 * BLOCK))[: 3 * BLOCK - 7]
    whole, colours = highlight("\n".join(lines)), Colours(lines)
    for line in asked:
        for number, spans in colours.of([line]).items():
            assert spans == whole[number - 1]


def test_lines_come_with_their_block_and_none_that_there_are_not() -> None:
    colours = Colours(["int a;"] * (BLOCK + 3))
    assert sorted(colours.of([2])) == list(range(1, BLOCK + 1))
    assert sorted(colours.of([BLOCK + 1, 10_000])) == [BLOCK + 1, BLOCK + 2, BLOCK + 3]
    assert colours.of([0, -1]) == {}
    assert Colours([]).of([1]) == {}


def test_a_way_that_is_cancelled_can_be_gone_on_with() -> None:
    colours, cancel = Colours(["/*"] + ["x"] * 4 * BLOCK), threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        colours.of([4 * BLOCK], cancel=cancel)
    assert colours.of([4 * BLOCK])[4 * BLOCK][0].style == "comment"
