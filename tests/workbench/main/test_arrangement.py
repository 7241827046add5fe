"""Which parts of the main screen are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.stage import on_stage
from workbench.commands.situation import CODE, GREP, PATCH, SYMBOLS, WINDOW
from workbench.main.panes import Arrangement, Widths, arrange, columns_of


def _columns(shown: Arrangement) -> tuple[bool, bool, bool]:
    return shown.left, shown.code, shown.window


@pytest.mark.parametrize("pane", [SYMBOLS, CODE, WINDOW, PATCH])
def test_three_panes_stand_side_by_side_where_there_is_room(pane: str) -> None:
    shown = arrange(100, 30, pane=pane)
    assert _columns(shown) == (True, True, True)
    assert (shown.single, shown.switcher, shown.body, shown.too_small) == (False, False, True, False)


@given(st.integers(100, 260), st.sampled_from([SYMBOLS, GREP, CODE, WINDOW, PATCH]))
def test_what_is_not_in_use_is_a_strip_where_there_is_no_room_for_all(width: int, pane: str) -> None:
    columns = columns_of(width, pane=pane, widths=Widths())
    code = width - columns.left - columns.window
    if width < 160:
        assert (columns.left if pane == WINDOW else columns.window) == 17
        assert (
            columns_of(width, pane=SYMBOLS, widths=Widths()).left
            > columns_of(width, pane=CODE, widths=Widths()).left
        )
    else:
        assert min(columns.left, columns.window) >= 35
    assert code >= 40
    assert min(columns.left, columns.window) >= 17


def test_a_column_stays_as_wide_as_a_person_made_it() -> None:
    assert columns_of(120, pane=CODE, widths=Widths(window=30)).window == 36
    assert columns_of(120, pane=WINDOW, widths=Widths(left=40)).left == 48


@pytest.mark.parametrize(
    ("pane", "columns"),
    [(SYMBOLS, (True, False, False)), (GREP, (True, False, False)), (CODE, (False, True, False)),
     (WINDOW, (False, False, True))],
)  # fmt: skip
def test_a_narrow_terminal_or_a_zoom_shows_the_pane_in_use_alone(
    pane: str, columns: tuple[bool, bool, bool]
) -> None:
    for shown in (arrange(99, 30, pane=pane), arrange(200, 60, pane=pane, zoomed=True)):
        assert _columns(shown) == columns
        assert (shown.single, shown.switcher) == (True, True)


def test_the_patch_editor_is_below_the_panes_or_has_their_room() -> None:
    beside = arrange(120, 36, pane=SYMBOLS, editing=True)
    assert (beside.patch, beside.body) == (True, True)
    covering = arrange(80, 24, pane=PATCH, editing=True)
    assert (covering.patch, covering.body, covering.switcher) == (True, False, False)
    behind = arrange(80, 24, pane=SYMBOLS, editing=True)
    assert (behind.patch, behind.body) == (False, True)
    assert not arrange(120, 36, pane=PATCH).patch


@pytest.mark.parametrize(("width", "height"), [(59, 30), (120, 14)])
def test_where_nothing_useful_fits_no_pane_is_shown(width: int, height: int) -> None:
    shown = arrange(width, height, pane=SYMBOLS, editing=True)
    assert shown.too_small
    assert not (shown.body or shown.patch or shown.switcher)
    assert not arrange(60, 15, pane=SYMBOLS).too_small


async def test_panes_get_wider_by_key_and_by_mouse_and_stay_so() -> None:
    async with on_stage() as stage:
        main = stage.main
        usual = main.left_column.region.width
        await stage.press("escape", "alt+k", "alt+k")
        wider = main.left_column.region.width
        assert wider > usual
        await stage.press("2", "alt+k")
        assert main.left_column.region.width < wider
        await stage.press("3", "alt+k")
        assert main.personal.state.widths == (main.widths.left, main.widths.window)
        assert all(main.personal.state.widths)
        edge, row = main.left_column.region.right - 1, main.body.region.y + 5
        await stage.pilot.mouse_down(offset=(edge, row))
        await stage.pilot.hover(offset=(edge - 6, row))
        await stage.pilot.mouse_up(offset=(edge - 6, row))
        await stage.settle()
        assert abs(main.left_column.region.right - 1 - (edge - 6)) <= 1
        assert main.personal.state.widths[0] == main.widths.left
        await stage.press("z")
        assert main.window.region.width == main.body.region.width
        await stage.press("z", "alt+m", "1")
        assert (main.left_column.region.width, main.widths) == (usual, Widths())


@given(st.lists(st.tuples(st.sampled_from([SYMBOLS, WINDOW]), st.integers(-50, 200)), max_size=6))
def test_whatever_is_dragged_every_pane_can_be_read(moves: list[tuple[str, int]]) -> None:
    widths = Widths()
    for column, share in moves:
        widths = widths.moved(column, share)
    assert (widths.left or 26) + (widths.window or 26) <= 76
    assert all(each == 0 or each >= 14 for each in (widths.left, widths.window))
