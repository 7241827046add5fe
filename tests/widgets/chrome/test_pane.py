from __future__ import annotations

from unittest.mock import patch

from textual.widgets import Button, Static

from tests.widgets.host import Host
from widgets.chrome.pane import Pane, bring_forward
from widgets.textual_private import FrugalScreen


class Painted(Host):
    """An app whose screen paints what changed, as the workbench's does."""

    def get_default_screen(self) -> FrugalScreen:
        return FrugalScreen()


def edges(pane: Pane) -> tuple[str, str]:
    lines = [strip.text for strip in pane.screen._compositor.render_strips()]
    return lines[pane.region.y], lines[pane.region.bottom - 1]


async def test_title_and_note_are_text_not_markup() -> None:
    pane = Pane(title="[b]List[int]\x1b", note="3 of 7")
    async with Host(pane).run_test(size=(40, 5)) as pilot:
        top, bottom = edges(pane)
        assert "[b]List[int]␛" in top
        assert "3 of 7" in bottom
        pane.title, pane.note = "other", ""
        await pilot.pause()
        top, bottom = edges(pane)
        assert "other" in top
        assert "3 of 7" not in bottom


async def test_another_title_paints_an_edge_and_nothing_inside() -> None:
    inside = Static("text")
    pane = Pane(inside, title="one", note="1 of 2")
    async with Painted(pane).run_test(size=(40, 5)) as pilot:
        await pilot.pause()
        with patch.object(Static, "render_lines", autospec=True, side_effect=Static.render_lines) as painted:
            pane.title = "two"
            await pilot.pause()
            pane.note = "2 of 2"
            await pilot.pause()
        painted.assert_not_called()
        top, bottom = edges(pane)
        assert ("two" in top, "2 of 2" in bottom) == (True, True)


async def test_the_frame_in_use_has_other_lines() -> None:
    one, two = Pane(Button("a"), title="one"), Pane(Button("b"), title="two")
    async with Host(one, two, css="Pane { height: 5; }").run_test(size=(40, 12)) as pilot:
        one.query_one(Button).focus()
        await pilot.pause()
        assert (edges(one)[0][0], edges(two)[0][0]) == ("┏", "╭")
        two.query_one(Button).focus()
        await pilot.pause()
        assert (edges(one)[0][0], edges(two)[0][0]) == ("╭", "┏")


async def test_what_is_too_long_for_the_frame_is_cut_in_front() -> None:
    pane = Pane(
        title="Polly ▸ Retry ▸ RetryHelper ▸ GetRetryDelay", note="src/Polly.Core/Retry/RetryHelper.cs:16"
    )
    async with Host(pane).run_test(size=(30, 5)) as pilot:
        top, bottom = edges(pane)
        assert top.endswith("▸ GetRetryDelay ─╮")
        assert bottom.endswith("/RetryHelper.cs:16 ─╯")
        await pilot.resize_terminal(80, 5)
        await pilot.pause()
        assert "Polly ▸ Retry ▸ RetryHelper ▸ GetRetryDelay" in edges(pane)[0]


async def test_a_member_that_is_too_long_for_the_frame_loses_its_parameters_first() -> None:
    pane = Pane(title="Usages of Task.InitializeAsync<TState>(Func<Context, TState, ValueTask>, int)")
    async with Host(pane).run_test(size=(50, 5)) as pilot:
        assert "Usages of Task.InitializeAsync<TState>(…) ─" in edges(pane)[0]
        await pilot.resize_terminal(90, 5)
        await pilot.pause()
        assert "ValueTask>, int) ─" in edges(pane)[0]
        pane.title = "src/a copy (of it)/Retry.cs"
        await pilot.resize_terminal(16, 5)
        await pilot.pause()
        assert edges(pane)[0].endswith("/Retry.cs ─╮")


async def test_what_takes_the_place_of_another_has_its_keys_at_once() -> None:
    beside, shown, hidden = Button("beside"), Button("shown"), Button("hidden")
    hidden.display = False
    async with Host(beside, shown, hidden).run_test() as pilot:
        shown.focus()
        await pilot.pause()
        bring_forward(hidden, instead_of=shown)
        assert pilot.app.focused is hidden
        await pilot.pause()
        assert (pilot.app.focused, shown.display) == (hidden, False)
        beside.focus()
        await pilot.pause()
        bring_forward(shown, instead_of=hidden)
        assert (pilot.app.focused, shown.display, hidden.display) == (beside, True, False)
