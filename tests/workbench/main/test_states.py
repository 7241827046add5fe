"""What the workbench says and shows when things are not as one would like them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.bench import Bench
from services.errors import WorkspaceError
from services.model import (
    ChangeClass,
    ChangeSet,
    ItemFlag,
    Kind,
    Notice,
    Omitted,
    Progress,
    SymbolRef,
    TypeChange,
)
from services.settings import Settings
from tests.support.eventually import until
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import HEIGHT, ROW, TREE, StageBench, ref
from tests.workbench.main.host import hosted
from widgets.chrome.status_bar import StatusLine
from widgets.format.shorten import grouped
from workbench.main.sentences import status_line
from workbench.state.clipboard import TERMINAL_LIMIT
from workbench.state.session import Session
from workbench.state.ui_state import UiState, save
from workbench.ui.key_line import Hint, KeyLine
from workbench.ui.modal import Confirm, TextScreen


def _nothing(stage: Stage) -> str:
    assert stage.main.symbols.nothing.display
    return stage.main.symbols.nothing.sentence


async def test_the_screen_is_painted_before_the_workspace_is_opened() -> None:
    painted: list[bool] = []

    def open_bench() -> StageBench:
        painted.append(stage.app.screen.is_mounted and stage.main.key_line.size.width > 0)
        return StageBench()

    stage = Stage(open_bench)
    async with stage.app.run_test() as stage.pilot:
        await stage.settle()
    assert painted == [True]


async def test_the_list_knows_what_was_related_on_the_way_to_the_screen(
    orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outline may relate types after the first search and before the job that is there for it."""

    def hasty() -> Bench:
        bench = Bench.open(orchard, settings=Settings())
        relate = bench.index.relate

        def twice(
            *, progress: Callable[[Progress], None] | None = None, cancel: threading.Event | None = None
        ) -> bool:
            relate()
            return relate(progress=progress, cancel=cancel)

        monkeypatch.setattr(bench.index, "relate", twice)
        return bench

    stage = Stage(hasty)
    async with stage.app.run_test() as stage.pilot:
        await stage.settle()
        bench, answer = stage.main.session.bench, stage.main.symbols.answer
        assert bench is not None
        assert answer is not None
        assert [hit.symbol.id for hit in answer.hits] == [
            hit.symbol.id for hit in bench.index.search("", limit=len(answer.hits)).hits
        ]


async def test_an_answer_without_rows_hides_none_that_came_after_it() -> None:
    async with on_stage() as stage:
        symbols = stage.main.symbols
        found = symbols.answer
        assert found is not None
        nothing = msgspec.structs.replace(found, hits=(), total=0, searched=0)
        symbols._show(nothing, keep_cursor=True)
        symbols._show(found, keep_cursor=True)
        await stage.settle()
        assert symbols.results.display
        symbols._show(nothing, keep_cursor=True)
        await stage.settle()
        assert symbols.nothing.display


async def test_work_that_changes_nothing_leaves_the_index_fresh() -> None:
    """Relating types may report progress after all else is done, and find nothing new."""
    async with on_stage() as stage:
        stage.main.post_message(Session.Advanced(Progress(phase="Relating types", done=1, total=2)))
        await stage.pilot.pause()
        assert stage.main.status.status.freshness == "indexing"
        stage.main.post_message(Session.Advanced(None))
        await stage.settle()
        assert stage.main.status.status.freshness == "fresh"


async def test_work_of_a_watcher_that_changes_nothing_leaves_the_index_fresh() -> None:
    """A status may be read while the watcher looks at the files: it tells nobody where it finds them as they were."""
    bench = StageBench()
    async with on_stage(bench) as stage:
        read = msgspec.structs.replace(bench.status(), state="refreshing")
        stage.main.on_session_status_read(Session.StatusRead(read))
        assert stage.main.status.status.freshness == "indexing"
        await until(lambda: stage.main.status.status.freshness == "fresh")


