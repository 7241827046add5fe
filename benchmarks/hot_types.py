"""How long the usages of a type with many take, bound and looked up, beside a scan of all files for its name.

    python -m benchmarks.hot_types FOLDER TYPE … [--rounds 5]

A copy of FOLDER is indexed, its bodies are bound, and it is opened anew: the first question reads what is kept.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness.corpus import copied, settings


def main() -> None:
    """Measure, and tell."""
    parser = argparse.ArgumentParser(prog="benchmarks.hot_types", description="Usages of types with many.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("types", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    from services.bench import Bench

    with copied(chosen.folder, name=chosen.folder.resolve().name, workers=2, rounds=1, kept=True) as corpus:
        with Bench.open(corpus.folder, settings=settings(2)) as bench:
            bench.index.load()
            bench.index.refresh()
            bench.index.relate()
            began = time.perf_counter()
            bench.index.read_bodies()
            print(
                f"{corpus.name}, {corpus.scale}: bodies bound in {time.perf_counter() - began:.0f} s",
                flush=True,
            )
        for name in chosen.types:
            with Bench.open(corpus.folder, settings=settings(2)) as bench:
                bench.index.load()
                bench.index.refresh()
                bench.index.relate()
                first, total = _timed(lambda b=bench, n=name: b.usages.find(n, limit=200).total)
                again = [
                    _timed(lambda b=bench, n=name: b.usages.find(n, limit=200).total)[0]
                    for _ in range(chosen.rounds)
                ]
            scan, _ = _timed(lambda n=name: _scan(corpus.folder, corpus.paths, n.rpartition(".")[2]))
            print(
                f"{name}: {total:,} usages, first {first * 1000:.0f} ms, again "
                f"{statistics.median(again) * 1000:.0f} ms; reading every file for its name {scan * 1000:.0f} ms",
                flush=True,
            )


def _timed(ask: Callable[[], int]) -> tuple[float, int]:
    began = time.perf_counter()
    found = ask()
    return time.perf_counter() - began, found


def _scan(folder: Path, paths: tuple[str, ...], name: str) -> int:
    """How often a name stands in all files."""
    pattern = re.compile(rb"\b" + name.encode() + rb"\b")
    return sum(len(pattern.findall((folder / path).read_bytes())) for path in paths)


if __name__ == "__main__":
    main()
