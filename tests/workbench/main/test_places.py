"""Searching in files, usages, diffs, and going from place to place, by the keys that do it."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from services.errors import WorkspaceError
from services.model import Definition, Direction, SearchAnswer
from services.source.diffs.listing import DiffScope
from tests.support.eventually import until
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import HEIGHT, ROW, TREE, StageBench
from widgets.lists.place_list import PlaceRow
from workbench.code.hierarchy import HierarchyScreen
from workbench.main.sentences import nothing_found
from workbench.state.ui_state import DiffOptions
from workbench.ui.choice_line import ChoiceLine
from workbench.ui.messages import IndexChanged
from workbench.ui.modal import Confirm, FilteredText
from workbench.ui.picker import Picker


async def _grep(stage: Stage, text: str) -> None:
    await stage.press("escape", "g")
    await stage.type(text)


def _hits(stage: Stage) -> list[int | None]:
    return [row.line for row in stage.main.grep.places.rows if row.line and not row.dim]


async def test_grep_shows_matches_as_one_types_and_enter_leads_to_the_line_with_all_of_them_lit() -> None:
    async with on_stage() as stage:
        await _grep(stage, "height")
        assert _hits(stage) == [8]
        await stage.press("enter")
        assert stage.main.pane == "code"
        assert (stage.main.code.file, stage.main.code.source.cursor_line) == ("src/Tree.cs", 8)
        assert stage.main.code.lit_lines == 1


async def test_n_steps_through_the_hits_in_the_source_and_the_list_follows() -> None:
    async with on_stage() as stage:
        await _grep(stage, "line 1")
        await stage.press("enter", "n", "n")
        assert stage.main.code.source.cursor_line == 13
        current = stage.main.grep.places.current
        assert isinstance(current, PlaceRow)
        assert current.line == 13
        await stage.press("N")
        assert stage.main.code.source.cursor_line == 12


async def test_switches_change_what_is_asked_for_and_the_search_is_done_again() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await _grep(stage, "tree")
        await stage.press("alt+r", "alt+c", "alt+w", "alt+x", "alt+x", "alt+e")
        last = bench.greps[-1]
        assert (last.literal, last.case_insensitive, last.word, last.context) == (False, False, True, 1)


async def test_a_letter_with_alt_is_no_text_although_terminals_send_it_with_the_letter() -> None:
    async with on_stage() as stage:
        await _grep(stage, "tree")
        for letter in "rc":
            stage.app.post_message(events.Key(f"alt+{letter}", letter))
            await stage.pilot.pause()
        options = stage.main.grep.options
        assert (stage.main.grep.box.value, options.regex, options.case) == ("tree", True, True)


async def test_globs_are_asked_for_and_taken() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await _grep(stage, "tree")
        await stage.press("alt+g")
        await stage.type("*.cs")
        assert bench.greps[-1].globs == "*.cs"


async def test_a_pattern_that_cannot_be_read_says_so_in_the_place_of_results() -> None:
    async with on_stage() as stage:
        await _grep(stage, "")
        await stage.press("alt+r")
        await stage.type("(")
        assert "missing )" in stage.main.grep.nothing.sentence
        assert stage.said == []


@pytest.mark.parametrize(
    ("pattern", "as_text", "as_expression"),
    [
        ("zebra", "", ""),
        (r"z\(a", "Take it as an expression (alt+r).", "Take it as plain text (alt+r)."),
        ("Zebra()", "", "Take it as plain text (alt+r)."),
    ],
)
async def test_nothing_found_says_what_could_be_tried(pattern: str, as_text: str, as_expression: str) -> None:
    async with on_stage() as stage:
        await _grep(stage, pattern)
        said = stage.main.grep.nothing
        assert (said.sentence, said.advice) == (f"Nothing matches '{pattern}'.", as_text)
        await stage.press("alt+r")
        assert (said.sentence, said.advice) == (f"Nothing matches '{pattern}'.", as_expression)


def test_no_symbol_found_says_which_filter_means_nothing() -> None:
    def advice(told: str) -> str:
        answer = SearchAnswer(query="q", hits=(), total=0, searched=9, elapsed_ms=0.1, advice=told)
        return nothing_found(answer, complete=True)[1]

    assert advice("No kind begins with 'q'.") == "No kind begins with 'q'."
    assert "JsonConvert" in advice("")


async def test_grep_in_what_is_open_and_everywhere_again() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("enter", "G")
        await stage.type("tree")
        assert [call for call in bench.calls if call.startswith("grep ")][-1].startswith(
            f"grep tree in {TREE.id}"
        )
        await stage.press("alt+o")
        assert stage.main.grep.options.object == ""
        await stage.press("alt+o")
        assert stage.main.grep.options.object == TREE.id


async def test_searching_in_files_is_in_all_files_again_after_a_search_in_what_is_open() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "G")
        assert stage.main.grep.options.object == TREE.id
        await stage.press("escape", "g")
        assert stage.main.grep.options.object == ""


async def test_a_result_and_its_enclosing_member_are_pinned() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await _grep(stage, "height")
        await stage.press("down", "ctrl+@", "alt+p")
        assert bench.pinned == ["range:src/Tree.cs:8-8", f"member:{HEIGHT.id}"]


async def test_the_body_being_read_is_pinned_from_its_row_and_from_its_outline() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "P")
        assert bench.pinned == []
        assert "Put the cursor on a member" in stage.said[-1]
        await stage.press("down", "P")
        assert f"pin {HEIGHT.id} as bodies" in bench.calls
        await stage.press("enter", "o", "P")
        assert bench.calls.count(f"pin {HEIGHT.id} as bodies") == 2


async def test_usages_tell_the_grades_by_sign_and_word_and_can_leave_names_out() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "u")
        rows = [row for row in stage.main.usages.places.rows if row.line]
        assert [(row.sign, row.note) for row in rows] == [
            ("●", "type in Tree"),
            ("○", "name match, call in Height"),
        ]
        assert "2: 1 ● bound, 1 ○ name match · " in str(stage.main.usages.said.content)
        await stage.press("alt+u")
        assert [row.line for row in stage.main.usages.places.rows] == [None, 6]
        await stage.press("n", "n")
        assert stage.main.code.source.cursor_line == 6
        assert stage.main.pane == "usages"


async def test_usages_are_shown_as_they_are_found_and_stay_when_the_search_is_stopped() -> None:
    bench = StageBench()
    go_on = bench.hold("usages")
    async with on_stage(bench) as stage:
        pane = stage.main.usages
        await stage.pilot.press("escape", "u")
        await until(lambda: pane.places.rows)
        assert [row.line for row in pane.places.rows] == [None, 6]
        assert str(pane.said.content) == "1 so far …"
        pane.places.cursor = 1
        go_on.set()
        await stage.settle()
        assert [row.line for row in pane.places.rows] == [None, 6, 12]
        assert pane.places.cursor == 1
        go_on.clear()
        await stage.pilot.press("escape", "u")
        await until(lambda: len(pane.places.rows) == 2)
        await stage.pilot.press("ctrl+g")
        assert str(pane.said.content) == "cancelled: this is what was found so far"
        go_on.set()
        await stage.settle()
        assert [row.line for row in pane.places.rows] == [None, 6]


async def test_usages_of_what_is_not_used_say_so() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "down", "down", "u")
        assert "is not used" in stage.main.usages.nothing.sentence


async def test_d_shows_the_working_tree_and_keys_step_by_hunk_and_file() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "d")
        diff = stage.main.code.diff
        assert bench.changes.compared[-1] == DiffScope()
        assert (diff.change and diff.change.path, diff.view.hunk_number) == ("src/Tree.cs", 0)
        await stage.press("n")
        assert diff.view.hunk_number == 1
        await stage.press("n")
        assert (diff.change and diff.change.path, diff.view.hunk_number) == ("src/[b]Row.cs", 0)
        await stage.press("N")
        assert (diff.change and diff.change.path, diff.view.hunk_number) == ("src/Tree.cs", 1)
        await stage.press("full_stop", "right_curly_bracket", "less_than_sign", "left_curly_bracket")
        assert diff.change is not None
        assert diff.change.path == "src/Tree.cs"


async def test_a_hunk_is_pinned_and_unpinned_or_its_member_and_enter_leads_to_the_source() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "d", "down", "space", "P")
        assert bench.pinned == ["hunk:src/Tree.cs:6-8", f"member:{HEIGHT.id}"]
        assert bench.hunks[0].startswith("@@ -6,3 +6,3 @@\n public class Tree\n-\tpublic int Width")
        await stage.press("space")
        assert bench.pinned == [f"member:{HEIGHT.id}"]
        await stage.press("enter")
        assert stage.main.code.view == "source"
        assert stage.main.code.source.cursor_line == 8


async def test_a_file_that_is_gone_has_nothing_to_pin() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "d", "full_stop", "full_stop", "space", "P", "enter")
        assert bench.pinned == []
        assert stage.main.code.view == "diff"


async def test_b_chooses_a_commit_the_tree_against_it_or_a_range() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "b")
        await stage.type("pear")
        await stage.press("enter")
        assert bench.changes.compared[-1] == DiffScope("", "cccccccc")
        await stage.press("b", "down", "ctrl+t")
        assert bench.changes.compared[-1] == DiffScope("cccccccc", "")
        await stage.press("b", "down", "shift+down", "enter")
        assert bench.changes.compared[-1] == DiffScope("dddddddd^", "cccccccc")
        await stage.press("b")
        await stage.type("main..side")
        await stage.press("enter")
        assert bench.changes.compared[-1] == DiffScope("main", "side")


async def test_without_a_repository_the_list_says_what_to_do() -> None:
    bench = StageBench()
    bench.changes.fault = WorkspaceError("/orchard is not in a git repository.")
    async with on_stage(bench) as stage:
        await stage.press("escape", "d")
        assert "not in a git repository" in stage.main.changes.nothing.sentence


async def test_a_change_set_follows_the_disk_and_the_cursor_stays_with_its_file() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "d", "full_stop")
        bench.changes.files = bench.changes.files[1:]
        stage.main.changes.reload()
        await stage.settle()
        assert len(stage.main.changes.list.files) == 3
        assert stage.main.changes.list.current is not None
        assert stage.main.changes.list.current.path == "src/[b]Row.cs"


async def test_names_are_stepped_through_and_f12_and_enter_lead_to_their_definition() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("enter", "s", "right", "right")
        assert stage.main.code.source.word == "Tree"
        bench.places.meaning = Definition(name="Tree", symbols=(ROW,), certain=True)
        await stage.press("f12")
        assert bench.places.asked[-1] == ("src/Tree.cs", 6, 13)
        assert stage.main.code.opened == ROW.id
        await stage.press("alt+left")
        assert (stage.main.code.opened, stage.main.code.source.cursor_line) == (TREE.id, 6)
        await stage.press("enter")
        assert stage.main.code.opened == ROW.id


async def test_a_name_of_several_meanings_is_asked_about_and_one_of_none_is_explained() -> None:
    bench = StageBench()
    bench.places.meaning = Definition(name="x", symbols=(TREE, ROW), reason="x cannot be bound here.")
    async with on_stage(bench) as stage:
        await stage.press("enter", "s", "f12")
        assert isinstance(stage.app.screen, Picker)
        await stage.press("down", "enter")
        assert stage.main.code.opened == ROW.id
        bench.places.meaning = Definition(name="x", reason="x is not declared in this workspace.")
        await stage.press("s", "f12")
        assert stage.noted[-1] == "x is not declared in this workspace."


async def test_back_leads_to_the_line_one_was_on() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "s", "down", "down", "ctrl+o")
        await stage.type("row")
        await stage.press("enter", "alt+left")
        assert (stage.main.code.opened, stage.main.code.view) == (TREE.id, "source")
        assert stage.main.code.source.cursor_line == 8


async def test_quick_open_finds_files_and_symbols() -> None:
    async with on_stage() as stage:
        await stage.press("ctrl+o")
        await stage.type("src/")
        await stage.press("enter")
        assert stage.main.code.opened == "src/Tree.cs"


async def test_the_menu_offers_what_makes_sense_and_runs_it() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "m")
        screen = stage.app.screen
        assert isinstance(screen, Picker)
        await stage.type("usages")
        await stage.press("enter")
        assert stage.main.left == "usages"


async def test_a_hierarchy_unfolds_turns_pins_and_opens() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("enter", "h")
        screen = stage.app.screen
        assert isinstance(screen, HierarchyScreen)
        assert [branch.relative.name for branch in screen._rows] == [HEIGHT.path]
        await stage.press("right", "space")
        assert [row.sign for row in screen.rows.rows] == ["●"]
        await stage.press("space")
        assert ([row.sign for row in screen.rows.rows], bench.pinned) == ([" "], [])
        await stage.press("P")
        assert screen._rows[0].following == []
        assert set(bench.pinned) == {f"member:{HEIGHT.id}"}
        assert f"pin {HEIGHT.id} as bodies" in bench.calls
        await stage.press("tab", "tab")
        assert [branch.relative.name for branch in screen._rows] == ["System.Object"]
        await stage.press("enter")
        assert stage.app.screen is screen  # there is nothing to open
        await stage.press("shift+tab", "shift+tab", "enter")
        assert stage.main.code.opened == "src/Tree.cs:12"


async def test_a_hierarchy_says_that_files_are_still_being_read_and_fills_in_when_they_are() -> None:
    bench = StageBench()
    bodies = bench.hold("bodies")
    bench.hierarchy.is_read = False
    async with on_stage(bench, settled=False) as stage:
        await until(lambda: stage.main.is_complete and stage.main.session.is_reading)
        await stage.pilot.press("enter")
        await until(lambda: stage.main.code.opened == TREE.id)
        await stage.pilot.press("h")
        await until(lambda: isinstance(stage.app.screen, HierarchyScreen))
        screen = stage.app.screen
        assert isinstance(screen, HierarchyScreen)
        await until(lambda: screen.said.display)
        assert "still being read" in str(screen.said.content)
        bench.hierarchy.is_read = True
        bodies.set()
        await until(lambda: screen.rows.current is not None)
        await stage.settle()
        assert ([branch.relative.name for branch in screen._rows], screen.said.display) == (
            [HEIGHT.path],
            False,
        )


async def test_a_hierarchy_that_is_looked_at_again_stays_as_far_unfolded_as_it_is() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "h", "right")
        screen = stage.app.screen
        assert isinstance(screen, HierarchyScreen)
        unfolded = screen._rows[0]
        assert unfolded.following == []
        screen._lacking.add(Direction.CALLERS)
        screen.post_message(IndexChanged())
        await stage.settle()
        assert screen._rows == [unfolded]
        assert not unfolded.folded


async def test_a_right_click_opens_the_menu() -> None:
    async with on_stage() as stage:
        await stage.pilot.click(stage.main.symbols.results, offset=(5, 1), button=3)
        await stage.settle()
        assert isinstance(stage.app.screen, Picker)


async def test_marked_rows_are_pinned_together() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "shift+down", "space")
        assert set(bench.pinned) == {f"type:{TREE.id}", f"member:{HEIGHT.id}"}


async def test_backspace_leads_from_a_member_to_its_type() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "down", "enter", "backspace")
        assert stage.main.code.opened == TREE.id


async def test_items_are_moved_and_shown_in_more_or_less_detail() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "down", "space", "3", "J")
        assert bench.pinned == [f"member:{HEIGHT.id}", f"type:{TREE.id}"]
        await stage.press("K")
        assert bench.pinned == [f"type:{TREE.id}", f"member:{HEIGHT.id}"]
        await stage.press("plus")
        assert any(call.startswith("level type:") for call in bench.calls)


async def test_a_step_to_much_more_detail_says_what_it_takes_first() -> None:
    bench = StageBench()
    bench.level_costs = {"used": 0, "outline": 20_000}
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "3", "plus")
        assert isinstance(stage.app.screen, Confirm)
        assert (
            "20\N{NO-BREAK SPACE}000 tokens, 19\N{NO-BREAK SPACE}900 more than now"
            in stage.app.screen._question[0]
        )
        await stage.press("n")
        assert not any(call.startswith("level") for call in bench.calls)
        await stage.press("plus", "y")
        assert f"level type:{TREE.id} outline" in bench.calls


async def test_levels_at_which_there_is_nothing_are_stepped_over() -> None:
    bench = StageBench()
    empty = dict.fromkeys(("used", "outline", "declarations", "bodies", "whole"), 0)
    bench.level_costs = {**empty, "range": 200}
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "3", "plus")
        bench.level_costs["range"] = 0
        await stage.press("plus")
        levels = [call.rpartition(" ")[2] for call in bench.calls if call.startswith("level")]
        assert levels == ["range"]


async def test_the_tabs_of_the_left_column_are_clicked() -> None:
    async with on_stage() as stage:
        await stage.pilot.click(stage.main.lists, offset=(10, 0))
        await stage.settle()
        assert stage.main.left == "grep"
        assert isinstance(stage.main.focused, Input)


async def test_escape_leads_out_of_a_list_back_to_the_symbols() -> None:
    async with on_stage() as stage:
        await _grep(stage, "height")
        await stage.press("escape", "escape")
        assert stage.main.left == "symbols"
        assert stage.main.symbols.results.has_focus


async def test_a_match_is_shown_beside_the_list_while_the_cursor_rests_on_it_and_back_leads_past_them_all() -> (
    None
):
    async with on_stage() as stage:
        await stage.press("enter")
        before = stage.main.code.opened
        await _grep(stage, "line 1")
        assert stage.main.code.opened == before
        for _ in range(3):
            await stage.press("down")
        assert (stage.main.pane, stage.main.code.view) == ("grep", "source")
        assert stage.main.code.source.cursor_line == 13
        assert stage.main.code.lit_lines > 1
        await stage.press("enter")
        assert (stage.main.pane, stage.main.code.source.cursor_line) == ("code", 13)
        await stage.press("alt+left")
        assert stage.main.code.opened == before


async def test_where_one_pane_is_shown_at_a_time_the_list_shows_nothing_beside_it() -> None:
    async with on_stage(size=(80, 24)) as stage:
        await _grep(stage, "line 1")
        await stage.press("down", "down")
        assert stage.main.code.opened == ""


async def test_n_goes_on_from_a_file_without_hunks_and_the_end_is_said_once() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "d", "greater_than_sign", "greater_than_sign", "greater_than_sign")
        diff = stage.main.code.diff
        assert diff.change is not None
        assert (diff.change.path, diff.view.hunk_count) == ("tree.png", 0)
        await stage.press("N")
        assert diff.change.path == "src/Old.cs"


async def test_what_cannot_be_done_is_said_once_however_often_its_key_is_pressed() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "n", "n", "n")
        assert len([said for said in stage.said if "nothing to step through" in said]) == 1


async def test_a_file_counts_as_seen_when_its_diff_was_on_the_screen() -> None:
    async with on_stage(size=(80, 24)) as stage:
        await stage.press("escape", "d", "escape", "down")
        seen = stage.main.changes.list
        assert (stage.main.pane, seen.seen) == ("changes", {"src/Tree.cs"})
        await stage.press("enter")
        assert seen.seen == {"src/Tree.cs", "src/[b]Row.cs"}


async def test_the_line_over_the_hunks_says_first_what_the_frame_does_not() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "d")
        about = str(stage.main.code.diff.about.content)
        assert about == "modified · hunk 1 of 2 · +1 −1"


async def test_the_keyboard_goes_to_the_rows_that_took_the_place_of_what_it_was_meant_for() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "d", "escape")
        changes = stage.main.changes
        changes.nothing.focus()
        await stage.settle()
        assert stage.app.focused is changes.list


async def _diffed(stage: Stage) -> None:
    """Open the tree, then go to the changed line of its second hunk in the diff."""
    await stage.press("escape", "enter", "d", "down")


async def test_u_in_the_diff_asks_for_usages_of_the_member_at_the_cursor() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await _diffed(stage)
        place = stage.main.about.place
        assert place is not None
        await stage.press("u")
        assert stage.main.usages._target == f"{place[0]}:{place[1]}"


async def test_s_in_the_diff_shows_that_line_of_the_source_and_back_leads_to_the_diff() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "d", "down", "s")
        assert (stage.main.code.view, stage.main.code.file) == ("source", "src/Tree.cs")
        assert stage.main.code.source.cursor_line == 8
        await stage.press("alt+left")
        assert stage.main.code.view == "diff"


async def test_back_in_the_diff_shows_what_it_was_opened_over() -> None:
    async with on_stage() as stage:
        await _diffed(stage)
        await stage.press("alt+left")
        assert stage.main.code.view == "outline"


async def test_o_and_backspace_in_the_diff_are_about_the_member_at_the_cursor() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "d", "down", "o")
        assert (stage.main.code.view, stage.main.code.opened) == ("outline", HEIGHT.id)
    async with on_stage() as stage:
        await stage.press("escape", "d", "down", "backspace")
        assert stage.main.code.opened == TREE.id


async def test_back_leads_to_the_diff_from_whatever_its_cursor_led_to() -> None:
    for key in ("o", "s", "backspace"):
        for opened in ((), ("enter",), ("down", "enter"), ("enter", "escape", "down", "enter")):
            async with on_stage() as stage:
                await stage.press("escape", *opened, "d", "down", key)
                assert stage.main.code.view != "diff", (key, opened)
                await stage.press("alt+left")
                assert stage.main.code.view == "diff", (key, opened)


async def test_a_step_or_a_click_to_another_view_is_about_the_member_at_the_cursor_of_the_diff() -> None:
    for key, view in (("]", "outline"), ("[", "source"), ("", "semantic"), ("", "outline")):
        async with on_stage() as stage:
            await stage.press("escape", "d", "down")
            code = stage.main.code
            if key:
                await stage.press("right_square_bracket" if key == "]" else "left_square_bracket")
            else:
                code.tabs.post_message(ChoiceLine.Chosen(code.tabs, view))
                await stage.settle()
            assert code.view == view
            assert code.file == "src/Tree.cs"
            assert code.opened == HEIGHT.id or code.source.cursor_line == 8
            await stage.press("alt+left")
            assert code.view == "diff"


async def test_e_in_the_diff_and_in_the_list_of_changes_edits_the_member_at_the_cursor() -> None:
    for keys in (("escape", "d", "down", "e"), ("escape", "d", "down", "escape", "e")):
        bench = StageBench()
        async with on_stage(bench) as stage:
            asked: list[str] = []
            await stage.press(*keys[:-1])
            stage.main.patch.begin = asked.append
            await stage.press(keys[-1])
            assert asked == ["src/Tree.cs:8"]


async def test_a_diff_stays_where_lines_of_a_file_behind_it_are_read_again() -> None:
    async with on_stage() as stage:
        stage.main.open("src/Tree.cs:8-9")
        await stage.settle()
        assert stage.main.code.view == "source"
        await stage.press("d")
        stage.main.code.visits.reload()
        await stage.settle()
        assert stage.main.code.view == "diff"


async def test_upper_g_in_the_diff_searches_the_file_that_is_shown_there() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "enter", "d", "greater_than_sign", "G")
        assert stage.main.grep.options.called == "[b]Row.cs"
        assert stage.main.grep.options.object == "src/[b]Row.cs"


async def test_a_file_that_is_gone_is_said_to_be_gone_by_every_key_about_it() -> None:
    for key in ("u", "e", "G", "backspace"):
        async with on_stage() as stage:
            await stage.press("escape", "d", "full_stop", "full_stop", key)
            assert ["is gone" in said for said in stage.said] == [True], key


async def test_a_diff_is_laid_out_and_compared_as_one_wants_and_so_the_next_time() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "d", "vertical_line", "L", "I", "alt+x")
        diff = stage.main.code.diff
        assert diff.options == DiffOptions(split=True, wrap=True, ignore_space=True, context=6)
        assert bench.changes.read_as[-1] == (6, True)
        assert "│" in diff.view.render_line(1).text
        await stage.press("alt+e", "alt+e", "alt+e", "I")
        assert bench.changes.read_as[-1] == (0, False)
    async with on_stage(bench) as stage:
        await stage.press("escape", "d")
        assert stage.main.code.diff.options == DiffOptions(split=True, wrap=True, context=0)
        assert "│" in stage.main.code.diff.view.render_line(1).text


async def test_hunks_and_files_are_staged_and_discarded_where_git_has_an_index_between() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "d", "2")
        assert "● staged" in stage.main.code.diff.view.render_line(0).text
        await stage.press("n", "S", "D")
        assert [act for act, *_ in bench.hunk_edits.done] == ["toggle"]  # a discard is asked for first
        await stage.press("y")
        assert bench.hunk_edits.done == [("toggle", "src/Tree.cs", 20), ("discard", "src/Tree.cs", 20)]
        await stage.press("1", "down", "S")
        assert bench.hunk_edits.done[-1] == ("toggle", "src/[b]Row.cs", 0)
        stage.main.changes.compare("HEAD~1..HEAD")
        await stage.settle()
        await stage.press("S")
        assert len(bench.hunk_edits.done) == 3
        assert "working tree against HEAD" in stage.said[-1]
        assert "staged" not in stage.main.code.diff.view.render_line(0).text


async def test_the_help_shows_the_lines_that_have_what_is_typed() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "question_mark")
        screen = stage.app.screen
        assert isinstance(screen, FilteredText)
        await stage.type("white space")
        lines = screen._shown.content.plain.splitlines()
        assert [line.split()[0] for line in lines] == ["I"]
        await stage.type(" nowhere")
        assert "Nothing here has" in screen._shown.content.plain
        await stage.press("escape")
        assert stage.app.screen is stage.main


async def test_long_lines_of_source_wrap_and_that_comes_back() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "s", "L")
        assert stage.main.code.source.wraps
        assert stage.main._state.wraps
        await stage.press("L")
        assert not stage.main.code.source.wraps
        await stage.press("o", "L")
        assert stage.said[-1].startswith("This is about lines of code.")


async def test_the_frame_names_the_line_of_the_cursor() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "s")
        first = stage.main.code.source.cursor_line
        assert stage.main.code.note == f"src/Tree.cs:{first}"
        await stage.press("down", "down")
        assert stage.main.code.note == f"src/Tree.cs:{first + 2}"
        await stage.press("o")
        assert stage.main.code.note == "src/Tree.cs:6"
