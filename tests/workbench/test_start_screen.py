"""What is painted before the main screen, and the keys that are pressed meanwhile."""

from __future__ import annotations

import threading

from textual import events

from services.errors import WorkspaceError
from tests.support.eventually import until
from tests.support.stage import Stage
from tests.support.stage_bench import ROW, StageBench
from workbench.app import StartScreen
from workbench.panes.grep_pane import GrepPane


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


async def test_a_command_waits_for_the_workspace_and_what_is_typed_after_it_too() -> None:
    opens = threading.Event()

    def open_bench() -> StageBench:
        opens.wait(60)
        return StageBench(kept=True)

    stage = Stage(open_bench)
    async with stage.app.run_test(size=(120, 36), notifications=True) as stage.pilot:
        await until(lambda: stage.has_main and stage.main.focused is not None)
        await stage.pilot.press("escape", "space", "down", "y", "3")
        assert (stage.said, stage.main.pane) == ([], "symbols")
        opens.set()
        await until(lambda: stage.main.pane == "window")
        await stage.settle()
        assert len(stage.copied) == 1
        assert len(stage.main.session.bench.window.render().items) == 1


async def test_keys_that_wait_are_let_go_of_by_escape() -> None:
    opens = threading.Event()

    def open_bench() -> StageBench:
        opens.wait(60)
        return StageBench(kept=True)

    stage = Stage(open_bench)
    async with stage.app.run_test(size=(120, 36), notifications=True) as stage.pilot:
        await until(lambda: stage.has_main and stage.main.focused is not None)
        await stage.pilot.press("escape", "y", "3")
        await until(lambda: bool(stage.said))
        assert stage.said == ["y: done as soon as the workspace is open. esc lets go of it."]
        await stage.pilot.press("escape")
        opens.set()
        await stage.settle()
        assert (stage.copied, stage.main.pane) == ([], "symbols")


async def test_a_command_that_waits_for_a_workspace_that_cannot_be_opened_says_why_it_is_not_done() -> None:
    opens = threading.Event()

    def open_bench() -> StageBench:
        opens.wait(60)
        raise WorkspaceError("There is no folder here.")

    stage = Stage(open_bench)
    async with stage.app.run_test(size=(120, 36), notifications=True) as stage.pilot:
        await until(lambda: stage.has_main and stage.main.focused is not None)
        await stage.pilot.press("escape", "y")
        opens.set()
        refused = "The prompt window is empty. Pin a symbol first (space)."
        await until(lambda: refused in stage.said)
        assert stage.noted == ["There is no folder here."], "which was said before"


async def test_the_other_lists_are_made_once_the_first_search_was_answered() -> None:
    bench = StageBench(kept=True)
    goes_on = bench.hold("search ")
    stage = Stage(lambda: bench)
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await until(lambda: "search " in bench.calls)
        await stage.pilot.pause()
        assert not stage.main.query(GrepPane)
        goes_on.set()
        await stage.settle()
        assert stage.main.query(GrepPane)


async def test_leaving_the_box_before_the_other_lists_are_there_goes_to_the_rows() -> None:
    opens = threading.Event()

    def open_bench() -> StageBench:
        opens.wait(60)
        return StageBench(kept=True)

    stage = Stage(open_bench)
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await until(lambda: stage.has_main and stage.main.focused is not None)
        await stage.pilot.press("escape", "ctrl+g")
        assert not stage.main.situation.typing
        opens.set()
        await stage.settle()
        assert stage.main.is_complete
