"""What a view of a diff does as one file comes after another."""

from __future__ import annotations

from services.source.diffs.hunks import hunks_of
from tests.widgets.host import Host
from widgets.text.diff_rows import DiffRows, DiffShape
from widgets.text.diff_view import DiffView

LONG, SHORT = ([f"{word}\n" for word in ("a", "b" * width)] for width in (400, 4))


def _rows(new: list[str], *, wrap: bool = False) -> DiffRows:
    return DiffRows(hunks_of(["a\n"], new, context=3), DiffShape(wrap=wrap, width=40))


async def test_a_scrollbar_that_one_file_needs_stays_for_the_next() -> None:
    """Each that comes or goes lays the whole screen out anew, which a step from file to file would wait for."""
    view = DiffView()
    async with Host(view).run_test(size=(40, 12)) as pilot:
        view.set_rows(_rows(SHORT))
        await pilot.pause()
        assert not view.show_horizontal_scrollbar
        view.set_rows(_rows(LONG))
        await pilot.pause()
        assert view.show_horizontal_scrollbar
        room = view.view_size
        view.set_rows(_rows(SHORT))
        await pilot.pause()
        assert (view.show_horizontal_scrollbar, view.view_size) == (True, room)
        assert view.max_scroll_x == 0


async def test_wrapped_lines_and_no_lines_need_no_scrollbar() -> None:
    view = DiffView()
    async with Host(view).run_test(size=(40, 12)) as pilot:
        for without in (_rows(LONG, wrap=True), DiffRows()):
            view.set_rows(_rows(LONG))
            await pilot.pause()
            assert view.show_horizontal_scrollbar
            view.set_rows(without)
            await pilot.pause()
            assert not view.show_horizontal_scrollbar
