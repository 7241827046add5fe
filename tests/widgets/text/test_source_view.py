from __future__ import annotations

from contextlib import asynccontextmanager
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Size

from services.model import Span
from tests.widgets.host import Ear, Host, painted
from widgets.text.source_view import SourcePage, SourceView


def page(count: int, first_line: int = 1) -> SourcePage:
    return SourcePage(first_line, [f"line {n}" for n in range(first_line, first_line + count)])


@asynccontextmanager
async def shown(view: SourceView, ear: Ear | None = None, size: tuple[int, int] = (40, 10)):
    async with Host(view).run_test(size=size, message_hook=ear) as pilot:
        view.focus()
        await pilot.pause()
        yield pilot


def ranges(ear: Ear) -> list[tuple[int, int]]:
    return [(message.start, message.end) for message in ear.heard]  # pyright: ignore[reportAttributeAccessIssue]


def styled(view: SourceView, y: int, **wanted: bool) -> str:
    """The text of a line whose style has the given attributes."""
    return "".join(
        segment.text
        for segment in view.render_line(y)
        if segment.style and all(getattr(segment.style, name) == value for name, value in wanted.items())
    )


async def test_lines_have_the_numbers_of_their_file() -> None:
    view = SourceView(page(3, first_line=99))
    async with shown(view):
        assert [line.rstrip() for line in painted(view)[:4]] == [
            "▸ 99  line 99",
            " 100  line 100",
            " 101  line 101",
            "",
        ]


async def test_spans_are_coloured_and_may_come_later() -> None:
    view = SourceView(SourcePage(10, ["int x;", "int y;"], [(Span(start=0, end=3, style="keyword"),)]))
    async with shown(view):
        assert styled(view, 0, bold=True) == "int"
        assert styled(view, 1, bold=True) == ""
        spans = (Span(start=4, end=5, style="keyword"), Span(start=5, end=6, style="no such style"))
        view.colour({11: spans})
        assert styled(view, 1, bold=True) == "y"


async def test_hits_are_lit_marked_and_stepped_through() -> None:
    view = SourceView(page(100))
    async with shown(view):
        view.set_hits({50: [(0, 4)], 80: [(5, 7)]})
        assert view.step_hit(1) == 50
        assert view.step_hit(1) == 80
        assert view.step_hit(1) == 50
        assert view.step_hit(-1) == 80
        row = 80 - 1 - view.scroll_offset.y
        assert styled(view, row, underline=True) == "80"
        view.go_to(79)
        assert view.render_line(row).text.startswith("• 80")


async def test_stepping_without_hits_goes_nowhere() -> None:
    view = SourceView(page(10))
    async with shown(view):
        assert view.step_hit(1) is None
        assert view.cursor_line == 1


async def test_stepping_to_a_hit_far_right_brings_it_into_view() -> None:
    view = SourceView(SourcePage(1, ["x", "a" * 200 + "HIT"]))
    async with shown(view):
        view.set_hits({2: [(200, 203)]})
        view.step_hit(1)
        assert "HIT" in view.render_line(1).text


async def test_shift_and_arrows_select_lines() -> None:
    ear = Ear(SourceView.RangeSelected)
    view = SourceView(page(50))
    async with shown(view, ear) as pilot:
        await pilot.press("down", "shift+down", "shift+down", "shift+up", "shift+end")
        await pilot.pause()
        assert view.selection_range == (2, 50)
    assert ranges(ear) == [(2, 3), (2, 4), (2, 3), (2, 50)]


async def test_selecting_upwards_gives_the_lines_in_order() -> None:
    ear = Ear(SourceView.RangeSelected)
    async with shown(SourceView(page(50)), ear) as pilot:
        await pilot.press("pagedown", "shift+home")
        await pilot.pause()
    assert ranges(ear) == [(1, 10)]


async def test_moving_on_or_escape_ends_the_selection() -> None:
    ear = Ear(SourceView.SelectionCleared)
    view = SourceView(page(50))
    async with shown(view, ear) as pilot:
        await pilot.press("shift+down", "escape")
        assert view.selection_range is None
        await pilot.press("shift+down", "down")
        await pilot.pause()
        assert view.selection_range is None
    assert ranges(ear) == [(1, 2), (2, 3)]


async def test_dragging_selects_and_a_click_alone_does_not() -> None:
    ear = Ear(SourceView.RangeSelected)
    view = SourceView(page(50))
    async with shown(view, ear) as pilot:
        await pilot.click(view, offset=(10, 3))
        assert (view.cursor_line, view.selection_range) == (4, None)
        await pilot.mouse_down(view, offset=(10, 2))
        await pilot.hover(view, offset=(12, 5))
        await pilot.mouse_up(view, offset=(12, 5))
        await pilot.pause()
        assert view.selection_range == (3, 6)
        await pilot.hover(view, offset=(12, 8))
        assert view.selection_range == (3, 6)
    assert ranges(ear)[-1] == (3, 6)


