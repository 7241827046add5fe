"""Dialogs of structured edits and of pasted answers."""

from __future__ import annotations

from services.model.writes import EditKind
from tests.support.memory_edits import MADE, TREE
from tests.support.stage import on_stage
from tests.support.stage_bench import TREE as SYMBOL
from tests.support.stage_bench import StageBench
from workbench.edits.pasting import PasteBox, PasteScreen
from workbench.edits.preview import EditScreen
from workbench.ui.modal import Confirm


async def test_an_answer_is_pasted_looked_at_and_written() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "V")
        assert isinstance(stage.app.screen, PasteBox)
        await stage.type("an answer")
        await stage.press("ctrl+s")
        screen = stage.app.screen
        assert isinstance(screen, PasteScreen)
        assert [row.label for row in screen.rows.rows] == ["Tree.cs:4", "Tree.cs:20", "Leaf.cs"]
        assert "+row 4" in "\n".join(screen.diff._lines)
        assert "src/Row.cs" in str(screen.said.render())
        await stage.press("ctrl+s")
        assert bench.pasting.written == [[TREE, MADE]]
        assert "Written: src/Tree.cs, src/Leaf.cs." in stage.noted[-1]
        assert stage.app.screen is stage.main


async def test_hunks_are_left_out_one_by_one() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "V", "a", "ctrl+s", "space", "down", "space")
        await stage.press("ctrl+s")
        ((edit,),) = bench.pasting.written
        assert edit.before is not None
        assert edit.after == edit.before.data.replace(b"line 20 ", b"row 20 ")


async def test_what_does_not_land_is_shown_and_the_rest_is_asked_about() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "V")
        await stage.type("lost")
        await stage.press("ctrl+s")
        screen = stage.app.screen
        assert isinstance(screen, PasteScreen)
        assert screen.rows.rows[0].sign == "!"
        assert screen.rows.rows[0].label == "Tree.cs:12"
        shown = "\n".join(screen.diff._lines)
        assert "-int Height [b]" in shown
        assert "+int Heigth" in shown
        await stage.press("ctrl+s")
        assert isinstance(stage.app.screen, Confirm)
        await stage.press("n")
        assert bench.pasting.written == []
        await stage.press("ctrl+s", "y")
        assert bench.pasting.written == [[TREE, MADE]]


async def test_an_answer_without_an_edit_goes_back_to_its_text() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "V")
        await stage.type("prose")
        await stage.press("ctrl+s")
        screen = stage.app.screen
        assert isinstance(screen, PasteScreen)
        assert screen.rows.empty == "There is no edit in the answer."
        await stage.press("ctrl+s", "e")
        box = stage.app.screen
        assert isinstance(box, PasteBox)
        assert box.editor.text == "prose"


async def test_nothing_chosen_is_nothing_written() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "V", "a", "ctrl+s", "space", "space", "space", "ctrl+s")
        assert bench.pasting.written == []
        assert "Nothing is chosen" in stage.noted[-1]


async def test_a_rename_asks_for_the_name_and_waits_for_what_is_open() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "E")
        screen = stage.app.screen
        assert isinstance(screen, EditScreen)
        assert screen.asked.value == "Tree"
        await stage.type("Oak")
        await stage.press("enter")
        assert [row.sign for row in screen.rows.rows] == ["?", "●", "●", "○"]
        request = bench.refactoring.asked[-1]
        assert (request.kind, request.object, request.text) == (EditKind.RENAME, SYMBOL.id, "Oak")
        await stage.press("ctrl+s")
        assert bench.refactoring.written == []
        assert "to be decided" in stage.noted[-1]
        await stage.press("a", "down", "space", "ctrl+s")
        (written,) = bench.refactoring.written
        assert written.change == ("src/Row.cs:9:5",)
        assert written.leave == ("src/Tree.cs:6:5",)
        assert stage.app.screen is stage.main


async def test_a_conflict_is_written_only_without_its_place() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "E")
        await stage.type("Bush")
        await stage.press("enter", "a")
        screen = stage.app.screen
        assert isinstance(screen, EditScreen)
        assert (screen.rows.rows[0].sign, screen.rows.rows[0].detail) == (
            "!",
            "There is a field Bush already.",
        )
        await stage.press("ctrl+s")
        assert bench.refactoring.written == []
        await stage.press("home", "space", "ctrl+s")
        assert bench.refactoring.written[0].leave == ("src/Tree.cs:8:5",)


async def test_a_name_that_cannot_be_is_said_and_asked_for_again() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "E")
        await stage.type("1")
        await stage.press("enter")
        screen = stage.app.screen
        assert isinstance(screen, EditScreen)
        assert "no C# identifier" in screen.rows.empty
        await stage.press("e")
        assert screen.asked.value == "1"


async def test_what_is_refused_when_it_is_written_leaves_the_dialog_open() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "E")
        await stage.type("Late")
        await stage.press("enter", "a", "ctrl+s")
        assert isinstance(stage.app.screen, EditScreen)
        assert "It clashes by now" in stage.noted[-1]


async def test_other_edits_are_reached_from_the_menu() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "m")
        await stage.type("file of its own")
        await stage.press("enter")
        assert isinstance(stage.app.screen, EditScreen)
        assert bench.refactoring.asked[-1].kind is EditKind.MOVE
        await stage.press("escape", "alt+i")
        screen = stage.app.screen
        assert isinstance(screen, EditScreen)
        assert screen.asked.value == "ITree"
        await stage.press("escape", "escape", "enter", "s", "down", "shift+down", "Z")
        await stage.type("Grow")
        await stage.press("enter")
        request = bench.refactoring.asked[-1]
        assert request.kind is EditKind.EXTRACT
        assert request.object.startswith("src/Tree.cs:")
