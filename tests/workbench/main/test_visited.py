"""Places one has been to: the list of them, marks, what was searched for, and what a menu is about."""

from __future__ import annotations

from msgspec.structs import replace

from tests.support.stage import on_stage
from tests.support.stage_bench import StageBench
from workbench.state.ui_state import Mark, load
from workbench.state.ui_state import UiState as State
from workbench.ui.picker import Picker


def _rows(picker: object) -> list[str]:
    assert isinstance(picker, Picker)
    return [row.label for row in picker.rows.rows]


async def test_places_visited_are_listed_the_last_first_and_enter_goes_there() -> None:
    async with on_stage() as stage:
        await stage.type("tree")
        await stage.press("enter")
        first = stage.main.code.opened
        await stage.press("slash")
        await stage.type("height")
        await stage.press("enter")
        second = stage.main.code.opened
        assert first != second
        await stage.press("l")
        assert len(_rows(stage.app.screen)) == 1, "the place shown is no place to go to"
        await stage.press("enter")
        assert stage.main.code.opened == first
        await stage.press("l")
        assert [row.value for row in stage.app.screen.rows.rows] == [second]  # pyright: ignore[reportAttributeAccessIssue]


async def test_without_a_visit_the_list_says_so() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "l")
        assert stage.said == ["No other place was visited yet."]


async def test_a_mark_leads_back_also_after_the_next_start() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.type("tree")
        await stage.press("enter", "s", "down", "down")
        place = stage.main.code.place
        await stage.press("quotation_mark", "a")
        assert [mark.letter for mark in stage.main.marks] == ["a"]
        assert place is not None
    async with on_stage(bench) as stage:
        await stage.press("escape", "apostrophe", "a")
        assert stage.main.code.place == place
        assert stage.main.pane == "code"


async def test_a_mark_follows_its_symbol_and_stays_at_its_line_where_that_has_gone() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.type("tree")
        await stage.press("enter", "s", "down", "quotation_mark", "b")
        mark = stage.main.marks[0]
        file, _, line = mark.place.rpartition(":")
        stage.main.marks = (replace(mark, place=f"{file}:1"),)
        await stage.press("apostrophe", "b")
        assert stage.main.code.place == (file, int(line)), "an edit above moved it"
        stage.main.marks = (Mark("b", f"{file}:3", symbol="T_GONE0000"),)
        await stage.press("apostrophe", "b")
        assert stage.main.code.place == (file, 3)


async def test_a_letter_without_a_mark_goes_nowhere() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "apostrophe", "x")
        assert isinstance(stage.app.screen, Picker)
        assert "marks where you are" in stage.app.screen.rows.empty
        await stage.press("escape")
        assert stage.main.code.opened == ""


async def test_up_above_the_first_row_brings_back_searches_also_after_the_next_start() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.type("tree")
        await stage.press("enter", "slash")
        await stage.type("height")
        await stage.press("up")
        assert stage.main.symbols.box.value == "tree"
        await stage.press("up")
        assert stage.main.symbols.box.value == "height", "what was typed comes behind the oldest"
        await stage.press("escape", "g")
        await stage.type("line 1")
        await stage.press("enter", "g")
        await stage.type("other")
        await stage.press("up")
        assert stage.main.grep.box.value == "line 1"
    state = load(bench.state, State)
    assert (state.searches, state.patterns) == (("tree",), ("line 1",))


async def test_the_menu_begins_with_the_name_under_the_cursor_then_with_what_acts_on_it() -> None:
    async with on_stage() as stage:
        await stage.type("tree")
        await stage.press("escape", "m")
        labels = _rows(stage.app.screen)
        assert labels.index("Open") < labels.index("Search symbols")
        assert labels[0] in ("Open", "Usages", "Pin or unpin")
        await stage.press("escape", "enter", "s")
        stage.main.code.show("src/Tree.cs:8", column=15)
        await stage.settle()
        word = stage.main.code.source.word
        assert word
        await stage.press("m")
        assert _rows(stage.app.screen)[0] == f"Go to {word}"
