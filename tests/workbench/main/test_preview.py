"""The middle shows what the cursor of a list is on, without opening it."""

from __future__ import annotations

from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import HEIGHT, TREE, StageBench


def _shown(stage: Stage) -> str:
    opened = stage.main.code._open
    return opened.place.target if opened else ""


async def test_a_cursor_shows_what_it_is_on_and_nothing_counts_as_opened() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        assert _shown(stage) == ""
        before = len([call for call in bench.calls if call.startswith("visit")])
        await stage.press("down")
        await stage.settle()
        assert _shown(stage) == HEIGHT.id
        await stage.press("up")
        await stage.settle()
        assert _shown(stage) == TREE.id
        assert stage.main.code.opened == ""
        assert len([call for call in bench.calls if call.startswith("visit")]) == before


async def test_escape_puts_back_what_was_open_and_enter_opens() -> None:
    async with on_stage() as stage:
        await stage.press("enter")
        await stage.settle()
        await stage.press("1", "escape", "down")
        await stage.settle()
        assert (_shown(stage), stage.main.code.opened) == (HEIGHT.id, TREE.id)
        await stage.press("escape")
        await stage.settle()
        assert (_shown(stage), stage.main.code.is_previewing) == (TREE.id, False)
        await stage.press("up", "down")
        await stage.settle()
        await stage.press("enter")
        await stage.settle()
        assert (stage.main.code.opened, stage.main.pane) == (HEIGHT.id, "code")
        assert stage.main.code.visits.history.places == (TREE.id, HEIGHT.id)


async def test_escape_clears_a_preview_where_nothing_was_open() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "down")
        await stage.settle()
        await stage.press("escape")
        await stage.settle()
        assert (_shown(stage), stage.main.code.title) == ("", "Code")


async def test_who_turns_to_a_preview_has_opened_it() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "down")
        await stage.settle()
        await stage.press("tab")
        await stage.settle()
        assert (stage.main.code.opened, stage.main.code.is_previewing) == (HEIGHT.id, False)


async def test_items_of_the_window_and_matches_are_previewed_too() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "g")
        await stage.type("height")
        await stage.settle()
        await stage.press("escape", "down")
        await stage.settle()
        assert _shown(stage).startswith("src/Tree.cs:8")
        assert stage.main.code.opened == ""


async def test_nothing_is_previewed_where_one_pane_has_all_the_room() -> None:
    async with on_stage(size=(80, 24)) as stage:
        await stage.press("escape", "down")
        await stage.settle()
        assert _shown(stage) == ""


async def test_back_and_forward_know_places_inside_a_file() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "s")
        await stage.settle()
        source = stage.main.code.source
        began = source.cursor_line
        await stage.press("end")
        await stage.settle()
        last = source.cursor_line
        assert last - began > source.view_size.height
        await stage.press("alt+left")
        await stage.settle()
        assert source.cursor_line == began
        await stage.press("alt+right")
        await stage.settle()
        assert source.cursor_line == last


async def test_the_diff_stays_in_front_where_a_preview_is_turned_to_by_its_key() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "down")
        await stage.settle()
        await stage.press("d")
        await stage.settle()
        assert (stage.main.code.view, stage.main.code.is_previewing) == ("diff", False)


async def test_what_is_looked_for_is_lit_anew_where_its_place_stays() -> None:
    async with on_stage() as stage:
        code = stage.main.code
        for end in (20, 22):
            code.preview("src/Tree.cs:8", lit={"src/Tree.cs": {8: ((15, end),), end: ((0, 1),)}})
            await stage.settle()
            assert code.source.step_hit(1) == end
            code.source.go_to(8)