async def test_keys_are_answered_and_progress_is_shown_while_the_index_is_built() -> None:
    bench = StageBench()
    gate = bench.hold("refresh")
    async with on_stage(bench, settled=False) as stage:
        await until(lambda: stage.main.progress.display)
        assert stage.main.status.status.freshness == "indexing"
        await stage.pilot.press("escape", "3")
        assert stage.main.pane == "window"
        gate.set()
        await stage.settle()
        assert not stage.main.progress.display
        assert stage.main.status.status.freshness == "fresh"
        assert stage.main.symbols.current == TREE


async def test_what_was_kept_can_be_searched_while_the_index_is_brought_up_to_date() -> None:
    bench = StageBench(kept=True)
    gate = bench.hold("refresh")
    async with on_stage(bench, settled=False) as stage:
        await stage.pilot.press(*"row")
        await until(lambda: stage.main.symbols.current == ROW)
        gate.set()
        await stage.settle()


async def test_the_first_search_is_answered_before_anything_else_is_read() -> None:
    bench = StageBench(kept=True)
    going = bench.hold("search ")
    async with on_stage(bench, settled=False) as stage:
        await until(lambda: "search " in bench.calls)
        assert not {"window", "refresh"} & {*bench.calls}
        going.set()
        await stage.settle()
        assert {"window", "refresh"} <= {*bench.calls}


async def test_an_answer_to_an_older_query_is_not_shown() -> None:
    """`t` is answered when the box says something else, and loses."""
    bench = StageBench(kept=True)
    async with on_stage(bench) as stage:  # which asks for every letter beforehand, and may not be held
        gate, asked = bench.hold("search t"), bench.calls.count("search t")
        await stage.pilot.press("t")
        await until(lambda: bench.calls.count("search t") > asked)
        await stage.pilot.press("backspace", *"row")
        gate.set()
        await stage.settle()
        assert stage.main.symbols.results.row_count == 1
        assert stage.main.symbols.current == ROW


async def test_enter_right_after_typing_opens_what_the_last_letters_found() -> None:
    async with on_stage() as stage:
        await stage.pilot.press(*"row", "enter")
        await stage.settle()
        assert stage.main.code.opened == ROW.id


async def test_the_costs_of_rows_in_view_come_after_the_rows() -> None:
    async with on_stage() as stage:
        await stage.rest()
        assert [stage.main.symbols.results.row_at(n).tokens for n in range(3)] == [40, 50, 60]


async def test_the_last_query_comes_back_over_no_letter_that_its_box_has_still_to_hear_of() -> None:
    bench = StageBench(kept=True)
    async with on_stage(bench) as stage:
        box = stage.main.symbols.box
        box.input.value = "row"
        assert box.value == ""
        stage.main.on_session_opened(Session.Opened(bench, UiState(query="tree")))
        await stage.settle()
        assert (box.value, box.input.value) == ("row", "row")


@pytest.mark.parametrize(
    ("keys", "opened", "view"),
    [
        (("escape", "down", "enter"), HEIGHT.id, "outline"),
        (("escape", "d"), TREE.id, "diff"),
        ((), TREE.id, "outline"),
    ],
    ids=["another symbol", "a diff", "nothing"],
)
async def test_what_was_open_last_comes_back_only_where_nothing_was_opened_since(
    keys: tuple[str, ...], opened: str, view: str
) -> None:
    bench = StageBench(kept=True)
    save(bench.state, UiState(opened=TREE.id))
    refreshed = bench.hold("refresh")
    async with on_stage(bench, settled=False) as stage:
        await until(lambda: stage.has_main and stage.main.code.opened == TREE.id)
        await stage.pilot.press(*keys)
        await until(lambda: (stage.main.code.opened, stage.main.code.view) == (opened, view))
        refreshed.set()
        await stage.settle()
        assert (stage.main.code.opened, stage.main.code.view) == (opened, view)


