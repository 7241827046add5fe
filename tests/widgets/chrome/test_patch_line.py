"""The line over the patch editor says what is known of token and lock, and keeps the buttons that can be pressed."""

from __future__ import annotations

import pytest

from tests.widgets.host import Host, painted
from widgets.chrome.patch_line import PatchButton, PatchLine, PatchState

BUTTONS = (
    PatchButton("patch-apply", "^s", "write", refused=True),
    PatchButton("patch-break", "^b", "break"),
    PatchButton("patch-close", "f4", "close"),
)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (PatchState("1_a", token_left=252), "✓ read 4:12"),
        (PatchState("1_a", token_left=-3), "✗ ran out 0:00"),
        (PatchState("1_a", fresh=False, token_left=60), "⟳ changed on disk 1:00"),
    ],
)
async def test_the_token_is_told(state: PatchState, said: str) -> None:
    line = PatchLine()
    async with Host(line).run_test(size=(80, 3)) as pilot:
        line.state = state
        await pilot.pause()
        assert said in painted(line)[0]


@pytest.mark.parametrize(
    ("width", "left"), [(100, "^s write ^b break f4 close"), (72, "^b break f4 close"), (62, "^b break")]
)
async def test_where_there_is_no_room_a_button_that_would_only_say_why_not_goes_first(
    width: int, left: str
) -> None:
    line = PatchLine()
    async with Host(line).run_test(size=(width, 3)) as pilot:
        line.state = PatchState("1_a", token_left=60, lock="claude", lock_left=60)
        line.buttons = BUTTONS
        await pilot.pause()
        shown = painted(line)[0]
        assert shown[shown.index("[") :].replace("[", "").replace("]", "").split() == left.split()
