"""Every key of the table, pressed where it is meant to be pressed."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable

import pytest
from textual import events

from tests.support.eventually import until
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import HEIGHT, TREE, StageBench
from workbench.commands.commands import COMMANDS
from workbench.commands.keymap import is_typed
from workbench.main.actions import ACTIONS
from workbench.ui.modal import FilteredText, TextScreen
from workbench.ui.picker import Picker

Check = Callable[[Stage, StageBench], Awaitable[None]]


async def _opened(stage: Stage) -> None:
    await stage.press("enter")


def _focus(stage: Stage) -> str:
    focused = stage.main.focused
    assert focused is not None
    return next(node.id for node in (focused, *focused.ancestors) if node.id in ("left", "code", "window"))


@pytest.mark.parametrize("key", ["slash"])
async def test_search_key_puts_the_keyboard_into_the_box_and_selects_what_is_there(key: str) -> None:
    async with on_stage() as stage:
        await stage.type("tree")
        await stage.press("escape", key)
        assert stage.main.symbols.box.input.has_focus
        await stage.type("row")
        assert stage.main.symbols.box.value == "row"


async def test_enter_in_the_box_and_in_the_list_opens_what_is_under_the_cursor() -> None:
    async with on_stage() as stage:
        await stage.press("enter")
        assert stage.main.code.opened == TREE.id
        await stage.press("escape", "down", "enter")
        assert stage.main.code.opened == HEIGHT.id
        assert _focus(stage) == "code"


async def test_alt_arrows_go_back_and_forward() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "escape", "down", "enter", "alt+left")
        assert stage.main.code.opened == TREE.id
        await stage.press("alt+right")
        assert stage.main.code.opened == HEIGHT.id


async def test_escape_leads_from_box_and_pane_to_the_list() -> None:
    async with on_stage() as stage:
        await stage.press("escape")
        assert stage.main.symbols.results.has_focus
        await stage.press("enter", "escape")
        assert stage.main.symbols.results.has_focus


async def test_tab_and_shift_tab_step_through_the_panes_round_the_end() -> None:
    async with on_stage() as stage:
        seen = []
        for key in ("tab", "tab", "tab", "shift+tab"):
            await stage.press(key)
            seen.append(_focus(stage))
        assert seen == ["code", "window", "left", "window"]


@pytest.mark.parametrize(("key", "pane"), [("1", "left"), ("2", "code"), ("3", "window")])
async def test_numbers_go_to_panes(key: str, pane: str) -> None:
    async with on_stage() as stage:
        await stage.press("escape", key)
        assert _focus(stage) == pane


@pytest.mark.parametrize(
    ("key", "view"), [("o", "outline"), ("i", "semantic"), ("s", "source"), ("d", "diff")]
)
async def test_letters_choose_views_and_keys_go_on_working_there(key: str, view: str) -> None:
    async with on_stage() as stage:
        await stage.press("enter", key)
        assert stage.main.code.view == view
        await stage.press("o")
        assert stage.main.code.view == "outline"


async def test_brackets_step_through_the_views() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "right_square_bracket")
        assert stage.main.code.view == "semantic"
        await stage.press("left_square_bracket", "left_square_bracket")
        assert stage.main.code.view == "diff"


async def test_z_gives_one_pane_the_screen_and_shares_it_again() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "z")
        assert [pane.id for pane in stage.main.query("#body > *") if pane.display] == ["left"]
        await stage.press("3")
        assert [pane.id for pane in stage.main.query("#body > *") if pane.display] == ["window"]
        await stage.press("z")
        assert len([pane for pane in stage.main.query("#body > *") if pane.display]) == 3


@pytest.mark.parametrize("keys", [("escape", "space"), ("ctrl+@",), ("ctrl+space",)])
async def test_pin_keys_pin_and_unpin_the_row_under_the_cursor(keys: tuple[str, ...]) -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press(*keys)
        assert bench.pinned == [f"type:{TREE.id}"]
        assert stage.main.symbols.results.row_at(0).pinned
        await stage.press(keys[-1])
        assert bench.pinned == []


async def test_space_pins_what_is_open_or_the_lines_that_are_selected() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("enter", "space", "s", "shift+down", "space")
        assert bench.pinned == [f"type:{TREE.id}", "range:src/Tree.cs:6-7"]


async def test_space_and_x_act_on_the_item_under_the_cursor_in_the_window() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "3", "space")
        assert (bench.pinned, bench.recent) == ([], [f"type:{TREE.id}"])
        await stage.press("x")
        assert (bench.pinned, bench.recent) == ([], [])


async def test_delete_takes_an_item_out_too() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "3", "delete")
        assert bench.pinned == []


@pytest.mark.parametrize("keys", [("escape", "space", "y"), ("ctrl+@", "ctrl+y")])
async def test_copy_keys_copy_the_window_and_say_how(keys: tuple[str, ...]) -> None:
    async with on_stage() as stage:
        await stage.press(*keys)
        assert stage.copied == ["# Tree\n"]
        assert stage.noted == ["100 tokens, 1 item copied to the system clipboard."]


async def test_v_shows_the_exact_text_and_esc_closes_it() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "space", "v")
        assert isinstance(stage.app.screen, TextScreen)
        await stage.press("escape")
        assert stage.app.screen is stage.main


async def test_c_copies_the_outline_or_the_selected_lines() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "c", "s", "shift+down", "c")
        assert stage.copied[0].startswith("# Orchard.Tree")
        assert stage.copied[1] == "public class Tree\n{\n"


@pytest.mark.parametrize("key", ["f5", "ctrl+r"])
async def test_refresh_keys_bring_the_index_up_to_date(key: str) -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press(key)
        assert bench.calls.count("refresh") == 2


async def test_ctrl_g_cancels_indexing_and_says_how_to_go_on() -> None:
    bench = StageBench()
    bench.hold("refresh")
    async with on_stage(bench, settled=False) as stage:
        await until(lambda: stage.main.progress.progress is not None)
        await stage.press("ctrl+g")
        assert stage.noted == ["Indexing was cancelled; what was read can be searched."]
        assert not stage.main.session.is_indexing


async def test_a_part_that_cannot_be_loaded_any_more_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program was updated or removed while it was open."""
    monkeypatch.setitem(sys.modules, "workbench.dialogs.packs", None)
    async with on_stage() as stage:
        await stage.press("escape", "p")
        assert [said.startswith("A part of the program cannot be loaded") for said in stage.said] == [True]
        assert stage.app.screen is stage.main


