"""A change of one file until search finds what is new in it, beside a plain parse of that file."""

from __future__ import annotations

import inspect
import os
import time
from pathlib import Path

from benchmarks import fresh
from benchmarks.corpus import Corpus, settings
from benchmarks.figures import Figure, Section, percentile

_CHANGES = 12


def measure(corpus: Corpus) -> Section:
    """Changes of a file of middling size, seen by whatever the bench offers for it."""
    corpus.keep()
    by_size = sorted(corpus.paths, key=lambda path: (corpus.folder / path).stat().st_size)
    path = by_size[len(by_size) // 2]
    runs = [fresh.run(changes, folder=str(corpus.folder), path=path) for _ in range(corpus.rounds)]
    figures = tuple(
        Figure(
            what=f"{what}, {name}",
            unit="ms",
            values=tuple(percentile(run[key], share) for run in runs),
            reference=tuple(percentile(run["parse"], 0.5) for run in runs),
            against="read and parse the file",
            bar=bar,
        )
        for what, key, name, share, bar in (
            ("change taken in", "taken", "p50", 0.5, ""),
            ("change taken in and found by search", "found", "p50", 0.5, ""),
            ("change taken in and found by search", "found", "p95", 0.95, "< 100 ms"),
            ("change taken in and its path resolved", "resolved", "p95", 0.95, ""),
        )
    )
    note = f"A file of {runs[0]['bytes']:,} bytes, {_CHANGES} changes a round, by `{runs[0]['call']}`."
    return Section(corpus=corpus.name, benchmark="update", figures=figures, notes=(note,))


def changes(folder: str, path: str) -> dict[str, object]:
    """Milliseconds from the call to each stage, for a number of changes; the file is put back."""
    from benchmarks import plain
    from services.bench import Bench

    file = Path(folder, path)
    original = file.read_bytes()
    found: dict[str, list[float]] = {"taken": [], "found": [], "resolved": [], "parse": []}
    with Bench.open(Path(folder), settings=settings(2)) as bench:
        bench.load()
        bench.refresh()
        bench.search("a")
        call = _call(bench.refresh)
        for number in range(_CHANGES):
            name = f"BenchmarkProbe{number}"
            _replace(file, original + f"\nclass {name} {{ }}\n".encode())
            began = time.perf_counter()
            bench.refresh(**({"paths": [path]} if "paths" in call else {}))
            _note(found["taken"], began)
            hits = bench.search(name).hits
            _note(found["found"], began)
            if not hits or hits[0].symbol.label != name or not bench.resolve(name).symbol:
                raise RuntimeError(f"{name} was not found")
            _note(found["resolved"], began)
            began = time.perf_counter()
            plain.parse(str(file))
            _note(found["parse"], began)
        _replace(file, original)
        bench.refresh()
    return found | {"bytes": len(original), "call": call}


def _call(refresh: object) -> str:
    """How a change is told: with its path where that can be done, else by looking at all files."""
    targeted = "paths" in inspect.signature(refresh).parameters  # pyright: ignore[reportArgumentType]
    return "refresh(paths=[path])" if targeted else "refresh()"


def _note(times: list[float], began: float) -> None:
    times.append((time.perf_counter() - began) * 1000)


def _replace(file: Path, content: bytes) -> None:
    """As editors do: a new file takes the place of the old one."""
    other = file.with_name(file.name + ".new")
    other.write_bytes(content)
    os.replace(other, file)  # noqa: PTH105 - said as the system call it is
