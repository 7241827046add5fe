"""The rows of a diff are what a list of them all would be, and are made as they are looked at."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from textual import events

from services.model import DiffLine, Hunk
from services.source.diffs.hunks import hunks_of
from tests.widgets.host import Host
from widgets.format.display_line import DisplayLine
from widgets.text.diff_rows import DiffRow, DiffRows, DiffShape, part_of
from widgets.text.diff_view import DiffView

SIDE = st.lists(st.sampled_from(["a\n", "b\n", "\n", "a\tb\n", "漢字\n"]), max_size=30)


def _all(hunks: tuple[Hunk, ...]) -> list[DiffRow]:
    return [
        row
        for number, hunk in enumerate(hunks)
        for row in (DiffRow(number), *(DiffRow(number, line) for line in hunk.lines))
    ]


@given(SIDE, SIDE, st.integers(0, 40), st.integers(0, 3))
def test_rows_are_those_of_a_whole_list(old: list[str], new: list[str], line: int, context: int) -> None:
    hunks = hunks_of(old, new, context=context)
    rows, whole = DiffRows(hunks), _all(hunks)
    assert [rows.at(row) for row in range(len(rows))] == whole
    assert list(rows) == rows[:] == [row.line.text if row.line else "" for row in whole]
    for number in range(len(hunks)):
        assert whole[rows.start(number)] == DiffRow(number)
        first = next(
            at for at, row in enumerate(whole) if row.hunk == number and row.line and row.line.sign != " "
        )
        assert rows.first_change(number) == first
    numbered = [(row.line.new, at) for at, row in enumerate(whole) if row.line and row.line.new]
    before = [at for number, at in numbered if number <= line]
    assert rows.row_of(line) == (before[-1] if before else numbered[0][1] if numbered else 0)
    for at in range(len(whole)):
        assert rows.new_line(at) == next((number for number, row in numbered if row >= at), None)


def test_of_no_hunk_there_is_no_row() -> None:
    rows = DiffRows()
    assert (len(rows), list(rows), rows.first_change(0), rows.row_of(1), rows.digits) == (0, [], 0, 0, (1, 1))


class CountedRows(DiffRows):
    """Counts the rows that are asked for."""

    asked = 0

    def at(self, row: int) -> DiffRow:
        self.asked += 1
        return super().at(row)


async def test_a_diff_of_many_lines_is_shown_by_the_rows_in_view() -> None:
    lines = tuple(DiffLine(text=f"int i{at};", new=at) for at in range(1, 50_001))
    rows = CountedRows([Hunk(old_start=0, old_count=0, new_start=1, new_count=50_000, lines=lines)])
    view = DiffView()
    async with Host(view).run_test(size=(80, 24)) as pilot:
        view.set_rows(rows)
        await pilot.pause()
        view.action_last()
        await pilot.pause()
        assert view.new_line == 50_000
    assert 0 < rows.asked < 1_000


WIDE = st.lists(
    st.sampled_from(["a\n", "b\n", "\n", "\tx" * 30 + "\n", "漢字" * 40 + "\n", "word " * 40 + "\n"]),
    max_size=20,
)


@given(WIDE, WIDE, st.booleans(), st.booleans(), st.integers(10, 200))
def test_however_it_is_laid_out_every_line_stands_there_once_and_whole(
    old: list[str], new: list[str], split: bool, wrap: bool, width: int
) -> None:
    hunks = hunks_of(old, new)
    rows = DiffRows(hunks, DiffShape(split=split, wrap=wrap, width=width))
    laid = [rows.at(at) for at in range(len(rows))]
    assert [row.hunk for row in laid if not row.lines] == list(range(len(hunks)))
    lines = {id(line): line for hunk in hunks for line in hunk.lines}
    shown = [line for row in laid for line in set(map(id, row.lines)) if not row.piece]
    assert sorted(shown) == sorted(lines)
    for side, name in ((0, "old"), (1, "new")):
        numbers = [getattr(row, name) for row in laid if not row.piece and getattr(row, name)]
        assert numbers == sorted(numbers), side
    for at, row in enumerate(laid):
        assert rows.at(rows.find(row)).lines == row.lines
        if row.new and not row.piece:
            assert rows.row_of(row.new) == at
    if wrap:
        room = min(rooms) if (rooms := rows.rooms(width)) else 0
        for line in lines.values():
            breaks = [*DisplayLine(line.text).breaks(room), len(line.text)]
            assert "".join(line.text[a:b] for a, b in pairwise(breaks)) == line.text
            assert all(DisplayLine(line.text).cell(b) - DisplayLine(line.text).cell(a) <= max(room, 8)
                       for a, b in pairwise(breaks))  # fmt: skip


async def test_side_by_side_the_new_line_stands_beside_the_old_and_the_cursor_stays_on_its_line() -> None:
    old, new = ["same\n", "one\n", "two\n", "end\n"], ["same\n", "uno\n", "end\n", "more\n"]
    hunks = hunks_of(old, new)
    view = DiffView()
    async with Host(view).run_test(size=(60, 12)) as pilot:
        view.set_rows(DiffRows(hunks), line=4)
        await pilot.pause()
        view.reshape(DiffRows(hunks, DiffShape(split=True, width=60)))
        await pilot.pause()
        shown = [view.render_line(y).text for y in range(6)]
        assert shown[2].split("│")[0].split() == ["2", "-", "one"]
        assert shown[2].split("│")[1].split() == ["2", "+", "uno"]
        assert shown[3].split("│")[1].strip() == ""
        assert view.new_line == 4
        assert all(len(line) == view.view_size.width for line in shown)


@given(SIDE, SIDE, st.integers(0, 3), st.booleans(), st.data())
def test_rows_of_a_hunk_are_a_hunk_of_their_own(
    old: list[str], new: list[str], context: int, split: bool, data: st.DataObject
) -> None:
    rows = DiffRows(hunks_of(old, new, context=context), DiffShape(split=split))
    for number, hunk in enumerate(rows.hunks):
        first, last = (
            rows.start(number),
            rows.start(number + 1) if number + 1 < len(rows.hunks) else len(rows),
        )
        start = data.draw(st.integers(first, last - 1))
        chosen = [line for row in map(rows.at, range(start, last)) for line in row.lines]
        part = part_of(hunk, chosen)
        if part is None:
            assert not chosen
            continue
        assert set(map(id, part.lines)) == set(map(id, chosen))
        for first_line, count, side in (
            (part.old_start, part.old_count, [line.old for line in part.lines if line.old]),
            (part.new_start, part.new_count, [line.new for line in part.lines if line.new]),
        ):
            assert side == list(range(first_line, first_line + count))
        if not part.new_count:
            behind = [line.new for line in hunk.lines[hunk.lines.index(part.lines[-1]) :] if line.new]
            assert (
                part.new_start == behind[0] - 1
                if behind
                else part.new_start == hunk.new_range[1] * bool(hunk.new_start)
            )


async def test_lines_are_selected_by_keys_and_mouse_and_stay_so_in_another_shape() -> None:
    hunks = hunks_of(["same\n", "one\n", "two\n", "end\n"], ["same\n", "uno\n", "due\n", "end\n"])
    view = DiffView()
    async with Host(view).run_test(size=(60, 12)) as pilot:
        view.set_rows(DiffRows(hunks))
        view.focus()
        await pilot.press("shift+down", "shift+down", "shift+down")
        assert _selected(view) == ["-one", "-two", "+uno", "+due"]
        assert [view.render_line(y).text[0] for y in range(7)] == [*"  ▌▌▌▌ "]
        view.reshape(DiffRows(hunks, DiffShape(notes={2: ("question: why?",)})))
        assert _selected(view) == ["-one", "-two", "+uno", "+due"]
        await pilot.press("escape")
        assert view.selected_hunk is None
        await pilot.press("shift+home", "down")
        assert view.selected_hunk is None
        await pilot.mouse_down(view, offset=(20, 3))
        await pilot._post_mouse_events([events.MouseMove], view, offset=(20, 4), button=1)
        await pilot.mouse_up(view, offset=(20, 4))
        assert _selected(view) == ["-two", "+uno"]
        await pilot.click(view, offset=(20, 2))
        assert (view.selected_hunk, view.cursor) == (None, 2)
        await pilot.click(view, offset=(20, 3), shift=True)
        assert _selected(view) == ["-one", "-two"]
        view.set_rows(DiffRows(hunks))
        assert view.selected_hunk is None


def _selected(view: DiffView) -> list[str]:
    return [f"{line.sign}{line.text}" for line in view.selected_hunk.lines] if view.selected_hunk else []