@pytest.mark.parametrize("key", ["exclamation_mark"])
async def test_notices_can_be_read_again(key: str) -> None:
    async with on_stage() as stage:
        await stage.press("escape", "space", "y", key)
        assert isinstance(stage.app.screen, TextScreen)


@pytest.mark.parametrize("keys", [("escape", "question_mark"), ("f1",)])
async def test_help_keys_show_help(keys: tuple[str, ...]) -> None:
    async with on_stage() as stage:
        await stage.press(*keys)
        assert isinstance(stage.app.screen, FilteredText)
        await stage.press("escape")
        assert stage.app.screen is stage.main


async def test_palette_runs_a_command() -> None:
    async with on_stage() as stage:
        await stage.press("ctrl+p")
        assert isinstance(stage.app.screen, Picker)
        await stage.type("view the source")
        await stage.press("enter")
        assert stage.main.code.view == "source"


async def test_the_palette_finds_letters_in_their_order_and_says_why_not() -> None:
    async with on_stage() as stage:
        await stage.press("ctrl+p")
        screen = stage.app.screen
        assert isinstance(screen, Picker)
        await stage.type("vwsrc")
        current = screen.rows.current
        assert current is not None
        assert current.label == "View the source"
        await stage.press(*["backspace"] * 5)
        await stage.type("discard a ch")
        current = screen.rows.current
        assert current is not None
        assert current.off
        assert "Not now:" in current.detail
        await stage.press("enter")
        assert "Look at them first" in stage.said[-1]


async def test_t_offers_themes_and_the_chosen_one_is_kept() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "t")
        await stage.type("light")
        assert stage.app.theme == "codecortex-light"  # as long as the cursor is on it
        assert b"codecortex-light" not in stage.personal.files["ui.json"]
        await stage.press("enter")
        await until(lambda: b"codecortex-light" in stage.personal.files["ui.json"])
        assert stage.app.theme == "codecortex-light"


async def test_a_theme_that_was_only_looked_at_is_not_kept() -> None:
    async with on_stage() as stage:
        before = stage.app.theme
        await stage.press("escape", "t", "down")
        assert stage.app.theme != before
        await stage.press("escape")
        assert stage.app.theme == before
        assert b"codecortex-light" not in stage.personal.files["ui.json"]


@pytest.mark.parametrize("keys", [("escape", "q"), ("ctrl+q",)])
async def test_quit_keys_leave_and_close_the_workspace(keys: tuple[str, ...]) -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.pilot.press(*keys)
        await until(lambda: not stage.app.is_running)
    assert bench.calls[-1] == "close"


def test_every_command_has_its_act() -> None:
    assert set(ACTIONS) == {command.id for command in COMMANDS}


async def test_a_command_that_makes_no_sense_says_why_and_does_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Over a workspace without symbols nothing but going and looking makes sense; whatever refuses, says so."""
    refusing: set[str] = set()
    said: list[str] = []
    async with on_stage(StageBench(symbols=())) as stage:
        monkeypatch.setattr(stage.main, "toast", lambda text, **_: said.append(text))
        for command in COMMANDS:
            refused = stage.main.keys.unavailable_reason(command.id, stage.main.situation)
            if refused:
                refusing.add(command.id)
                said.clear()
                stage.main.run_command(command.id)
                await stage.pilot.pause()
                assert said == [refused]
        assert stage.main.code.opened == ""
    assert refusing >= {"open", "pin", "dismiss", "copy", "preview", "copy-view", "back", "forward", "cancel"}


def _listening(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What keys ask for, in place of doing it."""
    asked: list[str] = []
    monkeypatch.setattr(stage.main, "run_command", asked.append)
    return asked


OF_OTHERS = {"enter", "ctrl+q"}
"""Keys that a list and Textual have for themselves: what they do is seen above."""


async def test_every_key_of_the_table_asks_for_its_command_in_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_stage() as stage:
        await stage.press("escape")
        asked = _listening(stage, monkeypatch)
        for command in COMMANDS:
            for key in set(command.keys.split(",")) - OF_OTHERS:
                asked.clear()
                await stage.pilot.press(key)
                assert asked == [command.id], key


async def test_every_key_that_a_box_leaves_alone_asks_for_its_command_as_terminals_send_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with on_stage() as stage:
        await stage.press("escape", "g")
        asked = _listening(stage, monkeypatch)
        for command in COMMANDS:
            for key in set(command.keys.split(",")) - OF_OTHERS:
                if not is_typed(key):
                    asked.clear()
                    stage.app.post_message(events.Key(key, key[-1] if key.startswith("alt+") else None))
                    await stage.pilot.pause()
                    assert (asked, stage.main.grep.box.value) == ([command.id], ""), key
