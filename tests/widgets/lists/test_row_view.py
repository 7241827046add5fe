"""Lists of one-line rows: where the cursor goes, what is marked, and what is told of it."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rich.segment import Segment
from textual.pilot import Pilot

from tests.widgets.host import Ear, Host, painted
from widgets.lists.row_view import RowView


class Numbers(RowView):
    """Rows that say their number, and how often each was painted."""

    def __init__(self, count: int = 0) -> None:
        super().__init__()
        self.count = count
        self.drawn: list[int] = []

    def on_mount(self) -> None:
        self.set_row_count(self.count)

    def paint_row(self, index: int, width: int) -> list[Segment]:
        self.drawn.append(index)
        return [Segment(f"row {index}"[:width])]


@asynccontextmanager
async def shown(view: Numbers, ear: Ear | None = None, *, height: int = 8) -> AsyncIterator[Pilot[None]]:
    async with Host(view).run_test(size=(20, height), message_hook=ear) as pilot:
        view.focus()
        await pilot.pause()
        yield pilot


async def test_only_the_rows_in_view_are_painted_however_many_there_are() -> None:
    view = Numbers(1_000_000)
    async with shown(view) as pilot:
        assert painted(view)[0].startswith("▸row 0")
        await pilot.press("end")
        await pilot.pause()
        assert painted(view)[-1].startswith("▸row 999999")
        assert len(set(view.drawn)) <= 20


async def test_keys_go_by_a_row_a_page_and_to_the_ends() -> None:
    view = Numbers(100)
    async with shown(view) as pilot:
        went = []
        for key in ("down", "pagedown", "pageup", "end", "down", "pageup", "home", "up"):
            await pilot.press(key)
            went.append(view.cursor)
        assert went == [1, 8, 1, 99, 99, 92, 0, 0]


async def test_rows_are_brought_into_view_from_the_first_on() -> None:
    view = Numbers(100)
    async with shown(view) as pilot:
        for first, last, top in ((3, 5, 0), (5, 9, 2), (6, 40, 6), (2, 4, 2)):
            view.scroll_to_rows(first, last)
            await pilot.pause()
            assert view.scroll_offset.y == top


async def test_shift_marks_the_way_and_any_other_move_ends_that() -> None:
    view = Numbers(10)
    async with shown(view) as pilot:
        await pilot.press("down", "down", "shift+down", "shift+down")
        assert view.marked == {2, 3, 4}
        await pilot.press("shift+up", "shift+up", "shift+up")
        assert (view.marked, view.cursor) == ({1, 2}, 1)
        await pilot.press("down")
        assert (view.marked, view.cursor) == (frozenset(), 2)


async def test_marking_stops_at_the_ends() -> None:
    view = Numbers(3)
    async with shown(view) as pilot:
        await pilot.press(*["shift+down"] * 5)
        assert (view.marked, view.cursor) == ({0, 1, 2}, 2)


async def test_a_row_under_the_cursor_and_one_that_is_marked_are_told_apart_without_colour() -> None:
    view = Numbers(4)
    async with shown(view) as pilot:
        await pilot.press("down", "shift+down")
        await pilot.pause()
        assert [line[0] for line in painted(view)[:4]] == [" ", "▌", "▶", " "]


async def test_without_rows_there_is_no_cursor_and_a_word_about_it() -> None:
    ear = Ear(RowView.Highlighted, RowView.Selected)
    view = Numbers()
    view.empty = "Nothing [b]here[/b]."
    async with shown(view, ear) as pilot:
        await pilot.press("down", "end", "home", "shift+down", "enter", "pageup")
        await pilot.pause()
        assert view.cursor is None
        assert any("[b]here[/b]." in line for line in painted(view)), "text is never markup"
        assert ear.heard == []


async def test_enter_opens_the_row_under_the_cursor() -> None:
    ear = Ear(RowView.Selected)
    async with shown(Numbers(5), ear) as pilot:
        await pilot.press("down", "enter")
        await pilot.pause()
    assert [message.index for message in ear.heard] == [1]  # pyright: ignore[reportAttributeAccessIssue]


async def test_new_rows_are_begun_anew_and_more_rows_are_not() -> None:
    view = Numbers(5)
    async with shown(view) as pilot:
        await pilot.press("down", "shift+down")
        view.add_row_count(50)
        assert (view.cursor, view.marked, view.row_count) == (2, {1, 2}, 50)
        view.set_row_count(3, cursor=9)
        assert (view.cursor, view.marked, view.row_count) == (2, frozenset(), 3)
        view.set_row_count(0)
        assert view.cursor is None


async def test_a_click_moves_a_second_opens_and_ctrl_and_shift_mark() -> None:
    ear = Ear(RowView.Selected)
    view = Numbers(9)
    async with shown(view, ear) as pilot:
        await pilot.click(view, offset=(3, 4))
        assert view.cursor == 4
        await pilot.click(view, offset=(3, 6), control=True)
        assert (view.marked, view.cursor) == ({6}, 6)
        await pilot.click(view, offset=(3, 6), control=True)
        assert view.marked == frozenset()
        await pilot.click(view, offset=(3, 2), shift=True)
        assert view.marked == {2, 3, 4, 5, 6}
        await pilot.click(view, offset=(3, 1), times=2)
        await pilot.pause()
    assert [message.index for message in ear.heard] == [1]  # pyright: ignore[reportAttributeAccessIssue]


async def test_whatever_is_done_the_cursor_is_a_row_in_view_and_marks_are_rows() -> None:
    chance = random.Random(7)
    view = Numbers(40)
    async with shown(view) as pilot:
        acts = (
            lambda: view.move_cursor(chance.randint(-50, 50)),
            lambda: view.action_mark(chance.randint(-9, 9)),
            lambda: view.mark_to(chance.randint(-5, 60)),
            view.action_last,
            view.action_page_up,
            lambda: view.set_row_count(chance.choice((0, 1, 3, 40)), cursor=chance.choice((None, 0, 70))),
            lambda: view.add_row_count(view.row_count + chance.randint(0, 5)),
        )
        for _ in range(400):
            chance.choice(acts)()
            rows = range(view.row_count)
            assert view.cursor is None or view.cursor in rows
            assert view.marked <= set(rows)
            if view.marked:
                assert view.marked == set(range(min(view.marked), max(view.marked) + 1))
                assert view.cursor in (min(view.marked), max(view.marked))
            top = view.scroll_offset.y
            assert view.cursor is None or top <= view.cursor < top + view.size.height
        await pilot.pause()