async def test_what_was_open_last_comes_back_behind_what_was_opened_before_it_could() -> None:
    bench = StageBench()
    save(bench.state, UiState(opened=TREE.id))
    refreshed = bench.hold("refresh")
    async with on_stage(bench, settled=False) as stage:
        await until(lambda: stage.main.is_complete and stage.main.session.is_indexing)
        await stage.pilot.press("escape", "d")
        await until(lambda: stage.main.code.view == "diff")
        refreshed.set()
        await stage.settle()
        assert (stage.main.code.opened, stage.main.code.view) == (TREE.id, "diff")


async def test_a_folder_that_cannot_be_opened_says_why() -> None:
    def refuse() -> StageBench:
        raise WorkspaceError("There is no folder /nowhere.")

    stage = Stage(refuse)
    async with stage.app.run_test() as stage.pilot:
        await stage.settle()
        assert _nothing(stage) == "There is no folder /nowhere."
        assert stage.main.symbols.nothing.advice == "Quit (ctrl+q) and start with another folder."
        await stage.press("escape", "space", "y", "f5")


async def test_what_two_keys_say_alike_is_shown_once() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "d", "2", "r", "O")
        assert stage.said == ["Reviews are not kept here."]


async def test_a_folder_without_csharp_says_so() -> None:
    async with on_stage(StageBench(symbols=())) as stage:
        assert _nothing(stage) == "There is no C# here."


async def test_no_result_says_what_to_try() -> None:
    async with on_stage() as stage:
        await stage.type("zzz")
        assert _nothing(stage) == "Nothing matches 'zzz'."
        await stage.press("escape", "z")
        assert stage.main.zoomed


async def test_cancelled_before_anything_was_read_says_so() -> None:
    bench = StageBench()
    bench.hold("refresh")
    async with on_stage(bench, settled=False) as stage:
        await until(lambda: stage.main.progress.progress is not None)
        await stage.press("ctrl+g")
        assert _nothing(stage) == "The index is not built yet."


async def test_an_index_that_fails_is_a_notice_and_the_rest_goes_on() -> None:
    bench = StageBench(kept=True)
    bench.fault = PermissionError(13, "Permission denied", "src/Tree.cs")
    async with on_stage(bench) as stage:
        assert stage.noted == ["Permission denied: src/Tree.cs."]
        await stage.press("enter")
        assert stage.main.code.opened == TREE.id


async def test_what_nobody_foresaw_is_a_notice_too() -> None:
    bench = StageBench(kept=True)
    bench.fault = ZeroDivisionError("division by zero")
    async with on_stage(bench) as stage:
        assert stage.noted == ["Something unforeseen went wrong: ZeroDivisionError: division by zero"]


@pytest.mark.parametrize(("key", "pinned"), [("n", 2), ("y", 3), ("escape", 2)])
async def test_a_pin_past_the_soft_budget_is_asked_for_twice(key: str, pinned: int) -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "down", "space", "down", "space")
        assert isinstance(stage.app.screen, Confirm)
        await stage.press(key)
        assert len(bench.pinned) == pinned


async def test_notices_of_the_services_are_told_once_and_kept() -> None:
    bench = StageBench()
    bench.said = (Notice(severity="warning", message="src/Big.cs is too large.", file="src/Big.cs", line=1),)
    async with on_stage(bench) as stage:
        assert stage.said == ["src/Big.cs is too large."]
        await stage.press("f5")
        assert stage.said == ["src/Big.cs is too large."]
        await stage.press("escape", "exclamation_mark")
        assert isinstance(stage.app.screen, TextScreen)


async def test_what_goes_wrong_is_told_by_more_than_a_colour() -> None:
    async with on_stage() as stage:
        for severity in ("information", "warning", "error"):
            stage.main.say(Notice(severity=severity, message=severity))
        await stage.settle()
        assert [each.title for each in stage.app._notifications] == ["", "Warning", "Error"]


