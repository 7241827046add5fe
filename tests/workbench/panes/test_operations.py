"""The pane of operations that last, over real ones of this process and of others."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from services.bench import Bench
from services.concurrency.cancellation import Job
from services.errors import Cancelled
from services.model import Progress
from services.ops.jobs import OpState
from services.ops.ops import OperationService
from tests.support.eventually import eventually, until
from tests.support.stage import Stage, on_stage
from tests.support.workspace import indexed, project
from workbench.panes.operations import OperationsScreen

FILES = {"Shop.csproj": project(), "Basket.cs": "namespace Shop; public class Basket { }"}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as made:
        yield made


@asynccontextmanager
async def opened(bench: Bench) -> AsyncIterator[tuple[Stage, OperationsScreen]]:
    """The pane is in front."""
    async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
        await stage.press("escape", "f9")
        screen = stage.app.screen
        assert isinstance(screen, OperationsScreen)
        yield stage, screen


def rows(screen: OperationsScreen) -> list[tuple[str, str]]:
    return [(row.label, row.detail) for row in screen.rows.rows]


def told(screen: OperationsScreen) -> str:
    return str(screen.detail.content)


async def test_where_nothing_lasts_it_says_what_appears_here(bench: Bench) -> None:
    async with opened(bench) as (_, screen):
        assert rows(screen) == []
        assert not bench.state.path("ops.db").exists()


async def test_what_was_done_is_listed_with_what_it_told(bench: Bench) -> None:
    bench.packs.build("all", filter="namespace:Shop")
    bench.exports.write()
    async with opened(bench) as (stage, screen):
        assert rows(screen) == [("Export the index", "done"), ("Build the pack all", "done")]
        await until(lambda: "Events" in told(screen))
        assert "kind" in told(screen)
        await stage.press("x")
        assert bench.ops.jobs.listed()[0].state is OpState.DONE


async def test_how_far_it_is_moves_as_it_goes_on_and_x_ends_it(bench: Bench) -> None:
    go = threading.Event()

    def work() -> None:
        with suppress(Cancelled), bench.recorder("export", "Export", Job()) as job:
            job.report(Progress(phase="Reading", done=1, total=4))
            eventually(go.is_set)
            job.report(Progress(phase="Writing", done=3, total=4))
            eventually(job.cancel.is_set)
            raise Cancelled("Cancelled.")

    thread = threading.Thread(target=work)
    thread.start()
    try:
        async with opened(bench) as (stage, screen):
            await until(lambda: rows(screen) == [("Export", "running · 25 % · Reading")])
            await until(lambda: "#####..............." in told(screen))
            go.set()
            await until(lambda: "Writing" in told(screen))
            await stage.press("x")
            await until(lambda: rows(screen) == [("Export", "cancelled")])
            thread.join()
    finally:
        go.set()


async def test_what_another_process_asks_for_comes_and_is_cancelled_where_nobody_works(bench: Bench) -> None:
    other = OperationService(bench.state, {"count": lambda run: 1})
    async with opened(bench) as (stage, screen):
        assert rows(screen) == []
        op = other.start("count", "Count [b]everything[/b]")
        await until(lambda: rows(screen) == [("Count [b]everything[/b]", "queued")])
        await until(lambda: "[b]everything[/b]" in told(screen))
        await stage.press("x")
        await until(lambda: rows(screen) == [("Count [b]everything[/b]", "cancelled")])
    assert other.jobs.get(op.op_id).state is OpState.CANCELLED


async def test_enter_opens_what_its_events_name(bench: Bench) -> None:
    ops = OperationService(bench.state, {"find": lambda run: run.tell("found", "Basket", ("Shop.Basket",))})
    ops.run(ops.start("find", "Find").op_id)
    async with opened(bench) as (stage, screen):
        await until(lambda: "Basket" in told(screen))
        await stage.press("enter")
        await until(lambda: not isinstance(stage.app.screen, OperationsScreen))
        await stage.rest()
        assert stage.main.code.visits.history.current is not None
