"""Commit, stash, blame and the log of a file, with keys, on a real repository."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from services.bench import Bench
from services.source.diffs.staging import Staged
from tests.support.review_change import CODE, committed, git, write
from tests.support.stage import Stage, on_stage
from workbench.commands.situation import CHANGES
from workbench.review.publishing import CommitScreen
from workbench.ui.picker import Picker

CHANGED = CODE.replace("return a;", "return a + 1;")


@asynccontextmanager
async def changed(folder: Path) -> AsyncIterator[tuple[Stage, Bench]]:
    """Two files of a small library differ from HEAD, and a third is new."""
    with committed(folder, {"Lib/deep/down/Other.cs": "class Other;\n"}) as bench:
        git(folder, "config", "user.name", "n")
        git(folder, "config", "user.email", "e@example.org")
        write(bench, CHANGED)
        write(bench, "class Other { }\n", "Lib/deep/down/Other.cs")
        write(bench, "class New;\n", "New.cs")
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            stage.main.show_list(CHANGES)
            await stage.rest()
            yield stage, bench


def rows(stage: Stage) -> list[str]:
    """What the list shows: headings by their label, files by their name."""
    return [
        row.file.path.rpartition("/")[2] if row.file else row.label for row in stage.main.changes.list._rows
    ]


async def test_staged_files_stand_apart_as_soon_as_one_is(tmp_path: Path) -> None:
    async with changed(tmp_path) as (stage, _):
        assert rows(stage) == ["Shop.cs", "Other.cs", "New.cs"]
        await stage.press("S")
        await stage.rest()
        assert rows(stage) == ["Staged", "Shop.cs", "Not staged", "Other.cs", "New.cs"]
        current = stage.main.changes.list.current
        assert current is not None
        assert current.path == "Lib/Shop.cs"
        await stage.press("down")
        assert stage.main.changes.list.cursor == 3  # the heading between is passed over
        await stage.press("up", "S")
        await stage.rest()
        assert rows(stage) == ["Shop.cs", "Other.cs", "New.cs"]


async def test_changes_are_shown_by_folder_and_filtered(tmp_path: Path) -> None:
    async with changed(tmp_path) as (stage, _):
        await stage.press("grave_accent")
        assert rows(stage) == ["Lib", "deep/down", "Other.cs", "Shop.cs", "New.cs"]
        await stage.press("slash")
        await stage.type("new")
        assert rows(stage) == ["New.cs"]
        assert "1 of 3 files" in str(stage.main.changes.said.content)
        await stage.press("backspace", "backspace", "backspace")
        await stage.type("untracked")
        assert rows(stage) == ["New.cs"]
        await stage.press("enter")
        assert stage.main.changes.list.has_focus
        await stage.press("escape")
        assert not stage.main.changes.filter.display
        assert len(stage.main.changes.list.files) == 3
        assert stage.main.left == CHANGES
        await stage.press("grave_accent")
        assert rows(stage) == ["Shop.cs", "Other.cs", "New.cs"]


async def test_a_filter_that_fits_nothing_leaves_a_way_back(tmp_path: Path) -> None:
    async with changed(tmp_path) as (stage, _):
        await stage.press("slash")
        await stage.type("zzz")
        assert stage.main.changes.list.current is None
        await stage.press("enter", "full_stop", "escape")
        assert len(stage.main.changes.list.files) == 3


async def test_a_hunk_says_which_member_it_changes(tmp_path: Path) -> None:
    async with changed(tmp_path) as (stage, _):
        view = stage.main.code.diff.view
        assert "Shop." in view._rows.heading(0)


async def test_what_is_staged_is_committed_and_the_message_survives_a_closed_dialog(tmp_path: Path) -> None:
    async with changed(tmp_path) as (stage, bench):
        await stage.press("number_sign")
        await stage.rest()
        assert stage.noted[-1].startswith("Nothing is staged.")
        await stage.press("S")
        await stage.rest()
        await stage.press("number_sign")
        await stage.rest()
        assert isinstance(stage.app.screen, CommitScreen)
        await stage.press("enter")
        assert isinstance(stage.app.screen, CommitScreen)  # nothing was typed
        await stage.press(*"Add one", "escape")
        await stage.press("number_sign")
        await stage.rest()
        await stage.press("ctrl+j", "ctrl+j", *"Why", "enter")
        await stage.rest()
        assert git(bench.root, "log", "-1", "--format=%B").strip() == "Add one\n\nWhy"
        assert any(noted.startswith("Committed") and "Add one" in noted for noted in stage.noted)
        assert rows(stage) == ["Other.cs", "New.cs"]
        assert stage.main.commit_message == ""


async def test_changes_are_put_aside_and_back(tmp_path: Path) -> None:
    async with changed(tmp_path) as (stage, bench):
        before = (bench.root / "Lib/Shop.cs").read_text()
        await stage.press("dollar_sign")
        await stage.type("later")
        await stage.press("enter")
        await stage.rest()
        assert rows(stage) == ["New.cs"]
        assert (bench.root / "Lib/Shop.cs").read_text() == CODE
        await stage.press("dollar_sign")
        await stage.rest()
        screen = stage.app.screen
        assert isinstance(screen, Picker)
        assert "later" in screen.rows.rows[1].label
        await stage.press("down", "enter")
        await stage.rest()
        assert (bench.root / "Lib/Shop.cs").read_text() == before
        assert bench.stashes.listed() == ()


async def test_a_line_and_a_file_lead_to_their_commits(tmp_path: Path) -> None:
    async with changed(tmp_path) as (stage, _):
        stage.main.open("Lib/Shop.cs:1")
        await stage.rest()
        await stage.press("asterisk")
        await stage.rest()
        screen = stage.app.screen
        assert isinstance(screen, Picker)
        assert screen.rows.rows[0].label.startswith("Line 1: ")
        await stage.press("escape", "tilde")
        await stage.rest()
        screen = stage.app.screen
        assert isinstance(screen, Picker)
        assert len(screen.rows.rows) >= 1
        await stage.press("enter")
        await stage.rest()
        assert stage.main.changes.scope
        current = stage.main.changes.list.current
        assert current is not None
        assert current.path == "Lib/Shop.cs"


async def test_the_staged_states_are_those_of_git(tmp_path: Path) -> None:
    async with changed(tmp_path) as (stage, bench):
        await stage.press("S")
        await stage.rest()
        write(bench, CHANGED + "// more\n")
        stage.main.changes.reload()
        await stage.rest()
        assert stage.main.changes.list.arrangement.staged == {"Lib/Shop.cs": Staged.PARTLY}
        assert rows(stage)[0] == "Partly staged"
