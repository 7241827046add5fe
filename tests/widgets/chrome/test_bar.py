from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from widgets.chrome.status_bar import fraction_bar, shares


@given(st.lists(st.integers(-5, 1000), max_size=4), st.integers(-3, 1000), st.integers(0, 50))
def test_shares_never_take_more_than_there_is(parts: list[int], whole: int, width: int) -> None:
    cells = shares(parts, whole, width)
    assert len(cells) == len(parts)
    assert sum(cells) <= width
    assert all(cell >= 0 for cell in cells)


def test_a_small_part_is_seen() -> None:
    assert shares((1, 500), 1000, 10) == [1, 5]


@given(st.floats(-1, 2), st.integers(0, 40))
def test_a_bar_is_as_wide_as_asked(fraction: float, width: int) -> None:
    assert len(fraction_bar(fraction, width)) == width


def test_a_bar_fills_by_eighths() -> None:
    assert fraction_bar(0.0, 3) == "   "
    assert fraction_bar(0.5, 3) == "█▌ "
    assert fraction_bar(1.0, 3) == "███"
