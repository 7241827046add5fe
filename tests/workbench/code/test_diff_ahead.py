"""The diffs beside the one that is shown are there before a key asks for them, and never those of another state."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from services.bench import Bench
from tests.support.review_change import CODE, TESTS, commit, committed, git
from tests.support.stage import Stage, on_stage
from workbench.code.diff_part import DiffPart
from workbench.commands.situation import CHANGES, DIFF
from workbench.state.ui_state import DiffOptions

SECOND = CODE.replace("return a;", "return a + 1;")
OTHER_TESTS = TESTS.replace("Twice(2)", "Twice(3)")


@asynccontextmanager
async def compared(folder: Path, scope: str) -> AsyncIterator[tuple[Stage, Bench]]:
    """Two files differ: the tests are shown, the library comes next."""
    with committed(folder) as bench:
        (bench.root / "Lib.Tests/ShopTests.cs").write_text(OTHER_TESTS)
        commit(bench, SECOND)
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            await compare(stage, scope)
            yield stage, bench


async def compare(stage: Stage, scope: str) -> None:
    stage.main.changes.compare(scope)
    stage.main.code.view = DIFF
    stage.main.focus_pane(CHANGES)
    await stage.rest()


def added(diff: DiffPart) -> list[str]:
    """What is shown as new."""
    return [line.text.strip() for hunk in diff.view.hunks for line in hunk.lines if line.sign == "+"]


async def test_the_next_files_diff_is_shown_with_its_colours_in_the_turn_that_asks_for_it(
    tmp_path: Path,
) -> None:
    async with compared(tmp_path, "HEAD~1..HEAD") as (stage, _):
        diff, files = stage.main.code.diff, stage.main.changes.list.files
        assert added(diff) == ["public void Sums() => new N.Shop().Twice(3);"]
        diff.show(files[1])
        assert added(diff) == ["return a + 1;"]
        changed = next(row for row in diff.view.rows_in_view if row.new and not row.old)
        assert changed.new in diff.view.coloured_lines


async def test_the_diff_before_is_still_there(tmp_path: Path) -> None:
    async with compared(tmp_path, "HEAD~1..HEAD") as (stage, _):
        await stage.press(">")
        await stage.rest()
        diff, files = stage.main.code.diff, stage.main.changes.list.files
        assert diff.change == files[1]
        diff.show(files[0])
        assert added(diff) == ["public void Sums() => new N.Shop().Twice(3);"]


async def test_a_file_that_changed_on_the_disk_meanwhile_is_shown_as_it_is(tmp_path: Path) -> None:
    async with compared(tmp_path, "HEAD~1..") as (stage, bench):
        (bench.root / "Lib/Shop.cs").write_text(SECOND.replace("a + 1", "a + 22"))
        await stage.press(">")
        await stage.rest()
        assert added(stage.main.code.diff) == ["return a + 22;"]


async def test_of_a_working_tree_too_the_next_diff_is_there_and_then_how_much_of_it_is_staged(
    tmp_path: Path,
) -> None:
    with committed(tmp_path) as bench:
        (bench.root / "Lib.Tests/ShopTests.cs").write_text(OTHER_TESTS)
        (bench.root / "Lib/Shop.cs").write_text(SECOND)
        git(bench.root, "add", "Lib/Shop.cs")
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            await compare(stage, "")
            diff = stage.main.code.diff
            shop, tests = stage.main.changes.list.files  # what is staged stands first
            assert added(diff) == ["public void Sums() => new N.Shop().Twice(3);"]
            diff.show(shop)
            assert added(diff) == ["return a + 1;"]
            await stage.rest()
            assert diff.marks == ("staged",)
            diff.show(tests)
            await stage.rest()
            assert diff.marks == ()
            (bench.root / "Lib/Shop.cs").write_text(SECOND.replace("a + 1", "a + 44444"))
            await stage.press("<")
            await stage.rest()
            assert added(diff) == ["return a + 44444;"]


async def test_the_frame_names_a_file_as_soon_as_its_diff_is_shown(tmp_path: Path) -> None:
    async with compared(tmp_path, "HEAD~1..HEAD") as (stage, _):
        diff, files = stage.main.code.diff, stage.main.changes.list.files
        diff.show(files[1])
        assert stage.main.code.title == "Lib/Shop.cs"


async def test_a_range_that_is_another_by_now_is_shown_as_it_is(tmp_path: Path) -> None:
    async with compared(tmp_path, "HEAD~1..HEAD") as (stage, bench):
        (bench.root / "Lib/Shop.cs").write_text(SECOND.replace("a + 1", "a + 333"))
        git(bench.root, "commit", "--amend", "-aqm", "other")
        await compare(stage, "HEAD~1..HEAD")
        await stage.press(">")
        await stage.rest()
        assert added(stage.main.code.diff) == ["return a + 333;"]


async def test_it_is_read_again_with_other_context_and_other_sides(tmp_path: Path) -> None:
    async with compared(tmp_path, "HEAD~1..HEAD") as (stage, _):
        diff, files = stage.main.code.diff, stage.main.changes.list.files
        diff.set_options(DiffOptions(context=1))
        await stage.rest()
        diff.set_options(DiffOptions(context=1, split=True))
        await stage.rest()
        diff.show(files[1])
        assert [line.sign for line in diff.view.hunks[0].lines] == [" ", "-", "+", " "]
        assert [bool(row.beside) for row in diff.view.rows_in_view] == [False, True, True, True]


async def test_a_review_that_was_begun_is_shown_with_what_was_read_ahead(tmp_path: Path) -> None:
    async with compared(tmp_path, "HEAD~1..HEAD") as (stage, bench):
        bench.review.mark("HEAD~1..HEAD", "Lib/Shop.cs")
        stage.main.read_review()
        await stage.rest()
        stage.main.code.diff.show(stage.main.changes.list.files[1])
        assert stage.main.code.diff.marks == ("reviewed",)
