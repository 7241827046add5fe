"""Which parts of the main screen are shown."""

from __future__ import annotations

import pytest

from workbench.commands.situation import CODE, GREP, PATCH, SYMBOLS, WINDOW
from workbench.main.panes import Arrangement, arrange


def _columns(shown: Arrangement) -> tuple[bool, bool, bool]:
    return shown.left, shown.code, shown.window


@pytest.mark.parametrize("pane", [SYMBOLS, CODE, WINDOW, PATCH])
def test_three_panes_stand_side_by_side_where_there_is_room(pane: str) -> None:
    shown = arrange(120, 30, pane=pane)
    assert _columns(shown) == (True, True, True)
    assert (shown.single, shown.switcher, shown.body, shown.too_small) == (False, False, True, False)


@pytest.mark.parametrize(
    ("pane", "columns"),
    [(SYMBOLS, (True, True, False)), (GREP, (True, True, False)), (CODE, (True, True, False)),
     (WINDOW, (False, True, True)), (PATCH, (True, True, False))],
)  # fmt: skip
@pytest.mark.parametrize("size", [(100, 26), (119, 40)])
def test_with_less_room_the_code_stands_beside_the_list_or_the_window(
    pane: str, columns: tuple[bool, bool, bool], size: tuple[int, int]
) -> None:
    shown = arrange(*size, pane=pane)
    assert _columns(shown) == columns
    assert (shown.single, shown.switcher, shown.body) == (False, True, True)


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