@pytest.mark.parametrize(
    ("severity", "title"), [("information", ""), ("warning", "Warning"), ("error", "Error")]
)
async def test_several_notices_are_as_grave_as_the_gravest(severity: str, title: str) -> None:
    bench = StageBench()
    bench.said = (Notice(severity="information", message="One."), Notice(severity=severity, message="Other."))
    async with on_stage(bench) as stage:
        assert [each.title for each in stage.app._notifications] == [title]


async def test_brackets_in_what_is_said_are_no_markup() -> None:
    bench = StageBench()
    bench.said = (Notice(severity="error", message="[red]x[/red] \x1b[31m"),)
    async with on_stage(bench) as stage:
        assert stage.said == ["[red]x[/red] ␛[31m"]
        await stage.press("escape", "n", "escape")


async def test_a_copy_names_what_is_not_as_it_should_be() -> None:
    bench = StageBench()
    bench.flags = (ItemFlag.VANISHED,)
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "y")
        notice = stage.main.log_of_notices.notices[-1]
        assert (notice.severity, notice.what_to_do) == ("warning", "Tree is not there any more.")


async def test_over_ssh_a_copy_goes_to_the_terminal_and_says_that_it_is_not_confirmed() -> None:
    async with on_stage(remote=True) as stage:
        await stage.press("escape", "space", "y")
        assert stage.copied == []
        assert stage.app.clipboard == "# Tree\n"
        assert "does not confirm" in stage.noted[-1]


async def test_what_no_clipboard_takes_is_in_a_file_that_is_named() -> None:
    bench = StageBench()
    async with on_stage(bench, remote=True) as stage:
        stage.main.session.copy_text("x" * TERMINAL_LIMIT, "Much", stage.main.clipboard)
        await stage.settle()
        assert bench.state.files["copied.md"] == b"x" * TERMINAL_LIMIT
        assert "written to /state/copied.md" in stage.noted[-1]


async def test_a_type_name_in_an_outline_leads_to_it() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "n", "n", "enter")
        assert stage.main.code.opened in {ROW.id, TREE.id}
        assert stage.main.code.visits.history.can_go_back or stage.main.code.opened == TREE.id


async def test_a_name_that_is_declared_nowhere_is_told() -> None:
    async with on_stage() as stage:
        stage.main.code.outline.post_message(
            stage.main.code.outline.LinkSelected(stage.main.code.outline, "Species")
        )
        await stage.settle()
        assert stage.noted == ["Species is not declared in this workspace."]


async def test_an_item_of_the_window_opens_at_its_lines() -> None:
    async with on_stage() as stage:
        await stage.press("enter", "s", "down", "down", "shift+down", "space", "3", "home", "down", "enter")
        main = stage.main
        assert (main.code.view, main.code.source.selection_range) == ("source", (8, 9))


async def test_source_is_at_the_declaration_and_coloured() -> None:
    async with on_stage() as stage:
        await stage.type("row")
        await stage.press("enter", "s")
        assert stage.main.code.source.cursor_line == 20
        assert stage.main.code.source.line_count == 60


@pytest.mark.parametrize("size", [(40, 10), (59, 30), (100, 14)])
async def test_a_small_terminal_says_how_large_it_should_be_and_goes_on_when_it_is(
    size: tuple[int, int],
) -> None:
    async with on_stage(size=size) as stage:
        assert stage.main.small.display
        assert "60 × 15" in stage.main.small.advice
        await stage.pilot.resize_terminal(120, 36)
        await stage.type("row")
        await stage.press("enter")
        assert (stage.main.small.display, stage.main.code.opened) == (False, ROW.id)


async def test_a_narrow_terminal_shows_the_pane_in_use_and_a_switcher() -> None:
    async with on_stage(size=(80, 24)) as stage:
        main = stage.main
        assert (main.switcher.display, [main.left_column.display, main.code.display]) == (True, [True, False])
        await stage.press("enter")
        assert [main.left_column.display, main.code.display] == [False, True]
        await stage.pilot.resize_terminal(120, 36)
        await stage.settle()
        assert (main.switcher.display, main.symbols.display) == (False, True)


