"""Views that paint line by line: what is painted once is not painted again, and nothing looks different for it."""

from __future__ import annotations

import pytest
from textual.geometry import Region
from textual.scroll_view import ScrollView

from services.model import DiffLine, Hunk, Kind, Span
from tests.widgets.host import Host, painted
from widgets.lists.symbol_list import SymbolList, SymbolRow
from widgets.text.diff_rows import DiffRows
from widgets.text.diff_text import DiffText
from widgets.text.diff_view import DiffView
from widgets.text.line_view import LineScroll, SourcePage
from widgets.text.outline_view import OutlineView
from widgets.text.source_view import SourceView

LINES = [f"\tint Größe{number} = {number}; // 名前 {'x' * number}" for number in range(40)]
HUNK = Hunk(
    old_start=1,
    old_count=0,
    new_start=1,
    new_count=40,
    lines=tuple(DiffLine(text=text, new=number) for number, text in enumerate(LINES, 1)),
)


class Asked:
    """Rows, and which of them were asked for."""

    def __init__(self) -> None:
        self.rows: list[int] = []

    def __call__(self, index: int) -> SymbolRow:
        self.rows.append(index)
        return SymbolRow(f"Type{index}", Kind.CLASS, "Some.Space", tokens=index)


def diff_text() -> DiffText:
    view = DiffText()
    view.set_diff("\n".join(f"+{line}" for line in LINES))
    return view


def diff_view() -> DiffView:
    view = DiffView()
    view.set_rows(DiffRows([HUNK]))
    return view


VIEWS = {
    "list": lambda: SymbolList([SymbolRow(f"Type{n}", Kind.CLASS, "Some", (1,), n) for n in range(40)]),
    "source": lambda: SourceView(SourcePage(1, LINES, [(Span(start=1, end=4, style="keyword"),)] * 40)),
    "diff": diff_view,
    "diff as text": diff_text,
    "outline": lambda: OutlineView("\n".join(LINES)),
    "nothing": lambda: SymbolList(empty="Nothing here"),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(
    "css", ["", "LineScroll { padding: 1 2; border: round red; }", "LineScroll { opacity: 50%; }"]
)
async def test_lines_look_as_textual_would_show_them(name: str, css: str) -> None:
    view = VIEWS[name]()
    assert isinstance(view, LineScroll)
    async with Host(view, css=css).run_test(size=(40, 12)) as pilot:
        view.focus()
        await pilot.press("down", "pagedown")
        for crop in (view.size.region, Region(3, 1, 20, 4)):
            own = view.render_lines(crop)
            view._styles_cache.clear()
            theirs = ScrollView.render_lines(view, crop)
            assert [strip.text.rstrip() for strip in own] == [strip.text.rstrip() for strip in theirs]
            assert [_cells(strip) for strip in own] == [_cells(strip) for strip in theirs]


def _cells(strip):
    """Each cell that shows something, with its style."""
    cells = [(character, str(style)) for text, style, _ in strip for character in text]
    while cells and cells[-1][0] == " ":
        cells.pop()
    return cells


async def test_a_list_that_scrolls_by_a_row_paints_that_row_and_those_the_cursor_leaves_and_reaches() -> None:
    asked = Asked()
    view = SymbolList()
    async with Host(view).run_test(size=(40, 10)) as pilot:
        view.set_provider(100, asked)
        view.focus()
        await pilot.press(*["down"] * 20)
        asked.rows.clear()
        await pilot.press("down")
        assert set(asked.rows) == {20, 21}
        asked.rows.clear()
        await pilot.press("up", "up", "down", "down")
        assert set(asked.rows) <= {19, 20, 21}


async def test_rows_that_say_something_else_are_painted_anew() -> None:
    view = SymbolList([SymbolRow("Old", Kind.CLASS)] * 3)
    async with Host(view).run_test(size=(40, 10)) as pilot:
        view.update_rows([SymbolRow("New", Kind.CLASS)] * 3)
        await pilot.pause()
        assert ["New" in line for line in painted(view)[:3]] == [True] * 3


async def test_a_line_painted_before_its_colours_came_gets_them_out_of_view_too() -> None:
    view = SourceView(SourcePage(1, [f"int {n};" for n in range(100)]))
    async with Host(view).run_test(size=(40, 10)) as pilot:
        view.focus()
        await pilot.press("pagedown", "pagedown")
        view.colour({line: (Span(start=0, end=3, style="keyword"),) for line in range(1, 30)})
        await pilot.press("home")
        keyword = view.part("syntax--keyword").color
        colours = [[style.color for text, style, _ in view.render_line(y) if text == "int"] for y in range(5)]
        assert colours == [[keyword]] * 5