async def test_a_click_with_shift_extends() -> None:
    view = SourceView(page(50))
    async with shown(view) as pilot:
        await pilot.click(view, offset=(10, 1))
        await pilot.click(view, offset=(10, 4), shift=True)
        assert view.selection_range == (2, 5)


@pytest.mark.parametrize(("asked", "got"), [(30, 30), (0, 1), (-5, 1), (10_000, 50)])
async def test_go_to_takes_the_nearest_line_and_shows_it(asked: int, got: int) -> None:
    view = SourceView(page(50))
    async with shown(view):
        view.go_to(asked)
        assert view.cursor_line == got
        assert any(f"line {got}" in line and "▸" in line for line in painted_after(view))


def painted_after(view: SourceView) -> list[str]:
    return [view.render_line(y).text for y in range(view.size.height)]


async def test_select_shows_a_range() -> None:
    view = SourceView(page(50))
    async with shown(view):
        view.select(20, 23)
        assert view.selection_range == (20, 23)
        assert sum("▌" in line for line in painted_after(view)) == 4


async def test_tabs_and_wide_characters_keep_their_columns() -> None:
    line = "\tif 漢字 HIT"
    view = SourceView(SourcePage(1, [line]))
    async with shown(view):
        view.set_hits({1: [(line.index("HIT"), len(line))]})
        assert view.render_line(0).text.rstrip() == "▸1      if 漢字 HIT"
        assert styled(view, 0, underline=True) == "HIT"
        assert view.render_line(0).cell_length == 40


async def test_a_wide_character_cut_by_the_edge_leaves_a_blank() -> None:
    view = SourceView(SourcePage(1, ["漢字" * 40]))
    async with shown(view) as pilot:
        view.scroll_to(x=1, animate=False, immediate=True)
        await pilot.pause()
        text = view.render_line(0).text
        assert text.startswith("▸1   字漢")
        assert view.render_line(0).cell_length == 40


async def test_a_megabyte_on_one_line_scrolls_to_its_end() -> None:
    view = SourceView(SourcePage(1, ["x" * 1_000_000 + "END"]))
    async with shown(view) as pilot:
        view.scroll_to(x=1_000_100, animate=False, immediate=True)
        await pilot.pause()
        assert "END" in view.render_line(0).text


async def test_sideways_by_key() -> None:
    view = SourceView(SourcePage(1, ["abcdefghijklmnop" * 10]))
    async with shown(view) as pilot:
        await pilot.press("ctrl+right")
        assert view.render_line(0).text.startswith("▸1  ijkl")
        await pilot.press("ctrl+left")
        assert view.render_line(0).text.startswith("▸1  abcd")


async def test_the_cursor_stays_in_view_when_the_view_shrinks() -> None:
    view = SourceView(page(50))
    async with shown(view, size=(40, 20)) as pilot:
        view.go_to(18)
        await pilot.resize_terminal(40, 5)
        await pilot.pause()
        assert any("▸18" in line for line in painted(view))


async def test_a_page_set_while_hidden_shows_its_line_once_shown() -> None:
    view = SourceView()
    view.display = False
    async with shown(view) as pilot:
        view.set_page(page(900), line=500)
        await pilot.pause()
        view.display = True
        await pilot.pause()
        assert any("▸500" in line for line in painted(view))


async def test_fifty_thousand_lines() -> None:
    view = SourceView()
    async with shown(view) as pilot:
        view.set_page(page(50_000), line=50_000)
        await pilot.pause()
        assert "line 50000" in painted(view)[-1]
        assert view.virtual_size == Size(5 + 3 + len("line 50000") + 1, 50_000)


async def test_without_a_page_keys_do_nothing_and_the_reason_is_shown() -> None:
    view = SourceView(empty="Nothing to show")
    async with shown(view) as pilot:
        await pilot.press("down", "shift+end", "pageup", "right", "escape")
        await pilot.click(view, offset=(3, 3))
        view.go_to(7)
        assert view.cursor_line == 0
        assert any("Nothing to show" in line for line in painted(view))


async def test_an_empty_page_after_a_full_one() -> None:
    view = SourceView(page(50), empty="Empty file")
    async with shown(view) as pilot:
        await pilot.press("end")
        view.set_page(SourcePage(1, []))
        await pilot.pause()
        assert any("Empty file" in line for line in painted(view))


