"""Long files, and keys that are held: what is in view is worked out, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from services.model import DiffLine, Hunk
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import StageBench

LONG = 50_000
LINES = [f"// line {number}" for number in range(1, LONG + 1)]


class Resting:
    """A timer that is put off for ever."""

    def reset(self) -> None:
        """Another key came."""


@asynccontextmanager
async def long_file(line: int = 1) -> AsyncIterator[tuple[Stage, StageBench]]:
    """A long file, opened at a line."""
    bench = StageBench()
    bench.source = "\n".join(LINES) + "\n"
    async with on_stage(bench) as stage:
        stage.main.open(f"src/Tree.cs:{line}")
        await stage.settle()
        yield stage, bench


async def test_a_long_file_is_on_the_screen_before_any_line_is_coloured_and_then_those_in_view_are() -> None:
    async with long_file(30_000) as (stage, bench):
        source = stage.main.code.source
        page = len(source.lines_in_view)
        assert source.line_count == LONG
        assert set().union(*bench.coloured) >= set(source.lines_in_view)
        assert (
            len(set().union(*bench.coloured)) <= 4 * page
        )  # some lines more where it scrolls once it has a height
        assert source.render_line(1).text.lstrip().startswith(str(source.lines_in_view.start + 1))


async def test_colours_are_not_asked_for_in_the_turn_in_which_a_file_is_shown() -> None:
    async with long_file() as (stage, bench):
        bench.coloured.clear()
        source, opened = stage.main.code.source, stage.main.code._open
        assert opened is not None
        source._open = None
        source.show(opened)
        assert (source.line_count, bench.coloured) == (LONG, [])


async def test_what_is_paged_to_gets_its_colours_once() -> None:
    async with long_file() as (stage, bench):
        source = stage.main.code.source
        await stage.press(*["pagedown"] * 5, *["pageup"] * 5)
        asked = [line for lines in bench.coloured for line in lines]
        assert len(asked) == len(set(asked))
        assert set(asked) >= set(range(1, source.lines_in_view.stop * 5))
        assert max(asked) < source.lines_in_view.stop * 9


async def test_while_colours_are_on_their_way_a_held_key_asks_for_no_more() -> None:
    async with long_file() as (stage, bench):
        source = stage.main.code.source
        jobs = source._jobs
        bench.coloured.clear()
        asked: list[str] = []
        run, jobs.run = jobs.run, lambda name, *_, **__: asked.append(name)  # pyright: ignore[reportAttributeAccessIssue]
        for _ in range(20):
            source.action_move_page(1)
        assert asked == ["colour"]
        jobs.run = run


async def test_the_place_of_a_held_key_is_looked_up_when_it_rests() -> None:
    async with long_file() as (stage, _):
        code = stage.main.code
        await stage.settle()
        timers: list[Callable[[], None]] = []
        looked: list[int] = []
        code.breadcrumbs.set_timer = lambda _, act: timers.append(act) or Resting()  # pyright: ignore[reportAttributeAccessIssue]
        code.breadcrumbs.look = lambda _, line: looked.append(line)  # pyright: ignore[reportAttributeAccessIssue]
        for _ in range(30):
            await stage.pilot.press("down")
        assert (len(timers), looked) == (1, [])
        timers[0]()
        assert looked == [31]


async def test_a_long_diff_is_paged_through_with_the_colours_of_what_is_in_view() -> None:
    bench = StageBench()
    lines = tuple(DiffLine(text=text, new=number) for number, text in enumerate(LINES[:5_000], 1))
    bench.changes.long["src/Tree.cs"] = (
        Hunk(old_start=0, old_count=0, new_start=1, new_count=len(lines), lines=lines),
    )
    bench.changes.sides = ("", "\n".join(LINES[:5_000]))
    async with on_stage(bench) as stage:
        await stage.press("escape", "d", "home", *["pagedown"] * 4)
        diff = stage.main.code.diff
        shown = {row.line.new for row in diff.view.rows_in_view if row.line}
        asked = set().union(*bench.coloured)
        assert diff.view.cursor > 60
        assert asked >= shown
        assert len(asked) < 400


async def test_the_cursor_moves_within_a_list_or_a_diff_without_laying_the_screen_out_again() -> None:
    async with on_stage() as stage:
        await stage.press("escape")
        laid_out: list[object] = []
        stage.main.screen_layout_refresh_signal.subscribe(stage.main, laid_out.append, immediate=True)
        await stage.press("down", "up", "down")
        assert stage.main.symbols.results.cursor == 1
        assert laid_out == []
        await stage.press("d", "home", "down")
        laid_out.clear()
        await stage.press("down", "down")
        assert stage.main.code.diff.view.cursor == 3
        assert laid_out == []
