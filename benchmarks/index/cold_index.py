"""Indexing from scratch, compared with a plain tree-sitter parse of the same files in as many processes."""

from __future__ import annotations

import multiprocessing
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, settings
from benchmarks.harness.figures import Figure, Section
from benchmarks.harness.machine import peak, proportional
from benchmarks.index import plain
from benchmarks.index.declarations import compared


def measure(corpus: Corpus) -> Section:
    """Index and plain parse in turn, then the declarations of both compared."""
    own, other = [], []
    for _ in range(corpus.rounds):
        corpus.forget()
        _have_read(corpus)
        own.append(_with_work(index, folder=str(corpus.folder), workers=corpus.workers))
        _have_read(corpus)
        other.append(
            _with_work(plain.parse_all, folder=str(corpus.folder), paths=corpus.paths, workers=corpus.workers)
        )
    last = own[-1]
    seconds = tuple(run["seconds"] for run in own)
    parsed = tuple(run["seconds"] for run in other)
    speed = corpus.size / 1e6
    figures = (
        Figure(
            what="`Bench.refresh`, nothing kept",
            unit="s",
            values=seconds,
            reference=parsed,
            against="plain parse",
            bar="≤ 0.75×",
        ),
        Figure(
            what="processor time of all processes, imports included",
            unit="s",
            values=tuple(run["work"] for run in own),
            reference=tuple(run["work"] for run in other),
            against="plain parse",
        ),
        Figure(
            what="source a second",
            unit="MB/s",
            values=tuple(speed / run for run in seconds),
            reference=tuple(speed / run for run in parsed),
            against="plain parse",
        ),
        Figure(what="most memory, this process", unit="MB", values=tuple(run["peak"] for run in own)),
        Figure(what="most memory, each worker (PSS)", unit="MB", values=tuple(run["worker"] for run in own)),
    )
    qualities = ", ".join(f"{count:,} {name}" for name, count in sorted(last["quality"].items()))
    found = (
        f"{last['symbols']:,} symbols ({last['types']:,} types) with {corpus.workers} processes. Qualities: "
        f"{qualities}; of the plain parse {other[-1]['errors']:,} files have errors."
    )
    notes = (found, compared(corpus))
    return Section(corpus=corpus.name, benchmark="cold_index", figures=figures, notes=notes)


def _have_read(corpus: Corpus) -> None:
    """Read every file: where the system has dropped them from memory, the first reader would pay for the disk."""
    for path in corpus.paths:
        (corpus.folder / path).read_bytes()


def _with_work(function: Callable[..., dict[str, Any]], **arguments: object) -> dict[str, Any]:
    """Return the function's answer, and the processor seconds that it and its workers used (`work`): unlike the
    clock, these hardly depend on the load of the machine."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = fresh.run(function, **arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return answer | {"work": work}


def index(folder: str, workers: int) -> dict[str, Any]:
    """A cold refresh: seconds, what was found, most memory of this process and of a worker (MB)."""
    from services.bench import Bench

    with Bench.open(Path(folder), settings=settings(workers)) as bench, _Watch() as watch:
        began = time.perf_counter()
        bench.index.refresh()
        seconds = time.perf_counter() - began
        status = bench.health.status()
    return {
        "seconds": seconds,
        "symbols": status.types + status.members,
        "types": status.types,
        "quality": dict(status.quality),
        "peak": peak(),
        "worker": watch.most,
    }


class _Watch:
    """Looks at the memory of this process's children twice a second."""

    def __init__(self) -> None:
        self.most = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(0.5):
            children = multiprocessing.active_children()
            self.most = max([self.most, *(proportional(child.pid) for child in children if child.pid)])
