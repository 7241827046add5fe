"""What is painted before the main screen, and the keys that are pressed meanwhile."""

from __future__ import annotations

from textual import events

from tests.support.stage import Stage
from tests.support.stage_bench import ROW, StageBench
from workbench.app.app import StartScreen


async def test_keys_pressed_before_the_main_screen_is_there_are_the_first_it_gets() -> None:
    stage = Stage(lambda: StageBench(kept=True))
    for key in "row":
        stage.app.post_message(events.Key(key, key))
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await stage.settle()
        assert stage.main.symbols.box.value == "row"
        assert stage.main.symbols.current == ROW


async def test_commands_and_pasted_text_are_kept_in_their_order_too() -> None:
    stage = Stage(lambda: StageBench(kept=True))
    stage.app.post_message(events.Key("r", "r"))
    stage.app.post_message(events.Paste("ow"))
    stage.app.post_message(events.Key("down", None))
    stage.app.post_message(events.Key("escape", None))
    stage.app.post_message(events.Key("3", "3"))
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await stage.settle()
        assert (stage.main.symbols.box.value, stage.main.pane) == ("row", "window")


async def test_the_first_screen_is_gone_once_the_main_one_is_there() -> None:
    stage = Stage(StageBench)
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await stage.settle()
        assert stage.app.screen_stack == [stage.main]
        assert not any(isinstance(node, StartScreen) for node in stage.app.walk_children(with_self=False))
