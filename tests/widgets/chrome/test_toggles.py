"""Switches on one line: told apart without colour, pressed by a click."""

from __future__ import annotations

from tests.widgets.host import Ear, Host, painted
from widgets.chrome.parts_line import Toggles

SWITCHES = (("case", "Aa", True), ("word", "word", False), ("object", "in [b]\x1b[2J", True))


async def test_one_that_is_on_stands_in_brackets_and_takes_no_more_room_than_one_that_is_off() -> None:
    line = Toggles()
    async with Host(line).run_test(size=(40, 3)) as pilot:
        line.switches = SWITCHES
        await pilot.pause()
        before = painted(line)[0]
        assert before.rstrip() == "[Aa]  word  [in [b]␛[2J]"
        line.switches = [(id_, label, not on) for id_, label, on in SWITCHES]
        await pilot.pause()
        assert painted(line)[0].rstrip() == " Aa  [word]  in [b]␛[2J"
        assert painted(line)[0].index("word") == before.index("word")


async def test_a_click_presses_the_switch_under_it_also_on_its_bracket() -> None:
    ear, line = Ear(Toggles.SwitchPressed), Toggles()
    async with Host(line).run_test(size=(40, 3), message_hook=ear) as pilot:
        line.switches = SWITCHES
        await pilot.pause()
        shown = painted(line)[0]
        for at in (shown.index("word"), shown.index("[Aa"), shown.index("in ["), len(shown) - 1):
            await pilot.click(line, offset=(line.styles.padding.left + at, 0))
        await pilot.pause()
    assert [message.switch for message in ear.heard] == ["word", "case", "object"]  # pyright: ignore[reportAttributeAccessIssue]


async def test_where_not_all_fit_the_line_is_cut_and_says_so() -> None:
    line = Toggles()
    async with Host(line).run_test(size=(12, 3)) as pilot:
        line.switches = SWITCHES
        await pilot.pause()
        assert painted(line)[0] == "[Aa]  wor…"
        line.switches = ()
        await pilot.pause()
        assert painted(line)[0].strip() == ""