@pytest.mark.parametrize(
    "line", ["\x1b]52;c;AAAA\x07", "\u202egnp.exe", "[bold]x[/]", "a\rb", "\ud800", "\x9b2J", "e\u0301" * 90]
)
@pytest.mark.parametrize("x", [0, 1, 7])
async def test_hostile_lines_fill_the_width_and_send_nothing(line: str, x: int) -> None:
    view = SourceView(SourcePage(1, [line, "y" * 90]))
    async with shown(view) as pilot:
        view.scroll_to(x=x, animate=False, immediate=True)
        await pilot.pause()
        strip = view.render_line(0)
        assert strip.cell_length == 40
        assert strip.text.isprintable()


async def test_a_new_theme_repaints() -> None:
    view = SourceView(page(3))
    async with shown(view) as pilot:
        before = view.render_line(1)
        pilot.app.theme = "textual-light"
        await pilot.pause()
        after = view.render_line(1)
        assert [segment.style for segment in before] != [segment.style for segment in after]


LONG = SourcePage(7, ["short", "x" * 50 + " name", "", "漢字" * 8, "last"])


async def test_wrapped_lines_go_on_in_the_next_row_with_their_number_once() -> None:
    view = SourceView(LONG)
    view.wraps = True
    async with shown(view, size=(30, 12)):
        rows = painted(view)
        assert view.row_count == 8
        assert [row[:5].strip() for row in rows[:8]] == ["▸ 7", "8", "", "", "9", "10", "", "11"]
        assert "".join(row[5:] for row in rows[1:4]).replace(" ", "") == "x" * 50 + "name"
        assert view.lines_in_view == range(7, 12)
        assert not view.show_horizontal_scrollbar


async def test_the_cursor_goes_by_lines_and_the_mouse_finds_the_line_of_a_row_where_lines_are_wrapped() -> (
    None
):
    view = SourceView(LONG)
    view.wraps = True
    async with shown(view, size=(30, 12)) as pilot:
        await pilot.press("down", "down")
        assert view.cursor_line == 9
        await pilot.click(offset=(9, 3))
        assert (view.cursor_line, view.word) == (8, "name")


async def test_wrapping_keeps_what_is_first_in_view_and_follows_the_width() -> None:
    view = SourceView(SourcePage(1, [f"{n} " + "y" * 60 for n in range(1, 101)]))
    async with shown(view, size=(40, 10)) as pilot:
        view.go_to(51)
        view.jump(50)
        view.wraps = True
        await pilot.pause()
        assert view.lines_in_view.start == 51
        before = view.row_count
        await pilot.resize_terminal(100, 10)
        await pilot.pause()
        assert (view.row_count, before) == (100, 200)
        assert view.lines_in_view.start == 51
        view.wraps = False
        await pilot.pause()
        assert (view.row_count, view.lines_in_view.start) == (100, 51)


async def test_a_hit_in_a_wrapped_line_is_lit_and_shown_where_it_stands() -> None:
    view = SourceView(SourcePage(1, ["z" * 300 + "hit", "end"]))
    view.wraps = True
    async with shown(view, size=(40, 5)) as pilot:
        view.set_hits({1: [(300, 303)]})
        view.go_to(1, column=300)
        await pilot.pause()
        assert any("hit" in styled(view, y, underline=True) for y in range(5))


async def test_a_place_far_to_the_right_keeps_what_stands_before_it_in_view() -> None:
    view = SourceView(SourcePage(1, ["if (ready)", "    " + "x" * 56 + "hit"]))
    async with shown(view, size=(48, 5)) as pilot:
        view.go_to(2, column=60)
        await pilot.pause()
        assert "hit" in painted(view)[1]
        before = painted(view)[1].index("hit")
        await pilot.resize_terminal(100, 5)
        await pilot.pause()
        assert "if (ready)" in painted(view)[0]
        assert painted(view)[1].index("hit") > before


@given(st.lists(st.text(st.characters(exclude_characters="\n"), max_size=40), min_size=1), st.integers(6, 40))
def test_the_pieces_of_a_line_are_all_of_it(lines: list[str], width: int) -> None:
    view = SourceView()
    view._line_margin, view._lines, view._room = 0, lines, width
    starts = [0, *accumulate(len(view.laid_out(at).breaks(width)) for at in range(len(lines)))]
    view._row_starts = starts
    for row in range(view.row_count):
        line, piece = view.at_row(row)
        assert row in view.rows_of(line)
        begin, cells = view.piece(line, piece)
        assert cells <= max(width, 9)
        assert view.row_of(line, begin) == row or not cells
