"""A line laid out in cells agrees, column by column, with what a terminal shows of it."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st
from rich.cells import cell_len

from widgets.format.display import TAB_SIZE, expand_tabs, visible
from widgets.format.display_line import DisplayLine

LINES = st.text(st.sampled_from("ab {é漢字\t\x1b\u202e\u0301") | st.characters(), max_size=24)


def starts(text: str) -> list[int]:
    """The cell at which each column starts, and the one behind the last: character by character, as one would count."""
    cells = [0]
    for character in text:
        at = cells[-1]
        cells.append(at + (TAB_SIZE - at % TAB_SIZE if character == "\t" else cell_len(visible(character))))
    return cells


@given(LINES)
def test_every_column_starts_where_what_is_before_it_ends(text: str) -> None:
    line, cells = DisplayLine(text), starts(text)
    assert [line.cell(column) for column in range(len(text) + 1)] == cells
    assert line.cell(len(text) + 9) == line.width == cells[-1]


@given(LINES)
def test_a_line_is_painted_as_its_tabs_expanded_and_the_rest_made_visible(text: str) -> None:
    assert DisplayLine(text).shown(0, len(text)) == visible(expand_tabs(text))


@given(LINES, st.data())
def test_a_line_may_be_painted_in_pieces(text: str, data: st.DataObject) -> None:
    line, cut = DisplayLine(text), data.draw(st.integers(0, len(text)))
    assert line.shown(0, cut) + line.shown(cut, len(text)) == line.shown(0, len(text))


@given(LINES, st.integers(0, 40), st.integers(1, 20))
def test_the_columns_of_a_window_are_those_of_which_a_part_is_within_it(
    text: str, cell: int, width: int
) -> None:
    assume(all(cell_len(visible(each)) for each in text))  # a mark of no cell may go with either side
    cells = starts(text)
    inside = [at for at in range(len(text)) if cells[at] < cell + width and cells[at + 1] > cell]
    first, end = DisplayLine(text).columns(cell, width)
    assert list(range(first, end)) == inside


@given(LINES, st.integers(1, 12))
def test_a_wrapped_line_has_every_column_once_in_rows_that_fit(text: str, width: int) -> None:
    line, cells = DisplayLine(text), starts(text)
    rows = [*line.breaks(width), len(text)]
    assert rows[0] == 0
    assert rows == sorted(rows)
    for start, end in pairwise(rows):
        assert cells[end] - cells[start] <= width or end == start + 1, "only what is wider alone sticks out"


def test_an_empty_line_is_one_row_without_cells() -> None:
    line = DisplayLine("")
    assert (line.width, list(line.breaks(10)), line.columns(0, 10), line.shown(0, 0)) == (0, [0], (0, 0), "")
