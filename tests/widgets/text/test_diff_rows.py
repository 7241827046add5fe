"""The rows of a diff are what a list of them all would be, and are made as they are looked at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.model import DiffLine, Hunk
from services.source.diffs.hunks import hunks_of
from tests.widgets.host import Host
from widgets.text.diff_rows import DiffRow, DiffRows
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