async def test_the_footer_names_only_keys_that_work_where_the_keyboard_is() -> None:
    async with on_stage() as stage:
        assert "y" not in [hint.key for hint in stage.main.key_line.hints]
        await stage.press("escape")
        assert "y" in [hint.key for hint in stage.main.key_line.hints]


async def test_keys_that_come_faster_than_the_screen_are_searched_for_once_and_stay_in_order() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        bench.calls.clear()
        for end in range(1, 4):
            stage.main.symbols.box.input.value = "row"[:end]
        await stage.settle()
        assert stage.main.symbols.box.value == stage.main.symbols.box.input.value == "row"
        assert [call for call in bench.calls if call.startswith("search ")] == ["search row"]


async def test_a_change_that_the_services_find_by_themselves_is_shown() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("enter")
        bench.symbols = (*bench.symbols, ref("T_DDDDDDDD", Kind.CLASS, "Orchard.Ledger", 30))
        change = TypeChange(
            id="T_DDDDDDDD", fqn="Orchard.Ledger", change=ChangeClass.ADDED, file="src/Ledger.cs"
        )
        for subscriber in bench.subscribers:
            subscriber((change,))
        await stage.settle()
        assert stage.main.symbols.results.row_count == 4
    assert bench.subscribers == []


async def test_slash_in_the_box_is_not_typed() -> None:
    async with on_stage() as stage:
        await stage.type("/row")
        assert stage.main.symbols.box.value == "row"


async def test_a_click_on_a_hint_a_tab_and_a_dot_do_what_they_say() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.pilot.click("#results", offset=(1, 1))
        await stage.settle()
        assert bench.pinned == [f"member:{HEIGHT.id}"]
        await stage.pilot.click("#results", offset=(8, 0), times=2)
        await stage.settle()
        assert stage.main.code.opened == TREE.id
        await stage.pilot.click("#views", offset=(26, 0))
        await stage.settle()
        assert stage.main.code.view == "source"
        await stage.pilot.click("KeyLine", offset=(2, 0))
        await stage.settle()
        assert stage.main.symbols.box.input.has_focus


async def test_a_hundred_thousand_results_would_not_matter_but_a_few_are_asked_for() -> None:
    many = tuple(SymbolRef(**{**_fields(TREE), "id": f"T_{n:08d}"}) for n in range(1_000))
    async with on_stage(StageBench(symbols=many)) as stage:
        await stage.rest()
        assert stage.main.symbols.results.row_count == 128
        assert stage.main.symbols.counts.counts is not None
        assert stage.main.symbols.counts.counts.found == 1_000


def _fields(symbol: SymbolRef) -> dict[str, object]:
    return {name: getattr(symbol, name) for name in symbol.__struct_fields__}


async def test_the_footer_of_the_diff_names_what_reviewers_do_and_keeps_pin_and_copy_at_80_columns() -> None:
    async with on_stage(size=(80, 24)) as stage:
        await stage.press("enter", "d")
        assert stage.main.pane == "code"
        commands = [hint.command for hint in stage.main.key_line.hints]
        assert {"next-place", "next-file", "compare", "pin-enclosing"} <= set(commands)
        shown = stage.main.key_line.render().plain
        for word in ("next file", "pin", "copy", "commands", "help"):
            assert word in shown


async def test_where_the_footer_has_no_room_refused_hints_go_first_then_the_highest_rank() -> None:
    line = KeyLine()
    async with hosted(line) as stage:
        line.hints = [
            Hint("a", "a", "often", rank=0),
            Hint("b", "b", "refused", refused=True, rank=0),
            Hint("c", "c", "seen elsewhere", rank=2),
            Hint("d", "d", "plain"),
            Hint("e", "e", "all"),
            Hint("f", "f", "help"),
        ]
        for width, left in ((60, "abcdef"), (50, "acdef"), (32, "adef"), (24, "aef"), (4, "ef")):
            line.styles.width = width
            await stage.pilot.pause()
            assert [part[0] for part in line.render().plain.split("  ")] == list(left)


