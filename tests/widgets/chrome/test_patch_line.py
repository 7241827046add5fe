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
        (PatchState(read_ago=12.4), "✓ as you read it 12 s ago   not locked"),
        (PatchState(lock="yours", lock_left=540), "locked by you for 9 min"),
        (PatchState(fresh=False), "⟳ changed on disk since you read it"),
        (
            PatchState(changed=True, problem="Line 3 would not parse."),
            "● unsaved   ✗ Line 3 would not parse.",
        ),
    ],
)
async def test_what_was_read_and_the_lock_are_told_in_words(state: PatchState, said: str) -> None:
    line = PatchLine()
    async with Host(line).run_test(size=(100, 3)) as pilot:
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
        line.state = PatchState(lock="claude", lock_left=60)
        line.buttons = BUTTONS
        await pilot.pause()
        shown = painted(line)[0]
        assert shown[shown.index("[") :].replace("[", "").replace("]", "").split() == left.split()
