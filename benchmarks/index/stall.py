"""How late an event loop's 5 ms ticks come while the index works in a thread: what a screen would feel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, settings
from benchmarks.harness.figures import Figure, Section, percentile
from benchmarks.index import plain

_TICK = 0.005


def measure(corpus: Corpus) -> Section:
    """Measure indexing and starting, each compared with a plain parse that uses as many other processes."""
    cold, warm, other = [], [], []
    for _ in range(corpus.rounds):
        corpus.forget()
        cold.append(fresh.run(while_indexing, folder=str(corpus.folder), workers=corpus.workers))
        other.append(
            fresh.run(while_parsing, folder=str(corpus.folder), paths=corpus.paths, workers=corpus.workers)
        )
        warm.append(fresh.run(while_starting, folder=str(corpus.folder)))
    figures = tuple(
        Figure(
            what=f"{what}, {name}",
            unit="ms",
            values=tuple(run[phase][place] for run in runs),
            reference=tuple(run["parse"][place] for run in other),
            against="plain parse",
            bar=bar,
        )
        for what, runs, phase in (
            ("indexing from nothing", cold, "index"),
            ("first search after it", cold, "search"),
            ("loading the kept index", warm, "load"),
            ("first search after loading", warm, "search"),
            ("checking all files", warm, "check"),
        )
        for place, (name, bar) in enumerate((("p99", ""), ("longest", "< 50 ms")))
    )
    return Section(
        corpus=corpus.name,
        benchmark="stall",
        figures=figures,
        notes=("How late 5 ms ticks came in the process whose thread does the work.",),
    )


def while_indexing(folder: str, workers: int) -> dict[str, list[float]]:
    """[p99, longest] lateness in ms during a cold refresh and the search after it."""
    from services.bench import Bench

    with Bench.open(Path(folder), settings=settings(workers), helper=True, patience=0.0) as bench:
        return {"index": _lateness(bench.index.refresh), "search": _lateness(lambda: bench.index.search("e"))}


def while_starting(folder: str) -> dict[str, list[float]]:
    """[p99, longest] lateness in ms during loading, the first search and the check of all files."""
    from services.bench import Bench

    with Bench.open(Path(folder), settings=settings(2), helper=True, patience=0.0) as bench:
        return {
            "load": _lateness(bench.index.load),
            "search": _lateness(lambda: bench.index.search("e")),
            "check": _lateness(bench.index.refresh),
        }


def while_parsing(folder: str, paths: list[str], workers: int) -> dict[str, list[float]]:
    """[p99, longest] lateness in ms while other processes parse all files."""
    return {"parse": _lateness(lambda: plain.parse_all(folder, paths, workers))}


def _lateness(work: Callable[[], object]) -> list[float]:
    late = asyncio.run(_ticks(work))
    return [percentile(late, 0.99), max(late)]


async def _ticks(work: Callable[[], object]) -> list[float]:
    """How late each tick came, in ms, while `work` ran in a thread."""
    late: list[float] = []
    job = asyncio.create_task(asyncio.to_thread(work))
    await asyncio.sleep(0)
    while not job.done():
        began = time.perf_counter()
        await asyncio.sleep(_TICK)
        late.append(max(0.0, (time.perf_counter() - began - _TICK) * 1000))
    await job
    return late or [0.0]
