from __future__ import annotations

from typing import Any

from textual import events

from tests.widgets.host import Ear, Host, painted
from widgets.chrome.search_box import SearchBox


async def test_typing_and_enter_speak_for_the_box() -> None:
    ear = Ear(SearchBox.QueryChanged)
    box = SearchBox(placeholder="search")
    async with Host(box).run_test(size=(30, 3), message_hook=ear) as pilot:
        box.focus_input()
        await pilot.press("a", "b", "enter")
        await pilot.pause()
        assert box.value == "ab"
        assert painted(box)[0].startswith(" / ab")
    heard: list[Any] = ear.heard
    assert [(type(m).__name__, m.value) for m in heard] == [
        ("QueryChanged", "a"),
        ("QueryChanged", "ab"),
        ("QuerySubmitted", "ab"),
    ]


async def test_a_value_set_from_outside_is_shown() -> None:
    box = SearchBox("first")
    async with Host(box).run_test(size=(30, 3)) as pilot:
        assert "first" in painted(box)[0]
        box.value = "second"
        await pilot.pause()
        assert "second" in painted(box)[0]


async def test_pasted_control_characters_stay_out() -> None:
    box = SearchBox("[b]")
    async with Host(box).run_test(size=(30, 3)) as pilot:
        box.focus_input()
        box.input.post_message(events.Paste("x\x1b]52;c;\x07y\u202e"))
        await pilot.pause()
        assert box.value == "[b]x]52;c;y"


async def test_keys_that_come_faster_than_the_box_speaks_are_all_kept() -> None:
    """An older message about the input must not set the input back: the two would chase each other for ever."""
    box = SearchBox()
    async with Host(box).run_test(size=(30, 3)) as pilot:
        box.focus_input()
        for at in range(1, 8):
            box.input.value = "jsonser"[:at]
            box.input.cursor_position = at
        await pilot.pause()
        assert (box.value, box.input.value) == ("jsonser", "jsonser")


async def test_the_end_of_a_long_text_is_in_view() -> None:
    box = SearchBox()
    async with Host(box).run_test(size=(14, 3)) as pilot:
        box.focus_input()
        await pilot.press(*"abcdefghijklmnop")
        await pilot.pause()
        assert painted(box)[0].rstrip().endswith("hijklmnop")


async def test_what_was_looked_for_is_recalled_and_behind_the_oldest_what_was_typed() -> None:
    box = SearchBox()
    async with Host(box).run_test(size=(30, 3)) as pilot:
        for text in ("first", "second", "first"):
            box.value = text
            await pilot.pause()
            box.remember()
        assert box.earlier == ("first", "second")
        box.value = ""
        box.focus_input()
        await pilot.press("n", "e", "w")
        shown: list[str] = []
        for _ in range(3):
            box.recall()
            await pilot.pause()
            shown.append(box.value)
        assert shown == ["first", "second", "new"]
