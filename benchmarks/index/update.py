"""Time from a change of one file until search finds its new content, compared with a plain parse of that file."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, settings
from benchmarks.harness.figures import Figure, Section, percentile

_CHANGES = 10
_LATER = 2.0
"""Seconds after the start at which the first change comes."""
_PATIENCE = 60.0

Times = dict[str, list[float]]


def measure(corpus: Corpus) -> Section:
    """Changes of a file of middling size: followed on disk, and found by looking at all files."""
    corpus.keep()
    by_size = sorted(corpus.paths, key=lambda path: (corpus.folder / path).stat().st_size)
    path = by_size[len(by_size) // 2]
    followed, looked = [], []
    for _ in range(corpus.rounds):
        followed.append(fresh.run(changes, folder=str(corpus.folder), path=path, watching=True))
        looked.append(fresh.run(changes, folder=str(corpus.folder), path=path, watching=False))
    figures = tuple(
        Figure(
            what=what,
            unit="ms",
            values=tuple(percentile(run[stage], share) for run in runs),
            reference=tuple(percentile(run["parse"], 0.5) for run in runs),
            against="read and parse the file",
            bar=bar,
        )
        for what, runs, stage, share, bar in (
            ("followed: brought in after the batch window, p50", followed, "taken", 0.5, ""),
            ("followed: found by search, p50", followed, "found", 0.5, ""),
            ("followed: found by search, p95", followed, "found", 0.95, "< 100 ms"),
            ("`refresh`: found by search, p50", looked, "found", 0.5, ""),
            ("`refresh`: found by search, p95", looked, "found", 0.95, ""),
        )
    )
    size = (corpus.folder / path).stat().st_size
    note = f"A file of {size:,} bytes, {_CHANGES} changes a round, the first {_LATER:g} s after the start."
    return Section(corpus=corpus.name, benchmark="update", figures=figures, notes=(note,))


def changes(folder: str, path: str, watching: bool) -> Times:
    """Milliseconds to each stage of a number of changes; the file is put back.

    `watching`: the bench follows the disk, and time begins when its batch window has passed; else it refreshes."""
    from benchmarks.index import plain
    from services.bench import Bench
    from services.workspace.watch import QUIET

    file = Path(folder, path)
    original = file.read_bytes()
    times: Times = {"taken": [], "found": [], "parse": []}
    with Bench.open(Path(folder), settings=settings(2)) as bench:
        bench.index.load()
        bench.index.refresh()
        bench.index.search("a")
        told = threading.Event()
        bench.sharing.subscribe(lambda _: told.set())
        if watching:
            bench.watch()
            time.sleep(_LATER)
        for number in range(_CHANGES):
            name = f"BenchmarkProbe{number}"
            told.clear()
            _replace(file, original + f"\nclass {name} {{ }}\n".encode())
            began = time.perf_counter() + (QUIET if watching else 0)
            _wait(told) if watching else bench.index.refresh()
            _note(times["taken"], began)
            hits = bench.index.search(name).hits
            _note(times["found"], began)
            if not hits or hits[0].symbol.label != name:
                raise RuntimeError(f"{name} was not found")
            times["parse"].append(_spent(lambda: plain.parse(str(file))))
        _replace(file, original)
    return times


def _wait(told: threading.Event) -> None:
    if not told.wait(_PATIENCE):
        raise TimeoutError("the change was not seen")


def _note(times: list[float], began: float) -> None:
    times.append((time.perf_counter() - began) * 1000)


def _spent(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def _replace(file: Path, content: bytes) -> None:
    """Replace a file by a new one, as editors do."""
    other = file.with_name(file.name + ".tmp")
    other.write_bytes(content)
    os.replace(other, file)  # noqa: PTH105 - said as the system call it is
