"""Start with a stored index of unchanged files, compared with `stat` of each of them."""

from __future__ import annotations

import os
import time
from pathlib import Path

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, settings
from benchmarks.harness.figures import Figure, Section


def measure(corpus: Corpus) -> Section:
    """Start and `stat` in turn."""
    corpus.keep()
    own, other = [], []
    for _ in range(corpus.rounds * 2):
        started = time.monotonic()
        own.append(fresh.run(start, folder=str(corpus.folder)) | {"started": started})
        other.append(fresh.run(stat_all, folder=str(corpus.folder), paths=corpus.paths))
    figures = tuple(
        Figure(
            what=what,
            unit="s",
            values=tuple(run[end] - run[begin] for run in own),
            reference=tuple(other),
            against="`stat` of all files",
            bar=bar,
        )
        for what, begin, end, bar in (
            ("modules imported", "began", "imported", ""),
            ("first search answered, from the first import on", "began", "usable", "0.8 s at 40 000 files"),
            ("first search answered, process start included", "started", "usable", ""),
            ("all files checked, from the first import on", "began", "checked", "1 s at 40 000 files"),
            ("all files checked, process start included", "started", "checked", ""),
        )
    )
    busy = tuple(
        Figure(what=f"{what}, processor time", unit="s", values=tuple(run[key] for run in own))
        for what, key in (("first search answered", "usable busy"), ("all files checked", "checked busy"))
    )
    note = "The kept index has the dependencies of its types, as a workbench leaves it."
    return Section(corpus=corpus.name, benchmark="warm_start", figures=(*figures, *busy), notes=(note,))


def start(folder: str) -> dict[str, float]:
    """Moments of a start, by the system's monotonic clock; `busy`: processor seconds of the process until then, which
    hardly depend on what else the machine does."""
    began = time.monotonic()
    from services.bench import Bench

    imported = time.monotonic()
    with Bench.open(Path(folder), settings=settings(2)) as bench:
        if not bench.index.load() or not bench.index.search("e").hits:
            raise RuntimeError("there is no kept index to search")
        usable, usable_busy = time.monotonic(), time.process_time()
        if bench.index.refresh():
            raise RuntimeError("files have changed")
        checked, checked_busy = time.monotonic(), time.process_time()
    moments = {"began": began, "imported": imported, "usable": usable, "checked": checked}
    return moments | {"usable busy": usable_busy, "checked busy": checked_busy}


def stat_all(folder: str, paths: list[str]) -> float:
    """Seconds to `stat` every file."""
    began = time.perf_counter()
    for path in paths:
        os.stat(f"{folder}/{path}")  # noqa: PTH116 - as plain as it gets
    return time.perf_counter() - began
