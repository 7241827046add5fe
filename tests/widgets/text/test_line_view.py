from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.widgets.host import Host, painted
from widgets.format.display_line import DisplayLine
from widgets.text.diff_text import DiffText
from widgets.text.line_view import widest

LINE = st.text(
    alphabet=st.characters(exclude_categories=()) | st.sampled_from("ab 漢é\t\x1b\u202e"), max_size=30
)


@given(st.lists(LINE, max_size=6))
def test_the_widest_line_fits(lines: list[str]) -> None:
    true = max((DisplayLine(line).width for line in lines), default=0)
    tabs = max((line.count("\t") for line in lines), default=0)
    assert true <= widest(lines) <= true + 3 * tabs


@given(LINE, st.integers(0, 60), st.integers(0, 20))
def test_columns_in_a_window_are_those_with_a_cell_in_it(text: str, cell: int, width: int) -> None:
    line = DisplayLine(text)
    start, end = line.columns(cell, width)
    inside = [
        column
        for column in range(len(text))
        if line.cell(column + 1) > line.cell(column)
        and line.cell(column) < cell + width
        and line.cell(column + 1) > cell
    ]
    assert set(inside) <= set(range(start, end))


@given(LINE)
def test_a_line_is_shown_in_the_cells_it_says(text: str) -> None:
    line = DisplayLine(text)
    assert line.cell(len(text)) == line.width
    assert "\x1b" not in line.shown(0, len(text))
    assert "\t" not in line.shown(0, len(text))


async def test_what_is_said_in_place_of_lines_is_said_whole() -> None:
    view = DiffText(empty="Choose a symbol on the left and press enter")
    async with Host(view).run_test(size=(30, 12)) as pilot:
        await pilot.pause()
        said = [line.strip() for line in painted(view) if line.strip()]
    assert said == ["Choose a symbol on the", "left and press enter"]
