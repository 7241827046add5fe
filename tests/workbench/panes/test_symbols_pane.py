"""What a key in the search box waits for, and what waits for it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from textual.screen import Screen

from services.model import SearchAnswer, SymbolRef
from tests.support.eventually import until
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import TREE, StageBench
from workbench.panes.symbols_pane import MOST_RESULTS
from workbench.state.session import Session


def _many(count: int) -> tuple[SymbolRef, ...]:
    fields = {name: getattr(TREE, name) for name in TREE.__struct_fields__}
    return tuple(SymbolRef(**{**fields, "id": f"T_{n:08d}", "label": f"Tree{n:03}"}) for n in range(count))


def _asked(bench: StageBench) -> list[list[str]]:
    return [call.split()[1:] for call in bench.calls if call.startswith("costs ")]


async def _found(stage: Stage, count: int) -> None:
    counts = stage.main.symbols.counts
    await until(lambda: counts.counts is not None and counts.counts.found == count)
    await stage.pilot.pause()


async def _costs_asked(stage: Stage, bench: StageBench, times: int) -> None:
    await until(lambda: len(_asked(bench)) >= times)
    await stage.pilot.pause()


async def test_a_search_does_not_wait_for_threads_that_others_have_taken() -> None:
    bench, free = StageBench(), threading.Event()
    async with on_stage(bench) as stage:
        for number in range(64):
            stage.main.jobs.run(f"busy {number}", lambda: free.wait(60), lambda _: None)
        try:
            await stage.pilot.press(*"row")
            await _found(stage, 1)
        finally:
            free.set()


async def test_costs_are_asked_a_few_at_a_time_and_no_more_of_a_query_that_is_over() -> None:
    bench = StageBench(symbols=_many(30))
    held = bench.hold("costs")
    async with on_stage(bench, settled=False) as stage:
        await _costs_asked(stage, bench, 1)
        await stage.pilot.press(*"tree02")
        await _found(stage, 10)
        held.set()
        await stage.rest()
        first, *later = _asked(bench)
        assert first == [f"T_{n:08d}" for n in range(4)]
        # A slow machine rests between two keys: the first four are asked for anew, as no answer came.
        others = [ids for ids in later if ids != first]
        assert [id_ for ids in others for id_ in ids] == [f"T_{n:08d}" for n in range(20, 30)]
        assert max(map(len, others)) <= 4


async def test_costs_of_rows_that_went_out_of_view_are_not_asked_for() -> None:
    bench = StageBench(symbols=_many(100))
    held = bench.hold("costs")
    async with on_stage(bench, settled=False) as stage:
        await _costs_asked(stage, bench, 1)
        await stage.pilot.press("pagedown", "pagedown")
        held.set()
        await stage.rest()
        results = stage.main.symbols.results
        top, bottom = int(results.scroll_y), int(results.scroll_y) + results.size.height
        assert top > 4
        asked = [int(id_[2:]) for ids in _asked(bench) for id_ in ids]
        assert asked[top - bottom :] == list(range(top, bottom))
        gone = [number for number in asked if number < top]
        assert len(gone) <= 8, "the first four, and four of the page between where a slow machine rests there"
        assert results.row_at(top).tokens is not None


async def test_a_key_waits_for_the_first_results_and_the_rest_comes_below_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench, rest = StageBench(symbols=_many(1_000)), threading.Event()
    search = bench.search

    def held(query: str, *, limit: int = 50) -> SearchAnswer:
        assert limit < MOST_RESULTS or rest.wait(60)
        return search(query, limit=limit)

    async with on_stage(bench) as stage:
        monkeypatch.setattr(bench, "search", held)
        await stage.pilot.press(*"tree")
        await _found(stage, 1_000)
        results = stage.main.symbols.results
        assert results.size.height <= results.row_count < 60
        rest.set()
        await stage.pilot.press("down", "down", "down")
        await stage.rest()
        assert (results.row_count, results.cursor) == (128, 3)
        assert stage.main.symbols.current == bench.symbols[3]
        await stage.pilot.press("end")
        results.action_last()
        assert stage.main.symbols.current == bench.symbols[127]


async def test_typing_lays_nothing_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[object] = []
    lay_out = Screen._refresh_layout

    def counted(self: Screen[Any], *arguments: Any, **options: Any) -> None:
        laid_out.append(self)
        lay_out(self, *arguments, **options)

    async with on_stage(StageBench(symbols=_many(200))) as stage:
        await stage.type("t")  # the first search is a first step, which is no longer hinted at
        await stage.rest()
        monkeypatch.setattr(Screen, "_refresh_layout", counted)
        await stage.type("ree0")
        await _found(stage, 100)
        await stage.pilot.pause()
        assert laid_out == []


async def test_every_key_has_what_is_worked_out_for_later_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    made_room: list[Session] = []

    def make_room(self: Session) -> None:
        made_room.append(self)

    async with on_stage() as stage:
        monkeypatch.setattr(Session, "give_way", make_room)
        for key in ("a", "escape", "down"):
            made_room.clear()
            await stage.pilot.press(key)
            assert made_room, key


async def test_a_held_key_does_not_wait_for_the_rows_below_the_first_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.panes.symbols_pane._REST", 60.0)
    async with on_stage(StageBench(symbols=_many(100))) as stage:
        rows = stage.main.symbols.results
        await stage.type("tree")
        assert rows.row_count == 40
        await stage.press(*["down"] * 50)
        assert (rows.row_count, rows.cursor) == (100, 50)