async def test_while_the_workspace_is_opened_the_status_says_so() -> None:
    gate = threading.Event()

    def slow() -> StageBench:
        gate.wait(60)
        return StageBench()

    stage = Stage(slow)  # pyright: ignore[reportArgumentType]
    async with stage.app.run_test() as pilot:
        stage.pilot = pilot  # pyright: ignore[reportAttributeAccessIssue]
        await stage.pilot.pause()
        assert "opening …" in stage.main.status.render().plain
        gate.set()
        await stage.settle()
        assert stage.main.status.render().plain.split("●")[1].split()[:2] == ["fresh", "idle"]


async def test_what_is_not_there_any_more_is_not_said_not_to_fit() -> None:
    bench = StageBench()
    bench.omitted = tuple(
        Omitted(key=f"type:{label}", label=label, tokens=tokens, reason="It is not there.")
        for label, tokens in (("Gone", 0), ("Large", 900), ("Larger", 1_000))
    )
    async with on_stage(bench) as stage:
        assert stage.main.window.left_out.content == f"2 do not fit ({grouped(1_900)} tokens): Large, Larger"
        bench.omitted = bench.omitted[:1]
        stage.main.session.read_window()
        await stage.settle()
        assert not stage.main.window.left_out.display


async def test_a_diff_that_takes_a_while_says_that_it_is_being_made() -> None:
    bench, go_on = StageBench(), threading.Event()
    read = bench.changes.read

    def slow(*arguments: Any, **options: Any) -> ChangeSet:
        assert go_on.wait(60)
        return read(*arguments, **options)

    bench.changes.read = slow
    async with on_stage(bench) as stage:
        await stage.pilot.press("escape", "d")
        await until(lambda: stage.main.changes.nothing.sentence == "Comparing …")
        await until(lambda: stage.main.code.diff.view.empty == "Comparing …")
        go_on.set()
        await stage.settle()
        await until(lambda: stage.main.code.diff.view.hunk is not None)


async def test_a_folder_that_is_gone_is_not_fresh() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        assert stage.main.status.status.freshness == "fresh"
        for watching, freshness in (("lost", "impaired"), ("on", "fresh")):
            bench.watching = watching
            for tell in bench.shared:
                tell(frozenset({"watching"}))
            await stage.settle()
            assert stage.main.status.status.freshness == freshness


async def test_the_last_line_tells_no_keys_that_a_dialog_keeps_from_the_main_screen() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "p")
        assert stage.app.screen is not stage.main
        assert stage.main.key_line.hints == ()
        await stage.press("escape")
        assert stage.main.key_line.hints


async def test_the_header_says_that_bodies_are_read_and_how_far() -> None:
    bench = StageBench()
    bodies = bench.hold("bodies")
    async with on_stage(bench, settled=False) as stage:
        await until(lambda: stage.main.is_complete and stage.main.status.status.doing == "reading bodies 25%")
        bodies.set()
        await stage.settle()
        await until(lambda: stage.main.status.status.doing == "")


def test_nothing_is_counted_while_a_first_index_has_found_nothing() -> None:
    status = msgspec.structs.replace(StageBench().status(), state="partial", types=0, projects=())
    line = status_line(StatusLine(), status=status)
    assert (line.projects, line.types, line.branch) == (None, None, "main")
    line = status_line(line, status=msgspec.structs.replace(status, types=3))
    assert (line.projects, line.types) == (0, 3)
    line = status_line(line, status=msgspec.structs.replace(status, state="ready"))
    assert (line.projects, line.types) == (0, 0)
